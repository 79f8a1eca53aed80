//! Random numbers: where they are fixed, and where they are not.

use super::call::{Call, Callee};
use actum_model::{Reading, Sign};

/// More places of one kind are not listed.
const MOST: usize = 50;

/// The sources of random numbers that a program can fix apart from each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    Standard,
    Numpy,
    Torch,
    TensorFlow,
}

/// What was seen by now.
#[derive(Debug, Default)]
pub(super) struct Random {
    seeds: Vec<Sign>,
    fixed: Vec<Origin>,
    uses: Vec<(Option<Origin>, Sign)>,
}

impl Random {
    pub(super) fn of_call(&mut self, call: &Call<'_>) {
        let name = match &call.callee {
            Callee::Imported(name) => name.as_str(),
            Callee::Plain("set_seed" | "seed_everything" | "set_random_seed" | "seed_all") => "set_seed",
            Callee::Plain(_) | Callee::Method { .. } | Callee::Unknown => return,
        };
        let sign = || Sign { what: call.shown(), line: call.line };
        if let Some(fixed) = fixes(name) {
            self.fixed.extend(fixed);
            self.seeds.push(sign());
        } else if makes_generator(name) {
            match call.argument(0).or_else(|| call.keyword("seed")) {
                Some(seed) if !seed.is_none_literal_expr() => self.seeds.push(sign()),
                Some(_) | None => self.uses.push((None, sign())),
            }
        } else if let Some(state) = call.keyword("random_state").filter(|state| !state.is_none_literal_expr())
        {
            // A generator that is handed on was fixed, or not, where it was made.
            if call.bindings.number(state).is_some() {
                self.seeds.push(sign());
            }
        } else if let Some(origin) = draws(name) {
            self.uses.push((Some(origin), sign()));
        }
    }

    pub(super) fn finish(self, reading: &mut Reading) {
        let Random { mut seeds, fixed, uses } = self;
        seeds.truncate(MOST);
        reading.seeds = seeds;
        let open =
            uses.into_iter().filter(|(origin, _)| origin.is_none_or(|origin| !fixed.contains(&origin)));
        reading.unseeded = open.map(|(_, sign)| sign).take(MOST).collect();
    }
}

/// What a call fixes.
fn fixes(name: &str) -> Option<Vec<Origin>> {
    use Origin::{Numpy, Standard, TensorFlow, Torch};
    let all = || vec![Standard, Numpy, Torch, TensorFlow];
    Some(match name {
        "random.seed" => vec![Standard],
        "numpy.random.seed" => vec![Numpy],
        "torch.manual_seed"
        | "torch.random.manual_seed"
        | "torch.cuda.manual_seed"
        | "torch.cuda.manual_seed_all" => {
            vec![Torch]
        }
        "tensorflow.random.set_seed"
        | "tensorflow.set_random_seed"
        | "tensorflow.compat.v1.set_random_seed" => {
            vec![TensorFlow]
        }
        "set_seed" => all(),
        name if name.ends_with(".set_seed")
            || name.ends_with(".seed_everything")
            || name.ends_with(".set_random_seed") =>
        {
            all()
        }
        "faker.Faker.seed" | "jax.random.PRNGKey" | "jax.random.key" => Vec::new(),
        _ => return None,
    })
}

/// Whether a call makes a generator of its own, fixed by its first argument.
fn makes_generator(name: &str) -> bool {
    matches!(name, "numpy.random.default_rng" | "numpy.random.RandomState" | "random.Random")
}

/// Where the numbers of a call come from.
fn draws(name: &str) -> Option<Origin> {
    let (module, function) = name.rsplit_once('.')?;
    match module {
        "random" if !matches!(function, "SystemRandom" | "getstate" | "setstate") => Some(Origin::Standard),
        "numpy.random" if !matches!(function, "get_state" | "set_state" | "Generator") => Some(Origin::Numpy),
        "torch"
            if matches!(
                function,
                "rand" | "randn" | "randint" | "randperm" | "normal" | "bernoulli" | "multinomial"
            ) =>
        {
            Some(Origin::Torch)
        }
        "tensorflow.random" => Some(Origin::TensorFlow),
        "sklearn.model_selection" if function == "train_test_split" => Some(Origin::Numpy),
        _ => None,
    }
}
