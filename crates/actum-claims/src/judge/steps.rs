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
use crate::stance::pattern;
use crate::tokens::{Token, tokens};
use actum_model::Which;
use regex::bytes::Regex;
use std::sync::LazyLock;

/// Words of one meaning by which work is counted.
const WORDS: &[&[&str]] = &[
    &["epoch", "epochs", "ep"],
    &["step", "steps", "global_step", "global_steps"],
    &["iteration", "iterations", "iter", "iters"],
    &["round", "rounds"],
    &["episode", "episodes"],
];

/// What a number says by its word: `epoch 3` is one of several, the 8 of `3/8` how many there should be, `epochs: 8` how many there were.
#[derive(Clone, Copy, PartialEq, Eq)]
enum As {
    Step,
    Planned,
    Length,
}

/// A number that a run counted by one of these words.
struct Counted {
    value: u64,
    told: As,
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
    let is_place = is_place(scope.text, &asked.value.literal);
    for (run, counted) in &told {
        let is_it = |one: &&Counted| {
            interval::counts(asked.value, one.value) && (is_place || is_length(counted, one))
        };
        if let Some(one) = counted.iter().find(is_it) {
            let verdict = Verdict::verified(format!("the run told {}", one.text.trim()));
            return Some(verdict.on(run, &one.piece, one.value.to_string()).considered(scope.looked_at()));
        }
    }
    let verdict = match &told[..] {
        [] => by_metrics(scope, asked),
        [(run, counted)] if !is_place => denied(run, counted, (asked, scope.text)),
        [_, ..] => Verdict::unsupported(format!("no run told {} {noun}", asked.value)),
    };
    Some(verdict.considered(scope.looked_at()))
}

/// Whether a work may have been so long: it was told so, or the last of its steps says it.
fn is_length(counted: &[Counted], one: &Counted) -> bool {
    let mut steps: Vec<u64> =
        counted.iter().filter(|one| one.told == As::Step).map(|one| one.value).collect();
    steps.sort_unstable();
    steps.dedup();
    let last = steps.last().copied().unwrap_or_default();
    let gap = steps.windows(2).map(|two| two[1] - two[0]).max().unwrap_or(1);
    match one.told {
        As::Length => true,
        As::Step => one.value == last,
        // Who counts only some of them may end before the last, and who stops early long before it.
        As::Planned => steps.is_empty() || one.value <= last + gap,
    }
}

/// One program counted by this word, and never told this number.
fn denied<'e>(run: &'e RunFacts, counted: &[Counted], (asked, text): (&Asked<'_>, &str)) -> Verdict<'e> {
    let Some(most) = counted.iter().filter(|one| is_length(counted, one)).max_by_key(|one| one.value) else {
        return Verdict::unsupported("nothing was counted");
    };
    // Several works of one length are as long as all of them together.
    let is_sum = most.value > 0 && asked.value.value % most.value as f64 == 0.0;
    let has_several = counted.iter().filter(|one| one.value == counted[0].value).count() > 2;
    let mut lengths = counted.iter().filter(|one| one.told == As::Length).map(|one| one.value);
    let are_several = lengths.next().is_some_and(|first| lengths.any(|other| other != first));
    let is_open = are_several || is_sum && has_several || !is_told_as_length(text, asked);
    let why = format!("the run told {}", most.text.trim());
    let verdict = if is_open {
        Verdict::unsupported(format!("{why}, and not {} in all", asked.value))
    } else {
        Verdict::contradicted(why)
    };
    verdict.on(run, &most.piece, most.value.to_string())
}

/// `trained for 9 epochs`: how long the work was. `improves for 9 epochs` and `waited 9 epochs` tell of a part of it.
fn is_told_as_length(text: &str, asked: &Asked<'_>) -> bool {
    static LENGTH: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b(?:train(?:ed|s|ing)?|re-?trained|fine-?tuned|fit(?:ted)?|ran|runs?|running|swept|completed|finished|did|executed|simulated|[a-z]+ed for)\b[^.;:]{0,30}$",
        )
    });
    static PART: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b(?:warm|wait|patien|froze|plateau|stall|improv|drop|flatten|rose|risen|decreas|increas|fell|last|first|every|another|stopp|only after|within)",
        )
    });
    let text = text.to_lowercase();
    let before = text.split_once(&asked.value.literal.to_lowercase()).map_or("", |(before, _)| before);
    LENGTH.is_match(before.as_bytes()) && !PART.is_match(before.as_bytes())
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

/// `after 3 epochs`, before the last: which value of a series is meant.
pub(crate) fn meant(scope: &Scope<'_>, which: Which) -> Which {
    static PLACE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(r"\b(?:after|at) (?:just |only )?(\d{1,9}) (epoch|step|iteration|round)s\b")
    });
    let text = scope.text.to_lowercase();
    let mut places = PLACE.captures_iter(text.as_bytes()).filter_map(|found| found.get(1));
    let (Some(place), None, Which::Final) = (places.next(), places.next(), which) else { return which };
    let Some(place) = std::str::from_utf8(place.as_bytes()).ok().and_then(|text| text.parse().ok()) else {
        return which;
    };
    let is_inner = |run: &&RunFacts| {
        let of_metrics = run.metrics.iter().filter_map(|metric| metric.step);
        let of_figures = scope.sheets.figures(run).iter().filter_map(|figure| figure.step);
        let steps: Vec<u64> = of_metrics.chain(of_figures).collect();
        // Who counts from zero is one behind.
        steps.contains(&place) && steps.iter().any(|step| *step > place) && !steps.contains(&0)
    };
    if scope.runs.iter().any(is_inner) { Which::Step(place) } else { which }
}

/// `at 1000 steps`, `(1000 steps)`: a place in a series, and no length of it.
fn is_place(text: &str, literal: &str) -> bool {
    let text = text.to_lowercase();
    let Some((before, _)) = text.split_once(&literal.to_lowercase()) else { return false };
    let before = before.trim_end_matches([' ', '*', '`', '~']);
    let word = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    before.ends_with('(')
        || ["at", "after", "by", "around", "until", "within", "last", "first", "of", "every", "another"]
            .contains(&word)
}

fn counted(scope: &Scope<'_>, run: &RunFacts, words: &[&str]) -> Vec<Counted> {
    let mut found: Vec<Counted> = Vec::new();
    for line in run.printed.iter().filter(|line| line.text.len() <= 400) {
        let piece = format!("{}:L{}-L{}", line.stream, line.number, line.number);
        let values = in_line(&line.text, words).into_iter();
        found.extend(values.map(|(value, told)| Counted {
            value,
            told,
            piece: piece.clone(),
            text: line.text.clone(),
        }));
    }
    for file in &run.texts {
        let piece = format!("file/{}", file.path);
        let values = in_file(file, words).into_iter();
        found.extend(values.map(|(value, told)| Counted {
            value,
            told,
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
            told: As::Length,
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
            told: As::Length,
            piece: "cmd".to_owned(),
            text: run.command.clone(),
        }));
    }
    found
}

/// Who counts from zero has done one more than the last.
fn from_zero(found: &mut Vec<Counted>) {
    let steps = || found.iter().filter(|one| one.told == As::Step);
    let last = steps().max_by_key(|one| one.value).filter(|_| steps().any(|one| one.value == 0));
    let one = last.map(|last| Counted {
        value: last.value + 1,
        told: As::Length,
        piece: last.piece.clone(),
        text: last.text.clone(),
    });
    found.extend(one);
}

/// `epoch 3/8`, `steps: 400`, `ran 12 epochs`.
fn in_line(text: &str, words: &[&str]) -> Vec<(u64, As)> {
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
        let is_plural = all[at].word().is_some_and(|word| word.ends_with('s'));
        if let Some(value) = whole(next) {
            found.push((value, if is_plural { As::Length } else { As::Step }));
            let is_part = all.get(next + 1).is_some_and(|token| token.is_mark(b'/') || token.is("of"));
            found.extend(whole(next + 2).filter(|_| is_part).map(|value| (value, As::Planned)));
        } else {
            found.extend(at.checked_sub(1).and_then(whole).map(|value| (value, As::Length)));
        }
    }
    found
}

/// A column or a key of that name.
fn in_file(file: &FileText, words: &[&str]) -> Vec<(u64, As)> {
    let comma = if file.path.ends_with(".tsv") { '\t' } else { ',' };
    let mut lines = file.text.lines();
    let header: Vec<&str> = lines.next().unwrap_or_default().split(comma).map(str::trim).collect();
    let column = header.iter().position(|name| words.contains(&name.to_lowercase().as_str()));
    match column.filter(|_| header.len() > 1) {
        Some(column) => {
            let told = if header[column].ends_with('s') { As::Length } else { As::Step };
            let value = |row: &str| Some((row.split(comma).nth(column)?.trim().parse().ok()?, told));
            lines.filter_map(value).collect()
        }
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
