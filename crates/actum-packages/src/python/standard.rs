//! What belongs to Python itself, and since when it no longer does.

use super::{prefixes, top_of};
use crate::table::Table;

static STANDARD: Table = Table::new(include_str!("../../data/python/standard.tsv"));
static REMOVED: Table = Table::new(include_str!("../../data/python/removed-standard.tsv"));
static REMOVED_NAMES: Table = Table::new(include_str!("../../data/python/standard-names.tsv"));
static PYTHON2: Table = Table::new(include_str!("../../data/python/python2.tsv"));

/// The versions between which the tables tell apart. Older and newer ones are taken for their nearest neighbours.
const OLDEST: PythonVersion = PythonVersion(3, 6);
const NEWEST: PythonVersion = PythonVersion(3, 14);
const PYTHON_2: PythonVersion = PythonVersion(2, 7);

/// A version of Python: major, minor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PythonVersion(pub u8, pub u8);

impl PythonVersion {
    /// Reads `3.11`, also with more behind it.
    pub fn read(text: &str) -> Option<Self> {
        let mut parts = text.trim().split('.');
        Some(PythonVersion(parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
    }

    /// The version that the tables hold for it.
    fn listed(self) -> Self {
        if self.0 < 3 { PYTHON_2 } else { self.clamp(OLDEST, NEWEST) }
    }
}

/// A module that Python gave up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemovedModule {
    pub module: &'static str,
    /// The first version without it.
    pub removed_in: PythonVersion,
    /// The requirement that brings it back; without one only an older Python has it.
    pub back: Option<&'static str>,
}

/// Whether a module, given with or without dots, belongs to this version of Python.
pub fn is_standard(module: &str, version: PythonVersion) -> bool {
    let Some(row) = STANDARD.find(top_of(module)) else { return false };
    let version = version.listed();
    row.field(1).split(' ').any(|range| within(range, version))
}

/// Whether a module was part of Python and is not of this version.
pub fn removed_standard(module: &str, version: PythonVersion) -> Option<RemovedModule> {
    let row = prefixes(module).find_map(|name| REMOVED.find(name))?;
    let removed_in = PythonVersion::read(row.field(1))?;
    (version >= removed_in).then(|| RemovedModule { module: row.key(), removed_in, back: row.given(2) })
}

/// The first version of Python without a name of its own library: `collections.Mapping` is gone since 3.10.
pub fn removed_standard_name(name: &str) -> Option<PythonVersion> {
    PythonVersion::read(REMOVED_NAMES.find(name)?.field(1))
}

/// For a module that only Python 2 has: where Python 3 keeps the same, if anywhere.
pub fn python3_name(module: &str) -> Option<Option<&'static str>> {
    PYTHON2.find(top_of(module)).map(|row| row.given(1))
}

/// `2.7` is one version, `3.6-3.11` are several, `3.4-` has no end.
fn within(range: &str, version: PythonVersion) -> bool {
    let (first, last) = range.split_once('-').unwrap_or((range, range));
    let first = PythonVersion::read(first).is_some_and(|first| first <= version);
    let last =
        last.is_empty() && version.0 == 3 || PythonVersion::read(last).is_some_and(|last| version <= last);
    first && last
}

#[cfg(test)]
mod tests {
    use super::*;

    const PYTHON_3_11: PythonVersion = PythonVersion(3, 11);

    #[test]
    fn modules_come_and_go() {
        for (module, version, expected) in [
            ("os.path", (3, 11), true),
            ("numpy", (3, 11), false),
            ("urllib2", (2, 7), true),
            ("urllib2", (3, 6), false),
            ("dataclasses", (3, 6), false),
            ("dataclasses", (3, 7), true),
            ("tomllib", (3, 10), false),
            ("tomllib", (3, 11), true),
            ("distutils", (3, 11), true),
            ("distutils.core", (3, 12), false),
            ("telnetlib", (3, 13), false),
            ("compression", (3, 14), true),
            ("zoneinfo", (3, 20), true),
            ("asyncio", (3, 4), true),
            ("asyncio", (2, 6), false),
            ("", (3, 11), false),
        ] {
            assert_eq!(
                is_standard(module, PythonVersion(version.0, version.1)),
                expected,
                "{module} {version:?}"
            );
        }
    }

    #[test]
    fn what_was_given_up_names_its_successor() {
        let distutils = removed_standard("distutils.core", PythonVersion(3, 12)).unwrap();
        assert_eq!((distutils.module, distutils.back), ("distutils", Some("setuptools<81")));
        assert_eq!(removed_standard("distutils", PYTHON_3_11), None);
        assert_eq!(
            removed_standard("cgi", PythonVersion(3, 13)).and_then(|one| one.back),
            Some("legacy-cgi")
        );
        assert_eq!(removed_standard("os", PythonVersion(3, 13)), None);
    }

    #[test]
    fn names_within_modules_are_gone_too() {
        for (name, expected) in [
            ("collections.Mapping", Some(PythonVersion(3, 10))),
            ("time.clock", Some(PythonVersion(3, 8))),
            ("fractions.gcd", Some(PythonVersion(3, 9))),
            ("inspect.getargspec", Some(PythonVersion(3, 11))),
            ("collections.OrderedDict", None),
        ] {
            assert_eq!(removed_standard_name(name), expected, "{name}");
        }
    }

    #[test]
    fn python_2_is_told_by_its_names() {
        assert_eq!(python3_name("urllib2"), Some(Some("urllib.request")));
        assert_eq!(python3_name("Tkinter"), Some(Some("tkinter")));
        assert_eq!(python3_name("urllib"), None);
    }

    /// Each name of Python 2 alone is in both tables, or a program that needs Python 2 would be given packages.
    #[test]
    fn the_tables_agree() {
        for row in STANDARD.rows() {
            let only_2 = row.field(1) == "2.7";
            assert_eq!(python3_name(row.key()).is_some(), only_2, "{}", row.key());
            assert_eq!(STANDARD.find(row.key()), Some(row));
        }
        for row in REMOVED.rows().filter(|row| !row.key().contains('.')) {
            let removed_in = PythonVersion::read(row.field(1)).unwrap();
            assert!(!is_standard(row.key(), removed_in), "{}", row.key());
            assert!(is_standard(row.key(), PythonVersion(3, removed_in.1 - 1)), "{}", row.key());
        }
    }
}
