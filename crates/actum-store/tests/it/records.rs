//! Records of many kinds: with tests and without, with many files and none, with names that nobody expects.

use actum_model::*;

/// A record and the bytes that it names.
pub struct Made {
    pub record: Record,
    pub blobs: Vec<Vec<u8>>,
}

pub fn digest(bytes: &[u8]) -> Digest {
    Digest::of(bytes)
}

/// The record of this number: always the same one.
pub fn record(number: usize) -> Made {
    let mut blobs = Vec::new();
    let mut hold = |bytes: Vec<u8>| {
        let held =
            Held { sha256: digest(&bytes), bytes: Bytes(bytes.len() as u64), redactions: number as u64 % 2 };
        blobs.push(bytes);
        held
    };
    let stdout = hold(match number % 10 {
        0 => Vec::new(),
        3 => format!("line of {number}\n").into_bytes().repeat(20_000),
        _ => format!("accuracy: 0.9{number}\n").into_bytes(),
    });
    let stderr = hold(if number.is_multiple_of(4) { b"\x00\xff\x1b[31m".to_vec() } else { Vec::new() });
    let (timeline, report) = (hold(b"[]".to_vec()), hold(format!("{{\"n\":{number}}}").into_bytes()));
    let (outputs, kept) = outputs(number);
    blobs.extend(kept);
    let ending = ending(number);
    let at = Moment(1_760_000_000_000_000 + number as u64 * 1_234_567);
    let record = Record {
        v: 1,
        run: RunId::new(at.milliseconds(), [number as u8; 10]),
        parent: number.is_multiple_of(6).then(|| RunId::new(7, [9; 10])),
        flow: None,
        task: None,
        labels: ["nightly", "größe=2"].iter().take(number % 3).map(ToString::to_string).collect(),
        command: ["python train.py", "pytest -q \"a b\\\" 'x'", "sh -c 'printf \"\\n\\t\"; ls ☃\u{7f}\u{1}'"]
            [number % 3]
            .to_owned(),
        witness: if number.is_multiple_of(5) { Witness::Observed } else { Witness::Executed },
        language: "python".to_owned(),
        source: source(number),
        arguments: Vec::new(),
        workspace: "/home/me/wörk".to_owned(),
        folder: "/home/me/wörk".to_owned(),
        variables: Variables { names: vec!["LANG".to_owned()], sha256: Some(digest(b"v")) },
        asked: asked(),
        confinement: (number % 2 == 1).then(confinement),
        key: if number.is_multiple_of(7) { KeyReach::WithinReach } else { KeyReach::OutOfReach },
        started: Instant { at, monotonic: Span::seconds(5) },
        ended: Instant { at: Moment(at.0 + 2_500_000), monotonic: Span::seconds(7) },
        outcome: Outcome::of(&ending),
        exit_code: ending.exit_code(),
        ending,
        attempts: Vec::new(),
        usage: Usage::default(),
        stdout,
        stderr,
        timeline,
        report,
        inputs: vec![FileFacts {
            path: "train.py".to_owned(),
            kind: None,
            sha256: Some(digest(b"code")),
            size: Some(Bytes(4)),
            kept: false,
            opened: None,
        }],
        outputs,
        outputs_left_out: 0,
        changes: Applied::Applied,
        attachments: Vec::new(),
        requested: None,
        git: number.is_multiple_of(2).then(|| Git {
            commit: "0123456789abcdef".repeat(2),
            branch: None,
            dirty: Some(true),
            diff: Some(digest(b"d")),
        }),
        runtime: None,
        lock: (number % 5 == 2).then(|| digest(b"lock")),
        seeds: vec![number.to_string()],
        metrics: vec![metric(number)],
        tests: tests(number),
        diagnoses: Vec::new(),
        remedies: Vec::new(),
        checks: Vec::new(),
        actum: Build { version: "0.1.0".to_owned(), sha256: Some(digest(b"actum")) },
        host: Some(digest(b"host")),
    };
    Made { record, blobs }
}

/// The bytes that stand in a log.
pub fn entry(record: Record) -> Vec<u8> {
    serde_json::to_vec(&Entry::Ended(Box::new(record))).unwrap()
}

fn ending(number: usize) -> Ending {
    match number % 5 {
        0 | 1 => Ending::Exited { code: 0 },
        2 => Ending::Exited { code: 3 },
        3 => Ending::Signalled { signal: 9 },
        _ => Ending::TimedOut {
            max: Amount::Seconds(Span::seconds(2)),
            used: Amount::Seconds(Span::seconds(3)),
        },
    }
}

fn source(number: usize) -> SourceFacts {
    let is_file = number % 3 == 1;
    SourceFacts {
        kind: if is_file { SourceKind::File } else { SourceKind::Command },
        path: is_file.then(|| "tests/test_é.py".to_owned()),
        bytes: Some(Bytes(4)),
        sha256: is_file.then(|| digest(b"source").to_string()),
    }
}

fn asked() -> Asked {
    let (span, bytes) = (Span::seconds(60), Bytes(1 << 30));
    Asked {
        policy: "default".to_owned(),
        workspace_mode: WorkspaceMode::Overlay,
        limits: Limits {
            wall: span,
            cpu: span,
            memory: bytes,
            processes: 64,
            descriptors: 64,
            file_size: bytes,
            disk: bytes,
            output: bytes,
        },
        approval: Approval::Never,
        risk: Risk::default(),
    }
}

fn confinement() -> Confinement {
    Confinement {
        tier: Tier::N,
        profile: Profile::Default,
        start: StartMode::Cold,
        layers: Vec::new(),
        workspace: WorkspaceHow::OverlayInMemory,
        limits: Vec::new(),
        missing: Vec::new(),
        not_covered: vec!["timing".to_owned()],
    }
}

fn metric(number: usize) -> Metric {
    let value = number as f64 / 7.0;
    let source = MetricSource::Text(Stream::Stdout);
    Metric { name: "accuracy".to_owned(), value, literal: value.to_string(), step: None, source, line: 1 }
}

fn tests(number: usize) -> Option<Tests> {
    let failed = (number % 6) as u64 / 2;
    let names = ["test_a[x\"y]", "module::tëst \\ b"];
    (!number.is_multiple_of(3)).then(|| Tests {
        runner: "pytest".to_owned(),
        counted: Counted::Tests,
        passed: number as u64 % 4,
        failed,
        skipped: 1,
        expected_failures: 0,
        todo: 0,
        total: number as u64 % 4 + failed + 1,
        duration: None,
        failed_names: names.iter().take(failed as usize).map(ToString::to_string).collect(),
        failed_names_left_out: 0,
        suites: Vec::new(),
        stream: Stream::Stdout,
        lines: [1, 2],
    })
}

/// Files that were left, and the bytes of those that are kept.
fn outputs(number: usize) -> (Vec<FileFacts>, Vec<Vec<u8>>) {
    const NAMES: [&str; 5] = ["out.txt", "dir/größe ☃.csv", "stdout", "a\nb\\\"c", "*?[x]{y}.py"];
    let mut blobs = Vec::new();
    let count = [0, 1, 5, 40][number % 4];
    let file = |at: usize| {
        let bytes = format!("file {at} of {number}").repeat(at * 10 + 1).into_bytes();
        let (is_gone, kept) = (at % 7 == 6, at.is_multiple_of(2));
        let facts = FileFacts {
            path: if at < NAMES.len() { NAMES[at].to_owned() } else { format!("more/{at}") },
            kind: Some(if is_gone { ChangeKind::Deleted } else { ChangeKind::Created }),
            sha256: (!is_gone).then(|| digest(&bytes)),
            size: (!is_gone).then_some(Bytes(bytes.len() as u64)),
            kept: kept && !is_gone,
            opened: None,
        };
        if facts.kept {
            blobs.push(bytes);
        }
        facts
    };
    let files = (0..count).map(file).collect();
    (files, blobs)
}
