//! Runs that a tracking store in the workspace knows: MLflow's folder of files, or its database.
//!
//! A database is not opened here: it may have been made by a hostile program. It is told by its first bytes, and an id that is
//! asked for is looked for among its bytes; what that proves is only half, for a recorded run must have written the store too.

use actum_claims::Tracked;
use actum_model::{Claim, Said};
use std::path::Path;

const LARGEST: u64 = 256 << 20;
const MOST: usize = 10_000;

/// What stores below a folder know.
pub(super) fn tracked(folder: &Path, claims: &[Claim]) -> Vec<Tracked> {
    let id = |claim: &Claim| -> Option<String> {
        let Said::RunId { system, id } = &claim.said else { return None };
        (system == "mlflow").then(|| id.clone())
    };
    let ids: Vec<String> = claims.iter().filter_map(id).collect();
    if ids.is_empty() {
        return Vec::new();
    }
    let mut known = of_files(folder);
    known.extend(of_database(folder, &ids));
    known
}

/// `mlruns/<experiment>/<run>/meta.yaml`, whose own words name the run.
fn of_files(folder: &Path) -> Vec<Tracked> {
    let mut known = Vec::new();
    let entries = |path: &Path| std::fs::read_dir(path).into_iter().flatten().flatten().take(MOST);
    for experiment in entries(&folder.join("mlruns")) {
        for run in entries(&experiment.path()) {
            let id = run.file_name().to_string_lossy().into_owned();
            let is_id = id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
            let meta = std::fs::read_to_string(run.path().join("meta.yaml")).unwrap_or_default();
            if is_id && meta.contains(&id) && meta.contains("run_id") {
                let path = format!("mlruns/{}/{id}", experiment.file_name().to_string_lossy());
                known.push(Tracked { system: "mlflow".to_owned(), id, path });
            }
        }
    }
    known
}

fn of_database(folder: &Path, ids: &[String]) -> Vec<Tracked> {
    let name = "mlflow.db";
    let path = folder.join(name);
    let is_small =
        std::fs::metadata(&path).is_ok_and(|metadata| metadata.is_file() && metadata.len() <= LARGEST);
    let Some(bytes) = is_small.then(|| std::fs::read(&path).ok()).flatten() else { return Vec::new() };
    let has = |part: &[u8]| bytes.windows(part.len()).any(|window| window == part);
    if !bytes.starts_with(b"SQLite format 3\0") || !has(b"CREATE TABLE runs") {
        return Vec::new();
    }
    let is_id = |id: &&String| id.len() == 32 && has(id.as_bytes());
    let found = ids.iter().filter(is_id);
    found.map(|id| Tracked { system: "mlflow".to_owned(), id: id.clone(), path: name.to_owned() }).collect()
}
