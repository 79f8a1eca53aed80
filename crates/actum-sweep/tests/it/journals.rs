//! Journals that nobody wrote in order: each fact is applied or refused, and what was applied gives the same state again.

use super::definition;
use actum_sweep::{
    Decision, Fact, Halving, LossCause, Method, Outcome, Parameters, Rules, Sampler, StopRules, SweepState,
    Trials, Value,
};
use proptest::prelude::*;

fn outcome() -> impl Strategy<Value = Outcome> {
    prop_oneof![3 => Just(Outcome::Succeeded), 1 => Just(Outcome::Failed), 1 => Just(Outcome::Killed)]
}

fn value() -> impl Strategy<Value = Option<f64>> {
    prop_oneof![Just(None), Just(Some(f64::NAN)), Just(Some(f64::INFINITY)), any::<f64>().prop_map(Some)]
}

/// Trials that are not there are started with the id of the first.
fn fact(trials: Trials) -> impl Strategy<Value = Fact> {
    let (index, rung) = (0_u64..9, prop_oneof![4 => Just(0_u32), 1 => 0_u32..4]);
    let start = (index.clone(), rung.clone()).prop_map(move |(index, rung)| {
        let id = trials.trial(index).or_else(|| trials.trial(0)).unwrap().id;
        Fact::Started { index, rung, id, worker: "w".to_owned() }
    });
    let finish =
        (index.clone(), rung.clone(), outcome(), value()).prop_map(|(index, rung, outcome, value)| {
            Fact::Finished { index, rung, outcome, value, values: Default::default() }
        });
    let cause = prop_oneof![Just(LossCause::Trial), Just(LossCause::Sweep)];
    let lost =
        (index.clone(), rung, cause).prop_map(|(index, rung, cause)| Fact::Lost { index, rung, cause });
    let proposed = (index, 0_i64..9).prop_map(|(index, a)| {
        let parameters = Parameters::new(vec![("a".to_owned(), Value::Integer(a))]).unwrap();
        Fact::Proposed { index, by: "x".to_owned(), parameters, seed: 1, split: None }
    });
    prop_oneof![
        12 => start,
        12 => finish,
        4 => lost,
        2 => proposed,
        1 => Just(Fact::Stopped { reason: String::new() }),
        1 => Just(Fact::Resumed),
    ]
}

fn sweep() -> impl Strategy<Value = (Trials, Vec<Fact>)> {
    let halving = Halving { sampler: Sampler::Random, samples: 6, min: 1, max: 4, eta: 2 };
    let method =
        prop_oneof![Just(Method::Grid), Just(Method::Sobol { samples: 8 }), Just(Method::Halving(halving)),];
    method.prop_flat_map(|method| {
        let trials = Trials::new(definition(&["a=1..6"], method)).unwrap();
        (Just(trials.clone()), proptest::collection::vec(fact(trials), 0..120))
    })
}

proptest! {
    #[test]
    fn any_journal_is_applied_or_refused((trials, facts) in sweep(), stops: bool) {
        let stop = StopRules { target: stops.then_some(-1e300), failures: stops.then_some(2), patience: None };
        let rules = Rules { stop, ..Rules::default() };
        let mut state = SweepState::new(trials.clone(), rules.clone()).unwrap();
        let mut applied: Vec<Fact> = Vec::new();
        for fact in facts {
            if state.apply(&fact).is_ok() {
                applied.push(fact);
            }
            if let Decision::Start(runs) = state.next(3) {
                let running = state.running();
                prop_assert!(running.len() + runs.len() <= 3);
                prop_assert!(runs.iter().all(|run| running.iter().all(|running| running.trial != *run)));
                prop_assert!(runs.iter().all(|run| state.settled(run.index, run.rung).is_none()));
            }
        }
        let summary = state.summary();
        prop_assert_eq!(summary.counted + summary.surplus, (state.counted().len() + state.surplus().len()) as u64);
        let text: Vec<String> = applied.iter().map(|fact| serde_json::to_string(fact).unwrap()).collect();
        let read: Vec<Fact> = text.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        let again = SweepState::replay(trials, rules, &read).unwrap();
        prop_assert_eq!(again.summary(), summary);
        prop_assert_eq!(again.next(3), state.next(3));
    }
}
