//! Every parser of this crate that reads text which somebody else wrote, as plain functions over bytes. What they make of it is
//! dropped: a fuzzer and the tests of worst cases look only at whether they end, and when.
//!
//! A new parser of foreign text gets a line here, a target in `fuzz/fuzz_targets`, and a row in the threat model.

use crate::{cli, config, screen};

/// `actum.toml`, as a project's file.
pub fn project_file(text: &str) {
    config::parse_project_file(text);
}

/// Front matter of an answer.
pub fn front_matter(text: &str) {
    actum_engine::foreign::front_matter(text);
}

/// A list of task results.
pub fn task_list(bytes: &[u8]) {
    cli::parse_task_list(bytes);
}

/// An event of a coding agent's hook.
pub fn hook_event(bytes: &[u8]) {
    cli::parse_hook_event(bytes);
}

/// A Makefile, as far as claims about tests read it.
pub fn makefile(text: &str) {
    actum_evidence::foreign::makefile(text);
}

/// Text that is shown to a person.
pub fn shown(text: &str) -> String {
    screen::harmless_lines(text).into_owned()
}
