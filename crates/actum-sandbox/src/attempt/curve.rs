//! How a run used memory, processor and processes over time, in a bounded number of points.

use actum_model::{Sample, Span};
use std::time::Duration;

/// Runs shorter than this have no curve, and nothing is looked at for one before it.
pub(super) const LEAST: Duration = Duration::from_secs(1);
/// A tenth of the shortest run that has a curve.
const FIRST_INTERVAL: Duration = Duration::from_millis(100);

/// When the points are too many every second one goes, and from then on they come half as often.
#[derive(Debug)]
pub(super) struct Curve {
    samples: Vec<Sample>,
    interval: Duration,
}

impl Default for Curve {
    fn default() -> Self {
        Self { samples: Vec::new(), interval: FIRST_INTERVAL }
    }
}

impl Curve {
    /// Whether it is time for another point.
    pub(super) fn wants(&self, now: Duration) -> bool {
        self.samples.last().is_none_or(|last| now >= last.at.0 + self.interval)
    }

    pub(super) fn add(&mut self, sample: Sample) {
        if self.samples.len() == Sample::MOST {
            let mut keep = false;
            self.samples.retain(|_| {
                keep = !keep;
                keep
            });
            self.interval *= 2;
        }
        self.samples.push(sample);
    }

    /// The points, if the run was long enough to have any.
    pub(super) fn finish(&mut self, wall: Duration) -> Vec<Sample> {
        let samples = std::mem::take(&mut self.samples);
        if wall < LEAST { Vec::new() } else { samples }
    }
}

/// A point without what could not be seen.
pub(super) fn sample(at: Duration) -> Sample {
    Sample { at: Span(at), ..Sample::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lived(seconds: u64) -> Vec<Duration> {
        let mut curve = Curve::default();
        for look in 0..seconds * 100 {
            let now = Duration::from_millis(look * 10);
            if curve.wants(now) {
                curve.add(sample(now));
            }
        }
        curve.finish(Duration::from_secs(seconds)).into_iter().map(|sample| sample.at.0).collect()
    }

    #[test]
    fn a_short_run_has_none_and_a_long_one_not_too_many() {
        assert!(Curve::default().finish(Duration::from_millis(999)).is_empty());
        assert_eq!(lived(2).len(), 20);
        for seconds in [24, 25, 600, 3600] {
            let points = lived(seconds);
            assert!(
                (Sample::MOST / 2..=Sample::MOST).contains(&points.len()),
                "{seconds} s: {}",
                points.len()
            );
            let steps: Vec<Duration> = points.windows(2).map(|pair| pair[1] - pair[0]).collect();
            assert!(steps.iter().all(|step| *step == steps[0]), "{seconds} s: uneven");
            assert!(points[points.len() - 1] + 2 * steps[0] >= Duration::from_secs(seconds), "{seconds} s");
        }
    }
}
