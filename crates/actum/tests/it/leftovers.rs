//! What should not be there any more when a run is over: its processes, cgroups, mounts, namespaces and folders.
//!
//! Other tests and other people run things on the same machine meanwhile. Processes are known by the run's marker,
//! folders lie in the world's own cache, and of what the machine shares only that counts which came during the run and
//! stays after it.

use crate::run::within;
use crate::world::World;
use rustix::process::{Pid, Signal, kill_process};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The machine before a run.
#[derive(Debug)]
pub struct Leftovers {
    shared: Shared,
    folders: Vec<PathBuf>,
    spare: BTreeSet<PathBuf>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Shared {
    mounts: BTreeSet<String>,
    cgroups: BTreeSet<PathBuf>,
    namespaces: BTreeSet<PathBuf>,
}

/// Ten seconds: another test's run may have begun during ours, and stays a while.
const PATIENCE: Duration = Duration::from_secs(10);

impl Leftovers {
    pub fn before(world: &World) -> Self {
        Self {
            shared: Shared::now(),
            folders: vec![world.path("cache/actum/layers")],
            spare: below(Path::new("/var/tmp")),
        }
    }

    /// Panics when something of the run is still there after a while.
    #[track_caller]
    pub fn check(&self, marker: &str) {
        let first = self.new_since();
        let mut last = String::new();
        let clean = within(PATIENCE, || {
            last = self.left(marker, &first);
            last.is_empty()
        });
        if !clean {
            end_marked(marker);
        }
        assert!(clean, "left behind by {marker}: {last}");
    }

    fn new_since(&self) -> Shared {
        let now = Shared::now();
        Shared {
            mounts: &now.mounts - &self.shared.mounts,
            cgroups: &now.cgroups - &self.shared.cgroups,
            namespaces: &now.namespaces - &self.shared.namespaces,
        }
    }

    fn left(&self, marker: &str, first: &Shared) -> String {
        let now = Shared::now();
        let mut left = Vec::new();
        let mut add = |what: &str, list: Vec<String>| {
            if !list.is_empty() {
                left.push(format!("{what}: {}", list.join(", ")));
            }
        };
        add("processes", marked(marker).into_iter().map(describe).collect());
        add("mounts", first.mounts.intersection(&now.mounts).cloned().collect());
        add("cgroups", shown(first.cgroups.intersection(&now.cgroups)));
        add("namespaces", shown(first.namespaces.intersection(&now.namespaces)));
        add("layers", shown(self.folders.iter().flat_map(|folder| below(folder)).collect::<Vec<_>>().iter()));
        let spare = below(Path::new("/var/tmp"));
        add("in /var/tmp", shown(spare.difference(&self.spare).filter(|path| is_ours(path))));
        left.join("; ")
    }
}

impl Shared {
    fn now() -> Self {
        let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
        Self {
            // Without the numbers in front, which are given anew.
            mounts: mounts.lines().map(|line| line.splitn(3, ' ').last().unwrap_or("").to_owned()).collect(),
            cgroups: cgroups(Path::new("/sys/fs/cgroup")),
            namespaces: namespaces(),
        }
    }
}

/// The processes that carry the marker, in their arguments or their variables.
pub fn marked(marker: &str) -> Vec<i32> {
    let has = |pid: i32, name: &str| {
        let text = std::fs::read(format!("/proc/{pid}/{name}")).unwrap_or_default();
        crate::run::contains(&text, marker)
    };
    processes().filter(|pid| has(*pid, "cmdline") || has(*pid, "environ")).collect()
}

pub fn end_marked(marker: &str) {
    marked(marker).into_iter().for_each(|pid| kill(pid, Signal::KILL));
}

/// One that is gone already is what was wanted.
pub fn kill(pid: i32, signal: Signal) {
    let _ = kill_process(Pid::from_raw(pid).unwrap(), signal);
}

pub fn parent(pid: i32) -> Option<i32> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim().parse().ok()
}

fn processes() -> impl Iterator<Item = i32> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

fn describe(pid: i32) -> String {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let fields: Vec<&str> = status
        .lines()
        .filter(|line| ["Name:", "State:", "PPid:"].iter().any(|name| line.starts_with(name)))
        .collect();
    format!("{pid} {}", fields.join(" ").replace('\t', " "))
}

/// Ours carry the warden's id: one whose warden lives is in use.
fn cgroups(folder: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    for path in below(folder).into_iter().filter(|path| path.is_dir() && !path.is_symlink()) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let warden = name.strip_prefix("actum-").and_then(|rest| rest.split('-').next()?.parse::<u32>().ok());
        if warden.is_some_and(|pid| !Path::new(&format!("/proc/{pid}")).exists()) {
            found.insert(path);
        } else {
            found.extend(cgroups(&path));
        }
    }
    found
}

fn namespaces() -> BTreeSet<PathBuf> {
    let kinds = ["user", "mnt", "pid", "net"];
    let links = processes().flat_map(|pid| kinds.map(|kind| format!("/proc/{pid}/ns/{kind}")));
    links.filter_map(|link| std::fs::read_link(link).ok()).collect()
}

fn below(folder: &Path) -> BTreeSet<PathBuf> {
    std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

fn is_ours(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("actum-"))
}

fn shown<'a>(paths: impl Iterator<Item = &'a PathBuf>) -> Vec<String> {
    paths.map(|path| path.display().to_string()).collect()
}
