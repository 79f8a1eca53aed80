//! `actum inspect`

use super::run::{Call, Form, Options, Presentation, Problem, Words, source};
use actum_engine::RequestBuilder;
use actum_model::Tier;
use actum_sandbox::Warden;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

/// Show what a program needs and what a run would do
///
/// Lists language and version, imports (standard library, project files, packages), files read and written, arguments,
/// environment variables, stdin, random seeds, network, GPU and display, and whether the source is complete. A sandboxed
/// process reads the source. Nothing is installed or run.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum inspect train.py
  actum inspect answer.md --json
  actum inspect -l python -c 'import cv2'
  actum inspect -- python -m unittest test_model.py

Exit codes: 0; 125 Actum's own error.")]
pub struct Inspect {
    /// Inspect this code instead of a file
    #[arg(long, short = 'c', value_name = "CODE")]
    code: Option<OsString>,
    /// Set the language [default: detected]
    #[arg(long, short, value_name = "NAME")]
    language: Option<String>,
    /// Look for the project's own files in this folder
    #[arg(long, value_name = "FOLDER")]
    workspace: Option<PathBuf>,
    /// Plan for this Python version, such as 3.11
    #[arg(long, value_name = "VERSION")]
    python: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Source and its arguments, or a command after --
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "SOURCE [ARGUMENT]…")]
    words: Vec<OsString>,
}

impl Inspect {
    /// The same as a run that only says what it would do.
    pub fn execute(self, warden: Warden) -> ExitCode {
        match self.into_call() {
            Ok(call) => call.execute(warden.into()),
            Err(problem) => problem.fail(),
        }
    }

    fn into_call(self) -> Result<Call, Problem> {
        let line: Vec<OsString> = std::env::args_os().collect();
        let words = Words::read(&line, &self.words);
        let (source, arguments) = source(self.code.as_ref(), false, words, &self.words)?;
        let asked = RequestBuilder {
            source,
            arguments,
            language: self.language,
            workspace: self.workspace,
            python: self.python,
            ..RequestBuilder::default()
        };
        let form = if self.json { Form::Json } else { Form::People };
        let presentation = Presentation { line, options: Options::form(form), ..Presentation::default() };
        Ok(Call { asked, presentation, dry_run: true, ceiling: Tier::N, approved: None })
    }
}
