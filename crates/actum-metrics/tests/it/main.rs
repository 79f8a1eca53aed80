//! The real clients and writers of other people: MLflow's client against the tracking server, event files by tensorboardX.

#![expect(clippy::unwrap_used, reason = "tests: what goes wrong here should be loud")]

mod mlflow;
mod python;
mod tensorboard;
