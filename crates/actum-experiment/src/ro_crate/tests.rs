//! Names in a crate, and crates of anything.

use super::{CrateInput, CrateSource, FileRole, Publication, paths, run_crate};
use crate::compare::tests::fixture::original;
use actum_model::{Bytes, Digest, Moment};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn source(role: FileRole, path: &str) -> CrateSource {
    CrateSource { role, path: path.to_owned(), bytes: Bytes(3), sha256: Digest::of(path) }
}

fn publication() -> Publication {
    Publication {
        author: None,
        organization: None,
        license: None,
        repository: None,
        published_at: Moment(1_763_202_600_000_000),
        actum: "0.1.0".to_owned(),
    }
}

#[test]
fn names_are_harmless_and_unique() {
    let names = [
        "data/a.csv",
        "./data//A.csv",
        "../../etc/passwd",
        "/abs/x",
        "a\nb\\c:",
        "",
        "..",
        "data/a.csv/x",
        "ä ö.txt",
    ];
    let sources: Vec<CrateSource> = names.iter().map(|name| source(FileRole::Input, name)).collect();
    let placed: Vec<String> = paths::place(&sources).into_iter().map(|file| file.path).collect();
    let expected = [
        "inputs/data/a.csv",
        "inputs/2/data/A.csv",
        "inputs/__/__/etc/passwd",
        "inputs/abs/x",
        "inputs/a_b_c_",
        "inputs/unnamed",
        "inputs/__ ",
        "inputs/2/data/a.csv/x",
        "inputs/ä ö.txt",
    ];
    for (index, (found, expected)) in placed.iter().zip(expected).enumerate() {
        // `..` takes the name that is left.
        if index == 6 {
            assert!(found.starts_with("inputs/2/__") || found == "inputs/2/__", "{found}");
        } else if index == 7 {
            assert!(found.ends_with("a.csv/x") && found != "inputs/data/a.csv/x", "{found}");
        } else {
            assert_eq!(found, expected);
        }
    }
    assert_eq!(paths::address("inputs/ä ö#.txt"), "inputs/%C3%A4%20%C3%B6%23.txt");
    let long = paths::place(&[source(FileRole::Output, &"é".repeat(400))]);
    assert!(long[0].path.len() < 140, "{}", long[0].path);
}

proptest! {
    #[test]
    fn any_names_have_places_of_their_own(names in proptest::collection::vec("[aA./\\PC\\p{Cc}]{0,6}", 0..12)) {
        let sources: Vec<CrateSource> = names.iter().map(|name| source(FileRole::Output, name)).collect();
        let facts = original();
        let publication = publication();
        let input = CrateInput { manifest: &facts.manifest, result: None, sources: &sources, publication: &publication };
        let made = run_crate(input);
        let folded: BTreeSet<String> = made.files.iter().map(|file| file.path.to_lowercase()).collect();
        prop_assert_eq!(folded.len(), names.len());
        for path in &folded {
            prop_assert!(path.split('/').all(|part| !part.is_empty() && part != "." && part != ".."), "{}", path);
            prop_assert!(!folded.iter().any(|other| other.starts_with(&format!("{path}/"))), "{}", path);
        }
        let graph: serde_json::Value = serde_json::from_str(&made.metadata).expect("it is JSON");
        let entities = graph["@graph"].as_array().expect("a list");
        let ids: BTreeSet<&str> = entities.iter().filter_map(|entity| entity["@id"].as_str()).collect();
        prop_assert_eq!(ids.len(), entities.len());
    }
}
