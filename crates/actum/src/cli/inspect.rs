//! `actum inspect`

use super::run::{Call, Form, Options, Presentation, Problem, Words, source};
use actum_engine::RequestBuilder;
use actum_model::Tier;
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
    language: Option<String>,
    /// The folder that the project's own files are looked for in
    #[arg(long, value_name = "FOLDER")]
    workspace: Option<PathBuf>,
    /// The version of Python to plan for: 3.11
    #[arg(long, value_name = "VERSION")]
    python: Option<String>,
    /// As JSON
    #[arg(long)]
    json: bool,
    /// The source and its arguments, or a command after --
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
