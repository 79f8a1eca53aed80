//! The blocks of an answer, what would be done with each, and why.

use super::look::{Look, Tone};
use super::untrusted;
use actum_model::{AnswerForm, Block, Blocks, Disposition};

/// Where the reason begins: behind the number and the disposition.
const LABELS: usize = 13;
/// A reader looks at that many; `--json` has them all.
const MOST: usize = 200;

/// The whole list, without a line end at its end.
pub fn blocks(found: &Blocks, look: &Look) -> String {
    let mut lines = vec![headline(found)];
    lines.extend(found.blocks.iter().take(MOST).flat_map(|block| one(block, look)));
    if found.blocks.len() > MOST {
        lines.push(format!("{} more blocks; --json lists them all", found.blocks.len() - MOST));
    }
    for candidate in found.candidates.iter().take(MOST) {
        let [first, last] = candidate.lines;
        let text = format!(
            "lines {first}-{last} look like {} but are not in a code block: skipped",
            candidate.language
        );
        lines.push(look.paint(Tone::Doubtful, &text));
    }
    let notes = found.notes.iter().map(|note| format!("note: {}", untrusted::line(note)));
    lines.extend(notes.map(|note| look.paint(Tone::Faint, &note)));
    lines.join("\n")
}

fn headline(found: &Blocks) -> String {
    let form = match found.form {
        AnswerForm::Markdown => "Markdown",
        AnswerForm::Transcript => "a transcript",
        AnswerForm::Notebook => "a notebook",
        AnswerForm::Html => "an HTML page",
        AnswerForm::Text => "plain text",
    };
    let count = |disposition: Disposition| {
        found.blocks.iter().filter(|block| block.disposition == disposition).count()
    };
    let told = [
        (Disposition::Run, "to run"),
        (Disposition::File, "to write"),
        (Disposition::Apply, "to apply"),
        (Disposition::Expect, "expected"),
        (Disposition::Skip, "to skip"),
    ];
    let told: Vec<String> = told
        .iter()
        .filter(|(disposition, _)| count(*disposition) > 0)
        .map(|(disposition, words)| format!("{} {words}", count(*disposition)))
        .collect();
    match (found.blocks.len(), told.as_slice()) {
        (0, _) => format!("no code blocks in {form}"),
        (1, told) => format!("1 code block in {form}: {}", told.join(", ")),
        (several, told) => format!("{several} code blocks in {form}: {}", told.join(", ")),
    }
}

fn one(block: &Block, look: &Look) -> Vec<String> {
    let (word, tone) = match block.disposition {
        Disposition::Run => ("run", Tone::Good),
        Disposition::File => ("file", Tone::Good),
        Disposition::Apply => ("apply", Tone::Good),
        Disposition::Expect => ("expect", Tone::Plain),
        Disposition::Skip => ("skip", Tone::Faint),
    };
    let [first, last] = block.lines;
    let language = if block.language.is_empty() { "unlabelled" } else { &block.language };
    let path = block.path.as_deref().map(|path| format!(", {path}")).unwrap_or_default();
    let head = untrusted::line(&format!("{language}, lines {first}-{last}{path}"));
    let room = look.width.saturating_sub(LABELS);
    let mut lines = vec![format!(
        "{:>4}  {}{}",
        block.index,
        look.paint(tone, &format!("{word:<7}")),
        untrusted::fit(&head, room)
    )];
    let more = |text: &str, tone: Tone| {
        let text = untrusted::fit(&untrusted::line(text), room);
        format!("{:LABELS$}{}", "", look.paint(tone, &text))
    };
    lines.push(more(&block.why, Tone::Plain));
    lines.extend(block.warnings.iter().map(|warning| more(warning, Tone::Doubtful)));
    if !block.requirements.is_empty() {
        let names: Vec<String> =
            block.requirements.iter().map(|one| format!("{} ({})", one.package, one.tool)).collect();
        lines.push(more(&format!("needs {}", names.join(", ")), Tone::Plain));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::look::{Colour, Detail, Motion};
    use actum_model::PackageWish;

    #[test]
    fn each_block_is_told_with_its_reason_and_nothing_is_obeyed() {
        let run = Block {
            index: 1,
            language: "python".to_owned(),
            disposition: Disposition::Run,
            why: "a program in python".to_owned(),
            lines: [3, 5],
            path: Some("a\u{1b}[2J.py".to_owned()),
            warnings: vec!["it serves until it is stopped".to_owned()],
            requirements: vec![PackageWish { tool: "pip".to_owned(), package: "numpy".to_owned() }],
            ..Block::default()
        };
        let skip =
            Block { index: 2, why: "nobody says what it is".to_owned(), lines: [7, 9], ..Block::default() };
        let found = Blocks { blocks: vec![run, skip], notes: vec!["a note".to_owned()], ..Blocks::default() };
        let look = Look { colour: Colour::Plain, width: 60, detail: Detail::Brief, motion: Motion::Still };
        let expected = "\
2 code blocks in Markdown: 1 to run, 1 to skip
   1  run    python, lines 3-5, a\\u{1b}[2J.py
             a program in python
             it serves until it is stopped
             needs numpy (pip)
   2  skip   unlabelled, lines 7-9
             nobody says what it is
note: a note";
        assert_eq!(blocks(&found, &look), expected);
    }
}
