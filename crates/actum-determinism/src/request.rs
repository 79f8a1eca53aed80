//! What has to be known to pin a run.

use crate::processor::Processor;
use crate::profile::Profile;
use crate::seed::Seed;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinRequest {
    pub profile: Profile,
    pub seed: Seed,
    /// Of libraries for linear algebra. Another number gives other bits.
    pub threads: u32,
    /// Seconds since 1970. When the run is repeated it is that of the first run.
    pub started_at: u64,
    /// Names as in the table of languages. None: it is not known what will be started.
    pub languages: Vec<String>,
    pub network: NetworkAccess,
    pub process_ids: ProcessIds,
    pub linkage: Linkage,
    pub processor: Processor,
    /// The variables that the user sets for the program. They win, or are joined where a variable is a list.
    pub given: Vec<(String, String)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NetworkAccess {
    None,
    /// To any host, or to the machine's own network.
    Granted,
}

/// Where the numbers of processes come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessIds {
    /// A namespace of the run's own: the same processes get the same numbers.
    Own,
    /// The machine: numbers differ from run to run.
    Shared,
}

/// How the program that is started was linked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Linkage {
    Dynamic,
    Static,
    Unknown,
}

impl PinRequest {
    /// Whether programs of this language may be started. A shell starts anything.
    pub(crate) fn may_run(&self, language: &str) -> bool {
        let names = |name: &str| self.languages.iter().any(|other| other == name);
        self.languages.is_empty() || names(language) || ["sh", "bash", "zsh"].into_iter().any(names)
    }

    /// What the user set a variable to.
    pub(crate) fn given(&self, name: &str) -> Option<&str> {
        let mut given = self.given.iter().rev();
        given.find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }
}
