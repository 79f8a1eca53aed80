//! Puts the files of an experiment together again, in a folder of their own: the commit, the uncommitted changes, and every file that
//! the run read and that is not as it was by then.

use crate::error::ExperimentError;
use crate::stored::StoredExperiment;
use actum_engine::{Engine, Request, WorkTree};
use actum_evidence::{EvidenceError, Reading};
use actum_gate::{File, Root, own};
use actum_model::{Digest, FileFacts};
use sha2::{Digest as _, Sha256};
use std::io::{self, Read, Write};
use std::path::{Component, Path, PathBuf};

/// What was put together.
#[derive(Debug, Default)]
pub struct Restored {
    /// The folder that stands for the workspace.
    pub workspace: PathBuf,
    /// Files that are not as they were, and cannot be had.
    pub missing: Vec<MissingFile>,
    /// What could not be done exactly, in sentences.
    pub notes: Vec<String>,
}

/// A file that the run read and that is not there as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingFile {
    pub path: String,
    pub sha256: Digest,
    pub why: String,
}

/// Where files are looked for that the store does not have.
#[derive(Clone, Copy)]
pub(super) struct Sources<'a> {
    pub(super) reading: &'a Reading,
    /// The workspace as it is now.
    pub(super) workspace: &'a Path,
    /// A work tree of the repository, if it is not where it was.
    pub(super) repository: Option<&'a Path>,
}

/// Puts it together in `folder`, which is empty.
pub(super) fn restore(
    engine: &Engine,
    request: &Request,
    original: &StoredExperiment,
    (sources, folder): (Sources<'_>, &Path),
) -> Result<Restored, ExperimentError> {
    let mut restored = Restored::default();
    let tree = folder.join("tree");
    make(&tree)?;
    restored.workspace = match &original.manifest.git {
        Some(git) => {
            let patch = write_patch(original, sources.reading, folder)?;
            let top = sources.repository.unwrap_or(Path::new(&git.top));
            let work = WorkTree { top, commit: &git.commit, patch: patch.as_deref() };
            engine.check_out(request, work, &tree)?;
            let below =
                Path::new(&original.manifest.workspace).strip_prefix(&git.top).unwrap_or(Path::new(""));
            tree.join(below)
        }
        None => tree,
    };
    make(&restored.workspace)?;
    let root = Root::open(&restored.workspace).map_err(ExperimentError::gate)?;
    for file in read_files(original).filter(|file| is_given(original, file)) {
        if let Err(missing) = put(&root, file, &sources)? {
            restored.missing.push(missing);
        }
    }
    Ok(restored)
}

/// Files of the workspace that the program opened, with what they were.
pub(super) fn read_files(original: &StoredExperiment) -> impl Iterator<Item = &FileFacts> {
    let inputs = original.record.inputs.iter().filter(|file| file.opened != Some(false));
    inputs.filter(|file| is_plain(&file.path) && file.sha256.is_some())
}

/// Whether a file was there before the run: what it wrote into its own folder it has to write again.
pub(super) fn is_given(original: &StoredExperiment, file: &FileFacts) -> bool {
    let output = format!("{}/", original.manifest.output);
    let config = format!("{output}config/");
    !file.path.starts_with(&output) || file.path.starts_with(&config)
}

/// Replaces files by what they are now in the workspace.
pub(super) fn take_as_now(
    restored: &Restored,
    workspace: &Path,
    paths: &[String],
) -> Result<(), ExperimentError> {
    if paths.is_empty() {
        return Ok(());
    }
    let root = Root::open(&restored.workspace).map_err(ExperimentError::gate)?;
    let now = Root::open(workspace).map_err(ExperimentError::gate)?;
    for path in paths.iter().filter(|path| is_plain(path)) {
        let name = Path::new(path);
        if !make_below(&root, name.parent().unwrap_or(Path::new("")))? {
            continue;
        }
        let target = root.path().join(name);
        let failed = |source| ExperimentError::restore(path, source);
        match now.open_file(name) {
            Ok(mut file) => replace(&target, &mut file).map_err(failed)?,
            Err(_) if target.symlink_metadata().is_ok() => own::remove_file(&target).map_err(failed)?,
            Err(_) => {}
        }
    }
    Ok(())
}

/// Whether a path of a record is below the workspace and written as it is.
fn is_plain(path: &str) -> bool {
    let parts = Path::new(path).components();
    !path.is_empty()
        && !path.contains('\\')
        && parts.into_iter().all(|part| matches!(part, Component::Normal(_)))
}

/// Writes a file as it was, if it is not there so already. The inner error says that its contents cannot be had.
fn put(
    root: &Root,
    file: &FileFacts,
    sources: &Sources<'_>,
) -> Result<Result<(), MissingFile>, ExperimentError> {
    let path = Path::new(&file.path);
    let Some(sha256) = file.sha256 else { return Ok(Ok(())) };
    if is_as_it_was(root, path, sha256) {
        return Ok(Ok(()));
    }
    let target = root.path().join(path);
    let missing = |why: &str| Ok(Err(MissingFile { path: file.path.clone(), sha256, why: why.to_owned() }));
    if !make_below(root, path.parent().unwrap_or(Path::new("")))? {
        return missing("a link or a file is in the place of its folder");
    }
    let failed = |source| ExperimentError::restore(&file.path, source);
    if file.kept && sources.reading.reader.has_blob(&sha256).map_err(EvidenceError::from)? {
        let mut blob = sources.reading.reader.blob(&sha256).map_err(EvidenceError::from)?;
        replace(&target, &mut blob).map_err(failed)?;
        return Ok(Ok(()));
    }
    // Where it lies now, if that is still what was read.
    let now = Root::open(sources.workspace).ok().filter(|now| is_as_it_was(now, path, sha256));
    match now.and_then(|now| now.open_file(path).ok()) {
        Some(mut there) => {
            replace(&target, &mut there).map_err(failed)?;
            Ok(Ok(()))
        }
        None if file.kept => missing("it was removed from the store"),
        None => missing("its contents were not kept"),
    }
}

fn is_as_it_was(root: &Root, path: &Path, sha256: Digest) -> bool {
    root.open_file(path).is_ok_and(|file| digest(file).is_ok_and(|now| now == sha256))
}

pub(crate) fn digest(mut file: File) -> io::Result<Digest> {
    let (mut hash, mut piece) = (Sha256::new(), vec![0; 256 << 10]);
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(Digest::finish(hash)),
            count => hash.update(&piece[..count]),
        }
    }
}

/// The folder is ours alone, so that nobody puts a link into it meanwhile; but a commit may have one.
fn replace(target: &Path, from: &mut dyn Read) -> io::Result<()> {
    if target.symlink_metadata().is_ok() {
        own::remove_file(target)?;
    }
    let mut to = own::create(target)?;
    io::copy(from, &mut to)?;
    to.flush()
}

fn make(folder: &Path) -> Result<(), ExperimentError> {
    own::make_folders(folder)
        .map_err(|source| ExperimentError::Scratch { path: folder.to_path_buf(), source })
}

/// Makes a folder of the tree. False where a commit has something else in its way, such as a link that leads out of the tree.
fn make_below(root: &Root, folder: &Path) -> Result<bool, ExperimentError> {
    let mut so_far = PathBuf::new();
    for part in folder.components() {
        so_far.push(part);
        if root.has_folder(&so_far) {
            continue;
        }
        let whole = root.path().join(&so_far);
        if whole.symlink_metadata().is_ok() {
            return Ok(false);
        }
        make(&whole)?;
    }
    Ok(true)
}

fn write_patch(
    original: &StoredExperiment,
    reading: &Reading,
    folder: &Path,
) -> Result<Option<PathBuf>, ExperimentError> {
    let Some(patch) = original.patch(reading)?.filter(|patch| !patch.is_empty()) else { return Ok(None) };
    let path = folder.join("changes.patch");
    own::write(&path, &patch).map_err(|source| ExperimentError::Scratch { path: path.clone(), source })?;
    Ok(Some(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_below_the_workspace_are_put_back() {
        for (path, expected) in [
            ("a.py", true),
            ("d/a.py", true),
            ("/etc/passwd", false),
            ("../a", false),
            ("", false),
            ("a\\n", false),
        ] {
            assert_eq!(is_plain(path), expected, "{path}");
        }
    }

    #[test]
    fn a_link_in_the_place_of_a_file_is_replaced() {
        let (tree, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let victim = elsewhere.path().join("victim");
        std::fs::write(&victim, "untouched").unwrap();
        std::os::unix::fs::symlink(&victim, tree.path().join("a")).unwrap();
        replace(&tree.path().join("a"), &mut "new".as_bytes()).unwrap();
        assert_eq!(std::fs::read_to_string(&victim).unwrap(), "untouched");
        assert_eq!(std::fs::read_to_string(tree.path().join("a")).unwrap(), "new");
    }
}
