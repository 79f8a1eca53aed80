//! What should not be there any more when a run is over: its processes, cgroups, mounts, namespaces and folders.
//!
//! Other tests and other people run things on the same machine meanwhile, other sandboxes among them. Processes are known by the run's
//! marker, namespaces by the process that holds them, mounts by our name or the world's folder in them; folders lie in the world's own
//! cache. Of what the machine shares only that counts which came during the run and stays after it.

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
    /// The folder of the world, and the binary that is started in it.
    folder: PathBuf,
    binary: PathBuf,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Shared {
    mounts: BTreeSet<String>,
    cgroups: BTreeSet<PathBuf>,
    namespaces: BTreeSet<(String, i32)>,
    /// Where layers lie when there is no cache.
    spare: BTreeSet<PathBuf>,
}

/// Ten seconds: another test's run may have begun during ours, and stays a while.
const PATIENCE: Duration = Duration::from_secs(10);

impl Leftovers {
    pub fn before(world: &World) -> Self {
        let binary = world.actum();
        let folder = binary.parent().unwrap().to_owned();
        Self { shared: Shared::now(&folder), folder, binary }
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
        let now = Shared::now(&self.folder);
        Shared {
            mounts: &now.mounts - &self.shared.mounts,
            cgroups: &now.cgroups - &self.shared.cgroups,
            namespaces: &now.namespaces - &self.shared.namespaces,
            spare: &now.spare - &self.shared.spare,
        }
    }

    fn left(&self, marker: &str, first: &Shared) -> String {
        let now = Shared::now(&self.folder);
        let mut left = Vec::new();
        let mut add = |what: &str, list: Vec<String>| {
            if !list.is_empty() {
                left.push(format!("{what}: {}", list.join(", ")));
            }
        };
        add("processes", marked(marker).into_iter().map(describe).collect());
        add("mounts", first.mounts.intersection(&now.mounts).cloned().collect());
        add("cgroups", shown(first.cgroups.intersection(&now.cgroups)));
        let stayed = first.namespaces.intersection(&now.namespaces);
        let ours = stayed.filter(|(_, pid)| self.is_ours(*pid, marker));
        add("namespaces", ours.map(|(shown, _)| shown.clone()).collect());
        add("layers", shown(below(&self.folder.join("cache/actum/layers")).iter()));
        add("in /var/tmp", shown(first.spare.intersection(&now.spare)));
        left.join("; ")
    }

    /// Whether a process belongs to the marked run: it or one above it carries the marker or runs the world's binary.
    fn is_ours(&self, pid: i32, marker: &str) -> bool {
        let above = std::iter::successors(Some(pid), |pid| parent(*pid)).take_while(|pid| *pid > 1);
        let is_marked = |pid: i32| has(pid, "cmdline", marker) || has(pid, "environ", marker);
        let is_binary =
            |pid| std::fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|exe| exe == self.binary);
        above.take(64).any(|pid| is_marked(pid) || is_binary(pid))
    }
}

impl Shared {
    fn now(folder: &Path) -> Self {
        let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
        let folder = folder.to_string_lossy();
        let is_ours = |line: &&str| {
            line.contains(&*folder) || (line.contains("actum") && !line.contains(crate::world::PREFIX))
        };
        let ours = mounts.lines().filter(is_ours);
        Self {
            // Without the numbers in front, which are given anew.
            mounts: ours.map(|line| line.splitn(3, ' ').last().unwrap_or("").to_owned()).collect(),
            cgroups: cgroups(Path::new("/sys/fs/cgroup")),
            namespaces: namespaces(),
            spare: spare(),
        }
    }
}

/// The processes that carry the marker, in their arguments or their variables.
pub fn marked(marker: &str) -> Vec<i32> {
    processes().filter(|pid| has(*pid, "cmdline", marker) || has(*pid, "environ", marker)).collect()
}

fn has(pid: i32, name: &str, marker: &str) -> bool {
    let text = std::fs::read(format!("/proc/{pid}/{name}")).unwrap_or_default();
    crate::run::contains(&text, marker)
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
        if is_abandoned(&path, "actum-") {
            found.insert(path);
        } else {
            found.extend(cgroups(&path));
        }
    }
    found
}

/// Each with who is in it and since when: the kernel gives the number of a namespace that is gone to the next one.
fn namespaces() -> BTreeSet<(String, i32)> {
    let kinds = ["user", "mnt", "pid", "net"];
    let seen = processes().filter_map(|pid| Some((pid, started_at(pid)?)));
    seen.flat_map(|(pid, since)| {
        let links = kinds.map(|kind| std::fs::read_link(format!("/proc/{pid}/ns/{kind}")).ok());
        links
            .into_iter()
            .flatten()
            .filter(|link| !is_own(link))
            .map(move |link| (format!("{} with {pid} since {since}", link.display()), pid))
    })
    .collect()
}

/// Whether this test is in it too.
fn is_own(namespace: &Path) -> bool {
    let kind = namespace.to_string_lossy().split(':').next().unwrap_or_default().to_owned();
    std::fs::read_link(format!("/proc/self/ns/{kind}")).is_ok_and(|own| own == namespace)
}

/// In the kernel's ticks since the machine started: the 20th field after the name, which stands in parentheses.
fn started_at(pid: i32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat[stat.rfind(')')? + 1..].split_ascii_whitespace().nth(19)?.parse().ok()
}

fn below(folder: &Path) -> BTreeSet<PathBuf> {
    std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

/// Folders of runs whose supervisor no longer lives.
fn spare() -> BTreeSet<PathBuf> {
    let bases = below(Path::new("/var/tmp")).into_iter().map(|base| base.join("actum/layers"));
    bases.flat_map(|layers| below(&layers)).filter(|run| is_abandoned(run, "run-")).collect()
}

/// Whether the process does not live whose id stands in the name, after `prefix`.
fn is_abandoned(path: &Path, prefix: &str) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let owner = name.strip_prefix(prefix).and_then(|rest| rest.split('-').next()?.parse::<u32>().ok());
    owner.is_some_and(|pid| !Path::new(&format!("/proc/{pid}")).exists())
}

fn shown<'a>(paths: impl Iterator<Item = &'a PathBuf>) -> Vec<String> {
    paths.map(|path| path.display().to_string()).collect()
}

/// One test failed because another sandbox ran on the machine.
#[test]
fn a_sandbox_of_somebody_else_is_not_left_behind_by_us() {
    let Some(world) = World::new(crate::world::Caller::Root) else { return };
    let before = Leftovers::before(&world);
    let marker = format!("{}-own", world.path("marker").display());
    for (name, is_ours) in [("SOMEBODY", false), ("OURS", true)] {
        let mut sandbox = std::process::Command::new("unshare")
            .args(["--net", "sleep", "60"])
            .env(name, if is_ours { marker.as_str() } else { "else" })
            .spawn()
            .unwrap();
        let pid = sandbox.id() as i32;
        let is_there = || before.new_since().namespaces.iter().any(|(_, holder)| *holder == pid);
        let seen = within(PATIENCE, is_there);
        let left = before.left(&marker, &before.new_since());
        sandbox.kill().unwrap();
        sandbox.wait().unwrap();
        assert!(seen, "{name} has a namespace of its own");
        let namespaces = left.split("; ").find(|part| part.starts_with("namespaces")).unwrap_or_default();
        assert_eq!(namespaces.contains(&format!(" {pid} ")), is_ours, "{name}: {left}");
    }
}
