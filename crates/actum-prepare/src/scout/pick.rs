//! Decides what follows from a release that was found: which version to ask for, of what day everything else is to be, and
//! which interpreter fits.
//!
//! A package of 2018 wants its neighbours of 2018 and a Python that existed then. Versions that we guessed may move so far;
//! whether they are ours to move is decided by who calls this. Pure: no clock, no files.

use super::{Found, Sought};
use crate::era::{self, Day};
use crate::{Range, Version};

/// How long after a release its neighbours still fit: two releases of most packages, and bugs of the first days mended.
const SETTLED: i64 = 180;

/// What to ask for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pick {
    /// `scipy==1.2.3`.
    pub requirement: String,
    /// The day of which everything else is to be, as in `2019-05-16`; none where the index told no dates.
    pub newest: Option<String>,
    /// Where the release itself is younger than that day, as releases that only mend an old series are: the day after it.
    pub own_newest: Option<String>,
    /// Of the interpreters that there are; none where no wheel of the release fits any of them.
    pub interpreter: Option<Version>,
}

/// Draws the conclusion. `interpreters` are those of this machine; `preferred` is the one that the program would have.
pub fn pick(sought: &Sought, found: &Found, interpreters: &[Version], preferred: Version) -> Pick {
    let uploaded = found.uploaded.as_deref().and_then(Day::read);
    let newest = uploaded.map(|day| settled(day, found));
    let own = uploaded.zip(newest).filter(|(day, newest)| day >= newest).map(|(day, _)| day.after(1));
    Pick {
        requirement: format!("{}=={}", sought.package, found.release),
        newest: newest.map(|day| day.to_string()),
        own_newest: own.map(|day| day.to_string()),
        interpreter: interpreter(found, newest, interpreters, preferred),
    }
}

/// The day before the next series began, or half a year after the release, whichever is first.
fn settled(uploaded: Day, found: &Found) -> Day {
    let half_a_year = uploaded.after(SETTLED);
    let next = found.next_uploaded.as_deref().and_then(Day::read).map(|day| day.after(-1));
    next.map_or(half_a_year, |next| next.min(half_a_year))
}

/// The preferred one where it fits, else the newest that does. One that has a wheel of its own fits; a wheel for every Python
/// fits those that existed by then, since nobody can have tried it with others; failing that, the oldest that it allows.
fn interpreter(
    found: &Found,
    newest: Option<Day>,
    interpreters: &[Version],
    preferred: Version,
) -> Option<Version> {
    let range = found.requires_python.as_deref().and_then(Range::read);
    let allowed = |version: &&Version| range.as_ref().is_none_or(|range| range.holds(**version));
    let mut candidates: Vec<Version> = interpreters.iter().filter(allowed).copied().collect();
    candidates.sort_unstable_by_key(|version| std::cmp::Reverse((*version == preferred, *version)));
    let own_wheel = |version: &&Version| found.wheel_tags.iter().any(|tag| is_for(tag, **version));
    if let Some(version) = candidates.iter().find(own_wheel) {
        return Some(*version);
    }
    let any_wheel = |version: &&Version| found.wheel_tags.iter().any(|tag| is_for_every(tag, **version));
    let existed =
        |version: &&Version| newest.is_none_or(|day| era::began(**version).is_none_or(|began| began <= day));
    let with_any: Vec<&Version> = candidates.iter().filter(any_wheel).collect();
    with_any.iter().copied().find(existed).or_else(|| with_any.iter().copied().min()).copied()
}

/// Whether a wheel is made for this interpreter on this kind of machine.
fn is_for(tag: &str, version: Version) -> bool {
    let Some((python, abi, platform)) = fields(tag) else { return false };
    let own = format!("cp{}{}", version.major, version.minor);
    let is_own = python.split('.').any(|one| one == own);
    // A wheel of the stable interface fits its interpreter and all after it.
    let is_stable =
        abi == "abi3" && python.split('.').filter_map(cpython).any(|made_for| made_for <= version);
    (is_own || is_stable) && is_here(platform)
}

/// Whether a wheel holds nothing but Python that this interpreter understands.
fn is_for_every(tag: &str, version: Version) -> bool {
    let Some((python, abi, platform)) = fields(tag) else { return false };
    let major = format!("py{}", version.major);
    abi == "none" && is_here(platform) && python.split('.').any(|one| one == major)
}

fn fields(tag: &str) -> Option<(&str, &str, &str)> {
    let mut fields = tag.splitn(3, '-');
    Some((fields.next()?, fields.next()?, fields.next()?))
}

fn cpython(tag: &str) -> Option<Version> {
    let digits = tag.strip_prefix("cp")?;
    let (major, minor) = digits.split_at_checked(1)?;
    Some(Version { major: major.parse().ok()?, minor: minor.parse().ok()?, patch: 0 })
}

fn is_here(platform: &str) -> bool {
    let one = |platform: &str| {
        platform == "any" || (platform.contains("linux") && platform.ends_with(std::env::consts::ARCH))
    };
    platform.split('.').any(one)
}

#[cfg(test)]
mod tests;
