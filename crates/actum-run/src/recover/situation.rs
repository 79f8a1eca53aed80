//! What a program meets when it starts. A remedy changes it, and nothing is met twice.
use actum_model::{Digest, Limits};
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};
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

/// What an environment is to hold, as far as it is ours to say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Wish {
    pub(crate) of: Of,
    /// As the installer is asked for them.
    pub(crate) requirements: Vec<String>,
    /// What versions are kept to, whoever asks for the package.
    pub(crate) constraints: Vec<String>,
    /// Nothing that was published later: `2024-06-18`.
    pub(crate) newest: Option<String>,
    /// The interpreter's version, where it matters: `3.7`.
    pub(crate) interpreter: Option<(u8, u8)>,
    /// Data that packages want, by the name that the table of carriers has for it.
    pub(crate) data: Vec<String>,
    /// Whether the versions are ours to choose. What the user declared or locked is not changed.
    pub(crate) guessed: bool,
}

/// Whose packages they are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Of {
    #[default]
    Python,
    Node,
}

impl Wish {
    pub(crate) fn is_empty(&self) -> bool {
        self.requirements.is_empty() && self.data.is_empty() && self.interpreter.is_none()
    }

    /// Adds what is not asked for yet.
    pub(crate) fn with(mut self, requirements: &[String]) -> Self {
        for one in requirements {
            let name = bare(one);
            if !self.requirements.iter().any(|there| bare(there) == name) {
                self.requirements.push(one.clone());
            }
        }
        self
    }

    /// Keeps a package to versions, in the place of what it was kept to before.
    pub(crate) fn keeping(mut self, package: &str, versions: &str) -> Self {
        let name = bare(package);
        self.constraints.retain(|there| bare(there) != name);
        self.constraints.push(format!("{package}{versions}"));
        self
    }

    /// Puts one package in the place of another that brings the same module.
    pub(crate) fn instead(mut self, package: &str, other: &str) -> Self {
        let name = bare(package);
        self.requirements.retain(|there| bare(there) != name);
        self.with(&[other.to_owned()])
    }

    /// Everything that was asked for, bounds among it.
    pub(crate) fn asked(&self) -> Vec<String> {
        let is_bound = |one: &&String| !self.constraints.iter().any(|bound| bare(bound) == bare(one));
        self.requirements.iter().filter(is_bound).chain(&self.constraints).cloned().collect()
    }

    pub(crate) fn has(&self, package: &str) -> bool {
        let name = bare(package);
        self.requirements.iter().any(|there| bare(there) == name)
    }
}

/// The name of a requirement, as all spellings of it are compared.
pub fn bare(requirement: &str) -> String {
    let end = requirement.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')));
    let name = requirement[..end.unwrap_or(requirement.len())].to_ascii_lowercase();
    let mut normal = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            '_' | '.' | '-' if normal.ends_with('-') => {}
            '_' | '.' | '-' => normal.push('-'),
            c => normal.push(c),
        }
    }
    normal
}

/// Another way to start a Python program, by the launcher. Its words are the launcher's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
        let mut hash = Sha256::new();
        let Self { wish, lock, limits, variables, folders, ways, copy, again } = self;
        let parts = [
            format!("{:?}", (lock, wish)),
            format!("{limits:?}"),
            format!("{variables:?}"),
            format!("{folders:?}"),
            format!("{ways:?} {again}"),
            format!("{copy:?}"),
        ];
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        Digest::finish(hash)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_a_package_are_one() {
        for (text, name) in [
            ("PyYAML>=6", "pyyaml"),
            ("ruamel.yaml", "ruamel-yaml"),
            ("typing_extensions[x]==4", "typing-extensions"),
            ("a--b ; python_version < '3'", "a-b"),
        ] {
            assert_eq!(bare(text), name);
        }
        let wish = Wish::default().with(&["PyYAML".to_owned(), "pyyaml>=6".to_owned()]);
        assert_eq!(wish.requirements, ["PyYAML"]);
        let wish = wish.keeping("pyyaml", "<6").keeping("PyYAML", "<5");
        assert_eq!(wish.constraints, ["PyYAML<5"]);
        assert_eq!(wish.instead("pyyaml", "oyaml").requirements, ["oyaml"]);
    }

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
