//! Figures of what was printed: `net total: 430.00`, `dropped 38 rows`, columns under a header, objects on a line.

use super::{Figure, ToldAs, coverage, data, is_step, told_as, words};
use crate::evidence::Line;
use crate::sentence::Sentence;
use crate::tokens::{Token, What, tokens};
use actum_model::Quantity;

/// Longer lines are data.
const LONGEST: usize = 400;
/// An object over more lines than that is data, too.
const MOST_LINES: usize = 400;

/// What stands above the line that is read.
#[derive(Default)]
struct Above {
    heading: Vec<String>,
    header: Option<Header>,
    stream: String,
    number: u64,
}

/// The first line of a table: which gaps divide its columns is known when a row fits.
struct Header {
    text: String,
    /// With the blanks before it.
    whole: String,
}

pub(super) fn read(lines: &[Line], wanted: &words::Wanted, figures: &mut Vec<Figure>) {
    let mut above = Above::default();
    let first = first_read(lines, wanted);
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        if line.stream != above.stream {
            above = Above { stream: line.stream.clone(), ..Above::default() };
        }
        // Of what is not read only headings count, for what stands below them.
        if at < first {
            let is_short = !line.text.trim().is_empty() && line.text.len() <= LONGEST;
            if is_short && !line.text.bytes().any(|byte| byte.is_ascii_digit()) {
                heading(line, &cells(line.text.trim()), &mut above);
            }
            above.number = line.number;
            at += 1;
            continue;
        }
        if let Some((value, count)) = object(&lines[at..]) {
            let last = lines[at + count - 1].number;
            let piece = format!("{}:L{}-L{last}", line.stream, line.number);
            data::leaves(&value, &piece, &line.stream, figures);
            at += count;
            continue;
        }
        // A table ends with the first gap.
        if line.number != above.number + 1 {
            above.header = None;
        }
        above.number = line.number;
        one(line, wanted, &mut above, figures);
        at += 1;
    }
}

/// Only the last figures of a run are kept. Numbers are counted from the end, which is cheap, and what stands before more of them than
/// that is not read: a line has at most as many figures as numbers, and half of them are figures.
fn first_read(lines: &[Line], wanted: &words::Wanted) -> usize {
    let numbers = |text: &str| {
        let bytes = text.as_bytes();
        let begins =
            |at: &usize| bytes[*at].is_ascii_digit() && (*at == 0 || !bytes[*at - 1].is_ascii_digit());
        (0..bytes.len()).filter(begins).count()
    };
    let mut left = 2 * super::MOST;
    for (at, line) in lines.iter().enumerate().rev() {
        let count = if line.text.len() <= LONGEST { numbers(&line.text) } else { 0 };
        if count > 0 && wanted.meets(line.text.trim()) {
            left = left.saturating_sub(count);
        }
        if left == 0 {
            return at;
        }
    }
    0
}

/// An object that begins here, and over how many lines it goes.
fn object(lines: &[Line]) -> Option<(serde_json::Value, usize)> {
    let first = lines.first()?.text.trim();
    if let Some(value) = data::line(first) {
        return Some((value, 1));
    }
    if first != "{" && first != "[" {
        return None;
    }
    let closing = if first == "{" { "}" } else { "]" };
    let end = lines.iter().take(MOST_LINES).position(|line| line.text.trim_end() == closing)?;
    let text: Vec<&str> = lines[..=end].iter().map(|line| line.text.as_str()).collect();
    Some((serde_json::from_str(&text.join("\n")).ok()?, end + 1))
}

fn one(line: &Line, wanted: &words::Wanted, above: &mut Above, figures: &mut Vec<Figure>) {
    let text = line.text.trim();
    if text.is_empty() || line.text.len() > LONGEST {
        return;
    }
    let is_rule = text.chars().all(|c| "-=+|_* ".contains(c));
    if is_rule {
        return;
    }
    let piece = format!("{}:L{}-L{}", line.stream, line.number, line.number);
    let cells = cells(text);
    if let Some(header) = &above.header {
        let fitting = header.fitting(&cells, text).or_else(|| header.aligned(&line.text));
        if let Some((header, cells)) =
            fitting.filter(|(_, cells)| cells.iter().any(|cell| data::number(cell).is_some()))
        {
            let named = coverage::columns(&header);
            let header: Vec<&str> = named.iter().map(String::as_str).collect();
            let (header, cells, above) = (&header, &cells, above.heading.as_slice());
            data::row(&data::Row { header, cells, piece: &piece, text, above }, figures);
            return;
        }
        above.header = None;
    }
    if !text.bytes().any(|byte| byte.is_ascii_digit()) || is_header(&cells) {
        heading(line, &cells, above);
        return;
    }
    if !wanted.meets(text) {
        return;
    }
    if let Some(figure) = coverage::sum(text, &piece) {
        figures.push(figure);
        return;
    }
    bars(&cells, text, &piece, above, figures);
    prose(text, &piece, above, figures);
}

/// The cells of a row: between bars or tabs, else between wide gaps.
fn cells(text: &str) -> Vec<&str> {
    let inner = text.trim_matches('|');
    let split: Vec<&str> = match () {
        () if inner.contains('|') => inner.split('|').collect(),
        () if inner.contains('\t') => inner.split('\t').collect(),
        () => inner.split("  ").filter(|cell| !cell.trim().is_empty()).collect(),
    };
    split.into_iter().map(str::trim).collect()
}

impl Header {
    /// Columns and cells, divided by wide gaps or by every gap, whichever gives as many of both.
    fn fitting<'t>(&'t self, cells: &[&'t str], text: &'t str) -> Option<(Vec<&'t str>, Vec<&'t str>)> {
        let words =
            |text: &'t str| -> Vec<&'t str> { text.split_whitespace().filter(|word| *word != "|").collect() };
        let (columns, names) = (self::cells(&self.text), words(&self.text));
        // A row between bars may leave its last cells empty.
        let is_barred = self.text.contains('|') && text.contains('|');
        if is_barred && cells.len() > 1 && cells.len() < columns.len() {
            let padded = cells.iter().copied().chain(std::iter::repeat("")).take(columns.len()).collect();
            return Some((columns, padded));
        }
        for columns in [&columns, &names] {
            for row in [cells.to_vec(), words(text)] {
                if columns.len() == row.len() {
                    return Some((columns.clone(), row));
                }
            }
        }
        // pandas leaves the corner of its table empty.
        let row = words(text);
        let is_cornerless = self.whole.starts_with(' ') && row.len() == names.len() + 1;
        is_cornerless.then(|| (std::iter::once("").chain(names).collect(), row))
    }

    /// A row that leaves columns empty: each cell belongs to the column that it stands under.
    fn aligned<'t>(&'t self, line: &'t str) -> Option<(Vec<&'t str>, Vec<&'t str>)> {
        const MOST_EMPTY: usize = 2;
        let (columns, row) = (placed(&self.whole), placed(line));
        let is_prose =
            line.contains([':', '=']) || row.iter().skip(1).any(|(cell, ..)| data::number(cell).is_none());
        if is_prose || row.len() < 2 || row.len() >= columns.len() || columns.len() - row.len() > MOST_EMPTY {
            return None;
        }
        let (mut names, mut cells, mut last) = (Vec::new(), Vec::new(), None);
        for (cell, start, end) in row {
            let is_under = |(_, first, behind): &&(&str, usize, usize)| start < *behind && *first < end;
            let at = columns.iter().position(|column| is_under(&column))?;
            if last.is_some_and(|last| at <= last) {
                return None;
            }
            last = Some(at);
            names.push(columns[at].0);
            cells.push(cell);
        }
        Some((names, cells))
    }
}

/// The words of a line with the places where they begin and end.
fn placed(line: &str) -> Vec<(&str, usize, usize)> {
    let start = |word: &str| word.as_ptr() as usize - line.as_ptr() as usize;
    line.split_whitespace().map(|word| (word, start(word), start(word) + word.len())).collect()
}

fn is_header(cells: &[&str]) -> bool {
    let is_name = |cell: &&str| {
        !cell.split(' ').any(|word| data::number(word).is_some())
            && cell.len() <= 40
            && !cell.contains([':', '='])
            && cell.starts_with(char::is_alphabetic)
    };
    cells.len() >= 2 && cells.iter().all(is_name) && cells.iter().any(|cell| !cell.contains(' '))
}

/// A line without numbers: the header of a table, or what stands above the next lines.
fn heading(line: &Line, cells: &[&str], above: &mut Above) {
    let text = line.text.trim();
    let words: Vec<&str> = text.split_whitespace().collect();
    let are_names =
        words.len() >= 3 && words.iter().all(|word| word.len() <= 20 && !word.ends_with([':', ',', '.']));
    if is_header(cells) || are_names && text.contains("  ") {
        above.header = Some(Header { text: text.to_owned(), whole: line.text.clone() });
    }
    let is_heading =
        text.starts_with(['=', '-', '#', '*', '[']) || text.ends_with(':') || text.ends_with('=');
    if is_heading {
        above.heading = words::keys(text);
    }
}

/// `admin|213`: a name and a number, as databases print them.
fn bars(cells: &[&str], text: &str, piece: &str, above: &Above, figures: &mut Vec<Figure>) {
    let [label, value] = cells else { return };
    let Some(value) = data::number(value).filter(|_| text.contains(['|', '\t'])) else { return };
    let name = words::keys(label);
    if data::number(label).is_some() || name.is_empty() {
        return;
    }
    let (around, row) = (above.heading.clone(), String::new());
    let told_as = told_as(label.split_whitespace());
    figures.push(Figure {
        piece: piece.to_owned(),
        value,
        name,
        around,
        row,
        step: None,
        told_as,
        beside: std::cell::OnceCell::new(),
        text: text.to_owned(),
    });
}

/// `== fit, n=16 ==`, `## alpha=0.5`: a heading, whose settings are those of what stands under it.
fn is_framed(text: &str) -> bool {
    let text = text.trim();
    ["==", "--", "##", "**"].iter().any(|mark| text.starts_with(mark))
}

fn prose(text: &str, piece: &str, above: &Above, figures: &mut Vec<Figure>) {
    let sentence = Sentence::plain(text, 1, "");
    let all = tokens(&sentence);
    let (step, steps) = step(&all);
    let mut whole = words::keys(text);
    whole.extend(above.heading.iter().cloned());
    let spell = |tokens: &[&Token]| -> String {
        tokens.iter().map(|token| sentence.part(token.start..token.end)).collect::<Vec<_>>().join(" ")
    };
    let numbers = (0..all.len()).filter(|at| all[*at].number().is_some());
    // What its neighbours are called says nothing about a number.
    let keys: Vec<(usize, Vec<String>)> =
        numbers.map(|at| (at, words::keys(&spell(&key(&all, at).0)))).collect();
    for (at, token) in all.iter().enumerate() {
        let Some(value) = token.number().filter(|_| !steps.contains(&at)) else { continue };
        let (left, mark) = key(&all, at);
        let right = noun(&all, at);
        let (left, right) = (spell(&left), spell(&right));
        let is_whole = at > 1 && all[at - 1].is("of") && all[at - 2].number().is_some();
        let told_as = match () {
            () if is_whole => ToldAs::Whole,
            () if mark == Some(b'=') && is_framed(text) => ToldAs::Key,
            () => told_as(left.to_lowercase().split(' ')),
        };
        let mut names = vec![
            (
                words::keys(&left),
                labelled(&sentence, &all, at).unwrap_or_else(|| prefix(&sentence, &all, at)),
            ),
            (
                words::keys(&right),
                if is_whole { String::new() } else { or_prefix(&left, &sentence, &all, at) },
            ),
        ];
        // A mark binds a number to what stands before it.
        let is_bound = mark == Some(b'=') || mark == Some(b':') && value.unit != actum_model::Unit::Plain;
        if is_bound && !names[0].0.is_empty() {
            names.truncate(1);
        }
        let unit = arrow(&all, at, at + 3).map_or(value.unit, |next| next.unit);
        let unit = if value.unit == actum_model::Unit::Plain { unit } else { value.unit };
        let value = Quantity { meant: actum_model::Meant::Exactly, unit, ..value.clone() };
        let is_bare = all.len() == 1;
        names.retain(|(name, _)| !name.is_empty());
        if names.is_empty() && at >= 3 && arrow(&all, at - 3, at).is_some() {
            let (of, _) = key(&all, at - 3);
            names.push((words::keys(&spell(&of)), String::new()));
        }
        if names.is_empty() && value.unit == actum_model::Unit::Percent {
            names.extend(shared(&all, at).map(|words| (words::keys(&spell(&words)), String::new())));
            names.retain(|(name, _)| !name.is_empty());
        }
        if names.is_empty() && is_bare {
            names.push((Vec::new(), String::new()));
        }
        for (name, row) in names {
            let of_others =
                |word: &String| keys.iter().any(|(other, key)| *other != at && key.contains(word));
            let around =
                whole.iter().filter(|word| !name.contains(word) && !of_others(word)).cloned().collect();
            figures.push(Figure {
                piece: piece.to_owned(),
                value: value.clone(),
                name,
                around,
                row,
                step,
                told_as,
                beside: std::cell::OnceCell::new(),
                text: text.to_owned(),
            });
        }
    }
}

/// `clinic=east rows=418`: a pair whose value is a word names the row of those behind it.
fn labelled(sentence: &Sentence, all: &[Token], at: usize) -> Option<String> {
    const OTHERS: [&str; 12] = [
        "level", "lvl", "msg", "logger", "stage", "status", "ts", "time", "event", "backend", "dtype",
        "device",
    ];
    let pairs = (1..at.saturating_sub(1)).rev().filter(|place| all[*place].is_mark(b'='));
    let mut words = pairs.filter_map(|place| Some((all[place - 1].word()?, all.get(place + 1)?)));
    let (key, value) = words.find(|(_, value)| value.word().is_some())?;
    let is_name = !OTHERS.contains(&key) && value.word().is_some_and(|word| !word.contains(['.', '/', ':']));
    is_name.then(|| sentence.part(value.start..value.end).to_owned())
}

/// `a.txt: 5 lines, 24 words`: the second number is the same file's.
fn or_prefix(left: &str, sentence: &Sentence, all: &[Token], at: usize) -> String {
    match left.is_empty() {
        true => symbol(sentence, all, at).unwrap_or_else(|| prefix(sentence, all, at)),
        false => left.to_owned(),
    }
}

/// `/: 12 requests`, `*: 3 hits`: a row whose name has no letters.
fn symbol(sentence: &Sentence, all: &[Token], at: usize) -> Option<String> {
    const LONGEST: usize = 3;
    let colon =
        at.checked_sub(1).filter(|colon| (1..=LONGEST).contains(colon) && all[*colon].is_mark(b':'))?;
    let are_marks = all[..colon].iter().all(|token| matches!(token.what, What::Mark(_)));
    are_marks.then(|| sentence.part(all[0].start..all[colon - 1].end).to_owned())
}

/// `control: n=509 mean=20.6`, `[lru] hits=3`: what stands before the pairs says of what these are the numbers.
fn prefix(sentence: &Sentence, all: &[Token], at: usize) -> String {
    let colon = all[..at].iter().position(|token| token.is_mark(b':')).filter(|colon| *colon + 1 < at);
    let equals = all.iter().position(|token| token.is_mark(b'=')).and_then(|equals| equals.checked_sub(1));
    let Some(end) = colon.or(equals).filter(|end| *end > 0 && *end <= 4 && *end < at) else {
        return String::new();
    };
    let are_words = all[..end].iter().all(|token| match &token.what {
        What::Word(word) => !is_step(word),
        What::Mark(mark) => b"[]()#*->".contains(mark),
        What::Number(_) => false,
    });
    if are_words { sentence.part(all[0].start..all[end - 1].end).to_owned() } else { String::new() }
}

/// `Epoch 3/8`, `step 80:`: the step of a line, and which tokens tell it.
fn step(all: &[Token]) -> (Option<u64>, Vec<usize>) {
    for at in 0..all.len() {
        let is_word = all[at].word().is_some_and(is_step);
        let marks = all[at + 1..]
            .iter()
            .take_while(|token| token.is_mark(b'=') || token.is_mark(b':') || token.is_mark(b'['))
            .count();
        let number = at + 1 + marks;
        let Some(step) =
            all.get(number).and_then(Token::number).and_then(Quantity::whole).filter(|_| is_word)
        else {
            continue;
        };
        let mut taken = vec![number];
        if all.get(number + 1).is_some_and(|token| token.is_mark(b'/') || token.is("of")) {
            taken.push(number + 2);
        }
        return (Some(step), taken);
    }
    (None, Vec::new())
}

/// Words that part a number from what stands before it, unless a mark binds them.
const ENDS: &[&str] = &[
    "in", "for", "on", "per", "over", "under", "after", "before", "between", "with", "from", "by", "than",
    "into", "within", "the", "against", "versus", "vs", "among", "across",
];

fn is_step_number(all: &[Token], at: usize) -> bool {
    at > 0 && all[at - 1].word().is_some_and(is_step)
}

/// The words before a number that name it, and the mark that binds them.
fn key(all: &[Token], at: usize) -> (Vec<&Token>, Option<u8>) {
    let mut words = Vec::new();
    let mut bound = None;
    let mut place = at;
    while place > 0 && words.len() < 6 {
        place -= 1;
        match &all[place].what {
            What::Word(word) if bound.is_none() && ENDS.contains(&word.as_str()) => break,
            // `stage=done total=3`: the key is what stands right at the mark.
            What::Word(_)
                if bound == Some(b'=') && words.is_empty() && all[place + 1].start == all[place].end =>
            {
                words.push(&all[place]);
                break;
            }
            What::Word(_) => words.push(&all[place]),
            What::Mark(mark @ (b':' | b'=')) if words.is_empty() => bound = Some(*mark),
            What::Mark(b'$' | b'~' | b'(' | b'>' | b'"' | b'\'') if words.is_empty() => {}
            // `correlation (a, b): 0.6`
            What::Mark(b')') if words.is_empty() && bound.is_some() => {
                place = all[..place].iter().rposition(|token| token.is_mark(b'(')).unwrap_or(0);
            }
            // `1186 rows with 4 rules`: the words before belong to the number before them.
            What::Number(_) if bound.is_none() && !is_step_number(all, place) => {
                words.clear();
                break;
            }
            // `950 plates: 640 large`: the plates are those of the number before them.
            What::Number(_)
                if words.last().is_some_and(|token| token.word().is_some_and(words::is_plural)) =>
            {
                words.clear();
                break;
            }
            What::Mark(_) | What::Number(_) => break,
        }
    }
    words.reverse();
    (words, bound)
}

/// `size: 980 -> 120 kB`: the number that an arrow leads to.
fn arrow(all: &[Token], from: usize, to: usize) -> Option<&Quantity> {
    let is_arrow = all.get(from + 1)?.is_mark(b'-') && all.get(from + 2)?.is_mark(b'>');
    all.get(from)?.number()?;
    all.get(to)?.number().filter(|_| is_arrow)
}

/// `hits: 300 (75 %)`, `misses  100  25 %`, `12 rows (3 %)`: the share of what was told right before it.
fn shared(all: &[Token], at: usize) -> Option<Vec<&Token>> {
    let has_bracket = at > 0 && all[at - 1].is_mark(b'(');
    let end = at - usize::from(has_bracket);
    let number = all[..end].iter().rposition(|token| token.number().is_some())?;
    let (left, _) = key(all, number);
    let noun: Vec<&Token> = all[number + 1..end].iter().collect();
    let are_words = noun.iter().all(|token| token.word().is_some());
    match (left.is_empty(), noun.is_empty()) {
        (false, true) => Some(left),
        (_, false) if has_bracket && are_words && noun.len() <= 3 => Some(noun),
        (_, _) => None,
    }
}

/// The words behind a number that it counts.
fn noun(all: &[Token], at: usize) -> Vec<&Token> {
    let stops = |word: &str| {
        ENDS.contains(&word)
            || ["to", "at", "and", "of", "because", "that", "as", "is", "was", "are", "were"].contains(&word)
    };
    // `3 of 5 files`
    let is_share = all.get(at + 1).is_some_and(|token| token.is("of"))
        && all.get(at + 2).is_some_and(|token| token.number().is_some());
    let at = if is_share { at + 2 } else { at };
    let is_part = |token: &&Token| token.word().is_some_and(|word| !stops(word) && !is_step(word));
    let words: Vec<&Token> = all[at + 1..].iter().take(3).take_while(is_part).collect();
    // `loss: 1.08 top5: 0.96`: the next number's key.
    let next = all.get(at + 1 + words.len());
    let is_key = next.is_some_and(|token| token.is_mark(b':') || token.is_mark(b'='));
    if is_key { Vec::new() } else { words }
}
