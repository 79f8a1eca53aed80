//! Which changes of a list somebody means by naming paths. Pure.

use super::rebase::is_within;
use super::withhold::settle;
use actum_model::byte_path::ancestors;
use actum_model::{Change, Node, Withheld};
use std::collections::HashSet;

/// Where a change is when some of its list are to be placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// It can be placed.
    Ready,
    /// It is in the workspace already.
    Done,
    /// Its contents were not kept, or are no more.
    Never,
}

/// Why a name selects nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unselected {
    /// No change is at this path or beneath it.
    Unknown,
    /// What is there cannot be applied, for this reason.
    Withheld(Withheld),
}

/// The places in the list of what is to be applied. Without names: everything that is ready and not withheld. A name
/// means what is at the path and beneath it; something protected only when it is named itself, or a protected folder
/// above it is. Folders that have to be made first come along, and what could not be placed without leaving something
/// out is left out itself.
pub fn select(
    changes: &[Change],
    waiting: &[Waiting],
    names: &[Vec<u8>],
) -> Result<Vec<usize>, (Vec<u8>, Unselected)> {
    let mut chosen: HashSet<usize> = HashSet::new();
    for name in names {
        chosen.extend(named(changes, waiting, name)?);
    }
    if names.is_empty() {
        let unasked = |at: &usize| waiting[*at] == Waiting::Ready && changes[*at].withheld.is_none();
        chosen.extend((0..changes.len()).filter(unasked));
    }
    for at in chosen.clone() {
        chosen.extend(folders_above(changes, &changes[at].path).filter(|at| waiting[*at] == Waiting::Ready));
    }
    Ok(placeable(changes, waiting, &chosen))
}

fn named(changes: &[Change], waiting: &[Waiting], name: &[u8]) -> Result<Vec<usize>, (Vec<u8>, Unselected)> {
    let within: Vec<usize> = (0..changes.len()).filter(|at| is_within(&changes[*at].path, name)).collect();
    let is_lifted = |at: usize| match changes[at].withheld {
        None => true,
        Some(reason) => reason.can_be_lifted() && lifted_by(changes, &changes[at].path, name),
    };
    let ready: Vec<usize> =
        within.iter().copied().filter(|at| waiting[*at] == Waiting::Ready && is_lifted(*at)).collect();
    if !ready.is_empty() || within.iter().any(|at| waiting[*at] == Waiting::Done) {
        return Ok(ready);
    }
    let reason = within.iter().find_map(|at| changes[*at].withheld);
    Err((name.to_vec(), reason.map_or(Unselected::Unknown, Unselected::Withheld)))
}

/// Whether the name is the withheld path itself, or a withheld folder above it.
fn lifted_by(changes: &[Change], path: &[u8], name: &[u8]) -> bool {
    path == name || find(changes, name).is_some_and(|at| changes[at].withheld.is_some())
}

/// Where the list makes folders above a path.
fn folders_above<'a>(changes: &'a [Change], path: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
    let made =
        |at: &usize| changes[*at].after.node == Node::Folder && changes[*at].before.node != Node::Folder;
    ancestors(path).filter_map(|above| find(changes, above)).filter(made)
}

/// Drops from a choice what cannot be placed without the rest, by the rules that hold for what is withheld.
fn placeable(changes: &[Change], waiting: &[Waiting], chosen: &HashSet<usize>) -> Vec<usize> {
    let mut trial: Vec<Change> = changes.to_vec();
    for (at, change) in trial.iter_mut().enumerate() {
        let stays = waiting[at] != Waiting::Done && !chosen.contains(&at);
        change.withheld = stays.then_some(change.withheld.unwrap_or(Withheld::Protected));
    }
    settle(&mut trial);
    let mut left: Vec<usize> = chosen.iter().copied().filter(|at| trial[*at].withheld.is_none()).collect();
    left.sort_unstable();
    left
}

fn find(changes: &[Change], path: &[u8]) -> Option<usize> {
    changes.binary_search_by(|change| change.path.as_slice().cmp(path)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use actum_model::Standing;

    fn standing(word: &str) -> Standing {
        let node = match word {
            "file" => Node::File,
            "folder" => Node::Folder,
            "nothing" => Node::Nothing,
            other => panic!("{other}"),
        };
        Standing { node, ..Standing::default() }
    }

    /// `path before after`, with `!` behind it for protected and `?` for leading out.
    fn list(lines: &[&str]) -> Vec<Change> {
        let read = |line: &&str| {
            let words: Vec<&str> = line.trim_end_matches(['!', '?']).split(' ').collect();
            let withheld = match line.chars().last() {
                Some('!') => Some(Withheld::Protected),
                Some('?') => Some(Withheld::LeadsOut),
                Some(_) | None => None,
            };
            let change = Change::between(words[0].as_bytes(), standing(words[1]), standing(words[2]));
            Change { withheld, ..change }
        };
        lines.iter().map(read).collect()
    }

    fn chosen(changes: &[Change], names: &[&str]) -> Result<Vec<String>, Unselected> {
        let names: Vec<Vec<u8>> = names.iter().map(|name| name.as_bytes().to_vec()).collect();
        let chosen = select(changes, &vec![Waiting::Ready; changes.len()], &names).map_err(|(_, why)| why)?;
        Ok(chosen.iter().map(|at| String::from_utf8(changes[*at].path.clone()).unwrap()).collect())
    }

    #[test]
    fn names_mean_what_is_beneath_and_what_it_needs() {
        let changes = list(&[
            ".git/hooks nothing folder!",
            ".git/hooks/pre-commit nothing file!",
            ".git/index nothing file",
            "d folder nothing",
            "d/a file nothing",
            "n nothing folder",
            "n/.envrc nothing file!",
            "n/m nothing folder",
            "n/m/f nothing file",
            "out nothing file?",
        ]);
        let table: [(&[&str], &[&str]); 8] = [
            (&[], &[".git/index", "d", "d/a", "n", "n/m", "n/m/f"]),
            (&["n/m/f"], &["n", "n/m", "n/m/f"]),
            (&["n"], &["n", "n/m", "n/m/f"]),
            (&["n/.envrc"], &["n", "n/.envrc"]),
            (&[".git"], &[".git/index"]),
            (&[".git/hooks"], &[".git/hooks", ".git/hooks/pre-commit"]),
            (&[".git/hooks/pre-commit"], &[".git/hooks", ".git/hooks/pre-commit"]),
            (&["d/a", "d"], &["d", "d/a"]),
        ];
        for (names, expected) in table {
            assert_eq!(chosen(&changes, names).unwrap(), expected, "{names:?}");
        }
        assert_eq!(chosen(&changes, &["out"]), Err(Unselected::Withheld(Withheld::LeadsOut)));
        assert_eq!(chosen(&changes, &["nowhere"]), Err(Unselected::Unknown));
    }

    #[test]
    fn a_folder_does_not_go_without_its_contents() {
        let changes = list(&["d folder nothing!", "d/.envrc file nothing!", "d/a file nothing"]);
        assert_eq!(chosen(&changes, &["d"]).unwrap(), ["d", "d/.envrc", "d/a"]);
        assert_eq!(chosen(&changes, &["d/a"]).unwrap(), ["d/a"]);
        let changes = list(&["d folder file", "d/a file nothing", "d/b file nothing!"]);
        assert_eq!(chosen(&changes, &["d"]).unwrap(), Vec::<String>::new());
    }

    #[test]
    fn what_is_done_is_not_done_again() {
        let changes = list(&["n nothing folder", "n/.envrc nothing file!", "n/f nothing file"]);
        let waiting = [Waiting::Done, Waiting::Ready, Waiting::Done];
        assert_eq!(select(&changes, &waiting, &[]), Ok(vec![]));
        assert_eq!(select(&changes, &waiting, &[b"n/.envrc".to_vec()]), Ok(vec![1]));
        assert_eq!(select(&changes, &waiting, &[b"n/f".to_vec()]), Ok(vec![]));
    }
}
