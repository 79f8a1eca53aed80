//! A sweep that another program drives.

use super::grid_state;
use actum_sweep::ask::{Exchange, LONGEST_LINE, Reply, Request, answer, schemas};
use actum_sweep::{Definition, Method, Origin, Rules, Seeds, Space, SweepState, Trials};
use proptest::prelude::*;

/// Says a line, and applies the facts before the reply is looked at.
fn say(state: &mut SweepState, line: &str) -> Reply {
    let Exchange { facts, reply } = answer(state, 2, &Request::read(line).unwrap());
    for fact in facts {
        state.apply(&fact).unwrap();
    }
    reply
}

fn json(reply: &Reply) -> serde_json::Value {
    serde_json::to_value(reply).unwrap()
}

#[test]
fn the_sweep_chooses() {
    let mut state = grid_state(3, Rules::default());
    assert_eq!(json(&say(&mut state, r#"{"ask":{}}"#))["run"]["trial"]["parameters"]["a"], 1);
    assert_eq!(json(&say(&mut state, r#"{"ask":{}}"#))["run"]["trial"]["parameters"]["a"], 2);
    assert_eq!(say(&mut state, r#"{"ask":{}}"#), Reply::Wait);
    assert_eq!(say(&mut state, r#"{"tell":{"index":0,"value":0.5}}"#), Reply::Told { index: 0 });
    assert_eq!(say(&mut state, r#"{"tell":{"index":1,"outcome":"lost"}}"#), Reply::Told { index: 1 });
    assert_eq!(json(&say(&mut state, r#"{"ask":{}}"#))["run"]["trial"]["index"], 1);
    assert_eq!(json(&say(&mut state, r#"{"ask":{}}"#))["run"]["trial"]["index"], 2);
    for index in [1, 2] {
        say(&mut state, &format!(r#"{{"tell":{{"index":{index}}}}}"#));
    }
    assert_eq!(json(&say(&mut state, r#"{"ask":{}}"#))["done"]["reason"]["done"], "complete");
    assert_eq!(state.summary().without_value, 2);
}

#[test]
fn parameters_from_outside_become_trials_and_are_marked() {
    let definition = Definition {
        space: Space::default(),
        method: Method::Outside,
        seed: 1,
        seeds: Seeds::default(),
        splits: Vec::new(),
    };
    let mut state = SweepState::new(Trials::new(definition).unwrap(), Rules::default()).unwrap();
    assert_eq!(say(&mut state, r#"{"ask":{}}"#), Reply::Wait);
    let ask = r#"{"ask":{"parameters":{"lr":0.1,"opt":"adam"},"by":"optuna"}}"#;
    let Reply::Run { trial, .. } = say(&mut state, ask) else { panic!() };
    assert_eq!((trial.index, &trial.origin), (0, &Origin::Outside("optuna".to_owned())));
    assert_eq!(state.trial(0), Some(trial));
    say(&mut state, r#"{"tell":{"index":0,"value":0.25,"values":{"steps":3}}}"#);
    // Another order of the same parameters is the same trial.
    let again = say(&mut state, r#"{"ask":{"parameters":{"opt":"adam","lr":0.1}}}"#);
    assert_eq!(json(&again)["known"]["settled"]["value"], 0.25);
    let Reply::Run { trial, .. } =
        say(&mut state, r#"{"ask":{"parameters":{"lr":0.1,"opt":"adam"},"seed":9}}"#)
    else {
        panic!()
    };
    assert_eq!((trial.index, trial.point, trial.seed), (1, 0, 9));
    say(&mut state, r#"{"tell":{"index":1,"value":0.75}}"#);
    let summary = state.summary();
    assert_eq!((summary.points.len(), summary.points[0].all.mean), (1, Some(0.5)));
}

#[test]
fn proposals_beside_a_grid_have_its_names() {
    let mut state = grid_state(2, Rules::default());
    let known = say(&mut state, r#"{"ask":{"parameters":{"a":2}}}"#);
    assert_eq!(json(&known)["known"]["trial"]["index"], 1);
    assert_eq!(json(&say(&mut state, r#"{"ask":{"parameters":{"a":5}}}"#))["run"]["trial"]["index"], 2);
    for (line, expected) in [
        (r#"{"ask":{"parameters":{"b":5}}}"#, "in this sweep are a"),
        (r#"{"ask":{"parameters":{"a":6},"split":"dev"}}"#, "is absent"),
        (r#"{"ask":{"seed":6}}"#, "only together with parameters"),
        (r#"{"tell":{"index":0,"value":1}}"#, "trial 0 is not running"),
        (r#"{"tell":{"index":99,"value":1}}"#, "trial 99 is not running"),
    ] {
        let Reply::Refused { error } = say(&mut state, line) else { panic!("{line}") };
        assert!(error.contains(expected), "{line}: {error}");
    }
}

#[test]
fn what_is_no_request_is_refused() {
    for line in [
        "",
        "{}",
        "[]",
        r#"{"ask":{"parameter":{}}}"#,
        r#"{"tell":{}}"#,
        r#"{"ask":{"parameters":{"a":[1]}}}"#,
    ] {
        assert!(Request::read(line).is_err(), "{line}");
    }
    assert!(Request::read(&" ".repeat(LONGEST_LINE + 1)).is_err());
    let error = Request::read("what").unwrap_err().to_string();
    assert!(error.contains(r#"{"ask":{}}"#), "{error}");
}

#[test]
fn there_are_schemas_of_all_that_is_said() {
    for (name, schema) in schemas() {
        let text = schema.to_value().to_string();
        assert!(text.contains("\"$schema\"") && text.contains("index"), "{name}: {text}");
    }
}

proptest! {
    #[test]
    fn any_line_is_answered(lines in proptest::collection::vec("\\{\"(ask|tell)\":\\{(\"(index|rung|value|seed)\":[0-3])?\\}\\}", 0..12)) {
        let mut state = grid_state(3, Rules::default());
        for line in lines {
            if Request::read(&line).is_ok() {
                say(&mut state, &line);
            }
        }
    }
}
