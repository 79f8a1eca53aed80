//! What is different in every run and says nothing about its results.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A row of the table of volatile files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VolatileFile {
    /// `*` stands for any characters except for `/`. Without a `/` it is held against the file's name alone.
    pub pattern: &'static str,
    pub why: &'static str,
}

/// Files that are volatile unless somebody says otherwise.
pub const VOLATILE_FILES: &[VolatileFile] = &[
    VolatileFile { pattern: "*.log", why: "logs have time stamps" },
    VolatileFile { pattern: "events.out.tfevents.*", why: "TensorBoard writes times and the host's name" },
    VolatileFile { pattern: "{output}/manifest.json", why: "ours: it names this run and its time" },
    VolatileFile { pattern: "{output}/results.json", why: "ours: it names this run and its time" },
    VolatileFile {
        pattern: "{output}/metrics.jsonl",
        why: "ours: each value has its time; values are compared as metrics",
    },
    VolatileFile { pattern: "{output}/stdout*", why: "ours: compared as standard output" },
    VolatileFile { pattern: "{output}/stderr*", why: "ours: messages, often with times" },
    VolatileFile { pattern: "*.pyc", why: "compiled Python has the time of its source in it" },
    VolatileFile { pattern: "*.pid", why: "the number of a process" },
    VolatileFile { pattern: "*.lock", why: "a lock of a running program" },
];

/// A metric whose name ends with one of these measures the machine and not the program.
pub const VOLATILE_METRIC_WORDS: &[&str] = &[
    "time",
    "seconds",
    "second",
    "secs",
    "sec",
    "ms",
    "elapsed",
    "duration",
    "eta",
    "fps",
    "throughput",
    "runtime",
    "walltime",
];

/// What is left out of a comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Volatile {
    /// Patterns of files, beside [`VOLATILE_FILES`].
    pub files: Vec<String>,
    /// Standard output, because somebody said so.
    pub stdout: bool,
    /// Whether the tables above apply.
    pub defaults: bool,
}

impl Default for Volatile {
    fn default() -> Self {
        Self { files: Vec::new(), stdout: false, defaults: true }
    }
}

impl Volatile {
    /// Why a file is left out.
    pub fn file(&self, path: &str) -> Option<&'static str> {
        if self.files.iter().any(|pattern| matches(pattern, path)) {
            return Some("declared volatile");
        }
        let rows = VOLATILE_FILES.iter().filter(|_| self.defaults);
        rows.into_iter().find(|row| matches(row.pattern, path)).map(|row| row.why)
    }

    /// Whether a metric is left out.
    pub fn metric(&self, name: &str) -> bool {
        let last = name.rsplit(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty()).unwrap_or(name);
        self.defaults && VOLATILE_METRIC_WORDS.iter().any(|word| last.eq_ignore_ascii_case(word))
    }
}

/// Holds a pattern against a path, in time of their product at most.
fn matches(pattern: &str, path: &str) -> bool {
    // A pattern without a folder means the name, in whatever folder.
    let text = if pattern.contains('/') { path } else { path.rsplit('/').next().unwrap_or(path) };
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut at, mut from) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while at < text.len() {
        match pattern.get(from) {
            Some('*') => {
                star = Some((from, at));
                from += 1;
            }
            Some(c) if *c == text[at] => {
                from += 1;
                at += 1;
            }
            Some(_) | None => match star {
                Some((place, taken)) if text[taken] != '/' => {
                    star = Some((place, taken + 1));
                    (from, at) = (place + 1, taken + 1);
                }
                Some(_) | None => return false,
            },
        }
    }
    pattern[from..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn patterns_match_names_or_paths() {
        let cases = [
            ("*.log", "a/b/train.log", true),
            ("*.log", "train.log.gz", false),
            ("a/*.txt", "a/x.txt", true),
            ("a/*.txt", "a/b/x.txt", false),
            ("a/*", "a/", true),
            ("*", "x", true),
            ("a*b*c", "aXbYbZc", true),
            ("a*b*c", "aXbYbZ", false),
            ("events.out.tfevents.*", "tb/events.out.tfevents.1.host", true),
            ("{output}/manifest.json", "{output}/manifest.json", true),
            ("{output}/manifest.json", "{output}/x/manifest.json", false),
        ];
        for (pattern, path, expected) in cases {
            assert_eq!(matches(pattern, path), expected, "{pattern} {path}");
        }
    }

    #[test]
    fn only_metrics_of_the_clock_are_volatile() {
        let volatile = Volatile::default();
        for name in ["train_time", "epoch/seconds", "samples_per_second", "step.ms", "Elapsed", "time"] {
            assert!(volatile.metric(name), "{name}");
        }
        for name in ["time_steps", "loss", "runtime_error_rate", "", "secondary", "items"] {
            assert!(!volatile.metric(name), "{name}");
        }
        assert!(!Volatile { defaults: false, ..Volatile::default() }.metric("time"));
    }

    proptest! {
        #[test]
        fn any_pattern_ends(pattern in "[ab*/]{0,12}", path in "[ab/]{0,40}") {
            let once = matches(&pattern, &path);
            prop_assert_eq!(once, matches(&pattern.replace("**", "*"), &path));
        }
    }
}
