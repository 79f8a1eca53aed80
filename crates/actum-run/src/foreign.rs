//! Parsers of this crate that read text which somebody else wrote, as plain functions over bytes, for fuzzing and for tests of
//! worst cases. What they make of it is dropped.

use actum_languages::Languages;
use actum_languages::recognise::Unlabelled;
use std::sync::LazyLock;

/// What a session's client and holder say to each other.
pub fn session_frames(bytes: &[u8]) {
    crate::session::parse_frames(bytes);
}

/// The journal of changes that are being placed.
pub fn journal(bytes: &[u8]) {
    actum_changes::settle::parse_journal(bytes);
}

/// A `pyproject.toml` and a conda environment of a project.
pub fn declared(text: &str) {
    actum_prepare::declared::parse(text);
}

/// A `.env` file.
pub fn dotenv(bytes: &[u8]) {
    let _ = crate::redact::dotenv_variables(bytes);
}

/// A command line of a shell, as far as it is weighed before it runs.
pub fn shell(text: &str) {
    let _ = actum_risk::inspect("bash", text);
}

/// A script of SQL, as far as it is weighed before it runs.
pub fn sql(text: &str) {
    let _ = actum_risk::inspect("sql", text);
}

/// The first line of a program, and everything else that its language is told by.
pub fn language(bytes: &[u8]) {
    // Its table takes 10 ms to build: made anew for every input, a fuzzer would try a hundred in a second and no more.
    static BUILTIN: LazyLock<Languages> = LazyLock::new(Languages::builtin);
    let _ = BUILTIN.recognise(Unlabelled { name: None, code: bytes });
}
