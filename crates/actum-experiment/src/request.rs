//! What a caller asks for: a run, and how it is to be repeatable.

use crate::manifest::{Purpose, SeedFacts, SeedOrigin};
use crate::output_folder::DEFAULT_PATTERN;
use actum_determinism::Profile;
use actum_engine::RequestBuilder;
use actum_metrics::WatchPolicy;
use std::path::PathBuf;

/// One experiment, as asked for.
#[derive(Debug, Clone)]
pub struct ExperimentRequest {
    /// What to run and with which permissions. Without a source the way to start is looked for.
    pub asked: RequestBuilder,
    /// The name of the experiment [default: that of its program].
    pub name: Option<String>,
    pub seed: SeedFacts,
    pub profile: Profile,
    /// The configuration file, if it is not the one that the command names.
    pub config: Option<PathBuf>,
    /// `key=value` each.
    pub set: Vec<String>,
    /// Where its output folder is made, below the workspace.
    pub pattern: String,
    pub purpose: Purpose,
    /// Threads that numeric libraries are allowed [default: one for each processor].
    pub threads: Option<u32>,
    pub watch: WatchPolicy,
    /// Refuse a work tree with uncommitted changes.
    pub require_clean: bool,
}

impl ExperimentRequest {
    pub fn new(asked: RequestBuilder) -> Self {
        Self {
            asked,
            name: None,
            seed: SeedFacts { value: 42, origin: SeedOrigin::Default },
            profile: Profile::default(),
            config: None,
            set: Vec::new(),
            pattern: DEFAULT_PATTERN.to_owned(),
            purpose: Purpose::default(),
            threads: None,
            watch: WatchPolicy::default(),
            require_clean: false,
        }
    }
}
