//! What a look finds, before anybody has judged it.

use actum_model::{OperationKind, Seen, path_text};
use std::cell::Cell;
use std::collections::HashMap;

/// One operation in the code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub kind: OperationKind,
    /// The words of the code, neutralised and bounded.
    pub what: String,
    /// The line of the source, from 1.
    pub line: u32,
    pub weight: Weight,
    pub reach: Reach,
}

/// How far an operation of its kind goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Weight {
    /// A file, a row, a request.
    Plain,
    /// Recursive, forced, all rows, or a whole table.
    Grave,
}

/// What an operation is done to, as far as the words tell.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Reach {
    /// Named in a way that is only known when it runs, or not at all.
    Unknown,
    /// A relative path, and nothing before left the folder where the program started.
    Workspace,
    /// A temporary folder of the run.
    Temporary,
    /// This absolute path.
    Path(String),
    /// Something below the home folder.
    Home,
    /// The database that the request names.
    Database,
    /// A database server, named by a client that speaks to one.
    Server,
}

/// What was found in a program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Inspection {
    pub found: Vec<Found>,
    /// Operations beyond those that are kept: of a kind, weight and reach that is kept often enough.
    pub beyond: u64,
    pub seen: Seen,
}

impl Inspection {
    /// What two texts hold together.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.found.extend(other.found);
        self.beyond += other.beyond;
        self.seen = match (self.seen, other.seen) {
            (Seen::Whole, Seen::Whole) => Seen::Whole,
            (Seen::Nothing, _) | (_, Seen::Nothing) => Seen::Nothing,
            (Seen::Beginning, _) | (_, Seen::Beginning) => Seen::Beginning,
        };
        self
    }
}

/// 32: a reader has understood by then, and a generated program with a million deletions costs no memory.
const KEPT_OF_A_KIND: u32 = 32;

/// Longest words of the code that are shown, in characters.
const LONGEST_SHOWN: usize = 96;

/// Collects in bounded memory.
#[derive(Debug, Default)]
pub(super) struct Findings {
    found: Vec<Found>,
    counts: HashMap<(OperationKind, Weight, Reach), u32>,
    beyond: u64,
    left_the_folder: bool,
    handed_over: Cell<usize>,
    is_cut: Cell<bool>,
}

impl Findings {
    /// Whether so many signs of a literal are still handed to a call, where `most` are in all. That one was not is told.
    pub(super) fn hand_over(&self, signs: usize, most: usize) -> bool {
        let sum = self.handed_over.get().saturating_add(signs);
        let is_little = sum <= most;
        self.handed_over.set(if is_little { sum } else { self.handed_over.get() });
        self.is_cut.set(self.is_cut.get() || !is_little);
        is_little
    }

    pub(super) fn add(&mut self, one: Found) {
        let count = self.counts.entry((one.kind, one.weight, one.reach.clone())).or_default();
        *count += 1;
        if *count > KEPT_OF_A_KIND {
            self.beyond += 1;
        } else {
            self.found.push(one);
        }
    }

    /// From here on a relative path may be anywhere.
    pub(super) fn leave_the_folder(&mut self) {
        self.left_the_folder = true;
    }

    pub(super) fn finish(mut self, seen: Seen) -> Inspection {
        if self.left_the_folder {
            let relative = self.found.iter_mut().filter(|one| one.reach == Reach::Workspace);
            relative.for_each(|one| one.reach = Reach::Unknown);
        }
        let seen = if self.is_cut.get() { Seen::Beginning } else { seen };
        Inspection { found: self.found, beyond: self.beyond, seen }
    }
}

impl Reach {
    /// What a literal path leads to. `~` and `$HOME` in front are the home folder.
    pub(super) fn of_path(path: &str) -> Reach {
        let home = ["~", "$HOME", "${HOME}"]
            .iter()
            .any(|home| path.strip_prefix(home).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')));
        let climbs = path.split('/').any(|part| part == "..");
        match path {
            _ if home => Reach::Home,
            "" => Reach::Unknown,
            _ if climbs => Reach::Unknown,
            _ if ["/tmp", "/dev/shm", "$TMPDIR", "${TMPDIR}"].iter().any(|own| is_below(path, own)) => {
                Reach::Temporary
            }
            _ if path.starts_with('/') => Reach::Path(path.to_owned()),
            _ if path.starts_with(['$', '`']) => Reach::Unknown,
            _ => Reach::Workspace,
        }
    }

    /// Of several targets the one that reaches farthest.
    pub(super) fn farthest(reaches: impl Iterator<Item = Reach>) -> Reach {
        reaches.max_by_key(Reach::number).unwrap_or(Reach::Unknown)
    }

    fn number(&self) -> u8 {
        match self {
            Reach::Temporary => 0,
            Reach::Workspace => 1,
            Reach::Unknown => 2,
            Reach::Home => 3,
            Reach::Path(_) => 4,
            Reach::Database => 5,
            Reach::Server => 6,
        }
    }
}

fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The words of the code as they are shown: one line, harmless, bounded.
pub(super) fn shown(words: &str) -> String {
    // A prefix first: what is shown may be the rest of a long program, and looking for its words would read all of it.
    let words = &words[..words.floor_char_boundary(8 * LONGEST_SHOWN)];
    let mut text = String::new();
    let mut length = 0;
    for word in words.split_whitespace() {
        if length > 0 {
            text.push(' ');
            length += 1;
        }
        for c in word.chars() {
            if length == LONGEST_SHOWN {
                text.push('…');
                return text;
            }
            push_shown(&mut text, c);
            length += 1;
        }
    }
    text
}

/// The backslash stays as it is: what is shown is code, and nobody reads it back.
fn push_shown(text: &mut String, c: char) {
    if matches!(c, ' '..='~') {
        text.push(c);
    } else {
        text.push_str(&path_text(c.encode_utf8(&mut [0; 4]).as_bytes()));
    }
}
