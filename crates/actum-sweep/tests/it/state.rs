//! Which facts are possible, what is decided, and what the summary says.

use super::{definition, finish, grid_state, settle, start, trials};
use actum_sweep::{
    Decision, Definition, DoneReason, Fact, Goal, Halving, IllegalFact, LossCause, Method, Outcome,
    Parameters, Rules, Sampler, Seeds, StopRules, SweepState, Trials,
};

fn started(decision: Decision) -> Vec<u64> {
    match decision {
        Decision::Start(trials) => trials.iter().map(|run| run.index).collect(),
        Decision::Wait | Decision::Done(_) => Vec::new(),
    }
}

fn lost(index: u64, cause: LossCause) -> Fact {
    Fact::Lost { index, rung: 0, cause }
}

#[test]
fn as_many_start_as_there_is_room_for() {
    let mut state = grid_state(3, Rules::default());
    assert_eq!(started(state.next(2)), [0, 1]);
    assert_eq!(state.next(0), Decision::Wait);
    state.apply(&start(&state, 0, 0)).unwrap();
    assert_eq!(started(state.next(2)), [1]);
    state.apply(&start(&state, 1, 0)).unwrap();
    assert_eq!(state.next(2), Decision::Wait);
    state.apply(&finish(1, 0, Some(1.0))).unwrap();
    assert_eq!(started(state.next(2)), [2]);
    settle(&mut state, 2, 0, Some(2.0));
    assert_eq!(state.next(2), Decision::Wait);
    state.apply(&finish(0, 0, None)).unwrap();
    assert_eq!(state.next(2), Decision::Done(DoneReason::Complete));
}

#[test]
fn impossible_facts_are_refused_and_change_nothing() {
    let mut state = grid_state(3, Rules::default());
    settle(&mut state, 0, 0, Some(1.0));
    state.apply(&start(&state, 1, 0)).unwrap();
    let other = trials(&["b=1..3"], Method::Grid).trial(2).unwrap().id;
    for (fact, expected) in [
        (start(&state, 0, 0), IllegalFact::AlreadySettled { index: 0 }),
        (start(&state, 1, 0), IllegalFact::AlreadyRunning { index: 1, worker: "w".to_owned() }),
        (start(&state, 2, 1), IllegalFact::Unknown { index: 2, rung: 1 }),
        (
            Fact::Started { index: 9, rung: 0, id: other, worker: String::new() },
            IllegalFact::Unknown { index: 9, rung: 0 },
        ),
        (
            Fact::Started { index: 2, rung: 0, id: other, worker: String::new() },
            IllegalFact::OtherTrial { index: 2 },
        ),
        (finish(0, 0, None), IllegalFact::NotRunning { index: 0 }),
        (finish(2, 0, None), IllegalFact::NotRunning { index: 2 }),
        (lost(2, LossCause::Sweep), IllegalFact::NotRunning { index: 2 }),
        (Fact::Resumed, IllegalFact::NotStopped),
    ] {
        let before = format!("{state:?}");
        assert_eq!(state.apply(&fact), Err(expected), "{fact:?}");
        assert_eq!(format!("{state:?}"), before, "{fact:?}");
    }
}

#[test]
fn what_is_lost_is_tried_again_until_its_retries_are_used() {
    let mut state = grid_state(1, Rules { retries: 2, ..Rules::default() });
    let killed = Fact::Finished {
        index: 0,
        rung: 0,
        outcome: Outcome::Killed,
        value: None,
        values: Default::default(),
    };
    for end in [lost(0, LossCause::Trial), lost(0, LossCause::Sweep), killed, lost(0, LossCause::Sweep)] {
        state.apply(&start(&state, 0, 0)).unwrap();
        state.apply(&end).unwrap();
        assert_eq!(started(state.next(1)), [0], "{end:?}");
    }
    state.apply(&start(&state, 0, 0)).unwrap();
    state.apply(&lost(0, LossCause::Trial)).unwrap();
    assert_eq!(state.next(1), Decision::Done(DoneReason::Complete));
    assert_eq!(state.settled(0, 0).unwrap().outcome, None);
    assert_eq!(state.summary().without_value, 1);
}

#[test]
fn a_failed_program_is_not_tried_again() {
    let mut state = grid_state(1, Rules::default());
    settle(&mut state, 0, 0, None);
    assert_eq!(state.next(1), Decision::Done(DoneReason::Complete));
}

#[test]
fn a_stopped_sweep_goes_on_where_it_was() {
    let mut state = grid_state(3, Rules::default());
    state.apply(&start(&state, 0, 0)).unwrap();
    let stop = Fact::Stopped { reason: "lunch".to_owned() };
    state.apply(&stop).unwrap();
    assert_eq!(state.next(4), Decision::Done(DoneReason::Stopped { reason: "lunch".to_owned() }));
    assert_eq!(state.apply(&start(&state, 1, 0)), Err(IllegalFact::Stopped));
    assert_eq!(state.apply(&stop), Err(IllegalFact::Stopped));
    state.apply(&finish(0, 0, Some(0.1))).unwrap();
    state.apply(&Fact::Resumed).unwrap();
    assert_eq!(started(state.next(4)), [1, 2]);
}

fn with_stop(stop: StopRules) -> Rules {
    Rules { stop, ..Rules::default() }
}

#[test]
fn a_target_counts_once_all_before_it_have_ended() {
    let mut state = grid_state(5, with_stop(StopRules { target: Some(0.2), ..StopRules::default() }));
    for index in 0..4 {
        state.apply(&start(&state, index, 0)).unwrap();
    }
    // The third is good enough, and so is the second, which ends later and comes first.
    state.apply(&finish(2, 0, Some(0.1))).unwrap();
    state.apply(&finish(3, 0, Some(0.05))).unwrap();
    assert_eq!(started(state.next(8)), [4]);
    state.apply(&finish(0, 0, Some(0.9))).unwrap();
    state.apply(&finish(1, 0, Some(0.2))).unwrap();
    assert_eq!(state.next(8), Decision::Done(DoneReason::Target { index: 1, value: 0.2 }));
    let summary = state.summary();
    assert_eq!((summary.counted, summary.surplus), (2, 2));
    assert_eq!(summary.best.unwrap().trial.index, 1);
}

#[test]
fn no_improvement_and_nothing_but_failures_end_a_sweep() {
    let mut state = grid_state(9, with_stop(StopRules { patience: Some(2), ..StopRules::default() }));
    for (index, value) in [(0, Some(0.5)), (1, Some(0.4)), (2, Some(0.4)), (3, None)] {
        assert!(!started(state.next(1)).is_empty());
        settle(&mut state, index, 0, value);
    }
    assert_eq!(state.next(1), Decision::Done(DoneReason::NoImprovement { trials: 2 }));

    let mut state = grid_state(9, with_stop(StopRules { failures: Some(3), ..StopRules::default() }));
    for index in [2, 0, 1] {
        assert!(!started(state.next(1)).is_empty());
        settle(&mut state, index, 0, None);
    }
    assert_eq!(state.next(1), Decision::Done(DoneReason::AllFailed { trials: 3 }));

    let mut state = grid_state(4, with_stop(StopRules { failures: Some(3), ..StopRules::default() }));
    for (index, value) in [(0, None), (1, Some(1.0)), (2, None), (3, None)] {
        settle(&mut state, index, 0, value);
    }
    assert_eq!(state.next(1), Decision::Done(DoneReason::Complete));
}

#[test]
fn rules_that_cannot_be_kept_are_refused() {
    let halving = Halving { sampler: Sampler::Grid, samples: 0, min: 1, max: 4, eta: 2 };
    for (method, stop) in [
        (Method::Grid, StopRules { patience: Some(0), ..StopRules::default() }),
        (Method::Grid, StopRules { failures: Some(0), ..StopRules::default() }),
        (Method::Grid, StopRules { target: Some(f64::NAN), ..StopRules::default() }),
        (Method::Halving(halving), StopRules { patience: Some(3), ..StopRules::default() }),
    ] {
        assert!(SweepState::new(trials(&["a=1..4"], method), with_stop(stop.clone())).is_err(), "{stop:?}");
    }
}

fn halving_state(words: &[&str], seeds: u32) -> SweepState {
    let halving = Halving { sampler: Sampler::Grid, samples: 0, min: 1, max: 4, eta: 2 };
    let definition =
        Definition { seeds: Seeds::Derived(seeds), ..definition(words, Method::Halving(halving)) };
    SweepState::new(Trials::new(definition).unwrap(), Rules::default()).unwrap()
}

#[test]
fn a_rung_begins_when_the_one_before_is_decided() {
    let mut state = halving_state(&["a=1..4"], 2);
    // Points 0 to 3 have two seeds each. Point 1 has the best mean, point 3 the best trial, and point 0 has one that failed.
    let values = [None, Some(0.1), Some(0.2), Some(0.3), Some(0.4), Some(0.5), Some(0.0), Some(0.9)];
    for (index, value) in (0..).zip(values) {
        assert!(started(state.next(99)).contains(&index));
        settle(&mut state, index, 0, value);
    }
    let Decision::Start(second) = state.next(99) else { panic!("{:?}", state.next(99)) };
    let second: Vec<(u64, u32, Option<u64>)> =
        second.iter().map(|run| (run.index, run.rung, run.budget)).collect();
    // Points 2 and 3 have the same mean of 0.45: the first number goes on.
    assert_eq!(second, [(2, 1, Some(2)), (3, 1, Some(2)), (4, 1, Some(2)), (5, 1, Some(2))]);
    for (index, value) in [(5, 0.1), (4, 0.1), (3, 0.2), (2, 0.2)] {
        settle(&mut state, index, 1, Some(value));
    }
    assert_eq!(started(state.next(99)), [4, 5]);
    for index in [4, 5] {
        settle(&mut state, index, 2, Some(0.7));
    }
    assert_eq!(state.next(99), Decision::Done(DoneReason::Complete));
    let summary = state.summary();
    let ranking: Vec<(u64, u32)> = summary.points.iter().map(|point| (point.point, point.rung)).collect();
    assert_eq!(ranking, [(2, 2), (1, 1), (3, 0), (0, 0)]);
    assert_eq!((summary.best.unwrap().value, summary.counted), (0.7, 14));
}

#[test]
fn where_all_of_a_rung_failed_there_is_no_next() {
    let mut state = halving_state(&["a=1..4"], 1);
    for index in 0..4 {
        settle(&mut state, index, 0, None);
    }
    assert_eq!(state.next(9), Decision::Done(DoneReason::NothingToPromote { rung: 0 }));
}

#[test]
fn what_was_drawn_twice_is_run_once() {
    let mut state =
        SweepState::new(trials(&["a=x,y"], Method::Sobol { samples: 8 }), Rules::default()).unwrap();
    let run = started(state.next(99));
    assert_eq!(run.len(), 2);
    for index in 0..8 {
        let first = state.double_of(index);
        assert_eq!(first.is_none(), run.contains(&index), "{index}");
        let same = first.map(|first| state.trial(first).unwrap().id == state.trial(index).unwrap().id);
        assert_ne!(same, Some(false), "{index}");
        if first.is_some() {
            assert_eq!(state.apply(&start(&state, index, 0)), Err(IllegalFact::Unknown { index, rung: 0 }));
        }
    }
    for index in run {
        settle(&mut state, index, 0, Some(1.0));
    }
    assert_eq!(state.next(99), Decision::Done(DoneReason::Complete));
}

#[test]
fn means_are_over_seeds_and_splits() {
    let mut definition = definition(&["a=1,2"], Method::Grid);
    definition.seeds = Seeds::Derived(2);
    definition.splits = vec!["dev".to_owned(), "test".to_owned()];
    let rules = Rules { goal: Goal::Maximise, ..Rules::default() };
    let mut state = SweepState::new(Trials::new(definition).unwrap(), rules).unwrap();
    for (index, value) in (0..).zip([1.0, 3.0, 5.0, 7.0, 2.0, 2.0, 8.0, 8.0]) {
        settle(&mut state, index, 0, Some(value));
    }
    let summary = state.summary();
    let [first, second] = summary.points.as_slice() else { panic!("{summary:?}") };
    assert_eq!((first.point, first.all.mean, second.all.mean), (1, Some(5.0), Some(4.0)));
    let means: Vec<Option<f64>> = second.splits.iter().map(|split| split.spread.mean).collect();
    assert_eq!(means, [Some(2.0), Some(6.0)]);
    assert_eq!(second.splits[0].spread.deviation, Some(2_f64.sqrt()));
    assert_eq!(summary.best.unwrap().trial.index, 6);
}

#[test]
fn facts_are_written_and_read() {
    let parameters: Parameters = serde_json::from_str(r#"{"lr":0.1,"opt":null}"#).unwrap();
    let state = grid_state(2, Rules::default());
    let values = [("loss".to_owned(), Some(0.5)), ("bad".to_owned(), None)].into_iter().collect();
    for fact in [
        Fact::Proposed { index: 2, by: "optuna".to_owned(), parameters, seed: 3, split: None },
        start(&state, 1, 0),
        start(&state, 1, 2),
        Fact::Finished { index: 1, rung: 0, outcome: Outcome::Succeeded, value: Some(0.25), values },
        lost(1, LossCause::Sweep),
        Fact::Stopped { reason: "x".to_owned() },
        Fact::Resumed,
    ] {
        let line = serde_json::to_string(&fact).unwrap();
        assert_eq!(serde_json::from_str::<Fact>(&line).unwrap(), fact, "{line}");
    }
    // 17 digits, each of which counts.
    let exact = finish(1, 0, Some(0.935_745_239_257_812_5));
    let line = serde_json::to_string(&exact).unwrap();
    assert_eq!(serde_json::from_str::<Fact>(&line).unwrap(), exact, "{line}");
    let nan = r#"{"fact":"finished","index":0,"outcome":"succeeded","value":null}"#;
    assert_eq!(
        serde_json::from_str::<Fact>(nan).unwrap(),
        Fact::Finished {
            index: 0,
            rung: 0,
            outcome: Outcome::Succeeded,
            value: None,
            values: Default::default(),
        }
    );
    assert!(serde_json::from_str::<Fact>(r#"{"fact":"lost","index":0,"inden":1}"#).is_err());
}
