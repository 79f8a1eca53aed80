//! From rules to instructions.
//!
//! The kernel runs a new filter once for every call number to learn which ones always pass, and again on every call
//! that does not. A search tree keeps both short: about 7 comparisons for 90 rules instead of 90.

use crate::sys::Instruction;

/// What happens to one system call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    pub number: u32,
    pub then: Then,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Then {
    /// Always refused with this error.
    Refuse(i32),
    /// Refused when one of the tests holds; the first that holds names the error.
    Unless(Vec<Test>),
}

/// A question about the arguments of a call. Only their low 32 bits are looked at: every argument asked about here is
/// an `int`, a mode or a flag word of which the kernel itself reads no more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Test {
    /// `argument & mask` is not zero.
    Any { argument: u32, mask: u32, errno: i32 },
    /// `argument & mask` is `value`.
    Equals { argument: u32, mask: u32, value: u32, errno: i32 },
    /// The argument is none of these.
    NotIn { argument: u32, values: Vec<u32>, errno: i32 },
    /// The first argument is `value`, and the second one of `others`; both by their numbers.
    Pair { argument: u32, value: u32, other: u32, others: Vec<u32>, errno: i32 },
    /// `flag_argument & flags` is not zero, and so is `argument & mask`.
    Both { flag_argument: u32, flags: u32, argument: u32, mask: u32, errno: i32 },
}

const LOAD_WORD: u16 = 0x20;
const JUMP: u16 = 0x05;
const JUMP_EQUAL: u16 = 0x15;
const JUMP_AT_LEAST: u16 = 0x35;
const JUMP_ANY_BIT: u16 = 0x45;
const AND: u16 = 0x54;
const RETURN: u16 = 0x06;

pub(super) const ALLOW: u32 = 0x7fff_0000;
pub(super) const KILL_PROCESS: u32 = 0x8000_0000;
pub(super) const ERRNO: u32 = 0x0005_0000;

const OFFSET_NUMBER: u32 = 0;
const OFFSET_ARCHITECTURE: u32 = 4;
const OFFSET_ARGUMENTS: u32 = 16;

#[cfg(target_arch = "x86_64")]
pub(super) const ARCHITECTURE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
pub(super) const ARCHITECTURE: u32 = 0xc000_00b7;

/// x32 calls carry this bit; the numbers below it would otherwise slip past a deny list.
const X32_BIT: u32 = 0x4000_0000;

/// Up to this many rules are compared one by one; a further split would cost as many instructions as it saves.
const LEAF: usize = 3;

/// The filter for `rules`, which may come in any order. Another architecture and x32 end the process.
pub fn emit(rules: &[Rule]) -> Vec<Instruction> {
    let mut sorted: Vec<&Rule> = rules.iter().collect();
    sorted.sort_by_key(|rule| rule.number);
    let mut program = vec![
        load(OFFSET_ARCHITECTURE),
        jump(JUMP_EQUAL, ARCHITECTURE, 1, 0),
        give(KILL_PROCESS),
        load(OFFSET_NUMBER),
    ];
    if cfg!(target_arch = "x86_64") {
        program.extend([jump(JUMP_AT_LEAST, X32_BIT, 0, 1), give(KILL_PROCESS)]);
    }
    program.extend(tree(&sorted));
    program
}

fn tree(rules: &[&Rule]) -> Vec<Instruction> {
    if rules.len() <= LEAF {
        let mut code: Vec<Instruction> = rules.iter().flat_map(|rule| leaf(rule)).collect();
        code.push(give(ALLOW));
        return code;
    }
    let (low, high) = rules.split_at(rules.len() / 2);
    let (low_code, high_code) = (tree(low), tree(high));
    // A conditional jump reaches 255 instructions, a plain one any distance: so compare, then jump over the low half.
    let mut code = vec![jump(JUMP_AT_LEAST, high[0].number, 0, 1), jump_over(low_code.len())];
    code.extend(low_code);
    code.extend(high_code);
    code
}

fn leaf(rule: &Rule) -> Vec<Instruction> {
    let body = match &rule.then {
        Then::Refuse(errno) => vec![refuse(*errno)],
        Then::Unless(tests) => {
            let mut body: Vec<Instruction> = tests.iter().flat_map(test).collect();
            body.push(give(ALLOW));
            body
        }
    };
    let length =
        u8::try_from(body.len()).expect("a rule has a handful of tests, each of a handful of instructions");
    let mut code = vec![jump(JUMP_EQUAL, rule.number, 0, length)];
    code.extend(body);
    code
}

fn test(test: &Test) -> Vec<Instruction> {
    match test {
        Test::Any { argument, mask, errno } => {
            vec![load_argument(*argument), jump(JUMP_ANY_BIT, *mask, 0, 1), refuse(*errno)]
        }
        Test::Equals { argument, mask, value, errno } => vec![
            load_argument(*argument),
            Instruction { code: AND, jt: 0, jf: 0, k: *mask },
            jump(JUMP_EQUAL, *value, 0, 1),
            refuse(*errno),
        ],
        Test::NotIn { argument, values, errno } => {
            let mut code = vec![load_argument(*argument)];
            for (index, value) in values.iter().enumerate() {
                // Over the remaining comparisons and the refusal.
                code.push(jump(JUMP_EQUAL, *value, (values.len() - index) as u8, 0));
            }
            code.push(refuse(*errno));
            code
        }
        Test::Pair { argument, value, other, others, errno } => {
            let compared = others.len() as u8;
            let mut code = vec![
                load_argument(*argument),
                jump(JUMP_EQUAL, *value, 0, compared + 3),
                load_argument(*other),
            ];
            for (index, one) in others.iter().enumerate() {
                // To the refusal, which stands behind the remaining comparisons and the way around it.
                code.push(jump(JUMP_EQUAL, *one, compared - index as u8, 0));
            }
            code.extend([jump_over(1), refuse(*errno)]);
            code
        }
        Test::Both { flag_argument, flags, argument, mask, errno } => vec![
            load_argument(*flag_argument),
            jump(JUMP_ANY_BIT, *flags, 0, 3),
            load_argument(*argument),
            jump(JUMP_ANY_BIT, *mask, 0, 1),
            refuse(*errno),
        ],
    }
}

fn load(offset: u32) -> Instruction {
    Instruction { code: LOAD_WORD, jt: 0, jf: 0, k: offset }
}

/// Both supported architectures are little-endian: the low half of an argument comes first.
fn load_argument(index: u32) -> Instruction {
    load(OFFSET_ARGUMENTS + 8 * index)
}

fn jump(code: u16, k: u32, jt: u8, jf: u8) -> Instruction {
    Instruction { code, jt, jf, k }
}

fn jump_over(instructions: usize) -> Instruction {
    Instruction { code: JUMP, jt: 0, jf: 0, k: instructions as u32 }
}

fn give(value: u32) -> Instruction {
    Instruction { code: RETURN, jt: 0, jf: 0, k: value }
}

fn refuse(errno: i32) -> Instruction {
    give(ERRNO | (errno as u32 & 0xffff))
}
