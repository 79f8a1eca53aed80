//! The plan in sentences: what is done, and what is tried when that does not do.

use crate::Wish;
use actum_model::{EnvironmentPlan, Needs, Reading};

/// Says what is done, in order, and what comes after.
pub(super) fn tell(needs: &mut Needs, wish: &Wish, reading: &Reading) {
    let steps = match &needs.environment {
        EnvironmentPlan::Nothing => Vec::new(),
        EnvironmentPlan::Interpreter { path } => vec![format!("use the packages that {path} has")],
        EnvironmentPlan::Declared { file } => vec![format!("prepare the environment that {file} declares")],
        EnvironmentPlan::Script => vec!["prepare the environment that the program declares".to_owned()],
        EnvironmentPlan::Imports => {
            let names: Vec<&str> = needs.packages.iter().map(|one| one.requirement.as_str()).collect();
            vec![format!("prepare an environment with {}", names.join(", "))]
        }
    };
    needs.steps.extend(steps);
    if !wish.data.is_empty() {
        needs.steps.push(format!("bring the data {}", wish.data.join(", ")));
    }
    if !reading.magics.is_empty() || reading.top_level_await.is_some() {
        needs.steps.push("start it by a launcher, as a notebook would".to_owned());
    }
    needs.steps.push("run it confined, without a network".to_owned());
    if wish.guessed && !wish.is_empty() {
        needs.fallbacks.push("add a package that turns out to be missing, if it is known".to_owned());
        needs
            .fallbacks
            .push("go back to the newest releases that still have a name the program uses".to_owned());
        needs.fallbacks.push("use the releases of the code's own time".to_owned());
        needs.fallbacks.push("use another interpreter of this machine".to_owned());
    }
    needs
        .fallbacks
        .push("make a missing folder of outputs; raise a limit once, within the policy".to_owned());
}

/// `1 test`, `3 tests`.
pub(super) fn count(number: usize, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        number => format!("{number} {noun}s"),
    }
}
