//! Commits, runs of tracking systems, packages, seeds, devices.

use super::interval;
use super::scope::Scope;
use super::verdict::Verdict;
use crate::evidence::RunFacts;
use actum_commands::fate;
use actum_model::Quantity;
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
        let commits = prints_only_git(run, &["commit"]) && run.exit == 0;
        let mut told = stdout.filter_map(|line| Some((line, made(&line.text)?))).filter(|_| commits);
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

/// Whether what a run printed is git's of this repository: nothing else in its line prints a text, and git was asked for one of these.
fn prints_only_git(run: &RunFacts, asked: &[&str]) -> bool {
    let parts = fate::parts(&run.command, run.exit);
    let is_number =
        |word: &str| word.trim_start_matches(['-', 'n']).bytes().all(|byte| byte.is_ascii_digit());
    let is_here = |folder: &str| [run.folder.as_str(), run.workspace.as_str(), "."].contains(&folder);
    let prints_nothing = |words: &[String]| match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        // `git -C other`, `git -c alias.log='!echo'`, `git config`: what stands before the subcommand changes what it means.
        ["git", verb, ..] => !verb.starts_with('-') && verb != "config",
        ["cd", folder] => is_here(folder),
        ["true"] => true,
        ["head" | "tail", ref rest @ ..] => rest.iter().all(|word| word.starts_with('-') && is_number(word)),
        _ => false,
    };
    let asks = |words: &[String]| match words {
        [first, verb, ..] => first == "git" && (asked.is_empty() || asked.contains(&verb.as_str())),
        _ => false,
    };
    // Variables choose another repository, and joined streams mix what hooks print into it.
    let is_plain = !["GIT_", "2>&1", "&>", "|&"].iter().any(|text| run.command.contains(text));
    is_plain
        && !run.is_nested
        && actum_model::command_line::CommandLine::parse(&run.command).is_some()
        && parts.iter().all(|part| prints_nothing(&part.words))
        && parts.iter().any(|part| asks(&part.words))
}

/// A line of `git log --oneline` that begins with a commit. Other forms of it can be set to print anything.
fn told_by_git<'e>(scope: &Scope<'e>, hash: &str) -> Option<(&'e RunFacts, &'e PrintedLine)> {
    const HARMLESS: [&str; 8] = [
        "--oneline",
        "--stat",
        "--shortstat",
        "--name-only",
        "--no-decorate",
        "--first-parent",
        "--all",
        "--reverse",
    ];
    let is_harmless = |word: &&String| {
        !word.starts_with('-')
            || HARMLESS.contains(&word.as_str())
            || word.trim_start_matches(['-', 'n']).bytes().all(|byte| byte.is_ascii_digit())
    };
    let asks_git = |run: &RunFacts| {
        let parts = fate::parts(&run.command, run.exit);
        let mut logs = parts.iter().filter(|part| part.words.first().is_some_and(|first| first == "git"));
        run.exit == 0
            && prints_only_git(run, &["log"])
            && logs.all(|part| {
                part.words.iter().any(|word| word == "--oneline")
                    && part.words.iter().skip(2).all(|word| is_harmless(&word))
            })
    };
    let begins = |line: &&PrintedLine| {
        let word = line.text.split(' ').next().unwrap_or_default();
        word.len() >= 7
            && word.bytes().all(|byte| byte.is_ascii_hexdigit())
            && (word.starts_with(hash) || hash.starts_with(word))
            && line.stream == "stdout"
    };
    let runs = scope.runs.iter().copied().filter(|run| asks_git(run));
    runs.into_iter().find_map(|run| Some((run, run.printed.iter().find(begins)?)))
}

/// What a commit changed, by git's own sum: `2 files changed, 12 insertions(+)`.
/// What git counts in a commit.
pub(super) fn is_of_commit(noun: &str) -> bool {
    ["files changed", "files added", "insertions", "deletions"].contains(&noun)
}

pub(crate) fn changes<'e>(scope: &Scope<'e>, noun: &str, value: &Quantity) -> Verdict<'e> {
    let is_hash = |word: &&str| {
        word.len() >= 7
            && word.bytes().all(|b| b.is_ascii_hexdigit())
            && word.bytes().any(|b| b.is_ascii_digit())
    };
    let text = scope.text.to_lowercase();
    let hash = text.split(|c: char| !c.is_ascii_alphanumeric()).find(is_hash);
    let unknown = || Verdict::unsupported("no recorded run of git tells what it changed");
    let sums = match hash {
        Some(hash) => told_by_git(scope, hash).and_then(|(run, line)| Some((run, sum_from(run, line)?))),
        None => only_sum(scope),
    };
    let Some((run, sum)) = sums else { return unknown() };
    if noun == "files added" {
        return added(run, sum, value);
    }
    let word = noun.split(' ').next().unwrap_or(noun).trim_end_matches('s');
    let parts = sum.text.split(',').map(str::trim);
    let told =
        parts.filter(|part| part.contains(word)).find_map(|part| part.split(' ').next()?.parse::<u64>().ok());
    let seen = told.unwrap_or(0);
    let why = format!("git told {}", sum.text.trim());
    let held = interval::counts(value, seen);
    let verdict = if held { Verdict::verified(why) } else { Verdict::contradicted(why) };
    verdict.on(run, &format!("{}:L{}-L{}", sum.stream, sum.number, sum.number), seen.to_string()).ageless()
}

/// Git's sum behind a line that names a commit.
fn sum_from<'e>(run: &'e RunFacts, line: &PrintedLine) -> Option<&'e PrintedLine> {
    let mut after = run.printed.iter().filter(|one| one.stream == line.stream && one.number >= line.number);
    after.find(|one| is_sum(one))
}

/// ` 2 files changed, 12 insertions(+)`. A message is indented by more.
fn is_sum(line: &PrintedLine) -> bool {
    let text = line.text.strip_prefix(' ').unwrap_or(&line.text);
    text.starts_with(|c: char| c.is_ascii_digit()) && text.contains(" changed") && text.contains(" file")
}

/// The sum of the newest run of git that told one, where all that were told say the same: which commit is meant is not said.
fn only_sum<'e>(scope: &Scope<'e>) -> Option<(&'e RunFacts, &'e PrintedLine)> {
    let asks_git = |run: &&&RunFacts| prints_only_git(run, &[]);
    let runs = scope.runs.iter().filter(asks_git);
    let sums =
        runs.flat_map(|run| run.printed.iter().filter(|line| is_sum(line)).map(move |line| (*run, line)));
    let sums: Vec<(&RunFacts, &PrintedLine)> = sums.collect();
    let first = sums.first().copied()?;
    sums.iter().all(|(_, line)| line.text.trim() == first.1.text.trim()).then_some(first)
}

/// Files that a commit made, by the lines that git has for them.
fn added<'e>(run: &'e RunFacts, sum: &'e PrintedLine, value: &Quantity) -> Verdict<'e> {
    let made =
        run.printed.iter().filter(|line| line.text.trim_start().starts_with("create mode ")).count() as u64;
    let piece = format!("{}:L{}-L{}", sum.stream, sum.number, sum.number);
    let why = format!("git told of {made} new files");
    let verdict = match (made, interval::counts(value, made)) {
        (0, _) => return Verdict::unsupported("no recorded run of git tells which files are new"),
        (_, true) => Verdict::verified(why),
        (_, false) => Verdict::contradicted(why),
    };
    verdict.on(run, &piece, made.to_string()).ageless()
}

/// `[main 3f2a1b9] message`, as git tells of a commit.
fn made(line: &str) -> Option<&str> {
    let inside = line.strip_prefix('[')?.split(']').next()?;
    let hash = inside.split(' ').next_back()?;
    (hash.len() >= 7 && hash.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(hash)
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
        None => match only_other(scope, produced) {
            Some((run, other, path)) => {
                Verdict::contradicted(format!("no store knows it; the run produced {other}"))
                    .on(run, &format!("file/{path}"), other)
                    .ageless()
            }
            None => Verdict::unsupported(
                "no tracking store in the workspace knows it, and a printed line alone is not evidence",
            ),
        },
    };
    verdict.considered(considered)
}

/// The one run of the store that a recorded run produced, where there is one only.
fn only_other<'e>(
    scope: &Scope<'e>,
    produced: impl Fn(&&&'e RunFacts, &str, &str) -> bool,
) -> Option<(&'e RunFacts, &'e str, &'e str)> {
    let mut all = scope.evidence.tracked.iter().filter_map(|one| {
        let run = scope.runs.iter().find(|run| produced(run, &one.id, &one.path))?;
        let path = run.wrote.iter().find(|wrote| wrote.path.contains(&one.id) || wrote.path == one.path)?;
        Some((*run, one.id.as_str(), path.path.as_str()))
    });
    let first = all.next()?;
    all.next().is_none().then_some(first)
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

pub(crate) fn device<'e>(scope: &Scope<'e>, name: &str) -> Verdict<'e> {
    let wanted = family(name);
    let considered = scope.looked_at();
    for run in told_of(scope) {
        if let Some(card) = run.cards.first() {
            let held = wanted == "cuda" && is_model(name, card);
            let why = format!("the driver counted {card}");
            let verdict = match (held, wanted.as_str()) {
                (true, _) => Verdict::verified(why),
                (false, "cpu") => Verdict::unsupported(format!("{why}, which may have been used or not")),
                (false, _) => Verdict::contradicted(why),
            };
            return verdict.on(run, "env", card.clone()).considered(considered);
        }
        if let Some((piece, told)) = told_device(run) {
            let same = family(&told) == wanted;
            let exact = !has_model(name) || told.to_lowercase().contains(&model(name));
            let why = format!("the run told {told}");
            let verdict = match (same, exact) {
                (true, true) => Verdict::verified(why),
                (true, false) if has_model(&told) => Verdict::contradicted(why),
                (true, false) => Verdict::unsupported(format!("{why}, and not which one")),
                (false, _) => Verdict::contradicted(why),
            };
            return verdict.on(run, &piece, told).considered(considered);
        }
    }
    Verdict::unsupported("no recorded run tells its device").considered(considered)
}

/// `device: cuda:0`, `Using device: cpu`, `Running on NVIDIA H200`.
fn told_device(run: &RunFacts) -> Option<(String, String)> {
    let labelled = run.printed.iter().find_map(|line| {
        let lower = line.text.to_lowercase();
        let at = [
            "device:",
            "device=",
            "device =",
            "using device",
            "running on",
            "device name:",
            "gpu:",
            "backend=",
            "backend:",
            "backend =",
        ]
        .iter()
        .find_map(|mark| Some(lower.find(mark)? + mark.len()))?;
        let rest = line.text.get(at..)?.trim().trim_start_matches([':', '=']).trim();
        let told: String = rest.chars().take(60).collect();
        let known = ["cuda", "cpu", "gpu", "mps", "tpu", "nvidia", "rtx", "h100", "a100", "h200"]
            .iter()
            .any(|word| told.to_lowercase().contains(word));
        known.then(|| (format!("{}:L{}-L{}", line.stream, line.number, line.number), told))
    });
    labelled.or_else(|| {
        run.printed.iter().find_map(|line| {
            let told = ["cpu only", "cpu-only", "gpu only", "on cpu", "on gpu", "on cuda", "on mps"];
            let lower = line.text.to_lowercase();
            let found = told.iter().find(|words| lower.contains(*words))?;
            Some((format!("{}:L{}-L{}", line.stream, line.number, line.number), (*found).to_owned()))
        })
    })
}

fn family(name: &str) -> String {
    let lower = name.to_lowercase();
    match () {
        () if lower.contains("cpu") => "cpu".to_owned(),
        () if lower.contains("mps")
            || lower.contains("apple")
            || (lower.starts_with('m') && lower.len() <= 6) =>
        {
            "mps".to_owned()
        }
        () if lower.contains("tpu") => "tpu".to_owned(),
        () => "cuda".to_owned(),
    }
}

/// `A100` of `NVIDIA A100-SXM4-80GB`.
fn is_model(told: &str, card: &str) -> bool {
    !has_model(told) || card.to_lowercase().contains(&model(told))
}

fn has_model(name: &str) -> bool {
    name.split([' ', '-', ':']).any(|word| {
        word.len() > 1
            && word.contains(|c: char| c.is_ascii_digit())
            && word.contains(|c: char| c.is_ascii_alphabetic())
            || word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit())
    })
}

fn model(name: &str) -> String {
    let mut words = name.split([' ', '-', ':']);
    words
        .find(|word| word.contains(|c: char| c.is_ascii_digit()) && word.len() > 1)
        .unwrap_or(name)
        .to_lowercase()
}
