//! Answers that models really gave, held against the list of blocks that another parser of CommonMark made.

use crate::reader::Direct;
use actum_answers::{Hint, decide, read};
use actum_model::{BlockKind, Disposition};
use serde_json::Value;
use std::path::PathBuf;

fn rows() -> Option<Vec<Value>> {
    let folder = PathBuf::from(std::env::var_os("ACTUM_SAMPLES")?);
    let text = std::fs::read_to_string(folder.join("model-answers.jsonl")).ok()?;
    Some(text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

/// Kind, label, lines and nesting, as the reference has them: lines from zero, the last one not included.
type Told = (String, String, [u64; 2], bool);

#[test]
fn block_lists_agree_with_the_reference() {
    let Some(rows) = rows() else {
        return actum_testkit::skip("ACTUM_SAMPLES names no folder with model-answers.jsonl");
    };
    let mut wrong = Vec::new();
    for row in &rows {
        let answer = read(row["code"].as_str().unwrap().as_bytes(), Hint::File("answer.md")).unwrap();
        let found: Vec<Told> = answer
            .pieces
            .iter()
            .filter_map(|piece| {
                let kind = match piece.kind {
                    BlockKind::Fence => "fence",
                    BlockKind::Indented => "code_block",
                    BlockKind::Html | BlockKind::Cell | BlockKind::ToolCall | BlockKind::Text => return None,
                };
                let lines = [piece.lines[0] - 1, piece.lines[1]];
                Some((kind.to_owned(), piece.label.clone().unwrap_or_default(), lines, piece.nested))
            })
            .collect();
        let expected: Vec<Told> = row["blocks"].as_array().unwrap().iter().map(told).collect();
        if found != expected {
            wrong.push(format!("{}\n  found    {found:?}\n  expected {expected:?}", row["id"]));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

fn told(block: &Value) -> Told {
    let line = |at: usize| block["lines"][at].as_u64().unwrap();
    let lang = block["lang"].as_str().unwrap().to_owned();
    (block["kind"].as_str().unwrap().to_owned(), lang, [line(0), line(1)], block["nested"].as_bool().unwrap())
}

#[test]
fn nothing_unlabelled_runs_that_is_for_a_shell_or_configures() {
    let Some(rows) = rows() else {
        return actum_testkit::skip("ACTUM_SAMPLES names no folder with model-answers.jsonl");
    };
    let mut run = Vec::new();
    for row in &rows {
        let answer = read(row["code"].as_str().unwrap().as_bytes(), Hint::File("answer.md")).unwrap();
        let blocks = decide(&answer, &mut Direct::default());
        let unlabelled =
            blocks.iter().filter(|block| block.label.is_none() && block.disposition == Disposition::Run);
        run.extend(
            unlabelled.map(|block| (row["id"].to_string(), block.language.clone(), block.code.clone())),
        );
    }
    // What runs is looked at by people; what is certain is that each is in a language that only one parser took.
    for (id, language, code) in &run {
        assert!(!["bash", "sh"].contains(&language.as_str()), "{id}: {code}");
        for sign in ["sudo ", "npm ", "apt-get ", "docker ", "pip install"] {
            assert!(!code.contains(sign), "{id}: {code}");
        }
    }
}
