//! The trial list, frozen; the state under any order of events; simulated workers that are killed.

#![allow(clippy::unwrap_used, reason = "tests and what serves them: what goes wrong here should be loud")]

mod ask;
mod frozen;
mod journals;
mod simulation;
mod state;
mod trials;

use actum_sweep::{Definition, Fact, Method, Outcome, Rules, Seeds, Space, SweepState, Trials};

fn definition(words: &[&str], method: Method) -> Definition {
    let space = Space::parse(words).unwrap();
    Definition { space, method, seed: 7, seeds: Seeds::default(), splits: Vec::new() }
}

fn trials(words: &[&str], method: Method) -> Trials {
    Trials::new(definition(words, method)).unwrap()
}

fn start(state: &SweepState, index: u64, rung: u32) -> Fact {
    Fact::Started { index, rung, id: state.trial(index).unwrap().id, worker: "w".to_owned() }
}

fn finish(index: u64, rung: u32, value: Option<f64>) -> Fact {
    let outcome = if value.is_some() { Outcome::Succeeded } else { Outcome::Failed };
    Fact::Finished { index, rung, outcome, value, values: Default::default() }
}

/// A grid of `count` points.
fn grid_state(count: u32, rules: Rules) -> SweepState {
    SweepState::new(trials(&[&format!("a=1..{count}")], Method::Grid), rules).unwrap()
}

/// Starts and finishes a trial.
fn settle(state: &mut SweepState, index: u64, rung: u32, value: Option<f64>) {
    state.apply(&start(state, index, rung)).unwrap();
    state.apply(&finish(index, rung, value)).unwrap();
}
