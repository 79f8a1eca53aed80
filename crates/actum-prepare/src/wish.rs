//! What an environment is to hold.

use serde::Serialize;

/// What an environment is to hold, as far as it is ours to say.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Wish {
    pub of: Of,
    /// As the installer is asked for them.
    pub requirements: Vec<String>,
    /// What versions are kept to, whoever asks for the package.
    pub constraints: Vec<String>,
    /// Nothing that was published later: `2024-06-18`.
    pub newest: Option<String>,
    /// The interpreter's version, where it matters: `3.7`.
    pub interpreter: Option<(u8, u8)>,
    /// Data that packages want, by the name that the table of carriers has for it.
    pub data: Vec<String>,
    /// Whether the versions are ours to choose. What the user declared or locked is not changed.
    pub guessed: bool,
}

/// Whose packages they are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub enum Of {
    #[default]
    Python,
    Node,
}

impl Wish {
    pub fn is_empty(&self) -> bool {
        self.requirements.is_empty() && self.data.is_empty() && self.interpreter.is_none()
    }

    /// Adds what is not asked for yet.
    pub fn with(mut self, requirements: &[String]) -> Self {
        for one in requirements {
            let name = bare(one);
            if !self.requirements.iter().any(|there| bare(there) == name) {
                self.requirements.push(one.clone());
            }
        }
        self
    }

    /// Keeps a package to versions, in the place of what it was kept to before.
    pub fn keeping(mut self, package: &str, versions: &str) -> Self {
        let name = bare(package);
        self.constraints.retain(|there| bare(there) != name);
        self.constraints.push(format!("{package}{versions}"));
        self
    }

    /// Puts one package in the place of another that brings the same module.
    pub fn instead(mut self, package: &str, other: &str) -> Self {
        let name = bare(package);
        self.requirements.retain(|there| bare(there) != name);
        self.with(&[other.to_owned()])
    }

    /// Everything that was asked for, bounds among it.
    pub fn asked(&self) -> Vec<String> {
        let is_bound = |one: &&String| !self.constraints.iter().any(|bound| bare(bound) == bare(one));
        self.requirements.iter().filter(is_bound).chain(&self.constraints).cloned().collect()
    }

    pub fn has(&self, package: &str) -> bool {
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
}
