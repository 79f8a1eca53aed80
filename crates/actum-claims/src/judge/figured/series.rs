//! Figures of one name and row in one run, and which of them is meant.

use super::Asked;
use super::meets::{Meets, beside};
use super::weighing::{observed, shown_line};
use super::words::{Words, core};
use crate::evidence::RunFacts;
use crate::figures::words::keys;
use crate::figures::{Figure, ToldAs};
use crate::judge::interval::{Fit, fit};
use crate::judge::scope::{Scope, program};
use crate::judge::verdict::Verdict;
use crate::names::Name;
use actum_model::{Quantity, When, Which};
use std::collections::HashMap;

/// Figures of one name and row in one run, in the order in which they were told.
pub(super) struct Series<'e> {
    pub(super) run: &'e RunFacts,
    pub(super) figures: Vec<&'e Figure>,
    pub(super) score: i64,
    /// Every word of the claim's name is found at it.
    pub(super) is_whole: bool,
    /// Its row is named by the claim.
    pub(super) has_row: bool,
    /// Its command is named by words beside the number.
    pub(super) has_run: bool,
    /// A newer run of the same program told it too.
    pub(super) is_old: bool,
    /// The other numbers of the claim's sentence.
    pub(super) numbers: Vec<f64>,
}

pub(super) fn candidates<'e>(scope: &Scope<'e>, asked: &Asked<'_>, words: &Words) -> Vec<Series<'e>> {
    let mut found: Vec<Series<'e>> = Vec::new();
    // By name and row: where it is in this run, and which run of the program told it last.
    let mut newest: HashMap<(Option<String>, &[String], &str), &str> = HashMap::new();
    for run in recent(scope) {
        let (of_run, of) = (keys(&run.command.replace(['/', '.'], " ")), work(&run.command));
        let figures = scope.sheets.figures(run);
        let speaks =
            |word: &&String| figures.iter().any(|one| one.name.contains(word) || one.around.contains(word));
        let known: Vec<&String> = words.name.iter().filter(speaks).collect();
        let mut places: HashMap<(&[String], &str), usize> = HashMap::new();
        for figure in figures {
            let Some(Meets { score, is_whole, has_row, has_run }) =
                Meets::of(figure, (&of_run, &known), words, asked)
            else {
                continue;
            };
            let (name, row) = (figure.name.as_slice(), figure.row.as_str());
            if let Some(series) = places.get(&(name, row)).and_then(|at| found.get_mut(*at)) {
                series.figures.push(figure);
                series.score = series.score.max(score);
                series.is_whole |= is_whole;
                continue;
            }
            let is_old = *newest.entry((of.clone(), name, row)).or_insert(&run.run) != run.run;
            places.insert((name, row), found.len());
            let numbers = words.numbers.clone();
            found.push(Series {
                run,
                figures: vec![figure],
                score,
                is_whole,
                has_row,
                has_run,
                is_old,
                numbers,
            });
        }
    }
    found
}

/// A program, and the files of data that it was given: another file is other work, and makes nothing old.
pub(super) fn work(command: &str) -> Option<String> {
    const DATA: [&str; 12] =
        ["csv", "tsv", "json", "jsonl", "log", "txt", "parquet", "db", "sqlite", "xml", "gz", "ndjson"];
    let words = crate::command::words(command);
    let is_data = |word: &&String| {
        let ending = word.rsplit_once('.').map_or("", |(_, ending)| ending);
        DATA.contains(&ending) && !word.starts_with('-') && !word.contains('=')
    };
    let files: Vec<&str> = words.iter().filter(is_data).map(String::as_str).collect();
    program(command).map(|program| format!("{program} {}", files.join(" ")))
}

/// Runs that can decide: of one command the newest, and the one before it to tell whose value it was.
pub(in crate::judge) fn recent<'e>(scope: &Scope<'e>) -> Vec<&'e RunFacts> {
    const OF_ONE: usize = 3;
    let mut recent: Vec<&RunFacts> = Vec::new();
    for run in scope.runs.iter().copied() {
        let of_it = recent.iter().filter(|one| one.command == run.command).count();
        if of_it < OF_ONE || scope.when == When::Before {
            recent.push(run);
        }
    }
    recent
}

/// The newest run of each work: what was done again is superseded.
pub(in crate::judge) fn newest<'e>(scope: &Scope<'e>) -> Vec<&'e RunFacts> {
    let mut newest: Vec<(Option<String>, &RunFacts)> = Vec::new();
    for run in scope.runs.iter().copied() {
        let of = work(&run.command);
        if !newest.iter().any(|(other, _)| *other == of) {
            newest.push((of, run));
        }
    }
    newest.into_iter().map(|(_, run)| run).collect()
}

impl<'e> Series<'e> {
    /// Whether the run speaks of everything that the claim says about its number.
    pub(super) fn knows(&self, asked: &Asked<'_>, scope: &Scope<'e>) -> bool {
        let (_, more) = core(asked.name);
        let command = keys(&self.run.command);
        let figures = scope.sheets.figures(self.run);
        more.iter().all(|word| {
            command.contains(word)
                || figures.iter().any(|one| one.name.contains(word) || one.around.contains(word))
        })
    }

    /// The one that is meant: of one step, the best, the first, or how it ended.
    pub(super) fn pick(&self, asked: &Asked<'_>, scope: &Scope<'e>) -> Option<&'e Figure> {
        let wants_whole =
            ["of", "of the"].iter().any(|of| scope.text.contains(&format!("{of} {}", asked.value.literal)));
        let is_other = |figure: &&Figure| {
            matches!(figure.told_as, ToldAs::Best | ToldAs::Key)
                || (figure.told_as == ToldAs::Whole) != wants_whole && self.has_whole()
        };
        let plain = || self.figures.iter().copied().filter(|figure| !is_other(figure));
        let marked =
            |as_what: ToldAs| self.figures.iter().copied().rev().find(|figure| figure.told_as == as_what);
        let says_best = ["best", "lowest", "highest", "peak"].iter().any(|word| scope.says(word));
        match asked.which {
            Which::Step(step) if says_best => {
                let best = self.extreme(asked.value)?;
                let at_step = self.figures.iter().copied().find(|figure| figure.step == Some(step));
                // What is told as the best has to be that, at that step too.
                if at_step.is_some_and(|figure| figure.value.value != best.value.value) {
                    Some(best)
                } else {
                    at_step.or(Some(best))
                }
            }
            Which::Step(step) => plain().rfind(|figure| figure.step == Some(step)),
            Which::Best => marked(ToldAs::Best).or_else(|| self.extreme(asked.value)),
            Which::First => marked(ToldAs::First).or_else(|| plain().next()),
            Which::Final => {
                let last = plain().filter_map(|figure| figure.step).max();
                self.of_file(scope)
                    .or_else(|| self.beside_others(&is_other))
                    .or_else(|| marked(ToldAs::Final))
                    .or_else(|| plain().rfind(|figure| figure.step == last))
                    .or_else(|| self.figures.last().copied())
            }
        }
    }

    /// Of several lines the only one that names a file of the sentence.
    fn of_file(&self, scope: &Scope<'e>) -> Option<&'e Figure> {
        let words = scope.text.split(|c: char| c.is_whitespace() || "`,;:()".contains(c));
        let files = words.filter_map(|word| word.rsplit('/').next()).filter(|word| {
            word.rsplit_once('.').is_some_and(|(stem, ending)| {
                stem.len() > 1
                    && (1..=5).contains(&ending.len())
                    && ending.bytes().all(|b| b.is_ascii_alphabetic())
            })
        });
        let files: Vec<&str> = files.collect();
        let names_it = |figure: &&&Figure| {
            let mut words = figure.text.split(|c: char| c.is_whitespace() || "`,;:()/".contains(c));
            words.any(|word| files.contains(&word))
        };
        let mut named = self.figures.iter().filter(names_it);
        let first = named.next().copied()?;
        (named.next().is_none() && first.step.is_none() && self.figures.len() > 1).then_some(first)
    }

    /// `hidden 4 with lr 0.02`: of several lines the one that has most of the sentence's other numbers.
    pub(super) fn beside_others(&self, is_other: &dyn Fn(&&Figure) -> bool) -> Option<&'e Figure> {
        let on_line = |figure: &&Figure| beside(figure, &self.numbers);
        let own = || self.figures.iter().copied().filter(|figure| !is_other(figure) && figure.step.is_none());
        let most = own().map(|figure| on_line(&figure)).max().filter(|most| *most > 0)?;
        let is_choice = own().any(|figure| on_line(&figure) < most);
        own().rfind(|figure| on_line(figure) == most).filter(|_| is_choice)
    }

    pub(super) fn has_whole(&self) -> bool {
        self.figures.iter().any(|figure| figure.told_as == ToldAs::Whole)
    }

    /// The largest or the smallest, as it is better; where nobody knows which, the one that is meant.
    pub(super) fn extreme(&self, told: &Quantity) -> Option<&'e Figure> {
        let by = |one: &&Figure, other: &&Figure| one.value.value.total_cmp(&other.value.value);
        let (least, most) =
            (self.figures.iter().copied().min_by(by)?, self.figures.iter().copied().max_by(by)?);
        Some(match Name::read(&self.figures[0].name.join(" ")).lower_is_better() {
            Some(true) => least,
            Some(false) => most,
            None if fit(told, &observed(least)) > Fit::No => least,
            None => most,
        })
    }

    pub(super) fn verified(&self, figure: &Figure, asked: &Asked<'_>) -> Verdict<'e> {
        let verdict = Verdict::verified(format!("the run told {}", shown_line(&figure.text)));
        let verdict = verdict.on(self.run, &figure.piece, figure.value.literal.clone());
        let verdict =
            verdict.notes((self.run.exit != 0).then(|| format!("the run ended with {}", self.run.exit)));
        match fit(asked.value, &observed(figure)) {
            Fit::Truncated => verdict.note("truncated"),
            Fit::No | Fit::Perhaps | Fit::Yes => verdict,
        }
    }

    pub(super) fn line(&self) -> String {
        let values: Vec<&str> =
            self.figures.iter().rev().take(5).map(|figure| figure.value.literal.as_str()).collect();
        let row = if self.figures[0].row.is_empty() {
            String::new()
        } else {
            format!(" of {}", self.figures[0].row)
        };
        format!(
            "actum:{}: {}{row}, newest first: {}",
            self.run.run,
            self.figures[0].name.join(" "),
            values.join(", ")
        )
    }
}
