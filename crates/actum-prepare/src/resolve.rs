//! Turns what is wanted into a lock: every package with its version and the hashes of its files.
//!
//! The lock is a list of requirements with hashes, as `pip` and `uv` both read it: one package a line, no addresses, so the
//! same lock comes out behind every mirror, and anybody can install it by hand.

use super::Locked;
use super::cache::{Cache, Site, write};
use super::confined::{Program, Reachable, Task, carry_out, refused};
use super::error::{PrepareError, Trouble};
use super::index::{self, Indexes};
use super::requirement::Requirement;
use super::uv::{self, Uv};
use super::wanted::{Builds, Kit, Newest, Reach, Stage, Wanted};
use actum_model::Span;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Resolving asks for hundreds of small files at most.
const PATIENCE: Span = Span::seconds(300);

/// Everything that one preparation goes by.
pub(super) struct Work<'w> {
    pub(super) kit: &'w Kit<'w>,
    pub(super) cache: &'w Cache,
    pub(super) wanted: &'w Wanted,
    pub(super) uv: &'w Uv,
    pub(super) indexes: &'w Indexes,
    pub(super) reachable: &'w Reachable,
    pub(super) site: &'w Site,
    /// Where tools start: an empty folder.
    pub(super) nowhere: &'w Path,
}

/// A lock, and what should be known about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Resolved {
    pub(super) lock: String,
    pub(super) notes: Vec<String>,
    pub(super) wheels: Wheels,
}

/// Who made the wheels of a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wheels {
    /// They were fetched.
    Fetched,
    /// Code of a package made one of them here.
    Built,
}

impl Work<'_> {
    /// What uv may see: its own cache and the site to write, the interpreter and the wheels to read.
    pub(super) fn task(&self, doing: &'static str, arguments: Vec<OsString>, wall: Span) -> Task<'_> {
        let cache = self.uv_cache();
        Task {
            doing,
            program: Program::Tool(self.uv.tool.clone()),
            arguments,
            folder: self.nowhere,
            reads: self.reads(),
            variables: uv::variables(self.kit, &cache, self.indexes),
            writes: vec![cache, self.site.folder.clone()],
            hosts: (!self.reachable.rules.is_empty()).then_some(self.reachable),
            wall,
        }
    }

    /// From the moment on that a package's own code has made a wheel for this preparation, uv works in a cache of the project;
    /// and so it does where wheels come from a folder that a program could have filled.
    fn uv_cache(&self) -> PathBuf {
        let has_built = super::source::folder(self).is_dir();
        let wheels = self.kit.packages.wheels.as_deref();
        let has_own = wheels.is_some_and(|folder| self.kit.places.may_be_written(folder));
        let cache = match has_built || has_own {
            true => uv::project_cache(self.cache, self.kit),
            false => uv::shared_cache(self.cache),
        };
        // Where it cannot be made, the sandbox says so when it is granted.
        let _ = super::cache::make(&cache);
        cache
    }

    pub(super) fn reads(&self) -> Vec<PathBuf> {
        let installation = self.wanted.interpreter.installation.iter().cloned();
        let wheels = self.kit.packages.wheels.clone().filter(|folder| folder.is_dir());
        index::certificates(self.kit).into_iter().chain(installation).chain(wheels).collect()
    }

    /// How uv is told where packages are, beside its variables.
    pub(super) fn places(&self) -> Vec<OsString> {
        let mut words: Vec<OsString> = Vec::new();
        if let Some(folder) = self.kit.packages.wheels.as_ref().filter(|folder| folder.is_dir()) {
            words.extend(["--find-links".into(), folder.into()]);
        }
        let built = super::source::folder(self);
        if built.is_dir() {
            words.extend(["--find-links".into(), built.into()]);
        }
        if self.kit.packages.reach == Reach::Offline {
            words.push("--offline".into());
        }
        words
    }
}

/// Resolves.
pub(super) fn resolve(work: &Work<'_>, tell: &mut dyn FnMut(Stage)) -> Result<Resolved, PrepareError> {
    if let Some(project) = &work.wanted.lock {
        return export(work, project);
    }
    let newest = match &work.wanted.newest {
        Newest::Any => None,
        Newest::At(moment) => Some(moment.clone()),
        Newest::OlderThan(0) => None,
        Newest::OlderThan(days) => Some(format!("{days} days")),
    };
    let first = built(work, newest.as_deref(), tell);
    let is_undated = |error: &PrepareError| error.trouble() == Some(Trouble::Undated);
    match (first, &work.wanted.newest) {
        // An index of the user's own that tells no dates is older than the demand for them.
        (Err(error), Newest::OlderThan(_)) if is_undated(&error) && work.indexes.main != work.uv.index => {
            let mut resolved = built(work, None, tell)?;
            resolved.notes.push(
                "the package index reports no dates, so the age of releases was not checked".to_owned(),
            );
            Ok(resolved)
        }
        (first, _) => first,
    }
}

/// More packages than this without a wheel are a sign of something else.
const MOST_BUILDS: usize = 8;

/// Resolves with wheels, and with those that are built where none are there and the user allows it.
fn built(
    work: &Work<'_>,
    newest: Option<&str>,
    tell: &mut dyn FnMut(Stage),
) -> Result<Resolved, PrepareError> {
    let mut notes = Vec::new();
    let mut done: Vec<String> = Vec::new();
    loop {
        let error = match compile(work, newest) {
            Ok(lock) => {
                let wheels = if done.is_empty() { Wheels::Fetched } else { Wheels::Built };
                return Ok(Resolved { lock, notes, wheels });
            }
            Err(error) => error,
        };
        let lacks_wheel = matches!(error.trouble(), Some(Trouble::NoWheel | Trouble::OtherPython));
        let may_build = work.wanted.builds == Builds::Confined && !work.wanted.interpreter.is_old();
        let next = error.names().iter().find(|name| !done.contains(name)).cloned();
        match next.filter(|_| lacks_wheel && may_build && done.len() < MOST_BUILDS) {
            Some(name) => {
                super::source::build(work, &name, tell)?;
                notes.push(format!("{name} was built from source"));
                done.push(name);
            }
            None => return Err(error),
        }
    }
}

fn compile(work: &Work<'_>, newest: Option<&str>) -> Result<String, PrepareError> {
    let Work { wanted, site, .. } = work;
    let (list, constraints) = (site.folder.join("wanted.txt"), site.folder.join("constraints.txt"));
    write(&list, lines(&wanted.requirements)?.as_bytes())?;
    let mut arguments: Vec<OsString> =
        ["pip", "compile", "--generate-hashes", "--no-header", "--no-annotate", "--no-emit-index-url"]
            .map(OsString::from)
            .to_vec();
    let interpreter = &wanted.interpreter;
    arguments.extend(["--python".into(), interpreter.for_tasks(work.kit)?.path().into()]);
    if interpreter.is_old() {
        arguments.extend(["--python-version".into(), interpreter.version.to_string().into()]);
    }
    if !wanted.constraints.is_empty() {
        write(&constraints, lines(&wanted.constraints)?.as_bytes())?;
        arguments.extend(["--constraints".into(), constraints.into()]);
    }
    if let Some(newest) = newest {
        let is_date = |byte: u8| byte.is_ascii_alphanumeric() || b"-:.+ ".contains(&byte);
        if newest.starts_with('-') || !newest.bytes().all(is_date) {
            return Err(malformed(newest, "it is not a date"));
        }
        arguments.extend(["--exclude-newer".into(), newest.into()]);
    }
    arguments.push("--no-build".into());
    arguments.extend(work.places());
    arguments.push(list.into());
    let said = carry_out(work.kit, &work.task("resolve the packages", arguments, PATIENCE))?;
    // It warns and leaves the package out; what comes out of that would be another environment.
    let is_undated = said.stderr.contains("is missing an upload date");
    if !said.is_success() || is_undated && newest.is_some() {
        return Err(refused("resolve the packages", &said));
    }
    checked(&said.text())
}

/// Takes the lock of a project as it is.
fn export(work: &Work<'_>, project: &super::ProjectLock) -> Result<Resolved, PrepareError> {
    let folder = work.site.folder.join("project");
    super::cache::make(&folder)?;
    write(&folder.join("pyproject.toml"), project.project.as_bytes())?;
    write(&folder.join("uv.lock"), project.lock.as_bytes())?;
    let mut arguments: Vec<OsString> = [
        "export",
        "--frozen",
        "--no-emit-workspace",
        "--no-header",
        "--no-annotate",
        "--no-editable",
        "--offline",
        "--format",
        "requirements.txt",
        "--project",
    ]
    .map(OsString::from)
    .to_vec();
    arguments.extend([folder.into(), "--python".into(), work.wanted.interpreter.path().into()]);
    let said = carry_out(work.kit, &work.task("read the project's lock file", arguments, PATIENCE))?;
    if !said.is_success() {
        return Err(refused("read the project's lock file", &said));
    }
    Ok(Resolved {
        lock: checked(&said.text())?,
        notes: vec!["versions are taken from the project's uv.lock".to_owned()],
        wheels: Wheels::Fetched,
    })
}

/// A list for uv: one parsed requirement a line, whoever asked for it.
fn lines(list: &[String]) -> Result<String, PrepareError> {
    let built = |line: &String| match Requirement::parse(line) {
        Ok(requirement) => Ok(format!("{requirement}\n")),
        Err(why) => Err(malformed(line, why)),
    };
    let mut sorted = list.iter().map(built).collect::<Result<Vec<String>, _>>()?;
    sorted.sort_unstable();
    sorted.dedup();
    Ok(sorted.concat())
}

fn malformed(line: &str, why: &'static str) -> PrepareError {
    let line = line.chars().filter(|c| !c.is_control()).take(200).collect();
    PrepareError::Line { path: "the requirements".into(), line, why }
}

/// A lock as uv wrote it, built anew from its parsed lines: every package by its name, one version and its hashes.
fn checked(lock: &str) -> Result<String, PrepareError> {
    let joined = lock.replace("\\\n", " ");
    let lines = joined.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut built = String::with_capacity(lock.len());
    for line in lines {
        let locked = Requirement::parse(line).map_err(|why| malformed(line, why))?;
        if !locked.is_pinned() || locked.hashes.is_empty() {
            return Err(malformed(line, "a lock names one version and its hashes"));
        }
        built.push_str(&locked.without_hashes());
        for hash in &locked.hashes {
            built.push_str(" \\\n    --hash=");
            built.push_str(hash);
        }
        built.push('\n');
    }
    Ok(built)
}

/// The packages of a lock. Markers are left to whoever installs.
pub(super) fn packages(lock: &str) -> Vec<Locked> {
    let package = |line: &str| {
        let is_package = line.starts_with(|first: char| first.is_ascii_alphanumeric());
        let line = line.split([' ', ';', '\\']).next().filter(|_| is_package)?;
        let (name, version) = line.split_once("==")?;
        let name = name.split('[').next().unwrap_or(name);
        Some(Locked { name: name.to_owned(), version: version.to_owned() })
    };
    lock.lines().filter_map(package).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_read_from_a_lock() {
        let lock = "numpy==2.4.6 \\\n    --hash=sha256:00 \\\n    --hash=sha256:11\n# a note\nuvicorn[standard]==0.30.0 ; sys_platform == 'linux' \\\n    --hash=sha256:22\n-e .\n";
        let found: Vec<String> =
            packages(lock).iter().map(|one| format!("{} {}", one.name, one.version)).collect();
        assert_eq!(found, ["numpy 2.4.6", "uvicorn 0.30.0"]);
    }

    #[test]
    fn the_order_of_requirements_does_not_matter() {
        let list =
            |words: &[&str]| lines(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>()).unwrap();
        assert_eq!(list(&["b", " a ", "b"]), list(&["a", "b"]));
    }

    #[test]
    fn a_lock_is_built_anew_from_names_versions_and_hashes() {
        let lock = "numpy==2.4.6 \\\n    --hash=sha256:00 \\\n    --hash=sha256:11\nb==1 ; os_name == 'x' \\\n    --hash=sha256:22\n";
        assert_eq!(checked(lock).unwrap(), lock);
        assert_eq!(checked(&format!("# a note\n\n{lock}")).unwrap(), lock);
        for line in [
            "a @ http://h/a.whl --hash=sha256:00",
            "a @ http://h/a.whl",
            "a==1",
            "a>=1 --hash=sha256:00",
            "a==1.* --hash=sha256:00",
            "-e .",
            "--index-url http://h",
            "-r /etc/passwd",
            "./a",
            "http://h/a.whl",
        ] {
            assert!(checked(line).is_err(), "{line}");
        }
    }

    #[test]
    fn what_is_no_requirement_is_not_handed_to_uv() {
        for line in ["a>=0\nevil", "-r /etc/passwd", "--pre", "a @ http://h/a.whl", "a\0"] {
            assert!(lines(&[line.to_owned()]).is_err(), "{line:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_lock_is_read(text in ".{0,200}") {
            let _ = packages(&text);
        }
    }
}
