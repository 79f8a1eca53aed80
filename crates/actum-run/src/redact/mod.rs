//! Takes secrets out of what is kept and told, before it is hashed.
//!
//! Two kinds of them. *Known values* are those of variables that were granted by name and of the workspace's `.env`: they are
//! looked for in every form that a program is likely to print them in. *Patterns* tell what looks like somebody's key, token
//! or password. Whatever is found gives way to `[redacted:24]`, where 24 is the number of bytes that it stands for.
//! What a program prints goes to its reader as it is; what is kept, and every report and view of it, is redacted.
//!
//! Promises: the result is the same however the bytes were cut; text without secrets is not touched; memory is bounded
//! whatever a program prints. No files; the clock only bounds how long added patterns look (`fuel`). Start reading at [`Redaction`]; `redactor` is the stream,
//! `value` says which values count, `forms` how they may look, `builtin` what is looked for without being known.
//! See docs/design/redaction.md.

mod anchors;
mod block;
mod builtin;
mod dotenv;
mod forms;
mod fuel;
mod judge;
mod needles;
mod pattern;
mod radix;
mod redactor;
mod report;
mod rules;
#[cfg(test)]
mod tests;
mod value;

pub use builtin::names as builtin_patterns;
pub use dotenv::variables as dotenv_variables;
pub use pattern::{Pattern, PatternError};
pub(crate) use redactor::Redactor;
pub use value::{Known, is_secret, is_secret_name};

use actum_model::{Ending, Report, Risk};
use rules::Rules;
use std::fmt;
use std::sync::Arc;

/// What is to be taken out. Made once for a run; copies share it.
#[derive(Clone, Default)]
pub struct Redaction(Arc<Rules>);

/// What is to be looked for.
#[derive(Debug, Clone, Default)]
pub struct Sought<'a> {
    /// Variables whose values are known; those that are harmless are left alone.
    pub known: Vec<Known<'a>>,
    /// Names of built-in patterns that somebody turned off.
    pub off: &'a [String],
    /// Patterns that somebody added.
    pub added: &'a [Pattern],
}

impl Redaction {
    pub fn new(sought: &Sought<'_>) -> Self {
        Self(Arc::new(Rules::new(sought)))
    }

    /// A stream's own, from its first byte.
    pub(crate) fn redactor(&self) -> Redactor {
        Redactor::new(self.0.clone())
    }

    /// A piece of text that is whole.
    pub fn text(&self, text: &str) -> String {
        match self.replaced(text.as_bytes()) {
            Some(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            None => text.to_owned(),
        }
    }

    /// Bytes that are whole; none where there is nothing to take out of them.
    pub fn replaced(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let mut redactor = self.redactor();
        let mut kept = Vec::with_capacity(bytes.len());
        let mut keep = |piece: &[u8]| {
            kept.extend_from_slice(piece);
            Ok(())
        };
        // Writing into memory does not fail.
        let _ = redactor.take(bytes, &mut keep).and_then(|()| redactor.finish(&mut keep));
        (redactor.count() > 0).then_some(kept)
    }

    /// A report, text by text. What stands in it as a word of ours is left alone.
    pub fn report(&self, report: &mut Report) {
        report::report(self, report);
    }

    pub(crate) fn ending(&self, ending: &Ending) -> Ending {
        report::ending(self, ending)
    }

    pub(crate) fn risk(&self, risk: &mut Risk) {
        report::risk(self, risk);
    }
}

/// Without what it knows.
impl fmt::Debug for Redaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redaction").finish_non_exhaustive()
    }
}
