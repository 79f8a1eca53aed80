//! What the user allows to be installed.

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
    pub(crate) fn is_denied(&self, package: &str) -> bool {
        names(&self.deny, package)
    }

    /// Named for this run, in whatever version.
    pub(crate) fn is_named(&self, package: &str) -> bool {
        names(&self.named, package)
    }

    pub(crate) fn is_allowed(&self, package: &str) -> bool {
        names(&self.allow, package) || names(&self.named, package)
    }
}

fn names(list: &[String], package: &str) -> bool {
    let name = crate::recover::bare(package);
    list.iter().any(|one| crate::recover::bare(one) == name)
}
