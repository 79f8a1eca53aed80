//! The gate as a whole, with a thousand names that nobody should be given.

use super::spelling::normal;
use super::*;
use crate::python::provider::{Display, Provider, packages, provider};

fn trusted(name: &str) -> bool {
    judge(name, None, &Rules::default()) == Verdict::Trusted
}

fn old(releases: u32) -> IndexFacts {
    IndexFacts { exists: true, first_upload_days: Some(2000), releases: Some(releases) }
}

fn list(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn what_is_known_is_trusted_however_it_is_spelled() {
    for name in [
        "numpy",
        "scikit-learn",
        "Scikit_Learn",
        "ruamel.yaml",
        "ruamel-yaml",
        "typing_extensions",
        "psycopg2-binary",
    ] {
        assert!(trusted(name), "{name}");
    }
}

#[test]
fn the_configuration_has_the_first_word() {
    let rules = Rules {
        allow: list(&["acme-*", "utils"]),
        deny: list(&["Numpy", "acme-evil"]),
        ask: list(&["pandas"]),
        declared: list(&["our_own.thing"]),
        otherwise: Otherwise::Ask,
    };
    assert!(matches!(judge("numpy", None, &rules), Verdict::Refused { .. }));
    assert!(matches!(judge("acme-evil", None, &rules), Verdict::Refused { .. }));
    assert!(matches!(judge("pandas", None, &rules), Verdict::Ask { .. }));
    for name in ["acme-tools", "utils", "our-own-thing"] {
        assert_eq!(judge(name, None, &rules), Verdict::Trusted, "{name}");
    }
}

#[test]
fn strangers_answer_for_themselves() {
    let rules = Rules::default();
    let young = IndexFacts { first_upload_days: Some(12), ..old(30) };
    let absent = IndexFacts::default();
    let name = "frobnicating-widgetry";
    for (facts, word) in [
        (None, "no package index"),
        (Some(&young), "12 days"),
        (Some(&old(2)), "2 releases"),
        (Some(&old(9)), "not a known package"),
    ] {
        let Verdict::Ask { why, .. } = judge(name, facts, &rules) else { panic!("{word}: not asked") };
        assert!(why.contains(word), "{why}");
    }
    let Verdict::Refused { why, .. } = judge(name, Some(&absent), &rules) else { panic!("not refused") };
    assert!(why.contains("invented"), "{why}");
    let accept = Rules { otherwise: Otherwise::Accept, ..Rules::default() };
    assert_eq!(judge(name, Some(&old(9)), &accept), Verdict::Trusted);
    assert!(matches!(judge(name, Some(&old(1)), &accept), Verdict::Ask { .. }));
}

#[test]
fn a_slip_is_refused_with_the_name_that_was_meant() {
    for (name, meant) in
        [("reqeusts", "requests"), ("sklearn", "scikit-learn"), ("huggingface-cli", "huggingface-hub")]
    {
        let Verdict::Refused { nearest, .. } = judge(name, None, &Rules::default()) else { panic!("{name}") };
        assert!(nearest.contains(&meant), "{name}: {nearest:?}");
    }
    assert!(matches!(judge("reqeusts", Some(&old(50)), &Rules::default()), Verdict::Ask { .. }));
}

#[test]
fn names_of_ones_own_and_of_python_are_refused() {
    let generic = include_str!("../../data/generic.txt").lines();
    for name in
        generic.chain(["json", "os", "urllib2", "ConfigParser", "my-module", "", "a b", "../x", "x\n", "-r"])
    {
        assert!(
            matches!(judge(name, Some(&old(99)), &Rules::default()), Verdict::Refused { .. }),
            "{name:?}"
        );
    }
}

/// What an import means is installed unasked, or the map would be of no use.
#[test]
fn whatever_an_import_means_is_trusted() {
    let modules =
        include_str!("../../data/python/imports.tsv").lines().filter_map(|line| line.split('\t').next());
    let meant = modules.filter(|module| !is_of_python(module)).filter_map(|module| {
        match provider(module, Display::Unused) {
            Provider::Package(provided) => Some(provided.package),
            Provider::Python2 { .. } | Provider::Elsewhere { .. } | Provider::Generic | Provider::Unknown => {
                None
            }
        }
    });
    let meant: std::collections::BTreeSet<&str> = meant.collect();
    assert!(meant.len() > 10_000, "{}", meant.len());
    let asked: Vec<&&str> = meant.iter().filter(|package| !trusted(package)).collect();
    assert_eq!(asked, [&""; 0]);
}

/// A thousand names: slips of popular names made by rule, and compounds that sound as if they existed. None is trusted, and
/// every slip is refused.
#[test]
fn none_of_a_thousand_invented_names_is_trusted() {
    let real: std::collections::HashSet<String> =
        packages().chain(known::POPULAR.lines()).map(normal).collect();
    let invented = |name: &String| !real.contains(&normal(name));
    let verdict = |name: &String| judge(name, None, &Rules::default());
    let slips: Vec<String> = slips().filter(invented).collect();
    let compounds: Vec<String> = compounds().filter(invented).collect();
    assert!(slips.len() + compounds.len() >= 1000, "{} and {}", slips.len(), compounds.len());
    let unnoticed: Vec<&String> =
        slips.iter().filter(|name| !matches!(verdict(name), Verdict::Refused { .. })).collect();
    assert_eq!(unnoticed, [""; 0]);
    let let_through: Vec<&String> =
        compounds.iter().filter(|name| verdict(name) == Verdict::Trusted).collect();
    assert_eq!(let_through, [""; 0]);
}

fn slips() -> impl Iterator<Item = String> {
    known::POPULAR.lines().filter(|name| name.len() > 5).take(160).flat_map(|name| {
        let middle = name.len() / 2;
        let (before, after) = name.split_at(middle);
        [
            format!("{before}{}{after}", &before[middle - 1..]),
            format!("{before}{}", &after[1..]),
            format!("python-{name}"),
            format!("{name}s"),
            format!("{}{}", &name[1..2], name[..1].to_owned() + &name[2..]),
        ]
    })
}

fn compounds() -> impl Iterator<Item = String> {
    let heads = [
        "pandas",
        "numpy",
        "django",
        "flask",
        "torch",
        "openai",
        "langchain",
        "aws",
        "csv",
        "react",
        "fast",
        "auto",
    ];
    let middles = ["easy", "smart", "quick", "super", "simple", "ultra", "magic", "secure"];
    let tails = ["plot", "loader", "toolkit", "bridge", "helper-kit", "sync", "connector", "analyzer"];
    heads.into_iter().flat_map(move |head| {
        middles
            .into_iter()
            .flat_map(move |middle| tails.into_iter().map(move |tail| format!("{head}-{middle}-{tail}")))
    })
}

/// The first questions are answered in another way than the later ones.
#[test]
fn the_same_is_said_however_often_it_is_asked() {
    let asked = || {
        let near = ["reqeusts", "nurnpy", "flasq-restful", "zzzz-nothing"].map(near_misses);
        let known = ["Requests", "scikit_learn", "numpyy", "zope.interface"].map(is_known);
        (near, known)
    };
    let first = asked();
    for _ in 0..10 {
        assert_eq!(asked(), first);
    }
}

#[test]
fn many_names_are_asked_about_quickly() {
    let begun = std::time::Instant::now();
    for number in 0..2_000 {
        let name = format!("q{number:x}unknownname");
        assert!(!is_known(&name));
        near_misses(&name);
    }
    // Slow machines and builds without optimisation; one by one it took a minute.
    assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
}
