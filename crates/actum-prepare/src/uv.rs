//! Finds uv: where the user has it, else in our own cache, where the ordinary package client puts it.

use super::cache::{Cache, Site, make};
use super::confined::{Program, Task, carry_out, succeed};
use super::error::PrepareError;
use super::index::{self, Indexes};
use super::interpreter::{Interpreter, stamp};
use super::wanted::{Kit, Reach, Stage};
use actum_model::{Digest, Span};
use actum_sandbox::TrustedTool;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// A uv that can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Uv {
    pub(super) tool: TrustedTool,
    pub(super) version: String,
    /// The index that it asks by itself.
    pub(super) index: Option<String>,
}

impl Uv {
    /// As it is recorded.
    pub(super) fn name(&self) -> String {
        format!("uv {}", self.version)
    }
}

/// Older ones can misread a release age and go on without it.
const OLDEST: (u32, u32, u32) = (0, 11, 1);
/// What is fetched where none is installed. Both were looked at: a wheel is a zip with one program in it.
const PINNED: &str = "0.13.7";
const WHEELS: [(&str, &str); 2] = [
    ("x86_64", "2c9bdc4a872b60a93c5f26c0791089ea11585a4f9d3b3c017d78eb8487505e25"),
    ("aarch64", "a90f5d95716ab83091f0f73a8e7ec64e557abf2a28537fcd719b2ac88e6f725a"),
];
const ASKING: Span = Span::seconds(20);
const FETCHING: Span = Span::seconds(300);

/// Finds one, or fetches it with the pip of the interpreter, or with the machine's.
pub(super) fn find(
    kit: &Kit<'_>,
    cache: &Cache,
    interpreter: &Interpreter,
    tell: &mut dyn FnMut(Stage),
) -> Result<Uv, PrepareError> {
    tell(Stage::Finding { tool: "uv" });
    let own = cache.tools().join(format!("uv-{PINNED}")).join("uv");
    for tool in kit.uv.iter().cloned().chain(verified(kit, &own)) {
        if let Some(uv) = look(kit, cache, tool)? {
            return Ok(uv);
        }
    }
    tell(Stage::Fetching { tool: "uv" });
    let has_pip = interpreter.has_module("pip") && !interpreter.is_old();
    let python = if has_pip { interpreter.tool().clone() } else { kit.python()? };
    fetch(kit, cache, &python, &own)?;
    let fetched = verified(kit, &own).map(|tool| look(kit, cache, tool)).transpose()?;
    fetched.flatten().ok_or_else(|| PrepareError::NoUv {
        said: "the downloaded program does not run on this machine".to_owned(),
    })
}

/// Where the digest of a program lies that we fetched: beside it.
const DIGEST: &str = "sha256";

/// The program that we fetched before, if it is still the same bytes.
fn verified(kit: &Kit<'_>, own: &Path) -> Option<TrustedTool> {
    let noted = fs::read_to_string(own.with_file_name(DIGEST)).ok()?;
    let bytes = fs::read(own).ok()?;
    (noted.trim().parse::<Digest>().ok()? == Digest::of(&bytes)).then(|| kit.places.tool(own).ok())?
}

#[derive(Serialize, Deserialize)]
struct Looked {
    stamp: String,
    version: String,
    index: Option<String>,
}

/// A tool as a uv that can be used, if it is one. Asked once for each file.
fn look(kit: &Kit<'_>, cache: &Cache, tool: TrustedTool) -> Result<Option<Uv>, PrepareError> {
    let Some(stamp) = stamp(tool.real()) else { return Ok(None) };
    let fact = format!("uv-{}", Digest::of(tool.path().as_os_str().as_encoded_bytes()));
    if let Some(Looked { stamp: before, version, index }) = cache.known(&fact)
        && before == stamp
    {
        return Ok(Some(Uv { tool, version, index }));
    }
    let ask = |arguments: &[&str]| {
        let task = Task {
            doing: "query the version of uv",
            program: Program::Tool(tool.clone()),
            arguments: arguments.iter().map(OsString::from).collect(),
            folder: &cache.nowhere(),
            reads: Vec::new(),
            writes: Vec::new(),
            variables: plain(),
            hosts: None,
            wall: ASKING,
        };
        carry_out(kit, &task)
    };
    let said = ask(&["--version"])?;
    let version = said.is_success().then(|| said.text()).and_then(|text| version(&text));
    let Some(version) = version else { return Ok(None) };
    let help = ask(&["pip", "compile", "--help"])?.text();
    let after = help.split("--default-index").nth(1).unwrap_or_default();
    let index = index::default_in(after);
    cache.note(&fact, &Looked { stamp, version: version.clone(), index: index.clone() });
    Ok(Some(Uv { tool, version, index }))
}

/// The version that `uv --version` tells, if it is new enough.
fn version(text: &str) -> Option<String> {
    let word = text.strip_prefix("uv ")?.split_whitespace().next()?;
    let numbers = word.split(['-', '+']).next()?;
    let numbers: Vec<u32> = numbers.split('.').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let [major, minor, patch] = numbers[..] else { return None };
    ((major, minor, patch) >= OLDEST).then(|| word.to_owned())
}

/// Nothing of the user's settings: they were read by us, and colours are ours as well.
fn plain() -> Vec<(OsString, OsString)> {
    [("UV_NO_CONFIG", "1"), ("NO_COLOR", "1"), ("UV_NO_PROGRESS", "1")]
        .map(|(name, value)| (name.into(), value.into()))
        .to_vec()
}

/// What a uv inside the walls is told.
pub(super) fn variables(kit: &Kit<'_>, cache: &Path, indexes: &Indexes) -> Vec<(OsString, OsString)> {
    let own = [
        ("UV_CACHE_DIR", cache.as_os_str().to_owned()),
        ("UV_PYTHON_DOWNLOADS", "never".into()),
        // A linked file could be changed through the cache after it was installed. Where the file system can share blocks,
        // a copy costs no room.
        ("UV_LINK_MODE", "copy".into()),
        ("UV_HTTP_TIMEOUT", "30".into()),
        ("UV_HTTP_RETRIES", "2".into()),
    ];
    let own = own.into_iter().map(|(name, value)| (OsString::from(name), value));
    plain().into_iter().chain(own).chain(indexes.variables()).chain(index::client_variables(kit)).collect()
}

/// Where uv keeps what it fetched: shared by all projects. Nothing of a package runs where this can be written.
pub(super) fn shared_cache(cache: &Cache) -> PathBuf {
    cache.workshop().join("uv")
}

/// The same for a project whose packages were built here. A package's own code made these wheels: no other project gets them.
pub(super) fn project_cache(cache: &Cache, kit: &Kit<'_>) -> PathBuf {
    cache.workshop().join("projects").join(super::project_of(kit)).join("uv")
}

/// Fetches the pinned wheel with pip and takes the program out of it.
fn fetch(kit: &Kit<'_>, cache: &Cache, python: &TrustedTool, own: &Path) -> Result<(), PrepareError> {
    let machine = WHEELS.iter().find(|(machine, _)| *machine == std::env::consts::ARCH);
    let (_, sha256) = machine.ok_or_else(|| missing("there is no release for this architecture"))?;
    let site = cache.site()?;
    let wheel = fetch_wheel(kit, cache, (python, sha256), &site)?;
    let inside = site.folder.join("inside");
    make(&inside)?;
    let mut arguments = words(&["-I", "-m", "zipfile", "-e"]);
    arguments.extend([wheel.into(), inside.clone().into_os_string()]);
    let task = Task {
        doing: "unpack uv",
        program: Program::Tool(python.clone()),
        arguments,
        folder: &cache.nowhere(),
        reads: Vec::new(),
        writes: vec![site.folder.clone()],
        variables: Vec::new(),
        hosts: None,
        wall: ASKING,
    };
    succeed(kit, &task)?;
    place(&inside.join(format!("uv-{PINNED}.data/scripts/uv")), own)
}

fn missing(said: &str) -> PrepareError {
    PrepareError::NoUv { said: said.to_owned() }
}

/// The pinned wheel, compared with its digest.
fn fetch_wheel(
    kit: &Kit<'_>,
    cache: &Cache,
    (python, sha256): (&TrustedTool, &str),
    site: &Site,
) -> Result<PathBuf, PrepareError> {
    let mut indexes = index::configured(kit);
    if indexes.main.is_none() && kit.packages.reach == Reach::Online {
        indexes.main = default_of_pip(kit, cache, python)?;
    }
    if indexes.main.is_none() && kit.packages.wheels.is_none() {
        return Err(missing("no package index and no folder of wheels is configured"));
    }
    let reachable = index::reachable(kit, cache, &indexes, (python, &["uv".to_owned()]))?;
    let (list, wheels) = (site.folder.join("uv.txt"), site.folder.join("wheels"));
    make(&wheels)?;
    super::cache::write(&list, format!("uv=={PINNED} --hash=sha256:{sha256}\n").as_bytes())?;
    let mut variables = index::client_variables(kit);
    // In a variable, because an address may hold a password, and commands can be seen from outside.
    variables.extend(indexes.main.iter().map(|main| ("PIP_INDEX_URL".into(), main.into())));
    variables.push(("TMPDIR".into(), site.folder.clone().into()));
    let task = Task {
        doing: "download uv",
        program: Program::Tool(python.clone()),
        arguments: pip(kit, (&list, &wheels), &indexes),
        folder: &cache.nowhere(),
        reads: index::certificates(kit).into_iter().chain(kit.packages.wheels.clone()).collect(),
        writes: vec![site.folder.clone()],
        variables,
        hosts: (!reachable.rules.is_empty()).then_some(&reachable),
        wall: FETCHING,
    };
    let said = carry_out(kit, &task)?;
    if !said.is_success() {
        return Err(missing(&super::words::last_lines(&said.stderr)));
    }
    let wheel = fs::read_dir(&wheels).ok().and_then(|mut entries| entries.next()?.ok());
    let wheel = wheel.ok_or_else(|| missing("pip downloaded nothing"))?.path();
    let bytes = fs::read(&wheel).map_err(PrepareError::io("read", &wheel))?;
    // pip was asked to compare, and pip is the user's; this is ours.
    if Some(Digest::of(&bytes)) != sha256.parse::<Digest>().ok() {
        return Err(missing("the download is not the pinned release"));
    }
    Ok(wheel)
}

fn pip(kit: &Kit<'_>, (list, wheels): (&Path, &Path), indexes: &Indexes) -> Vec<OsString> {
    let mut command = words(&["-I", "-m", "pip", "download", "--no-deps", "--require-hashes"]);
    command.extend(["--only-binary", ":all:", "--no-cache-dir", "--no-input", "-q"].map(OsString::from));
    command.extend([
        "--disable-pip-version-check".into(),
        "-r".into(),
        list.into(),
        "-d".into(),
        wheels.into(),
    ]);
    if let Some(folder) = &kit.packages.wheels {
        command.extend([OsString::from("--find-links"), folder.into()]);
    }
    if indexes.main.is_none() {
        command.push("--no-index".into());
    }
    command
}

/// Copied, not moved: a new file is ours alone.
fn place(program: &Path, own: &Path) -> Result<(), PrepareError> {
    let folder = own.parent().expect("the program lies in a folder of its version");
    make(folder)?;
    let new = folder.join(format!(".{}", actum_gate::own::draft_name()));
    let is_file = fs::symlink_metadata(program).is_ok_and(|about| about.is_file());
    if !is_file {
        return Err(PrepareError::NoUv { said: "the wheel does not contain the program".to_owned() });
    }
    fs::copy(program, &new).map_err(PrepareError::io("write", &new))?;
    fs::set_permissions(&new, fs::Permissions::from_mode(0o755)).map_err(PrepareError::io("write", &new))?;
    let bytes = fs::read(&new).map_err(PrepareError::io("read", &new))?;
    super::cache::write(&own.with_file_name(DIGEST), Digest::of(&bytes).to_string().as_bytes())?;
    fs::rename(&new, own).map_err(PrepareError::io("write", own))
}

/// The index that pip asks by itself.
fn default_of_pip(
    kit: &Kit<'_>,
    cache: &Cache,
    python: &TrustedTool,
) -> Result<Option<String>, PrepareError> {
    let question = "from pip._internal.models.index import PyPI; print(PyPI.simple_url)";
    let task = Task {
        doing: "query pip for its package index",
        program: Program::Tool(python.clone()),
        arguments: words(&["-I", "-c", question]),
        folder: &cache.nowhere(),
        reads: Vec::new(),
        writes: Vec::new(),
        variables: Vec::new(),
        hosts: None,
        wall: ASKING,
    };
    let said = carry_out(kit, &task)?;
    Ok(index::default_in(&said.text()).filter(|_| said.is_success()))
}

fn words(arguments: &[&str]) -> Vec<OsString> {
    arguments.iter().map(OsString::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_new_enough_ones_are_used() {
        for (text, told) in [
            ("uv 0.13.7 (x86_64-unknown-linux-gnu)\n", Some("0.13.7")),
            ("uv 0.11.1\n", Some("0.11.1")),
            ("uv 1.0.0+12 (abc)", Some("1.0.0+12")),
            ("uv 0.11.0", None),
            ("uv 0.9.30", None),
            ("pip 23.2", None),
            ("uv x.y.z", None),
            ("", None),
        ] {
            assert_eq!(version(text).as_deref(), told, "{text}");
        }
    }

    #[test]
    fn pinned_wheels_are_named_by_digests() {
        assert!(WHEELS.iter().all(|(_, sha256)| sha256.parse::<Digest>().is_ok()));
        assert_eq!(version(&format!("uv {PINNED}")).as_deref(), Some(PINNED));
    }
}
