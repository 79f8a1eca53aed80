//! Commands that ran, how they ended, what linters, type checkers and builds said.

use super::meant;
use super::naming;
use super::scope::{Scope, line};
use super::tests_run;
use super::verdict::Verdict;
use crate::bounds::{NOT_JUDGED, NOT_READ};
use crate::evidence::RunFacts;
use crate::stance::pattern;
use actum_commands::checkers;
use actum_commands::command::{self, Same};
use actum_commands::fate::{self, Fate};
use actum_commands::selection::Selection;
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
        |(run, same): (&'e RunFacts, Same)| (run, same, command::fate_of_named(&run.recorded(), what));
    let found = named
        .first()
        .copied()
        .map(by_name)
        .or_else(|| {
            of_test_file(scope, what).map(|(run, same)| (run, same, command::fate_of_tests(&run.recorded())))
        })
        .or_else(|| {
            let of_kind = of_kind(scope, what).map(|(run, same)| (run, same, fate_of_kind(run, what)));
            let of_name = || of_name(scope, what);
            let of_name = || of_name().map(|(run, same)| (run, same, fate::whole(&run.command, run.exit)));
            of_kind.or_else(of_name).filter(|_| !is_command)
        });
    let Some((run, same, fate)) = found else {
        let near = scope.runs.iter().find(|run| command::same(&run.command, what) == Some(Same::Narrower));
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
    if let Some(verdict) = of_fate(run, fate, well) {
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
    let is_open = same == Same::Narrower
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
        if same == Same::Switches { verdict.note(format!("it ran as `{}`", run.command)) } else { verdict };
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
    } else if !Selection::of(&run.recorded()).is_all_of(&format!("{} {what}", scope.text)) {
        Verdict::unsupported(format!("`{}` chose some of the tests, or ran none", run.command))
    } else {
        return None;
    };
    Some(verdict.on(run, "cmd", run.command.clone()))
}

/// Where the status of a run's line is not that of the command which is meant, or it was not found.
fn of_fate(run: &RunFacts, fate: Fate, well: bool) -> Option<Verdict<'_>> {
    let not_started: [i32; 2] = [ExitCode::NOT_EXECUTABLE.into(), ExitCode::NOT_FOUND.into()];
    let verdict = match fate {
        Fate::Decides if not_started.contains(&run.exit) => {
            let why =
                format!("`{}` ended with {}, as a command that could not be started", run.command, run.exit);
            if well { Verdict::contradicted(why) } else { Verdict::unsupported(why) }
        }
        Fate::Decides => return None,
        Fate::NotWell if well => return None,
        Fate::NotWell | Fate::Unknown => Verdict::unsupported(hidden(run)),
    };
    Some(verdict.on(run, "exit", format!("exit {}", run.exit)))
}

/// Why a line supports nothing about a command in it.
fn hidden(run: &RunFacts) -> String {
    format!("`{}` need not have run it, or its exit status is not the one of the line", run.command)
}

/// What a run's status says about the kind of work that is meant.
fn fate_of_kind(run: &RunFacts, what: &str) -> Fate {
    let checks = |kind: Cleanliness| command::fate_of_check(&run.recorded(), |(what, _)| *what == kind);
    match what {
        _ if what.contains("test") || what.contains("suite") => {
            // Counts of a runner show that it ran.
            let counted = if run.tests.is_some() && run.exit == 0 { Fate::NotWell } else { Fate::Unknown };
            command::fate_of_tests(&run.recorded()).max(counted)
        }
        _ if what.contains("lint") => checks(Cleanliness::Lint),
        _ if what.contains("type") => checks(Cleanliness::Types),
        "build" => checks(Cleanliness::Build),
        _ => fate::whole(&run.command, run.exit),
    }
}

/// The runs of a command that was named, newest first. Files that the sentence names choose among runs of one program with several.
fn of_command<'e>(scope: &Scope<'e>, what: &str) -> Vec<(&'e RunFacts, Same)> {
    let is_test = command::runs_tests(what) || !command::checks(what).is_empty();
    let fits = |run: &&'e RunFacts| {
        let same = command::same(&run.command, what)?;
        // Of tests and checks a part is not the whole; a program with more arguments is still that program.
        (same > Same::Narrower || !is_test).then_some((*run, same))
    };
    let mut found: Vec<(&'e RunFacts, Same)> = scope.runs.iter().filter_map(fits).collect();
    let mut chosen: Vec<&RunFacts> = found.iter().map(|(run, _)| *run).collect();
    meant::prune(scope.text, &mut chosen);
    found.retain(|(run, _)| chosen.iter().any(|one| one.run == run.run));
    found
}

/// `ran tests/test_cli.py`: whoever had a runner run it.
fn of_test_file<'e>(scope: &Scope<'e>, what: &str) -> Option<(&'e RunFacts, Same)> {
    let is_path = !what.contains(' ') && what.contains('.');
    let names_it = |run: &&'e RunFacts| {
        command::runs_tests(&run.command)
            && command::words(&run.command).iter().any(|word| word.split("::").next() == Some(what))
    };
    scope.runs.iter().copied().filter(|_| is_path).find(names_it).map(|run| (run, Same::Switches))
}

/// The newest run of a kind of work: `the tests`, `the linter`, `the script`.
fn of_kind<'e>(scope: &Scope<'e>, what: &str) -> Option<(&'e RunFacts, Same)> {
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
        _ if what.starts_with("benchmark") => run.command.contains("bench"),
        _ if what.contains("training") => {
            run.command.contains("train") || run.metrics.iter().any(|metric| metric.step.is_some())
        }
        _ if what.contains("evaluation") => run.command.contains("eval"),
        _ if what.contains("notebook") => run.command.contains(".ipynb"),
        _ if what.contains("migration") => run.command.contains("migrat"),
        "make" => run.command.starts_with("make"),
        _ if [
            "script",
            "program",
            "code",
            "command",
            "pipeline",
            "experiment",
            "simulation",
            "example",
            "job",
            "app",
            "application",
            "process",
        ]
        .iter()
        .any(|word| what.contains(word)) =>
        {
            is_program(run)
        }
        _ => false,
    };
    let same = if what.contains("test") { Same::Exactly } else { Same::Switches };
    let generic = !["test", "suite", "lint"].iter().any(|word| what.contains(word));
    let mut found = scope.runs.iter().filter(is_kind);
    // Of several runs of tests the newest of all of them is meant, and one that still stands.
    let is_whole =
        |run: &&&RunFacts| !is_of_tests(what) || Selection::of(&run.recorded()).is_all_of(scope.text);
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

/// The newest run of what a word names: `the import` of `import_users.py`; none where several of it ended differently.
fn of_name<'e>(scope: &Scope<'e>, what: &str) -> Option<(&'e RunFacts, Same)> {
    let found: Vec<&'e RunFacts> =
        scope.latest().into_iter().filter(|run| naming::is_called(what, run)).collect();
    let first = found.first().copied()?;
    found.iter().all(|run| (run.exit == 0) == (first.exit == 0)).then_some((first, Same::Switches))
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
    let fate = |run: &RunFacts| match scope.named {
        Some(named) => command::fate_of_named(&run.recorded(), named),
        // How a line failed is told of the line.
        None if code != 0 && run.exit == code => Fate::Decides,
        None => fate::whole(&run.command, run.exit),
    };
    let is_hidden = |run: &&RunFacts| match fate(run) {
        Fate::Unknown => scope.named.is_some() || run.exit == 0,
        Fate::NotWell => run.exit == code && scope.named.is_none(),
        Fate::Decides => false,
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
    let Checks { runs, is_script } = checks_meant(scope, what, tool);
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
    let fate = |run: &RunFacts| match scope.named {
        Some(named) => command::fate_of_named(&run.recorded(), named),
        None if is_script => fate::of(&run.command, run.exit, command::builds_by_name),
        None => command::fate_of_check(&run.recorded(), is_meant),
    };
    let verdict = if is_unchecked {
        // How it ended says nothing, but what it found was found.
        found_by(&latest, scope.text).unwrap_or_else(|| unchecked(first))
    } else if fate(first) == Fate::Unknown {
        Verdict::unsupported(hidden(first)).on(first, "exit", format!("exit {}", first.exit))
    } else {
        latest.retain(|run| fate(run) != Fate::Unknown);
        let verdict = weigh_checks(&latest, scope, is_script);
        let is_verified = verdict.status == ClaimStatus::Verified;
        is_verified.then(|| of_part(scope, first, Some(what))).flatten().unwrap_or(verdict)
    };
    verdict.considered(considered)
}

/// Runs that a claim about cleanliness may mean.
struct Checks<'e> {
    runs: Vec<&'e RunFacts>,
    /// No known builder ran, and these are scripts that are called after building.
    is_script: bool,
}

/// `cargo clippy` is told as clippy, `npx tsc` as tsc.
fn is_meant(kind: Cleanliness, name: &str, what: Cleanliness, tool: Option<&str>) -> bool {
    tool.map_or(kind == what, |tool| tool.contains(name) || name.contains(tool))
}

fn checks_meant<'e>(scope: &Scope<'e>, what: Cleanliness, tool: Option<&str>) -> Checks<'e> {
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
    // A script that is called after building is the build where no known builder ran.
    let is_script = runs.is_empty() && what == Cleanliness::Build && tool.is_none() && !scope.bound;
    if is_script {
        runs = scope.runs.iter().copied().filter(|run| command::is_build_script(&run.command)).collect();
    }
    of_named_files(&mut runs, scope.text);
    of_named_targets(&mut runs, scope.text);
    // A build of another profile says nothing about this one.
    for profile in ["release", "production", "docker"] {
        if what == Cleanliness::Build && scope.says(profile) && !scope.bound {
            runs.retain(|run| run.command.contains(profile) || run.command.starts_with("npm"));
        }
    }
    Checks { runs, is_script }
}

/// What runs say whose exit status is that of the check.
fn weigh_checks<'e>(latest: &[&'e RunFacts], scope: &Scope<'e>, is_script: bool) -> Verdict<'e> {
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
    // What a script says of itself is all that is known of its warnings.
    match free(first, Unwanted::Warnings) {
        (true, why) if is_script && scope.says("warning") => on(Verdict::verified(why), first),
        (false, why) if is_script && scope.says("warning") => on(Verdict::contradicted(why), first),
        (_, _) => on(Verdict::verified(ended(first)), first),
    }
}

/// A contradiction by what a tool printed: a finding, or warnings where none are claimed.
fn found_by<'e>(runs: &[&'e RunFacts], text: &str) -> Option<Verdict<'e>> {
    let denies = denies_warnings(text);
    runs.iter().copied().find_map(|run| {
        let warnings = run.warnings.filter(|count| denies && *count > 0);
        let why = match (checkers::finding(&run.recorded()), warnings) {
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
    let is_hidden = |run: &RunFacts| command::fate_of_check(&run.recorded(), &is_meant) == Fate::Unknown;
    let is_checked = |run: &&RunFacts| {
        !is_tool(run)
            || is_hidden(run)
            || command::is_faulted(&run.recorded())
            || command::is_checked(&run.recorded(), &is_meant)
    };
    let checked: Vec<&RunFacts> = runs.iter().copied().filter(is_checked).collect();
    let is_unchecked = checked.is_empty() && !runs.is_empty();
    (if is_unchecked { runs } else { checked }, is_unchecked)
}

fn unchecked(run: &RunFacts) -> Verdict<'_> {
    let why = match run.unknown_programs.first() {
        Some(name) => format!("`{name}` is not known to be an installed program"),
        None if found_no_files(run) => format!("`{}` found no files to check", run.command),
        None => format!("`{}` can end with 0 whatever there is to find", run.command),
    };
    Verdict::unsupported(why).on(run, "exit", format!("exit {}", run.exit))
}

/// Whether a tool ran in a form that says nothing by ending with 0.
pub(super) fn is_unchecked(run: &RunFacts) -> bool {
    let is_believed = run.unknown_programs.is_empty() && command::is_checked(&run.recorded(), |_| true);
    run.exit == 0 && !command::checks(&run.command).is_empty() && !is_believed
}

/// Where a check that ended well says nothing about what is claimed: another program, nothing at all, or a part of the project.
fn of_part<'e>(scope: &Scope<'e>, run: &'e RunFacts, what: Option<Cleanliness>) -> Option<Verdict<'e>> {
    let checks = command::checks(&run.command);
    if run.exit != 0 || checks.is_empty() {
        return None;
    }
    if !run.unknown_programs.is_empty() || found_no_files(run) {
        return Some(unchecked(run));
    }
    let is_build = |kind: &Cleanliness| *kind == Cleanliness::Build;
    if scope.bound || what.as_ref().map_or_else(|| checks.iter().any(|(kind, _)| is_build(kind)), is_build) {
        return None;
    }
    let part = unnamed_part(run, scope.text)?;
    let why = format!("`{}` checked {part} only", run.command);
    Some(Verdict::unsupported(why).on(run, "cmd", run.command.clone()))
}

/// `No Python files found under the given path(s)`: a tool that ended well because it had nothing to look at.
fn found_no_files(run: &RunFacts) -> bool {
    static NOTHING: LazyLock<Regex> = LazyLock::new(|| {
        pattern(concat!(
            r"\b(?:no|0|zero) (?:[a-z]+ ){0,2}files? (?:were |was )?(?:found|checked|matched|to (?:check|lint|format))\b",
            r"|\bnothing to (?:check|lint)\b"
        ))
    });
    run.printed.iter().any(|line| NOTHING.is_match(line.text.to_lowercase().as_bytes()))
}

/// What a tool was given where that is only a part of the project, and the claim does not say so.
fn unnamed_part(run: &RunFacts, text: &str) -> Option<String> {
    const SOURCES: [&str; 16] =
        ["py", "pyi", "js", "jsx", "ts", "tsx", "mjs", "rs", "go", "c", "cc", "cpp", "h", "sh", "rb", "java"];
    const WHOLE: [&str; 9] =
        ["whole", "entire", "all", "everywhere", "anywhere", "project", "repository", "repo", "codebase"];
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !(c.is_alphanumeric() || "._-/".contains(c)))
        .map(|word| word.trim_end_matches('.'))
        .collect();
    let is_whole = words.iter().any(|word| WHOLE.contains(word));
    let names = |path: &str| {
        let path = path.trim_end_matches('/').to_lowercase();
        let last = path.rsplit('/').next().unwrap_or_default();
        words.iter().any(|word| *word == path || *word == last)
    };
    let parts = command::crude_parts(&run.command);
    let entered = parts.iter().filter(|part| part[0] == "cd").filter_map(|part| part.get(1));
    let checks = parts.iter().filter(|part| !command::checks(&part.join(" ")).is_empty());
    let given = checks.flat_map(|part| part.iter().skip(1).filter(|word| !word.starts_with('-')));
    let is_source = |word: &str| word.rsplit_once('.').is_some_and(|(_, ending)| SOURCES.contains(&ending));
    let is_folder = |word: &str| word.contains('/') && ![".", "./", "./..."].contains(&word);
    let mut open = given
        .filter(|word| is_source(word) || is_whole && is_folder(&format!("{word}/")) && is_path(word))
        .chain(entered.filter(|_| is_whole));
    open.find(|word| !names(word)).cloned()
}

/// A word that can be a folder, and is neither the project nor a subcommand.
fn is_path(word: &str) -> bool {
    const OTHERS: [&str; 12] =
        ["check", "lint", "run", "build", "clippy", "vet", "format", "fmt", ".", "./", "./...", "exec"];
    !OTHERS.contains(&word) && command::checks(word).is_empty()
}

pub(crate) fn absent<'e>(scope: &Scope<'e>, what: Unwanted) -> Verdict<'e> {
    let considered = scope.looked_at();
    let latest = scope.latest();
    let named = if scope.bound { latest.clone() } else { naming::named(scope.text, &latest) };
    if named.is_empty() && latest.len() > 1 && !naming::is_general(scope.text) {
        return Verdict::unsupported("it is not known which run is meant").considered(considered);
    }
    let mut about = if named.is_empty() { latest } else { named };
    // A run that broke off did not come to its warnings, and errors of data are told by who counted them.
    if what == Unwanted::Warnings && about.iter().any(|run| run.exit == 0) {
        about.retain(|run| run.exit == 0);
    }
    let counted = |run: &&RunFacts| counted(run, what).is_some();
    if scope.bound && about.iter().any(counted) {
        about.retain(counted);
    }
    let Some(newest) = about.first().copied() else {
        return Verdict::unsupported("no recorded run is in scope").considered(considered);
    };
    let verdicts: Vec<(bool, String, &'e RunFacts)> = about
        .iter()
        .map(|run| {
            let (held, why) = match self::counted(run, what) {
                Some(told) => (false, format!("`{}` told {told}", run.command)),
                None => free(run, what),
            };
            (held, why, *run)
        })
        .collect();
    let bad = verdicts.iter().find(|(held, ..)| !held);
    if bad.is_none()
        && let Some(verdict) = of_part(scope, newest, None)
    {
        return verdict.considered(considered);
    }
    let verdict =
        match bad {
            None if fate::whole(&newest.command, newest.exit) == Fate::Unknown => {
                Verdict::unsupported(hidden(newest)).on(newest, "exit", newest.exit.to_string())
            }
            None if is_unchecked(newest) => unchecked(newest),
            None => Verdict::verified(verdicts[0].1.clone()).on(newest, "exit", verdicts[0].1.clone()),
            Some((_, why, run))
                if about.len() == 1
                    || verdicts.iter().all(|(held, ..)| !held)
                    || naming::speaks_of_all(scope.text)
                    || is_whole_build(&about, scope.text) && !is_again(run, &about) =>
            {
                Verdict::contradicted(why.clone()).on(run, "exit", why.clone())
            }
            Some((_, why, run)) => Verdict::ambiguous(format!("several runs may be meant; in one, {why}"))
                .on(run, "exit", why.clone()),
        };
    verdict.considered(considered)
}

/// `Everything compiles without a warning`: who says so speaks of each of the builds.
fn is_whole_build(about: &[&RunFacts], text: &str) -> bool {
    static WHOLE: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"\b(?:everything|all|whole|entire|complete(?:ly)?|anywhere)\b"));
    let builds =
        |run: &RunFacts| command::checks(&run.command).iter().any(|(kind, _)| *kind == Cleanliness::Build);
    WHOLE.is_match(text.to_lowercase().as_bytes()) && about.iter().all(|run| builds(run))
}

/// Whether one of the newer runs did it again.
fn is_again(run: &RunFacts, about: &[&RunFacts]) -> bool {
    about.iter().take_while(|newer| newer.run != run.run).any(|newer| is_done_again(run, newer))
}

/// `errors: 12`, `3 errors found`: a line by which a run tells how many it met in what it was given.
fn counted(run: &RunFacts, what: Unwanted) -> Option<String> {
    static ERRORS: LazyLock<Regex> = LazyLock::new(|| {
        pattern(r"^\W*(?:total )?errors?(?: count)?\W{1,4}[1-9]\d*\W*$|\b[1-9]\d* errors?\b")
    });
    static WARNINGS: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"^\W*(?:total )?warnings?(?: count)?\W{1,4}[1-9]\d*\W*$"));
    let tells = |line: &str| {
        let line = line.to_lowercase();
        let errors = what != Unwanted::Warnings && ERRORS.is_match(line.as_bytes());
        errors || what != Unwanted::Errors && WARNINGS.is_match(line.as_bytes())
    };
    let told = run.printed.iter().find(|line| line.text.len() <= 200 && tells(&line.text))?;
    Some(told.text.trim().chars().take(80).collect())
}

fn free(run: &RunFacts, what: Unwanted) -> (bool, String) {
    let errors = matches!(what, Unwanted::Errors | Unwanted::ErrorsAndWarnings);
    let warnings = matches!(what, Unwanted::Warnings | Unwanted::ErrorsAndWarnings);
    if run.exit != 0 && errors {
        return (false, format!("`{}` ended with {}", run.command, run.exit));
    }
    if let Some(count) = run.errors.filter(|count| errors && *count > 0) {
        return (false, format!("`{}` told {count} errors", run.command));
    }
    if let Some(count) = run.warnings.filter(|count| warnings && *count > 0) {
        return (false, format!("`{}` told {count} warnings", run.command));
    }
    if let Some(line) = run.printed.iter().find(|line| warnings && is_warning(&line.text)) {
        let shown: String = line.text.trim().chars().take(80).collect();
        return (false, format!("`{}` told {shown}", run.command));
    }
    (true, format!("`{}` ended with {}, and told none", run.command, run.exit))
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
    let again = compiled(newer);
    names(run) == names(newer) && (!is_build || compiled(run).iter().all(|file| again.contains(file)))
}

/// The files of source that a compiler was given.
fn compiled(run: &RunFacts) -> Vec<String> {
    const SOURCES: [&str; 14] =
        ["c", "cc", "cpp", "cxx", "m", "mm", "rs", "java", "kt", "ts", "f90", "hs", "cu", "zig"];
    let is_source = |word: &String| {
        word.rsplit_once('.').is_some_and(|(_, ending)| SOURCES.contains(&ending)) && !word.starts_with('-')
    };
    command::words(&run.command).into_iter().filter(is_source).collect()
}

/// `the demo build`: of several builds the one whose target is named.
fn of_named_targets(runs: &mut Vec<&RunFacts>, text: &str) {
    let said = command::words(&text.replace(['`', ',', ':', '.'], " "));
    let is_named = |run: &&RunFacts| {
        let words = command::words(&run.command);
        let mut targets = words.iter().skip(1).filter(|word| !word.starts_with('-') && word.len() > 2);
        words.first().is_some_and(|first| first == "make") && targets.any(|target| said.contains(target))
    };
    if runs.iter().any(is_named) {
        runs.retain(is_named);
    }
}

/// A file that is said to be clean is clean by a check of that file, and by none of another.
fn of_named_files(runs: &mut Vec<&RunFacts>, text: &str) {
    let is_file = |word: &str| {
        let ending = word.rsplit_once('.').map_or("", |(_, ending)| ending);
        ["py", "js", "ts", "tsx", "rs", "go", "c", "cpp", "sh", "rb"].contains(&ending)
    };
    let named: Vec<String> = command::words(&text.replace(['`', ','], " "))
        .into_iter()
        .map(|word| word.trim_end_matches(['.', ':']).rsplit('/').next().unwrap_or_default().to_owned())
        .filter(|word| is_file(word))
        .collect();
    let files = |run: &RunFacts| -> Vec<String> {
        let words = command::words(&run.command).into_iter().filter(|word| is_file(word));
        words.map(|word| word.rsplit('/').next().unwrap_or_default().to_owned()).collect()
    };
    if !named.is_empty() {
        runs.retain(|run| {
            let files = files(run);
            files.is_empty() || files.iter().any(|file| named.contains(file))
        });
    }
}

/// `built 3 files, 2 warnings`: a number of warnings, but for those that are no more.
fn sums_up(lower: &str) -> bool {
    static SUM: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b[1-9]\d* (?:[a-z-]+ )?warnings?\b"));
    let is_past = ["suppress", "fixed", "resolved", "ignored", "previous", "filtered", "before"];
    SUM.is_match(lower.as_bytes()) && !is_past.iter().any(|word| lower.contains(word))
}

/// `WARNING: no title`, `[warn] slow`, `level=warn`, `warnings=14`: a program's own warning.
fn is_warning(line: &str) -> bool {
    let lower = line.trim().to_lowercase();
    let is_level =
        ["level=warn", "\"level\":\"warn", "\"level\": \"warn"].iter().any(|mark| lower.contains(mark));
    let has_word = line.split(|c: char| !c.is_alphanumeric()).any(|word| word == "WARNING" || word == "WARN");
    let counted = lower.split("warnings").skip(1).any(|behind| {
        let digits = behind.trim_start_matches(['=', ':', ' ']);
        behind.starts_with(['=', ':']) && digits.starts_with(|c: char| ('1'..='9').contains(&c))
    });
    // `UserWarning: the rate is high`, as Python's own and those of its packages are told.
    let is_kind =
        line.split_once("Warning: ").is_some_and(|(before, _)| before.ends_with(char::is_alphabetic));
    if is_level || has_word || counted || is_kind || sums_up(&lower) {
        return true;
    }
    // `convert: warning: no header`, `main.c:4:12: warning: unused`
    if lower.split_once(": warning: ").is_some_and(|(who, _)| who.len() < 80 && !who.contains(' ')) {
        return true;
    }
    let rest = lower.trim_start_matches(['[', '*', '!', ' ']);
    let after = rest.strip_prefix("warning").or_else(|| rest.strip_prefix("warn"));
    after.is_some_and(|after| after.starts_with([':', ']', '!']) || after.starts_with(" -"))
}
