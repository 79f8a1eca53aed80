//! Bash and other shells: `x: line 3: foo: command not found`, and `x: 3: foo: not found` of dash.

use crate::analyse::sight::{Draft, Scene, Sighting, frame, number};
use actum_model::Frame;

pub(super) const NAMES: &[&str] = &["bash", "sh", "shell", "zsh"];
const LANGUAGE: &str = "bash";

pub(super) fn look(scene: &Scene<'_>, at: usize) -> Option<Sighting> {
    let line = scene.at(at);
    let (shell, said) = numbered(line).or_else(|| dash(line)).or_else(|| unnumbered(line))?;
    if let Some(warning) = said.strip_prefix("warning: ") {
        let line = shell.line.map(|line| format!(" (line {line})")).unwrap_or_default();
        return Sighting::warning(1, format!("{warning}{line}"));
    }
    let (kind, message) = sort(said);
    // A syntax error is followed by the line itself, quoted and with the same head.
    let quoted = numbered(scene.at(at + 1)).is_some_and(|(_, said)| said.starts_with('`'));
    let taken = 1 + usize::from(kind == "syntax error" && quoted);
    let (kind, message) = (kind.to_owned(), message.to_owned());
    let place = shell.line.is_some().then_some(shell);
    Sighting::failure(taken, Draft { kind, message, language: LANGUAGE, place, ..Draft::default() })
}

/// `x.sh: line 3: …`.
fn numbered(line: &str) -> Option<(Frame, &str)> {
    let (file, rest) = line.split_once(": line ")?;
    let (number, rest) = number(rest)?;
    let said = rest.strip_prefix(':')?;
    is_script(file).then(|| (place(file, number), said.trim_start()))
}

/// `x.sh: 3: …`. Only with words that are surely a shell's, for the shape is common.
fn dash(line: &str) -> Option<(Frame, &str)> {
    let (file, rest) = line.split_once(": ")?;
    let (number, rest) = number(rest)?;
    let said = rest.strip_prefix(": ")?;
    let sure = said.ends_with(": not found")
        || said.starts_with("Syntax error: ")
        || said.ends_with(": parameter not set")
        || said.contains("Bad substitution")
        || said.ends_with(": Permission denied");
    (is_script(file) && sure).then(|| (place(file, number), said))
}

/// `bash: foo: command not found`.
fn unnumbered(line: &str) -> Option<(Frame, &str)> {
    let (shell, said) = line.split_once(": ")?;
    let is_shell = ["bash", "sh", "zsh", "/bin/sh", "/bin/bash"].contains(&shell);
    (is_shell && said.contains(": ")).then(|| (frame(None, shell, None), said))
}

fn is_script(file: &str) -> bool {
    !file.is_empty() && file.len() < 512 && !file.contains(": ") && !file.starts_with([' ', '\t'])
}

fn place(file: &str, line: u64) -> Frame {
    // Code from the command line is named after the shell itself.
    let inline = ["bash", "sh", "/bin/bash", "/bin/sh", "environment"].contains(&file);
    frame(None, if inline { "<string>" } else { file }, Some(line))
}

/// What the shell calls it, and about what.
fn sort(said: &str) -> (&str, &str) {
    for (end, kind) in [
        (": command not found", "command not found"),
        (": not found", "command not found"),
        (": unbound variable", "unbound variable"),
        (": parameter not set", "unbound variable"),
        (": No such file or directory", "No such file or directory"),
        (": Permission denied", "Permission denied"),
    ] {
        if let Some(about) = said.strip_suffix(end) {
            return (kind, about);
        }
    }
    match said.strip_prefix("syntax error").or_else(|| said.strip_prefix("Syntax error")) {
        Some(message) => ("syntax error", message.trim_start_matches([':', ' '])),
        None => ended_by_signal(said).unwrap_or(("error", said)),
    }
}

/// `  1234 Segmentation fault      (core dumped) ./a.out`.
fn ended_by_signal(said: &str) -> Option<(&str, &str)> {
    let (_, rest) = number(said)?;
    let rest = rest.trim_start();
    let known = [
        "Segmentation fault",
        "Aborted",
        "Killed",
        "Bus error",
        "Floating point exception",
        "Illegal instruction",
    ];
    let kind = known.into_iter().find(|kind| rest.starts_with(kind))?;
    let about = rest[kind.len()..].trim_start();
    Some((kind, about.strip_prefix("(core dumped)").unwrap_or(about).trim()))
}
