//! Folders that a program writes into and nobody made. Inputs are never invented.

use super::{Case, Change, Choice};
use actum_model::{FileMode, RemedyKind};
use std::path::{Component, Path, PathBuf};

pub(super) fn choose(case: &Case<'_>) -> Option<Choice> {
    let subject = PathBuf::from(case.subject());
    match case.diagnosis.row.as_str() {
        "py-savefig-dir" => Some(make(case, &subject)),
        "py-file-missing-input" => Some(missing(case, &subject)),
        "node-enoent" => Some(match case.subject() {
            "open" | "copyfile" | "rename" | "mkdir" => missing(case, Path::new(case.second())),
            _ => input(case, Path::new(case.second())),
        }),
        "java-file-missing" | "rb-enoent" | "r-cannot-open" => {
            let path = case.diagnosis.subject.last().map(PathBuf::from).unwrap_or_default();
            Some(missing(case, &path))
        }
        _ => None,
    }
}

/// Whether it was to be read or written is told by the code, not by the message.
fn missing(case: &Case<'_>, path: &Path) -> Choice {
    let uses = case.reading.map(|reading| reading.files.as_slice()).unwrap_or_default();
    let is_this = |written: &str| Path::new(written) == path || path.ends_with(written);
    let is_written = uses.iter().any(|one| is_this(&one.path) && one.mode != FileMode::Read);
    let is_read = uses.iter().any(|one| is_this(&one.path) && one.mode == FileMode::Read);
    match (is_written, is_read, path.parent()) {
        // What it writes first it may read later: only what is never written has to be there.
        (true, _, Some(folder)) if !folder.as_os_str().is_empty() => make(case, folder),
        // Written by a name that is put together while it runs: a folder of outputs, by its name.
        (false, false, Some(folder)) if is_for_outputs(folder) => make(case, folder),
        _ => input(case, path),
    }
}

/// Names that nobody gives to a folder of inputs.
fn is_for_outputs(folder: &Path) -> bool {
    const OUTPUTS: [&str; 14] = [
        "output",
        "outputs",
        "out",
        "results",
        "result",
        "plots",
        "figures",
        "figs",
        "logs",
        "log",
        "reports",
        "checkpoints",
        "artifacts",
        "saved_models",
    ];
    let first = folder.components().next().and_then(|first| first.as_os_str().to_str());
    first.is_some_and(|first| OUTPUTS.contains(&first.to_ascii_lowercase().as_str()))
}

fn make(case: &Case<'_>, folder: &Path) -> Choice {
    let whole = case.folder.join(folder);
    let climbs = folder.components().any(|part| part == Component::ParentDir);
    if climbs || !whole.starts_with(case.workspace) {
        return Choice::Stop(format!(
            "{} is outside the workspace, where no files are created",
            folder.display()
        ));
    }
    let altered = case.altered(|to| to.folders.extend([whole]));
    let (what, why) = (
        format!("create the folder {}", folder.display()),
        "the program writes to it, and it does not exist",
    );
    Change::new(RemedyKind::Files, what, why, altered)
        .permanently(format!("mkdir -p {}", folder.display()))
        .choice()
}

fn input(case: &Case<'_>, path: &Path) -> Choice {
    let outside = path.is_absolute() && !path.starts_with(case.workspace);
    let advice = match outside {
        true => format!("allow it with --input {}", path.display()),
        false => format!("put it into {}", case.folder.display()),
    };
    Choice::Stop(format!("it reads {}, which does not exist in the sandbox: {advice}", path.display()))
}
