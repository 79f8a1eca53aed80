//! Python's exceptions in a text: tracebacks with their chains and groups, syntax errors, and what test runners print.
//!
//! Of a chain the last exception ended the program; those before it are kept as its causes. Where tests ran every
//! failing one tells its own, so that the most fundamental can be chosen later.

use crate::analyse::{Asked, Lines};
use actum_model::{Frame, Stream, Whose};

const TRACEBACK: &str = "Traceback (most recent call last):";
const CAUSED: &str = "The above exception was the direct cause of the following exception:";
const MEANWHILE: &str = "During handling of the above exception, another exception occurred:";
/// 40: longer messages repeat themselves.
const MESSAGE_LINES: usize = 40;
/// 4 KiB of a message.
const MESSAGE_BYTES: usize = 4096;
/// 12 exceptions from either end, each with its causes: more are a loop.
const MOST: usize = 12;

/// One exception.
#[derive(Clone, Debug, Default)]
pub(super) struct Raised {
    /// Without its module: `JSONDecodeError`.
    pub(super) kind: String,
    /// `Kind: message` and the lines of the message below it, each with its number in the stream.
    pub(super) said: Vec<(u64, String)>,
    pub(super) stream: Option<Stream>,
    /// The line of source that is shown for the innermost frame of the user's own, or for the syntax error.
    pub(super) source: String,
    pub(super) own: Option<Frame>,
    pub(super) innermost: Option<Frame>,
    pub(super) raised_in: Option<Whose>,
    /// What led to it, nearest first.
    pub(super) causes: Vec<Cause>,
    /// Python told of it and went on: in a destructor, or at the end.
    is_ignored: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Cause {
    pub(super) raised: Raised,
    pub(super) link: Link,
}

/// How an exception led to the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Link {
    /// The program says that it did.
    Caused,
    /// It was being handled when the next one came.
    Meanwhile,
}

/// The exceptions that tell why the program failed.
pub(super) fn decisive(asked: &Asked<'_>, streams: &[Lines; 2]) -> Vec<Raised> {
    let by_tests = streams.iter().any(|lines| (0..lines.len()).any(|index| is_of_tests(lines.at(index))));
    let mut all = Vec::new();
    for lines in streams {
        let found = Reader { asked, lines }.all();
        if by_tests {
            all.extend(found);
            continue;
        }
        let last = found.iter().rposition(|raised| !raised.is_ignored).or(found.len().checked_sub(1));
        if let Some(last) = last {
            return members(found, last);
        }
    }
    all
}

/// A group is told as its members; anything else stands alone.
fn members(mut found: Vec<Raised>, last: usize) -> Vec<Raised> {
    let chosen = found.swap_remove(last);
    if !chosen.kind.ends_with("ExceptionGroup") || chosen.causes.is_empty() {
        return vec![chosen];
    }
    chosen.causes.into_iter().map(|cause| cause.raised).collect()
}

fn is_of_tests(line: &str) -> bool {
    let counted =
        line.strip_prefix("Ran ").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    (counted && line.contains(" test"))
        || line.contains("= short test summary info =")
        || line.contains("= FAILURES =")
}

struct Reader<'a> {
    asked: &'a Asked<'a>,
    lines: &'a Lines,
}

impl Reader<'_> {
    fn all(&self) -> Vec<Raised> {
        let mut found: Vec<Raised> = Vec::new();
        let mut link = None;
        let mut at = 0;
        while at < self.lines.len() {
            let line = self.lines.at(at);
            link = match line {
                CAUSED => Some(Link::Caused),
                MEANWHILE => Some(Link::Meanwhile),
                _ => link,
            };
            let Some((raised, next)) = self.look(at) else {
                at += 1;
                continue;
            };
            at = next.max(at + 1);
            push(&mut found, raised, link.take());
            // The first ones and the last ones say most.
            if found.len() > 2 * MOST {
                found.remove(MOST);
            }
        }
        found
    }

    fn look(&self, at: usize) -> Option<(Raised, usize)> {
        let line = self.lines.at(at);
        if line.trim_start().starts_with("+ Exception Group Traceback") {
            return self.group(at);
        }
        if line.ends_with(TRACEBACK) {
            let is_ignored = at > 0 && self.lines.at(at - 1).starts_with("Exception ignored in");
            return self.traceback(at + 1).map(|(raised, next)| (Raised { is_ignored, ..raised }, next));
        }
        self.syntax_error(at).or_else(|| self.of_pytest(at))
    }

    /// Frames, then the exception: the first line that is not indented.
    fn traceback(&self, from: usize) -> Option<(Raised, usize)> {
        let mut raised = Raised::default();
        let mut at = from;
        while at < self.lines.len() && self.lines.at(at).starts_with(' ') {
            if let Some(frame) = file_line(self.lines.at(at)) {
                self.deeper(&mut raised, frame, self.lines.at(at + 1));
            }
            at += 1;
        }
        self.exception(raised, at)
    }

    fn deeper(&self, raised: &mut Raised, frame: Frame, source: &str) {
        let is_own = self.asked.owns(&frame.file);
        let shown = if source.starts_with("    ") { source.trim() } else { "" };
        // A syntax error of a string that is evaluated has its own line of source.
        if is_own || frame.function.is_none() {
            raised.source = shown.to_owned();
        }
        if is_own {
            raised.own = Some(frame.clone());
        }
        raised.raised_in = Some(whose(self.asked, &frame.file));
        raised.innermost = Some(frame);
    }

    fn exception(&self, mut raised: Raised, at: usize) -> Option<(Raised, usize)> {
        raised.kind = kind(self.lines.at(at))?.to_owned();
        raised.stream = Some(self.lines.stream);
        let end = (at + 1..self.lines.len().min(at + MESSAGE_LINES)).find(|index| self.ends_message(*index));
        let end = end.unwrap_or(self.lines.len().min(at + MESSAGE_LINES));
        let mut bytes = 0;
        for index in at..end {
            let line = self.lines.at(index);
            bytes += line.len();
            if bytes > MESSAGE_BYTES && index > at {
                break;
            }
            raised.said.push((self.lines.number(index), line.to_owned()));
        }
        Some((raised, end))
    }

    /// Whether something else begins here.
    fn ends_message(&self, index: usize) -> bool {
        let line = self.lines.at(index);
        line == CAUSED
            || line == MEANWHILE
            || line.ends_with(TRACEBACK)
            || line.starts_with("======")
            || line.starts_with("------")
            || line.starts_with("Exception ignored in")
            || line.starts_with("sys:1: ")
    }

    /// `  File "x.py", line 1`, the source, the caret, `SyntaxError: …`: printed without a traceback.
    fn syntax_error(&self, at: usize) -> Option<(Raised, usize)> {
        let frame = file_line(self.lines.at(at)).filter(|frame| frame.function.is_none())?;
        let is_syntax = |index: &usize| {
            let line = self.lines.at(*index);
            ["SyntaxError", "IndentationError", "TabError"].iter().any(|kind| line.starts_with(kind))
        };
        let end = (at + 1..at + 5).find(is_syntax)?;
        let mut raised = Raised::default();
        self.deeper(&mut raised, frame, self.lines.at(at + 1));
        self.exception(raised, end)
    }

    /// A group of exceptions: its members are what led to it.
    fn group(&self, at: usize) -> Option<(Raised, usize)> {
        let is_inside = |index: &usize| self.lines.at(*index).trim_start().starts_with(['|', '+']);
        let end = (at + 1..self.lines.len()).find(|index| !is_inside(index)).unwrap_or(self.lines.len());
        let mut told = Vec::new();
        let mut raised = Raised::default();
        for index in at + 1..end {
            let Some(inside) = self.lines.at(index).trim_start().strip_prefix('|') else { continue };
            let inside = inside.strip_prefix(' ').unwrap_or(inside);
            if let Some(frame) = file_line(inside) {
                self.deeper(&mut raised, frame, "");
            } else if let Some(kind) = kind(inside) {
                raised.kind = kind.to_owned();
                raised.stream = Some(self.lines.stream);
                raised.said = vec![(self.lines.number(index), inside.to_owned())];
                told.push(std::mem::take(&mut raised));
            }
        }
        let mut told = told.into_iter();
        let mut group = told.next()?;
        group.causes = told.take(16).map(|raised| Cause { raised, link: Link::Caused }).collect();
        Some((group, end))
    }

    /// `E   ModuleNotFoundError: …` of pytest. An assertion is told without its kind.
    fn of_pytest(&self, at: usize) -> Option<(Raised, usize)> {
        let said = |index: usize| self.lines.at(index).strip_prefix("E  ").map(str::trim);
        let first = said(at)?;
        let end = (at + 1..self.lines.len().min(at + MESSAGE_LINES)).find(|index| said(*index).is_none());
        let end = end.unwrap_or(at + 1);
        let is_kind = |kind: &&str| {
            ["Error", "Exception", "Exit", "Interrupt", "Warning"].iter().any(|end| kind.ends_with(end))
        };
        let kind = kind(first).filter(is_kind);
        let line = if kind.is_some() { first.to_owned() } else { format!("AssertionError: {first}") };
        let mut raised = Raised { kind: kind.unwrap_or("AssertionError").to_owned(), ..Raised::default() };
        raised.stream = Some(self.lines.stream);
        raised.said = vec![(self.lines.number(at), line)];
        raised.said.extend(
            (at + 1..end).filter_map(|index| Some((self.lines.number(index), said(index)?.to_owned()))),
        );
        if let Some(frame) = (at.saturating_sub(6)..at)
            .rev()
            .chain(end..end + 3)
            .find_map(|index| pytest_place(self.lines.at(index)))
        {
            self.deeper(&mut raised, frame, "");
        }
        Some((raised, end))
    }
}

/// A chained exception takes the one before it as its cause.
fn push(found: &mut Vec<Raised>, mut raised: Raised, link: Option<Link>) {
    if let (Some(link), Some(mut before)) = (link, found.pop_if(|_| link.is_some())) {
        raised.causes.extend([Cause { raised: Raised { causes: Vec::new(), ..before.clone() }, link }]);
        raised.causes.append(&mut before.causes);
        // The nearest say most; a chain in a loop may have thousands.
        raised.causes.truncate(16);
    }
    found.push(raised);
}

/// `  File "x.py", line 3, in load`.
fn file_line(line: &str) -> Option<Frame> {
    let rest = line.trim_start().strip_prefix("File \"")?;
    let (file, rest) = rest.split_once("\", line ")?;
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let number = rest[..digits].parse().ok()?;
    let function = rest[digits..].strip_prefix(", in ").map(|name| name.trim().to_owned());
    Some(Frame { function, file: file.to_owned(), line: Some(number), column: None })
}

/// `test_main.py:4: ModuleNotFoundError` and `test_main.py:1: in <module>`.
fn pytest_place(line: &str) -> Option<Frame> {
    let (file, rest) = line.split_once(".py:")?;
    let (number, rest) = rest.split_once(": ")?;
    let function = rest.strip_prefix("in ").map(str::to_owned);
    if file.contains(' ') {
        return None;
    }
    Some(Frame { function, file: format!("{file}.py"), line: Some(number.parse().ok()?), column: None })
}

/// The kind in `package.module.Kind: message`, without its module.
fn kind(line: &str) -> Option<&str> {
    let end = line.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.')).unwrap_or(line.len());
    let (name, rest) = line.split_at(end);
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && !name.ends_with('.');
    let is_ended = rest.trim().is_empty() || rest.starts_with(": ") || rest == ":";
    (is_name && is_ended).then(|| name.rsplit('.').next().unwrap_or(name))
}

fn whose(asked: &Asked<'_>, file: &str) -> Whose {
    // What was compiled names its source as it lay where the package was built: `pandas/_libs/tslibs/offsets.pyx`.
    if file.ends_with(".pyx") && file.contains('/') {
        return Whose::Package;
    }
    if asked.owns(file) {
        return Whose::Own;
    }
    let is_package = ["/site-packages/", "/dist-packages/"].iter().any(|folder| file.contains(folder));
    if is_package { Whose::Package } else { Whose::System }
}
