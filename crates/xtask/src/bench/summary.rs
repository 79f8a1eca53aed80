//! What a series of durations comes to. Pure.

use std::time::Duration;

/// Percentiles by nearest rank: each is a duration that was really measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Summary {
    pub n: usize,
    pub p25: Duration,
    pub p50: Duration,
    pub p75: Duration,
    pub p90: Duration,
    pub p99: Duration,
    pub min: Duration,
    pub mean: Duration,
}

impl Summary {
    /// Nothing measured has no summary.
    pub fn of(mut durations: Vec<Duration>) -> Option<Summary> {
        durations.sort();
        let min = *durations.first()?;
        let n = durations.len();
        let nanoseconds = durations.iter().map(Duration::as_nanos).sum::<u128>() / n as u128;
        let mean = Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(u64::MAX));
        let [p25, p50, p75, p90, p99] = [25, 50, 75, 90, 99].map(|percent| durations[rank(percent, n)]);
        Some(Summary { n, p25, p50, p75, p90, p99, min, mean })
    }

    /// How many times the median of the baseline this median is; absent when the baseline took no time.
    pub fn ratio_to(&self, baseline: &Summary) -> Option<f64> {
        (!baseline.p50.is_zero()).then(|| self.p50.as_secs_f64() / baseline.p50.as_secs_f64())
    }
}

/// The index of the smallest duration that at least `percent` of the `n` do not exceed.
fn rank(percent: usize, n: usize) -> usize {
    (n * percent).div_ceil(100).max(1) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn milliseconds(values: impl IntoIterator<Item = u64>) -> Vec<Duration> {
        values.into_iter().map(Duration::from_millis).collect()
    }

    #[test]
    fn a_hundred_in_any_order() {
        let summary = Summary::of(milliseconds((1..=100).rev())).unwrap();
        let [p25, p50, p75, p90, p99, min] = [25, 50, 75, 90, 99, 1].map(Duration::from_millis);
        let mean = Duration::from_micros(50_500);
        assert_eq!(summary, Summary { n: 100, p25, p50, p75, p90, p99, min, mean });
    }

    #[test]
    fn few_are_their_own_percentiles() {
        let one = Summary::of(milliseconds([7])).unwrap();
        assert_eq!([one.p50, one.p90, one.p99, one.min, one.mean], [Duration::from_millis(7); 5]);
        let three = Summary::of(milliseconds([9, 1, 5])).unwrap();
        assert_eq!([three.p50, three.p90, three.p99], [5, 9, 9].map(Duration::from_millis));
        assert_eq!(Summary::of(Vec::new()), None);
    }

    #[test]
    fn ratios_are_of_medians() {
        let [slow, fast, none] = [30, 10, 0].map(|value| Summary::of(milliseconds([value])).unwrap());
        assert_eq!(slow.ratio_to(&fast), Some(3.0));
        assert_eq!(slow.ratio_to(&none), None);
    }
}
