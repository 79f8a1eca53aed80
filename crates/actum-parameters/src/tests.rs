//! A whole project, from its files to its parameters, and texts of help.

use crate::config_file::{self, Config, ConfigSearch};
use crate::declared::{leaves, program_of};
use crate::entry::{Choice, choose, find_entries};
use crate::help::{HelpOption, parse_help};
use crate::resolve::{Inputs, resolve};
use actum_gate::{Bound, Root};
use proptest::prelude::*;
use std::path::Path;
use std::time::{Duration, Instant};

#[test]
fn a_project_is_read_from_its_files_alone() {
    let folder = tempfile::tempdir().unwrap();
    let files = [
        (
            "train.py",
            "import argparse\np = argparse.ArgumentParser()\np.add_argument('--config', default='config.yaml')\np.add_argument('--seed', type=int, default=42)\nargs = p.parse_args()\n",
        ),
        ("config.yaml", "# of the paper\nmodel:\n  learning_rate: 0.1 # slow\nepochs: 90\n"),
    ];
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let root = Root::open(folder.path()).unwrap();
    let Choice::One(entry) = choose(&find_entries(&root), None) else { panic!() };
    let program = program_of(&entry.command).unwrap();
    let text = root.read(Path::new(&program.file), Bound::SOURCE).unwrap();
    let reading = actum_syntax::read("python", &text);
    let search = config_file::find(&root, &entry.command, &reading.parameters, None).unwrap();
    let ConfigSearch::One(choice) = search else { panic!() };
    assert_eq!((choice.file.as_str(), choice.is_guess), ("config.yaml", false));
    let config = Config::read(&root, &choice.file).unwrap();
    let leaves = leaves(&config.value, &config.file);
    let set = ["model.learning_rate=0.2".to_owned(), "seed=7".to_owned()];
    let words = &entry.command[program.words_at..];
    let inputs =
        Inputs { declared: &reading.parameters, program: &program.file, config: &leaves, words, set: &set };
    let resolved = resolve(&inputs).unwrap();
    assert_eq!(resolved.more_words, ["--seed", "7"]);
    let edited = config_file::set_values(&config.text, config.format, &resolved.config_changes).unwrap();
    assert_eq!(edited.text, "# of the paper\nmodel:\n  learning_rate: 0.2 # slow\nepochs: 90\n");
    let names: Vec<&str> = resolved.parameters.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["config", "seed", "model.learning_rate", "epochs"]);
    assert_eq!(std::fs::read_to_string(folder.path().join("config.yaml")).unwrap(), config.text);
}

fn shown(option: &HelpOption) -> String {
    let mut text = option.flags.join("|");
    for negative in &option.negative_flags {
        text.push_str(&format!("|{negative}"));
    }
    if let Some(metavar) = &option.metavar {
        text.push_str(&format!(" {metavar}"));
    }
    if !option.choices.is_empty() {
        text.push_str(&format!(" {{{}}}", option.choices.join(",")));
    }
    if let Some(default) = &option.default {
        text.push_str(&format!(" = {default}"));
    }
    text
}

#[test]
fn texts_of_help_are_read() {
    let argparse = "usage: t.py [-h] [--epochs EPOCHS]\n            [--opt {adam,sgd}]\n\npositional arguments:\n  data                  where\n\noptions:\n  -h, --help            show this help message and exit\n  -e EPOCHS, --epochs EPOCHS\n                        how many (default: 10)\n  --opt {adam,sgd}      which (default: adam)\n  --fast                quick\n  --amp, --no-amp       mixed\n  --sizes SIZES [SIZES ...]\n";
    let click = "Usage: t [OPTIONS] SRC\n\nOptions:\n  -n, --n-steps INTEGER           Steps.  [default: 5]\n  --shout / --no-shout            Loud.\n  --kind [a|b]                    Kind.\n  --rate FLOAT RANGE              Rate.\n  --help                          Show this message and exit.\n";
    let absl = "t:\n  --epochs: how many\n    (default: '10')\n    (an integer)\n  -b,--[no]fast: quick\n    (default: 'false')\n  --opt: <adam|sgd>: which\n    (default: 'adam')\n";
    let rich = "╭─ Options ─────────╮\n│ --name        TEXT     Who [default: x] │\n│ *  --count    INTEGER  How many [required] │\n│ --fast    --no-fast    Quick │\n╰──────────╯\n";
    for (text, expected) in [
        (
            argparse,
            vec![
                "-h|--help",
                "-e|--epochs EPOCHS = 10",
                "--opt {adam,sgd} = adam",
                "--fast",
                "--amp|--no-amp",
                "--sizes SIZES [SIZES ...]",
            ],
        ),
        (
            click,
            vec![
                "-n|--n-steps INTEGER = 5",
                "--shout|--no-shout",
                "--kind {a,b}",
                "--rate FLOAT RANGE",
                "--help",
            ],
        ),
        (absl, vec!["--epochs INTEGER = 10", "-b|--fast|--nofast = false", "--opt VALUE = adam"]),
        (rich, vec!["--name TEXT = x", "--count INTEGER", "--fast|--no-fast"]),
        ("", vec![]),
        ("no options here\n-\n--\n- item\n", vec![]),
    ] {
        let found: Vec<String> = parse_help(text).iter().map(shown).collect();
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn long_texts_of_help_end_in_time() {
    for text in [
        "  --a A  x\n".repeat(100_000),
        "-".repeat(1 << 20),
        format!("  --a {}", "{,".repeat(500_000)),
        " ".repeat(1 << 20),
        format!("  --a  x\n{}", "   default=\n".repeat(80_000)),
    ] {
        let start = Instant::now();
        assert!(parse_help(&text).len() <= 1_000);
        assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    }
}

proptest! {
    #[test]
    fn any_help_is_read(text in "( {0,3}|--?[a-z\\[\\]]{0,4}|[A-Z,/=:{}|│(]|default: |\n|é){0,40}") {
        for option in parse_help(&text) {
            prop_assert!(option.flags.iter().all(|flag| flag.starts_with('-')));
        }
    }
}
