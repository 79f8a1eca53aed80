//! The shell: which programs it starts, what they install, what it reads and writes.

use super::notes::Notes;
use super::place::Place;
use crate::command_line;
use crate::text::notice;
use crate::tree::line;
use actum_model::{EntryPoint, FileMode, ImportKind, LayoutKind, Reading};
use std::borrow::Cow;
use tree_sitter::Node;

/// What the shell has by itself, in any of its kinds.
const BUILTIN: [&str; 62] = [
    ".",
    ":",
    "[",
    "[[",
    "alias",
    "bg",
    "bind",
    "break",
    "builtin",
    "caller",
    "cd",
    "command",
    "compgen",
    "complete",
    "continue",
    "declare",
    "dirs",
    "disown",
    "echo",
    "enable",
    "eval",
    "exec",
    "exit",
    "export",
    "false",
    "fc",
    "fg",
    "function",
    "getopts",
    "hash",
    "help",
    "history",
    "jobs",
    "kill",
    "let",
    "local",
    "logout",
    "mapfile",
    "popd",
    "printf",
    "pushd",
    "pwd",
    "read",
    "readarray",
    "readonly",
    "return",
    "set",
    "shift",
    "shopt",
    "source",
    "suspend",
    "test",
    "time",
    "times",
    "trap",
    "true",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unset",
    "wait",
];

/// Variables that are there wherever a shell runs.
const GIVEN: [&str; 24] = [
    "HOME",
    "PATH",
    "PWD",
    "OLDPWD",
    "USER",
    "SHELL",
    "IFS",
    "RANDOM",
    "SECONDS",
    "HOSTNAME",
    "LANG",
    "TERM",
    "TMPDIR",
    "BASH",
    "BASH_SOURCE",
    "BASH_VERSION",
    "LINENO",
    "UID",
    "EUID",
    "OPTARG",
    "OPTIND",
    "REPLY",
    "PPID",
    "FUNCNAME",
];

/// Programs that speak to other machines.
const NETWORK: [&str; 11] =
    ["curl", "wget", "ssh", "scp", "rsync", "ftp", "sftp", "nc", "telnet", "ping", "git"];

pub(super) fn look(node: Node<'_>, place: &Place, notes: &mut Notes<'_, '_, '_>) {
    match node.kind() {
        "function_definition" => {
            let name = notes.field(node, "name");
            notes.own.insert(name.to_owned());
            notes.defines(name, place);
        }
        "variable_assignment" => {
            notes.own.insert(notes.field(node, "name").to_owned());
        }
        "for_statement" => {
            notes.own.insert(notes.field(node, "variable").to_owned());
        }
        "command" => command(node, place, notes),
        "file_redirect" => redirect(node, notes),
        "simple_expansion" | "expansion" => expansion(node, notes),
        "word" | "string" | "raw_string" | "string_content" => notes.address(node),
        _ => {}
    }
    if place.is_top() && node.is_named() && !matches!(node.kind(), "function_definition" | "comment") {
        notes.begins(EntryPoint::Script);
    }
}

fn command(node: Node<'_>, place: &Place, notes: &mut Notes<'_, '_, '_>) {
    let mut cursor = node.walk();
    let children = node.named_children(&mut cursor);
    let is_word = |child: &Node<'_>| {
        !matches!(child.kind(), "variable_assignment" | "file_redirect" | "herestring_redirect")
    };
    let words: Vec<String> = children
        .filter(is_word)
        .take(1_000)
        .map(|child| notes.words(child).trim_matches(['"', '\'']).to_owned())
        .collect();
    let (privileged, rest) = command_line::without_prefixes(&words);
    let Some(name) = rest.first() else { return };
    command_line::note_installs_of_words(&words, "command", line(node), &mut notes.reading.installs);
    match name.as_str() {
        "source" | "." => {
            notes.import(node, rest.get(1).map_or("", String::as_str), "source", ImportKind::Relative)
        }
        "read" => {
            notes.own.extend(rest.iter().skip(1).filter(|word| !word.starts_with('-')).cloned());
            if !place.is_redirected() {
                notes.stdin(node, "read");
            }
        }
        "export" | "declare" | "local" | "readonly" | "typeset" => {
            notes.own.extend(rest.iter().skip(1).map(|word| word.split('=').next().unwrap_or("").to_owned()));
        }
        "python" | "python3" | "node" | "ruby" | "bash" | "sh" => {
            if let Some(file) =
                rest.iter().skip(1).find(|word| !word.starts_with('-')).filter(|word| word.contains('.'))
            {
                notes.file(node, file, FileMode::Read, name);
            }
        }
        _ => {}
    }
    if NETWORK.contains(&name.as_str()) {
        notes.network(node, name);
    }
    let is_known = BUILTIN.contains(&name.as_str()) || notes.own.contains(name);
    if !is_known && command_line::is_program(name) {
        notes.command(node, name, privileged);
    }
}

fn redirect(node: Node<'_>, notes: &mut Notes<'_, '_, '_>) {
    let Some(destination) = node.child_by_field_name("destination") else { return };
    let words = notes.words(destination).trim_matches(['"', '\'']);
    let is_path = matches!(destination.kind(), "word" | "string" | "raw_string" | "concatenation")
        && !words.contains(['$', '`', '*']);
    let before = notes.parsed.text.get(node.start_byte()..destination.start_byte()).unwrap_or("");
    let mode = match before.trim().trim_start_matches(|digit: char| digit.is_ascii_digit()) {
        "<" => FileMode::Read,
        ">" | ">|" | "&>" => FileMode::Write,
        ">>" | "&>>" => FileMode::Append,
        _ => return,
    };
    if is_path && !words.starts_with("/dev/") {
        notes.file(node, words, mode, before.trim());
    }
}

/// `$X`, `${X:-default}`, `$1`
fn expansion(node: Node<'_>, notes: &mut Notes<'_, '_, '_>) {
    let words = notes.words(node);
    let inner =
        words.trim_start_matches('$').trim_start_matches('{').trim_start_matches('#').trim_end_matches('}');
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let end = inner.find(|letter| !is_letter(letter)).unwrap_or(inner.len());
    let (name, rest) = inner.split_at(end);
    let needed = rest.starts_with(":?") || rest.starts_with('?');
    if name.starts_with(|digit: char| digit.is_ascii_digit()) {
        return notes.position(node, name, needed);
    }
    let is_upper = name.contains(|letter: char| letter.is_ascii_uppercase())
        && !name.contains(|letter: char| letter.is_ascii_lowercase());
    if is_upper && !GIVEN.contains(&name) && !notes.own.contains(name) {
        notes.variable(node, name, needed);
    }
}

/// Only what was typed, where somebody copied a terminal: its first line begins with `$ `.
pub(super) fn without_prompts<'t>(text: &'t str, reading: &mut Reading) -> Cow<'t, str> {
    let is_typed = |line: &str| line.trim_start().starts_with("$ ");
    let before = text.lines().take_while(|line| line.trim().is_empty()).count();
    if !text.lines().nth(before).is_some_and(is_typed) {
        return text.into();
    }
    notice(&mut reading.layout, LayoutKind::Prompts, u32::try_from(before + 1).unwrap_or(u32::MAX));
    let mut goes_on = false;
    let lines = text.split('\n').map(|line| {
        let typed = line.trim_start().strip_prefix("$ ");
        let typed = typed.or_else(|| goes_on.then(|| line.trim_start().strip_prefix("> ").unwrap_or(line)));
        goes_on = typed.is_some_and(|typed| typed.ends_with('\\'));
        typed.unwrap_or("")
    });
    lines.collect::<Vec<_>>().join("\n").into()
}
