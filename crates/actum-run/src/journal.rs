//! Where it is written down that a process is about to exist.

use actum_model::Started;

/// Why it could not be written down. Whoever keeps the journal knows; this room only passes it on.
pub type JournalError = Box<dyn std::error::Error + Send + Sync>;

/// Takes the fact that an attempt is about to start, before there is a process that it is about.
///
/// Two words, so that writing goes on while the attempt is prepared: [`will_start`](Journal::will_start) hands the fact over,
/// [`wait`](Journal::wait) gives leave. Compilers are not announced: what they make is, when it is started.
pub trait Journal {
    /// Begins to write, and need not wait for it.
    fn will_start(&mut self, started: Started);

    /// Returns when everything that was handed over is durable. After an error nothing is started.
    fn wait(&mut self) -> Result<(), JournalError>;
}

/// Keeps nothing: for runs that nobody is to prove.
#[derive(Debug, Default)]
pub struct NoJournal;

impl Journal for NoJournal {
    fn will_start(&mut self, _: Started) {}

    fn wait(&mut self) -> Result<(), JournalError> {
        Ok(())
    }
}
