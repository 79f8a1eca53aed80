//! `actum extract`

use super::fail;
use super::run::{self, Problem as RunProblem};
use crate::config::{self, Config};
use crate::screen::{self, Detail, Look};
use actum_answers::{AnswersError, Hint, LARGEST};
use actum_engine::{Lifetime, Surroundings};
use actum_gate::{Bound, GateError};
use actum_model::{Blocks, Tier};
use actum_sandbox::Warden;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// List an answer's code blocks and what would happen to each
///
/// FILE is an answer in Markdown, an agent transcript (JSON lines of Claude Code or Codex, messages of the OpenAI or Anthropic
/// API), a notebook, HTML or plain text. Blocks labelled with a language are run, blocks with a file name are written as files,
/// diffs are applied, and output blocks are compared with the real output. Unclear blocks are skipped. A sandboxed process
/// reads the text. Nothing is run.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum extract answer.md
  actum extract session.jsonl --json
  agent --print 'plot it' | actum extract -

Exit codes: 0; 125 the answer cannot be read, or Actum's own error.")]
pub struct Extract {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Answer to read, or - for stdin
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// Why an answer was not shown.
#[derive(Debug, thiserror::Error)]
enum Problem {
    #[error("cannot read the answer {}", path.display())]
    File { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Answer(#[from] AnswersError),
    #[error(transparent)]
    Run(#[from] RunProblem),
    #[error("cannot write the blocks as JSON")]
    Json(#[from] serde_json::Error),
}

impl Problem {
    fn hint(&self) -> Option<String> {
        match self {
            Self::File { .. } => Some("name a file that you can read, or - for stdin".to_owned()),
            Self::Answer(error) => error.hint().map(str::to_owned),
            Self::Run(error) => error.hint(),
            Self::Json(_) => None,
        }
    }
}

impl Extract {
    pub fn execute(self, warden: Warden) -> ExitCode {
        match self.show(warden) {
            Ok(()) => ExitCode::SUCCESS,
            Err(problem) => {
                fail(&problem, problem.hint().as_deref());
                actum_model::ExitCode::OWN_ERROR.into()
            }
        }
    }

    fn show(&self, warden: Warden) -> Result<(), Problem> {
        let bytes = read(&self.file).map_err(|source| Problem::File { path: self.file.clone(), source })?;
        let surroundings = config::surroundings().map_err(RunProblem::from)?;
        let look = Look::of_stdout(&surroundings.variables, Detail::Brief);
        let found = found(&self.file, &bytes, warden, surroundings)?;
        match self.json {
            true => screen::say(&screen::json(&found)?),
            false => screen::say(&screen::blocks(&found, &look)),
        }
        Ok(())
    }
}

/// One byte more than is taken, so that what is longer is told apart, and not read to its end.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    if path == Path::new("-") {
        let mut bytes = Vec::new();
        io::stdin().lock().take(LARGEST.0 + 1).read_to_end(&mut bytes)?;
        return Ok(bytes);
    }
    actum_gate::read_named_or_pipe(path, Bound(LARGEST.0)).map_err(GateError::into_io)
}

/// A sandbox is made only where a text has to be read.
fn found(path: &Path, bytes: &[u8], warden: Warden, surroundings: Surroundings) -> Result<Blocks, Problem> {
    let name = path.to_string_lossy();
    let hint = if name == "-" { Hint::Nothing } else { Hint::File(&name) };
    let answer = actum_answers::read(bytes, hint)?;
    let blocks = match answer.pieces.is_empty() {
        true => Vec::new(),
        false => {
            let config = Config::resolve(&surroundings, None).map_err(RunProblem::from)?;
            let engine = run::engine(warden.into(), (surroundings, config.run), Lifetime::OneRun, Tier::N)
                .map_err(RunProblem::from)?;
            let readers = engine.readers().map_err(RunProblem::from)?;
            readers.read_texts(|reader| actum_answers::decide(&answer, reader))
        }
    };
    Ok(Blocks { blocks, form: answer.form, candidates: answer.candidates, notes: answer.notes })
}
