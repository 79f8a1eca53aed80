//! A cgroup for each run, where this machine lets us have one: the exact count of memory, processes and time.
//!
//! Version 2 where it is delegated to us (or we are root), version 1 where it is mounted and writable. Found out by
//! making one, never by reading settings. Names carry the warden's process id, so that what a killed warden left behind
//! can be told from what is in use.

use crate::order::Budget;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{Mode, OFlags};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) enum Version {
    V1,
    V2,
}

/// Where cgroups of ours can be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hierarchy {
    version: Version,
    /// One folder for version 2; memory, pids and cpuacct for version 1.
    bases: Vec<PathBuf>,
}

/// The cgroup of one run.
#[derive(Debug)]
pub(crate) struct Accounting {
    pub(crate) version: Version,
    paths: Vec<PathBuf>,
    pub(crate) folders: Vec<OwnedFd>,
    /// Version 1: the files through which a process enters.
    doors: Vec<OwnedFd>,
    /// What is written in it.
    budget: Option<Budget>,
}

/// What a cgroup counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(crate) memory: u64,
    pub(crate) memory_peak: u64,
    pub(crate) memory_kills: u64,
    /// Version 1 counts buffers of TCP apart from other memory.
    pub(crate) tcp_buffers: u64,
    pub(crate) processes_refused: u64,
    pub(crate) cpu: Duration,
}

const PREFIX: &str = "actum-";

impl Hierarchy {
    /// Finds a place by making a cgroup there and setting limits in it. The first run gets that one.
    pub(crate) fn find() -> Result<(Self, Accounting), String> {
        let own = std::fs::read_to_string("/proc/self/cgroup").map_err(|error| error.to_string())?;
        let mounts = std::fs::read_to_string("/proc/self/mountinfo").map_err(|error| error.to_string())?;
        let mut reasons = Vec::new();
        for candidate in candidates(&own, &mounts) {
            match candidate.try_out() {
                Ok(trial) => return Ok((candidate, trial)),
                Err(error) => reasons.push(format!("{}: {error}", candidate.bases[0].display())),
            }
        }
        Err(if reasons.is_empty() {
            "no cgroup file system is mounted".to_owned()
        } else {
            reasons.join("; ")
        })
    }

    pub(crate) fn version(&self) -> Version {
        self.version
    }

    fn try_out(&self) -> io::Result<Accounting> {
        if self.version == Version::V2 {
            enable_controllers(&self.bases[0])?;
        }
        let mut trial = self.make("0")?;
        match trial.set(Budget { memory: 1 << 30, processes: 64 }) {
            Ok(()) => Ok(trial),
            Err(error) => {
                trial.remove();
                Err(error)
            }
        }
    }

    pub(crate) fn make(&self, name: &str) -> io::Result<Accounting> {
        let name = format!("{}{}-{name}", prefix(), std::process::id());
        let paths: Vec<PathBuf> = self.bases.iter().map(|base| base.join(&name)).collect();
        let mut made =
            Accounting { version: self.version, paths, folders: Vec::new(), doors: Vec::new(), budget: None };
        match made.make_folders() {
            Ok(()) => Ok(made),
            Err(error) => {
                made.remove();
                Err(error)
            }
        }
    }

    /// Takes away what wardens that no longer live left behind; false when something of it is still in use.
    pub(crate) fn sweep(&self) -> bool {
        let mut clean = true;
        let prefix = prefix();
        for base in &self.bases {
            for entry in std::fs::read_dir(base).into_iter().flatten().flatten() {
                let name = entry.file_name();
                let warden = name
                    .to_str()
                    .and_then(|name| name.strip_prefix(&prefix)?.split('-').next()?.parse::<u32>().ok());
                if warden.is_some_and(|pid| !Path::new(&format!("/proc/{pid}")).exists()) {
                    clean &= std::fs::remove_dir(entry.path()).is_ok();
                }
            }
        }
        clean
    }
}

/// What our names begin with: the number of the process namespace belongs to it. Others may share this mount from a
/// namespace in which our processes have other numbers, and would take a living warden's folder for a dead one's.
fn prefix() -> String {
    use std::os::unix::fs::MetadataExt;
    let namespace = std::fs::metadata("/proc/self/ns/pid").map_or(0, |metadata| metadata.ino());
    format!("{PREFIX}{namespace:x}-")
}

/// A mount of a hierarchy: which part of it is seen where.
struct Mounted {
    root: PathBuf,
    point: PathBuf,
}

impl Mounted {
    /// Where a cgroup is seen; nothing where it lies outside of what is mounted, as it may in a container.
    fn folder_of(&self, cgroup: &Path) -> Option<PathBuf> {
        if cgroup.components().any(|part| part == std::path::Component::ParentDir) {
            return None;
        }
        let below = cgroup.strip_prefix(&self.root).ok()?;
        Some(if below.as_os_str().is_empty() { self.point.clone() } else { self.point.join(below) })
    }
}

/// Where cgroups of ours might be made, best first. Pure: reads the two texts of `/proc`.
fn candidates(own: &str, mounts: &str) -> Vec<Hierarchy> {
    let mounted = |kind: &str, controller: &str| -> Option<Mounted> {
        mounts.lines().find_map(|line| {
            let (left, right) = line.split_once(" - ")?;
            let mut after = right.split(' ');
            let (found, options) = (after.next()?, after.nth(1)?);
            let right_one =
                found == kind && (controller.is_empty() || options.split(',').any(|o| o == controller));
            let mut before = left.split(' ').skip(3);
            let (root, point) = (before.next()?, before.next()?);
            right_one.then(|| Mounted { root: root.into(), point: point.into() })
        })
    };
    let path_of = |controller: &str| -> Option<&str> {
        own.lines().find_map(|line| {
            let mut parts = line.splitn(3, ':');
            let (_, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
            controllers.split(',').any(|c| c == controller).then_some(path)
        })
    };
    let mut found = Vec::new();
    if let Some(base) = mounted("cgroup2", "")
        && let Some(path) = path_of("")
    {
        // A desktop's terminal sits in a scope below a slice that is delegated to the user: the folders above are tried too.
        let folders = Path::new(path).ancestors().filter_map(|folder| base.folder_of(folder));
        found.extend(folders.map(|folder| Hierarchy { version: Version::V2, bases: vec![folder] }));
    }
    let v1 = |controller: &str| mounted("cgroup", controller)?.folder_of(Path::new(path_of(controller)?));
    if let (Some(memory), Some(processes), Some(cpu)) = (v1("memory"), v1("pids"), v1("cpuacct")) {
        found.push(Hierarchy { version: Version::V1, bases: vec![memory, processes, cpu] });
    }
    found
}

/// Lets children of `base` count memory and processes. A cgroup that holds processes cannot, unless they are only ours:
/// then we move aside, as a delegated scope expects.
fn enable_controllers(base: &Path) -> io::Result<()> {
    let control = base.join("cgroup.subtree_control");
    let enabled = std::fs::read_to_string(&control)?;
    if ["memory", "pids"].iter().all(|name| enabled.split_ascii_whitespace().any(|other| other == *name)) {
        return Ok(());
    }
    match std::fs::write(&control, "+memory +pids") {
        Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {
            move_aside(base)?;
            std::fs::write(&control, "+memory +pids")
        }
        other => other,
    }
}

fn move_aside(base: &Path) -> io::Result<()> {
    let listed = std::fs::read_to_string(base.join("cgroup.procs"))?;
    let ours = [Some(rustix::process::getpid()), rustix::process::getppid()]
        .map(|pid| pid.map(|pid| pid.as_raw_nonzero().get().to_string()));
    if listed.lines().any(|pid| !ours.contains(&Some(pid.to_owned()))) {
        return Err(io::Error::other("other processes share this cgroup"));
    }
    let aside = base.join("actum-supervisor");
    match std::fs::create_dir(&aside) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    ours.into_iter().flatten().try_for_each(|pid| std::fs::write(aside.join("cgroup.procs"), pid))
}

impl Accounting {
    fn make_folders(&mut self) -> io::Result<()> {
        for path in &self.paths {
            std::fs::create_dir(path)?;
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let folder = rustix::fs::open(path, flags, Mode::empty())?;
            if self.version == Version::V1 {
                let flags = OFlags::WRONLY | OFlags::CLOEXEC;
                self.doors.push(rustix::fs::openat(&folder, "tasks", flags, Mode::empty())?);
            }
            self.folders.push(folder);
        }
        Ok(())
    }

    /// The folder to clone straight into; version 1 has no such thing.
    pub(crate) fn to_clone_into(&self) -> Option<BorrowedFd<'_>> {
        match self.version {
            Version::V1 => None,
            Version::V2 => self.folders.first().map(AsFd::as_fd),
        }
    }

    /// Goes in, where this process was not cloned into it. It must have one thread.
    ///
    /// By `0` into `tasks`, and not by its number into `cgroup.procs`: a thread that moves only itself waits for nobody,
    /// while whoever moves a process waits 5 to 14 ms for a grace period of the kernel.
    pub(crate) fn enter(&self) -> io::Result<()> {
        self.doors
            .iter()
            .try_for_each(|door| rustix::io::write(door, b"0").map(drop).map_err(io::Error::from))
    }

    /// Writes the values, unless they are already there.
    pub(crate) fn set(&mut self, budget: Budget) -> io::Result<()> {
        if self.budget == Some(budget) {
            return Ok(());
        }
        self.write_budget(budget)?;
        self.budget = Some(budget);
        Ok(())
    }

    fn write_budget(&self, budget: Budget) -> io::Result<()> {
        let (memory, processes) = (budget.memory.to_string(), budget.processes.to_string());
        match self.version {
            Version::V1 => {
                // Without swap accounting the file is not there, and without swap it does not matter.
                let with_swap = || write(self.folders[0].as_fd(), "memory.memsw.limit_in_bytes", &memory);
                let alone = || write(self.folders[0].as_fd(), "memory.limit_in_bytes", &memory);
                // The first is never below the second: which of them can be written first depends on what is there.
                let raised = with_swap();
                alone()?;
                if raised.is_err() {
                    let _ = with_swap();
                }
                // Not counted at all before it has a limit. At the limit sockets wait; what passes it is looked at.
                let buffers = tcp_buffers(budget.memory).to_string();
                let _ = write(self.folders[0].as_fd(), "memory.kmem.tcp.limit_in_bytes", &buffers);
                write(self.folders[1].as_fd(), "pids.max", &processes)
            }
            Version::V2 => {
                let folder = self.folders[0].as_fd();
                write(folder, "memory.max", &memory)?;
                let _ = write(folder, "memory.swap.max", "0");
                write(folder, "memory.oom.group", "1")?;
                write(folder, "pids.max", &processes)
            }
        }
    }

    pub(crate) fn remove(&self) {
        remove_all(&self.paths);
    }
}

/// How much the buffers of TCP may hold beside the rest where they are counted apart. Two connections that are busy hold 10 MiB.
pub(crate) fn tcp_buffers(memory: u64) -> u64 {
    const LEAST: u64 = 16 << 20;
    (memory / 4).max(LEAST)
}

/// A dying process leaves its cgroup a moment after its parent learnt of the death.
fn remove_all(paths: &[PathBuf]) {
    const TRIES: usize = 200;
    for path in paths {
        for _ in 0..TRIES {
            match std::fs::remove_dir(path) {
                Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {
                    std::thread::sleep(Duration::from_millis(1));
                }
                _ => break,
            }
        }
    }
}

/// Reads the counters through the folders that the warden handed over.
pub(crate) fn read(version: Version, folders: &[OwnedFd]) -> Counted {
    let folder = |index: usize| folders.get(index).map(AsFd::as_fd);
    let text = |index: usize, name: &str| {
        folder(index).and_then(|folder| read_text(folder, name).ok()).unwrap_or_default()
    };
    let number = |text: String| text.trim().parse::<u64>().unwrap_or(0);
    match version {
        Version::V1 => Counted {
            memory: number(text(0, "memory.usage_in_bytes")),
            memory_peak: number(text(0, "memory.max_usage_in_bytes")),
            memory_kills: field(&text(0, "memory.oom_control"), "oom_kill"),
            tcp_buffers: number(text(0, "memory.kmem.tcp.usage_in_bytes")),
            processes_refused: field(&text(1, "pids.events"), "max"),
            cpu: Duration::from_nanos(number(text(2, "cpuacct.usage"))),
        },
        Version::V2 => Counted {
            memory: number(text(0, "memory.current")),
            memory_peak: number(text(0, "memory.peak")),
            memory_kills: field(&text(0, "memory.events"), "oom_kill"),
            tcp_buffers: 0,
            processes_refused: field(&text(0, "pids.events"), "max"),
            cpu: Duration::from_micros(field(&text(0, "cpu.stat"), "usage_usec")),
        },
    }
}

/// The most memory that was ever used.
pub(crate) fn read_peak(version: Version, folders: &[OwnedFd]) -> u64 {
    let name = match version {
        Version::V1 => "memory.max_usage_in_bytes",
        Version::V2 => "memory.peak",
    };
    let text = folders.first().and_then(|folder| read_text(folder.as_fd(), name).ok());
    text.and_then(|text| text.trim().parse().ok()).unwrap_or(0)
}

/// Processes and threads that are in it now.
pub(crate) fn processes(version: Version, folders: &[OwnedFd]) -> Option<u64> {
    let folder = match version {
        Version::V1 => folders.get(1),
        Version::V2 => folders.first(),
    };
    read_text(folder?.as_fd(), "pids.current").ok()?.trim().parse().ok()
}

fn field(text: &str, name: &str) -> u64 {
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.and_then(|value| value.trim().parse().ok()).unwrap_or(0)
}

fn write(folder: BorrowedFd<'_>, name: &str, value: &str) -> io::Result<()> {
    let file = rustix::fs::openat(folder, name, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    rustix::io::write(&file, value.as_bytes())?;
    Ok(())
}

fn read_text(folder: BorrowedFd<'_>, name: &str) -> io::Result<String> {
    let file = rustix::fs::openat(folder, name, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
    let mut bytes = [0_u8; 4096];
    let length = rustix::io::read(&file, &mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes[..length]).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_candidates_in_what_the_kernel_shows() {
        let own = "4:memory:/a/b\n3:cpuacct:/\n2:pids:/c\n0::/user.slice\n";
        let mounts = "30 20 0:26 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n\
                      31 20 0:27 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n\
                      32 20 0:28 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n\
                      33 20 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
        let found = candidates(own, mounts);
        let bases: Vec<Vec<String>> =
            found.iter().map(|h| h.bases.iter().map(|b| b.display().to_string()).collect()).collect();
        assert_eq!(bases[0], ["/sys/fs/cgroup/unified/user.slice"]);
        assert_eq!(bases[1], ["/sys/fs/cgroup/unified"]);
        assert_eq!(
            bases[2],
            ["/sys/fs/cgroup/memory/a/b", "/sys/fs/cgroup/pids/c", "/sys/fs/cgroup/cpu,cpuacct"]
        );
        assert!(candidates("", "").is_empty());
    }

    fn found(own: &str, mounts: &str) -> Vec<String> {
        candidates(own, mounts).iter().map(|one| one.bases[0].display().to_string()).collect()
    }

    const UNIFIED: &str = "30 23 0:26 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";

    #[test]
    fn a_desktop_s_terminal_finds_the_slices_that_are_delegated_to_its_user() {
        let own = "0::/user.slice/user-1000.slice/user@1000.service/app.slice/vte-spawn-1.scope\n";
        let all = found(own, UNIFIED);
        assert_eq!(
            all[..3],
            [
                "/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/app.slice/vte-spawn-1.scope",
                "/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/app.slice",
                "/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service",
            ]
        );
        assert_eq!(all.last().map(String::as_str), Some("/sys/fs/cgroup"));
    }

    #[test]
    fn a_scope_of_its_own_comes_first() {
        let own = "0::/user.slice/user-1000.slice/user@1000.service/app.slice/run-r1.scope\n";
        assert!(found(own, UNIFIED)[0].ends_with("/app.slice/run-r1.scope"));
    }

    #[test]
    fn a_container_sees_the_part_that_is_mounted() {
        // With a cgroup namespace of its own, and without one.
        assert_eq!(found("0::/\n", UNIFIED), ["/sys/fs/cgroup"]);
        let part = "30 23 0:26 /docker/abc /sys/fs/cgroup ro,nosuid - cgroup2 cgroup rw\n";
        assert_eq!(found("0::/docker/abc/inner\n", part), ["/sys/fs/cgroup/inner", "/sys/fs/cgroup"]);
    }

    #[test]
    fn a_cgroup_outside_of_what_is_mounted_is_no_candidate() {
        let part = "30 23 0:26 /docker/abc /sys/fs/cgroup rw - cgroup2 cgroup rw\n";
        assert!(found("0::/elsewhere\n", part).is_empty());
        assert!(found("0::/../../other\n", UNIFIED).iter().all(|folder| !folder.contains("..")));
    }

    #[test]
    fn reads_a_field_by_its_whole_name() {
        assert_eq!(field("oom 3\noom_kill 2\noom_group_kill 9\n", "oom_kill"), 2);
        assert_eq!(field("", "max"), 0);
    }
}
