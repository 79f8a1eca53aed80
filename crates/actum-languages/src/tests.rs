//! The table is sound, plans are what a person would do, and real runtimes take them.

mod plans;
mod real;
mod users;

use super::*;
use std::collections::BTreeMap;

#[test]
fn names_and_first_lines_mean_one_language() {
    let languages = Languages::builtin();
    let mut owners: BTreeMap<String, &str> = BTreeMap::new();
    for language in languages.iter() {
        let labels = [&language.name].into_iter().chain(&language.names).map(|name| format!("label {name}"));
        let shebangs = language.shebangs.iter().map(|shebang| format!("shebang {shebang}"));
        for claim in labels.chain(shebangs) {
            let other = owners.insert(claim.clone(), &language.name);
            assert_eq!(other, None, "{claim} is of {} too", language.name);
        }
    }
}

#[test]
fn extensions_mean_one_language_but_for_shells() {
    let languages = Languages::builtin();
    let mut owners: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for language in languages.iter() {
        for extension in &language.extensions {
            assert_eq!(*extension, extension.to_lowercase());
            owners.entry(extension).or_default().push(&language.name);
        }
    }
    let shared: Vec<_> = owners.into_iter().filter(|(_, owners)| owners.len() > 1).collect();
    assert_eq!(shared, [("sh", vec!["bash", "sh"])]);
}

#[test]
fn every_language_is_whole() {
    for language in Languages::builtin().iter() {
        let name = &language.name;
        assert!(!language.title.is_empty() && !language.staged_as.is_empty(), "{name}");
        assert!(language.install.hint().is_some_and(|hint| hint.starts_with("install it with: ")), "{name}");
        assert!(!language.extensions.is_empty() && !language.runtimes.is_empty(), "{name}");
        for runtime in &language.runtimes {
            let checks = runtime.checks.iter().map(|check| &check.command);
            let compiling = runtime.compiling.as_ref().map(|compiling| &compiling.command);
            for template in
                checks.chain(compiling).chain([&runtime.run, &runtime.shown, &runtime.shown_inline])
            {
                assert_eq!(template.unknown_hole(), None, "{name}");
            }
            assert!(runtime.run.uses(Hole::File) != runtime.run.uses(Hole::Output), "{name}");
            assert_eq!(runtime.run.uses(Hole::Output), runtime.compiling.is_some(), "{name}");
        }
    }
}

#[test]
fn fixtures_cover_the_table() {
    let languages = Languages::builtin();
    let mut named: Vec<&str> = fixtures::FIXTURES.iter().map(|fixture| fixture.language).collect();
    let mut known: Vec<&str> = languages.iter().map(|language| language.name.as_str()).collect();
    named.sort_unstable();
    known.sort_unstable();
    assert_eq!(named, known);
    assert!(fixtures::FIXTURES.iter().all(|fixture| (3..=5).contains(&fixture.good.len())));
}
