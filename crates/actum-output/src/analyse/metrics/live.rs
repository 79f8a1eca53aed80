//! The rules of one stream a line at a time: for the report, which has all lines, and for curves, which are drawn while a
//! program runs.

use super::coverage::Coverage;
use super::table::Tables;
use super::{Told, json, pairs};
use crate::analyse::lines::clean;
use crate::analyse::shown::{NAME, shown};

/// A number that a line tells. Unlike the report's, it may be NaN or infinite.
#[derive(Clone, Debug, PartialEq)]
pub struct LineMetric {
    /// Harmless and bounded.
    pub name: String,
    pub value: f64,
    /// Step or epoch, where one was named with it or above it.
    pub step: Option<u64>,
}

/// Reads the lines of one stream as they come, by the rules of the report. Remembers the table or epoch that it is in.
#[derive(Debug, Default)]
pub struct OutputLines {
    rules: LineRules,
    /// The cleaned line; kept so that its memory is used again.
    line: String,
}

impl OutputLines {
    /// What one raw line tells, with or without its line feed.
    pub fn line(&mut self, raw: &[u8]) -> Vec<LineMetric> {
        self.line.clear();
        clean(raw, &mut self.line);
        self.rules.line(&self.line).told.into_iter().filter_map(LineMetric::of).collect()
    }
}

/// All numbers of one JSON value that keys lead to, each with its path (`eval/loss`). NaN and infinities count where they
/// are written as Python writes them. None where it is no JSON.
pub fn json_numbers(text: &str) -> Option<Vec<LineMetric>> {
    Some(json::numbers(text)?.into_iter().filter_map(LineMetric::of).collect())
}

/// The same JSON with `NaN`, `Infinity` and `-Infinity` between quotes, as other readers of JSON take it. None where the text
/// has none of them.
pub fn json_with_text_numbers(text: &str) -> Option<String> {
    json::with_text_numbers(text)
}

impl LineMetric {
    fn of(told: Told) -> Option<Self> {
        let name = shown(&told.name, NAME);
        (!name.is_empty()).then_some(Self { name, value: told.value, step: told.step })
    }
}

/// What the lines before say about the next one.
#[derive(Debug, Default)]
pub(super) struct LineRules {
    tables: Tables,
    coverage: Coverage,
    /// `Epoch 3/10` on a line of its own speaks for the progress that is shown below it.
    above: Option<u64>,
}

/// What one line told, and whether it is JSON.
pub(super) struct LineRead {
    pub(super) told: Vec<Told>,
    pub(super) is_json: bool,
}

impl LineRules {
    pub(super) fn line(&mut self, line: &str) -> LineRead {
        if let Some(told) = json::of_line(line) {
            return LineRead { told, is_json: true };
        }
        LineRead { told: self.text(line), is_json: false }
    }

    fn text(&mut self, line: &str) -> Vec<Told> {
        if let Some(told) = self.coverage.line(line) {
            return told;
        }
        if let Some(told) = self.tables.row(line) {
            return told;
        }
        let mut read = pairs::read(line);
        if read.step.is_some() {
            self.above = read.step;
        } else if read.is_progress {
            read.told.iter_mut().for_each(|told| told.step = self.above);
        }
        read.told
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(lines: &[&str]) -> Vec<String> {
        let mut output = OutputLines::default();
        let read = lines.iter().flat_map(|line| output.line(line.as_bytes()));
        read.map(|metric| format!("{}@{:?}={}", metric.name, metric.step, metric.value)).collect()
    }

    #[test]
    fn a_line_at_a_time_has_the_rules_of_the_report() {
        assert_eq!(
            told(&[
                "Epoch 2/9\n",
                "9/9 - 0s 2ms/step - loss: 0.5",
                "port: 80",
                "{\"step\": 3, \"loss\": 1}\r\n"
            ]),
            ["loss@Some(2)=0.5", "loss@Some(3)=1"]
        );
    }

    #[test]
    fn a_loss_that_is_no_number_is_told() {
        assert_eq!(
            told(&[
                "step 3 loss: nan",
                "loss=-inf,",
                "{'loss': nan, 'epoch': 1.0}",
                "info: nano",
                "loss: nan0"
            ]),
            ["loss@Some(3)=NaN", "loss@None=-inf", "loss@Some(1)=NaN"]
        );
        assert_eq!(
            told(&["{\"loss\": NaN, \"step\": 4, \"lr\": -Infinity, \"NaN\": \"NaN\"}"]),
            ["loss@Some(4)=NaN", "lr@Some(4)=-inf"]
        );
        assert_eq!(told(&["{\"loss\": nan}", "{NaN: 1.5}", "{\"loss\": NaNa}"]), ["loss@None=NaN"]);
    }

    #[test]
    fn numbers_of_json_have_their_paths() {
        let names = |text: &str| -> Option<Vec<String>> {
            Some(json_numbers(text)?.into_iter().map(|metric| metric.name).collect())
        };
        assert_eq!(
            names("{\"step\": 1, \"eval\": {\"loss\": NaN}}"),
            Some(vec!["step".into(), "eval/loss".into()])
        );
        assert_eq!(names("no"), None);
        let quoted = json_with_text_numbers("{\"NaN\": NaN, \"\u{e9}\": [-Infinity, 1]}");
        assert_eq!(quoted.as_deref(), Some("{\"NaN\": \"NaN\", \"\u{e9}\": [\"-Infinity\", 1]}"));
        assert_eq!(json_with_text_numbers("{\"a\": \"NaN\"}"), None);
    }
}
