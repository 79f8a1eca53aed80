//! What is told, in which form, and where.

use super::problem::Problem;
use crate::cli::report_file::ReportFile;
use crate::cli::summary_file::SummaryFile;
use crate::clock;
use crate::config::Surroundings;
use crate::screen::{self, Detail, Lines, Look, Spinner, Through};
use actum_model::{Applied, Ending, Happened, Plan, Report, RunId, Stream};
use actum_run::{Passing, Watcher};
use actum_sandbox::Output;
use rustix::fd::BorrowedFd;
use std::cell::RefCell;
use std::io::{self, Stdout};
use std::path::PathBuf;

#[derive(Debug, Clone, clap::Args)]
pub(super) struct Options {
    /// The report as JSON on stdout; what the program prints is in it
    #[arg(long, group = "form", help_heading = "What is shown")]
    json: bool,
    /// The report as YAML on stdout
    #[arg(long, group = "form", help_heading = "What is shown")]
    yaml: bool,
    /// The report as Markdown on stdout
    #[arg(long, group = "form", help_heading = "What is shown")]
    markdown: bool,
    /// What happens, as JSON lines on stdout, while it happens
    #[arg(long, group = "form", help_heading = "What is shown")]
    events: bool,
    /// Write the report to a file: YAML or Markdown by its name, else JSON
    #[arg(long, value_name = "FILE", help_heading = "What is shown")]
    report: Option<PathBuf>,
    /// Write the outcome and its tests as JUnit XML to a file
    #[arg(long, value_name = "FILE", help_heading = "What is shown")]
    junit: Option<PathBuf>,
    /// Append the report as Markdown to a file, as step summaries want it
    #[arg(long, value_name = "FILE", help_heading = "What is shown")]
    summary: Option<PathBuf>,
    /// Nothing but what the program prints
    #[arg(long, short, conflicts_with = "verbose", help_heading = "What is shown")]
    quiet: bool,
    /// Limits, walls, hosts and surroundings too
    #[arg(long, short, help_heading = "What is shown")]
    verbose: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    People,
    Quiet,
    Json,
    Yaml,
    Markdown,
    Events,
}

/// Everything that is told about one run.
pub(super) struct Telling {
    form: Form,
    look: Look,
    run: RunId,
    report: Option<ReportFile>,
    junit: Option<ReportFile>,
    summary: Option<SummaryFile>,
}

impl Telling {
    pub(super) fn prepare(
        options: &Options,
        surroundings: &Surroundings,
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
        let look = Look::of_stderr(&surroundings.variables, detail);
        Ok(Self {
            look: if form == Form::People { look } else { look.still() },
            form,
            run,
            report: options.report.as_deref().map(ReportFile::prepare).transpose()?,
            junit: options.junit.as_deref().map(ReportFile::prepare).transpose()?,
            summary: options.summary.as_deref().map(SummaryFile::open).transpose()?,
        })
    }

    /// What the run is connected to.
    pub(super) fn open(&self, with_terminal: bool) -> Door {
        let way = match self.form {
            Form::People | Form::Quiet if with_terminal => Way::Through(Through::whole()),
            Form::People | Form::Quiet => Way::Through(Through::new()),
            Form::Json | Form::Yaml | Form::Markdown => Way::Nowhere,
            Form::Events => Way::Events(Lines::new(self.run, io::stdout())),
        };
        // A program that has the terminal has all of it.
        let look = if with_terminal { self.look.still() } else { self.look };
        let speaks = self.form == Form::People;
        Door(RefCell::new(Inner { way, look, speaks, spinner: None }))
    }

    /// Tells what came of it, and gives the exit code.
    pub(super) fn tell(self, report: &Report) -> Result<u8, Problem> {
        self.write_files(report, &screen::json(report)?)?;
        if let Ending::NotStarted { reason, .. } = &report.result.ending {
            self.on_stdout(report)?;
            let (command, reason) = (report.execution.command.clone(), reason.clone());
            return Err(Problem::NotStarted { command, reason, code: report.exit_code });
        }
        self.on_stdout(report)?;
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

    /// What would be done.
    pub(super) fn tell_plan(self, plan: &Plan) -> Result<u8, Problem> {
        match self.form {
            Form::People | Form::Quiet => screen::say(&screen::plan(plan, &self.look)),
            Form::Json | Form::Events => screen::say(&screen::json(plan)?),
            Form::Yaml | Form::Markdown => screen::say(screen::yaml(&serde_json::to_value(plan)?).trim_end()),
        }
        Ok(0)
    }

    /// What waits has been told already; programs get their report.
    pub(super) fn tell_waiting(self, report: &Report) -> Result<u8, Problem> {
        self.write_files(report, &screen::json(report)?)?;
        self.on_stdout(report)?;
        Ok(report.exit_code)
    }

    /// The account of a run that could not be carried out, for programs. People are told by the problem itself.
    pub(super) fn tell_failure(self, report: &Report) -> Result<(), Problem> {
        self.write_files(report, &screen::json(report)?)?;
        self.on_stdout(report)
    }

    fn on_stdout(&self, report: &Report) -> Result<(), Problem> {
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

/// The run's way to us. Output and happenings come by two ways, and meet here.
pub(super) struct Door(RefCell<Inner>);

struct Inner {
    way: Way,
    look: Look,
    /// People are told what happens between attempts.
    speaks: bool,
    spinner: Option<Spinner>,
}

enum Way {
    Through(Through),
    Nowhere,
    Events(Lines<Stdout>),
}

pub(super) struct ToOutput<'a>(&'a Door);

pub(super) struct ToWatcher<'a>(&'a Door);

impl Door {
    pub(super) fn output(&self) -> ToOutput<'_> {
        ToOutput(self)
    }

    pub(super) fn watcher(&self) -> ToWatcher<'_> {
        ToWatcher(self)
    }

    /// A program's reader gets every byte; what is made of it for others is a view.
    pub(super) fn passing(&self) -> Passing {
        match &self.0.borrow().way {
            Way::Through(_) | Way::Nowhere => Passing::AsPrinted,
            Way::Events(_) => Passing::AsKept,
        }
    }

    /// Everything is written that was held back.
    pub(super) fn finish(&self, cancel: Option<BorrowedFd<'_>>) {
        let mut inner = self.0.borrow_mut();
        inner.spinner = None;
        match &mut inner.way {
            Way::Through(through) => through.finish(cancel),
            Way::Nowhere | Way::Events(_) => {}
        }
    }

    fn take(&self, stream: Stream, bytes: &[u8]) -> io::Result<()> {
        let mut inner = self.0.borrow_mut();
        // Its line goes before anything else is printed.
        inner.spinner = None;
        match (&mut inner.way, stream) {
            (Way::Through(through), Stream::Stdout) => through.stdout(bytes),
            (Way::Through(through), Stream::Stderr) => through.stderr(bytes),
            (Way::Nowhere, _) => Ok(()),
            (Way::Events(lines), _) => lines.output(clock::now(), stream, bytes),
        }
    }
}

impl Output for ToOutput<'_> {
    fn stdout(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.take(Stream::Stdout, bytes)
    }

    fn stderr(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.take(Stream::Stderr, bytes)
    }

    fn room(&mut self) -> [usize; 2] {
        match &mut self.0.0.borrow_mut().way {
            Way::Through(through) => through.room(),
            Way::Nowhere | Way::Events(_) => [usize::MAX; 2],
        }
    }

    fn waits_for(&self) -> [Option<BorrowedFd<'_>>; 2] {
        match &self.0.0.borrow().way {
            Way::Through(_) => screen::own_streams().map(Some),
            Way::Nowhere | Way::Events(_) => [None; 2],
        }
    }
}

impl Watcher for ToWatcher<'_> {
    fn happened(&mut self, what: Happened) {
        let mut inner = self.0.0.borrow_mut();
        inner.spinner = match &what {
            Happened::Compiling { command, .. } => {
                Some(Spinner::start(&inner.look, &format!("compiling: {command}")))
            }
            // Until it prints: then what it prints shows that it goes on.
            Happened::AttemptStarted { command, .. } => Some(Spinner::start(&inner.look, command)),
            Happened::Preparing { what } => Some(Spinner::start(&inner.look, &format!("preparing: {what}"))),
            Happened::Settling {} => Some(Spinner::start(&inner.look, "settling what it changed")),
            Happened::RunStarted { .. }
            | Happened::NotCovered { .. }
            | Happened::Remedied { .. }
            | Happened::Output(_)
            | Happened::AttemptEnded { .. }
            | Happened::RunEnded { .. } => None,
        };
        if let (Happened::Remedied { cause, what, .. }, true) = (&what, inner.speaks) {
            let [cause, what] = [cause, what].map(|text| screen::harmless(text));
            screen::note(&format!("↻ actum: {cause} Trying again: {what}"));
        }
        if let (Happened::NotCovered { what }, true) = (&what, inner.speaks) {
            screen::note(&format!("actum: not covered: {}", screen::harmless(what)));
        }
        if let Way::Events(lines) = &mut inner.way {
            // A reader that went away is told by the next piece of output.
            let _ = lines.happened(clock::now(), what);
        }
    }
}
