//! Environments are prepared from an index, kept by their lock, and built once.

use crate::world::{Came, World, below, finish, start};
use actum_testkit::package_index::{Conduct, Damage, Package, Release, Targets, hostile};
use serde_json::json;
use std::net::TcpListener;
use std::time::Duration;

fn gadget() -> Package {
    Package::new("gadget")
        .with(Release::new("1.0").module("gadget.py", "old_name = 1\n").uploaded("2019-03-01T00:00:00Z"))
        .with(
            Release::new("2.0")
                .module("gadget.py", "import part\nnew_name = 1\n")
                .requires("part>=1")
                .uploaded("2024-03-01T00:00:00Z"),
        )
}

fn part() -> Package {
    Package::single("part", "1.5", "part/__init__.py", "value = 5\n")
}

const LOOK: &str = "import gadget, gadget as g; print(sorted(n for n in dir(g) if n.endswith('name')), g.__cached__ is not None)";

#[test]
fn an_environment_is_prepared_once_and_used_again() {
    let Some(world) = World::new(vec![gadget(), part()]) else { return };
    let first = world.prepare(&["gadget"], json!({ "then": LOOK }));
    assert_eq!(first.code, Some(0), "{first:?}");
    assert_eq!(first.packages(), ["gadget==2.0", "part==1.5"]);
    assert_eq!(first.printed().trim(), "['new_name'] True", "{first:?}");
    assert_eq!(first.told["cached"], false);
    let asked = world.index.asked().len();
    let second = world.prepare(&[" gadget "], json!({}));
    assert_eq!(second.told["key"], first.told["key"]);
    assert_eq!(second.told["cached"], true);
    assert_eq!(world.index.asked().len(), asked, "nobody was asked");
    assert_eq!(second.stages, ["Ready { cached: true }"], "and no tool was started");
    // Another wish that comes to the same lock has the same environment.
    let third = world.prepare(&["gadget>=2"], json!({}));
    assert_eq!(third.told["key"], first.told["key"]);
    assert_eq!(world.kept().len(), 1);
    assert!(below(&world.environments().join("workshop/sites")).is_empty(), "nothing is left behind");
}

#[test]
fn byte_code_is_made_once_for_each_source() {
    let Some(world) = World::new(vec![gadget(), part()]) else { return };
    world.prepare(&["part"], json!({}));
    let count = || {
        let store = world.environments().join("workshop/bytecode");
        let tags = below(&store).into_iter().flat_map(|tag| below(&tag));
        tags.map(|folder| below(&folder).len()).sum::<usize>()
    };
    assert_eq!(count(), 1);
    let came = world.prepare(
        &["gadget"],
        json!({ "then": "import part; print(part.__cached__.endswith('.pyc'), part.value)" }),
    );
    assert_eq!(count(), 2, "the part's was there");
    assert_eq!(came.printed().trim(), "True 5");
}

#[test]
fn what_was_there_at_a_date_is_taken() {
    let Some(world) = World::new(vec![gadget(), part()]) else { return };
    let old = world.prepare(&["gadget"], json!({ "at": "2020-01-01", "then": LOOK }));
    assert_eq!(old.packages(), ["gadget==1.0"], "{old:?}");
    assert_eq!(old.printed().trim(), "['old_name'] True");
    let young = world.prepare(&["gadget"], json!({ "older_than": 7 }));
    assert_eq!(young.packages(), ["gadget==2.0", "part==1.5"], "{young:?}");
    let held = world.prepare(&["gadget"], json!({ "constraints": ["gadget<2", "part>9"] }));
    assert_eq!(held.packages(), ["gadget==1.0"], "a constraint adds nothing");
}

#[test]
fn an_index_without_dates_is_used_and_that_is_told() {
    let Some(world) = World::new(vec![gadget(), part()]) else { return };
    world.index.behave(Conduct::PagesOnly);
    let came = world.prepare(&["gadget"], json!({ "older_than": 7 }));
    assert_eq!(came.packages(), ["gadget==2.0", "part==1.5"], "{came:?}");
    assert!(came.told["notes"][0].as_str().unwrap().contains("reports no dates"), "{came:?}");
    // Where a moment was asked for, nothing else will do.
    let came = world.prepare(&["gadget"], json!({ "at": "2020-01-01" }));
    assert_eq!(came.text("trouble"), "undated", "{came:?}");
}

#[test]
fn every_no_is_told_apart() {
    let broken = |name: &str, damage: Damage| {
        Package::new(name).with(Release::new("1.0").module("x.py", "").damaged(damage))
    };
    let packages = vec![
        gadget(),
        part(),
        Package::new("only-source").with(Release::new("1.0").module("x.py", "").only_source()),
        Package::new("old-python")
            .with(Release::new("1.0").module("x.py", "").only_wheel_for("cp27-cp27m-manylinux1_x86_64")),
        Package::new("picky").with(Release::new("1.0").module("x.py", "").requires("part<1")),
        broken("changed", Damage::WrongDigest),
        broken("gone", Damage::Missing),
    ];
    let Some(world) = World::new(packages) else { return };
    for (requirements, trouble, name) in [
        (vec!["gadgett"], "not-found", "gadgett"),
        (vec!["gadget==9"], "no-version", "gadget"),
        (vec!["picky", "gadget"], "no-version", "part"),
        (vec!["gadget<2", "gadget>=2"], "unsatisfiable", ""),
        (vec!["only-source"], "no-wheel", "only-source"),
        (vec!["old-python"], "other-python", "old-python"),
        (vec!["gadget>=one.two"], "malformed", ""),
    ] {
        let came = world.prepare(&requirements, json!({}));
        assert_eq!(came.code, Some(122), "{came:?}");
        assert_eq!(came.text("trouble"), trouble, "{came:?}");
        let names: Vec<&str> =
            came.told["names"].as_array().unwrap().iter().filter_map(|name| name.as_str()).collect();
        assert!(name.is_empty() || names.contains(&name), "{came:?}");
        assert!(!came.text("said").is_empty(), "the tool's own words are kept");
    }
    for name in ["changed", "gone"] {
        let came = world.prepare(&[name], json!({}));
        assert_eq!(came.code, Some(122), "{came:?}");
    }
    assert!(world.kept().is_empty(), "what failed is not kept");
    let well = world.prepare(&["gadget"], json!({}));
    assert_eq!(well.code, Some(0), "and the cache is intact");
}

#[test]
fn an_index_that_is_away_is_told_and_an_old_lock_is_enough() {
    let Some(world) = World::new(vec![gadget(), part()]) else { return };
    let first = world.prepare(&["gadget"], json!({}));
    assert_eq!(first.code, Some(0));
    world.index.behave(Conduct::Down);
    let came = world.prepare(&["part"], json!({}));
    assert_eq!((came.code, came.text("trouble")), (Some(122), "unreachable"), "{came:?}");
    world.index.behave(Conduct::Failing(503));
    let came = world.prepare(&["part"], json!({}));
    assert_eq!((came.code, came.text("trouble")), (Some(122), "unreachable"), "{came:?}");
    // The same wish a month later.
    let month = 31 * 24 * 3600 * 1_000_000_u64;
    for path in below(&world.environments().join("wanted")) {
        let mut came: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        let then = came["at"]
            .as_u64()
            .map(|at| json!(at - month))
            .unwrap_or_else(|| json!("2020-01-01T00:00:00.000000Z"));
        came["at"] = then;
        std::fs::write(&path, came.to_string()).unwrap();
    }
    let stale = world.prepare(&["gadget"], json!({}));
    assert_eq!(stale.told["key"], first.told["key"], "{stale:?}");
    assert!(stale.told["notes"][0].as_str().unwrap().contains("earlier lock"), "{stale:?}");
    // A slow index is waited for.
    world.index.behave(Conduct::Slow(Duration::from_millis(200)));
    let came = world.prepare(&["part"], json!({}));
    assert_eq!(came.code, Some(0), "{came:?}");
}

#[test]
fn a_folder_of_wheels_is_enough() {
    let Some(world) = World::new(vec![gadget(), part()]) else { return };
    let wheels = world.folder.path().join("wheels");
    std::fs::create_dir(&wheels).unwrap();
    let came = world.prepare(&["part"], json!({ "offline": true, "index": null, "wheels": wheels }));
    assert_eq!(came.code, Some(122), "{came:?}");
    let asked: Vec<String> = world.index.asked();
    assert!(asked.is_empty(), "{asked:?}");
    // Served once, so that there is a wheel to put there.
    world.prepare(&["part"], json!({}));
    let wheel = world.index.asked().into_iter().find(|path| path.ends_with(".whl")).unwrap();
    std::fs::write(wheels.join(wheel.rsplit('/').next().unwrap()), fetch(&world, &wheel)).unwrap();
    let fresh = world.folder.path().join("fresh");
    let came = world.prepare(&["part"], json!({ "cache": fresh, "offline": true, "index": null, "wheels": wheels, "then": "import part; print(part.value)" }));
    assert_eq!((came.code, came.printed().trim()), (Some(0), "5"), "{came:?}");
}

fn fetch(world: &World, path: &str) -> Vec<u8> {
    use std::io::{Read, Write};
    let path = path.split_once(' ').map_or(path, |(_, path)| path);
    let mut line = std::net::TcpStream::connect(world.index.host()).unwrap();
    write!(line, "GET {path} HTTP/1.0\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    line.read_to_end(&mut answer).unwrap();
    let head = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    answer.split_off(head + 4)
}

#[test]
fn a_hostile_package_achieves_nothing_while_it_is_installed() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let secrets = tempfile::tempdir().unwrap();
    let targets = Targets {
        secret: secrets.path().join("key"),
        listener: listener.local_addr().unwrap().to_string(),
        outside: secrets.path().join("made"),
    };
    std::fs::write(&targets.secret, "secret").unwrap();
    let mut package = hostile("gift", &targets);
    // Run by whatever starts the environment's interpreter with its packages.
    package.releases[0].modules.push(("gift.pth".to_owned(), "import gift\n".to_owned()));
    let Some(world) = World::new(vec![package]) else { return };
    let came = world.prepare(&["gift"], json!({ "then": "import gift; print('ran')" }));
    assert_eq!(came.code, Some(0), "{came:?}");
    assert!(came.printed().contains("ran") && !came.printed().contains("hostile"), "{came:?}");
    assert!(listener.accept().is_err(), "it reached somebody");
    assert!(!targets.outside.exists(), "it wrote outside");
}

#[test]
fn a_package_is_built_only_where_that_is_allowed_and_reaches_nothing() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let secrets = tempfile::tempdir().unwrap();
    let targets = Targets {
        secret: secrets.path().join("key"),
        listener: listener.local_addr().unwrap().to_string(),
        outside: secrets.path().join("made"),
    };
    std::fs::write(&targets.secret, "secret").unwrap();
    let mut package = hostile("gift", &targets);
    package.releases = package.releases.into_iter().map(Release::only_source).collect();
    package.releases[0].requires.push("part".to_owned());
    let builder = |name: &str| Package::single(name, "70.0", &format!("{name}.py"), "");
    let Some(world) = World::new(vec![package, part(), builder("setuptools"), builder("wheel")]) else {
        return;
    };
    let came = world.prepare(&["gift"], json!({}));
    assert_eq!(came.text("trouble"), "no-wheel", "{came:?}");
    let came = world.prepare(&["gift"], json!({ "build": true, "then": "import gift, part; print('ran')" }));
    assert_eq!(came.packages(), ["gift==1.0", "part==1.5"], "{came:?}");
    assert!(came.printed().contains("ran") && !came.printed().contains("hostile"), "{came:?}");
    assert!(listener.accept().is_err(), "it reached somebody");
    assert!(!targets.outside.exists(), "it wrote outside");
    // From the same sources comes the same lock. Each of these preparations starts in another folder: another project.
    for folder in ["kept", "wanted"] {
        std::fs::remove_dir_all(world.environments().join(folder)).unwrap();
    }
    let again = world.prepare(&["gift"], json!({ "build": true }));
    assert_eq!(
        (&again.told["lock"], &again.told["cached"]),
        (&came.told["lock"], &json!(false)),
        "{again:?}"
    );
}

#[test]
fn old_interpreters_have_environments_too() {
    let home = std::env::var_os("HOME").map(std::path::PathBuf::from).unwrap_or_default();
    let versions = below(&home.join(".pyenv/versions")).into_iter();
    let old = versions
        .map(|folder| folder.join("bin/python2.7"))
        .chain(["/usr/bin/python2.7".into()])
        .find(|path| path.is_file());
    let Some(old) = old else { return actum_testkit::skip("there is no Python 2.7") };
    let release = Release::new("1.0").module("gadget.py", "print 'old'\n").only_wheel_for("py2-none-any");
    let Some(world) = World::new(vec![Package::new("gadget").with(release)]) else { return };
    let came = world.prepare(
        &["gadget"],
        json!({ "python": old, "then": "import gadget, sys; print(gadget.__file__[-4:])" }),
    );
    assert_eq!(came.printed().trim(), "old\n.pyc", "{came:?}");
}

#[test]
fn twenty_who_want_the_same_build_it_once() {
    let Some(world) = World::new(vec![gadget(), part()]) else { return };
    let wish = world.wish(&["gadget"], json!({}));
    let children: Vec<_> = (0..20).map(|_| start(&wish)).collect();
    let came: Vec<Came> = children.into_iter().map(finish).collect();
    assert!(came.iter().all(|one| one.code == Some(0)), "{came:?}");
    let built = came.iter().filter(|one| one.told["cached"] == false).count();
    assert_eq!(built, 1, "{came:?}");
    let resolved =
        came.iter().filter(|one| one.stages.iter().any(|stage| stage.starts_with("Resolving"))).count();
    assert_eq!(resolved, 1);
    assert_eq!(world.kept().len(), 1);
}

#[test]
fn two_sets_that_conflict_are_two_environments() {
    let Some(world) = World::new(vec![gadget(), part()]) else { return };
    let one = start(&world.wish(&["gadget<2"], json!({ "then": LOOK })));
    let two = start(&world.wish(&["gadget>=2"], json!({ "then": LOOK })));
    let (one, two) = (finish(one), finish(two));
    assert_eq!(one.printed().trim(), "['old_name'] True", "{one:?}");
    assert_eq!(two.printed().trim(), "['new_name'] True", "{two:?}");
    assert_ne!(one.told["key"], two.told["key"]);
}

#[test]
fn data_that_packages_carry_is_put_where_programs_look() {
    let words = Package::single("words-carrier", "1.0", "words_carrier/lists/stop.txt", "a\nthe\n");
    let source = Release::new("2.0").module("more/lists/go.txt", "go\n").only_source();
    let Some(world) = World::new(vec![part(), words, Package::new("more-carrier").with(source)]) else {
        return;
    };
    let data = json!([
        ["words-carrier==1.0", "words_carrier/lists", "nltk_data/corpora/words"],
        ["more-carrier==2.0", "more/lists/go.txt", "nltk_data/corpora/more.txt"],
    ]);
    let code = "import os; f=os.environ['NLTK_DATA']; print(open(f+'/corpora/words/stop.txt').read().split(), open(f+'/corpora/more.txt').read())";
    let came = world.prepare(&["part"], json!({ "data": data, "then": code }));
    assert_eq!(came.printed().trim(), "['a', 'the'] go", "{came:?}");
    let without = world.prepare(&["part"], json!({}));
    assert_ne!(came.told["key"], without.told["key"], "what it carries is part of its identity");
    for (package, path, target) in [
        ("words-carrier==1.0", "words_carrier/nothing", "nltk_data/x"),
        ("words-carrier==1.0", "words_carrier/lists", "../../../x"),
        ("words-carrier==9.0", "words_carrier/lists", "nltk_data/x"),
        ("nobody==1.0", "x", "nltk_data/x"),
    ] {
        let came = world.prepare(&["part"], json!({ "data": [[package, path, target]] }));
        assert_eq!(came.code, Some(122), "{came:?}");
    }
}

#[test]
fn no_interpreter_is_told() {
    let Some(world) = World::new(vec![]) else { return };
    for python in ["/nowhere/python3", "/bin/true"] {
        let came = world.prepare(&[], json!({ "python": python }));
        assert_eq!(came.code, Some(122), "{came:?}");
        assert!(came.text("error").contains(python), "{came:?}");
    }
}
