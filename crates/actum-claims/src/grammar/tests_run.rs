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

fn is_test_file(code: &str) -> bool {
    TEST_FILE.find(code.to_lowercase().as_bytes()).is_some_and(|place| place.len() == code.len())
}

/// A file or a module of tests, or the command that runs them.
fn is_suite(code: &str) -> bool {
    let name = code.rsplit('/').next().unwrap_or(code);
    actum_commands::command::runs_tests(code)
        || !code.contains(' ') && (name.starts_with("test_") || TEST_FILE.is_match(code.as_bytes()))
}

/// How many, and whether they pass.
pub(super) fn counts(sentence: &mut Sentence, found: &mut Found) {
    // `npm test` between backticks passes like `the tests` do.
    let mask = super::tools::with_commands(sentence, actum_commands::command::runs_tests);
    // How many were written says nothing about how many there are, and suites and files are no tests.
    let mut rest = mask.clone();
    for pattern in [&*WRITTEN, &*NOT_ALL, &*SUITES] {
        pattern.find_iter(&mask).for_each(|place| rest[place.range()].fill(b' '));
    }
    SUITES.find_iter(&mask).for_each(|place| sentence.hide(place.range()));
    let mut reader = Reader {
        is_about: TESTY.is_match(&mask) || code_is_about(sentence) || sentence.mask.starts_with(b"tests"),
        is_under: TESTY.is_match(sentence.under.as_bytes()),
        mask: rest,
        counts: TestCounts::default(),
        at: None,
    };
    reader.read_failed_of();
    if !reader.read_outcomes() {
        return;
    }
    reader.read_labels();
    reader.read_totals();
    reader.read_none();
    let verdict_at = reader.read_verdict(&mask);
    if reader.has_other_number() {
        return;
    }
    let Some(at) = reader.at.or(verdict_at).filter(|_| reader.counts != TestCounts::default()) else {
        return;
    };
    let counts = TestCounts { which: which(sentence), ..reader.counts };
    if found.add(at, Said::Tests(counts)) {
        hide(sentence, &mask);
    }
}

/// Reads the counts of one sentence.
struct Reader {
    mask: Vec<u8>,
    /// The sentence speaks of tests.
    is_about: bool,
    /// What stands above it does.
    is_under: bool,
    counts: TestCounts,
    /// Where the first count stands.
    at: Option<usize>,
}

impl Reader {
    fn is_of_tests(&self) -> bool {
        self.is_about || self.is_under || self.counts.passed.is_some()
    }

    /// `2 of 12 tests fail`: the first number counts failures, and the second is the total.
    fn read_failed_of(&mut self) {
        let Some((place, failed, total)) = FAILED_OF
            .captures(&self.mask)
            .and_then(|found| Some((found.get(0)?.range(), number(&found, 1)?, number(&found, 2)?)))
        else {
            return;
        };
        (self.counts.failed, self.counts.total) = (Some(failed), Some(total));
        self.at.get_or_insert(place.start);
        self.mask[place].fill(b' ');
    }

    /// `3 passed`. False where a number of one outcome is told twice: then each is of other tests.
    fn read_outcomes(&mut self) -> bool {
        let mask = std::mem::take(&mut self.mask);
        // `1 failed, 9 passed`: what passed makes it a count of tests, wherever it stands.
        let passes = |captures: Captures<'_>| {
            captures.get(2).is_some_and(|word| [&b"passed"[..], b"passing"].contains(&word.as_bytes()))
        };
        self.is_about |= COUNT.captures_iter(&mask).any(passes);
        let mut is_clear = true;
        for captures in COUNT.captures_iter(&mask) {
            let (Some(value), Some(word), Some(count)) =
                (captures.get(1), captures.get(2), number(&captures, 1))
            else {
                continue;
            };
            // `ran 7 tests and came back ok` says how it went, and not how many.
            let is_far = captures.get(0).is_some_and(|whole| whole.len() > value.len() + 9);
            // Errors are something else where nobody speaks of tests.
            let is_passed = is_success(word.as_bytes());
            if word.as_bytes() == b"ok" && is_far || !is_passed && !self.is_of_tests() {
                continue;
            }
            let slot = slot(&mut self.counts, word.as_bytes());
            *slot = match *slot {
                Some(before) if word.as_bytes().starts_with(b"error") => Some(before + count),
                Some(before) if before != count => {
                    is_clear = false;
                    break;
                }
                Some(_) | None => Some(count),
            };
            self.at.get_or_insert(value.start());
        }
        self.mask = mask;
        is_clear
    }

    /// `passed: 3`
    fn read_labels(&mut self) {
        for captures in LABELLED.captures_iter(&self.mask).filter(|_| self.is_about || self.is_under) {
            let (Some(word), Some(value), Some(count)) =
                (captures.get(1), captures.get(2), number(&captures, 2))
            else {
                continue;
            };
            // `tests: 2 failed, 10 passed` counts no total.
            let counted = COUNT.find_at(&self.mask, value.start());
            if counted.is_none_or(|place| place.start() != value.start()) {
                slot(&mut self.counts, word.as_bytes()).get_or_insert(count);
                self.at.get_or_insert(value.start());
            }
        }
    }

    /// `11/12 tests pass`, `ran 12 tests`.
    fn read_totals(&mut self) {
        let has_pass = PASS.is_match(&self.mask) || self.counts.passed.is_some();
        let may_count = self.is_about || self.counts.passed.is_some() || self.is_under && has_pass;
        if let Some(found) = fraction(&self.mask).filter(|_| may_count)
            && let (Some(passed), Some(total)) = (number(&found, 1), number(&found, 2))
        {
            (self.counts.passed, self.counts.total) = (Some(passed), Some(total));
            self.at.get_or_insert_with(|| FRACTION.find(&self.mask).map_or(0, |place| place.start()));
        }
        if let Some(found) = TOTAL.captures(&self.mask).filter(|_| self.is_about)
            && let Some(group) = (1..=4).find(|group| found.get(*group).is_some())
            && let (Some(count), Some(place)) = (number(&found, group), found.get(group))
        {
            self.counts.total.get_or_insert(count);
            self.at.get_or_insert(place.start());
        }
    }

    /// `no failures`, `none skipped`.
    fn read_none(&mut self) {
        if let Some(place) = NO_FAIL.find(&self.mask).filter(|_| self.is_of_tests()) {
            self.counts.failed.get_or_insert(0);
            self.at.get_or_insert(place.start());
        }
        if self.counts.passed.is_some() && NO_SKIP.is_match(&self.mask) {
            self.counts.skipped.get_or_insert(0);
        }
    }

    /// `12 unit tests pass and 5 browser tests pass`: a number of tests that is none of the counts is of other tests.
    fn has_other_number(&self) -> bool {
        let TestCounts { passed, failed, skipped, expected_failures, todo, total, .. } = self.counts;
        let counts = [passed, failed, skipped, expected_failures, todo, total];
        let found = SOME.captures_iter(&self.mask).filter_map(|found| number(&found, 1));
        let numbers: Vec<u64> = found.collect();
        numbers.len() > 1 && numbers.into_iter().any(|number| !counts.contains(&Some(number)))
    }

    /// Whether all is said to have gone well, and where that is said. The whole mask may say what failed.
    fn read_verdict(&mut self, whole: &[u8]) -> Option<usize> {
        let counts = &mut self.counts;
        let passes = PASS.find(&self.mask).filter(|_| self.is_about || counts.passed.is_some());
        let fails = FAIL.find(whole);
        let is_bare = counts.passed.is_none() && counts.total.is_none();
        let is_all = ALL.is_match(&self.mask) && !(is_bare && WRITTEN.is_match(whole));
        counts.verdict = match (&passes, &fails) {
            (Some(_), _) if is_all => TestsVerdict::AllPass,
            (Some(_), None) => TestsVerdict::Pass,
            (Some(pass), Some(fail)) if pass.start() <= fail.start() || counts.failed == Some(0) => {
                TestsVerdict::Pass
            }
            (_, Some(_)) if self.is_about && counts.failed.is_none() => TestsVerdict::Fail,
            (_, _) => TestsVerdict::Unsaid,
        };
        if is_bare && matches!(counts.verdict, TestsVerdict::Pass | TestsVerdict::AllPass) {
            // However it is said, a number of tests is how many there are.
            counts.total = SOME.captures(&self.mask).and_then(|found| number(&found, 1));
        }
        if counts.verdict == TestsVerdict::AllPass && counts.passed.is_none() {
            counts.passed = counts.total;
        }
        passes.or(fails).map(|place| place.start())
    }
}

fn number(captures: &Captures<'_>, group: usize) -> Option<u64> {
    std::str::from_utf8(captures.get(group)?.as_bytes()).ok()?.replace(',', "").parse().ok()
}

fn is_success(word: &[u8]) -> bool {
    [&b"pass"[..], b"green", b"succe", b"ok"].iter().any(|start| word.starts_with(start))
}

/// The count that a word for an outcome names.
fn slot<'c>(counts: &'c mut TestCounts, word: &[u8]) -> &'c mut Option<u64> {
    let begins = |starts: &[&[u8]]| starts.iter().any(|start| word.starts_with(start));
    match () {
        () if is_success(word) => &mut counts.passed,
        () if begins(&[b"skip", b"ignored", b"pending"]) => &mut counts.skipped,
        () if begins(&[b"xfail", b"expected"]) || is_as_expected(word) => &mut counts.expected_failures,
        () if begins(&[b"todo"]) => &mut counts.todo,
        () if begins(&[b"fail", b"error", b"red", b"broken"]) => &mut counts.failed,
        () => &mut counts.total,
    }
}

fn code_is_about(sentence: &Sentence) -> bool {
    let codes = sentence.code.iter().map(|range| sentence.part(range.clone()));
    codes.into_iter().any(|code| actum_commands::command::runs_tests(code) || is_test_file(code))
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
