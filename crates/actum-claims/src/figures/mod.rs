//! Figures: every number that a run told, with the words that say what it is.
//!
//! A metric has a name that people use for such numbers. Programs tell more than that: `net total: 430.00`, `dropped 38 rows`, a
//! table of models, a file of results. Here each number keeps what stands around it, in one form, and nothing is decided: which
//! one a claim is about is the judge's question. Pure, and linear in what is read.
//!
//! | part | what |
//! |---|---|
//! | `words` | words in one form |
//! | `lines` | what was printed: sentences, pairs, tables with columns |
//! | `data` | JSON and tables in files |
//! | `coverage` | what tools for coverage print |

mod coverage;
mod data;
mod lines;
pub(crate) mod words;

use crate::evidence::RunFacts;
use actum_model::Quantity;
use actum_model::command_line::shows_text;
use std::cell::OnceCell;

/// A number that a run told.
#[derive(Clone, Debug)]
pub(crate) struct Figure {
    /// Where it stands: `stdout:L3-L3`, `file/results.json`.
    pub(crate) piece: String,
    pub(crate) value: Quantity,
    /// What it is, by the words that belong to it alone: its key, its column, the noun behind it.
    pub(crate) name: Vec<String>,
    /// What else is said about it: its row, its line, the heading above it; not what its neighbours are called.
    pub(crate) around: Vec<String>,
    /// The row of a table, or the object around it: with the name it is one thing.
    pub(crate) row: String,
    pub(crate) step: Option<u64>,
    pub(crate) told_as: ToldAs,
    /// The line, to be shown.
    pub(crate) text: String,
    /// The numbers of that line, read when they are asked for the first time: every claim asks.
    beside: OnceCell<Vec<f64>>,
}

impl Figure {
    /// The numbers of its line.
    pub(crate) fn beside(&self) -> &[f64] {
        self.beside.get_or_init(|| {
            // The 2 of `val_r2` is none.
            let is_edge = |c: char| !(c.is_alphanumeric() || matches!(c, '.' | ',' | '-' | '_'));
            let bare = |word: &str| -> Option<f64> {
                let word = word.trim_end_matches(|c: char| c.is_alphabetic() || matches!(c, ',' | '.'));
                Quantity::read(word).map(|one| one.value)
            };
            self.text.split(is_edge).filter_map(bare).collect()
        })
    }
}

/// What a line says about which of several values it tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ToldAs {
    #[default]
    Value,
    Best,
    Final,
    First,
    /// The second number of `3 of 5 files`.
    Whole,
    /// A number in the first column of a table, which says of what its row tells.
    Key,
}

/// More of a run is not looked at: its end, where results stand.
const MOST: usize = 20_000;

/// The figures of runs, each read when it is asked for the first time.
pub(crate) struct Sheets {
    wanted: words::Wanted,
    of: Vec<(String, OnceCell<Vec<Figure>>)>,
}

impl Sheets {
    /// For claims with these words: lines that have none of them are not read.
    pub(crate) fn of<'t>(runs: &[RunFacts], texts: impl IntoIterator<Item = &'t str>) -> Self {
        let wanted = words::Wanted::by(texts);
        Self { wanted, of: runs.iter().map(|run| (run.run.clone(), OnceCell::new())).collect() }
    }

    pub(crate) fn figures(&self, run: &RunFacts) -> &[Figure] {
        let Some((_, cell)) = self.of.iter().find(|(name, _)| *name == run.run) else { return &[] };
        cell.get_or_init(|| read(run, &self.wanted))
    }
}

fn read(run: &RunFacts, wanted: &words::Wanted) -> Vec<Figure> {
    let mut figures = Vec::new();
    for file in &run.texts {
        data::file(&file.path, &file.text, &mut figures);
    }
    // A text that was only shown is nothing that the run found out.
    if !shows_text(&run.command) {
        lines::read(&run.printed, wanted, &mut figures);
    }
    counted_by_tools(run, &mut figures);
    let first = figures.len().saturating_sub(MOST);
    figures.split_off(first)
}

/// `wc -l` prints no word for what it counts.
fn counted_by_tools(run: &RunFacts, figures: &mut Vec<Figure>) {
    let words = crate::command::words(&run.command);
    let has = |word: &str| words.iter().any(|one| one == word);
    let named =
        [("-l", "lines"), ("-c", "bytes"), ("-w", "words"), ("--lines", "lines"), ("--bytes", "bytes")];
    let Some((_, name)) = named.iter().find(|(switch, _)| has("wc") && has(switch)) else { return };
    for line in run.printed.iter().filter(|line| line.stream == "stdout") {
        let mut words = line.text.split_whitespace();
        let Some(value) = words.next().and_then(Quantity::read) else { continue };
        let row = words.next().unwrap_or_default().to_owned();
        figures.push(Figure {
            piece: format!("stdout:L{}-L{}", line.number, line.number),
            value,
            name: vec![words::stem(name)],
            around: words::keys(&format!("{row} {}", run.command)),
            row,
            step: None,
            told_as: ToldAs::Value,
            beside: OnceCell::new(),
            text: line.text.clone(),
        });
    }
}

/// Words by which a number counts steps of the work.
pub(crate) fn is_step(word: &str) -> bool {
    ["epoch", "epochs", "step", "steps", "iter", "iteration", "iterations", "round"].contains(&word)
}

/// A column or key that says which step it was. `steps` says how many there were.
pub(crate) fn is_index(word: &str) -> bool {
    is_step(word) && !word.ends_with('s')
}

/// Which of several values these words say it is.
pub(crate) fn told_as<'w>(words: impl IntoIterator<Item = &'w str>) -> ToldAs {
    for word in words {
        match word {
            "best" | "highest" | "lowest" => return ToldAs::Best,
            "final" | "last" => return ToldAs::Final,
            "initial" | "first" | "starting" => return ToldAs::First,
            _ => {}
        }
    }
    ToldAs::Value
}
