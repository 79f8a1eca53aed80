//! Commands that were run, and whether they ended well.

use super::found::{Found, looks_like_command};
use crate::sentence::Sentence;
use crate::stance::{self, pattern};
use actum_model::Said;
use regex::bytes::Regex;
use std::sync::LazyLock;

static RAN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:ran|re-?ran|executed|re-?executed|(?:was|were|been|have|has|had) (?:re-?)?run|ran through|tested (?:it |this |everything )?(?:with|using|by running|via)|(?:verified|confirmed|checked|validated) (?:it |this |that |everything |the \w+ |them )?(?:with|by running|by executing|using|via|in|through)|after running|by running|running|invoked|launched|benchmarked|(?:commands?|checks?|steps?) (?:used|run|ran|executed|issued|performed|done|made|taken|i (?:used|ran|executed))|(?:used|ran|executed|following) (?:these|the following) commands)\b",
    )
});
static WELL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:successful(?:ly)?|success|succeed(?:s|ed)?|without(?: any)? (?:errors?|issues?|problems?|failures?|crash\w*|exceptions?)|(?:with )?no (?:errors?|issues?|failures?)|completed|completes|finished|finishes|clean(?:ly)?|works?|worked|fine|pass(?:es|ed|ing)?|error-free|end-to-end|ok)\b",
    )
});
static WELL_BEHIND: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^[^a-z0-9]*(?:(?:on|for|over|against|with|in|of) (?:the |all )?[^a-z0-9]+)?(?:command |script |run |step |now |also |all |still |has |have |is |was |both )*(?:runs|ran|run (?:fine|well|clean(?:ly)?|ok|without|success\w*|through)|executed|executes|completed|completes|succeed(?:s|ed)?|finished|finishes|works?|worked|pass(?:es|ed|ing)?|exited cleanly|is green|ok|clean|successful)\b",
    )
});
static DIRECTLY: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:ran|re-?ran|executed|running|re-?running|invoked|launched)(?: then| also| just)?[^a-z0-9]*$",
    )
});
static GOES_ON: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^[^a-z0-9]{0,3}(?:which|and it|and that|and this|it)\b"));
static SCRIPT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:ran|re-?ran|executed|re-?executed) (?:the |our )?(?:script |file |program )?([\w./-]+\.(?:py|sh|js|ts|rb|ipynb))\b",
    )
});
static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"\b(?:ran|re-?ran|executed|run|running)\b(?: \w+)?? (?:the |our |all |all the |full |entire |complete |whole |my |a |its |existing |new )*",
        r"((?:unit |integration |full |e2e |regression )*(?:tests?|test suite|suite)|linter|linters|lint|type ?checker|build|benchmarks?|training(?: script)?|(?:python |shell |training |evaluation |migration )?scripts?|program|pipeline|notebook|experiments?|",
        r"pytest|unittest|cargo test|cargo build|npm test|npm run build|make|mypy|ruff|eslint|go test|jest|vitest|code|example|simulation|evaluation|migrations?)\b",
    ))
});
static GENERIC: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"\b(?:the |this |our |your |python |training |evaluation |whole |entire |full |benchmark )*\b(script|program|code|pipeline|notebook|experiment|simulation|training(?: run)?|evaluation|command|benchmark|job|migration|app|application|process)\b",
        r"(?: \w+){0,2}? (?:now |also |still |has |have |was )*(?:runs|ran|executed|executes|completed|completes|succeed(?:s|ed)|finished|finishes|run|execute)\b",
    ))
});

pub(super) fn ran(sentence: &mut Sentence, found: &mut Found) {
    let mask = sentence.mask.clone();
    let mut any = false;
    let codes = sentence.code.clone();
    for code in codes {
        let command = sentence.part(code.clone()).trim_start_matches("$ ").to_owned();
        let is_of_tests = found.any(|said| matches!(said, Said::Tests(_)));
        let is_test = found.any(|said| matches!(said, Said::Test { name, .. } if *name == command));
        let is_ran = DIRECTLY.is_match(&mask[..code.start]) && is_worded(&command);
        let is_of_one = found.any(|said| matches!(said, Said::Test { .. }));
        let is_command =
            looks_like_command(&command) || is_ran || is_script(&command) && !is_of_tests && !is_of_one;
        if is_test || !is_command {
            continue;
        }
        let clause = stance::clause(&mask, code.start);
        let before = &mask[clause.start.min(code.start)..code.start];
        let after = &mask[code.end..clause.end.max(code.end)];
        // `, which completed` and `, and it worked` still speak of the command.
        let rest = &mask[code.end..];
        let after = if GOES_ON.is_match(rest) { rest } else { after };
        let is_behind = WELL_BEHIND.is_match(after);
        let is_ran = RAN.is_match(before);
        // `npm test passes: 5 passed, 1 skipped`: how it went is told by the counts.
        let is_counted = actum_commands::command::runs_tests(&command) && found.any(counts);
        if !is_ran && (!is_behind || is_counted) {
            continue;
        }
        let well = WELL.is_match(after) || WELL.is_match(before) || is_behind;
        any |= add(found, code.start, command, well);
    }
    let script = SCRIPT.captures(&found.whole.mask).and_then(|found| found.get(1)).map(|place| place.range());
    if let Some(place) = script.filter(|_| !any) {
        let what = found.whole.part(place.clone()).to_owned();
        let well = WELL.is_match(&found.whole.mask[place.end..]);
        any |= add(found, place.start, what, well);
    }
    if any {
        return;
    }
    let place = NAMED
        .captures(&mask)
        .or_else(|| GENERIC.captures(&mask))
        .and_then(|found| Some((found.get(0)?, found.get(1)?)));
    let Some((whole, what)) = place else {
        return;
    };
    let what = String::from_utf8_lossy(what.as_bytes()).into_owned();
    let clause = stance::clause(&mask, whole.start());
    let well = WELL.is_match(&found.whole.mask[clause]) && !is_only_running(&mask, whole.start());
    add(found, whole.start(), what, well);
}

/// Whether it tells numbers of tests.
fn counts(said: &Said) -> bool {
    matches!(said, Said::Tests(counts) if counts.passed.is_some() && (counts.failed.is_some() || counts.total.is_some()))
}

/// What else the sentence says about the run says it better than the words around it.
fn add(found: &mut Found, at: usize, what: String, well: bool) -> bool {
    let is_told = |said: &Said| {
        matches!(said, Said::Tests(_) | Said::Clean { .. } | Said::Exit { .. } | Said::Test { .. })
    };
    let well = well && !found.any(is_told);
    found.add(at, Said::Ran { what, well })
}

/// `running the tests`: that it went on, not that it ended well.
fn is_only_running(mask: &[u8], at: usize) -> bool {
    mask[at..].starts_with(b"running")
}

/// Several words, the first of them small: behind `ran` that is a command.
fn is_worded(code: &str) -> bool {
    let first = code.split(' ').next().unwrap_or_default();
    code.contains(' ')
        && first.starts_with(|c: char| c.is_ascii_lowercase() || c == '.')
        && !code.contains(['(', '{', '='])
}

fn is_script(code: &str) -> bool {
    !code.contains(' ')
        && [".py", ".sh", ".js", ".ts", ".rb", ".ipynb"].iter().any(|ending| code.ends_with(ending))
}
