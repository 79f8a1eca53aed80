//! What the user allows to be installed.

use crate::packages;
use crate::{Judge, PrepareError, Registry};

/// What may be installed, and from where. Set where the request is made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Packages {
    pub preparing: Preparing,
    /// Trusted whatever the tables say.
    pub allow: Vec<String>,
    /// Never installed.
    pub deny: Vec<String>,
    /// Named by the user for this run.
    pub named: Vec<String>,
    /// Nothing that was published later: `2024-06-18`.
    pub newest: Option<String>,
    /// Guessed packages are at least this many days old.
    pub cooldown_days: u32,
    /// Packages that no table knows may be installed, if they pass the gate.
    pub strangers: bool,
    /// Packages without a wheel may be built, in a sandbox without a network.
    pub builds: bool,
    /// The version of Python that was asked for.
    pub python: Option<(u8, u8)>,
}

/// When an environment is prepared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Preparing {
    /// Whenever a program needs one.
    #[default]
    Auto,
    /// Only what was prepared before is used.
    Offline,
    /// Programs find what is installed, and nothing else.
    Never,
}

impl Packages {
    pub fn is_denied(&self, package: &str) -> bool {
        names(&self.deny, package)
    }

    /// Named for this run, in whatever version.
    pub(crate) fn is_named(&self, package: &str) -> bool {
        names(&self.named, package)
    }

    pub fn is_allowed(&self, package: &str) -> bool {
        names(&self.allow, package) || names(&self.named, package)
    }
}

impl Judge for Packages {
    /// Nobody chose what other packages ask for: it is not denied, and no slip of a popular name.
    fn judge(&self, registry: Registry, name: &str) -> Result<(), PrepareError> {
        let refused = |why, nearest| Err(PrepareError::Refused { name: name.to_owned(), why, nearest });
        if self.is_denied(name) {
            return refused("your configuration denies it", Vec::new());
        }
        let meant = match registry {
            Registry::Python if !self.is_allowed(name) => packages::slip(name),
            Registry::Python | Registry::Node => None,
        };
        match meant {
            None => Ok(()),
            Some(popular) => {
                refused("it is unknown and its name resembles a popular package", vec![popular.to_owned()])
            }
        }
    }
}

fn names(list: &[String], package: &str) -> bool {
    let name = plain(package);
    list.iter().any(|one| plain(one) == name)
}

/// The name of a package without its version: of npm with its scope, else of Python.
fn plain(package: &str) -> String {
    match package.strip_prefix('@') {
        Some(scoped) => format!("@{}", scoped.split('@').next().unwrap_or(scoped).to_ascii_lowercase()),
        None => crate::bare(package),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(allow: &[&str], deny: &[&str]) -> Packages {
        let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Packages { allow: list(allow), deny: list(deny), ..Packages::default() }
    }

    #[test]
    fn every_package_of_a_lock_is_judged() {
        let judge = |rules: &Packages, registry, name: &str| rules.judge(registry, name).is_ok();
        let plain = rules(&[], &["evil_pkg", "@a/b"]);
        for (registry, name, is_fine) in [
            (Registry::Python, "numpy", true),
            (Registry::Python, "quite-unknown-thing", true),
            (Registry::Python, "Evil.Pkg", false),
            (Registry::Python, "reqeusts", false),
            (Registry::Node, "evil-pkg", false),
            (Registry::Node, "@a/b", false),
            (Registry::Node, "@A/b@1.0", false),
            (Registry::Node, "@a/c", true),
            (Registry::Node, "left", true),
        ] {
            assert_eq!(judge(&plain, registry, name), is_fine, "{name}");
        }
        assert!(judge(&rules(&["reqeusts"], &[]), Registry::Python, "reqeusts"));
        assert!(!judge(&rules(&["reqeusts"], &["reqeusts"]), Registry::Python, "reqeusts"));
    }

    #[test]
    fn one_scoped_name_does_not_stand_for_all() {
        assert!(rules(&["@a/b"], &[]).is_allowed("@a/b"));
        assert!(!rules(&["@a/b"], &[]).is_allowed("@evil/x"));
        assert!(!rules(&[], &["@a/b"]).is_denied("@c/d"));
    }
}
