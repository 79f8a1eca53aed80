//! What a program meets when it starts. A remedy changes it, and nothing is met twice.
use actum_model::{Digest, IdentityHash, Limits};
use actum_prepare::Wish;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// What a program meets when it starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Situation {
    /// What its environment is to hold.
    pub(crate) wish: Wish,
    /// The environment that was prepared for that.
    pub(crate) lock: Option<Digest>,
    pub(crate) limits: Limits,
    pub(crate) variables: BTreeMap<String, String>,
    /// Folders that are made before it starts, inside the sandbox.
    pub(crate) folders: BTreeSet<PathBuf>,
    /// How the launcher starts it; by itself where there are none.
    pub(crate) ways: BTreeSet<Way>,
    /// A copy that is run in the place of the source, where its name or its layout is in the way.
    pub(crate) copy: Option<Copy>,
    /// How often it was started just like this.
    pub(crate) again: u32,
}

/// Another way to start a Python program, by the launcher. Its words are the launcher's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub(crate) enum Way {
    Clean,
    Magics,
    Await,
    Fork,
    Figures,
    Prompts,
}

impl Way {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Way::Clean => "clean",
            Way::Magics => "magics",
            Way::Await => "await",
            Way::Fork => "fork",
            Way::Figures => "figures",
            Way::Prompts => "prompts",
        }
    }
}

/// The source under another name, or with another layout, and the same program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Copy {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    /// What is different, in words.
    pub(crate) differs: String,
}

impl Situation {
    pub(crate) fn new(limits: Limits, wish: Wish) -> Self {
        Self {
            wish,
            lock: None,
            limits,
            variables: BTreeMap::new(),
            folders: BTreeSet::new(),
            ways: BTreeSet::new(),
            copy: None,
            again: 0,
        }
    }

    /// Names all of it: lock, interpreter, parameters, launcher and staged source.
    pub(crate) fn digest(&self) -> Digest {
        let Self { wish, lock, limits, variables, folders, ways, copy, again } = self;
        let mut hash = IdentityHash::new("actum situation 2");
        hash.value(&(wish, lock, limits, variables));
        hash.list(folders.iter().map(|folder| folder.as_os_str().as_bytes()));
        hash.value(&(ways, again));
        hash.list(copy.iter().flat_map(|copy| [copy.name.as_bytes(), &copy.bytes]));
        hash.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_a_situation_counts() {
        let limits = Limits {
            wall: actum_model::Span::seconds(1),
            cpu: actum_model::Span::seconds(1),
            memory: actum_model::Bytes(1),
            processes: 1,
            descriptors: 1,
            file_size: actum_model::Bytes(1),
            disk: actum_model::Bytes(1),
            output: actum_model::Bytes(1),
        };
        let plain = Situation::new(limits, Wish::default());
        let changes: [fn(&mut Situation); 7] = [
            |s| s.wish.requirements.push("numpy".into()),
            |s| s.limits.memory = actum_model::Bytes(2),
            |s| drop(s.variables.insert("A".into(), "b".into())),
            |s| s.folders.extend([PathBuf::from("out")]),
            |s| s.ways.extend([Way::Await]),
            |s| s.again = 1,
            |s| s.copy = Some(Copy { name: "a".into(), bytes: Vec::new(), differs: String::new() }),
        ];
        let mut digests = vec![plain.digest().to_string()];
        for change in changes {
            let mut other = plain.clone();
            change(&mut other);
            digests.push(other.digest().to_string());
        }
        let count = digests.len();
        digests.sort();
        digests.dedup();
        assert_eq!((digests.len(), plain.digest()), (count, plain.clone().digest()));
    }
}
