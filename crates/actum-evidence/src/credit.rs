//! Whether an id that code told is known where it comes from.
//!
//! A printed line proves that it was printed. An id of MLflow is credited when the tracking store that this very run wrote knows
//! it, and did not know it before: its file among the run's recorded changes, or a row of a database among them.

use crate::tracking::{Asker, Before, Stores};
use actum_model::{Anchor, ExternalId, Piece, Report, RunId, is_mlflow_id, path_text};
use actum_store::Store;

/// An id as it was told.
pub struct Told {
    pub id: String,
    /// An anchor, or the name of a variable.
    pub place: String,
}

/// What is found about each of them.
pub fn credit(told: Vec<Told>, report: &Report, store: &Store, asker: &Asker<'_>) -> Vec<ExternalId> {
    let stores = Stores::of(report, store);
    let judged = told.into_iter().map(|Told { id, place }| {
        let (credited, why, anchor) = match known(&id, &stores, report.changes.cut, asker) {
            Ok(path) => (true, "the run wrote it into its tracking store".to_owned(), Some(path)),
            Err(why) => (false, why, None),
        };
        let anchor = anchor.map(|path| file_anchor(report.run, &path));
        ExternalId { system: "mlflow".to_owned(), id, told: place, credited, why, anchor }
    });
    judged.collect()
}

fn file_anchor(run: RunId, path: &[u8]) -> String {
    Anchor { run: run.to_string(), piece: Piece::File(path_text(path)) }.to_string()
}

/// The file that knows it, or why it does not count.
fn known(id: &str, stores: &Stores, is_cut: bool, asker: &Asker<'_>) -> Result<Vec<u8>, String> {
    if !is_mlflow_id(id) {
        return Err("it is not an MLflow id (32 hexadecimal digits)".to_owned());
    }
    if stores.files.is_empty() {
        let more = if is_cut { ", as far as its changes are listed" } else { "" };
        return Err(format!("the run wrote no tracking store{more}; a printed line is not evidence"));
    }
    for file in &stores.files {
        let new = stores.sides(file.path()).and_then(|sides| sides.new);
        if new.and_then(|bytes| asker.holds(file, &bytes, id)) != Some(true) {
            continue;
        }
        return match stores.before(file, id, asker) {
            Before::Unknown => Ok(file.path().to_vec()),
            Before::Known => Err("the tracking store contained it before this run".to_owned()),
            Before::CannotTell => {
                Err("it is unknown whether the tracking store contained it before this run".to_owned())
            }
        };
    }
    Err("the tracking store that the run wrote does not contain it".to_owned())
}
