//! Ways to start a project, found in its files.
//!
//! | rank | where |
//! |---|---|
//! | 1 | `scripts/` holds a file named after a goal: `train.sh`, `eval.py`, `run.R` |
//! | 2 | a target of the Makefile, a recipe of the justfile |
//! | 3 | a script of `package.json` |
//! | 4 | a stage of `dvc.yaml`, an entry point of `MLproject`, a script of `pyproject.toml` |
//! | 5 | such a file at the top, then in `src/`, `bin/`, `tools/` |
//! | 6 | the only module with `if __name__ == "__main__":` |
//!
//! A name that is a goal (`train`) goes before every one that has it as a part only (`train_small`), which have the same ranks once
//! more. [`choose`] decides: one best is used, several of the same rank are listed. Start at [`find_entries`].

mod main_module;
mod makefile;
mod manifest;
mod names;
mod script;
#[cfg(test)]
mod tests;

pub(crate) use makefile::targets_of;
pub use names::Goal;

use actum_gate::{Bound, Root};
use std::path::Path;

/// A way to start the project.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct Entry {
    /// Words of the command, to be started in the root.
    pub command: Vec<String>,
    pub kind: EntryKind,
    pub goal: Goal,
    /// The file that it was found in, below the root.
    pub file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// A sentence.
    pub why: String,
    /// The same number is the same rank; 0 is the best.
    pub rank: u32,
    /// By which the user knows it: `train`.
    pub name: String,
}

#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum EntryKind {
    Script,
    MakeTarget,
    JustRecipe,
    PackageScript,
    DvcStage,
    MlProject,
    ProjectScript,
    MainModule,
}

/// Which entry is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    One(Entry),
    /// Nothing says which of them.
    Several(Vec<Entry>),
    None,
}

/// Entries of a folder that are looked at.
const MOST_NAMES: usize = 2_000;

/// More entries are not listed.
const MOST_ENTRIES: usize = 200;

/// All ways to start, the best first.
pub fn find_entries(root: &Root) -> Vec<Entry> {
    let mut entries = script::in_folder(root, "scripts", Source::Scripts);
    entries.extend(makefile::targets(root));
    entries.extend(makefile::recipes(root));
    entries.extend(manifest::package_scripts(root));
    entries.extend(manifest::dvc_stages(root));
    entries.extend(manifest::ml_project(root));
    entries.extend(manifest::project_scripts(root));
    for (folder, source) in
        [("", Source::Top), ("src", Source::Src), ("bin", Source::Bin), ("tools", Source::Tools)]
    {
        entries.extend(script::in_folder(root, folder, source));
    }
    if entries.is_empty() {
        entries.extend(main_module::only(root));
    }
    entries.sort_by(|one, other| one.rank.cmp(&other.rank).then_with(|| one.name.cmp(&other.name)));
    entries.truncate(MOST_ENTRIES);
    entries
}

/// The entry that is started: the best one for the goal, if only one is the best.
pub fn choose(entries: &[Entry], goal: Option<Goal>) -> Choice {
    let meant: Vec<&Entry> =
        entries.iter().filter(|entry| goal.is_none_or(|goal| entry.goal == goal)).collect();
    let Some(best) = meant.iter().map(|entry| entry.rank).min() else { return Choice::None };
    let mut best: Vec<Entry> = meant.into_iter().filter(|entry| entry.rank == best).cloned().collect();
    match best.len() {
        1 => Choice::One(best.remove(0)),
        _ => Choice::Several(best),
    }
}

/// Where an entry comes from, in the order of preference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    Scripts,
    Targets,
    Package,
    Manifest,
    Top,
    Src,
    Bin,
    Tools,
    Module,
}

impl Source {
    /// `is_exact`: the name is a goal, and has one not only as a part.
    fn rank(self, is_exact: bool) -> u32 {
        let at = match self {
            Source::Scripts => 0,
            Source::Targets => 1,
            Source::Package => 2,
            Source::Manifest => 3,
            Source::Top => 4,
            Source::Src => 5,
            Source::Bin => 6,
            Source::Tools => 7,
            Source::Module => 8,
        };
        // A part of a name is a weak sign: every exact one goes before.
        if is_exact { at } else { at + 10 }
    }
}

fn words<const N: usize>(words: [&str; N]) -> Vec<String> {
    words.map(str::to_owned).to_vec()
}

/// A small file of the project, if it is there and is text.
fn text(root: &Root, file: &str) -> Option<String> {
    root.read_text(Path::new(file), Bound::SMALL).ok().map(actum_model::Untrusted::into_string)
}

fn line(index: usize) -> Option<u32> {
    u32::try_from(index + 1).ok()
}
