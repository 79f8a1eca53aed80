//! Which trials a sweep has, from the words of its command line.

use super::problem::SweepProblem;
use actum_experiment::sweep::{MetricChoice, SweepError, Take, goal_of};
use actum_gate::Bound;
use actum_sweep::{Definition, Goal, Halving, Method, Rules, Sampler, Seeds, Space, StopRules};
use std::path::{Path, PathBuf};

/// Parameters, how their values are chosen, and what is compared.
#[derive(Debug, clap::Args)]
pub(super) struct Asked {
    /// Vary a parameter over these values (repeatable)
    #[arg(long, value_name = "NAME=VALUES", help_heading = "Trials")]
    param: Vec<String>,
    /// Read parameters and values from a file (YAML, TOML or JSON)
    #[arg(long, value_name = "FILE", help_heading = "Trials")]
    space: Option<PathBuf>,
    /// Try every combination (default)
    #[arg(long, conflicts_with_all = ["random", "sobol", "outside"], help_heading = "Trials")]
    grid: bool,
    /// Draw N points at random
    #[arg(long, value_name = "N", conflicts_with_all = ["sobol", "outside"], help_heading = "Trials")]
    random: Option<u64>,
    /// Take N scrambled Sobol points, which cover the space evenly
    #[arg(long, value_name = "N", conflicts_with = "outside", help_heading = "Trials")]
    sobol: Option<u64>,
    /// Take parameters from another program; see `actum sweep drive`
    #[arg(long, conflicts_with = "halving", help_heading = "Trials")]
    outside: bool,
    /// Begin with a small budget, go on with the best points
    #[arg(long, value_name = "MIN..MAX", help_heading = "Trials")]
    halving: Option<String>,
    /// Set how fast the budget grows from rung to rung [default: 3]
    #[arg(long, value_name = "N", requires = "halving", help_heading = "Trials")]
    eta: Option<u64>,
    /// Name the parameter that gets the budget, such as epochs
    #[arg(long, value_name = "NAME", requires = "halving", help_heading = "Trials")]
    pub(super) budget: Option<String>,
    /// Set the seed of the sweep [default: 0]
    #[arg(long, value_name = "SEED", help_heading = "Trials")]
    seed: Option<u64>,
    /// Try each point with so many seeds, or with these: 5 or 1,2,3 [default: 1]
    #[arg(long, value_name = "N|LIST", help_heading = "Trials")]
    seeds: Option<String>,
    /// Try each point with each of these splits
    #[arg(long, value_name = "A,B", value_delimiter = ',', help_heading = "Trials")]
    split: Vec<String>,

    /// Compare trials by this metric [default: loss]
    #[arg(long, value_name = "NAME", help_heading = "Result")]
    metric: Option<String>,
    /// Say which values are better: min or max [default: by the name]
    #[arg(long, value_name = "min|max", help_heading = "Result")]
    goal: Option<Better>,
    /// Take the best value of a curve instead of the last one
    #[arg(long, help_heading = "Result")]
    best_of_curve: bool,
    /// Stop as soon as a trial reaches this value
    #[arg(long, value_name = "VALUE", allow_negative_numbers = true, help_heading = "Result")]
    stop_at: Option<f64>,
    /// Stop after N trials without a better value
    #[arg(long, value_name = "N", help_heading = "Result")]
    patience: Option<u64>,
    /// Stop if the first N trials all fail [default: 5; 0 never]
    #[arg(long, value_name = "N", help_heading = "Result")]
    stop_if_failed: Option<u64>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Better {
    Min,
    Max,
}

/// A file of a space is small.
const LARGEST: Bound = Bound(1 << 20);
/// Where nothing works, more of the same does not help.
const USUAL_FAILURES: u64 = 5;

impl Asked {
    pub(super) fn definition(&self) -> Result<Definition, SweepProblem> {
        let space = self.space()?;
        let (sampler, samples) = match (self.random, self.sobol) {
            (Some(samples), _) => (Sampler::Random, samples),
            (None, Some(samples)) => (Sampler::Sobol, samples),
            (None, None) => (Sampler::Grid, 0),
        };
        let method = match (&self.halving, sampler) {
            (Some(range), _) => {
                let [min, max] = budgets(range)?;
                Method::Halving(Halving { sampler, samples, min, max, eta: self.eta.unwrap_or(3) })
            }
            (None, _) if self.outside => Method::Outside,
            (None, Sampler::Grid) => Method::Grid,
            (None, Sampler::Random) => Method::Random { samples },
            (None, Sampler::Sobol) => Method::Sobol { samples },
        };
        let splits = self.split.clone();
        Ok(Definition { space, method, seed: self.seed.unwrap_or(0), seeds: self.seeds()?, splits })
    }

    pub(super) fn rules(&self) -> Result<Rules, SweepProblem> {
        let failures = match self.stop_if_failed {
            Some(0) => None,
            failures => Some(failures.unwrap_or(USUAL_FAILURES)),
        };
        let stop = StopRules { target: self.stop_at, patience: self.patience, failures };
        Ok(Rules { goal: self.goal()?, stop, ..Rules::default() })
    }

    pub(super) fn metric(&self) -> MetricChoice {
        let take = if self.best_of_curve { Take::Best } else { Take::Last };
        MetricChoice { name: self.metric_name().to_owned(), take }
    }

    fn metric_name(&self) -> &str {
        self.metric.as_deref().unwrap_or("loss")
    }

    fn goal(&self) -> Result<Goal, SweepProblem> {
        match self.goal {
            Some(Better::Min) => Ok(Goal::Minimise),
            Some(Better::Max) => Ok(Goal::Maximise),
            None => goal_of(self.metric_name()).ok_or_else(|| {
                let what = format!(
                    "the name `{}` does not say whether small or large values are better",
                    self.metric_name()
                );
                SweepProblem::usage(what, "add --goal min or --goal max")
            }),
        }
    }

    fn space(&self) -> Result<Space, SweepProblem> {
        let of_words = Space::parse(&self.param).map_err(SweepError::from)?;
        let Some(path) = &self.space else { return Ok(of_words) };
        let of_file = Space::read(&read_file(path)?).map_err(SweepError::from)?;
        let all = of_file.iter().chain(of_words.iter());
        let all = all.map(|(name, domain)| (name.to_owned(), domain.clone())).collect();
        Ok(Space::new(all).map_err(SweepError::from)?)
    }

    fn seeds(&self) -> Result<Seeds, SweepProblem> {
        let Some(text) = &self.seeds else { return Ok(Seeds::Derived(1)) };
        let wrong = || {
            SweepProblem::usage(format!("`{text}` is no number of seeds"), "as in --seeds 5 or --seeds 1,2,3")
        };
        if !text.contains(',') {
            return text.trim().parse().map(Seeds::Derived).map_err(|_| wrong());
        }
        let seeds = text.split(',').map(|seed| seed.trim().parse()).collect::<Result<_, _>>();
        seeds.map(Seeds::These).map_err(|_| wrong())
    }
}

/// `1..27`
fn budgets(range: &str) -> Result<[u64; 2], SweepProblem> {
    let ends = range
        .split_once("..")
        .and_then(|(min, max)| Some([min.trim().parse().ok()?, max.trim().parse().ok()?]));
    ends.ok_or_else(|| {
        SweepProblem::usage(
            format!("`{range}` is no range of budgets"),
            "as in --halving 1..27 --budget epochs",
        )
    })
}

fn read_file(path: &Path) -> Result<serde_json::Value, SweepProblem> {
    let wrong = |why: String| {
        SweepProblem::usage(
            format!("cannot read parameters from {}: {why}", path.display()),
            "give a file in YAML, TOML or JSON",
        )
    };
    let text =
        actum_gate::read_named_text(path, LARGEST).map_err(|error| wrong(error.to_string()))?.into_string();
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("toml") => toml::from_str(&text).map_err(|error| wrong(error.to_string())),
        Some("json") => serde_json::from_str(&text).map_err(|error| wrong(error.to_string())),
        Some(_) | None => serde_saphyr::from_str(&text).map_err(|error| wrong(error.to_string())),
    }
}
