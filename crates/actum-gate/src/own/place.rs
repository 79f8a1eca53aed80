//! Whether another user could replace a folder of ours, or what is in it.
//!
//! Who can write a folder can rename what is in it and put a link in its place. So a path is safe only if each folder on it
//! belongs to the caller or to root, others cannot write it (or it is sticky, like `/tmp`, where only owners rename), and
//! each link on it was made by the caller or by root.

use crate::error::GateError;
use crate::facts::Kind;
use rustix::fs::Stat;
use rustix::io::Errno;
use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};

/// As many links as the kernel follows.
const MOST_LINKS: usize = 40;
const STICKY: u32 = 0o1000;
const GROUP: u32 = 0o020;
const OTHERS: u32 = 0o002;

/// What was found on the way to several folders, which share most of it: each is asked about once. For as long as it takes to look
/// at them, not longer.
#[derive(Debug, Default)]
pub struct Looked(RefCell<HashMap<PathBuf, Stat>>);

impl Looked {
    /// The same as [`check_place`].
    pub fn check_place(&self, path: &Path) -> Result<PathBuf, GateError> {
        let (real, found) = check_way(path, self)?;
        found.map_or(Ok(()), |found| check_own(&real, &found)).map(|()| real)
    }

    /// What is there; what is not there is asked for again, because somebody may make it.
    fn lstat(&self, path: &Path) -> Result<Stat, Errno> {
        if let Some(found) = self.0.borrow().get(path) {
            return Ok(*found);
        }
        let found = rustix::fs::lstat(path)?;
        self.0.borrow_mut().insert(path.to_path_buf(), found);
        Ok(found)
    }
}

/// Checks a folder of ours, which need not be there yet: it belongs to the caller, nobody else can write it, and others can
/// replace neither it nor a folder or link on the way to it. Gives its real path.
pub fn check_place(path: &Path) -> Result<PathBuf, GateError> {
    Looked::default().check_place(path)
}

/// Checks the folders above a folder and the links on the way to it. Gives its real path, and what it is if it is there.
fn check_way(path: &Path, looked: &Looked) -> Result<(PathBuf, Option<Stat>), GateError> {
    let stat = |path: &Path| looked.lstat(path).map_err(|error| GateError::from_errno(path, error));
    let path =
        std::path::absolute(path).map_err(|source| GateError::Read { path: path.to_path_buf(), source })?;
    let mut rest: VecDeque<OsString> = names(&path);
    let mut real = PathBuf::from("/");
    let mut found = stat(&real)?;
    let mut links = 0;
    while let Some(name) = rest.pop_front() {
        if name == ".." {
            real.pop();
            found = stat(&real)?;
            continue;
        }
        check_above(&real, &found)?;
        let next = real.join(&name);
        let about = match looked.lstat(&next) {
            // The rest is ours to make.
            Err(Errno::NOENT) => return Ok((rest.iter().fold(next, |path, name| path.join(name)), None)),
            about => about.map_err(|error| GateError::Read { path: next.clone(), source: error.into() })?,
        };
        if Kind::from_mode(about.st_mode) != Kind::Link {
            (real, found) = (next, about);
            continue;
        }
        check_owner(&next, &about)?;
        links += 1;
        if links > MOST_LINKS {
            return Err(GateError::Outside { path: next });
        }
        let target = rustix::fs::readlink(&next, Vec::new())
            .map_err(|error| GateError::Read { path: next.clone(), source: error.into() })?;
        let target = PathBuf::from(OsString::from_vec(target.into_bytes()));
        if target.is_absolute() {
            real = PathBuf::from("/");
            found = stat(&real)?;
        }
        names(&target).into_iter().rev().for_each(|name| rest.push_front(name));
    }
    match Kind::from_mode(found.st_mode) {
        Kind::Folder => Ok((real, Some(found))),
        kind @ (Kind::File | Kind::Link | Kind::Fifo | Kind::Socket | Kind::Device | Kind::Unknown) => {
            Err(GateError::NotFolder { path: real, kind })
        }
    }
}

/// Whether a file or folder belongs to the caller or to root, and its folder too, which others cannot write. Links are not
/// followed.
pub fn is_safe_entry(folder: &Path, name: &OsStr) -> bool {
    let about = rustix::fs::lstat(folder.join(name));
    let above = rustix::fs::stat(folder);
    about.is_ok_and(|about| is_trusted_owner(about.st_uid))
        && above.is_ok_and(|above| is_trusted_owner(above.st_uid) && !is_written_by_others(&above))
}

/// Each link that a path leads through, by the real path of its folder and its own name. The rest of a path behind something
/// that is not there has none.
pub fn links_on_way(path: &Path) -> io::Result<Vec<PathBuf>> {
    let mut rest = names(&std::path::absolute(path)?);
    let mut real = PathBuf::from("/");
    let mut links = Vec::new();
    while let Some(name) = rest.pop_front() {
        if name == ".." {
            real.pop();
            continue;
        }
        let next = real.join(&name);
        let target = match rustix::fs::readlink(&next, Vec::new()) {
            Ok(target) => PathBuf::from(OsString::from_vec(target.into_bytes())),
            Err(Errno::NOENT | Errno::NOTDIR) => break,
            // The kernel's answer for what is no link.
            Err(Errno::INVAL) => {
                real = next;
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        links.push(next);
        if links.len() > MOST_LINKS {
            return Err(Errno::LOOP.into());
        }
        if target.is_absolute() {
            real = PathBuf::from("/");
        }
        names(&target).into_iter().rev().for_each(|name| rest.push_front(name));
    }
    Ok(links)
}

/// Whether the caller owns a file or folder that nobody else can write. A link is none.
pub fn check_own_entry(path: &Path) -> Result<(), GateError> {
    let about = stat(path)?;
    match Kind::from_mode(about.st_mode) {
        Kind::File | Kind::Folder => check_own(path, &about),
        kind @ (Kind::Link | Kind::Fifo | Kind::Socket | Kind::Device | Kind::Unknown) => {
            Err(GateError::NotRegular { path: path.to_path_buf(), kind })
        }
    }
}

/// Checks a file of the user's, which may be behind links of their own, and gives its real path: the file, if it is there,
/// and its folder belong to the caller or to root, and others can replace nothing on the way.
pub fn check_file_place(path: &Path) -> Result<PathBuf, GateError> {
    let mut path = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { break };
        let (folder, found) = check_way(folder, &Looked::default())?;
        found.map_or(Ok(()), |found| check_above(&folder, &found))?;
        let file = folder.join(name);
        let about = match rustix::fs::lstat(&file) {
            Err(Errno::NOENT) => return Ok(file),
            about => about.map_err(|error| GateError::Read { path: file.clone(), source: error.into() })?,
        };
        check_owner(&file, &about)?;
        if Kind::from_mode(about.st_mode) != Kind::Link {
            return Ok(file);
        }
        let target = rustix::fs::readlink(&file, Vec::new())
            .map_err(|error| GateError::Read { path: file.clone(), source: error.into() })?;
        path = file.with_file_name("").join(OsString::from_vec(target.into_bytes()));
    }
    Err(GateError::Outside { path })
}

fn names(path: &Path) -> VecDeque<OsString> {
    let name = |component: Component<'_>| match component {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::Prefix(_) | Component::RootDir | Component::CurDir => None,
    };
    path.components().filter_map(name).collect()
}

fn stat(path: &Path) -> Result<Stat, GateError> {
    rustix::fs::lstat(path).map_err(|error| GateError::from_errno(path, error))
}

fn check_own(path: &Path, about: &Stat) -> Result<(), GateError> {
    if about.st_uid != rustix::process::geteuid().as_raw() {
        return Err(GateError::Foreign { path: path.to_path_buf(), owner: about.st_uid });
    }
    if is_written_by_others(about) {
        return Err(GateError::Writable { path: path.to_path_buf() });
    }
    Ok(())
}

fn check_above(path: &Path, about: &Stat) -> Result<(), GateError> {
    check_owner(path, about)?;
    if about.st_mode & STICKY == 0 && is_written_by_others(about) {
        return Err(GateError::Writable { path: path.to_path_buf() });
    }
    Ok(())
}

fn check_owner(path: &Path, about: &Stat) -> Result<(), GateError> {
    if is_trusted_owner(about.st_uid) {
        return Ok(());
    }
    Err(GateError::Foreign { path: path.to_path_buf(), owner: about.st_uid })
}

/// The caller, root, or root as a user namespace shows it that has no number for root.
fn is_trusted_owner(owner: u32) -> bool {
    owner == 0 || owner == rustix::process::geteuid().as_raw() || is_unmapped(owner)
}

/// Users without a number in this namespace all have this one. Outside of a namespace it is the user `nobody`.
fn is_unmapped(owner: u32) -> bool {
    const OVERFLOW: u32 = 65534;
    const WHOLE: u32 = u32::MAX;
    owner == OVERFLOW
        && super::read_text(Path::new("/proc/self/uid_map")).is_ok_and(|map| {
            let length = |line: &str| line.split_whitespace().nth(2).and_then(|length| length.parse().ok());
            !map.lines().any(|line| length(line) == Some(WHOLE))
        })
}

/// A group with no other member than the caller is the caller.
fn is_written_by_others(about: &Stat) -> bool {
    about.st_mode & OTHERS != 0 || about.st_mode & GROUP != 0 && !is_own_group(about.st_gid)
}

/// Whether a group is the caller's alone, as systems make one for each user (with a umask of 002): it is the caller's
/// primary one, nobody else has it as theirs, and it lists nobody else.
fn is_own_group(group: u32) -> bool {
    if group != rustix::process::getegid().as_raw() {
        return false;
    }
    let user = rustix::process::geteuid().as_raw();
    let [Ok(users), Ok(groups)] = ["/etc/passwd", "/etc/group"].map(|file| super::read_text(Path::new(file)))
    else {
        return false;
    };
    is_private_group(&users, &groups, user, group)
}

/// The same by the text of `/etc/passwd` and `/etc/group`.
fn is_private_group(users: &str, groups: &str, user: u32, group: u32) -> bool {
    let number =
        |line: &str, field: usize| line.split(':').nth(field).and_then(|text| text.parse::<u32>().ok());
    let own_name =
        users.lines().find(|line| number(line, 2) == Some(user)).and_then(|line| line.split(':').next());
    let is_of_another =
        users.lines().any(|line| number(line, 3) == Some(group) && number(line, 2) != Some(user));
    let mut listed = groups
        .lines()
        .filter(|line| number(line, 2) == Some(group))
        .flat_map(|line| line.split(':').nth(3).unwrap_or_default().split(','))
        .map(str::trim)
        .filter(|name| !name.is_empty());
    // A group that only a directory service knows is private if it has the user's number.
    let is_known = groups.lines().any(|line| number(line, 2) == Some(group));
    !is_of_another && listed.all(|name| Some(name) == own_name) && (is_known || group == user)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn mode(path: &Path, mode: u32) {
        std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_folder_that_others_can_write_or_replace_is_no_place() {
        let world = tempfile::tempdir().unwrap();
        let (above, own) = (world.path().join("above"), world.path().join("above/own"));
        std::fs::create_dir_all(&own).unwrap();
        for (above_mode, own_mode, is_good) in [
            (0o755, 0o755, true),
            (0o700, 0o700, true),
            (0o1777, 0o700, true),
            (0o777, 0o700, false),
            (0o755, 0o777, false),
            (0o755, 0o1777, false),
        ] {
            mode(&above, above_mode);
            mode(&own, own_mode);
            assert_eq!(check_place(&own).is_ok(), is_good, "{above_mode:o} {own_mode:o}");
        }
        mode(&above, 0o777);
        assert!(check_place(&above.join("new")).is_err(), "others could make it first");
        mode(&above, 0o755);
        assert_eq!(check_place(&above.join("new/deep")).unwrap(), above.join("new/deep"));
    }

    #[test]
    fn links_of_the_caller_are_followed() {
        let world = tempfile::tempdir().unwrap();
        let (own, link) = (world.path().join("own"), world.path().join("link"));
        std::fs::create_dir(&own).unwrap();
        mode(&own, 0o700);
        symlink("own", &link).unwrap();
        assert_eq!(check_place(&link.join("../own/x")).unwrap(), own.join("x"));
        symlink("loop", world.path().join("loop")).unwrap();
        assert!(check_place(&world.path().join("loop")).is_err());
        std::fs::write(world.path().join("file"), "").unwrap();
        assert!(check_place(&world.path().join("file")).is_err());
        if rustix::process::geteuid().is_root() {
            std::os::unix::fs::lchown(&link, Some(4321), None).unwrap();
            assert!(matches!(check_place(&link.join("x")), Err(GateError::Foreign { owner: 4321, .. })));
        }
    }

    #[test]
    fn every_link_on_the_way_is_found_where_it_really_is() {
        let world = tempfile::tempdir().unwrap();
        let root = world.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        symlink("a", root.join("one")).unwrap();
        symlink(root.join("one/b"), root.join("a/two")).unwrap();
        let links = |path: &str| links_on_way(&root.join(path)).unwrap();
        assert!(links("a/b/gone/x").is_empty());
        assert_eq!(links("one/b"), [root.join("one")]);
        assert_eq!(links("one/two/x"), [root.join("one"), root.join("a/two"), root.join("one")]);
        symlink("loop", root.join("loop")).unwrap();
        assert!(links_on_way(&root.join("loop")).is_err());
    }

    #[test]
    fn a_group_of_one_is_its_user() {
        let users = "root:x:0:0::/root:/bin/sh\nann:x:1000:1001::/:/bin/sh\nbob:x:1002:100::/:/bin/sh\ncid:x:1003:100::/:/bin/sh\n";
        let groups = "root:x:0:\nann:x:1001:\nusers:x:100:\nteam:x:7:ann,bob\nsolo:x:8:ann\n";
        for (user, group, expected) in [
            (1000, 1001, true),
            (1002, 100, false),
            (1000, 7, false),
            (1000, 8, true),
            (5000, 5000, true),
            (5000, 5001, false),
        ] {
            assert_eq!(is_private_group(users, groups, user, group), expected, "{user} {group}");
        }
    }
}
