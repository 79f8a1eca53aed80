//! Every kind of failure that can be provoked here without an index of packages, with a small real program: told as what
//! it is, mended where it may be, left alone where it must be. The source is the same before and after.
//!
//! The cases are data (`python.toml`, `others.toml`); `left.toml` says why the other rows have none.

use crate::run::Done;
use crate::world::{Caller, World};
use actum_output::diagnose::Taxonomy;
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const PYTHON: &str = include_str!("python.toml");
const OTHERS: &str = include_str!("others.toml");
const LEFT: &str = include_str!("left.toml");

#[derive(Deserialize)]
struct Cases {
    case: Vec<Case>,
}

/// A program that fails.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    row: String,
    file: String,
    code: String,
    /// The kind of the first change; `none` where it must stop, `any` where either is right.
    remedy: String,
    /// `well`, `badly` or `any`.
    ends: String,
    #[serde(default)]
    flags: Vec<String>,
    /// A version of Python that has to be on this machine.
    needs: Option<String>,
    /// The row may be that of a later attempt.
    #[serde(default)]
    among: bool,
    /// Whether it can be provoked depends on the machine: where it ends well there is nothing to see.
    #[serde(default)]
    optional: bool,
    /// Rows that are as right, depending on how busy the machine is.
    #[serde(default)]
    others: Vec<String>,
    /// It is read and prepared as well; else it is started as it is.
    #[serde(default)]
    prepare: bool,
    /// stdin stays open, and nobody types.
    #[serde(default)]
    stdin_open: bool,
    #[serde(default)]
    files: BTreeMap<String, String>,
    #[serde(default)]
    programs: BTreeMap<String, String>,
    #[serde(default)]
    bytes: BTreeMap<String, Vec<u8>>,
}

#[derive(Deserialize)]
struct Left {
    left: Vec<NotProvoked>,
}

#[derive(Deserialize)]
struct NotProvoked {
    row: String,
    why: String,
}

fn cases(text: &str) -> Vec<Case> {
    toml::from_str::<Cases>(text).unwrap().case
}

#[test]
fn every_row_has_a_program_or_a_reason() {
    let left = toml::from_str::<Left>(LEFT).unwrap().left;
    assert!(left.iter().all(|row| !row.why.is_empty()));
    let provoked = [PYTHON, OTHERS].into_iter().flat_map(cases).map(|case| case.row);
    let named: BTreeSet<String> = provoked.chain(left.into_iter().map(|row| row.row)).collect();
    let rows: BTreeSet<String> = Taxonomy::builtin().rows.iter().map(|row| row.id.clone()).collect();
    assert_eq!(rows.difference(&named).collect::<Vec<_>>(), Vec::<&String>::new());
    assert_eq!(named.difference(&rows).collect::<Vec<_>>(), Vec::<&String>::new());
}

#[test]
fn failures_of_python() {
    all(PYTHON);
}

#[test]
fn failures_of_other_languages() {
    all(OTHERS);
}

/// All of them, so that one run shows everything that is wrong.
fn all(text: &str) {
    let mut wrong = Vec::new();
    for case in cases(text) {
        let Some(world) = World::new(Caller::Root) else { return };
        if let Some(version) = case.needs.as_ref().filter(|version| !has_python(version)) {
            actum_testkit::skip(&format!("{}: Python {version} is not on this machine", case.row));
            continue;
        }
        if let Err(why) = try_case(&case, &world) {
            wrong.push(format!("{} ({}): {why}", case.row, case.file));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

fn try_case(case: &Case, world: &World) -> Result<(), String> {
    // The interpreters of whoever runs the tests: the home of the test has none.
    if let Some(pyenv) = pyenv().filter(|pyenv| pyenv.exists()) {
        std::os::unix::fs::symlink(pyenv, world.path("home").join(".pyenv")).unwrap();
    }
    let source = world.workspace().join(&case.file);
    world.make_file(&source, &case.code);
    case.files.iter().for_each(|(name, text)| world.make_file(&world.workspace().join(name), text));
    case.programs.iter().for_each(|(name, text)| world.make_program(&world.workspace().join(name), text));
    for (name, bytes) in &case.bytes {
        std::fs::write(world.workspace().join(name), bytes).unwrap();
    }
    let (flags, limits) = apart(&case.flags);
    let text = format!("[limits]\n{}\n", limits.join("\n"));
    world.make_file(&world.path("home/.config/actum/config.toml"), &text);
    let run = world.source(&case.file, &[]).flag(if case.prepare { "--offline" } else { "--no-prepare" });
    let run = run.flags(&flags);
    let run = if case.stdin_open { run.shell("sleep 20 | \"$@\"") } else { run };
    let done = run.go();
    if case.optional && done.code() == 0 {
        actum_testkit::skip(&format!("{} cannot be provoked here", case.row));
        return Ok(());
    }
    if done.told("/recovery/steps").as_array().is_none_or(Vec::is_empty) && done.told("/outcome") == "error" {
        actum_testkit::skip(&format!("{}: {}", case.row, done.err().lines().next().unwrap_or_default()));
        return Ok(());
    }
    judge(case, &done)?;
    let now = std::fs::read_to_string(&source).unwrap();
    if now == case.code { Ok(()) } else { Err("the source was changed".to_owned()) }
}

/// Limits are configured: one that is said on the command line is meant, and never raised.
fn apart(flags: &[String]) -> (Vec<&str>, Vec<String>) {
    let (mut left, mut limits, mut words) = (Vec::new(), Vec::new(), flags.iter().map(String::as_str));
    while let Some(word) = words.next() {
        match (word, words.clone().next().and_then(|value| value.split_once('='))) {
            ("--limit", Some((name, value))) => {
                words.next();
                limits.push(format!("{name} = \"{value}\""));
            }
            _ => left.push(word),
        }
    }
    (left, limits)
}

fn judge(case: &Case, done: &Done) -> Result<(), String> {
    let steps = done.told("/recovery/steps").as_array().cloned().unwrap_or_default();
    let rows: Vec<&str> = steps.iter().filter_map(|step| step.pointer("/diagnosis/row")?.as_str()).collect();
    let is_meant = |row: &&str| case.row == **row || case.others.iter().any(|other| other == *row);
    let is_told = if case.among { rows.iter().any(is_meant) } else { rows.first().is_some_and(is_meant) };
    if !is_told {
        return Err(format!("told as {rows:?}{done}"));
    }
    let remedy = steps.first().and_then(|step| step.pointer("/remedy/kind")).and_then(Value::as_str);
    if case.remedy != "any" && remedy.unwrap_or("none") != case.remedy {
        return Err(format!("{:?} in the place of {}: {}", remedy, case.remedy, done.told("/recovery")));
    }
    let ended = if done.code() == 0 { "well" } else { "badly" };
    if case.ends != "any" && ended != case.ends {
        return Err(format!("ended {ended}: {}{done}", done.told("/recovery")));
    }
    Ok(())
}

fn has_python(version: &str) -> bool {
    let name = format!("python{version}");
    let versions = pyenv().map(|pyenv| pyenv.join("versions")).unwrap_or_default();
    let installed =
        std::fs::read_dir(versions).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let mut installed = installed.map(|name| name.to_string_lossy().into_owned());
    installed.any(|installed| installed.starts_with(&format!("{version}.")))
        || crate::world::PATH.split(':').any(|folder| std::path::Path::new(folder).join(&name).exists())
}

fn pyenv() -> Option<std::path::PathBuf> {
    std::env::home_dir().map(|home| home.join(".pyenv"))
}
