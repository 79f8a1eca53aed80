//! What the commands about a kept run share: finding it, and telling what came of it.

use super::fail;
use crate::config::{self, ConfigError};
use crate::screen;
use actum_changes::settle::{Keeping, Pending, SettleError, adopt_saved};
use actum_engine::{EngineError, HelperProgram};
use actum_model::{Applied, Became, Change, Conflict, KeptChanges, Moment, Node, Record, RunId, path_text};
use actum_store::{Keyring, Reader, Store, StoreError};
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;
use std::time::SystemTime;

/// Conflicts: nothing was done.
const CONFLICTS: u8 = 3;

/// A run that was kept, and the door's part of what settling needs.
pub(super) struct KeptRun {
    pub(super) id: RunId,
    pub(super) keeping: Keeping,
    /// Its end was not recorded; what it kept was saved then.
    pub(super) lost: Option<Moment>,
    /// Where the caller stands: paths are named from there.
    folder: PathBuf,
}

/// What can go wrong with a kept run.
#[derive(Debug, thiserror::Error)]
pub(super) enum KeptProblem {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(transparent)]
    Settle(#[from] SettleError),
    #[error("the changes of run {} are unknown yet: it is still running", run.short())]
    UnknownYet { run: RunId },
    #[error("run {} was lost before anything that it wrote was saved", run.short())]
    NotSaved { run: RunId },
    #[error("cannot use the changes of run {run}: they differ from its sealed record")]
    NotSealed { run: RunId },
    #[error("cannot write the changes as JSON")]
    Json(#[from] serde_json::Error),
    #[error("no change at {}: it is outside the workspace {}", path.display(), workspace.display())]
    Outside { path: PathBuf, workspace: PathBuf },
}

impl KeptRun {
    /// Finds the run that is meant, after what was left unfinished was finished.
    pub(super) fn find(name: &str) -> Result<Self, KeptProblem> {
        let surroundings = config::surroundings()?;
        let store = Store::at(&surroundings.store);
        let keyring = Keyring::at(&surroundings.keys);
        report_unfinished(&actum_engine::finish_pending(store.root(), &keyring));
        let kept = store.find(name)?;
        if store.is_going_on(kept.id) {
            return Err(KeptProblem::UnknownYet { run: kept.id });
        }
        let program = HelperProgram::itself()?;
        let keeping = actum_engine::keeping(&program, &keyring, store.root(), kept.folder);
        let (sealed, has_ledger) = match Reader::open(&store) {
            Ok(reader) => (reader.sealed(kept.id)?, true),
            // Kept before there was a ledger.
            Err(StoreError::Nothing { .. }) => (None, false),
            Err(error) => return Err(error.into()),
        };
        adopt_saved(&keeping)?;
        let list = keeping.read();
        let lost = match (&list, &sealed) {
            (Ok(list), Some(sealed)) if !is_sealed(list, &sealed.record) => {
                return Err(KeptProblem::NotSealed { run: kept.id });
            }
            (Err(SettleError::None), None) if has_ledger => {
                return Err(KeptProblem::NotSaved { run: kept.id });
            }
            (Ok(_), None) if has_ledger => keeping.written_at().and_then(moment_of),
            (_, _) => None,
        };
        Ok(Self { id: kept.id, keeping, lost, folder: surroundings.folder })
    }

    /// A path as the list has it: named from the workspace, or from where the caller stands inside it.
    pub(super) fn inside(&self, path: &Path) -> Result<Vec<u8>, KeptProblem> {
        use std::os::unix::ffi::{OsStrExt, OsStringExt};
        let list = self.keeping.read()?;
        let workspace = PathBuf::from(OsString::from_vec(list.workspace.clone()));
        let here = self.folder.strip_prefix(&workspace).unwrap_or(Path::new(""));
        let named = path.strip_prefix(&workspace).map_or_else(|_| here.join(path), Path::to_path_buf);
        let plain = plain(&named).filter(|plain| !plain.as_os_str().is_empty());
        let plain = plain.ok_or_else(|| KeptProblem::Outside { path: path.to_path_buf(), workspace })?;
        Ok(plain.as_os_str().as_bytes().to_vec())
    }
}

fn moment_of(time: SystemTime) -> Option<Moment> {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    Some(Moment(u64::try_from(since.as_micros()).ok()?))
}

/// Whether a list of changes is the one that a record names: the workspace, and each file with its digest.
fn is_sealed(list: &KeptChanges, record: &Record) -> bool {
    let is_content = |change: &Change| change.after.node == Node::File || change.before.node == Node::File;
    let is_known = |change: &Change| {
        let path = path_text(&change.path);
        match record.outputs.iter().find(|output| output.path == path) {
            Some(output) => output.sha256 == change.after.sha256 && output.kind == Some(change.kind),
            // Beyond those that a record lists, or with a secret in its name.
            None => {
                record.outputs_left_out > 0
                    || record.outputs.iter().any(|output| output.path.contains("[redacted:"))
            }
        }
    };
    let is_here = record.workspace == path_text(&list.workspace) || record.workspace.contains("[redacted:");
    // What a session changed is settled when it ends, behind the record of its last call, which names none of it.
    let is_later = record.changes == Applied::Nothing && record.outputs.is_empty();
    is_here
        && (is_later || list.changes.iter().all(|kept| !is_content(&kept.change) || is_known(&kept.change)))
}

/// Whether changes of a run are kept apart and wait to be applied or discarded.
pub(super) fn waits(store: &Store, run: RunId) -> bool {
    let folder = store.root().join("runs").join(run.to_string());
    let list = actum_engine::reading(store.root(), folder).read();
    list.is_ok_and(|list| list.changes.iter().any(|change| change.became == Became::Kept))
}

/// Shows what a power cut or a kill left and could not be finished. It keeps nobody from working.
pub(super) fn report_unfinished(unfinished: &[Pending]) {
    for pending in unfinished {
        screen::problem(&pending.error, None);
        if let SettleError::Forged { .. } = &pending.error {
            screen::note("hint: nothing was run; check the file, then delete it");
            continue;
        }
        let run = pending.folder.file_name().unwrap_or(OsStr::new("RUN")).to_string_lossy().into_owned();
        screen::note(&format!(
            "hint: the changes of run {run} are only partly applied; `actum discard {run}` deletes the rest"
        ));
    }
}

/// Tells why nothing was done.
pub(super) fn conflicts(doing: &str, run: RunId, conflicts: &[Conflict]) -> ExitCode {
    screen::conflicts(doing, conflicts);
    screen::note(&format!("hint: `actum {doing} {} --force` overwrites them and can be undone", run.short()));
    ExitCode::from(CONFLICTS)
}

pub(super) fn failed(problem: &KeptProblem) -> ExitCode {
    let hint = match problem {
        KeptProblem::Store(error) => error.hint(),
        KeptProblem::Engine(error) => error.hint(),
        KeptProblem::Settle(error) => error.hint().map(str::to_owned),
        KeptProblem::Config(error) => Some(error.hint().to_owned()),
        KeptProblem::Outside { .. } => {
            Some("use a path relative to the workspace, as in `actum changes`".to_owned())
        }
        KeptProblem::NotSealed { .. } => {
            Some("the files in the store were modified; `actum verify` checks the rest of it".to_owned())
        }
        KeptProblem::UnknownYet { run } => {
            Some(format!("`actum show {}` shows what is known; wait for its end, or stop it", run.short()))
        }
        KeptProblem::NotSaved { .. } => Some(
            "what a run writes is saved from its tenth second on, with --keep always from the first; what was written directly is in \
             the workspace"
                .to_owned(),
        ),
        KeptProblem::Json(_) => None,
    };
    fail(problem, hint.as_deref());
    actum_model::ExitCode::OWN_ERROR.into()
}

/// Without `.` and `..`, if that is possible without looking: names are those of a list, not of this machine.
fn plain(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::Normal(name) => plain.push(name),
            Component::CurDir => {}
            Component::ParentDir if plain.pop() => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_made_plain_by_their_words() {
        for (path, expected) in
            [("a/./b", Some("a/b")), ("a/../b", Some("b")), ("..", None), ("/etc", None), ("./", Some(""))]
        {
            assert_eq!(plain(Path::new(path)), expected.map(PathBuf::from), "{path}");
        }
    }
}
