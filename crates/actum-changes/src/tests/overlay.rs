//! The house property, on real overlays: applying what was collected to a copy of the lower tree gives the merged
//! tree.

use super::scripts::{plant, script};
use super::trees::{Layers, assert_no_drafts, open, picture};
use crate::{ApplyRules, CollectRules, Marks, Protection, apply};
use std::collections::BTreeMap;
use std::os::fd::AsFd;
use std::process::Command;

/// 60, with some ten operations each, in about two seconds.
const SEQUENCES: u64 = 60;

#[test]
fn applying_the_changes_gives_the_merged_tree() {
    // Containers may forbid namespaces; the cases built by hand still run there.
    if Command::new("unshare").args(["-Urm", "true"]).status().is_ok_and(|status| status.success()) {
        (1..=SEQUENCES).for_each(|seed| holds(seed, Marks::User));
    }
}

#[test]
fn and_so_it_does_for_a_mount_by_root() {
    if rustix::process::geteuid().is_root() {
        (1..=SEQUENCES / 3).for_each(|seed| holds(seed, Marks::Trusted));
    }
}

fn holds(seed: u64, marks: Marks) {
    let (layers, script) = (Layers::new(), script(seed));
    plant(&layers.lower(""));
    run(&layers, &script, marks);
    guarded(&layers, seed, marks);
    // Lifted, because what is withheld is meant to differ; links that lead out are not among the operations.
    let rules = CollectRules { protection: Protection::Lifted, marks, ..CollectRules::default() };
    let collected = layers.try_collect(&rules).unwrap();
    let merged = picture(&layers.home.path().join("copy"));
    let differs = picture(&layers.lower("")) != merged;
    assert_eq!(differs, !collected.changes.is_empty(), "seed {seed}\n{script}");
    layers.apply(&collected.changes).unwrap_or_else(|error| panic!("seed {seed}: {error:?}\n{script}"));
    assert_eq!(picture(&layers.lower("")), merged, "seed {seed}\n{script}");
    assert_no_drafts(&layers.lower(""));
}

/// With protection, what is left to apply can always be applied, and protected paths stay as they were.
fn guarded(layers: &Layers, seed: u64, marks: Marks) {
    let copy = layers.home.path().join("guarded");
    let copied = Command::new("cp").arg("-a").arg(layers.lower("")).arg(&copy).status().unwrap();
    assert!(copied.success());
    let rules = CollectRules { marks, ..CollectRules::default() };
    let changes = layers.try_collect(&rules).unwrap().changes;
    let (upper, workspace) = (open(&layers.upper("")), open(&copy));
    let applied = apply(upper.as_fd(), workspace.as_fd(), &changes, &ApplyRules::default());
    applied.unwrap_or_else(|error| panic!("seed {seed}: {error:?}\n{changes:#?}"));
    let protected = |mut tree: BTreeMap<String, String>| {
        tree.retain(|path, _| path.contains(".vscode") || path.ends_with(".git/config"));
        tree
    };
    assert_eq!(protected(picture(&copy)), protected(picture(&layers.lower(""))), "seed {seed}");
}

/// Operations may fail, as those of programs do; only what they leave behind counts.
fn run(layers: &Layers, script: &str, marks: Marks) {
    let (namespaces, option) = match marks {
        Marks::User => ("-Urm", "userxattr"),
        Marks::Trusted => ("-m", "redirect_dir=off,metacopy=off"),
    };
    let mount =
        format!("mount -t overlay -o {option},lowerdir=lower,upperdir=upper,workdir=work none merged");
    let script =
        format!("{mount} && cd merged || exit 1\n{{\n{script}\n}} 2>/dev/null\ncd .. && cp -a merged copy");
    let mut command = Command::new("unshare");
    command.args([namespaces, "sh", "-c", &script]).current_dir(layers.home.path());
    assert!(command.status().unwrap().success(), "the overlay could not be mounted");
}
