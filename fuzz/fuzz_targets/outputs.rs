//! What programs and test runners print, from its bytes to the analysis: counts, failures, metrics and one sentence.

#![no_main]

use actum_model::{Ending, Span};
use actum_output::analyse::{Asked, Text, analyse, anchors, junit, metrics};
use libfuzzer_sys::fuzz_target;

const COMMANDS: [&str; 8] = [
    "pytest -q",
    "cargo test",
    "npx jest",
    "go test ./...",
    "node --test",
    "python3 -m unittest",
    "mocha",
    "python3 train.py",
];

fuzz_target!(|bytes: &[u8]| {
    let Some((first, rest)) = bytes.split_first() else { return };
    let command = COMMANDS[usize::from(first % 8)];
    let ending = Ending::Exited { code: i32::from(first / 128) };
    let cut = rest.len() * usize::from(first / 8 % 16) / 16;
    let (stdout, stderr) = (Text::of(&rest[..cut]), Text::of(&rest[cut..]));
    let asked = Asked { language: "python", command, workspace: "/w", own: &[], origin: Default::default() };
    let analysis = analyse(&asked, &ending, Span::seconds(1), &stdout, &stderr);
    for (_, first, last) in anchors(&analysis) {
        assert!(first <= last);
    }
    assert!(analysis.summary.lines().count() <= 1, "one line for a person");
    let _ = metrics(&stdout, &stderr);
    let _ = junit(&String::from_utf8_lossy(rest));
});
