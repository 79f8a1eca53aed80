//! The gate for packages that no table knows: whether there is such a package, for how long, and whether it brings the module.

use super::provide::Providing;
use actum_packages::{IndexFacts, Otherwise, Rules, Verdict};
use actum_prepare::era::Day;
use actum_prepare::scout::{self, Scouted, Sought};

/// What is to be done about a module that nobody knows, taken for the name of a package. None where no index could be asked.
pub(crate) fn judge(providing: &Providing<'_>, module: &str, tell: &mut dyn FnMut(&str)) -> Option<Verdict> {
    let python = providing.default()?;
    let sought = Sought {
        package: module.to_owned(),
        module: module.to_owned(),
        name: None,
        keyword: None,
        below: None,
    };
    let allowed = &providing.request.packages;
    let rules = Rules {
        allow: allowed.allow.clone(),
        deny: allowed.deny.clone(),
        otherwise: if allowed.strangers { Otherwise::Accept } else { Otherwise::Ask },
        ..Rules::default()
    };
    // What is refused whatever the index says is not asked about: nothing of it is fetched, not even to be looked at.
    if let verdict @ Verdict::Refused { .. } = actum_packages::judge(module, None, &rules) {
        return Some(verdict);
    }
    tell(&format!("looking up {module} in the package index"));
    let mut stages = |stage: actum_prepare::Stage| tell(&stage.to_string());
    let scouted = scout::seek(&sought, &providing.kit(), python, &mut stages).ok().flatten()?;
    let facts = facts(&scouted)?;
    let brings = scouted.found.is_some();
    Some(match actum_packages::judge(module, Some(&facts), &rules) {
        Verdict::Trusted if !brings => {
            let why = "a package of that name exists but does not provide the module".to_owned();
            Verdict::Refused { why, nearest: Vec::new() }
        }
        verdict @ (Verdict::Trusted | Verdict::Ask { .. } | Verdict::Refused { .. }) => verdict,
    })
}

/// None where the index could not be asked.
fn facts(scouted: &Scouted) -> Option<IndexFacts> {
    match scouted.ended.as_str() {
        "unknown" => Some(IndexFacts { exists: false, ..IndexFacts::default() }),
        "failed" => None,
        _ => Some(IndexFacts {
            exists: true,
            first_upload_days: scouted.first_uploaded.as_deref().and_then(Day::read).map(age),
            releases: scouted.releases,
        }),
    }
}

/// Days since then.
fn age(day: Day) -> u32 {
    let today = Day::read(&crate::clock::moment().to_string());
    today.map_or(0, |today| u32::try_from(today.since(day)).unwrap_or(0))
}
