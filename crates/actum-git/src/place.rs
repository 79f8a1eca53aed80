//! Where the parts of a repository lie. `.git` and `commondir` are files that anybody may have written, and can name any folder of
//! the machine. One outside the work tree is read only where it names this work tree in turn, as `git worktree` and
//! `git submodule` make it.

use super::{Repository, refs};
use actum_gate::{Bound, Root};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The repository of a work tree; its parts outside belong to one of these owners.
pub(super) fn of(top: &Path, owners: &[u32]) -> Option<Repository> {
    let real = top.canonicalize().ok()?;
    let folder = own_folder(&real)?;
    let root = Root::open(&folder).ok()?;
    let is_owned = |path: &Path| path.metadata().is_ok_and(|metadata| owners.contains(&metadata.uid()));
    let is_believed = is_owned(&folder) && points_back(&root, &real);
    if !folder.starts_with(&real) && !is_believed {
        return None;
    }
    let common = match root.facts_of(Path::new("commondir")) {
        Err(error) if error.is_missing() => folder.clone(),
        _ => folder.join(refs::small_text(&root, "commondir")?.trim_end()).canonicalize().ok()?,
    };
    let holds_it = folder.parent() == Some(&common.join("worktrees")) && is_owned(&common);
    let is_near = common == folder || common.starts_with(&real) || holds_it;
    is_near.then(|| Repository { top: top.to_path_buf(), folder, common })
}

/// `.git` is a folder, or a file that names one.
fn own_folder(top: &Path) -> Option<PathBuf> {
    let git = top.join(".git");
    if git.is_dir() {
        return git.canonicalize().ok();
    }
    let text = refs::small_text(&Root::open(top).ok()?, ".git")?;
    let named = text.strip_prefix("gitdir: ")?.trim_end_matches(['\n', '\r']);
    top.join(named).canonicalize().ok()
}

/// Whether a repository's folder names this work tree: in `gitdir` (`git worktree`) or as `core.worktree` (`git submodule`,
/// `--separate-git-dir`).
fn points_back(folder: &Root, top: &Path) -> bool {
    let leads_to = |named: &str, to: &Path| {
        folder.path().join(named).canonicalize().is_ok_and(|real| Some(real) == to.canonicalize().ok())
    };
    let by_file = refs::small_text(folder, "gitdir")
        .is_some_and(|text| leads_to(text.trim_end_matches(['\n', '\r']), &top.join(".git")));
    by_file
        || ["config", "config.worktree"].iter().any(|name| {
            let text = folder.read(Path::new(name), Bound::SMALL).ok();
            let text = text.and_then(|bytes| String::from_utf8(bytes).ok());
            text.is_some_and(|text| work_trees(&text).any(|named| leads_to(named, top)))
        })
}

/// The values of `core.worktree`. A value with an escape in it is not understood, and leads nowhere.
fn work_trees(config: &str) -> impl Iterator<Item = &str> {
    let mut is_core = false;
    config.lines().filter_map(move |line| {
        let line = line.trim();
        if line.starts_with('[') {
            is_core = line.eq_ignore_ascii_case("[core]");
            return None;
        }
        let (key, value) = line.split_once('=')?;
        let value = value.trim();
        let value = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(value);
        (is_core && key.trim().eq_ignore_ascii_case("worktree")).then_some(value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_work_tree_of_core_counts() {
        let config = "[core]\n\tbare = false\n\tworktree = ../../../lib\n[other]\n\tworktree = /a\n[Core]\nWorkTree=\"/b c\"\n";
        assert_eq!(work_trees(config).collect::<Vec<_>>(), ["../../../lib", "/b c"]);
    }
}
