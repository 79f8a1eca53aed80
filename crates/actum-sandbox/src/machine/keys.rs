//! Where keys, tokens, credentials and histories are kept in a home: `data/keys.txt`, one row a line.
//!
//! Rows are found by name and hidden by their real path: a key file may be a link, or lie behind one, and hiding the
//! link would leave its target readable. A new row needs no code.

use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

const ROWS: &str = include_str!("../../data/keys.txt");

/// One row of the list of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyRow {
    /// Relative to the home.
    pub path: &'static str,
    /// What it holds: key, token, password, store, browser, mail, history, ours.
    pub kind: &'static str,
    /// The program that documents it.
    pub source: &'static str,
}

/// Every row of the list, in its order.
pub fn key_rows() -> impl Iterator<Item = KeyRow> {
    // Parsed once: a run asks for each folder of `PATH` and for each home.
    static PARSED: OnceLock<Vec<KeyRow>> = OnceLock::new();
    let parse = || table_rows(ROWS).map(|[path, kind, source]| KeyRow { path, kind, source }).collect();
    PARSED.get_or_init(parse).iter().copied()
}

/// The rows of a list with three columns. Lines that have no columns are comments.
pub(crate) fn table_rows(text: &'static str) -> impl Iterator<Item = [&'static str; 3]> {
    text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let (first, rest) = split_column(line)?;
        let (second, third) = split_column(rest)?;
        Some([first, second, third])
    })
}

/// By a single character: looking for ` | ` as a text costs ten times as much, and there are hundreds of lines.
fn split_column(line: &'static str) -> Option<(&'static str, &'static str)> {
    let (left, right) = line.split_once('|')?;
    Some((left.strip_suffix(' ')?, right.strip_prefix(' ')?))
}

/// The caller's homes, without links: the one that `HOME` names, and the one that the system's list of users names.
/// They differ where a variable was kept across a change of user, or where none is set.
pub(crate) fn homes(home: Option<&Path>) -> Vec<PathBuf> {
    let mut homes: Vec<PathBuf> = Vec::new();
    let listed = home_of_user(rustix::process::geteuid().as_raw());
    for home in home.map(Path::to_path_buf).into_iter().chain(listed) {
        let real = actum_gate::real_path(&home).ok().filter(|real| real.parent().is_some());
        homes.extend(real.filter(|real| !homes.contains(real)));
    }
    homes
}

/// The homes of other users, without links, that hold one of these paths or lie in one. Only root lends a program the rights of
/// other users, so that only root's runs have to ask.
pub(crate) fn homes_of_others(shown: &[&Path]) -> Vec<PathBuf> {
    if !rustix::process::geteuid().is_root() {
        return Vec::new();
    }
    static HOMES: OnceLock<Vec<PathBuf>> = OnceLock::new();
    let homes = HOMES.get_or_init(other_homes).iter();
    homes
        .filter(|home| shown.iter().any(|path| home.starts_with(path) || path.starts_with(home)))
        .cloned()
        .collect()
}

fn other_homes() -> Vec<PathBuf> {
    use std::os::unix::fs::MetadataExt;
    let mut homes: Vec<PathBuf> = Vec::new();
    for (user, home) in listed_users().iter().filter(|(user, _)| *user != 0) {
        // Users of services have folders of the system for a home, which are not theirs. Asked first, because they are many.
        let is_theirs = home.metadata().is_ok_and(|found| found.uid() == *user);
        let real = if is_theirs { actum_gate::real_path(home).ok() } else { None };
        homes.extend(real.filter(|real| real.parent().is_some() && !homes.contains(real)));
    }
    homes
}

fn home_of_user(user: u32) -> Option<PathBuf> {
    listed_users().iter().find_map(|(other, home)| (*other == user).then(|| home.clone()))
}

/// The system's own list of users, each with a home. Read once: a process that lives long does not see users that are made
/// meanwhile.
fn listed_users() -> &'static [(u32, PathBuf)] {
    static USERS: OnceLock<Vec<(u32, PathBuf)>> = OnceLock::new();
    USERS.get_or_init(read_users)
}

fn read_users() -> Vec<(u32, PathBuf)> {
    let users = std::fs::read("/etc/passwd").unwrap_or_default();
    let rows = users.split(|byte| *byte == b'\n').filter_map(|line| {
        let mut fields = line.split(|byte| *byte == b':');
        let user = std::str::from_utf8(fields.nth(2)?).ok()?.parse().ok()?;
        let home = fields.nth(2)?;
        home.starts_with(b"/").then(|| (user, PathBuf::from(OsString::from_vec(home.to_vec()))))
    });
    rows.collect()
}

/// The keys of other users that would be seen.
pub(crate) fn keys_of_others(shown: &[&Path]) -> Vec<PathBuf> {
    homes_of_others(shown).iter().flat_map(|home| existing_in(home)).collect()
}

/// The real paths of the keys that exist in a home, which has no links in its own path.
pub(super) fn existing_in(home: &Path) -> Vec<PathBuf> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let Ok(folder) = rustix::fs::open(home, flags, Mode::empty()) else { return Vec::new() };
    let mut look = Look { folder, seen: HashMap::new(), names: HashMap::new() };
    let mut found: Vec<PathBuf> = Vec::new();
    for row in key_rows() {
        let real = match look.at(row.path) {
            State::Absent => None,
            State::Plain => Some(home.join(row.path)),
            State::Linked => home.join(row.path).canonicalize().ok(),
        };
        // A link to the home itself, or above it, names no key.
        found.extend(real.filter(|real| !home.starts_with(real) && !found.contains(real)));
    }
    found
}

/// What is at a path below the home.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Absent,
    Plain,
    /// It is a link or lies behind one.
    Linked,
}

/// Lists each folder once: most rows share theirs, and most of what they name is not there. Asking for each by name took a
/// third of all system calls of a small run.
struct Look {
    folder: OwnedFd,
    seen: HashMap<&'static str, State>,
    /// The names in each folder; nothing where it cannot be listed, or holds too many.
    names: HashMap<&'static str, Option<HashSet<Vec<u8>>>>,
}

/// A home with more entries is asked by name.
const MOST_NAMES: usize = 4096;

impl Look {
    fn at(&mut self, path: &'static str) -> State {
        let (above, name) = path.rsplit_once('/').unwrap_or((".", path));
        if above != "." {
            let known = self.seen.get(above).copied();
            let state = known.unwrap_or_else(|| self.at(above));
            self.seen.insert(above, state);
            if state != State::Plain {
                return state;
            }
        }
        let folder = &self.folder;
        let names = self.names.entry(above).or_insert_with(|| names_in(folder, above));
        if names.as_ref().is_some_and(|names| !names.contains(name.as_bytes())) {
            return State::Absent;
        }
        match rustix::fs::statat(&self.folder, path, AtFlags::SYMLINK_NOFOLLOW) {
            Err(_) => State::Absent,
            Ok(stat) if FileType::from_raw_mode(stat.st_mode).is_symlink() => State::Linked,
            Ok(_) => State::Plain,
        }
    }
}

fn names_in(home: &OwnedFd, folder: &str) -> Option<HashSet<Vec<u8>>> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = rustix::fs::openat(home, folder, flags, Mode::empty()).ok()?;
    let mut names = HashSet::new();
    for entry in rustix::fs::Dir::new(opened).ok()? {
        names.insert(entry.ok()?.file_name().to_bytes().to_vec());
        if names.len() > MOST_NAMES {
            return None;
        }
    }
    Some(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn every_row_has_three_columns_and_stands_once() {
        let lines = ROWS.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let rows: Vec<KeyRow> = key_rows().collect();
        assert_eq!(rows.len(), lines.count(), "a line is no row");
        let mut paths: Vec<&str> = rows.iter().map(|row| row.path).collect();
        paths.sort_unstable();
        paths.windows(2).for_each(|two| assert_ne!(two[0], two[1], "the same row twice"));
        for KeyRow { path, kind, source } in rows {
            let names = path.split('/').all(|name| !name.is_empty() && name != "." && name != "..");
            assert!(names && path.trim() == path && !source.trim().is_empty(), "{path}");
            let kinds = ["key", "token", "password", "store", "browser", "mail", "history", "ours"];
            assert!(kinds.contains(&kind), "{path}: {kind}");
        }
    }

    #[test]
    fn links_lead_to_what_is_hidden() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        for folder in [".aws", "dot/config/gh", "dot/ssh"] {
            std::fs::create_dir_all(home.join(folder)).unwrap();
        }
        std::fs::write(home.join("dot/pgpass"), "x").unwrap();
        symlink("dot/ssh", home.join(".ssh")).unwrap();
        symlink(home.join("dot/pgpass"), home.join(".pgpass")).unwrap();
        symlink("dot/config", home.join(".config")).unwrap();
        symlink("nowhere", home.join(".netrc")).unwrap();
        symlink(".", home.join(".docker")).unwrap();
        let mut found = existing_in(&home);
        found.sort();
        let expected = [".aws", "dot/config/gh", "dot/pgpass", "dot/ssh"].map(|name| home.join(name));
        assert_eq!(found, expected);
    }
}
