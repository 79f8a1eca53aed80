//! The emitter against an interpreter of its own instructions, against the rules, and against another emitter.

use super::emit::{ALLOW, ARCHITECTURE, ERRNO, KILL_PROCESS};
use super::*;
use crate::sys::Instruction;
use crate::sys::call as nr;
use proptest::prelude::*;

/// A call as a filter sees it.
#[derive(Debug, Clone, Copy)]
struct Call {
    number: u32,
    architecture: u32,
    arguments: [u64; 6],
}

fn call(number: u32, arguments: [u64; 6]) -> Call {
    Call { number, architecture: ARCHITECTURE, arguments }
}

/// Runs the few instructions that the emitter uses; anything else is a bug of the emitter.
fn run(program: &[Instruction], call: Call) -> u32 {
    let mut words = vec![call.number, call.architecture, 0, 0];
    words.extend(call.arguments.iter().flat_map(|a| [*a as u32, (*a >> 32) as u32]));
    let (mut at, mut value) = (0, 0);
    loop {
        let step = program[at];
        at += 1;
        let taken = match step.code {
            0x20 => {
                value = words[step.k as usize / 4];
                continue;
            }
            0x54 => {
                value &= step.k;
                continue;
            }
            0x05 => {
                at += step.k as usize;
                continue;
            }
            0x06 => return step.k,
            0x15 => value == step.k,
            0x35 => value >= step.k,
            0x45 => value & step.k != 0,
            other => panic!("the emitter made an instruction {other:#x} that it has no use for"),
        };
        at += usize::from(if taken { step.jt } else { step.jf });
    }
}

/// What the rules say, read directly.
fn judged(rules: &[Rule], call: Call) -> u32 {
    let argument = |index: &u32| call.arguments[*index as usize] as u32;
    let Some(rule) = rules.iter().find(|rule| rule.number == call.number) else { return ALLOW };
    let errno = match &rule.then {
        Then::Refuse(errno) => Some(*errno),
        Then::Unless(tests) => tests.iter().find_map(|test| {
            let (holds, errno) = match test {
                Test::Any { argument: a, mask, errno } => (argument(a) & mask != 0, errno),
                Test::Equals { argument: a, mask, value, errno } => (argument(a) & mask == *value, errno),
                Test::NotIn { argument: a, values, errno } => (!values.contains(&argument(a)), errno),
                Test::Pair { argument: a, value, other, others, errno } => {
                    (argument(a) == *value && others.contains(&argument(other)), errno)
                }
                Test::Both { flag_argument, flags, argument: a, mask, errno } => {
                    (argument(flag_argument) & flags != 0 && argument(a) & mask != 0, errno)
                }
            };
            holds.then_some(*errno)
        }),
    };
    errno.map_or(ALLOW, |errno| ERRNO | errno as u32)
}

const NAMESPACED: Calls = Calls {
    sockets: Sockets::Ordinary,
    shared_ipc: false,
    memory_counted: true,
    direct_writes: false,
    memory_files: true,
    namespaces_limited: true,
};
const BARE: Calls = Calls {
    sockets: Sockets::Pairs,
    shared_ipc: true,
    memory_counted: false,
    direct_writes: true,
    memory_files: false,
    namespaces_limited: false,
};

fn any_call() -> impl Strategy<Value = Call> {
    let argument =
        prop_oneof![Just(0_u64), 0..12_u64, 0..300_u64, any::<u64>(), (0..64_u32).prop_map(|bit| 1 << bit)];
    let number = prop_oneof![0..500_u32, Just(nr::SETSOCKOPT), Just(nr::SOCKET)];
    (number, proptest::array::uniform6(argument)).prop_map(|(number, arguments)| call(number, arguments))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]
    #[test]
    fn the_tree_says_what_the_rules_say(call in any_call(), namespaced: bool) {
        let rules = rules(if namespaced { NAMESPACED } else { BARE });
        prop_assert_eq!(run(&emit(&rules), call), judged(&rules, call));
    }
}

#[test]
fn every_number_is_ruled_once() {
    for calls in [NAMESPACED, BARE] {
        let mut numbers: Vec<u32> = rules(calls).iter().map(|rule| rule.number).collect();
        numbers.sort_unstable();
        let all = numbers.len();
        numbers.dedup();
        assert_eq!(all, numbers.len());
        assert!((75..140).contains(&all), "{all} rules");
        assert!(emit(&rules(calls)).len() < 4096, "the kernel takes 4096 instructions");
    }
}

#[test]
fn other_architectures_and_x32_are_killed() {
    let program = emit(&rules(NAMESPACED));
    let i386 = Call { architecture: 0x4000_0003, ..call(1, [0; 6]) };
    assert_eq!(run(&program, i386), KILL_PROCESS);
    if cfg!(target_arch = "x86_64") {
        for number in [0_u32, nr::SOCKET, 520] {
            assert_eq!(run(&program, call(number | 0x4000_0000, [0; 6])), KILL_PROCESS);
        }
    }
}

#[test]
fn the_cases_that_attackers_try() {
    let program = emit(&rules(NAMESPACED));
    let refused = |number: u32, arguments: &[u64]| {
        let mut all = [0; 6];
        all[..arguments.len()].copy_from_slice(arguments);
        run(&program, call(number, all)) != ALLOW
    };
    assert!(refused(nr::SOCKET, &[40, 1, 0]), "vsock");
    assert!(refused(nr::SOCKET, &[16, 3, 0]), "netlink");
    assert!(refused(nr::SOCKET, &[2, 3, 1]), "raw");
    assert!(refused(nr::SOCKET, &[2, 3 | 0o2000000, 1]), "raw with flags");
    assert!(refused(nr::SOCKET, &[2, 1, 262]), "multipath TCP");
    assert!(refused(nr::SOCKET, &[2, 2, 136]), "a protocol that would load a module");
    assert!(!refused(nr::SOCKET, &[2, 1, 6]) && !refused(nr::SOCKET, &[1, 5, 0]));
    assert!(refused(nr::FCHMODAT, &[0, 0, 0o4755]) && !refused(nr::FCHMODAT, &[0, 0, 0o755]));
    assert!(refused(nr::OPENAT, &[0, 0, 0o101, 0o4755]) && !refused(nr::OPENAT, &[0, 0, 0, 0o4755]));
    assert!(refused(nr::IOCTL, &[0, 0x5412]) && refused(nr::IOCTL, &[0, 0xffff_ffff_0000_5412]));
    assert!(refused(nr::CLONE, &[0x1000_0000]) && !refused(nr::CLONE, &[0x0120_0011]));
    assert!(refused(nr::PRLIMIT64, &[1, 7]) && !refused(nr::PRLIMIT64, &[0, 7]));
    assert!(refused(nr::PERSONALITY, &[0x0040_0000]) && !refused(nr::PERSONALITY, &[0xffff_ffff]));
}

#[test]
fn buffers_keep_their_size_where_nobody_counts_them() {
    let refused =
        |calls, arguments: [u64; 6]| run(&emit(&rules(calls)), call(nr::SETSOCKOPT, arguments)) != ALLOW;
    for option in [7, 8, 32, 33] {
        assert!(
            refused(BARE, [9, 1, option, 0, 4, 0]) && !refused(NAMESPACED, [9, 1, option, 0, 4, 0]),
            "{option}"
        );
    }
    assert!(!refused(BARE, [9, 1, 2, 0, 4, 0]) && !refused(BARE, [9, 6, 7, 0, 4, 0]));
}

/// The same plain deny list through seccompiler: both filters agree on every number.
#[cfg(target_arch = "x86_64")]
#[test]
fn agrees_with_seccompiler() {
    use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch};
    let denied: Vec<u32> = [nr::MOUNTS, nr::KERNEL_PROGRAMS, nr::KEYRINGS, nr::MACHINE].concat();
    let table = denied.iter().map(|number| (i64::from(*number), Vec::new())).collect();
    let reference: BpfProgram =
        SeccompFilter::new(table, SeccompAction::Allow, SeccompAction::Errno(1), TargetArch::x86_64)
            .unwrap()
            .try_into()
            .unwrap();
    let reference: Vec<Instruction> =
        reference.iter().map(|i| Instruction { code: i.code, jt: i.jt, jf: i.jf, k: i.k }).collect();
    let ours = emit(&denied.iter().map(|n| Rule { number: *n, then: Then::Refuse(1) }).collect::<Vec<_>>());
    for number in 0..600 {
        assert_eq!(run(&ours, call(number, [0; 6])), run(&reference, call(number, [0; 6])), "{number}");
    }
}
