//! What differs between two records. Pure: start reading at [`differences`].

use actum_model::{
    ChangeKind, Confinement, Digest, Ending, FileFacts, Held, Limit, Metric, Record, Runtime, Span, Tests,
    Untrusted,
};
use serde::Serialize;
use std::collections::BTreeMap;

/// One thing in which two runs differ. Its texts are names, commands and values of programs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    pub what: Untrusted,
    /// Absent where the first run has nothing of the kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub one: Option<Untrusted>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<Untrusted>,
    /// By how much a number changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta: Option<f64>,
}

impl Difference {
    fn new(what: impl Into<String>, [one, other]: [Option<String>; 2], delta: Option<f64>) -> Self {
        Self {
            what: Untrusted::new(what),
            one: one.map(Untrusted::from),
            other: other.map(Untrusted::from),
            delta,
        }
    }
}

/// What differs and counts, in the order in which people ask.
pub fn differences(one: &Record, other: &Record) -> Vec<Difference> {
    let sides = [one, other];
    let mut all = Vec::new();
    let mut add = |what: &str, told: fn(&Record) -> Option<String>| {
        let sides = sides.map(told);
        if sides[0] != sides[1] {
            all.push(Difference::new(what, sides, None));
        }
    };
    add("command", |record| Some(record.command.clone()));
    add("language", |record| Some(record.language.clone()));
    add("source", |record| record.source.sha256.clone());
    add("arguments", |record| some(record.arguments.join(" ")));
    add("workspace", |record| Some(record.workspace.clone()));
    add("folder", |record| Some(record.folder.clone()));
    add("git commit", |record| record.git.as_ref().map(|git| git.commit.clone()));
    add("git difference", |record| {
        record.git.as_ref().and_then(|git| git.diff.as_ref().map(Digest::to_string))
    });
    add("runtime", |record| record.runtime.as_ref().map(runtime));
    add("lock", |record| record.lock.as_ref().map(Digest::to_string));
    add("variables", |record| some(record.variables.names.join(" ")));
    add("seeds", |record| some(record.seeds.join(" ")));
    add("actum", |record| Some(record.actum.version.clone()));
    add("host", |record| record.host.as_ref().map(Digest::to_string));
    add("policy", |record| Some(record.asked.policy.clone()));
    add("workspace mode", |record| word(&record.asked.workspace_mode));
    add("tier", |record| record.confinement.as_ref().and_then(tier));
    all.extend(limits(sides));
    all.extend(inputs(sides));
    all.extend(ended(sides));
    all.extend(counts(sides));
    all.extend(metrics(sides));
    all.extend(files("output", sides.map(|record| record.outputs.as_slice())));
    for (what, told) in PRINTED {
        let [one, other] = sides.map(told);
        if one.sha256 != other.sha256 {
            let size =
                |held: &Held| Some(format!("{} sha256 {}", held.bytes.approximate(), held.sha256.short()));
            all.push(Difference::new(what, [size(one), size(other)], None));
        }
    }
    all
}

/// What differs in every two runs, and counts for nothing.
pub fn aside(one: &Record, other: &Record) -> Vec<Difference> {
    let number = |what: &str, sides: [Option<f64>; 2], texts: [Option<String>; 2]| {
        let delta = sides[0].zip(sides[1]).map(|(one, other)| other - one);
        Difference::new(what, texts, delta)
    };
    let sides = [one, other];
    let wall = sides.map(|record| record.usage.wall);
    let memory = sides.map(|record| record.usage.memory_peak);
    let all = [
        number("seconds", wall.map(|span| Some(seconds(span))), wall.map(|span| Some(span.to_string()))),
        number(
            "bytes of memory",
            memory.map(|peak| peak.map(|peak| peak.0 as f64)),
            memory.map(|peak| peak.map(|peak| peak.approximate())),
        ),
    ];
    all.into_iter().filter(|one| one.delta.is_some_and(|delta| delta != 0.0)).collect()
}

type OfRecord = fn(&Record) -> &Held;
type OfTests = fn(&Tests) -> u64;

const PRINTED: [(&str, OfRecord); 2] =
    [("stdout", |record| &record.stdout), ("stderr", |record| &record.stderr)];

fn limits(sides: [&Record; 2]) -> Vec<Difference> {
    let one = |limit: &Limit| {
        let [one, other] = sides.map(|record| record.asked.limits.get(*limit).to_string());
        let what = format!("limit {limit}");
        (one != other).then(|| Difference::new(what, [Some(one), Some(other)], None))
    };
    Limit::ALL.iter().filter_map(one).collect()
}

fn inputs(sides: [&Record; 2]) -> Vec<Difference> {
    files("input", sides.map(|record| record.inputs.as_slice()))
}

fn ended(sides: [&Record; 2]) -> Vec<Difference> {
    let mut all = Vec::new();
    let [one, other] = sides.map(|record| record.outcome.word().to_owned());
    if one != other {
        all.push(Difference::new("outcome", [Some(one), Some(other)], None));
    }
    let [one, other] = sides.map(|record| record.exit_code);
    if one != other {
        all.push(change(
            "exit code",
            [Some(f64::from(one.get())), Some(f64::from(other.get()))],
            [one, other].map(|code| Some(code.to_string())),
        ));
    }
    let [one, other] = sides.map(|record| how(&record.ending));
    if one != other {
        all.push(Difference::new("ending", [one, other], None));
    }
    all
}

/// How it ended, without how much was used until then: that differs each time.
fn how(ending: &Ending) -> Option<String> {
    Some(match ending {
        Ending::Exited { .. } => "exited".to_owned(),
        Ending::Signalled { signal } => format!("signal {signal}"),
        Ending::TimedOut { .. } => "timed out".to_owned(),
        Ending::OutOfMemory { .. } => "out of memory".to_owned(),
        Ending::OverLimit { limit, .. } => format!("over the limit {limit}"),
        Ending::Cancelled => "cancelled".to_owned(),
        Ending::NotStarted { reason, .. } => format!("not started: {reason}"),
    })
}

fn counts(sides: [&Record; 2]) -> Vec<Difference> {
    let tests = sides.map(|record| record.tests.as_ref());
    let numbers: [(&str, OfTests); 4] = [
        ("tests passed", |tests| tests.passed),
        ("tests failed", |tests| tests.failed),
        ("tests skipped", |tests| tests.skipped),
        ("tests in all", |tests| tests.total),
    ];
    let mut all = Vec::new();
    for (what, told) in numbers {
        let sides = tests.map(|tests| tests.map(told));
        if sides[0] != sides[1] {
            all.push(change(
                what,
                sides.map(|side| side.map(|number| number as f64)),
                sides.map(|side| side.map(|number| number.to_string())),
            ));
        }
    }
    let failed = tests.map(|tests| tests.map(|tests| tests.failed_names.as_slice()).unwrap_or_default());
    let only = |here: &[String], there: &[String]| -> Vec<String> {
        here.iter().filter(|name| !there.contains(name)).cloned().collect()
    };
    let named = |name: String, sides: [Option<&str>; 2]| {
        Difference::new(format!("test {name}"), sides.map(|side| side.map(str::to_owned)), None)
    };
    all.extend(only(failed[0], failed[1]).into_iter().map(|name| named(name, [Some("failed"), None])));
    all.extend(only(failed[1], failed[0]).into_iter().map(|name| named(name, [None, Some("failed")])));
    all
}

/// The last value of each name and step.
fn metrics(sides: [&Record; 2]) -> Vec<Difference> {
    let named = |record: &'_ Record| -> BTreeMap<(String, Option<u64>), Metric> {
        record.metrics.iter().map(|metric| ((metric.name.clone(), metric.step), metric.clone())).collect()
    };
    let [one, other] = sides.map(named);
    let mut keys: Vec<_> = one.keys().chain(other.keys()).collect();
    keys.sort();
    keys.dedup();
    let unlike = |key: &(String, Option<u64>)| {
        let metrics = [one.get(key), other.get(key)];
        let values = metrics.map(|metric| metric.map(|metric| metric.value));
        let step = key.1.map_or_else(String::new, |step| format!("@{step}"));
        let texts = metrics.map(|metric| metric.map(|metric| metric.literal.clone()));
        (values[0] != values[1]).then(|| change(&format!("metric {}{step}", key.0), values, texts))
    };
    keys.into_iter().filter_map(unlike).collect()
}

fn files(what: &str, sides: [&[FileFacts]; 2]) -> Vec<Difference> {
    let named = |files: &[FileFacts]| -> BTreeMap<String, String> {
        files.iter().map(|file| (file.path.clone(), file_text(file))).collect()
    };
    let [one, other] = sides.map(named);
    let mut paths: Vec<&String> = one.keys().chain(other.keys()).collect();
    paths.sort();
    paths.dedup();
    let unlike = |path: &String| {
        let (one, other) = (one.get(path).cloned(), other.get(path).cloned());
        (one != other).then(|| Difference::new(format!("{what} {path}"), [one, other], None))
    };
    paths.into_iter().filter_map(unlike).collect()
}

fn file_text(file: &FileFacts) -> String {
    let kind = match file.kind {
        None => "",
        Some(ChangeKind::Created) => "created ",
        Some(ChangeKind::Modified) => "modified ",
        Some(ChangeKind::Deleted) => "deleted ",
    };
    let size = file.size.map_or_else(String::new, |size| format!("{} ", size.approximate()));
    let digest = file.sha256.map_or_else(String::new, |digest| format!("sha256 {}", digest.short()));
    format!("{kind}{size}{digest}").trim_end().to_owned()
}

fn change(what: &str, sides: [Option<f64>; 2], texts: [Option<String>; 2]) -> Difference {
    let delta = sides[0].zip(sides[1]).map(|(one, other)| other - one);
    Difference::new(what, texts, delta)
}

fn runtime(runtime: &Runtime) -> String {
    let version = runtime.version.as_deref().unwrap_or("version unknown");
    format!("{} ({version}) at {}", runtime.name, runtime.path)
}

fn tier(confinement: &Confinement) -> Option<String> {
    word(&confinement.tier)
}

/// As JSON has it.
fn word(value: &impl serde::Serialize) -> Option<String> {
    let text = serde_json::to_value(value).ok()?;
    Some(text.as_str().map_or_else(|| text.to_string(), str::to_owned))
}

fn some(text: String) -> Option<String> {
    Some(text).filter(|text| !text.is_empty())
}

fn seconds(span: Span) -> f64 {
    span.0.as_secs_f64()
}
