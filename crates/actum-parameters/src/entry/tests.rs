//! Layouts of projects and how they are started.

use super::*;

/// Makes a project of files; `text` of most of them does not matter.
fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

fn chosen(files: &[(&str, &str)], goal: Option<Goal>) -> String {
    let folder = project(files);
    match choose(&find_entries(&Root::open(folder.path()).unwrap()), goal) {
        Choice::One(entry) => entry.command.join(" "),
        Choice::Several(entries) => {
            format!(
                "several: {}",
                entries.iter().map(|entry| entry.command.join(" ")).collect::<Vec<_>>().join(", ")
            )
        }
        Choice::None => "none".to_owned(),
    }
}

const MAIN: &str = "import x\nif __name__ == '__main__':\n    x.y()\n";

/// Files, a goal, and the command that is chosen.
type Case = (&'static [(&'static str, &'static str)], Option<Goal>, &'static str);

#[test]
fn projects_are_started_as_their_files_say() {
    let cases: &[Case] = &[
        (&[], None, "none"),
        (&[("README.md", "x")], None, "none"),
        (&[("scripts/train.sh", "python train.py")], None, "bash scripts/train.sh"),
        (&[("scripts/train.sh", "#!/bin/sh\n")], None, "sh scripts/train.sh"),
        (&[("scripts/train.sh", "#!/usr/bin/env -S bash -e\n")], None, "bash -e scripts/train.sh"),
        (&[("scripts/train.sh", "#!/opt/evil/wine\n")], None, "bash scripts/train.sh"),
        (&[("scripts/train.py", "")], None, "python3 scripts/train.py"),
        (&[("scripts/train.sh", ""), ("scripts/train.py", "")], None, "bash scripts/train.sh"),
        (
            &[("scripts/train.sh", ""), ("scripts/eval.sh", "")],
            None,
            "several: bash scripts/eval.sh, bash scripts/train.sh",
        ),
        (&[("scripts/train.sh", ""), ("scripts/eval.sh", "")], Some(Goal::Eval), "bash scripts/eval.sh"),
        (&[("scripts/train.sh", ""), ("scripts/eval.sh", "")], Some(Goal::Train), "bash scripts/train.sh"),
        (&[("scripts/train.sh", ""), ("Makefile", "train:\n\tx\n")], None, "bash scripts/train.sh"),
        (&[("scripts/train.sh", ""), ("train.py", MAIN)], None, "bash scripts/train.sh"),
        (&[("scripts/analysis.R", "")], None, "none"),
        (&[("scripts/run.R", "")], None, "Rscript scripts/run.R"),
        (&[("scripts/run.jl", "")], None, "julia scripts/run.jl"),
        (&[("scripts/run", "#!/usr/bin/env python\n")], None, "python3 scripts/run"),
        (&[("scripts/run", "no interpreter")], None, "none"),
        (&[("scripts/finetune.sh", "")], Some(Goal::Train), "bash scripts/finetune.sh"),
        (&[("scripts/fine_tune.py", "")], None, "python3 scripts/fine_tune.py"),
        (&[("scripts/reproduce.sh", "")], None, "bash scripts/reproduce.sh"),
        (&[("scripts/run_tests.sh", ""), ("train.py", "")], None, "python3 train.py"),
        (&[("train.py", "")], None, "python3 train.py"),
        (&[("train.py", ""), ("eval.py", "")], None, "several: python3 eval.py, python3 train.py"),
        (&[("train.py", ""), ("evaluate.py", "")], Some(Goal::Eval), "python3 evaluate.py"),
        (&[("train.py", ""), ("train_utils.py", ""), ("train_small.py", "")], None, "python3 train.py"),
        (
            &[("train_small.py", ""), ("train_large.py", "")],
            None,
            "several: python3 train_large.py, python3 train_small.py",
        ),
        (&[("src/train.py", "")], None, "python3 src/train.py"),
        (
            &[("src/__init__.py", ""), ("src/train.py", "from .model import M\n")],
            None,
            "python3 -m src.train",
        ),
        (
            &[("src/__init__.py", ""), ("src/train.py", "from src.model import M\n")],
            None,
            "python3 -m src.train",
        ),
        (&[("src/__init__.py", ""), ("src/train.py", "import torch\n")], None, "python3 src/train.py"),
        (&[("train.py", ""), ("src/train.py", "")], None, "python3 train.py"),
        (&[("bin/run.sh", "")], None, "bash bin/run.sh"),
        (&[("tools/train.py", ""), ("bin/train", "#!/bin/bash\n")], None, "bash bin/train"),
        (&[("main.py", ""), ("utils.py", "")], None, "python3 main.py"),
        (&[("Makefile", ".PHONY: train\ntrain: data\n\tpython t.py\ndata:\n\tx\n")], None, "make train"),
        (&[("Makefile", "train eval: data\n\tx\n")], None, "several: make eval, make train"),
        (&[("Makefile", "TRAIN := x\ntrain = y\n%.o: train\n\tx\n")], None, "none"),
        (&[("Makefile", "all: x\n\ty\n")], None, "none"),
        (&[("GNUmakefile", "run:\n\tx\n"), ("Makefile", "train:\n\tx\n")], None, "make run"),
        (
            &[("justfile", "set shell := ['bash']\ntrain epochs='3': build\n    x\nbuild:\n    y\n")],
            None,
            "just train",
        ),
        (
            &[("package.json", "{\"scripts\": {\"train\": \"node t.js\", \"test\": \"x\"}}")],
            None,
            "npm run train",
        ),
        (
            &[("package.json", "{\"scripts\": {\"train\": \"node t.js\"}}"), ("yarn.lock", "")],
            None,
            "yarn run train",
        ),
        (&[("package.json", "{\"scripts\": "), ("train.py", "")], None, "python3 train.py"),
        (&[("dvc.yaml", "stages:\n  prepare:\n    cmd: a\n  train:\n    cmd: b\n")], None, "dvc repro train"),
        (&[("dvc.yaml", "stages:\n  one:\n    cmd: a\n  two:\n    cmd: b\n")], None, "dvc repro"),
        (
            &[(
                "MLproject",
                "entry_points:\n  main:\n    parameters:\n      alpha: {type: float, default: 0.5}\n    command: \"python train.py {alpha}\"\n",
            )],
            None,
            "sh -c python train.py '0.5'",
        ),
        (
            &[(
                "MLproject",
                "entry_points:\n  main:\n    parameters:\n      path: path\n    command: \"python train.py {path}\"\n",
            )],
            None,
            "mlflow run . -e main",
        ),
        (&[("pyproject.toml", "[project.scripts]\ntrain = 'a.b:main'\n")], None, "train"),
        (
            &[("pyproject.toml", "[project.scripts]\ntrain = 'a.b:main'\n"), ("uv.lock", "")],
            None,
            "uv run train",
        ),
        (
            &[("pyproject.toml", "[tool.poetry.scripts]\nrun-eval = 'a.b:main'\n")],
            None,
            "poetry run run-eval",
        ),
        (
            &[("pyproject.toml", "[tool.pdm.scripts]\ntrain = 'python t.py'\nlint = 'x'\n")],
            None,
            "pdm run train",
        ),
        (&[("pyproject.toml", "not toml ["), ("train.py", "")], None, "python3 train.py"),
        (&[("model.py", "class M: pass\n"), ("go.py", MAIN)], None, "python3 go.py"),
        (&[("one.py", MAIN), ("two.py", MAIN)], None, "none"),
        (&[("go.py", MAIN), ("test_go.py", MAIN), ("setup.py", MAIN)], None, "python3 go.py"),
        (&[("src/go.py", "if \"__main__\" == __name__:\n    x()\n")], None, "python3 src/go.py"),
        (&[("go.py", "def f():\n    if __name__ == '__main__': pass\n")], None, "none"),
        (&[("train.py", "")], Some(Goal::Eval), "none"),
        (&[("train.ipynb", "{}")], None, "none"),
    ];
    assert!(cases.len() >= 40);
    for (files, goal, expected) in cases {
        assert_eq!(chosen(files, *goal), *expected, "{files:?} {goal:?}");
    }
}

#[test]
fn entries_say_where_they_were_found() {
    let folder = project(&[("Makefile", "data:\n\tx\n\ntrain: data\n\ty\n")]);
    let entries = find_entries(&Root::open(folder.path()).unwrap());
    assert_eq!(entries.len(), 1);
    assert_eq!((entries[0].line, entries[0].why.as_str()), (Some(4), "`Makefile` has a target `train`"));
    assert_eq!((entries[0].kind, entries[0].goal), (EntryKind::MakeTarget, Goal::Train));
}

#[test]
fn links_that_lead_out_and_large_files_are_no_entries() {
    let folder = project(&[]);
    std::os::unix::fs::symlink("/etc/hostname", folder.path().join("train.sh")).unwrap();
    std::fs::write(folder.path().join("eval.sh"), " ".repeat(2 << 20)).unwrap();
    std::fs::write(folder.path().join("run.sh"), b"\xff\xfe").unwrap();
    assert_eq!(find_entries(&Root::open(folder.path()).unwrap()), []);
}

#[test]
fn a_folder_of_many_files_is_listed_in_part() {
    let folder = project(&[]);
    for at in 0..400 {
        std::fs::write(folder.path().join(format!("train_{at}.py")), "").unwrap();
    }
    assert_eq!(find_entries(&Root::open(folder.path()).unwrap()).len(), MOST_ENTRIES);
}
