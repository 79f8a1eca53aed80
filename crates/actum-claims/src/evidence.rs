//! What records hold, as plain values. Whoever has the ledger gathers it; here nothing is read.

use actum_commands::{RecordedCommand, command};
use actum_model::command_line::shows_text;
use actum_model::{Level, Metric, Tests, Witness};
use actum_output::{HarnessOutput, PrintedLine};
use serde::Deserialize;

/// Everything in scope.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Evidence {
    /// Newest first.
    pub runs: Vec<RunFacts>,
    /// Files that claims name, as they are now.
    pub files: Vec<FileNow>,
    /// Runs that a tracking store in the workspace knows.
    pub tracked: Vec<Tracked>,
    /// Runs of the last day whose records were removed: how they ended is not known any more.
    pub removed: Vec<String>,
    /// Why records in scope cannot be believed. Where there is a reason, nothing else counts.
    pub invalid: Vec<String>,
}

/// What is known about one run.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
pub struct RunFacts {
    /// Its name, whole.
    pub run: String,
    pub level: Level,
    /// Whether Actum executed it. What an agent reported verifies nothing.
    pub witness: Witness,
    /// As a person would type it, with its arguments.
    pub command: String,
    /// Where it started, absolute. Empty where that is not known.
    pub folder: String,
    /// The project that it ran in, absolute. Empty where that is not known.
    pub workspace: String,
    /// That project is only a part of the one that claims are about.
    pub is_nested: bool,
    /// Programs of its command that are not known to be the installed ones of their names.
    pub unknown_programs: Vec<String>,
    pub exit: i32,
    /// It was started at all.
    pub started: bool,
    /// It was cut off before its record could be sealed: only that it was started is known. Such a run verifies nothing.
    pub lost: bool,
    /// In seconds.
    pub wall: f64,
    pub tests: Option<Tests>,
    /// Tests that the runner named as passed.
    pub passed_names: Vec<String>,
    pub skipped_names: Vec<String>,
    /// Tests that it named as failed the way they were marked to.
    pub expected_names: Vec<String>,
    pub metrics: Vec<Metric>,
    pub wrote: Vec<Wrote>,
    /// Whether what it wrote came into the workspace.
    pub applied: bool,
    /// Files that it was given, with their digest.
    pub inputs: Vec<(String, String)>,
    /// Inputs whose digest is another one now.
    pub changed_inputs: Vec<String>,
    pub commit: Option<String>,
    pub dirty: Option<bool>,
    pub packages: Vec<PackageFact>,
    pub seeds: Vec<SeedFact>,
    pub warnings: Option<u64>,
    /// What it printed, the ends of it, stdout before stderr.
    pub printed: Vec<PrintedLine>,
    /// Lines between the ends are not among them.
    pub printed_cut: bool,
    /// Small files of results that it wrote.
    pub texts: Vec<FileText>,
}

impl Default for RunFacts {
    fn default() -> Self {
        Self {
            run: String::new(),
            level: Level::E0,
            witness: Witness::Executed,
            command: String::new(),
            folder: String::new(),
            workspace: String::new(),
            is_nested: false,
            unknown_programs: Vec::new(),
            exit: 0,
            started: true,
            lost: false,
            wall: 0.0,
            tests: None,
            passed_names: Vec::new(),
            skipped_names: Vec::new(),
            expected_names: Vec::new(),
            metrics: Vec::new(),
            wrote: Vec::new(),
            applied: true,
            inputs: Vec::new(),
            changed_inputs: Vec::new(),
            commit: None,
            dirty: None,
            packages: Vec::new(),
            seeds: Vec::new(),
            warnings: None,
            printed: Vec::new(),
            printed_cut: false,
            texts: Vec::new(),
        }
    }
}

/// What a file held that a run wrote.
#[derive(Clone, Debug, Deserialize)]
pub struct FileText {
    pub path: String,
    pub text: String,
}

/// A file that a run changed.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Wrote {
    pub path: String,
    /// `created`, `modified`, `deleted`.
    pub how: String,
    pub sha256: Option<String>,
    pub size: Option<u64>,
    /// Records that it holds, where its form is known and its bytes are still those: rows of a table, items of a list.
    pub rows: Option<u64>,
    pub lines: Option<u64>,
    /// Columns that its header names, where it is a table.
    pub columns: Option<u64>,
}

/// A file as it is now.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct FileNow {
    pub path: String,
    pub exists: bool,
    pub sha256: Option<String>,
    pub size: Option<u64>,
}

/// A package in a run's environment.
#[derive(Clone, Debug, Deserialize)]
pub struct PackageFact {
    pub name: String,
    pub version: String,
    /// The lock, or the installer's own output.
    #[serde(default)]
    pub printed_line: Option<u64>,
}

/// A seed that a run used.
#[derive(Clone, Debug, Deserialize)]
pub struct SeedFact {
    pub value: i64,
    /// `command`, `source`, `stdout`.
    pub from: String,
}

/// A run that a tracking store knows.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Tracked {
    /// `mlflow`.
    pub system: String,
    pub id: String,
    /// Where the store keeps it, in the workspace.
    pub path: String,
}

impl RunFacts {
    /// With the counts of the project's own harness, where no runner counted.
    pub fn with_own_counts(mut self) -> Self {
        if self.tests.is_some() || command::only_prints(&self.command) || shows_text(&self.command) {
            return self;
        }
        let output = HarnessOutput {
            lines: &self.printed,
            is_cut: self.printed_cut,
            exit: self.exit,
            may_run_tests: command::may_run_tests(&self.command),
        };
        if let Some(found) = output.count_tests() {
            self.tests = Some(found.tests);
            (self.passed_names, self.skipped_names) = (found.passed_names, found.skipped_names);
        }
        self
    }

    /// What its command line is judged by.
    pub(crate) fn recorded(&self) -> RecordedCommand<'_> {
        RecordedCommand {
            line: &self.command,
            exit: self.exit,
            folder: &self.folder,
            workspace: &self.workspace,
            is_nested: self.is_nested,
            runner: self.tests.as_ref().map(|tests| tests.runner.as_str()),
            printed: &self.printed,
            inputs: &self.inputs,
            written: self.wrote.iter().map(|wrote| wrote.path.as_str()).collect(),
        }
    }

    /// `actum:<run>#piece`.
    pub fn anchor(&self, piece: &str) -> String {
        format!("actum:{}#{piece}", self.run)
    }

    /// Something that it was given is no longer the same.
    pub fn is_stale(&self) -> bool {
        !self.changed_inputs.is_empty()
    }
}
