//! The words of Actum: what can be asked, what can happen, what can be reported.
//!
//! One noun a file. Nothing here touches the world: no files, no clock, no variables, no async. Everything that is
//! shown to a program (`--json`, `--report`) is one of these types through serde; absent is absent, there are no nulls.

mod bytes;
mod change;
mod confinement;
mod ending;
mod limits;
mod network;
mod path_text;
mod policy;
mod span;
mod usage;

pub use bytes::{Bytes, BytesError};
pub use change::{Change, ChangeKind, Node, Withheld};
pub use confinement::{Confinement, Layer, LayerState, Missing, StartMode, Tier, WorkspaceHow};
pub use ending::Ending;
pub use limits::{Amount, Enforced, How, Limit, Limits, LimitsError};
pub use network::{Decision, HostRule, HostRuleError, Network, Refusal, Verdict, Via};
pub use path_text::path_text;
pub use policy::{Grant, Policy, PolicyError, Profile, Requirement, WorkspaceMode};
pub use span::{Span, SpanError};
pub use usage::{CardUsage, Sample, Stopped, Traffic, Usage};
