//! Values that must never change: a sweep that was begun is continued with them.
//!
//! They were computed by a second implementation, in Python with 60 decimal digits from the description in docs/design/sweeps.md.

use super::{definition, trials};
use actum_sweep::{Method, Parameters, Seeds, Trials};

struct Frozen {
    index: u64,
    parameters: &'static str,
    id: &'static str,
}

fn assert_frozen(trials: &Trials, expected: &[Frozen]) {
    for Frozen { index, parameters, id } in expected {
        let trial = trials.trial(*index).unwrap();
        let read: Parameters = serde_json::from_str(parameters).unwrap();
        assert_eq!(trial.parameters.canonical(), read.canonical(), "{index}");
        assert_eq!(trial.id.to_string(), *id, "{index}");
    }
}

#[test]
fn random_trials() {
    let words = ["lr=log(1e-5,1e-1)", "dropout=uniform(0,0.5)", "layers=1..4"];
    let trials = trials(&words, Method::Random { samples: 1000 });
    assert_frozen(
        &trials,
        &[
            Frozen {
                index: 0,
                parameters: r#"{"lr": 0.0965993421345, "dropout": 0.174889673959, "layers": 2}"#,
                id: "c2bd2505bd722f102e859a136a2d58991a5f68d8897aa2d4140dafd9b2161391",
            },
            Frozen {
                index: 1,
                parameters: r#"{"lr": 0.0092802623074, "dropout": 0.458476570385, "layers": 2}"#,
                id: "6d0231b70a3841f7014fee1ae6c4bc31bfdfd7bd0ab388010bbf98cf41081091",
            },
            Frozen {
                index: 999,
                parameters: r#"{"lr": 0.000109854942671, "dropout": 0.493875979211, "layers": 1}"#,
                id: "3a7ea09f6c8a3325cc32e4668b2a7e2ce6fbb6c6461dafaeaf6ab92365cbc9d0",
            },
        ],
    );
}

#[test]
fn random_trials_of_a_space_that_can_be_counted() {
    let trials = trials(&["a=x,y,z", "b=1..5"], Method::Random { samples: 1000 });
    assert_eq!(trials.len(), 15);
    assert_frozen(
        &trials,
        &[
            Frozen {
                index: 0,
                parameters: r#"{"a": "y", "b": 1}"#,
                id: "f89a546b8bdc5d0709eef298769b98a3e109f1bc326824f0226f64463ddd9995",
            },
            Frozen {
                index: 1,
                parameters: r#"{"a": "x", "b": 2}"#,
                id: "cb059ab39f808f20fd563dc84b51c8418f0f62558aa32c1e7c92c7abb7ba2867",
            },
            Frozen {
                index: 14,
                parameters: r#"{"a": "z", "b": 5}"#,
                id: "497f100df2484494fcbc7ffb99ecd4d777fdec87f01aa3e00a63ac3a90ae0380",
            },
        ],
    );
}

#[test]
fn grid_trials_with_seeds_and_splits() {
    let mut definition = definition(&["a=x,y", "b=0.1,1"], Method::Grid);
    definition.seeds = Seeds::Derived(2);
    definition.splits = vec!["dev".to_owned(), "test".to_owned()];
    let trials = Trials::new(definition).unwrap();
    assert_eq!(trials.len(), 16);
    let ids = [
        (0, "dev", "818c47a9bceb358c6fa781060553973b502d46d3cb0feca71a5fd35e171c35bf"),
        (1, "dev", "725557241ef3e6b17dcbafc728a4273bc64f64c502dbfd3857b225289eb1f99d"),
        (2, "test", "29032fa0f1ab81a5c5f8aa18d34664753a245a65bbefb427121ac9734a665bef"),
        (15, "test", "6e28d520ecdf23bfb1e81d036df67747d6f61827f75c258422b6da3f5ebd0940"),
    ];
    for (index, split, id) in ids {
        let trial = trials.trial(index).unwrap();
        assert_eq!((trial.split.as_deref(), trial.id.to_string().as_str()), (Some(split), id), "{index}");
    }
    assert_eq!(
        [0, 1, 2].map(|repetition| trials.seed(repetition)),
        [4_086_250_469, 3_865_015_688, 2_984_677_532]
    );
}

#[test]
fn sobol_trials() {
    let trials = trials(&["lr=log(1e-5,1e-1)", "d=uniform(0,1)"], Method::Sobol { samples: 1024 });
    assert_frozen(
        &trials,
        &[
            Frozen {
                index: 0,
                parameters: r#"{"lr": 0.0219998614208, "d": 0.26089296455}"#,
                id: "d57d997fe87f8a20a855e24db48aff7f637ffe7ca238f7879dccdc1f37c62a48",
            },
            Frozen {
                index: 1,
                parameters: r#"{"lr": 1.69639268024e-5, "d": 0.83051150234}"#,
                id: "b822f81a6ea6334ca255b369eefcffd5cda3ed9d69d91aadef2c9fbed010ccb4",
            },
            Frozen {
                index: 1000,
                parameters: r#"{"lr": 0.0952428203194, "d": 0.320254939492}"#,
                id: "3ba3e61f179b87af50887b08de0270656c1659fde813c29a516f6bbc6bb61a48",
            },
        ],
    );
}
