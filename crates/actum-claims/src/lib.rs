//! What an agent says happened, and what the ledger says about it.
//!
//! Pure: text and plain values in, findings out. No files, no clock, no network. Prose is only the claim's side; evidence is
//! looked up among what records hold, never by searching for prose that sounds alike.
//!
//! | part | what |
//! |---|---|
//! | [`extract`] | a text to the claims in it: `markdown`, `sentence`, `stance` (what is no claim), `grammar/` one family of kinds a file |
//! | [`Evidence`] | what records hold, as plain values, newest run first |
//! | `plain`, `html` | a text as a person reads it: hidden and look-alike characters, tags |
//! | `bounds` | how much of a text is read, and that the rest is told |
//! | [`judge`] | claims against evidence: `judge/` one family of kinds a file, `interval` for what a number means |
//!
//! Promise: precision first. Where it is doubtful whether evidence speaks of the claim at all, a claim is unsupported, with the
//! reason; it is contradicted only by evidence of its own kind, and verified only by evidence that leaves no other reading.
//! Why it is built so: docs/design/claims.md. Start reading at [`extract`] and [`judge`].

mod bounds;
mod evidence;
mod grammar;
mod html;
mod instruments;
mod judge;
mod markdown;
mod names;
mod plain;
mod sentence;
mod stance;
mod tokens;
mod vocabulary;

pub use bounds::NOT_JUDGED;
pub use evidence::{Evidence, FileNow, FileText, PackageFact, RunFacts, SeedFact, Tracked, Wrote};
pub use grammar::extract;
pub use judge::{NEWEST_FAILED, WIDER_FAILED, judge};

pub use actum_output::PrintedLine;

use actum_model::Findings;

/// Both steps at once, where everything that evidence can hold is known beforehand.
pub fn check(text: &str, evidence: &Evidence) -> Findings {
    judge(&extract(text), evidence)
}
