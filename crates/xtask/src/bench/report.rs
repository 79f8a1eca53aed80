//! Figures kept as JSON, so that a later run can be compared: `bench/<name>-<date>-<short commit>.json`.

use std::fs;
use std::time::Duration;

use serde_json::{Value, json};

use super::Summary;
use crate::command::Command;
use crate::error::Error;

/// The folder of kept figures.
const FOLDER: &str = "bench";

/// A named series, reduced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Series {
    pub name: String,
    pub summary: Summary,
}

/// One measurement of one commit; the first series is the baseline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    pub name: String,
    /// `2026-08-30`, in UTC.
    pub date: String,
    pub commit: String,
    pub series: Vec<Series>,
}

impl Report {
    /// Dates it today, and names the commit that is checked out.
    pub fn now(name: &str, series: Vec<Series>) -> Result<Report, Error> {
        let date = Command::new("date", &["-u", "+%F"]).output()?.trim().to_owned();
        let commit = Command::new("git", &["rev-parse", "--short", "HEAD"]).output()?.trim().to_owned();
        Ok(Report { name: name.to_owned(), date, commit, series })
    }

    pub fn path(&self) -> String {
        format!("{FOLDER}/{}-{}-{}.json", self.name, self.date, self.commit)
    }

    /// Durations are whole nanoseconds, and the keys say so.
    pub fn json(&self) -> Value {
        let baseline = self.series.first();
        let series: Vec<Value> = self.series.iter().map(|one| series_json(one, baseline)).collect();
        json!({ "bench": self.name, "date": self.date, "commit": self.commit, "series": series })
    }

    /// Writes it and returns where.
    pub fn write(&self) -> Result<String, Error> {
        let path = self.path();
        let cannot_write = |source| Error::Write { path: path.clone(), source };
        fs::create_dir_all(FOLDER).map_err(cannot_write)?;
        fs::write(&path, format!("{:#}\n", self.json())).map_err(cannot_write)?;
        Ok(path)
    }
}

fn series_json(one: &Series, baseline: Option<&Series>) -> Value {
    let summary = &one.summary;
    let mut value = json!({
        "name": one.name,
        "n": summary.n,
        "p25_ns": nanoseconds(summary.p25),
        "p50_ns": nanoseconds(summary.p50),
        "p75_ns": nanoseconds(summary.p75),
        "p90_ns": nanoseconds(summary.p90),
        "p99_ns": nanoseconds(summary.p99),
        "min_ns": nanoseconds(summary.min),
        "mean_ns": nanoseconds(summary.mean),
    });
    // Absent is absent: there are no nulls in what we write.
    if let Some(ratio) = baseline.and_then(|baseline| summary.ratio_to(&baseline.summary)) {
        value["p50_ratio"] = json!(ratio);
    }
    value
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(milliseconds: [u64; 2]) -> Report {
        let [bare, confined] =
            milliseconds.map(|value| Summary::of(vec![Duration::from_millis(value)]).unwrap());
        let series = [("bare", bare), ("confined", confined)]
            .map(|(name, summary)| Series { name: name.to_owned(), summary })
            .to_vec();
        Report {
            name: "start".to_owned(),
            date: "2026-08-30".to_owned(),
            commit: "abc1234".to_owned(),
            series,
        }
    }

    #[test]
    fn the_name_says_what_when_and_of_which_commit() {
        assert_eq!(report([2, 3]).path(), "bench/start-2026-08-30-abc1234.json");
    }

    #[test]
    fn figures_carry_their_unit() {
        let json = report([2, 3]).json();
        assert_eq!(json["series"][1]["p50_ns"], 3_000_000);
        assert_eq!(json["series"][1]["p50_ratio"], 1.5);
        assert_eq!(json["commit"], "abc1234");
    }

    #[test]
    fn no_ratio_is_absent_not_null() {
        let json = report([0, 3]).json();
        assert!(json["series"][1].as_object().unwrap().get("p50_ratio").is_none());
    }
}
