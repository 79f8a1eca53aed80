//! The plan in sentences: what is done, and what is tried when that does not do.

use crate::Wish;
use actum_model::{EnvironmentPlan, Needs, Reading};

/// Says what is done, in order, and what comes after.
pub(super) fn tell(needs: &mut Needs, wish: &Wish, reading: &Reading) {
    let steps = match &needs.environment {
        EnvironmentPlan::Nothing => Vec::new(),
        EnvironmentPlan::Interpreter { path } => vec![format!("use the packages of {path}")],
        EnvironmentPlan::Declared { file } => vec![format!("install the packages that {file} declares")],
        EnvironmentPlan::Script => vec!["install the packages that the program declares".to_owned()],
        EnvironmentPlan::Imports => {
            let names: Vec<&str> = needs.packages.iter().map(|one| one.requirement.as_str()).collect();
            vec![format!("install {}", names.join(", "))]
        }
    };
    needs.steps.extend(steps);
    if !wish.data.is_empty() {
        needs.steps.push(format!("download the data {}", wish.data.join(", ")));
    }
    if !reading.magics.is_empty() || reading.top_level_await.is_some() {
        needs.steps.push("run it with IPython, as a notebook would".to_owned());
    }
    needs.steps.push("run it in a sandbox without network access".to_owned());
    if wish.guessed && !wish.is_empty() {
        needs.fallbacks.push("install a missing package if it is known".to_owned());
        needs.fallbacks.push("use the newest release that still has a name the program uses".to_owned());
        needs.fallbacks.push("use releases from when the code was written".to_owned());
        needs.fallbacks.push("use another installed Python".to_owned());
    }
    needs.fallbacks.push("create a missing output folder; raise a limit once, within the policy".to_owned());
}

/// `1 test`, `3 tests`.
pub(super) fn count(number: usize, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        number => format!("{number} {noun}s"),
    }
}
