//! Files: that they are there, were written, have a digest, a size, so many rows.

use super::found::Found;
use crate::sentence::Sentence;
use crate::stance::{self, pattern};
use crate::tokens::{Token, tokens};
use crate::vocabulary::VOCABULARY;
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
        let behind = &mask[range.end..];
        if let Some(fact) =
            about.fact().or_else(|| listed(sentence, range)).filter(|_| !is_actor(&path, behind))
        {
            found.add(range.start, Said::File { path: path.clone(), fact });
        }
        size_behind(sentence, found, range, &path);
        if places.len() == 1 {
            figures(sentence, found, range, &path);
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
    let text = String::from_utf8_lossy(after);
    let text = text.trim_start_matches(['`', ' ', '*']);
    let words: Vec<&str> = text.split_whitespace().take(3).collect();
    let did = |at: usize| words.get(at).is_some_and(|word| VOCABULARY.producing.contains(word));
    let is_plain = |word: &&str| {
        word.bytes().all(|byte| byte.is_ascii_lowercase()) && !VOCABULARY.auxiliary.contains(word)
    };
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

/// `a.json, 12 kB`, `a.json (12 kB)`, `a.json is 12 kB`: the size right behind a file.
fn size_behind(sentence: &mut Sentence, found: &mut Found, path: &Range<usize>, name: &str) {
    let all = tokens(sentence);
    let is_between = |token: &&Token| {
        [b'(', b',', b':', b'`'].iter().any(|mark| token.is_mark(*mark))
            || ["is", "has", "weighs", "now", "about", "file", "a", "size", "of"]
                .iter()
                .any(|word| token.is(word))
    };
    let mut behind = all.iter().filter(|token| token.start >= path.end).skip_while(is_between);
    let Some(token) = behind.next() else { return };
    let Some(size) = token.number().filter(|one| matches!(one.unit, Unit::Size(_))) else { return };
    // `4 kB gzipped` and `4 kB -> 1 kB` are other sizes than the file's own.
    let is_other = |next: &Token| {
        [b'-', b'=', b'>'].iter().any(|mark| next.is_mark(*mark))
            || next.word().is_some_and(|word| !["and", "with", "now"].contains(&word))
    };
    if behind.next().is_some_and(is_other) {
        return;
    }
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
    for (at, token) in tokens.iter().enumerate() {
        let Some(number) = token.number() else { continue };
        let is_path = token.start >= path.start && token.end <= path.end;
        let said = match (number.unit, tokens.get(at + 1).and_then(Token::word)) {
            _ if is_path => None,
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
    words
        .iter()
        .find(|word| VOCABULARY.rows.contains(word) && **word != "data")
        .map(|word| (*word).to_owned())
}
