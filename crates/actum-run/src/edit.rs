//! Writes the files that an answer gives, and applies the differences that it holds: inside the sandbox, by this binary, so that
//! they meet the same walls as everything else and are settled with it.
//!
//! [`stage`] puts what is to be written into the run's folder with an order beside it; [`carry_out`] is the inner program that
//! follows the order. Either all of it is written, or it says what did not fit.

use crate::error::RunError;
use crate::request::House;
use crate::source::Code;
use crate::stage::{self, Ready};
use actum_answers::PatchError;
use actum_languages::Program;
use actum_model::Grant;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// Its name in reports, where programs have a language.
pub(crate) const LANGUAGE: &str = "file";

/// One thing to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edit {
    /// The file that it becomes, from where programs start; none for a difference, which names its files itself.
    pub(crate) path: Option<PathBuf>,
    pub(crate) code: Code,
}

/// What the inner program is told.
#[derive(Debug, Serialize, Deserialize)]
struct Order {
    edits: Vec<Ordered>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Ordered {
    /// Where the text lies, beside the order.
    text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    path: Option<PathBuf>,
}

/// Why files were not written.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    #[error("cannot read the edit request {}", path.display())]
    Order { path: PathBuf, source: io::Error },
    #[error("cannot write {}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("cannot write {}: it is outside the workspace", path.display())]
    Outside { path: PathBuf },
    #[error("cannot change {}: it is not text", path.display())]
    NotText { path: PathBuf },
    #[error(transparent)]
    Patch(#[from] PatchError),
}

impl EditError {
    /// What to do next, where we know it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Patch(PatchError::NoPlace { .. } | PatchError::Missing { .. }) => {
                Some("the patch was made for other files; use --workspace to choose their folder")
            }
            Self::Patch(_)
            | Self::Order { .. }
            | Self::Write { .. }
            | Self::Outside { .. }
            | Self::NotText { .. } => None,
        }
    }
}

/// Lays everything ready for the inner program.
pub(crate) fn stage(edits: &[Edit], number: u32, house: &House<'_>) -> Result<Ready, RunError> {
    let folder = house.folder.join(format!("program-{number}"));
    let write = |name: &str, bytes: &[u8]| -> Result<PathBuf, RunError> {
        let path = folder.join(name);
        let written = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&path, bytes));
        written.map_err(|source| RunError::Keep { path: path.clone(), source })?;
        Ok(path)
    };
    let mut order = Order { edits: Vec::new() };
    for (edit, number) in edits.iter().zip(1..) {
        let text = number.to_string();
        write(&text, &edit.code.bytes)?;
        order.edits.push(Ordered { text, path: edit.path.clone() });
    }
    let words = serde_json::to_vec(&order).unwrap_or_default();
    let order = write("order.json", &words)?;
    let mut command = house.tools.editor.clone();
    command.push(order.into());
    let mut ready = stage::bare(Program::command(command));
    ready.program.language = LANGUAGE.to_owned();
    ready.program.shown = shown(edits);
    let all = edits.iter().filter_map(|edit| edit.code.lines);
    ready.lines = all.reduce(|whole, lines| [whole[0].min(lines[0]), whole[1].max(lines[1])]);
    // Our own binary runs inside, so it has to be seen there.
    ready.grants.extend(house.tools.editor.first().map(|program| Grant::Read(program.into())));
    ready.grants.push(Grant::Read(folder));
    Ok(ready)
}

/// What a person would say that it does.
fn shown(edits: &[Edit]) -> String {
    let names: Vec<String> =
        edits.iter().filter_map(|edit| edit.path.as_ref()).map(|path| path.display().to_string()).collect();
    let differences = edits.iter().filter(|edit| edit.path.is_none()).count();
    let files = match names.as_slice() {
        [] => None,
        [one] => Some(format!("write {one}")),
        [first, second] => Some(format!("write {first} and {second}")),
        [first, rest @ ..] => Some(format!("write {first} and {} more files", rest.len())),
    };
    let differences = match differences {
        0 => None,
        1 => Some("apply a patch".to_owned()),
        more => Some(format!("apply {more} patches")),
    };
    files.into_iter().chain(differences).collect::<Vec<_>>().join(", ")
}

/// Follows an order, in the folder in which it is started. Everything is worked out before the first file is written.
pub fn carry_out(order: &Path) -> Result<(), EditError> {
    let failed = |source: io::Error| EditError::Order { path: order.to_path_buf(), source };
    let text = std::fs::read(order).map_err(failed)?;
    let whole: Order = serde_json::from_slice(&text).map_err(|error| failed(error.into()))?;
    let beside = order.parent().unwrap_or(order);
    let mut becomes: BTreeMap<PathBuf, Option<Vec<u8>>> = BTreeMap::new();
    for edit in whole.edits {
        let bytes = std::fs::read(beside.join(&edit.text)).map_err(failed)?;
        match edit.path {
            Some(path) => {
                becomes.insert(path, Some(bytes));
            }
            None => patched(&String::from_utf8_lossy(&bytes), &mut becomes)?,
        }
    }
    if let Some(path) = becomes.keys().find(|path| !is_inside(path)) {
        return Err(EditError::Outside { path: path.clone() });
    }
    becomes.iter().try_for_each(|(path, bytes)| {
        write(path, bytes.as_deref()).map_err(|source| EditError::Write { path: path.clone(), source })
    })
}

/// A difference sees what was written before it.
fn patched(text: &str, becomes: &mut BTreeMap<PathBuf, Option<Vec<u8>>>) -> Result<(), EditError> {
    for change in actum_answers::changes_of(text)? {
        let path = PathBuf::from(&change.path);
        let bytes = match becomes.get(&path) {
            Some(bytes) => bytes.clone(),
            None if !is_inside(&path) => return Err(EditError::Outside { path }),
            None => std::fs::read(&path).ok(),
        };
        let not_text = |_| EditError::NotText { path: path.clone() };
        let old = bytes.map(String::from_utf8).transpose().map_err(not_text)?;
        let new = actum_answers::changed(&change, old.as_deref())?;
        becomes.insert(path, new.map(String::into_bytes));
    }
    Ok(())
}

/// Whether a name leads nowhere but below the folder.
pub(crate) fn is_inside(path: &Path) -> bool {
    use std::path::Component;
    let mut parts = path.components().peekable();
    parts.peek().is_some() && parts.all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

fn write(path: &Path, bytes: Option<&[u8]>) -> io::Result<()> {
    let Some(bytes) = bytes else { return std::fs::remove_file(path) };
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(path: Option<&str>, text: &str, lines: [u64; 2]) -> Edit {
        let code = Code { bytes: text.into(), label: None, file: None, lines: Some(lines) };
        Edit { path: path.map(PathBuf::from), code }
    }

    #[test]
    fn it_is_told_as_a_person_would() {
        let (a, b) = (edit(Some("a.py"), "", [1, 2]), edit(Some("src/b.py"), "", [4, 5]));
        let diff = edit(None, "", [7, 8]);
        assert_eq!(shown(std::slice::from_ref(&a)), "write a.py");
        assert_eq!(shown(&[a.clone(), b.clone(), diff.clone()]), "write a.py and src/b.py, apply a patch");
        assert_eq!(shown(&[a.clone(), b, a]), "write a.py and 2 more files");
        assert_eq!(shown(&[diff.clone(), diff]), "apply 2 patches");
    }

    #[test]
    fn names_that_lead_out_are_not_inside() {
        for (name, inside) in
            [("a", true), ("./a/b", true), ("../a", false), ("a/../../b", false), ("/a", false), ("", false)]
        {
            assert_eq!(is_inside(Path::new(name)), inside, "{name}");
        }
    }
}
