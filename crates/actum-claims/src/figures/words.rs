//! Words in one form, so that what a program prints and what a person says about it can meet.

use actum_model::Unit;

/// Words of one meaning. The first is the one that is kept.
const SAME: &[&[&str]] = &[
    &["val", "validation", "valid", "dev", "eval", "evaluation"],
    &["train", "training"],
    &["test", "testing", "holdout", "heldout"],
    &["acc", "accuracy", "accurate"],
    &["ppl", "perplexity"],
    &["mean", "average", "avg", "averaged", "averages"],
    &["median", "p50"],
    &["std", "stdev", "stddev", "sd"],
    &["abs", "absolute"],
    &["adj", "adjusted"],
    &["max", "maximum"],
    &["min", "minimum"],
    &["lr", "learningrate"],
    &["param", "parameter", "params", "parameters"],
    &["corr", "correlation", "r"],
    &["auc", "auroc", "rocauc"],
    &["prec", "precision"],
    &["request", "requests", "req", "reqs"],
    &["count", "number", "num", "n", "nr"],
    &["pvalue", "pval", "p"],
    &["tstat", "t"],
    &["migrat", "migrate", "migrated", "move", "moved", "port", "ported"],
    &["rps", "qps"],
    &["coverage", "cov", "cover", "covered", "covers"],
    &["mem", "memory"],
    &[
        "write", "wrote", "written", "writes", "writing", "save", "saved", "saves", "export", "exported",
        "store", "stored",
    ],
    &["create", "created", "generate", "generated", "produce", "produced", "make", "made", "build", "built"],
    &["read", "load", "loaded", "parse", "parsed", "ingest", "ingested", "reads", "imported", "import"],
    &["drop", "dropped", "remove", "removed", "delete", "deleted", "discard", "discarded", "purged"],
    &["find", "found", "detect", "detected", "identified", "discovered"],
    &["fail", "failed", "failure", "failures", "failing"],
    &["keep", "kept", "remain", "remaining", "remained", "remains", "left"],
    &["send", "sent"],
    &["row", "record"],
    &["sample", "example"],
    &["mail", "email", "e-mail"],
    &["temp", "temperature", "temperatures", "temps"],
    &["error", "err", "errs"],
    &["warning", "warn", "warnings", "warns"],
    &["diff", "difference", "differences"],
    &["dist", "distance"],
    &["len", "length"],
    &["freq", "frequency"],
    &["quantity", "qty"],
    &["amount", "amt"],
    &["volume", "vol"],
];

/// Two words that are one.
const JOINED: &[(&str, &str, &str)] = &[
    ("cross", "validated", "cv"),
    ("cross", "validation", "cv"),
    ("learning", "rate", "lr"),
    ("standard", "deviation", "std"),
    ("std", "dev", "std"),
    ("p", "value", "pvalue"),
    ("t", "statistic", "tstat"),
    ("t", "stat", "tstat"),
    ("t", "value", "tstat"),
    ("per", "second", "persecond"),
    ("random", "state", "seed"),
    ("random", "seed", "seed"),
    ("held", "out", "test"),
    ("roc", "auc", "auc"),
    ("r", "squared", "r2"),
    ("r", "2", "r2"),
    ("f", "1", "f1"),
    ("f1", "score", "f1"),
    ("e", "mail", "mail"),
    ("test", "coverage", "coverage"),
    ("code", "coverage", "coverage"),
];

/// Words that say nothing about what a number is.
const EMPTY: &[&str] = &[
    "a",
    "an",
    "the",
    "of",
    "in",
    "on",
    "at",
    "to",
    "for",
    "from",
    "by",
    "with",
    "and",
    "or",
    "is",
    "was",
    "are",
    "were",
    "be",
    "been",
    "it",
    "its",
    "this",
    "that",
    "these",
    "those",
    "there",
    "we",
    "i",
    "you",
    "our",
    "my",
    "your",
    "they",
    "their",
    "has",
    "have",
    "had",
    "as",
    "so",
    "now",
    "then",
    "than",
    "just",
    "only",
    "also",
    "about",
    "into",
    "per",
    "came",
    "come",
    "comes",
    "out",
    "up",
    "down",
    "over",
    "under",
    "after",
    "before",
    "during",
    "which",
    "when",
    "while",
    "where",
    "us",
    "all",
    "each",
    "both",
    "some",
    "any",
    "no",
    "not",
    "s",
    "got",
    "get",
    "gets",
    "did",
    "do",
    "does",
    "value",
    "values",
    "result",
    "results",
    "overall",
    "final",
    "last",
    "best",
    "info",
    "debug",
    "set",
    "split",
    "script",
    "program",
    "run",
    "output",
    "score",
    "still",
    "using",
    "used",
    "via",
    "one",
    "roughly",
    "exactly",
    "approximately",
    "around",
    "nearly",
    "almost",
    "least",
    "most",
    "more",
    "less",
    "above",
    "below",
    "between",
    "within",
    "current",
    "currently",
    "new",
    "achieved",
    "achieves",
    "achieve",
    "reached",
    "reaches",
    "reach",
    "ended",
    "ends",
    "end",
    "stands",
    "stood",
    "sits",
    "sat",
    "landed",
    "lands",
    "equals",
    "equal",
    "amounts",
    "amounted",
    "turned",
    "turns",
    "shows",
    "showed",
    "reports",
    "reported",
    "prints",
    "printed",
    "says",
    "gives",
    "gave",
    "yields",
    "yielded",
    "returns",
    "returned",
    "being",
    "will",
    "can",
    "data",
    "dataset",
    "part",
    "again",
    "here",
    "well",
    "too",
    "very",
    "quite",
    "whole",
    "entire",
    "full",
    "obtained",
    "measured",
    "observed",
    "computed",
    "calculated",
    "time",
    "times",
    "file",
    "measures",
    "highest",
    "strongest",
    "weakest",
    "largest",
    "biggest",
    "smallest",
    "busiest",
    "lowest",
    "top",
    "peaks",
    "peaked",
    "scored",
    "scores",
    "gets",
    "whereas",
    "but",
    "because",
    "since",
    "down",
    "across",
    "among",
    "against",
    "versus",
    "vs",
    "compared",
    "that's",
    "i.e",
    "e.g",
    "first",
    "initial",
    "initially",
];

/// `rows`, `samples`: a word for several things, as far as its end tells.
pub(crate) fn is_plural(word: &str) -> bool {
    word.len() > 3 && word.ends_with('s') && !word.ends_with("ss")
}

/// Without what numbers and times of words add: `rows` and `row`, `skipped` and `skip`.
pub(crate) fn stem(word: &str) -> String {
    let word = word.to_lowercase();
    if let Some(first) = SAME.iter().find(|same| same.contains(&word.as_str())) {
        return first[0].to_owned();
    }
    let stemmed = bare(&word);
    match SAME.iter().find(|same| same.contains(&stemmed.as_str())) {
        Some(same) => same[0].to_owned(),
        None => stemmed,
    }
}

fn bare(word: &str) -> String {
    if word.len() <= 3 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return word.to_owned();
    }
    let cut = |ending: &str| word.strip_suffix(ending).filter(|rest| rest.len() >= 3);
    if let Some(rest) = cut("ies") {
        return format!("{rest}y");
    }
    for ending in ["sses", "xes", "ches", "shes"] {
        if cut(ending).is_some() {
            return word[..word.len() - 2].to_owned();
        }
    }
    if let Some(rest) = cut("ing").or(cut("ed")) {
        return single(rest);
    }
    let rest =
        word.strip_suffix('s').filter(|rest| !rest.ends_with('s') && !rest.ends_with('u')).unwrap_or(word);
    rest.strip_suffix('e').filter(|rest| rest.len() >= 3).unwrap_or(rest).to_owned()
}

/// `dropp` is `drop`.
fn single(word: &str) -> String {
    let bytes = word.as_bytes();
    let is_double = bytes.len() > 3
        && bytes[bytes.len() - 1] == bytes[bytes.len() - 2]
        && !b"lsz".contains(&bytes[bytes.len() - 1]);
    if is_double { word[..word.len() - 1].to_owned() } else { word.to_owned() }
}

/// Words behind which a number says which of several it is: `fold 3`.
pub(crate) fn is_place(word: &str) -> bool {
    const PLACES: [&str; 14] = [
        "fold",
        "trial",
        "run",
        "batch",
        "split",
        "replicate",
        "repeat",
        "repetition",
        "attempt",
        "chunk",
        "shard",
        "partition",
        "stage",
        "seed",
    ];
    PLACES.contains(&word)
}

/// Whether a word says nothing about what a number is.
pub(crate) fn is_empty(word: &str) -> bool {
    EMPTY.contains(&word) || word.is_empty()
}

/// The words of a text that say something, each in one form. `val_loss`, `valLoss` and `validation loss` are the same.
pub(crate) fn keys(text: &str) -> Vec<String> {
    let parts: Vec<String> = text.split_whitespace().flat_map(parts).collect();
    let mut found: Vec<String> = Vec::new();
    let mut at = 0;
    while at < parts.len() {
        let next = parts.get(at + 1).map(String::as_str).unwrap_or_default();
        if let Some((_, _, whole)) = JOINED.iter().find(|(one, two, _)| *one == parts[at] && *two == next) {
            found.push((*whole).to_owned());
            at += 2;
            continue;
        }
        let word = &parts[at];
        // `no cache` is something else than a cache.
        if ["no", "without"].contains(&word.as_str()) && !next.is_empty() && !is_empty(next) {
            found.push(format!("no-{}", stem(next)));
            at += 2;
            continue;
        }
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
        if !is_empty(word) && !is_number {
            found.push(stem(word));
        }
        at += 1;
    }
    // `INFO: loss 0.3` is told by a log, and `info: 1083` tells how many lines of it there are.
    if found.iter().all(|word| word == "count") {
        found.extend(parts.into_iter().filter(|word| is_level(word)));
    }
    found
}

/// Levels of a log that say nothing where other words stand beside them.
fn is_level(word: &str) -> bool {
    ["info", "debug"].contains(&word)
}

/// The same of what a person wrote: a word in letters of both sizes counts as a whole, too.
pub(crate) fn said(text: &str) -> Vec<String> {
    let mut found = keys(text);
    for word in text.split(|c: char| !c.is_alphanumeric()) {
        let has_both = word.chars().any(char::is_uppercase) && word.chars().any(char::is_lowercase);
        if has_both && !is_empty(&word.to_lowercase()) {
            found.push(stem(word));
        }
    }
    found
}

/// The beginnings of words that a line has to have, so that it is worth reading.
pub(crate) struct Wanted {
    starts: std::collections::HashSet<[u8; 3]>,
}

impl Wanted {
    /// Those of texts, and of all words that mean the same.
    pub(crate) fn by<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut starts = std::collections::HashSet::new();
        // A unit stands behind half of all numbers.
        const UNITS: [&str; 8] = ["ms", "us", "ns", "sec", "mb", "gb", "kb", "mib"];
        let keys = texts.into_iter().flat_map(said).filter(|key| !UNITS.contains(&key.as_str()));
        for key in keys {
            starts.insert(start(key.trim_start_matches("no-").as_bytes()));
            let same = SAME.iter().filter(|same| same[0] == key).flat_map(|same| same.iter());
            starts.extend(same.map(|word| start(word.as_bytes())));
            let joined = JOINED.iter().filter(|(_, _, whole)| *whole == key);
            starts.extend(joined.map(|(first, _, _)| start(first.as_bytes())));
        }
        Self { starts }
    }

    /// Whether a word of the line begins like one of them; a line without words may be anything.
    pub(crate) fn meets(&self, line: &str) -> bool {
        let mut words = line
            .as_bytes()
            .split(|byte| !byte.is_ascii_alphanumeric())
            .filter(|word| word.first().is_some_and(u8::is_ascii_alphabetic))
            .peekable();
        words.peek().is_none() || !line.is_ascii() || words.any(|word| self.has(word))
    }

    /// A word in letters of both sizes has several beginnings.
    fn has(&self, word: &[u8]) -> bool {
        let begins =
            |at: &usize| *at == 0 || word[*at].is_ascii_uppercase() && word[*at - 1].is_ascii_lowercase();
        (0..word.len()).filter(begins).any(|at| self.starts.contains(&start(&word[at..])))
    }
}

fn start(word: &[u8]) -> [u8; 3] {
    std::array::from_fn(|at| word.get(at).map_or(b' ', u8::to_ascii_lowercase))
}

/// Words that may be left away: `revenue` is the total revenue.
pub(crate) fn is_optional(word: &str) -> bool {
    ["total", "count", "pct", "percent", "percentag", "model"].contains(&word)
}

/// Words that only say in what something is measured: `outage_seconds`, `mean_temp_c`.
pub(crate) fn is_measure(word: &str, unit: Unit) -> bool {
    match unit {
        Unit::Time(_) => ["second", "sec", "ms", "s", "minut", "hour"].contains(&word),
        Unit::Size(_) => ["byt", "kb", "mb", "gb", "mib", "kib"].contains(&word),
        Unit::Plain => {
            ["c", "f", "k", "m", "g", "w", "v", "eur", "usd", "gbp", "chf", "euro", "dollar"].contains(&word)
        }
        Unit::Percent | Unit::Points | Unit::Times => false,
    }
}

/// `top-5` is `top5`: a number belongs to the letters before it.
fn joined(word: &str) -> Option<String> {
    let (letters, digits) = word.split_once('-')?;
    let is_one = letters.len() <= 8
        && letters.chars().all(char::is_alphabetic)
        && !digits.is_empty()
        && digits.len() <= 3
        && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_one.then(|| format!("{letters}{digits}"))
}

/// `valLoss` is two words; `chrF`, `kNN` and `ResNet50` are one.
fn humps(word: &str) -> Vec<String> {
    let parts = crate::names::words(word);
    if parts.iter().all(|part| part.len() >= 3) && !word.contains(|c: char| c.is_ascii_digit()) {
        return parts;
    }
    [word.to_lowercase()].into_iter().filter(|word| !word.is_empty()).collect()
}

/// The parts of a word: `tokens/s` has so many of them in a second.
fn parts(word: &str) -> Vec<String> {
    let word = word.trim_end_matches(['.', ',', ';', ':', ')']);
    // `US` is a country, and `us` is nobody in particular.
    let is_short = word.len() == 2 && word.bytes().all(|byte| byte.is_ascii_uppercase());
    if is_short && is_empty(&word.to_lowercase()) {
        return vec![format!("{}.", word.to_lowercase())];
    }
    // `p99.9` is one, and not `p99`.
    let is_percentile =
        word.strip_prefix(['p', 'P']).is_some_and(|rest| rest.contains('.') && rest.parse::<f64>().is_ok());
    if is_percentile {
        return vec![word.to_lowercase()];
    }
    let rate = ["/s", "/sec", "/second"].iter().find_map(|ending| word.strip_suffix(ending));
    let joined = joined(rate.unwrap_or(word));
    let rate_or_word = joined.as_deref().or(rate).unwrap_or(word);
    let mut parts: Vec<String> = rate_or_word.split(|c: char| !c.is_alphanumeric()).flat_map(humps).collect();
    parts.extend(rate.map(|_| "persecond".to_owned()));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_meet() {
        for (one, other) in [
            ("val_loss", "validation loss"),
            ("rows dropped", "dropped row"),
            ("skipped 8 users", "user skip"),
            ("mean_minutes", "average minutes"),
            ("p-value", "p_value"),
            ("learning rate", "lr"),
            ("files converted", "convert files"),
            ("entries", "entry"),
        ] {
            let (mut one, mut other) = (keys(one), keys(other));
            one.sort();
            other.sort();
            assert_eq!(one, other);
        }
        assert_ne!(keys("train loss"), keys("val loss"));
        assert!(keys("the final 12").is_empty());
    }
}
