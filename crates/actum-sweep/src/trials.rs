//! The trials of a sweep: a pure function of its definition and an index.
//!
//! Nothing is drawn one after the other, so trial 4000 is had without trial 3999, and sixteen workers see the list that one sees. The
//! index counts seeds first, then splits, then points: all seeds of a point are next to each other, and its mean is known early.

use crate::draw;
use crate::halving::{self, HalvingError, Rung};
use crate::sobol::{self, Sobol};
use crate::{Halving, Method, Parameters, Sampler, Space, Value};
use actum_model::Digest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fmt;

/// All that the trials of a sweep are a function of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    #[serde(default)]
    pub space: Space,
    pub method: Method,
    /// The sweep seed.
    #[serde(default)]
    pub seed: u64,
    #[serde(default)]
    pub seeds: Seeds,
    /// Each point is tried with each split; none where the program has no splits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub splits: Vec<String>,
}

/// The seeds that each point is tried with: the same for all points, so that points are compared under equal luck.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Seeds {
    /// So many different ones, derived from the sweep seed.
    Derived(u32),
    These(Vec<u32>),
}

/// One program to run with these parameters and this seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Trial {
    pub index: u64,
    /// Which point of the space it is: trials of one point differ in seed and split only.
    pub point: u64,
    pub parameters: Parameters,
    /// For the program; 32 bits, which every library takes.
    pub seed: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split: Option<String>,
    pub id: TrialId,
    #[serde(default, skip_serializing_if = "Origin::is_sweep")]
    pub origin: Origin,
}

/// The digest of parameters, seed and split. Two trials with the same id are the same trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct TrialId(pub Digest);

/// Who chose the parameters of a trial.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// The sweep itself: the trial can be derived again.
    #[default]
    Sweep,
    /// Somebody else, by this name: what chose it is not known here.
    Outside(String),
}

/// More trials are taken for a mistake.
pub const MOST_TRIALS: u64 = 100_000;

/// Why a definition has no trials.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TrialsError {
    #[error("the space has no parameters; give some, such as `lr=0.1,0.01`")]
    NoParameters,
    #[error(
        "a sweep from outside takes its parameters from there; leave the space empty or choose another method"
    )]
    SpaceFromOutside,
    #[error("a grid cannot be made of `{0}`; give it a list or a step, or choose random or sobol")]
    NoGrid(String),
    #[error("give the number of samples, which is at least 1")]
    NoSamples,
    #[error("give at least one seed, and each once")]
    Seeds,
    #[error("the split `{0}` is given twice")]
    DoubledSplit(String),
    #[error("Sobol points have at most {most} parameters, not {0}; choose random", most = sobol::MOST_DIMENSIONS)]
    TooManyDimensions(usize),
    #[error("there are more than {MOST_TRIALS} trials (points times splits times seeds)")]
    TooMany,
    #[error(transparent)]
    Halving(#[from] HalvingError),
}

/// The trial list. Start at [`Trials::trial`].
#[derive(Clone, Debug)]
pub struct Trials {
    definition: Definition,
    points: Points,
    point_count: u64,
}

/// How the parameters of a point are found.
#[derive(Clone, Debug)]
enum Points {
    Grid,
    /// Of a space with so many points: each at most once.
    Shuffled {
        count: u64,
        key: u64,
    },
    Drawn,
    Sobol(Sobol),
    None,
}

impl Trials {
    pub fn new(definition: Definition) -> Result<Self, TrialsError> {
        check(&definition)?;
        let (points, point_count) = choose(&definition)?;
        let trials = Self { definition, points, point_count };
        let count = point_count.checked_mul(trials.trials_per_point());
        if count.is_none_or(|count| count > MOST_TRIALS) {
            return Err(TrialsError::TooMany);
        }
        trials.rungs()?;
        Ok(trials)
    }

    pub fn definition(&self) -> &Definition {
        &self.definition
    }

    /// Tells definitions apart, so that facts of one sweep are not applied to another.
    pub fn digest(&self) -> Digest {
        Digest::of(serde_json::to_string(&self.definition).unwrap_or_default())
    }

    /// How many trials there are, doubles included.
    pub fn len(&self) -> u64 {
        self.point_count * self.trials_per_point()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The trial with this index.
    pub fn trial(&self, index: u64) -> Option<Trial> {
        if index >= self.len() {
            return None;
        }
        let point = index / self.trials_per_point();
        let within = index % self.trials_per_point();
        let split = self.definition.splits.get((within / self.seed_count()) as usize).cloned();
        let seed = self.seed(within % self.seed_count());
        Some(Trial::new(index, point, self.parameters(point), (seed, split)))
    }

    pub fn iter(&self) -> impl Iterator<Item = Trial> + '_ {
        (0..self.len()).map_while(|index| self.trial(index))
    }

    /// How many points there are, doubles included.
    pub fn point_count(&self) -> u64 {
        self.point_count
    }

    /// The trials of a point: each split with each seed.
    pub fn trials_per_point(&self) -> u64 {
        self.seed_count().saturating_mul(self.definition.splits.len().max(1) as u64)
    }

    /// The parameters of a point, below [`Trials::point_count`].
    pub(crate) fn parameters(&self, point: u64) -> Parameters {
        let space = &self.definition.space;
        let values: Vec<Value> = match &self.points {
            Points::Grid => grid_values(space, point),
            Points::Shuffled { count, key } => grid_values(space, draw::shuffled(*key, *count, point)),
            Points::Drawn => {
                // By name: another parameter more, or another order, leaves the values of this one as they are.
                let bits = |name| draw::bits(self.definition.seed, "value", point, name);
                space.iter().map(|(name, domain)| domain.at(bits(name))).collect()
            }
            Points::Sobol(sobol) => {
                let point = u32::try_from(point).unwrap_or(u32::MAX);
                space
                    .iter()
                    .zip(0..)
                    .map(|((_, domain), at)| domain.at(sobol.coordinate(point, at)))
                    .collect()
            }
            Points::None => Vec::new(),
        };
        let names = space.iter().map(|(name, _)| name.to_owned());
        Parameters::new(names.zip(values).collect()).unwrap_or_default()
    }

    /// The seed of a repetition, counted from 0.
    pub fn seed(&self, repetition: u64) -> u32 {
        match &self.definition.seeds {
            // A bijection of successive numbers: no seed comes twice.
            Seeds::Derived(_) => {
                let first = draw::bits(self.definition.seed, "seed", 0, "") as u32;
                draw::mix_32(first.wrapping_add(repetition as u32))
            }
            Seeds::These(seeds) => seeds.get(repetition as usize).copied().unwrap_or_default(),
        }
    }

    /// The rungs of successive halving for the points of this sweep.
    pub fn rungs(&self) -> Result<Option<Vec<Rung>>, HalvingError> {
        self.definition.method.halving().map(|halving| halving::plan(halving, self.point_count)).transpose()
    }

    fn seed_count(&self) -> u64 {
        match &self.definition.seeds {
            Seeds::Derived(count) => u64::from(*count),
            Seeds::These(seeds) => seeds.len() as u64,
        }
    }
}

impl Trial {
    pub(crate) fn new(
        index: u64,
        point: u64,
        parameters: Parameters,
        (seed, split): (u32, Option<String>),
    ) -> Self {
        let id = TrialId::new(&parameters, seed, split.as_deref());
        Self { index, point, parameters, seed, split, id, origin: Origin::Sweep }
    }
}

impl TrialId {
    /// The SHA-256 of this JSON without spaces: parameters with sorted names, seed, split or null.
    pub fn new(parameters: &Parameters, seed: u32, split: Option<&str>) -> Self {
        let split = split.map_or("null".to_owned(), crate::value::json_text);
        let parameters = parameters.canonical();
        TrialId(Digest::of(format!("{{\"parameters\":{parameters},\"seed\":{seed},\"split\":{split}}}")))
    }
}

impl fmt::Display for TrialId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Origin {
    pub fn is_sweep(&self) -> bool {
        matches!(self, Origin::Sweep)
    }
}

impl Default for Seeds {
    fn default() -> Self {
        Seeds::Derived(1)
    }
}

/// The last parameter varies first, as in nested loops.
fn grid_values(space: &Space, mut index: u64) -> Vec<Value> {
    let mut values: Vec<Value> = Vec::with_capacity(space.len());
    for (_, domain) in space.iter().collect::<Vec<_>>().into_iter().rev() {
        let count = domain.count().unwrap_or(1);
        values.push(domain.value(index % count));
        index /= count;
    }
    values.reverse();
    values
}

fn check(definition: &Definition) -> Result<(), TrialsError> {
    let Definition { space, method, seeds, splits, .. } = definition;
    match method {
        Method::Outside if !space.is_empty() => return Err(TrialsError::SpaceFromOutside),
        Method::Outside => {}
        Method::Grid | Method::Random { .. } | Method::Sobol { .. } | Method::Halving(_)
            if space.is_empty() =>
        {
            return Err(TrialsError::NoParameters);
        }
        Method::Grid | Method::Random { .. } | Method::Sobol { .. } | Method::Halving(_) => {}
    }
    let are_seeds = match seeds {
        Seeds::Derived(count) => *count > 0,
        Seeds::These(seeds) => !seeds.is_empty() && seeds.iter().collect::<HashSet<_>>().len() == seeds.len(),
    };
    if !are_seeds {
        return Err(TrialsError::Seeds);
    }
    let mut seen = HashSet::new();
    match splits.iter().find(|split| !seen.insert(*split)) {
        Some(split) => Err(TrialsError::DoubledSplit(split.clone())),
        None => Ok(()),
    }
}

fn choose(definition: &Definition) -> Result<(Points, u64), TrialsError> {
    match &definition.method {
        Method::Grid => grid(&definition.space),
        Method::Random { samples } => random(definition, *samples),
        Method::Sobol { samples } => sobol(definition, *samples),
        Method::Halving(Halving { sampler, samples, .. }) => match sampler {
            Sampler::Grid => grid(&definition.space),
            Sampler::Random => random(definition, *samples),
            Sampler::Sobol => sobol(definition, *samples),
        },
        Method::Outside => Ok((Points::None, 0)),
    }
}

fn grid(space: &Space) -> Result<(Points, u64), TrialsError> {
    if let Some(at) = space.iter().position(|(_, domain)| domain.count().is_none()) {
        return Err(TrialsError::NoGrid(space.words().swap_remove(at)));
    }
    Ok((Points::Grid, space.count().ok_or(TrialsError::TooMany)?))
}

fn random(definition: &Definition, samples: u64) -> Result<(Points, u64), TrialsError> {
    if samples == 0 {
        return Err(TrialsError::NoSamples);
    }
    // Of more points than this nobody draws one twice by chance.
    const SHUFFLED: u64 = 1 << 62;
    Ok(match definition.space.count().filter(|count| *count <= SHUFFLED) {
        Some(count) => {
            let key = draw::bits(definition.seed, "shuffle", count, "");
            (Points::Shuffled { count, key }, samples.min(count))
        }
        None => (Points::Drawn, samples),
    })
}

fn sobol(definition: &Definition, samples: u64) -> Result<(Points, u64), TrialsError> {
    if samples == 0 {
        return Err(TrialsError::NoSamples);
    }
    let dimensions = definition.space.len();
    let sobol =
        Sobol::scrambled(definition.seed, dimensions).ok_or(TrialsError::TooManyDimensions(dimensions))?;
    Ok((Points::Sobol(sobol), samples))
}
