//! Series beside each other as aligned text; the first one is the baseline of the ratios. Pure.

use std::time::Duration;

use super::report::Series;

const HEADINGS: [&str; 9] = ["", "n", "p25", "p50", "p75", "p90", "min", "mean", "p50 ratio"];

/// Names to the left, figures to the right; no spaces at the end of lines.
pub fn render(series: &[Series]) -> String {
    let mut rows = vec![HEADINGS.map(str::to_owned)];
    rows.extend(series.iter().map(|one| row(one, &series[0])));
    let widths: Vec<usize> = (0..HEADINGS.len()).map(|column| width(&rows, column)).collect();
    rows.iter().map(|row| line(row, &widths)).collect()
}

fn row(one: &Series, baseline: &Series) -> [String; 9] {
    let summary = &one.summary;
    let ratio = summary.ratio_to(&baseline.summary).map_or("-".to_owned(), |ratio| format!("{ratio:.2}x"));
    let [p25, p50, p75, p90, min, mean] =
        [summary.p25, summary.p50, summary.p75, summary.p90, summary.min, summary.mean].map(shown);
    [one.name.clone(), summary.n.to_string(), p25, p50, p75, p90, min, mean, ratio]
}

fn width(rows: &[[String; 9]], column: usize) -> usize {
    rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0)
}

fn line(row: &[String; 9], widths: &[usize]) -> String {
    let [name, figures @ ..] = row;
    let mut line = format!("{name:<width$}", width = widths[0]);
    for (figure, width) in figures.iter().zip(&widths[1..]) {
        line += &format!("  {figure:>width$}");
    }
    line.trim_end().to_owned() + "\n"
}

/// Milliseconds with three places: process starts lie between a tenth and a few hundred of them.
fn shown(duration: Duration) -> String {
    format!("{:.3} ms", duration.as_secs_f64() * 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::Summary;

    fn series(name: &str, micros: u64) -> Series {
        let summary = Summary::of(vec![Duration::from_micros(micros); 3]).unwrap();
        Series { name: name.to_owned(), summary }
    }

    #[test]
    fn columns_are_aligned() {
        let table = render(&[series("bare", 1_500), series("confined", 12_000)]);
        let expected = [
            "          n        p25        p50        p75        p90        min       mean  p50 ratio",
            "bare      3   1.500 ms   1.500 ms   1.500 ms   1.500 ms   1.500 ms   1.500 ms      1.00x",
            "confined  3  12.000 ms  12.000 ms  12.000 ms  12.000 ms  12.000 ms  12.000 ms      8.00x",
        ];
        assert_eq!(table.lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_baseline_of_nothing_has_no_ratio() {
        assert!(render(&[series("none", 0)]).ends_with("  -\n"));
    }

    #[test]
    fn no_series_is_only_the_headings() {
        assert_eq!(render(&[]).lines().count(), 1);
    }
}
