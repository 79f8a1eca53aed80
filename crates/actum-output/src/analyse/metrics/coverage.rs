//! Coverage in all, as its tools print it: the last row of a table, or a line of its own.
//!
//! | tool | head of the table | what is read |
//! |---|---|---|
//! | coverage.py | `Name Stmts Miss Cover` | `TOTAL 25 7 72%` |
//! | nyc, jest, c8 | `File \| % Stmts \| % Branch \| % Funcs \| % Lines` | `All files \| 85.71 \| …` |
//! | llvm-cov | `Filename Regions Missed Regions Cover …` | the shares of `TOTAL …`, in their order |
//! | go tool cover | | `total: (statements) 74.2%` |
//! | lcov | | `lines......: 88.2% (15 of 17 lines)` |

use super::{Told, number};

const STATEMENTS: &str = "statement_coverage";
const BRANCHES: &str = "branch_coverage";
const FUNCTIONS: &str = "function_coverage";
const LINES: &str = "line_coverage";
const REGIONS: &str = "region_coverage";

/// The table that a stream is in.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coverage {
    #[default]
    None,
    Python,
    Istanbul,
    Llvm,
}

impl Coverage {
    /// What a line tells; none for a line that is no part of it.
    pub(super) fn line(&mut self, line: &str) -> Option<Vec<Told>> {
        if let Some(head) = Self::of_head(line) {
            *self = head;
            return Some(Vec::new());
        }
        let told = match self {
            Self::None => None,
            Self::Python => of_python(line),
            Self::Istanbul => of_istanbul(line),
            Self::Llvm => of_llvm(line),
        };
        if told.is_some() {
            *self = Self::None;
        }
        told.or_else(|| of_line(line))
    }

    fn of_head(line: &str) -> Option<Self> {
        let words: Vec<&str> = line.split_whitespace().take(4).collect();
        match words.as_slice() {
            ["Name", "Stmts", "Miss", ..] => Some(Self::Python),
            ["File", "|", "%", "Stmts"] => Some(Self::Istanbul),
            ["Filename", "Regions", "Missed", "Regions"] => Some(Self::Llvm),
            _ => None,
        }
    }
}

fn of_python(line: &str) -> Option<Vec<Told>> {
    let mut words = line.split_whitespace();
    let is_total = words.next() == Some("TOTAL");
    let share = words.next_back().filter(|word| is_total && word.ends_with('%'))?;
    Some(told("coverage", share).into_iter().collect())
}

fn of_istanbul(line: &str) -> Option<Vec<Told>> {
    let mut cells = line.split('|').map(str::trim);
    let is_total = cells.next() == Some("All files");
    let names = [STATEMENTS, BRANCHES, FUNCTIONS, LINES];
    is_total.then(|| names.into_iter().zip(cells).filter_map(|(name, cell)| told(name, cell)).collect())
}

fn of_llvm(line: &str) -> Option<Vec<Told>> {
    let mut words = line.split_whitespace();
    let is_total = words.next() == Some("TOTAL");
    // What there is none of has a dash.
    let shares = words.filter(|word| word.ends_with('%') || *word == "-");
    let names = [REGIONS, FUNCTIONS, LINES, BRANCHES];
    is_total.then(|| names.into_iter().zip(shares).filter_map(|(name, share)| told(name, share)).collect())
}

fn of_line(line: &str) -> Option<Vec<Told>> {
    let (key, rest) = line.split_once(':')?;
    let mut words = rest.split_whitespace();
    let first = words.next()?;
    let told = match key.trim() {
        "total" if first == "(statements)" => told("coverage", words.next()?),
        key if key.ends_with("..") && first.ends_with('%') => match key.trim_end_matches('.') {
            "lines" => told(LINES, first),
            "functions" => told(FUNCTIONS, first),
            "branches" => told(BRANCHES, first),
            _ => None,
        },
        _ => None,
    };
    told.map(|told| vec![told])
}

fn told(name: &str, literal: &str) -> Option<Told> {
    let number = number::read(literal)?;
    Some(Told { name: name.to_owned(), literal: number.literal.to_owned(), value: number.value, step: None })
}
