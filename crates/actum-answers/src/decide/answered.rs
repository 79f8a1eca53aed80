//! What an interpreter answers and a program does not: the value of an expression that nobody prints, and an error that was
//! only shown.
//!
//! Such a statement is written so that a program says the same. Whether it can be written so, its parser says; where it cannot, the
//! statement stays as it is.

use super::{Case, Program, Reader};
use actum_model::{Block, BlockKind, Example, Holds};

/// How an interpreter begins to tell of an error.
const ERROR: &str = "Traceback (most recent call last)";
/// Of so many statements in an answer it is asked; one with more is no answer.
const MOST: usize = 4000;
/// An expression at the end of a cell begins at one of its last lines that are not indented.
const TRIES: usize = 3;

/// Lets statements in Python say what the answer shows that they answer.
pub(super) fn judge(cases: &mut [Case<'_>], reader: &mut dyn Reader) {
    let mut asked: Vec<Asked> =
        cases.iter().enumerate().flat_map(|(case, one)| statements(case, one)).take(MOST).collect();
    let programs: Vec<Program<'_>> =
        asked.iter().map(|one| Program { language: "python", code: &one.written }).collect();
    let readings = if programs.is_empty() { Vec::new() } else { reader.read(&programs) };
    let mut complete = readings.iter().map(|reading| reading.complete.is_complete());
    asked.retain(|_| complete.next() == Some(true));
    for Asked { case, example, written } in asked {
        match example {
            Some(example) => write_example(&mut cases[case].block, example, written),
            None => cases[case].block.program = Some(written),
        }
    }
    let transcripts = cases.iter_mut().filter(|case| case.block.holds == Holds::ReplTranscript);
    for case in transcripts.filter(|case| case.is_program()) {
        let examples = case.block.examples.iter();
        case.block.program = Some(examples.flat_map(|one| [one.code.as_str(), "\n"]).collect());
    }
}

/// A statement written in another way.
struct Asked {
    case: usize,
    /// The statement of a transcript that it is; none where it is all of a cell.
    example: Option<usize>,
    written: String,
}

fn statements(number: usize, case: &Case<'_>) -> Vec<Asked> {
    if !case.is_program() || case.block.language != "python" {
        return Vec::new();
    }
    let asked = |example, written| Asked { case: number, example, written };
    match (case.block.holds, case.block.kind) {
        (Holds::ReplTranscript, _) => {
            let says = |one: &Example| {
                !one.output.is_empty() && (!is_silent(&one.code) || one.output.starts_with(ERROR))
            };
            let answered = case.block.examples.iter().enumerate().filter(|(_, one)| says(one));
            answered.map(|(at, one)| asked(Some(at), written(&one.code, &one.output))).collect()
        }
        (Holds::Program, BlockKind::Cell)
            if case.block.expected.is_some() && case.block.left_out.is_none() =>
        {
            cells(case.block.text()).into_iter().map(|cell| asked(None, cell)).collect()
        }
        _ => Vec::new(),
    }
}

fn written(code: &str, output: &str) -> String {
    match output.starts_with(ERROR) {
        true => format!(
            "try: {}\nexcept Exception as error: print(*__import__(\"traceback\").format_exception_only(type(error), error), sep=\"\", end=\"\")",
            code.trim()
        ),
        false => shown(code),
    }
}

fn shown(expression: &str) -> String {
    // A comment would take the brackets with it.
    let end = if expression.contains('#') { "\n))" } else { "))" };
    format!("__import__(\"sys\").displayhook(({}{end}", expression.trim_end())
}

/// What prints by itself answers nothing.
fn is_silent(code: &str) -> bool {
    code.starts_with("print(")
}

/// A cell whose last lines are an expression, with the likeliest one last.
fn cells(code: &str) -> Vec<String> {
    let lines: Vec<&str> = code.trim_end().split_inclusive('\n').collect();
    let begins = |line: &str| !line.starts_with([' ', '\t', '#', '\n', '\r']) && !line.is_empty();
    let starts = (0..lines.len()).rev().filter(|at| begins(lines[*at])).take(TRIES);
    let starts = starts.filter(|at| !is_silent(lines[*at]));
    let written = |at: usize| format!("{}{}\n", lines[..at].concat(), shown(&lines[at..].concat()));
    let mut cells: Vec<String> = starts.map(written).collect();
    cells.reverse();
    cells
}

fn write_example(block: &mut Block, number: usize, written: String) {
    let Some(example) = block.examples.get_mut(number) else { return };
    example.code = written;
    if example.output.starts_with(ERROR) {
        // Where it happened, a program tells otherwise.
        let last = example.output.trim_end().rsplit('\n').next().unwrap_or_default();
        example.output = format!("{last}\n");
    }
}
