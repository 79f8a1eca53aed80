//! How much a text looks like each language: marks found, their weights added, the best compared with the next.

use super::foreign::FOREIGN;
use super::{By, Recognised};
use crate::{Language, Languages, Mark};
use regex::bytes::{RegexSet, RegexSetBuilder};

/// The beginning of a text tells; the rest costs time.
const LOOKED_AT: usize = 32 * 1024;

/// Less than this is no sign at all.
const LEAST: i32 = 4;

/// What the best must be ahead of the next by, and at least a third of its own score.
const LEAD: i32 = 3;

/// 32 MiB: three times what the table takes today.
const LARGEST_SET: usize = 32 * 1024 * 1024;

/// What one language of the table, or one that is only known by sight, collected.
#[derive(Debug, Clone, Copy)]
struct Score<'a> {
    what: What<'a>,
    points: i32,
}

#[derive(Debug, Clone, Copy)]
enum What<'a> {
    Known(&'a Language),
    Foreign(&'static str),
}

/// Scores of one text, the best first.
#[derive(Debug, Clone)]
pub struct Scores<'a>(Vec<Score<'a>>);

impl<'a> Scores<'a> {
    /// Looks for every mark of every language at once.
    pub fn of(languages: &'a Languages, code: &[u8]) -> Self {
        let code = &code[..code.len().min(LOOKED_AT)];
        let known: Vec<&Language> = languages.iter().collect();
        let found = languages.marks().find(code);
        let points = |at: usize| found[at];
        let mut scores = Vec::with_capacity(found.len());
        for (at, language) in known.iter().enumerate() {
            let base =
                language.extends.as_ref().and_then(|name| known.iter().position(|one| one.name == *name));
            // A language that extends another begins where its own marks are seen; before that it is the other.
            let own = points(at);
            let inherited = base.filter(|_| own > 0).map_or(0, |base| points(base).max(0));
            scores.push(Score { what: What::Known(language), points: own + inherited });
        }
        for (at, (title, _)) in FOREIGN.iter().enumerate() {
            scores.push(Score { what: What::Foreign(title), points: points(known.len() + at) });
        }
        // Stable: where points are equal, the order of the table holds.
        scores.sort_by_key(|score| -score.points);
        Self(scores)
    }

    /// One language where it is clearly ahead.
    pub fn judge(&self) -> Recognised<'a> {
        let Some(best) = self.0.first().filter(|best| best.points >= LEAST) else {
            return Recognised::Unknown;
        };
        let others = self.0[1..].iter().filter(|other| !best.extends(other));
        let rivals: Vec<&Score<'_>> = others.filter(|other| !best.is_ahead_of(other)).collect();
        match best.what {
            What::Foreign(title) => Recognised::Foreign(title),
            What::Known(language) if rivals.is_empty() => Recognised::One { language, by: By::Text },
            What::Known(language) => {
                let known = rivals.iter().filter_map(|rival| match rival.what {
                    What::Known(other) => Some(other),
                    What::Foreign(_) => None,
                });
                Recognised::Ambiguous([language].into_iter().chain(known).collect())
            }
        }
    }

    /// Points by name, the best first, for whoever tunes the marks.
    pub fn points(&self) -> Vec<(&str, i32)> {
        let named = self.0.iter().map(|score| match score.what {
            What::Known(language) => (language.name.as_str(), score.points),
            What::Foreign(title) => (title, score.points),
        });
        named.collect()
    }
}

impl Score<'_> {
    fn is_ahead_of(&self, other: &Score<'_>) -> bool {
        let lead = self.points - other.points.max(0);
        lead >= LEAD && lead * 3 >= self.points
    }

    /// Whether the other is what this one extends, and so no rival.
    fn extends(&self, other: &Score<'_>) -> bool {
        match (self.what, other.what) {
            (What::Known(own), What::Known(base)) => own.extends.as_ref() == Some(&base.name),
            (What::Known(_) | What::Foreign(_), What::Known(_) | What::Foreign(_)) => false,
        }
    }
}

/// The marks of all tables, ready to be looked for in one pass. Making it ready costs more than a pass, so it is kept.
#[derive(Debug, Clone)]
pub(crate) struct Marks {
    set: RegexSet,
    /// For each pattern the table that it speaks for, and how much it says.
    says: Vec<(usize, i32)>,
    tables: usize,
}

impl Marks {
    pub(crate) fn of(languages: &[Language]) -> Self {
        let tables = languages.iter().map(|language| &language.marks[..]);
        let tables: Vec<&[Mark]> = tables.chain(FOREIGN.iter().map(|(_, marks)| *marks)).collect();
        let numbered = tables.iter().enumerate();
        let marks: Vec<(usize, &Mark)> =
            numbered.flat_map(|(at, marks)| marks.iter().map(move |mark| (at, mark))).collect();
        let mut builder = RegexSetBuilder::new(marks.iter().map(|(_, mark)| mark.pattern));
        let set = builder.multi_line(true).unicode(false).size_limit(LARGEST_SET).build();
        Self {
            set: set.expect("BUG: a mark of the table is no regular expression"),
            says: marks.iter().map(|(at, mark)| (*at, mark.weight)).collect(),
            tables: tables.len(),
        }
    }

    /// The points of each table: the languages in their order, then the foreign ones.
    fn find(&self, code: &[u8]) -> Vec<i32> {
        let mut points = vec![0; self.tables];
        for index in self.set.matches(code) {
            let (table, weight) = self.says[index];
            points[table] += weight;
        }
        points
    }
}
