//! The configuration that Hydra composes of the files in a `defaults:` list.
//!
//! Covered: groups that are folders, nested groups, `group@package`, `optional`, `_self_`, groups chosen on the command line, lists of
//! defaults within groups. A file with `# @package` and interpolations (`${…}`) are named in the notes and left as they are.

use crate::config_file::{Config, Format};
use crate::error::ParameterError;
use actum_gate::Root;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::path::Path;

/// One value of a configuration and the file that it is from.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct Leaf {
    /// Dotted.
    pub path: String,
    pub value: Value,
    pub file: String,
}

/// What Hydra makes of a primary configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Composed {
    pub leaves: Vec<Leaf>,
    /// All files that were read, in order.
    pub files: Vec<String>,
    /// What is not covered: sentences.
    pub notes: Vec<String>,
}

/// How far groups name groups.
const DEEPEST: u8 = 6;

/// More files are not composed.
const MOST_FILES: usize = 100;

/// More values are not listed.
const MOST_LEAVES: usize = 20_000;

/// The values of one configuration.
pub fn leaves(value: &Value, file: &str) -> Vec<Leaf> {
    let mut found = Vec::new();
    collect(value, String::new(), file, &mut found);
    found
}

fn collect(value: &Value, path: String, file: &str, found: &mut Vec<Leaf>) {
    if found.len() >= MOST_LEAVES {
        return;
    }
    match value {
        Value::Object(table) if !table.is_empty() => {
            for (key, inner) in table {
                let inner_path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                collect(inner, inner_path, file, found);
            }
        }
        // A list is one value: that is how it is set.
        Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Array(_)
        | Value::Object(_) => {
            found.push(Leaf { path, value: value.clone(), file: file.to_owned() });
        }
    }
}

/// Composes a primary configuration. `words` are those of the command line, which may choose other groups.
pub fn compose(root: &Root, primary: &str, words: &[String]) -> Result<Composed, ParameterError> {
    let config = Config::read(root, primary)?;
    let (folder, _) = primary.rsplit_once('/').unwrap_or(("", primary));
    let mut composer =
        Composer { root, folder, words, composed: Composed::default(), places: HashMap::new() };
    composer.add(&config, "", DEEPEST);
    Ok(composer.composed)
}

struct Composer<'c> {
    root: &'c Root,
    /// Where groups are looked up.
    folder: &'c str,
    words: &'c [String],
    composed: Composed,
    /// Paths to their places in the list.
    places: HashMap<String, usize>,
}

/// One entry of a list of defaults.
enum Entry {
    Itself,
    /// A configuration in a group, or beside this one where the group is empty.
    Of {
        group: String,
        name: String,
        package: String,
        is_optional: bool,
    },
    /// `hydra/launcher` and the like, which configure Hydra.
    Ignored,
    NotCovered(String),
}

impl Composer<'_> {
    fn add(&mut self, config: &Config, package: &str, left: u8) {
        self.composed.files.push(config.file.clone());
        if let Some(header) =
            config.text.lines().take(5).find(|line| line.trim_start().starts_with("# @package"))
        {
            let said = header.trim().trim_start_matches("# @package").trim();
            if said != package && said != "_group_" {
                let note = format!("`{}` has `@package {said}`, which is not covered", config.file);
                return self.composed.notes.push(note);
            }
        }
        let Value::Object(table) = &config.value else { return };
        let entries = match table.get("defaults") {
            Some(Value::Array(list)) => list.iter().map(|one| self.entry(one, package)).collect(),
            Some(_) | None => Vec::new(),
        };
        let mut own: Map<String, Value> = table.clone();
        own.remove("defaults");
        own.remove("hydra");
        let own = Value::Object(own);
        let mut is_added = false;
        for entry in entries {
            match entry {
                Entry::Itself => {
                    is_added = true;
                    self.put(&own, package, &config.file);
                }
                Entry::Of { group, name, package, is_optional } => {
                    self.group(&Chosen { group, name, package, is_optional }, left);
                }
                Entry::Ignored => {}
                Entry::NotCovered(why) => self.composed.notes.push(why),
            }
        }
        // Where the list does not say when, a file comes after its defaults.
        if !is_added {
            self.put(&own, package, &config.file);
        }
    }

    fn entry(&self, entry: &Value, package: &str) -> Entry {
        match entry {
            Value::String(name) if name == "_self_" => Entry::Itself,
            Value::String(name) if name.contains("${") => {
                Entry::NotCovered(format!("the default `{name}` is an interpolation, which is not covered"))
            }
            Value::String(name) => {
                let (group, name) = name.rsplit_once('/').unwrap_or(("", name));
                let at = join(package, &group.replace('/', "."));
                Entry::Of { group: group.to_owned(), name: name.to_owned(), package: at, is_optional: false }
            }
            Value::Object(table) => {
                table.iter().next().map_or(Entry::Ignored, |(key, name)| self.of_group(key, name, package))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => Entry::Ignored,
        }
    }

    fn of_group(&self, key: &str, name: &Value, package: &str) -> Entry {
        let (key, is_optional) = key.strip_prefix("optional ").map_or((key, false), |key| (key, true));
        if key.starts_with("override ") || key.starts_with("hydra/") {
            return Entry::Ignored;
        }
        let (group, at) = key.split_once('@').unwrap_or((key, ""));
        let group = group.trim_start_matches('/');
        let chosen = self.words.iter().rev().find_map(|word| {
            let (given, value) = word.trim_start_matches('+').split_once('=')?;
            (given == key || given == group).then(|| value.to_owned())
        });
        let Some(name) = chosen.or_else(|| name.as_str().map(str::to_owned)) else { return Entry::Ignored };
        if name == "null" {
            return Entry::Ignored;
        }
        if name == "???" || name.contains("${") {
            return Entry::NotCovered(format!("the group `{group}` has no choice (`{name}`)"));
        }
        let at = match at {
            "" => join(package, &group.replace('/', ".")),
            "_global_" => String::new(),
            "_here_" => package.to_owned(),
            at => join(package, at),
        };
        Entry::Of { group: group.to_owned(), name, package: at, is_optional }
    }

    fn group(&mut self, chosen: &Chosen, left: u8) {
        let Some(left) = left.checked_sub(1) else { return };
        if self.composed.files.len() >= MOST_FILES {
            return;
        }
        let name = if Format::of(&chosen.name).is_some() {
            chosen.name.clone()
        } else {
            format!("{}.yaml", chosen.name)
        };
        let parts = [self.folder, chosen.group.as_str(), name.as_str()];
        let file = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/");
        if !self.root.has_file(Path::new(&file)) {
            if !chosen.is_optional {
                self.composed.notes.push(format!("`{file}` of the defaults list is not there"));
            }
            return;
        }
        match Config::read(self.root, &file) {
            Ok(config) => self.add(&config, &chosen.package, left),
            Err(error) => self.composed.notes.push(error.to_string()),
        }
    }

    /// Values take the place of what was there under the same path.
    fn put(&mut self, value: &Value, package: &str, file: &str) {
        for mut leaf in leaves(value, file) {
            leaf.path = join(package, &leaf.path);
            if leaf.path.is_empty() || self.composed.leaves.len() >= MOST_LEAVES {
                continue;
            }
            match self.places.get(&leaf.path) {
                Some(at) => self.composed.leaves[*at] = leaf,
                None => {
                    self.places.insert(leaf.path.clone(), self.composed.leaves.len());
                    self.composed.leaves.push(leaf);
                }
            }
        }
    }
}

struct Chosen {
    group: String,
    name: String,
    package: String,
    is_optional: bool,
}

fn join(outer: &str, inner: &str) -> String {
    match (outer, inner) {
        ("", inner) => inner.to_owned(),
        (outer, "") => outer.to_owned(),
        (outer, inner) => format!("{outer}.{inner}"),
    }
}
