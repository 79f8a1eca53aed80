//! A cache, an index of packages, and a process that prepares environments.

use actum_testkit::package_index::{Package, PackageIndex};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// What one preparation came to.
#[derive(Debug)]
pub struct Came {
    pub code: Option<i32>,
    /// The last line that it printed: what was prepared, or why not.
    pub told: Value,
    /// The stages, as they were told.
    pub stages: Vec<String>,
}

impl Came {
    pub fn text(&self, name: &str) -> &str {
        self.told[name].as_str().unwrap_or_default()
    }

    pub fn packages(&self) -> Vec<&str> {
        self.told["packages"]
            .as_array()
            .map(|list| list.iter().filter_map(Value::as_str).collect())
            .unwrap_or_default()
    }

    /// What the code printed that was run in it.
    pub fn printed(&self) -> &str {
        self.told["ran"]["printed"].as_str().unwrap_or_default()
    }
}

pub struct World {
    pub folder: tempfile::TempDir,
    pub index: PackageIndex,
    uv: PathBuf,
    python: PathBuf,
}

impl World {
    /// None where this machine cannot do it; then that has been said.
    pub fn new(packages: Vec<Package>) -> Option<World> {
        let python = python()?;
        let uv = uv(&python)?;
        Some(World { folder: tempfile::tempdir().unwrap(), index: PackageIndex::start(packages), uv, python })
    }

    pub fn cache(&self) -> PathBuf {
        self.folder.path().join("cache")
    }

    /// The folder in which environments are, once something was prepared.
    pub fn environments(&self) -> PathBuf {
        self.cache().join("environments/2")
    }

    /// The environments that are kept.
    pub fn kept(&self) -> Vec<PathBuf> {
        below(&self.environments().join("kept"))
    }

    /// A wish with the world's own index, and these further words.
    pub fn wish(&self, requirements: &[&str], more: Value) -> Value {
        let mut wish = json!({
            "cache": self.cache(), "python": self.python, "uv": [self.uv], "index": self.index.url(),
            "requirements": requirements, "variables": variables(),
        });
        for (name, value) in more.as_object().unwrap() {
            wish[name] = value.clone();
        }
        wish
    }

    pub fn prepare(&self, requirements: &[&str], more: Value) -> Came {
        let child = start(&self.wish(requirements, more));
        let folder = self.cache().join(format!("start-{}", child.id()));
        let came = finish(child);
        assert!(!folder.exists(), "{} is left behind", folder.display());
        came
    }
}

pub fn start(wish: &Value) -> Child {
    let mut child = Command::new(program())
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(wish.to_string().as_bytes()).unwrap();
    child
}

pub fn finish(mut child: Child) -> Came {
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    let status = child.wait().unwrap();
    let lines: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let stage = |line: &Value| line["stage"].as_str().map(str::to_owned);
    let told = lines.iter().rfind(|line| line.get("stage").is_none()).cloned().unwrap_or_default();
    Came { code: status.code(), told, stages: lines.iter().filter_map(stage).collect() }
}

pub fn below(folder: &Path) -> Vec<PathBuf> {
    let entries =
        std::fs::read_dir(folder).map(|entries| entries.flatten().map(|entry| entry.path()).collect());
    entries.unwrap_or_default()
}

/// Cargo builds examples beside the tests.
fn program() -> PathBuf {
    let own = std::env::current_exe().unwrap();
    own.parent().unwrap().parent().unwrap().join("examples/prepare")
}

fn variables() -> Vec<Value> {
    let bytes = |text: &std::ffi::OsStr| json!({ "Unix": text.as_bytes() });
    let wanted = |name: &std::ffi::OsString| {
        name == "PATH" || name.as_bytes().ends_with(b"CERT_FILE") || name == "PIP_CERT"
    };
    let all = std::env::vars_os().filter(|(name, _)| wanted(name));
    all.map(|(name, value)| json!([bytes(&name), bytes(&value)])).collect()
}

/// The first interpreter that is a program and not a script that chooses one.
fn python() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).filter(|folder| !folder.ends_with("shims"));
    let found = folders.map(|folder| folder.join("python3")).find(|path| path.is_file());
    if found.is_none() {
        actum_testkit::skip("there is no python3");
    }
    found
}

/// A uv: the one that is installed, else one that the room fetched into a folder which the tests share.
fn uv(python: &Path) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let named = std::env::var_os("ACTUM_UV").map(PathBuf::from);
    let mut installed = named.into_iter().chain(std::env::split_paths(&path).map(|folder| folder.join("uv")));
    if let Some(found) = installed.find(|path| path.is_file()) {
        return Some(found);
    }
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("uv");
    std::fs::create_dir_all(&cache).unwrap();
    let tools = cache.join("environments/2/tools");
    let fetched = || below(&tools).into_iter().map(|folder| folder.join("uv")).find(|path| path.is_file());
    let turn = File::create(cache.join("turn")).unwrap();
    turn.lock().unwrap();
    if fetched().is_none() {
        let pip = pip(python);
        finish(start(
            &json!({ "cache": cache, "python": pip, "requirements": [], "variables": variables() }),
        ));
    }
    if fetched().is_none() {
        actum_testkit::skip("uv is not installed, and could not be fetched");
    }
    fetched()
}

/// An interpreter that has pip, where there is one.
fn pip(python: &Path) -> PathBuf {
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let versions = below(&home.join(".pyenv/versions")).into_iter().map(|folder| folder.join("bin/python3"));
    let has_pip = |path: &PathBuf| {
        let asked = Command::new(path)
            .args(["-m", "pip", "--version"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        asked.is_ok_and(|status| status.success())
    };
    [python.to_path_buf()].into_iter().chain(versions).find(has_pip).unwrap_or_else(|| python.to_path_buf())
}
