//! What whoever runs the program has said about packages.

use super::spelling::normal;
use super::{Verdict, ask};

/// Lists of names; one that ends with `*` stands for all that begin so. What is denied stays denied whatever else is said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    pub allow: Vec<String>,
    pub deny: Vec<String>,
    /// Asked about each time, known or not.
    pub ask: Vec<String>,
    /// What the project itself declares: as good as allowed.
    pub declared: Vec<String>,
    pub otherwise: Otherwise,
}

/// What happens to a package that exists, is old enough and has releases enough, but is not known here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Otherwise {
    #[default]
    Ask,
    Refuse,
    Accept,
}

impl Rules {
    pub(crate) fn verdict(&self, name: &str) -> Option<Verdict> {
        let name = normal(name);
        if is_listed(&self.deny, &name) {
            let why = "the configuration denies it".to_owned();
            return Some(Verdict::Refused { why, nearest: Vec::new() });
        }
        if is_listed(&self.allow, &name) {
            return Some(Verdict::Trusted);
        }
        if is_listed(&self.ask, &name) {
            return Some(ask("the configuration requires approval for it", Vec::new()));
        }
        is_listed(&self.declared, &name).then_some(Verdict::Trusted)
    }

    pub(super) fn otherwise(&self, nearest: Vec<&'static str>) -> Verdict {
        let why = "it exists, but is not a known package".to_owned();
        match self.otherwise {
            Otherwise::Ask => Verdict::Ask { why, nearest },
            Otherwise::Refuse => Verdict::Refused { why, nearest },
            Otherwise::Accept => Verdict::Trusted,
        }
    }
}

fn is_listed(list: &[String], name: &str) -> bool {
    list.iter().any(|entry| match entry.strip_suffix('*') {
        Some(beginning) => name.starts_with(normal(beginning).as_str()),
        None => normal(entry) == name,
    })
}
