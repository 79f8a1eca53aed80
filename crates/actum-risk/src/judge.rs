//! Weighs what was found by what the walls let through.
//!
//! The same line is harmless behind one policy and final behind another: deleting in a copy-on-write workspace can be
//! undone, deleting in place cannot. Start reading at [`judge`]; [`Spot`] says where an effect lands.

mod reasons;

use super::found::{Found, Inspection, Reach, Weight};
use actum_model::{
    Grant, Network, Operation, OperationKind, Policy, Profile, Risk, RiskLevel, Tier, WorkspaceMode,
};
use std::path::{Path, PathBuf};

/// The database that SQL of the request runs on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Database {
    Memory,
    File(PathBuf),
    /// A server outside the walls.
    Postgres,
}

/// What stands around a run.
#[derive(Debug, Clone, Copy)]
pub struct Setting<'a> {
    pub policy: &'a Policy,
    pub tier: Tier,
    pub workspace: &'a Path,
    /// None is the same as in memory.
    pub database: Option<&'a Database>,
}

/// 24: what fits on a screen. The gravest come first.
const MOST_LISTED: usize = 24;

/// Weighs each thing that was found.
pub fn judge(inspection: Inspection, setting: &Setting<'_>) -> Risk {
    let Inspection { found, beyond, seen } = inspection;
    let mut operations: Vec<Operation> = found.into_iter().map(|one| weigh(one, setting)).collect();
    // Stable: within a level the order of the code stays.
    operations.sort_by_key(|operation| std::cmp::Reverse(operation.level));
    let level = operations.first().map_or(RiskLevel::None, |gravest| gravest.level);
    let cut = operations.len().saturating_sub(MOST_LISTED) as u64;
    operations.truncate(MOST_LISTED);
    Risk { level, operations, beyond: beyond + cut, seen }
}

/// Where an effect on files lands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spot {
    /// A folder that goes away with the run.
    Temporary,
    /// The copy-on-write layer, applied when the run ends well.
    Layer,
    /// The copy-on-write layer, discarded.
    Discarded,
    /// Nothing can be written there.
    Shut,
    /// The workspace itself.
    Direct,
    /// A folder that was granted for writing.
    Granted,
    /// Anywhere: no walls.
    Unconfined,
}

/// What of the network is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Shut,
    Hosts,
    Full,
}

/// A level, whether the walls hold the effect, and why.
type Weighed = (RiskLevel, bool, &'static str);

fn weigh(found: Found, setting: &Setting<'_>) -> Operation {
    let in_a_database = matches!(found.reach, Reach::Database | Reach::Server);
    let (level, contained, why) = match found.kind {
        _ if in_a_database => database(&found, setting),
        OperationKind::Delete => delete(&found, setting),
        OperationKind::OverwriteOutside => overwrite(&found, setting),
        OperationKind::Persistence => persist(&found, setting),
        OperationKind::Install | OperationKind::Publish | OperationKind::NetworkWrite => {
            send(&found, setting)
        }
        OperationKind::DatabaseWrite | OperationKind::DatabaseSchema => database(&found, setting),
        OperationKind::Privilege => privilege(setting),
        OperationKind::ProcessControl => processes(setting),
        OperationKind::Native => native(setting),
    };
    let Found { kind, what, line, .. } = found;
    Operation { kind, what, line, level, contained, why: why.to_owned() }
}

fn delete(found: &Found, setting: &Setting<'_>) -> Weighed {
    let spot = match (spot(&found.reach, setting), workspace_spot(setting)) {
        // A home may hold the workspace.
        (Spot::Shut, Spot::Direct) if found.reach == Reach::Home => Spot::Direct,
        (spot, _) => spot,
    };
    let level = if spot.is_inside() { RiskLevel::Low } else { by_weight(found.weight) };
    (level, spot.is_inside(), reasons::deleted(spot))
}

fn overwrite(found: &Found, setting: &Setting<'_>) -> Weighed {
    let spot = spot(&found.reach, setting);
    let level = match spot {
        Spot::Temporary | Spot::Layer | Spot::Discarded | Spot::Shut | Spot::Direct => RiskLevel::Low,
        Spot::Granted => by_weight(found.weight),
        Spot::Unconfined => RiskLevel::High,
    };
    (level, spot.is_inside(), reasons::written(spot))
}

fn persist(found: &Found, setting: &Setting<'_>) -> Weighed {
    if setting.tier == Tier::None {
        return (RiskLevel::High, false, reasons::NO_WALLS);
    }
    match (&found.reach, spot(&found.reach, setting)) {
        (Reach::Unknown, _) if setting.policy.profile == Profile::Open => {
            (RiskLevel::Medium, false, reasons::SERVICES_IN_OPEN)
        }
        (_, Spot::Granted) if found.reach != Reach::Unknown => {
            (RiskLevel::High, false, reasons::PERSISTS_IN_GRANT)
        }
        (_, Spot::Direct | Spot::Layer | Spot::Discarded) => (RiskLevel::Low, true, reasons::PROTECTED),
        (_, Spot::Temporary | Spot::Shut | Spot::Granted | Spot::Unconfined) => {
            (RiskLevel::Low, true, reasons::SHUT)
        }
    }
}

fn send(found: &Found, setting: &Setting<'_>) -> Weighed {
    let level = match (way(setting), found.kind, found.weight) {
        (Way::Shut, _, _) => return (RiskLevel::Low, true, reasons::NO_NETWORK),
        (_, OperationKind::Install, _) => return (RiskLevel::Medium, false, reasons::INSTALLS),
        (_, OperationKind::Publish, _) => return (RiskLevel::High, false, reasons::PUBLISHES),
        (Way::Full, _, _) | (Way::Hosts, _, Weight::Grave) => RiskLevel::High,
        (Way::Hosts, _, Weight::Plain) => RiskLevel::Medium,
    };
    (level, false, if way(setting) == Way::Full { reasons::SENDS_ANYWHERE } else { reasons::SENDS_TO_HOSTS })
}

fn database(found: &Found, setting: &Setting<'_>) -> Weighed {
    let reach = match (&found.reach, setting.database) {
        (Reach::Database, Some(Database::Postgres)) => return (RiskLevel::High, false, reasons::SERVER),
        (Reach::Database, Some(Database::File(path))) => Reach::Path(path.to_string_lossy().into_owned()),
        (Reach::Database, Some(Database::Memory) | None) => {
            return (RiskLevel::Low, true, reasons::IN_MEMORY);
        }
        (Reach::Server, _) if way(setting) == Way::Shut => {
            return (RiskLevel::Low, true, reasons::NO_NETWORK);
        }
        (Reach::Server, _) => return (RiskLevel::High, false, reasons::SERVER),
        (Reach::Unknown, _) if way(setting) != Way::Shut => {
            return (RiskLevel::Medium, false, reasons::SOME_DATABASE);
        }
        (reach, _) => (*reach).clone(),
    };
    let relative = matches!(&reach, Reach::Path(path) if !path.starts_with('/'));
    let spot = if relative { workspace_spot(setting) } else { spot(&reach, setting) };
    match (spot.is_inside(), found.reach == Reach::Unknown) {
        (true, _) => (RiskLevel::Low, true, reasons::database_file(spot)),
        (false, true) => (RiskLevel::Medium, false, reasons::database_file(spot)),
        (false, false) => (by_weight(found.weight), false, reasons::database_file(spot)),
    }
}

fn privilege(setting: &Setting<'_>) -> Weighed {
    match (setting.tier, setting.policy.profile) {
        (Tier::None, _) => (RiskLevel::High, false, reasons::NO_WALLS),
        (_, Profile::Open) => (RiskLevel::Medium, false, reasons::PRIVILEGE_IN_OPEN),
        (_, Profile::Locked | Profile::Default | Profile::Networked | Profile::Gpu) => {
            (RiskLevel::Low, true, reasons::NO_PRIVILEGE)
        }
    }
}

fn processes(setting: &Setting<'_>) -> Weighed {
    match setting.tier {
        Tier::N => (RiskLevel::Low, true, reasons::OWN_PROCESSES),
        Tier::L => (RiskLevel::Medium, false, reasons::PROCESSES_IN_L),
        Tier::None => (RiskLevel::High, false, reasons::NO_WALLS),
    }
}

fn native(setting: &Setting<'_>) -> Weighed {
    match setting.tier {
        Tier::N | Tier::L => (RiskLevel::Low, true, reasons::NATIVE),
        Tier::None => (RiskLevel::Medium, false, reasons::NO_WALLS),
    }
}

fn by_weight(weight: Weight) -> RiskLevel {
    match weight {
        Weight::Plain => RiskLevel::Medium,
        Weight::Grave => RiskLevel::High,
    }
}

fn way(setting: &Setting<'_>) -> Way {
    match (&setting.policy.network, setting.tier) {
        (_, Tier::None) | (Network::Host, _) => Way::Full,
        (Network::Hosts(rules), _) if !rules.is_empty() => Way::Hosts,
        (Network::None | Network::Loopback | Network::Hosts(_), _) => Way::Shut,
    }
}

fn workspace_spot(setting: &Setting<'_>) -> Spot {
    match (setting.tier, setting.policy.workspace) {
        (Tier::None, _) => Spot::Unconfined,
        (Tier::N, WorkspaceMode::Overlay) => Spot::Layer,
        (Tier::N, WorkspaceMode::ReadOnly) => Spot::Discarded,
        (Tier::L, WorkspaceMode::ReadOnly) => Spot::Shut,
        (Tier::N | Tier::L, WorkspaceMode::InPlace) | (Tier::L, WorkspaceMode::Overlay) => Spot::Direct,
    }
}

fn spot(reach: &Reach, setting: &Setting<'_>) -> Spot {
    let granted = || {
        setting
            .policy
            .grants
            .iter()
            .filter_map(|grant| if let Grant::Write(path) = grant { Some(path) } else { None })
    };
    let any_grant = granted().next().is_some();
    match reach {
        _ if setting.tier == Tier::None => Spot::Unconfined,
        // Which folder it is was not kept: where the workspace or a grant lies there, it may be that one.
        Reach::Temporary if granted().any(|folder| is_temporary(folder)) => Spot::Granted,
        Reach::Temporary if is_temporary(setting.workspace) => workspace_spot(setting),
        Reach::Temporary => Spot::Temporary,
        Reach::Workspace => workspace_spot(setting),
        Reach::Unknown | Reach::Home if any_grant => Spot::Granted,
        Reach::Unknown => workspace_spot(setting),
        Reach::Home | Reach::Database | Reach::Server => Spot::Shut,
        Reach::Path(path) => {
            // A path above the folder holds it: `rm -rf /` reaches what is below.
            let path = Path::new(path.trim_end_matches(['*', '?']));
            let touches = |folder: &Path| path.starts_with(folder) || folder.starts_with(path);
            match () {
                () if granted().any(|folder| touches(folder)) => Spot::Granted,
                () if touches(setting.workspace) => workspace_spot(setting),
                () => Spot::Shut,
            }
        }
    }
}

fn is_temporary(folder: &Path) -> bool {
    folder.starts_with("/tmp") || folder.starts_with("/dev/shm")
}

impl Spot {
    /// Whether what happens there stays inside the walls, or can be undone.
    fn is_inside(self) -> bool {
        match self {
            Spot::Temporary | Spot::Layer | Spot::Discarded | Spot::Shut => true,
            Spot::Direct | Spot::Granted | Spot::Unconfined => false,
        }
    }
}

#[cfg(test)]
mod tests;
