//! The result of a run, in the form and at the places that were asked for.

use super::problem::Problem;
use crate::cli::report_file::ReportFile;
use crate::cli::summary_file::SummaryFile;
use crate::screen::{self, Detail, Look};
use actum_model::{Applied, Ending, ExitCode, Plan, Report, RunId};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::path::PathBuf;

/// How the result is shown.
#[derive(Debug, Clone, Default, clap::Args, Serialize, Deserialize)]
#[serde(default)]
pub(in crate::cli) struct Options {
    /// Print the report as JSON, with the program's output in it
    #[arg(long, group = "form", help_heading = "Output")]
    json: bool,
    /// Print the report as YAML
    #[arg(long, group = "form", help_heading = "Output")]
    yaml: bool,
    /// Print the report as Markdown
    #[arg(long, group = "form", help_heading = "Output")]
    markdown: bool,
    /// Print events as JSON lines while the program runs
    #[arg(long, group = "form", help_heading = "Output")]
    events: bool,
    /// Write the report to FILE (.yaml or .md, otherwise JSON)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    report: Option<PathBuf>,
    /// Write the result and its tests to FILE as JUnit XML
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    junit: Option<PathBuf>,
    /// Append the report to FILE as Markdown, for CI step summaries
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    summary: Option<PathBuf>,
    /// Print only the program's output
    #[arg(long, short, conflicts_with = "verbose", help_heading = "Output")]
    quiet: bool,
    /// Also show limits, sandbox, hosts and environment
    #[arg(long, short, help_heading = "Output")]
    verbose: bool,
}

/// In which form a result is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum Form {
    People,
    Quiet,
    Json,
    Yaml,
    Markdown,
    Events,
}

impl Options {
    /// Nothing but one form.
    pub(in crate::cli) fn form(form: Form) -> Self {
        let is = |other| form == other;
        Self {
            json: is(Form::Json),
            yaml: is(Form::Yaml),
            markdown: is(Form::Markdown),
            events: is(Form::Events),
            quiet: is(Form::Quiet),
            ..Self::default()
        }
    }
}

/// Shows the result of one run.
pub(in crate::cli) struct Reporter {
    pub(in crate::cli) form: Form,
    pub(super) look: Look,
    pub(super) run: RunId,
    report: Option<ReportFile>,
    junit: Option<ReportFile>,
    summary: Option<SummaryFile>,
}

impl Reporter {
    /// Opens the places that reports are written to.
    pub(in crate::cli) fn prepare(
        options: &Options,
        variables: &[(OsString, OsString)],
        run: RunId,
    ) -> Result<Self, Problem> {
        let form = match options {
            Options { json: true, .. } => Form::Json,
            Options { yaml: true, .. } => Form::Yaml,
            Options { markdown: true, .. } => Form::Markdown,
            Options { events: true, .. } => Form::Events,
            Options { quiet: true, .. } => Form::Quiet,
            Options { .. } => Form::People,
        };
        let detail = if options.verbose { Detail::Verbose } else { Detail::Brief };
        let look = Look::of_stderr(variables, detail);
        Ok(Self {
            look: if form == Form::People { look } else { look.still() },
            form,
            run,
            report: options.report.as_deref().map(ReportFile::prepare).transpose()?,
            junit: options.junit.as_deref().map(ReportFile::prepare).transpose()?,
            summary: options.summary.as_deref().map(SummaryFile::open).transpose()?,
        })
    }

    /// Shows the result, and gives the exit code.
    pub(in crate::cli) fn show(&self, report: &Report) -> Result<ExitCode, Problem> {
        self.write_files(report, &screen::json(report)?)?;
        if let Ending::NotStarted { reason, .. } = &report.result.ending {
            self.print(report)?;
            let (command, reason) = (report.execution.command.clone(), reason.clone());
            return Err(Problem::NotStarted { command, reason, code: report.exit_code });
        }
        self.print(report)?;
        if self.form == Form::People {
            let ends_open = [&report.result.stdout, &report.result.stderr]
                .iter()
                .any(|text| !text.is_empty() && !text.ends_with('\n'));
            let line = if ends_open { "\n" } else { "" };
            screen::note(&format!("{line}{}", screen::account(report, &self.look)));
        }
        if self.form == Form::Quiet && report.changes.state == Applied::Refused {
            screen::conflicts("apply", &report.changes.conflicts);
        }
        Ok(report.exit_code)
    }

    /// Shows what would be done.
    pub(in crate::cli) fn show_plan(&self, plan: &Plan) -> Result<ExitCode, Problem> {
        match self.form {
            Form::People | Form::Quiet => screen::say(&screen::plan(plan, &self.look)),
            Form::Json | Form::Events => screen::say(&screen::json(plan)?),
            Form::Yaml | Form::Markdown => screen::say(screen::yaml(&serde_json::to_value(plan)?).trim_end()),
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Shows programs the report of a run that waits; people have been told.
    pub(in crate::cli) fn show_waiting(&self, report: &Report) -> Result<ExitCode, Problem> {
        self.write_files(report, &screen::json(report)?)?;
        self.print(report)?;
        Ok(report.exit_code)
    }

    /// Shows programs the report of a run that could not be carried out. People get the error itself.
    pub(in crate::cli) fn write_failure(&self, report: &Report) -> Result<(), Problem> {
        self.write_files(report, &screen::json(report)?)?;
        self.print(report)
    }

    fn print(&self, report: &Report) -> Result<(), Problem> {
        match self.form {
            Form::People | Form::Quiet | Form::Events => {}
            Form::Json => screen::say(&screen::json(report)?),
            Form::Yaml => screen::say(screen::yaml(&serde_json::to_value(report)?).trim_end()),
            Form::Markdown => screen::say(screen::markdown(report).trim_end()),
        }
        Ok(())
    }

    fn write_files(&self, report: &Report, json: &str) -> Result<(), Problem> {
        if let Some(file) = &self.report {
            let text = match file.extension() {
                Some("yaml" | "yml") => screen::yaml(&serde_json::to_value(report)?),
                Some("md" | "markdown") => screen::markdown(report),
                Some(_) | None => format!("{json}\n"),
            };
            file.write(&text)?;
        }
        if let Some(file) = &self.junit {
            file.write(&screen::junit(report))?;
        }
        if let Some(file) = &self.summary {
            file.append(&screen::markdown(report))?;
        }
        Ok(())
    }
}
