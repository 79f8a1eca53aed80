//! What the program sees: temporary folders, granted places, and the workspace under its copy-on-write layer.

use super::scratch::Scratch;
use super::{Given, Stopped, stopped};
use crate::note::Step;
use crate::order::{Access, Order, Place, Root, WriteLayer};
use crate::trees::{self, NO_DEVICES, NO_SET_ID, READ_ONLY, Setting};
use rustix::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::collections::BTreeSet;
use std::ffi::{CStr, CString, OsStr};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The workspace under a layer: the root of what is written, and the whole as the program sees it.
pub(super) struct Layered {
    pub(super) upper: OwnedFd,
    pub(super) merged: OwnedFd,
}

/// Builds the view. Gives the layer that takes the workspace's writes, if there is one.
pub(super) fn show(
    order: &Order,
    root: Root,
    given: &Given,
    scratch: &Scratch,
) -> Result<Option<Layered>, Stopped> {
    let missing = || (Step::Workspace, io::Error::other("BUG: no tree for the workspace"), String::new());
    let workspace = given.workspace.as_ref().ok_or_else(missing)?.as_fd();
    if root == Root::Machine {
        read_only_machine().map_err(stopped(Step::Places, "/"))?;
    }
    scratch.fit(order.scratch, order.inodes).map_err(stopped(Step::Scratch, ""))?;
    let cover = Cover::decide(order, root);
    cover.lay(scratch).map_err(stopped(Step::Workspace, ""))?;
    // Not what is hidden itself: that stays hidden from a run that names it.
    let is_behind =
        |place: &Place| order.masks.iter().any(|mask| *mask != place.target && is_below(&place.target, mask));
    let places = || order.places.iter().zip(&given.places);
    let is_first = |place: &Place| !is_behind(place) && !is_within(order, place);
    places().filter(|(place, _)| is_first(place)).try_for_each(|(place, tree)| put(place, tree))?;
    // A workspace that lies in a hidden folder is shown on its cover.
    let is_above = |mask: &&CString| is_below(&order.workspace.place.target, mask);
    let conceal = |mask: &CString| hide(mask).map_err(stopped(Step::Workspace, &mask.to_string_lossy()));
    order.masks.iter().filter(is_above).try_for_each(conceal)?;
    let layer = show_workspace(order, workspace, scratch, given.layer.as_ref())?;
    // What is written directly lies on the layer, else writes would go into it.
    let mut within = places().filter(|(place, _)| !is_behind(place) && is_within(order, place));
    within.try_for_each(|(place, tree)| put(place, tree))?;
    fix_all(order)?;
    order.masks.iter().filter(|mask| !is_above(mask)).try_for_each(conceal)?;
    // What is shown out of a hidden folder is shown on its cover.
    places().filter(|(place, _)| is_behind(place)).try_for_each(|(place, tree)| put(place, tree))?;
    cover.close().map_err(stopped(Step::Workspace, ""))?;
    Ok(layer)
}

/// Whether a place is written directly and lies in the workspace, whose own writes go into a layer.
fn is_within(order: &Order, place: &Place) -> bool {
    let workspace = &order.workspace.place.target;
    let has_layer = order.workspace.layer != WriteLayer::None;
    let is_inside = place.target != *workspace && is_below(&place.target, workspace);
    has_layer && is_inside && place.access == Access::Write
}

fn put(place: &Place, tree: &OwnedFd) -> Result<(), Stopped> {
    let named = place.target.to_string_lossy().into_owned();
    trees::make_point(tree.as_fd(), &place.target).map_err(stopped(Step::Places, &named))?;
    trees::put(tree.as_fd(), &place.target).map_err(stopped(Step::Places, &named))
}

/// Keeps what is protected as it is where it could be written directly.
fn fix_all(order: &Order) -> Result<(), Stopped> {
    let workspace = &order.workspace;
    for folder in folders_between(&workspace.place.target, &workspace.fixed) {
        pin(&folder).map_err(stopped(Step::Workspace, &folder.to_string_lossy()))?;
    }
    for fixed in &workspace.fixed {
        fix(fixed).map_err(stopped(Step::Workspace, &fixed.to_string_lossy()))?;
    }
    Ok(())
}

fn show_workspace(
    order: &Order,
    workspace: BorrowedFd<'_>,
    scratch: &Scratch,
    on_disk: Option<&OwnedFd>,
) -> Result<Option<Layered>, Stopped> {
    let target = order.workspace.place.target.as_c_str();
    let named = target.to_string_lossy().into_owned();
    trees::make_point(workspace, target).map_err(stopped(Step::Workspace, &named))?;
    if let Some(layer) = on_disk {
        // An overlay only takes layers that are attached somewhere: here the workspace covers it right away.
        trees::put(layer.as_fd(), target).map_err(stopped(Step::Overlay, &named))?;
    }
    trees::put(workspace, target).map_err(stopped(Step::Workspace, &named))?;
    let layer = match (&order.workspace.layer, on_disk) {
        (WriteLayer::None, _) => return Ok(None),
        (WriteLayer::Memory, _) => scratch.upper_and_work(),
        (WriteLayer::Disk(_), Some(layer)) => trees::make_two_folders(layer.as_fd(), c"upper", c"work"),
        (WriteLayer::Disk(_), None) => Err(io::Error::other("BUG: no tree for the layer on disk")),
    };
    let (upper, work) = layer.map_err(stopped(Step::Overlay, &named))?;
    let merged = overlay(workspace, upper.as_fd(), work.as_fd()).map_err(stopped(Step::Overlay, &named))?;
    trees::put(merged.as_fd(), target).map_err(stopped(Step::Overlay, &named))?;
    Ok(Some(Layered { upper, merged }))
}

/// Lower and upper are named through `/proc/self/fd`, so no character of a path has a meaning to the parser of options.
fn overlay(lower: BorrowedFd<'_>, upper: BorrowedFd<'_>, work: BorrowedFd<'_>) -> io::Result<OwnedFd> {
    let by_number = |descriptor: BorrowedFd<'_>| {
        CString::new(format!("/proc/self/fd/{}", descriptor.as_raw_fd())).expect("digits hold no NUL")
    };
    trees::create(
        c"overlay",
        &[
            Setting::Text(c"lowerdir", &by_number(lower)),
            Setting::Text(c"upperdir", &by_number(upper)),
            Setting::Text(c"workdir", &by_number(work)),
            Setting::Flag(c"userxattr"),
        ],
    )
}

/// The folders on the way from the workspace to what is fixed in it, the upper ones first.
fn folders_between(workspace: &CStr, fixed: &[CString]) -> BTreeSet<CString> {
    let between = |path: &CString| {
        let path = Path::new(OsStr::from_bytes(path.as_bytes()));
        let top = Path::new(OsStr::from_bytes(workspace.to_bytes()));
        let inside = path.ancestors().skip(1).take_while(|folder| folder.starts_with(top) && *folder != top);
        let name = |folder: &Path| CString::new(folder.as_os_str().as_bytes()).expect("a part of a C string");
        inside.map(name).collect::<Vec<_>>()
    };
    fixed.iter().flat_map(between).collect()
}

/// Mounts a folder on itself: what is in it can be changed, but it cannot be renamed to put another in its place.
fn pin(path: &CStr) -> io::Result<()> {
    trees::put(trees::take(path)?.as_fd(), path)
}

/// Mounts a path on itself, read-only.
fn fix(path: &CStr) -> io::Result<()> {
    let tree = trees::take(path)?;
    trees::set(tree.as_fd(), READ_ONLY | NO_SET_ID | NO_DEVICES)?;
    trees::put(tree.as_fd(), path)
}

/// A folder at the top of the tree that has to be covered to make mount points below it. Every run shares the
/// template's own folders, so nothing may be made in them: the cover is this run's alone.
struct Cover {
    top: Vec<CString>,
}

impl Cover {
    fn decide(order: &Order, root: Root) -> Self {
        let mut top: Vec<CString> = Vec::new();
        if root == Root::Template {
            let targets =
                order.places.iter().map(|place| &place.target).chain([&order.workspace.place.target]);
            for target in targets {
                let first = first_component(target);
                let missing = rustix::fs::access(target.as_c_str(), rustix::fs::Access::EXISTS).is_err();
                if missing && first.as_c_str() != c"/tmp" && !top.contains(&first) {
                    top.push(first);
                }
            }
        }
        Self { top }
    }

    fn lay(&self, scratch: &Scratch) -> io::Result<()> {
        for (index, top) in self.top.iter().enumerate() {
            // What the template already shows below is shown again on the cover.
            let (kept, own) = (kept_below(top)?, Own::in_folder(top)?);
            let name = CString::new(format!("top{index}")).expect("digits hold no NUL");
            scratch.show(&name, top, 0o755)?;
            own.make_again()?;
            for (tree, target) in kept {
                trees::make_point(tree.as_fd(), &target)?;
                trees::put(tree.as_fd(), &target)?;
            }
        }
        Ok(())
    }

    /// Once everything is mounted nothing more is made on a cover.
    fn close(&self) -> io::Result<()> {
        for top in &self.top {
            let tree = trees::folder(top)?;
            crate::sys::mount_setattr(
                tree.as_fd(),
                crate::sys::MountAttributes { set: READ_ONLY, ..Default::default() },
            )?;
        }
        Ok(())
    }
}

/// The trees mounted below a folder of the template, taken so that they can be shown again.
fn kept_below(top: &CStr) -> io::Result<Vec<(OwnedFd, CString)>> {
    let mounts = std::fs::read("/proc/self/mountinfo")?;
    let mut kept = Vec::new();
    let mut prefix = top.to_bytes().to_vec();
    prefix.push(b'/');
    for line in mounts.split(|byte| *byte == b'\n') {
        let Some(point) = line.split(|byte| *byte == b' ').nth(4) else { continue };
        if point.starts_with(&prefix) {
            let target = CString::new(unescape(point)).map_err(io::Error::other)?;
            kept.push((trees::take(&target)?, target));
        }
    }
    Ok(kept)
}

/// Links and small files of the template itself, remembered so that they can be made again on a cover.
#[derive(Default)]
struct Own {
    links: Vec<(PathBuf, PathBuf)>,
    files: Vec<(PathBuf, Vec<u8>)>,
}

impl Own {
    /// Everything below a folder that is not another mount.
    fn in_folder(top: &CStr) -> io::Result<Self> {
        let mut own = Self::default();
        let mut ahead = vec![PathBuf::from(OsStr::from_bytes(top.to_bytes()))];
        let device = std::fs::symlink_metadata(&ahead[0])?.dev();
        while let Some(folder) = ahead.pop() {
            for entry in std::fs::read_dir(&folder)?.flatten() {
                let path = entry.path();
                let metadata = std::fs::symlink_metadata(&path)?;
                if metadata.is_symlink() {
                    let target = std::fs::read_link(&path)?;
                    own.links.push((path, target));
                } else if metadata.dev() != device {
                    // Mounted there; it is taken as a tree.
                } else if metadata.is_dir() {
                    ahead.push(path);
                } else if metadata.is_file() {
                    let contents = std::fs::read(&path)?;
                    own.files.push((path, contents));
                }
            }
        }
        Ok(own)
    }

    fn make_again(&self) -> io::Result<()> {
        for (path, target) in &self.links {
            make_above(path)?;
            std::os::unix::fs::symlink(target, path)?;
        }
        for (path, contents) in &self.files {
            make_above(path)?;
            std::fs::write(path, contents)?;
        }
        Ok(())
    }
}

fn make_above(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), std::fs::create_dir_all)
}

/// The kernel writes space, tab, newline and backslash in a mount point as three octal digits.
fn unescape(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, tail @ ..] = rest {
        let octal = (*first == b'\\').then(|| tail.get(..3)).flatten();
        let value = octal.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok());
        match value {
            Some(value) => {
                bytes.push(value);
                rest = &tail[3..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    bytes
}

fn first_component(path: &CStr) -> CString {
    let bytes = path.to_bytes();
    let end =
        bytes.iter().skip(1).position(|byte| *byte == b'/').map_or(bytes.len(), |position| position + 1);
    CString::new(&bytes[..end]).expect("a part of a C string has no NUL")
}

/// The machine's own tree, read-only.
fn read_only_machine() -> io::Result<()> {
    let root = trees::folder(c"/")?;
    let attributes =
        crate::sys::MountAttributes { set: READ_ONLY | NO_SET_ID, recursive: true, ..Default::default() };
    crate::sys::mount_setattr(root.as_fd(), attributes)?;
    // Our own /proc was among them, and programs name their threads there.
    let processes = trees::folder(c"/proc")?;
    let writable = crate::sys::MountAttributes { clear: READ_ONLY, ..Default::default() };
    crate::sys::mount_setattr(processes.as_fd(), writable)?;
    Ok(())
}

fn is_below(path: &CStr, folder: &CStr) -> bool {
    let rest = path.to_bytes().strip_prefix(folder.to_bytes());
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
}

/// Lays an empty folder or nothing over a path that holds keys.
fn hide(path: &CStr) -> io::Result<()> {
    // What we cannot reach with every capability of the namespace, the program cannot reach without.
    let Ok(stat) = rustix::fs::stat(path) else { return Ok(()) };
    let cover = match rustix::fs::FileType::from_raw_mode(stat.st_mode).is_dir() {
        true => trees::create(c"tmpfs", &[Setting::Text(c"size", c"4k"), Setting::Text(c"mode", c"0555")])?,
        false => trees::take(c"/dev/null")?,
    };
    trees::put(cover.as_fd(), path)
}
