//! Entries that manifests name: `package.json`, `dvc.yaml`, `MLproject`, `pyproject.toml`.

use super::names::{Goal, Meaning, meaning};
use super::{Entry, EntryKind, Source, text, words};
use crate::config_file::{Format, parse};
use actum_gate::Root;
use actum_model::command_line::single_quoted;
use serde_json::{Map, Value};
use std::path::Path;

/// More names of one manifest are not looked at.
const MOST: usize = 500;

struct Named<'n> {
    name: &'n str,
    meaning: Meaning,
    command: Vec<String>,
    why: String,
}

fn entry(kind: EntryKind, source: Source, file: &str, named: Named<'_>) -> Entry {
    Entry {
        command: named.command,
        kind,
        goal: named.meaning.goal,
        file: file.to_owned(),
        line: None,
        why: named.why,
        rank: source.rank(named.meaning.is_exact),
        name: named.name.to_owned(),
    }
}

fn manifest(root: &Root, file: &str, format: Format) -> Option<Value> {
    parse(&text(root, file)?, format).ok()
}

fn table<'v>(value: &'v Value, keys: &[&str]) -> Option<&'v Map<String, Value>> {
    let mut inner = value;
    for key in keys {
        inner = inner.get(*key)?;
    }
    inner.as_object()
}

/// Names of a table that say what they are for.
fn meant(table: &Map<String, Value>) -> impl Iterator<Item = (&str, Meaning, &Value)> {
    table.iter().take(MOST).filter_map(|(name, value)| Some((name.as_str(), meaning(name)?, value)))
}

/// `"scripts": { "train": "node train.js" }`
pub(super) fn package_scripts(root: &Root) -> Vec<Entry> {
    let Some(package) = manifest(root, "package.json", Format::Json) else { return Vec::new() };
    let has = |file: &str| root.has_file(Path::new(file));
    let tool = match () {
        () if has("pnpm-lock.yaml") => "pnpm",
        () if has("yarn.lock") => "yarn",
        () if has("bun.lock") || has("bun.lockb") => "bun",
        () => "npm",
    };
    let Some(scripts) = table(&package, &["scripts"]) else { return Vec::new() };
    let entry = |(name, meaning, _): (&str, Meaning, &Value)| {
        let why = format!("`package.json` has a script `{name}`");
        let command = words([tool, "run", name]);
        entry(
            EntryKind::PackageScript,
            Source::Package,
            "package.json",
            Named { name, meaning, command, why },
        )
    };
    meant(scripts).map(entry).collect()
}

/// Stages of DVC. Where none is named after a goal, all of them in their order.
pub(super) fn dvc_stages(root: &Root) -> Vec<Entry> {
    let Some(file) = manifest(root, "dvc.yaml", Format::Yaml) else { return Vec::new() };
    let Some(stages) = table(&file, &["stages"]) else { return Vec::new() };
    let of = |name, meaning, command, why| {
        entry(EntryKind::DvcStage, Source::Manifest, "dvc.yaml", Named { name, meaning, command, why })
    };
    let entries: Vec<Entry> = meant(stages)
        .map(|(name, meaning, _)| {
            let why = format!("`dvc.yaml` has a stage `{name}`");
            of(name, meaning, words(["dvc", "repro", name]), why)
        })
        .collect();
    if !entries.is_empty() || stages.is_empty() {
        return entries;
    }
    let meaning = Meaning { goal: Goal::Run, is_exact: true };
    let why = format!("`dvc.yaml` has {} stages", stages.len());
    vec![of("repro", meaning, words(["dvc", "repro"]), why)]
}

/// Entry points of an MLflow project. Its command is started itself, with the defaults of its parameters.
pub(super) fn ml_project(root: &Root) -> Vec<Entry> {
    let Some(file) = manifest(root, "MLproject", Format::Yaml) else { return Vec::new() };
    let Some(points) = table(&file, &["entry_points"]) else { return Vec::new() };
    let entries = meant(points).map(|(name, meaning, point)| {
        let line = point.get("command").and_then(Value::as_str).and_then(|line| filled(line, point));
        let command = match line {
            Some(line) => words(["sh", "-c", &line]),
            None => words(["mlflow", "run", ".", "-e", name]),
        };
        let why = format!("`MLproject` has an entry point `{name}`");
        entry(EntryKind::MlProject, Source::Manifest, "MLproject", Named { name, meaning, command, why })
    });
    entries.collect()
}

/// A command with the defaults of its parameters; nothing where one has none.
fn filled(line: &str, point: &Value) -> Option<String> {
    let mut out = String::new();
    let mut rest = line;
    while let Some((before, behind)) = rest.split_once('{') {
        let (name, after) = behind.split_once('}')?;
        let parameter = point.get("parameters")?.get(name)?;
        let default = parameter.get("default")?;
        let text = default.as_str().map_or_else(|| default.to_string(), str::to_owned);
        out.push_str(before);
        out.push_str(&single_quoted(&text));
        rest = after;
    }
    out.push_str(rest);
    Some(out)
}

/// `[project.scripts]` and its kin.
pub(super) fn project_scripts(root: &Root) -> Vec<Entry> {
    let Some(file) = manifest(root, "pyproject.toml", Format::Toml) else { return Vec::new() };
    let has_uv = root.has_file(Path::new("uv.lock"));
    let runner: &[&str] = if has_uv { &["uv", "run"] } else { &[] };
    let tables: [(&[&str], &[&str]); 4] = [
        (&["project", "scripts"], runner),
        (&["tool", "poetry", "scripts"], &["poetry", "run"]),
        (&["tool", "pdm", "scripts"], &["pdm", "run"]),
        (&["tool", "poe", "tasks"], &["poe"]),
    ];
    let mut entries: Vec<Entry> = Vec::new();
    for (keys, runner) in tables {
        let Some(scripts) = table(&file, keys) else { continue };
        for (name, meaning, _) in meant(scripts) {
            if entries.iter().any(|entry| entry.name == name) {
                continue;
            }
            let command = runner.iter().copied().chain([name]).map(str::to_owned).collect();
            let why = format!("`pyproject.toml` has `{name}` in `[{}]`", keys.join("."));
            let named = Named { name, meaning, command, why };
            entries.push(entry(EntryKind::ProjectScript, Source::Manifest, "pyproject.toml", named));
        }
    }
    entries
}
