//! Finds out which release of a package still has a name, and what follows from that.

use super::choose::Wanted;
use super::provide::Providing;
use actum_prepare::scout::{self, Pick, Sought};
use actum_prepare::{Interpreter, Version};

/// The release to ask for; none where no release that was looked at has it, or nobody could be asked.
pub(super) fn ask(providing: &Providing<'_>, wanted: &Wanted, tell: &mut dyn FnMut(&str)) -> Option<Pick> {
    let python = providing.default()?;
    let sought = Sought {
        package: wanted.package.clone(),
        module: wanted.module.clone(),
        name: wanted.name.clone(),
        keyword: wanted.keyword.clone(),
        below: wanted.below.clone(),
    };
    let mut stages = |stage: actum_prepare::Stage| tell(&stage.to_string());
    let scouted = scout::seek(&sought, &providing.kit(), python, &mut stages).ok().flatten()?;
    let found = scouted.found?;
    let all: Vec<Version> = providing.all().iter().map(|one: &Interpreter| one.version).collect();
    Some(scout::pick(&sought, &found, &all, python.version))
}
