//! What a run changed, for people: one aligned line for each path, and what became of them.

use super::{note, say};
use actum_model::{Became, Change, ChangeKind, Conflict, KeptChange, KeptChanges, Node, RunId, path_text};

/// 20: more conflicts than these are counted, not named.
const MOST_CONFLICTS: usize = 20;
/// 60: longer paths push their own line out of shape, not all of them.
const WIDEST: usize = 60;

/// The list and one line about all of it.
pub fn changes(run: RunId, list: &KeptChanges) {
    lines(list).iter().for_each(|line| say(line));
    note(&format!("actum: run {}: {}", run.short(), became(list)));
}

/// What was carried out, and how to take it back.
pub fn settled(count: usize, word: &str, next: &str) {
    note(&format!("actum: {count} {} {word}; {next}", plural(count)));
}

/// Why nothing was done.
pub fn conflicts(doing: &str, conflicts: &[Conflict]) {
    note(&format!("actum: cannot {doing} the changes: the workspace has changed since; nothing was done"));
    for conflict in conflicts.iter().take(MOST_CONFLICTS) {
        note(&format!("  {}: {}", path_text(&conflict.path), conflict.why.words()));
    }
    if conflicts.len() > MOST_CONFLICTS {
        note(&format!("  and {} more", conflicts.len() - MOST_CONFLICTS));
    }
}

fn lines(list: &KeptChanges) -> Vec<String> {
    let paths: Vec<String> = list.changes.iter().map(|kept| shown(&kept.change)).collect();
    let width = paths.iter().map(|path| path.chars().count()).max().unwrap_or(0).min(WIDEST);
    list.changes.iter().zip(paths).map(|(kept, path)| line(kept, &path, width)).collect()
}

fn line(kept: &KeptChange, path: &str, width: usize) -> String {
    let change = &kept.change;
    let sign = match change.kind {
        ChangeKind::Created => '+',
        ChangeKind::Modified => '~',
        ChangeKind::Deleted => '-',
    };
    // Of what is gone, what it was.
    let told = if change.kind == ChangeKind::Deleted { &change.before } else { &change.after };
    let size = told.size.map(|size| size.approximate()).unwrap_or_default();
    let digest = told.sha256.map(|digest| digest.short()).unwrap_or_default();
    let withheld =
        change.withheld.map(|reason| format!(" (withheld: {})", reason.words())).unwrap_or_default();
    format!("{sign} {path:width$}  {size:>10}  {digest:10}  {}{withheld}", kept.became.word())
}

fn shown(change: &Change) -> String {
    let told = if change.kind == ChangeKind::Deleted { &change.before } else { &change.after };
    let path = path_text(&change.path);
    match &told.node {
        Node::Folder => format!("{path}/"),
        Node::Link { target } => format!("{path} -> {}", path_text(target)),
        Node::File | Node::Fifo | Node::Socket | Node::Device | Node::Nothing => path,
    }
}

/// `3 applied, 1 kept`
fn became(list: &KeptChanges) -> String {
    let all = [Became::Applied, Became::Kept, Became::Undone, Became::Discarded, Became::Direct];
    let parts: Vec<String> = all
        .into_iter()
        .map(|became| (list.count(became), became))
        .filter(|(count, _)| *count > 0)
        .map(|(count, became)| format!("{count} {}", became.word()))
        .collect();
    let mut text = parts.join(", ");
    if !list.conflicts.is_empty() {
        text.push_str(&format!("; {} in conflict with the workspace", list.conflicts.len()));
    }
    if list.cut { "too many changes to list; discarded".to_owned() } else { text }
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "change" } else { "changes" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actum_model::{Bytes, Digest, Standing, Withheld};

    #[test]
    fn lines_are_aligned_and_say_what_became() {
        let file = |size: u64| Standing {
            node: Node::File,
            size: Some(Bytes(size)),
            sha256: Some(Digest([size as u8; 32])),
            mode: Some(0o644),
        };
        let kept = |change: Change, became: Became| KeptChange { change, became };
        let hook = Change::between(b".git/hooks/x", Standing::default(), file(7));
        let list = KeptChanges {
            v: 1,
            workspace: b"/w".to_vec(),
            inode: 1,
            device: None,
            born: None,
            owner: None,
            cut: false,
            changes: vec![
                kept(Change { withheld: Some(Withheld::Protected), ..hook }, Became::Kept),
                kept(Change::between(b"a\x1b", file(2048), Standing::default()), Became::Applied),
                kept(Change::between(b"b", file(1), file(2)), Became::Applied),
            ],
            conflicts: vec![],
        };
        let expected = [
            "+ .git/hooks/x         7 B  0707070707  kept (withheld: protected)",
            "- a\\u{1b}          2.0 KiB  0000000000  applied",
            "~ b                    2 B  0202020202  applied",
        ];
        assert_eq!(lines(&list), expected);
        assert_eq!(became(&list), "2 applied, 1 kept");
    }
}
