//! What programs need is worked out, prepared and mended, against an index of packages on loopback: no test needs the world.

use crate::run::{Done, Run};
use crate::world::{Caller, World};
use actum_testkit::package_index::{Conduct, Package, PackageIndex, Release, Targets, hostile};
use serde_json::Value;
use std::net::TcpListener;
use std::path::{Path, PathBuf};

/// A place whose packages come from an index of its own.
struct Place {
    world: World,
    index: PackageIndex,
    uv: PathBuf,
}

impl Place {
    fn new(packages: Vec<Package>) -> Option<Self> {
        let uv = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/test-tools/python/bin/uv");
        let Ok(uv) = uv.canonicalize() else {
            actum_testkit::skip("uv is not there; `cargo xtask test` installs it");
            return None;
        };
        let (world, index) = (World::new(Caller::Root)?, PackageIndex::start(packages));
        let place = Self { world, index, uv };
        place.configure("");
        Some(place)
    }

    /// The user's own configuration, with more of `[packages]`.
    fn configure(&self, more: &str) {
        let text = format!("[packages]\nindex = \"{}\"\nage = \"0s\"\n{more}", self.index.url());
        self.world.make_file(&self.world.path("home/.config/actum/config.toml"), &text);
    }

    fn file(&self, name: &str, text: &str) {
        self.world.make_file(&self.world.workspace().join(name), text);
    }

    fn source(&self, name: &str) -> Run<'_> {
        self.world.source(name, &[]).variable("ACTUM_UV", &self.uv)
    }

    fn run(&self, name: &str, text: &str) -> Done {
        self.file(name, text);
        let done = self.source(name).go();
        let now = std::fs::read_to_string(self.world.workspace().join(name)).unwrap();
        assert_eq!(now, text, "the source was changed");
        done
    }
}

fn module(name: &str, version: &str, path: &str, text: &str) -> Package {
    Package::single(name, version, path, text)
}

/// The rows of the taxonomy that were met, and the kinds of what was changed.
fn recovery(done: &Done) -> (Vec<String>, Vec<String>) {
    let steps = done.told("/recovery/steps").as_array().cloned().unwrap_or_default();
    let all = |pointer: &str| {
        let texts = steps.iter().filter_map(|step| step.pointer(pointer)?.as_str().map(str::to_owned));
        texts.collect::<Vec<_>>()
    };
    (all("/diagnosis/row"), all("/remedy/kind"))
}

#[test]
fn what_a_program_imports_is_there_when_it_starts_and_built_once() {
    let Some(place) = Place::new(vec![module("numpy", "2.1", "numpy.py", "value = 42\n")]) else { return };
    let first = place.run("a.py", "import numpy\nprint(numpy.value)\n").expect(0);
    assert_eq!(first.out(), "42\n");
    assert_eq!(first.told("/environment/prepared/cached"), false);
    assert_eq!(first.told("/environment/prepared/packages/0/version"), "2.1");
    let asked = place.index.asked().len();
    let second = place.source("a.py").go().expect(0);
    assert_eq!(second.told("/environment/prepared/cached"), true);
    assert_eq!(second.told("/environment/prepared/lock"), first.told("/environment/prepared/lock"));
    // Nobody was asked again, so it works while the index is down.
    place.index.behave(Conduct::Down);
    assert_eq!(place.source("a.py").go().expect(0).out(), "42\n");
    assert_eq!(place.index.asked().len(), asked);
}

#[test]
fn a_program_without_packages_waits_for_nothing() {
    let Some(place) = Place::new(Vec::new()) else { return };
    let done = place.run("a.py", "import json, os\nprint(json.dumps([1]))\n").expect(0);
    assert!(done.report.as_ref().unwrap().pointer("/environment/prepared").is_none());
    assert!(place.index.asked().is_empty());
}

#[test]
fn invented_names_near_misses_and_names_of_files_are_not_installed() {
    let trap =
        |name: &str| module(name, "1.0", &format!("{}.py", name.replace('-', "_")), "print('installed')\n");
    let Some(place) = Place::new(vec![trap("numpyy"), trap("utils"), trap("reqeusts")]) else { return };
    for (name, text, code, word) in [
        ("near.py", "import numpyy\n", 122, "numpy"),
        ("gone.py", "import quantum_pandas_helper_x\n", 122, "invented"),
        ("own.py", "import utils\n", 1, "own project"),
    ] {
        let done = place.run(name, text).expect(code);
        assert!(!done.out().contains("installed") && done.err().contains(word), "{name}: {}", done.err());
    }
    place.file("requirements.txt", "reqeusts\n");
    let done = place.run("declared.py", "import reqeusts\n").expect(122);
    assert!(done.err().contains("did you mean requests"), "{}", done.err());
    assert!(!place.index.asked().iter().any(|path| path.ends_with(".whl")), "{:?}", place.index.asked());
}

#[test]
fn whoever_knows_a_package_names_it() {
    let Some(place) = Place::new(vec![module("mine-own", "1.0", "mine_own.py", "x = 1\n")]) else { return };
    place.file("a.py", "import mine_own\nprint(mine_own.x)\n");
    place.source("a.py").go().expect(122);
    let done = place.source("a.py").flags(&["--package", "mine-own"]).go().expect(0);
    assert_eq!(done.out(), "1\n");
}

#[test]
fn a_name_that_newer_releases_dropped_is_found_in_an_older_one() {
    let old = Release::new("0.19.2")
        .uploaded("2018-07-15T00:00:00Z")
        .module("sklearn/__init__.py", "")
        .module("sklearn/cross_validation.py", "def split():\n    return 'old'\n");
    let new = Release::new("1.5.0").uploaded("2024-05-21T00:00:00Z").module("sklearn/__init__.py", "");
    let Some(place) = Place::new(vec![Package::new("scikit-learn").with(old).with(new)]) else { return };
    let text = "import importlib\nname = 'sklearn' + '.cross_validation'\nprint(importlib.import_module(name).split())\nimport sklearn\n";
    let done = place.run("a.py", text).expect(0);
    assert_eq!(done.told("/result/stdout"), "old\n");
    let (rows, kinds) = recovery(&done);
    assert_eq!((rows, kinds), (vec!["py-submodule-removed".to_owned()], vec!["versions".to_owned()]));
    assert_eq!(done.told("/recovery/steps/0/result"), "mended");
    assert!(done.told("/recovery/permanent/0").as_str().unwrap().contains("scikit-learn"));
    assert_eq!(done.told("/recovery/attempts"), 2);
}

#[test]
fn a_module_that_turns_up_while_it_runs_is_added() {
    let packages = vec![
        module("numpy", "2.1", "numpy.py", ""),
        module("xmltodict", "2.0", "xmltodict.py", "ok = 'yes'\n"),
    ];
    let Some(place) = Place::new(packages) else { return };
    let text = "import numpy\nname = ''.join(['xmlto', 'dict'])\nprint(__import__(name).ok)\n";
    let done = place.run("a.py", text).expect(0);
    let (rows, kinds) = recovery(&done);
    assert_eq!((rows, kinds), (vec!["py-module-missing".to_owned()], vec!["packages".to_owned()]));
    // Somebody who foresees the name of a draft does not choose what is overwritten.
    let victim = place.world.path("home/victim");
    place.world.make_file(&victim, "mine");
    let ahead = format!("ln -s {} requirements.txt.$$-new; exec \"$@\"", victim.display());
    let fixed = place.world.actum_with(&["fix", "last"]).shell(&ahead).go().expect(0);
    assert!(fixed.err().contains("requirements.txt"), "{}", fixed.err());
    assert_eq!(std::fs::read_to_string(&victim).unwrap(), "mine");
    assert!(!place.world.workspace().join("requirements.txt").is_symlink());
    let written = std::fs::read_to_string(place.world.workspace().join("requirements.txt")).unwrap();
    assert_eq!(written, "numpy==2.1\nxmltodict==2.0\n");
    // What is written down is found the next time.
    let done = place.source("a.py").go().expect(0);
    assert_eq!(done.told("/recovery/attempts"), 1);
    let declared = done.told("/environment/prepared/plan");
    assert_eq!(declared, &serde_json::json!({ "from": "declared", "file": "requirements.txt" }));
}

#[test]
fn a_wrong_program_is_reported_and_not_repaired() {
    let Some(place) = Place::new(Vec::new()) else { return };
    for (name, text) in
        [("wrong.py", "assert 1 == 2\n"), ("cut.py", "def f(x):\n    return (x +\n"), ("key.py", "{}['a']\n")]
    {
        let done = place.run(name, text).expect(1);
        assert_eq!(done.told("/recovery/attempts"), 1, "{name}");
        assert_eq!(done.told("/recovery/remedies"), &serde_json::json!([]), "{name}");
        assert!(done.told("/recovery/stopped").is_string(), "{name}");
    }
}

#[test]
fn a_change_to_the_source_is_a_proposal() {
    let Some(place) = Place::new(Vec::new()) else { return };
    let done = place.run("a.py", "print(json.dumps(1))\n").expect(1);
    assert_eq!(done.told("/recovery/proposals/0/what"), "add the line `import json`");
    assert!(done.told("/recovery/proposals/0/diff").as_str().unwrap().contains("+import json\n"));
    let done = place.source("a.py").flag("--allow-source-changes").go().expect(0);
    assert_eq!(done.told("/recovery/proposals/0/applied"), true);
    let text = std::fs::read_to_string(place.world.workspace().join("a.py")).unwrap();
    assert_eq!(text, "print(json.dumps(1))\n");
}

#[test]
fn a_package_that_means_harm_achieves_nothing() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("key");
    std::fs::write(&secret, "secret").unwrap();
    let targets = Targets {
        secret,
        listener: listener.local_addr().unwrap().to_string(),
        outside: folder.path().join("written"),
    };
    let Some(place) = Place::new(vec![hostile("numpy", &targets)]) else { return };
    for more in ["", "builds = true\n"] {
        place.configure(more);
        let done = place.run("a.py", "import numpy\nprint('done')\n");
        assert!(
            !done.out().contains("hostile") && done.out().contains("done"),
            "{}{}",
            done.out(),
            done.err()
        );
    }
    assert!(listener.accept().is_err(), "somebody was reached");
    assert!(!targets.outside.exists());
}

#[test]
fn what_cannot_be_prepared_ends_with_122_and_says_why() {
    let source = Package::new("numpy").with(Release::new("1.0").module("numpy.py", "").only_source());
    let foreign = Package::new("pandas")
        .with(Release::new("1.0").module("pandas.py", "").only_wheel_for("cp311-cp311-win_amd64"));
    let Some(place) = Place::new(vec![source, foreign]) else { return };
    for (name, text, word) in [
        ("source.py", "import numpy\n", "wheel"),
        ("foreign.py", "import pandas\n", "wheel"),
        ("gone.py", "import requests\n", "not on the package index"),
    ] {
        let done = place.run(name, text).expect(122);
        assert!(done.err().contains(word), "{name}: {}", done.err());
    }
    for (lines, word) in [
        ("git+https://example.org/a.git\n", "git+https"),
        ("https://example.org/x.whl\n", "is a URL"),
        ("numpy==1.0\nnumpy==2.0\n", "conflict"),
    ] {
        place.file("requirements.txt", lines);
        let done = place.run("declared.py", "import numpy\n").expect(122);
        assert!(done.err().contains(word), "{lines}: {}", done.err());
    }
    std::fs::remove_file(place.world.workspace().join("requirements.txt")).unwrap();
    place.index.behave(Conduct::Down);
    let done = place.run("down.py", "import flask\n").expect(122);
    assert!(done.err().contains("could not be reached"), "{}", done.err());
}

#[test]
fn the_imports_of_several_programs_are_tried_before_the_first_runs() {
    let broken = Release::new("3.0").uploaded("2024-01-01T00:00:00Z").module("yaml.py", "import requests\n");
    let packages = vec![
        module("numpy", "2.1", "numpy.py", ""),
        module("requests", "2.0", "requests.py", ""),
        Package::new("pyyaml").with(broken),
    ];
    let Some(place) = Place::new(packages) else { return };
    place.file(
        "a.md",
        "```python\nimport numpy\nprint('first')\n```\n\n```python\nimport yaml\nprint('second')\n```\n",
    );
    let done = place.source("a.md").go().expect(0);
    assert_eq!(done.out(), "first\nsecond\n");
    let step: &Value = done.told("/recovery/steps/0");
    assert!(step.get("attempt").is_none(), "found before anything ran: {step}");
    assert_eq!(done.told("/recovery/attempts"), 2);
}

/// The example of the README: a file, a command, and a program that uses both and a package.
#[test]
fn the_example_answer_is_prepared_run_and_held_against_what_it_shows() {
    let table = "def tabulate(rows, headers):\n    return '\\n'.join(['month      amount', '-------  --------'] + [f'{month}{amount:>10}' for month, amount in rows])\n";
    let Some(place) = Place::new(vec![module("tabulate", "0.9.0", "tabulate.py", table)]) else { return };
    place.file("answer.md", include_str!("../../../../examples/answer.md"));
    let done = place.source("answer.md").go().expect(0);
    assert_eq!(done.told("/steps").as_array().unwrap().len(), 3);
    assert_eq!(done.told("/validation/checks/0/held"), true, "{}", done.err());
    assert_eq!(done.told("/environment/prepared/packages/0/name"), "tabulate");
    assert!(place.world.workspace().join("sales.py").exists());
}

#[test]
fn a_plan_is_shown_and_nothing_is_done() {
    let Some(place) = Place::new(Vec::new()) else { return };
    place.file("a.py", "import cv2\nimport numpyy\nopen('in.csv')\nopen('out.csv', 'w')\n");
    let done = place.world.actum_with(&["inspect", "--json", "a.py"]).go().expect(0);
    let plan: Value = serde_json::from_str(&done.out()).unwrap();
    let told = |pointer: &str| plan.pointer(pointer).cloned().unwrap_or_default();
    assert_eq!(told("/programs/0/packages/0/requirement"), "opencv-python-headless");
    assert_eq!(told("/programs/0/refused/0/name"), "numpyy");
    assert_eq!(told("/programs/0/missing_files/0"), "in.csv");
    let people = place.world.actum_with(&["inspect", "a.py"]).go().expect(0).out();
    assert!(people.contains("opencv-python-headless (import cv2, line 1)"), "{people}");
    assert!(place.index.asked().is_empty());
}

#[test]
fn what_a_project_declares_is_read_as_a_stranger_s() {
    let packages = vec![
        module("numpy", "2.1", "numpy.py", ""),
        module("reqeusts", "1.0", "reqeusts.py", "print('got in')\n"),
    ];
    let Some(place) = Place::new(packages) else { return };
    let script = |dependency: &str| {
        format!("# /// script\n# dependencies = [\"numpy\", \"{dependency}\"]\n# ///\nimport numpy\n")
    };
    for (dependency, word) in [
        ("--no-binary :all:", "not a package name"),
        ("-r /etc/passwd", "not a package name"),
        ("numpy @ https://example.org/x.whl", "not a package name"),
        ("reqeusts", "requests"),
    ] {
        let done = place.run("script.py", &script(dependency)).expect(122);
        assert!(done.err().contains(word), "{dependency}: {}", done.err());
    }
    let workspace = place.world.workspace();
    std::os::unix::fs::symlink("/etc/passwd", workspace.join("requirements.txt")).unwrap();
    let done = place.run("linked.py", "import numpy\n").expect(122);
    assert!(done.err().contains("is outside its folder") && !done.err().contains("root:"), "{}", done.err());
    std::fs::remove_file(workspace.join("requirements.txt")).unwrap();
    place.file("requirements.txt", &format!("numpy==2.1 --hash=sha256:{}\n", "0".repeat(64)));
    let done = place.run("pinned.py", "import numpy\n").expect(122);
    assert!(done.err().contains("does not match its hash in the lock file"), "{}", done.err());
    std::fs::remove_file(workspace.join("requirements.txt")).unwrap();
}

#[test]
fn what_cannot_be_put_back_is_not_done_twice() {
    let packages =
        vec![module("numpy", "2.1", "numpy.py", ""), module("xmltodict", "2.0", "xmltodict.py", "")];
    let Some(place) = Place::new(packages) else { return };
    let outside = place.world.path("outside");
    place.world.make_folder(&outside);
    let trace = outside.join("trace");
    let text =
        format!("import numpy\nopen({trace:?}, 'a').write('x')\n__import__(''.join(['xmlto', 'dict']))\n");
    place.file("a.py", &text);
    let done = place.source("a.py").flag("--write").flag(&outside).go().expect(1);
    assert_eq!(std::fs::read_to_string(&trace).unwrap(), "x");
    assert!(done.told("/recovery/stopped").as_str().unwrap().contains("cannot be undone"));
    // A limit that was said is meant.
    place.file("loop.py", "while True:\n    print('on', flush=True)\n");
    let done = place.source("loop.py").flags(&["--timeout", "500ms"]).go().expect(124);
    assert_eq!(done.told("/recovery/attempts"), 1);
}

#[test]
fn a_package_that_drifts_is_as_it_was_when_an_experiment_is_repeated() {
    let release =
        |version: &str, value: &str| Release::new(version).module("numpy.py", &format!("value = {value}\n"));
    let packages = vec![Package::new("numpy").with(release("2.1", "1")).with(release("2.2", "2"))];
    let Some(place) = Place::new(packages) else { return };
    place.file("requirements.txt", "numpy==2.1\n");
    place.file("train.py", "import numpy, random\nprint('loss:', numpy.value + random.random())\n");
    let run = |words: &[&str]| {
        let done =
            place.world.actum_with(words).without_report().variable("ACTUM_UV", &place.uv).go().expect(0);
        serde_json::from_slice::<Value>(&done.stdout).unwrap()
    };
    let ran = run(&["experiment", "run", "--yes", "--json", "train.py"]);
    assert_eq!(ran["manifest"]["environment"]["packages"][0]["version"], "2.1", "{:#}", ran["manifest"]);
    assert!(ran["result"]["stdout"].as_str().unwrap().starts_with("loss: 1."), "{ran:#}");
    // The declaration drifts; nothing but the lock tells what was there.
    place.file("requirements.txt", "numpy==2.2\n");
    let id = ran["run"].as_str().unwrap();
    let again = run(&["reproduce", id, "--json"]);
    assert_eq!(again["grade"], "R0", "{again:#}");
    let later = run(&["experiment", "run", "--yes", "--json", "train.py"]);
    assert!(later["result"]["stdout"].as_str().unwrap().starts_with("loss: 2."), "{later:#}");
}
