//! Which names are names of a metric.

/// How much a name says about its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weight {
    /// It is said of nothing else: any number counts.
    Strong,
    /// It is said of other things too: only a fraction counts.
    Weak,
    /// Nobody would know.
    Unknown,
    /// Something else for certain, whatever stands around it.
    Never,
}

/// Words that are said of nothing but a measure of work.
const STRONG: &[&str] = &[
    "acc",
    "accuracy",
    "aic",
    "ap50",
    "auc",
    "auprc",
    "auroc",
    "bce",
    "bic",
    "bleu",
    "bpb",
    "bpc",
    "cer",
    "chrf",
    "dice",
    "eer",
    "elbo",
    "f1",
    "fbeta",
    "fid",
    "fps",
    "fscore",
    "iou",
    "kappa",
    "kl",
    "likelihood",
    "logloss",
    "loss",
    "losses",
    "lr",
    "mae",
    "mape",
    "map50",
    "mcc",
    "meteor",
    "miou",
    "mrr",
    "mse",
    "ndcg",
    "nll",
    "perplexity",
    "ppl",
    "precision",
    "psnr",
    "qps",
    "r2",
    "recall",
    "reward",
    "rewards",
    "rmse",
    "rouge",
    "rouge1",
    "rouge2",
    "rougel",
    "rsquared",
    "smape",
    "speedup",
    "ssim",
    "throughput",
    "wer",
    "winrate",
];

/// Words that are said of settings and sentences too.
const WEAK: &[&str] = &[
    "average",
    "avg",
    "confidence",
    "convergence",
    "correlation",
    "coverage",
    "deviation",
    "distance",
    "entropy",
    "err",
    "error",
    "gain",
    "improvement",
    "latency",
    "learning_rate",
    "likelihood",
    "max",
    "mean",
    "median",
    "min",
    "norm",
    "objective",
    "p50",
    "p90",
    "p95",
    "p99",
    "percent",
    "percentage",
    "probability",
    "pvalue",
    "rate",
    "ratio",
    "residual",
    "return",
    "sensitivity",
    "similarity",
    "score",
    "specificity",
    "std",
    "stddev",
    "variance",
];

/// Numbers of these are names, places and times.
const NEVER: &[&str] = &[
    "column",
    "col",
    "date",
    "day",
    "hour",
    "id",
    "index",
    "level",
    "line",
    "lineno",
    "minute",
    "month",
    "pid",
    "port",
    "python",
    "release",
    "seed",
    "status",
    "thread",
    "tid",
    "time",
    "timestamp",
    "ts",
    "uid",
    "version",
    "year",
];

/// What counts the rounds of a work. The first that a line names is its step.
pub(super) const STEPS: &[&str] =
    &["epoch", "step", "global_step", "iteration", "iter", "episode", "round", "batch"];

/// What may stand before a name of a metric and belongs to it.
pub(super) const QUALIFIERS: &[&str] = &[
    "average",
    "avg",
    "best",
    "dev",
    "eval",
    "evaluation",
    "final",
    "holdout",
    "macro",
    "max",
    "mean",
    "median",
    "micro",
    "min",
    "overall",
    "test",
    "testing",
    "top-1",
    "top-5",
    "top1",
    "top5",
    "total",
    "train",
    "training",
    "val",
    "valid",
    "validation",
    "weighted",
];

/// Judges a name by its words.
pub(super) fn weight(name: &str) -> Weight {
    // Mean average precision is told from a map by its letters.
    if name.contains("mAP") || name.contains("R^2") || name.contains("R²") {
        return Weight::Strong;
    }
    let (mut weight, mut is_never) = (Weight::Unknown, false);
    for word in words(name) {
        let is = |list: &[&str]| list.contains(&word.as_str());
        match () {
            () if is(STRONG) => weight = Weight::Strong,
            () if is(WEAK) && weight == Weight::Unknown => weight = Weight::Weak,
            () => is_never |= is(NEVER),
        }
    }
    let is_learning_rate = name.to_ascii_lowercase().replace([' ', '-'], "_").contains("learning_rate");
    match (weight, is_never) {
        (Weight::Strong, _) => Weight::Strong,
        (_, true) => Weight::Never,
        (_, false) if is_step(name) => Weight::Never,
        (_, false) if is_learning_rate => Weight::Strong,
        (other, false) => other,
    }
}

/// Whether it counts the rounds of a work: `epoch`, `step`.
pub fn is_step(name: &str) -> bool {
    STEPS.iter().any(|step| name.eq_ignore_ascii_case(step))
}

/// The words of a name in small letters: `valAccuracy`, `val_accuracy` and `Val accuracy` have the same.
pub fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for character in name.chars() {
        if !character.is_alphanumeric() || (character.is_uppercase() && was_small) {
            words.push(String::new());
        }
        was_small = character.is_lowercase();
        if let (true, Some(word)) = (character.is_alphanumeric(), words.last_mut()) {
            word.extend(character.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_weighed_by_their_words() {
        for (name, expected) in [
            ("accuracy", Weight::Strong),
            ("valAccuracy", Weight::Strong),
            ("val_acc", Weight::Strong),
            ("mAP@0.5", Weight::Strong),
            ("R^2", Weight::Strong),
            ("learning rate", Weight::Strong),
            ("F1-score", Weight::Strong),
            ("error rate", Weight::Weak),
            ("score", Weight::Weak),
            ("map", Weight::Unknown),
            ("answer", Weight::Unknown),
            ("port", Weight::Never),
            ("epoch", Weight::Never),
            ("version", Weight::Never),
            ("mean line", Weight::Never),
        ] {
            assert_eq!(weight(name), expected, "{name}");
        }
    }
}
