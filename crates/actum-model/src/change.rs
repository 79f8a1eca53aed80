//! What a run changed in its workspace.

use crate::path_text::shown;
use crate::{Bytes, Digest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One file created, modified or deleted by a run: what was at its path before and after. Serialised with the path as
/// shown by [`path_text`](crate::path_text), and with the state after the run at the top level.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// Relative to the workspace, as bytes: the program chose the name.
    #[serde(with = "shown")]
    #[schemars(with = "String")]
    pub path: Vec<u8>,
    pub kind: ChangeKind,
    #[serde(flatten)]
    pub after: Standing,
    /// Absent if nothing existed at the path.
    #[serde(default, skip_serializing_if = "Standing::is_nothing")]
    pub before: Standing,
    /// Present if this change is not applied automatically.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withheld: Option<Withheld>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    Created,
    Modified,
    Deleted,
}

/// What is at a path at one time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Standing {
    pub node: Node,
    /// Present for regular files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<Bytes>,
    /// Present for regular files that were read: not for those that are too large, nor for files replaced by a program that
    /// wrote directly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<Digest>,
    /// Permission bits after set-uid, set-gid and sticky were stripped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<u32>,
}

/// A kind of file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Node {
    File,
    Folder,
    /// A symbolic link, recorded with its target and never followed.
    Link {
        #[serde(with = "shown")]
        #[schemars(with = "String")]
        target: Vec<u8>,
    },
    Fifo,
    Socket,
    Device,
    #[default]
    Nothing,
}

/// Why a change is listed but not applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Withheld {
    /// Git hooks or configuration, or the configuration of an agent or editor: code that others would run later.
    Protected,
    /// A FIFO, socket or device.
    Special,
    /// A link whose target is absolute or outside the workspace.
    LeadsOut,
    /// Larger than the limit on collected files (by length or by blocks).
    TooLarge,
}

impl Change {
    /// The change from one to the other. What takes the place of a folder, or a folder in the place of something else,
    /// is created: the two have nothing in common.
    pub fn between(path: &[u8], before: Standing, after: Standing) -> Self {
        let kind = match (&before.node, &after.node) {
            (_, Node::Nothing) => ChangeKind::Deleted,
            (Node::Nothing, _) => ChangeKind::Created,
            (one, other) if (*one == Node::Folder) == (*other == Node::Folder) => ChangeKind::Modified,
            (_, _) => ChangeKind::Created,
        };
        Self { path: path.to_vec(), kind, after, before, withheld: None }
    }

    /// The change that takes this one back. A list is taken back by the inverses of its changes, in the same order of
    /// paths.
    pub fn inverse(&self) -> Self {
        let inverse = Self::between(&self.path, self.after.clone(), self.before.clone());
        Self { withheld: self.withheld, ..inverse }
    }
}

impl Standing {
    pub fn is_nothing(&self) -> bool {
        self.node == Node::Nothing
    }

    /// Whether two are the same to a reader of the file: kind, length, contents, target. Modes are left out: a file
    /// that somebody made executable is still the file that was listed. Contents count where both are known.
    pub fn is_alike(&self, other: &Self) -> bool {
        let contents = match (&self.sha256, &other.sha256) {
            (Some(one), Some(other)) => one == other,
            (None, _) | (_, None) => true,
        };
        self.node == other.node && self.size == other.size && contents
    }
}

impl Withheld {
    /// Whether somebody who names the path can have it applied all the same.
    pub fn can_be_lifted(self) -> bool {
        match self {
            Self::Protected => true,
            Self::Special | Self::LeadsOut | Self::TooLarge => false,
        }
    }

    /// The reason, for people.
    pub fn words(self) -> &'static str {
        match self {
            Self::Protected => "protected",
            Self::Special => "special",
            Self::LeadsOut => "leads out",
            Self::TooLarge => "too large",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(size: u64) -> Standing {
        let sha256 = Some(Digest([size as u8; 32]));
        Standing { node: Node::File, size: Some(Bytes(size)), sha256, mode: Some(0o644) }
    }

    fn standings() -> Vec<Standing> {
        let link = Node::Link { target: b"to \xff".to_vec() };
        let folder = Standing { node: Node::Folder, mode: Some(0o755), ..Standing::default() };
        vec![Standing::default(), file(1), file(2), folder, Standing { node: link, ..Standing::default() }]
    }

    #[test]
    fn taking_back_twice_is_the_change_itself_and_it_reads_back() {
        for before in standings() {
            for after in standings() {
                let change = Change::between(b"a\n\xfe/b", before.clone(), after);
                assert_eq!(change.inverse().inverse(), change);
                let text = serde_json::to_string(&change).unwrap();
                assert_eq!(serde_json::from_str::<Change>(&text).unwrap(), change, "{text}");
            }
        }
    }

    #[test]
    fn what_stands_there_after_is_at_the_top() {
        let change = Change::between(b"f", Standing::default(), file(1));
        let told = serde_json::to_value(&change).unwrap();
        assert_eq!(
            (&told["kind"], &told["node"], &told["size"]),
            (&"created".into(), &"file".into(), &1.into())
        );
        assert_eq!(told["sha256"].as_str().unwrap().len(), 64);
        assert!(told.get("before").is_none() && told.get("withheld").is_none());
    }

    #[test]
    fn alike_is_judged_by_what_is_known() {
        let unread = Standing { sha256: None, ..file(1) };
        assert!(file(1).is_alike(&unread) && unread.is_alike(&file(1)));
        assert!(file(1).is_alike(&Standing { mode: Some(0o755), ..file(1) }));
        for other in standings().iter().filter(|other| **other != file(1)) {
            assert!(!file(1).is_alike(other), "{other:?}");
        }
    }
}
