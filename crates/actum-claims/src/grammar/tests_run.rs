//! Tests: how many passed.

use super::found::Found;
use crate::sentence::Sentence;
use crate::stance::pattern;
use actum_model::{Said, TestCounts, TestsVerdict};
use regex::bytes::{Captures, Regex};
use std::ops::Range;
use std::sync::LazyLock;

/// Words by which a sentence is about tests, and not about a test set.
const ABOUT: &str = r"\b(?:tests|(?:no|single|one) test|every test|each test|specs|test suites?|test cases?|test runs?|unit tests?|pytest|unittest|jest|vitest|mocha|rspec|phpunit|nextest|cargo test|go test|npm test|node --test|suite|test results?|test failures?|test summary|testing|test status|regression test|doctests?|docstring (?:examples?|tests?)|make (?:test|check)|harness)\b";

static TESTY: LazyLock<Regex> = LazyLock::new(|| pattern(ABOUT));
static COUNT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"\b(\d[\d,]*) +(?:(?:unit|integration|new|existing|e2e|regression|pytest|doc|docstring|doctest|parametri[sz]ed|other|total|test|individual|backend|frontend|api|the|more|smoke|functional|",
        r"tests?|specs?|cases|checks|assertions|examples|of|them|suites?|jest|vitest|rust|python|go|have|has|had|are|were|was|all|now|that|is|successfully|still|currently|been|being|marked|as|got|came|out|back|and|both|a|an|only|each) +)*",
        r"(passed|passing|passes|pass|green|ok|successes|succeeded|succeed|fail(?:ed|s|ing)?,? (?:just |exactly )?as (?:expected|intended|marked|they (?:should|must)|it should)|expected to fail|failed|failing|fails|fail|failures?|red|broken|errors?|errored|skipped|ignored|xfailed|xfails?|expected[- ]fail(?:ures?|ed)|todos?|pending)\b",
    ))
});
static LABELLED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(passed|passing|failed|failures|skipped|ignored|xfailed|todo|errors|total(?: tests)?|tests run|tests(?: total)?|number of tests|tests executed) *[:=|]+ *(\d[\d,]*)(?:[^\d./%]|[./]\D|[.]?$)",
    )
});
static FRACTION: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:^|[^\d/.-])(\d[\d,]*) *(?:/|of|out of) *(?:the |all |its |our |these |those |their )*(\d[\d,]*)(?:[^\d/%]|$)",
    )
});
static FAILED_OF: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(\d[\d,]*) *(?:/|of|out of) *(?:the |all |its |our |these |those |their )*(\d[\d,]*) +(?:[a-z-]+ +){0,4}?(?:fail|fails|failed|failing|failures?|red|broken)\b",
    )
});
static TOTAL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"\b(?:ran|run|executed|collected|all|runs) +(?:of |the |all |our )*(\d[\d,]*) +(?:\w+ +){0,2}?(?:tests|specs|test cases|unit tests)\b",
        r"|\b(\d[\d,]*) +(?:\w+ +){0,2}?(?:tests|specs|test cases|examples)(?: +(?:were +)?(?:ran|run|executed|collected|in total|total)\b| *, *\d+ (?:failures?|failed|errors?|assertions?|passed|skipped))",
        r"|\b(\d[\d,]*) total\b",
        r"|\b(?:out of|of) (?:the |all |these |our |all the )*(\d[\d,]*) +(?:\w+ +){0,2}?(?:tests|specs|test cases)\b[^.;]{0,40}?[,:] *\d",
    ))
});
static PASS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"\b(?:tests?|specs?|suites?|test cases|pytest|jest|vitest|mocha|cargo test|go test|npm test|unittest|rspec|phpunit|doctests?)\b[^;]{0,45}?\b(?:pass|passes|passed|passing|green|succeeds?|succeeded|successful|success|ok)\b",
        r"|\b(?:pass|passes|passed|passing|green|successful) +(?:all |every |the |our |full |entire |existing |unit |of |\d+ )*(?:tests|test suite|suite|specs|test cases)\b",
        r"|\ball (?:pass|passed|passing|green)\b|\b(?:all|everything) (?:is |are |of them )?(?:pass|passed|passes|passing|green)\b|\bpassing\b",
    ))
});
static ALL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"\b(?:all|every|entire|full|whole|complete|100 ?%(?: of)?)\b[^;]{0,40}?\b(?:tests?|specs?|suites?|test cases|pass|passed|passing|green)\b",
        r"|\b(?:tests?|suite|specs|pytest)\b[^;]{0,30}?\b(?:all (?:pass|passed|passing|green|succeed)|fully (?:green|passing)|100 ?%)",
        r"|\beverything (?:passes|passed|is green)\b",
    ))
});
static FAIL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:tests?|suite|specs?|pytest)\b(?: \w+){0,4}? (?:fail|fails|failed|failing|is red|are red|broken)\b",
    )
});
static NO_FAIL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:no|zero|without(?: any)?) (?:test )?(?:failures?|failing tests?|failed tests?|tests? failed|tests? fail|failed)\b|\bnone (?:failed|fails|fail|failing)\b|\bnot (?:a single|one)(?: test| one| case)? (?:fails|failed|is failing|fail)\b|\bnothing (?:fails|failed|is failing)\b|\bno test (?:fails|is failing)\b",
    )
});
static NO_SKIP: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b(?:no|none|zero) (?:tests? )?(?:skipped|skips)\b"));
static WRITTEN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:added|adds|wrote|written|created|implemented|adding|introduced|new|includes?|contains?|covers?|extended|deleted|removed|fixed|updated)\b[^;]{0,30}?\b\d+[^;,]{0,30}?\btests?\b|\b\d+ (?:new|additional|more) (?:\w+ )?tests?\b",
    )
});
/// `Not everything is green: …` says that something is not.
static NOT_ALL: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\bnot (?:everything|all|every|each|quite all)\b[^:;,.]*"));
static SUITES: LazyLock<Regex> = LazyLock::new(|| pattern(r"\btest (?:suites|files):? *\d+[^;.]*"));
static SOME: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b(\d[\d,]*) +(?:[a-z-]+ +){0,2}?(?:tests|test cases|specs)\b"));
static KIND: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(integration|e2e|end-to-end|frontend|backend|smoke|regression|performance|ui|api|doc|acceptance|contract|snapshot|load|stress|system|functional|component|visual|mutation|fuzz|property-based|cypress|playwright|selenium|browser|security|compatibility|golden|concurrency) (?:tests?|specs|suite|test suite)\b|\b(doc)-?tests?\b|\b(doc)-?strings?\b",
    )
});
static RUNNER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(pytest|unittest|jest|vitest|mocha|rspec|phpunit|nextest|cargo test|go test|minitest|make test|make check|npm test|ctest|tox|nox)\b",
    )
});
static TEST_FILE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"[\w./-]*(?:test|spec)[\w./-]*\.(?:py|js|ts|tsx|jsx|rs|go|rb|php|java)\b"));

/// How many, and whether they pass; of each suite that a sentence names by itself.
pub(super) fn counts(sentence: &mut Sentence, found: &mut Found) {
    let parts = parts(sentence);
    if parts.len() < 2 {
        return of_part(sentence, found);
    }
    for range in parts {
        let mut part = sentence.clone();
        part.hide(0..range.start);
        part.hide(range.end..part.mask.len());
        part.code.retain(|code| range.start <= code.start && code.end <= range.end);
        of_part(&mut part, found);
        sentence.mask[range.clone()].copy_from_slice(&part.mask[range]);
    }
}

/// Stretches of a sentence that each tell a number of tests and whose they are.
fn parts(sentence: &Sentence) -> Vec<Range<usize>> {
    static BOUNDARY: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"; |, (?:and |while |but |whereas )?| (?:and|while|whereas|but) "));
    let mask = super::tools::with_commands(sentence, actum_commands::command::runs_tests);
    let is_whole = |range: Range<usize>| {
        let part = &mask[range.clone()];
        let names_suite = sentence.code.iter().any(|code| {
            let text = sentence.part(code.clone());
            range.start <= code.start && code.end <= range.end && is_suite(text)
        });
        let counts = COUNT.is_match(part) || TOTAL.is_match(part) || SOME.is_match(part);
        counts && (names_suite || KIND.is_match(part) || RUNNER.is_match(part))
    };
    let mut parts: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    for boundary in BOUNDARY.find_iter(&mask) {
        if is_whole(start..boundary.start()) && is_whole(boundary.end()..mask.len()) {
            parts.push(start..boundary.start());
            start = boundary.end();
        }
    }
    parts.push(start..mask.len());
    parts
}

fn is_test_file(code: &str) -> bool {
    TEST_FILE.find(code.to_lowercase().as_bytes()).is_some_and(|place| place.len() == code.len())
}

/// A file or a module of tests, or the command that runs them.
fn is_suite(code: &str) -> bool {
    let name = code.rsplit('/').next().unwrap_or(code);
    actum_commands::command::runs_tests(code)
        || !code.contains(' ') && (name.starts_with("test_") || TEST_FILE.is_match(code.as_bytes()))
}

fn of_part(sentence: &mut Sentence, found: &mut Found) {
    // `npm test` between backticks passes like `the tests` do.
    let mask = super::tools::with_commands(sentence, actum_commands::command::runs_tests);
    let is_under = TESTY.is_match(sentence.under.as_bytes());
    let is_about = TESTY.is_match(&mask) || code_is_about(sentence) || sentence.mask.starts_with(b"tests");
    let mut counts = TestCounts::default();
    let mut at: Option<usize> = None;
    let is_written = WRITTEN.is_match(&mask);
    // How many were written says nothing about how many there are.
    let mut rest = mask.clone();
    WRITTEN.find_iter(&mask).for_each(|place| rest[place.range()].fill(b' '));
    NOT_ALL.find_iter(&mask).for_each(|place| rest[place.range()].fill(b' '));
    // Suites and files are no tests.
    for place in SUITES.find_iter(&mask) {
        rest[place.range()].fill(b' ');
        sentence.hide(place.range());
    }
    failed_of(&mut rest, &mut counts, &mut at);
    numbers(&rest, (is_about, is_under), &mut counts, &mut at);
    let passes = PASS.find(&rest).filter(|_| is_about || counts.passed.is_some());
    let is_all = ALL.is_match(&rest) && !(is_written && counts.passed.is_none() && counts.total.is_none());
    counts.verdict = match (&passes, FAIL.find(&mask)) {
        (Some(_), _) if is_all => TestsVerdict::AllPass,
        (Some(_), None) => TestsVerdict::Pass,
        (Some(pass), Some(fail)) if pass.start() <= fail.start() || counts.failed == Some(0) => {
            TestsVerdict::Pass
        }
        (_, Some(_)) if is_about && counts.failed.is_none() => TestsVerdict::Fail,
        (_, _) => TestsVerdict::Unsaid,
    };
    let is_success = matches!(counts.verdict, TestsVerdict::Pass | TestsVerdict::AllPass);
    if is_success && counts.passed.is_none() && counts.total.is_none() {
        // However it is said, a number of tests is how many there are.
        let number = SOME.captures(&rest).and_then(|found| found.get(1));
        let number = number.and_then(|number| std::str::from_utf8(number.as_bytes()).ok());
        counts.total = number.and_then(|number| number.replace(',', "").parse().ok());
    }
    if counts.verdict == TestsVerdict::AllPass && counts.passed.is_none() && counts.total.is_some() {
        counts.passed = counts.total;
    }
    let at = at.or(passes.map(|place| place.start())).or_else(|| FAIL.find(&mask).map(|place| place.start()));
    let says_nothing = counts == TestCounts::default();
    let Some(at) = at.filter(|_| !says_nothing) else { return };
    counts.which = which(sentence);
    if found.add(at, Said::Tests(counts)) {
        hide(sentence, &mask);
    }
}

/// `2 of 12 tests fail`: the first number counts failures, and the second is the total.
fn failed_of(rest: &mut [u8], counts: &mut TestCounts, at: &mut Option<usize>) {
    let Some((whole, pair)) =
        FAILED_OF.captures(rest).and_then(|found| Some((found.get(0)?.range(), pair(&found)?)))
    else {
        return;
    };
    let number = |text: &[u8]| std::str::from_utf8(text).ok()?.replace(',', "").parse::<u64>().ok();
    (counts.failed, counts.total) = (number(pair[0]), number(pair[1]));
    at.get_or_insert(whole.start);
    rest[whole].fill(b' ');
}

fn code_is_about(sentence: &Sentence) -> bool {
    let codes = sentence.code.iter().map(|range| sentence.part(range.clone()));
    codes.into_iter().any(|code| actum_commands::command::runs_tests(code) || is_test_file(code))
}

fn numbers(mask: &[u8], (is_about, is_under): (bool, bool), counts: &mut TestCounts, at: &mut Option<usize>) {
    let number = |text: &[u8]| std::str::from_utf8(text).ok()?.replace(',', "").parse::<u64>().ok();
    // `1 failed, 9 passed`: what passed makes it a count of tests, wherever it stands.
    let passes = |captures: Captures<'_>| {
        captures.get(2).is_some_and(|word| [&b"passed"[..], b"passing"].contains(&word.as_bytes()))
    };
    let is_about = is_about || COUNT.captures_iter(mask).any(passes);
    for captures in COUNT.captures_iter(mask) {
        let (Some(value), Some(word)) = (captures.get(1), captures.get(2)) else { continue };
        let Some(count) = number(value.as_bytes()) else { continue };
        // `ran 7 tests and came back ok` says how it went, and not how many.
        let is_far = captures.get(0).is_some_and(|whole| whole.len() > value.len() + 9);
        if word.as_bytes() == b"ok" && is_far {
            continue;
        }
        let slot = match word.as_bytes() {
            b"passed" | b"passing" | b"passes" | b"pass" | b"green" | b"succeeded" | b"succeed" | b"ok"
            | b"successes" => &mut counts.passed,
            b"skipped" | b"ignored" | b"pending" if is_about || is_under || counts.passed.is_some() => {
                &mut counts.skipped
            }
            word if (word.starts_with(b"xfail") || word.starts_with(b"expected") || is_as_expected(word))
                && (is_about || is_under || counts.passed.is_some()) =>
            {
                &mut counts.expected_failures
            }
            b"todo" | b"todos" if is_about || is_under || counts.passed.is_some() => &mut counts.todo,
            // Errors are something else where nobody speaks of tests.
            _ if is_about || is_under || counts.passed.is_some() => &mut counts.failed,
            _ => continue,
        };
        *slot = Some(slot.map_or(count, |before| {
            if word.as_bytes().starts_with(b"error") { before + count } else { before }
        }));
        at.get_or_insert(value.start());
    }
    if is_about || is_under {
        for captures in LABELLED.captures_iter(mask) {
            let (Some(word), Some(value)) = (captures.get(1), captures.get(2)) else { continue };
            let Some(count) = number(value.as_bytes()) else { continue };
            // `tests: 2 failed, 10 passed` counts no total.
            let is_counted =
                COUNT.find_at(mask, value.start()).is_some_and(|place| place.start() == value.start());
            if is_counted {
                continue;
            }
            let slot = match word.as_bytes() {
                b"passed" | b"passing" => &mut counts.passed,
                b"failed" | b"failures" | b"errors" => &mut counts.failed,
                b"skipped" | b"ignored" => &mut counts.skipped,
                b"xfailed" => &mut counts.expected_failures,
                b"todo" => &mut counts.todo,
                _ => &mut counts.total,
            };
            slot.get_or_insert(count);
            at.get_or_insert(value.start());
        }
    }
    let has_pass = PASS.is_match(mask) || counts.passed.is_some();
    let may_count = is_about || counts.passed.is_some() || is_under && has_pass;
    if may_count
        && let Some([part, whole]) = fraction(mask).and_then(|found| pair(&found))
        && let (Some(passed), Some(total)) = (number(part), number(whole))
    {
        counts.passed = Some(passed);
        counts.total = Some(total);
        at.get_or_insert_with(|| FRACTION.find(mask).map_or(0, |place| place.start()));
    }
    if is_about && let Some(captures) = TOTAL.captures(mask) {
        let value = (1..=4).find_map(|group| captures.get(group));
        if let Some((value, count)) = value.and_then(|value| Some((value, number(value.as_bytes())?))) {
            counts.total.get_or_insert(count);
            at.get_or_insert(value.start());
        }
    }
    if (is_about || is_under || counts.passed.is_some())
        && let Some(place) = NO_FAIL.find(mask)
    {
        counts.failed.get_or_insert(0);
        at.get_or_insert(place.start());
    }
    if counts.passed.is_some() && NO_SKIP.is_match(mask) {
        counts.skipped.get_or_insert(0);
    }
}

/// `1 failed as expected` tells of a test that is marked to fail.
fn is_as_expected(word: &[u8]) -> bool {
    word.starts_with(b"fail") && word.windows(4).any(|part| part == b" as ")
}

/// `from 11/13 to 13/13`: what it is now stands last.
fn fraction(mask: &[u8]) -> Option<Captures<'_>> {
    static FROM: LazyLock<Regex> = LazyLock::new(|| pattern(r"\bfrom \d+ *(?:/|of|out of) *\d+ to \d"));
    let to = FROM.find(mask).map_or(0, |place| place.end().saturating_sub(2));
    FRACTION.captures(&mask[to..])
}

fn pair<'m>(captures: &Captures<'m>) -> Option<[&'m [u8]; 2]> {
    Some([captures.get(1)?.as_bytes(), captures.get(2)?.as_bytes()])
}

/// The kind, the file or the runner that the words name.
fn which(sentence: &Sentence) -> Option<String> {
    let mask = &sentence.mask;
    // `26 tests (21 pytest, 5 doctest)` are those of both.
    let kind = KIND.find(mask);
    let is_other = |place: &regex::bytes::Match<'_>| {
        kind.as_ref().is_some_and(|kind| place.start() >= kind.end() || place.end() <= kind.start())
    };
    let is_counted = |place: &regex::bytes::Match<'_>| {
        let before = mask[..place.start()].trim_ascii_end();
        before.last().is_some_and(u8::is_ascii_digit)
    };
    if RUNNER.find_iter(mask).any(|place| is_other(&place) && is_counted(&place)) {
        return None;
    }
    let whole: Vec<u8> = sentence.text.bytes().map(|byte| byte.to_ascii_lowercase()).collect();
    // Files were hidden when they were read; what belongs to another part of the sentence has no code here.
    let visible = |range: Range<usize>| {
        mask[range.clone()].iter().any(|byte| *byte != crate::sentence::HIDDEN)
            || sentence.code.iter().any(|code| code.start <= range.start && range.end <= code.end)
            || !whole.contains(&b'`') && sentence.code.is_empty()
    };
    let module = sentence.code.iter().find(|code| {
        let text = sentence.part((*code).clone());
        let is_module = is_suite(text) && !text.contains(' ') && !text.contains("::") && !text.contains('/');
        is_module && mask.get(code.start) != Some(&crate::sentence::HIDDEN) && !text.contains('.')
    });
    if let Some(module) = module.filter(|_| !KIND.is_match(mask)) {
        return Some(sentence.part(module.clone()).to_owned());
    }
    let place = KIND
        .captures(mask)
        .and_then(|found| (1..=3).find_map(|group| found.get(group)))
        .or_else(|| TEST_FILE.find_iter(&whole).find(|place| visible(place.range())))
        .or_else(|| RUNNER.captures(mask).and_then(|found| found.get(1)))?;
    Some(String::from_utf8_lossy(place.as_bytes()).into_owned())
}

/// What was taken is not looked at again: its numbers, and `no failures`.
fn hide(sentence: &mut Sentence, mask: &[u8]) {
    for pattern in [&*COUNT, &*FRACTION, &*TOTAL, &*NO_FAIL, &*LABELLED] {
        for place in pattern.find_iter(mask) {
            sentence.hide(place.range());
        }
    }
}
