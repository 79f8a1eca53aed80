//! The interpreters of Python on this machine: asked inside the walls what they are, once for each file.

use super::cache::Cache;
use super::confined::{Program, Task, carry_out};
use super::error::PrepareError;
use super::wanted::Kit;
use actum_model::{Digest, Span};
use actum_sandbox::TrustedTool;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// One interpreter that may be used outside a project's sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interpreter {
    /// Behind all shims.
    tool: TrustedTool,
    pub version: Version,
    /// `cpython`, `pypy`.
    pub implementation: String,
    /// Folders that it needs to see of itself, beside the system's. Worked out from where its file lies.
    pub(super) installation: Vec<PathBuf>,
    /// Where its own packages are.
    pub site_packages: Vec<PathBuf>,
    /// Tells one build of an interpreter from another at the same path.
    pub build: String,
}

/// As in 3.11.7.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Version {
    pub major: u32,
    pub minor: u32,
    pub patch: u32,
}

impl From<(u8, u8)> for Version {
    fn from((major, minor): (u8, u8)) -> Self {
        Self { major: major.into(), minor: minor.into(), patch: 0 }
    }
}

impl std::fmt::Display for Version {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

impl Interpreter {
    /// Absolute.
    pub fn path(&self) -> &Path {
        self.tool.path()
    }

    pub(super) fn tool(&self) -> &TrustedTool {
        &self.tool
    }

    /// Whether uv cannot use it. Then it only resolves for it, and pip installs.
    pub(super) fn is_old(&self) -> bool {
        let Version { major, minor, .. } = self.version;
        (major, minor) < (3, 6)
    }

    /// The interpreter for small tasks of ours: itself, or the machine's where it is too old for them.
    pub(super) fn for_tasks(&self, kit: &Kit<'_>) -> Result<TrustedTool, PrepareError> {
        if self.is_old() { kit.python() } else { Ok(self.tool.clone()) }
    }

    /// Whether its own packages hold a module. Names of files tell; nothing is run.
    pub fn has_module(&self, module: &str) -> bool {
        let top = module.split('.').next().unwrap_or(module);
        self.site_packages.iter().any(|folder| holds_module(folder, top))
    }
}

/// Whether a folder of packages holds a module at its top.
pub fn holds_module(folder: &Path, top: &str) -> bool {
    let is_plain = !top.is_empty() && top.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if !is_plain {
        return false;
    }
    if folder.join(top).is_dir() || folder.join(format!("{top}.py")).is_file() {
        return true;
    }
    let prefix = format!("{top}.");
    let is_library = |name: &std::ffi::OsStr| {
        name.as_bytes().starts_with(prefix.as_bytes()) && name.as_bytes().ends_with(b".so")
    };
    actum_gate::own::names(folder).is_ok_and(|names| names.iter().any(|name| is_library(name)))
}

/// What is asked. Understood by every Python since 2.7.
const QUESTION: &str = "import json,os,sys,site
get=getattr(site,'getsitepackages',lambda:[])
print(json.dumps([sys.executable,list(sys.version_info[:3]),getattr(getattr(sys,'implementation',None),'name','cpython'),[p for p in get() if os.path.isdir(p)]]))";
const PATIENCE: Span = Span::seconds(20);

/// What a file said when it was asked, and which file it was.
#[derive(Serialize, Deserialize)]
struct Asked {
    stamp: String,
    said: Said,
}

/// What an interpreter says about itself. Nothing is granted because of it.
#[derive(Serialize, Deserialize)]
struct Said(PathBuf, (u32, u32, u32), String, Vec<PathBuf>);

/// Which interpreter a path leads to. None where it is none, does not work, or is not in a trusted place.
pub fn ask(kit: &Kit<'_>, path: &Path) -> Result<Option<Interpreter>, PrepareError> {
    let Ok(tool) = kit.places.tool(&super::shim::behind(path, kit.attempt)) else { return Ok(None) };
    let cache = Cache::open(kit.cache)?;
    let fact = format!("interpreter-{}", Digest::of(tool.path().as_os_str().as_bytes()));
    let Some(stamp) = stamp(tool.real()) else { return Ok(None) };
    let is_script = super::candidates::is_script(tool.real());
    if let Some(Asked { stamp: before, said }) = cache.known(&fact)
        && before == stamp
        && !is_script
    {
        return Ok(said.believed(kit));
    }
    let task = Task {
        doing: "query a Python interpreter",
        program: Program::Tool(tool),
        arguments: ["-E", "-s", "-c", QUESTION].map(OsString::from).to_vec(),
        folder: &cache.nowhere(),
        reads: Vec::new(),
        writes: Vec::new(),
        variables: Vec::new(),
        hosts: None,
        wall: PATIENCE,
    };
    let answer = carry_out(kit, &task)?;
    let last = |text: String| serde_json::from_str::<Said>(text.lines().last()?).ok();
    let Some(said) = Some(answer).filter(|answer| answer.is_success()).and_then(|answer| last(answer.text()))
    else {
        return Ok(None);
    };
    let asked = Asked { stamp, said };
    if !is_script {
        cache.note(&fact, &asked);
    }
    Ok(asked.said.believed(kit))
}

/// All that work among these, each once.
pub fn interpreters(kit: &Kit<'_>, candidates: &[PathBuf]) -> Result<Vec<Interpreter>, PrepareError> {
    let mut found: Vec<Interpreter> = Vec::new();
    for path in candidates {
        if let Some(interpreter) = ask(kit, path)?
            && !found.iter().any(|other| other.path() == interpreter.path())
        {
            found.push(interpreter);
        }
    }
    Ok(found)
}

impl Said {
    /// A script that chooses among interpreters names another file than itself: that one has to be trusted too.
    fn believed(self, kit: &Kit<'_>) -> Option<Interpreter> {
        let Self(path, (major, minor, patch), implementation, site_packages) = self;
        let tool = kit.places.tool(&path).ok()?;
        let build = stamp(tool.real())?;
        let installation = kit.places.installation(&tool);
        let version = Version { major, minor, patch };
        Some(Interpreter { tool, version, implementation, installation, site_packages, build })
    }
}

/// The file behind a path, as it is now. The time of its last change of status cannot be set by anybody: a file that was
/// replaced by one of the same size and date is another one.
pub(super) fn stamp(path: &Path) -> Option<String> {
    let real = path.canonicalize().ok()?;
    let about = real.metadata().ok().filter(|about| about.is_file())?;
    Some(format!(
        "{} {} {}.{} {} {} {}.{}",
        real.display(),
        about.len(),
        about.mtime(),
        about.mtime_nsec(),
        about.dev(),
        about.ino(),
        about.ctime(),
        about.ctime_nsec()
    ))
}

/// The interpreter that fits a range, as in `>=3.8,<3.12`: the one that is preferred, else the newest.
pub fn choose<'i>(among: &'i [Interpreter], range: &str, prefer: Option<&Path>) -> Option<&'i Interpreter> {
    let range = Range::read(range)?;
    let fits = |interpreter: &&Interpreter| range.holds(interpreter.version);
    let preferred =
        prefer.and_then(|path| among.iter().find(|interpreter| interpreter.path() == path).filter(fits));
    preferred.or_else(|| among.iter().filter(fits).max_by_key(|interpreter| interpreter.version))
}

/// Versions of Python as PEP 440 writes their range, as far as projects use it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Range(Vec<Bound>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Bound {
    how: How,
    version: Version,
    /// How many of its numbers were written.
    written: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    AtLeast,
    Above,
    AtMost,
    Below,
    Is,
    IsNot,
    Compatible,
}

impl Range {
    /// None where it cannot be read. An empty one holds every version.
    pub fn read(text: &str) -> Option<Self> {
        let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        parts.map(Bound::read).collect::<Option<Vec<Bound>>>().map(Self)
    }

    pub fn holds(&self, version: Version) -> bool {
        self.0.iter().all(|bound| bound.holds(version))
    }
}

impl Bound {
    fn read(text: &str) -> Option<Self> {
        const WORDS: [(&str, How); 8] = [
            ("===", How::Is),
            ("==", How::Is),
            (">=", How::AtLeast),
            ("<=", How::AtMost),
            ("~=", How::Compatible),
            ("!=", How::IsNot),
            (">", How::Above),
            ("<", How::Below),
        ];
        let (how, rest) = match WORDS.iter().find(|(word, _)| text.starts_with(word)) {
            Some((word, how)) => (*how, &text[word.len()..]),
            None => (How::Is, text),
        };
        let numbers = rest.trim().trim_end_matches(".*");
        let numbers: Vec<u32> = numbers.split('.').map(|part| part.parse().ok()).collect::<Option<_>>()?;
        let at = |index: usize| numbers.get(index).copied().unwrap_or(0);
        let version = Version { major: at(0), minor: at(1), patch: at(2) };
        (1..=3).contains(&numbers.len()).then_some(Self { how, version, written: numbers.len() })
    }

    fn holds(&self, version: Version) -> bool {
        match self.how {
            How::AtLeast => version >= self.version,
            How::Above => version > self.version && !self.is_same(version),
            How::AtMost => version <= self.version || self.is_same(version),
            How::Below => version < self.version,
            How::Is => self.is_same(version),
            How::IsNot => !self.is_same(version),
            How::Compatible => version >= self.version && self.shorter().is_same(version),
        }
    }

    /// The same as far as it is written: 3.11 means each of 3.11.x.
    fn is_same(&self, version: Version) -> bool {
        let parts = |version: Version| [version.major, version.minor, version.patch];
        parts(self.version)[..self.written] == parts(version)[..self.written]
    }

    fn shorter(&self) -> Self {
        Self { written: self.written.saturating_sub(1).max(1), ..*self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn version(text: &str) -> Version {
        Bound::read(text).unwrap().version
    }

    #[test]
    fn ranges_hold_what_they_say() {
        for (range, inside, outside) in [
            (">=3.8", vec!["3.8.0", "3.13.1"], vec!["3.7.16", "2.7.18"]),
            (">=3.8,<3.12", vec!["3.8.1", "3.11.7"], vec!["3.12.0"]),
            ("==3.11.*", vec!["3.11.0", "3.11.9"], vec!["3.10.1", "3.12.0"]),
            ("3.9", vec!["3.9.18"], vec!["3.10.0"]),
            ("~=3.9", vec!["3.9.0", "3.13.0"], vec!["3.8.0", "4.0.0"]),
            ("~=3.9.2", vec!["3.9.2", "3.9.9"], vec!["3.9.1", "3.10.0"]),
            (">3.8", vec!["3.9.0"], vec!["3.8.18"]),
            ("<=3.10", vec!["3.10.13"], vec!["3.11.0"]),
            ("!=3.12.*", vec!["3.11.0"], vec!["3.12.4"]),
            ("", vec!["2.7.18", "3.13.0"], vec![]),
            ("<3", vec!["2.7.18"], vec!["3.0.0"]),
        ] {
            let read = Range::read(range).unwrap();
            assert!(inside.iter().all(|inside| read.holds(version(inside))), "{range}");
            assert!(!outside.iter().any(|outside| read.holds(version(outside))), "{range}");
        }
        for odd in ["three", ">=3.8.1.2", ">= ", "3..1"] {
            assert_eq!(Range::read(odd), None, "{odd}");
        }
    }

    #[test]
    fn the_preferred_one_wins_where_it_fits() {
        let folder = tempfile::tempdir().unwrap();
        let one = |text: &str| {
            use std::os::unix::fs::OpenOptionsExt;
            let path = folder.path().join(text);
            fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o755).open(&path).unwrap();
            Interpreter {
                tool: actum_sandbox::ToolPlaces::default().tool(&path).unwrap(),
                version: version(text),
                implementation: "cpython".to_owned(),
                installation: Vec::new(),
                site_packages: Vec::new(),
                build: String::new(),
            }
        };
        let all = [one("3.9.18"), one("3.13.0"), one("3.11.7")];
        let chosen = |range: &str, prefer: &str| {
            choose(&all, range, Some(&folder.path().join(prefer)))
                .map(|interpreter| interpreter.version.to_string())
        };
        assert_eq!(chosen(">=3.8", "3.11.7").as_deref(), Some("3.11.7"));
        assert_eq!(chosen(">=3.12", "3.11.7").as_deref(), Some("3.13.0"));
        assert_eq!(chosen("<3.11", "elsewhere").as_deref(), Some("3.9.18"));
        assert_eq!(chosen("==3.6.*", ""), None);
    }

    #[test]
    fn modules_are_seen_by_their_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        fs::create_dir(path.join("numpy")).unwrap();
        fs::write(path.join("six.py"), "").unwrap();
        fs::write(path.join("fast.cpython-311-x86_64-linux-gnu.so"), "").unwrap();
        for (module, there) in
            [("numpy", true), ("six", true), ("fast", true), ("fas", false), ("..", false), ("", false)]
        {
            assert_eq!(holds_module(path, module), there, "{module}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_range_is_read_or_refused(text in "[<>=!~0-9., *a-z]{0,24}") {
            if let Some(range) = Range::read(&text) {
                let _ = range.holds(Version { major: 3, minor: 11, patch: 7 });
            }
        }
    }
}
