//! One test by its name: what stands between backticks or quotes, or is written like a test, and what became of it.

use super::found::{Found, details, looks_like_command};
use crate::sentence::{HIDDEN, Sentence};
use crate::stance::pattern;
use actum_model::{Said, TestCounts, TestOutcome, TestsVerdict};
use regex::bytes::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// A name as programs write it, in prose.
static WRITTEN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:[\w./-]+::)*\btest_\w+(?:\[[^\]\s]{1,60}\])?|[\w./-]+::[\w:]+(?:\[[^\]\s]{1,60}\])?|\btest[a-z0-9_]{3,}",
    )
});

const OUTCOME: &str = r"(pass|passes|passed|passing|green|succeeds?|succeeded|ok|okay|fails?|failed|failing|red|broken|skipped|skips|ignored|xfail|xfails|xfailed|expected[- ]fail(?:ure|ures|ed)?|expected to fail)";

/// Words between a name and what became of it: they say when, how, or that it is a test.
const BETWEEN: &str = r"(?:now|still|also|is|are|was|were|has|have|been|both|all|each|again|currently|consistently|successfully|cleanly|comes?|came|back|out|up|got|gets|ended|ends|counts?|counted|as|an?|the|unit|test|tests|case|cases|spec|specs|variants?|which|it|that|they|and|in|on|its|their|own|alone|isolation|by|itself|separately|ran|run|runs|then|this|time|finally|reported|shown|marked|listed|being|either|one|ones|only|went|goes|turned|turns|became|becomes|remains?|remained|stays?|stayed|kept|keeps|holds?|held|looks|reports|shows|finish(?:es|ed)|completes?|completed|does|did|do|continues?|to|be|happily|indeed|already|eventually|just|fully|reliably|really|actually|sole|single|last|remaining|fine|well|good|through|works?|worked|without|any|trouble|problems?|issues?|there|\d+)";

static BEHIND: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        concat!(
            r"^(?:\(\))?[^a-z0-9]{{0,6}}(?:\([^()]{{1,60}}\)[^a-z0-9]{{0,3}})?",
            // What it was before is told, and what it is now is claimed.
            r"(?:(?:was|were|used to be|had been) (?:red|failing|broken|green|passing)\b[^;.]{{0,50}}?(?:and|but) )?",
            // Where it stands: `in tests/test_a.py`, which may be hidden by now.
            r"(?:(?:in|from|of|inside|within|under)[^a-z0-9\x01]{{1,3}}(?:\x01+|[\w./-]+[./][\w./-]*\w)[^a-z0-9\x01]{{1,4}})?",
            r"(?:{between}[^a-z0-9]{{1,4}}){{0,10}}{outcome}\b",
        ),
        between = BETWEEN,
        outcome = OUTCOME
    ))
});
static EARLIER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^ (?:before\b(?: [a-z]+ing)?|earlier|previously|at first|initially|originally|in the first|on the first|last time)",
    )
});
/// ``the `fills gaps` test``
static IS_TEST: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^[^a-z0-9]{0,3}(?:unit )?(?:tests?|cases?|specs?)\b"));
static NOW: LazyLock<Regex> = LazyLock::new(|| pattern(&format!(r"^[^.]{{0,60}}?[ ,]{OUTCOME}\b")));
/// Behind a name that only a test has, other words may stand, but for those that say what the test is about.
static FURTHER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(r"^(?:\(\))?[^a-z0-9]{{0,6}}((?:[a-z'-]+[ ,:;]{{1,2}}){{1,8}}?){OUTCOME}\b"))
});
static ABOUT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:checks?|verif(?:y|ies)|covers?|asserts?|expects?|tests?|ensures?|uses?|simulates?|reproduces?|exercises?|proves?|documents?|describes?|mocks?|for|where|when|if|unless|until|while|because|since|after|before|so|whether|how|what|why|who|to|of|all|every|others?|rest|but|that|which|suite|everything|now|not|no|never|instead)\b|n't\b",
    )
});
/// `failing: a, b`, `one failure: a`, `the skipped test is a`.
static BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"\b(fail(?:s|ing|ed|ures?)?|skipped|skips|ignored|pass(?:es|ing|ed)?|xfail(?:s|ed|ures?)?|red|expected[- ]failures?)\b",
        r"(?:[^.;:]{0,45}:| (?:tests?|cases?|specs?|one|ones)(?: (?:is|are|was|were|here is|left is))?| (?:is|are|was|were)) *[^a-z0-9\x01]*$|\b(skipped|skips|ignores?|ignored|xfailed)(?: the| test| tests| case| cases)* *[^a-z0-9\x01]*$",
    ))
});
/// `1 failed (`, and then a name.
static ASIDE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"\b\d+ +(?:tests? )?(fail(?:s|ing|ed|ures?)?|skipped|ignored|xfail(?:s|ed)?) *\([^a-z0-9\x01]*$")
});
/// What may follow where the name alone does not show a test: `passes the request on` says something else.
static ENDS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?: *$| *[.,;:!()\x01-]| +(?:because|due|since|as|with|when|now|too|again|on|in|after|for|here|and|but|while|this|locally|under|consistently|reliably|already|every|at|by)\b)",
    )
});
static JOINS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^[^a-z0-9\x01]*(?:and|or|plus|as well as|, and)?[^a-z0-9\x01]*$"));
static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(\d+) +(?:(?:of the|the|parametri[sz]ed|different|variants?|cases|versions|parameters|parameter sets|instances|forms|of|for) +)*[^a-z0-9]*$",
    )
});

/// One name.
struct Name {
    range: Range<usize>,
    text: String,
    /// It is written the way tests are.
    is_sure: bool,
}

pub(super) fn single(sentence: &mut Sentence, found: &mut Found) {
    let names = names(sentence);
    let mask = sentence.mask.clone();
    let mut at = 0;
    let mut taken: Vec<Range<usize>> = Vec::new();
    while at < names.len() {
        let mut last = at;
        while last + 1 < names.len()
            && JOINS.is_match(&mask[names[last].range.end..names[last + 1].range.start])
        {
            last += 1;
        }
        let group = &names[at..=last];
        at = last + 1;
        let Some((outcome, end)) = outcome(sentence, &mask, group) else { continue };
        let number = NUMBER.captures(&mask[..group[0].range.start]).and_then(|found| found.get(1));
        if let (Some(number), [only]) = (number, group) {
            let total = std::str::from_utf8(number.as_bytes()).ok().and_then(|text| text.parse().ok());
            let verdict = match outcome {
                TestOutcome::Passed => TestsVerdict::AllPass,
                TestOutcome::Failed => TestsVerdict::Fail,
                TestOutcome::Skipped | TestOutcome::ExpectedFailure => TestsVerdict::Unsaid,
            };
            let which = Some(only.text.clone());
            let counts = TestCounts { total, verdict, which, ..TestCounts::default() };
            if found.add(number.start(), Said::Tests(counts)) {
                taken.push(number.start()..end.max(only.range.end));
            }
            continue;
        }
        // `1 failed (a name)`: perhaps a test, perhaps why.
        let is_aside = ASIDE.is_match(&mask[..group[0].range.start]);
        for name in group {
            let said = Said::Test { name: name.text.clone(), outcome };
            let is_added = match outcome {
                _ if is_aside && !name.is_sure => found.perhaps(name.range.start, said),
                TestOutcome::Failed => found.add_failure(name.range.start, end, said),
                TestOutcome::Passed | TestOutcome::Skipped | TestOutcome::ExpectedFailure => {
                    found.add(name.range.start, said)
                }
            };
            if is_added {
                let how = details(&mask, end).filter(|_| outcome == TestOutcome::Failed);
                taken.push(name.range.start..end.max(name.range.end));
                taken.extend(how);
            }
        }
    }
    taken.into_iter().for_each(|range| sentence.hide(range));
    if names.is_empty() {
        ticked(sentence, found);
        labelled(sentence, found);
    }
}

/// What became of the tests of a group, and where that is said.
fn outcome(sentence: &Sentence, mask: &[u8], group: &[Name]) -> Option<(TestOutcome, usize)> {
    let (first, last) = (group.first()?, group.last()?);
    let rest = &mask[last.range.end..];
    if let Some(word) = BEHIND.captures(rest).and_then(|found| found.get(1))
        && (group.iter().all(|name| name.is_sure)
            || ENDS.is_match(&rest[word.end()..]) && word.as_bytes() != b"ok"
            || EARLIER.is_match(&rest[word.end()..]) && IS_TEST.is_match(&rest[..word.start()]))
    {
        let behind = &rest[word.end()..];
        if !EARLIER.is_match(behind) {
            return Some((read(word.as_bytes()), last.range.end + word.end()));
        }
        // `failed before, passes now`
        let now = NOW.captures(behind).and_then(|found| found.get(1))?;
        return Some((read(now.as_bytes()), last.range.end + word.end() + now.end()));
    }
    if group.iter().all(|name| name.is_sure)
        && let Some(captures) = FURTHER.captures(rest)
        && let (Some(between), Some(word)) = (captures.get(1), captures.get(2))
        && !ABOUT.is_match(between.as_bytes())
    {
        return Some((read(word.as_bytes()), last.range.end + word.end()));
    }
    let before = sentence.part(0..first.range.start).trim_end_matches([' ', '`', '*', '"']);
    if let Some(outcome) = before.chars().next_back().and_then(tick).filter(|_| before.chars().count() <= 3) {
        return Some((outcome, last.range.end));
    }
    // `test_a ✅`
    let behind = sentence.part(last.range.end..sentence.text.len());
    let behind = behind.trim_start_matches([' ', '`', '*', '"', ':', '-', '>', '(', '=', '|']);
    if let Some(outcome) = behind.chars().next().and_then(tick) {
        return Some((outcome, last.range.end));
    }
    let label = BEFORE.captures(&mask[..first.range.start]).and_then(|found| found.get(1).or(found.get(2)));
    // What is quoted is often somebody's words: only tests are.
    let aside = || ASIDE.captures(&mask[..first.range.start]).and_then(|found| found.get(1));
    label.or_else(aside).map(|word| (read(word.as_bytes()), last.range.end))
}

/// Names in a sentence, in order.
fn names(sentence: &Sentence) -> Vec<Name> {
    let mut names: Vec<Name> = Vec::new();
    for code in &sentence.code {
        let text = sentence.part(code.clone()).trim().trim_end_matches("()");
        let is_word = text.len() > 2 && text.len() <= 120 && text.starts_with(|c: char| c.is_alphanumeric());
        let is_sure = is_test_name(text);
        let is_other = !is_sure && (looks_like_command(text) || is_value(text)) || is_file(text);
        if is_word && !is_other {
            names.push(Name { range: code.clone(), text: text.to_owned(), is_sure });
        }
    }
    for range in quoted(sentence) {
        let text = sentence.part(range.clone()).to_owned();
        names.push(Name { range, text, is_sure: false });
    }
    for place in WRITTEN.find_iter(&sentence.mask) {
        let text = sentence.part(place.range()).to_owned();
        let is_free = !sentence.code.iter().any(|code| code.start < place.end() && place.start() < code.end);
        if is_free && is_test_name(&text) {
            names.push(Name { range: place.range(), text, is_sure: true });
        }
    }
    names.sort_by_key(|name| name.range.start);
    // A name within quotes within a name is one.
    let mut end = 0;
    names.retain(|name| {
        let is_free = name.range.start >= end;
        end = if is_free { name.range.end } else { end };
        is_free
    });
    names
}

/// What stands between double quotes and was hidden as such.
fn quoted(sentence: &Sentence) -> Vec<Range<usize>> {
    let marks: Vec<usize> = sentence.text.match_indices('"').map(|(at, _)| at).collect();
    let pairs = marks.chunks_exact(2).map(|pair| pair[0] + 1..pair[1]);
    pairs
        .filter(|range| range.len() > 4 && range.len() <= 100)
        .filter(|range| sentence.part(range.clone()).contains(' '))
        .filter(|range| {
            let part = &sentence.mask[range.clone()];
            part.iter().all(|byte| *byte == HIDDEN) || !part.contains(&HIDDEN)
        })
        .collect()
}

/// A file is no test, nor is a word that only begins like one.
fn is_test_name(name: &str) -> bool {
    let is_camel = |name: &str| {
        name.strip_prefix("Test")
            .or(name.strip_prefix("test"))
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
    };
    let last = name.rsplit(['.', ':']).next().unwrap_or(name);
    !is_file(name)
        && !name.contains(' ')
        && (last.starts_with("test_") || name.contains("::") || is_camel(last) || is_camel(name))
}

fn is_file(name: &str) -> bool {
    const ENDINGS: &[&str] = &[
        ".py", ".js", ".ts", ".rs", ".go", ".rb", ".sh", ".json", ".csv", ".txt", ".toml", ".yaml", ".yml",
        ".md", ".c", ".h", ".log", ".ipynb", ".tsx", ".jsx", ".mjs", ".html", ".lock", ".cfg", ".xml",
    ];
    ENDINGS.iter().any(|ending| name.ends_with(ending)) || name.ends_with('/')
}

/// Values, versions, switches and tools are no names of tests.
fn is_value(text: &str) -> bool {
    const TOOLS: &[&str] = &[
        "main", "master", "HEAD", "true", "false", "None", "null", "OK", "ok", "PASS", "FAIL", "lint",
        "build", "test", "tests", "check", "ci", "release", "debug", "dev",
    ];
    text.contains(['=', '{', '<', '>', '$', '|', '&', '@'])
        || text.contains('(')
        || TOOLS.contains(&text)
        || text.contains('/') && !text.contains("::")
        || !text.contains(|c: char| c.is_alphabetic())
        || !actum_commands::command::checks(text).is_empty()
        || actum_commands::command::runs_tests(text)
}

/// `✔ rejects lower case`: a point of a list that may be a test; whether it is one, the evidence tells.
fn ticked(sentence: &Sentence, found: &mut Found) {
    let Some(outcome) = sentence.text.chars().next().and_then(tick) else { return };
    let start = sentence.text.chars().next().map_or(0, char::len_utf8);
    let rest = sentence.text[start..].trim().trim_end_matches('.');
    let words = rest.split(' ').count();
    let first = rest.split(' ').next().unwrap_or_default();
    let is_other = rest.contains([':', '=', '|'])
        || first.ends_with("ed")
        || first.starts_with(|c: char| c.is_ascii_digit())
        || !sentence.code.is_empty()
        || !(2..=12).contains(&words)
        || rest.to_lowercase().contains("test")
        || rest.to_lowercase().contains("pass");
    if !is_other {
        found.perhaps(start, Said::Test { name: rest.to_owned(), outcome });
    }
}

/// `merges equal skus: passed`, as a row of a table reads: a test where the evidence knows one of this name.
fn labelled(sentence: &Sentence, found: &mut Found) {
    static LABELLED: LazyLock<Regex> = LazyLock::new(|| {
        pattern(&format!(
            r"^[^a-z0-9]*([a-z][^:|]{{3,90}}?)(?: (?:status|outcome|result))? *: *{OUTCOME}\W*$"
        ))
    });
    let Some(captures) = LABELLED.captures(&sentence.mask) else { return };
    let (Some(name), Some(word)) = (captures.get(1), captures.get(2)) else { return };
    let text = sentence.part(name.range()).trim().to_owned();
    if text.contains([' ', '_']) && !looks_like_command(&text) && !is_value(&text) {
        found.perhaps(name.start(), Said::Test { name: text, outcome: read(word.as_bytes()) });
    }
}

fn tick(character: char) -> Option<TestOutcome> {
    match character {
        '✅' | '✔' | '✓' | '☑' | '🟢' => Some(TestOutcome::Passed),
        '❌' | '✗' | '✘' | '✖' | '🔴' => Some(TestOutcome::Failed),
        '⏭' | '○' => Some(TestOutcome::Skipped),
        _ => None,
    }
}

fn read(word: &[u8]) -> TestOutcome {
    match word {
        word if word.starts_with(b"xfail") || word.starts_with(b"expected") => TestOutcome::ExpectedFailure,
        word if word.starts_with(b"skip") || word.starts_with(b"ignore") => TestOutcome::Skipped,
        word if word.starts_with(b"fail") || word == b"red" || word == b"broken" => TestOutcome::Failed,
        _ => TestOutcome::Passed,
    }
}
