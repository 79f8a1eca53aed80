//! Experiments: runs that can be repeated in a year.
//!
//! [`prepare`] finds the command, keeps the state of the repository, pins seeds and writes the manifest; [`run`] carries the experiment
//! out through the engine and attaches everything to its record. [`reproduce`](reproduce::reproduce) puts a stored experiment together
//! again, runs it and says how far it came out the same.
//!
//! | what | file |
//! |---|---|
//! | what is asked for | `request` |
//! | before: command and parameters, git, machine, seeds, output folder, manifest | `prepared`, then `program`, `git_state`, `machine`, `pinning`, `output_folder`, `manifest` |
//! | during: output, curves, alarms, the tracking server | `experiment`, then `live_metrics`, `tracking`, `forward` |
//! | after: result, artifacts, checklist, next steps | `result`, `artifacts`, `checklist`, `next_steps` |
//! | what the store has | `stored`, `index`, `estimate`, `curves` |
//! | looking | `compare`, `sources`, `table`, `plot`, `report`, `ro_crate` |
//! | again: restore, run, compare | `reproduce/`, `grade` |
//! | many: trials of a sweep, on several workers, resumable | `sweep/` |
//! | again as it was asked for | `again` |
//! | for other tools: run crates, MLflow | `export/`, `ro_crate/` |
//! | on from a checkpoint: the earlier attempt, its curves, its manifest while it runs | `resume/`, `history`, `kept_manifest` |

mod absent;
mod again;
mod artifacts;
mod checklist;
pub mod compare;
mod curves;
mod error;
mod estimate;
mod experiment;
pub mod export;
mod forward;
mod git_state;
pub mod grade;
mod history;
mod index;
mod kept_manifest;
mod live_metrics;
mod machine;
pub mod manifest;
mod next_steps;
mod output_folder;
mod pinning;
pub mod plot;
mod prepared;
mod program;
pub mod report;
pub mod reproduce;
mod request;
pub mod result;
pub mod resume;
pub mod ro_crate;
mod sources;
mod stored;
pub mod sweep;
pub mod table;
mod tracking;
mod variables;

pub use actum_determinism::Profile;
pub use actum_metrics::{Direction as MetricDirection, guess_direction};
pub use actum_metrics::{OnAlarm, WatchPolicy};
pub use actum_store::experiments::{ExperimentFilter, Ranking};
pub use again::ask_again;
pub use curves::curves_of;
pub use error::ExperimentError;
pub use estimate::estimate;
pub use experiment::{FinishedExperiment, run};
pub use index::Experiments;
pub use manifest::Manifest;
pub use output_folder::{DEFAULT_PATTERN, OutputFolder, own_output, remove_output};
pub use pinning::parse_seed;
pub use prepared::{PreparedExperiment, prepare};
pub use request::ExperimentRequest;
pub use result::ExperimentResult;
pub use sources::{ChangedSource, changed_sources};
pub use stored::StoredExperiment;
