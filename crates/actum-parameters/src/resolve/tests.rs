//! Values of command lines, configurations and defaults, and what `--set` changes.

use super::*;
use crate::config_file::{Config, Format};
use crate::declared::leaves;
use proptest::prelude::*;

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

fn declared(lines: &str) -> Vec<DeclaredParameter> {
    let text = format!("import argparse\np = argparse.ArgumentParser()\n{lines}\n");
    actum_syntax::read("python", text.as_bytes()).parameters
}

fn program(text: &str) -> Vec<DeclaredParameter> {
    actum_syntax::read("python", text.as_bytes()).parameters
}

fn shown(resolved: &Resolved) -> String {
    let one = |parameter: &Parameter| {
        let value = match &parameter.value {
            DefaultValue::Literal(value) => value.to_string(),
            DefaultValue::Computed(text) => format!("={text}"),
        };
        let from = match &parameter.origin {
            Origin::CommandLine => "!".to_owned(),
            Origin::Set => "+".to_owned(),
            Origin::Config { file } => format!("@{file}"),
            Origin::Default { .. } => String::new(),
        };
        format!("{}={value}{from}", parameter.name)
    };
    let mut parts: Vec<String> = resolved.parameters.iter().map(one).collect();
    parts.extend(resolved.unknown.iter().map(|word| format!("?{word}")));
    parts.extend(resolved.missing.iter().map(|name| format!("missing {name}")));
    parts.join(" ")
}

fn resolved(
    declared: &[DeclaredParameter],
    config: &str,
    line: &str,
    set: &[&str],
) -> Result<Resolved, String> {
    let config = Config::of_text("c.yaml", Format::Yaml, config).unwrap();
    let set: Vec<String> = set.iter().map(|word| (*word).to_owned()).collect();
    let leaves: Vec<Leaf> =
        leaves(&config.value, "c.yaml").into_iter().filter(|leaf| !leaf.path.is_empty()).collect();
    let inputs = Inputs { declared, program: "t.py", config: &leaves, words: &words(line), set: &set };
    resolve(&inputs).map_err(|error| error.to_string())
}

#[test]
fn command_lines_of_argparse() {
    let basic = "p.add_argument('--lr', type=float, default=0.1)\np.add_argument('-b', '--batch-size', type=int, default=32)\np.add_argument('--name')\np.add_argument('--fast', action='store_true')";
    let cases: &[(&str, &str, &str)] = &[
        (basic, "", "lr=0.1 batch_size=32 name=null fast=false"),
        (basic, "--lr 0.2 --fast", "lr=0.2! batch_size=32 name=null fast=true!"),
        (basic, "--lr=0.2 -b 8", "lr=0.2! batch_size=8! name=null fast=false"),
        (basic, "-b8 --name 5", "lr=0.1 batch_size=8! name=\"5\"! fast=false"),
        (basic, "--batch 4 --na x", "lr=0.1 batch_size=4! name=\"x\"! fast=false"),
        (basic, "--lr -1", "lr=-1! batch_size=32 name=null fast=false"),
        (basic, "--other 3 --fast", "lr=0.1 batch_size=32 name=null fast=true! ?--other ?3"),
        (basic, "--other=3", "lr=0.1 batch_size=32 name=null fast=false ?--other=3"),
        (basic, "stray", "lr=0.1 batch_size=32 name=null fast=false ?stray"),
        ("p.add_argument('--a', required=True)", "", "missing --a"),
        ("p.add_argument('src')\np.add_argument('dst')", "a b", "src=\"a\"! dst=\"b\"!"),
        ("p.add_argument('src')\np.add_argument('dst')", "a", "src=\"a\"! missing dst"),
        ("p.add_argument('src', nargs='+')\np.add_argument('dst')", "a b c", "src=[\"a\",\"b\"]! dst=\"c\"!"),
        ("p.add_argument('one', nargs='?', default='d')", "", "one=\"d\""),
        (
            "p.add_argument('--sizes', nargs='*', type=int)\np.add_argument('--x')",
            "--sizes 1 2 --x y",
            "sizes=[1,2]! x=\"y\"!",
        ),
        (
            "p.add_argument('--pair', nargs=2)\np.add_argument('rest')",
            "--pair a b c",
            "pair=[\"a\",\"b\"]! rest=\"c\"!",
        ),
        ("p.add_argument('--tag', action='append')", "--tag a --tag=b", "tag=[\"a\",\"b\"]!"),
        ("p.add_argument('-v', action='count', default=0)", "-vvv", "v=3!"),
        ("p.add_argument('-v', action='count', default=0)", "-v -v", "v=2!"),
        (
            "p.add_argument('-a', action='store_true')\np.add_argument('-b', action='store_true')",
            "-ab",
            "a=true! b=true!",
        ),
        ("p.add_argument('--no-cuda', dest='cuda', action='store_false')", "--no-cuda", "cuda=false!"),
        (
            "p.add_argument('--amp', action=argparse.BooleanOptionalAction, default=True)",
            "--no-amp",
            "amp=false!",
        ),
        ("p.add_argument('x')", "-- --odd", "x=\"--odd\"!"),
        (
            "s = p.add_subparsers()\nt = s.add_parser('train')\nt.add_argument('--lr', default=1)\ne = s.add_parser('eval')\ne.add_argument('ckpt')\np.add_argument('--seed', type=int, default=0)",
            "--seed 3 train --lr 2",
            "lr=\"2\"! seed=3!",
        ),
        (
            "s = p.add_subparsers()\nt = s.add_parser('train')\nt.add_argument('--lr', default=1)\ne = s.add_parser('eval')\ne.add_argument('ckpt')",
            "eval a.pt",
            "ckpt=\"a.pt\"!",
        ),
        ("p.add_argument('rest', nargs=argparse.REMAINDER)", "a b", "rest=[\"a\",\"b\"]!"),
        ("p.add_argument('--n', default=len(x))", "", "n==len(x)"),
    ];
    for (lines, line, expected) in cases {
        let found = resolved(&declared(lines), "", line, &[]).unwrap();
        assert_eq!(shown(&found), *expected, "{lines}: {line}");
    }
    let ambiguous =
        resolved(&declared("p.add_argument('--learn')\np.add_argument('--length')"), "", "--le 1", &[]);
    assert_eq!(ambiguous.unwrap_err(), "`--le` can mean `--learn`, `--length`");
}

#[test]
fn command_lines_of_others() {
    let absl = "from absl import flags\nflags.DEFINE_integer('epochs', 10, 'x')\nflags.DEFINE_bool('fast', False, 'x')\n";
    let fire = "import fire\ndef main(data, lr=0.1): pass\nfire.Fire(main)\n";
    let click = "import click\n@click.command()\n@click.option('--lr', default=0.1)\n@click.argument('src')\ndef f(lr, src): pass\n";
    let hydra = "import hydra\n@hydra.main(config_path='c', config_name='x')\ndef main(c): pass\n";
    let yacs =
        "from yacs.config import CfgNode as CN\n_C = CN()\n_C.SEED = 1\n_C.MODEL = CN()\n_C.MODEL.DIM = 8\n";
    let cases: &[(&str, &str, &str, &str)] = &[
        (absl, "", "--epochs=3 --fast", "epochs=3! fast=true!"),
        (absl, "", "-epochs=3 --nofast", "epochs=3! fast=false!"),
        (absl, "", "--ep=3", "epochs=10 fast=false ?--ep=3"),
        (fire, "", "--data d --lr 0.5", "data=\"d\"! lr=0.5!"),
        (fire, "", "", "lr=0.1 missing --data"),
        (click, "", "a.csv --lr 2", "lr=2! src=\"a.csv\"!"),
        (
            hydra,
            "lr: 1\nmodel: {dim: 2}\n",
            "model.dim=3 +new=1",
            "config_path=\"c\" config_name=\"x\" lr=1@c.yaml model.dim=3! ?+new=1",
        ),
        (yacs, "", "MODEL.DIM 16", "SEED=1 MODEL.DIM=16!"),
    ];
    for (text, config, line, expected) in cases {
        let found = resolved(&program(text), config, line, &[]).unwrap();
        assert_eq!(shown(&found), *expected, "{text}: {line}");
    }
}

#[test]
fn configurations_stand_between() {
    let lines = "p.add_argument('--lr', type=float, default=0.1)\np.add_argument('--seed', type=int, default=0)\np.add_argument('--config')";
    let found = resolved(&declared(lines), "lr: 0.5\nmodel:\n  dim: 8\n", "--config c.yaml", &[]).unwrap();
    assert_eq!(shown(&found), "lr=0.5@c.yaml seed=0 config=\"c.yaml\"! model.dim=8@c.yaml");
    let found = resolved(&declared(lines), "lr: 0.5\n", "--lr 0.7", &[]).unwrap();
    assert_eq!(shown(&found), "lr=0.7! seed=0 config=null");
}

#[test]
fn set_changes_the_configuration_or_adds_words() {
    let lines = "p.add_argument('--lr', type=float, default=0.1)\np.add_argument('--batch-size', type=int, default=1)\np.add_argument('--fast', action='store_true')\np.add_argument('--sizes', nargs='+', type=int)\np.add_argument('--off', action='store_false', dest='on')\np.add_argument('src', nargs='?')\np.add_argument('-v', action='count')";
    let config = "model:\n  dim: 8\n  layers: [1, 2]\n";
    type Changes = (&'static str, &'static [(&'static str, &'static str)], &'static str);
    let cases: &[Changes] = &[
        ("model.dim=16", &[("model.dim", "16")], ""),
        ("model.layers.0=3", &[("model.layers.0", "3")], ""),
        ("model.layers[1]=3", &[("model.layers.1", "3")], ""),
        ("model={dim: 1}", &[("model", "{dim: 1}")], ""),
        ("lr=0.5", &[], "--lr 0.5"),
        ("--lr=0.5", &[], "--lr 0.5"),
        ("lr=-1", &[], "--lr=-1"),
        ("batch_size=8", &[], "--batch-size 8"),
        ("batch-size=8", &[], "--batch-size 8"),
        ("fast=true", &[], "--fast"),
        ("fast=false", &[], ""),
        ("on=false", &[], "--off"),
        ("sizes=[1, 2]", &[], "--sizes 1 2"),
        ("v=2", &[], "-v -v"),
    ];
    for (set, config_changes, words) in cases {
        let found =
            resolved(&declared(lines), config, "", &[set]).unwrap_or_else(|error| panic!("{error}: {set}"));
        let expected: Vec<(String, String)> =
            config_changes.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        assert_eq!(
            (found.config_changes, found.more_words.join(" ")),
            (expected, (*words).to_owned()),
            "{set}"
        );
    }
    for (set, expected) in [
        ("batchsize=3", "there is no parameter `batchsize`; did you mean `batch_size`?"),
        ("model.dmi=3", "there is no parameter `model.dmi`; did you mean `model.dim`?"),
        ("model.layers.7=3", "there is no parameter `model.layers.7`"),
        ("src=x", "cannot set `src`: it is given by its place on the command line"),
        ("fast=maybe", "cannot set `fast`: it is a switch without a flag for that value"),
        ("nothing", "`nothing` is not of the form KEY=VALUE"),
        ("=1", "`=1` is not of the form KEY=VALUE"),
    ] {
        assert_eq!(resolved(&declared(lines), config, "", &[set]).unwrap_err(), expected, "{set}");
    }
    let constants = program("EPOCHS = 3\nprint(EPOCHS)\n");
    let error = resolved(&constants, "", "", &["EPOCHS=1"]).unwrap_err();
    assert_eq!(error, "cannot set `EPOCHS`: it is a constant in line 1 of the program, which is not edited");
    let hydra = program("import hydra\n@hydra.main(config_path='c', config_name='x')\ndef main(c): pass\n");
    let found = resolved(&hydra, config, "", &["model.dim=3"]).unwrap();
    assert_eq!((found.config_changes.len(), found.more_words), (0, vec!["model.dim=3".to_owned()]));
}

proptest! {
    #[test]
    fn any_words_are_read(line in "((--|-)?[a-z=.]{0,5}[0-9]? ?){0,12}", set in "[a-z.=\\[\\]0-9]{0,8}") {
        let declared = declared("p.add_argument('--ab', nargs='*')\np.add_argument('-a', action='store_true')\np.add_argument('c', nargs='+')\np.add_argument('-v', action='count')\np.add_argument('--abc', type=int)");
        let _ = resolved(&declared, "a: [1]\nb: {c: 1}\n", &line, &[&set]);
    }
}
