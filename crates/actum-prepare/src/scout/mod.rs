//! Scouts out which release of a package still has a name that newer ones dropped.
//!
//! Old programs fail less for packages that are missing than for names that are gone: `scipy.misc.imread`, `flask.ext`,
//! `DataFrame.append`. No table knows them all, and the index does: [`seek`] looks into archives of older releases, by ranges
//! where the server grants them, and parses the one module that matters. Nothing of a package is run, and the whole package is
//! rarely fetched.
//!
//! The search itself is a script (`scout.py`) that runs inside the walls with the index as its whole network: it reads bytes
//! that strangers wrote. What follows from its answer is judged here, in [`pick`], without files or clock.
//!
//! Start reading at [`Sought`] and [`Found`]; `seek` is the hand, `pick` the judgement.

mod pick;
mod seek;

pub use pick::{Pick, pick};
pub use seek::seek;

use serde::{Deserialize, Serialize};

/// The script. It takes one argument, [`Sought::argument`], and answers in one line of JSON.
pub(super) const SCRIPT: &str = include_str!("scout.py");
/// Enough to find one series among four thousand, if the name lived long, and one among twenty, if it did not.
const PROBES: u32 = 12;
/// A search answers in one to four seconds; beyond this the next rung of the ladder is the better use of time.
const SECONDS: u32 = 20;

/// A name that some release should still have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Sought {
    /// The package, as an index knows it.
    pub package: String,
    /// The module that was asked for: `scipy.misc`.
    pub module: String,
    /// The name in it: `imread`, or with an attribute of a class, `DataFrame.append`. Absent where the module itself is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// A parameter that the name has to take: `sparse`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keyword: Option<String>,
    /// The release in which it is missing; only those before count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub below: Option<String>,
}

impl Sought {
    /// What the script is given.
    fn argument(&self) -> String {
        #[derive(Serialize)]
        struct Argument<'s> {
            #[serde(flatten)]
            sought: &'s Sought,
            probes: u32,
            seconds: u32,
        }
        let argument = Argument { sought: self, probes: PROBES, seconds: SECONDS };
        serde_json::to_string(&argument).expect("names and numbers are JSON")
    }
}

/// The newest release that has it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Found {
    pub release: String,
    /// When it was uploaded, where the index tells.
    pub uploaded: Option<String>,
    /// The first release of the series after it.
    pub next_release: Option<String>,
    pub next_uploaded: Option<String>,
    pub requires_python: Option<String>,
    /// `cp36-cp36m-manylinux1_x86_64`, `py3-none-any`.
    #[serde(default)]
    pub wheel_tags: Vec<String>,
    /// Whether it can be built where no wheel fits.
    #[serde(default)]
    pub source: bool,
}

/// One release that was looked into.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Probed {
    pub release: String,
    /// Absent where it could not be told.
    pub has: Option<bool>,
    pub why: Option<String>,
}

/// What the script found out.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Scouted {
    pub found: Option<Found>,
    #[serde(default)]
    pub probed: Vec<Probed>,
    /// `found`, `exhausted`, `probes`, `seconds`, `unknown` or `failed`.
    pub ended: String,
    pub why: Option<String>,
    /// How many releases the package has, and when the first was uploaded.
    pub releases: Option<u32>,
    pub first_uploaded: Option<String>,
}

/// Reads the script's answer. None where it is no answer: then it was ended from outside, or tampered with.
pub fn read(output: &[u8]) -> Option<Scouted> {
    let text = std::str::from_utf8(output).ok()?;
    let scouted: Scouted = serde_json::from_str(text.trim().lines().last()?).ok()?;
    let is_plain = |found: &Found| is_release(&found.release);
    scouted.found.as_ref().is_none_or(is_plain).then_some(scouted)
}

/// The release becomes part of a requirement, so nothing but a version may stand in it.
fn is_release(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'+' | b'!' | b'_' | b'-');
    !text.is_empty() && text.len() < 64 && text.bytes().all(allowed) && text.as_bytes()[0].is_ascii_digit()
}

#[cfg(test)]
mod tests;
