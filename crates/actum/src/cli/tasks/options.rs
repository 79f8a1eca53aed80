//! What can be said to `actum tasks`, and what it means together with the configuration.

use super::Problem;
use super::document::Document;
use super::select::{Matching, Selection};
use super::written::Target;
use crate::cli::run::parse_options;
use crate::config::TaskRules;
use actum_engine::{RequestBuilder, parse_assignment};
use actum_gate::Bound;
use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Larger than any list of tasks; its answers are texts.
const LARGEST: Bound = Bound::mib(256);

/// Run the code of task results, and write back what came of it
///
/// RESULTS is JSON: a list of tasks, or an object with `task_results`; each has an action, a status, perhaps approvals, and
/// agent_responses. The code of one agent's response is run for every task that is completed, approved and asks for execution:
/// confined and recorded like any run, its blocks in one workspace and one interpreter of Python. What failed stops nothing.
/// The results are written beside it, as NAME.executed.json, with `execution` filled in; an id of MLflow is credited only if the
/// tracking store that the run wrote knows it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum tasks results.json                             writes results.executed.json
  actum tasks results.json --write --report report.md  in place, with a report of everything
  actum tasks results.json --write --resume            only what was not run yet
  actum tasks results.json --dry-run                   which tasks, and why not the others
  actum tasks results.json --agent engineer --require critic --whole-words
  actum tasks results.json --variable MULTI_AGENT_ROOT=/data -- --timeout 30m --input /data
  cat results.json | actum tasks - --json --output out.json

Exit codes: 0; 1 a task failed; 121 all ended well, and an id was told that no store knows; 125 Actum's own error; 130 stopped:
what was done until then is written.")]
pub struct Tasks {
    /// The task results, or - for stdin
    #[arg(value_name = "RESULTS")]
    results: PathBuf,

    /// The agent whose response holds the code [default: ops_commander]
    #[arg(long, value_name = "NAME", help_heading = "Which tasks")]
    agent: Option<String>,
    /// An agent that has to approve; may be given several times [default: all that were asked]
    #[arg(long, value_name = "NAME", help_heading = "Which tasks")]
    require: Vec<String>,
    /// A word that asks for execution, in the place of the configured ones; may be given several times
    #[arg(long, value_name = "WORD", help_heading = "Which tasks")]
    word: Vec<String>,
    /// Words count only where they stand by themselves
    #[arg(long, help_heading = "Which tasks")]
    whole_words: bool,
    /// Every completed task, whatever its action
    #[arg(long, conflicts_with_all = ["word", "whole_words"], help_heading = "Which tasks")]
    any_action: bool,
    /// Leave out tasks that were run before with the same response
    #[arg(long, help_heading = "Which tasks")]
    resume: bool,
    /// Say which tasks would be run, and run nothing
    #[arg(long, help_heading = "Which tasks")]
    dry_run: bool,

    /// A text that the code finds under this name, in Python and in the environment; may be given several times
    #[arg(long, value_name = "NAME=VALUE", help_heading = "How they are run")]
    variable: Vec<String>,
    /// The folder that the code may change
    #[arg(long, value_name = "FOLDER", help_heading = "How they are run")]
    workspace: Option<PathBuf>,
    /// How long the code of one task may take: 30s, 5m
    #[arg(long, value_name = "TIME", help_heading = "How they are run")]
    timeout: Option<String>,

    /// Write the results into RESULTS itself
    #[arg(long, conflicts_with = "output", help_heading = "What is written")]
    write: bool,
    /// Write the results to this file; - is stdout
    #[arg(long, value_name = "FILE", help_heading = "What is written")]
    output: Option<PathBuf>,
    /// Write a progress report in Markdown, with every response and all output
    #[arg(long, value_name = "FILE", help_heading = "What is written")]
    report: Option<PathBuf>,
    /// The summary as JSON on stdout
    #[arg(long, help_heading = "What is written")]
    json: bool,

    /// Options of `actum run` for every task, after --
    #[arg(last = true, value_name = "OPTION", allow_hyphen_values = true)]
    options: Vec<OsString>,
}

impl Tasks {
    pub(super) fn workspace(&self) -> Option<&Path> {
        self.workspace.as_deref()
    }

    pub(super) fn report(&self) -> Option<&Path> {
        self.report.as_deref()
    }

    pub(super) fn is_json(&self) -> bool {
        self.json
    }

    pub(super) fn is_dry(&self) -> bool {
        self.dry_run
    }

    pub(super) fn resumes(&self) -> bool {
        self.resume
    }

    pub(super) fn document(&self) -> Result<Document, Problem> {
        let failed = |source| Problem::Results { path: self.results.clone(), source };
        let bytes = match self.is_stdin() {
            true => {
                let mut bytes = Vec::new();
                std::io::stdin().lock().take(LARGEST.0).read_to_end(&mut bytes).map_err(failed)?;
                bytes
            }
            false => actum_gate::read_named_or_pipe(&self.results, LARGEST)
                .map_err(|error| failed(error.into_io()))?,
        };
        Document::read(bytes).map_err(|source| Problem::Document { path: self.results.clone(), source })
    }

    fn is_stdin(&self) -> bool {
        self.results == Path::new("-")
    }

    pub(super) fn selection(&self, rules: &TaskRules) -> Selection {
        let or = |said: &[String], configured: &[String]| match said {
            [] => configured.to_vec(),
            said => said.to_vec(),
        };
        let whole = self.whole_words || rules.whole_words;
        Selection {
            agent: self.agent.clone().unwrap_or_else(|| rules.agent.clone()),
            required: or(&self.require, &rules.require),
            words: if self.any_action { Vec::new() } else { or(&self.word, &rules.words) },
            matching: if whole { Matching::Whole } else { Matching::Part },
        }
    }

    /// What is handed in: as configured, and as said.
    pub(super) fn variables(&self, rules: &TaskRules) -> Result<Vec<String>, Problem> {
        let configured = rules.variables.iter().map(|(name, value)| format!("{name}={value}"));
        let all: Vec<String> = configured.chain(self.variable.iter().cloned()).collect();
        match all.iter().find(|text| parse_assignment(text).is_none()) {
            Some(text) => Err(Problem::Variable { text: text.clone() }),
            None => Ok(all),
        }
    }

    /// What every run is given. What stands after `--` counts.
    pub(super) fn options(&self) -> Result<RequestBuilder, Problem> {
        // Blocks of a response share an interpreter, so options about that one are understood.
        let mut options = parse_options(&["--together"], &self.options)?;
        options.workspace = options.workspace.or_else(|| self.workspace.clone());
        options.timeout = options.timeout.or_else(|| self.timeout.clone());
        Ok(options)
    }

    /// Where the results go: where it was said, in place, or beside what was read.
    pub(super) fn target(&self) -> Target {
        match &self.output {
            Some(path) if path == Path::new("-") => Target::Stdout,
            Some(path) => Target::File(path.clone()),
            None if self.write && !self.is_stdin() => Target::File(self.results.clone()),
            None if self.is_stdin() => Target::Stdout,
            None => Target::File(beside(&self.results)),
        }
    }
}

/// `results.json` becomes `results.executed.json`.
fn beside(path: &Path) -> PathBuf {
    let extension = path.extension().map_or_else(|| "json".into(), |extension| extension.to_string_lossy());
    path.with_extension(format!("executed.{extension}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_go_beside_what_was_read() {
        for (read, written) in [
            ("a.json", "a.executed.json"),
            ("b/c", "b/c.executed.json"),
            ("x.results.json", "x.results.executed.json"),
        ] {
            assert_eq!(beside(Path::new(read)), Path::new(written));
        }
    }
}
