//! Which trials a sweep over parameters consists of, and what is run next.
//!
//! The trial list is a pure function of the sweep's [`Definition`] and an index: the same for one worker and for sixteen, after a kill
//! and on another machine. What happens is kept as [`Fact`]s; [`SweepState`] is what they amount to, and [`SweepState::next`] says what to
//! start. No files, no clock, no threads: who calls keeps the facts and starts the programs. Design: docs/design/sweeps.md.
//!
//! | question | where |
//! |---|---|
//! | what a sweep is over: words of a command line, tables of a file | [`Space`], [`Domain`], [`FORMS`] |
//! | how points are chosen | [`Method`], [`Halving`] |
//! | which parameters, seed and split trial 17 has | [`Trials::trial`] |
//! | what happened | [`Fact`] |
//! | what is started next, what runs, whether it is over | [`SweepState`], [`Rules`] |
//! | which point is best, over its seeds | [`SweepState::summary`] |
//! | how another program drives it | [`ask`] |
//!
//! ```
//! use actum_sweep::{Decision, Definition, Fact, Method, Outcome, Rules, Seeds, Space, SweepState, Trials};
//!
//! let space = Space::parse(&["lr=log(1e-5,1e-1)", "layers=1..4"])?;
//! let method = Method::Sobol { samples: 8 };
//! let definition = Definition { space, method, seed: 1, seeds: Seeds::Derived(2), splits: Vec::new() };
//! let mut state = SweepState::new(Trials::new(definition)?, Rules::default())?;
//! while let Decision::Start(trials) = state.next(4) {
//!     for run in trials {
//!         let id = state.trial(run.index).expect("it was just named").id;
//!         state.apply(&Fact::Started { index: run.index, rung: run.rung, id, worker: "one".into() })?;
//!         // The program runs here.
//!         state.apply(&Fact::Finished {
//!             index: run.index,
//!             rung: run.rung,
//!             outcome: Outcome::Succeeded,
//!             value: Some(0.5),
//!             values: Default::default(),
//!         })?;
//!     }
//! }
//! assert_eq!(state.summary().counted, 16);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod ask;
mod domain;
mod draw;
mod fact;
mod halving;
mod method;
mod number;
mod sobol;
mod space;
mod state;
mod trials;
mod value;

pub use domain::{Domain, DomainError, MOST_CHOICES};
pub use fact::{Fact, LossCause, Outcome};
pub use halving::{HalvingError, Rung, RungResult, plan, promote};
pub use method::{Goal, Halving, Method, Sampler};
pub use sobol::MOST_DIMENSIONS;
pub use space::{FORMS, MOST_PARAMETERS, Space, SpaceError};
pub use state::{
    Best, Decision, DoneReason, IllegalFact, PointSummary, ReplayError, Rules, RulesError, Running, Settled,
    SplitSummary, Spread, StopRules, Summary, SweepState, TrialRef,
};
pub use trials::{Definition, MOST_TRIALS, Origin, Seeds, Trial, TrialId, Trials, TrialsError};
pub use value::{Parameters, Value, ValueError};
