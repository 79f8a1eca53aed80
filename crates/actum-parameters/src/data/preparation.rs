//! What prepared the data: scripts and targets named after it, and rules and stages that make the paths in question.

use crate::config_file::{Format, parse};
use crate::entry::targets_of;
use actum_gate::{Bound, Kind, Root};
use serde_json::Value;
use std::path::Path;

/// One step that led to the data.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct Preparation {
    /// A sentence.
    pub sentence: String,
    pub file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// It makes one of the paths that were asked for. Others go by their name.
    pub is_certain: bool,
}

/// Entries of a folder that are looked at.
const MOST_NAMES: usize = 2_000;

/// More steps are not listed.
const MOST: usize = 50;

/// Steps that make the paths of a run, and those that prepare data by their name.
pub fn find_preparation(root: &Root, paths: &[String]) -> Vec<Preparation> {
    let paths: Vec<&str> = paths
        .iter()
        .map(|path| path.trim_start_matches("./").trim_end_matches('/'))
        .filter(|path| !path.is_empty())
        .collect();
    let mut found = of_dvc(root, &paths);
    found.extend(of_make(root, &paths));
    found.extend(by_name(root));
    found.sort_by_key(|one| !one.is_certain);
    found.truncate(MOST);
    found
}

fn text(root: &Root, file: &str) -> Option<String> {
    root.read_text(Path::new(file), Bound::SMALL).ok().map(actum_model::Untrusted::into_string)
}

/// Whether making one path makes the other: they are the same, or one is in the other.
fn makes(made: &str, wanted: &str) -> bool {
    let made = made.trim_start_matches("./").trim_end_matches('/');
    let is_in =
        |inner: &str, outer: &str| inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/'));
    !made.is_empty() && (made == wanted || is_in(wanted, made) || is_in(made, wanted))
}

/// Stages of DVC, by what they put out.
fn of_dvc(root: &Root, paths: &[&str]) -> Vec<Preparation> {
    let Some(text) = text(root, "dvc.yaml") else { return Vec::new() };
    let Ok(file) = parse(&text, Format::Yaml) else { return Vec::new() };
    let Some(stages) = file.get("stages").and_then(Value::as_object) else { return Vec::new() };
    let mut found = Vec::new();
    for (name, stage) in stages.iter().take(200) {
        let outs = stage.get("outs").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let outs: Vec<&str> = outs.iter().filter_map(out).collect();
        let made = paths.iter().find(|path| outs.iter().any(|out| makes(out, path)));
        let command = match stage.get("cmd") {
            Some(Value::String(line)) => format!(" by `{}`", short(line)),
            Some(_) | None => String::new(),
        };
        let heading = format!("{name}:");
        let at =
            text.lines().position(|line| line.trim() == heading).and_then(|at| u32::try_from(at + 1).ok());
        let sentence = match made {
            Some(path) => format!("the stage `{name}` of DVC makes `{path}`{command}"),
            None if is_preparation(name) => format!("the stage `{name}` of DVC prepares data{command}"),
            None => continue,
        };
        found.push(Preparation {
            sentence,
            file: "dvc.yaml".to_owned(),
            line: at,
            is_certain: made.is_some(),
        });
    }
    found
}

/// `data/a.csv`, or `data/a.csv: {cache: false}`
fn out(one: &Value) -> Option<&str> {
    one.as_str().or_else(|| one.as_object().and_then(|table| table.keys().next()).map(String::as_str))
}

/// Rules of a Makefile.
fn of_make(root: &Root, paths: &[&str]) -> Vec<Preparation> {
    let files = ["GNUmakefile", "makefile", "Makefile"];
    let Some((file, text)) = files.iter().find_map(|file| Some((*file, text(root, file)?))) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let lines: Vec<&str> = text.lines().collect();
    for (at, line) in lines.iter().enumerate() {
        for target in targets_of(line) {
            // A folder above the data is made by many rules; the data itself by one.
            let made = paths.iter().find(|path| makes(target, path) && target.contains(['/', '.']));
            let recipe = lines.get(at + 1).filter(|line| line.starts_with('\t'));
            let command = recipe.map_or_else(String::new, |line| {
                format!(" by `{}`", short(line.trim_start_matches(['\t', '@', '-', ' '])))
            });
            let sentence = match made {
                Some(path) => format!("the rule `{target}` of make makes `{path}`{command}"),
                None if is_preparation(target) => {
                    format!("the target `{target}` of make prepares data{command}")
                }
                None => continue,
            };
            let line = u32::try_from(at + 1).ok();
            found.push(Preparation { sentence, file: file.to_owned(), line, is_certain: made.is_some() });
            if found.len() >= MOST {
                return found;
            }
        }
    }
    found
}

fn short(line: &str) -> String {
    const LONGEST: usize = 120;
    let words: Vec<&str> = line.split_whitespace().take(40).collect();
    words.join(" ").chars().take(LONGEST).collect()
}

/// Scripts that are named after it.
fn by_name(root: &Root) -> Vec<Preparation> {
    let mut found = Vec::new();
    for folder in ["", "scripts", "src", "src/data", "data", "tools", "bin"] {
        let mut names = root.names(Path::new(folder), MOST_NAMES).unwrap_or_default();
        names.sort_by(|one, other| one.0.cmp(&other.0));
        for (name, kind) in names {
            let Ok(name) = name.into_string() else { continue };
            let Some((stem, ending)) = name.rsplit_once('.') else { continue };
            if kind != Kind::File
                || !["sh", "py", "R", "r", "jl", "ipynb", "js"].contains(&ending)
                || !is_preparation(stem)
            {
                continue;
            }
            let file = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            let sentence = format!("`{file}` is named after the preparation of data");
            found.push(Preparation { sentence, file, line: None, is_certain: false });
        }
    }
    found
}

/// `preprocess`, `prepare_data`, `download`, `make_dataset`, `01-tokenize`
fn is_preparation(name: &str) -> bool {
    const ALONE: [&str; 8] =
        ["preprocess", "preprocessing", "prepare", "tokenize", "download", "featurize", "ingest", "preproc"];
    const VERBS: [&str; 9] =
        ["make", "build", "get", "fetch", "create", "process", "split", "generate", "clean"];
    const THINGS: [&str; 7] = ["data", "dataset", "datasets", "corpus", "splits", "features", "vocab"];
    let lower = name.to_lowercase();
    let parts: Vec<&str> = lower.split(['_', '-', '.', ':', ' ']).filter(|part| !part.is_empty()).collect();
    let has = |words: &[&str]| parts.iter().any(|part| words.contains(part));
    has(&ALONE) || has(&VERBS) && has(&THINGS) || parts == ["data"] || parts == ["dataset"]
}
