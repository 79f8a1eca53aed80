//! What was found in a sentence so far.

use crate::sentence::Sentence;
use crate::stance::{self, pattern};
use actum_commands::command;
use actum_commands::programs::PROGRAMS;
use actum_model::{Claim, Said, When};
use regex::bytes::Regex;
use std::sync::LazyLock;

/// The claims of one sentence.
pub(super) struct Found {
    /// As it was before anything was hidden.
    pub(super) whole: Sentence,
    said: Vec<(usize, Said)>,
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

impl Found {
    pub(super) fn of(sentence: &Sentence) -> Self {
        Self { whole: sentence.clone(), said: Vec::new(), anchor: None }
    }

    /// Adds a claim, where it is said firmly. Tells whether it was.
    pub(super) fn add(&mut self, at: usize, said: Said) -> bool {
        let is_firm = stance::is_firm(&self.whole, at);
        if is_firm {
            self.said.push((at, said));
        }
        is_firm
    }

    pub(super) fn is_empty(&self) -> bool {
        self.said.is_empty()
    }

    pub(super) fn any(&self, is: impl Fn(&Said) -> bool) -> bool {
        self.said.iter().any(|(_, said)| is(said))
    }

    pub(super) fn claims(self) -> Vec<Claim> {
        let Self { whole, mut said, anchor } = self;
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
            let (text, context) = (text.clone(), whole.under.clone());
            Claim { text, line: whole.line, said, anchor, command, when, context, tentative: false }
        };
        said.into_iter().map(claim).collect()
    }
}

/// Commands between backticks, with their places.
fn commands(sentence: &Sentence) -> Vec<(usize, String)> {
    let codes = sentence.code.iter().map(|range| (range.start, sentence.part(range.clone())));
    // Where an exit code is told, `prog 5` is a program with what it was given.
    let tells_exit = sentence.mask.windows(4).any(|part| part == b"exit");
    let is_command = |code: &str| looks_like_command(code) || tells_exit && is_program_with_arguments(code);
    let found: Vec<(usize, &str)> = codes.clone().filter(|(_, code)| is_command(code)).collect();
    // The same program with nothing behind it.
    let is_bare = |code: &str| found.iter().any(|(_, one)| one.split(' ').next() == Some(code));
    codes
        .filter(|one| found.contains(one) || is_bare(one.1))
        .map(|(at, code)| (at, code.trim_start_matches("$ ").to_owned()))
        .collect()
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

fn is_program_with_arguments(code: &str) -> bool {
    let is_part = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_graphic());
    code.starts_with(|c: char| c.is_ascii_lowercase())
        && code.split(' ').count() > 1
        && code.split(' ').all(is_part)
        && !code.contains(['(', '{', '='])
}

/// Whether code is a command: it begins with a program, or with a file that is one.
pub(super) fn looks_like_command(code: &str) -> bool {
    let words = command::words(code.trim_start_matches("$ "));
    let Some(first) = words.first() else { return false };
    let is_program = PROGRAMS.programs.contains(first) || PROGRAMS.test_runners.contains(first);
    let is_script = code.contains(' ')
        && [".py", ".sh", ".js", ".rb", ".ts"].iter().any(|ending| first.ends_with(ending))
        || code.starts_with("./");
    let is_assignment = code.contains(" = ") || code.contains("import ");
    (is_program || is_script || command::is_tool(first)) && !is_assignment
}
