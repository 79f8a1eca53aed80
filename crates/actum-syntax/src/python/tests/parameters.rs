//! Parameters that programs declare.

use super::read;
use actum_model::{DeclaredParameter, DefaultValue, Framework, ParameterKind};
use serde_json::{Value, json};

/// Name, flags with a bar between them, and the default: as JSON, `=text` where it is computed, nothing where there is none.
type Expected = (&'static str, &'static str, &'static str);

fn shown(one: &DeclaredParameter) -> (String, String, String) {
    let default = match &one.default {
        Some(DefaultValue::Literal(value)) => value.to_string(),
        Some(DefaultValue::Computed(text)) => format!("={text}"),
        None => String::new(),
    };
    let name =
        one.command.as_ref().map_or_else(|| one.name.clone(), |command| format!("{command}: {}", one.name));
    let flags: Vec<&str> = one.flags.iter().chain(&one.negative_flags).map(String::as_str).collect();
    (name, flags.join("|"), default)
}

fn check(cases: &[(&str, &[Expected])], framework: Framework) {
    for (text, expected) in cases {
        let reading = read(text);
        let found: Vec<_> = reading.parameters.iter().map(shown).collect();
        let expected: Vec<_> =
            expected.iter().map(|(a, b, c)| ((*a).to_owned(), (*b).to_owned(), (*c).to_owned())).collect();
        assert_eq!(found, expected, "{text}");
        assert!(reading.parameters.iter().all(|one| one.framework == framework), "{text}");
    }
}

/// The lines of a program that makes a parser `p`.
fn parser(lines: &str) -> String {
    format!("import argparse\nimport os\np = argparse.ArgumentParser()\n{lines}\nargs = p.parse_args()\n")
}

#[test]
fn arguments_of_argparse() {
    let cases: &[(&str, &[Expected])] = &[
        ("p.add_argument('--lr', type=float, default=1e-3)", &[("lr", "--lr", "0.001")]),
        (
            "p.add_argument('-b', '--batch-size', type=int, default=32)",
            &[("batch_size", "-b|--batch-size", "32")],
        ),
        ("p.add_argument('--name')", &[("name", "--name", "null")]),
        ("p.add_argument('--name', required=True)", &[("name", "--name", "")]),
        ("p.add_argument('input')", &[("input", "", "")]),
        ("p.add_argument('rest', nargs='*')", &[("rest", "", "[]")]),
        ("p.add_argument('one', nargs='?', default='x')", &[("one", "", "\"x\"")]),
        ("p.add_argument('--fast', action='store_true')", &[("fast", "--fast", "false")]),
        ("p.add_argument('--no-cuda', dest='cuda', action='store_false')", &[("cuda", "--no-cuda", "true")]),
        (
            "p.add_argument('--amp', action=argparse.BooleanOptionalAction, default=True)",
            &[("amp", "--amp|--no-amp", "true")],
        ),
        ("p.add_argument('-v', action='count', default=0)", &[("v", "-v", "0")]),
        ("p.add_argument('--tag', action='append')", &[("tag", "--tag", "null")]),
        (
            "p.add_argument('--layers', nargs='+', type=int, default=[64, 64])",
            &[("layers", "--layers", "[64,64]")],
        ),
        (
            "p.add_argument('--betas', type=float, nargs=2, default=(0.9, 0.999))",
            &[("betas", "--betas", "[0.9,0.999]")],
        ),
        ("p.add_argument('--steps', default=10**6, type=int)", &[("steps", "--steps", "1000000")]),
        ("p.add_argument('--low', default=-1, type=int)", &[("low", "--low", "-1")]),
        ("p.add_argument('--low', default=-0.5)", &[("low", "--low", "-0.5")]),
        (
            "D = 'data'\np.add_argument('--dir', default=os.path.join(D, 'train'))",
            &[("dir", "--dir", "\"data/train\"")],
        ),
        ("p.add_argument('--jobs', default=os.cpu_count())", &[("jobs", "--jobs", "=os.cpu_count()")]),
        ("p.add_argument('--inf', default=float('inf'))", &[("inf", "--inf", "=float('inf')")]),
        ("p.add_argument('--map', default={'a': 1})", &[("map", "--map", "{\"a\":1}")]),
        ("p.add_argument('--version', action='version', version='1')", &[]),
        ("g = p.add_argument_group('model')\ng.add_argument('--dim', default=8)", &[("dim", "--dim", "8")]),
        ("p.add_mutually_exclusive_group().add_argument('--x', default=1)", &[("x", "--x", "1")]),
        ("p.add_argument('--a', default=1)\np.set_defaults(a=2, func=None)", &[("a", "--a", "2")]),
        ("p.set_defaults(a=2)\np.add_argument('--a', default=1)\n", &[("a", "--a", "1")]),
        ("p.set_defaults(a=2)\np.add_argument('--a')\n", &[("a", "--a", "2")]),
        (
            "s = p.add_subparsers(dest='cmd')\nt = s.add_parser('train')\nt.add_argument('--lr', default=1)\ne = s.add_parser('eval')\ne.add_argument('ckpt')\np.add_argument('--seed', default=0)",
            &[("train: lr", "--lr", "1"), ("eval: ckpt", "", ""), ("seed", "--seed", "0")],
        ),
        (
            "s = p.add_subparsers()\nd = s.add_parser('data')\nn = d.add_subparsers()\nq = n.add_parser('prepare')\nq.add_argument_group('io').add_argument('--out', default='o')",
            &[("data prepare: out", "--out", "\"o\"")],
        ),
        ("for n in ('a', 'b'):\n    p.add_argument('--' + n)", &[]),
    ];
    let texts: Vec<String> = cases.iter().map(|(lines, _)| parser(lines)).collect();
    let cases: Vec<(&str, &[Expected])> =
        texts.iter().map(String::as_str).zip(cases.iter().map(|(_, expected)| *expected)).collect();
    check(&cases, Framework::Argparse);
}

#[test]
fn what_else_an_argument_says() {
    let text = parser(
        "p.add_argument('--opt', choices=['adam', 'sgd'], type=str, help='which\\n  one')\np.add_argument('--n', choices=range(1, 4), type=int, nargs='?')",
    );
    let list = read(&text).parameters;
    assert_eq!(list[0].choices, [json!("adam"), json!("sgd")]);
    assert_eq!((list[0].value_type.as_deref(), list[0].help.as_deref()), (Some("str"), Some("which one")));
    assert_eq!((list[0].kind, list[0].line), (ParameterKind::Option, 4));
    assert_eq!(list[1].choices, [json!(1), json!(2), json!(3)]);
    assert_eq!(list[1].count.as_deref(), Some("?"));
    let text = parser("p.add_argument(f'--{x}')");
    let reading = read(&text);
    assert_eq!(reading.notes, ["a parameter in line 4 has a computed name and is not listed"]);
    let browser = "from selenium import webdriver\noptions = webdriver.ChromeOptions()\noptions.add_argument('--headless')\n";
    assert!(read(browser).parameters.is_empty());
}

#[test]
fn options_of_click() {
    let head = "import click\n";
    let cases: &[(&str, &[Expected])] = &[
        (
            "@click.command()\n@click.option('--count', default=1)\ndef f(count): pass\n",
            &[("count", "--count", "1")],
        ),
        (
            "@click.command()\n@click.option('-n', '--n-steps', 'steps', type=int, default=5)\ndef f(steps): pass\n",
            &[("steps", "-n|--n-steps", "5")],
        ),
        (
            "@click.command()\n@click.option('--shout/--no-shout', default=False)\ndef f(shout): pass\n",
            &[("shout", "--shout|--no-shout", "false")],
        ),
        (
            "@click.command()\n@click.option('--debug', is_flag=True)\ndef f(debug): pass\n",
            &[("debug", "--debug", "false")],
        ),
        (
            "@click.command()\n@click.option('--name', required=True)\ndef f(name): pass\n",
            &[("name", "--name", "")],
        ),
        (
            "@click.command()\n@click.argument('src', nargs=-1)\n@click.argument('dst')\ndef f(src, dst): pass\n",
            &[("src", "", ""), ("dst", "", "")],
        ),
        (
            "@click.group()\ndef cli(): pass\n@cli.command()\n@click.option('--lr', default=0.1)\ndef train_model(lr): pass\n@cli.command('test')\n@click.option('--k', default=3)\ndef t(k): pass\n",
            &[("train-model: lr", "--lr", "0.1"), ("test: k", "--k", "3")],
        ),
    ];
    let texts: Vec<String> = cases.iter().map(|(text, _)| format!("{head}{text}")).collect();
    let cases: Vec<(&str, &[Expected])> =
        texts.iter().map(String::as_str).zip(cases.iter().map(|(_, expected)| *expected)).collect();
    check(&cases, Framework::Click);
    let choice = read(
        "import click\n@click.command()\n@click.option('--o', type=click.Choice(['a', 'b']), multiple=True)\ndef f(o): pass\n",
    );
    assert_eq!((choice.parameters[0].choices.len(), choice.parameters[0].kind), (2, ParameterKind::Repeated));
}

#[test]
fn options_of_typer() {
    let cases: &[(&str, &[Expected])] = &[
        (
            "import typer\ndef main(name: str, lr: float = 0.1, fast: bool = False):\n    pass\ntyper.run(main)\n",
            &[("name", "", ""), ("lr", "--lr", "0.1"), ("fast", "--fast|--no-fast", "false")],
        ),
        (
            "import typer\napp = typer.Typer()\n@app.command()\ndef train(batch_size: int = typer.Option(32, '--bs', help='h')): pass\n",
            &[("batch_size", "--bs", "32")],
        ),
        (
            "import typer\nfrom typing_extensions import Annotated\napp = typer.Typer()\n@app.command()\ndef train(n: Annotated[int, typer.Option(help='h')] = 3): pass\n@app.command()\ndef evaluate(path: str): pass\n",
            &[("train: n", "--n", "3"), ("evaluate: path", "", "")],
        ),
        (
            "import typer\napp = typer.Typer()\n@app.command()\ndef go(x: int = typer.Option(...), y: str = typer.Argument('a')): pass\n",
            &[("x", "--x", ""), ("y", "", "\"a\"")],
        ),
    ];
    check(cases, Framework::Typer);
}

#[test]
fn flags_of_absl() {
    let cases: &[(&str, &[Expected])] = &[
        (
            "from absl import flags\nflags.DEFINE_integer('epochs', 10, 'how many')\n",
            &[("epochs", "--epochs", "10")],
        ),
        (
            "from absl import flags\nF = flags.DEFINE_float('lr', 1e-3, 'rate', short_name='l')\n",
            &[("lr", "--lr|-l", "0.001")],
        ),
        (
            "from absl import flags\nflags.DEFINE_bool('fast', False, 'x')\n",
            &[("fast", "--fast|--nofast", "false")],
        ),
        (
            "from absl import flags\nflags.DEFINE_enum('opt', 'adam', ['adam', 'sgd'], 'which')\n",
            &[("opt", "--opt", "\"adam\"")],
        ),
        (
            "from absl import flags\nflags.DEFINE_string('out', None, 'x', required=True)\n",
            &[("out", "--out", "")],
        ),
        (
            "from absl import flags\nflags.DEFINE_string('out', None, 'x')\nflags.mark_flag_as_required('out')\n",
            &[("out", "--out", "")],
        ),
        ("from absl import flags\nflags.DEFINE_multi_integer('k', [1, 5], 'x')\n", &[("k", "--k", "[1,5]")]),
        ("import tensorflow as tf\ntf.app.flags.DEFINE_string('d', 'x', 'y')\n", &[("d", "--d", "\"x\"")]),
        (
            "from ml_collections import config_flags\nconfig_flags.DEFINE_config_file('config', 'configs/a.py')\n",
            &[("config", "--config", "\"configs/a.py\"")],
        ),
    ];
    check(cases, Framework::Absl);
}

#[test]
fn fields_of_data_classes() {
    let class = "from dataclasses import dataclass, field\nfrom typing import Literal, Optional\n@dataclass\nclass Opt:\n    lr: float = 0.1\n@dataclass\nclass Args:\n    model_name: str\n    opt: Opt = field(default_factory=Opt)\n    fast: bool = False\n    layers: list[int] = field(default_factory=lambda: [1, 2])\n    kind: Literal['a', 'b'] = 'a'\n";
    let of = |end: &str| format!("{class}{end}");
    let found = |text: &str| {
        read(text)
            .parameters
            .iter()
            .map(shown)
            .map(|(name, flags, _)| format!("{name} {flags}"))
            .collect::<Vec<_>>()
    };
    let hugging = of("from transformers import HfArgumentParser\nparser = HfArgumentParser((Args,))\n");
    assert_eq!(
        found(&hugging),
        [
            "model_name --model_name|--model-name",
            "lr --lr",
            "fast --fast|--no_fast",
            "layers --layers",
            "kind --kind"
        ]
    );
    let tyro = of("import tyro\nargs = tyro.cli(Args)\n");
    assert_eq!(
        found(&tyro),
        [
            "model_name --model-name|--model_name",
            "opt.lr --opt.lr",
            "fast --fast|--no-fast",
            "layers --layers",
            "kind --kind"
        ]
    );
    let draccus = of("import pyrallis\n@pyrallis.wrap()\ndef main(cfg: Args): pass\n");
    assert_eq!(
        found(&draccus),
        [
            "config_path --config_path",
            "model_name --model_name",
            "opt.lr --opt.lr",
            "fast --fast",
            "layers --layers",
            "kind --kind"
        ]
    );
    let simple = of(
        "from simple_parsing import ArgumentParser\np = ArgumentParser()\np.add_arguments(Args, dest='args')\n",
    );
    assert_eq!(found(&simple)[0], "model_name --model_name");
    let reading = read(&tyro);
    let by_name = |name: &str| reading.parameters.iter().find(|one| one.name == name).unwrap();
    assert!(by_name("model_name").required);
    assert_eq!(by_name("layers").default, Some(DefaultValue::Literal(json!([1, 2]))));
    assert_eq!(by_name("kind").choices, [json!("a"), json!("b")]);
    let known = "from transformers import HfArgumentParser, TrainingArguments\nparser = HfArgumentParser(TrainingArguments)\n";
    let known = read(known).parameters;
    let steps = known.iter().find(|one| one.name == "max_steps").unwrap();
    assert_eq!(steps.default, Some(DefaultValue::Computed("TrainingArguments.max_steps".to_owned())));
    let base = "from transformers import HfArgumentParser\nfrom dataclasses import dataclass\n@dataclass\nclass A:\n    x: int = 1\n    y: int = 2\n@dataclass\nclass B(A):\n    x: int = 3\nHfArgumentParser(B)\n";
    let base: Vec<_> =
        read(base).parameters.iter().map(shown).map(|(name, _, default)| (name, default)).collect();
    assert_eq!(base, [("x".to_owned(), "3".to_owned()), ("y".to_owned(), "2".to_owned())]);
}

#[test]
fn parameters_of_functions() {
    let cases: &[(&str, &[Expected])] = &[
        (
            "import fire\ndef main(data, lr=0.1, fast=False): pass\nif __name__ == '__main__':\n    fire.Fire(main)\n",
            &[("data", "--data", ""), ("lr", "--lr", "0.1"), ("fast", "--fast|--nofast", "false")],
        ),
        (
            "import fire\ndef a(x=1): pass\ndef b(y=2): pass\nfire.Fire({'one': a, 'two': b})\n",
            &[("one: x", "--x", "1"), ("two: y", "--y", "2")],
        ),
        ("import fire\ndef a(x_y=1): pass\nfire.Fire()\n", &[("a: x_y", "--x_y|--x-y", "1")]),
    ];
    check(cases, Framework::Fire);
}

#[test]
fn hydra_says_where_its_configuration_is() {
    let cases: &[(&str, &[Expected])] = &[
        (
            "import hydra\n@hydra.main(version_base=None, config_path='conf', config_name='config')\ndef main(cfg): pass\n",
            &[
                ("config_path", "--config-path|-cp", "\"conf\""),
                ("config_name", "--config-name|-cn", "\"config\""),
            ],
        ),
        (
            "import hydra\n@hydra.main('../configs', 'train.yaml')\ndef main(cfg): pass\n",
            &[
                ("config_path", "--config-path|-cp", "\"../configs\""),
                ("config_name", "--config-name|-cn", "\"train.yaml\""),
            ],
        ),
        (
            "from dataclasses import dataclass\nfrom hydra.core.config_store import ConfigStore\n@dataclass\nclass C:\n    lr: float = 0.1\ncs = ConfigStore.instance()\ncs.store(name='config', node=C)\n",
            &[("lr", "", "0.1")],
        ),
    ];
    check(cases, Framework::Hydra);
}

#[test]
fn names_are_parameters_where_nothing_else_is() {
    check(
        &[(
            "EPOCHS = 10\nLR: float = 0.1\nname = 'x'\nSIZES = [1, 2]\nBIG = {'a': 1}\nprint(EPOCHS)\n",
            &[("EPOCHS", "", "10"), ("LR", "", "0.1"), ("SIZES", "", "[1,2]")],
        )],
        Framework::Constants,
    );
    check(&[("EPOCHS = 10\ndef f(): pass\n", &[])], Framework::Constants);
    check(
        &[(
            "import argparse\nEPOCHS = 3\np = argparse.ArgumentParser()\np.add_argument('--epochs', default=EPOCHS)\np.parse_args()\n",
            &[("epochs", "--epochs", "3")],
        )],
        Framework::Argparse,
    );
    check(
        &[(
            "batch_size = 12\nlr = 6e-4\nexec(open('configurator.py').read())\n",
            &[("batch_size", "--batch_size", "12"), ("lr", "--lr", "0.0006")],
        )],
        Framework::Configurator,
    );
    check(
        &[(
            "from yacs.config import CfgNode as CN\n_C = CN()\n_C.MODEL = CN()\n_C.MODEL.DIM = 8\n_C.SEED = 1\n",
            &[("MODEL.DIM", "", "8"), ("SEED", "", "1")],
        )],
        Framework::Yacs,
    );
}

#[test]
fn data_sets_are_found_by_name() {
    type Case = (&'static str, &'static [(&'static str, Option<&'static str>, Option<&'static str>)]);
    let cases: &[Case] = &[
        (
            "from datasets import load_dataset\nd = load_dataset('squad', split='train[:10%]')\n",
            &[("squad", None, Some("train[:10%]"))],
        ),
        ("import datasets\ndatasets.load_dataset('glue', 'mrpc')\n", &[("glue", Some("mrpc"), None)]),
        (
            "import tensorflow_datasets as tfds\ntfds.load('mnist', split='test')\n",
            &[("mnist", None, Some("test"))],
        ),
        (
            "from torchvision import datasets\ndatasets.MNIST('d', train=True)\ndatasets.MNIST('d', train=False)\n",
            &[("MNIST", None, Some("train")), ("MNIST", None, Some("test"))],
        ),
        ("from sklearn.datasets import load_iris\nload_iris()\n", &[("iris", None, None)]),
        ("from keras.datasets import cifar10\ncifar10.load_data()\n", &[("cifar10", None, None)]),
        ("from datasets import load_dataset\nload_dataset(args.name)\n", &[]),
    ];
    for (text, expected) in cases {
        let list = read(text).data_sets;
        let found: Vec<_> = list
            .iter()
            .map(|one| (one.name.as_str(), one.variant.as_deref(), one.split.as_deref()))
            .collect();
        assert_eq!(found, *expected, "{text}");
    }
}

#[test]
fn lists_are_bounded_and_large_programs_are_read_in_time() {
    let line = |at: usize| format!("p.add_argument('--a{at}', default={at}, help='{}')\n", "h".repeat(300));
    let many = parser(&(0..3_000).map(line).collect::<String>());
    let reading = read(&many);
    assert_eq!(reading.parameters.len(), 500);
    assert!(reading.parameters.iter().all(|one| one.help.as_ref().is_none_or(|help| help.len() <= 200)));
    // Classes that hold each other, twice each.
    let mut nested = "from dataclasses import dataclass\nimport tyro\n".to_owned();
    for at in 0..12 {
        nested.push_str(&format!("@dataclass\nclass C{at}:\n"));
        (0..40).for_each(|field| nested.push_str(&format!("    f{field}: C{}\n", at + 1)));
    }
    nested.push_str("@dataclass\nclass C12:\n    x: int = 1\ntyro.cli(C0)\n");
    assert!(read(&nested).parameters.len() <= 500);
    let value = read(&parser(&format!("p.add_argument('--a', default=[{}])", "1, ".repeat(500))));
    assert!(matches!(&value.parameters[0].default, Some(DefaultValue::Computed(text)) if text.len() <= 200));
    assert_eq!(value.parameters[0].default.as_ref().and_then(|one| one.literal()), None::<&Value>);
}
