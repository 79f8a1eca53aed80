//! A command with holes: `cc -o {output} {file}`. Built-in languages and those of `actum.toml` are written in it.
//!
//! A hole that is a whole word may be filled with any number of words; inside a word it stands for exactly one. Pure.

use serde::Serialize;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// What can be left open in a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hole {
    /// The source file, as the program sees it.
    File,
    /// The folder of the source file.
    Folder,
    /// The arguments of the program.
    Args,
    /// What the compiler makes.
    Output,
    /// Where the compiler writes which files it read.
    Reads,
    /// A folder that the compiler may keep things in from one run to the next.
    Cache,
    /// The Java class that has the main method.
    Class,
    /// Where Java's packages begin.
    Root,
    /// The command that runs our own SQLite, with the database.
    Sqlite,
    /// Filled with no word where a PostgreSQL server is named: its address travels in variables.
    Postgres,
    /// The database file, in what is shown.
    Database,
    /// The code itself, in what is shown.
    Code,
}

const HOLES: [(&str, Hole); 12] = [
    ("{file}", Hole::File),
    ("{folder}", Hole::Folder),
    ("{args}", Hole::Args),
    ("{output}", Hole::Output),
    ("{reads}", Hole::Reads),
    ("{cache}", Hole::Cache),
    ("{class}", Hole::Class),
    ("{root}", Hole::Root),
    ("{sqlite}", Hole::Sqlite),
    ("{postgres}", Hole::Postgres),
    ("{database}", Hole::Database),
    ("{code}", Hole::Code),
];

impl fmt::Display for Hole {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let written = HOLES.iter().find(|(_, hole)| hole == self).map_or("", |(text, _)| text);
        out.write_str(written)
    }
}

/// What the holes are filled with.
pub type Filling = BTreeMap<Hole, Vec<OsString>>;

/// Words, some of them holes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Template(Vec<String>);

impl Template {
    /// From words that hold no spaces.
    pub fn words(text: &str) -> Self {
        Self(text.split_whitespace().map(str::to_owned).collect())
    }

    /// From words as they are.
    pub fn list<S: Into<String>>(words: impl IntoIterator<Item = S>) -> Self {
        Self(words.into_iter().map(Into::into).collect())
    }

    /// The command that has to be on the machine; none where a hole brings it.
    pub fn command(&self) -> Option<&str> {
        self.0.first().map(String::as_str).filter(|word| hole(word).is_none() && !word.contains("{output}"))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn uses(&self, wanted: Hole) -> bool {
        self.holes().contains(&wanted)
    }

    /// The holes in it, in the order of the table.
    pub fn holes(&self) -> Vec<Hole> {
        let used = HOLES.iter().filter(|(text, _)| self.0.iter().any(|word| word.contains(text)));
        used.map(|(_, hole)| *hole).collect()
    }

    /// A word in braces that is no hole: a slip of whoever wrote it.
    pub fn unknown_hole(&self) -> Option<&str> {
        let braced = |word: &&String| word.starts_with('{') && word.ends_with('}') && word.len() > 2;
        self.0.iter().filter(braced).find(|word| hole(word).is_none()).map(String::as_str)
    }

    /// The words with every hole filled that has a filling. The others stay as they are written.
    pub fn fill(&self, filling: &Filling) -> Vec<OsString> {
        let mut all = Vec::with_capacity(self.0.len());
        for word in &self.0 {
            match hole(word).and_then(|hole| filling.get(&hole)) {
                Some(words) => all.extend(words.iter().cloned()),
                None => all.push(fill_word(word, filling)),
            }
        }
        all
    }
}

/// The hole that a whole word is.
fn hole(word: &str) -> Option<Hole> {
    HOLES.iter().find(|(text, _)| *text == word).map(|(_, hole)| *hole)
}

fn fill_word(word: &str, filling: &Filling) -> OsString {
    let mut rest = word;
    let mut made = Vec::with_capacity(word.len());
    while let Some(at) = rest.find('{') {
        made.extend_from_slice(&rest.as_bytes()[..at]);
        rest = &rest[at..];
        let found = HOLES.iter().find(|(text, _)| rest.starts_with(text));
        let filled = found.and_then(|(text, hole)| Some((text.len(), filling.get(hole)?.first()?)));
        let (length, bytes) =
            filled.map_or((1, OsStr::new("{").as_bytes()), |(n, word)| (n, word.as_bytes()));
        made.extend_from_slice(bytes);
        rest = &rest[length..];
    }
    made.extend_from_slice(rest.as_bytes());
    OsString::from_vec(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filling(pairs: &[(Hole, &[&str])]) -> Filling {
        pairs.iter().map(|(hole, words)| (*hole, words.iter().map(OsString::from).collect())).collect()
    }

    #[test]
    fn holes_are_filled_whole_and_inside_words() {
        let template = Template::words("cc --emit=link={output} {file} -- {args} {cache}");
        let filled = template.fill(&filling(&[
            (Hole::Output, &["/o/p"]),
            (Hole::File, &["a b.c"]),
            (Hole::Args, &["1", "2 3"]),
        ]));
        assert_eq!(filled, ["cc", "--emit=link=/o/p", "a b.c", "--", "1", "2 3", "{cache}"]);
    }

    #[test]
    fn what_fills_a_hole_is_not_looked_at_again() {
        let template = Template::words("x={file}{output}");
        let filled = template.fill(&filling(&[(Hole::File, &["{output}"]), (Hole::Output, &["o"])]));
        assert_eq!(filled, ["x={output}o"]);
    }

    #[test]
    fn a_hole_filled_with_nothing_leaves_no_word() {
        assert_eq!(
            Template::words("psql {postgres} -X").fill(&filling(&[(Hole::Postgres, &[])])),
            ["psql", "-X"]
        );
    }

    #[test]
    fn slips_are_found() {
        assert_eq!(Template::words("zig run {flie}").unknown_hole(), Some("{flie}"));
        assert_eq!(Template::words("zig run {file} {} ${x}").unknown_hole(), None);
        assert_eq!(Template::words("{output} {args}").command(), None);
        assert_eq!(Template::words("zig run").command(), Some("zig"));
    }
}
