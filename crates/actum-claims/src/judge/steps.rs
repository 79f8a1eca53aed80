//! Epochs, steps, rounds: how far a work went, or where in it somebody looks.
//!
//! Such a number is denied only by a run that counted by the same word. A setting beside it (`batch=64`), or the step of another
//! series, says nothing about epochs; and who looks at a place (`at 1000 steps`) does not say that the work ended there.

use super::figured::{Asked, newest};
use super::interval;
use super::scope::Scope;
use super::verdict::Verdict;
use crate::command;
use crate::evidence::{FileText, RunFacts};
use crate::sentence::Sentence;
use crate::tokens::{Token, tokens};

/// Words of one meaning by which work is counted.
const WORDS: &[&[&str]] = &[
    &["epoch", "epochs", "ep"],
    &["step", "steps", "global_step", "global_steps"],
    &["iteration", "iterations", "iter", "iters"],
    &["round", "rounds"],
    &["episode", "episodes"],
];

/// A number that a run counted by one of these words.
struct Counted {
    value: u64,
    piece: String,
    text: String,
}

/// What runs say about so many steps; nothing where no steps are meant.
pub(crate) fn steps<'e>(scope: &Scope<'e>, asked: &Asked<'_>) -> Option<Verdict<'e>> {
    let noun = asked.name.to_lowercase();
    let last = noun.split_whitespace().next_back()?;
    let words = WORDS.iter().copied().find(|words| words.contains(&last))?;
    let told: Vec<(&'e RunFacts, Vec<Counted>)> =
        newest(scope).into_iter().map(|run| (run, counted(scope, run, words))).collect();
    let told: Vec<(&'e RunFacts, Vec<Counted>)> =
        told.into_iter().filter(|(_, counted)| !counted.is_empty()).collect();
    for (run, counted) in &told {
        if let Some(one) = counted.iter().find(|one| interval::counts(asked.value, one.value)) {
            let verdict = Verdict::verified(format!("the run told {}", one.text.trim()));
            return Some(verdict.on(run, &one.piece, one.value.to_string()).considered(scope.looked_at()));
        }
    }
    let verdict = match &told[..] {
        [] => by_metrics(scope, asked),
        [(run, counted)] if !is_place(scope.text, &asked.value.literal) => denied(run, counted, asked),
        [_, ..] => Verdict::unsupported(format!("no run told {} {noun}", asked.value)),
    };
    Some(verdict.considered(scope.looked_at()))
}

/// One program counted by this word, and never told this number.
fn denied<'e>(run: &'e RunFacts, counted: &[Counted], asked: &Asked<'_>) -> Verdict<'e> {
    let Some(most) = counted.iter().max_by_key(|one| one.value) else {
        return Verdict::unsupported("nothing was counted");
    };
    // Rows of a table with a number each are other works, of which one more may have been done.
    let mut values: Vec<u64> = counted.iter().map(|one| one.value).collect();
    values.sort_unstable();
    values.dedup();
    let are_places = values.windows(3).any(|three| three[1] - three[0] != three[2] - three[1]);
    let why = format!("the run told {}", most.text.trim());
    let verdict = if are_places {
        Verdict::unsupported(format!("{why}, and nowhere {}", asked.value))
    } else {
        Verdict::contradicted(why)
    };
    verdict.on(run, &most.piece, most.value.to_string())
}

/// The last step of a metric, whatever its word: it supports, and denies nothing.
fn by_metrics<'e>(scope: &Scope<'e>, asked: &Asked<'_>) -> Verdict<'e> {
    let found = scope.runs.iter().copied().find_map(|run| {
        let last = run.metrics.iter().filter_map(|metric| Some((metric.step?, metric)));
        let (step, metric) = last.max_by_key(|(step, _)| *step)?;
        let starts_at_zero = run.metrics.iter().any(|metric| metric.step == Some(0));
        let count = step + u64::from(starts_at_zero);
        interval::counts(asked.value, count).then_some((run, metric, step, count))
    });
    match found {
        Some((run, metric, step, count)) => Verdict::verified(format!(
            "the run told {} at step {step} last",
            metric.name
        ))
        .on(run, &format!("metric/{}@{step}", metric.name), count.to_string()),
        None => Verdict::unsupported(format!("no recorded run counted {}", asked.name)),
    }
}

/// `at 1000 steps`, `(1000 steps)`: a place in a series, and no length of it.
fn is_place(text: &str, literal: &str) -> bool {
    let text = text.to_lowercase();
    let Some((before, _)) = text.split_once(&literal.to_lowercase()) else { return false };
    let before = before.trim_end_matches([' ', '*', '`', '~']);
    let word = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    before.ends_with('(') || ["at", "by", "around", "until"].contains(&word)
}

fn counted(scope: &Scope<'_>, run: &RunFacts, words: &[&str]) -> Vec<Counted> {
    let mut found: Vec<Counted> = Vec::new();
    for line in run.printed.iter().filter(|line| line.text.len() <= 400) {
        let piece = format!("{}:L{}-L{}", line.stream, line.number, line.number);
        let values = in_line(&line.text, words).into_iter();
        found.extend(values.map(|value| Counted { value, piece: piece.clone(), text: line.text.clone() }));
    }
    for file in &run.texts {
        let piece = format!("file/{}", file.path);
        let values = in_file(file, words).into_iter();
        found.extend(values.map(|value| Counted {
            value,
            piece: piece.clone(),
            text: format!("{} {value} in {}", words[0], file.path),
        }));
    }
    let stems: Vec<String> = words.iter().map(|word| crate::figures::words::stem(word)).collect();
    let is_it =
        |name: &[String]| matches!(name, [only] if stems.contains(only) || words.contains(&only.as_str()));
    for figure in scope.sheets.figures(run).iter().filter(|figure| is_it(&figure.name)) {
        let whole = figure.value.whole().into_iter();
        found.extend(whole.map(|value| Counted {
            value,
            piece: figure.piece.clone(),
            text: figure.text.clone(),
        }));
    }
    from_zero(&mut found);
    // What it was told to do says how far it went where it says nothing itself.
    if found.is_empty() {
        let given = given(&run.command, words).into_iter();
        found.extend(given.map(|value| Counted {
            value,
            piece: "cmd".to_owned(),
            text: run.command.clone(),
        }));
    }
    found
}

/// Who counts from zero has done one more than the last.
fn from_zero(found: &mut Vec<Counted>) {
    if !found.iter().any(|one| one.value == 0) {
        return;
    }
    if let Some(last) = found.iter().max_by_key(|one| one.value) {
        let one = Counted { value: last.value + 1, piece: last.piece.clone(), text: last.text.clone() };
        found.push(one);
    }
}

/// `epoch 3/8`, `steps: 400`, `ran 12 epochs`.
fn in_line(text: &str, words: &[&str]) -> Vec<u64> {
    let lower = text.to_lowercase();
    if !words.iter().any(|word| lower.contains(word)) {
        return Vec::new();
    }
    let all = tokens(&Sentence::plain(text, 1, ""));
    let is_word = |token: &Token| token.word().is_some_and(|word| words.contains(&word));
    let whole = |at: usize| all.get(at).and_then(Token::number).and_then(actum_model::Quantity::whole);
    let mut found = Vec::new();
    for at in (0..all.len()).filter(|at| is_word(&all[*at])) {
        let is_mark = |token: &&Token| b":=[(#\"'".iter().any(|mark| token.is_mark(*mark));
        let next = at + 1 + all[at + 1..].iter().take_while(is_mark).count();
        if let Some(value) = whole(next) {
            found.push(value);
            let is_part = all.get(next + 1).is_some_and(|token| token.is_mark(b'/') || token.is("of"));
            found.extend(whole(next + 2).filter(|_| is_part));
        } else {
            found.extend(at.checked_sub(1).and_then(whole));
        }
    }
    found
}

/// A column or a key of that name.
fn in_file(file: &FileText, words: &[&str]) -> Vec<u64> {
    let comma = if file.path.ends_with(".tsv") { '\t' } else { ',' };
    let mut lines = file.text.lines();
    let header: Vec<&str> = lines.next().unwrap_or_default().split(comma).map(str::trim).collect();
    let column = header.iter().position(|name| words.contains(&name.to_lowercase().as_str()));
    match column.filter(|_| header.len() > 1) {
        Some(column) => lines.filter_map(|row| row.split(comma).nth(column)?.trim().parse().ok()).collect(),
        None => file.text.lines().flat_map(|line| in_line(line, words)).collect(),
    }
}

/// `--epochs 8`, `epochs=8`.
fn given(command: &str, words: &[&str]) -> Vec<u64> {
    let parts = command::words(command);
    let names_it = |name: &str| {
        let name = name.trim_start_matches('-').to_lowercase();
        let last = name.rsplit(['-', '_']).next().unwrap_or_default();
        words.contains(&name.as_str()) || words.contains(&last)
    };
    let value = |(at, word): (usize, &String)| match word.split_once('=') {
        Some((name, value)) => value.parse().ok().filter(|_| names_it(name)),
        None => parts.get(at + 1)?.parse().ok().filter(|_| word.starts_with("--") && names_it(word)),
    };
    parts.iter().enumerate().filter_map(value).collect()
}
