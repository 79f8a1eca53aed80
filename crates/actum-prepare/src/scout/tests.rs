//! The script against an index, with packages that were made for it. Confinement is tested where rooms meet.

use super::*;
use crate::clock::Stopwatch;
use actum_testkit::package_index::{Conduct, Damage, Package, PackageIndex, Release};
use std::process::Command;
use std::time::Duration;

fn sought(module: &str, name: &str, keyword: &str) -> Sought {
    let given = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    Sought {
        package: "Gadget".to_owned(),
        module: module.to_owned(),
        name: given(name),
        keyword: given(keyword),
        below: None,
    }
}

/// What the script says; none where there is no Python.
fn scouted(index: &PackageIndex, argument: &str) -> Option<Scouted> {
    let mut command = Command::new("python3");
    command.args(["-I", "-S", "-c", SCRIPT, argument]).env("ACTUM_INDEXES", index.url()).env("NO_PROXY", "*");
    let Ok(output) = command.output() else {
        actum_testkit::skip("python3 is not installed");
        return None;
    };
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    Some(read(&output.stdout).unwrap_or_else(|| panic!("no answer: {said}")))
}

fn release(version: &str, year: u32, files: &[(&str, &str)]) -> Release {
    let start = Release::new(version).uploaded(&format!("{year}-05-01T12:00:00Z"));
    files.iter().fold(start, |release, (path, text)| release.module(path, text))
}

/// Seven series; what each lost is in its files.
fn gadget() -> Package {
    let old = "def gone(size, shape=None): pass\nclass Frame(Base):\n    def append(self): pass\n";
    let base = "class Base:\n    def inherited(self): pass\n";
    Package::new("gadget")
        .with(release("0.9", 2012, &[("gadget.py", "print 'of Python 2'\nancient = 1\n")]))
        .with(release(
            "1.0",
            2014,
            &[
                ("gadget/__init__.py", "from .parts import *\nfrom .frames import Frame\n"),
                ("gadget/parts.py", "__all__ = ['listed', 'gone']\nfrom os import path\nlisted = hidden = 1\ndef gone(): pass\n"),
                ("gadget/frames.py", &format!("from .bases import Base\n{old}")),
                ("gadget/bases.py", base),
                ("gadget/ext/__init__.py", ""),
            ],
        ))
        .with(
            release(
                "1.1",
                2015,
                &[
                    ("gadget/__init__.py", "try:\n    from .frames import Frame, gone\nexcept ImportError:\n    pass\n"),
                    ("gadget/frames.py", &format!("from .bases import Base\n{old}")),
                    ("gadget/bases.py", base),
                ],
            )
            .requires_python(">=3.6"),
        )
        .with(release("1.1.1", 2016, &[("gadget/__init__.py", &format!("class Base: pass\n{old}"))]))
        .with(release("2.0", 2018, &[("gadget/__init__.py", "class Panel: pass\nclass Frame:\n    x = 1\n")]))
        .with(
            release("2.1", 2019, &[("gadget/__init__.py", "def __getattr__(name):\n    if name == 'lazy':\n        return 1\n")])
                .yanked("a mistake"),
        )
        .with(release("3.0", 2020, &[("gadget/__init__.py", "")]).also_source())
        .with(release("4.0b1", 2021, &[("gadget/__init__.py", "gone = 1")]))
}

#[test]
fn the_newest_release_that_has_it_is_found() {
    let index = PackageIndex::start(vec![gadget()]);
    let cases = [
        // A function, re-exported in a branch; the last release of the series answers for it.
        ("gadget", "gone", "", Some("1.1.1")),
        ("gadget", "gone", "shape", Some("1.1.1")),
        ("gadget", "gone", "colour", None),
        // A method, and one that is inherited from another module.
        ("gadget", "Frame.append", "", Some("1.1.1")),
        ("gadget", "Frame.inherited", "", Some("1.0")),
        // Through a star, and what a star does not give.
        ("gadget", "listed", "", Some("1.0")),
        ("gadget", "hidden", "", None),
        ("gadget", "path", "", None),
        // A module that is gone, and a name in one.
        ("gadget.ext", "", "", Some("1.0")),
        ("gadget.frames", "gone", "", Some("1.0")),
        // In a module that only Python 2 can read.
        ("gadget", "ancient", "", Some("0.9")),
        // What a class that was left behind hides, what was taken back, what was never there.
        ("gadget", "Panel", "", None),
        ("gadget", "lazy", "", None),
        ("gadget", "never", "", None),
        ("gadget.never", "", "", None),
    ];
    for (module, name, keyword, expected) in cases {
        let Some(told) = scouted(&index, &sought(module, name, keyword).argument()) else { return };
        let release = told.found.as_ref().map(|found| found.release.as_str());
        assert_eq!(release, expected, "{module} {name} {keyword}: {told:?}");
    }
}

#[test]
fn what_is_needed_to_travel_comes_with_it() {
    let index = PackageIndex::start(vec![gadget()]);
    let Some(told) = scouted(&index, &sought("gadget", "gone", "").argument()) else { return };
    let found = told.found.unwrap();
    assert_eq!(found.uploaded.as_deref(), Some("2016-05-01T12:00:00Z"));
    assert_eq!(found.next_release.as_deref(), Some("2.0"));
    assert_eq!(found.next_uploaded.as_deref(), Some("2018-05-01T12:00:00Z"));
    assert_eq!(found.wheel_tags, ["py3-none-any"]);
    let asked = index.asked();
    assert!(asked.iter().all(|line| !line.contains("4.0b1") && !line.contains("2.1")), "{asked:?}");
    // Below a release that is known to lack it, those after are not looked into.
    let below = Sought { below: Some("1.1".to_owned()), ..sought("gadget", "gone", "") };
    let Some(earlier) = scouted(&index, &below.argument()) else { return };
    assert_eq!(earlier.found.unwrap().release, "1.0");
}

#[test]
fn among_many_series_few_are_looked_into() {
    let text = |minor: u32| if minor <= 37 { "gone = 1\n" } else { "" };
    let series = |minor: u32| release(&format!("1.{minor}"), 2000 + minor, &[("gadget.py", text(minor))]);
    let package = (0..60).map(series).fold(Package::new("gadget"), Package::with);
    let index = PackageIndex::start(vec![package]);
    let Some(told) = scouted(&index, &sought("gadget", "gone", "").argument()) else { return };
    assert_eq!(told.found.unwrap().release, "1.37");
    assert!(told.probed.len() <= 12, "{:?}", told.probed);
}

#[test]
fn a_source_is_read_where_there_is_no_wheel() {
    let inside = Release::new("1.0").module("gadget/old.py", "gone = 1\n").only_source();
    let foreign = Release::new("2.0").module("gadget/new.py", "").only_wheel_for("cp39-cp39-win_amd64");
    let index = PackageIndex::start(vec![Package::new("gadget").with(inside).with(foreign)]);
    let Some(told) = scouted(&index, &sought("gadget.old", "gone", "").argument()) else { return };
    let found = told.found.unwrap();
    assert_eq!((found.release.as_str(), found.source, found.wheel_tags.len()), ("1.0", true, 0));
}

#[test]
fn trouble_is_an_answer_and_takes_no_longer_than_allowed() {
    let broken =
        |version: &str, damage| release(version, 2020, &[("gadget.py", "gone = 1\n")]).damaged(damage);
    let package = Package::new("gadget")
        .with(release("1.0", 2019, &[("gadget.py", "gone = 1\n")]))
        .with(broken("2.0", Damage::NotAnArchive))
        .with(broken("3.0", Damage::CutOff))
        .with(broken("4.0", Damage::Missing));
    let index = PackageIndex::start(vec![package]);
    let Some(told) = scouted(&index, &sought("gadget", "gone", "").argument()) else { return };
    assert_eq!(told.found.as_ref().map(|found| found.release.as_str()), Some("1.0"), "{told:?}");
    assert_eq!(told.probed.iter().filter(|probed| probed.why.is_some()).count(), 3);
    let other = Sought { package: "no-such-thing".to_owned(), ..sought("gadget", "gone", "") };
    let unknown = scouted(&index, &other.argument()).unwrap();
    assert_eq!((unknown.ended.as_str(), unknown.found), ("unknown", None));
    let soon = sought("gadget", "gone", "").argument().replace("\"seconds\":20", "\"seconds\":1");
    for conduct in [Conduct::Down, Conduct::Failing(503), Conduct::Silent] {
        index.behave(conduct);
        let begun = Stopwatch::start();
        let told = scouted(&index, &soon).unwrap();
        assert_eq!((told.ended.as_str(), told.found), ("failed", None), "{conduct:?}");
        assert!(begun.elapsed() < Duration::from_secs(8), "{conduct:?}");
    }
    index.behave(Conduct::PagesOnly);
    let undated = scouted(&index, &sought("gadget", "gone", "").argument()).unwrap();
    assert_eq!(undated.found.map(|found| (found.release, found.uploaded)), Some(("1.0".to_owned(), None)));
}

#[test]
fn the_argument_leaves_out_what_nobody_asked() {
    let sought = Sought {
        package: "scipy".to_owned(),
        module: "scipy.misc".to_owned(),
        name: Some("imread".to_owned()),
        keyword: None,
        below: None,
    };
    let expected = r#"{"package":"scipy","module":"scipy.misc","name":"imread","probes":12,"seconds":20}"#;
    assert_eq!(sought.argument(), expected);
}

#[test]
fn an_answer_is_read_and_what_is_none_is_not() {
    let answer = br#"{"probed": [{"release": "2.0", "has": false, "why": null}], "ended": "found", "found":
        {"release": "1.0", "uploaded": null, "next_release": "2.0", "next_uploaded": null, "requires_python": null,
        "wheel_tags": ["py3-none-any"], "source": true}}"#;
    let answer = String::from_utf8_lossy(answer).replace('\n', " ");
    let told = read(answer.as_bytes()).unwrap();
    assert_eq!(told.found.unwrap().release, "1.0");
    assert_eq!(told.probed[0].has, Some(false));
    for odd in
        ["", "[]", "{}", "Traceback", "\u{0}", r#"{"ended": "found", "found": {"release": "1.0 --index x"}}"#]
    {
        assert_eq!(read(odd.as_bytes()), None, "{odd}");
    }
    let failed = read(br#"{"probed": [], "ended": "failed", "why": "the index answered 503"}"#).unwrap();
    assert_eq!((failed.found, failed.ended.as_str()), (None, "failed"));
}

proptest::proptest! {
    #[test]
    fn any_output_is_read_or_refused(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200)) {
        let _ = read(&bytes);
    }
}
