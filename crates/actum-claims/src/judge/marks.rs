//! Commits, runs of tracking systems, packages, seeds, devices.

use super::scope::Scope;
use super::verdict::Verdict;
use crate::evidence::RunFacts;
use actum_commands::git;
use actum_output::PrintedLine;

pub(crate) fn commit<'e>(scope: &Scope<'e>, hash: &str, ran_at: bool) -> Verdict<'e> {
    let considered: Vec<String> = scope
        .runs
        .iter()
        .take(10)
        .filter_map(|run| Some(format!("actum:{}: commit {}", run.run, run.commit.as_ref()?)))
        .collect();
    let at = |run: &&RunFacts| run.commit.as_ref().is_some_and(|commit| commit.starts_with(hash));
    // The head of today is where the newest run was made.
    let lower = scope.text.to_lowercase();
    let says_head = lower.find(hash).is_some_and(|at| {
        let words = lower[..at].split(|c: char| !c.is_alphanumeric() && c != '~' && c != '^');
        words.rev().filter(|word| !word.is_empty()).take(5).any(|word| word == "head")
    });
    let newest = scope.runs.iter().copied().find(|run| run.commit.is_some());
    if let Some(run) = newest.filter(|run| says_head && !at(run)) {
        let seen = run.commit.clone().unwrap_or_default();
        return Verdict::contradicted(format!(
            "the newest run was made at {}",
            seen.get(..10).unwrap_or(&seen)
        ))
        .on(run, "git", seen)
        .ageless()
        .considered(considered);
    }
    // What differs from a commit is told only after the commit itself was read; a reference can name one that is not there.
    // Where a run was made is told by the reference alone.
    let is_read = |run: &&RunFacts| run.dirty.is_some() || ran_at;
    if let Some(run) = scope.runs.iter().copied().filter(at).find(is_read) {
        let observed = run.commit.clone().unwrap_or_default();
        let verdict = Verdict::verified("a recorded run was made at it").on(run, "git", observed);
        let verdict =
            if run.dirty == Some(true) { verdict.note("files differed from the commit") } else { verdict };
        return verdict.ageless().considered(considered);
    }
    if let Some((run, line)) = told_by_git(scope, hash) {
        let piece = format!("{}:L{}-L{}", line.stream, line.number, line.number);
        let shown: String = line.text.trim().chars().take(80).collect();
        return Verdict::verified("git told of it").on(run, &piece, shown).ageless().considered(considered);
    }
    for run in &scope.runs {
        // Hooks print to stderr.
        let stdout = run.printed.iter().filter(|line| line.stream == "stdout");
        let commits = git::prints_only_git(&run.recorded(), &["commit"]) && run.exit == 0;
        let mut told =
            stdout.filter_map(|line| Some((line, git::made_commit(&line.text)?))).filter(|_| commits);
        let (Some((line, made)), None) = (told.next(), told.next()) else { continue };
        let piece = format!("{}:L{}-L{}", line.stream, line.number, line.number);
        let held = hash.starts_with(made) || made.starts_with(hash);
        let why = format!("git made commit {made}");
        let verdict = if held { Verdict::verified(why) } else { Verdict::contradicted(why) };
        return verdict.on(run, &piece, made).ageless().considered(considered);
    }
    let newest = scope.runs.iter().find(|run| run.commit.is_some());
    match newest.filter(|_| ran_at) {
        Some(run) => {
            let seen = run.commit.clone().unwrap_or_default();
            Verdict::contradicted(format!("the newest run was made at {}", seen.get(..10).unwrap_or(&seen)))
                .on(run, "git", seen)
                .ageless()
                .considered(considered)
        }
        None => Verdict::unsupported(format!("no recorded run was made at {hash} or made it"))
            .considered(considered),
    }
}

/// A line of `git log --oneline` that begins with a commit. Other forms of it can be set to print anything.
fn told_by_git<'e>(scope: &Scope<'e>, hash: &str) -> Option<(&'e RunFacts, &'e PrintedLine)> {
    let begins = |line: &&PrintedLine| {
        let word = line.text.split(' ').next().unwrap_or_default();
        word.len() >= 7
            && word.bytes().all(|byte| byte.is_ascii_hexdigit())
            && (word.starts_with(hash) || hash.starts_with(word))
            && line.stream == "stdout"
    };
    let runs = scope.runs.iter().copied().filter(|run| git::prints_only_short_log(&run.recorded()));
    runs.into_iter().find_map(|run| Some((run, run.printed.iter().find(begins)?)))
}

pub(crate) fn run_id<'e>(scope: &Scope<'e>, system: &str, id: &str) -> Verdict<'e> {
    match system {
        "actum" => of_ours(scope, id),
        "mlflow" => of_mlflow(scope, id),
        other => Verdict::unsupported(format!(
            "no store of {other} can be asked here, and a printed line alone is not evidence"
        )),
    }
}

fn of_ours<'e>(scope: &Scope<'e>, id: &str) -> Verdict<'e> {
    match scope.runs.iter().find(|run| run.run.eq_ignore_ascii_case(id)) {
        Some(run) => Verdict::verified("the ledger has this run").on(run, "cmd", run.command.clone()),
        None => Verdict::unsupported("no run of this name is in scope"),
    }
}

/// The store has to know it, and a recorded run has to have produced it.
fn of_mlflow<'e>(scope: &Scope<'e>, id: &str) -> Verdict<'e> {
    let is_form = id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    let tracked =
        scope.evidence.tracked.iter().find(|one| one.system == "mlflow" && one.id.eq_ignore_ascii_case(id));
    let produced = |run: &&&RunFacts, id: &str, path: &str| {
        let printed = run.printed.iter().any(|line| line.text.to_lowercase().contains(&id.to_lowercase()));
        let wrote = run
            .wrote
            .iter()
            .any(|wrote| wrote.how != "deleted" && (wrote.path.contains(id) || wrote.path == path));
        run.applied && wrote && (printed || run.wrote.iter().any(|wrote| wrote.path.contains(id)))
    };
    let considered: Vec<String> =
        scope.evidence.tracked.iter().take(10).map(|one| format!("{} knows {}", one.path, one.id)).collect();
    let verdict = match tracked {
        Some(tracked) => match scope.runs.iter().find(|run| produced(run, &tracked.id, &tracked.path)) {
            Some(run) => {
                let line =
                    run.printed.iter().find(|line| line.text.to_lowercase().contains(&id.to_lowercase()));
                let file = run
                    .wrote
                    .iter()
                    .find(|wrote| wrote.path.contains(&tracked.id) || wrote.path == tracked.path)
                    .map(|wrote| wrote.path.as_str());
                let piece = file.map(|path| format!("file/{path}")).or_else(|| {
                    line.map(|line| format!("{}:L{}-L{}", line.stream, line.number, line.number))
                });
                Verdict::verified(format!("{} knows it, and this run produced it", tracked.path))
                    .on(run, &piece.unwrap_or_else(|| "stdout".to_owned()), tracked.id.clone())
                    .ageless()
            }
            None => {
                Verdict::unsupported(format!("{} knows it, but no recorded run produced it", tracked.path))
            }
        },
        None if !is_form => Verdict::unsupported(
            "it is not an id of MLflow, which has 32 hexadecimal digits, and no store knows it",
        ),
        None => Verdict::unsupported(
            "no tracking store in the workspace knows it, and a printed line alone is not evidence",
        ),
    };
    verdict.considered(considered)
}

pub(crate) fn installed<'e>(scope: &Scope<'e>, package: &str, version: Option<&str>) -> Verdict<'e> {
    let wanted = plain(package);
    let mut considered = Vec::new();
    for run in &scope.runs {
        let Some(found) = run.packages.iter().find(|one| plain(&one.name) == wanted) else { continue };
        considered.push(format!("actum:{}: {} {}", run.run, found.name, found.version));
        let piece = found.printed_line.map_or("env".to_owned(), |line| format!("stdout:L{line}-L{line}"));
        let observed = format!("{} {}", found.name, found.version);
        let held = version.is_none_or(|version| is_version(&found.version, version));
        if found.printed_line.is_some() && run.exit != 0 {
            return Verdict::unsupported(format!("the installer ended with {}", run.exit))
                .on(run, &piece, observed)
                .considered(considered);
        }
        let why = format!("it was there as {}", found.version);
        let verdict = if held { Verdict::verified(why) } else { Verdict::contradicted(why) };
        return verdict.on(run, &piece, observed).of_named().considered(considered);
    }
    Verdict::unsupported(format!("no recorded run had {package} in its environment, or installed it"))
        .considered(considered)
}

/// Names of packages differ in dashes and capitals only; some have a second name.
fn plain(name: &str) -> String {
    let name = name.to_lowercase().replace(['_', '.'], "-");
    match name.as_str() {
        "sklearn" => "scikit-learn".to_owned(),
        "pytorch" => "torch".to_owned(),
        "python3" => "python".to_owned(),
        _ => name,
    }
}

/// `1.26` is true of 1.26.4, and `1.2` is not.
fn is_version(seen: &str, told: &str) -> bool {
    let (seen, told) = (seen.trim_start_matches('v'), told.trim_start_matches('v'));
    // `12.2.0-14+deb12u1` is a distributor's 12.2.0; `12.2.0-rc1` is none.
    let is_packed = |rest: &str| {
        rest.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    seen == told
        || seen.strip_prefix(told).is_some_and(|rest| rest.starts_with(['.', '+']) || is_packed(rest))
}

/// `training used …` is told of the run that is called so, and of others only where there is none.
fn told_of<'e>(scope: &Scope<'e>) -> Vec<&'e RunFacts> {
    let named = super::naming::named(scope.text, &scope.runs);
    if scope.bound || named.is_empty() { scope.runs.clone() } else { named }
}

pub(crate) fn seed<'e>(scope: &Scope<'e>, value: i64) -> Verdict<'e> {
    let considered = scope.looked_at();
    for run in told_of(scope) {
        let Some(first) = run.seeds.first() else { continue };
        let piece = if first.from == "stdout" { "stdout" } else { "cmd" };
        let values: Vec<i64> = run.seeds.iter().map(|seed| seed.value).collect();
        let shown = values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let agree = values.iter().all(|one| *one == values[0]);
        let verdict = match (values.contains(&value), agree) {
            (true, true) => Verdict::verified(format!("the run used it, by its {}", first.from)),
            (true, false) if scope.says("seeds") => Verdict::verified(format!("the run used {shown}")),
            (true, false) => Verdict::ambiguous(format!("the run used several seeds: {shown}")),
            (false, _) => Verdict::contradicted(format!("the run used {shown}, by its {}", first.from)),
        };
        return verdict.on(run, piece, shown).considered(considered);
    }
    Verdict::unsupported("no recorded run tells its seed").considered(considered)
}
