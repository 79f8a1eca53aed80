//! Which paths are configuration that other programs act on later, so that a run never changes them by itself.
//!
//! The rows are data: `data/protected.txt`, each with the program that acts on it. A path counts at any depth, because any
//! folder may be opened as a project or be a nested repository. Names are compared as a careless file system would:
//! ASCII case folded, trailing dots and spaces dropped.
//!
//! A [`Guard`] adds what depends on where the workspace lies: the names above it (in `~/.config` the path `git/config` is
//! protected), the rows that count in the home alone, the home's keys (`data/keys.txt`), and Actum's own folders, which
//! need not exist: a run that makes them first would choose what Actum reads next.
//!
//! Decided, and why:
//! - `AGENTS.md`, `CLAUDE.md` and their kin are protected: they are instructions that later agents obey.
//! - `.git` itself is: as a file it redirects git to a folder of the program's choosing. A plain folder is excused by
//!   [`Guard::protected_as`], or nobody could clone into a workspace. `commondir` and `gitdir` redirect in the same way,
//!   and `git-rebase-todo` holds commands for `git rebase --continue`.
//! - `.gitmodules` and `.gitattributes` are not: git itself refuses commands in the one, and filters named in the
//!   other have to be defined in a configuration, which is protected.
//! - `.github/workflows` and build files (`Makefile`, `package.json`, `.cargo/config.toml`) are not: they are the code
//!   under work, and are run by somebody who means to run it.
//! - A folder that has the shape of a bare repository is judged like `.git`, by `bare`.

use crate::machine::{homes, homes_of_others, key_rows, table_rows};
use actum_model::Node;
use actum_model::byte_path::{ancestors, split};
use std::collections::HashMap;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

#[cfg(test)]
mod tests;

const ROWS: &str = include_str!("../data/protected.txt");

/// One row of the list of protected paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProtectedRow {
    pub pattern: &'static str,
    /// Where it counts: file, pointer, folder or home.
    pub scope: &'static str,
    /// The program that acts on it.
    pub source: &'static str,
}

/// Every row of the list, in its order.
pub fn protected_rows() -> impl Iterator<Item = ProtectedRow> {
    table_rows(ROWS).map(|[pattern, scope, source]| ProtectedRow { pattern, scope, source })
}

/// What of a match is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// The last name alone.
    File,
    /// The last name alone, unless a plain folder is put there.
    Pointer,
    /// It and everything in it.
    Folder,
}

/// A row that counts at any depth.
#[derive(Debug)]
struct Pattern {
    /// Folded, each with at most one `*`.
    names: Vec<Vec<u8>>,
    scope: Scope,
}

/// The rows that count at any depth, by their first name.
#[derive(Debug, Default)]
struct Patterns {
    by_name: HashMap<Vec<u8>, Vec<Pattern>>,
    /// Those whose first name has a `*`.
    wild: Vec<Pattern>,
}

impl Patterns {
    fn get() -> &'static Self {
        static MADE: OnceLock<Patterns> = OnceLock::new();
        MADE.get_or_init(|| {
            let mut made = Self::default();
            for row in protected_rows() {
                let scope = match row.scope {
                    "file" => Scope::File,
                    "pointer" => Scope::Pointer,
                    "folder" => Scope::Folder,
                    _ => continue,
                };
                let names: Vec<Vec<u8>> =
                    row.pattern.split('/').map(|name| folded(name.as_bytes())).collect();
                match names[0].contains(&b'*') {
                    true => made.wild.push(Pattern { names, scope }),
                    false => made.by_name.entry(names[0].clone()).or_default().push(Pattern { names, scope }),
                }
            }
            made
        })
    }

    /// The rows that may begin with this name.
    fn beginning(&self, name: &[u8]) -> impl Iterator<Item = &Pattern> {
        self.by_name.get(name).into_iter().flatten().chain(&self.wild)
    }
}

impl Pattern {
    /// Where a match that begins at `at` ends.
    fn end(&self, names: &[Vec<u8>], at: usize) -> Option<usize> {
        let there = names.get(at..at + self.names.len())?;
        let all = self.names.iter().zip(there).all(|(pattern, name)| fits_pattern(pattern, name));
        all.then_some(at + self.names.len())
    }

    /// Whether these names are the first of the pattern, and not all.
    fn is_begun(&self, names: &[Vec<u8>]) -> bool {
        names.len() < self.names.len()
            && self.names.iter().zip(names).all(|(pattern, name)| fits_pattern(pattern, name))
    }
}

/// What is protected in one workspace.
#[derive(Debug, Clone, Default)]
pub struct Guard {
    /// The names of the workspace's own path, folded.
    above: Vec<Vec<u8>>,
    /// Paths of the workspace at which and in which nothing is put, folded: keys, folders of the home, and our own.
    reserved: Vec<Vec<u8>>,
    /// Those of them that are our own.
    own: Vec<Vec<u8>>,
}

impl Guard {
    /// For a workspace, where `home` and our own folders may lie in it or around it.
    pub fn new(workspace: &Path, home: Option<&Path>, own: &[PathBuf]) -> Self {
        let above = workspace.components().filter_map(|part| match part {
            std::path::Component::Normal(name) => Some(folded(name.as_bytes())),
            std::path::Component::Prefix(_)
            | std::path::Component::RootDir
            | std::path::Component::CurDir
            | std::path::Component::ParentDir => None,
        });
        let inside =
            |path: &Path| path.strip_prefix(workspace).ok().map(folded_path).filter(|path| !path.is_empty());
        let own: Vec<Vec<u8>> = own.iter().filter_map(|path| inside(path)).collect();
        let mut reserved = own.clone();
        let others = homes_of_others(&[workspace]);
        for home in homes(home).iter().chain(&home.map(Path::to_path_buf)).chain(&others) {
            // Neither lies in the other: no row of this home is in the workspace.
            if !home.starts_with(workspace) && !workspace.starts_with(home) {
                continue;
            }
            let keys = key_rows().map(|row| row.path);
            let folders = protected_rows().filter(|row| row.scope == "home").map(|row| row.pattern);
            reserved.extend(keys.chain(folders).filter_map(|row| inside(&home.join(row))));
        }
        Self { above: above.collect(), reserved, own }
    }

    /// Whether a path, relative to the workspace, is protected. Folders that are protected with everything in them are
    /// protected themselves.
    pub fn is_protected(&self, path: &[u8]) -> bool {
        self.is_reserved(path) || self.matches(path, None)
    }

    /// Whether `node` may not be put at `path`. A plain `.git` folder may: its dangerous contents are judged one by one.
    pub fn protected_as(&self, path: &[u8], node: &Node) -> bool {
        let (folder, name) = split(path);
        let plain_repository = *node == Node::Folder && matches!(folded(name).as_slice(), b".git" | b"git~1");
        match plain_repository {
            true => !folder.is_empty() && self.is_protected(folder),
            false => {
                self.is_reserved(path)
                    || self.diverts(path, node)
                    || matches!(node, Node::Link { .. }) && self.is_link_protected(path)
                    || self.matches(path, Some(node))
            }
        }
    }

    /// Whether a link may not be put at `path`, because a protected path would lie behind it: `.hg` where `.hg/hgrc` is protected, and
    /// a folder of `.git`.
    pub fn is_link_protected(&self, path: &[u8]) -> bool {
        let mut names = self.above.clone();
        names.extend(path.split(|byte| *byte == b'/').map(folded));
        (0..names.len()).any(|at| {
            let below = &names[at + 1..];
            match names[at].as_slice() {
                b".git" | b"git~1" => !below
                    .first()
                    .is_some_and(|first| matches!(first.as_slice(), b"refs" | b"logs" | b"objects")),
                b".github" => below.is_empty(),
                name => Patterns::get().beginning(name).any(|pattern| pattern.is_begun(&names[at..])),
            }
        })
    }

    /// The same where something else than a folder stood at the path.
    pub fn is_protected_over(&self, path: &[u8], node: &Node) -> bool {
        let is_link = matches!(node, Node::Link { .. });
        self.is_protected(path) || self.diverts(path, node) || is_link && self.is_link_protected(path)
    }

    /// Whether a path is in one of our own folders: nothing that a run puts there is carried over, whoever asks.
    pub fn is_own(&self, path: &[u8]) -> bool {
        !self.own.is_empty() && is_in(&folded_bytes(path), &self.own)
    }

    fn is_reserved(&self, path: &[u8]) -> bool {
        !self.reserved.is_empty() && is_in(&folded_bytes(path), &self.reserved)
    }

    /// Whether something else than a folder is put above a reserved path: a link there would lead to a place of the
    /// program's choosing.
    fn diverts(&self, path: &[u8], node: &Node) -> bool {
        if self.reserved.is_empty() || matches!(node, Node::Folder | Node::Nothing) {
            return false;
        }
        let path = folded_bytes(path);
        self.reserved.iter().any(|reserved| ancestors(reserved).any(|above| above == path))
    }

    /// Whether a row that counts at any depth matches. A match may begin above the workspace, and ends in it.
    fn matches(&self, path: &[u8], node: Option<&Node>) -> bool {
        let start = self.above.len();
        let mut names = self.above.clone();
        names.extend(path.split(|byte| *byte == b'/').map(folded));
        (0..names.len()).any(|at| {
            let below = &names[at + 1..];
            // Somebody who names a protected folder as the workspace means to change what is in it.
            let unsaid = |judge: fn(&[Vec<u8>]) -> bool| {
                at >= start || at + 1 == start || !judge(&names[at + 1..start])
            };
            match names[at].as_slice() {
                b".git" | b"git~1" => in_git(below) && unsaid(in_git),
                b".github" => in_github(below) && unsaid(in_github),
                name => Patterns::get().beginning(name).any(|pattern| {
                    pattern.end(&names, at).filter(|end| *end > start).is_some_and(|end| {
                        match pattern.scope {
                            Scope::Folder => true,
                            Scope::File => end == names.len(),
                            Scope::Pointer => end == names.len() && node != Some(&Node::Folder),
                        }
                    })
                }),
            }
        })
    }
}

/// Whether a path is one of these or lies in one.
fn is_in(path: &[u8], folders: &[Vec<u8>]) -> bool {
    folders.iter().any(|folder| {
        path.strip_prefix(folder.as_slice()).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
    })
}

/// A name against a pattern with at most one `*`.
fn fits_pattern(pattern: &[u8], name: &[u8]) -> bool {
    match pattern.iter().position(|byte| *byte == b'*') {
        None => pattern == name,
        Some(star) => {
            let (before, behind) = (&pattern[..star], &pattern[star + 1..]);
            name.len() >= before.len() + behind.len() && name.starts_with(before) && name.ends_with(behind)
        }
    }
}

/// Inside a repository's own folder. Branch names are free, so `refs` and `logs` hold any name, and `objects` holds
/// nothing that acts; only at the top, because a submodule under `modules` may be called `refs`.
pub fn in_git(below: &[Vec<u8>]) -> bool {
    let Some(first) = below.first() else { return true };
    if matches!(first.as_slice(), b"refs" | b"logs" | b"objects") {
        return false;
    }
    let last = below.last().map_or(&b""[..], Vec::as_slice);
    // What is going on (a rebase, a cherry-pick) names commands and strategies that the next `--continue` runs.
    let goes_on = [&b"sequencer"[..], b"rebase-merge", b"rebase-apply"];
    below.iter().any(|name| name == b"hooks" || goes_on.contains(&name.as_slice()))
        || matches!(last, b"config" | b"config.worktree" | b"commondir" | b"gitdir" | b"git-rebase-todo")
        || below.ends_with(&[b"info".to_vec(), b"attributes".to_vec()])
}

/// Copilot's instructions, prompts and agents live beside the workflows.
fn in_github(below: &[Vec<u8>]) -> bool {
    below.first().is_some_and(|name| {
        name.starts_with(b"copilot")
            || matches!(
                name.as_slice(),
                b"instructions" | b"prompts" | b"chatmodes" | b"agents" | b"skills" | b"hooks"
            )
    })
}

pub fn folded(name: &[u8]) -> Vec<u8> {
    let end = name.iter().rposition(|byte| !matches!(byte, b'.' | b' ')).map_or(name.len(), |at| at + 1);
    name[..end].to_ascii_lowercase()
}

fn folded_bytes(path: &[u8]) -> Vec<u8> {
    path.split(|byte| *byte == b'/').map(folded).collect::<Vec<_>>().join(&b'/')
}

fn folded_path(path: &Path) -> Vec<u8> {
    folded_bytes(path.as_os_str().as_bytes())
}
