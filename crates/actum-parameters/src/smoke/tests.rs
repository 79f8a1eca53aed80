//! What makes runs short.

use super::*;
use crate::config_file::{Format, parse};
use crate::declared::leaves;
use crate::help::parse_help;

fn shown(list: &[Override]) -> String {
    let one = |change: &Override| match &change.how {
        How::Words(words) => words.join(" "),
        How::ConfigKey => format!("{}={}", change.name, change.value),
    };
    list.iter().map(one).collect::<Vec<_>>().join("; ")
}

fn of(lines: &str, help: &str, config: &str) -> String {
    let text = format!("import argparse\np = argparse.ArgumentParser()\n{lines}\n");
    let declared = actum_syntax::read("python", text.as_bytes()).parameters;
    let declared: Vec<&DeclaredParameter> = declared.iter().collect();
    let config = leaves(&parse(config, Format::Yaml).unwrap(), "c.yaml");
    shown(&overrides(&declared, &parse_help(help), &config))
}

#[test]
fn runs_are_made_short() {
    let add =
        |flag: &str, default: &str| format!("p.add_argument('{flag}', type=float, default={default})\n");
    let cases = [
        (add("--lr", "0.1"), "", "", ""),
        (add("--max_steps", "1000"), "", "", "--max_steps 1"),
        (add("--epochs", "10"), "", "", "--epochs 1"),
        (add("--num-epochs", "10") + &add("--max-iters", "5"), "", "", "--max-iters 1"),
        (
            add("--epochs", "10") + &add("--max_train_samples", "None"),
            "",
            "",
            "--epochs 1; --max_train_samples 64",
        ),
        (
            add("--epochs", "10") + &add("--limit", "None") + &add("--batch-size", "128"),
            "",
            "",
            "--epochs 1; --limit 256",
        ),
        (add("--steps", "10") + &add("--warmup-steps", "5"), "", "", "--steps 1; --warmup-steps 0"),
        (add("--subset", "0.5"), "", "", "--subset 0.01"),
        (
            add("--epochs", "3") + "p.add_argument('--fast_dev_run', action='store_true')",
            "",
            "",
            "--fast_dev_run",
        ),
        (add("--epochs", "3") + "p.add_argument('--dry-run', action='store_true')", "", "", "--dry-run"),
        (add("--epochs", "3") + "p.add_argument('--limit', action='store_true')", "", "", "--epochs 1"),
        (add("--warmup_steps", "3"), "", "", ""),
        (String::new(), "  --epochs N  how many (default: 3)\n", "", "--epochs 1"),
        (String::new(), "  --max-steps INTEGER  x\n  --smoke-test  y\n", "", "--smoke-test"),
        (add("--epochs", "3"), "  --epochs N  how many\n", "", "--epochs 1"),
        (String::new(), "", "train:\n  epochs: 10\n  lr: 1\n", "train.epochs=1"),
        (
            String::new(),
            "",
            "trainer:\n  max_steps: 100\n  limit_train_batches: 1.0\n",
            "trainer.max_steps=1; trainer.limit_train_batches=1",
        ),
        (String::new(), "", "epochs: [1, 2]\nname: steps\n", ""),
        ("p.add_argument('epochs', type=int)".to_owned(), "", "", ""),
    ];
    for (lines, help, config, expected) in &cases {
        assert_eq!(of(lines, help, config), *expected, "{lines} {help} {config}");
    }
}

#[test]
fn the_configurator_takes_its_words_joined() {
    let declared = actum_syntax::read(
        "python",
        b"max_iters = 5000\nwarmup_iters = 100\neval_iters = 200\nexec(open('configurator.py').read())\n",
    );
    let declared: Vec<&DeclaredParameter> = declared.parameters.iter().collect();
    assert_eq!(shown(&overrides(&declared, &[], &[])), "--max_iters=1; --eval_iters=1; --warmup_iters=0");
}

#[test]
fn every_rule_has_names_of_its_own() {
    let mut names: Vec<&str> = RULES.iter().flat_map(|rule| rule.names.iter().copied()).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
    assert!(names.iter().all(|name| plain(name) == **name));
}
