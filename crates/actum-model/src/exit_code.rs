//! Exit codes: what `actum` ends with when the program's own code is not the answer.
//!
//! [`TABLE`] is the only place that gives a number a name and a meaning. The README and `docs/reference/exit-codes.md` show it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What a process ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub struct ExitCode(pub u8);

impl ExitCode {
    pub const SUCCESS: Self = Self(0);
    pub const REFUSED: Self = Self(120);
    pub const CHECK_FAILED: Self = Self(121);
    pub const NOT_PREPARED: Self = Self(122);
    pub const OVER_LIMIT: Self = Self(123);
    pub const TIMED_OUT: Self = Self(124);
    pub const OWN_ERROR: Self = Self(125);
    pub const NOT_EXECUTABLE: Self = Self(126);
    pub const NOT_FOUND: Self = Self(127);
    pub const CANCELLED: Self = Self(130);

    /// The code of a process that a signal ended, as shells have it.
    pub fn of_signal(signal: i32) -> Self {
        Self(128_u8.wrapping_add(signal as u8))
    }

    /// As the system passes it on.
    pub fn get(self) -> u8 {
        self.0
    }

    pub fn is_success(self) -> bool {
        self == Self::SUCCESS
    }
}

/// A code that has a meaning of its own.
#[derive(Clone, Copy, Debug)]
pub struct ExitCodeMeaning {
    pub code: ExitCode,
    pub name: &'static str,
    pub meaning: &'static str,
}

const fn row(code: ExitCode, name: &'static str, meaning: &'static str) -> ExitCodeMeaning {
    ExitCodeMeaning { code, name, meaning }
}

/// Every code that `actum` gives a meaning, in order.
pub const TABLE: &[ExitCodeMeaning] = &[
    row(ExitCode::REFUSED, "refused", "the run was refused, or is waiting for approval"),
    row(ExitCode::CHECK_FAILED, "check-failed", "the command succeeded, but an expectation was not met"),
    row(
        ExitCode::NOT_PREPARED,
        "not-prepared",
        "the packages or tools that the program needs could not be prepared; it did not start",
    ),
    row(ExitCode::OVER_LIMIT, "over-limit", "the command exceeded a limit other than wall time"),
    row(ExitCode::TIMED_OUT, "timed-out", "the command exceeded the wall time limit"),
    row(
        ExitCode::OWN_ERROR,
        "own-error",
        "Actum failed, the policy cannot be enforced, or the command line is wrong",
    ),
    row(ExitCode::NOT_EXECUTABLE, "not-executable", "the command was found, but cannot be executed"),
    row(ExitCode::NOT_FOUND, "not-found", "the command or a required runtime was not found"),
    row(ExitCode::CANCELLED, "cancelled", "the run was cancelled (SIGINT, SIGTERM or SIGHUP)"),
];

/// The table in Markdown, with the codes that programs bring themselves.
pub fn table() -> String {
    let mut text = String::from("| code | name | meaning |\n|---|---|---|\n");
    text.push_str("| the command's own | | the command exited by itself |\n");
    for ExitCodeMeaning { code, name, meaning } in TABLE {
        text.push_str(&format!("| {code} | {name} | {meaning} |\n"));
    }
    text.push_str("| 128+n | | the command was killed by signal n |\n");
    text
}

impl fmt::Display for ExitCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<ExitCode> for u8 {
    fn from(code: ExitCode) -> Self {
        code.0
    }
}

impl From<ExitCode> for i32 {
    fn from(code: ExitCode) -> Self {
        code.0.into()
    }
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        code.0.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_names_are_unique_and_in_order() {
        assert!(TABLE.windows(2).all(|pair| pair[0].code.0 < pair[1].code.0));
        let mut names: Vec<&str> = TABLE.iter().map(|row| row.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), TABLE.len());
    }

    #[test]
    fn it_is_written_as_a_bare_number() {
        assert_eq!(serde_json::to_string(&ExitCode::TIMED_OUT).unwrap(), "124");
        assert_eq!(serde_json::from_str::<ExitCode>("7").unwrap(), ExitCode(7));
        assert_eq!(ExitCode::of_signal(9), ExitCode(137));
    }
}
