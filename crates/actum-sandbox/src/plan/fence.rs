//! What the second fence allows: everything that is shown may be read and run, and little of it written.

use super::Case;
use crate::machine::{DEVICES, ETC_FILES, ETC_FOLDERS, SYSTEM_FOLDERS, c_path};
use crate::order::{Access, Fence, Place, Rights};
use actum_model::{Grant, Network, Profile, Tier, WorkspaceMode};
use std::path::Path;

pub(super) fn fence(case: &Case<'_>, places: &[Place]) -> Fence {
    let Case { tier, host, machine, request, facts } = *case;
    let Ok(abi) = host.landlock else { return Fence::default() };
    let mut rules = Vec::new();
    let mut allow = |path: &Path, rights: Rights| rules.push((c_path(path), rights));
    match tier {
        Tier::None => return Fence::default(),
        // The mounts already say what can be seen.
        Tier::N => allow(Path::new("/"), Rights::Execute),
        Tier::L if request.policy.profile == Profile::Open => allow(Path::new("/"), Rights::Execute),
        Tier::L => {
            SYSTEM_FOLDERS.iter().for_each(|folder| allow(Path::new(folder), Rights::Execute));
            ETC_FOLDERS.iter().chain(ETC_FILES).for_each(|path| allow(Path::new(path), Rights::Read));
            for path in [
                "/proc",
                "/sys/devices/system",
                "/etc/passwd",
                "/etc/group",
                "/etc/hosts",
                "/etc/nsswitch.conf",
            ] {
                allow(Path::new(path), Rights::Read);
            }
            machine
                .runtimes
                .folders
                .iter()
                .chain(&facts.runtime)
                .for_each(|folder| allow(folder, Rights::Execute));
            if request.policy.network == Network::Host {
                facts.name_servers.iter().for_each(|path| allow(path, Rights::Read));
            }
        }
    }
    match tier {
        Tier::N => {
            // Only harmless nodes and our own terminals are in it; one rule costs less than seven.
            allow(Path::new("/dev"), Rights::Device);
            allow(Path::new("/dev/shm"), Rights::Write);
            allow(Path::new("/tmp"), Rights::Write);
            // Programs name their threads there, and the CUDA driver gives up if it cannot. It is the namespace's own,
            // and what is the machine's in it belongs to a user that does not exist inside.
            allow(Path::new("/proc"), Rights::Update);
        }
        Tier::L | Tier::None => {
            DEVICES.iter().for_each(|device| allow(Path::new(device), Rights::Device));
            facts.folder.iter().for_each(|folder| allow(folder, Rights::Write));
            // Its own entry only: the rest of /proc is the machine's.
            allow(Path::new("/proc/self"), Rights::Update);
        }
    }
    // Where there is no layer to take writes, a workspace that must not change is closed to them.
    let closed = tier == Tier::L && request.policy.workspace == WorkspaceMode::ReadOnly;
    allow(request.seen_workspace(), if closed { Rights::Execute } else { Rights::Write });
    for place in places {
        let rights = match place.access {
            // Granted for a socket by a part of ours; a folder that the user grants is for its files.
            Access::Read if is_for_sockets(case, place) => Rights::Connect,
            Access::Read => Rights::Execute,
            Access::Write => Rights::Write,
            Access::Device => Rights::Device,
        };
        rules.push((place.target.clone(), rights));
    }
    Fence {
        abi,
        rules,
        refuse_tcp: tier == Tier::L && request.policy.network != Network::Host,
        // A network of its own has its own abstract sockets.
        scoped: tier == Tier::L || request.policy.network == Network::Host,
    }
}

/// Whether a grant was not made by the user for the files in it.
fn is_for_sockets(case: &Case<'_>, place: &Place) -> bool {
    let Case { request, .. } = *case;
    let is_place = |path: &Path| c_path(path) == place.target;
    let mut granted = request.policy.grants.iter().filter_map(|grant| match grant {
        Grant::Read(path) => Some(path),
        Grant::Write(_) => None,
    });
    granted.any(|path| is_place(path)) && !request.searched.iter().any(|path| is_place(path))
}
