//! Which way a metric is better: guessed from its name, by a table. Whoever knows better says so.

use actum_output::analyse::name_words;
use serde::{Deserialize, Serialize};

/// Which of two values is the better one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    Lower,
    Higher,
}

/// Costs, distances and waits.
const LOWER: &[&str] = &[
    "aic",
    "bce",
    "bic",
    "bpb",
    "bpc",
    "cer",
    "cost",
    "distance",
    "divergence",
    "duration",
    "eer",
    "entropy",
    "err",
    "error",
    "errors",
    "fid",
    "kl",
    "latency",
    "logloss",
    "loss",
    "losses",
    "mae",
    "mape",
    "mse",
    "nll",
    "perplexity",
    "ppl",
    "regret",
    "residual",
    "rmse",
    "seconds",
    "smape",
    "time",
    "wer",
];

/// Shares of what came out right, and rates of work.
const HIGHER: &[&str] = &[
    "acc",
    "accuracy",
    "ap",
    "ap50",
    "auc",
    "auprc",
    "auroc",
    "bleu",
    "chrf",
    "coverage",
    "dice",
    "elbo",
    "f1",
    "fbeta",
    "fps",
    "fscore",
    "iou",
    "kappa",
    "likelihood",
    "map",
    "map50",
    "mcc",
    "meteor",
    "miou",
    "mrr",
    "ndcg",
    "precision",
    "psnr",
    "qps",
    "r2",
    "recall",
    "return",
    "reward",
    "rewards",
    "rouge",
    "rouge1",
    "rouge2",
    "rougel",
    "rsquared",
    "score",
    "sensitivity",
    "specificity",
    "speedup",
    "ssim",
    "success",
    "throughput",
    "winrate",
];

/// What a training drives down, and where a value that is no number means that it has gone wrong.
const LOSSES: &[&str] =
    &["bce", "bpb", "bpc", "loss", "losses", "logloss", "mae", "mse", "nll", "perplexity", "ppl", "rmse"];

/// The direction that a name's words agree on. None where no word is known, or where two contradict each other.
pub fn guess_direction(key: &str) -> Option<Direction> {
    let words = name_words(key);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    match (has(LOWER), has(HIGHER)) {
        (true, false) => Some(Direction::Lower),
        (false, true) => Some(Direction::Higher),
        (true, true) | (false, false) => None,
    }
}

/// Whether it is a loss by its name.
pub(crate) fn is_loss(key: &str) -> bool {
    name_words(key).iter().any(|word| LOSSES.contains(&word.as_str()))
}

impl Direction {
    /// Whether one value is better than another.
    pub fn is_better(self, value: f64, than: f64) -> bool {
        match self {
            Self::Lower => value < than,
            Self::Higher => value > than,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_a_direction_or_none() {
        for (key, expected) in [
            ("loss", Some(Direction::Lower)),
            ("valLoss", Some(Direction::Lower)),
            ("eval/perplexity", Some(Direction::Lower)),
            ("epoch_time", Some(Direction::Lower)),
            ("error rate", Some(Direction::Lower)),
            ("val_accuracy", Some(Direction::Higher)),
            ("F1-score", Some(Direction::Higher)),
            ("mean reward", Some(Direction::Higher)),
            ("learning_rate", None),
            ("gpu", None),
            ("error of accuracy", None),
            ("", None),
        ] {
            assert_eq!(guess_direction(key), expected, "{key}");
        }
    }

    #[test]
    fn the_table_has_no_word_twice() {
        let mut words: Vec<_> = LOWER.iter().chain(HIGHER).collect();
        words.sort_unstable();
        let count = words.len();
        words.dedup();
        assert_eq!(words.len(), count);
        assert!(LOSSES.iter().all(|word| LOWER.contains(word)));
    }
}
