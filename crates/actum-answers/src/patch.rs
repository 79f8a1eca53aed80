//! Changes of files as agents write them: unified diffs, and the patches of their own tools (`*** Begin Patch`).
//!
//! Numbers of lines in such diffs are often wrong, so a hunk is placed by what it says must be there; the number only decides
//! between two places. Pure: it takes the text of a file and gives the new one.

/// The changes of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileChange {
    pub path: String,
    pub kind: FileChangeKind,
    hunks: Vec<Hunk>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FileChangeKind {
    Create,
    Delete,
    #[default]
    Update,
}

/// Lines that belong together: what must be there, and what is there afterwards.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Hunk {
    /// The line that it begins at, counted from 1, where it says so.
    at: Option<usize>,
    lines: Vec<(Mark, String)>,
}

/// What becomes of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Stays,
    Goes,
    Comes,
}

impl Hunk {
    fn before(&self) -> Vec<&str> {
        self.without(Mark::Comes)
    }

    fn after(&self) -> Vec<&str> {
        self.without(Mark::Goes)
    }

    fn without(&self, mark: Mark) -> Vec<&str> {
        self.lines.iter().filter(|line| line.0 != mark).map(|line| line.1.as_str()).collect()
    }
}

/// A line of a file, and how it ends: files are written on more than one system, and some are written on several.
#[derive(Debug, Clone, Copy)]
struct Line<'t> {
    text: &'t str,
    end: &'t str,
}

impl<'t> Line<'t> {
    fn of(line: &'t str) -> Self {
        let text = line.strip_suffix('\n').map_or(line, |text| text.strip_suffix('\r').unwrap_or(text));
        Self { text, end: &line[text.len()..] }
    }
}

/// Why a patch cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatchError {
    #[error("the patch names no file")]
    NoFile,
    #[error("the patch contains no change")]
    NoChange,
    #[error("cannot change {path}: it does not exist")]
    Missing { path: String },
    #[error("cannot change {path}: hunk {hunk} does not fit")]
    NoPlace { path: String, hunk: usize },
}

/// Whether a text is a patch, by how it begins.
pub(crate) fn is_one(text: &str) -> bool {
    let mut lines = text.lines().take(20).peekable();
    while let Some(line) = lines.next() {
        let is_pair = line.starts_with("--- ") && lines.peek().is_some_and(|next| next.starts_with("+++ "));
        if is_pair || line.starts_with("diff --git ") || line == "*** Begin Patch" {
            return true;
        }
    }
    false
}

/// The changes that a patch makes, one for each file.
pub fn changes_of(text: &str) -> Result<Vec<FileChange>, PatchError> {
    let mut reading = Reading::default();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let next = lines.peek().copied().unwrap_or_default();
        reading.line(line, next);
    }
    reading.finish()
}

/// The text of a file after a change; none where it is deleted.
pub fn changed(change: &FileChange, old: Option<&str>) -> Result<Option<String>, PatchError> {
    match (change.kind, old) {
        (FileChangeKind::Delete, _) => Ok(None),
        (FileChangeKind::Create, None) => {
            let new = change.hunks.iter().flat_map(Hunk::after);
            Ok(Some(new.flat_map(|line| [line, "\n"]).collect()))
        }
        (FileChangeKind::Update, None) => Err(PatchError::Missing { path: change.path.clone() }),
        (FileChangeKind::Create | FileChangeKind::Update, Some(old)) => updated(change, old).map(Some),
    }
}

fn updated(change: &FileChange, old: &str) -> Result<String, PatchError> {
    let mut lines: Vec<Line<'_>> = old.split_inclusive('\n').map(Line::of).collect();
    // How far lines have moved by the hunks before.
    let mut moved: isize = 0;
    for (number, hunk) in change.hunks.iter().enumerate() {
        let near = hunk.at.map(|at| (at.saturating_sub(1)).saturating_add_signed(moved));
        let length = hunk.before().len();
        let place = place(&lines, &hunk.before(), near);
        let at = place.ok_or_else(|| PatchError::NoPlace { path: change.path.clone(), hunk: number + 1 })?;
        let new = put(hunk, &lines, at);
        moved += new.len() as isize - length as isize;
        lines.splice(at..at + length, new);
    }
    let is_ended = old.is_empty() || old.ends_with('\n');
    Ok(joined(&lines, is_ended))
}

/// The lines that stand there afterwards. What stays is the file's own; what comes ends as the line that it follows.
fn put<'t>(hunk: &'t Hunk, lines: &[Line<'t>], at: usize) -> Vec<Line<'t>> {
    let mut there = lines[at..].iter();
    let before = at.checked_sub(1).and_then(|before| lines.get(before));
    let mut end = before.or_else(|| lines.get(at)).map_or("", |line| line.end);
    let mut new = Vec::new();
    for (mark, text) in &hunk.lines {
        let own = if *mark == Mark::Comes { None } else { there.next() };
        end = own.map_or(end, |line| line.end);
        match (mark, own) {
            (Mark::Goes, _) => {}
            (Mark::Stays, Some(own)) => new.push(*own),
            (Mark::Stays | Mark::Comes, _) => new.push(Line { text, end }),
        }
    }
    new
}

/// The text of lines. Only the last may be without an end, and is where the file's last was before.
fn joined(lines: &[Line<'_>], is_ended: bool) -> String {
    let usual = lines.iter().map(|line| line.end).find(|end| !end.is_empty()).unwrap_or("\n");
    let mut text = String::new();
    for (line, left) in lines.iter().zip((0..lines.len()).rev()) {
        text.push_str(line.text);
        match (left, line.end) {
            (0, _) if !is_ended => {}
            (_, "") => text.push_str(usual),
            (_, end) => text.push_str(end),
        }
    }
    text
}

/// Where the old lines stand: near the number where there are several places, nowhere where there are several and no number.
fn place(lines: &[Line<'_>], old: &[&str], near: Option<usize>) -> Option<usize> {
    if old.is_empty() {
        return Some(near.unwrap_or(lines.len()).min(lines.len()));
    }
    let fits = |same: &dyn Fn(&str, &str) -> bool| -> Vec<usize> {
        let windows = lines.windows(old.len()).enumerate();
        windows
            .filter(|(_, window)| window.iter().zip(old).all(|(one, other)| same(one.text, other)))
            .map(|(at, _)| at)
            .collect()
    };
    let exactly = fits(&|one, other| one == other);
    let places =
        if exactly.is_empty() { fits(&|one, other| one.trim_end() == other.trim_end()) } else { exactly };
    match (places.as_slice(), near) {
        ([only], _) => Some(*only),
        (several, Some(near)) => several.iter().copied().min_by_key(|at| at.abs_diff(near)),
        (_, None) => None,
    }
}

#[derive(Default)]
struct Reading {
    changes: Vec<FileChange>,
    open: Option<FileChange>,
    old_name: Option<String>,
    is_in_hunk: bool,
}

impl Reading {
    fn line(&mut self, line: &str, next: &str) {
        if let Some(rest) = line.strip_prefix("*** ") {
            return self.directive(rest);
        }
        match () {
            () if line.starts_with("diff --git ") => self.close(),
            () if line.starts_with("--- ") && next.starts_with("+++ ") => {
                self.close();
                self.old_name = Some(file_name(&line[4..]));
            }
            () if line.starts_with("+++ ") && self.old_name.is_some() => self.begin(&file_name(&line[4..])),
            () if line.starts_with("@@") => self.hunk(line),
            () if line.starts_with('\\') => {}
            () if self.is_in_hunk => self.change(line),
            () => {}
        }
    }

    fn directive(&mut self, rest: &str) {
        let kinds = [
            ("Add File: ", FileChangeKind::Create),
            ("Update File: ", FileChangeKind::Update),
            ("Delete File: ", FileChangeKind::Delete),
        ];
        let Some((name, kind)) =
            kinds.iter().find_map(|(word, kind)| Some((rest.strip_prefix(word)?, *kind)))
        else {
            if rest.starts_with("End Patch") {
                self.close();
            }
            return;
        };
        self.close();
        self.open = Some(FileChange { path: name.trim().to_owned(), kind, hunks: vec![Hunk::default()] });
        self.is_in_hunk = kind == FileChangeKind::Create;
    }

    fn begin(&mut self, new: &str) {
        let old = self.old_name.take().unwrap_or_default();
        let (path, kind) = match (old.as_str(), new) {
            ("/dev/null", new) => (new, FileChangeKind::Create),
            (old, "/dev/null") => (old, FileChangeKind::Delete),
            (_, new) => (new, FileChangeKind::Update),
        };
        self.open = Some(FileChange { path: path.to_owned(), kind, hunks: Vec::new() });
    }

    fn hunk(&mut self, line: &str) {
        let number = line
            .split_once('-')
            .map(|(_, rest)| rest.chars().take_while(char::is_ascii_digit).collect::<String>());
        let at = number.and_then(|number| number.parse().ok());
        if let Some(open) = &mut self.open {
            open.hunks.push(Hunk { at, ..Hunk::default() });
            self.is_in_hunk = true;
        }
    }

    fn change(&mut self, line: &str) {
        let Some(hunk) = self.open.as_mut().and_then(|open| open.hunks.last_mut()) else { return };
        let (mark, text) = match line.as_bytes().first() {
            Some(b'+') => (Mark::Comes, &line[1..]),
            Some(b'-') => (Mark::Goes, &line[1..]),
            Some(b' ') | None => (Mark::Stays, line.get(1..).unwrap_or_default()),
            // Some leave the space of a context line out.
            Some(_) => (Mark::Stays, line),
        };
        hunk.lines.push((mark, text.to_owned()));
    }

    fn close(&mut self) {
        self.is_in_hunk = false;
        self.old_name = None;
        if let Some(mut open) = self.open.take() {
            open.hunks.retain(|hunk| hunk.before() != hunk.after());
            self.changes.push(open);
        }
    }

    fn finish(mut self) -> Result<Vec<FileChange>, PatchError> {
        self.close();
        match self.changes.as_slice() {
            [] => Err(PatchError::NoFile),
            changes
                if changes
                    .iter()
                    .all(|change| change.hunks.is_empty() && change.kind == FileChangeKind::Update) =>
            {
                Err(PatchError::NoChange)
            }
            [..] => Ok(self.changes),
        }
    }
}

/// The name behind `---` or `+++`, without the letter that git puts before it and the time that diff puts behind.
fn file_name(rest: &str) -> String {
    let name = rest.split('\t').next().unwrap_or(rest).trim();
    let name = name.strip_prefix("a/").or_else(|| name.strip_prefix("b/")).unwrap_or(name);
    name.strip_prefix("./").unwrap_or(name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn applied(patch: &str, old: &str) -> Result<Option<String>, PatchError> {
        changed(&changes_of(patch).unwrap()[0], Some(old))
    }

    const PATCH: &str = "--- a/x.py\n+++ b/x.py\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n";

    #[test]
    fn hunks_are_placed_by_what_they_say() {
        assert_eq!(applied(PATCH, "a\nb\nc\n").unwrap().unwrap(), "a\nB\nc\n");
        // The number is wrong.
        assert_eq!(applied(PATCH, "0\n1\na\nb\nc").unwrap().unwrap(), "0\n1\na\nB\nc");
        assert_eq!(applied(PATCH, "x\n"), Err(PatchError::NoPlace { path: "x.py".to_owned(), hunk: 1 }));
        assert_eq!(
            applied("--- x\n+++ x\n@@\n-a\n+b\n", "a\na\n").unwrap_err(),
            PatchError::NoPlace { path: "x".to_owned(), hunk: 1 }
        );
        assert_eq!(
            changed(&changes_of(PATCH).unwrap()[0], None).unwrap_err(),
            PatchError::Missing { path: "x.py".to_owned() }
        );
    }

    #[test]
    fn lines_keep_their_ends() {
        // Of Windows; what comes ends as its neighbours do.
        assert_eq!(applied(PATCH, "a\r\nb\r\nc\r\n").unwrap().unwrap(), "a\r\nB\r\nc\r\n");
        assert_eq!(applied(PATCH, "a\r\nb\r\nc").unwrap().unwrap(), "a\r\nB\r\nc");
        // Of several systems: each keeps its own.
        assert_eq!(applied(PATCH, "a\nb\r\nc\nd\r\n").unwrap().unwrap(), "a\nB\r\nc\nd\r\n");
        let more = "--- a/x\n+++ b/x\n@@ -1,2 +1,4 @@\n+0\n a\n b\n+c\n";
        assert_eq!(applied(more, "a\r\nb\r\n").unwrap().unwrap(), "0\r\na\r\nb\r\nc\r\n");
        assert_eq!(applied(more, "a\nb\r\n").unwrap().unwrap(), "0\na\nb\r\nc\r\n");
        assert_eq!(applied(more, "a\r\nb").unwrap().unwrap(), "0\r\na\r\nb\r\nc");
        // A patch that was written on Windows itself changes nothing about the file's own.
        let theirs = PATCH.replace('\n', "\r\n");
        assert_eq!(applied(&theirs, "a\nb\nc\n").unwrap().unwrap(), "a\nB\nc\n");
        // Blanks at the end of a line that stays are the file's.
        assert_eq!(applied(PATCH, "a \nb\nc\n").unwrap().unwrap(), "a \nB\nc\n");
    }

    #[test]
    fn files_are_made_and_deleted() {
        let made = changes_of(
            "diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+a\n+b\n",
        )
        .unwrap();
        assert_eq!((made[0].path.as_str(), made[0].kind), ("n", FileChangeKind::Create));
        assert_eq!(changed(&made[0], None).unwrap().unwrap(), "a\nb\n");
        let gone = changes_of("--- a/n\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n").unwrap();
        assert_eq!(changed(&gone[0], Some("a\n")).unwrap(), None);
    }

    #[test]
    fn patches_of_agents_tools() {
        let text = "*** Begin Patch\n*** Add File: a.py\n+x\n*** Update File: b.py\n@@ def f():\n-1\n+2\n*** Delete File: c.py\n*** End Patch\n";
        let changes = changes_of(text).unwrap();
        let told: Vec<(&str, FileChangeKind)> =
            changes.iter().map(|change| (change.path.as_str(), change.kind)).collect();
        assert_eq!(
            told,
            [
                ("a.py", FileChangeKind::Create),
                ("b.py", FileChangeKind::Update),
                ("c.py", FileChangeKind::Delete)
            ]
        );
        assert_eq!(changed(&changes[1], Some("0\n1\n")).unwrap().unwrap(), "0\n2\n");
    }

    #[test]
    fn what_is_no_patch() {
        assert_eq!(changes_of("- a\n+ b\n").unwrap_err(), PatchError::NoFile);
        assert_eq!(changes_of("--- a\n+++ b\n").unwrap_err(), PatchError::NoChange);
        assert!(is_one(PATCH) && !is_one("--- a\ntext\n"));
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "([-+@ *a\n]|--- a\n|\\+\\+\\+ b\n|@@ -1 \\+1 @@\n){0,60}", old in "[a \n]{0,20}") {
            for change in changes_of(&text).unwrap_or_default() {
                let _ = changed(&change, Some(&old));
            }
        }
    }
}
