//! Take one request from its source to its report.
//!
//! The story: [`extract()`] reads the source and tells its programs apart; [`weigh`] looks at them before anybody is asked;
//! [`run`] (`story`) stages each, compiles it where that is needed, attempts it in its sandbox with its output captured, settles
//! what it changed, and gives the account. What the run came to is one value on the way, `outcome`.
//!
//! | word | files |
//! |---|---|
//! | extract | `source`, `answer` (what its blocks come to), `edit`, `together` (blocks in one interpreter), `recognise/`, `language/` (one file a language) |
//! | weigh | `risk`, `inspect/` |
//! | attend | `attend`: `read` what a program's text says, work out its `needs/`, `prepare/` that |
//! | stage, build | `stage`, `versions`, `build`, `compile/` |
//! | attempt | `course` (one program after the other), `attempt`, `egress`, `capture/` |
//! | recover | `diagnose/` why it failed, `recover/`: one thing around it is changed, and it is attempted again |
//! | validate | `validate/`: what was expected is held against what came out |
//! | settle | `workspace`, `settle/`; `lasting` keeps what a run that lasts has written so far |
//! | redact | `redact/`: secrets are taken out of all that is kept and told |
//! | account | `analyse/`, `metric_files`, `account`; `sealed` for the record, `beside` for what it says of `inputs` and of the repository |
//!
//! Calls of a [`session`] (an interpreter that stays from one call to the next) take the same way: `in_session`.

mod account;
mod anchors;
mod answer;
mod attempt;
mod attend;
mod beside;
mod budget;
mod build;
mod capture;
mod clock;
mod course;
mod database;
pub mod edit;
mod error;
mod extract;
#[doc(hidden)]
pub mod foreign;
mod foresee;
mod gpu;
mod in_session;
mod inputs;
mod journal;
mod lasting;
mod listen;
mod live;
mod origin;
mod outcome;
mod python_command;
mod read;
mod recover;
pub mod redact;
mod request;
mod requested;
mod risk;
mod sealed;
pub mod session;
mod source;
mod stage;
mod story;
mod support;
mod together;
pub mod unconfined;
mod validate;
mod versions;
mod worker;
mod workspace;

pub use account::{NotRun, not_run};
pub use capture::{Entry, read_timeline, timeline_of};
pub use database::{Answer, ask_database};
pub use error::RunError;
pub use extract::{Extracted, extract};
pub use gpu::{Card, cards};
pub use in_session::InSession;
pub use journal::{Journal, JournalError, NoJournal};
pub use live::{Live, Passing, Watcher};
pub use read::{AnswerReader, Desk};
pub use recover::Bounds;
pub use request::{
    AfterFailure, House, Keep, NotKeep, Purpose, Request, SourceChanges, Support, SupportFile, Tools, Tracing,
};
pub use risk::weigh;
pub use sealed::{Account, Draft, Seal};
pub use source::{LARGEST_SOURCE, Source};
pub use story::{RunPlace, run};
pub use together::{Namespace, Piece as BlockPiece, pieces as block_pieces};

use actum_model::{Digest, Needs, Plan};
use recover::Providing;

/// The file in a run's folder that holds the lock of its environment.
pub const LOCK: &str = "lock.txt";

/// A digest as reports write it.
pub fn digest_of(bytes: &[u8]) -> String {
    Digest::of(bytes).to_string()
}

/// What the programs of a request need, and what would be done for them. Their texts are read; nothing is installed, and none
/// of them runs.
pub fn plan(request: &Request, house: &House<'_>, extracted: Extracted<'_>) -> Plan {
    let providing = Providing::new(house, request, None);
    let cares = attend::look_at(extracted.parts, &extracted.installs, &providing);
    let needs = cares.into_iter().map(|care| {
        let bare =
            Needs { number: care.number, language: care.part.language().to_owned(), ..Needs::default() };
        let mut needs = care.needs.unwrap_or(bare);
        attend::declared(&mut needs, &providing);
        needs
    });
    Plan { v: Plan::VERSION, programs: needs.collect() }
}
