//! Notebooks of Jupyter: their code cells in order, and what they printed.

use crate::answer::{Answer, Before, Piece};
use crate::error::AnswersError;
use crate::json::{self, Node, Value};
use actum_model::{AnswerForm, BlockKind};

/// Reads a notebook.
pub(crate) fn read(text: &str) -> Result<Answer, AnswersError> {
    let value = json::read(text, 1)
        .map_err(|broken| AnswersError::Notebook { line: broken.line, problem: broken.problem })?;
    let problem =
        |problem: &str| AnswersError::Notebook { line: value.lines[0], problem: problem.to_owned() };
    // Notebooks of version 3 keep their cells in worksheets.
    let sheet = || value.get("worksheets").and_then(|sheets| sheets.list().first()?.get("cells"));
    let cells = value.get("cells").or_else(sheet).ok_or_else(|| problem("it has no cells"))?;
    let language = language(&value);
    let mut answer = Answer { form: AnswerForm::Notebook, ..Answer::default() };
    let mut before = String::new();
    for (cell, part) in cells.list().iter().zip(1..) {
        match cell.text_of("cell_type") {
            Some("code") => answer.pieces.push(code(cell, part, &language, std::mem::take(&mut before))),
            Some(_) | None => before = joined(cell.get("source")),
        }
    }
    if value.is_cut {
        answer.notes.push(format!("the notebook is cut off in line {}", value.lines[1]));
    }
    Ok(answer)
}

fn language(notebook: &Value) -> String {
    let metadata = notebook.get("metadata");
    let named = |group: &str, name: &str| metadata?.get(group)?.text_of(name).map(str::to_ascii_lowercase);
    named("language_info", "name")
        .or_else(|| named("kernelspec", "language"))
        .unwrap_or_else(|| "python".to_owned())
}

fn code(cell: &Value, part: u32, language: &str, before: String) -> Piece {
    let source = cell.get("source").or_else(|| cell.get("input"));
    let printed = printed(cell);
    let last = before.trim().rsplit("\n\n").next().unwrap_or_default().to_owned();
    Piece {
        kind: BlockKind::Cell,
        label: Some(language.to_owned()),
        code: joined(source),
        lines: cell.lines,
        first_code_line: source.map_or(cell.lines[0], |source| source.lines[0]),
        before: Before { text: last, ..Before::default() },
        part,
        printed,
        cut: cell.is_cut.then(|| "the notebook is cut off in this cell".to_owned()),
        ..Piece::default()
    }
}

/// A text that is one string or a list of lines.
fn joined(value: Option<&Value>) -> String {
    match value.map(|value| &value.node) {
        Some(Node::Text(text)) => text.clone(),
        Some(Node::List(lines)) => lines.iter().filter_map(Value::text).collect(),
        Some(Node::Object(_) | Node::Word(_)) | None => String::new(),
    }
}

/// What a cell printed and answered, as text.
fn printed(cell: &Value) -> Option<String> {
    let mut text = String::new();
    for output in cell.get("outputs").map(Value::list).unwrap_or_default() {
        match output.text_of("output_type") {
            Some("stream") if output.text_of("name") != Some("stderr") => {
                text.push_str(&joined(output.get("text")))
            }
            Some("execute_result") => {
                let data =
                    output.get("data").and_then(|data| data.get("text/plain")).or_else(|| output.get("text"));
                text.push_str(&joined(data));
                text.push('\n');
            }
            Some(_) | None => {}
        }
    }
    Some(text).filter(|text| !text.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTEBOOK: &str = r##"{
 "cells": [
  {"cell_type": "markdown", "source": ["# Title\n", "words"]},
  {"cell_type": "code", "source": ["x = 1\n", "x"],
   "outputs": [{"output_type": "execute_result", "data": {"text/plain": ["1"]}}]},
  {"cell_type": "code", "source": "print(x)", "outputs": [{"output_type": "stream", "name": "stdout", "text": "1\n"}]}
 ],
 "metadata": {"kernelspec": {"language": "python"}},
 "nbformat": 4
}"##;

    #[test]
    fn cells_in_order_with_their_output() {
        let answer = read(NOTEBOOK).unwrap();
        let told: Vec<(&str, &str, [u64; 2], u32)> = answer
            .pieces
            .iter()
            .map(|one| (one.code.as_str(), one.printed.as_deref().unwrap_or_default(), one.lines, one.part))
            .collect();
        assert_eq!(told, [("x = 1\nx", "1\n", [4, 5], 2), ("print(x)", "1\n", [6, 6], 3)]);
    }

    #[test]
    fn broken_ones_are_told_and_cut_ones_read_as_far_as_they_go() {
        assert!(matches!(read("{\"cells\": [}"), Err(AnswersError::Notebook { line: 1, .. })));
        assert!(matches!(read("{\"nbformat\": 4}"), Err(AnswersError::Notebook { .. })));
        let cut = read(&NOTEBOOK[..NOTEBOOK.find("print").unwrap()]).unwrap();
        assert_eq!(cut.pieces.len(), 2);
        assert!(cut.pieces[1].cut.is_some() && cut.notes.len() == 1);
    }
}
