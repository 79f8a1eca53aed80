//! Names of metrics: which words are one, and when two names mean the same.

use crate::vocabulary::VOCABULARY;

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
            rest.iter().filter(|word| !VOCABULARY.metric_fillers.contains(word)).cloned().collect();
        let mut kept = if kept.is_empty() { rest } else { kept };
        if kept.len() > 1 {
            kept.retain(|word| word != "score");
        }
        if kept.len() > 1 && kept.last().is_some_and(|last| VOCABULARY.metric_units.contains(last)) {
            kept.pop();
        }
        let joined = kept.join(" ");
        let spellings = VOCABULARY.aliases.iter().find(|names| names.contains(&joined));
        let base = spellings.and_then(|names| names.iter().next()).map_or(joined.clone(), str::to_owned);
        // Tests cover code; they are no part of data there.
        let split = split.filter(|_| base != "coverage");
        Self { base: if base.is_empty() { joined } else { base }, split, stage }
    }

    /// Whether less of it is better; none where nobody knows.
    pub(crate) fn lower_is_better(&self) -> Option<bool> {
        const HIGHER: [&str; 9] =
            ["throughput", "speedup", "bleu", "reward", "r2", "fps", "psnr", "ssim", "score"];
        let is_lower = self.base.split(' ').any(|word| VOCABULARY.lower_is_better.contains(word));
        let is_higher = self.is_fraction() || self.base.split(' ').any(|word| HIGHER.contains(&word));
        (is_lower || is_higher).then_some(is_lower)
    }

    pub(crate) fn is_fraction(&self) -> bool {
        self.base.split(' ').any(|word| VOCABULARY.fractions.contains(word))
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
    let heads = &VOCABULARY.metric_heads;
    let is_pair = before.is_some_and(|before| heads.contains(&format!("{before} {word}")));
    is_pair || heads.contains(word) || is_joined(word)
}

/// `val_accuracy`, `test-acc`, `train/loss`: a name as programs write it.
fn is_joined(word: &str) -> bool {
    let parts = words(word);
    parts.len() > 1
        && !word.contains('.')
        && parts
            .last()
            .is_some_and(|last| VOCABULARY.metric_heads.contains(last) && last != "map" && last != "score")
}

/// Words by which a number counts steps of the work.
pub(crate) fn is_step(word: &str) -> bool {
    ["epoch", "epochs", "step", "steps", "iter", "iteration", "iterations", "round"].contains(&word)
}

/// Whether a word can be part of a metric's name before its head.
pub(crate) fn qualifies(word: &str) -> bool {
    VOCABULARY.metric_qualifiers.contains(word)
}

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
