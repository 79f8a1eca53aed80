//! The flags that say what is expected of a run.

use std::path::PathBuf;

#[derive(Debug, Clone, clap::Args)]
pub(super) struct Expecting {
    /// What has to come out: KIND=VALUE or KIND:SUBJECT=VALUE; may be given several times
    #[arg(long, value_name = "KIND=VALUE", conflicts_with = "check", help_heading = "What is expected")]
    expect: Vec<String>,
    /// The code that it has to exit with
    #[arg(long, value_name = "CODE", conflicts_with = "check", help_heading = "What is expected")]
    expect_exit: Option<i32>,
    /// The text that it has to print
    #[arg(long, value_name = "TEXT", conflicts_with = "check", help_heading = "What is expected")]
    expect_stdout: Option<String>,
    /// A file of expectations in TOML, beside those that are found by themselves
    #[arg(long, value_name = "FILE", conflicts_with = "check", help_heading = "What is expected")]
    pub(super) expectations: Vec<PathBuf>,
    /// Run it on each case of a table (.toml, .csv, .json, .jsonl) or folder (NAME.in, NAME.args, NAME.out), and apply nothing
    #[arg(long, value_name = "PATH", conflicts_with_all = ["check", "stdin", "pty", "in_place"], help_heading = "What is expected")]
    pub(super) cases: Option<PathBuf>,
    /// Leave out what actum.toml, a file beside the program and front matter expect
    #[arg(long, help_heading = "What is expected")]
    pub(super) no_expectations: bool,
}

impl Expecting {
    /// Everything that was typed, as `KIND=VALUE` each.
    pub(super) fn typed(&self) -> Vec<String> {
        let exit = self.expect_exit.map(|code| format!("exit={code}"));
        let stdout = self.expect_stdout.as_ref().map(|text| format!("stdout={text}"));
        exit.into_iter().chain(stdout).chain(self.expect.iter().cloned()).collect()
    }
}
