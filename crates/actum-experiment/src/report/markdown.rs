//! A report as Markdown, for a pull request or a repository.

use super::document::{Block, Document, Rows, Text};
use crate::plot::{Colour, TerminalSize};

const CHART: TerminalSize = TerminalSize { columns: 90, rows: 12 };

pub(super) fn render(document: &Document) -> String {
    let mut out = format!("# {}\n\n", text(&document.title));
    for block in &document.blocks {
        write(block, 2, &mut out);
    }
    out.push_str(&format!("---\nMade by Actum at {}.\n", document.made_at));
    out
}

fn write(block: &Block, level: usize, out: &mut String) {
    match block {
        Block::Heading(title) => out.push_str(&format!("{} {}\n\n", "#".repeat(level), text(title))),
        Block::Paragraph(line) => out.push_str(&format!("{}\n\n", text(line))),
        Block::Facts(facts) => {
            let rows = facts.iter().map(|fact| format!("**{}** {}", fact.name, cell(&fact.value)));
            out.push_str(&format!("{}\n\n", rows.collect::<Vec<_>>().join(" · ")));
        }
        Block::Table(rows) => table(rows, out),
        Block::List(lines) => {
            lines.iter().for_each(|line| out.push_str(&format!("- {}\n", text(line))));
            out.push('\n');
        }
        Block::Checklist(checks) => {
            for check in checks {
                let mark = if check.holds { 'x' } else { ' ' };
                out.push_str(&format!("- [{mark}] {}: {}\n", text(&check.what), text(&check.evidence)));
            }
            out.push('\n');
        }
        Block::Command(line) | Block::Source(line) => fenced(line, out),
        Block::Chart(chart) => fenced(chart.terminal(CHART, Colour::Plain).trim_end(), out),
        Block::Details { title, blocks, .. } => {
            let level = (level + 1).min(5);
            out.push_str(&format!("{} {}\n\n", "#".repeat(level), text(title)));
            blocks.iter().for_each(|block| write(block, level + 1, out));
        }
    }
}

fn table(rows: &Rows, out: &mut String) {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    out.push_str(&line(rows.titles.iter().map(|title| text(title)).collect()));
    let is_number =
        |column: usize| rows.rows.iter().any(|row| matches!(row.get(column), Some(Text::Number(_))));
    let rule = |column: usize| if is_number(column) { "---:" } else { "---" }.to_owned();
    out.push_str(&line((0..rows.titles.len()).map(rule).collect()));
    for row in &rows.rows {
        out.push_str(&line(row.iter().map(cell).collect()));
    }
    if rows.left_out > 0 {
        out.push_str(&format!("\n{} more\n", rows.left_out));
    }
    out.push('\n');
}

fn cell(value: &Text) -> String {
    match value {
        Text::Plain(plain) | Text::Number(plain) => text(plain),
        // A bar ends a cell even in code; a backtick would end the code.
        Text::Code(code) if code.contains(['`', '|']) || code.trim().is_empty() => text(code),
        Text::Code(code) => format!("`{code}`"),
    }
}

/// A fence that is longer than any run of backticks in the text.
fn fenced(body: &str, out: &mut String) {
    let longest = body.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    out.push_str(&format!("{fence}text\n{body}\n{fence}\n\n"));
}

/// Text that is not markup: everything that Markdown or HTML would read is escaped.
fn text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        match c {
            '\\' | '`' | '*' | '[' | ']' | '|' | '~' | '#' => out.extend(['\\', c]),
            // Within a word it is a letter.
            '_' if !is_inside_word(text, at) => out.push_str("\\_"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '@' => out.push_str("&#64;"),
            // A link that nobody asked for.
            ':' if text[at..].starts_with("://") => out.push_str("&#58;"),
            '-' | '+' | '=' if at == 0 => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out
}

fn is_inside_word(text: &str, at: usize) -> bool {
    let before = text[..at].chars().next_back();
    let after = text[at + 1..].chars().next();
    [before, after].iter().all(|c| c.is_some_and(char::is_alphanumeric))
}
