//! Text that nobody labelled. It is run only where no block of the answer is labelled and the parser of exactly one language takes
//! it for a program that does something; never where it is for a shell, or configuration.
//!
//! The grammars of some languages take nearly any words: `npm install x` is a call in Ruby. So a language counts only where the
//! text also says something that belongs to it.

use super::output;
use super::{Case, Program, Reader, Stage, prompts};
use crate::answer::Answer;
use actum_model::{BlockKind, Completeness, EntryPoint, Example, Holds, Reading};

/// What a text has to say before its grammar is asked.
const SAYINGS: &[(&str, &[&str])] = &[
    ("javascript", &["console.", "const ", "let ", "var ", "function ", "=> ", "require("]),
    ("ruby", &["puts ", "def ", "require '", ".each do", "attr_accessor", "end\n"]),
    ("php", &["<?php"]),
    ("perl", &["use strict", "my $", "print \""]),
    ("lua", &["local ", " then", "function "]),
    ("r", &["<- ", "library("]),
    ("go", &["package main", "func main()"]),
    ("rust", &["fn main()"]),
    ("c", &["#include <"]),
    ("cpp", &["#include <iostream", "std::", "using namespace"]),
    ("java", &["public static void main", "System.out"]),
];

/// Commands that people type; a line that begins with one is for a shell.
const COMMANDS: &[&str] = &[
    "sudo",
    "apt",
    "apt-get",
    "yum",
    "dnf",
    "brew",
    "pip",
    "pip3",
    "npm",
    "npx",
    "yarn",
    "pnpm",
    "cd",
    "ls",
    "mkdir",
    "rm",
    "cp",
    "mv",
    "cat",
    "echo",
    "export",
    "source",
    "git",
    "docker",
    "kubectl",
    "curl",
    "wget",
    "chmod",
    "chown",
    "ssh",
    "scp",
    "tar",
    "unzip",
    "python",
    "python3",
    "node",
    "java",
    "javac",
    "gcc",
    "g++",
    "make",
    "cmake",
    "cargo",
    "go",
    "conda",
    "systemctl",
    "service",
    "touch",
    "grep",
    "sed",
    "awk",
    "find",
    "kill",
    "ps",
    "bash",
    "sh",
    "composer",
    "php",
    "ruby",
    "gem",
    "rails",
    "flask",
    "django-admin",
    "uvicorn",
    "gunicorn",
    "streamlit",
    "terraform",
    "ansible",
    "helm",
    "aws",
    "gcloud",
    "az",
    "psql",
    "mysql",
    "redis-cli",
    "killall",
    "nano",
    "vim",
    "code",
    "dotnet",
    "mvn",
    "gradle",
    "ffmpeg",
    "openssl",
    "adb",
    "whoami",
    "pwd",
    "df",
    "du",
    "top",
    "ip",
    "iptables",
    "ping",
    "netstat",
    "nginx",
    "crontab",
    "rsync",
    "set",
    "setx",
    "pytest",
    "uv",
];

/// So many bytes without a label are read, in all languages together; no answer has more.
const MOST: usize = 2 << 20;

/// Judges what nobody labelled. Where code stands in the answer without any mark, an indented block is a part of it.
pub(super) fn judge(cases: &mut [Case<'_>], answer: &Answer, reader: &mut dyn Reader) {
    let is_labelled = cases.iter().any(|case| case.block.label.is_some() || case.block.path.is_some());
    let prose: Vec<usize> =
        (0..cases.len()).filter(|index| cases[*index].stage == Stage::Unlabelled).collect();
    let mut asked: Vec<Asked> = Vec::new();
    let mut room = MOST;
    for index in prose {
        let case = &mut cases[index];
        match () {
            () if is_labelled => {
                case.skip("its language is not given, and other blocks of the answer are labelled")
            }
            () if case.block.kind == BlockKind::Indented && !answer.candidates.is_empty() => {
                case.skip(
                    "it is part of code that is not marked as such, so its beginning and end are unclear",
                );
            }
            () => asked.extend(ask(case, index, &mut room, reader)),
        }
    }
    let programs: Vec<Program<'_>> = asked.iter().flat_map(Asked::programs).collect();
    let mut readings = if programs.is_empty() { Vec::new() } else { reader.read(&programs) }.into_iter();
    for Asked { case, code, languages, examples } in asked {
        let read = languages.into_iter().zip(readings.by_ref());
        let found = read.filter(|(language, reading)| does_something(language, reading)).collect();
        settle(&mut cases[case], (code, examples), found);
    }
}

/// A text that may be a program, and the languages that are asked about it.
struct Asked {
    case: usize,
    code: String,
    languages: Vec<String>,
    examples: Option<Vec<Example>>,
}

impl Asked {
    fn programs(&self) -> impl Iterator<Item = Program<'_>> {
        self.languages.iter().map(|language| Program { language, code: &self.code })
    }
}

/// What is to be asked about a block; nothing where it is settled without.
fn ask(case: &mut Case<'_>, index: usize, room: &mut usize, reader: &dyn Reader) -> Option<Asked> {
    if let Some(looks) = looks_like(&case.block.code) {
        case.skip(format!("its language is not given, and it looks like {looks}"));
        return None;
    }
    if output::is_announced(&case.piece.before.text) {
        case.block.holds = Holds::Output;
        case.skip("the answer says that it is output");
        return None;
    }
    if case.piece.is_open {
        case.block.truncated = Some("its fence is not closed".to_owned());
        case.skip("its fence is not closed");
        return None;
    }
    let examples = prompts::interpreter(&case.block.code);
    let code: String = match &examples {
        Some(examples) => examples.iter().flat_map(|one| [one.code.as_str(), "\n"]).collect(),
        None => case.block.code.clone(),
    };
    let languages = languages(&code, reader);
    let Some(left) = room.checked_sub(code.len() * languages.len()) else {
        case.skip("its language is not given, and the answer has too many such blocks");
        return None;
    };
    *room = left;
    Some(Asked { case: index, code, languages, examples })
}

fn settle(
    case: &mut Case<'_>,
    (code, examples): (String, Option<Vec<Example>>),
    found: Vec<(String, Reading)>,
) {
    let (language, reading) = match found.as_slice() {
        [] => {
            return case
                .skip("its language is not given, and it is not a complete program in any known language");
        }
        [(language, reading)] => (language.clone(), reading.clone()),
        several => {
            let names: Vec<&str> = several.iter().map(|(language, _)| language.as_str()).collect();
            return case.skip(format!("its language is not given, and it could be {}", names.join(" or ")));
        }
    };
    case.block.warnings.push(format!("its language is not given; it is only valid as {language}"));
    case.block.language = language;
    case.block.holds = Holds::Program;
    case.reading = Some(reading);
    case.stage = Stage::Program;
    if let Some(examples) = examples {
        case.block.holds = Holds::ReplTranscript;
        let printed: String = examples.iter().map(|one| one.output.as_str()).collect();
        case.block.expected = Some(printed).filter(|text| !text.is_empty());
        case.block.program = Some(code);
        case.block.examples = examples;
    }
}

/// The languages that may take a text for a program that does something.
fn languages(code: &str, reader: &dyn Reader) -> Vec<String> {
    // Something has to happen in it: a program without a call computes nothing that anybody sees. What returns is a part of a
    // function.
    let is_call = code.contains('(') || code.contains("echo") || code.contains("puts");
    if !is_call || code.lines().any(|line| line.starts_with("return")) {
        return Vec::new();
    }
    let says = |words: &[&str]| words.iter().any(|word| code.contains(word));
    let others = SAYINGS.iter().filter(|(_, words)| says(words)).map(|(language, _)| *language);
    std::iter::once("python").chain(others).filter_map(|name| reader.language(name)).collect()
}

fn does_something(language: &str, reading: &Reading) -> bool {
    let is_whole = match reading.complete {
        Completeness::Complete => true,
        Completeness::Legacy { .. }
        | Completeness::Truncated { .. }
        | Completeness::Elided { .. }
        | Completeness::Wrong { .. }
        | Completeness::Unread { .. } => false,
    };
    let begins = matches!(reading.entry, EntryPoint::Script | EntryPoint::MainGuard);
    is_whole && begins && (language != "python" || reading.unbound.is_empty())
}

/// What a text under a label looks like instead. One line that could be a command does not make a script of a program.
pub(super) fn looks_like_instead(code: &str) -> Option<&'static str> {
    let lines: Vec<&str> = code.lines().map(str::trim).filter(|line| !line.is_empty()).take(200).collect();
    let commands = lines.iter().filter(|line| is_command(line)).count();
    looks_like(code).filter(|looks| *looks != SHELL || commands * 2 > lines.len())
}

pub(super) const SHELL: &str = "shell commands";

/// What a text is that no language here runs: commands, configuration, a page, a tree of files. None where it may be a program.
pub(super) fn looks_like(code: &str) -> Option<&'static str> {
    let lines: Vec<&str> = code.lines().map(str::trim).filter(|line| !line.is_empty()).take(200).collect();
    let first = *lines.first()?;
    let most = |is: &dyn Fn(&str) -> bool| lines.iter().filter(|line| is(line)).count() * 2 > lines.len();
    match () {
        () if lines.iter().any(|line| is_command(line)) => Some(SHELL),
        () if first.starts_with("#!") && first.contains("sh") => Some(SHELL),
        () if first.starts_with("<?xml") || first.starts_with("<!DOCTYPE") || most(&is_markup) => {
            Some("HTML or XML")
        }
        () if first.starts_with(['{', '[']) && most(&is_json) => Some("JSON"),
        () if first == "---" || most(&is_setting) => Some("configuration"),
        () if lines.iter().any(|line| line.contains("├──") || line.contains("└──")) => {
            Some("a file tree")
        }
        () if most(&is_instruction) => Some("a Dockerfile"),
        () if lines.iter().any(|line| line.starts_with('|') && line.ends_with('|')) => Some("a table"),
        () if first.starts_with("Traceback (most recent") => Some("output"),
        () => None,
    }
}

pub(super) fn is_command(line: &str) -> bool {
    let line = line.strip_prefix("$ ").or_else(|| line.strip_prefix("# ")).unwrap_or(line);
    let mut words = line.split_whitespace();
    let Some(word) = words.next() else { return false };
    if word.starts_with("./") {
        return true;
    }
    let next = words.next().unwrap_or_default();
    // `set = 1` and `find (x)` are not commands.
    let is_flag = next.trim_start_matches('-').starts_with(|letter: char| letter.is_ascii_alphabetic());
    COMMANDS.contains(&word)
        && (!next.starts_with(['=', '(', ':', '+', '-', '*', ',']) || (next.starts_with('-') && is_flag))
}

fn is_markup(line: &str) -> bool {
    line.starts_with('<') && line.ends_with('>')
}

fn is_json(line: &str) -> bool {
    line.starts_with('"')
        || matches!(line, "{" | "}" | "}," | "[" | "]" | "]," | "[{" | "}]")
        || line.starts_with("{\"")
}

/// `key: value`, `key = value` without a call, `[section]`.
fn is_setting(line: &str) -> bool {
    let is_key = |key: &str| {
        !key.is_empty()
            && key
                .chars()
                .all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.' | ' ' | '"'))
    };
    let is_section = line.starts_with('[') && line.ends_with(']') && is_key(line.trim_matches(['[', ']']));
    let word = line.split([' ', ':']).next().unwrap_or_default();
    let is_statement = matches!(
        word,
        "if" | "for"
            | "while"
            | "def"
            | "class"
            | "else"
            | "elif"
            | "try"
            | "except"
            | "with"
            | "return"
            | "case"
            | "finally"
            | "import"
            | "from"
    );
    let item = line.strip_prefix("- ").unwrap_or(line);
    let yaml = item.split_once(": ").is_some_and(|(key, _)| is_key(key))
        || item.strip_suffix(':').is_some_and(is_key);
    let assigned = line
        .split_once('=')
        .is_some_and(|(key, value)| is_key(key.trim()) && !value.contains(['(', '[', '{', '+']));
    is_section || (!is_statement && (yaml || (assigned && !line.contains("=="))))
}

fn is_instruction(line: &str) -> bool {
    let word = line.split_whitespace().next().unwrap_or_default();
    matches!(word, "FROM" | "RUN" | "COPY" | "WORKDIR" | "CMD" | "ENTRYPOINT" | "EXPOSE" | "ENV")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_program() {
        for (code, expected) in [
            ("npm install x\n", "shell commands"),
            ("x = 1\npip install y\n", "shell commands"),
            ("./run.sh", "shell commands"),
            ("rm -rf /", "shell commands"),
            ("{\n  \"a\": 1\n}", "JSON"),
            ("a: 1\nb:\n  c: 2\n", "configuration"),
            ("[server]\nport = 80\nhost = localhost\n", "configuration"),
            ("DEBUG=1\nKEY=abc\n", "configuration"),
            ("<a>\n<b/>\n</a>", "HTML or XML"),
            ("src\n├── a.py\n", "a file tree"),
            ("FROM python\nRUN x\n", "a Dockerfile"),
        ] {
            assert_eq!(looks_like(code), Some(expected), "{code}");
        }
        for code in [
            "print(1)",
            "import os\nprint(os.getcwd())",
            "find = 3\nprint(find)",
            "for x in y:\n    print(x)",
        ] {
            assert_eq!(looks_like(code), None, "{code}");
        }
    }
}
