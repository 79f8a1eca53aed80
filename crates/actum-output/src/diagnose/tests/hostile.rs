//! Whatever a program prints: no panic, bounded words, and no more work than was meant.

use super::{Told, samples};
use crate::diagnose::Taxonomy;
use actum_model::Reading;
use proptest::prelude::*;

const LANGUAGES: &[&str] = &["python", "javascript", "bash", "", "java", "c", "rust", "ruby", "uv", "sql"];

/// Every word that some pattern waits for.
fn words() -> Vec<String> {
    let rows = Taxonomy::builtin().rows.iter();
    let patterns = rows.flat_map(|row| &row.marks).filter_map(|mark| mark.pattern.as_ref());
    patterns.map(|pattern| pattern.word().to_owned()).filter(|word| !word.is_empty()).collect()
}

fn is_bounded(told: &Told<'_>) {
    let Some(diagnosis) = told.diagnosis() else { return };
    assert!(diagnosis.cause.chars().count() < 600 && diagnosis.subject.len() <= 4, "{diagnosis:?}");
    assert!(diagnosis.cause.chars().chain(diagnosis.subject.join("").chars()).all(|c| !c.is_control()));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(language in prop::sample::select(LANGUAGES), bytes in prop::collection::vec(any::<u8>(), 0..4096)) {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        is_bounded(&Told { language, stderr: &text, stdout: &text, ..Told::default() });
    }

    #[test]
    fn any_mixture_of_what_patterns_wait_for(
        language in prop::sample::select(LANGUAGES),
        pieces in prop::collection::vec((prop::sample::select(words()), "[ -~\u{e9}\u{202e}\x1b\n]{0,40}"), 0..120),
    ) {
        let text: String = pieces.iter().map(|(word, rest)| format!("{word}{rest}\n")).collect();
        is_bounded(&Told { language, stderr: &text, stdout: &text, reading: Some(Reading::of(language)), ..Told::default() });
    }

    #[test]
    fn a_real_message_cut_anywhere(index in any::<prop::sample::Index>(), cut in any::<prop::sample::Index>(), from in any::<prop::sample::Index>()) {
        let samples = samples::samples();
        let sample = index.get(&samples);
        let mut told = sample.told();
        let text = told.stderr;
        let place = |index: prop::sample::Index| (0..=index.index(text.len() + 1)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let (one, other) = (place(cut), place(from));
        told.stderr = &text[one.min(other)..one.max(other)];
        is_bounded(&told);
    }
}

/// Texts that were made to take long. The figures of a release build are in docs/design/diagnosis.md; here it is only
/// seen that none of them costs a multiple of the others.
#[test]
fn texts_that_were_made_to_take_long() {
    for (name, text) in hostile_texts() {
        let begun = std::time::Instant::now();
        for language in ["python", "bash", "javascript"] {
            is_bounded(&Told { language, stderr: &text, stdout: &text, ..Told::default() });
        }
        // A debug build of a machine under load; a pattern that backtracks would take hours.
        assert!(begun.elapsed().as_secs() < 20, "{name}: {:?}", begun.elapsed());
    }
}

fn hostile_texts() -> Vec<(&'static str, String)> {
    let all = words().join(" ");
    let lines: String = words().iter().map(|word| format!("{word}\n")).collect();
    let frame = "  File \"/workspace/main.py\", line 1, in f\n    f()\n";
    vec![
        ("one line of every word", format!("{all} ").repeat(8)),
        ("lines of every word", lines.repeat(8)),
        ("quotes", "No module named '".repeat(6000)),
        ("a deep traceback", format!("Traceback (most recent call last):\n{}", frame.repeat(4000))),
        ("many tracebacks", "Traceback (most recent call last):\nValueError: x\n".repeat(3000)),
        ("many links", "Traceback (most recent call last):\nE: x\n\nDuring handling of the above exception, another exception occurred:\n\n".repeat(1500)),
        ("line feeds", "\n".repeat(200_000)),
        ("one long line", "a".repeat(300_000)),
        ("spaces", " ".repeat(300_000)),
        ("bars", "  | ".repeat(30_000)),
        ("brackets", "f(".repeat(60_000)),
    ]
}
