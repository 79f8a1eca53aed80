//! Counts: rows of a file that a run wrote, or a number that a run printed beside the same word.

use super::figured::{self, Asked};
use super::files::{path_fits, written};
use super::interval;
use super::scope::Scope;
use super::verdict::Verdict;
use crate::evidence::RunFacts;
use crate::figures::words::{is_optional, keys};
use actum_model::{ClaimStatus, Quantity};

pub(crate) fn count<'e>(scope: &Scope<'e>, asked: &Asked<'_>, file: Option<&str>) -> Verdict<'e> {
    if let Some(verdict) = file.is_none().then(|| super::steps::steps(scope, asked)).flatten() {
        return verdict;
    }
    // A file that nobody wrote may have been run, or counted.
    match file.filter(|path| written(scope, path).is_some()) {
        Some(path) => in_file(scope, asked.name, asked.value, path),
        None => told(scope, asked, file),
    }
}

/// What was printed: by all the words first, by the noun alone where they say nothing.
fn told<'e>(scope: &Scope<'e>, asked: &Asked<'_>, file: Option<&str>) -> Verdict<'e> {
    let name = file.map(|path| path.rsplit('/').next().unwrap_or(path));
    let names_it = |run: &&RunFacts| name.is_none_or(|name| run.command.contains(name));
    let runs: Vec<&'e RunFacts> = scope.runs.iter().copied().filter(names_it).collect();
    let by_words = figured::figure(&Scope { runs, ..*scope }, asked);
    if let Some(verdict) = file.and_then(|path| mentioned(scope, asked, path)) {
        return verdict;
    }
    match (by_words, file) {
        (Some(verdict), _) if verdict.status != ClaimStatus::Unsupported => verdict,
        (_, Some(path)) => {
            Verdict::unsupported(format!("no recorded run wrote {path}")).considered(scope.looked_at())
        }
        (_, None) => {
            let by_noun = printed(scope, asked.name, asked.value);
            // `applied 322 moves` of a run that told `applied: 322`: three digits are not met by chance.
            let loose = Asked { name: "", ..*asked };
            let is_open = by_noun.status == ClaimStatus::Unsupported && figured::is_distinct(asked.value);
            let by_verb = is_open.then(|| figured::figure(scope, &loose)).flatten();
            by_verb.filter(|verdict| verdict.status == ClaimStatus::Verified).unwrap_or(by_noun)
        }
    }
}

/// `read 1248 rows from appointments.csv`: a line that names the file and has the number with its noun.
fn mentioned<'e>(scope: &Scope<'e>, asked: &Asked<'_>, path: &str) -> Option<Verdict<'e>> {
    let name = path.rsplit('/').next().unwrap_or(path);
    scope.runs.iter().copied().find_map(|run| {
        let told = told_by(run, asked.name).into_iter().find(|one| one.text.contains(name))?;
        let holds = told.value >= 0.0 && interval::counts(asked.value, told.value as u64);
        let why = format!("the run told {}", told.text.trim());
        let verdict = if holds { Verdict::verified(why) } else { Verdict::contradicted(why) };
        Some(verdict.on(run, &told.piece, interval::short(told.value)))
    })
}

fn in_file<'e>(scope: &Scope<'e>, noun: &str, value: &Quantity, path: &str) -> Verdict<'e> {
    let Some((run, wrote)) = written(scope, path) else {
        return Verdict::unsupported(format!("no recorded run wrote {path}")).considered(scope.looked_at());
    };
    let seen = match noun {
        _ if noun.starts_with("line") => wrote.lines.or(wrote.rows),
        _ if is_column(noun) => wrote.columns,
        _ => wrote.rows,
    };
    let Some(seen) = seen else {
        let now = scope.evidence.files.iter().find(|now| path_fits(&now.path, path));
        if now.is_some_and(|now| now.exists && now.sha256.is_some() && now.sha256 != wrote.sha256) {
            let verdict = Verdict::of(ClaimStatus::Stale, format!("{path} changed since the run wrote it"));
            return verdict.on(run, &format!("file/{}", wrote.path), "changed since").ageless();
        }
        let fallback = printed(scope, noun, value);
        if fallback.status == ClaimStatus::Verified {
            return fallback;
        }
        return Verdict::unsupported(format!("how many {noun} {path} has cannot be told from what is kept"))
            .on(run, &format!("file/{}", wrote.path), "not counted");
    };
    // `250 of 5,230 lines`: the file has those that were taken.
    if scope.text.contains(&format!(" of {}", value.literal)) {
        return printed(scope, noun, value);
    }
    let held = interval::counts(value, seen);
    let why = format!("{path} has {seen} {noun}");
    let verdict = if held { Verdict::verified(why) } else { Verdict::contradicted(why) };
    verdict.on(run, &format!("file/{}", wrote.path), seen.to_string()).considered(scope.looked_at())
}

/// What stands beside each other in a table, and is no row of it.
fn is_column(noun: &str) -> bool {
    let last = noun.rsplit(' ').next().unwrap_or(noun);
    ["column", "field", "feature", "header", "variable", "attribute"].contains(&last.trim_end_matches('s'))
}

/// A number that stands beside the noun in what was printed.
struct Told {
    piece: String,
    value: f64,
    text: String,
}

fn printed<'e>(scope: &Scope<'e>, noun: &str, value: &Quantity) -> Verdict<'e> {
    let considered = scope.looked_at();
    for run in &scope.runs {
        let mut told = told_by(run, noun);
        if told.is_empty() {
            let says_made =
                ["creat", "generat", "wrote", "produc", "written"].iter().any(|word| scope.says(word));
            told = structured(run, noun, says_made);
        }
        let Some(last) = told.last() else { continue };
        let holds = |one: &Told| {
            one.value >= 0.0 && one.value.fract() == 0.0 && interval::counts(value, one.value as u64)
        };
        // Told once, on a line of its own kind: no progress of something that went on.
        let is_other_line = |one: &Told| worded(&one.text) != worded(&last.text);
        if let Some(one) = told
            .iter()
            .find(|one| !holds(last) && holds(one) && is_other_line(one) && figured::is_distinct(value))
        {
            let verdict = Verdict::verified(format!("the run told {}", one.text.trim()));
            return verdict.on(run, &one.piece, interval::short(one.value)).considered(considered);
        }
        let distinct = told.windows(2).any(|pair| pair[0].value != pair[1].value);
        let verdict = match (holds(last), told.iter().any(holds), distinct) {
            (true, _, _) => Verdict::verified(format!("the run told {}", last.text.trim())),
            (false, true, _) => Verdict::ambiguous(format!(
                "the run told several numbers of {noun}, {} last",
                interval::short(last.value)
            )),
            // `40 of 2,000 users`: how many there are is said beside it.
            (false, false, false) if is_said(scope, last.value) => {
                Verdict::unsupported(format!("the run told {}, which is said too", last.text.trim()))
            }
            (false, false, false) if is_bound_elsewhere(scope, noun, &last.text) => Verdict::unsupported(
                format!("the run told {}, which is said of something else", last.text.trim()),
            ),
            (false, false, false) => Verdict::contradicted(format!("the run told {}", last.text.trim())),
            (false, false, true) => {
                Verdict::unsupported(format!("the run told several numbers of {noun}, and none is {value}"))
            }
        };
        return verdict.on(run, &last.piece, interval::short(last.value)).considered(considered);
    }
    Verdict::unsupported(format!("no recorded run tells a number of {noun}")).considered(considered)
}

/// `rush hour: 14 (121 guests)`: whether the key of a line says of whom it tells, and the sentence speaks of somebody else.
fn is_bound_elsewhere(scope: &Scope<'_>, noun: &str, line: &str) -> bool {
    const NOBODY: [&str; 10] =
        ["done", "summary", "finish", "ok", "note", "stat", "statistic", "status", "success", "complet"];
    let Some((key, _)) = line.split_once(": ") else { return false };
    if !key.contains(char::is_alphanumeric) {
        return !scope.text.split_whitespace().any(|word| word == key.trim());
    }
    let (said, counted) = (keys(scope.text), keys(noun));
    let is_done = |word: &str| word.ends_with("ed");
    let own = key.split_whitespace().filter(|word| !is_done(&word.to_lowercase())).flat_map(keys);
    let own: Vec<String> =
        own.filter(|word| !is_optional(word) && !NOBODY.contains(&word.as_str())).collect();
    let is_named =
        own.iter().any(|word| counted.contains(word)) || own.iter().all(|word| said.contains(word));
    !is_named
}

/// Whether a number stands in the sentence.
fn is_said(scope: &Scope<'_>, value: f64) -> bool {
    let sentence = crate::sentence::Sentence::plain(scope.text, 1, "");
    crate::tokens::tokens(&sentence)
        .iter()
        .filter_map(crate::tokens::Token::number)
        .any(|one| one.value == value)
}

/// A line without its numbers.
fn worded(line: &str) -> String {
    line.chars().filter(|c| !c.is_ascii_digit() && !",.:".contains(*c)).collect()
}

fn told_by(run: &RunFacts, noun: &str) -> Vec<Told> {
    let wanted: Vec<String> = crate::names::words(noun).iter().map(|word| stem(word)).collect();
    let Some(last) = wanted.last().cloned() else { return Vec::new() };
    let mut told = Vec::new();
    for line in &run.printed {
        if line.text.len() > 400 || !line.text.to_lowercase().contains(last.trim_end_matches('y')) {
            continue;
        }
        let sentence = crate::sentence::Sentence::plain(&line.text, 1, "");
        let tokens = crate::tokens::tokens(&sentence);
        for (at, token) in tokens.iter().enumerate() {
            let Some(number) = token.number().filter(|number| number.whole().is_some()) else { continue };
            let is = |token: &crate::tokens::Token| {
                token.word().is_some_and(|word| wanted.iter().any(|one| stem(word) == *one))
            };
            let right = tokens[at + 1..].iter().take(2).take_while(|token| token.word().is_some()).any(is);
            // `rows: 1000`, `samples = 150`, `Total rows processed: 1000`
            let has_mark = at > 0 && (tokens[at - 1].is_mark(b':') || tokens[at - 1].is_mark(b'='));
            let left = has_mark && tokens[at.saturating_sub(4)..at].iter().any(is);
            if right || left {
                let piece = format!("{}:L{}-L{}", line.stream, line.number, line.number);
                told.push(Told { piece, value: number.value, text: line.text.clone() });
            }
        }
    }
    told
}

/// Files are those that it created.
fn structured(run: &RunFacts, noun: &str, says_made: bool) -> Vec<Told> {
    if noun.starts_with("file") && !run.wrote.is_empty() && says_made {
        let created = run.wrote.iter().filter(|wrote| wrote.how == "created").count();
        let text = format!("that it created {created} files");
        return vec![Told { piece: "exit".to_owned(), value: created as f64, text }];
    }
    Vec::new()
}

fn stem(word: &str) -> String {
    let word = word.to_lowercase();
    word.strip_suffix("ies")
        .map(|stem| format!("{stem}y"))
        .or_else(|| word.strip_suffix('s').map(str::to_owned))
        .unwrap_or(word)
}
