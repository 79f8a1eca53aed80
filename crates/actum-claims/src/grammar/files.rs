//! Files: that they are there, were written, have a digest, a size, so many rows.

use super::found::Found;
use crate::sentence::Sentence;
use crate::stance::{self, pattern};
use crate::tokens::{Token, tokens};
use actum_model::{FileClaim, Said, Unit};
use regex::bytes::Regex;
use std::ops::Range;
use std::sync::LazyLock;

static PATH: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?:\.{0,2}/)?(?:[\w.*-]+/)*[\w.-]+\.(?:py|js|ts|tsx|jsx|mjs|rs|go|java|c|cc|cpp|h|hpp|rb|php|md|txt|csv|tsv|json|jsonl|ndjson|yaml|yml|toml|ini|cfg|",
        r"html|css|png|jpg|jpeg|gif|svg|pdf|pkl|pickle|pt|pth|ckpt|onnx|npy|npz|parquet|feather|h5|hdf5|db|sqlite|sqlite3|log|xml|ipynb|sh|sql|zip|gz|tar|whl|lock|",
        r"safetensors|joblib|bin|arrow|out|xlsx|docx|pb|tflite|rst|env|dat|model)\b",
    ))
});
static FOLDERED: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?:\.{0,2}/)?(?:[\w.-]+/)+[\w.-]*"));
static WRITTEN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:wrote|written|writes|saved|saves|exported|exports|dumped|stored|outputs?|outputted|generated|generates|produced|produces|persisted|serialized|logged|emitted|plotted|rendered|results? (?:are|is) in|available (?:at|in)|checkpoint(?:ed)?|(?:graph|plot|chart|report|log|table|summary|figure|weights|model|output|profile|trace|dump|diagram|image|screenshot|findings|details|data|numbers|metrics|predictions|page|index)s? (?:is|are|sits?|lives?|went|goes|lands?|landed) (?:in|at|under|to|as))\b",
    )
});
static CREATED: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b(?:created|creates)\b"));
static MODIFIED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:modified|added an? [a-z ]{2,30}[,:(]|updated|edited|changed|patched|rewrote|overwrote|overwritten|appended)\b",
    )
});
static DELETED: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b(?:deleted|removed)\b"));
static EXISTS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"\b(?:exists|exist|is present|is there|is in place|was found|contains|has|holds|is)\b")
});
static SHA: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"\b(?:sha-?256|digest|checksum|hash)?[^a-z0-9]{0,4}\b([0-9a-f]{64}|[0-9a-f]{12,63})\b")
});
static NAMES_SHA: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b(?:sha-?256|digest|checksum)\b"));
static ACTIVE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b(?:wrote|writes|saves|exports|generates|produces|creates|outputs)\b"));
static FROM: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"\b(?:from|in|of|see|by|via|per|with|inside|reads?|loaded|using|under|for)\s*$")
});
static INTO: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b(?:to|in|into|as|at|under|:)\s*$"));

static THERE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^\W*(?:now |also |already |both |all )?(?:exists|exist|is present|is there|is in place|(?:was|were|got|is) (?:built|created|compiled|produced|generated))\b",
    )
});
/// Words that make a name a file.
static BINARY: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"\b(?:binar(?:y|ies)|executables?|files?|artifacts?|folders?|director(?:y|ies)|archives?)\b")
});
static BUILT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:built|compiled|produced|produces|generated|generates|created|written|linked|leaves?|left|yields?)\b",
    )
});

/// `a.json: 348 records read`: whose numbers these are, and not what became of it.
static LABELS: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[^a-z0-9]{0,3}: *[^a-z0-9:]{0,3}\d"));

const ROWS: &[&str] = &[
    "rows",
    "row",
    "records",
    "record",
    "lines",
    "line",
    "entries",
    "entry",
    "items",
    "samples",
    "examples",
    "objects",
    "documents",
    "data",
    "predictions",
    "columns",
];

/// Sizes that a file has beside its own.
const OTHER_SIZES: &[&str] = &[
    "gzip",
    "gzipped",
    "gz",
    "brotli",
    "zstd",
    "zipped",
    "compressed",
    "uncompressed",
    "limit",
    "budget",
    "memory",
    "mem",
    "heap",
    "ram",
    "peak",
];

/// Words between a file and its size.
const BEING: &[&str] = &[
    "is",
    "was",
    "are",
    "weighs",
    "weighed",
    "in",
    "at",
    "now",
    "has",
    "measures",
    "comes",
    "came",
    "out",
    "stands",
    "of",
    "size",
    "a",
    "file",
    "just",
    "only",
    "about",
    "roughly",
    "around",
    "approximately",
    "to",
    "with",
    "takes",
    "up",
    "occupies",
    "still",
    "currently",
    "totals",
    "the",
    "on",
    "disk",
    "and",
    "down",
    "went",
    "shrank",
    "grew",
    "dropped",
    "fell",
    "reduced",
    "nearly",
    "almost",
    "under",
    "over",
];

pub(super) fn files(sentence: &mut Sentence, found: &mut Found) {
    let places = places(sentence);
    if places.is_empty() {
        return;
    }
    let mask = sentence.mask.clone();
    for range in &places {
        let path = sentence.part(range.clone()).trim_start_matches("./").to_owned();
        let clause = stance::clause(&mask, range.start);
        let (before, after) =
            (&mask[clause.start.min(range.start)..range.start], &mask[range.end..clause.end.max(range.end)]);
        let about = About { before, after, only: places.len() == 1 };
        let fact = about.fact().or_else(|| listed(sentence, range));
        let behind = &mask[range.end..];
        if let Some(fact) = fact.filter(|_| !is_actor(&path, behind) && !LABELS.is_match(behind)) {
            found.add(range.start, Said::File { path: path.clone(), fact });
        }
        if places.len() == 1 {
            figures(sentence, found, range, &path);
        } else {
            size_behind(sentence, found, range, &path);
        }
    }
    for range in places {
        sentence.hide(range);
    }
}

/// `Two plots were saved:` above a list: a point of it that begins with a path says so of that file.
fn listed(sentence: &Sentence, path: &Range<usize>) -> Option<FileClaim> {
    let is_first = !sentence.mask[..path.start].iter().any(u8::is_ascii_alphanumeric);
    let after = sentence.mask[path.end..].trim_ascii();
    let is_alone = after.first().is_none_or(|mark| b"(-:,;.".contains(mark));
    let intro = sentence.under.rsplit(". ").next().filter(|intro| intro.ends_with(':'))?;
    let told = Sentence::plain(intro, sentence.line, "");
    if !is_first || !is_alone || !stance::is_firm(&told, told.mask.len().saturating_sub(1)) {
        return None;
    }
    match () {
        () if CREATED.is_match(&told.mask) => Some(FileClaim::Created),
        () if WRITTEN.is_match(&told.mask) => Some(FileClaim::Written),
        () => None,
    }
}

/// `gen.py saved 3 plots`, `the a.csv import produced 12 rows`: who did something is not what came of it.
fn is_actor(path: &str, after: &[u8]) -> bool {
    const DID: [&str; 16] = [
        "saved",
        "saves",
        "wrote",
        "writes",
        "created",
        "creates",
        "generated",
        "generates",
        "produced",
        "produces",
        "exported",
        "exports",
        "updated",
        "deleted",
        "removed",
        "emitted",
    ];
    const STATE: [&str; 16] = [
        "was",
        "were",
        "is",
        "are",
        "be",
        "been",
        "got",
        "gets",
        "has",
        "have",
        "had",
        "now",
        "also",
        "and",
        "successfully",
        "just",
    ];
    let text = String::from_utf8_lossy(after);
    let text = text.trim_start_matches(['`', ' ', '*']);
    let words: Vec<&str> = text.split_whitespace().take(3).collect();
    let did = |at: usize| words.get(at).is_some_and(|word| DID.contains(word));
    let is_plain = |word: &&str| word.bytes().all(|byte| byte.is_ascii_lowercase()) && !STATE.contains(word);
    let is_of_it = words.first().is_some_and(is_plain) && !did(0) && did(1);
    let goes_on = words
        .get(1)
        .is_some_and(|word| !["in", "with", "for", "from", "to", "by", "and", "as"].contains(word));
    // `score.py rates the saved weights`
    let acts = words.first().is_some_and(is_plain) && !did(0) || did(0) && goes_on;
    is_of_it || is_program(path) && acts
}

fn is_program(path: &str) -> bool {
    let ending = path.rsplit('.').next().unwrap_or_default();
    ["py", "sh", "js", "ts", "rb", "pl", "ipynb", "mjs"].contains(&ending)
}

/// Paths that stand in a sentence: in prose, or alone between backticks.
fn places(sentence: &Sentence) -> Vec<Range<usize>> {
    let mut places: Vec<Range<usize>> = PATH.find_iter(&sentence.mask).map(|place| place.range()).collect();
    let mask = &sentence.mask;
    for code in &sentence.code {
        let is_name =
            mask[code.clone()].iter().all(|byte| byte.is_ascii_alphanumeric() || b"_-+.".contains(byte));
        let clause = stance::clause(mask, code.start);
        let before = &mask[clause.start.min(code.start)..code.start];
        let after = &mask[code.end..clause.end.max(code.end)];
        // A program that was built has no ending; its sentence says that it is a file, or that it exists.
        let is_told = BINARY.is_match(before)
            && (CREATED.is_match(after) || BUILT.is_match(after) || BUILT.is_match(before))
            || THERE.is_match(after) && before.iter().filter(|byte| byte.is_ascii_alphabetic()).count() < 24;
        if is_name
            && code.len() > 2
            && is_told
            && !places.iter().any(|one| one.start < code.end && code.start < one.end)
        {
            places.push(code.clone());
        }
    }
    for code in &sentence.code {
        let is_path =
            FOLDERED.find(&sentence.mask[code.clone()]).is_some_and(|place| place.len() == code.len());
        if is_path && !places.iter().any(|one| one.start < code.end && code.start < one.end) {
            places.push(code.clone());
        }
    }
    let is_address = |range: &Range<usize>| {
        sentence.mask[..range.start].ends_with(b"//") || sentence.mask[..range.start].ends_with(b"www.")
    };
    places.retain(|range| !is_address(range) && !sentence.mask[range.clone()].contains(&b'*'));
    places.sort_by_key(|range| range.start);
    places
}

/// The words around a path.
struct About<'a> {
    before: &'a [u8],
    after: &'a [u8],
    only: bool,
}

impl About<'_> {
    fn fact(&self) -> Option<FileClaim> {
        let before = |verb: &Regex| verb.is_match(self.before);
        // Who writes is not what was written.
        let behind = ACTIVE.replace_all(self.after, &b" "[..]);
        let after = |verb: &Regex| self.after.len() < 90 && verb.is_match(&behind) && self.starts_clause();
        let after_any = |verb: &Regex| self.after.len() < 90 && verb.is_match(self.after);
        let is_source = FROM.is_match(self.before) && !(INTO.is_match(self.before) && before(&WRITTEN));
        if is_source && !after(&EXISTS) {
            return None;
        }
        if before(&CREATED) || after(&CREATED) {
            return Some(FileClaim::Created);
        }
        if before(&WRITTEN) || after(&WRITTEN) {
            return Some(FileClaim::Written);
        }
        if before(&MODIFIED) || after(&MODIFIED) {
            return Some(FileClaim::Modified);
        }
        if before(&DELETED) || after(&DELETED) {
            return Some(FileClaim::Deleted);
        }
        let is_built = after_any(&CREATED) || after_any(&BUILT) || before(&BUILT);
        if BINARY.is_match(self.before) && is_built {
            return Some(FileClaim::Created);
        }
        (self.only && THERE.is_match(self.after)).then_some(FileClaim::Exists)
    }

    /// The path is what the sentence is about.
    fn starts_clause(&self) -> bool {
        static ARTICLE: LazyLock<Regex> = LazyLock::new(|| {
            pattern(
                r"^[^a-z0-9]*(?:[a-z ]{1,20}: *)?(?:(?:the|an?|its|our) (?:[a-z-]+ ){0,3})?(?:the |a |file |files |output |results? |plot |model |checkpoint |report |new |chart |figure |data )*(?:file |at |in |to |as )*\W*$",
            )
        });
        ARTICLE.is_match(self.before)
    }
}

/// `a.json, 12 kB`, `a.json (12 kB)`: the size right behind one of several files.
fn size_behind(sentence: &mut Sentence, found: &mut Found, path: &Range<usize>, name: &str) {
    let all = tokens(sentence);
    let mut behind = all.iter().filter(|token| token.start >= path.end);
    let is_mark = |token: &&Token| [b'(', b',', b':', b'`'].iter().any(|mark| token.is_mark(*mark));
    let Some(token) = behind.find(|token| !is_mark(token)) else { return };
    let Some(size) = token.number().filter(|one| matches!(one.unit, Unit::Size(_))) else { return };
    let range = token.start..token.end;
    let fact = FileClaim::Size(size.clone());
    if found.add(range.start, Said::File { path: name.to_owned(), fact }) {
        sentence.hide(range);
    }
}

/// Digest, size and rows that are told with a path.
fn figures(sentence: &mut Sentence, found: &mut Found, path: &Range<usize>, name: &str) {
    let mask = sentence.mask.clone();
    if NAMES_SHA.is_match(&mask)
        && let Some(place) = SHA.captures(&mask).and_then(|found| found.get(1))
    {
        let digest = String::from_utf8_lossy(place.as_bytes()).into_owned();
        found.add(place.start(), Said::File { path: name.to_owned(), fact: FileClaim::Sha256(digest) });
        sentence.hide(place.range());
    }
    let tokens = tokens(sentence);
    let own = own_size(&tokens, path, is_program(name));
    for (at, token) in tokens.iter().enumerate() {
        let Some(number) = token.number() else { continue };
        let is_path = token.start >= path.start && token.end <= path.end;
        let said = match (number.unit, tokens.get(at + 1).and_then(Token::word)) {
            _ if is_path => None,
            (Unit::Size(_), _) if own != Some(at) => None,
            (Unit::Size(_), _) => {
                Some(Said::File { path: name.to_owned(), fact: FileClaim::Size(number.clone()) })
            }
            // A program has lines; the rows are those of what it works on.
            (Unit::Plain, Some(_)) => row_noun(&tokens, at)
                .filter(|noun| !is_program(name) || noun.starts_with("line"))
                .map(|noun| Said::Count { noun, value: number.clone(), file: Some(name.to_owned()) }),
            (_, _) => None,
        };
        if let Some(said) = said {
            let range = token.start..token.end;
            found.add(range.start, said);
            sentence.hide(range);
        }
    }
}

/// The size that can be the file's: the only one, or the one that stands beside its name, and none that something went from or to.
fn own_size(tokens: &[Token], path: &Range<usize>, is_program: bool) -> Option<usize> {
    let is_outside = |token: &Token| token.end <= path.start || token.start >= path.end;
    let sizes: Vec<usize> = (0..tokens.len())
        .filter(|at| is_outside(&tokens[*at]))
        .filter(|at| tokens[*at].number().is_some_and(|one| matches!(one.unit, Unit::Size(_))))
        .filter(|at| !is_other_size(tokens, *at))
        .collect();
    // `from 4 kB to 1 kB`, `4 kB -> 1 kB`
    let is_change = |at: usize| {
        let before = at.checked_sub(1).map(|before| &tokens[before]);
        let behind = tokens.get(at + 1);
        before.is_some_and(|token| token.is("from") || token.is_mark(b'>'))
            || behind.is_some_and(|token| token.is("to") || token.is_mark(b'-') || token.is_mark(b'='))
            || before.is_some_and(|token| token.is("to")) && sizes.len() > 1
    };
    // `4 kB in, 1 kB out`, `4 kB before`
    let is_way = |at: usize| {
        let behind = tokens.get(at + 1).and_then(Token::word).unwrap_or_default();
        ["in", "out", "before", "after", "saved", "less", "more", "smaller", "larger"].contains(&behind)
            && tokens.get(at + 2).is_none_or(|token| token.word().is_none())
    };
    let first = *sizes.iter().find(|at| !is_change(**at) && !is_way(**at))?;
    let between = tokens.iter().filter(|token| token.start >= path.end && token.end <= tokens[first].start);
    let is_beside =
        tokens[first].start >= path.end && between.filter_map(Token::word).all(|word| BEING.contains(&word));
    // What a program did with so many bytes is no size of it.
    (sizes.len() == 1 && !is_program || is_beside).then_some(first)
}

/// `a.bin gzip: 48 B`, `48 B gzipped`: another size than the file's own.
fn is_other_size(tokens: &[Token], at: usize) -> bool {
    let is_other = |token: &Token| token.word().is_some_and(|word| OTHER_SIZES.contains(&word));
    let before = tokens[..at].iter().rev().take(3).take_while(|token| token.number().is_none());
    before.into_iter().any(is_other) || tokens.get(at + 1).is_some_and(is_other)
}

/// `1,000 rows`, `1,000 data rows`: what a file has so many of. `wrote 575 orders to` a file says so of whatever is written.
fn row_noun(tokens: &[Token], at: usize) -> Option<String> {
    let words: Vec<&str> = tokens[at + 1..].iter().take(3).map_while(Token::word).collect();
    let verb = at.checked_sub(1).and_then(|before| tokens[before].word()).unwrap_or_default();
    if let [noun, "to" | "into", ..] = words[..]
        && ["wrote", "exported", "saved", "dumped", "appended", "writes"].contains(&verb)
        && noun.len() > 3
        && noun.ends_with('s')
        && !["bytes", "lines", "files", "results", "metrics"].contains(&noun)
    {
        return Some(noun.to_owned());
    }
    words.iter().find(|word| ROWS.contains(word) && **word != "data").map(|word| (*word).to_owned())
}
