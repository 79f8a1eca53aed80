//! Real installers against the index: what they get, and what they say where it misbehaves.

use super::{Conduct, Damage, Package, PackageIndex, Release, Targets, hostile};
use crate::skip;
use std::env;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;
use tempfile::TempDir;

/// An installer at work in a folder of its own, with an environment that knows nothing of this machine's settings.
struct Bench {
    folder: TempDir,
    uv: PathBuf,
}

impl Bench {
    fn new() -> Option<Bench> {
        let Some(uv) = program("uv") else {
            skip("uv is not here");
            return None;
        };
        let bench = Bench { folder: tempfile::tempdir().unwrap(), uv };
        let made = bench.run(&bench.uv, &["venv", "--quiet", "made"]);
        assert!(made.status.success(), "{made:?}");
        Some(bench)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn run(&self, program: &Path, arguments: &[&str]) -> Output {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(self.folder.path()).env_clear();
        command.env("PATH", env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.folder.path()).env("UV_CACHE_DIR", self.path("cache"));
        command.env("UV_HTTP_TIMEOUT", "2").env("UV_HTTP_RETRIES", "0").env("UV_NO_CONFIG", "1");
        command.output().unwrap()
    }

    /// `uv pip install`; true where it succeeded, and what it said.
    fn install(&self, index: &PackageIndex, arguments: &[&str]) -> (bool, String) {
        let url = index.url();
        let start = ["pip", "install", "--python", "made/bin/python", "--index-url", &url];
        let output = self.run(&self.uv, &[&start, arguments].concat());
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    }

    /// What Python prints, in the environment.
    fn python(&self, script: &str) -> String {
        let output = self.run(&self.path("made/bin/python"), &["-c", script]);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }
}

fn program(name: &str) -> Option<PathBuf> {
    let folders = [env::var_os("ACTUM_TEST_PATH"), env::var_os("PATH")];
    let mut folders = folders.iter().flatten().flat_map(env::split_paths);
    folders.find_map(|folder| Some(folder.join(name)).filter(|file| file.is_file()))
}

fn gadget() -> Package {
    Package::new("gadget")
        .with(
            Release::new("1.0")
                .module("gadget.py", "old = 100\n")
                .uploaded("2019-03-01T00:00:00Z")
                .requires("gizmo"),
        )
        .with(Release::new("2.0").module("gadget.py", "new = 1\n").uploaded("2024-03-01T00:00:00Z"))
        .with(
            Release::new("3.0")
                .module("gadget.py", "newest = 1\n")
                .uploaded("2025-01-01T00:00:00Z")
                .yanked("a mistake"),
        )
}

fn gizmo() -> Package {
    Package::single("gizmo", "1.2", "gizmo/__init__.py", "name = 'gizmo'\n")
}

const SHOWN: &str = "import gadget; print(sorted(name for name in vars(gadget) if name[0] != '_'))";

#[test]
fn uv_takes_the_newest_that_was_not_taken_back_and_an_older_one_by_its_date() {
    let Some(bench) = Bench::new() else { return };
    let index = PackageIndex::start(vec![gadget(), gizmo()]);
    let (done, said) = bench.install(&index, &["Gadget"]);
    assert!(done, "{said}");
    assert_eq!(bench.python(SHOWN), "['new']");
    let (done, said) = bench.install(&index, &["--reinstall", "--exclude-newer", "2020-01-01", "gadget"]);
    assert!(done, "{said}");
    assert_eq!(bench.python(SHOWN), "['old']", "{said}");
    assert_eq!(bench.python("import gizmo; print(gizmo.name)"), "gizmo");
    assert!(index.asked().contains(&"GET /simple/gadget/".to_owned()), "{:?}", index.asked());
}

#[test]
fn pip_takes_it_too_from_pages_alone() {
    let Some(bench) = Bench::new() else { return };
    let index = PackageIndex::start(vec![gadget(), gizmo()]);
    index.behave(Conduct::PagesOnly);
    let Some(python) = program("python3") else { return skip("python3 is not installed") };
    let url = index.url();
    let arguments = ["-m", "pip", "install", "--target", "there", "--index-url", &url, "gadget<2"];
    let output = bench.run(&python, &arguments);
    assert!(output.status.success(), "{output:?}");
    assert!(bench.path("there/gadget.py").exists() && bench.path("there/gizmo/__init__.py").exists());
}

#[test]
fn what_cannot_be_had_is_refused_by_name() {
    let Some(bench) = Bench::new() else { return };
    let damaged = |name: &str, damage| {
        Package::new(name).with(Release::new("1.0").module("broken.py", "").damaged(damage))
    };
    let index = PackageIndex::start(vec![
        damaged("wrong-digest", Damage::WrongDigest),
        damaged("no-archive", Damage::NotAnArchive),
        damaged("cut-off", Damage::CutOff),
        damaged("not-there", Damage::Missing),
        Package::new("foreign").with(Release::new("1.0").only_wheel_for("cp311-cp311-win_amd64")),
        Package::new("source").with(Release::new("1.0").module("source.py", "").only_source()),
        Package::new("too-new").with(Release::new("1.0").requires_python(">=4")),
        Package::new("empty"),
    ]);
    let cases = [
        ("wrong-digest", "Hash mismatch"),
        ("no-archive", "no-archive"),
        ("cut-off", "end of file before message length reached"),
        ("not-there", "404"),
        ("foreign", "foreign"),
        ("source", "source"),
        ("too-new", "too-new"),
        ("empty", "empty"),
        ("no-such-package", "was not found in the package registry"),
    ];
    for (name, expected) in cases {
        let (done, said) = bench.install(&index, &["--no-build", name]);
        assert!(!done && said.contains(expected), "{name}: {said}");
    }
}

#[test]
fn a_source_distribution_builds_without_any_other_package() {
    let Some(bench) = Bench::new() else { return };
    let source = Release::new("0.3").module("source.py", "built = 'yes'\n").only_source();
    let index = PackageIndex::start(vec![Package::new("source").with(source)]);
    let (done, said) = bench.install(&index, &["source"]);
    assert!(done, "{said}");
    assert_eq!(bench.python("import source; print(source.built)"), "yes");
}

#[test]
fn an_index_that_is_down_slow_or_failing_is_told_apart_from_a_package_that_is_not_there() {
    let Some(bench) = Bench::new() else { return };
    let index = PackageIndex::start(vec![gizmo()]);
    for conduct in [Conduct::Down, Conduct::Silent, Conduct::Failing(503)] {
        index.behave(conduct);
        let (done, said) = bench.install(&index, &["gizmo"]);
        assert!(!done && !said.contains("was not found in the package registry"), "{conduct:?}: {said}");
    }
    index.behave(Conduct::Slow(Duration::from_millis(300)));
    let (done, said) = bench.install(&index, &["gizmo"]);
    assert!(done, "{said}");
}

/// Without walls it achieves everything: a test that sees nothing of it behind walls has seen the walls.
#[test]
fn a_hostile_package_does_harm_where_nothing_holds_it() {
    let Some(bench) = Bench::new() else { return };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let targets = Targets {
        secret: bench.path("secret"),
        listener: listener.local_addr().unwrap().to_string(),
        outside: bench.path("outside"),
    };
    std::fs::write(&targets.secret, "key").unwrap();
    let mut package = hostile("nice-tool", &targets);
    package.releases[0] = package.releases[0].clone().only_source();
    let index = PackageIndex::start(vec![package]);
    let (done, said) = bench.install(&index, &["nice-tool"]);
    assert!(done, "{said}");
    assert_eq!(std::fs::read(&targets.outside).unwrap(), b"key", "the builder ran");
    assert!(listener.accept().is_ok(), "the builder reached out");
    std::fs::remove_file(&targets.outside).unwrap();
    let said = bench.python("import nice_tool");
    assert!(said.contains("hostile: read") && said.contains("hostile: wrote"), "{said}");
}

#[test]
fn npm_takes_a_package_with_what_it_needs() {
    let Some(bench) = Bench::new() else { return };
    let Some(npm) = program("npm") else { return skip("npm is not installed") };
    let gadget = Release::new("1.0.0")
        .module("index.js", "module.exports = require('gizmo')")
        .requires("gizmo ^1.0.0");
    let gizmo = Release::new("1.2.0").module("index.js", "module.exports = 'gizmo'");
    let index = PackageIndex::start(vec![
        Package::new("gadget").with(gadget.on_build("require('fs').writeFileSync('../ran', '')")),
        Package::new("@scope/gizmo").with(gizmo.clone()),
        Package::new("gizmo").with(gizmo),
    ]);
    let registry = index.npm_url();
    let arguments = [
        "install",
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
        "--registry",
        &registry,
        "gadget",
        "@scope/gizmo",
    ];
    let output = bench.run(&npm, &arguments);
    assert!(output.status.success(), "{output:?}");
    let shown = bench.run(Path::new("node"), &["-p", "require('gadget') + require('@scope/gizmo')"]);
    assert_eq!(String::from_utf8_lossy(&shown.stdout).trim(), "gizmogizmo");
    let output = bench.run(&npm, &["install", "--registry", &registry, "no-such-package-here"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("E404"), "{output:?}");
}
