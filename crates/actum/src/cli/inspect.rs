//! `actum inspect`

use super::run::Run;
use super::{Command, fail};
use actum_sandbox::Warden;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

/// Show what a program needs, from its text alone, and what a run would do
///
/// Language and version, imports told apart into the language's own, files of the project and packages; files that it reads and
/// writes, arguments, variables, input, random seeds, network, graphics card and display; whether it is complete. The text is
/// read by a confined process; nothing is installed, and nothing of it runs.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum inspect train.py
  actum inspect answer.md --json
  actum inspect -l python -c 'import cv2'
  actum inspect -- python -m unittest test_model.py

Exit codes: 0; 125 Actum's own error.")]
pub struct Inspect {
    /// The code itself, as an argument
    #[arg(long, short = 'c', value_name = "CODE")]
    code: Option<OsString>,
    /// The language, where its name or text does not tell
    #[arg(long, short, value_name = "NAME")]
    language: Option<OsString>,
    /// The folder that the project's own files are looked for in
    #[arg(long, value_name = "FOLDER")]
    workspace: Option<PathBuf>,
    /// The version of Python to plan for: 3.11
    #[arg(long, value_name = "VERSION")]
    python: Option<OsString>,
    /// As JSON
    #[arg(long)]
    json: bool,
    /// The source and its arguments, or a command after --
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "SOURCE [ARGUMENT]…")]
    words: Vec<OsString>,
}

/// The words do not make a run.
#[derive(Debug, thiserror::Error)]
#[error("understand what is to be inspected")]
struct NotUnderstood;

impl Inspect {
    /// The same as a run that only says what it would do.
    pub fn execute(self, warden: Warden) -> ExitCode {
        match self.into_run() {
            Some(run) => run.execute(warden, None),
            None => fail(&NotUnderstood, Some("name a file, -c CODE, or a command after --")),
        }
    }

    fn into_run(self) -> Option<Box<Run>> {
        let is_command =
            super::run::Words::read(&std::env::args_os().collect::<Vec<_>>(), &self.words).is_command();
        let mut line: Vec<OsString> = ["actum", "run", "--dry-run"].map(OsString::from).to_vec();
        let mut option = |name: &str, value: Option<OsString>| {
            if let Some(value) = value {
                line.extend([OsString::from(name), value]);
            }
        };
        option("--code", self.code);
        option("--language", self.language);
        option("--workspace", self.workspace.map(OsString::from));
        option("--python", self.python);
        if self.json {
            line.push("--json".into());
        }
        if is_command {
            line.push("--".into());
        }
        line.extend(self.words);
        let Command::Run(run) = super::read(line.into_iter()).ok()?.command else { return None };
        Some(run)
    }
}
