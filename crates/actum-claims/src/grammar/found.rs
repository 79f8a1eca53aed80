//! What was found in a sentence so far.

use crate::sentence::Sentence;
use crate::stance::{self, pattern};
use actum_commands::command;
use actum_model::{Claim, Said, When};
use regex::bytes::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// The claims of one sentence.
pub(super) struct Found {
    /// As it was before anything was hidden.
    pub(super) whole: Sentence,
    said: Vec<(usize, Said)>,
    /// Places of claims that are only perhaps one.
    tentative: Vec<usize>,
    pub(super) anchor: Option<String>,
}

/// Longer claims are shown by their beginning.
const LONGEST: usize = 400;

static BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:previously|before (?:the|my|this|that|these|our)|earlier|initially|originally|at first|used to|prior to|(?:the|our|my) (?:previous|old|original|baseline|first)|baseline|previous run|(?:first|initial) (?:attempt|run|pass|try|test run|round|go)|on the first|the first time)\b|(?:^|[^a-z])before(?: *[:=]| *->)",
    )
});

/// Whether a stretch tells of an earlier state, and nothing behind that leads back to now.
pub(super) fn tells_of_before(mask: &[u8]) -> bool {
    BEFORE.find_iter(mask).last().is_some_and(|last| !leads_to_now(&mask[last.end()..]))
}

/// Words by which whoever told of an earlier state comes back to now.
pub(super) fn leads_to_now(mask: &[u8]) -> bool {
    static SINCE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b(?:now|after(?:wards)?|since|then|today|currently|still|later|finally|meanwhile|this time|is|are|passes|fails)\b",
        )
    });
    SINCE.is_match(mask)
}

/// A mark behind which details stand.
static DETAILED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^[^a-z0-9]{0,2}(?:[:(]| - |, (?:with |it |as it )?(?:got|expect|want|return)| (?:with|because|since|as)\b)",
    )
});
static HOW: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:want(?:s|ed)?|expect(?:s|ed|ing|ation)?|instead of|rather than|not|never|should (?:be|have been)|must be|would be)\b|n't\b",
    )
});

/// How a test failed: `: got 20, want 14`, `(5 instead of 6)`. Numbers in it are the test's, and nobody's result.
pub(super) fn details(mask: &[u8], end: usize) -> Option<Range<usize>> {
    let rest = &mask[end..];
    let is_aside = rest.trim_ascii_start().starts_with(b"(");
    let close = rest.iter().position(|byte| *byte == if is_aside { b')' } else { b';' });
    let stretch = end..end + close.unwrap_or(rest.len());
    (DETAILED.is_match(rest) && HOW.is_match(&mask[stretch.clone()])).then_some(stretch)
}

impl Found {
    pub(super) fn of(sentence: &Sentence) -> Self {
        Self { whole: sentence.clone(), said: Vec::new(), tentative: Vec::new(), anchor: None }
    }

    /// Adds a claim, where it is said firmly. Tells whether it was.
    pub(super) fn add(&mut self, at: usize, said: Said) -> bool {
        let is_firm = stance::is_firm(&self.whole, at);
        if is_firm {
            self.said.push((at, said));
        }
        is_firm
    }

    /// Adds that a test failed; behind that may stand how, in words that hedge elsewhere.
    pub(super) fn add_failure(&mut self, at: usize, end: usize, said: Said) -> bool {
        let mut told = self.whole.clone();
        if let Some(range) = details(&told.mask, end) {
            let places: Vec<Range<usize>> = HOW
                .find_iter(&told.mask[range.clone()])
                .map(|place| range.start + place.start()..range.start + place.end())
                .collect();
            places.into_iter().for_each(|place| told.mask[place].fill(b'x'));
        }
        let is_firm = stance::is_firm(&told, at);
        if is_firm {
            self.said.push((at, said));
        }
        is_firm
    }

    /// Adds what is told only where a record speaks of it.
    pub(super) fn perhaps(&mut self, at: usize, said: Said) -> bool {
        let is_firm = self.add(at, said);
        if is_firm {
            self.tentative.push(at);
        }
        is_firm
    }

    pub(super) fn is_empty(&self) -> bool {
        self.said.len() == self.tentative.len()
    }

    pub(super) fn any(&self, is: impl Fn(&Said) -> bool) -> bool {
        self.said.iter().any(|(_, said)| is(said))
    }

    pub(super) fn claims(self) -> Vec<Claim> {
        let Self { whole, mut said, tentative, anchor } = self;
        said.sort_by_key(|(at, _)| *at);
        let commands = commands(&whole);
        let text: String = whole.text.chars().take(LONGEST).collect();
        let is_exit = |(_, said): &&(usize, Said)| matches!(said, Said::Exit { .. });
        let exits: Vec<usize> = said.iter().filter(is_exit).map(|(at, _)| *at).collect();
        let claim = |(at, said): (usize, Said)| {
            let clause = stance::clause(&whole.mask, at);
            let is_before = BEFORE.is_match(&whole.mask[clause.clone()])
                || matches!(said, Said::Test { .. })
                    && tells_of_before(&whole.mask[..clause.start])
                    && !leads_to_now(&whole.mask[clause]);
            let when = if is_before { When::Before } else { When::Now };
            // One command, and several codes: only the first of them is its own.
            let is_other = matches!(said, Said::Exit { .. })
                && commands.len() == 1
                && exits.iter().any(|one| *one < at && commands[0].0 < *one);
            let command = command_of(&commands, at, &said).filter(|_| !is_other);
            let anchor = anchor.clone();
            let (context, tentative) = (whole.under.clone(), tentative.contains(&at));
            Claim { text: text.clone(), line: whole.line, said, anchor, command, when, context, tentative }
        };
        said.into_iter().map(claim).collect()
    }
}

/// Commands between backticks, with their places.
fn commands(sentence: &Sentence) -> Vec<(usize, String)> {
    let codes = sentence.code.iter().map(|range| (range.start, sentence.part(range.clone())));
    let found: Vec<(usize, &str)> = codes
        .clone()
        .filter(|(at, code)| looks_like_command(code) || is_called(sentence, *at, code))
        .collect();
    // The same program with nothing behind it.
    let is_bare = |code: &str| found.iter().any(|(_, one)| one.split(' ').next() == Some(code));
    codes
        .filter(|one| found.contains(one) || is_bare(one.1))
        .map(|(at, code)| (at, code.trim_start_matches("$ ").to_owned()))
        .collect()
}

/// ``prog 5 exits with 2``: a program with what it was given, where a code is told right behind it.
fn is_called(sentence: &Sentence, at: usize, code: &str) -> bool {
    static ENDED: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"^[^a-z0-9]{0,4}(?:(?:now|still|correctly|duly|also) )?(?:(?:exit|return|end|terminat|quit|finish)(?:e?s|e?d|ing)? (?:with |in |on |early )*(?:an? |the )?(?:exit |return |status |error |code )*(?:of )?-?\d{1,3}\b|[^a-z0-9]{0,4}exit(?: code| status)?s?[^a-z0-9]{0,3}\d{1,3}\b)",
        )
    });
    let words = command::words(code);
    let is_name = |word: &String| {
        word.len() > 1
            && word.starts_with(|c: char| c.is_ascii_lowercase())
            && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    let behind = sentence.mask.get(at + code.len()..).unwrap_or_default();
    words.len() > 1 && words.first().is_some_and(is_name) && ENDED.is_match(behind)
}

/// The command that a claim is about: the only one of its sentence, else the nearest one before it, where what is said is
/// said of a command.
fn command_of(commands: &[(usize, String)], at: usize, said: &Said) -> Option<String> {
    if let [(start, only)] = commands {
        // `All 8 tests pass, and `ruff check` is clean`: who checks the source counts no tests.
        let is_of_tests = matches!(said, Said::Tests(_) | Said::Test { .. });
        let is_check = !command::checks(only).is_empty() && !command::runs_tests(only);
        return (*start <= at || !is_of_tests || !is_check).then(|| only.clone());
    }
    let is_of_command =
        matches!(said, Said::Exit { .. } | Said::Tests(_) | Said::Clean { .. } | Said::Absent { .. });
    let before = commands.iter().rev().find(|(start, _)| *start <= at);
    before.or(commands.first()).filter(|_| is_of_command).map(|(_, command)| command.clone())
}

const PROGRAMS: &[&str] = &[
    "pytest",
    "python",
    "python3",
    "cargo",
    "npm",
    "npx",
    "yarn",
    "pnpm",
    "node",
    "go",
    "make",
    "ruff",
    "mypy",
    "pyright",
    "eslint",
    "tsc",
    "flake8",
    "pylint",
    "black",
    "prettier",
    "jest",
    "vitest",
    "mocha",
    "git",
    "docker",
    "pip",
    "uv",
    "poetry",
    "tox",
    "nox",
    "bash",
    "sh",
    "actum",
    "gcc",
    "clang",
    "rustc",
    "javac",
    "java",
    "mvn",
    "gradle",
    "./gradlew",
    "bundle",
    "rspec",
    "rake",
    "php",
    "composer",
    "phpunit",
    "curl",
    "ctest",
    "cmake",
    "dotnet",
    "deno",
    "bun",
    "golangci-lint",
    "shellcheck",
    "terraform",
    "ansible",
    "coverage",
    "biome",
    "ninja",
    "cat",
    "ls",
    "grep",
    "Rscript",
    "julia",
    "perl",
    "ruby",
    "hyperfine",
    "time",
    "wrk",
    "ab",
    "psql",
    "sqlite3",
    "mlflow",
];

/// Whether code is a command: it begins with a program, or with a file that is one.
pub(super) fn looks_like_command(code: &str) -> bool {
    let words = command::words(code.trim_start_matches("$ "));
    let Some(first) = words.first() else { return false };
    let is_program = PROGRAMS.contains(&first.as_str());
    let is_script = code.contains(' ')
        && [".py", ".sh", ".js", ".rb", ".ts"].iter().any(|ending| first.ends_with(ending))
        || code.starts_with("./");
    let is_assignment = code.contains(" = ") || code.contains("import ");
    (is_program || is_script || has_switches(&words) || command::is_tool(first)) && !is_assignment
}

/// `bandit -r src`: a small word, and a switch behind it.
fn has_switches(words: &[String]) -> bool {
    let is_name = |word: &String| {
        word.starts_with(|c: char| c.is_ascii_lowercase())
            && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./+".contains(&byte))
    };
    let is_switch = |word: &String| {
        let rest = word.trim_start_matches('-');
        word.len() > rest.len() && rest.starts_with(|c: char| c.is_ascii_alphabetic())
    };
    words.first().is_some_and(is_name) && words.iter().skip(1).any(is_switch)
}
