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
    old: Vec<String>,
    new: Vec<String>,
}

/// Why a patch cannot be used. Read after "failed to".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatchError {
    #[error("find the name of a file in it")]
    NoFile,
    #[error("find a change in it")]
    NoChange,
    #[error("change {path}: it is not there")]
    Missing { path: String },
    #[error("change {path}: hunk {hunk} does not fit")]
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
            let new: Vec<&String> = change.hunks.iter().flat_map(|hunk| &hunk.new).collect();
            Ok(Some(new.into_iter().flat_map(|line| [line.as_str(), "\n"]).collect()))
        }
        (FileChangeKind::Update, None) => Err(PatchError::Missing { path: change.path.clone() }),
        (FileChangeKind::Create | FileChangeKind::Update, Some(old)) => updated(change, old).map(Some),
    }
}

fn updated(change: &FileChange, old: &str) -> Result<String, PatchError> {
    let mut lines: Vec<String> = old.lines().map(str::to_owned).collect();
    // How far lines have moved by the hunks before.
    let mut moved: isize = 0;
    for (number, hunk) in change.hunks.iter().enumerate() {
        let near = hunk.at.map(|at| (at.saturating_sub(1)).saturating_add_signed(moved));
        let place = place(&lines, &hunk.old, near);
        let at = place.ok_or_else(|| PatchError::NoPlace { path: change.path.clone(), hunk: number + 1 })?;
        lines.splice(at..at + hunk.old.len(), hunk.new.iter().cloned());
        moved += hunk.new.len() as isize - hunk.old.len() as isize;
    }
    let mut text: String = lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
    if !old.is_empty() && !old.ends_with('\n') {
        text.pop();
    }
    Ok(text)
}

/// Where the old lines stand: near the number where there are several places, nowhere where there are several and no number.
fn place(lines: &[String], old: &[String], near: Option<usize>) -> Option<usize> {
    if old.is_empty() {
        return Some(near.unwrap_or(lines.len()).min(lines.len()));
    }
    let fits = |same: &dyn Fn(&String, &String) -> bool| -> Vec<usize> {
        let windows = lines.windows(old.len()).enumerate();
        windows
            .filter(|(_, window)| window.iter().zip(old).all(|(one, other)| same(one, other)))
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
        match line.as_bytes().first() {
            Some(b'+') => hunk.new.push(line[1..].to_owned()),
            Some(b'-') => hunk.old.push(line[1..].to_owned()),
            Some(b' ') | None => {
                let line = line.get(1..).unwrap_or_default();
                hunk.old.push(line.to_owned());
                hunk.new.push(line.to_owned());
            }
            // Some leave the space of a context line out.
            Some(_) => {
                hunk.old.push(line.to_owned());
                hunk.new.push(line.to_owned());
            }
        }
    }

    fn close(&mut self) {
        self.is_in_hunk = false;
        self.old_name = None;
        if let Some(mut open) = self.open.take() {
            open.hunks.retain(|hunk| hunk.old != hunk.new);
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
