//! Words typed in and words shown: help that fits, completions that complete, and what the reference is made of.

use crate::world::{Caller, World};
use std::process::{Command, Output};

fn actum(words: &[&str]) -> Option<Output> {
    let world = World::new(Caller::Root).or_else(|| World::new(Caller::Ordinary))?;
    Some(Command::new(world.actum()).args(words).env("NO_COLOR", "1").output().unwrap())
}

fn said(words: &[&str]) -> Option<String> {
    let output = actum(words)?;
    assert!(output.status.success(), "{words:?}: {output:?}");
    Some(String::from_utf8(output.stdout).unwrap())
}

#[test]
fn help_fits_a_screen_and_goes_to_stdout() {
    let Some(help) = said(&["--help"]) else { return };
    assert!((20..=70).contains(&help.lines().count()), "{help}");
    assert!(help.contains("\n  run ") && !help.contains("reference"), "{help}");
}

#[test]
fn a_word_that_is_none_is_told_with_what_was_meant() {
    let Some(output) = actum(&["docter"]) else { return };
    let shown = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(125), "{shown}");
    assert!(shown.contains("'docter'") && shown.contains("'doctor'"), "{shown}");
}

#[test]
fn bash_completes_commands_and_flags() {
    let Some(completions) = said(&["completions", "bash"]) else { return };
    let ask = |words: &str, last: &str, number: usize| {
        let program = format!(
            "{completions}\nCOMP_WORDS=({words}); COMP_CWORD={number}; _actum actum '{last}' ''; echo \"${{COMPREPLY[@]}}\""
        );
        let output = Command::new("bash").args(["--norc", "-c", &program]).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    assert_eq!(ask("actum ru", "ru", 1), "run");
    assert_eq!(ask("actum run --read-o", "--read-o", 2), "--read-only");
    assert_eq!(ask("actum ref", "ref", 1), "");
}

#[test]
fn the_schemas_are_those_of_the_reference() {
    for (what, file) in [("report-schema", "report.schema.json"), ("event-schema", "event.schema.json")] {
        let Some(told) = said(&["reference", what]) else { return };
        let path = format!("{}/../../docs/reference/{file}", env!("CARGO_MANIFEST_DIR"));
        let kept = std::fs::read_to_string(path).unwrap();
        assert_eq!(told, kept, "run `cargo xtask generate`");
    }
}
