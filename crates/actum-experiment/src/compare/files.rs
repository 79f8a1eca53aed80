//! Says what a file that differs between two runs was to them: an edit, an untracked module, data, a package.
//!
//! What git says counts first, then what the manifest declares, and the file's extension only where neither decides.

use super::ingredients::Found;
use super::installed::{Installed, classify, package_of};
use super::{Basis, ExperimentFacts, IngredientDifference, IngredientKind, Places};
use actum_model::Digest;
use std::collections::{BTreeMap, BTreeSet};

/// Text that is run. Everything else that git does not track is data.
const CODE: &[&str] = &[
    "py", "pyi", "pyx", "ipynb", "r", "jl", "sh", "bash", "zsh", "js", "mjs", "cjs", "ts", "tsx", "go", "rs",
    "c", "h", "cc", "cpp", "hpp", "cu", "cuh", "java", "kt", "scala", "rb", "pl", "php", "lua", "m", "sql",
    "so", "pyd", "mk", "cmake",
];
/// Files of the system whose content says nothing about a run.
const PASSING: &[&str] = &["/proc/", "/sys/", "/dev/", "/run/"];
/// Names there are made up for one run, so a file that only one run has is none of its ingredients.
const TEMPORARY: &[&str] = &["/tmp/", "/var/tmp/"];
/// What stands before the names of files of an environment.
const PACKAGE: &str = "{packages}/";
const ENVIRONMENT: &str = "{environment}/";

/// What git and the manifest say about the files of both runs.
struct Context {
    configs: BTreeSet<String>,
    declared: BTreeSet<String>,
    patched: BTreeSet<String>,
    untracked: BTreeSet<String>,
    with_git: bool,
    commits_differ: bool,
    patches_differ: bool,
}

/// Compares the files that both runs read, and the lists of untracked files.
pub(super) fn collect(one: &ExperimentFacts, other: &ExperimentFacts, found: &mut Found) {
    let context = Context::new(one, other);
    let read = inputs(one, other, found, &context);
    untracked(one, other, found, &read);
}

fn inputs(
    one: &ExperimentFacts,
    other: &ExperimentFacts,
    found: &mut Found,
    context: &Context,
) -> BTreeSet<String> {
    let (Some(first), Some(second)) = (by_path(one), by_path(other)) else {
        found.not_compared.push("the files that were read: at least one run was not observed".to_owned());
        return BTreeSet::new();
    };
    let paths: BTreeSet<&String> = first.keys().chain(second.keys()).collect();
    let mut unhashed = 0_u64;
    for path in &paths {
        let (a, b) = (first.get(*path), second.get(*path));
        let is_temporary = || TEMPORARY.iter().any(|folder| path.starts_with(folder));
        if (a.is_none() || b.is_none()) && is_temporary() {
            continue;
        }
        found.compared.inputs += 1;
        if matches!(a, Some(None)) || matches!(b, Some(None)) {
            unhashed += 1;
            continue;
        }
        if a == b {
            continue;
        }
        let (kind, what) = context.kind(path);
        let value = |digest: Option<&Option<Digest>>| digest.copied().flatten().map(|digest| digest.short());
        found.add(IngredientDifference { kind, what, one: value(a), other: value(b), basis: Basis::Read });
    }
    if unhashed > 0 {
        found.compared.inputs -= unhashed;
        found.not_compared.push(format!("{unhashed} input files without a digest"));
    }
    paths.into_iter().cloned().collect()
}

/// Files by their names in the repository, without what says nothing about a run.
fn by_path(facts: &ExperimentFacts) -> Option<BTreeMap<String, Option<Digest>>> {
    let places = Places::new(&facts.manifest);
    let copies: BTreeMap<String, String> = facts
        .manifest
        .configs
        .iter()
        .filter_map(|config| Some((places.path(config.copy.as_ref()?), places.path(&config.path))))
        .collect();
    let mut all: BTreeMap<String, Option<Digest>> = BTreeMap::new();
    for file in facts.inputs.as_ref()? {
        // By the path as it was: the names of an environment are absolute.
        let path = match classify(&file.path, facts.manifest.environment.interpreter.as_ref()) {
            Some(Installed::Record) => continue,
            Some(Installed::Package(rest)) => format!("{PACKAGE}{rest}"),
            Some(Installed::Interpreter(rest)) => format!("{ENVIRONMENT}{rest}"),
            None => places.path(&file.path),
        };
        all.insert(path, file.sha256);
    }
    let is_passing = |path: &str| PASSING.iter().any(|folder| path.starts_with(folder));
    let is_compiled = |path: &str| source_of(path).is_some_and(|source| all.contains_key(&source));
    let kept = all.iter().filter_map(|(path, digest)| {
        // The copy of a configuration has a name of this run's; what it was copied from is compared by the manifest.
        if copies.contains_key(path) || Places::is_in_output(path) || is_passing(path) || is_compiled(path) {
            return None;
        }
        Some((path.clone(), *digest))
    });
    Some(kept.collect())
}

/// `a/__pycache__/b.cpython-311.pyc` was made from `a/b.py`, with the time of that file in it.
fn source_of(path: &str) -> Option<String> {
    let (folder, name) = path.strip_suffix(".pyc")?.rsplit_once('/')?;
    let module = name.split('.').next()?;
    match folder.strip_suffix("__pycache__")? {
        "" => Some(format!("{module}.py")),
        parent => Some(format!("{parent}{module}.py")),
    }
}

/// Untracked files that only one run has and that neither was seen to read.
fn untracked(one: &ExperimentFacts, other: &ExperimentFacts, found: &mut Found, read: &BTreeSet<String>) {
    let list = |facts: &ExperimentFacts| -> BTreeSet<String> {
        facts.manifest.git.iter().flat_map(|git| git.untracked.iter().cloned()).collect()
    };
    let places = [one, other].map(|facts| Places::new(&facts.manifest));
    let is_own = |path: &str| places.iter().any(|places| Places::is_in_output(&places.path(path)));
    let (first, second) = (list(one), list(other));
    for path in first.symmetric_difference(&second) {
        if read.contains(path) || is_own(path) || source_of(path).is_some() {
            continue;
        }
        let there = |list: &BTreeSet<String>| list.contains(path).then(|| "untracked".to_owned());
        let kind = if is_code(path) { IngredientKind::UntrackedFile } else { IngredientKind::Data };
        let (one, other) = (there(&first), there(&second));
        found.add(IngredientDifference { kind, what: path.clone(), one, other, basis: Basis::Present });
    }
    let left_out =
        |facts: &ExperimentFacts| facts.manifest.git.as_ref().map_or(0, |git| git.untracked_left_out);
    if left_out(one) > 0 || left_out(other) > 0 {
        found.not_compared.push("the list of untracked files is not complete".to_owned());
    }
}

impl Context {
    fn new(one: &ExperimentFacts, other: &ExperimentFacts) -> Self {
        let mut context = Self {
            configs: BTreeSet::new(),
            declared: BTreeSet::new(),
            patched: BTreeSet::new(),
            untracked: BTreeSet::new(),
            with_git: one.manifest.git.is_some() && other.manifest.git.is_some(),
            commits_differ: false,
            patches_differ: false,
        };
        for facts in [one, other] {
            let places = Places::new(&facts.manifest);
            context.configs.extend(facts.manifest.configs.iter().map(|config| places.path(&config.path)));
            let data = facts.manifest.data.iter().flat_map(|data| &data.paths);
            context.declared.extend(data.map(|path| places.path(path)));
            context.patched.extend(facts.patch.iter().flat_map(|patch| patched_files(patch)));
            context.untracked.extend(facts.manifest.git.iter().flat_map(|git| git.untracked.iter().cloned()));
        }
        if let (Some(one), Some(other)) = (&one.manifest.git, &other.manifest.git) {
            context.commits_differ = one.commit != other.commit;
            context.patches_differ =
                one.patch.map(|patch| patch.sha256) != other.patch.map(|patch| patch.sha256);
        }
        context
    }

    /// Whether the path, or a folder that it lies in, is data by the manifest.
    fn is_declared(&self, path: &str) -> bool {
        let mut folders = path.match_indices('/').map(|(at, _)| &path[..at]);
        self.declared.contains(path) || folders.any(|folder| self.declared.contains(folder))
    }

    /// What a file is, and the name under which it is listed.
    fn kind(&self, path: &str) -> (IngredientKind, String) {
        let named = |kind: IngredientKind| (kind, path.to_owned());
        if let Some(rest) = path.strip_prefix(PACKAGE) {
            return (IngredientKind::Package, package_of(rest));
        }
        if path.starts_with(ENVIRONMENT) {
            return named(IngredientKind::Interpreter);
        }
        if self.configs.contains(path) {
            return named(IngredientKind::ConfigValue);
        }
        if self.is_declared(path) {
            return named(IngredientKind::Data);
        }
        if self.patched.contains(path) {
            return named(IngredientKind::TrackedEdit);
        }
        let code = is_code(path);
        if !code
            && path.starts_with('/')
            && ["/usr/", "/lib", "/etc/", "/opt/"].iter().any(|top| path.starts_with(top))
        {
            return named(IngredientKind::SystemFile);
        }
        if path.starts_with('/') {
            let is_system = ["/usr/", "/lib", "/opt/"].iter().any(|top| path.starts_with(top));
            return named(if is_system { IngredientKind::SystemFile } else { data_or_code(code) });
        }
        if !code || self.untracked.contains(path) || !self.with_git {
            return named(data_or_code(code));
        }
        // Code that git tracks, or ignores. Where commit and patch are the same it cannot be tracked.
        named(match (self.patches_differ, self.commits_differ) {
            (_, true) => IngredientKind::Commit,
            (true, false) => IngredientKind::TrackedEdit,
            (false, false) => IngredientKind::UntrackedFile,
        })
    }
}

fn data_or_code(code: bool) -> IngredientKind {
    if code { IngredientKind::UntrackedFile } else { IngredientKind::Data }
}

fn is_code(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    matches!(name, "Makefile" | "Dockerfile" | "Snakefile")
        || extension.is_some_and(|extension| CODE.contains(&extension.as_str()))
}

/// The files that a patch of git's changes.
fn patched_files(patch: &str) -> Vec<String> {
    let heads = patch.lines().filter_map(|line| line.strip_prefix("diff --git "));
    let names = heads.flat_map(|head| {
        // `a/x b/x`; names with odd characters are in quotes. Both names are taken, a renamed file has two.
        let both = match head.strip_prefix('"') {
            Some(_) => head.split("\" \"").map(str::to_owned).collect::<Vec<_>>(),
            None => {
                head.split_once(" b/").map_or_else(Vec::new, |(a, b)| vec![a.to_owned(), format!("b/{b}")])
            }
        };
        both.into_iter().map(|name| {
            let name = name.trim_matches('"');
            name.strip_prefix("a/").or_else(|| name.strip_prefix("b/")).unwrap_or(name).to_owned()
        })
    });
    names.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_names_its_files() {
        let patch = "diff --git a/src/t.py b/src/t.py\nindex 1..2\n--- a/src/t.py\n+++ b/src/t.py\n@@ -1 +1 @@\n-a\n+b\n\
                     diff --git a/old.py b/new.py\nrename from old.py\n";
        assert_eq!(patched_files(patch), ["src/t.py", "src/t.py", "old.py", "new.py"]);
    }

    #[test]
    fn compiled_python_has_a_source() {
        assert_eq!(source_of("a/__pycache__/b.cpython-311.pyc").as_deref(), Some("a/b.py"));
        assert_eq!(source_of("__pycache__/b.cpython-311.pyc").as_deref(), Some("b.py"));
        assert_eq!(source_of("a/b.py"), None);
    }
}
