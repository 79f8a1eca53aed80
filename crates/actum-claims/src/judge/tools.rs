//! Commands that ran, how they ended, what linters, type checks and builds said.

use super::meant;
use super::naming;
use super::scope::{Scope, line};
use super::tests_run;
use super::verdict::Verdict;
use crate::bounds::{NOT_JUDGED, NOT_READ};
use crate::evidence::RunFacts;
use crate::stance::pattern;
use crate::vocabulary::VOCABULARY;
use actum_commands::checks;
use actum_commands::command::{self, Match};
use actum_commands::exit_status::{self, Outcome};
use actum_commands::test_selection::TestSelection;
use actum_model::{ClaimStatus, Cleanliness, ExitCode, Unwanted};
use regex::bytes::Regex;
use std::sync::LazyLock;

pub(crate) fn ran<'e>(scope: &Scope<'e>, what: &str, well: bool) -> Verdict<'e> {
    let considered = scope.looked_at();
    if what == NOT_READ {
        return Verdict::unsupported(NOT_JUDGED).considered(considered);
    }
    // A command is that command, and no other one of its kind.
    let is_command = command::runs_tests(what)
        || !command::checks(what).is_empty()
        || what.contains(['.', '/'])
        || command::is_started(what);
    let named = of_command(scope, what);
    let by_name =
        |(run, same): (&'e RunFacts, Match)| (run, same, command::judge_named(&run.recorded(), what));
    let found = named
        .first()
        .copied()
        .map(by_name)
        .or_else(|| {
            of_test_file(scope, what).map(|(run, same)| (run, same, command::judge_tests(&run.recorded())))
        })
        .or_else(|| {
            let of_kind = of_kind(scope, what).filter(|_| !is_command);
            of_kind.map(|(run, same)| (run, same, judge_kind(run, what)))
        });
    let Some((run, same, outcome)) = found else {
        let near =
            scope.runs.iter().find(|run| command::compare(&run.command, what) == Some(Match::Narrower));
        let why = match near {
            Some(run) => format!("only `{}` is recorded, which is not all of `{what}`", run.command),
            None => format!("no recorded run of {what} is in scope"),
        };
        return Verdict::unsupported(why).considered(considered);
    };
    if !run.started {
        return Verdict::contradicted("it could not be started")
            .on(run, "exit", run.exit.to_string())
            .considered(considered);
    }
    if let Some(verdict) = settle_unproven(run, outcome, well) {
        return verdict.considered(considered);
    }
    if let Some(verdict) = of_tests(scope, run, what, well) {
        return verdict.considered(considered);
    }
    let is_check = !command::checks(what).is_empty() || what.contains("lint") || what.contains("type");
    if well && is_check && is_unchecked(run) {
        return unchecked(run).considered(considered);
    }
    let piece = if well { "exit" } else { "cmd" };
    let observed = if well { format!("exit {}", run.exit) } else { run.command.clone() };
    // The same program with other words ended well: then it is not known which of its runs is meant.
    let is_open = same == Match::Narrower
        && named.iter().any(|(other, _)| other.exit == 0 && other.command != run.command);
    let verdict = match (well, run.exit) {
        (false, _) | (true, 0) => {
            Verdict::verified(format!("`{}` ran and ended with {}", run.command, run.exit))
        }
        (true, code) if is_open => Verdict::ambiguous(format!(
            "`{}` ended with {code}, and with other words it ended with 0",
            run.command
        )),
        (true, code) => Verdict::contradicted(format!("`{}` ended with {code}", run.command)),
    };
    let verdict =
        if same == Match::Switches { verdict.note(format!("it ran as `{}`", run.command)) } else { verdict };
    let verdict = verdict.on(run, piece, observed).considered(considered);
    let is_success = well && run.exit == 0 && is_of_tests(what);
    if is_success { tests_run::while_failing(scope, verdict, !scope.bound) } else { verdict }
}

/// Whether words are about tests: a kind of work, or a command.
fn is_of_tests(what: &str) -> bool {
    what.contains("test") || what.contains("suite") || command::runs_tests(what)
}

/// Where a run of tests was given a part of them that is not named, or counted failures where none are said.
fn of_tests<'e>(scope: &Scope<'e>, run: &'e RunFacts, what: &str, well: bool) -> Option<Verdict<'e>> {
    if !is_of_tests(what) || !(run.tests.is_some() || command::runs_tests(&run.command)) {
        return None;
    }
    let failed = run.tests.as_ref().map_or(0, |tests| tests.failed);
    let verdict = if well && failed > 0 {
        Verdict::contradicted(format!("`{}` counted {failed} failures", run.command))
    } else if !TestSelection::read(&run.recorded()).is_all_of(&format!("{} {what}", scope.text)) {
        Verdict::unsupported(format!("`{}` chose some of the tests, or ran none", run.command))
    } else {
        return None;
    };
    Some(verdict.on(run, "cmd", run.command.clone()))
}

/// Where the status of a run's line is not that of the command which is meant, or it was not found.
fn settle_unproven(run: &RunFacts, outcome: Outcome, well: bool) -> Option<Verdict<'_>> {
    let not_started: [i32; 2] = [ExitCode::NOT_EXECUTABLE.into(), ExitCode::NOT_FOUND.into()];
    let verdict = match outcome {
        Outcome::Known if not_started.contains(&run.exit) => {
            let why =
                format!("`{}` ended with {}, as a command that could not be started", run.command, run.exit);
            if well { Verdict::contradicted(why) } else { Verdict::unsupported(why) }
        }
        Outcome::Known => return None,
        Outcome::NotSucceeded if well => return None,
        Outcome::NotSucceeded | Outcome::Unknown => Verdict::unsupported(hidden(run)),
    };
    Some(verdict.on(run, "exit", format!("exit {}", run.exit)))
}

/// Why a line supports nothing about a command in it.
fn hidden(run: &RunFacts) -> String {
    format!("`{}` need not have run it, or its exit status is not the one of the line", run.command)
}

/// What a run's status says about the kind of work that is meant.
fn judge_kind(run: &RunFacts, what: &str) -> Outcome {
    let checks = |kind: Cleanliness| command::judge_check(&run.recorded(), |(what, _)| *what == kind);
    match what {
        _ if what.contains("test") || what.contains("suite") => {
            // Counts of a runner show that it ran.
            let counted =
                if run.tests.is_some() && run.exit == 0 { Outcome::NotSucceeded } else { Outcome::Unknown };
            command::judge_tests(&run.recorded()).max(counted)
        }
        _ if what.contains("lint") => checks(Cleanliness::Lint),
        _ if what.contains("type") => checks(Cleanliness::Types),
        "build" => checks(Cleanliness::Build),
        _ => exit_status::judge_line(&run.command, run.exit),
    }
}

/// The runs of a command that was named, newest first. Files that the sentence names choose among runs of one program with several.
fn of_command<'e>(scope: &Scope<'e>, what: &str) -> Vec<(&'e RunFacts, Match)> {
    let is_test = command::runs_tests(what) || !command::checks(what).is_empty();
    let fits = |run: &&'e RunFacts| {
        let same = command::compare(&run.command, what)?;
        // Of tests and checks a part is not the whole; a program with more arguments is still that program.
        (same > Match::Narrower || !is_test).then_some((*run, same))
    };
    let mut found: Vec<(&'e RunFacts, Match)> = scope.runs.iter().filter_map(fits).collect();
    let mut chosen: Vec<&RunFacts> = found.iter().map(|(run, _)| *run).collect();
    meant::prune(scope.text, &mut chosen);
    found.retain(|(run, _)| chosen.iter().any(|one| one.run == run.run));
    found
}

/// `ran tests/test_cli.py`: whoever had a runner run it.
fn of_test_file<'e>(scope: &Scope<'e>, what: &str) -> Option<(&'e RunFacts, Match)> {
    let is_path = !what.contains(' ') && what.contains('.');
    let names_it = |run: &&'e RunFacts| {
        command::runs_tests(&run.command)
            && command::words(&run.command).iter().any(|word| word.split("::").next() == Some(what))
    };
    scope.runs.iter().copied().filter(|_| is_path).find(names_it).map(|run| (run, Match::Switches))
}

/// The newest run of a kind of work: `the tests`, `the linter`, `the script`.
fn of_kind<'e>(scope: &Scope<'e>, what: &str) -> Option<(&'e RunFacts, Match)> {
    let checks = |run: &RunFacts, kind: Cleanliness| {
        command::checks(&run.command).iter().any(|(what, _)| *what == kind)
    };
    let is_kind = |run: &&&RunFacts| match what {
        _ if what.contains("test") || what.contains("suite") => {
            run.tests.is_some() || command::runs_tests(&run.command)
        }
        _ if what.contains("lint") => checks(run, Cleanliness::Lint),
        _ if what.contains("type") => checks(run, Cleanliness::Types),
        "build" => checks(run, Cleanliness::Build),
        _ if what.contains("training") => {
            run.command.contains("train") || run.metrics.iter().any(|metric| metric.step.is_some())
        }
        _ if what.contains("evaluation") => run.command.contains("eval"),
        "make" => run.command.starts_with("make"),
        _ => VOCABULARY.programs.iter().any(|word| what.contains(word)) && is_program(run),
    };
    let same = if what.contains("test") { Match::Exactly } else { Match::Switches };
    let generic = !["test", "suite", "lint"].iter().any(|word| what.contains(word));
    let mut found = scope.runs.iter().filter(is_kind);
    // Of several runs of tests the newest of all of them is meant, and one that still stands.
    let is_whole =
        |run: &&&RunFacts| !is_of_tests(what) || TestSelection::read(&run.recorded()).is_all_of(scope.text);
    let of_all = || scope.runs.iter().filter(is_kind).filter(is_whole);
    let fresh = of_all().find(|run| !generic && !run.is_stale()).or_else(|| of_all().next());
    let first = fresh.or(found.next())?;
    // `the script` is none in particular where several ran and one of them ended otherwise.
    if generic
        && !scope.bound
        && found.any(|other| (other.exit == 0) != (first.exit == 0) && other.command != first.command)
    {
        return None;
    }
    Some((first, same))
}

/// Something that somebody wrote, and no tool.
fn is_program(run: &RunFacts) -> bool {
    !command::runs_tests(&run.command)
        && command::checks(&run.command).is_empty()
        && !run.command.starts_with("pip ")
        && !run.command.starts_with("git ")
}

pub(crate) fn exit<'e>(scope: &Scope<'e>, code: i32) -> Verdict<'e> {
    let considered = scope.looked_at();
    let latest = scope.latest();
    let Some(newest) = latest.first().copied() else {
        return Verdict::unsupported("no recorded run is in scope").considered(considered);
    };
    let about: Vec<&RunFacts> = if scope.bound {
        vec![newest]
    } else {
        let named = naming::named(scope.text, &latest);
        let mut about = if named.is_empty() { latest } else { named };
        if naming::speaks_of_last(scope.text) {
            about.truncate(1);
        }
        about
    };
    let on = |verdict: Verdict<'e>, run: &'e RunFacts| verdict.on(run, "exit", run.exit.to_string());
    let outcome = |run: &RunFacts| match scope.named {
        Some(named) => command::judge_named(&run.recorded(), named),
        // How a line failed is told of the line.
        None if code != 0 && run.exit == code => Outcome::Known,
        None => exit_status::judge_line(&run.command, run.exit),
    };
    let is_hidden = |run: &&RunFacts| match outcome(run) {
        Outcome::Unknown => scope.named.is_some() || run.exit == 0,
        Outcome::NotSucceeded => run.exit == code && scope.named.is_none(),
        Outcome::Known => false,
    };
    if let Some(run) = about.iter().copied().find(is_hidden) {
        let verdict = Verdict::unsupported(hidden(run)).on(run, "exit", run.exit.to_string());
        return verdict.considered(considered);
    }
    let held = about.iter().filter(|run| run.exit == code).count();
    let first = about[0];
    let other = about.iter().copied().find(|run| run.exit != code);
    let verdict = match held {
        0 if about.len() == 1 => {
            on(Verdict::contradicted(format!("`{}` ended with {}", first.command, first.exit)), first)
        }
        0 if about.iter().all(|run| run.exit == first.exit) => {
            on(Verdict::contradicted(format!("every run ended with {}", first.exit)), first)
        }
        0 => on(Verdict::unsupported(format!("no run ended with {code}")), first),
        _ if held == about.len() => {
            on(Verdict::verified(format!("`{}` ended with {code}", first.command)), first)
        }
        _ => match other.filter(|_| naming::speaks_of_all(scope.text)) {
            Some(run) => on(Verdict::contradicted(format!("`{}` ended with {}", run.command, run.exit)), run),
            None => on(Verdict::ambiguous("several runs may be meant, and they ended otherwise"), first),
        },
    };
    let names_program = scope.named.is_some() || !naming::named(scope.text, &about).is_empty();
    let is_success = verdict.status == ClaimStatus::Verified && code == 0 && names_program;
    let part = is_success.then(|| of_tests(scope, first, scope.named.unwrap_or("tests"), true)).flatten();
    let verdict = part.unwrap_or(verdict);
    // How a run that is named ended stays how it ended.
    let is_of_then = scope.bound && verdict.status == ClaimStatus::Contradicted;
    let verdict = if is_of_then { verdict.ageless() } else { verdict };
    verdict.considered(considered)
}

pub(crate) fn clean<'e>(scope: &Scope<'e>, what: Cleanliness, tool: Option<&str>) -> Verdict<'e> {
    let runs = checks_meant(scope, what, tool);
    let considered: Vec<String> = runs.iter().take(10).map(|run| line(run)).collect();
    let is_meant = |(kind, name): &(Cleanliness, String)| is_meant(*kind, name, what, tool);
    let (runs, is_unchecked) = without_unchecked(runs, is_meant);
    let mut latest: Vec<&RunFacts> = Vec::new();
    for run in runs {
        if !latest.iter().any(|newer| is_done_again(run, newer)) {
            latest.push(run);
        }
    }
    let Some(first) = latest.first().copied() else {
        let name = tool.map_or_else(|| format!("{what:?}").to_lowercase(), str::to_owned);
        return Verdict::unsupported(format!("no recorded run of {name} is in scope")).considered(considered);
    };
    let outcome = |run: &RunFacts| match scope.named {
        Some(named) => command::judge_named(&run.recorded(), named),
        None => command::judge_check(&run.recorded(), is_meant),
    };
    let verdict = if is_unchecked {
        // How it ended says nothing, but what it found was found.
        found_by(&latest, scope.text).unwrap_or_else(|| unchecked(first))
    } else if outcome(first) == Outcome::Unknown {
        Verdict::unsupported(hidden(first)).on(first, "exit", format!("exit {}", first.exit))
    } else {
        latest.retain(|run| outcome(run) != Outcome::Unknown);
        let verdict = weigh_checks(&latest, scope);
        let is_verified = verdict.status == ClaimStatus::Verified;
        is_verified.then(|| of_part(scope, first, Some(what))).flatten().unwrap_or(verdict)
    };
    verdict.considered(considered)
}

/// `cargo clippy` is told as clippy, `npx tsc` as tsc.
fn is_meant(kind: Cleanliness, name: &str, what: Cleanliness, tool: Option<&str>) -> bool {
    tool.map_or(kind == what, |tool| tool.contains(name) || name.contains(tool))
}

/// Runs that a claim about cleanliness may mean.
fn checks_meant<'e>(scope: &Scope<'e>, what: Cleanliness, tool: Option<&str>) -> Vec<&'e RunFacts> {
    let is_check = |run: &&RunFacts| {
        command::checks(&run.command).iter().any(|(kind, name)| is_meant(*kind, name, what, tool))
    };
    let mut runs: Vec<&RunFacts> = scope.runs.iter().copied().filter(is_check).collect();
    // A tool that lints and formats is meant as what is said of it.
    let is_kind = |run: &&RunFacts| command::checks(&run.command).iter().any(|(kind, _)| *kind == what);
    if runs.iter().any(is_kind) {
        runs.retain(is_kind);
    }
    // A command that is named and said to build is the build, whatever it is called.
    let is_other =
        |run: &&RunFacts| command::runs_tests(&run.command) || !command::checks(&run.command).is_empty();
    if runs.is_empty() && scope.bound && what == Cleanliness::Build && !scope.runs.iter().any(is_other) {
        runs = scope.runs.clone();
    }
    of_named_files(&mut runs, scope.text);
    // A build of another profile says nothing about this one.
    for profile in ["release", "production", "docker"] {
        if what == Cleanliness::Build && scope.says(profile) && !scope.bound {
            runs.retain(|run| run.command.contains(profile) || run.command.starts_with("npm"));
        }
    }
    runs
}

/// What runs say whose exit status is that of the check.
fn weigh_checks<'e>(latest: &[&'e RunFacts], scope: &Scope<'e>) -> Verdict<'e> {
    let Some(first) = latest.first().copied() else { return Verdict::unsupported("no run of it is known") };
    let denies = denies_warnings(scope.text);
    let warns = |run: &RunFacts| denies && run.warnings.unwrap_or(0) > 0;
    let on = |verdict: Verdict<'e>, run: &'e RunFacts| verdict.on(run, "exit", format!("exit {}", run.exit));
    let ended = |run: &RunFacts| format!("`{}` ended with {}", run.command, run.exit);
    if let Some(run) = latest.iter().copied().find(|run| run.exit != 0) {
        let are_bad = latest.iter().all(|run| run.exit != 0 || warns(run));
        return match latest.len() == 1 || are_bad {
            true => on(Verdict::contradicted(ended(run)), run),
            false => on(Verdict::ambiguous(format!("{}, others with 0", ended(run))), run),
        };
    }
    let told = found_by(latest, scope.text);
    let is_of_first = |told: &Verdict<'_>| told.run.is_some_and(|run| run.run == first.run || warns(run));
    if let Some(told) = told.filter(is_of_first) {
        return told;
    }
    on(Verdict::verified(ended(first)), first)
}

/// A contradiction by what a tool printed: a finding, or warnings where none are claimed.
fn found_by<'e>(runs: &[&'e RunFacts], text: &str) -> Option<Verdict<'e>> {
    let denies = denies_warnings(text);
    runs.iter().copied().find_map(|run| {
        let warnings = run.warnings.filter(|count| denies && *count > 0);
        let why = match (checks::find_fault(&run.recorded()), warnings) {
            (Some(told), _) => {
                format!("`{}` told {}", run.command, told.trim().chars().take(80).collect::<String>())
            }
            (None, Some(count)) => format!("`{}` gave {count} warnings", run.command),
            (None, None) => return None,
        };
        Some(Verdict::contradicted(why).on(run, "exit", format!("exit {}", run.exit)))
    })
}

/// Leaves out runs of a tool that checked nothing where another one did. Says whether none did.
fn without_unchecked(
    runs: Vec<&RunFacts>,
    is_meant: impl Fn(&(Cleanliness, String)) -> bool,
) -> (Vec<&RunFacts>, bool) {
    let is_tool = |run: &RunFacts| command::checks(&run.command).iter().any(&is_meant);
    let is_hidden = |run: &RunFacts| command::judge_check(&run.recorded(), &is_meant) == Outcome::Unknown;
    let is_checked = |run: &&RunFacts| {
        !is_tool(run)
            || is_hidden(run)
            || command::shows_fault(&run.recorded())
            || command::proves_check(&run.recorded(), &is_meant)
    };
    let checked: Vec<&RunFacts> = runs.iter().copied().filter(is_checked).collect();
    let is_unchecked = checked.is_empty() && !runs.is_empty();
    (if is_unchecked { runs } else { checked }, is_unchecked)
}

fn unchecked(run: &RunFacts) -> Verdict<'_> {
    let why = match run.unknown_programs.first() {
        Some(name) => format!("`{name}` is not known to be an installed program"),
        None if checks::found_no_files(&run.recorded()) => {
            format!("`{}` found no files to check", run.command)
        }
        None => format!("`{}` can end with 0 whatever there is to find", run.command),
    };
    Verdict::unsupported(why).on(run, "exit", format!("exit {}", run.exit))
}

/// Whether a tool ran in a form that says nothing by ending with 0.
pub(super) fn is_unchecked(run: &RunFacts) -> bool {
    let is_believed = run.unknown_programs.is_empty() && command::proves_check(&run.recorded(), |_| true);
    run.exit == 0 && !command::checks(&run.command).is_empty() && !is_believed
}

/// Where a check that ended well says nothing about what is claimed: another program, nothing at all, or a part of the project.
fn of_part<'e>(scope: &Scope<'e>, run: &'e RunFacts, what: Option<Cleanliness>) -> Option<Verdict<'e>> {
    let checks = command::checks(&run.command);
    if run.exit != 0 || checks.is_empty() {
        return None;
    }
    if !run.unknown_programs.is_empty() || checks::found_no_files(&run.recorded()) {
        return Some(unchecked(run));
    }
    let is_build = |kind: &Cleanliness| *kind == Cleanliness::Build;
    if scope.bound || what.as_ref().map_or_else(|| checks.iter().any(|(kind, _)| is_build(kind)), is_build) {
        return None;
    }
    let part = checks::unnamed_part(&run.recorded(), scope.text)?;
    let why = format!("`{}` checked {part} only", run.command);
    Some(Verdict::unsupported(why).on(run, "cmd", run.command.clone()))
}

/// A run that failed denies that there were no errors. What else a run printed is not judged.
pub(crate) fn absent<'e>(scope: &Scope<'e>, what: Unwanted) -> Verdict<'e> {
    let verdict = match scope.latest().as_slice() {
        [run] if run.exit != 0 && what != Unwanted::Warnings => Verdict::contradicted(format!(
            "`{}` ended with {}",
            run.command, run.exit
        ))
        .on(run, "exit", run.exit.to_string()),
        _ => {
            let why = "what was not printed is not judged: claim the exit code, or a clean check";
            Verdict::of(ClaimStatus::NotJudged, why.to_owned())
        }
    };
    verdict.considered(scope.looked_at())
}

/// `with 2 warnings` counts them, and denies none.
fn denies_warnings(text: &str) -> bool {
    static DENIES: LazyLock<Regex> = LazyLock::new(|| {
        pattern(r"\b(?:no|zero|0|without|free of|not|never)\b(?: \w+){0,4}? warnings?\b|\bwarning[- ]free\b")
    });
    DENIES.is_match(text.to_lowercase().as_bytes())
}

/// Whether a newer run of the same tool did it again: what compiles one file says nothing about another one.
fn is_done_again(run: &RunFacts, newer: &RunFacts) -> bool {
    let tools = |run: &RunFacts| -> Vec<(Cleanliness, String)> { command::checks(&run.command) };
    let names = |run: &RunFacts| tools(run).into_iter().map(|(_, tool)| tool).collect::<Vec<_>>();
    let is_build = tools(run).iter().any(|(kind, _)| *kind == Cleanliness::Build);
    let again = command::source_files(&newer.command);
    names(run) == names(newer)
        && (!is_build || command::source_files(&run.command).iter().all(|file| again.contains(file)))
}

/// A file that is said to be clean is clean by a check of that file, and by none of another.
fn of_named_files(runs: &mut Vec<&RunFacts>, text: &str) {
    let name =
        |word: &str| word.trim_end_matches(['.', ':']).rsplit('/').next().unwrap_or_default().to_owned();
    let said = command::words(&text.replace(['`', ','], " "));
    let named: Vec<String> =
        said.iter().map(|word| name(word)).filter(|word| command::is_source(word)).collect();
    if !named.is_empty() {
        runs.retain(|run| {
            let files = command::source_files(&run.command);
            files.is_empty() || files.iter().any(|file| named.contains(&name(file)))
        });
    }
}
