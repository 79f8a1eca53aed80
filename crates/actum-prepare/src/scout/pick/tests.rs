use super::*;

fn version(minor: u32) -> Version {
    Version { major: 3, minor, patch: 1 }
}

fn all() -> Vec<Version> {
    (6..=13).map(version).collect()
}

fn sought() -> Sought {
    let (package, module) = ("gadget".to_owned(), "gadget".to_owned());
    Sought { package, module, name: Some("old".to_owned()), keyword: None, below: None }
}

fn found(uploaded: &str, next: Option<&str>, tags: &[&str]) -> Found {
    let here = |tag: &&str| tag.replace("HERE", &format!("manylinux1_{}", std::env::consts::ARCH));
    Found {
        release: "1.2.3".to_owned(),
        uploaded: Some(uploaded.to_owned()),
        next_release: next.map(|_| "2.0".to_owned()),
        next_uploaded: next.map(str::to_owned),
        requires_python: None,
        wheel_tags: tags.iter().map(here).collect(),
        source: true,
    }
}

#[test]
fn the_rest_is_of_the_days_between_this_series_and_the_next() {
    let any = ["py3-none-any"];
    let cases = [
        // Half a year where the next series took longer, or never came.
        (found("2018-07-15T15:33:55Z", None, &any), Some("2019-01-11"), None),
        (found("2018-07-15T15:33:55Z", Some("2020-01-01T00:00:00Z"), &any), Some("2019-01-11"), None),
        // The day before the next series where that came sooner.
        (found("2018-07-15T15:33:55Z", Some("2018-09-26T00:00:00Z"), &any), Some("2018-09-25"), None),
        // A release that mends an old series long after: its neighbours are older than it is.
        (
            found("2024-03-04T08:56:47Z", Some("2021-12-07T00:00:00Z"), &any),
            Some("2021-12-06"),
            Some("2024-03-05"),
        ),
    ];
    for (found, newest, own) in cases {
        let pick = pick(&sought(), &found, &all(), version(11));
        assert_eq!(pick.requirement, "gadget==1.2.3");
        assert_eq!((pick.newest.as_deref(), pick.own_newest.as_deref()), (newest, own), "{found:?}");
    }
}

#[test]
fn an_index_without_dates_gives_a_version_and_no_day() {
    let undated = Found { uploaded: None, ..found("", None, &["py3-none-any"]) };
    let pick = pick(&sought(), &undated, &all(), version(11));
    assert_eq!((pick.newest, pick.own_newest, pick.interpreter), (None, None, Some(version(11))));
}

#[test]
fn the_interpreter_is_one_that_the_release_was_made_for() {
    let chosen = |tags: &[&str], range: Option<&str>, uploaded: &str| {
        let mut found = found(uploaded, None, tags);
        found.requires_python = range.map(str::to_owned);
        pick(&sought(), &found, &all(), version(11)).interpreter.map(|version| version.minor)
    };
    type Case<'a> = (&'a [&'a str], Option<&'a str>, &'a str, Option<u32>);
    let cases: &[Case<'_>] = &[
        // The preferred one has a wheel.
        (&["cp311-cp311-HERE", "cp312-cp312-HERE"], None, "2023-07-01", Some(11)),
        // It has none; the newest that does.
        (&["cp36-cp36m-HERE", "cp37-cp37m-HERE", "cp27-cp27mu-HERE"], None, "2019-07-01", Some(7)),
        (&["cp36-cp36m-HERE", "cp37-cp37m-HERE"], Some("<3.7"), "2019-07-01", Some(6)),
        // Wheels for other machines do not count.
        (&["cp311-cp311-win_amd64", "cp39-cp39-HERE"], None, "2022-07-01", Some(9)),
        // The stable interface fits what comes after.
        (&["cp37-abi3-HERE"], None, "2020-07-01", Some(11)),
        // Nothing but Python: one that existed by then.
        (&["py2.py3-none-any"], None, "2018-07-01", Some(7)),
        (&["py3-none-any"], None, "2025-07-01", Some(11)),
        // None of ours existed: the oldest.
        (&["py2.py3-none-any"], None, "2012-07-01", Some(6)),
        // Only for Python 2, or only a source.
        (&["py2-none-any"], None, "2012-07-01", None),
        (&[], None, "2012-07-01", None),
    ];
    for (tags, range, uploaded, minor) in cases {
        assert_eq!(chosen(tags, *range, uploaded), *minor, "{tags:?} {range:?} {uploaded}");
    }
}
