//! One test by its name: what stands between backticks or quotes, or is written like a test, and what became of it.

use super::found::{Found, looks_like_command};
use crate::sentence::{HIDDEN, Sentence};
use crate::stance::pattern;
use actum_model::{Said, TestOutcome};
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
            // Where it stands: `in tests/test_a.py`, which may be hidden by now.
            r"(?:(?:in|from|of|inside|within|under)[^a-z0-9\x01]{{1,3}}(?:\x01+|[\w./-]+[./][\w./-]*\w)[^a-z0-9\x01]{{1,4}})?",
            r"(?:{between}[^a-z0-9]{{1,4}}){{0,10}}{outcome}\b",
        ),
        between = BETWEEN,
        outcome = OUTCOME
    ))
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
        // `3 cases of `test_a`` counts tests that bear a name.
        if NUMBER.is_match(&mask[..group[0].range.start]) {
            taken.push(group[0].range.start..end.max(group[group.len() - 1].range.end));
            continue;
        }
        for name in group {
            let said = Said::Test { name: name.text.clone(), outcome };
            if found.add(name.range.start, said) {
                taken.push(name.range.start..end.max(name.range.end));
            }
        }
    }
    taken.into_iter().for_each(|range| sentence.hide(range));
}

/// What became of the tests of a group, and where that is said.
fn outcome(sentence: &Sentence, mask: &[u8], group: &[Name]) -> Option<(TestOutcome, usize)> {
    let (first, last) = (group.first()?, group.last()?);
    let rest = &mask[last.range.end..];
    if let Some(word) = BEHIND.captures(rest).and_then(|found| found.get(1))
        && (group.iter().all(|name| name.is_sure)
            || ENDS.is_match(&rest[word.end()..]) && word.as_bytes() != b"ok")
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
    // What is quoted is often somebody's words: only a name that is written like a test's is one.
    let aside = || ASIDE.captures(&mask[..first.range.start]).and_then(|found| found.get(1));
    let is_sure = group.iter().all(|name| name.is_sure);
    label.or_else(|| aside().filter(|_| is_sure)).map(|word| (read(word.as_bytes()), last.range.end))
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
