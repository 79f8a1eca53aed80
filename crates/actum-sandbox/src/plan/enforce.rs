//! Each limit with the way it is enforced here.

use super::{Case, LARGEST_IN_MEMORY};
use crate::cgroup::Version;
use crate::host::Host;
use crate::order::{Budget, Watch, WriteLayer};
use crate::request::Request;
use crate::sys::resource;
use actum_model::{Enforced, Grant, How, Limit, Tier};

/// The parts of an order that carry limits, and what is said about them.
pub(super) struct Enforcement {
    pub(super) limits: Vec<Enforced>,
    pub(super) rlimits: Vec<(u32, u64)>,
    pub(super) watch: Watch,
    pub(super) budget: Option<Budget>,
    pub(super) scratch: u64,
    pub(super) inodes: u64,
}

/// Signals that may wait: enough for every thread of a large program, far from a million.
const PENDING_SIGNALS: u64 = 4096;
/// Memory that may be locked; key stores and databases ask for less.
const LOCKED: u64 = 64 << 20;
/// The same where no cgroup counts it: what the kernel itself allowed for twenty years. It is a limit of each process.
const LOCKED_UNCOUNTED: u64 = 64 << 10;
const MESSAGE_QUEUES: u64 = 1 << 20;
/// One inode for each 4 KiB: small files are counted by their number, large ones by their bytes.
const BYTES_PER_INODE: u64 = 4096;

pub(super) fn enforce(case: &Case<'_>, layer: &WriteLayer) -> Enforcement {
    let Case { tier, host, request, facts, .. } = *case;
    let limits = &request.limits;
    let counted = host.accounting.as_ref().ok().map(|version| match version {
        Version::V1 => How::CgroupV1,
        Version::V2 => How::CgroupV2,
    });
    let namespaced = tier == Tier::N;
    let in_layer = namespaced && !matches!(layer, WriteLayer::None);
    let writes_directly = writes_directly(request, layer);
    let how = |limit: Limit| match limit {
        Limit::Wall => How::Timer,
        Limit::Cpu | Limit::Memory => counted.unwrap_or(How::Polled),
        Limit::Processes => counted.unwrap_or(if namespaced { How::RlimitNamespace } else { How::Polled }),
        Limit::Descriptors | Limit::FileSize => How::Rlimit,
        Limit::Disk if in_layer && *layer == WriteLayer::Memory && !writes_directly => How::SizedLayer,
        Limit::Disk => How::Polled,
        Limit::Output => How::Counted,
    };
    let mut rlimits = vec![
        (resource::CORE, 0),
        (resource::REAL_TIME, 0),
        (resource::DESCRIPTORS, limits.descriptors),
        (resource::FILE_SIZE, limits.file_size.0),
        (resource::PENDING_SIGNALS, PENDING_SIGNALS),
        (resource::MESSAGE_QUEUES, MESSAGE_QUEUES),
        (resource::LOCKED, if counted.is_some() { LOCKED.min(limits.memory.0) } else { LOCKED_UNCOUNTED }),
        // The tree is counted; this ends a single process that the count would miss, a second later.
        (resource::CPU, limits.cpu.0.as_secs() + 1),
    ];
    if counted.is_none() {
        // Twice the limit: what is over it is met by the look at the whole tree, which can say so; this only stops a
        // single request that could outrun a look.
        rlimits.push((resource::DATA, limits.memory.0.saturating_mul(2)));
        // In a user namespace of its own the count begins at nothing, otherwise at what the caller already has.
        rlimits.push((
            resource::PROCESSES,
            if namespaced { limits.processes } else { facts.tasks + limits.processes },
        ));
    }
    let polled = |limit: Limit, value: u64| {
        (how(limit) == How::Polled || how(limit) == How::RlimitNamespace).then_some(value)
    };
    let watch = Watch {
        memory: polled(Limit::Memory, limits.memory.0),
        processes: polled(Limit::Processes, limits.processes),
        cpu: polled(Limit::Cpu, 0).map(|_| limits.cpu.0),
        disk: writes_directly.then_some(request.written.unwrap_or(limits.disk).0),
    };
    let scratch = limits.disk.min(LARGEST_IN_MEMORY).0;
    Enforcement {
        limits: Limit::ALL
            .iter()
            .map(|limit| Enforced { limit: *limit, max: limits.get(*limit), how: how(*limit) })
            .collect(),
        rlimits,
        watch,
        budget: budget(host, request),
        scratch,
        inodes: (scratch / BYTES_PER_INODE).max(1024),
    }
}

/// What is written into the cgroup, where there is one.
pub(super) fn budget(host: &Host, request: &Request) -> Option<Budget> {
    let limits = &request.limits;
    host.accounting.is_ok().then_some(Budget { memory: limits.memory.0, processes: limits.processes })
}

/// Whether something is written that no layer takes: then written bytes are counted.
pub(super) fn writes_directly(request: &Request, layer: &WriteLayer) -> bool {
    *layer == WriteLayer::None || request.policy.grants.iter().any(|grant| matches!(grant, Grant::Write(_)))
}
