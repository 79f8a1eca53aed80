//! All metrics of one experiment: points in, curves and summaries out.
//!
//! At most [`MOST_POINTS`] samples of [`MOST_KEYS`] metrics are held. When they are reached, every second sample of the
//! metrics that have most is dropped, and of those metrics half as many are kept from then on: the shape of a long curve
//! stays, and a metric with one value is never touched. Each thinning frees a quarter at least, so that time is linear.

use crate::direction::Direction;
use crate::point::{MetricPoint, PointSource};
use crate::series::{Sample, Series};
use crate::summary::Summary;
use std::collections::{BTreeMap, HashMap};

/// 1,000,000 samples of 48 bytes: a day of ten values a second.
pub const MOST_POINTS: usize = 1_000_000;
/// 10,000 metrics: a value of every layer of a large network.
pub const MOST_KEYS: usize = 10_000;
/// With eight samples a metric on average, thinning always frees some.
const FEWEST: usize = 64;
/// Sources are numbers in samples; the last number stands for all further ones.
const MOST_SOURCES: usize = u16::MAX as usize;

/// The curves of one experiment.
#[derive(Clone, Debug)]
pub struct Curves {
    series: BTreeMap<String, Series>,
    sources: HashMap<PointSource, u16>,
    directions: BTreeMap<String, Direction>,
    held: usize,
    most: usize,
    refused: u64,
}

impl Default for Curves {
    fn default() -> Self {
        Self::with_bound(MOST_POINTS)
    }
}

impl Curves {
    /// Curves that hold at most so many samples in all, 64 at least.
    pub fn with_bound(most: usize) -> Self {
        Self {
            series: BTreeMap::new(),
            sources: HashMap::new(),
            directions: BTreeMap::new(),
            held: 0,
            most: most.max(FEWEST),
            refused: 0,
        }
    }

    /// Adds a point of an attempt, counted from 1. Attempts may overlap in steps: see [`Series::joined`].
    pub fn append(&mut self, attempt: u32, point: &MetricPoint) {
        if !self.series.contains_key(&point.key) {
            if self.series.len() >= MOST_KEYS.min(self.most / 8) {
                self.refused += 1;
                return;
            }
            self.series.insert(point.key.clone(), Series::default());
        }
        let source = self.source_number(&point.source);
        let sample = Sample { value: point.value, step: point.step, time: point.time, attempt, source };
        if let Some(series) = self.series.get_mut(&point.key) {
            self.held += series.push(sample);
        }
        if self.held > self.most {
            self.thin();
        }
    }

    /// Removes the points of a source: of a file that was written anew.
    pub fn forget(&mut self, source: &PointSource) {
        self.forget_since(source, 0);
    }

    /// The same for its points of this attempt and later ones.
    pub fn forget_since(&mut self, source: &PointSource, attempt: u32) {
        if let Some(number) = self.sources.get(source) {
            let forgotten: usize =
                self.series.values_mut().map(|series| series.forget(*number, attempt)).sum();
            self.held -= forgotten;
        }
    }

    /// Says which way a metric is better, whatever its name suggests.
    pub fn set_direction(&mut self, key: &str, direction: Direction) {
        self.directions.insert(key.to_owned(), direction);
    }

    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.series.keys().map(String::as_str)
    }

    pub fn get(&self, key: &str) -> Option<&Series> {
        self.series.get(key)
    }

    pub fn summary(&self, key: &str) -> Option<Summary> {
        let series = self.series.get(key).filter(|series| !series.is_empty())?;
        Some(series.summarize(key, self.directions.get(key).copied()))
    }

    /// One summary a metric, by name.
    pub fn summaries(&self) -> Vec<Summary> {
        self.series.keys().filter_map(|key| self.summary(key)).collect()
    }

    /// Points that are not held: dropped by thinning, or of more metrics than are kept.
    pub fn left_out(&self) -> u64 {
        self.refused + self.series.values().map(Series::left_out).sum::<u64>()
    }

    fn source_number(&mut self, source: &PointSource) -> u16 {
        if let Some(number) = self.sources.get(source) {
            return *number;
        }
        let number = u16::try_from(self.sources.len()).unwrap_or(u16::MAX);
        if self.sources.len() < MOST_SOURCES {
            self.sources.insert(source.clone(), number);
        }
        number
    }

    /// Series of more than half the average hold more than half of all samples.
    fn thin(&mut self) {
        let average = self.held / self.series.len().max(1);
        for series in self.series.values_mut().filter(|series| series.len() > (average / 2).max(2)) {
            self.held -= series.thin();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn point(key: &str, step: u64, value: f64) -> MetricPoint {
        MetricPoint::new(key, value, Some(step), PointSource::Stdout).unwrap()
    }

    fn curve(curves: &Curves, key: &str) -> Vec<(u64, f64)> {
        let joined = curves.get(key).map(Series::joined).unwrap_or_default();
        joined.iter().map(|sample| (sample.step.unwrap(), sample.value)).collect()
    }

    #[test]
    fn a_resumed_attempt_wins_where_it_repeats_steps() {
        let mut curves = Curves::default();
        (0..5).for_each(|step| curves.append(1, &point("loss", step, 10.0 - step as f64)));
        (3..6).for_each(|step| curves.append(2, &point("loss", step, 1.0)));
        assert_eq!(curve(&curves, "loss"), [(0, 10.0), (1, 9.0), (2, 8.0), (3, 1.0), (4, 1.0), (5, 1.0)]);
        let summary = curves.summary("loss").unwrap();
        assert_eq!((summary.count, summary.first, summary.last, summary.last_step), (6, 10.0, 1.0, Some(5)));
        assert_eq!(summary.best, Some(crate::Extreme { value: 1.0, step: Some(3) }));
    }

    #[test]
    fn steps_that_only_an_earlier_attempt_reported_stay_in_order() {
        let mut curves = Curves::default();
        [1, 2, 3, 4].iter().for_each(|step| curves.append(1, &point("loss", *step, 1.0)));
        [2, 4].iter().for_each(|step| curves.append(2, &point("loss", *step, 2.0)));
        assert_eq!(curve(&curves, "loss"), [(1, 1.0), (2, 2.0), (3, 1.0), (4, 2.0)]);
    }

    #[test]
    fn values_of_one_step_within_an_attempt_all_stay() {
        let mut curves = Curves::default();
        [0.5, 0.4].iter().for_each(|value| curves.append(1, &point("loss", 1, *value)));
        assert_eq!(curve(&curves, "loss"), [(1, 0.5), (1, 0.4)]);
    }

    #[test]
    fn a_summary_leaves_out_what_is_no_number_and_counts_it() {
        let mut curves = Curves::default();
        for (step, value) in [0.9, f64::NAN, 0.95, f64::INFINITY].into_iter().enumerate() {
            curves.append(1, &point("accuracy", step as u64, value));
        }
        let summary = curves.summary("accuracy").unwrap();
        assert_eq!((summary.not_finite, summary.best.unwrap().value, summary.last), (2, 0.95, f64::INFINITY));
        curves.set_direction("accuracy", Direction::Lower);
        assert_eq!(curves.summary("accuracy").unwrap().best.unwrap().value, 0.9);
        let json = serde_json::to_string(&summary).unwrap();
        assert!(json.contains(r#""last":"Infinity""#), "{json}");
    }

    #[test]
    fn a_long_curve_is_thinned_and_a_short_one_is_not() {
        let mut curves = Curves::with_bound(1000);
        curves.append(1, &point("final accuracy", 0, 0.5));
        for step in 0..100_000 {
            curves.append(1, &point("loss", step, if step == 77_777 { -5.0 } else { step as f64 }));
            assert!(curves.held <= 1000);
        }
        let held = curve(&curves, "loss");
        assert_eq!((held[0].0, held[held.len() - 1].0), (0, 99_999));
        assert_eq!(held.len() as u64 + curves.left_out(), 100_000);
        assert!(held.len() > 400, "{}", held.len());
        let summary = curves.summary("loss").unwrap();
        assert_eq!((summary.count, summary.min.unwrap().step), (100_000, Some(77_777)));
        assert_eq!(curve(&curves, "final accuracy").len(), 1);
        let longest_gap = held.windows(2).map(|pair| pair[1].0 - pair[0].0).max().unwrap();
        assert!(longest_gap <= 1000, "{longest_gap}");
    }

    #[test]
    fn names_without_number_are_bounded() {
        let mut curves = Curves::default();
        (0..MOST_KEYS + 5).for_each(|key| curves.append(1, &point(&format!("key {key}"), 0, 1.0)));
        assert_eq!((curves.keys().count(), curves.left_out()), (MOST_KEYS, 5));
    }

    #[test]
    fn a_source_that_is_written_anew_is_forgotten() {
        let mut curves = Curves::default();
        let csv = PointSource::Csv("a.csv".to_owned());
        curves.append(1, &point("loss", 1, 1.0));
        curves.append(1, &MetricPoint::new("loss", 2.0, Some(2), csv.clone()).unwrap());
        curves.forget(&csv);
        assert_eq!(curve(&curves, "loss"), [(1, 1.0)]);
        assert_eq!(curves.held, 1);
    }

    #[test]
    fn a_file_that_is_written_anew_takes_nothing_from_earlier_attempts() {
        let mut curves = Curves::default();
        let csv = PointSource::Csv("a.csv".to_owned());
        for (attempt, step) in [(1, 1), (1, 2), (2, 2)] {
            let point = MetricPoint::new("loss", f64::from(attempt), Some(step), csv.clone()).unwrap();
            curves.append(attempt, &point);
        }
        curves.forget_since(&csv, 2);
        assert_eq!(curve(&curves, "loss"), [(1, 1.0), (2, 1.0)]);
    }

    proptest! {
        #[test]
        fn the_bound_holds_and_nothing_goes_uncounted(
            points in proptest::collection::vec((0..5_u8, 0..40_u64, 1..4_u32), 0..400),
            bound in 64..100_usize,
        ) {
            let mut curves = Curves::with_bound(bound);
            for (key, step, attempt) in &points {
                curves.append(*attempt, &point(&format!("k{key}"), *step, 1.0));
                let held: usize = curves.series.values().map(Series::len).sum();
                prop_assert_eq!(held, curves.held);
                prop_assert!(held <= bound);
            }
            prop_assert_eq!(curves.held as u64 + curves.left_out(), points.len() as u64);
        }
    }
}
