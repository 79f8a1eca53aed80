//! Which words may be spoken where: a table, and a scan of the rooms' sources for words out of place.
//!
//! Comments, string contents and tests may say anything; see `rust_text.rs` for what counts as code.

use super::rust_text::{self, find_word};
use crate::finding::Finding;
use crate::tree::TextFile;

/// One row: these words, there, and otherwise do this.
struct Accent {
    words: &'static [&'static str],
    reach: Reach,
    advice: &'static str,
}

/// Where a word may be heard. A place that ends in `/` is a folder, one that begins with `/` is the end of any
/// path, and every other one is a file.
enum Reach {
    OnlyIn(&'static [&'static str]),
    NeverIn(&'static [&'static str]),
}

use Reach::{NeverIn, OnlyIn};

const SYS: &[&str] = &["crates/actum-sandbox/src/sys.rs", "crates/actum-sandbox/src/sys/"];

/// Who opens files by name without the gate, and why that is right. Everything else goes through `actum-gate`: what somebody
/// else may have written through `Root` and `read_named`, our own files through `own`.
const FILES: &[&str] = &[
    // The gate itself.
    "crates/actum-gate/",
    // Builds the sandbox: mounts, cgroups, /proc and layers, by descriptor; parts of it run inside.
    "crates/actum-sandbox/",
    // The store's own files, in a folder that only the caller can write.
    "crates/actum-store/",
    // Runs inside the sandbox.
    "crates/actum-sql/",
    "crates/actum-run/src/edit.rs",
    // Attacks, which open what they should not be able to.
    "crates/actum-attacks/",
    // Output of a run in its own folder, while it is written.
    "crates/actum-run/src/capture/",
    // Caches of compiled programs and environments: private folders, entries by digest.
    "crates/actum-languages/src/compile/",
    "crates/actum-prepare/src/build.rs",
    "crates/actum-prepare/src/cache.rs",
    "crates/actum-prepare/src/collect.rs",
    "crates/actum-prepare/src/data.rs",
    "crates/actum-prepare/src/node.rs",
    "crates/actum-prepare/src/source.rs",
    "crates/actum-prepare/src/uv.rs",
    // Sessions and journals in the store, authenticated before they are believed.
    "crates/actum-run/src/session/",
    "crates/actum-changes/",
    // Tools of contributors.
    "crates/xtask/",
    "crates/actum-testkit/",
];

const ACCENTS: &[Accent] = &[
    Accent {
        words: &["std::fs", "File::open", "File::create", "OpenOptions"],
        reach: OnlyIn(FILES),
        advice: "open foreign files with actum_gate::Root or read_named, and our own with actum_gate::own",
    },
    Accent {
        words: &["unsafe"],
        reach: OnlyIn(SYS),
        advice: "put a safe function with its SAFETY argument into actum-sandbox/src/sys",
    },
    Accent {
        words: &["libc"],
        reach: OnlyIn(SYS),
        advice: "use rustix, or wrap the call in actum-sandbox/src/sys",
    },
    Accent {
        words: &["println!", "eprintln!", "print!", "eprint!"],
        reach: OnlyIn(&[
            "crates/actum-screen/src/",
            "crates/xtask/src/say.rs",
            "crates/actum-testkit/src/bin/",
        ]),
        advice: "return a value and let actum-screen show it",
    },
    Accent {
        words: &["env::var", "env::vars", "env::var_os", "env::vars_os"],
        reach: OnlyIn(&["crates/actum/src/config/", "crates/xtask/", "crates/actum-testkit/"]),
        advice: "read it in actum/src/config and pass the value as an argument",
    },
    Accent {
        words: &["Instant::now", "SystemTime::now"],
        reach: OnlyIn(&["/clock.rs", "crates/actum-testkit/src/bin/"]),
        advice: "take the time as an argument, or use the crate's clock.rs",
    },
    Accent {
        words: &["clap"],
        reach: OnlyIn(&["crates/actum/src/cli/"]),
        advice: "keep the command line in actum/src/cli and pass a plain struct",
    },
    Accent {
        words: &["rusqlite"],
        reach: OnlyIn(&["crates/actum-store/", "crates/actum-sql/", "crates/actum-testkit/src/bin/"]),
        advice: "use the types of actum-store, or pass a script to actum-sql",
    },
    Accent {
        words: &["axum", "rmcp"],
        reach: OnlyIn(&["crates/actum-serve/"]),
        advice: "move server code to actum-serve",
    },
    Accent {
        words: &["tokio"],
        reach: NeverIn(&["crates/actum-model/", "crates/actum-sandbox/"]),
        advice: "lower crates are synchronous; use async code in a higher layer",
    },
];

/// Words out of place in one file.
pub fn judge(file: &TextFile) -> Vec<Finding> {
    if !is_room_source(&file.path) {
        return Vec::new();
    }
    let code = rust_text::code_only(&file.text);
    let mut findings = Vec::new();
    for (number, line) in rust_text::production_lines(&code) {
        for (accent, word) in heard(line) {
            if !accent.reach.includes(&file.path) {
                let rule = format!("`{word}` is not allowed in this crate");
                findings.push(Finding::at(&file.path, number, rule, accent.advice));
            }
        }
    }
    findings
}

fn heard(line: &str) -> impl Iterator<Item = (&'static Accent, &'static str)> {
    let words = ACCENTS.iter().flat_map(|accent| accent.words.iter().map(move |word| (accent, *word)));
    words.filter(move |(_, word)| find_word(line, word).is_some())
}

/// Sources of crates, without integration tests and without `x/tests.rs`.
fn is_room_source(path: &str) -> bool {
    path.starts_with("crates/")
        && path.contains("/src/")
        && !path.contains("/tests/")
        && !path.ends_with("/tests.rs")
}

impl Reach {
    fn includes(&self, path: &str) -> bool {
        match self {
            OnlyIn(places) => places.iter().any(|place| is_at(path, place)),
            NeverIn(places) => !places.iter().any(|place| is_at(path, place)),
        }
    }
}

fn is_at(path: &str, place: &str) -> bool {
    if place.ends_with('/') {
        return path.starts_with(place);
    }
    path == place || (place.starts_with('/') && path.ends_with(place))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(path: &str, text: &str) -> Vec<String> {
        let file = TextFile { path: path.to_owned(), text: text.to_owned() };
        judge(&file).iter().map(ToString::to_string).collect()
    }

    /// For each row: code that speaks it, a place where it may, and one where it may not.
    const CASES: &[(&str, &str, &str)] = &[
        ("unsafe { f() }", "crates/actum-sandbox/src/sys.rs", "crates/actum-sandbox/src/child.rs"),
        ("unsafe fn f() {}", "crates/actum-sandbox/src/sys/clone.rs", "crates/actum-model/src/lib.rs"),
        ("libc::prctl(1);", "crates/actum-sandbox/src/sys.rs", "crates/actum-egress/src/lib.rs"),
        ("std::fs::read(x);", "crates/actum-gate/src/own/plain.rs", "crates/actum/src/cli/run/mod.rs"),
        ("File::open(x);", "crates/actum-store/src/store.rs", "crates/actum-run/src/source.rs"),
        ("println!();", "crates/actum-screen/src/plain.rs", "crates/actum/src/cli/run.rs"),
        ("eprintln!();", "crates/xtask/src/say.rs", "crates/xtask/src/command.rs"),
        ("print!();", "crates/xtask/src/say.rs", "crates/actum-run/src/lib.rs"),
        ("std::env::var(x);", "crates/actum/src/config/mod.rs", "crates/actum-run/src/lib.rs"),
        ("env::vars_os();", "crates/actum-testkit/src/skip.rs", "crates/actum/src/main.rs"),
        ("Instant::now();", "crates/actum-run/src/clock.rs", "crates/actum-run/src/attempt.rs"),
        ("SystemTime::now();", "crates/actum/src/clock.rs", "crates/actum/src/o-clock.rs"),
        ("use clap::Parser;", "crates/actum/src/cli/mod.rs", "crates/actum-screen/src/plain.rs"),
        ("use rusqlite::Row;", "crates/actum-store/src/index.rs", "crates/actum-serve/src/lib.rs"),
        ("use rusqlite::Batch;", "crates/actum-sql/src/run.rs", "crates/actum-run/src/lib.rs"),
        ("use axum::Router;", "crates/actum-serve/src/http/mod.rs", "crates/actum/src/main.rs"),
        ("use rmcp::model;", "crates/actum-serve/src/mcp/mod.rs", "crates/actum-flow/src/agent/mod.rs"),
        ("tokio::spawn(x);", "crates/actum-run/src/attempt/mod.rs", "crates/actum-sandbox/src/sys.rs"),
    ];

    #[test]
    fn each_rule_can_hold_and_can_fail() {
        for (code, at_home, abroad) in CASES {
            assert_eq!(rules(at_home, code), [""; 0], "{code} in {at_home}");
            assert_eq!(rules(abroad, code).len(), 1, "{code} in {abroad}");
        }
    }

    #[test]
    fn every_word_of_the_table_has_a_file_where_it_is_found() {
        for word in ACCENTS.iter().flat_map(|accent| accent.words) {
            let path = "crates/actum-model/src/lib.rs";
            assert_eq!(rules(path, word).len(), 1, "{word}");
        }
    }

    #[test]
    fn a_finding_says_where_what_and_what_next() {
        let said = rules("crates/actum/src/main.rs", "\n\nfn f() { std::env::var(x); }\n");
        let expected = "crates/actum/src/main.rs:3: `env::var` is not allowed in this crate; read it in actum/src/config and pass the value as an argument";
        assert_eq!(said, [expected]);
    }

    #[test]
    fn comments_strings_longer_words_and_tests_may_say_anything() {
        for quiet in [
            "// unsafe in a comment",
            "let a = \"println!\";",
            "#![allow(unsafe_code)]",
            "let libc_version = 1;",
            "#[cfg(test)]\nmod tests {\n    fn f() { println!(); }\n}",
        ] {
            assert_eq!(rules("crates/actum-run/src/lib.rs", quiet), [""; 0], "{quiet}");
        }
        for path in ["crates/actum/tests/it/main.rs", "crates/actum-run/src/x/tests.rs", "examples/a.rs"] {
            assert_eq!(rules(path, "println!();"), [""; 0], "{path}");
        }
    }
}
