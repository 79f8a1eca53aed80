//! Programs of commands, and what Hydra composes.

use super::*;
use crate::config_file::{ConfigSearch, find};
use actum_gate::Root;
use serde_json::Value;
use std::path::Path;

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

fn write(folder: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

#[test]
fn the_program_of_a_command_is_found() {
    for (line, expected) in [
        ("python3 train.py --lr 1", Some(("train.py", 2))),
        ("python3 -u train.py", Some(("train.py", 3))),
        ("python -m src.train --x", Some(("src/train.py", 3))),
        ("torchrun --nproc_per_node 2 train.py --x", Some(("train.py", 4))),
        ("python -m torch.distributed.run --nnodes 1 a/train.py --x", Some(("a/train.py", 6))),
        ("accelerate launch --config_file a.yaml train.py", Some(("train.py", 5))),
        ("uv run train.py", Some(("train.py", 3))),
        ("bash scripts/train.sh", Some(("scripts/train.sh", 2))),
        ("python -c 1", None),
        ("make train", None),
        ("", None),
    ] {
        let found = program_of(&words(line)).map(|program| (program.file, program.words_at));
        assert_eq!(found, expected.map(|(file, at)| (file.to_owned(), at)), "{line}");
    }
}

fn composed(files: &[(&str, &str)], line: &str) -> (Vec<String>, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), files);
    let root = Root::open(folder.path()).unwrap();
    let composed = compose(&root, "conf/config.yaml", &words(line)).unwrap();
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    (
        composed.leaves.iter().map(|leaf| format!("{}={}", leaf.path, text(&leaf.value))).collect(),
        composed.notes,
    )
}

#[test]
fn hydra_composes_groups() {
    let files = [
        (
            "conf/config.yaml",
            "defaults:\n  - model: small\n  - data: mnist\n  - _self_\nseed: 1\nmodel:\n  dim: 9\n",
        ),
        ("conf/model/small.yaml", "dim: 8\nlayers: [1, 2]\n"),
        ("conf/model/large.yaml", "dim: 64\n"),
        ("conf/data/mnist.yaml", "name: mnist\npath: ${root}/mnist\n"),
    ];
    let expected =
        ["model.dim=9", "model.layers=[1,2]", "data.name=mnist", "data.path=${root}/mnist", "seed=1"];
    assert_eq!(composed(&files, ""), (expected.map(str::to_owned).to_vec(), vec![]));
    let chosen = composed(&files, "model=large seed=3");
    assert_eq!(chosen.0[0], "model.dim=9");
    assert_eq!(chosen.0.len(), 4);
}

#[test]
fn the_place_of_the_file_itself_decides() {
    let group = ("conf/a/x.yaml", "v: group\n");
    let first =
        composed(&[("conf/config.yaml", "defaults:\n  - _self_\n  - a: x\na: {v: own}\n"), group], "");
    assert_eq!(first.0, ["a.v=group"]);
    let last = composed(&[("conf/config.yaml", "defaults:\n  - a: x\na: {v: own}\n"), group], "");
    assert_eq!(last.0, ["a.v=own"]);
}

#[test]
fn what_is_not_covered_is_said() {
    let files = [
        (
            "conf/config.yaml",
            "defaults:\n  - base\n  - optional local: default\n  - a: missing\n  - b: ???\n  - override hydra/launcher: x\n  - experiment: one\n  - db@source: sql\n  - nothing: null\n",
        ),
        ("conf/base.yaml", "k: 1\n"),
        ("conf/experiment/one.yaml", "# @package _global_\nk: 2\n"),
        ("conf/db/sql.yaml", "host: h\n"),
    ];
    let (leaves, notes) = composed(&files, "");
    assert_eq!(leaves, ["k=1", "source.host=h"]);
    let expected = [
        "the group `b` has no choice (`???`)",
        "`conf/a/missing.yaml` of the defaults list is not there",
        "`conf/experiment/one.yaml` has `@package _global_`, which is not covered",
    ];
    for note in expected {
        assert!(notes.iter().any(|known| known == note), "{note}: {notes:?}");
    }
    assert_eq!(notes.len(), expected.len(), "{notes:?}");
}

#[test]
fn groups_that_name_each_other_end() {
    let files =
        [("conf/config.yaml", "defaults:\n  - a: x\n"), ("conf/a/x.yaml", "defaults:\n  - x\n  - x\nv: 1\n")];
    let (leaves, _) = composed(&files, "");
    assert!(leaves.len() < 10);
}

/// What a search says, in short.
fn searched(files: &[(&str, &str)], line: &str, program: &str, goal: Option<&str>) -> String {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), files);
    let root = Root::open(folder.path()).unwrap();
    let declared = actum_syntax::read("python", program.as_bytes()).parameters;
    match find(&root, &words(line), &declared, goal) {
        Ok(ConfigSearch::One(choice)) => format!("{}{}", choice.file, if choice.is_guess { "?" } else { "" }),
        Ok(ConfigSearch::Several(list)) => {
            list.iter().map(|one| one.file.as_str()).collect::<Vec<_>>().join(" ")
        }
        Ok(ConfigSearch::None) => "none".to_owned(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn the_configuration_of_a_command_is_found() {
    let argparse = "import argparse\np = argparse.ArgumentParser()\np.add_argument('-f', '--config', default='configs/base.yaml')\n";
    let hydra = "import hydra\n@hydra.main(config_path='../conf', config_name='train')\ndef main(c): pass\n";
    /// Files, command, program, goal, and what is found.
    type Case<'c> = (&'c [&'c str], &'c str, &'c str, Option<&'c str>, &'c str);
    let cases: &[Case<'_>] = &[
        (&[], "python t.py", "", None, "none"),
        (&["a.yaml"], "python t.py --config a.yaml", "", None, "a.yaml"),
        (&["a.yaml"], "python t.py --config=./a.yaml", "", None, "a.yaml"),
        (&["a.yaml"], "python t.py -c a.yaml", "", None, "a.yaml"),
        (
            &["a.yml"],
            "python t.py --config a.yaml",
            "",
            None,
            "the configuration a.yaml does not exist; did you mean `a.yml`?",
        ),
        (
            &["configs/exp.yaml"],
            "python t.py --config exp.yaml",
            "",
            None,
            "the configuration exp.yaml does not exist; did you mean `configs/exp.yaml`?",
        ),
        (&["configs/base.yaml"], "python t.py", argparse, None, "configs/base.yaml"),
        (&["configs/base.yaml", "b.toml"], "python t.py -f b.toml", argparse, None, "b.toml"),
        (&["exp/b.json"], "python t.py exp/b.json", "", None, "exp/b.json"),
        (&["params.yaml", "configs/a.yaml"], "python t.py", "", None, "params.yaml?"),
        (&["config.yaml"], "python t.py", "", None, "config.yaml?"),
        (&["configs/only.yaml"], "python t.py", "", None, "configs/only.yaml?"),
        (&["configs/a.yaml", "configs/b.yaml"], "python t.py", "", None, "configs/a.yaml configs/b.yaml"),
        (&["configs/train.yaml", "configs/eval.yaml"], "python t.py", "", Some("eval"), "configs/eval.yaml?"),
        (&["conf/train.yaml"], "python src/t.py", hydra, None, "conf/train.yaml"),
        (
            &["conf/train.yaml", "conf/dev.yaml"],
            "python src/t.py --config-name dev",
            hydra,
            None,
            "conf/dev.yaml",
        ),
        (
            &["conf/x.yaml"],
            "python src/t.py",
            hydra,
            None,
            "the configuration conf/train.yaml does not exist",
        ),
        (&["config.yaml"], "python t.py --config /etc/x.yaml", "", None, "config.yaml?"),
        (&["pyproject.toml", "tsconfig.json"], "python t.py", "", None, "none"),
    ];
    for (files, line, program, goal, expected) in cases {
        let files: Vec<(&str, &str)> = files.iter().map(|name| (*name, "{}")).collect();
        assert_eq!(searched(&files, line, program, *goal), *expected, "{files:?} {line}");
    }
}
