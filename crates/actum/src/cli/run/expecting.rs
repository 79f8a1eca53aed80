//! The flags that say what is expected of a run.

use std::path::PathBuf;

#[derive(Debug, Clone, clap::Args)]
pub(super) struct Expecting {
    /// Fail unless this holds: KIND=VALUE or KIND:SUBJECT=VALUE (repeatable)
    #[arg(long, value_name = "KIND=VALUE", conflicts_with = "check", help_heading = "Expectations")]
    expect: Vec<String>,
    /// Fail unless the exit code is CODE
    #[arg(long, value_name = "CODE", conflicts_with = "check", help_heading = "Expectations")]
    expect_exit: Option<i32>,
    /// Fail unless stdout is TEXT
    #[arg(long, value_name = "TEXT", conflicts_with = "check", help_heading = "Expectations")]
    expect_stdout: Option<String>,
    /// Read more expectations from this TOML file (repeatable)
    #[arg(long, value_name = "FILE", conflicts_with = "check", help_heading = "Expectations")]
    pub(super) expectations: Vec<PathBuf>,
    /// Run once for each case in this table or folder
    #[arg(long, value_name = "PATH", conflicts_with_all = ["check", "stdin", "pty", "in_place"], help_heading = "Expectations")]
    pub(super) cases: Option<PathBuf>,
    /// Ignore expectations in actum.toml, NAME.expect.toml and front matter
    #[arg(long, help_heading = "Expectations")]
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
