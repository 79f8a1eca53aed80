//! Whether a program is all there, and what of it can be run where it is not.

use super::{Case, Program, Reader, cut};
use actum_model::{Completeness, Holds, LayoutKind, Reading};

/// Longer than any program that somebody wrote, and than all of an answer together; no more is read.
pub(super) const LONGEST: usize = 4 << 20;
/// As many beginnings of a program that was cut are tried, and as many later fences as its end.
pub(super) const TRIES: usize = 12;
/// Round lengths at which tools cut texts.
const ROUND: usize = 500;
/// Of so many blocks that were cut, what is whole is looked for; an answer with more is no answer.
const CUTS: usize = 16;
/// So many bytes of beginnings and ends are read for that.
const TRIED: usize = 4 << 20;

/// The text of the answer, its lines when somebody needs them, and how much may still be tried.
pub(super) struct Around<'t> {
    text: &'t str,
    lines: Vec<&'t str>,
    tries: usize,
    bytes: usize,
}

impl<'t> Around<'t> {
    fn lines(&mut self) -> &[&'t str] {
        if self.lines.is_empty() {
            self.lines = self.text.split_inclusive('\n').collect();
        }
        &self.lines
    }

    /// Whether one more of this length may be tried, as often as that is done.
    pub(super) fn may_try(&mut self, length: usize) -> bool {
        let cost = length.saturating_mul(TRIES);
        let may = self.tries > 0 && self.bytes >= cost;
        self.tries = self.tries.saturating_sub(1);
        self.bytes = self.bytes.saturating_sub(cost);
        may
    }
}

/// Has every program read, and settles those that cannot be run.
pub(super) fn judge(cases: &mut [Case<'_>], text: &str, reader: &mut dyn Reader) {
    cases.iter_mut().for_each(cut::settle_files);
    settle_what_needs_no_reading(cases);
    read_all(cases, reader);
    let mut around = Around { text, lines: Vec::new(), tries: CUTS, bytes: TRIED };
    for index in 0..cases.len() {
        if cases[index].is_program() {
            judge_one(cases, index, &mut around, reader);
        }
    }
}

fn settle_what_needs_no_reading(cases: &mut [Case<'_>]) {
    let mut room = LONGEST;
    for case in cases.iter_mut().filter(|case| case.is_program()) {
        let length = case.block.text().len();
        let left = room.checked_sub(length);
        room = left.unwrap_or(room);
        if left.is_none() {
            case.skip(too_long(length));
        } else if let Some(why) = wrapped(&case.block.code) {
            case.block.truncated = Some(why.to_owned());
            case.skip(format!("it seems to be cut off: {why}"));
        }
    }
}

/// Why a program is not read, and so not run.
pub(super) fn too_long(length: usize) -> String {
    match length > LONGEST {
        true => format!("it is too long to parse: {} MiB", length >> 20),
        false => "the answer contains too much code to parse".to_owned(),
    }
}

fn read_all(cases: &mut [Case<'_>], reader: &mut dyn Reader) {
    let open: Vec<usize> = (0..cases.len()).filter(|index| cases[*index].is_program()).collect();
    let programs: Vec<Program<'_>> = open
        .iter()
        .map(|index| {
            let block = &cases[*index].block;
            Program { language: &block.language, code: block.text() }
        })
        .collect();
    let mut readings = if programs.is_empty() { Vec::new() } else { reader.read(&programs) };
    readings.resize_with(open.len(), Reading::default);
    for (index, reading) in open.into_iter().zip(readings) {
        cases[index].reading = Some(reading);
    }
}

/// Signs that somebody cut a text and put it between new fences.
fn wrapped(code: &str) -> Option<&'static str> {
    let lines = || code.lines().map(str::trim_start);
    let opens = lines().filter(|line| line.starts_with("```") && line.trim_end().len() > 3).count();
    let closes = lines().filter(|line| line.trim_end() == "```").count();
    let dots = code.trim_end().strip_suffix("...")?;
    let length = dots.chars().count();
    match () {
        () if opens > closes => Some("a fence in it is not closed, and it ends in dots"),
        () if length >= ROUND && length.is_multiple_of(ROUND) => {
            Some("it has a round length and ends in dots")
        }
        () => None,
    }
}

fn judge_one(cases: &mut [Case<'_>], index: usize, around: &mut Around<'_>, reader: &mut dyn Reader) {
    let case = &mut cases[index];
    let Some(reading) = case.reading.clone() else { return };
    if let Some(line) = smart_quotes(&reading) {
        let line = case.answer_line(line);
        return case
            .skip(format!("line {line} has typographic quotation marks, which are not valid in code"));
    }
    if cut::is_cut_off(case) {
        return cut::cut_off(cases, index, &reading, (around, reader));
    }
    if case.block.holds == Holds::ShellTranscript && is_no_shell(&reading) {
        return case.skip("the text after its prompts is not valid shell");
    }
    match reading.complete.clone() {
        Completeness::Complete => {}
        Completeness::Legacy { what, .. } => {
            case.block.warnings.push(format!("it is written for an older version of the language: {what}"))
        }
        Completeness::Unread { why } => unread(case, !reading.language.is_empty(), &why),
        Completeness::Elided { line, what } => {
            let (line, what) = (case.answer_line(line), beginning(&what));
            case.skip(format!("a part is left out in line {line}: {what}"));
        }
        Completeness::Truncated { line, why } => match is_label_wrong(case) {
            true => wrong(case, line, &why),
            false => cut::truncated(cases, index, &why, (around, reader)),
        },
        Completeness::Wrong { line, message } if is_at_the_end(case, line) => {
            cut::truncated(cases, index, &message, (around, reader));
        }
        Completeness::Wrong { line, message } => wrong(case, line, &message),
    }
}

/// What was typed runs only where every line of it is known to be a command; nobody wrote it as a program.
fn is_no_shell(reading: &Reading) -> bool {
    match reading.complete {
        Completeness::Wrong { .. } | Completeness::Unread { .. } => true,
        Completeness::Complete
        | Completeness::Legacy { .. }
        | Completeness::Truncated { .. }
        | Completeness::Elided { .. } => false,
    }
}

/// Whether what stands under a label is something else: commands, configuration, or a sentence.
fn is_label_wrong(case: &Case<'_>) -> bool {
    let is_sentence = !case.block.code.contains(['(', '[', '{', '=', ':', '"', '\'', ';', '#', '<']);
    !case.is_shell() && (is_sentence || super::unlabelled::looks_like_instead(&case.block.code).is_some())
}

/// Whether the first thing that is wrong stands in the last line of several: what was cut looks like that too.
pub(super) fn is_at_the_end(case: &Case<'_>, line: u32) -> bool {
    let last = case.block.text().trim_end().lines().count();
    last > 1 && usize::try_from(line).is_ok_and(|line| line == last) && case.block.language == "python"
}

fn unread(case: &mut Case<'_>, has_parser: bool, why: &str) {
    if !has_parser {
        if let Some(line) = elided_line(&case.block.code) {
            let line = case.answer_line(line);
            case.skip(format!("a part is left out in line {line}"));
        }
        return;
    }
    case.block.warnings.push(format!("it was not parsed: {why}"));
}

/// The line that says that something is left out, in a language that has no reader.
fn elided_line(code: &str) -> Option<u32> {
    let is_mark = |line: &str| {
        let bare = line.trim().trim_start_matches(['#', '/', '-', '*', '%', ' ']).to_lowercase();
        bare == "..."
            || bare == "…"
            || bare.starts_with("... ") && bare.ends_with("...")
            || bare.contains("rest unchanged")
            || bare.contains("existing code")
    };
    code.lines().position(is_mark).and_then(|at| u32::try_from(at + 1).ok())
}

fn smart_quotes(reading: &Reading) -> Option<u32> {
    reading.layout.iter().find(|one| one.kind == LayoutKind::SmartQuotes).map(|one| one.line)
}

/// A line of three backticks within a string ends a block, for CommonMark. The program goes on behind it: the first later fence
/// up to which the lines are a whole program is its real end.
pub(super) fn closes_in_a_string(
    cases: &mut [Case<'_>],
    index: usize,
    around: &mut Around<'_>,
    reader: &mut dyn Reader,
) -> bool {
    let case = &cases[index];
    if around.text.is_empty() || case.piece.nested || case.piece.kind != actum_model::BlockKind::Fence {
        return false;
    }
    let all = around.lines();
    let first = usize::try_from(case.piece.first_code_line).unwrap_or(1) - 1;
    let from = usize::try_from(case.piece.lines[1]).unwrap_or(usize::MAX);
    let is_fence = |line: &str| line.trim_end() == "```" || line.trim_end() == "~~~";
    let ends: Vec<usize> = (from..all.len()).filter(|at| is_fence(all[*at])).take(TRIES).collect();
    let wholes: Vec<String> = ends.iter().map(|end| all[first..*end].concat()).collect();
    let language = case.block.language.clone();
    let programs: Vec<Program<'_>> =
        wholes.iter().map(|code| Program { language: &language, code }).collect();
    let readings = if programs.is_empty() { Vec::new() } else { reader.read(&programs) };
    let Some((at, reading)) = readings.into_iter().enumerate().find(|(_, one)| one.complete.is_complete())
    else {
        return false;
    };
    let last = ends[at] as u64 + 1;
    let case = &mut cases[index];
    case.block.program = Some(wholes[at].clone());
    case.block.lines[1] = last;
    case.reading = Some(reading);
    case.block
        .warnings
        .push(format!("its fence closes inside a string; the program continues to line {last}"));
    let number = case.block.index;
    for other in cases.iter_mut().skip(index + 1).filter(|other| other.block.lines[0] <= last) {
        other.skip(format!("it is inside a string of block {number}"));
    }
    true
}

/// Not a program of the language that its label names.
fn wrong(case: &mut Case<'_>, line: u32, message: &str) {
    let looks = super::unlabelled::looks_like_instead(&case.block.code);
    let (line, message) = (case.answer_line(line), beginning(message));
    let language = case.block.language.clone();
    match looks {
        Some(looks) => {
            case.skip(format!("its label says {language}, but it looks like {looks}: line {line}: {message}"))
        }
        // Python is read by a parser of its own; a grammar of another language may not know its newest forms.
        None if language == "python" => {
            case.skip(format!("it is not valid {language}: line {line}: {message}"))
        }
        None => case.block.warnings.push(format!("syntax error in line {line}: {message}")),
    }
}

fn beginning(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().take(120).collect()
}
