//! Answers without any mark-up: where code may stand in them. Such code is shown and never run, because nothing says where it
//! begins and ends.

use crate::answer::{Answer, Before, Piece};
use crate::thinking;
use actum_model::{AnswerForm, BlockKind, Candidate};

/// A stretch of fewer lines is a phrase that looks like code.
const SHORTEST: usize = 2;

/// Reads plain text: every stretch that looks like code is a piece.
pub(crate) fn read(text: &str) -> Answer {
    let (text, note) = thinking::without(text);
    let all: Vec<&str> = text.lines().collect();
    let pieces = candidates(&text)
        .into_iter()
        .map(|one| {
            let [first, last] = one.lines;
            let code = all[first as usize - 1..last as usize].iter().flat_map(|line| [*line, "\n"]).collect();
            Piece {
                kind: BlockKind::Text,
                code,
                lines: one.lines,
                first_code_line: first,
                before: Before::default(),
                ..Piece::default()
            }
        })
        .collect();
    Answer {
        form: AnswerForm::Text,
        pieces,
        notes: note.into_iter().collect(),
        text: text.into_owned(),
        ..Answer::default()
    }
}

/// Stretches of lines that look like code: between rules of `────`, or from a line that begins a program to the next line of
/// prose.
pub(crate) fn candidates(text: &str) -> Vec<Candidate> {
    let mut found = Vec::new();
    let mut begun: Option<(usize, usize, &'static str)> = None;
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        begun = match (begun, begins(line)) {
            (None, Some(language)) => Some((number, number, language)),
            (None, None) => None,
            (Some(stretch), _) if is_prose(line) || is_rule(line) => {
                finish(stretch, &mut found);
                None
            }
            (Some((first, last, language)), _) => {
                Some((first, if line.trim().is_empty() { last } else { number }, language))
            }
        };
    }
    if let Some(stretch) = begun {
        finish(stretch, &mut found);
    }
    found
}

fn finish((first, last, language): (usize, usize, &str), found: &mut Vec<Candidate>) {
    if last + 1 - first >= SHORTEST {
        found.push(Candidate { lines: [first as u64, last as u64], language: language.to_owned() });
    }
}

/// The language that a line begins a program of.
fn begins(line: &str) -> Option<&'static str> {
    let word = line.split([' ', '(', ':']).next().unwrap_or("");
    let ends = line.trim_end();
    match word {
        "import" | "from" if !ends.ends_with(['.', ':', ',']) && ends.split(' ').count() <= 8 => {
            Some(if ends.ends_with(';') { "javascript" } else { "python" })
        }
        "def" | "class" if ends.ends_with(':') => Some("python"),
        "#!/bin/bash" | "#!/usr/bin/env" => Some("bash"),
        "const" | "function" | "let" if ends.ends_with([';', '{']) => Some("javascript"),
        "#include" => Some("c"),
        "package" | "func" if !ends.ends_with(['.', ',']) => Some("go"),
        "<?php" => Some("php"),
        "fn" | "use" if ends.ends_with([';', '{']) => Some("rust"),
        "public" | "struct" if ends.ends_with('{') => Some("java"),
        _ => None,
    }
}

/// A line of words: a capital first, several words, the end of a sentence.
fn is_prose(line: &str) -> bool {
    let line = line.trim_end();
    let is_sentence = line.ends_with(['.', ':', '!', '?']) && !line.ends_with("):");
    line.starts_with(char::is_uppercase) && is_sentence && line.split(' ').count() >= 4 && !line.contains('=')
}

fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.chars().count() >= 4
        && line.chars().all(|letter| matches!(letter, '─' | '━' | '═' | '—' | '-' | '_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_among_prose() {
        let text = "Here is the program.\n\nimport os\nprint(os.getcwd())\n\nThat is all there is to it.\n────────\ndef f():\n    return 1\n────────\nimport it yourself.\n";
        let found: Vec<[u64; 2]> = candidates(text).into_iter().map(|one| one.lines).collect();
        assert_eq!(found, [[3, 4], [8, 9]]);
        assert_eq!(read(text).pieces[1].code, "def f():\n    return 1\n");
    }
}
