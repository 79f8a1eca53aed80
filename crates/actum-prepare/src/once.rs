//! How an environment comes to be once, whoever wants it and however often: looked up, waited for, made, remembered.

use super::cache::{Cache, InUse, Manifest};
use super::error::{PrepareError, Trouble};
use super::wanted::{Kit, Locked, Prepared, Registry, Stage};
use crate::clock::{self, Stopwatch};
use actum_model::{Digest, Span};

use std::time::Duration;

/// How long a wish without a date is taken to come to the same lock.
const FRESH: Duration = Duration::from_secs(7 * 24 * 3600);

/// One wish, and whether what it comes to can change.
pub(super) struct Wish {
    pub(super) digest: Digest,
    pub(super) lasts: Lasts,
    pub(super) registry: Registry,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lasts {
    /// It says everything itself.
    ForEver,
    /// Tomorrow the index may have something newer.
    ForAWhile,
}

/// An environment, and whether somebody had built it already.
pub(super) struct Found {
    pub(super) manifest: Manifest,
    pub(super) in_use: InUse,
    pub(super) cached: bool,
}

/// Makes what is wanted, resolving and building; told how far it is.
pub(super) type Make<'m> = dyn FnMut(&mut dyn FnMut(Stage)) -> Result<Found, PrepareError> + 'm;

/// Finds what is wanted, or has it made by one of those who want it.
pub(super) fn once(
    kit: &Kit<'_>,
    cache: &Cache,
    wish: &Wish,
    make: &mut Make<'_>,
    tell: &mut dyn FnMut(Stage),
) -> Result<Prepared, PrepareError> {
    let begun = Stopwatch::start();
    let prepared = |found: Found, tell: &mut dyn FnMut(Stage)| {
        // Whoever had it built may have been allowed more.
        judge(kit, wish.registry, &found.manifest.packages)?;
        tell(Stage::Ready { cached: found.cached });
        Ok::<_, PrepareError>(Prepared::new(cache, found, Span(begun.elapsed())))
    };
    if let Some(found) = look_up(cache, wish) {
        return prepared(found, tell);
    }
    let turn = cache.turn(&wish.digest, kit.cancel, &mut || tell(Stage::Waiting))?.ok_or_else(cancelled)?;
    // Whoever was before may have wanted the same.
    if let Some(found) = look_up(cache, wish) {
        return prepared(found, tell);
    }
    let made = make(tell);
    let prepared = match made {
        Ok(found) => {
            cache.remember(&wish.digest, found.manifest.key)?;
            prepared(found, tell)?
        }
        // An old lock is better than none while the index is away.
        Err(error) if error.trouble() == Some(Trouble::Unreachable) => {
            let stale = cache.came(&wish.digest).and_then(|came| cache.take(&came.key));
            let (manifest, in_use) = stale.ok_or(error)?;
            let mut prepared = prepared(Found { manifest, in_use, cached: true }, tell)?;
            prepared
                .notes
                .push("the package index could not be reached, so an earlier lock was used".to_owned());
            prepared
        }
        Err(error) => return Err(error),
    };
    drop(turn);
    Ok(prepared)
}

/// Has an environment built by one of those whose locks are the same.
pub(super) fn keyed(
    kit: &Kit<'_>,
    cache: &Cache,
    key: &Digest,
    build: &mut Build<'_>,
    tell: &mut dyn FnMut(Stage),
) -> Result<Found, PrepareError> {
    let turn = cache.turn(key, kit.cancel, &mut || tell(Stage::Waiting))?.ok_or_else(cancelled)?;
    let found = match cache.take(key) {
        Some((manifest, in_use)) => Found { manifest, in_use, cached: true },
        None => {
            let (manifest, in_use) = build(tell)?;
            Found { manifest, in_use, cached: false }
        }
    };
    drop(turn);
    Ok(found)
}

pub(super) type Build<'b> = dyn FnMut(&mut dyn FnMut(Stage)) -> Result<(Manifest, InUse), PrepareError> + 'b;

/// Judges every package of a lock.
pub(super) fn judge(kit: &Kit<'_>, registry: Registry, packages: &[Locked]) -> Result<(), PrepareError> {
    packages.iter().try_for_each(|package| kit.judge.judge(registry, &package.name))
}

fn look_up(cache: &Cache, wish: &Wish) -> Option<Found> {
    let came = cache.came(&wish.digest)?;
    let age = clock::moment().0.saturating_sub(came.at.0);
    let is_fresh = wish.lasts == Lasts::ForEver || u128::from(age) < FRESH.as_micros();
    let (manifest, in_use) = cache.take(&came.key).filter(|_| is_fresh)?;
    Some(Found { manifest, in_use, cached: true })
}

fn cancelled() -> PrepareError {
    let (doing, said) = ("prepare the packages", String::new());
    PrepareError::Tool { doing, trouble: Trouble::Cancelled, names: Vec::new(), said }
}
