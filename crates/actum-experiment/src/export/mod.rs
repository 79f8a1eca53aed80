//! A stored experiment for other tools: as a folder that archives read ([`write_crate`]), or logged to an MLflow server
//! ([`mlflow::Client`]).

mod crate_folder;
mod http;
pub mod mlflow;

pub use crate_folder::{WrittenCrate, write_crate};
