//! Notebooks: lines that are for the notebook and not for Python.

use super::escapes::Escape;
use super::parse::Source;
use crate::command_line;
use crate::text::beginning;
use actum_model::{Magic, MagicKind, Reading};

/// Cell magics whose cell is Python all the same.
const PYTHON_CELLS: [&str; 8] = ["time", "timeit", "capture", "prun", "python", "python3", "memit", "mprun"];

/// More are not listed.
const MOST: usize = 200;

/// The text with the first cell that is for another language blank; none where there is no such cell.
pub(super) fn without_foreign_cell(source: &Source) -> Option<String> {
    let foreign = source.escapes.iter().find(|escape| {
        let name = escape.value.split_whitespace().next().unwrap_or("");
        escape.kind == MagicKind::Cell && !PYTHON_CELLS.contains(&name) && !is_rest_blank(source, escape)
    })?;
    let after = rest_of_cell(source, foreign);
    let blank: String = source.text[after.clone()].chars().filter(|character| *character == '\n').collect();
    Some(format!("{}{blank}{}", &source.text[..after.start], &source.text[after.end..]))
}

/// Lists the lines for the notebook, and what they install.
pub(super) fn note(source: &Source, reading: &mut Reading) {
    for escape in source.escapes.iter().take(MOST) {
        let line = source.lines.line_of(escape.start);
        let text = format!("{}{}", escape.mark, escape.value);
        reading.magics.push(Magic {
            kind: escape.kind,
            text: beginning(text.trim_end(), 200).to_owned(),
            line,
        });
        command_line::note_installs(&escape.value, "magic", line, &mut reading.installs);
        if escape.kind == MagicKind::Shell {
            command_line::note_commands(&escape.value, line, &mut reading.commands);
        }
    }
}

fn is_rest_blank(source: &Source, escape: &Escape) -> bool {
    source.text[rest_of_cell(source, escape)].trim().is_empty()
}

/// From the line after a cell magic to where the next cell is marked, or to the end.
fn rest_of_cell(source: &Source, escape: &Escape) -> std::ops::Range<usize> {
    let line = source.lines.line_of(escape.start);
    let start = source.lines.start_of(line.saturating_add(1)).max(escape.start);
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
