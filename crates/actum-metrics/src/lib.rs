//! The curves of an experiment while it runs: what a program reports about its own work, from wherever it reports it.
//!
//! | part | what it does |
//! |---|---|
//! | [`MetricPoint`] | one value of one metric, written and read as a line of JSON |
//! | [`Curves`], [`Summary`] | points of several attempts joined, and each metric in a few numbers |
//! | [`read`] | points from output, JSON lines, CSV and TensorBoard's event files, as they grow |
//! | [`Watch`] | alarms: a loss that is no number, no progress, a disk that fills |
//! | [`tracking`] | what an MLflow client may ask, answered from memory |
//! | [`serve`] | the same over HTTP/1.1 |
//!
//! Everything but [`serve`] and [`read::FollowedFile`] is pure: bytes, plain values and the time come in. What programs
//! write is hostile: nothing panics, memory is bounded, and time is linear. Why it is built like this: docs/design/metrics.md.

mod alarms;
mod curves;
mod direction;
mod number;
mod point;
pub mod read;
mod series;
pub mod serve;
mod summary;
pub mod tracking;

pub use alarms::{Alarm, OnAlarm, Watch, WatchPolicy};
pub use curves::{Curves, MOST_KEYS, MOST_POINTS};
pub use direction::{Direction, guess_direction};
pub use point::{LONGEST_KEY, MetricPoint, PointError, PointSource};
pub use series::{Sample, Series};
pub use summary::{Extreme, Summary};
