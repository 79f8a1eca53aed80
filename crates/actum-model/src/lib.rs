//! The words of Actum: what can be asked, what can happen, what can be reported.
//!
//! One noun a file. Nothing here touches the world: no files, no clock, no variables, no async. Everything that is
//! shown to a program (`--json`, `--report`) is one of these types through serde; absent is absent, there are no nulls.

mod absent;
mod analysis;
mod anchor;
mod block;
pub mod byte_path;
mod bytes;
mod causes;
mod change;
mod check;
mod claim;
pub mod command_line;
mod confinement;
mod conflict;
mod diagnosis;
mod digest;
mod ending;
mod entry;
mod event;
pub mod exit_code;
mod expectation;
mod finding;
mod identity;
mod kept;
mod label;
mod level;
mod limits;
mod line_index;
mod metric;
mod moment;
mod network;
mod outcome;
mod path_text;
mod plan;
mod policy;
mod quantity;
mod reading;
mod record;
mod recovery;
mod report;
mod requested;
mod risk;
mod run_id;
mod seal;
mod source_kind;
mod span;
mod stream;
mod task_result;
mod tracking;
mod untrusted;
mod usage;
mod witness;

pub use analysis::{Analysis, Counted, Failure, Frame, Tests};
pub use anchor::{Anchor, AnchorError, AttemptPiece, Piece};
pub use block::{
    AnswerForm, Block, BlockFacts, BlockKind, Blocks, Candidate, Disposition, Example, Holds, LeftOut,
    PackageWish,
};
pub use bytes::{Bytes, BytesError};
pub use causes::with_causes;
pub use change::{Change, ChangeKind, Node, Standing, Withheld};
pub use check::{Advice, Case, Check, Validation};
pub use claim::{
    Claim, ClaimKind, Cleanliness, FileClaim, Ratio, Said, TestCounts, TestOutcome, TestsVerdict, Trend,
    Unwanted, When, Which,
};
pub use confinement::{Confinement, Layer, LayerState, Missing, StartMode, Tier, WorkspaceHow};
pub use conflict::{Clash, Conflict};
pub use diagnosis::{Class, Diagnosis, Matched, Mode, Priority, PriorityError, Touches, Whose};
pub use digest::{Digest, DigestError};
pub use ending::Ending;
pub use entry::{Entry, Fact, KeyChanged, Lost, Made, Pruned, Started};
pub use event::{Event, Happened, OutputPiece};
pub use exit_code::ExitCode;
pub use expectation::{
    Direction, Expectation, Expected, FileTest, Interval, NumberTest, Origin, ParquetColumn, Part, Place,
    Series, TextTest,
};
pub use finding::{ClaimStatus, Finding, Findings, Strictness};
pub use identity::IdentityHash;
pub use kept::{Became, KeptChange, KeptChanges};
pub use label::{Label, LabelError};
pub use level::Level;
pub use limits::{Amount, Enforced, How, Limit, Limits, LimitsError};
pub use line_index::LineIndex;
pub use metric::{Metric, MetricSource};
pub use moment::{Moment, MomentError};
pub use network::{Decision, HostRule, HostRuleError, Network, Refusal, Verdict, Via};
pub use outcome::Outcome;
pub use path_text::{path_text, read_path_text};
pub use plan::{EnvironmentPlan, Module, ModuleOrigin, Needs, PackageNeed, Plan, RefusedPackage};
pub use policy::{Grant, Policy, PolicyError, Profile, Requirement, WorkspaceMode};
pub use quantity::{Meant, Quantity, QuantityError, Unit};
pub use reading::{
    Argument, CommandUse, Completeness, DataSetUse, Declared, DeclaredParameter, DefaultValue, Effort,
    EffortKind, EntryPoint, FileMode, FileUse, Framework, Gpu, GpuNeed, Import, ImportKind, Install, Layout,
    LayoutKind, Magic, MagicKind, NameUse, NetworkUse, ParameterKind, Reading, Service, Sign, Variable,
    VersionNeed,
};
pub use record::{
    AttachmentFacts, AttemptFacts, Build, FileFacts, Git, Held, Instant, KeyReach, Record, Variables,
};
pub use recovery::{Proposal, Recovery, RecoveryStep, Remedy, RemedyKind, StepResult};
pub use report::{
    Applied, Asked, Changes, Compiled, Environment, Evidence, Execution, Hosts, LockedPackage, PreparedFacts,
    Printed, Report, Runtime, SourceFacts, Step, StreamFacts, Streams,
};
pub use requested::Requested;
pub use risk::{Approval, ApprovalError, Operation, OperationKind, Risk, RiskLevel, Seen};
pub use run_id::{RunId, RunIdError};
pub use seal::{SealError, SealKey, SealKind, unverified_body};
pub use source_kind::SourceKind;
pub use span::{Span, SpanError};
pub use stream::Stream;
pub use task_result::{
    ApprovalWord, Approvals, BlockCounts, BlockExecution, ExecutionDigests, ExternalId, TaskExecution,
    TaskName, TaskOutcome, TaskResult, TaskResults, TasksSummary,
};
pub use tracking::{
    ToldId, TrackingFile, database_question, is_mlflow_id, meta_names, told_mlflow_ids, tracking_file,
    tracking_files,
};
pub use untrusted::Untrusted;
pub use usage::{CardUsage, Sample, Stopped, Traffic, Usage};
pub use witness::Witness;
