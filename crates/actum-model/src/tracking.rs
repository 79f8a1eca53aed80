//! Ids that programs get from systems outside, and which of them can be believed.
//!
//! A program that says `MLflow Run ID: …` has said so, and no more. The id is real where the tracking store that the same run
//! wrote knows it: a folder of the file store (`mlruns/<experiment>/<id>/meta.yaml`) or a row of a database. Judgement only:
//! what was printed and what was changed come in, and who wants to know looks into the files. The one place for this
//! question; whoever checks claims asks here as well.

use crate::{Change, ChangeKind, Node, path_text};

/// An id as it was told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToldId {
    pub id: String,
    /// The line of the text, counted from 1.
    pub line: u64,
    /// It is told as one of MLflow's by name; otherwise only as that of a run, and other systems have runs too.
    pub names_mlflow: bool,
}

/// A file of a tracking store that a run wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrackingFile {
    /// What the file store keeps about one run.
    Meta { id: String, path: Vec<u8> },
    /// A database that may be one.
    Database { path: Vec<u8> },
}

impl TrackingFile {
    /// Relative to the workspace.
    pub fn path(&self) -> &[u8] {
        let (Self::Meta { path, .. } | Self::Database { path }) = self;
        path
    }
}

/// Length of an id of MLflow's: a UUID in hexadecimal, without its hyphens.
const LENGTH: usize = 32;

/// What stands before an id, in small letters. A colon, an equals sign or nothing stands between.
const WORDS: [&str; 2] = ["run id", "run_id"];

/// Whether a text can be an id of a run of MLflow.
pub fn is_mlflow_id(text: &str) -> bool {
    text.len() == LENGTH && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Every id that a text tells as one of MLflow's, in order and each once: real or not where it names MLflow, and of the
/// form of one where it only speaks of a run (`Run ID: …`), as other systems have runs too.
pub fn told_mlflow_ids(text: &str) -> Vec<ToldId> {
    let mut found: Vec<ToldId> = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        // Without a copy of lines that cannot hold one: output may be long.
        if !line.as_bytes().windows(3).any(|word| word.eq_ignore_ascii_case(b"run")) {
            continue;
        }
        let small = line.to_ascii_lowercase();
        for word in WORDS {
            for (at, _) in small.match_indices(word) {
                let names_mlflow = small[..at].trim_end_matches([' ', '_']).ends_with("mlflow");
                let rest =
                    small[at + word.len()..].trim_start_matches([' ', '\t', ':', '=', '`', '"', '\'', '*']);
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
                let id = &rest[..end];
                let may_be = if names_mlflow { !id.is_empty() } else { is_mlflow_id(id) };
                if may_be && found.iter().all(|other| other.id != id) {
                    found.push(ToldId { id: id.to_owned(), line: number, names_mlflow });
                }
            }
        }
    }
    found
}

/// The files of tracking stores among what a run changed.
pub fn tracking_files(changes: &[Change]) -> Vec<TrackingFile> {
    let written = changes.iter().filter(|change| {
        change.after.node == Node::File
            && matches!(change.kind, ChangeKind::Created | ChangeKind::Modified)
            && change.withheld.is_none()
    });
    written.filter_map(|change| tracking_file(&change.path)).collect()
}

/// What a file can be to a tracking store, by its path.
pub fn tracking_file(path: &[u8]) -> Option<TrackingFile> {
    let text = path_text(path);
    let mut parts = text.rsplit('/');
    let (name, run) = (parts.next()?, parts.next());
    if name == "meta.yaml" {
        // `mlruns/<experiment>/<run>/meta.yaml`; an experiment has such a file as well, and its name is no id of a run.
        let id = run.filter(|id| is_mlflow_id(id))?;
        return Some(TrackingFile::Meta { id: id.to_owned(), path: path.to_vec() });
    }
    let is_database = [".db", ".sqlite", ".sqlite3"].iter().any(|end| name.ends_with(end));
    is_database.then(|| TrackingFile::Database { path: path.to_vec() })
}

/// Whether the file store's own words about a run name it.
pub fn meta_names(meta: &str, id: &str) -> bool {
    meta.lines().any(|line| {
        let Some((key, value)) = line.split_once(':') else { return false };
        matches!(key.trim(), "run_id" | "run_uuid") && value.trim().trim_matches(['\'', '"']) == id
    })
}

/// The question for a database: the runs that it knows, of those that were told. Only what is an id by its form is asked for,
/// so nothing of a stranger's stands in the statement.
pub fn database_question(ids: &[&str]) -> Option<String> {
    let known: Vec<String> = ids.iter().filter(|id| is_mlflow_id(id)).map(|id| format!("'{id}'")).collect();
    (!known.is_empty())
        .then(|| format!("SELECT run_uuid FROM runs WHERE run_uuid IN ({});", known.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Standing;
    use proptest::prelude::*;

    const ID: &str = "0123456789abcdef0123456789abcdef";

    #[test]
    fn what_is_told_as_an_id_is_found_real_or_not() {
        for (text, expected) in [
            (format!("✅ MLflow Run ID: {ID}\n"), vec![(ID, 1)]),
            ("a\nMLflow Run ID: abc123\n".to_owned(), vec![("abc123", 2)]),
            (format!("mlflow_run_id={ID}"), vec![(ID, 1)]),
            (format!("mlflow run_id = '{ID}', done"), vec![(ID, 1)]),
            (format!("MLflow Run ID: {ID}\nMLflow Run ID: {ID}"), vec![(ID, 1)]),
            ("MLflow Run ID:".to_owned(), vec![]),
            (format!("Run ID: {ID}"), vec![(ID, 1)]),
            ("Run ID: abc123".to_owned(), vec![]),
            ("print(f\"MLflow Run ID: {run_id}\")".to_owned(), vec![]),
        ] {
            let found: Vec<(String, u64)> =
                told_mlflow_ids(&text).into_iter().map(|told| (told.id, told.line)).collect();
            let expected: Vec<(String, u64)> =
                expected.into_iter().map(|(id, line)| (id.to_owned(), line)).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn an_id_has_thirty_two_small_digits() {
        for (text, is_one) in [
            (ID.to_owned(), true),
            ("abc123def456789".to_owned(), false),
            (ID.to_uppercase(), false),
            (format!("{ID}0"), false),
            ("g123456789abcdef0123456789abcdef".to_owned(), false),
        ] {
            assert_eq!(is_mlflow_id(&text), is_one, "{text}");
        }
    }

    fn written(path: &str) -> Change {
        let after = Standing { node: Node::File, ..Standing::default() };
        Change::between(path.as_bytes(), Standing::default(), after)
    }

    #[test]
    fn files_of_stores_are_told_from_others() {
        let run = format!("mlruns/1/{ID}/meta.yaml");
        for (path, is_one) in [
            (run.as_str(), true),
            ("mlruns/1/meta.yaml", false),
            ("mlflow.db", true),
            ("deep/er/tracking.sqlite", true),
            ("notes.txt", false),
            ("meta.yaml", false),
        ] {
            assert_eq!(!tracking_files(&[written(path)]).is_empty(), is_one, "{path}");
        }
        let deleted = Change::between(b"mlflow.db", written("x").after, Standing::default());
        assert!(tracking_files(&[deleted]).is_empty());
    }

    #[test]
    fn the_file_store_names_its_run() {
        assert!(meta_names(&format!("artifact_uri: x\nrun_id: {ID}\nrun_uuid: {ID}\n"), ID));
        assert!(meta_names(&format!("run_id: '{ID}'"), ID));
        assert!(!meta_names(&format!("name: {ID}"), ID));
        assert!(!meta_names("run_id: other", ID));
    }

    #[test]
    fn nothing_but_ids_is_asked_for() {
        assert_eq!(database_question(&["x'; DROP TABLE runs; --"]), None);
        let asked = database_question(&[ID, "abc"]).unwrap();
        assert!(asked.contains(ID) && !asked.contains("abc'"), "{asked}");
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(?s).{0,80}(mlflow[ _]run[ _]id[:= ]{0,3}[a-z0-9é]{0,40})?.{0,20}") {
            for told in told_mlflow_ids(&text) {
                prop_assert!(!told.id.is_empty() && told.line >= 1);
            }
        }
    }
}
