//! Views of six runs: two learning rates, three seeds each.

use super::{Direction, ExperimentRow, TableOptions, best, list, table};
use crate::compare::ExperimentFacts;
use crate::compare::tests::fixture::{original, run};
use actum_model::Outcome;
use proptest::prelude::*;

pub(crate) fn sweep() -> Vec<ExperimentFacts> {
    let mut all = Vec::new();
    for (index, rate) in [0.1, 0.01].into_iter().enumerate() {
        for seed in 1..=3_u8 {
            let mut facts = original();
            facts.manifest.run = run(index as u8 * 3 + seed);
            facts.manifest.seed.value = u64::from(seed);
            facts.manifest.command.words[3] = rate.to_string();
            facts.manifest.command.words[7] = seed.to_string();
            facts.manifest.parameters[0].value = rate.into();
            facts.manifest.parameters[2].value = seed.into();
            let result = facts.result.as_mut().expect("there is one");
            let loss = 0.11 + 0.2 * index as f64 + 0.003 * f64::from(seed);
            result.metrics[0].last = Some(loss);
            result.metrics[0].last_text = format!("{loss:.4}");
            all.push(facts);
        }
    }
    all
}

fn rows() -> Vec<ExperimentRow> {
    sweep().iter().map(|facts| ExperimentRow::new(&facts.manifest, facts.result.as_ref())).collect()
}

const OVER_SEEDS: TableOptions = TableOptions { over_seeds: true, all: false };

#[test]
fn views_as_text() {
    let rows = rows();
    let text = format!(
        "{}\n{}\n{}\n{}",
        list(&rows).text(120),
        table(&rows, TableOptions::default()).text(100),
        table(&rows, OVER_SEEDS).text(100),
        best(&rows, "loss", Direction::Smallest, 3, TableOptions::default()).text(60),
    );
    insta::assert_snapshot!(text);
}

#[test]
fn views_as_csv_and_json() {
    let view = best(&rows(), "loss", Direction::Largest, 1, OVER_SEEDS);
    insta::assert_snapshot!(format!("{}\n{:#}", view.csv(), view.json()));
}

#[test]
fn the_best_is_the_best_and_what_failed_is_not() {
    let mut rows = rows();
    rows[0].outcome = Some(Outcome::Failure);
    let first = |direction| best(&rows, "loss", direction, 1, TableOptions::default()).rows[0].runs[0];
    assert_eq!((first(Direction::Smallest), first(Direction::Largest)), (rows[1].run, rows[5].run));
    let view = best(&rows, "loss", Direction::Smallest, 9, TableOptions::default());
    assert_eq!(view.notes, ["1 runs without success or without loss are left out"]);
    assert!(best(&rows, "no such metric", Direction::Smallest, 9, OVER_SEEDS).rows.is_empty());
}

#[test]
fn a_repeat_of_a_seed_is_not_a_spread() {
    let mut rows = rows();
    rows[1].seed = 1;
    let view = table(&rows[..3], OVER_SEEDS);
    assert_eq!(view.rows.iter().map(|row| row.runs.len()).collect::<Vec<_>>(), [2, 1]);
}

#[test]
fn formulas_and_controls_are_text() {
    let mut facts = original();
    facts.manifest.name = "=HYPERLINK(\"http://x\")\u{1b}[2J".to_owned();
    let rows = [ExperimentRow::new(&facts.manifest, facts.result.as_ref())];
    let csv = list(&rows).csv();
    assert!(csv.contains("\"'=HYPERLINK(\"\"http://x\"\")\\u{1b}[2J\""), "{csv}");
    assert!(!list(&rows).text(200).contains('\u{1b}'));
}

proptest! {
    #[test]
    fn any_row_is_valid_csv_and_fits(
        name in "\\PC{0,20}",
        metric in "[\\PC\\p{Cc}]{0,10}",
        value in any::<f64>(),
        width in 10_usize..200,
    ) {
        let mut all = sweep();
        for facts in &mut all {
            facts.manifest.name = name.clone();
            facts.manifest.parameters[0].name = metric.clone();
            let result = facts.result.as_mut().expect("there is one");
            result.metrics[0].name = metric.clone();
            result.metrics[0].last_text = metric.clone();
        }
        all[0].result.as_mut().expect("there is one").metrics[0].last = Some(value);
        let rows: Vec<_> = all.iter().map(|facts| ExperimentRow::new(&facts.manifest, facts.result.as_ref())).collect();
        for view in [list(&rows), table(&rows, OVER_SEEDS), table(&rows, TableOptions { over_seeds: false, all: true })] {
            let csv = view.csv();
            let mut reader = csv::ReaderBuilder::new().from_reader(csv.as_bytes());
            let columns = reader.headers().expect("a header").len();
            let lines: Vec<csv::StringRecord> = reader.records().collect::<Result<_, _>>().expect("records of one length");
            prop_assert_eq!(lines.len(), view.rows.len());
            prop_assert!(lines.iter().all(|line| line.len() == columns));
            prop_assert!(view.text(width).chars().all(|c| c == '\n' || !c.is_control()));
            prop_assert!(view.json().is_object());
        }
    }
}
