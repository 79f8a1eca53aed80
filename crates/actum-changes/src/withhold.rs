//! Which changes are listed but not applied, and what follows from that for their neighbours. Pure.

use actum_model::byte_path::ancestors;
use actum_model::{Change, ChangeKind, Node, Withheld};
use actum_sandbox::Guard;
use std::collections::HashMap;

/// Whether protected paths may be changed by this run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protection {
    /// They are listed and withheld.
    #[default]
    Withheld,
    /// Somebody approved: they are like other paths.
    Lifted,
}

/// What stood at a path before the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Before {
    Nothing,
    Folder,
    Other,
}

/// Judges one change by what it puts where.
pub(super) fn judge(
    path: &[u8],
    node: &Node,
    before: Before,
    (protection, guard): (Protection, &Guard),
) -> Option<Withheld> {
    // A `.git` that was a file points to the real repository; a folder put in its place would cut that off.
    let protected = || match before {
        Before::Other => guard.is_protected_over(path, node),
        Before::Nothing | Before::Folder => guard.protected_as(path, node),
    };
    if protection == Protection::Withheld && protected() {
        return Some(Withheld::Protected);
    }
    match node {
        Node::Fifo | Node::Socket | Node::Device => Some(Withheld::Special),
        Node::Link { target } if leads_out(path, target) => Some(Withheld::LeadsOut),
        Node::Link { .. } | Node::File | Node::Folder | Node::Nothing => None,
    }
}

/// Whether a link at `path` may lead out of the workspace. Judged by its words alone: leading `..` are exact, because
/// the folders above a listed link are no links themselves. A `..` after a name is not, since that name may be a link
/// to anywhere, so it counts as leading out.
fn leads_out(path: &[u8], target: &[u8]) -> bool {
    if target.first().is_none_or(|byte| *byte == b'/') {
        return true;
    }
    let mut above = path.iter().filter(|byte| **byte == b'/').count();
    let mut named = false;
    for name in target.split(|byte| *byte == b'/') {
        match name {
            b"" | b"." => {}
            b".." if named || above == 0 => return true,
            b".." => above -= 1,
            _ => named = true,
        }
    }
    false
}

/// Makes a sorted list consistent, so that what is left to apply can be applied:
/// - a folder cannot go, nor be replaced by a file, while something withheld stays in it;
/// - what belongs to a withheld replacement or lies in a withheld new folder is withheld with it.
pub(super) fn settle(changes: &mut [Change]) {
    for at in 0..changes.len() {
        let Some(reason) = changes[at].withheld else { continue };
        if changes[at].kind != ChangeKind::Deleted {
            continue;
        }
        let path = changes[at].path.clone();
        for ancestor in ancestors(&path) {
            if let Ok(found) = changes.binary_search_by(|change| change.path.as_slice().cmp(ancestor))
                && changes[found].after.node != Node::Folder
            {
                changes[found].withheld.get_or_insert(reason);
            }
        }
    }
    let takers = changes.iter().filter(|change| takes_along(change));
    let reasons: HashMap<Vec<u8>, Option<Withheld>> =
        takers.map(|change| (change.path.clone(), change.withheld)).collect();
    if reasons.is_empty() {
        return;
    }
    for change in changes.iter_mut().filter(|change| change.withheld.is_none()) {
        change.withheld =
            ancestors(&change.path).find_map(|ancestor| reasons.get(ancestor).copied().flatten());
    }
}

/// Whether what lies beneath a change is withheld with it. A withheld deletion only keeps its own folder.
fn takes_along(change: &Change) -> bool {
    change.withheld.is_some()
        && match change.kind {
            ChangeKind::Created => true,
            ChangeKind::Modified => change.after.node != Node::Folder,
            ChangeKind::Deleted => false,
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_that_lead_out() {
        for (path, target, out) in [
            ("a", "b", false),
            ("a", "./b/c", false),
            ("a", "/etc/passwd", true),
            ("a", "..", true),
            ("x/a", "..", false),
            ("x/a", "../../y", true),
            ("x/y/a", "../../b/c", false),
            ("x/a", "b/../c", true),
            ("x/a", ".//..//b", false),
        ] {
            assert_eq!(leads_out(path.as_bytes(), target.as_bytes()), out, "{path} -> {target}");
        }
    }

    #[test]
    fn a_folder_stays_while_something_withheld_stays_in_it() {
        let mut changes = [
            change("d", ChangeKind::Created, Node::File, None),
            change("d/.vscode", ChangeKind::Deleted, Node::Nothing, Some(Withheld::Protected)),
            change("d/a", ChangeKind::Deleted, Node::Nothing, None),
            change("d2", ChangeKind::Created, Node::File, None),
        ];
        settle(&mut changes);
        let reasons = changes.map(|change| change.withheld);
        let protected = Some(Withheld::Protected);
        assert_eq!(reasons, [protected, protected, protected, None]);
    }

    #[test]
    fn other_things_in_a_kept_folder_still_go() {
        let mut changes = [
            change("d", ChangeKind::Deleted, Node::Nothing, None),
            change("d/.envrc", ChangeKind::Deleted, Node::Nothing, Some(Withheld::Protected)),
            change("d/a", ChangeKind::Deleted, Node::Nothing, None),
        ];
        settle(&mut changes);
        assert_eq!(changes.map(|change| change.withheld.is_some()), [true, true, false]);
    }

    fn change(path: &str, kind: ChangeKind, node: Node, withheld: Option<Withheld>) -> Change {
        let after = actum_model::Standing { node, ..Default::default() };
        Change { path: path.into(), kind, after, before: Default::default(), withheld }
    }
}
