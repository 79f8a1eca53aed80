//! Runs programs that agents and people wrote: confined, captured, judged and recorded. This is the library behind every door.
//!
//! An [`Engine`] holds what runs share: the warden that starts sandboxes, the ledger, the signer and the caches. A [`Request`] says
//! what to run; a [`Sink`] receives output and events while it runs; [`Engine::run`] carries it out and gives a [`RunResult`].
//!
//! ```rust,standalone_crate
//! use actum_engine::{Engine, EngineConfig, HelperProgram, MemorySink, Request, Surroundings};
//! use std::process::ExitCode;
//!
//! fn main() -> ExitCode {
//!     // Helper processes are this program, started again.
//!     if let Some(code) = actum_engine::run_helper() {
//!         return code;
//!     }
//!     match embed() {
//!         Ok(code) => ExitCode::from(code),
//!         Err(error) => panic!("{error}"),
//!     }
//! }
//!
//! fn embed() -> Result<u8, Box<dyn std::error::Error>> {
//!     let (home, workspace) = (tempfile::tempdir()?, tempfile::tempdir()?);
//!     let surroundings = Surroundings::below(home.path());
//!     let engine = Engine::new(EngineConfig::new(surroundings, HelperProgram::itself()?))?;
//!     let request = Request::builder().command(["echo", "hello"]).workspace(workspace.path());
//!     let mut sink = MemorySink::default();
//!     let result = engine.run(&engine.request(request)?, &mut sink)?;
//!     assert_eq!(sink.stdout, b"hello\n");
//!     assert!(result.report.evidence.is_some());
//!     Ok(result.report.exit_code.get())
//! }
//! ```
//!
//! # Promises
//! - Several runs may go on at once, each on a thread of its caller, in a process that has other threads. More than
//!   [`EngineConfig::most_runs`] wait for their turn, first come, first served.
//! - A program that fails is a [`RunResult`]. An [`EngineError`] means that the request, the machine or the store is at fault.
//! - Output is kept before it is handed to a sink. A sink that fails or panics ends its own run; the record is complete.
//! - A run is in the ledger before its process exists, and sealed before [`Engine::run`] returns.
//!
//! # Where to start reading
//! | what | file |
//! |---|---|
//! | the story of one run | `engine` |
//! | what can be asked | `request`, `expectations`, `defaults`, `surroundings` |
//! | what is handed out | `sink`, `cancel`, `result` |
//! | the record | `recorder`, `ledger`, `signing`, `outputs`, `facts` |
//! | approval | `approval` |
//! | coding agents' own shells | `agent` |
//! | helper processes | `workers`, `program`, `placing`, `settling` |

mod agent;
mod approval;
mod cancel;
pub mod clock;
mod defaults;
mod engine;
mod error;
mod expectations;
mod facts;
mod folders;
#[doc(hidden)]
pub mod foreign;
mod inputs;
mod json;
mod ledger;
mod outputs;
mod placing;
mod program;
mod readers;
mod recorder;
mod redaction;
mod repository;
mod request;
mod result;
mod settling;
mod signing;
mod sink;
mod stdin;
mod surroundings;
mod tools;
mod turns;
mod workers;

pub use actum_run::{Card, cards};
pub use agent::{AgentCommand, AgentPlace, AgentStreams};
pub use approval::PendingRequest;
pub use cancel::CancelHandle;
pub use defaults::{ExpectPart, PackageRules, Redact, RunDefaults};
pub use engine::{Engine, EngineConfig, Lifetime, WardenSource};
pub use error::{EngineError, describe};
pub use json::{is_harmless, report_json};
pub use program::HelperProgram;
pub use readers::Readers;
pub use repository::WorkTree;
pub use request::{Request, RequestBuilder, SessionChoice, SourceChoice, StdinChoice, parse_assignment};
pub use result::{RunResult, RunState};
pub use settling::{finish_pending, keeping, reading};
pub use signing::{EarlySigner, StartedSigner};
pub use sink::{Attachment, Controls, Decision, MemorySink, NoSink, OutputForm, ResizedTerminal, Sink};
pub use surroundings::{Caller, Surroundings, SurroundingsError, session_place};
pub use workers::run_helper;
