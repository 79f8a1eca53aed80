//! Alarms while an experiment runs: a loss that is no number, no progress, a disk that fills.
//!
//! Pure: the time and the free space come in, alarms come out, and what an alarm leads to is the owner's. Each is raised
//! once, and again only after it was over.

use crate::direction::is_loss;
use crate::point::MetricPoint;
use actum_model::Moment;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, VecDeque};
use std::time::Duration;

/// When to raise an alarm, and what it leads to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WatchPolicy {
    pub on_alarm: OnAlarm,
    /// No output and no new point for so long. None: it may be silent for ever.
    pub stalled_after: Option<Duration>,
    /// Bytes that have to stay free.
    pub least_free: u64,
    /// The space that is used at the present rate in so much time has to be free beyond that. The owner puts the time here
    /// that the experiment is expected to take.
    pub needed_for: Duration,
}

/// What an alarm leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnAlarm {
    Warn,
    Stop,
}

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "alarm", rename_all = "kebab-case")]
pub enum Alarm {
    /// A loss is NaN or infinite.
    NotFinite {
        key: String,
        #[serde(with = "crate::number")]
        value: f64,
        step: Option<u64>,
    },
    /// Neither output nor a point for so long.
    Stalled { silent: Duration },
    /// Less space is free than has to stay free.
    DiskLow { free: u64, least: u64 },
    /// At the present rate, in bytes a second, the space is used up within this time.
    DiskFilling { free: u64, rate: u64, within: Duration },
}

/// One look at the disk.
#[derive(Clone, Copy, Debug)]
struct Look {
    at: Moment,
    free: u64,
}

/// The rate is that of the last so many looks, and of no longer than so much time.
const MOST_LOOKS: usize = 60;
const LONGEST_LOOK: Duration = Duration::from_secs(600);
/// A shorter time says nothing about a rate: one checkpoint would look like a disk that fills in seconds.
const SHORTEST_LOOK: Duration = Duration::from_secs(10);
/// Losses whose alarm is remembered.
const MOST_KEYS: usize = 1000;

/// What is known about a running experiment.
#[derive(Clone, Debug)]
pub struct Watch {
    policy: WatchPolicy,
    last_sign: Moment,
    is_stalled: bool,
    not_finite: BTreeSet<String>,
    looks: VecDeque<Look>,
    is_disk_low: bool,
    is_disk_filling: bool,
}

impl Default for WatchPolicy {
    /// Warns; half an hour of silence; a gibibyte has to stay free, and what a quarter of an hour needs.
    fn default() -> Self {
        Self {
            on_alarm: OnAlarm::Warn,
            stalled_after: Some(Duration::from_secs(30 * 60)),
            least_free: 1 << 30,
            needed_for: Duration::from_secs(15 * 60),
        }
    }
}

impl Watch {
    /// Begins to watch.
    pub fn new(policy: WatchPolicy, now: Moment) -> Self {
        Self {
            policy,
            last_sign: now,
            is_stalled: false,
            not_finite: BTreeSet::new(),
            looks: VecDeque::new(),
            is_disk_low: false,
            is_disk_filling: false,
        }
    }

    pub fn policy(&self) -> &WatchPolicy {
        &self.policy
    }

    /// Takes a new point.
    pub fn observe(&mut self, point: &MetricPoint, now: Moment) -> Vec<Alarm> {
        self.hear(now);
        if point.value.is_finite() {
            self.not_finite.remove(&point.key);
            return Vec::new();
        }
        let is_new = is_loss(&point.key)
            && self.not_finite.len() < MOST_KEYS
            && self.not_finite.insert(point.key.clone());
        let alarm = || Alarm::NotFinite { key: point.key.clone(), value: point.value, step: point.step };
        is_new.then(alarm).into_iter().collect()
    }

    /// Takes any other sign of life: output.
    pub fn hear(&mut self, now: Moment) {
        self.last_sign = self.last_sign.max(now);
        self.is_stalled = false;
    }

    /// Looks at the clock, and at the free space where it is known.
    pub fn tick(&mut self, now: Moment, disk_free: Option<u64>) -> Vec<Alarm> {
        let mut alarms: Vec<Alarm> = self.stalled(now).into_iter().collect();
        if let Some(free) = disk_free {
            let low = self.disk_low(free);
            // A disk that is full is not also filling.
            let filling =
                self.disk_filling(Look { at: now, free }).filter(|_| low.is_none() && !self.is_disk_low);
            alarms.extend(low.or(filling));
        }
        alarms
    }

    fn stalled(&mut self, now: Moment) -> Option<Alarm> {
        let silent = between(self.last_sign, now);
        let is_over = self.policy.stalled_after.is_some_and(|most| silent >= most);
        let is_new = is_over && !self.is_stalled;
        self.is_stalled = is_over;
        is_new.then_some(Alarm::Stalled { silent })
    }

    fn disk_low(&mut self, free: u64) -> Option<Alarm> {
        let least = self.policy.least_free;
        let is_low = free < least;
        let is_new = is_low && !self.is_disk_low;
        self.is_disk_low = is_low;
        is_new.then_some(Alarm::DiskLow { free, least })
    }

    fn disk_filling(&mut self, look: Look) -> Option<Alarm> {
        let is_old = |one: &Look| between(one.at, look.at) > LONGEST_LOOK;
        while self.looks.len() >= MOST_LOOKS || self.looks.front().is_some_and(is_old) {
            self.looks.pop_front();
        }
        self.looks.push_back(look);
        let filling = self.looks.front().and_then(|first| self.judge_rate(first, look));
        let is_new = filling.is_some() && !self.is_disk_filling;
        self.is_disk_filling = filling.is_some();
        filling.filter(|_| is_new)
    }

    fn judge_rate(&self, first: &Look, last: Look) -> Option<Alarm> {
        let time = between(first.at, last.at);
        let used = first.free.checked_sub(last.free).filter(|used| *used > 0 && time >= SHORTEST_LOOK)?;
        let rate = used as f64 / time.as_secs_f64();
        let left = last.free.saturating_sub(self.policy.least_free) as f64 / rate;
        let within = Duration::try_from_secs_f64(left).unwrap_or(Duration::MAX);
        let alarm = Alarm::DiskFilling { free: last.free, rate: rate as u64, within };
        (within < self.policy.needed_for).then_some(alarm)
    }
}

/// The time from one moment to a later one; none where the clock was set back.
fn between(earlier: Moment, later: Moment) -> Duration {
    Duration::from_micros(later.0.saturating_sub(earlier.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::point::PointSource;

    fn at(seconds: u64) -> Moment {
        Moment(seconds * 1_000_000)
    }

    fn point(key: &str, value: f64) -> MetricPoint {
        MetricPoint::new(key, value, Some(7), PointSource::Stdout).unwrap()
    }

    fn watch() -> Watch {
        let stalled_after = Some(Duration::from_secs(60));
        let needed_for = Duration::from_secs(100);
        Watch::new(
            WatchPolicy { stalled_after, least_free: 1000, needed_for, ..WatchPolicy::default() },
            at(0),
        )
    }

    #[test]
    fn a_loss_that_is_no_number_is_told_once_until_it_is_one_again() {
        let mut watch = watch();
        assert_eq!(watch.observe(&point("val_loss", 0.5), at(1)), []);
        let alarms = watch.observe(&point("val_loss", f64::NAN), at(2));
        assert!(
            matches!(&alarms[..], [Alarm::NotFinite { key, step: Some(7), .. }] if key == "val_loss"),
            "{alarms:?}"
        );
        assert_eq!(watch.observe(&point("val_loss", f64::INFINITY), at(3)), []);
        assert_eq!(watch.observe(&point("val_loss", 0.5), at(4)), []);
        assert_eq!(watch.observe(&point("val_loss", f64::INFINITY), at(5)).len(), 1);
        assert_eq!(
            watch.observe(&point("grad_norm", f64::INFINITY), at(6)),
            [],
            "scaled gradients overflow as a rule"
        );
    }

    #[test]
    fn silence_is_told_once_and_output_ends_it() {
        let mut watch = watch();
        assert_eq!(watch.tick(at(59), None), []);
        assert_eq!(watch.tick(at(60), None), [Alarm::Stalled { silent: Duration::from_secs(60) }]);
        assert_eq!(watch.tick(at(90), None), []);
        watch.hear(at(100));
        assert_eq!(watch.tick(at(159), None), []);
        assert_eq!(watch.tick(at(160), None).len(), 1);
        watch.observe(&point("loss", 1.0), at(161));
        assert_eq!(watch.tick(at(162), None), []);
        assert_eq!(watch.tick(at(10), None), [], "a clock that is set back is no silence");
    }

    #[test]
    fn a_disk_that_fills_is_told_before_it_is_full() {
        let mut watch = watch();
        assert_eq!(watch.tick(at(0), Some(100_000)), []);
        assert_eq!(watch.tick(at(5), Some(90_000)), [], "too short a time for a rate");
        assert_eq!(watch.tick(at(10), Some(99_000)), [], "100 bytes a second: 980 seconds are left");
        let alarms = watch.tick(at(20), Some(60_000));
        let within = Duration::from_secs_f64(59_000.0 / 2000.0);
        assert_eq!(alarms, [Alarm::DiskFilling { free: 60_000, rate: 2000, within }]);
        assert_eq!(watch.tick(at(30), Some(40_000)), []);
        assert_eq!(watch.tick(at(40), Some(900)), [Alarm::DiskLow { free: 900, least: 1000 }]);
        assert_eq!(watch.tick(at(41), Some(900)), []);
        assert_eq!(watch.tick(at(42), Some(200_000)), []);
        assert_eq!(watch.tick(at(43), Some(10)).len(), 1);
    }

    #[test]
    fn an_alarm_is_json() {
        let alarm = Alarm::NotFinite { key: "loss".to_owned(), value: f64::NAN, step: None };
        let json = serde_json::to_string(&alarm).unwrap();
        assert_eq!(json, r#"{"alarm":"not-finite","key":"loss","value":"NaN","step":null}"#);
    }
}
