//! The second fence: Landlock. What the mounts show is what there is; this says what may be done with it, and where
//! there are no mounts of our own it is the first fence.

use crate::order::{Fence, Rights};
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset,
    RulesetAttr, RulesetCreatedAttr, RulesetStatus, Scope,
};
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;

/// Enters the fence for this thread and all that it starts. `no_new_privs` is set by it too.
pub(crate) fn enter(fence: &Fence) -> io::Result<()> {
    let Some(abi) = version(fence.abi) else { return Ok(()) };
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(abi))
        .map_err(io::Error::other)?;
    if fence.refuse_tcp && fence.abi >= 4 {
        ruleset =
            ruleset.handle_access(AccessNet::BindTcp | AccessNet::ConnectTcp).map_err(io::Error::other)?;
    }
    if fence.scoped && fence.abi >= 6 {
        ruleset = ruleset.scope(Scope::AbstractUnixSocket | Scope::Signal).map_err(io::Error::other)?;
    }
    let mut created = ruleset.create().map_err(io::Error::other)?;
    for (path, rights) in &fence.rules {
        // A place that this machine does not have needs no rule.
        let Ok(opened) = PathFd::new(OsStr::from_bytes(path.to_bytes())) else { continue };
        let is_folder = rustix::fs::fstat(&opened)
            .is_ok_and(|stat| rustix::fs::FileType::from_raw_mode(stat.st_mode).is_dir());
        let mut access = access(*rights, abi);
        if !is_folder {
            access &= AccessFs::from_file(abi);
        }
        created = created.add_rule(PathBeneath::new(opened, access)).map_err(io::Error::other)?;
    }
    let status = created.restrict_self().map_err(io::Error::other)?;
    match status.ruleset {
        RulesetStatus::NotEnforced => Err(io::Error::other("the kernel did not enforce the ruleset")),
        RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced => Ok(()),
    }
}

fn access(rights: Rights, abi: ABI) -> BitFlags<AccessFs> {
    let list = AccessFs::ReadFile | AccessFs::ReadDir;
    match rights {
        Rights::Read => list,
        Rights::Execute => list | AccessFs::Execute,
        Rights::Connect => list | AccessFs::Execute | (AccessFs::from_all(abi) & AccessFs::ResolveUnix),
        Rights::Update => list | AccessFs::WriteFile | (AccessFs::from_all(abi) & AccessFs::Truncate),
        Rights::Write => {
            let never = AccessFs::IoctlDev | AccessFs::MakeChar | AccessFs::MakeBlock;
            AccessFs::from_all(abi) & !never
        }
        Rights::Device => AccessFs::from_file(abi) & !BitFlags::from(AccessFs::Execute),
    }
}

fn version(abi: u32) -> Option<ABI> {
    Some(match abi {
        0 => return None,
        1 => ABI::V1,
        2 => ABI::V2,
        3 => ABI::V3,
        4 => ABI::V4,
        5 => ABI::V5,
        6 => ABI::V6,
        7 => ABI::V7,
        8 => ABI::V8,
        9.. => ABI::V9,
    })
}
