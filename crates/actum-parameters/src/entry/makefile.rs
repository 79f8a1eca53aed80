//! Targets of a Makefile and recipes of a justfile.

use super::names::{Meaning, meaning};
use super::{Entry, EntryKind, Source, line, text, words};
use actum_gate::Root;
use std::collections::HashSet;

/// `train: data/train.csv`
pub(super) fn targets(root: &Root) -> Vec<Entry> {
    let files = ["GNUmakefile", "makefile", "Makefile"];
    let Some((file, text)) = files.iter().find_map(|file| Some((*file, text(root, file)?))) else {
        return Vec::new();
    };
    let mut known = HashSet::new();
    let mut entries = Vec::new();
    for (index, rule) in text.lines().enumerate() {
        for target in targets_of(rule) {
            let Some(meaning) = meaning(target) else { continue };
            // `all` is the usual name of the default target, whatever that does.
            if target == "all" || !known.insert(target.to_owned()) {
                continue;
            }
            let why = format!("`{file}` has a target `{target}`");
            let command = words(["make", target]);
            entries.push(entry(
                EntryKind::MakeTarget,
                file,
                index,
                Named { name: target, meaning, command, why },
            ));
        }
    }
    entries
}

struct Named<'t> {
    name: &'t str,
    meaning: Meaning,
    command: Vec<String>,
    why: String,
}

fn entry(kind: EntryKind, file: &str, index: usize, named: Named<'_>) -> Entry {
    Entry {
        command: named.command,
        kind,
        goal: named.meaning.goal,
        file: file.to_owned(),
        line: line(index),
        why: named.why,
        rank: Source::Targets.rank(named.meaning.is_exact),
        name: named.name.to_owned(),
    }
}

/// The targets of a rule; none of a line of a recipe, of a variable or of a pattern.
pub(crate) fn targets_of(rule: &str) -> Vec<&str> {
    if rule.starts_with(['\t', ' ', '#', '.']) {
        return Vec::new();
    }
    let Some((left, right)) = rule.split_once(':') else { return Vec::new() };
    // `A := b`, `a: B = c`, `A = b:c`
    let is_variable = right.starts_with('=') || right.starts_with(":=") || left.contains('=');
    if is_variable || left.contains(['%', '$']) {
        return Vec::new();
    }
    left.split_whitespace().filter(|target| is_name(target)).take(32).collect()
}

fn is_name(name: &str) -> bool {
    name.len() <= 200 && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte))
}

/// `train epochs='10': build`
pub(super) fn recipes(root: &Root) -> Vec<Entry> {
    let files = ["justfile", "Justfile", ".justfile"];
    let Some((file, text)) = files.iter().find_map(|file| Some((*file, text(root, file)?))) else {
        return Vec::new();
    };
    let mut entries = Vec::new();
    for (index, rule) in text.lines().enumerate() {
        let Some((name, parameters)) = recipe(rule) else { continue };
        let Some(meaning) = meaning(name).filter(|_| name != "all") else { continue };
        let lacks = parameters.split_whitespace().any(|one| !one.contains('=') && !one.starts_with('*'));
        let needs = if lacks { ", which needs arguments" } else { "" };
        let why = format!("`{file}` has a recipe `{name}`{needs}");
        let command = words(["just", name]);
        entries.push(entry(EntryKind::JustRecipe, file, index, Named { name, meaning, command, why }));
    }
    entries
}

/// The name of a recipe and its parameters.
fn recipe(rule: &str) -> Option<(&str, &str)> {
    if rule.starts_with([' ', '\t', '#', '[']) {
        return None;
    }
    let rule = rule.strip_prefix('@').unwrap_or(rule);
    let (head, rest) = rule.split_once(':')?;
    if rest.starts_with('=') {
        return None;
    }
    let (name, parameters) = head.split_once(char::is_whitespace).unwrap_or((head, ""));
    let is_setting = ["alias", "set", "export", "import", "mod"].contains(&name);
    (!is_setting && is_name(name) && !name.is_empty()).then_some((name, parameters))
}
