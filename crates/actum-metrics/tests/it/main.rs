//! The real clients and writers of other people: MLflow's client against the tracking server, event files by tensorboardX.

mod mlflow;
mod python;
mod tensorboard;
