//! Follows a path to its file, one component and one link at a time, and keeps what each step was.
//!
//! `canonicalize` only tells where a path ends. Who could have chosen that end depends on every folder and every link on the
//! way, so the way itself is the answer here. Links of `/proc` that lead nowhere by name are not followed by this.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

/// More links than this are a loop: the kernel's own bound.
const MOST_LINKS: usize = 40;
/// More steps than any real path takes.
const MOST_STEPS: usize = 400;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Folder,
    File,
    Link,
    Other,
}

/// One file, folder or link that was met. Its path has no links above its last component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) path: PathBuf,
    pub(super) kind: Kind,
    pub(super) owner: u32,
    pub(super) group: u32,
    pub(super) mode: u32,
}

/// Every step from `/` to the end. The last one is no link. Fails where something is missing.
pub(super) fn walk(path: &Path) -> io::Result<Vec<Step>> {
    if !path.is_absolute() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut left: VecDeque<OsString> = components(path);
    let mut steps = vec![step(Path::new("/"))?];
    let (mut here, mut links) = (PathBuf::from("/"), 0);
    while let Some(name) = left.pop_front() {
        if name == ".." {
            here.pop();
            continue;
        }
        let next = step(&here.join(&name))?;
        if next.kind == Kind::Link {
            links += 1;
            let target = std::fs::read_link(&next.path)?;
            if links > MOST_LINKS {
                return Err(io::Error::from_raw_os_error(rustix::io::Errno::LOOP.raw_os_error()));
            }
            if target.is_absolute() {
                here = PathBuf::from("/");
            }
            for part in components(&target).into_iter().rev() {
                left.push_front(part);
            }
        } else {
            here.clone_from(&next.path);
        }
        steps.push(next);
        if steps.len() > MOST_STEPS {
            return Err(io::ErrorKind::InvalidFilename.into());
        }
    }
    if steps.last().is_some_and(|last| last.path != here) {
        steps.push(step(&here)?);
    }
    Ok(steps)
}

fn components(path: &Path) -> VecDeque<OsString> {
    let part = |component: Component<'_>| match component {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    };
    path.components().filter_map(part).collect()
}

fn step(path: &Path) -> io::Result<Step> {
    let about = std::fs::symlink_metadata(path)?;
    let kind = match about.file_type() {
        kind if kind.is_dir() => Kind::Folder,
        kind if kind.is_file() => Kind::File,
        kind if kind.is_symlink() => Kind::Link,
        _ => Kind::Other,
    };
    let path = path.to_path_buf();
    Ok(Step { path, kind, owner: about.uid(), group: about.gid(), mode: about.mode() & 0o7777 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn every_link_on_the_way_is_seen() {
        let world = tempfile::tempdir().unwrap();
        let root = world.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        std::fs::create_dir(root.join("c")).unwrap();
        std::fs::write(root.join("a/b/file"), "").unwrap();
        symlink("../a/b", root.join("c/over")).unwrap();
        symlink(root.join("c/over/file"), root.join("start")).unwrap();
        let steps = walk(&root.join("start")).unwrap();
        let names: Vec<&Path> = steps.iter().map(|step| step.path.as_path()).collect();
        for met in ["start", "c", "c/over", "a", "a/b", "a/b/file"] {
            assert!(names.contains(&root.join(met).as_path()), "{met}: {names:?}");
        }
        assert_eq!(steps.last().unwrap().path, root.join("a/b/file"));
        let back = walk(&root.join("c/over/../b/./file/..")).unwrap();
        assert_eq!(back.last().unwrap().path, root.join("a/b"));
    }

    #[test]
    fn circles_relative_paths_and_missing_files_end() {
        let world = tempfile::tempdir().unwrap();
        symlink("b", world.path().join("a")).unwrap();
        symlink("a", world.path().join("b")).unwrap();
        assert!(walk(&world.path().join("a")).is_err());
        assert!(walk(&world.path().join("missing/x")).is_err());
        assert!(walk(Path::new("usr/bin")).is_err());
    }
}
