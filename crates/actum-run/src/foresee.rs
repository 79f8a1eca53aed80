//! What a program's text tells before it starts: folders that it writes into are made, and what it lacks is said at once, not after an
//! hour.

use crate::extract::Part;
use crate::recover::Care;
use actum_model::{Change, ChangeKind, FileMode, GpuNeed, Needs, Node, Reading};
use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

/// Where a program starts and what it may change.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) folder: &'a Path,
    pub(crate) workspace: &'a Path,
}

/// Folders that it writes into by a name that stands in its text, and that nobody makes: as if it had failed for the lack of them.
/// `is_there` tells what will be there when it starts.
pub(crate) fn folders(
    reading: &Reading,
    place: Place<'_>,
    is_there: &dyn Fn(&Path) -> bool,
) -> BTreeSet<PathBuf> {
    let makes = |folder: &Path| {
        let made =
            reading.files.iter().filter(|one| one.mode == FileMode::Folder).map(|one| Path::new(&one.path));
        let mut made = made.map(|made| place.folder.join(made));
        made.any(|made| made.starts_with(folder) || folder.starts_with(&made))
    };
    let is_written = |mode: FileMode| match mode {
        FileMode::Write | FileMode::Append | FileMode::Update => true,
        FileMode::Read | FileMode::Folder | FileMode::Unknown => false,
    };
    // Whoever makes or removes folders by names that are not known may make these.
    if reading.files.iter().any(|one| one.mode == FileMode::Folder && one.path.is_empty()) {
        return BTreeSet::new();
    }
    let written = reading.files.iter().filter(|one| is_written(one.mode)).map(|one| Path::new(&one.path));
    let plain = written.filter(|path| path.components().all(|part| matches!(part, Component::Normal(_))));
    let folders = plain.filter_map(|path| path.parent().filter(|folder| !folder.as_os_str().is_empty()));
    let whole = folders.map(|folder| place.folder.join(folder));
    whole.filter(|whole| whole.starts_with(place.workspace) && !is_there(whole) && !makes(whole)).collect()
}

/// What it lacks, in one line; nothing where it lacks nothing. `cards` are those of the machine, where somebody has to be told that
/// none is granted.
pub(crate) fn lacks(needs: &Needs, reading: &Reading, cards: Option<&[u32]>) -> Option<String> {
    const MOST: usize = 5;
    let mut lacks = Vec::new();
    let listed = |names: &[String]| {
        let more =
            if names.len() > MOST { format!(" and {} more", names.len() - MOST) } else { String::new() };
        format!("{}{more}", names.iter().take(MOST).cloned().collect::<Vec<_>>().join(", "))
    };
    if !needs.missing_files.is_empty() {
        lacks.push(format!("it reads {}, which is not there", listed(&needs.missing_files)));
    }
    if let Some(first) = needs.missing_variables.first() {
        lacks.push(format!("it needs {}: pass it with --env {first}", listed(&needs.missing_variables)));
    }
    if let Some((gpu, cards)) = reading.gpu.as_ref().zip(cards) {
        let line = gpu.signs.first().map(|sign| format!(" (line {})", sign.line)).unwrap_or_default();
        match (gpu.need, cards.first()) {
            (GpuNeed::Required | GpuNeed::Guarded, Some(card)) => {
                lacks.push(format!(
                    "it wants a GPU{line} and none is granted: pass --gpu {card}, or --gpu none"
                ));
            }
            (GpuNeed::Required, None) => {
                lacks.push(format!("it needs a GPU{line}, and this machine has none"))
            }
            (GpuNeed::Guarded, None) => {}
        }
    }
    (!lacks.is_empty()).then(|| format!("before it starts: {}", lacks.join("; ")))
}

/// Takes the folders that were made for nothing out of the list of changes.
pub(crate) fn drop_unused(changes: &mut Vec<Change>, cares: &[Care<'_>], workspace: &Path) {
    let made: BTreeSet<&Path> = cares
        .iter()
        .flat_map(|care| &care.foreseen)
        .filter_map(|folder| folder.strip_prefix(workspace).ok())
        .flat_map(|folder| folder.ancestors().filter(|above| !above.as_os_str().is_empty()))
        .collect();
    // The deepest first: what holds only such a folder is one too.
    for folder in made.into_iter().rev() {
        let path = folder.as_os_str().as_bytes();
        let is_below =
            |change: &Change| change.path.strip_prefix(path).is_some_and(|rest| rest.starts_with(b"/"));
        if !changes.iter().any(is_below) {
            let is_it = |change: &Change| {
                change.path == path && change.kind == ChangeKind::Created && change.after.node == Node::Folder
            };
            changes.retain(|change| !is_it(change));
        }
    }
}

/// Whether a part is a program of its own, whose text says all that it does.
pub(crate) fn is_foreseeable(part: &Part<'_>) -> bool {
    match part {
        Part::Program { .. } | Part::Command(_) | Part::Together(_) => true,
        Part::Edits(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actum_model::{FileUse, Gpu, Sign};

    fn uses(files: &[(&str, FileMode)]) -> Reading {
        let file = |(path, mode): &(&str, FileMode)| FileUse {
            path: (*path).to_owned(),
            mode: *mode,
            by: "open".to_owned(),
            line: 1,
        };
        Reading { files: files.iter().map(file).collect(), ..Reading::of("python") }
    }

    fn made(files: &[(&str, FileMode)]) -> Vec<PathBuf> {
        let place = Place { folder: Path::new("/w/src"), workspace: Path::new("/w") };
        folders(&uses(files), place, &|path| path == Path::new("/w/src/there")).into_iter().collect()
    }

    #[test]
    fn only_folders_that_it_writes_into_and_does_not_make_are_made() {
        use FileMode::{Append, Folder, Read, Unknown, Write};
        assert_eq!(
            made(&[("out/a.csv", Write), ("out/b/c.log", Append)]),
            ["/w/src/out", "/w/src/out/b"].map(PathBuf::from)
        );
        for files in [
            [("data/a.csv", Read), ("a.csv", Write)],
            [("out/a.csv", Write), ("out", Folder)],
            [("out/run/a.csv", Write), ("out", Folder)],
            [("../out/a.csv", Write), ("/data/out/a.csv", Write)],
            [("there/a.csv", Write), ("x/y", Unknown)],
        ] {
            assert_eq!(made(&files), Vec::<PathBuf>::new(), "{files:?}");
        }
    }

    #[test]
    fn what_it_lacks_is_one_line() {
        let sign = Sign { what: "cuda".to_owned(), line: 7 };
        let mut reading = Reading::of("python");
        assert_eq!(lacks(&Needs::default(), &reading, Some(&[0])), None);
        reading.gpu = Some(Gpu { need: GpuNeed::Guarded, signs: vec![sign] });
        assert_eq!(lacks(&Needs::default(), &reading, Some(&[])), None);
        let files = (1..=7).map(|number| format!("f{number}")).collect();
        let needs =
            Needs { missing_files: files, missing_variables: vec!["KEY".to_owned()], ..Needs::default() };
        let expected = "before it starts: it reads f1, f2, f3, f4, f5 and 2 more, which is not there; it needs KEY: pass it with \
                        --env KEY; it wants a GPU (line 7) and none is granted: pass --gpu 1, or --gpu none";
        assert_eq!(lacks(&needs, &reading, Some(&[1, 2])).unwrap(), expected);
    }
}
