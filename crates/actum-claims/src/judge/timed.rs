//! How long something took: the runner's own clock, what the run told, or the run's own length.

use super::interval::{Fit, Observed, fit, shown};
use super::scope::{Scope, line};
use super::verdict::Verdict;
use crate::command;
use crate::evidence::RunFacts;
use actum_model::{Quantity, Unit};

/// One length of time that is recorded.
struct Length {
    piece: String,
    seconds: f64,
    half: f64,
    shown: String,
    from: &'static str,
}

pub(crate) fn duration<'e>(scope: &Scope<'e>, of: &str, value: &Quantity) -> Verdict<'e> {
    let about_tests = of == "tests" || of.contains("test");
    // A build of another profile says nothing about this one.
    let is_other =
        |profile: &&str| scope.says(profile) && !scope.runs.iter().any(|run| run.command.contains(*profile));
    if let Some(profile) = ["release build", "production build", "docker build"]
        .iter()
        .find(|words| scope.says(words) && words.split(' ').next().iter().any(is_other))
    {
        return Verdict::unsupported(format!("no recorded run is a {profile}"));
    }
    let runs = chosen(scope, of, about_tests);
    let mut considered = vec![shown(value)];
    considered.extend(runs.iter().take(8).map(|run| format!("{}, {:.3} s", line(run), run.wall)));
    let Some(run) = runs.first().copied() else {
        return Verdict::unsupported("no recorded run is in scope").considered(considered);
    };
    let lengths = lengths(run, about_tests);
    let told = lengths.iter().find(|one| holds(value, one));
    // What another program took is no evidence for work that is named.
    if let Some(word) = activity(of).filter(|word| told.is_some() && !scope.bound && !is_activity(word, run))
    {
        let why = format!("no recorded run is known to be the {word}");
        return Verdict::unsupported(why).considered(considered);
    }
    if let Some(one) = told {
        return Verdict::verified(format!("{} says {}", one.from, one.shown))
            .on(run, &one.piece, one.shown.clone())
            .considered(considered);
    }
    let others = runs.iter().skip(1);
    for other in others {
        if self::lengths(other, about_tests).iter().any(|one| holds(value, one)) && !scope.bound {
            let why = format!("the newest run took {:.3} s; another one took as long as is told", run.wall);
            let verdict = if other.command == run.command {
                Verdict::contradicted(why)
            } else {
                Verdict::ambiguous(why)
            };
            return verdict
                .on(run, "exit", format!("{:.3} s", run.wall))
                .note(format!("actum:{} took so long", other.run))
                .considered(considered);
        }
    }
    let Some(main) = lengths.first() else {
        return Verdict::unsupported("no length of time is recorded").considered(considered);
    };
    // Whose clock it was is not known: only what is far off is held against anybody.
    let is_far = lengths.iter().all(|one| !is_near(value, one.seconds));
    let why = format!("{} says {}", main.from, main.shown);
    let sure = scope.bound || runs.len() == 1 || runs.iter().all(|one| one.command == run.command);
    let sure = sure && (about_tests || of.contains("build") || is_of_run(scope, &runs));
    let verdict = match (is_far, sure) {
        (true, true) => Verdict::contradicted(why),
        (true, false) => Verdict::unsupported(format!("{why}, and it is not said which run is meant")),
        (false, _) => Verdict::unsupported(format!("{why}: near, but not the same")),
    };
    verdict.on(run, &main.piece, main.shown.clone()).considered(considered)
}

/// A kind of work in what is said to have taken so long: `training`, `the conversion`.
fn activity(of: &str) -> Option<&str> {
    const ENDINGS: [&str; 5] = ["ing", "tion", "sion", "ment", "mark"];
    const ANY: [&str; 6] = ["execution", "duration", "processing", "running", "testing", "everything"];
    let words = of.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 5);
    let is_one = |word: &&str| ENDINGS.iter().any(|ending| word.ends_with(ending)) && !ANY.contains(word);
    words.into_iter().find(is_one)
}

/// Whether a run is work of that kind: by its command, by what it builds, or by the steps that it told.
fn is_activity(word: &str, run: &RunFacts) -> bool {
    let stem: String = word.chars().take(4).collect();
    let builds = || {
        let checks = command::checks(&run.command);
        word == "compilation" && checks.iter().any(|(what, _)| *what == actum_model::Cleanliness::Build)
    };
    run.command.to_lowercase().contains(&stem)
        || super::naming::is_called(word, run)
        || word == "training" && run.metrics.iter().any(|metric| metric.step.is_some())
        || builds()
}

/// Whether the sentence speaks of a run: by its program, or as people speak of any. What `the slowest request` took is its own.
fn is_of_run(scope: &Scope<'_>, runs: &[&RunFacts]) -> bool {
    const ANY: [&str; 26] = [
        "it",
        "this",
        "run",
        "runs",
        "script",
        "program",
        "command",
        "everything",
        "whole",
        "process",
        "job",
        "pipeline",
        "execution",
        "training",
        "wall",
        "elapsed",
        "runtime",
        "step",
        "that",
        "total",
        "suite",
        "compilation",
        "evaluation",
        "duration",
        "benchmark",
        "finished",
    ];
    let text = scope.text.to_lowercase();
    // Folders of a file that is named are nobody.
    let words: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || "`'\"(),:;".contains(c))
        .filter_map(|word| word.trim_end_matches(['.', '-', '/']).rsplit('/').next())
        .filter(|word| !word.is_empty())
        .collect();
    let is_program = |run: &&RunFacts| {
        let programs = command::program_words(&run.command.to_lowercase());
        words.iter().any(|word| {
            programs.iter().any(|program| program == word || program.split('.').next() == Some(word))
                || super::naming::is_called(word, run)
        })
    };
    text.is_empty() || words.iter().any(|word| ANY.contains(word)) || runs.iter().any(is_program)
}

/// Runs that the words can be about: of tests, of a program that is named, else all.
fn chosen<'e>(scope: &Scope<'e>, of: &str, about_tests: bool) -> Vec<&'e RunFacts> {
    if about_tests && !scope.bound {
        return scope
            .runs
            .iter()
            .copied()
            .filter(|run| run.tests.is_some() || command::runs_tests(&run.command))
            .collect();
    }
    let words: Vec<&str> = of
        .split(|c: char| !c.is_alphanumeric() && c != '_' && c != '.')
        .filter(|word| word.len() >= 3)
        .collect();
    let is_named = |run: &&RunFacts| {
        let names = command::words(&run.command);
        let stems = names
            .iter()
            .filter_map(|word| word.rsplit('/').next())
            .map(|word| word.split('.').next().unwrap_or_default().to_lowercase());
        stems.into_iter().any(|stem| {
            let is_called = |word: &&str| stem.len() > 3 && word.contains(stem.as_str()) || *word == stem;
            stem.len() >= 3 && words.iter().any(is_called)
        })
    };
    let named: Vec<&RunFacts> = scope.runs.iter().copied().filter(is_named).collect();
    let builds = |run: &&RunFacts| {
        of.contains("build")
            && command::checks(&run.command).iter().any(|(what, _)| *what == actum_model::Cleanliness::Build)
    };
    let building: Vec<&RunFacts> = scope.runs.iter().copied().filter(builds).collect();
    match (named.is_empty(), building.is_empty()) {
        (false, _) => named,
        (true, false) => building,
        (true, true) => scope.runs.clone(),
    }
}

fn lengths(run: &RunFacts, about_tests: bool) -> Vec<Length> {
    let mut all = Vec::new();
    let runner = run.tests.as_ref().and_then(|tests| Some((tests, tests.duration?)));
    if let Some((tests, duration)) = runner {
        let seconds = duration.0.as_secs_f64();
        let piece = format!("{}:L{}-L{}", tests.stream, tests.lines[0], tests.lines[1]);
        all.push(Length {
            piece,
            seconds,
            half: 0.005,
            shown: format!("{seconds:.2} s"),
            from: "the runner",
        });
    }
    for line in &run.printed {
        if let Some((seconds, half, shown)) = printed(&line.text) {
            let piece = format!("{}:L{}-L{}", line.stream, line.number, line.number);
            all.push(Length { piece, seconds, half, shown, from: "a line that it printed" });
        }
    }
    let wall = Length {
        piece: "exit".to_owned(),
        seconds: run.wall,
        half: 0.0,
        shown: format!("{:.3} s", run.wall),
        from: "the run's own clock",
    };
    if about_tests || all.is_empty() {
        all.push(wall)
    } else {
        all.insert(0, wall)
    }
    all
}

/// A line that tells how long something took.
fn printed(text: &str) -> Option<(f64, f64, String)> {
    let lower = text.to_lowercase();
    let is_told = [
        "took",
        "elapsed",
        "finished in",
        "completed in",
        "duration",
        "runtime",
        "done in",
        "time:",
        "time =",
        "seconds",
    ]
    .iter()
    .any(|word| lower.contains(word));
    if !is_told || text.len() > 300 {
        return None;
    }
    let sentence = crate::sentence::Sentence::plain(text, 1, "");
    let tokens = crate::tokens::tokens(&sentence);
    let mut times = tokens
        .iter()
        .filter_map(|token| token.number())
        .filter(|number| matches!(number.unit, Unit::Time(_)));
    let one = times.next()?;
    times
        .next()
        .is_none()
        .then(|| (one.value * one.unit.scale(), one.half * one.unit.scale(), one.literal.clone()))
}

fn holds(value: &Quantity, length: &Length) -> bool {
    let observed =
        Observed { value: length.seconds, half: length.half, unit: Unit::Time(1.0), is_fraction: false };
    fit(value, &observed) >= Fit::Truncated
}

/// Within a quarter, or half a second.
fn is_near(value: &Quantity, seconds: f64) -> bool {
    let told = value.value * value.unit.scale();
    (told - seconds).abs() <= (0.25 * seconds.max(told)).max(0.5)
}
