//! Sweeps with 1, 4 and 16 simulated workers that are killed twenty times, against one worker in peace.

use super::definition;
use actum_sweep::{
    Decision, Definition, DoneReason, Fact, Halving, LossCause, Method, Outcome, Rules, Sampler, Seeds,
    StopRules, SweepState, TrialRef, Trials,
};
use std::collections::{BTreeMap, BTreeSet};

const KILLS: u32 = 20;

/// A generator for the test's own accidents (SplitMix64).
struct Chance(u64);

impl Chance {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((word ^ (word >> 31)) % count as u64) as usize
    }
}

/// A driver with its journal. Killed, it has nothing but the journal.
struct Driver {
    trials: Trials,
    rules: Rules,
    journal: Vec<Fact>,
    state: SweepState,
    kills: u32,
}

/// What a sweep came to.
#[derive(Debug, PartialEq)]
struct Outcomes {
    reason: DoneReason,
    counted: BTreeSet<TrialRef>,
    summary: serde_json::Value,
}

impl Driver {
    fn new(definition: &Definition, rules: &Rules, kills: u32) -> Self {
        let trials = Trials::new(definition.clone()).unwrap();
        let state = SweepState::new(trials.clone(), rules.clone()).unwrap();
        Self { trials, rules: rules.clone(), journal: Vec::new(), state, kills }
    }

    fn record(&mut self, fact: Fact) {
        let line = serde_json::to_string(&fact).unwrap();
        self.journal.push(serde_json::from_str(&line).unwrap());
        self.state.apply(&fact).unwrap();
    }

    fn run(&mut self, workers: usize, chance: &mut Chance) -> DoneReason {
        loop {
            match self.state.next(workers) {
                Decision::Done(reason) => return reason,
                Decision::Start(trials) => trials.into_iter().for_each(|run| self.start(run)),
                Decision::Wait => {}
            }
            let running = self.state.running();
            assert!(!running.is_empty() && running.len() <= workers, "{running:?}");
            let one = running[chance.below(running.len())].trial;
            match chance.below(12) {
                0 if self.kills > 0 => self.kill_driver(),
                1..=2 if self.kills > 0 => {
                    self.kills -= 1;
                    self.record(Fact::Lost { index: one.index, rung: one.rung, cause: LossCause::Trial });
                }
                _ => self.finish(one),
            }
        }
    }

    fn start(&mut self, run: TrialRef) {
        let id = self.state.trial(run.index).unwrap().id;
        self.record(Fact::Started { index: run.index, rung: run.rung, id, worker: "w".to_owned() });
    }

    fn kill_driver(&mut self) {
        self.kills -= 1;
        self.state = SweepState::replay(self.trials.clone(), self.rules.clone(), &self.journal).unwrap();
        for lost in self.state.running() {
            let TrialRef { index, rung, .. } = lost.trial;
            self.record(Fact::Lost { index, rung, cause: LossCause::Sweep });
        }
    }

    /// What a trial comes to depends on nothing but the trial and its budget. One in nine fails, one in nine gives no number.
    fn finish(&mut self, run: TrialRef) {
        let id = self.state.trial(run.index).unwrap().id.0;
        let word = u32::from(id.0[0]) * 256 + u32::from(id.0[1]);
        let value = f64::from(word) / 65536.0 / run.budget.unwrap_or(1) as f64;
        let (outcome, value) = match word % 9 {
            0 => (Outcome::Failed, None),
            1 => (Outcome::Succeeded, Some(f64::NAN)),
            _ => (Outcome::Succeeded, Some(value)),
        };
        let TrialRef { index, rung, .. } = run;
        self.record(Fact::Finished { index, rung, outcome, value, values: BTreeMap::new() });
    }

    fn outcomes(&self, reason: DoneReason) -> Outcomes {
        let counted = self.state.counted();
        let mut summary = self.state.summary();
        summary.surplus = 0;
        let set: BTreeSet<TrialRef> = counted.iter().copied().collect();
        assert_eq!(set.len(), counted.len(), "a trial counts twice");
        Outcomes { reason, counted: set, summary: serde_json::to_value(summary).unwrap() }
    }

    /// Each trial that counts ended exactly once.
    fn assert_none_doubled(&self) {
        let mut ends: BTreeMap<(u64, u32), u32> = BTreeMap::new();
        for fact in &self.journal {
            if let Fact::Finished { index, rung, .. } = fact {
                *ends.entry((*index, *rung)).or_default() += 1;
            }
        }
        assert!(ends.values().all(|count| *count == 1), "{ends:?}");
        assert!(self.state.counted().iter().all(|run| ends.contains_key(&(run.index, run.rung))));
    }
}

/// The same sweep in peace, and with kills on any number of workers.
fn assert_same(definition: &Definition, stop: StopRules, least: usize) {
    let rules = Rules { retries: KILLS, stop, ..Rules::default() };
    let mut peaceful = Driver::new(definition, &rules, 0);
    let reason = peaceful.run(1, &mut Chance(0));
    let expected = peaceful.outcomes(reason);
    assert!(expected.counted.len() >= least, "{expected:?}");
    let mut killed = 0;
    for workers in [1, 4, 16] {
        for seed in 0..10 {
            let mut driver = Driver::new(definition, &rules, KILLS);
            let reason = driver.run(workers, &mut Chance(seed << 8 | workers as u64));
            let outcomes = driver.outcomes(reason);
            assert_eq!(outcomes.counted, expected.counted, "{workers} workers, seed {seed}");
            assert!(outcomes == expected, "{workers} workers, seed {seed}: other results of the same trials");
            driver.assert_none_doubled();
            killed += KILLS - driver.kills;
            let again = SweepState::replay(driver.trials.clone(), rules.clone(), &driver.journal).unwrap();
            assert_eq!(again.summary(), driver.state.summary());
        }
    }
    // A sweep that stops early may be over before all kills have happened.
    assert!(rules.stop != StopRules::default() || killed == 30 * KILLS, "only {killed} kills");
}

const SPACE: [&str; 3] = ["lr=log(1e-5,1e-1)", "layers=1..4", "opt=adam,sgd"];

#[test]
fn a_grid() {
    assert_same(&definition(&["a=1..20", "b=x,y,z", "c=1,2"], Method::Grid), StopRules::default(), 120);
}

#[test]
fn random_points_with_seeds_and_splits() {
    let mut definition = definition(&SPACE, Method::Random { samples: 20 });
    definition.seeds = Seeds::Derived(3);
    definition.splits = vec!["dev".to_owned(), "test".to_owned()];
    assert_same(&definition, StopRules::default(), 120);
}

#[test]
fn sobol_points_of_which_some_are_the_same() {
    let definition = definition(&["a=1..20", "b=1..10"], Method::Sobol { samples: 256 });
    let state = Driver::new(&definition, &Rules::default(), 0).state;
    assert!((0..256).any(|index| state.double_of(index).is_some()));
    assert_same(&definition, StopRules::default(), 120);
}

#[test]
fn successive_halving() {
    for seeds in [1, 2] {
        let halving = Halving { sampler: Sampler::Sobol, samples: 81, min: 1, max: 27, eta: 3 };
        let mut definition = definition(&SPACE, Method::Halving(halving));
        definition.seeds = Seeds::Derived(seeds);
        assert_same(&definition, StopRules::default(), 100);
    }
}

#[test]
fn early_stops() {
    let definition = definition(&SPACE, Method::Random { samples: 400 });
    for stop in [
        StopRules { target: Some(0.02), ..StopRules::default() },
        StopRules { patience: Some(12), ..StopRules::default() },
    ] {
        assert_same(&definition, stop, 12);
    }
}
