//! `[packages]` and `[recover]`: what may be installed for a program, and how often it is tried again.

use super::{ConfigError, Value, Whose};
use actum_engine::PackageRules;
use actum_model::Limits;
use actum_prepare::needs::Preparing;
use actum_run::Bounds;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PackagesPart {
    prepare: Option<String>,
    #[serde(default)]
    allow: Vec<String>,
    #[serde(default)]
    deny: Vec<String>,
    index: Option<String>,
    wheels: Option<PathBuf>,
    age: Option<String>,
    strangers: Option<String>,
    builds: Option<bool>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RecoverPart {
    attempts: Option<u32>,
    builds: Option<u32>,
    raises: Option<u32>,
    times: Option<u32>,
    #[serde(default)]
    ceiling: BTreeMap<String, Value>,
}

/// A project comes from anywhere: it may name packages, as its requirements do, and take some away. From where they are
/// fetched is the user's to say (`rights` has refused those keys in a file that is not trusted), and so is whether they are built.
pub(super) fn lay_over(
    rules: &mut PackageRules,
    part: PackagesPart,
    path: &Path,
    whose: Whose,
) -> Result<(), ConfigError> {
    let wrong = |what: &'static str| ConfigError::Packages { path: path.to_path_buf(), what };
    rules.allow.extend(part.allow);
    rules.deny.extend(part.deny);
    if let Some(wheels) = part.wheels {
        let below = path.parent().unwrap_or(Path::new(""));
        let wheels = below.join(wheels);
        // It is shown to the installer: a project has its own folder shown, and no other one.
        let is_inside = || {
            let (real, project) = (wheels.canonicalize().ok(), below.canonicalize().ok());
            real.zip(project).is_none_or(|(real, project)| real.starts_with(project))
        };
        if whose == Whose::Projects && !is_inside() {
            return Err(wrong("`wheels` of a project must be a folder inside it"));
        }
        rules.wheels = Some(wheels);
    }
    if let Some(word) = part.prepare {
        let asked = preparing(&word).ok_or_else(|| wrong("`prepare` must be auto, offline or never"))?;
        rules.preparing = match whose {
            Whose::Users => asked,
            Whose::Projects => stricter(rules.preparing, asked),
        };
    }
    let is_projects = whose == Whose::Projects;
    if is_projects && part.builds == Some(true) {
        return Err(wrong("only you can allow `builds`, not a project"));
    }
    if let Some(index) = part.index {
        rules.index = Some(index);
    }
    if let Some(age) = part.age {
        rules.cooldown = age.parse().map_err(|_| wrong("`age` must be a time such as 7d"))?;
    }
    match (part.strangers.as_deref(), whose) {
        (None, _) => {}
        (Some("stop"), _) => rules.strangers = false,
        (Some("accept"), Whose::Users) => rules.strangers = true,
        (Some("accept"), Whose::Projects) => {
            return Err(wrong("only you can accept `strangers`, not a project"));
        }
        (Some(_), _) => return Err(wrong("`strangers` must be stop or accept")),
    }
    rules.builds = part.builds.unwrap_or(rules.builds);
    Ok(())
}

fn preparing(word: &str) -> Option<Preparing> {
    match word {
        "auto" => Some(Preparing::Auto),
        "offline" => Some(Preparing::Offline),
        "never" => Some(Preparing::Never),
        _ => None,
    }
}

fn stricter(one: Preparing, other: Preparing) -> Preparing {
    match (one, other) {
        (Preparing::Never, _) | (_, Preparing::Never) => Preparing::Never,
        (Preparing::Offline, _) | (_, Preparing::Offline) => Preparing::Offline,
        (Preparing::Auto, Preparing::Auto) => Preparing::Auto,
    }
}

/// A project may ask for fewer attempts and lower ceilings, not for more.
pub(super) fn recover(
    bounds: &mut Bounds,
    part: RecoverPart,
    path: &Path,
    whose: Whose,
) -> Result<(), ConfigError> {
    let set = |now: &mut u32, asked: Option<u32>| {
        if let Some(asked) = asked {
            *now = if whose == Whose::Users { asked } else { asked.min(*now) };
        }
    };
    set(&mut bounds.attempts, part.attempts);
    set(&mut bounds.builds, part.builds);
    set(&mut bounds.raises, part.raises);
    set(&mut bounds.times, part.times);
    for (name, value) in part.ceiling {
        let mut limits: Limits = bounds.ceiling;
        limits
            .set(&value.assigned_to(&name))
            .map_err(|source| ConfigError::Limits { path: path.to_path_buf(), source })?;
        bounds.ceiling = match whose {
            Whose::Users => limits,
            Whose::Projects => bounds.ceiling.least(limits),
        };
    }
    Ok(())
}
