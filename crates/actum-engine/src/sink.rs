//! Where a run's output and events go, and who answers its question.

use actum_model::{Happened, Report, Stream};
use actum_run::{Passing, Watcher};
use actum_sandbox::{Output, Terminal};
use rustix::fd::{BorrowedFd, OwnedFd};
use std::cell::RefCell;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Receives what a run prints and what happens to it, in order, on the thread that called [`Engine::run`](crate::Engine::run).
///
/// A sink should return soon: while it works, nothing is read from the program. An error ends the run as if the reader of a pipe
/// went away; a panic is caught and does the same. The record is complete in either case, because everything is kept before it is
/// handed over.
pub trait Sink {
    /// Takes a piece of output.
    fn output(&mut self, stream: Stream, bytes: &[u8]) -> io::Result<()>;

    /// Takes an event.
    fn event(&mut self, event: Happened);

    /// Answers whether a run that needs approval may start. Without an answer it waits until somebody approves it.
    fn decide(&mut self, question: &[String]) -> io::Result<Decision> {
        let _ = question;
        Ok(Decision::Wait)
    }

    /// The run begins: its question is answered, and nothing has been started.
    fn begin(&mut self) -> Controls {
        Controls::default()
    }

    /// Nothing more will be printed.
    fn finish(&mut self, cancel: Option<BorrowedFd<'_>>) {
        let _ = cancel;
    }

    /// Takes listeners on the program's own loopback, for the ports of [`RequestBuilder::listeners`](crate::RequestBuilder).
    fn serve(&mut self, listeners: Vec<OwnedFd>) {
        drop(listeners);
    }

    /// Gives what is to be kept with the record, when everything else about the run is known and before it is sealed.
    fn attach(&mut self, report: &Report) -> Vec<Attachment> {
        let _ = report;
        Vec::new()
    }

    /// Which form of the output is taken.
    fn form(&self) -> OutputForm {
        OutputForm::Redacted
    }

    /// How many bytes of each stream are taken without waiting.
    fn room(&mut self) -> [usize; 2] {
        [usize::MAX; 2]
    }

    /// What becomes writable when a stream that had no room has some again: the process's own streams.
    fn waits_for(&self) -> [Option<BorrowedFd<'static>>; 2] {
        [None; 2]
    }
}

/// Which form of a program's output a sink takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputForm {
    /// Byte for byte as printed, for the program's own reader.
    Raw,
    /// Without secrets, as it is kept.
    Redacted,
}

/// Contents to be kept with a run and named by its record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// Whether a run may start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    Approved,
    Refused,
    /// Nobody can answer now: it waits for [`Engine::approve`](crate::Engine::approve).
    Wait,
}

/// How a run is controlled from outside.
#[derive(Debug, Default)]
pub struct Controls {
    /// Becomes readable for each wish to cancel: the first stops the program in order, the next kills it.
    pub cancel: Option<OwnedFd>,
    pub resized: Option<ResizedTerminal>,
}

/// How a run learns that its terminal has another size.
#[derive(Debug)]
pub struct ResizedTerminal {
    /// Becomes readable when it has.
    pub changed: OwnedFd,
    pub size: fn() -> Option<Terminal>,
}

/// Drops output and events.
#[derive(Debug, Default)]
pub struct NoSink;

impl Sink for NoSink {
    fn output(&mut self, _: Stream, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn event(&mut self, _: Happened) {}
}

/// Keeps output and events in memory, for callers that want them at the end.
#[derive(Debug, Default)]
pub struct MemorySink {
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    pub events: Vec<Happened>,
}

impl Sink for MemorySink {
    fn output(&mut self, stream: Stream, bytes: &[u8]) -> io::Result<()> {
        match stream {
            Stream::Stdout => self.stdout.extend_from_slice(bytes),
            Stream::Stderr => self.stderr.extend_from_slice(bytes),
        }
        Ok(())
    }

    fn event(&mut self, event: Happened) {
        self.events.push(event);
    }
}

/// One sink for the two ways by which the parts of a run hand things over.
pub(crate) struct SharedSink<'a>(RefCell<Inner<'a>>);

struct Inner<'a> {
    sink: &'a mut dyn Sink,
    has_panicked: bool,
}

pub(crate) struct ToOutput<'s, 'a>(&'s SharedSink<'a>);

pub(crate) struct ToWatcher<'s, 'a>(&'s SharedSink<'a>);

impl<'a> SharedSink<'a> {
    pub(crate) fn new(sink: &'a mut dyn Sink) -> Self {
        Self(RefCell::new(Inner { sink, has_panicked: false }))
    }

    pub(crate) fn output(&self) -> ToOutput<'_, 'a> {
        ToOutput(self)
    }

    pub(crate) fn watcher(&self) -> ToWatcher<'_, 'a> {
        ToWatcher(self)
    }

    pub(crate) fn passing(&self) -> Passing {
        match self.0.borrow().sink.form() {
            OutputForm::Raw => Passing::AsPrinted,
            OutputForm::Redacted => Passing::AsKept,
        }
    }

    pub(crate) fn finish(&self, cancel: Option<BorrowedFd<'_>>) {
        let _ = self.call(|sink| sink.finish(cancel));
    }

    /// What is to be kept with the record; nothing where the sink panicked.
    pub(crate) fn attachments(&self, report: &Report) -> Vec<Attachment> {
        self.call(|sink| sink.attach(report)).unwrap_or_default()
    }

    /// Calls the sink. After a panic it is not called again: nobody knows what it left half done.
    fn call<T>(&self, act: impl FnOnce(&mut dyn Sink) -> T) -> io::Result<T> {
        let mut inner = self.0.borrow_mut();
        let panicked = || io::Error::new(io::ErrorKind::BrokenPipe, "the sink of this run panicked");
        if inner.has_panicked {
            return Err(panicked());
        }
        let done = catch_unwind(AssertUnwindSafe(|| act(inner.sink)));
        inner.has_panicked = done.is_err();
        done.map_err(|_| panicked())
    }
}

impl Output for ToOutput<'_, '_> {
    fn stdout(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.call(|sink| sink.output(Stream::Stdout, bytes))?
    }

    fn stderr(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.call(|sink| sink.output(Stream::Stderr, bytes))?
    }

    fn room(&mut self) -> [usize; 2] {
        self.0.call(|sink| sink.room()).unwrap_or([usize::MAX; 2])
    }

    fn waits_for(&self) -> [Option<BorrowedFd<'_>>; 2] {
        self.0.0.borrow().sink.waits_for()
    }
}

impl Watcher for ToWatcher<'_, '_> {
    fn happened(&mut self, what: Happened) {
        // A sink that is gone is found by the next piece of output.
        let _ = self.0.call(|sink| sink.event(what));
    }

    fn serve(&mut self, listeners: Vec<OwnedFd>) {
        let _ = self.0.call(|sink| sink.serve(listeners));
    }
}
