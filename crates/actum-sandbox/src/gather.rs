//! What the hands find out for one request before it can be planned.

use crate::error::SandboxError;
use crate::machine::{Machine, find_command};
use crate::order::{Access, Owner};
use crate::plan::{self, Facts};
use crate::request::Request;
use actum_model::{Network, Tier, WorkspaceMode};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Looks at the machine for what this one request needs.
pub(crate) fn gather(machine: &Machine, tier: Tier, request: &Request) -> Result<Facts, SandboxError> {
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
        let hint =
            "pass --read-only to list its changes without applying them, or name a folder that you can write";
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
    let mut runtimes = machine.runtimes.clone();
    let runtime = match program.starts_with(workspace) {
        true => Vec::new(),
        false => runtimes.add_program(&program, request.home.as_deref()),
    };
    let folder = plan::needs_folder(tier, request).then(|| make_folder(&request.layers, tier)).transpose()?;
    let layer = request.layer.clone().filter(|_| plan::keeps_layer(tier, request));
    Ok(Facts {
        owner: Owner { user: metadata.uid(), group: metadata.gid() },
        program,
        runtime,
        folder,
        layer,
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
