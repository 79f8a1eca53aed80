//! The interpreters of Python on this machine: asked inside the walls what they are, once for each file.

use super::cache::Cache;
use super::confined::{Task, carry_out};
use super::error::PrepareError;
use super::wanted::Kit;
use actum_model::Span;
use serde::{Deserialize, Serialize};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// One interpreter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interpreter {
    /// Absolute, behind all links and shims.
    pub path: PathBuf,
    pub version: Version,
    /// `cpython`, `pypy`.
    pub implementation: String,
    /// The folder that it is installed in.
    pub prefix: PathBuf,
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
    /// Whether uv cannot use it. Then it only resolves for it, and pip installs.
    pub(super) fn is_old(&self) -> bool {
        let Version { major, minor, .. } = self.version;
        (major, minor) < (3, 6)
    }

    /// The interpreter for small tasks of ours: itself, or the machine's where it is too old for them.
    pub(super) fn for_tasks(&self) -> PathBuf {
        if self.is_old() { "python3".into() } else { self.path.clone() }
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
    fs::read_dir(folder).is_ok_and(|entries| entries.flatten().any(|entry| is_library(&entry.file_name())))
}

/// What is asked. Understood by every Python since 2.7.
const QUESTION: &str = "import json,os,sys,site
get=getattr(site,'getsitepackages',lambda:[])
print(json.dumps([sys.executable,list(sys.version_info[:3]),getattr(getattr(sys,'implementation',None),'name','cpython'),sys.prefix,[p for p in get() if os.path.isdir(p)]]))";
const PATIENCE: Span = Span::seconds(20);

/// What a file was when it was asked.
#[derive(Serialize, Deserialize)]
struct Asked {
    stamp: String,
    interpreter: Interpreter,
}

/// Which interpreter a path leads to. None where it is none, or does not work.
pub fn ask(kit: &Kit<'_>, path: &Path) -> Result<Option<Interpreter>, PrepareError> {
    let path = super::shim::behind(path, kit.attempt);
    let cache = Cache::open(kit.cache)?;
    let fact = format!("interpreter-{}", crate::digest::of(path.as_os_str().as_bytes()));
    let Some(stamp) = stamp(&path) else { return Ok(None) };
    let is_script = super::candidates::is_script(&path);
    if let Some(Asked { stamp: before, interpreter }) = cache.known(&fact)
        && before == stamp
        && !is_script
    {
        return Ok(Some(interpreter));
    }
    let task = Task {
        doing: "ask an interpreter what it is",
        command: vec![path.clone().into(), "-E".into(), "-s".into(), "-c".into(), QUESTION.into()],
        folder: &cache.nowhere(),
        reads: Vec::new(),
        writes: Vec::new(),
        variables: Vec::new(),
        hosts: None,
        wall: PATIENCE,
    };
    let said = carry_out(kit, &task)?;
    let Some(interpreter) = Some(said).filter(|said| said.is_success()).and_then(|said| read(&said.text()))
    else {
        return Ok(None);
    };
    if !is_script {
        cache.note(&fact, &Asked { stamp, interpreter: interpreter.clone() });
    }
    Ok(Some(interpreter))
}

/// All that work among these, each once.
pub fn interpreters(kit: &Kit<'_>, candidates: &[PathBuf]) -> Result<Vec<Interpreter>, PrepareError> {
    let mut found: Vec<Interpreter> = Vec::new();
    for path in candidates {
        if let Some(interpreter) = ask(kit, path)?
            && !found.iter().any(|other| other.path == interpreter.path)
        {
            found.push(interpreter);
        }
    }
    Ok(found)
}

fn read(text: &str) -> Option<Interpreter> {
    type Told = (PathBuf, (u32, u32, u32), String, PathBuf, Vec<PathBuf>);
    let (path, (major, minor, patch), implementation, prefix, site_packages) =
        serde_json::from_str::<Told>(text.lines().last()?).ok()?;
    // What it says about itself is only used where it is true on this machine.
    let path = if path.is_absolute() { path } else { return None };
    let build = stamp(&path)?;
    Some(Interpreter {
        path,
        version: Version { major, minor, patch },
        implementation,
        prefix,
        site_packages,
        build,
    })
}

/// The file behind a path, as it is now.
fn stamp(path: &Path) -> Option<String> {
    let real = path.canonicalize().ok()?;
    let about = real.metadata().ok().filter(fs::Metadata::is_file)?;
    Some(format!("{} {} {}.{}", real.display(), about.len(), about.mtime(), about.mtime_nsec()))
}

/// The interpreter that fits a range, as in `>=3.8,<3.12`: the one that is preferred, else the newest.
pub fn choose<'i>(among: &'i [Interpreter], range: &str, prefer: Option<&Path>) -> Option<&'i Interpreter> {
    let range = Range::read(range)?;
    let fits = |interpreter: &&Interpreter| range.holds(interpreter.version);
    let preferred =
        prefer.and_then(|path| among.iter().find(|interpreter| interpreter.path == path).filter(fits));
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
        let one = |text: &str| Interpreter {
            path: format!("/python/{text}").into(),
            version: version(text),
            implementation: "cpython".to_owned(),
            prefix: "/python".into(),
            site_packages: Vec::new(),
            build: String::new(),
        };
        let all = [one("3.9.18"), one("3.13.0"), one("3.11.7")];
        let chosen = |range: &str, prefer: &str| {
            choose(&all, range, Some(Path::new(prefer))).map(|interpreter| interpreter.version.to_string())
        };
        assert_eq!(chosen(">=3.8", "/python/3.11.7").as_deref(), Some("3.11.7"));
        assert_eq!(chosen(">=3.12", "/python/3.11.7").as_deref(), Some("3.13.0"));
        assert_eq!(chosen("<3.11", "/elsewhere").as_deref(), Some("3.9.18"));
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
