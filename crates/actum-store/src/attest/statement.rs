//! The statement of in-toto (version 1) about a record: what came out, and under which circumstances.

use super::Attested;
use actum_model::{
    Build, Check, Digest, Ending, ExitCode, FileFacts, Git, KeyReach, Moment, Outcome, RunId, Stream, Tests,
    Tier,
};
use serde::Serialize;
use serde_json::{Value, json};

pub const TYPE: &str = "https://in-toto.io/Statement/v1";
/// A name that claims no host.
pub const PREDICATE: &str = "urn:actum:record:v1";

/// The facts of a record that a reader of attestations asks for. The record itself has them all.
#[derive(Serialize)]
struct Predicate<'a> {
    /// The bytes that stand in the log.
    record: Value,
    log: Value,
    run: RunId,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<RunId>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    labels: &'a [String],
    command: &'a str,
    language: &'a str,
    outcome: Outcome,
    exit_code: ExitCode,
    ending: &'a Ending,
    started: Moment,
    ended: Moment,
    policy: &'a str,
    /// How it was really confined; absent when no process was started.
    #[serde(skip_serializing_if = "Option::is_none")]
    tier: Option<Tier>,
    key: KeyReach,
    #[serde(skip_serializing_if = "Option::is_none")]
    git: Option<&'a Git>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lock: Option<Digest>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tests: Option<Counts<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    checks: &'a [Check],
    actum: &'a Build,
}

#[derive(Serialize)]
struct Counts<'a> {
    runner: &'a str,
    passed: u64,
    failed: u64,
    skipped: u64,
    total: u64,
}

/// The payload of the envelope.
pub fn of(attested: &Attested) -> Vec<u8> {
    let record = &attested.record;
    let predicate = Predicate {
        record: json!({ "sha256": attested.sha256(), "bytes": attested.bytes.len(), "v": record.v }),
        log: json!({ "origin": attested.origin, "index": attested.index }),
        run: record.run,
        parent: record.parent,
        labels: &record.labels,
        command: &record.command,
        language: &record.language,
        outcome: record.outcome,
        exit_code: record.exit_code,
        ending: &record.ending,
        started: record.started.at,
        ended: record.ended.at,
        policy: &record.asked.policy,
        tier: record.confinement.as_ref().map(|confinement| confinement.tier),
        key: record.key,
        git: record.git.as_ref(),
        lock: record.lock,
        tests: record.tests.as_ref().map(counts),
        checks: &record.checks,
        actum: &record.actum,
    };
    about(attested, PREDICATE, &json!(predicate))
}

/// A statement with this predicate about what the run left.
pub(super) fn about(attested: &Attested, predicate_type: &str, predicate: &Value) -> Vec<u8> {
    let statement = json!({
        "_type": TYPE,
        "subject": subjects(attested),
        "predicateType": predicate_type,
        "predicate": predicate,
    });
    statement.to_string().into_bytes()
}

/// Both streams, by their anchors, then every file that was left, by its path.
fn subjects(attested: &Attested) -> Vec<Value> {
    let record = &attested.record;
    let streams = Stream::ALL.map(|stream| {
        let held = match stream {
            Stream::Stdout => &record.stdout,
            Stream::Stderr => &record.stderr,
        };
        descriptor(&format!("actum:{}#{stream}", record.run), held.sha256)
    });
    let file = |file: &FileFacts| file.sha256.map(|digest| descriptor(&file.path, digest));
    streams.into_iter().chain(record.outputs.iter().filter_map(file)).collect()
}

/// How in-toto names something by its digest.
pub(super) fn descriptor(name: &str, digest: Digest) -> Value {
    json!({ "name": name, "digest": { "sha256": digest } })
}

fn counts(tests: &Tests) -> Counts<'_> {
    let Tests { runner, passed, failed, skipped, total, .. } = tests;
    Counts { runner, passed: *passed, failed: *failed, skipped: *skipped, total: *total }
}
