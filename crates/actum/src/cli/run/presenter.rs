//! What a person or a program sees while a run goes on.

use super::call::ProgramTerminal;
use super::reporting::{Form, Reporter};
use crate::screen::{self, Lines, Look, Raw, Spinner, Through};
use crate::signals;
use actum_engine::{Controls, Decision, OutputForm, ResizedTerminal, Sink, clock};
use actum_gate::File;
use actum_model::{Happened, Stream};
use actum_sandbox::Output;
use rustix::fd::BorrowedFd;
use std::io::{self, BufRead, BufReader, IsTerminal, Stdout, Write};

/// Shows output and events in the form that was asked for.
pub(in crate::cli) struct Presenter {
    out: Out,
    look: Look,
    /// People are told what happens between attempts.
    speaks: bool,
    spinner: Option<Spinner>,
    terminal: ProgramTerminal,
    /// Our own terminal, while its keys go to the program.
    raw: Option<Raw>,
}

/// Where output goes.
enum Out {
    /// To our own streams.
    Through(Through),
    /// Nowhere: it is in the report.
    Nowhere,
    Events(Lines<Stdout>),
}

impl Presenter {
    pub(in crate::cli) fn new(reporter: &Reporter, terminal: ProgramTerminal) -> Self {
        let has_terminal = terminal != ProgramTerminal::None;
        let out = match reporter.form {
            Form::People | Form::Quiet if has_terminal => Out::Through(Through::whole()),
            Form::People | Form::Quiet => Out::Through(Through::new()),
            Form::Json | Form::Yaml | Form::Markdown => Out::Nowhere,
            Form::Events => Out::Events(Lines::new(reporter.run, io::stdout())),
        };
        // A program that has the terminal has all of it.
        let look = if has_terminal { reporter.look.still() } else { reporter.look };
        let speaks = reporter.form == Form::People;
        Self { out, look, speaks, spinner: None, terminal, raw: None }
    }
}

impl Sink for Presenter {
    fn output(&mut self, stream: Stream, bytes: &[u8]) -> io::Result<()> {
        // Its line goes before anything else is printed.
        self.spinner = None;
        match (&mut self.out, stream) {
            (Out::Through(through), Stream::Stdout) => through.stdout(bytes),
            (Out::Through(through), Stream::Stderr) => through.stderr(bytes),
            (Out::Nowhere, _) => Ok(()),
            (Out::Events(lines), _) => lines.output(clock::now(), stream, bytes),
        }
    }

    fn event(&mut self, event: Happened) {
        self.spinner = match &event {
            Happened::Compiling { command, .. } => {
                Some(Spinner::start(&self.look, &format!("compiling: {command}")))
            }
            // Until it prints: then what it prints shows that it goes on.
            Happened::AttemptStarted { command, .. } => Some(Spinner::start(&self.look, command)),
            Happened::Preparing { what } => Some(Spinner::start(&self.look, &format!("preparing: {what}"))),
            Happened::Settling {} => Some(Spinner::start(&self.look, "applying changes")),
            Happened::RunStarted { .. }
            | Happened::NotCovered { .. }
            | Happened::Warned { .. }
            | Happened::Remedied { .. }
            | Happened::Output(_)
            | Happened::AttemptEnded { .. }
            | Happened::RunEnded { .. } => None,
        };
        if let (Happened::Remedied { cause, what, .. }, true) = (&event, self.speaks) {
            let [cause, what] = [cause, what].map(|text| screen::harmless(text));
            screen::note(&format!("↻ actum: {cause} Trying again: {what}"));
        }
        if let (Happened::NotCovered { what }, true) = (&event, self.speaks) {
            screen::note(&format!("actum: not covered: {}", screen::harmless(what)));
        }
        if let (Happened::Warned { what }, true) = (&event, self.speaks) {
            screen::note(&format!("! actum: {}", screen::harmless(what)));
        }
        if let Out::Events(lines) = &mut self.out {
            // A reader that went away is found by the next piece of output.
            let _ = lines.happened(clock::now(), event);
        }
    }

    fn decide(&mut self, question: &[String]) -> io::Result<Decision> {
        if !io::stderr().is_terminal() {
            return Ok(Decision::Wait);
        }
        let Ok(terminal) = actum_gate::own::terminal() else { return Ok(Decision::Wait) };
        question.iter().for_each(|line| screen::note(line));
        Ok(if ask(terminal)? { Decision::Approved } else { Decision::Refused })
    }

    /// Until here a signal ends us as it ends anybody; from here on it cancels the run.
    fn begin(&mut self) -> Controls {
        let cancel = signals::cancel();
        let resized = (self.terminal != ProgramTerminal::None).then(signals::resized).flatten();
        self.raw = (self.terminal == ProgramTerminal::TypedAt).then(Raw::enter).flatten();
        Controls { cancel, resized: resized.map(|changed| ResizedTerminal { changed, size: screen::size }) }
    }

    fn finish(&mut self, cancel: Option<BorrowedFd<'_>>) {
        self.spinner = None;
        match &mut self.out {
            Out::Through(through) => through.finish(cancel),
            Out::Nowhere | Out::Events(_) => {}
        }
        self.raw = None;
    }

    /// A program's own reader gets every byte; other forms are views of what is kept.
    fn form(&self) -> OutputForm {
        match &self.out {
            Out::Through(_) | Out::Nowhere => OutputForm::Raw,
            Out::Events(_) => OutputForm::Redacted,
        }
    }

    fn room(&mut self) -> [usize; 2] {
        match &mut self.out {
            Out::Through(through) => through.room(),
            Out::Nowhere | Out::Events(_) => [usize::MAX; 2],
        }
    }

    fn waits_for(&self) -> [Option<BorrowedFd<'static>>; 2] {
        match &self.out {
            Out::Through(_) => screen::own_streams().map(Some),
            Out::Nowhere | Out::Events(_) => [None; 2],
        }
    }
}

/// Asks on the terminal itself: stdin may be the code.
fn ask(mut terminal: File) -> io::Result<bool> {
    terminal.write_all(b"Run it? [y/N] ")?;
    let mut answer = String::new();
    BufReader::new(terminal).read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}
