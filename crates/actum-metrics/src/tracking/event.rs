//! What a client logged, for the owner of the server.

use crate::point::MetricPoint;
use actum_model::{Moment, Untrusted};

/// One thing that was logged. `run` is the id that the server gave.
#[derive(Clone, Debug, PartialEq)]
pub enum TrackingEvent {
    RunStarted {
        run: String,
        experiment: Untrusted,
        name: Untrusted,
        at: Option<Moment>,
    },
    /// Its source says of which run it is.
    Metric(MetricPoint),
    Param {
        run: String,
        key: String,
        value: Untrusted,
    },
    Tag {
        run: String,
        key: String,
        value: Untrusted,
    },
    /// A dataset that the run read, as its library describes it.
    Input {
        run: String,
        name: Untrusted,
        digest: Untrusted,
    },
    RunEnded {
        run: String,
        status: RunStatus,
    },
}

/// How a run stands, by its client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunStatus {
    Running,
    Scheduled,
    Finished,
    Failed,
    Killed,
}

impl RunStatus {
    pub(super) const ALL: [Self; 5] =
        [Self::Running, Self::Scheduled, Self::Finished, Self::Failed, Self::Killed];

    /// The word of the protocol.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Running => "RUNNING",
            Self::Scheduled => "SCHEDULED",
            Self::Finished => "FINISHED",
            Self::Failed => "FAILED",
            Self::Killed => "KILLED",
        }
    }

    pub(super) fn is_over(self) -> bool {
        match self {
            Self::Running | Self::Scheduled => false,
            Self::Finished | Self::Failed | Self::Killed => true,
        }
    }
}
