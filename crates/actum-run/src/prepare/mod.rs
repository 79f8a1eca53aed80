//! Prepares environments: what a program needs around it, made once, kept by what it holds, and shown to runs read-only.
//!
//! [`prepare`] tells the story: what is wanted is looked up; else it is resolved to a lock, and the lock is the identity of an
//! environment that is looked up again; else it is built, and kept. Tools run inside the walls with the package index as
//! their whole network (`confined`, `index`); packages come as wheels, and nothing of them runs before the program does.
//!
//! What is promised: an environment is there whole or not at all, whoever is killed when; the same one is built once, however
//! many want it; one that is there costs the reading of two small files. docs/design/environments.md says why.
//!
//! | word | files |
//! |---|---|
//! | declared | `declared/`: what a project's own files say |
//! | wanted, prepared | `wanted`, `error` |
//! | find | `uv`, `interpreter`, `shim` |
//! | resolve | `resolve`, `index`, `words` |
//! | build, keep | `build`, `bytecode.py`, `data`, `cache` |
//! | travel | `era` (which day fits an interpreter), `scout/` (which release still has a name) |

mod build;
mod cache;
mod confined;
mod data;
pub mod declared;
pub mod era;
mod error;
mod index;
mod interpreter;
mod resolve;
pub mod scout;
mod shim;
mod uv;
mod wanted;
mod words;

pub use error::{PrepareError, Trouble};
pub use interpreter::{Interpreter, Range, Version, ask, choose, holds_module, interpreters};
pub use wanted::{
    Builds, Carrier, Kit, Locked, Newest, Packages, Prepared, ProjectLock, Reach, Stage, Wanted,
};

use crate::clock::{self, Stopwatch};
use crate::digest;
use actum_model::{Digest, Grant, Span};
use cache::{Cache, InUse, Manifest};
use resolve::Work;
use sha2::{Digest as _, Sha256};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::time::Duration;

/// How long a wish without a date is taken to come to the same lock.
const FRESH: Duration = Duration::from_secs(7 * 24 * 3600);

/// Prepares an environment, or finds it.
pub fn prepare(
    wanted: &Wanted,
    kit: &Kit<'_>,
    tell: &mut dyn FnMut(Stage),
) -> Result<Prepared, PrepareError> {
    let begun = Stopwatch::start();
    let cache = Cache::open(kit.cache)?;
    let wish = wish(wanted, kit);
    let prepared = |(manifest, in_use): (Manifest, InUse), cached: bool, tell: &mut dyn FnMut(Stage)| {
        tell(Stage::Ready { cached });
        Prepared::new(&cache, (manifest, in_use), cached, Span(begun.elapsed()))
    };
    if let Some(found) = look_up(&cache, &wish, wanted) {
        return Ok(prepared(found, true, tell));
    }
    let turn = cache.turn(&wish, kit.cancel, &mut || tell(Stage::Waiting))?.ok_or_else(cancelled)?;
    // Whoever was before may have wanted the same.
    if let Some(found) = look_up(&cache, &wish, wanted) {
        return Ok(prepared(found, true, tell));
    }
    let made = make(wanted, kit, (&cache, &wish), tell);
    drop(turn);
    match made {
        Ok((made, cached)) => Ok(prepared(made, cached, tell)),
        // An old lock is better than none while the index is away.
        Err(error) if error.trouble() == Some(Trouble::Unreachable) => {
            let stale = cache.came(&wish).and_then(|came| cache.take(&came.key)).ok_or(error)?;
            let mut prepared = prepared(stale, true, tell);
            prepared.notes.push("the index could not be reached, so an older lock was used".to_owned());
            Ok(prepared)
        }
        Err(error) => Err(error),
    }
}

/// Resolves and builds. The second half of the answer says whether somebody had built it already.
fn make(
    wanted: &Wanted,
    kit: &Kit<'_>,
    (cache, wish): (&Cache, &Digest),
    tell: &mut dyn FnMut(Stage),
) -> Result<((Manifest, InUse), bool), PrepareError> {
    let python = &wanted.interpreter.path;
    let uv = uv::find(kit, cache, python, tell)?;
    let mut indexes = index::configured(kit);
    if indexes.main.is_none() && kit.packages.reach == Reach::Online {
        indexes.main.clone_from(&uv.index);
    }
    if let Some(url) = index::unnamed(&wanted.indexes, &indexes, uv.index.as_deref()) {
        let url = index::without_password(url);
        return Err(PrepareError::Index { url, why: "the project names it, and [packages] does not" });
    }
    let names: Vec<String> = wanted.requirements.iter().map(|line| name_of(line).to_owned()).collect();
    tell(Stage::Resolving { requirements: wanted.requirements.len() });
    let reachable = index::reachable(kit, cache, &indexes, (python, &names))?;
    let site = cache.site()?;
    cache::make(&uv::uv_cache(cache))?;
    let nowhere = cache.nowhere();
    let work = Work {
        kit,
        cache,
        wanted,
        uv: &uv,
        indexes: &indexes,
        reachable: &reachable,
        site: &site,
        nowhere: &nowhere,
    };
    let resolved = resolve::resolve(&work).inspect_err(|error| {
        // Its files may have moved to another host.
        if error.trouble() == Some(Trouble::Unreachable) {
            cache.forget(&indexes.links());
        }
    })?;
    let key = key(&resolved.lock, wanted);
    let turn = cache.turn(&key, kit.cancel, &mut || tell(Stage::Waiting))?.ok_or_else(cancelled)?;
    let (found, cached) = match cache.take(&key) {
        Some(found) => (found, true),
        None => (build::build(&work, key, (&resolved.lock, resolved.notes), tell)?, false),
    };
    drop(turn);
    cache.remember(wish, key)?;
    Ok((found, cached))
}

fn look_up(cache: &Cache, wish: &Digest, wanted: &Wanted) -> Option<(Manifest, InUse)> {
    let came = cache.came(wish)?;
    let age = clock::moment().0.saturating_sub(came.at.0);
    let is_dated = matches!(wanted.newest, Newest::At(_)) || wanted.lock.is_some();
    let is_fresh = is_dated || u128::from(age) < FRESH.as_micros();
    if is_fresh { cache.take(&came.key) } else { None }
}

fn cancelled() -> PrepareError {
    PrepareError::Tool {
        doing: "prepare the packages",
        trouble: Trouble::Cancelled,
        names: Vec::new(),
        said: String::new(),
    }
}

/// The name in front of a requirement.
pub(crate) fn name_of(requirement: &str) -> &str {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let end = requirement.trim_start().find(|c| !is_name(c)).unwrap_or(requirement.trim_start().len());
    &requirement.trim_start()[..end]
}

/// Names what is wanted, before anything is asked. Two wishes of one name come to the same lock.
fn wish(wanted: &Wanted, kit: &Kit<'_>) -> Digest {
    let mut parts = Parts::new(b"actum wish 1");
    let sorted = |list: &[String]| {
        let mut list: Vec<&str> = list.iter().map(|line| line.trim()).collect();
        list.sort_unstable();
        list.dedup();
        list.join("\n")
    };
    parts.part(sorted(&wanted.requirements).as_bytes());
    parts.part(sorted(&wanted.constraints).as_bytes());
    parts.part(format!("{:?}", wanted.newest).as_bytes());
    parts.part(
        wanted
            .lock
            .as_ref()
            .map(|lock| format!("{}\0{}", lock.project, lock.lock))
            .unwrap_or_default()
            .as_bytes(),
    );
    parts.part(sorted(&wanted.indexes).as_bytes());
    parts.environment(wanted);
    let indexes = index::configured(kit);
    parts
        .part(indexes.all().map(|url| index::without_password(url)).collect::<Vec<_>>().join(" ").as_bytes());
    parts.part(kit.packages.wheels.as_ref().map(|path| path.as_os_str().as_bytes()).unwrap_or_default());
    parts.finish()
}

/// The identity of an environment: its lock, the interpreter it is made for, and the machine.
fn key(lock: &str, wanted: &Wanted) -> Digest {
    let mut parts = Parts::new(b"actum environment 1");
    parts.part(lock.as_bytes());
    parts.environment(wanted);
    parts.finish()
}

/// Lengths go in front, so that no two lists of parts are the same bytes.
struct Parts(Sha256);

impl Parts {
    fn new(purpose: &[u8]) -> Self {
        let mut parts = Self(Sha256::new());
        parts.part(purpose);
        parts
    }

    fn part(&mut self, bytes: &[u8]) {
        self.0.update(u64::try_from(bytes.len()).unwrap_or(u64::MAX).to_le_bytes());
        self.0.update(bytes);
    }

    fn environment(&mut self, wanted: &Wanted) {
        let interpreter = &wanted.interpreter;
        self.part(interpreter.path.as_os_str().as_bytes());
        self.part(interpreter.version.to_string().as_bytes());
        self.part(interpreter.build.as_bytes());
        self.part(std::env::consts::ARCH.as_bytes());
        self.part(format!("{:?} {:?}", wanted.builds, wanted.data).as_bytes());
    }

    fn finish(self) -> Digest {
        digest::finish(self.0)
    }
}

impl Prepared {
    fn new(cache: &Cache, (manifest, in_use): (Manifest, InUse), cached: bool, took: Span) -> Self {
        let folder = cache.kept(&manifest.key);
        let programs = folder.join(build::VENV).join("bin");
        let led = |(name, below): &(String, std::path::PathBuf)| (name.into(), folder.join(below).into());
        Self {
            key: manifest.key,
            interpreter: programs.join("python"),
            packages: manifest.packages,
            lock: manifest.lock,
            tool: manifest.tool,
            cached,
            took,
            grants: vec![Grant::Read(folder.clone())],
            variables: manifest.variables.iter().map(led).collect(),
            path: vec![programs],
            notes: manifest.notes,
            folder,
            _in_use: in_use,
        }
    }

    /// The lock: requirements with their hashes.
    pub fn lock_text(&self) -> io::Result<String> {
        std::fs::read_to_string(self.folder.join(cache::LOCK))
    }
}
