//! Notebooks: lines that are for the notebook and not for Python.

use super::parse::Source;
use crate::command_line;
use crate::text::beginning;
use actum_model::{Magic, MagicKind, Reading};
use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, IpyEscapeKind, Stmt};
use ruff_text_size::{Ranged, TextSize};

/// Cell magics whose cell is Python all the same.
const PYTHON_CELLS: [&str; 8] = ["time", "timeit", "capture", "prun", "python", "python3", "memit", "mprun"];

/// More are not listed.
const MOST: usize = 200;

/// One line for the notebook.
struct Escape<'a> {
    kind: IpyEscapeKind,
    value: &'a str,
    start: TextSize,
}

/// The text with the first cell that is for another language blank; none where there is no such cell.
pub(super) fn without_foreign_cell(source: &Source) -> Option<String> {
    let foreign = escapes(source).into_iter().find(|escape| {
        let name = escape.value.split_whitespace().next().unwrap_or("");
        escape.kind == IpyEscapeKind::Magic2
            && !PYTHON_CELLS.contains(&name)
            && !is_rest_blank(source, escape)
    })?;
    let after = rest_of_cell(source, &foreign);
    let blank: String = source.text[after.clone()].chars().filter(|character| *character == '\n').collect();
    Some(format!("{}{blank}{}", &source.text[..after.start], &source.text[after.end..]))
}

/// Lists the lines for the notebook, and what they install.
pub(super) fn note(source: &Source, reading: &mut Reading) {
    for escape in escapes(source).iter().take(MOST) {
        let line = source.lines.at(escape.start.to_usize());
        let (kind, mark) = kind_and_mark(escape.kind);
        let text = format!("{mark}{}", escape.value);
        reading.magics.push(Magic { kind, text: beginning(text.trim_end(), 200).to_owned(), line });
        command_line::note_installs(escape.value, "magic", line, &mut reading.installs);
        if kind == MagicKind::Shell {
            command_line::note_commands(escape.value, line, &mut reading.commands);
        }
    }
}

fn kind_and_mark(kind: IpyEscapeKind) -> (MagicKind, &'static str) {
    match kind {
        IpyEscapeKind::Shell => (MagicKind::Shell, "!"),
        IpyEscapeKind::ShCap => (MagicKind::Shell, "!!"),
        IpyEscapeKind::Help => (MagicKind::Help, "?"),
        IpyEscapeKind::Help2 => (MagicKind::Help, "??"),
        IpyEscapeKind::Magic => (MagicKind::Line, "%"),
        IpyEscapeKind::Magic2 => (MagicKind::Cell, "%%"),
        IpyEscapeKind::Quote => (MagicKind::Line, ","),
        IpyEscapeKind::Quote2 => (MagicKind::Line, ";"),
        IpyEscapeKind::Paren => (MagicKind::Line, "/"),
    }
}

fn is_rest_blank(source: &Source, escape: &Escape<'_>) -> bool {
    source.text[rest_of_cell(source, escape)].trim().is_empty()
}

/// From the line after a cell magic to where the next cell is marked, or to the end.
fn rest_of_cell(source: &Source, escape: &Escape<'_>) -> std::ops::Range<usize> {
    let line = source.lines.at(escape.start.to_usize());
    let start = source.lines.begin(line.saturating_add(1)).max(escape.start.to_usize());
    let rest = &source.text[start..];
    let is_mark = |line: &str| ["# %%", "#%%", "# In[", "%%"].iter().any(|mark| line.starts_with(mark));
    let mut end = 0;
    for one in rest.split_inclusive('\n') {
        if is_mark(one) {
            break;
        }
        end += one.len();
    }
    start..start + end
}

fn escapes(source: &Source) -> Vec<Escape<'_>> {
    let mut found = Found(Vec::new());
    found.visit_body(source.body());
    found.0
}

struct Found<'a>(Vec<Escape<'a>>);

impl<'a> Visitor<'a> for Found<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        if let Stmt::IpyEscapeCommand(escape) = statement {
            self.0.push(Escape { kind: escape.kind, value: &escape.value, start: escape.start() });
        }
        walk_stmt(self, statement);
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        if let Expr::IpyEscapeCommand(escape) = expression {
            self.0.push(Escape { kind: escape.kind, value: &escape.value, start: escape.start() });
        }
        walk_expr(self, expression);
    }
}
