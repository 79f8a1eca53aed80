//! Lines that mean something to a notebook and nothing to Python.
//!
//! What they install becomes a wish, what they tell a shell is told by Python itself, what they ask of a notebook is dropped. The
//! lines of the program keep their numbers.

use super::{Case, installs};
use crate::naming;
use actum_model::{AnswerForm, Disposition, Holds};

/// Takes magics out of a program in Python.
pub(super) fn take_out(case: &mut Case<'_>, form: AnswerForm) {
    let is_notebook = form == AnswerForm::Notebook || case.block.label.as_deref() == Some("ipython");
    let first =
        case.block.code.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim().to_owned();
    if let Some(magic) = first.strip_prefix("%%") {
        return cell(case, magic);
    }
    let mut program = String::new();
    let (mut dropped, mut is_changed) = (Vec::new(), false);
    let mut strings = Strings::default();
    for line in case.block.code.lines() {
        let is_code = strings.is_outside();
        strings.pass(line);
        match magic(line).filter(|_| is_code) {
            Some(magic) => {
                is_changed = true;
                let indent = &line[..line.len() - line.trim_start().len()];
                program.push_str(indent);
                program.push_str(&spoken(&magic, &mut case.block.requirements, &mut dropped));
            }
            None if is_notebook && is_help(line) => {
                is_changed = true;
                dropped.push(line.trim().to_owned());
            }
            None => program.push_str(line),
        }
        program.push('\n');
    }
    if !is_changed {
        return;
    }
    case.block.program = Some(program);
    if !dropped.is_empty() {
        let names: String = dropped.join(", ").chars().take(120).collect();
        case.block.warnings.push(format!("these notebook commands are skipped: {names}"));
    }
}

/// A line for a notebook, taken apart.
enum Magic<'a> {
    /// `!ls`, `%system ls`
    Shell(&'a str),
    /// `x = !ls`
    Captured(&'a str, &'a str),
    /// `%time f()`
    Wrapping(&'a str),
    /// `%matplotlib inline`
    Other(&'a str),
}

fn magic(line: &str) -> Option<Magic<'_>> {
    let bare = line.trim();
    if let Some(command) = bare.strip_prefix('!') {
        return Some(Magic::Shell(command.trim_start_matches('!')));
    }
    if let Some((name, command)) = bare.split_once("= !").or_else(|| bare.split_once("=!"))
        && name.trim().chars().all(|letter| letter.is_alphanumeric() || letter == '_')
        && !command.starts_with('=')
    {
        return Some(Magic::Captured(name.trim(), command));
    }
    let rest = bare.strip_prefix('%')?;
    let word: &str = rest.split_whitespace().next()?;
    if !rest.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
        return None;
    }
    let behind = rest[word.len()..].trim();
    Some(match word {
        "pip" | "conda" | "mamba" => Magic::Shell(rest),
        "system" | "sx" => Magic::Shell(behind),
        "time" | "timeit" | "prun" if !behind.is_empty() => Magic::Wrapping(behind),
        _ => Magic::Other(bare),
    })
}

/// What Python is told in its place.
fn spoken(
    magic: &Magic<'_>,
    wishes: &mut Vec<actum_model::PackageWish>,
    dropped: &mut Vec<String>,
) -> String {
    match magic {
        Magic::Shell(command) => match installs::about(command) {
            installs::About::Installs(more) => {
                wishes.extend(more);
                "pass".to_owned()
            }
            installs::About::Prepares => "pass".to_owned(),
            installs::About::Work => {
                format!("__import__(\"subprocess\").run({}, shell=True)", quoted(command))
            }
        },
        Magic::Captured(name, command) => {
            format!("{name} = __import__(\"subprocess\").getoutput({}).splitlines()", quoted(command))
        }
        Magic::Wrapping(statement) => (*statement).to_owned(),
        Magic::Other(line) => {
            dropped.push((*line).to_owned());
            "pass".to_owned()
        }
    }
}

/// `df.head?`
fn is_help(line: &str) -> bool {
    let line = line.trim();
    (line.ends_with('?') || line.starts_with('?')) && !line.contains([' ', '"', '\'', '#'])
}

fn quoted(text: &str) -> String {
    format!("{text:?}")
}

/// A whole cell for something else: `%%bash`, `%%writefile a.py`.
fn cell(case: &mut Case<'_>, magic: &str) {
    let (word, behind) = magic.split_once(char::is_whitespace).unwrap_or((magic, ""));
    let rest: String = case
        .block
        .code
        .split_inclusive('\n')
        .skip_while(|line| !line.trim().starts_with("%%"))
        .skip(1)
        .collect();
    case.block.program = Some(rest);
    match word {
        "bash" | "sh" | "script" | "cmd" | "shell" => {
            case.block.language = "bash".to_owned();
            case.block.holds = Holds::Commands;
            installs::take_out(case);
        }
        "writefile" | "file" => write_file(case, behind),
        "time" | "timeit" | "capture" | "prun" => {
            case.block.warnings.push(format!("the notebook command %%{word} is skipped"));
        }
        other => {
            let other: String = other.chars().take(40).collect();
            case.skip(format!("it is a notebook cell for %%{other}, which is not supported"));
        }
    }
}

fn write_file(case: &mut Case<'_>, behind: &str) {
    let path = behind.split_whitespace().find(|word| !word.starts_with('-')).unwrap_or_default();
    match naming::any_path(path).filter(|path| naming::stays_inside(path)) {
        Some(path) => {
            case.settle(Disposition::File, format!("it writes {path}"));
            case.block.path = Some(path);
        }
        None => case.skip("it writes a file that is not in the workspace"),
    }
}

/// Whether a line stands within a string of several lines.
#[derive(Default)]
struct Strings {
    open: Option<&'static str>,
}

impl Strings {
    fn is_outside(&self) -> bool {
        self.open.is_none()
    }

    fn pass(&mut self, line: &str) {
        let mut rest = line;
        loop {
            let next = match self.open {
                Some(mark) => rest.find(mark).map(|at| (at, None)),
                None => first_mark(rest).map(|(at, mark)| (at, Some(mark))),
            };
            let Some((at, mark)) = next else { return };
            self.open = mark;
            rest = &rest[at + 3..];
        }
    }
}

/// The first mark of either kind, in one look: a look for each kind would read the rest of the line again behind every mark.
fn first_mark(text: &str) -> Option<(usize, &'static str)> {
    let at = text.as_bytes().windows(3).position(|three| matches!(three, b"\"\"\"" | b"'''"))?;
    Some((at, if text.as_bytes()[at] == b'"' { "\"\"\"" } else { "'''" }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    #[test]
    fn strings_of_several_lines() {
        for (lines, is_outside) in [
            (&["x = 1"][..], true),
            (&["x = '''"], false),
            (&["x = '''a'''"], true),
            (&["x = '''a\"\"\"", "'''"], true),
            (&["x = \"\"\"'''", "'''"], false),
            (&["'''''''''"], false),
            (&["x = '' + 'é' + \"\"\"é\"\"\""], true),
        ] {
            let mut strings = Strings::default();
            lines.iter().for_each(|line| strings.pass(line));
            assert_eq!(strings.is_outside(), is_outside, "{lines:?}");
        }
    }

    #[test]
    fn a_line_of_marks_is_read_once() {
        let line = "'''".repeat(300_000);
        let begun = Instant::now();
        Strings::default().pass(&line);
        assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    }
}
