//! Numbers with names that were written together, as one line of JSON or one row of a table: which of them is the step,
//! which is the time, and which are metrics.

use crate::point::{MetricPoint, PointSource};
use actum_model::Moment;
use actum_output::analyse::is_step;

/// What counts the steps of a row, the finest first: a row of Lightning has both, and many rows have the same epoch.
const STEPS: [&str; 8] = ["global_step", "step", "iteration", "iter", "batch", "episode", "round", "epoch"];
/// What says when a row was written.
const TIMES: [&str; 5] = ["timestamp", "time", "t", "wall_time", "created_at"];
/// 2001 in seconds since 1970: smaller numbers are durations.
const EARLIEST: f64 = 1e9;
/// The year 9999.
const LATEST: f64 = 253_402_300_799.0;
/// Larger numbers than this are milliseconds: in seconds they would be far in the future.
const MILLISECONDS: f64 = 1e11;

/// One number with its name.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Named<'a> {
    pub(super) name: &'a str,
    pub(super) value: f64,
}

/// The metrics among numbers that were written together.
pub(super) fn points(
    numbers: &[Named<'_>],
    source: &PointSource,
    now: Option<Moment>,
    points: &mut Vec<MetricPoint>,
) {
    let of_step = |name: &&str| numbers.iter().find(|one| bare(one.name).eq_ignore_ascii_case(name));
    let step = STEPS.iter().filter_map(of_step).find_map(|one| step_of(one.value));
    let time = numbers.iter().find_map(time_of).or(now);
    let metrics = numbers.iter().filter(|one| !is_step(bare(one.name)) && time_of(one).is_none());
    points.extend(
        metrics.filter_map(|one| Some(MetricPoint::new(one.name, one.value, step, source.clone())?.at(time))),
    );
}

/// A count of steps: a whole number that is exact.
pub(super) fn step_of(value: f64) -> Option<u64> {
    let is_count = value >= 0.0 && value.fract() == 0.0 && value < 9_007_199_254_740_992.0;
    is_count.then_some(value as u64)
}

/// Seconds or milliseconds since 1970.
pub(super) fn moment_of(value: f64) -> Option<Moment> {
    let seconds = if value >= MILLISECONDS { value / 1000.0 } else { value };
    (EARLIEST..LATEST).contains(&seconds).then(|| Moment((seconds * 1e6).round() as u64))
}

fn time_of(one: &Named<'_>) -> Option<Moment> {
    let is_time = TIMES.iter().any(|name| bare(one.name).eq_ignore_ascii_case(name));
    moment_of(one.value).filter(|_| is_time)
}

/// `_step` and `trainer/global_step` are steps as well.
fn bare(name: &str) -> &str {
    name.strip_prefix('_').or_else(|| name.strip_prefix("trainer/")).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_finest_step_counts_and_a_duration_is_a_metric() {
        let named = |name, value| Named { name, value };
        let row = [
            named("epoch", 1.0),
            named("step", 120.0),
            named("_timestamp", 1_700_000_000.5),
            named("time", 3.5),
            named("loss", 0.25),
        ];
        let mut read = Vec::new();
        points(&row, &PointSource::Stdout, None, &mut read);
        let lines: Vec<_> = read.iter().map(|one| (one.key.as_str(), one.value, one.step)).collect();
        assert_eq!(lines, [("time", 3.5, Some(120)), ("loss", 0.25, Some(120))]);
        assert!(read.iter().all(|one| one.time == Some(Moment(1_700_000_000_500_000))));
    }

    #[test]
    fn steps_and_times_have_bounds() {
        assert_eq!(
            (step_of(-1.0), step_of(1.5), step_of(f64::NAN), step_of(1e300)),
            (None, None, None, None)
        );
        assert_eq!(moment_of(1_700_000_000_000.0), Some(Moment(1_700_000_000_000_000)));
        assert_eq!((moment_of(f64::INFINITY), moment_of(12.0)), (None, None));
    }
}
