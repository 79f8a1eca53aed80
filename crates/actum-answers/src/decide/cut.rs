//! Code that stops in the middle: the answer ends in it, or its last statement does. What is whole of it runs where it stands alone,
//! and what is left out is said. Half a file is not written, and half a patch not applied.

use super::goes_on::Typing;
use super::whole::{self, Around, TRIES};
use super::{Case, Program, Reader, Stage};
use actum_model::{BlockKind, Completeness, Disposition, EntryPoint, Example, Holds, LeftOut, Reading};

/// Whether the answer ends within a block.
pub(super) fn is_cut_off(case: &Case<'_>) -> bool {
    case.piece.is_open || case.piece.cut.is_some()
}

/// How it is known that the answer ends within it.
fn why(case: &Case<'_>) -> String {
    let cut = case.piece.cut.clone();
    cut.unwrap_or_else(|| "its fence is not closed".to_owned())
}

/// Files and patches that nobody can say to be whole.
pub(super) fn settle_files(case: &mut Case<'_>) {
    let is_file = case.stage == Stage::Plain && case.block.path.is_some();
    if !is_cut_off(case) || !(is_file || case.block.disposition == Disposition::Apply) {
        return;
    }
    let why = why(case);
    let what =
        if is_file { "incomplete files are not written" } else { "incomplete patches are not applied" };
    case.skip(format!("{why}; {what}"));
    case.block.truncated = Some(why);
}

/// The answer ends in this program.
pub(super) fn cut_off(
    cases: &mut [Case<'_>],
    index: usize,
    reading: &Reading,
    (around, reader): (&mut Around<'_>, &mut dyn Reader),
) {
    let case = &mut cases[index];
    let why = why(case);
    case.block.truncated = Some(why.clone());
    // A call that was never told to its end was never made.
    if case.piece.kind == BlockKind::ToolCall {
        return case.skip(why);
    }
    if !case.block.examples.is_empty() {
        return without_last_example(case, &why, reader);
    }
    match &reading.complete {
        Completeness::Complete if is_half_a_line(case) => truncated(cases, index, &why, (around, reader)),
        Completeness::Complete | Completeness::Legacy { .. } => {
            case.block
                .warnings
                .push(format!("{why}. The part that is there is complete, and the rest is missing"));
        }
        Completeness::Truncated { why: inner, .. } => {
            truncated(cases, index, &format!("{why}: {inner}"), (around, reader));
        }
        Completeness::Wrong { line, message } if whole::is_at_the_end(case, *line) => {
            truncated(cases, index, &format!("{why}: {message}"), (around, reader));
        }
        Completeness::Wrong { .. } | Completeness::Elided { .. } | Completeness::Unread { .. } => {
            case.skip(why)
        }
    }
}

/// The last line of commands can be cut anywhere and still be one: `rm -rf build` of `rm -rf build/cache`.
fn is_half_a_line(case: &Case<'_>) -> bool {
    let is_ended = case.piece.cut.is_none() && case.block.text().ends_with('\n');
    case.is_shell() && (!is_ended || is_typing(case.block.text().lines()))
}

fn is_typing<'t>(lines: impl Iterator<Item = &'t str>) -> bool {
    let mut typing = Typing::default();
    lines.for_each(|line| typing.pass(line));
    typing.goes_on()
}

/// Of a transcript the last thing that was typed, or what it printed, is not all there.
fn without_last_example(case: &mut Case<'_>, why: &str, reader: &mut dyn Reader) {
    let Some(last) = case.block.examples.pop() else { return };
    let program: String = case.block.examples.iter().flat_map(|one| [one.code.as_str(), "\n"]).collect();
    let language = case.block.language.clone();
    let found = reader.read(&[Program { language: &language, code: &program }]).into_iter().next();
    let Some(reading) = found.filter(|reading| reading.complete.is_complete() && !program.is_empty()) else {
        return case.skip(why);
    };
    let lines = [line_of(case, &last), case.answer_line(count(&case.block.code))];
    let printed: String = case.block.examples.iter().map(|one| one.output.as_str()).collect();
    case.block.expected = Some(printed).filter(|text| !text.trim().is_empty());
    leave_out(case, (program, lines, reading), why);
}

/// The line of the answer in which something was typed.
fn line_of(case: &Case<'_>, example: &Example) -> u64 {
    let first = example.code.lines().next().unwrap_or_default();
    let at = case.block.code.lines().collect::<Vec<_>>().iter().rposition(|line| line.ends_with(first));
    case.answer_line(u32::try_from(at.unwrap_or_default() + 1).unwrap_or(1))
}

/// The last line that says something.
fn count(code: &str) -> u32 {
    u32::try_from(code.trim_end().lines().count()).unwrap_or(u32::MAX)
}

/// A program that stops in the middle. What is whole of it is run where that stands alone.
pub(super) fn truncated(
    cases: &mut [Case<'_>],
    index: usize,
    why: &str,
    (around, reader): (&mut Around<'_>, &mut dyn Reader),
) {
    let may_try = around.may_try(cases[index].block.text().len());
    if may_try && why.contains("string") && whole::closes_in_a_string(cases, index, around, reader) {
        return;
    }
    let case = &mut cases[index];
    case.block.truncated = Some(why.to_owned());
    if let Some(path) = case.block.path.clone() {
        return case
            .skip(format!("it is {path}, and it is cut off: {why}; incomplete files are not written"));
    }
    let is_split = matches!(case.block.holds, Holds::ShellTranscript | Holds::ReplTranscript);
    let found = if is_split || !may_try { None } else { whole_part(case, reader) };
    let Some(found) = found else {
        return case.skip(format!("it is cut off: {why}, and the complete part cannot run alone"));
    };
    leave_out(case, found, why);
}

fn leave_out(case: &mut Case<'_>, (part, lines, reading): (String, [u64; 2], Reading), why: &str) {
    case.block.left_out = Some(LeftOut { lines, why: why.to_owned() });
    case.block.program = Some(part);
    case.reading = Some(reading);
    case.block.warnings.push(format!(
        "it is cut off: {why}. Only the complete part is run, without lines {} to {}",
        lines[0], lines[1]
    ));
}

/// The longest beginning that is a program by itself, the lines that are left out, and what the beginning tells.
fn whole_part(case: &Case<'_>, reader: &mut dyn Reader) -> Option<(String, [u64; 2], Reading)> {
    let code = case.block.text();
    let lines: Vec<&str> = code.split_inclusive('\n').collect();
    let cuts = cuts(case, &lines);
    let parts: Vec<String> = cuts.iter().map(|at| lines[..*at].concat()).collect();
    let language = case.block.language.as_str();
    let programs: Vec<Program<'_>> = parts.iter().map(|code| Program { language, code }).collect();
    if programs.is_empty() {
        return None;
    }
    let stands = |reading: &Reading| stands_alone(reading, case.is_shell());
    let (at, reading) = reader.read(&programs).into_iter().enumerate().find(|(_, one)| stands(one))?;
    let first = case.answer_line(u32::try_from(cuts[at] + 1).ok()?);
    let last = case.answer_line(count(code));
    Some((parts[at].clone(), [first, last], reading))
}

/// The last lines before which a program may end.
fn cuts(case: &Case<'_>, lines: &[&str]) -> Vec<usize> {
    if case.is_shell() {
        let mut typing = Typing::default();
        let mut cuts = Vec::new();
        for (line, at) in lines.iter().zip(0..) {
            let says = !line.trim().is_empty();
            cuts.extend((at > 0 && says && !typing.goes_on()).then_some(at));
            typing.pass(line.trim_end_matches('\n'));
        }
        return cuts.into_iter().rev().take(TRIES).collect();
    }
    let begins = |line: &str| {
        let word = line.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
        let is_part = matches!(word, "else" | "elif" | "except" | "finally" | "end");
        line.starts_with(|letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '@' | '$'))
            && !is_part
    };
    (1..lines.len()).rev().filter(|at| begins(lines[*at])).take(TRIES).collect()
}

/// Whether a beginning is a program that does something with names that it has itself. What a shell lacks it takes from outside.
fn stands_alone(reading: &Reading, is_shell: bool) -> bool {
    reading.complete.is_complete()
        && matches!(reading.entry, EntryPoint::Script | EntryPoint::MainGuard)
        && (is_shell || reading.unbound.is_empty())
}
