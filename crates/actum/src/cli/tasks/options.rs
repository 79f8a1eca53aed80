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

/// Run the code in agents' task results and write back the outcome
///
/// RESULTS is JSON: a list of tasks, or an object with `task_results`. Each task has an action, a status, agent_responses and
/// perhaps approvals. A task is run if it is completed, approved, and its action asks for execution. The code comes from one
/// agent's response. Each task is sandboxed and recorded like any run; its blocks share one workspace and one Python
/// interpreter. A failed task does not stop the others. The results are written to NAME.executed.json next to RESULTS, with
/// `execution` filled in. An MLflow id counts only if the tracking store that the run wrote contains it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum tasks results.json                             writes results.executed.json
  actum tasks results.json --write --report report.md  update the file, write a report
  actum tasks results.json --write --resume            run only new tasks
  actum tasks results.json --dry-run                   show which tasks would run, and why not the others
  actum tasks results.json --agent engineer --require critic --whole-words
  actum tasks results.json --variable MULTI_AGENT_ROOT=/data -- --timeout 30m --input /data
  cat results.json | actum tasks - --json --output out.json

Exit codes: 0; 1 a task failed; 121 all tasks succeeded, but one reported an id that no tracking
store contains; 125 Actum's own error; 130 interrupted, with the results so far written.")]
pub struct Tasks {
    /// Task results as JSON, or - for stdin
    #[arg(value_name = "RESULTS")]
    results: PathBuf,

    /// Run the code in this agent's responses [default: ops_commander]
    #[arg(long, value_name = "NAME", help_heading = "Selection")]
    agent: Option<String>,
    /// Require approval by this agent (repeatable) [default: all that were asked]
    #[arg(long, value_name = "NAME", help_heading = "Selection")]
    require: Vec<String>,
    /// Run tasks whose action contains WORD (repeatable) [default: configured words]
    #[arg(long, value_name = "WORD", help_heading = "Selection")]
    word: Vec<String>,
    /// Match whole words only
    #[arg(long, help_heading = "Selection")]
    whole_words: bool,
    /// Run every completed task, whatever its action
    #[arg(long, conflicts_with_all = ["word", "whole_words"], help_heading = "Selection")]
    any_action: bool,
    /// Skip tasks that already ran with the same response
    #[arg(long, help_heading = "Selection")]
    resume: bool,
    /// Show which tasks would run; run nothing
    #[arg(long, help_heading = "Selection")]
    dry_run: bool,

    /// Define NAME as a Python string and environment variable (repeatable)
    #[arg(long, value_name = "NAME=VALUE", help_heading = "Execution")]
    variable: Vec<String>,
    /// Set the folder that the code may change
    #[arg(long, value_name = "FOLDER", help_heading = "Execution")]
    workspace: Option<PathBuf>,
    /// Kill a task's code after TIME, such as 30s or 5m
    #[arg(long, value_name = "TIME", help_heading = "Execution")]
    timeout: Option<String>,

    /// Write the results back to RESULTS
    #[arg(long, conflicts_with = "output", help_heading = "Output")]
    write: bool,
    /// Write the results to FILE, or - for stdout
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,
    /// Write a Markdown report with all responses and output to FILE
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    report: Option<PathBuf>,
    /// Print the summary as JSON
    #[arg(long, help_heading = "Output")]
    json: bool,

    /// Pass these options to `actum run` for every task
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
