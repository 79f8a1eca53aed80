//! One version of each package, except where deny.toml says why not.

use std::collections::BTreeMap;

use super::deny::{self, Skip};
use super::graph::Package;
use crate::finding::Finding;

pub fn judge(packages: &[Package], skips: &[Skip]) -> Vec<Finding> {
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in packages {
        versions.entry(&package.name).or_default().push(&package.version);
    }
    let duplicates = versions.iter().filter_map(|(name, versions)| duplicate(name, versions, skips));
    duplicates.chain(skips.iter().filter_map(|skip| unused(skip, &versions))).collect()
}

fn duplicate(name: &str, versions: &[&str], skips: &[Skip]) -> Option<Finding> {
    let is_skipped = |version: &str| skips.iter().any(|skip| skip.covers(name, version));
    let left: Vec<&str> = versions.iter().copied().filter(|version| !is_skipped(version)).collect();
    let rule = format!("{} versions are built: {}", left.len(), left.join(", "));
    let advice =
        format!("move to one (`cargo tree --duplicates`), or add a skip with its reason to {}", deny::FILE);
    (left.len() > 1).then(|| Finding::new(name, rule, advice))
}

/// A skip whose version is gone, or is the only one left, hides the next duplicate.
fn unused(skip: &Skip, versions: &BTreeMap<&str, Vec<&str>>) -> Option<Finding> {
    let is_needed = versions.iter().any(|(name, versions)| {
        versions.len() > 1 && versions.iter().any(|version| skip.covers(name, version))
    });
    let rule = format!("the skip of `{}` is no longer needed", skip.package);
    (!is_needed).then(|| Finding::new(deny::FILE, rule, "remove it"))
}

impl Skip {
    fn covers(&self, name: &str, version: &str) -> bool {
        let Some((skipped, beginning)) = self.package.split_once('@') else {
            return self.package == name;
        };
        skipped == name && (version == beginning || version.starts_with(&format!("{beginning}.")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(packages: &[(&str, &str)], skips: &[&str]) -> Vec<String> {
        let packages: Vec<Package> = packages
            .iter()
            .map(|(name, version)| Package {
                name: (*name).into(),
                version: (*version).into(),
                licence: None,
            })
            .collect();
        let skips: Vec<Skip> =
            skips.iter().map(|package| Skip { package: (*package).into(), reason: "test".into() }).collect();
        judge(&packages, &skips)
            .into_iter()
            .map(|finding| format!("{} {}", finding.place, finding.rule))
            .collect()
    }

    const TWO: &[(&str, &str)] = &[("syn", "2.0.1"), ("syn", "3.0.0"), ("one", "1.0.0")];

    #[test]
    fn duplicates_are_found_unless_skipped() {
        assert_eq!(rules(TWO, &[]), ["syn 2 versions are built: 2.0.1, 3.0.0"]);
        assert_eq!(rules(TWO, &["syn@2"]), [""; 0]);
        assert_eq!(rules(TWO, &["syn@2.0.1"]), [""; 0]);
        assert_eq!(rules(TWO, &["syn"]), [""; 0]);
    }

    #[test]
    fn skips_that_skip_nothing_are_found() {
        for skip in ["one@1", "syn@4", "gone"] {
            let expected = format!("deny.toml the skip of `{skip}` is no longer needed");
            assert!(rules(TWO, &["syn@2", skip]).contains(&expected), "{skip}");
        }
        assert!(rules(&[("syn", "21.0.0"), ("syn", "3.0.0")], &["syn@2"]).len() == 2);
    }
}
