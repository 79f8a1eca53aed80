//! The newest checkpoint of an attempt: in its output folder, else in a folder of the workspace that its command or parameters name.

use crate::error::ExperimentError;
use crate::manifest::Manifest;
use crate::output_folder::OutputFolder;
use actum_gate::{Kind, Root};
use actum_parameters::resume::{Checkpoint, FileFacts, newest_checkpoint};
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

/// More files are not looked at.
const MOST: usize = 100_000;
/// Folders that a command names.
const MOST_FOLDERS: usize = 50;

/// A checkpoint to continue from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundCheckpoint {
    /// Relative to the workspace where it lies in it.
    pub shown: String,
    /// As the program is given it.
    pub path: String,
}

/// Finds it, or takes the one that was asked for.
pub(super) fn find(
    manifest: &Manifest,
    output: &OutputFolder,
    asked: Option<&str>,
) -> Result<FoundCheckpoint, ExperimentError> {
    let workspace = Path::new(&manifest.workspace);
    if let Some(asked) = asked {
        return given(workspace, output, asked).map(|below| found(manifest, &below));
    }
    let mut looked_in = vec![output.shown.clone()];
    let mut cut = None;
    let folders = folders_named(manifest, workspace);
    let places = std::iter::once(output.shown.clone()).chain(folders);
    for (number, folder) in places.enumerate() {
        // Elsewhere other runs may have left theirs.
        let since = (number > 0).then_some(manifest.created_at.0 / 1_000_000);
        match newest(&workspace.join(&folder), since) {
            Some(newest) if newest.is_whole => {
                return Ok(found(manifest, &Path::new(&folder).join(newest.path)));
            }
            Some(newest) => cut = cut.or(Some(format!("{folder}/{}", newest.path))),
            None => {}
        }
        if number > 0 {
            looked_in.push(folder);
        }
    }
    let run = manifest.run.short();
    let what = match cut {
        Some(cut) => format!("the only checkpoint of run {run}, {cut}, looks as if its writing was cut"),
        None => format!("no checkpoint of run {run} was found in {}", looked_in.join(", ")),
    };
    Err(ExperimentError::Request {
        what,
        hint: format!(
            "looked for names such as checkpoint-500, last.ckpt and epoch_3.pt; name another with --checkpoint, put what it left elsewhere \
             in place with `actum apply {run}`, or start anew with `actum rerun {run}`"
        ),
    })
}

/// A checkpoint that somebody named: below the workspace, or in the output folder.
fn given(workspace: &Path, output: &OutputFolder, asked: &str) -> Result<PathBuf, ExperimentError> {
    let path = Path::new(asked);
    let below = path.strip_prefix(workspace).unwrap_or(path);
    let in_output = Path::new(&output.shown).join(below);
    let is_there = |path: &&Path| is_below(path) && workspace.join(path).exists();
    [below, in_output.as_path()].into_iter().find(is_there).map(Path::to_path_buf).ok_or_else(|| {
        ExperimentError::Request {
            what: format!("there is no checkpoint {asked} in the workspace"),
            hint: format!("give a path below {}, or in {}", workspace.display(), output.shown),
        }
    })
}

fn found(manifest: &Manifest, below: &Path) -> FoundCheckpoint {
    let shown = below.to_string_lossy().into_owned();
    let path = match manifest.folder.as_str() {
        "." => shown.clone(),
        _ => Path::new(&manifest.workspace).join(below).to_string_lossy().into_owned(),
    };
    FoundCheckpoint { shown, path }
}

fn newest(folder: &Path, since: Option<u64>) -> Option<Checkpoint> {
    let root = Root::open(folder).ok()?;
    let files = root.walk(MOST).ok()?.into_iter().filter(|entry| entry.facts.kind == Kind::File);
    let files: Vec<FileFacts> = files
        .map(|entry| FileFacts {
            path: entry.path.to_string_lossy().into_owned(),
            modified: entry.facts.modified,
            size: entry.facts.size,
        })
        .filter(|file| since.is_none_or(|since| u64::try_from(file.modified.0).is_ok_and(|at| at >= since)))
        .collect();
    newest_checkpoint(&files)
}

/// Folders of the workspace that words of the command or values of parameters name, without those above the output folder.
fn folders_named(manifest: &Manifest, workspace: &Path) -> BTreeSet<String> {
    let Ok(root) = Root::open(workspace) else { return BTreeSet::new() };
    let values = manifest.parameters.iter().filter_map(|one| one.value.as_str());
    let words =
        manifest.command.words.iter().map(|word| word.split_once('=').map_or(&**word, |(_, value)| value));
    let folder = Path::new(if manifest.folder == "." { "" } else { &manifest.folder });
    let below = |text: &str| {
        let path = Path::new(text);
        let path = path.strip_prefix(workspace).map_or_else(|_| folder.join(path), Path::to_path_buf);
        let path: PathBuf = path.components().filter(|part| *part != Component::CurDir).collect();
        let is_own = Path::new(&manifest.output).starts_with(&path);
        (is_below(&path) && !is_own && root.has_folder(&path)).then(|| path.to_string_lossy().into_owned())
    };
    values.chain(words).filter_map(below).take(MOST_FOLDERS).collect()
}

fn is_below(path: &Path) -> bool {
    !path.as_os_str().is_empty() && path.components().all(|part| matches!(part, Component::Normal(_)))
}
