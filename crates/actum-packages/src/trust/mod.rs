//! Whether a package may be installed unasked.
//!
//! Programs that models write name packages that do not exist, and strangers register such names and wait. So a name must be
//! known here, allowed by whoever runs the program, or stand up to questions: does it exist, for how long, in how many
//! releases, and is it one slip away from a name that everybody uses. What fails is refused or asked about, never tried.
//!
//! [`judge`] is the order of the questions; `near` tells a slip; `spelling` tells when two names are one.

mod known;
mod near;
mod rules;
mod spelling;

pub use known::is_known;
pub use near::{near_misses, slip_of_popular};
pub use rules::{Otherwise, Rules};

pub(crate) use near::Slips;

use crate::python::generic::is_generic;
use crate::python::standard::{PythonVersion, is_standard, python3_name};
use known::meant;
use spelling::is_spelled;

/// What an index tells about a package.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexFacts {
    pub exists: bool,
    /// Days since the first file was uploaded.
    pub first_upload_days: Option<u32>,
    /// Releases that were not withdrawn.
    pub releases: Option<u32>,
}

/// What is to be done about a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It may be installed.
    Trusted,
    /// Only when somebody says yes.
    Ask { why: String, nearest: Vec<&'static str> },
    /// Not at all, unless it is put on the list of what is allowed.
    Refused { why: String, nearest: Vec<&'static str> },
}

/// Younger packages are asked about: three months is longer than most traps stay unnoticed.
const YOUNG_DAYS: u32 = 90;
/// Fewer releases are asked about: a name that was registered to be stumbled over has one or two.
const FEW_RELEASES: u32 = 3;

/// Whether a package of Python may be installed. Without facts of an index, what is not known here is asked about.
pub fn judge(name: &str, facts: Option<&IndexFacts>, rules: &Rules) -> Verdict {
    if !is_spelled(name) {
        return refused("it is not a valid package name", near_misses(name));
    }
    if let Some(verdict) = rules.verdict(name) {
        return verdict;
    }
    if is_generic(&name.replace('.', "_")) {
        return refused("it is a common name of a project's own files", Vec::new());
    }
    if is_of_python(name) {
        return refused("it is part of Python itself", Vec::new());
    }
    if let Some(package) = meant(name) {
        return refused("it is a module name or a placeholder; the package has another name", vec![package]);
    }
    if is_known(name) {
        return Verdict::Trusted;
    }
    stranger(name, facts, rules, &near::PYTHON)
}

/// The questions to a package that nothing here knows.
pub(crate) fn stranger(name: &str, facts: Option<&IndexFacts>, rules: &Rules, slips: &Slips) -> Verdict {
    let nearest = slips.nearest(name);
    if facts.is_some_and(|facts| !facts.exists) {
        return refused("the package index has no such package; the name is probably invented", nearest);
    }
    let is_established = facts.is_some_and(|facts| weakness(facts).is_none());
    if let Some(popular) = slips.of_popular(name) {
        let why = format!("its name is one typo away from {popular}");
        return if is_established { ask(&why, nearest) } else { refused(&why, nearest) };
    }
    match facts.map(weakness) {
        None => ask("it is not a known package, and no package index was asked", nearest),
        Some(Some(weakness)) => ask(&weakness, nearest),
        Some(None) => rules.otherwise(nearest),
    }
}

/// What speaks against a package that exists.
fn weakness(facts: &IndexFacts) -> Option<String> {
    match (facts.first_upload_days, facts.releases) {
        (None, _) | (_, None) => Some("the package index does not report its age".to_owned()),
        (Some(days), _) if days < YOUNG_DAYS => Some(format!("it is only {days} days old")),
        (_, Some(releases)) if releases < FEW_RELEASES => Some(format!("it has only {releases} releases")),
        (Some(_), Some(_)) => None,
    }
}

/// Modules of every Python 3, and those of Python 2 alone: a package of that name is a trap or a relic.
fn is_of_python(name: &str) -> bool {
    let module = name.replace('-', "_");
    let always = is_standard(&module, PythonVersion(3, 6)) && is_standard(&module, PythonVersion(3, 14));
    always && !module.contains('.') || python3_name(&module).is_some()
}

fn refused(why: &str, nearest: Vec<&'static str>) -> Verdict {
    Verdict::Refused { why: why.to_owned(), nearest }
}

pub(crate) fn ask(why: &str, nearest: Vec<&'static str>) -> Verdict {
    Verdict::Ask { why: why.to_owned(), nearest }
}

#[cfg(test)]
mod tests;
