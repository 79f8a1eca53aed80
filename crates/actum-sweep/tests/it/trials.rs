//! What must be true of any trial list.

use super::{definition, trials};
use actum_sweep::{Definition, Halving, Method, Sampler, Seeds, Space, Trial, Trials};
use proptest::prelude::*;
use std::collections::HashSet;

fn method() -> impl Strategy<Value = Method> {
    let samples = 1_u64..40;
    prop_oneof![
        Just(Method::Grid),
        samples.clone().prop_map(|samples| Method::Random { samples }),
        samples.prop_map(|samples| Method::Sobol { samples }),
    ]
}

fn any_definition() -> impl Strategy<Value = Definition> {
    let words = proptest::sample::subsequence(
        vec!["a=1..4", "b=x,y,null", "c=uniform(0,1,step=0.25)", "d=true,false", "e=int(8,64,step=8)"],
        1..4,
    );
    let splits = proptest::sample::subsequence(vec!["dev".to_owned(), "test".to_owned()], 0..3);
    (words, method(), any::<u64>(), 1_u32..4, splits).prop_map(|(words, method, seed, seeds, splits)| {
        Definition {
            space: Space::parse(&words).unwrap(),
            method,
            seed,
            seeds: Seeds::Derived(seeds),
            splits,
        }
    })
}

proptest! {
    #[test]
    fn any_order_of_access_gives_the_same_trials(definition in any_definition(), turn: prop::sample::Index) {
        let trials = Trials::new(definition.clone()).unwrap();
        let list: Vec<Trial> = trials.iter().collect();
        prop_assert_eq!(list.len() as u64, trials.len());
        let other = Trials::new(definition).unwrap();
        let from = turn.index(list.len());
        for at in (from..list.len()).chain(0..from).rev() {
            prop_assert_eq!(other.trial(at as u64), Some(list[at].clone()));
        }
        prop_assert_eq!(trials.trial(trials.len()), None);
        prop_assert_eq!(trials.trial(u64::MAX), None);
    }

    #[test]
    fn grids_and_random_draws_double_nothing(definition in any_definition()) {
        prop_assume!(!matches!(definition.method, Method::Sobol { .. }));
        let trials = Trials::new(definition).unwrap();
        let ids: HashSet<_> = trials.iter().map(|trial| trial.id).collect();
        prop_assert_eq!(ids.len() as u64, trials.len());
    }

    #[test]
    fn definitions_are_written_and_read(definition in any_definition()) {
        let text = serde_json::to_string(&definition).unwrap();
        let read: Definition = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(Trials::new(read.clone()).unwrap().digest(), Trials::new(definition.clone()).unwrap().digest());
        prop_assert_eq!(read, definition);
    }

    #[test]
    fn more_samples_leave_the_first_as_they_are(seed: u64, few in 1_u64..20, more in 20_u64..60) {
        for sobol in [false, true] {
            let list = |samples| {
                let method = if sobol { Method::Sobol { samples } } else { Method::Random { samples } };
                let definition = Definition { seed, ..definition(&["a=uniform(0,1)", "b=1..9"], method) };
                Trials::new(definition).unwrap().iter().take(few as usize).collect::<Vec<_>>()
            };
            prop_assert_eq!(list(few), list(more));
        }
    }
}

#[test]
fn one_parameter_more_leaves_random_values_as_they_are() {
    let method = Method::Random { samples: 5 };
    let one = trials(&["lr=log(1e-5,1)"], method.clone());
    let two = trials(&["b=uniform(0,1)", "lr=log(1e-5,1)"], method);
    for (one, two) in one.iter().zip(two.iter()) {
        assert_eq!(one.parameters.get("lr"), two.parameters.get("lr"));
    }
}

#[test]
fn the_order_of_parameters_does_not_change_an_id() {
    let ids =
        |words: &[&str]| trials(words, Method::Grid).iter().map(|trial| trial.id).collect::<HashSet<_>>();
    assert_eq!(ids(&["a=1..3", "b=x,y"]), ids(&["b=x,y", "a=1..3"]));
}

#[test]
fn a_grid_varies_its_last_parameter_first() {
    let list: Vec<String> =
        trials(&["a=1,2", "b=x,y"], Method::Grid).iter().map(|trial| trial.parameters.canonical()).collect();
    assert_eq!(
        list,
        [r#"{"a":1,"b":"x"}"#, r#"{"a":1,"b":"y"}"#, r#"{"a":2,"b":"x"}"#, r#"{"a":2,"b":"y"}"#]
    );
}

#[test]
fn what_has_no_trials_is_refused() {
    let halving =
        |min, max, eta| Method::Halving(Halving { sampler: Sampler::Random, samples: 9, min, max, eta });
    let big = ["a=1..1000", "b=1..1000"];
    let wide: Vec<String> = (0..65).map(|at| format!("p{at}=uniform(0,1)")).collect();
    let wide: Vec<&str> = wide.iter().map(String::as_str).collect();
    for (words, method, expected) in [
        (&[][..], Method::Grid, "no parameters"),
        (&["a=1"][..], Method::Outside, "from outside"),
        (
            &["a=uniform(0,1)"],
            Method::Grid,
            "a grid cannot be made of `a=uniform(0,1)`; give it a list or a step",
        ),
        (&big, Method::Grid, "more than 100000 trials"),
        (&["a=-9223372036854775808..9223372036854775807"], Method::Grid, "a grid cannot be made"),
        (&["a=1"], Method::Random { samples: 0 }, "number of samples"),
        (&["a=uniform(0,1)"], Method::Random { samples: u64::MAX }, "more than 100000"),
        (&wide, Method::Sobol { samples: 1 }, "at most 64 parameters, not 65"),
        (&["a=1..9"], halving(0, 1, 2), "above 0"),
        (&["a=1..9"], halving(1, 2, 1), "at least 2"),
    ] {
        let error = Trials::new(definition(words, method)).unwrap_err().to_string();
        assert!(error.contains(expected), "{words:?}: {error}");
    }
    for seeds in [Seeds::Derived(0), Seeds::These(vec![]), Seeds::These(vec![1, 1])] {
        assert!(Trials::new(Definition { seeds, ..definition(&["a=1"], Method::Grid) }).is_err());
    }
    let splits = vec!["a".to_owned(), "a".to_owned()];
    assert!(Trials::new(Definition { splits, ..definition(&["a=1"], Method::Grid) }).is_err());
}
