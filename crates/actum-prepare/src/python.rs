//! Environments of Python, by uv.

use super::cache::Cache;
use super::error::{PrepareError, Trouble};
use super::once::{Found, Lasts, Wish, judge, keyed, once};
use super::requirement::is_name;
use super::resolve::{self, Resolved, Wheels, Work};
use super::wanted::{Builds, Kit, Newest, Prepared, Reach, Registry, Stage, Wanted};
use super::{build, index, name_of, uv};
use actum_model::{Digest, IdentityHash};
use std::os::unix::ffi::OsStrExt;

/// Prepares an environment of Python, or finds it.
pub fn prepare(
    wanted: &Wanted,
    kit: &Kit<'_>,
    tell: &mut dyn FnMut(Stage),
) -> Result<Prepared, PrepareError> {
    let cache = Cache::open(kit.cache)?;
    let is_dated = matches!(wanted.newest, Newest::At(_)) || wanted.lock.is_some();
    let lasts = if is_dated { Lasts::ForEver } else { Lasts::ForAWhile };
    let wish = Wish { digest: wish(wanted, kit), lasts, registry: Registry::Python };
    once(kit, &cache, &wish, &mut |tell| make(wanted, kit, &cache, tell), tell)
}

/// Resolves and builds.
fn make(
    wanted: &Wanted,
    kit: &Kit<'_>,
    cache: &Cache,
    tell: &mut dyn FnMut(Stage),
) -> Result<Found, PrepareError> {
    let python = &wanted.interpreter.for_tasks(kit)?;
    let uv = uv::find(kit, cache, &wanted.interpreter, tell)?;
    let mut indexes = index::configured(kit);
    if indexes.main.is_none() && kit.packages.reach == Reach::Online {
        indexes.main.clone_from(&uv.index);
    }
    if let Some(url) = index::unnamed(&wanted.indexes, &indexes, uv.index.as_deref()) {
        let url = index::without_password(url);
        return Err(PrepareError::Index {
            url,
            why: "the project uses it, but [packages] does not allow it",
        });
    }
    let names = names(wanted);
    tell(Stage::Resolving { requirements: wanted.requirements.len() });
    let reachable = index::reachable(kit, cache, &indexes, (python, &names))?;
    let site = cache.site()?;
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
    let resolved = resolve::resolve(&work, tell).inspect_err(|error| {
        // Its files may have moved to another host.
        if error.trouble() == Some(Trouble::Unreachable) {
            cache.forget(&indexes.links());
        }
    })?;
    judge(kit, Registry::Python, &resolve::packages(&resolved.lock))?;
    let key = key(&resolved, wanted, kit);
    let mut build = |tell: &mut dyn FnMut(Stage)| {
        build::build(&work, key, (&resolved.lock, resolved.notes.clone()), tell)
    };
    keyed(kit, cache, &key, &mut build, tell)
}

/// Packages to look for on the index first: they show where its files are.
fn names(wanted: &Wanted) -> Vec<String> {
    let locked = wanted.lock.iter().flat_map(|lock| lock.names.iter().map(String::as_str));
    let names = wanted.requirements.iter().map(|line| name_of(line)).chain(locked);
    names.filter(|name| is_name(name)).map(str::to_owned).collect()
}

/// Names what is wanted, before anything is asked. Two wishes of one name come to the same lock.
fn wish(wanted: &Wanted, kit: &Kit<'_>) -> Digest {
    let mut hash = IdentityHash::new("actum wish 2");
    let sorted = |list: &[String]| {
        let mut list: Vec<&str> = list.iter().map(|line| line.trim()).collect();
        list.sort_unstable();
        list.dedup();
        list.join("\n")
    };
    hash.bytes(sorted(&wanted.requirements).as_bytes());
    hash.bytes(sorted(&wanted.constraints).as_bytes());
    hash.value(&wanted.newest);
    hash.bytes(
        wanted
            .lock
            .as_ref()
            .map(|lock| format!("{}\0{}", lock.project, lock.lock))
            .unwrap_or_default()
            .as_bytes(),
    );
    hash.bytes(sorted(&wanted.indexes).as_bytes());
    environment(&mut hash, wanted);
    if wanted.builds == Builds::Confined {
        hash.bytes(super::project_of(kit).as_bytes());
    }
    let indexes = index::configured(kit);
    hash.bytes(
        indexes.all().map(|url| index::without_password(url)).collect::<Vec<_>>().join(" ").as_bytes(),
    );
    hash.bytes(kit.packages.wheels.as_ref().map(|path| path.as_os_str().as_bytes()).unwrap_or_default());
    hash.finish()
}

/// The identity of an environment: its lock, the interpreter it is made for, and the machine; and the project, where code of
/// a package made a part of it.
fn key(resolved: &Resolved, wanted: &Wanted, kit: &Kit<'_>) -> Digest {
    let mut hash = IdentityHash::new("actum environment 3");
    hash.bytes(resolved.lock.as_bytes());
    environment(&mut hash, wanted);
    if resolved.wheels == Wheels::Built {
        hash.bytes(super::project_of(kit).as_bytes());
    }
    hash.finish()
}

fn environment(hash: &mut IdentityHash, wanted: &Wanted) {
    let interpreter = &wanted.interpreter;
    hash.bytes(interpreter.path().as_os_str().as_bytes());
    hash.bytes(interpreter.version.to_string().as_bytes());
    hash.bytes(interpreter.build.as_bytes());
    hash.bytes(std::env::consts::ARCH.as_bytes());
    hash.value(&(wanted.builds, &wanted.data));
}
