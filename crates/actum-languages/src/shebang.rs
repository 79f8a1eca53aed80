//! The first line of a script that names its interpreter. Pure.

use std::path::Path;

/// `#!/usr/bin/env -S python3 -u` says: `python3`, with `-u`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shebang {
    /// As it is written; behind `env` a bare name.
    pub interpreter: String,
    pub arguments: Vec<String>,
}

/// Longer first lines are not read by the kernel either.
const LONGEST: usize = 4096;

impl Shebang {
    /// The interpreter that the first line names, if it is such a line.
    pub fn read(code: &[u8]) -> Option<Self> {
        let line = code.strip_prefix(b"#!")?;
        let end =
            line.iter().take(LONGEST).position(|byte| *byte == b'\n').unwrap_or(line.len().min(LONGEST));
        let line = std::str::from_utf8(&line[..end]).ok()?.trim();
        // `#![allow(…)]` begins a Rust file.
        if line.starts_with('[') {
            return None;
        }
        let mut words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        if words.first().is_some_and(|first| file_name(first) == "env") {
            words.remove(0);
            words = behind_env(words);
        }
        let interpreter = (!words.is_empty()).then(|| words.remove(0))?;
        Some(Self { interpreter, arguments: words })
    }

    /// Without its folders: `python3`.
    pub fn name(&self) -> &str {
        file_name(&self.interpreter)
    }
}

/// The options and variables of `env` are not the interpreter's.
fn behind_env(words: Vec<String>) -> Vec<String> {
    let mut rest = words.into_iter().peekable();
    while let Some(word) = rest.peek() {
        // `-Spython3` is one word.
        let glued =
            word.strip_prefix("-S").or_else(|| word.strip_prefix("--split-string=")).map(str::to_owned);
        if let Some(glued) = glued.filter(|glued| !glued.is_empty()) {
            rest.next();
            return [glued].into_iter().chain(rest).collect();
        }
        if !word.starts_with('-') && !word.contains('=') {
            break;
        }
        rest.next();
    }
    rest.collect()
}

fn file_name(path: &str) -> &str {
    Path::new(path).file_name().and_then(|name| name.to_str()).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interpreters_and_their_arguments_are_read() {
        for (line, name, arguments) in [
            ("#!/usr/bin/python3\n", "python3", ""),
            ("#!/usr/bin/env python3\r\nprint()", "python3", ""),
            ("#!/usr/bin/env -S python3 -u\n", "python3", "-u"),
            ("#!/usr/bin/env -Spython3 -u\n", "python3", "-u"),
            ("#!/usr/bin/env --split-string=ruby -w", "ruby", "-w"),
            ("#!/usr/bin/env -i PATH=/bin LANG=C bash -e\n", "bash", "-e"),
            ("#! /bin/bash -eu\n", "bash", "-eu"),
            ("#!/usr/bin/awk -f", "awk", "-f"),
        ] {
            let read = Shebang::read(line.as_bytes()).unwrap();
            assert_eq!((read.name(), read.arguments.join(" ").as_str()), (name, arguments), "{line}");
        }
    }

    #[test]
    fn other_first_lines_name_nothing() {
        let lines: [&[u8]; 8] = [
            b"",
            b"#",
            b"#!",
            b"#!\n",
            b"#!/usr/bin/env\n",
            b"#![allow(dead_code)]\n",
            b" #!/bin/sh",
            b"#!\xff",
        ];
        for line in lines {
            assert_eq!(Shebang::read(line), None, "{line:?}");
        }
    }
}
