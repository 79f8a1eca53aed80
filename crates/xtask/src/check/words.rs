//! What no committed file holds: unfinished work, names of one machine, more lines than a reader follows.
//!
//! Words that this file itself may not hold are composed with `concat!`.

use super::rust_text::{code_only, find_word};
use crate::finding::Finding;
use crate::tree::TextFile;

/// 800: four times a good neighbour; past it a file wants to be two.
const LONGEST: usize = 800;

struct Unwanted {
    words: &'static [&'static str],
    kind: Kind,
    advice: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Code of Rust files, tests included; comments and strings may speak of it.
    Code,
    /// Any text file, as a whole word.
    Text,
    /// Any text file, as the beginning of an absolute path.
    Path,
}

const UNWANTED: &[Unwanted] = &[
    Unwanted {
        words: &["todo!(", "unimplemented!("],
        kind: Kind::Code,
        advice: "finish it, or return an error that says what is missing",
    },
    Unwanted {
        words: &["#[ignore"],
        kind: Kind::Code,
        advice: "call actum_testkit::skip with the reason why the test cannot run",
    },
    Unwanted { words: &["assert!(true)"], kind: Kind::Code, advice: "assert something that can fail" },
    Unwanted {
        words: &[concat!("FIX", "ME"), concat!("X", "XX")],
        kind: Kind::Text,
        advice: "fix it now, or write TODO(#issue)",
    },
    Unwanted {
        words: &[concat!("/wo", "rk/"), concat!("/fa", "rm/")],
        kind: Kind::Path,
        advice: "this path exists only on one machine: take it as an argument, or make it relative",
    },
    Unwanted {
        words: &[
            concat!("pypi", ".org"),
            concat!("pythonhosted", ".org"),
            concat!("registry.npmjs", ".org"),
            concat!("index.crates", ".io"),
            concat!("static.crates", ".io"),
            concat!("deb.debian", ".org"),
            concat!("security.debian", ".org"),
        ],
        kind: Kind::Text,
        advice: "let the package client's own settings choose the registry",
    },
];

pub fn judge(file: &TextFile) -> Vec<Finding> {
    let is_rust = file.path.ends_with(".rs");
    let code = if is_rust { code_only(&file.text) } else { String::new() };
    let mut findings = Vec::new();
    for unwanted in UNWANTED {
        let text = if unwanted.kind == Kind::Code { &code } else { &file.text };
        for (index, line) in text.lines().enumerate() {
            let found = unwanted.words.iter().filter(|word| unwanted.kind.finds(line, word));
            findings.extend(found.map(|word| {
                Finding::at(&file.path, index + 1, format!("`{word}` must not be committed"), unwanted.advice)
            }));
        }
    }
    if is_rust {
        findings.extend(too_long(file));
    }
    findings
}

impl Kind {
    fn finds(self, line: &str, word: &str) -> bool {
        match self {
            Kind::Code | Kind::Text => find_word(line, word).is_some(),
            Kind::Path => line.match_indices(word).any(|(at, _)| begins_a_path(&line[..at])),
        }
    }
}

fn begins_a_path(before: &str) -> bool {
    !before.ends_with(|character: char| character.is_alphanumeric() || "_-.~/}".contains(character))
}

fn too_long(file: &TextFile) -> Option<Finding> {
    let lines = file.text.lines().count();
    let rule = format!("{lines} lines, more than {LONGEST}");
    (lines > LONGEST).then(|| Finding::new(&file.path, rule, "split it into two files"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(path: &str, text: &str) -> usize {
        judge(&TextFile { path: path.to_owned(), text: text.to_owned() }).len()
    }

    #[test]
    fn every_word_is_found_where_it_counts() {
        for unwanted in UNWANTED {
            for word in unwanted.words {
                assert_eq!(count("a.rs", word), 1, "{word} in Rust");
                let in_text = usize::from(unwanted.kind != Kind::Code);
                assert_eq!(count("a.md", &format!("say `{word}`")), in_text, "{word} in Markdown");
                assert_eq!(count("a.rs", &format!("// {word}")), in_text, "{word} in a comment");
            }
        }
    }

    #[test]
    fn similar_words_are_let_through() {
        for text in ["XXXXXX", "/home/me/work/a", "a/farm/b", "${HOME}/work/a", "TODO(#1)"] {
            assert_eq!(count("a.rs", text), 0, "{text}");
        }
    }

    #[test]
    fn long_files_are_found() {
        assert_eq!(count("a.rs", &"\n".repeat(LONGEST)), 0);
        assert_eq!(count("a.rs", &"\n".repeat(LONGEST + 1)), 1);
        assert_eq!(count("a.md", &"\n".repeat(LONGEST + 1)), 0);
    }
}
