//! The floors of the house, and who may lean on whom. The drawing is in docs/architecture.md.

use super::metadata::Crate;
use crate::finding::Finding;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Leans only on lower floors.
    Floor(u8),
    /// Leans on whatever it likes; no room leans on it outside tests.
    Beside,
}

use Place::{Beside, Floor};

const PLACES: &[(&str, Place)] = &[
    ("actum", Floor(8)),
    ("actum-serve", Floor(8)),
    ("actum-screen", Floor(7)),
    ("actum-flow", Floor(6)),
    ("actum-experiment", Floor(6)),
    ("actum-evidence", Floor(5)),
    ("actum-engine", Floor(4)),
    ("actum-run", Floor(3)),
    ("actum-store", Floor(3)),
    ("actum-claims", Floor(3)),
    ("actum-prepare", Floor(2)),
    ("actum-git", Floor(2)),
    ("actum-changes", Floor(2)),
    ("actum-commands", Floor(2)),
    ("actum-metrics", Floor(2)),
    ("actum-parameters", Floor(2)),
    ("actum-sandbox", Floor(1)),
    ("actum-egress", Floor(1)),
    ("actum-attacks", Floor(1)),
    ("actum-sql", Floor(1)),
    ("actum-sweep", Floor(1)),
    ("actum-packages", Floor(1)),
    ("actum-syntax", Floor(1)),
    ("actum-output", Floor(1)),
    ("actum-risk", Floor(1)),
    ("actum-languages", Floor(1)),
    ("actum-answers", Floor(1)),
    ("actum-determinism", Floor(1)),
    ("actum-judge", Floor(1)),
    ("actum-gate", Floor(0)),
    ("actum-model", Floor(0)),
    ("actum-testkit", Beside),
    ("xtask", Beside),
];

/// The only dependencies within a floor: the front door opens the other one, and the gate gives out the model's `Untrusted`.
const SIDEWAYS: &[(&str, &str)] = &[("actum", "actum-serve"), ("actum-gate", "actum-model")];

/// Each pair that knows of each other only through a trait of a lower floor.
const STRANGERS: &[(&str, &str)] = &[("actum-run", "actum-store")];

/// Findings for crates that are not in the table, and for dependencies that do not point down.
pub fn judge(crates: &[Crate]) -> Vec<Finding> {
    let names: Vec<&str> = crates.iter().map(|one| one.name.as_str()).collect();
    crates.iter().flat_map(|one| judge_crate(one, &names)).collect()
}

fn judge_crate(one: &Crate, names: &[&str]) -> Vec<Finding> {
    let Some(place) = place_of(&one.name) else {
        let advice =
            "justify it in docs/architecture.md, then give it a layer in crates/xtask/src/check/layers.rs";
        return vec![Finding::new(&one.name, "this crate has no layer", advice)];
    };
    let ours = one.dependencies.iter().filter(|name| names.contains(&name.as_str()));
    ours.filter_map(|below| judge_pair((&one.name, place), below)).collect()
}

fn judge_pair((name, place): (&str, Place), below: &str) -> Option<Finding> {
    let rule = match (place, place_of(below)?) {
        (Beside, _) => return None,
        (Floor(_), Beside) => "a product crate depends on a development crate",
        (Floor(upper), Floor(lower)) if upper > lower || SIDEWAYS.contains(&(name, below)) => return None,
        (Floor(_), Floor(_)) if are_strangers(name, below) => {
            "two crates that must not depend on each other do"
        }
        (Floor(upper), Floor(lower)) if upper == lower => "a crate depends on a crate of its own layer",
        (Floor(_), Floor(_)) => "a crate depends on a higher layer",
    };
    let advice = match place_of(below)? {
        Beside => "make it a dev-dependency, or move the code to a product crate",
        Floor(_) => "move the code to a lower layer, or take it as a trait that the higher layer implements",
    };
    Some(Finding::new(format!("{name} -> {below}"), rule, advice))
}

fn are_strangers(one: &str, other: &str) -> bool {
    STRANGERS.contains(&(one, other)) || STRANGERS.contains(&(other, one))
}

fn place_of(name: &str) -> Option<Place> {
    PLACES.iter().find(|(known, _)| *known == name).map(|(_, place)| *place)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rule that is broken when `name` leans on `below`, if any.
    fn rule(name: &str, below: &str) -> Option<String> {
        let crates = [
            Crate { name: name.to_owned(), dependencies: vec![below.to_owned(), "serde".to_owned()] },
            Crate { name: below.to_owned(), dependencies: Vec::new() },
        ];
        judge(&crates).into_iter().next().map(|finding| finding.rule)
    }

    #[test]
    fn down_is_allowed() {
        for (name, below) in [
            ("actum-sandbox", "actum-model"),
            ("actum-attacks", "actum-model"),
            ("actum-run", "actum-sandbox"),
            ("actum-flow", "actum-store"),
            ("actum", "actum-model"),
            ("actum", "actum-serve"),
            ("actum", "actum-sql"),
            ("actum", "actum-syntax"),
            ("xtask", "actum"),
            ("actum-testkit", "actum-run"),
        ] {
            assert_eq!(rule(name, below), None, "{name} -> {below}");
        }
    }

    #[test]
    fn every_other_way_is_found() {
        for (name, below, expected) in [
            ("actum-model", "actum-sandbox", "a crate depends on a higher layer"),
            ("actum-store", "actum-flow", "a crate depends on a higher layer"),
            ("actum-attacks", "actum-sandbox", "a crate depends on a crate of its own layer"),
            ("actum-serve", "actum", "a crate depends on a crate of its own layer"),
            ("actum-run", "actum-store", "two crates that must not depend on each other do"),
            ("actum-store", "actum-run", "two crates that must not depend on each other do"),
            ("actum-flow", "actum-testkit", "a product crate depends on a development crate"),
            ("actum", "xtask", "a product crate depends on a development crate"),
            ("actum-attic", "actum-model", "this crate has no layer"),
        ] {
            assert_eq!(rule(name, below).as_deref(), Some(expected), "{name} -> {below}");
        }
    }
}
