//! What the answer says that a program prints. It is never run; it is held against what is really printed.

use super::{Case, Stage};
use actum_model::{Disposition, Holds};

/// Words that announce what was printed.
const ANNOUNCING: [&str; 22] = [
    "output:",
    "outputs:",
    "output is",
    "output will",
    "output should",
    "output would",
    "output looks",
    "expected output",
    "sample output",
    "example output",
    "console output",
    "prints:",
    "this prints",
    "it prints",
    "will print",
    "should print",
    "should see",
    "will see",
    "you'll see",
    "result:",
    "results:",
    "produces:",
];

/// Words that announce a program instead.
const PROGRAM: [&str; 8] = [
    "program that",
    "script that",
    "code that",
    "function that",
    "code to",
    "script to",
    "program to",
    "command",
];

/// Whether the words before a block say that it is output.
pub(super) fn is_announced(before: &str) -> bool {
    let line = before.trim().rsplit('\n').next().unwrap_or_default().to_lowercase();
    let sentence = line.rsplit(". ").next().unwrap_or_default().trim_matches(['*', '_', '#', ' ']);
    let is_bare = matches!(
        sentence.trim_end_matches(':').trim_matches(['*', '`', ' ']),
        "output" | "result" | "results" | "outputs"
    );
    let announces = ANNOUNCING.iter().any(|word| sentence.contains(word));
    is_bare || (announces && !PROGRAM.iter().any(|word| sentence.contains(word)))
}

/// Finds the block that each output belongs to: the last one before it, in the same message.
pub(super) fn judge(cases: &mut [Case<'_>]) {
    let mut last: Option<(u32, u32)> = None;
    for case in cases {
        if !is_output(case) {
            // Another way that is not taken prints the same.
            let is_offered = case.block.instead_of.is_some() && !case.is_run();
            if (case.reading.is_some() || case.is_run()) && !is_offered {
                last = case.is_run().then_some((case.block.index, case.piece.part));
            }
            continue;
        }
        case.block.holds = Holds::Output;
        match last.filter(|(_, part)| *part == case.piece.part) {
            Some((of, _)) => {
                case.block.output_of = Some(of);
                without_half_a_line(case);
                case.settle(
                    Disposition::Expect,
                    format!("it is the output that the answer shows for block {of}"),
                );
            }
            None => case.skip("it is output of something that is not run"),
        }
    }
}

/// Where the answer ends in a line of output, that line is not all of it.
fn without_half_a_line(case: &mut Case<'_>) {
    let code = &case.block.code;
    if !super::cut::is_cut_off(case) || code.ends_with('\n') {
        return;
    }
    let whole = code.rfind('\n').map_or("", |at| &code[..=at]).to_owned();
    case.block.program = Some(whole);
    case.block.truncated =
        Some("the answer ends in its last line, which is therefore not expected in the output".to_owned());
}

fn is_output(case: &Case<'_>) -> bool {
    let is_free =
        case.block.disposition == Disposition::Skip && case.reading.is_none() && case.block.path.is_none();
    let label = case.block.label.as_deref().unwrap_or_default();
    let is_sure = case.block.holds == Holds::Output
        && matches!(label, "output" | "out" | "stdout" | "result" | "results");
    let may_be = matches!(case.block.holds, Holds::Output | Holds::Unknown | Holds::Data)
        && case.stage != Stage::Program;
    is_free && (is_sure || (may_be && is_announced(&case.piece.before.text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_announce_output() {
        for text in [
            "Output:",
            "**Output**",
            "### Output",
            "This prints:",
            "You should see:",
            "Done. The output will be:",
            "Expected output",
        ] {
            assert!(is_announced(text), "{text}");
        }
        for text in
            ["Here is a script that prints:", "Run it:", "The output format is described below. Use:", ""]
        {
            assert!(!is_announced(text), "{text}");
        }
    }
}
