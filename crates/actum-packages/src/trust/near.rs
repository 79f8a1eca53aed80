//! Names that are one slip away from others.

use super::known;
use super::spelling::{core, normal, skeleton};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// No more names than a reader looks at.
const SHOWN: usize = 5;

/// Known packages of Python that this name may have been meant for, the likeliest first.
pub fn near_misses(name: &str) -> Vec<&'static str> {
    PYTHON.nearest(name)
}

/// The popular package of Python that a name is one slip away from; none where the name is known itself.
pub fn slip_of_popular(name: &str) -> Option<&'static str> {
    if known::is_known(name) { None } else { PYTHON.of_popular(name) }
}

pub(crate) static PYTHON: Slips = Slips::new(|| known::POPULAR.lines().collect(), || known::all().collect());

/// The names of one index against which slips are told.
pub(crate) struct Slips {
    popular: fn() -> Vec<&'static str>,
    all: fn() -> Vec<&'static str>,
    prepared: OnceLock<Vec<Target>>,
    /// All names, for whoever asks more than once.
    others: OnceLock<Vec<Other>>,
    is_asked: AtomicBool,
}

struct Other {
    name: &'static str,
    normal: String,
    letters: u64,
}

struct Target {
    name: &'static str,
    normal: String,
    skeleton: String,
    core: String,
    letters: u64,
}

impl Slips {
    pub(crate) const fn new(popular: fn() -> Vec<&'static str>, all: fn() -> Vec<&'static str>) -> Self {
        Slips {
            popular,
            all,
            prepared: OnceLock::new(),
            others: OnceLock::new(),
            is_asked: AtomicBool::new(false),
        }
    }

    /// The popular name that this one can be taken for.
    pub(crate) fn of_popular(&self, name: &str) -> Option<&'static str> {
        let asked = Target::new_of(name);
        let popular = self.prepared();
        if popular.iter().any(|target| target.normal == asked.normal) {
            return None;
        }
        let near = popular.iter().filter_map(|target| Some((slip(&asked, target)?, target.name)));
        near.min_by_key(|(distance, _)| *distance).map(|(_, name)| name)
    }

    /// Names that may have been meant: slips of popular ones, slips of others, then popular ones that it is made of.
    pub(crate) fn nearest(&self, name: &str) -> Vec<&'static str> {
        let asked = Target::new_of(name);
        let popular =
            self.prepared().iter().filter_map(|target| Some((slip(&asked, target)? * 2, target.name)));
        let mut found: Vec<(usize, &'static str)> = popular.chain(self.far(&asked)).collect();
        found.sort_by_key(|(distance, _)| *distance);
        let parts = asked.normal.split('-').filter(|part| part.len() > 2);
        let made_of = parts.filter_map(|part| self.prepared().iter().find(|target| target.normal == part));
        let mut names: Vec<&'static str> = Vec::new();
        for name in found.into_iter().map(|(_, name)| name).chain(made_of.map(|target| target.name)) {
            let is_new = names.len() < SHOWN && !names.iter().any(|one| normal(one) == normal(name));
            if is_new && normal(name) != asked.normal {
                names.push(name);
            }
        }
        names
    }

    /// Slips of names that need not be popular.
    fn far(&self, asked: &Target) -> Vec<(usize, &'static str)> {
        let as_found = |distance: usize, name| (distance * 2 + 1, name);
        if !self.is_asked.swap(true, Ordering::Relaxed) {
            let names = (self.all)().into_iter();
            return names.filter_map(|name| Some(as_found(far_slip(asked, name)?, name))).collect();
        }
        let others = self.others.get_or_init(|| (self.all)().into_iter().map(Other::new).collect());
        let slip = |other: &Other| {
            let distance = apart(asked, &other.normal, other.letters).filter(|distance| *distance > 0)?;
            Some(as_found(distance, other.name))
        };
        others.iter().filter_map(slip).collect()
    }

    fn prepared(&self) -> &[Target] {
        self.prepared.get_or_init(|| (self.popular)().into_iter().map(Target::new).collect())
    }
}

impl Other {
    fn new(name: &'static str) -> Self {
        let normal = normal(name);
        Self { name, letters: letters(&normal), normal }
    }
}

impl Target {
    fn new(name: &'static str) -> Self {
        Target { name, ..Target::new_of(name) }
    }

    /// A name that is asked about, which has no place in a table.
    fn new_of(name: &str) -> Self {
        let normal = normal(name);
        Target {
            name: "",
            skeleton: skeleton(&normal),
            core: core(&normal),
            letters: letters(&normal),
            normal,
        }
    }
}

/// The same for one of the many other names, which are not prepared: letters alone are compared.
fn far_slip(asked: &Target, name: &str) -> Option<usize> {
    if asked.normal.len().abs_diff(name.len()) > allowed(asked.normal.len().min(name.len())) {
        return None;
    }
    let normal = normal(name);
    apart(asked, &normal, letters(&normal)).filter(|distance| *distance > 0)
}

/// How far one name is from another, if that is near enough to be a slip. Nothing is looked at beyond a length that hides it.
fn slip(asked: &Target, target: &Target) -> Option<usize> {
    if asked.normal == target.normal {
        return None;
    }
    if asked.skeleton == target.skeleton || asked.core == target.core && asked.core.len() > 2 {
        return Some(1);
    }
    apart(asked, &target.normal, target.letters)
}

/// In how many letters two names differ, if in few.
fn apart(asked: &Target, normal: &str, other: u64) -> Option<usize> {
    let most = allowed(normal.len().min(asked.normal.len()));
    let is_too_far = asked.normal.len().abs_diff(normal.len()) > most;
    if most == 0 || is_too_far || foreign_letters(asked.letters, other) > most {
        return None;
    }
    distance(asked.normal.as_bytes(), normal.as_bytes(), most)
}

/// Which letters a name has, a bit for each.
fn letters(normal: &str) -> u64 {
    normal.bytes().fold(0, |letters, letter| letters | 1 << (letter % 64))
}

/// How many letters only one of two names has. A slip brings in one at most, so this spares most comparisons.
fn foreign_letters(one: u64, other: u64) -> usize {
    let most = (one & !other).count_ones().max((other & !one).count_ones());
    usize::try_from(most).unwrap_or(usize::MAX)
}

/// How many slips a name of this length can bear. Short names are near to one another by nature.
fn allowed(length: usize) -> usize {
    match length {
        0..=3 => 0,
        4..=7 => 1,
        8.. => 2,
    }
}

/// Letters left out, put in, changed or swapped with their neighbour; nothing where it takes more than `most`.
fn distance(one: &[u8], other: &[u8], most: usize) -> Option<usize> {
    let width = other.len() + 1;
    let mut before_last = vec![0; width];
    let mut last: Vec<usize> = (0..width).collect();
    for (row, letter) in one.iter().enumerate() {
        let mut current = vec![row + 1; width];
        for column in 1..width {
            let changed = last[column - 1] + usize::from(*letter != other[column - 1]);
            current[column] = changed.min(last[column] + 1).min(current[column - 1] + 1);
            let is_swap =
                row > 0 && column > 1 && *letter == other[column - 2] && one[row - 1] == other[column - 1];
            if is_swap {
                current[column] = current[column].min(before_last[column - 2] + 1);
            }
        }
        if current.iter().min().is_some_and(|least| *least > most) {
            return None;
        }
        before_last = std::mem::replace(&mut last, current);
    }
    last.last().copied().filter(|distance| *distance <= most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn slips_are_told() {
        for (name, popular) in [
            ("reqeusts", "requests"),
            ("request", "requests"),
            ("requestss", "requests"),
            ("python-requests", "requests"),
            ("requests-python", "requests"),
            ("requests3", "requests"),
            ("numpyy", "numpy"),
            ("nurnpy", "numpy"),
            ("pand4s", "pandas"),
            ("scikitlearn", "scikit-learn"),
            ("learn-scikit", "scikit-learn"),
            ("beautifulsoup5", "beautifulsoup4"),
            ("matplotlb", "matplotlib"),
            ("djang0", "django"),
            ("python_dateutils", "python-dateutil"),
            ("\u{440}andas", "pandas"),
        ] {
            assert_eq!(PYTHON.of_popular(name), Some(popular), "{name}");
            assert!(near_misses(name).contains(&popular), "{name}: {:?}", near_misses(name));
        }
    }

    #[test]
    fn what_is_far_is_no_slip() {
        for name in ["requests", "zzzzzzzzz", "my-own-plotting-thing", "", "é"] {
            assert_eq!(PYTHON.of_popular(name), None, "{name}");
        }
    }

    #[test]
    fn parts_of_an_invented_name_are_shown() {
        assert!(near_misses("pandas-easy-plot").contains(&"pandas"));
    }

    proptest! {
        #[test]
        fn distances_are_distances(one in "[a-d-]{0,8}", other in "[a-d-]{0,8}") {
            let there = distance(one.as_bytes(), other.as_bytes(), 9);
            prop_assert_eq!(there, distance(other.as_bytes(), one.as_bytes(), 9));
            prop_assert_eq!(there == Some(0), one == other);
        }

        #[test]
        fn anything_is_asked_about(name in ".{0,30}") {
            prop_assert!(near_misses(&name).len() <= SHOWN);
        }
    }
}
