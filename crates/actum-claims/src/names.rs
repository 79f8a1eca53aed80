//! Names of metrics: which words are one, and when two names mean the same.

/// A name taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    /// In one spelling, without split and without what says which value is meant.
    pub(crate) base: String,
    pub(crate) split: Option<Split>,
    pub(crate) stage: Option<Stage>,
}

/// The part of the data that a metric was taken on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Split {
    Train,
    Validation,
    Test,
}

/// Which side of a change a metric tells about, where its name says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Before,
    After,
}

/// Spellings of one thing. The first is the one that is kept.
const ALIASES: &[&[&str]] = &[
    &[
        "accuracy",
        "acc",
        "accurate",
        "top 1 accuracy",
        "top1",
        "top 1",
        "top1 accuracy",
        "classification accuracy",
    ],
    &["f1", "f1 measure", "f measure", "fscore", "f score", "f 1"],
    &["auc", "auroc", "roc auc", "rocauc", "area under the curve", "auc roc"],
    &["auprc", "pr auc"],
    &["precision", "prec"],
    &["recall", "rec", "sensitivity", "true positive rate", "tpr"],
    &["mse", "mean squared error", "mean square error"],
    &["rmse", "root mean squared error", "root mean square error"],
    &["mae", "mean absolute error"],
    &["mape", "mean absolute percentage error"],
    &["r2", "r squared", "rsquared", "r 2", "coefficient of determination"],
    &["ppl", "perplexity"],
    &["map", "mean average precision"],
    &["iou", "intersection over union", "jaccard"],
    &["miou", "mean iou"],
    &["wer", "word error rate"],
    &["cer", "character error rate"],
    &["coverage", "cov", "code coverage", "total coverage"],
    &["throughput", "tput", "requests per second", "rps", "qps", "req s", "queries per second"],
    &["tokens per second", "tokens s", "tok s"],
    &["latency", "response time"],
    &["p50 latency", "median latency", "p50 response time", "p50", "latency p50", "p50 ms", "p50 latency ms"],
    &["p90 latency", "p90", "latency p90", "p90 ms", "p90 latency ms"],
    &[
        "p95 latency",
        "p95",
        "latency p95",
        "95th percentile latency",
        "p95 ms",
        "p95 latency ms",
        "p95 response time",
    ],
    &[
        "p99 latency",
        "p99",
        "latency p99",
        "99th percentile latency",
        "p99 ms",
        "p99 latency ms",
        "p99 response time",
    ],
    &["lr", "learning rate"],
    &["error rate", "err rate", "error"],
    &["loss", "losses", "cross entropy", "cross entropy loss", "ce loss"],
    &["memory", "peak memory", "memory usage", "memory peak", "peak memory usage"],
    &["speedup", "speed up"],
    &["bleu", "sacrebleu"],
    &["reward", "return", "mean reward", "episode reward", "episode return"],
    &["fps", "frames per second"],
    &["mean", "average", "avg"],
];

/// Words of a name that say which value is meant, or nothing.
const FILLERS: &[&str] = &[
    "final",
    "best",
    "overall",
    "the",
    "a",
    "an",
    "model",
    "models",
    "current",
    "new",
    "last",
    "highest",
    "lowest",
    "our",
    "its",
    "value",
    "measured",
    "resulting",
    "held",
    "out",
    "set",
    "on",
    "observed",
    "achieved",
    "reported",
    "total",
    "optimal",
    "maximum",
    "minimum",
    "peak",
    "split",
    "data",
    "dataset",
    "of",
    "for",
    "now",
    "initial",
    "first",
];

/// Words at the end of a name by which it is known for one.
const HEADS: &[&str] = &[
    "accuracy",
    "accurate",
    "acc",
    "f1",
    "f1-score",
    "f1score",
    "f1_score",
    "fscore",
    "f-score",
    "f-measure",
    "auc",
    "auroc",
    "roc-auc",
    "roc_auc",
    "auprc",
    "pr-auc",
    "precision",
    "recall",
    "sensitivity",
    "specificity",
    "loss",
    "mse",
    "rmse",
    "mae",
    "mape",
    "smape",
    "r2",
    "r^2",
    "r-squared",
    "perplexity",
    "ppl",
    "bleu",
    "rouge",
    "rouge-l",
    "rouge-1",
    "rouge-2",
    "meteor",
    "chrf",
    "iou",
    "miou",
    "map",
    "dice",
    "wer",
    "cer",
    "fid",
    "psnr",
    "ssim",
    "latency",
    "throughput",
    "coverage",
    "reward",
    "score",
    "speedup",
    "bpc",
    "bpb",
    "nll",
    "elbo",
    "kappa",
    "mcc",
    "ndcg",
    "mrr",
    "silhouette",
    "correlation",
    "p50",
    "p90",
    "p95",
    "p99",
    "qps",
    "rps",
    "fps",
    "entropy",
    "similarity",
    "logloss",
    "log-loss",
    "brier",
    "auprc",
    "top-1",
    "top-5",
    "perplexities",
    "residual",
    "eer",
    "ap",
    "ap50",
    "map50",
    "winrate",
];

/// Two words at the end.
const PAIRS: &[(&str, &str)] = &[
    ("error", "rate"),
    ("learning", "rate"),
    ("hit", "rate"),
    ("win", "rate"),
    ("pass", "rate"),
    ("response", "time"),
    ("squared", "error"),
    ("square", "error"),
    ("absolute", "error"),
    ("peak", "memory"),
    ("memory", "usage"),
    ("positive", "rate"),
    ("negative", "rate"),
    ("f1", "score"),
    ("r2", "score"),
    ("bleu", "score"),
    ("silhouette", "score"),
    ("average", "precision"),
    ("success", "rate"),
    ("average", "reward"),
    ("gradient", "norm"),
    ("log", "likelihood"),
    ("validation", "error"),
    ("test", "error"),
    ("training", "error"),
    ("compression", "ratio"),
    ("standard", "deviation"),
    ("per", "second"),
    ("dropout", "rate"),
    ("miss", "rate"),
    ("brier", "score"),
];

/// Units at the end of a name.
const UNITS: &[&str] = &[
    "ms", "s", "sec", "secs", "seconds", "us", "ns", "mb", "gb", "kb", "mib", "gib", "bytes", "pct",
    "percent",
];

/// Metrics of which less is better.
const LOWER: &[&str] = &[
    "loss", "error", "mse", "rmse", "mae", "mape", "ppl", "wer", "cer", "fid", "latency", "time", "memory",
    "nll", "bpc", "bpb", "logloss", "p50", "p90", "p95", "p99", "eer", "duration", "residual", "brier",
    "miss",
];

/// Fractions of one, which people tell in percent.
const FRACTIONS: &[&str] = &[
    "accuracy",
    "f1",
    "auc",
    "auprc",
    "precision",
    "recall",
    "iou",
    "miou",
    "map",
    "coverage",
    "dice",
    "specificity",
    "rate",
    "error",
    "wer",
    "cer",
    "top",
    "kappa",
    "ap",
];

/// The words of a name in small letters.
pub(crate) fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for character in name.chars().map(|character| if character == '²' { '2' } else { character }) {
        let breaks = !character.is_alphanumeric() || (character.is_uppercase() && was_small);
        if breaks {
            words.push(String::new());
        }
        was_small = character.is_lowercase();
        if character.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(character.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

impl Name {
    pub(crate) fn read(name: &str) -> Self {
        let mut split = None;
        let mut stage = None;
        let mut rest: Vec<String> = Vec::new();
        for word in words(name) {
            match (split_of(&word), stage_of(&word)) {
                (Some(found), _) => split = Some(found),
                (None, Some(found)) => stage = Some(found),
                (None, None) => rest.push(word),
            }
        }
        let kept: Vec<String> =
            rest.iter().filter(|word| !FILLERS.contains(&word.as_str())).cloned().collect();
        let mut kept = if kept.is_empty() { rest } else { kept };
        if kept.len() > 1 {
            kept.retain(|word| word != "score");
        }
        if kept.len() > 1 && kept.last().is_some_and(|last| UNITS.contains(&last.as_str())) {
            kept.pop();
        }
        let joined = kept.join(" ");
        let base = ALIASES
            .iter()
            .find(|names| names.contains(&joined.as_str()))
            .map_or(joined.clone(), |names| names[0].to_owned());
        // Tests cover code; they are no part of data there.
        let split = split.filter(|_| base != "coverage");
        Self { base: if base.is_empty() { joined } else { base }, split, stage }
    }

    /// Whether less of it is better; none where nobody knows.
    pub(crate) fn lower_is_better(&self) -> Option<bool> {
        let has = |list: &[&str]| self.base.split(' ').any(|word| list.contains(&word));
        match (
            has(LOWER),
            has(FRACTIONS)
                || has(&["throughput", "speedup", "bleu", "reward", "r2", "fps", "psnr", "ssim", "score"]),
        ) {
            (true, _) => Some(true),
            (false, true) => Some(false),
            (false, false) => None,
        }
    }

    pub(crate) fn is_fraction(&self) -> bool {
        self.base.split(' ').any(|word| FRACTIONS.contains(&word))
    }
}

fn split_of(word: &str) -> Option<Split> {
    match word {
        "train" | "training" => Some(Split::Train),
        "val" | "valid" | "validation" | "dev" | "eval" | "evaluation" => Some(Split::Validation),
        "test" | "testing" | "holdout" | "heldout" => Some(Split::Test),
        _ => None,
    }
}

fn stage_of(word: &str) -> Option<Stage> {
    match word {
        "baseline" | "before" | "old" | "original" | "previous" | "unoptimized" | "unoptimised" | "naive" => {
            Some(Stage::Before)
        }
        "after" | "optimized" | "optimised" | "improved" | "tuned" => Some(Stage::After),
        _ => None,
    }
}

/// Whether a word, or it and the one before it, ends the name of a metric.
pub(crate) fn is_head(before: Option<&str>, word: &str) -> bool {
    let is_pair = before.is_some_and(|before| PAIRS.contains(&(before, word)));
    is_pair || HEADS.contains(&word) || is_joined(word)
}

/// `val_accuracy`, `test-acc`, `train/loss`: a name as programs write it.
fn is_joined(word: &str) -> bool {
    let parts = words(word);
    parts.len() > 1
        && !word.contains('.')
        && parts.last().is_some_and(|last| HEADS.contains(&last.as_str()) && last != "map" && last != "score")
}

/// Words by which a number counts steps of the work.
pub(crate) fn is_step(word: &str) -> bool {
    ["epoch", "epochs", "step", "steps", "iter", "iteration", "iterations", "round"].contains(&word)
}

/// Whether a word can be part of a metric's name before its head.
pub(crate) fn qualifies(word: &str) -> bool {
    QUALIFIERS.split_whitespace().any(|other| other == word)
}

/// Words of [`qualifies`].
const QUALIFIERS: &str = "macro micro weighted mean average avg median top-1 top-5 top1 top5 roc pr p50 p90 p95 p99 line \
    branch code statement function region word character root standard squared absolute cross- \
    entropy cross entropy training train val validation test dev eval final best overall total \
    baseline peak error hit win success cache memory response request requests tokens per f1 r2 \
    classification episode learning false true positive negative holdout held-out old new optimized \
    highest lowest initial silhouette log brier miss compression square bleu pass";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_meet() {
        for (one, other) in [
            ("acc", "accuracy"),
            ("Accuracy", "final accuracy"),
            ("F1-score", "f1"),
            ("F1 score", "f1_score"),
            ("ROC AUC", "auroc"),
            ("R²", "r2"),
            ("valAccuracy", "val_acc"),
            ("validation accuracy", "val/acc"),
            ("p95 latency", "p95_ms"),
            ("test accuracy", "accuracy on the test set"),
        ] {
            assert_eq!(Name::read(one), Name::read(other), "{one} {other}");
        }
        assert_ne!(Name::read("train_acc"), Name::read("val_acc"));
        assert_ne!(Name::read("precision"), Name::read("recall"));
        assert_eq!(Name::read("val_loss").lower_is_better(), Some(true));
        assert_eq!(Name::read("accuracy").lower_is_better(), Some(false));
        assert_eq!(Name::read("widgets").lower_is_better(), None);
    }
}
