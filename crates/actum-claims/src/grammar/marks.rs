//! Names of things: anchors, runs of trackers, commits, seeds, devices.

use super::found::Found;
use crate::sentence::Sentence;
use crate::stance::pattern;
use actum_model::{Anchor, Said};
use regex::bytes::Regex;
use std::sync::LazyLock;

static ANCHOR: LazyLock<Regex> = LazyLock::new(|| pattern(r"actum:[0-9a-z-]+(?:#[^\s`,;)\]]+)?"));
static HEX32: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b[0-9a-f]{32}\b"));
static RUN_ID: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:mlflow|tracking|experiment)?[ -]*run(?:[ _-]?id)?(?: is| was)?\s*[:=(]*\s*([0-9a-z]*[0-9][0-9a-z]{4,})\b",
    )
});
static MLFLOW: LazyLock<Regex> = LazyLock::new(|| pattern(r"\bmlflow\b|\brun[ _-]id\b|\btracking\b"));
static WANDB: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"\b(?:wandb|w&b|weights (?:&|and) biases)\b.{0,40}?\brun\b[^a-z0-9]{0,6}([a-z0-9]{8})\b")
});
static UUID: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"));
static COMMIT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"\b(?:commit(?:ted|s)?|commit hash|sha|revision|rev|head)\b[^.;]{0,30}?\b([0-9a-f]{7,40})\b")
});
/// A word of letters and digits that git would print for a commit.
static HASH: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b(?:[0-9a-f]{40}|[0-9a-f]{7,12})\b"));
/// Other things have such names too.
static OTHER_HEX: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:adler-?32|crc-?\d*|etag|fingerprint|sha-?256|sha-?1|md5|digest|checksum|colou?r|container|docker|uuid|guid|token|hex|trace|request|session|order|ticket|run[ _-]id|mlflow|wandb)\b",
    )
});
static IS_COMMIT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:commit(?:ted)?|sha|revision|rev|head)(?: (?:hash|sha|id|is|was|now|at|as|in|to|still|on|currently)\b|[:=(,])*[^a-z0-9]{0,3}$",
    )
});
static RAN_AT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:ran|run|tested|results?|measured|evaluated|verified|built|trained|based on|numbers|benchmark\w*|head is|head:|reproduced|executed)\b",
    )
});
static SEED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:seed(?:ed|s|ing)?|random[ _]state)\b(?:\s*(?:is|was|of|to|with|value|at|set|fixed|used|:|=|\(|the))*\s*(-?\d+)\b",
    )
});
/// `seeds 0, 1, 2 and 3`
static SEEDS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"\bseeds\b[^a-z0-9;.]{0,3}(?:of |were |are )?\d+(?:, ?(?:and )?\d+| (?:and|&) \d+)+\b")
});
static NUMBER: LazyLock<Regex> = LazyLock::new(|| pattern(r"\d+"));

/// What device something ran on. It is not judged.
static DEVICE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"\b(?:ran|run|runs|running|trained|training|executed|evaluated|used|uses|using|inference|device|computed|benchmarked|measured|tested|taken|fit|fitted|done|performed|trains|tuned|finetuned|fine-tuned|optimi[sz]ed)\b",
        r"[^.;]{0,40}?\b(?:on|device|with|using|uses|used|is|was|:)[ :]+(?:the |an? |one |single |our |my )*",
        r"((?:nvidia |geforce |tesla |amd |apple )?(?:gpu|cuda(?::\d+)?|cpu|mps|tpu|rocm|[ahvltb]\d{1,3}0{0,2}\b|rtx ?\d{4}(?: ti)?|gtx ?\d{4}|m[1-4](?: pro| max)?)(?: gpu| cpu)?)\b",
    ))
});

/// An anchor in the text binds every claim of its sentence.
pub(super) fn anchors(sentence: &mut Sentence, found: &mut Found) {
    // Looked for in the text: an anchor often stands between backticks.
    let lower: Vec<u8> = sentence.text.bytes().map(|byte| byte.to_ascii_lowercase()).collect();
    for place in ANCHOR.find_iter(&lower) {
        let text = sentence.part(place.range()).trim_end_matches(['.', ':']).to_owned();
        if text.parse::<Anchor>().is_ok() {
            found.anchor.get_or_insert(text);
        }
        sentence.hide(place.range());
    }
}

/// Runs of tracking systems, and of ours.
pub(super) fn run_ids(sentence: &mut Sentence, found: &mut Found) {
    let mask = sentence.mask.clone();
    let is_tracked = MLFLOW.is_match(&mask) || sentence.under.contains("mlflow");
    let mut take = |range: std::ops::Range<usize>, system: &str, found: &mut Found| {
        let (system, id) = (system.to_owned(), sentence.part(range.clone()).to_owned());
        found.add(range.start, Said::RunId { system, id });
        sentence.hide(range);
    };
    if let Some(place) = WANDB.captures(&mask).and_then(|found| found.get(1)) {
        return take(place.range(), "wandb", found);
    }
    for place in UUID.find_iter(&mask) {
        take(place.range(), "actum", found);
    }
    if !is_tracked {
        return;
    }
    let mut any = false;
    for place in HEX32.find_iter(&mask) {
        any = true;
        take(place.range(), "mlflow", found);
    }
    // What is called a run's id and has no such form is still claimed.
    if let Some(place) = RUN_ID.captures(&mask).and_then(|found| found.get(1)).filter(|_| !any) {
        take(place.range(), "mlflow", found);
    }
}

pub(super) fn commits(sentence: &mut Sentence, found: &mut Found) {
    let mask = sentence.mask.clone();
    let named = COMMIT.captures_iter(&mask).filter_map(|found| found.get(1));
    // Some hashes have no letter: between backticks, behind the word, such a number is one.
    let is_code = |place: &regex::bytes::Match<'_>| {
        sentence.code.contains(&place.range()) && IS_COMMIT.is_match(&mask[..place.start()])
    };
    let places: Vec<regex::bytes::Match<'_>> =
        named.filter(|place| is_hash(place.as_bytes()) || is_code(place)).collect();
    let mut places = places;
    if !OTHER_HEX.is_match(&mask) {
        let is_new = |place: &regex::bytes::Match<'_>| {
            is_hash(place.as_bytes())
                && stands_alone(&mask, place.range())
                && !mask[..place.start()].ends_with(b"#")
        };
        for place in HASH.find_iter(&mask).filter(is_new) {
            if !places.iter().any(|one| one.start() == place.start()) {
                places.push(place);
            }
        }
    }
    for place in &places {
        let ran_at = RAN_AT.is_match(&mask[..place.start()]);
        let hash = String::from_utf8_lossy(place.as_bytes()).into_owned();
        found.add(place.start(), Said::Commit { hash, ran_at });
        sentence.hide(place.range());
    }
}

/// Neither a part of a path nor of a longer name.
fn stands_alone(mask: &[u8], range: std::ops::Range<usize>) -> bool {
    let joins = |byte: Option<&u8>| byte.is_some_and(|byte| b"-_/@=".contains(byte));
    !joins(range.start.checked_sub(1).and_then(|before| mask.get(before))) && !joins(mask.get(range.end))
}

/// Digits and letters both: a word of the letters a to f, or a number, is no hash.
fn is_hash(text: &[u8]) -> bool {
    text.iter().any(u8::is_ascii_digit) && text.iter().any(u8::is_ascii_alphabetic)
}

pub(super) fn seeds(sentence: &mut Sentence, found: &mut Found) {
    let mask = sentence.mask.clone();
    let listed = SEEDS.find(&mask).map(|list| list.range());
    let numbers = |range: std::ops::Range<usize>| {
        NUMBER
            .find_iter(&mask[range.clone()])
            .map(move |place| (range.start + place.start(), place.as_bytes()))
    };
    for (start, text) in listed.into_iter().flat_map(numbers) {
        if let Some(value) = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok()) {
            found.add(start, Said::Seed { value });
            sentence.hide(start..start + text.len());
        }
    }
    let mask = sentence.mask.clone();
    for place in SEED.captures_iter(&mask).filter_map(|found| found.get(1)) {
        let value = std::str::from_utf8(place.as_bytes()).ok().and_then(|text| text.parse().ok());
        if let Some(value) = value {
            found.add(place.start(), Said::Seed { value });
            sentence.hide(place.range());
        }
    }
}

pub(super) fn devices(sentence: &mut Sentence, found: &mut Found) {
    let place = DEVICE.captures(&sentence.mask).and_then(|found| found.get(1)).map(|place| place.range());
    let Some(range) = place else { return };
    let name = sentence.part(range.clone()).trim().to_owned();
    if found.add(range.start, Said::Device { name }) {
        sentence.hide(range);
    }
}
