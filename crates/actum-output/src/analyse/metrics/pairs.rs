//! A name, a colon or an equals sign, and a number: as often as a line has it.

use super::Told;
use super::names::{self, QUALIFIERS, Weight};
use super::number::{self, Number};

/// What one line told.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Read {
    pub(super) told: Vec<Told>,
    pub(super) step: Option<u64>,
    /// It shows how far something is, as progress bars do.
    pub(super) is_progress: bool,
}

/// A name has at most this many words; of a sentence only the last ones that belong to it.
const MOST_WORDS: usize = 4;
const LONGEST_NAME: usize = 60;
/// Levels of logs stand before what is logged.
const LEVELS: [&str; 8] = ["TRACE", "DEBUG", "INFO", "WARN", "WARNING", "ERROR", "CRITICAL", "FATAL"];

/// Reads one line.
pub(super) fn read(line: &str) -> Read {
    let found = pairs(line);
    let step = step(line);
    let mut weighed: Vec<(Weight, String, Number<'_>)> = Vec::new();
    for (region, number) in found {
        if let Some(name) = name(region) {
            weighed.push((names::weight(&name), name, number));
        }
    }
    let in_company = step.is_some() || weighed.iter().any(|(weight, _, _)| *weight == Weight::Strong);
    let counts = |(weight, name, number): &(Weight, String, Number<'_>)| match weight {
        Weight::Strong => true,
        Weight::Weak => number.is_fractional,
        Weight::Unknown => in_company && number.is_fractional && !name.contains(' '),
        Weight::Never => false,
    };
    let told = weighed.into_iter().filter(counts).map(|(_, name, number)| Told {
        name,
        literal: number.literal.to_owned(),
        value: number.value,
        step,
    });
    let is_progress = line.contains(" - ") || line.contains("it/s") || line.contains("==");
    Read { told: told.collect(), step, is_progress }
}

/// Every number behind a colon or an equals sign, with the text before it as far as it can be its name.
fn pairs(line: &str) -> Vec<(&str, Number<'_>)> {
    let bytes = line.as_bytes();
    let mut found = Vec::new();
    let (mut from, mut at) = (0, 0);
    while at < bytes.len() {
        match bytes[at] {
            b':' | b'=' => {
                let is_doubled = |other: Option<&u8>| matches!(other, Some(b':' | b'=' | b'>'));
                let behind = &line[at + 1..];
                let value = behind.trim_start_matches(' ');
                let number = if is_doubled(bytes.get(at + 1)) { None } else { number::read(value) };
                if let Some(number) = number.filter(|_| behind.len() - value.len() <= 8) {
                    found.push((&line[from..at], number));
                    at += behind.len() - value.len() + number.literal.len();
                }
                from = at + 1;
            }
            b',' | b';' | b'|' | b'[' | b']' | b'{' | b'}' | b'\t' => from = at + 1,
            b'-' if at > 0 && bytes[at - 1] == b' ' && bytes.get(at + 1) == Some(&b' ') => from = at + 1,
            _ => {}
        }
        at += 1;
    }
    // A number may have ended in the middle of what is looked at next, never in the middle of a character.
    found
}

/// The name at the end of a text: all of it where it is short, else the words that belong to a metric's name.
fn name(region: &str) -> Option<String> {
    // A bracket that is closed belongs to the name, one that is open stands before it.
    let open = region.rfind('(').filter(|at| !region[*at..].contains(')'));
    let region = open.map_or(region, |at| &region[at + 1..]);
    let words: Vec<&str> = region.split_whitespace().map(bare).filter(|word| !word.is_empty()).collect();
    let is_prefix = |word: &&&str| LEVELS.contains(*word) || !word.starts_with(char::is_alphabetic);
    let words: Vec<&str> = words.iter().skip_while(is_prefix).copied().collect();
    // `Epoch 3 loss` is the loss at a step, not a metric of that epoch alone.
    let words = match words.as_slice() {
        [step, count, rest @ ..]
            if names::is_step(step) && number::step(count).is_some() && !rest.is_empty() =>
        {
            rest
        }
        all => all,
    };
    let belongs = |word: &&&str| {
        QUALIFIERS.iter().any(|qualifier| word.eq_ignore_ascii_case(qualifier))
            || !matches!(names::weight(word), Weight::Unknown | Weight::Never)
    };
    let count = match words.len() {
        few if few <= MOST_WORDS => few,
        many => words.iter().rev().take_while(belongs).count().clamp(usize::from(many > 0), MOST_WORDS),
    };
    let name = words[words.len() - count..].join(" ");
    let is_plain = |c: char| c.is_alphanumeric() || " _-./@^()%²+#".contains(c);
    let starts = name.starts_with(char::is_alphabetic);
    (starts && name.len() <= LONGEST_NAME && name.chars().all(is_plain)).then_some(name)
}

/// A word without what only surrounds it.
fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| "'\"*`>•#→".contains(c))
}

/// The epoch or step that a line names: `Epoch 3/10`, `[step=120]`, `'epoch': 1.0`.
fn step(line: &str) -> Option<u64> {
    let mut best: Option<(usize, u64)> = None;
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut rest = line;
    while let Some(start) = rest.find(is_word) {
        let word = &rest[start..];
        let end = word.find(|c: char| !is_word(c)).unwrap_or(word.len());
        let (word, behind) = word.split_at(end);
        let rank = names::STEPS.iter().position(|step| word.eq_ignore_ascii_case(step));
        let count = number::step(behind.trim_start_matches(|c: char| " :=[#'\"(".contains(c)));
        if let (Some(rank), Some(count)) = (rank, count)
            && best.is_none_or(|(before, _)| rank < before)
        {
            best = Some((rank, count));
        }
        rest = behind;
    }
    best.map(|(_, count)| count)
}
