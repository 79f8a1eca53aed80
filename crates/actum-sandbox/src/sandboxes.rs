//! The room's front door: starts attempts and says what this machine can do.

use crate::attempt::{Attempt, Output, Watching};
use crate::clock::Moment;
use crate::error::SandboxError;
use crate::frame;
use crate::host::{Host, unused_id};
use crate::machine::{Machine, find_command};
use crate::note::{Note, Step};
use crate::order::{Access, Owner};
use crate::plan::{self, Facts, Plan};
use crate::request::Request;
use crate::sys;
use crate::warden::{Failure, Warden};
use actum_model::{
    Bytes, Confinement, Layer, LayerState, Limits, Missing, Network, Profile, Span, Tier, WorkspaceMode,
};
use rustix::fd::{AsFd, BorrowedFd};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use serde::Serialize;
use std::cell::RefCell;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Where a program reads and writes.
#[derive(Debug, Clone, Copy)]
pub struct Streams<'a> {
    pub stdin: BorrowedFd<'a>,
    pub stdout: BorrowedFd<'a>,
    pub stderr: BorrowedFd<'a>,
}

/// Everything needed to start attempts: the warden, what the machine shows, what it can do.
#[derive(Debug)]
pub struct Sandboxes {
    warden: Warden,
    machine: Machine,
    /// Learns when the machine turns out to do less than it seemed.
    host: RefCell<Host>,
}

/// What became of asking for an attempt.
#[derive(Debug)]
pub enum Start {
    Started(Box<Attempt>),
    /// The machine turned out to do less than it seemed; ask again.
    Lowered,
}

/// What `doctor` shows.
#[derive(Debug, Clone, Serialize)]
pub struct Abilities {
    pub tier: Tier,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub landlock: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accounting: Option<&'static str>,
    /// The layers of a run of `true` under the default policy, from really running it.
    pub layers: Vec<LayerState>,
    pub missing: Vec<Missing>,
}

impl Sandboxes {
    /// Lets the warden break ground. `ceiling` is the highest tier to use.
    pub fn open(warden: Warden, machine: Machine, ceiling: Tier) -> Result<Self, SandboxError> {
        let begun = warden
            .begin(machine.template.clone(), ceiling == Tier::N)
            .map_err(|source| SandboxError::Talk { source })?;
        let caller =
            Owner { user: rustix::process::geteuid().as_raw(), group: rustix::process::getegid().as_raw() };
        let stand_in = if caller.user == 0 { stand_in() } else { Some(caller) };
        let no_id = Failure {
            step: Step::Mapping,
            errno: 0,
            detail: "no unused user id is left to map to".to_owned(),
        };
        let landlock = match ceiling {
            Tier::None => Err("not asked for".to_owned()),
            Tier::L | Tier::N => sys::landlock_abi().map_err(|error| error.to_string()),
        };
        let host = Host {
            namespaces: if stand_in.is_some() { begun.namespaces } else { Err(no_id) },
            landlock,
            accounting: begun.accounting,
            caller,
            stand_in: stand_in.unwrap_or(caller),
        };
        Ok(Self { warden, machine, host: RefCell::new(host) })
    }

    /// Starts an attempt. When the machine refuses namespaces only now, nothing was started: the caller asks again and
    /// gets a tier lower, or a refusal if the policy cannot do without.
    pub fn start(&self, request: &Request, streams: Streams<'_>) -> Result<Start, SandboxError> {
        match self.start_once(request, streams) {
            Ok(attempt) => Ok(Start::Started(Box::new(attempt))),
            Err(Refused::Whole(error)) => Err(error),
            Err(Refused::Namespaces(failure)) => {
                self.host.borrow_mut().namespaces = Err(failure);
                Ok(Start::Lowered)
            }
        }
    }

    /// Whether the program would write straight into the workspace, so that it has to be remembered beforehand.
    pub fn writes_directly(&self, request: &Request) -> Result<bool, SandboxError> {
        let tier = plan::choose_tier(&self.host.borrow(), request)?;
        Ok(tier != Tier::N || request.policy.workspace == WorkspaceMode::InPlace)
    }

    fn start_once(&self, request: &Request, streams: Streams<'_>) -> Result<Attempt, Refused> {
        let begun = Moment::now();
        let host = self.host.borrow().clone();
        let tier = plan::choose_tier(&host, request)?;
        let facts = self.gather(tier, request)?;
        let plan = plan::plan(&host, &self.machine, request, &facts)?;
        let talk = |source: io::Error| Refused::Whole(SandboxError::Talk { source });
        let (told, tell) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)
            .map_err(|error| talk(error.into()))?;
        let Plan { order, confinement } = plan;
        if host.is_root() && tier == Tier::N {
            give_pipes(&streams, host.stand_in);
        }
        let streams = [streams.stdin, streams.stdout, streams.stderr];
        let key = self.warden.start(order, streams, tell.as_fd()).map_err(talk)?;
        drop(tell);
        let mut attempt = Attempt::new(told, key, (confinement, facts.folder), request.limits, begun);
        loop {
            let note = frame::receive::<Note>(attempt.told.as_fd()).map_err(talk)?;
            match note {
                Some((Note::Failed { step, errno, detail }, _)) => {
                    self.forget(&attempt);
                    return Err(refusal(Failure { step, errno, detail }, tier));
                }
                Some((note, descriptors)) => {
                    attempt.hear(note, descriptors);
                    if attempt.is_started() {
                        return Ok(attempt);
                    }
                }
                None => {
                    self.forget(&attempt);
                    return Err(Refused::Whole(SandboxError::Lost));
                }
            }
        }
    }

    /// Lets the warden put away what belonged to an attempt that is over.
    pub fn forget(&self, attempt: &Attempt) {
        let _ = self.warden.forget(attempt.key);
    }

    /// Keeps sandboxes of the shape that `request` would need built ahead.
    pub fn keep_ready(&self, request: &Request, count: u32) -> Result<(), SandboxError> {
        let host = self.host.borrow().clone();
        let tier = plan::choose_tier(&host, request)?;
        let facts = self.gather(tier, request)?;
        let plan = plan::plan(&host, &self.machine, request, &facts)?;
        self.warden.keep_ready(plan.order.shape, count).map_err(|source| SandboxError::Talk { source })
    }

    /// Runs `true` in a folder of its own under the default policy, and tells what that showed.
    pub fn examine(&self) -> Abilities {
        let tried = self.try_out();
        let mut abilities = self.abilities();
        match tried {
            Ok(confinement) => {
                abilities.tier = confinement.tier;
                abilities.layers = confinement.layers;
            }
            Err(error) => {
                let remedy = error.hint().unwrap_or_default();
                abilities.missing.push(Missing { layer: Layer::Mount, because: causes(&error), remedy });
                abilities.tier = Tier::None;
            }
        }
        abilities
    }

    fn try_out(&self) -> Result<Confinement, SandboxError> {
        let folder = PathBuf::from("/var/tmp").join(format!("actum-doctor-{}", std::process::id()));
        let failed = |source: io::Error| SandboxError::Workspace {
            path: folder.clone(),
            hint: "free space there",
            source,
        };
        std::fs::create_dir(&folder).map_err(failed)?;
        let ended = self.run_true(&folder);
        let _ = std::fs::remove_dir(&folder);
        ended
    }

    fn run_true(&self, folder: &Path) -> Result<Confinement, SandboxError> {
        let request = Request {
            policy: Profile::Default.policy(),
            limits: Limits {
                wall: Span::seconds(10),
                cpu: Span::seconds(10),
                memory: Bytes::mib(256),
                processes: 16,
                descriptors: 64,
                file_size: Bytes::mib(1),
                disk: Bytes::mib(1),
                output: Bytes::mib(1),
            },
            workspace: folder.to_path_buf(),
            folder: folder.to_path_buf(),
            command: vec!["true".into()],
            variables: vec![("PATH".into(), "/usr/bin:/bin".into())],
            granted_variables: Vec::new(),
            gate_variables: Vec::new(),
            layers: folder.with_extension("layers"),
            home: None,
        };
        let null = std::fs::File::options().read(true).write(true).open("/dev/null");
        let null = null.map_err(|source| SandboxError::Output { source })?;
        let streams = Streams { stdin: null.as_fd(), stdout: null.as_fd(), stderr: null.as_fd() };
        loop {
            let Start::Started(mut attempt) = self.start(&request, streams)? else { continue };
            let ended =
                attempt.supervise(Watching { stdout: None, stderr: None, cancel: None }, &mut Nowhere);
            self.forget(&attempt);
            put_away(&request.layers);
            return ended.map(|ended| ended.confinement);
        }
    }

    pub fn abilities(&self) -> Abilities {
        let host = self.host.borrow();
        let tier = match (&host.namespaces, &host.landlock) {
            (Ok(()), _) => Tier::N,
            (Err(_), Ok(_)) => Tier::L,
            (Err(_), Err(_)) => Tier::None,
        };
        let accounting = host.accounting.as_ref().ok().map(|version| match version {
            crate::cgroup::Version::V1 => "cgroup v1",
            crate::cgroup::Version::V2 => "cgroup v2",
        });
        Abilities {
            tier,
            landlock: host.landlock.as_ref().ok().copied(),
            accounting,
            layers: Vec::new(),
            missing: host.missing(),
        }
    }

    /// Looks at the machine for what this one request needs.
    fn gather(&self, tier: Tier, request: &Request) -> Result<Facts, SandboxError> {
        let (workspace, hint) =
            (&request.workspace, "name an existing folder that you can write with --workspace");
        let failed = |source| SandboxError::Workspace { path: workspace.clone(), hint, source };
        let metadata = std::fs::metadata(workspace).map_err(failed)?;
        if !metadata.is_dir() {
            return Err(failed(io::ErrorKind::NotADirectory.into()));
        }
        // Told now: a run whose changes could not be applied would only find out at its end.
        let writes = request.policy.workspace != WorkspaceMode::ReadOnly;
        if writes && let Err(error) = rustix::fs::access(workspace, rustix::fs::Access::WRITE_OK) {
            let hint = "pass --read-only to list its changes without applying them, or name a folder that you can write";
            return Err(SandboxError::Workspace { path: workspace.clone(), hint, source: error.into() });
        }
        for grant in &request.policy.grants {
            let (actum_model::Grant::Read(path) | actum_model::Grant::Write(path)) = grant;
            path.metadata().map_err(|source| SandboxError::Grant { path: path.clone(), source })?;
        }
        let path = request.variables.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.clone());
        let Some(name) = request.command.first() else {
            return Err(SandboxError::Command("no command was given".to_owned()));
        };
        let program = find_command(name, &path.unwrap_or_default(), &request.folder)
            .ok_or_else(|| SandboxError::NotFound { name: name.display().to_string() })?;
        let mut runtimes = self.machine.runtimes.clone();
        let runtime = match program.starts_with(workspace) {
            true => Vec::new(),
            false => runtimes.add_program(&program, request.home.as_deref()),
        };
        let folder =
            plan::needs_folder(tier, request).then(|| make_folder(&request.layers, tier)).transpose()?;
        Ok(Facts {
            owner: Owner { user: metadata.uid(), group: metadata.gid() },
            program,
            runtime,
            folder,
            protected: if request.policy.workspace == WorkspaceMode::InPlace {
                protected_in(workspace)
            } else {
                Vec::new()
            },
            cards: cards(request)?,
            tasks: if tier == Tier::N { 0 } else { tasks_of_caller() },
            name_servers: (request.policy.network == Network::Host)
                .then(|| Path::new("/etc/resolv.conf").canonicalize().ok())
                .flatten(),
        })
    }
}

/// A pipe belongs to whoever made it, and `echo > /dev/stdout` opens it again: as root it is given to the program.
fn give_pipes(streams: &Streams<'_>, owner: Owner) {
    let (user, group) = (rustix::fs::Uid::from_raw(owner.user), rustix::fs::Gid::from_raw(owner.group));
    for stream in [streams.stdout, streams.stderr] {
        let is_pipe = rustix::fs::fstat(stream)
            .is_ok_and(|stat| rustix::fs::FileType::from_raw_mode(stat.st_mode).is_fifo());
        if is_pipe {
            let _ = rustix::fs::fchown(stream, Some(user), Some(group));
        }
    }
}

/// Protected paths at the top of a workspace and in its repository, to be mounted read-only where writes are direct.
/// Those further below are put back after the run.
fn protected_in(workspace: &Path) -> Vec<PathBuf> {
    let names =
        |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let repository = workspace.join(".git");
    let below = |path: &PathBuf| {
        let relative = path.strip_prefix(workspace).unwrap_or(path);
        *path != repository && crate::changes::is_protected(relative.as_os_str().as_bytes())
    };
    names(workspace).chain(names(&repository)).filter(below).filter(|path| !path.is_symlink()).collect()
}

/// The warden takes the run's own folder out of it a moment after it was told to forget.
fn put_away(layers: &Path) {
    // 200 times 5 ms: a second is more than a warden needs on any machine that still answers.
    for _ in 0..200 {
        match std::fs::remove_dir(layers) {
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
            Ok(()) | Err(_) => return,
        }
    }
}

/// Takes no output.
struct Nowhere;

impl Output for Nowhere {
    fn stdout(&mut self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }
    fn stderr(&mut self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }
}

fn causes(error: &dyn std::error::Error) -> String {
    let mut text = format!("could not {error}");
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(&format!(": {cause}"));
        source = cause.source();
    }
    text
}

/// Why one try at starting did not work.
enum Refused {
    /// The machine cannot do what it seemed to; a lower tier might.
    Namespaces(Failure),
    Whole(SandboxError),
}

impl From<SandboxError> for Refused {
    fn from(error: SandboxError) -> Self {
        Self::Whole(error)
    }
}

fn refusal(failure: Failure, tier: Tier) -> Refused {
    let general = matches!(failure.step, Step::Namespaces | Step::Mapping | Step::Processes | Step::Loopback);
    if tier == Tier::N && general {
        return Refused::Namespaces(failure);
    }
    let Failure { step, errno, detail } = failure;
    let hint = match (step, step.layer()) {
        (Step::Ownership, _) => {
            "this file system cannot map owners; run as an ordinary user, or keep the workspace on ext4, xfs, btrfs or tmpfs"
        }
        (Step::Overlay, _) => {
            "this file system cannot lie under a copy-on-write layer; pass --in-place to write directly"
        }
        (_, Layer::Accounting) => "lower the limits, or see `actum doctor`",
        _ => "",
    };
    let source =
        if errno == 0 { io::Error::other("it was refused") } else { io::Error::from_raw_os_error(errno) };
    Refused::Whole(SandboxError::Step { doing: step.doing(), detail, hint: hint.to_owned(), source })
}

fn stand_in() -> Option<Owner> {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let user = unused_id(&read("/proc/self/uid_map"), &read("/etc/passwd"), &read("/etc/subuid"))?;
    let group = unused_id(&read("/proc/self/gid_map"), &read("/etc/group"), &read("/etc/subgid"))?;
    Some(Owner { user, group })
}

/// A folder of this run's own; with a home and a place for temporary files where there is no `/tmp` of its own.
fn make_folder(base: &Path, tier: Tier) -> Result<PathBuf, SandboxError> {
    static COUNT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
    let count = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let folder = base.join(format!("run-{}-{count}", std::process::id()));
    let make = || -> io::Result<()> {
        use std::os::unix::fs::DirBuilderExt;
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(base)?;
        sweep(base);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::DirBuilder::new().mode(0o700).create(&folder)?;
        if tier != Tier::N {
            std::fs::create_dir(folder.join("home"))?;
            std::fs::create_dir(folder.join("tmp"))?;
        }
        Ok(())
    };
    let hint = "name another folder for layers on disk in the configuration";
    make().map_err(|source| SandboxError::Workspace { path: folder.clone(), hint, source })?;
    Ok(folder)
}

/// Folders of processes that no longer live.
fn sweep(base: &Path) {
    for entry in std::fs::read_dir(base).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let owner =
            name.to_str().and_then(|name| name.strip_prefix("run-")?.split('-').next()?.parse::<u32>().ok());
        if owner.is_some_and(|pid| !Path::new(&format!("/proc/{pid}")).exists()) {
            crate::disk::remove(&entry.path());
        }
    }
}

fn tasks_of_caller() -> u64 {
    let user = rustix::process::geteuid().as_raw();
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let own = entries.filter(|entry| entry.metadata().is_ok_and(|metadata| metadata.uid() == user));
    own.filter_map(|entry| Some(std::fs::read_dir(entry.path().join("task")).ok()?.count() as u64)).sum()
}

/// The nodes of granted cards and the driver's libraries.
fn cards(request: &Request) -> Result<Vec<(PathBuf, Access)>, SandboxError> {
    if request.policy.cards.is_empty() {
        return Ok(Vec::new());
    }
    let common = ["/dev/nvidiactl", "/dev/nvidia-uvm"].map(PathBuf::from);
    let own = request.policy.cards.iter().map(|index| PathBuf::from(format!("/dev/nvidia{index}")));
    let nodes: Vec<PathBuf> = common.into_iter().chain(own).collect();
    for node in &nodes {
        node.metadata().map_err(|source| SandboxError::Grant { path: node.clone(), source })?;
    }
    let mut cards: Vec<(PathBuf, Access)> = nodes.into_iter().map(|node| (node, Access::Device)).collect();
    let drivers = ["/usr/local/nvidia", "/run/nvidia/driver"].map(PathBuf::from);
    cards.extend(
        drivers
            .into_iter()
            .filter(|path| path.is_dir() && !path.starts_with("/usr"))
            .map(|path| (path, Access::Read)),
    );
    Ok(cards)
}
