//! The deny list, group by group, with the reason for each group.
//!
//! Call numbers come from rustix's and the kernel's tables by name, so this file holds names and no magic numbers but
//! for calls that are younger than the tables.

use super::{Rule, Test, Then};
use crate::sys::call as nr;
use serde::{Deserialize, Serialize};

/// What the surrounding layers leave to this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Calls {
    pub sockets: Sockets,
    /// Without an IPC namespace System V and POSIX queues are the host's.
    pub shared_ipc: bool,
    /// A cgroup counts what the kernel keeps for the program: socket buffers among it.
    pub memory_counted: bool,
    /// Something is written that no layer takes: space must not be reserved without being written, nor attributes be set.
    pub direct_writes: bool,
    /// Memory files are charged to nobody without a cgroup or a namespace, and are how programs run without a file.
    pub memory_files: bool,
    /// Without a user namespace limit, namespace flags must be refused here, also in clone3, which cannot be inspected.
    pub namespaces_limited: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Sockets {
    /// Unix, IPv4 and IPv6, because the network namespace decides what they reach.
    Ordinary,
    /// IPv4 and IPv6 only: the machine's sockets in the file system were not granted.
    Internet,
    /// None but socket pairs, because nothing else decides.
    Pairs,
}

const EPERM: i32 = 1;
const EINVAL: i32 = 22;
const ENOSYS: i32 = 38;
const EAFNOSUPPORT: i32 = 97;
const EPROTONOSUPPORT: i32 = 93;
const EOPNOTSUPP: i32 = 95;

const AF_UNIX: u32 = 1;
const AF_INET: u32 = 2;
const AF_INET6: u32 = 10;
const SOCK_TYPE_MASK: u32 = 0xf;
const SOCK_DGRAM: u32 = 2;
const SOCK_RAW: u32 = 3;
const SOCK_PACKET: u32 = 10;
/// The default, ICMP echo, TCP, UDP and ICMPv6 echo. Any other makes the kernel load a module for it, and multipath TCP
/// (262) goes around Landlock's rules.
const PROTOCOLS: [u32; 5] = [0, 1, 6, 17, 58];
const PR_SET_DUMPABLE: u32 = 4;
const F_SETPIPE_SZ: u32 = 1031;
const SOL_SOCKET: u32 = 1;
/// SO_SNDBUF, SO_RCVBUF and their forced forms.
const BUFFER_SIZES: [u32; 4] = [7, 8, 32, 33];
const TIOCSTI: u32 = 0x5412;
const TIOCLINUX: u32 = 0x541c;
const TIOCSCTTY: u32 = 0x540e;
/// Loads the kernel module of a line discipline: protocols of modems, with a history.
const TIOCSETD: u32 = 0x5423;
const SET_ID_BITS: u32 = 0o6000;
const IOPRIO_WHO_PROCESS: u32 = 1;
/// `FS_IOC_RESVSP`, `FS_IOC_RESVSP64` and `FS_IOC_ZERO_RANGE`: they reserve room without writing, as `fallocate` does.
const RESERVING: [u32; 3] = [0x4030_5828, 0x4030_582a, 0x4030_5839];
const O_CREAT_OR_TMPFILE: u32 = 0o100 | 0o20_000_000;
/// NEWTIME, NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. NEWTIME shares a bit with the signal number of
/// the older clone, so it is only refused where it can be told apart (`unshare`, refused as a whole).
const NAMESPACE_FLAGS: u32 =
    0x0002_0000 | 0x0200_0000 | 0x0400_0000 | 0x0800_0000 | 0x1000_0000 | 0x2000_0000 | 0x4000_0000;

/// The rules for these circumstances, in no particular order.
pub fn rules(calls: Calls) -> Vec<Rule> {
    let mut rules: Vec<Rule> = always_refused().map(|number| refuse(number, EPERM)).collect();
    rules.extend(conditional(calls));
    rules.extend(sockets(calls.sockets));
    if calls.shared_ipc {
        rules.extend(nr::SYSTEM_V_AND_QUEUES.iter().map(|number| refuse(*number, EPERM)));
        // The caller's other programs are in reach; a thread may still be placed by its process (0).
        let others =
            |number, argument| unless(number, vec![Test::NotIn { argument, values: vec![0], errno: EPERM }]);
        let this_process = Test::NotIn { argument: 0, values: vec![IOPRIO_WHO_PROCESS], errno: EPERM };
        let itself = Test::NotIn { argument: 1, values: vec![0], errno: EPERM };
        rules.extend([others(nr::SCHED_SETAFFINITY, 0), unless(nr::IOPRIO_SET, vec![this_process, itself])]);
    }
    if !calls.memory_counted {
        // At their default size the limit on descriptors bounds them; programs ask for more and go on without.
        let buffers = Test::Pair {
            argument: 1,
            value: SOL_SOCKET,
            other: 2,
            others: BUFFER_SIZES.to_vec(),
            errno: EPERM,
        };
        rules.push(unless(nr::SETSOCKOPT, vec![buffers]));
        // A pipe keeps its size, and holds no pages of the program's own that are then in no page table.
        let size = Test::Equals { argument: 1, mask: u32::MAX, value: F_SETPIPE_SZ, errno: EPERM };
        rules.extend([unless(nr::FCNTL, vec![size]), refuse(nr::VMSPLICE, EPERM)]);
        // One page of a file in a pipe keeps up to two mebibytes around it, also after the file is cut off. This is what a file answers
        // that cannot be spliced: everybody reads and writes instead.
        rules.extend(nr::SPLICES.map(|number| refuse(number, EINVAL)));
        // Pages behind a window that moves; nobody has used it since it became a slow imitation of itself.
        rules.push(refuse(nr::REMAP_FILE_PAGES, EPERM));
    }
    if calls.direct_writes {
        // What a file system without it answers: everybody writes instead, and that is counted.
        rules.push(refuse(nr::FALLOCATE, EOPNOTSUPP));
        // Attributes are on no list of changes and are not put back: default access lists open files that are made later, and an
        // overlay's own marks hide files from later runs.
        rules.extend(nr::ATTRIBUTES.iter().map(|number| refuse(*number, EOPNOTSUPP)));
    }
    if !calls.memory_files {
        rules.push(refuse(nr::MEMFD_CREATE, EPERM));
    }
    if !calls.namespaces_limited {
        // ENOSYS makes the C library fall back to the older call, whose flags can be inspected.
        rules.push(refuse(nr::CLONE3, ENOSYS));
    }
    rules
}

fn always_refused() -> impl Iterator<Item = u32> {
    [
        nr::MOUNTS,          // the tree that was granted is the tree there is
        nr::NAMESPACES,      // a new namespace brings capabilities and kernel surface back
        nr::OTHER_PROCESSES, // memory and descriptors of others
        nr::KERNEL_PROGRAMS, // BPF, perf, userfaultfd, io_uring: large surface, and ways around this filter
        nr::KEYRINGS,        // outlive the run
        nr::MACHINE,         // modules, power, clock, swap, accounting
        nr::FILE_HANDLES,    // reach files without a path
        nr::OLD,             // what no program has used for a decade
    ]
    .into_iter()
    .flatten()
    .copied()
}

fn conditional(calls: Calls) -> Vec<Rule> {
    let set_id = |argument| Test::Any { argument, mask: SET_ID_BITS, errno: EPERM };
    let set_id_on_create = |flag_argument, argument| Test::Both {
        flag_argument,
        flags: O_CREAT_OR_TMPFILE,
        argument,
        mask: SET_ID_BITS,
        errno: EPERM,
    };
    let others = |number| unless(number, vec![Test::NotIn { argument: 0, values: vec![0], errno: EPERM }]);
    let terminal = |value| Test::Equals { argument: 1, mask: u32::MAX, value, errno: EPERM };
    let reserve = |value| Test::Equals { argument: 1, mask: u32::MAX, value, errno: EOPNOTSUPP };
    let mut controls: Vec<Test> = [TIOCSTI, TIOCLINUX, TIOCSCTTY, TIOCSETD].map(terminal).into();
    controls.extend(RESERVING.into_iter().filter(|_| calls.direct_writes).map(reserve));
    let mut rules = vec![
        unless(nr::CLONE, vec![Test::Any { argument: 0, mask: NAMESPACE_FLAGS, errno: EPERM }]),
        unless(nr::IOCTL, controls),
        unless(nr::FCHMOD, vec![set_id(1)]),
        unless(nr::FCHMODAT, vec![set_id(2)]),
        unless(nr::FCHMODAT2, vec![set_id(2)]),
        unless(nr::MKNODAT, vec![set_id(2)]),
        unless(nr::OPENAT, vec![set_id_on_create(2, 3)]),
        // Its mode stands behind a pointer; every caller falls back to openat.
        refuse(nr::OPENAT2, ENOSYS),
        // The ordinary one and the query; the rest weakens address layout or pretends another machine.
        unless(nr::PERSONALITY, vec![Test::NotIn { argument: 0, values: vec![0, u32::MAX], errno: EPERM }]),
        // A process that cannot be looked at cannot be counted where counting means looking.
        unless(
            nr::PRCTL,
            vec![Test::Pair { argument: 0, value: PR_SET_DUMPABLE, other: 1, others: vec![0], errno: EPERM }],
        ),
        // Limits and scheduling of other processes: the one that matters is our own init.
        others(nr::PRLIMIT64),
        others(nr::SCHED_SETSCHEDULER),
        others(nr::SCHED_SETPARAM),
        others(nr::SCHED_SETATTR),
        // Of this process (0, 0), not of all processes of a group or a user.
        unless(
            nr::SETPRIORITY,
            vec![
                Test::NotIn { argument: 0, values: vec![0], errno: EPERM },
                Test::NotIn { argument: 1, values: vec![0], errno: EPERM },
            ],
        ),
        // Slots of the whole machine, of which there are few; databases fall back to threads.
        refuse(nr::IO_SETUP, ENOSYS),
    ];
    rules.extend(nr::CHMOD.map(|number| unless(number, vec![set_id(1)])));
    rules.extend(nr::CREAT.map(|number| unless(number, vec![set_id(1)])));
    rules.extend(nr::MKNOD.map(|number| unless(number, vec![set_id(1)])));
    rules.extend(nr::OPEN.map(|number| unless(number, vec![set_id_on_create(1, 2)])));
    rules
}

fn sockets(sockets: Sockets) -> Vec<Rule> {
    let mut pair = vec![Test::NotIn { argument: 0, values: vec![AF_UNIX], errno: EAFNOSUPPORT }];
    // Either end of a pair of datagram sockets can be used to send to any name, so it is a socket like any other.
    if sockets != Sockets::Ordinary {
        pair.push(Test::Equals { argument: 1, mask: SOCK_TYPE_MASK, value: SOCK_DGRAM, errno: EPERM });
    }
    let pair = unless(nr::SOCKETPAIR, pair);
    let families = match sockets {
        Sockets::Internet => vec![AF_INET, AF_INET6],
        Sockets::Ordinary | Sockets::Pairs => vec![AF_UNIX, AF_INET, AF_INET6],
    };
    let socket = match sockets {
        Sockets::Pairs => refuse(nr::SOCKET, EPERM),
        Sockets::Ordinary | Sockets::Internet => unless(
            nr::SOCKET,
            vec![
                Test::NotIn { argument: 0, values: families, errno: EAFNOSUPPORT },
                Test::Equals { argument: 1, mask: SOCK_TYPE_MASK, value: SOCK_RAW, errno: EPERM },
                Test::Equals { argument: 1, mask: SOCK_TYPE_MASK, value: SOCK_PACKET, errno: EPERM },
                Test::NotIn { argument: 2, values: PROTOCOLS.to_vec(), errno: EPROTONOSUPPORT },
            ],
        ),
    };
    vec![pair, socket]
}

fn refuse(number: u32, errno: i32) -> Rule {
    Rule { number, then: Then::Refuse(errno) }
}

fn unless(number: u32, tests: Vec<Test>) -> Rule {
    Rule { number, then: Then::Unless(tests) }
}
