//! Walks through the ingredients of two manifests and collects what differs.

use super::kind::{kind_of_parameter, kind_of_variable};
use super::{Basis, Compared, ExperimentFacts, IngredientDifference, IngredientKind, Places, command, files};
use crate::manifest::{EnvironmentFacts, GitState, MachineFacts, Manifest, ParameterFacts, ParameterOrigin};
use std::collections::{BTreeMap, BTreeSet};

/// What was found so far.
#[derive(Default)]
pub(super) struct Found {
    ingredients: Vec<IngredientDifference>,
    pub compared: Compared,
    pub not_compared: Vec<String>,
}

impl Found {
    pub fn add(&mut self, difference: IngredientDifference) {
        self.ingredients.push(difference);
    }

    /// The most probable causes first, each once. Of two that are the same thing, the one with values that a person can read
    /// was found earlier and stays.
    pub fn sorted(&mut self) -> Vec<IngredientDifference> {
        let mut all = std::mem::take(&mut self.ingredients);
        all.sort_by(|a, b| (a.kind, a.basis, &a.what).cmp(&(b.kind, b.basis, &b.what)));
        let mut met = BTreeSet::new();
        all.retain(|difference| met.insert((difference.kind, difference.what.clone())));
        all
    }

    fn used(&mut self, kind: IngredientKind, what: &str, one: Option<String>, other: Option<String>) {
        if one != other {
            self.add(IngredientDifference { kind, what: what.to_owned(), one, other, basis: Basis::Used });
        }
    }
}

/// Everything except for what came out.
pub(super) fn collect(one: &ExperimentFacts, other: &ExperimentFacts, found: &mut Found) {
    let (a, b) = (&one.manifest, &other.manifest);
    git(a, b, found);
    arguments(a, b, found);
    parameters(a, b, found);
    configs(a, b, found);
    found.used(IngredientKind::Seed, "seed", Some(a.seed.value.to_string()), Some(b.seed.value.to_string()));
    data(a, b, found);
    packages(&a.environment, &b.environment, found);
    interpreter(&a.environment, &b.environment, found);
    determinism(a, b, found);
    variables(a, b, found);
    machine(&a.machine, &b.machine, found);
    files::collect(one, other, found);
}

fn git(one: &Manifest, other: &Manifest, found: &mut Found) {
    if one.git.is_none() && other.git.is_none() {
        found.not_compared.push("the commit: neither run was in a repository".to_owned());
        return;
    }
    let commit = |git: &Option<GitState>| git.as_ref().map(|git| git.commit.clone());
    found.used(IngredientKind::Commit, "commit", commit(&one.git), commit(&other.git));
    let patch = |git: &Option<GitState>| {
        let patch = git.as_ref()?.patch?;
        Some(format!("{} ({})", patch.sha256.short(), patch.bytes.approximate()))
    };
    let whole = |git: &Option<GitState>| git.as_ref().and_then(|git| git.patch);
    if whole(&one.git) != whole(&other.git) {
        found.used(IngredientKind::TrackedEdit, Manifest::PATCH, patch(&one.git), patch(&other.git));
    }
    // A dirty work tree without a patch: something changed that was not kept.
    let unkept = |git: &Option<GitState>| {
        git.as_ref().is_some_and(|git| git.dirty && git.patch.is_none() && git.untracked.is_empty())
    };
    if unkept(&one.git) || unkept(&other.git) {
        found.not_compared.push("uncommitted changes that were not kept as a patch".to_owned());
    }
}

fn arguments(one: &Manifest, other: &Manifest, found: &mut Found) {
    let words = |manifest: &Manifest| -> Vec<String> {
        let places = Places::new(manifest);
        manifest.command.words.iter().map(|word| places.text(word)).collect()
    };
    for difference in command::differences(&words(one), &words(other)) {
        let kind = kind_of_parameter(&difference.what, IngredientKind::Argument);
        found.used(kind, &difference.what, difference.one, difference.other);
    }
    let folder = |manifest: &Manifest| Some(Places::new(manifest).text(&manifest.folder));
    found.used(IngredientKind::Argument, "working folder", folder(one), folder(other));
}

fn parameters(one: &Manifest, other: &Manifest, found: &mut Found) {
    let by_name = |manifest: &Manifest| -> BTreeMap<String, (String, ParameterOrigin)> {
        let places = Places::new(manifest);
        let row = |facts: &ParameterFacts| {
            (facts.name.clone(), (places.text(&value_text(&facts.value)), facts.origin.clone()))
        };
        manifest.parameters.iter().map(row).collect()
    };
    let (first, second) = (by_name(one), by_name(other));
    let named: BTreeSet<String> = found.ingredients.iter().map(|known| plain_name(&known.what)).collect();
    let names: BTreeSet<&String> = first.keys().chain(second.keys()).collect();
    for name in names {
        found.compared.parameters += 1;
        let (a, b) = (first.get(name), second.get(name));
        if a.map(|(value, _)| value) == b.map(|(value, _)| value) {
            continue;
        }
        // A command line that wins over a default is the command line's difference, whichever side has it.
        let origins = [a, b].into_iter().flatten().map(|(_, origin)| kind_of_origin(origin));
        let kind = origins.min().unwrap_or(IngredientKind::Parameter);
        if kind == IngredientKind::Argument && named.contains(&plain_name(name)) {
            continue;
        }
        let kind = kind_of_parameter(name, kind);
        found.used(kind, name, a.map(|(value, _)| value.clone()), b.map(|(value, _)| value.clone()));
    }
}

fn kind_of_origin(origin: &ParameterOrigin) -> IngredientKind {
    match origin {
        ParameterOrigin::CommandLine => IngredientKind::Argument,
        ParameterOrigin::Set | ParameterOrigin::Config { .. } => IngredientKind::ConfigValue,
        ParameterOrigin::Program | ParameterOrigin::Default { .. } => IngredientKind::Parameter,
    }
}

/// `--learning-rate` and `learning_rate` are one.
fn plain_name(name: &str) -> String {
    name.trim_start_matches('-').replace('-', "_")
}

/// A value as a person writes it: text without its quotes.
pub(crate) fn value_text(value: &serde_json::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn configs(one: &Manifest, other: &Manifest, found: &mut Found) {
    let by_path = |manifest: &Manifest| -> BTreeMap<String, String> {
        let places = Places::new(manifest);
        let content = |config: &crate::manifest::ConfigFacts| {
            let set: String = config.set.iter().map(|set| format!(" {}", places.text(set))).collect();
            format!("{}{set}", config.sha256.short())
        };
        manifest.configs.iter().map(|config| (places.path(&config.path), content(config))).collect()
    };
    let (first, second) = (by_path(one), by_path(other));
    let paths: BTreeSet<&String> = first.keys().chain(second.keys()).collect();
    for path in paths {
        found.used(IngredientKind::ConfigValue, path, first.get(path).cloned(), second.get(path).cloned());
    }
}

fn data(one: &Manifest, other: &Manifest, found: &mut Found) {
    let facts = |manifest: &Manifest| manifest.data.clone().unwrap_or_default();
    let (a, b) = (facts(one), facts(other));
    found.used(IngredientKind::Data, "data set", a.name, b.name);
    found.used(IngredientKind::Data, "split", a.split, b.split);
    let paths = |manifest: &Manifest, paths: &[String]| -> Option<String> {
        let places = Places::new(manifest);
        let named: BTreeSet<String> = paths.iter().map(|path| places.path(path)).collect();
        (!named.is_empty()).then(|| named.into_iter().collect::<Vec<_>>().join(", "))
    };
    found.used(IngredientKind::Data, "data paths", paths(one, &a.paths), paths(other, &b.paths));
}

/// Names of Python packages are the same with `-`, `_` and `.`, and in small letters.
pub(super) fn package_name(name: &str) -> String {
    name.to_ascii_lowercase().replace(['_', '.'], "-")
}

fn packages(one: &EnvironmentFacts, other: &EnvironmentFacts, found: &mut Found) {
    let by_name = |facts: &EnvironmentFacts| -> BTreeMap<String, String> {
        facts.packages.iter().map(|package| (package_name(&package.name), package.version.clone())).collect()
    };
    let (first, second) = (by_name(one), by_name(other));
    let known = |facts: &EnvironmentFacts| facts.lock.is_some() || !facts.packages.is_empty();
    if known(one) != known(other) {
        found.not_compared.push("the packages: only one run has a list of them".to_owned());
        return;
    }
    if !known(one) {
        found.not_compared.push("the packages: neither run has a list of them".to_owned());
        found.used(IngredientKind::Package, "active environment", one.active.clone(), other.active.clone());
        return;
    }
    let names: BTreeSet<&String> = first.keys().chain(second.keys()).collect();
    let mut differ = false;
    for name in names {
        found.compared.packages += 1;
        let (a, b) = (first.get(name).cloned(), second.get(name).cloned());
        differ |= a != b;
        found.used(IngredientKind::Package, name, a, b);
    }
    if !differ {
        // The same versions with other contents.
        let lock = |facts: &EnvironmentFacts| facts.lock.map(|lock| lock.short());
        if one.lock != other.lock {
            found.used(IngredientKind::Package, "lock file", lock(one), lock(other));
        }
    }
}

fn interpreter(one: &EnvironmentFacts, other: &EnvironmentFacts, found: &mut Found) {
    let (Some(a), Some(b)) = (&one.interpreter, &other.interpreter) else {
        let text = |facts: &EnvironmentFacts| facts.interpreter.as_ref().map(|facts| facts.name.clone());
        found.used(IngredientKind::Interpreter, "interpreter", text(one), text(other));
        return;
    };
    let named = |facts: &crate::manifest::InterpreterFacts| {
        let version = facts.version.as_deref().unwrap_or("of unknown version");
        format!("{} {version}", facts.name)
    };
    let is_known =
        |facts: &crate::manifest::InterpreterFacts| facts.version.is_some() || facts.sha256.is_some();
    if a.name != b.name || a.version != b.version {
        found.used(IngredientKind::Interpreter, &a.name, Some(named(a)), Some(named(b)));
    } else if let (Some(first), Some(second)) = (a.sha256, b.sha256) {
        found.used(IngredientKind::Interpreter, &a.name, Some(first.short()), Some(second.short()));
    } else if !is_known(a) && !is_known(b) {
        found.used(IngredientKind::Interpreter, &a.name, Some(a.path.clone()), Some(b.path.clone()));
    }
}

fn determinism(one: &Manifest, other: &Manifest, found: &mut Found) {
    let profile = |manifest: &Manifest| Some(manifest.determinism.profile.clone());
    found.used(IngredientKind::Determinism, "profile", profile(one), profile(other));
    let by_name = |manifest: &Manifest| -> BTreeMap<String, String> {
        let places = Places::new(manifest);
        let knobs = manifest.determinism.knobs.iter();
        knobs.map(|knob| (knob.name.clone(), places.text(&knob.value))).collect()
    };
    let (first, second) = (by_name(one), by_name(other));
    let names: BTreeSet<&String> = first.keys().chain(second.keys()).collect();
    for name in names {
        if follows_seed([one, other], [first.get(name), second.get(name)]) {
            continue;
        }
        let kind = kind_of_variable(name, IngredientKind::Determinism);
        found.used(kind, name, first.get(name).cloned(), second.get(name).cloned());
    }
}

/// Whether two values differ only in that each holds its own seed, which is an ingredient by itself.
fn follows_seed(manifests: [&Manifest; 2], values: [Option<&String>; 2]) -> bool {
    let [Some(one), Some(other)] = values else { return false };
    let [first, second] = manifests.map(|manifest| manifest.seed.value);
    if first == second || one == other {
        return false;
    }
    let without = |value: &str, seed: u64| {
        value.replace(&format!("{seed:#x}"), "{seed}").replace(&seed.to_string(), "{seed}")
    };
    without(one, first) == without(other, second)
}

fn variables(one: &Manifest, other: &Manifest, found: &mut Found) {
    let values = |manifest: &Manifest| -> BTreeMap<String, String> {
        let places = Places::new(manifest);
        let all = manifest.environment.variables.iter();
        all.map(|(name, value)| (name.clone(), places.text(value))).collect()
    };
    let (first, second) = (values(one), values(other));
    let names: BTreeSet<&String> = first.keys().chain(second.keys()).collect();
    for name in &names {
        found.compared.variables += 1;
        if follows_seed([one, other], [first.get(*name), second.get(*name)]) {
            continue;
        }
        let kind = kind_of_variable(name, IngredientKind::Variable);
        found.used(kind, name, first.get(*name).cloned(), second.get(*name).cloned());
    }
    let others = |manifest: &Manifest| -> BTreeSet<String> {
        manifest.environment.other_variables.iter().cloned().collect()
    };
    let (first, second) = (others(one), others(other));
    for name in first.symmetric_difference(&second).filter(|name| !names.contains(name)) {
        let there = |list: &BTreeSet<String>| list.contains(name).then(|| "set".to_owned());
        found.add(IngredientDifference {
            kind: kind_of_variable(name, IngredientKind::Variable),
            what: name.clone(),
            one: there(&first),
            other: there(&second),
            basis: Basis::Present,
        });
    }
}

fn machine(one: &MachineFacts, other: &MachineFacts, found: &mut Found) {
    let text = |text: &str| Some(text.to_owned());
    let gpus = |facts: &MachineFacts| -> Option<String> {
        let granted = facts.gpus.iter().filter(|gpu| gpu.granted);
        let mut names: Vec<String> =
            granted.map(|gpu| format!("{} (driver {})", gpu.name, gpu.driver)).collect();
        names.sort();
        (!names.is_empty()).then(|| names.join(", "))
    };
    let features = |facts: &MachineFacts| {
        let all: BTreeSet<&str> = facts.cpu_features.iter().map(String::as_str).collect();
        (!all.is_empty()).then(|| all.into_iter().collect::<Vec<_>>().join(" "))
    };
    found.used(IngredientKind::Gpu, "GPU", gpus(one), gpus(other));
    found.used(IngredientKind::BlasKernel, "instruction sets", features(one), features(other));
    found.used(
        IngredientKind::Threads,
        "numeric threads",
        Some(one.threads.to_string()),
        Some(other.threads.to_string()),
    );
    found.used(IngredientKind::Cpu, "model", text(&one.cpu), text(&other.cpu));
    found.used(IngredientKind::Libc, "C library", one.c_library.clone(), other.c_library.clone());
    found.used(IngredientKind::Kernel, "kernel", text(&one.kernel), text(&other.kernel));
    found.used(IngredientKind::Machine, "system", text(&one.system), text(&other.system));
    found.used(
        IngredientKind::Machine,
        "processors",
        Some(one.cpus.to_string()),
        Some(other.cpus.to_string()),
    );
    let memory = |facts: &MachineFacts| Some(facts.memory.approximate());
    found.used(IngredientKind::Machine, "memory", memory(one), memory(other));
}
