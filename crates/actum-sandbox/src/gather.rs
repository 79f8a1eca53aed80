//! What the hands find out for one request before it can be planned.

use crate::error::SandboxError;
use crate::machine::{Machine, find_command, keys_of_others};
use crate::order::{Access, Owner};
use crate::plan::{self, Facts};
use crate::protect::Guard;
use crate::request::Request;
use actum_model::{Grant, Network, Profile, Tier, WorkspaceMode};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Looks at the machine for what this one request needs.
pub(crate) fn gather(machine: &Machine, tier: Tier, request: &Request) -> Result<Facts, SandboxError> {
    let (workspace, hint) =
        (&request.workspace, "use --workspace to name an existing folder that you can write to");
    let failed = |source| SandboxError::Workspace { path: workspace.clone(), hint, source };
    let metadata = std::fs::metadata(workspace).map_err(failed)?;
    if !metadata.is_dir() {
        return Err(failed(io::ErrorKind::NotADirectory.into()));
    }
    // Told now: a run whose changes could not be applied would only find out at its end.
    let writes = request.policy.workspace != WorkspaceMode::ReadOnly;
    if writes && let Err(error) = rustix::fs::access(workspace, rustix::fs::Access::WRITE_OK) {
        let hint = "pass --read-only to list changes without applying them, or choose a folder that you can write to";
        return Err(SandboxError::Workspace { path: workspace.clone(), hint, source: error.into() });
    }
    for grant in &request.policy.grants {
        let (actum_model::Grant::Read(path) | actum_model::Grant::Write(path)) = grant;
        path.metadata().map_err(|source| SandboxError::Grant { path: path.clone(), source })?;
    }
    make_hidden(request)?;
    let path = request.variables.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.clone());
    let Some(name) = request.command.first() else {
        return Err(SandboxError::Command("no command was given".to_owned()));
    };
    let program = find_command(name, &path.unwrap_or_default(), &request.folder)
        .ok_or_else(|| SandboxError::NotFound { name: name.display().to_string() })?;
    let mut runtimes = machine.runtimes.clone();
    let runtime = match program.starts_with(workspace) {
        true => runtimes.add_environment(&program, &machine.places),
        false => runtimes.add_program(&program, &machine.places),
    };
    let folder = plan::needs_folder(tier, request).then(|| make_folder(&request.layers, tier)).transpose()?;
    let layer = request.layer.clone().filter(|_| plan::keeps_layer(tier, request));
    let direct = direct_folders(tier, request);
    let (sockets, unsearched) = crate::search::sockets(&direct, &request.policy.grants, &request.searched);
    Ok(Facts {
        keys: keys_of_others(&shown(request)),
        sockets,
        unsearched,
        uncounted: uncounted(tier, request),
        owner: Owner { user: metadata.uid(), group: metadata.gid() },
        program,
        runtime,
        folder,
        layer,
        protected: if writes_into_workspace(request) {
            protected_in(workspace, &Guard::new(workspace, request.home.as_deref(), &request.hidden))
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

/// Where files of other users may come into view.
fn shown(request: &Request) -> Vec<&Path> {
    let granted = request.policy.grants.iter().map(Grant::path);
    let everything = (request.policy.profile == Profile::Open).then_some(Path::new("/"));
    granted.chain([request.workspace.as_path()]).chain(everything).collect()
}

/// Makes folders of ours that are missing where the program writes directly: only what exists can be covered, and what a
/// program made there would be read by the next command.
fn make_hidden(request: &Request) -> Result<(), SandboxError> {
    use std::os::unix::fs::DirBuilderExt;
    let is_written = |own: &&PathBuf| {
        plan::written_roots(request).any(|root| own.parent() == Some(root.as_path())) && !own.exists()
    };
    for own in request.hidden.iter().filter(is_written) {
        let hint = "choose a folder that you can write to";
        std::fs::DirBuilder::new().mode(0o700).create(own).map_err(|source| SandboxError::Workspace {
            path: own.clone(),
            hint,
            source,
        })?;
    }
    Ok(())
}

/// Folders of the user's that are shown as they are, where a program may connect to what it finds in them.
fn direct_folders(tier: Tier, request: &Request) -> Vec<PathBuf> {
    let policy = &request.policy;
    if tier != Tier::N || matches!(policy.profile, Profile::Open | Profile::Locked) {
        return Vec::new();
    }
    let workspace = (policy.workspace == WorkspaceMode::InPlace).then_some(&request.workspace);
    request.searched.iter().chain(workspace).cloned().collect()
}

/// Folders that are written without a layer.
fn written_folders(tier: Tier, request: &Request) -> impl Iterator<Item = PathBuf> + '_ {
    let direct = tier != Tier::N || request.policy.workspace == WorkspaceMode::InPlace;
    let granted = request.policy.grants.iter().filter_map(|grant| match grant {
        Grant::Write(path) => Some(path.clone()),
        Grant::Read(_) => None,
    });
    direct.then(|| request.workspace.clone()).into_iter().chain(granted)
}

/// Folders that a request would write without a layer and without being counted.
pub(crate) fn uncounted(tier: Tier, request: &Request) -> Vec<PathBuf> {
    written_folders(tier, request).filter(|path| !counts_writes(path)).collect()
}

/// Whether the kernel counts what a process writes there: it does where pages are written back to somewhere.
fn counts_writes(folder: &Path) -> bool {
    /// ext2 to ext4, XFS, Btrfs, F2FS, bcachefs, ZFS, NFS, and an overlay, which is on top of one of them.
    const COUNTED: [u64; 8] =
        [0xef53, 0x5846_5342, 0x9123_683e, 0xf2f5_2010, 0xca45_1a4e, 0x2fc1_2fc1, 0x6969, 0x794c_7630];
    rustix::fs::statfs(folder).is_ok_and(|stat| COUNTED.contains(&(stat.f_type as u64 & 0xffff_ffff)))
}

/// Whether something of the workspace is written directly.
fn writes_into_workspace(request: &Request) -> bool {
    let is_inside = |grant: &actum_model::Grant| match grant {
        actum_model::Grant::Write(path) => path.starts_with(&request.workspace),
        actum_model::Grant::Read(_) => false,
    };
    request.policy.workspace == WorkspaceMode::InPlace || request.policy.grants.iter().any(is_inside)
}

/// Protected paths at the top of a workspace and in its repository, to be mounted read-only where writes are direct.
/// Those further below are put back after the run.
fn protected_in(workspace: &Path, guard: &Guard) -> Vec<PathBuf> {
    let names =
        |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let repository = workspace.join(".git");
    let below = |path: &PathBuf| {
        let relative = path.strip_prefix(workspace).unwrap_or(path);
        *path != repository && guard.is_protected(relative.as_os_str().as_bytes())
    };
    names(workspace).chain(names(&repository)).filter(below).filter(|path| !path.is_symlink()).collect()
}

/// A folder of this run's own; with a home and a place for temporary files where there is no `/tmp` of its own.
fn make_folder(base: &Path, tier: Tier) -> Result<PathBuf, SandboxError> {
    let folder = base.join(format!("run-{}", actum_gate::own::draft_name()));
    let make = || -> io::Result<()> {
        use std::os::unix::fs::DirBuilderExt;
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(base)?;
        // What is swept is removed: nothing of somebody else's, and nothing that a link of theirs leads to.
        let caller = rustix::process::geteuid().as_raw();
        if [base.symlink_metadata()?, base.metadata()?].iter().any(|found| found.uid() != caller) {
            return Err(io::Error::other("it belongs to another user"));
        }
        sweep(base);
        crate::disk::remove(&folder);
        std::fs::DirBuilder::new().mode(0o700).create(&folder)?;
        if tier != Tier::N {
            std::fs::create_dir(folder.join("home"))?;
            std::fs::create_dir(folder.join("tmp"))?;
        }
        Ok(())
    };
    let hint = "configure another folder for layers on disk";
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

/// The graphics cards of this machine, by index.
pub fn graphics_cards() -> Vec<u32> {
    let names = std::fs::read_dir("/dev").into_iter().flatten().flatten().map(|entry| entry.file_name());
    let index = |name: std::ffi::OsString| name.to_str()?.strip_prefix("nvidia")?.parse().ok();
    let mut cards: Vec<u32> = names.filter_map(index).collect();
    cards.sort_unstable();
    cards
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
