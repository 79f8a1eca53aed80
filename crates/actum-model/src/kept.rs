//! The changes of one run as they are kept, and what became of each.

use crate::path_text::shown;
use crate::{Change, Conflict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is in a run's `changes.json`, and what `actum changes --json` tells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KeptChanges {
    /// The version of this form.
    pub v: u32,
    /// The folder that they belong to.
    #[serde(with = "shown")]
    #[schemars(with = "String")]
    pub workspace: Vec<u8>,
    /// Which folder that was: another one put at the same path is not it.
    pub inode: u64,
    /// The device of that folder; inode numbers are only unique on one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<u64>,
    /// When that folder was created, in nanoseconds since 1970, where the file system records it. A device can have
    /// another number after a restart; a folder keeps this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub born: Option<i64>,
    /// The user and group that get what is created, when root applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<(u32, u32)>,
    /// There were more than the list holds.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
    /// Sorted by the bytes of their paths.
    pub changes: Vec<KeptChange>,
    /// Why they were not applied at the end of the run, where that is the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<Conflict>,
}

/// One change and where it is now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KeptChange {
    #[serde(flatten)]
    pub change: Change,
    pub became: Became,
}

/// What became of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Became {
    /// It is in the workspace, and can be undone.
    Applied,
    /// It was never applied; its contents are kept.
    Kept,
    /// It was applied and taken back; its contents are kept.
    Undone,
    /// Its contents are not kept.
    Discarded,
    /// The program wrote it itself; nothing of it is kept.
    Direct,
}

impl KeptChanges {
    /// The form that is written now.
    pub const VERSION: u32 = 1;

    /// How many became what.
    pub fn count(&self, became: Became) -> usize {
        self.changes.iter().filter(|kept| kept.became == became).count()
    }

    /// Remembers that a list came to something. What is not in ours yet was in its way and is listed from now on.
    pub fn remember(&mut self, changes: Vec<Change>, became: Became) {
        for change in changes {
            match self.changes.binary_search_by(|kept| kept.change.path.cmp(&change.path)) {
                Ok(at) => {
                    let withheld = self.changes[at].change.withheld;
                    self.changes[at] = KeptChange { change: Change { withheld, ..change }, became };
                }
                Err(at) => self.changes.insert(at, KeptChange { change, became }),
            }
        }
    }
}

impl Became {
    /// For people.
    pub fn word(self) -> &'static str {
        match self {
            Self::Applied => "applied",
            Self::Kept => "kept",
            Self::Undone => "undone",
            Self::Discarded => "discarded",
            Self::Direct => "written directly",
        }
    }

    /// Whether its contents wait to be applied.
    pub fn waits(self) -> bool {
        match self {
            Self::Kept | Self::Undone => true,
            Self::Applied | Self::Discarded | Self::Direct => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Node, Standing, Withheld};

    fn change(path: &str) -> Change {
        let file = Standing { node: Node::File, ..Standing::default() };
        Change::between(path.as_bytes(), Standing::default(), file)
    }

    #[test]
    fn remembers_in_order_and_reads_back() {
        let held = Change { withheld: Some(Withheld::Protected), ..change("b") };
        let changes = vec![KeptChange { change: held, became: Became::Kept }];
        let (workspace, conflicts) = (b"/w\xff".to_vec(), Vec::new());
        let mut kept = KeptChanges {
            v: 1,
            workspace,
            inode: 7,
            device: Some(3),
            born: None,
            owner: None,
            cut: false,
            changes,
            conflicts,
        };
        kept.remember(vec![change("a"), change("b"), change("c")], Became::Applied);
        let paths: Vec<&[u8]> = kept.changes.iter().map(|kept| kept.change.path.as_slice()).collect();
        assert_eq!(paths, [b"a", b"b", b"c"]);
        assert_eq!(kept.count(Became::Applied), 3);
        assert_eq!(kept.changes[1].change.withheld, Some(Withheld::Protected), "the reason stays");
        let text = serde_json::to_string(&kept).unwrap();
        assert_eq!(serde_json::from_str::<KeptChanges>(&text).unwrap(), kept);
    }
}
