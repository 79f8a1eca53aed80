//! Every package may be used: its licence expression can be met with the licences of deny.toml alone.

use super::deny;
use super::graph::Package;
use crate::finding::Finding;

pub fn judge(packages: &[Package], allowed: &[String]) -> Vec<Finding> {
    packages.iter().filter_map(|package| judge_package(package, allowed)).collect()
}

fn judge_package(package: &Package, allowed: &[String]) -> Option<Finding> {
    let place = format!("{} {}", package.name, package.version);
    let advice = format!("choose another package, or justify its licence in {}", deny::FILE);
    let Some(licence) = &package.licence else {
        return Some(Finding::new(place, "this package has no licence", advice));
    };
    let rule = format!("its licence `{licence}` is not allowed");
    (!is_met(licence, allowed)).then(|| Finding::new(place, rule, advice))
}

/// Whether the SPDX expression can be met. The old `A/B` means `A OR B`; what cannot be read is not met.
fn is_met(expression: &str, allowed: &[String]) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut words = Words { words: spaced.split_whitespace().collect(), at: 0, allowed };
    let met = words.any_of();
    met == Some(true) && words.at == words.words.len()
}

/// Recursive descent: any of (OR) all of (AND) one.
struct Words<'a> {
    words: Vec<&'a str>,
    at: usize,
    allowed: &'a [String],
}

impl Words<'_> {
    fn any_of(&mut self) -> Option<bool> {
        let mut met = self.all_of()?;
        while self.took("OR") {
            met |= self.all_of()?;
        }
        Some(met)
    }

    fn all_of(&mut self) -> Option<bool> {
        let mut met = self.one()?;
        while self.took("AND") {
            met &= self.one()?;
        }
        Some(met)
    }

    fn one(&mut self) -> Option<bool> {
        if self.took("(") {
            let met = self.any_of()?;
            return self.took(")").then_some(met);
        }
        let mut licence = self.next()?;
        if self.took("WITH") {
            licence = format!("{licence} WITH {}", self.next()?);
        }
        Some(self.allowed.contains(&licence))
    }

    fn next(&mut self) -> Option<String> {
        let word = self.words.get(self.at)?;
        self.at += 1;
        Some((*word).to_owned())
    }

    fn took(&mut self, word: &str) -> bool {
        let is_next = self.words.get(self.at) == Some(&word);
        self.at += usize::from(is_next);
        is_next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed() -> Vec<String> {
        ["MIT", "Unicode-3.0", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned).to_vec()
    }

    #[test]
    fn expressions() {
        for (expression, met) in [
            ("MIT", true),
            ("GPL-3.0-only", false),
            ("GPL-3.0-only OR MIT", true),
            ("Apache-2.0/MIT", true),
            ("GPL-3.0-only AND MIT", false),
            ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
            ("MIT AND (Apache-2.0 OR BSD-3-Clause)", false),
            ("GPL-3.0-only AND MIT OR MIT", true),
            ("Apache-2.0 WITH LLVM-exception", true),
            ("Apache-2.0", false),
            ("MIT WITH LLVM-exception", false),
            ("", false),
            ("MIT OR", false),
            ("(MIT", false),
            ("MIT MIT", false),
        ] {
            assert_eq!(is_met(expression, &allowed()), met, "{expression}");
        }
    }

    #[test]
    fn packages_without_or_with_another_licence_are_found() {
        let package = |licence: Option<&str>| Package {
            name: "a".to_owned(),
            version: "1.0.0".to_owned(),
            licence: licence.map(str::to_owned),
        };
        let packages = [package(Some("MIT")), package(None), package(Some("GPL-3.0-only"))];
        let rules: Vec<String> =
            judge(&packages, &allowed()).into_iter().map(|finding| finding.rule).collect();
        assert_eq!(rules, ["this package has no licence", "its licence `GPL-3.0-only` is not allowed"]);
    }
}
