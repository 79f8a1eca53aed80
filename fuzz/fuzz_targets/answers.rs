//! An answer in every form, from its bytes to what would be done with it.

#![no_main]

use actum_answers::{Hint, Program, Reader, deeds, extract};
use actum_model::{Completeness, EntryPoint, Reading};
use libfuzzer_sys::fuzz_target;

/// Says of a program whatever its bytes say: the parsers are fuzzed elsewhere, and here every judgement is to be met.
struct Whim;

impl Reader for Whim {
    fn language(&self, label: &str) -> Option<String> {
        ["python", "bash", "javascript", "sql"].contains(&label).then(|| label.to_owned())
    }

    fn read(&mut self, programs: &[Program<'_>]) -> Vec<Reading> {
        programs.iter().map(|program| reading(program)).collect()
    }
}

fn reading(program: &Program<'_>) -> Reading {
    let sum = program.code.bytes().fold(0u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    let line = sum % 5 + 1;
    let complete = match sum % 7 {
        0 => Completeness::Truncated { line, why: "a string is still open".to_owned() },
        1 => Completeness::Elided { line, what: "...".to_owned() },
        2 => Completeness::Wrong { line, message: "unexpected".to_owned() },
        3 => Completeness::Unread { why: "there is no reader for its language".to_owned() },
        4 => Completeness::Legacy { line, what: "print".to_owned() },
        _ => Completeness::Complete,
    };
    let words = program.code.split_whitespace().map(str::to_owned);
    let (defines, unbound) = (words.clone().take(3).collect(), words.skip(3).take(3).collect());
    let entry = [EntryPoint::Script, EntryPoint::Definitions, EntryPoint::Nothing][sum as usize / 7 % 3];
    Reading { complete, defines, unbound, entry, ..Reading::of(program.language) }
}

const NAMES: [&str; 6] = ["a.md", "a.jsonl", "a.ipynb", "a.html", "a.txt", ""];

fuzz_target!(|bytes: &[u8]| {
    let Some((first, answer)) = bytes.split_first() else { return };
    let name = NAMES[usize::from(*first) % NAMES.len()];
    if let Ok(found) = extract(answer, Hint::File(name), &mut Whim) {
        for (block, index) in found.blocks.iter().zip(1..) {
            assert_eq!(block.index, index);
            assert!(block.lines[0] <= block.lines[1] && !block.why.is_empty());
        }
        let _ = deeds(&found.blocks);
    }
});
