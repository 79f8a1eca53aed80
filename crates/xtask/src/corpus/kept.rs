//! What is kept of a round: each row as it comes, one a line, so that the next round goes on; and the figures of a whole one.

use super::asked::Set;
use super::tally::{Row, Verdict};
use crate::command::Command;
use crate::error::Error;
use serde_json::{Map, Value, json};
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;

/// Rows of this round and of the rounds before, in the order in which they came.
pub struct Kept {
    path: String,
    file: Option<File>,
    rows: Vec<Row>,
    /// How many of them were there when this round began.
    before: usize,
}

impl Kept {
    /// Reads what is there. A line that was cut off when somebody stopped a round is not there.
    pub fn open(path: Option<&str>) -> Result<Kept, Error> {
        let Some(path) = path else {
            return Ok(Kept { path: String::new(), file: None, rows: Vec::new(), before: 0 });
        };
        let text = fs::read_to_string(path).unwrap_or_default();
        let read = |line: &str| Row::read(&serde_json::from_str::<Value>(line).ok()?);
        let rows: Vec<Row> = text.lines().filter_map(read).collect();
        let file = OpenOptions::new().create(true).append(true).open(path);
        let mut file = file.map_err(|source| Error::Write { path: path.to_owned(), source })?;
        if !text.is_empty() && !text.ends_with('\n') {
            file.write_all(b"\n").map_err(|source| Error::Write { path: path.to_owned(), source })?;
        }
        Ok(Kept { path: path.to_owned(), file: Some(file), before: rows.len(), rows })
    }

    pub fn has(&self, id: &str) -> bool {
        self.rows.iter().any(|row| row.id == id)
    }

    pub fn add(&mut self, row: Row) -> Result<(), Error> {
        if let Some(file) = &mut self.file {
            let line = format!("{}\n", row.json());
            let path = || self.path.clone();
            file.write_all(line.as_bytes()).map_err(|source| Error::Write { path: path(), source })?;
        }
        self.rows.push(row);
        Ok(())
    }

    /// The rows of this round, and those from before that were meant.
    pub fn of<'i>(&self, before: impl Iterator<Item = &'i String>) -> Vec<Row> {
        let meant: Vec<&String> = before.collect();
        let (old, new) = self.rows.split_at(self.before);
        old.iter().filter(|row| meant.contains(&&row.id)).chain(new).cloned().collect()
    }
}

/// Writes the figures of a whole round beside those of the measurements; returns where.
pub fn keep(set: Set, rows: &[Row]) -> Result<String, Error> {
    let date = Command::new("date", &["-u", "+%F"]).output()?.trim().to_owned();
    let commit = Command::new("git", &["rev-parse", "--short", "HEAD"]).output()?.trim().to_owned();
    let path = format!("bench/corpus-{}-{date}-{commit}.json", set.name());
    let mut text = figures(set, rows);
    text["date"] = json!(date);
    text["commit"] = json!(commit);
    fs::write(&path, format!("{text:#}\n")).map_err(|source| Error::Write { path: path.clone(), source })?;
    Ok(path)
}

/// Counts, and of the rows that did not run their names and what they lacked. The programs themselves stay where they are.
fn figures(set: Set, rows: &[Row]) -> Value {
    let mut counts = Map::new();
    for row in rows {
        let place = counts.entry(row.class.clone()).or_insert_with(|| json!({}));
        let count = place[row.verdict.name()].as_u64().unwrap_or(0);
        place[row.verdict.name()] = json!(count + 1);
    }
    let ran = |row: &&Row| matches!(row.verdict, Verdict::AtOnce | Verdict::Recovered);
    let rest = rows.iter().filter(|row| !ran(row) && row.verdict != Verdict::Reported);
    let rest: Vec<Value> = rest.map(|row| json!({ "id": row.id, "lacked": row.lacked })).collect();
    json!({ "corpus": set.name(), "rows": rows.len(), "ran": rows.iter().filter(ran).count(), "counts": counts, "rest": rest })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: &str, verdict: Verdict) -> Row {
        Row {
            id: id.to_owned(),
            class: "java".to_owned(),
            verdict,
            lacked: "a reason".to_owned(),
            remedies: Vec::new(),
            missing: Vec::new(),
            needless: Vec::new(),
            milliseconds: 5,
        }
    }

    #[test]
    fn a_round_goes_on_where_it_was_cut_off() {
        let path = std::env::temp_dir().join(format!("actum-kept-{}", std::process::id()));
        let path = path.to_str().unwrap();
        let whole = row("a", Verdict::AtOnce).json();
        fs::write(path, format!("{whole}\n{{\"id\": \"b\", \"cla")).unwrap();
        let mut kept = Kept::open(Some(path)).unwrap();
        assert!(kept.has("a") && !kept.has("b"));
        kept.add(row("b", Verdict::Failed)).unwrap();
        let again = Kept::open(Some(path)).unwrap();
        fs::remove_file(path).unwrap();
        assert!(again.has("a") && again.has("b"));
        assert_eq!(kept.of(std::iter::empty()).len(), 1, "only what this round ran");
        assert_eq!(kept.of(["a".to_owned()].iter()).len(), 2);
    }

    #[test]
    fn figures_name_what_did_not_run() {
        let rows = [row("a", Verdict::AtOnce), row("b", Verdict::Failed), row("c", Verdict::Reported)];
        let figures = figures(Set::Small, &rows);
        assert_eq!(figures["ran"], 1);
        assert_eq!(figures["counts"]["java"]["failed"], 1);
        assert_eq!(figures["rest"], json!([{ "id": "b", "lacked": "a reason" }]));
    }
}
