//! Reports that the views are tried with. The only place that builds them field by field.

use actum_model::{
    Advice, Amount, Analysis, Applied, Approval, Asked, Bytes, Case, Change, ChangeKind, Changes, Check,
    Clash, Compiled, Confinement, Conflict, Counted, Decision, Ending, Enforced, Environment, Execution,
    ExitCode, Failure, Frame, Hosts, How, Layer, LayerState, Limit, Limits, Missing, Moment, Node, Operation,
    OperationKind, Outcome, Printed, Profile, Recovery, Refusal, Report, Risk, RiskLevel, RunId, Runtime,
    Seen, SourceFacts, SourceKind, Span, Standing, StartMode, Step, Stream, StreamFacts, Streams, Tests,
    Tier, Usage, Validation, Verdict, Via, Withheld, WorkspaceHow, WorkspaceMode,
};
use std::time::Duration;

/// Every sample with its name.
pub fn all() -> Vec<(&'static str, Report)> {
    vec![
        ("small", small()),
        ("traceback", traceback()),
        ("tests failed", tests_failed()),
        ("timeout", timeout()),
        ("out of memory", out_of_memory()),
        ("kept changes", kept_changes()),
        ("not as expected", not_as_expected()),
        ("odd", odd()),
        ("refused", refused()),
        ("steps", steps()),
        ("waiting", waiting()),
        ("hostile", hostile()),
    ]
}

/// A small program that went well.
pub fn small() -> Report {
    Report {
        v: 1,
        run: RunId::new(0x0199_3456_789a, [1, 2, 3, 4, 0x9c, 0x1e, 0x02, 0xbd, 0x77, 0xaa]),
        outcome: Outcome::Success,
        exit_code: ExitCode::SUCCESS,
        result: printed("42\n", "", Ending::Exited { code: 0 }, 42),
        execution: Execution {
            command: "python3 -c 'print(6*7)'".to_owned(),
            language: "python".to_owned(),
            started_at: Moment(1_763_202_600_000_000),
            completed_at: Moment(1_763_202_600_042_000),
            source: SourceFacts {
                kind: SourceKind::Inline,
                path: None,
                bytes: Some(Bytes(10)),
                sha256: None,
            },
            blocks: Vec::new(),
            workspace: "/home/ada/project".to_owned(),
            folder: "/home/ada/project".to_owned(),
            actum: "0.1.0".to_owned(),
            witness: actum_model::Witness::Executed,
        },
        analysis: Analysis { summary: "printed 1 line".to_owned(), ..Analysis::default() },
        evidence_anchors: vec!["actum:9c1e02bd#stdout:L1-L1".to_owned()],
        request: Asked {
            policy: "default".to_owned(),
            workspace_mode: WorkspaceMode::Overlay,
            limits: limits(),
            approval: Approval::Risky,
            risk: Risk::default(),
        },
        environment: Environment {
            ready: true,
            system: "linux x86_64".to_owned(),
            runtime: Some(Runtime {
                name: "python3".to_owned(),
                path: "/usr/bin/python3".to_owned(),
                version: Some("3.12.4".to_owned()),
            }),
            compiled: None,
            variables: vec!["API_KEY".to_owned()],
            prepared: None,
        },
        recovery: Recovery { attempts: 1, ..Recovery::default() },
        validation: Validation::default(),
        changes: Changes {
            state: Applied::Nothing,
            created: 0,
            modified: 0,
            deleted: 0,
            files: Vec::new(),
            conflicts: Vec::new(),
            cut: false,
        },
        resources: Usage {
            wall: millis(42),
            cpu: Some(millis(31)),
            cpu_user: Some(millis(20)),
            cpu_system: Some(millis(11)),
            memory_peak: Some(Bytes(10_276_045)),
            output: Bytes(3),
            ..Usage::default()
        },
        confinement: Some(confinement()),
        hosts: None,
        recommendations: Vec::new(),
        steps: Vec::new(),
        evidence: None,
    }
}

/// A Python program that ends with a traceback.
pub fn traceback() -> Report {
    let error = "ModuleNotFoundError: No module named 'nonexistent_module'";
    let stderr = format!(
        "Traceback (most recent call last):\n  File \"main.py\", line 7, in <module>\n    load()\n  File \"main.py\", line 3, in load\n    import nonexistent_module\n{error}\n"
    );
    Report {
        outcome: Outcome::Failure,
        exit_code: ExitCode(1),
        result: printed("loading\n", &stderr, Ending::Exited { code: 1 }, 51),
        analysis: Analysis {
            summary: "Import failed: module 'nonexistent_module' not found".to_owned(),
            warnings: vec!["DeprecationWarning: old".to_owned(), "UserWarning: odd".to_owned()],
            errors: vec![error.to_owned()],
            failures: vec![failure()],
            ..Analysis::default()
        },
        recommendations: vec!["install the package that brings nonexistent_module".to_owned()],
        ..small()
    }
}

/// A jest project with failing tests.
pub fn tests_failed() -> Report {
    let names = ["UserService validates email format", "UserService hashes password on save"];
    Report {
        outcome: Outcome::Failure,
        exit_code: ExitCode(1),
        result: printed("", "FAIL src/UserService.test.ts\n", Ending::Exited { code: 1 }, 2345),
        execution: Execution {
            command: "npm test -- --grep 'UserService'".to_owned(),
            language: "bash".to_owned(),
            ..small().execution
        },
        analysis: Analysis {
            summary: "2 of 6 tests failed in UserService".to_owned(),
            errors: vec!["expect(received).toBe(expected)".to_owned()],
            tests: Some(Tests {
                runner: "jest".to_owned(),
                counted: Counted::Tests,
                passed: 3,
                failed: 2,
                skipped: 1,
                expected_failures: 0,
                todo: 0,
                total: 6,
                duration: Some(millis(2100)),
                failed_names: names.map(str::to_owned).to_vec(),
                failed_names_left_out: 0,
                suites: vec!["UserService".to_owned()],
                stream: Stream::Stderr,
                lines: [1, 9],
            }),
            ..Analysis::default()
        },
        resources: Usage { wall: millis(2345), ..small().resources },
        ..small()
    }
}

/// A program that was stopped when its time was over.
pub fn timeout() -> Report {
    let ending =
        Ending::TimedOut { max: Amount::Seconds(Span::seconds(30)), used: Amount::Seconds(millis(30_012)) };
    Report {
        outcome: Outcome::Timeout,
        exit_code: ExitCode::TIMED_OUT,
        result: printed("tick\n", "", ending, 30_012),
        analysis: Analysis { summary: "stopped after 30s".to_owned(), ..Analysis::default() },
        resources: Usage { wall: millis(30_012), stopped_within: Some(millis(12)), ..small().resources },
        recommendations: vec!["give it more time with --timeout 2m".to_owned()],
        ..small()
    }
}

/// A program that wanted more memory than it may have, on a machine without namespaces.
pub fn out_of_memory() -> Report {
    let (max, used) = (Amount::Bytes(Bytes::mib(512)), Amount::Bytes(Bytes(537_919_488)));
    let confinement = Confinement {
        tier: Tier::L,
        layers: confinement().layers.into_iter().filter(|state| state.layer >= Layer::Landlock).collect(),
        missing: vec![Missing {
            layer: Layer::User,
            because: "user namespaces are turned off here".to_owned(),
            remedy: "sysctl kernel.unprivileged_userns_clone=1".to_owned(),
        }],
        ..confinement()
    };
    Report {
        outcome: Outcome::Failure,
        exit_code: ExitCode::OVER_LIMIT,
        result: printed("", "", Ending::OutOfMemory { max, used }, 812),
        analysis: Analysis::default(),
        resources: Usage { wall: millis(812), memory_peak: Some(Bytes(537_919_488)), ..small().resources },
        confinement: Some(confinement),
        ..small()
    }
}

/// A program that failed after it had changed files, with hosts granted, operations found and a check that did not hold.
pub fn kept_changes() -> Report {
    let mut files: Vec<Change> = vec![
        change("out/result.csv", ChangeKind::Created),
        change("src/main.py", ChangeKind::Modified),
        change("notes.txt", ChangeKind::Deleted),
    ];
    files.extend((0..4).map(|number| change(&format!("out/{number}.png"), ChangeKind::Created)));
    files.push(Change {
        withheld: Some(Withheld::Protected),
        ..change(".git/hooks/post-commit", ChangeKind::Created)
    });
    let operation = Operation {
        kind: OperationKind::NetworkWrite,
        what: "requests.post(url, data)".to_owned(),
        line: 3,
        level: RiskLevel::Medium,
        contained: false,
        why: "the host is granted".to_owned(),
    };
    let decision = |host: &str, verdict| Decision {
        via: Via::Connect,
        host: host.to_owned().into(),
        port: Some(443),
        verdict,
        dialled: None,
        times: 2,
    };
    Report {
        outcome: Outcome::Failure,
        exit_code: ExitCode(139),
        result: printed("", "Segmentation fault\n", Ending::Signalled { signal: 11 }, 951),
        analysis: Analysis { summary: "crashed: segmentation fault".to_owned(), ..Analysis::default() },
        request: Asked {
            risk: Risk {
                level: RiskLevel::Medium,
                operations: vec![operation],
                beyond: 2,
                seen: Seen::Whole,
            },
            ..small().request
        },
        environment: Environment {
            compiled: Some(Compiled {
                command: "cc -O2 main.c".to_owned(),
                cached: false,
                took: Some(millis(310)),
            }),
            ..small().environment
        },
        changes: Changes {
            state: Applied::Kept,
            created: 6,
            modified: 1,
            deleted: 1,
            files,
            conflicts: Vec::new(),
            cut: false,
        },
        hosts: Some(Hosts {
            decisions: vec![
                decision("api.example.org", Verdict::Allowed),
                decision("evil.example.net", Verdict::Refused(Refusal::Unlisted)),
            ],
            beyond: 3,
        }),
        validation: Validation {
            checks: vec![Check {
                name: "result.csv has rows".to_owned(),
                held: false,
                expected: "at least 1".to_owned(),
                found: "0".to_owned(),
                ..Check::default()
            }],
            ..Validation::default()
        },
        ..small()
    }
}

/// A program that ended well, of which a check and a case did not hold.
pub fn not_as_expected() -> Report {
    let held = Check {
        name: "exit".to_owned(),
        held: true,
        expected: "exit code 0".to_owned(),
        found: "exit code 0".to_owned(),
        ..Check::default()
    };
    let broken = Check {
        name: "stdout".to_owned(),
        held: false,
        expected: "`42`".to_owned(),
        found: "a difference in line 1, byte 2".to_owned(),
        quote: Some("`43`".to_owned()),
        anchor: Some("actum:01993456-789a-7102-8304-9c1e02bd77aa#stdout:L1-L1".to_owned()),
        origin: Some("the command line".to_owned()),
        undecided: None,
    };
    let why = "its reader did not come to an end within 20s";
    let undecided =
        Check { name: "rows:t.csv".to_owned(), undecided: Some(why.to_owned()), ..Check::default() };
    let case = |name: &str, check: &Check| Case {
        name: name.to_owned(),
        held: check.held,
        outcome: Outcome::Success,
        duration: millis(12),
        checks: vec![check.clone()],
    };
    Report {
        outcome: Outcome::Failure,
        exit_code: ExitCode::CHECK_FAILED,
        analysis: Analysis {
            summary: "3 of 5 checks and cases failed: stdout".to_owned(),
            ..Analysis::default()
        },
        validation: Validation {
            cases: vec![case("one", &held), case("two", &broken)],
            checks: vec![held, broken, undecided],
            advice: Vec::new(),
        },
        ..small()
    }
}

/// A program that ended well, and of which something looks odd.
pub fn odd() -> Report {
    let advice = Advice {
        about: "stdout".to_owned(),
        says: "line 1 holds a number that is not finite".to_owned(),
        quote: Some("`loss: nan`".to_owned()),
        anchor: Some("actum:01993456-789a-7102-8304-9c1e02bd77aa#stdout:L1-L1".to_owned()),
    };
    Report { validation: Validation { advice: vec![advice], ..Validation::default() }, ..small() }
}

/// A program that ended well while somebody else changed one of its files.
pub fn refused() -> Report {
    let conflict = Conflict { path: b"src/main.py".to_vec(), why: Clash::Changed };
    Report {
        outcome: Outcome::Error,
        exit_code: ExitCode::OWN_ERROR,
        analysis: Analysis { summary: "its changes could not be applied".to_owned(), ..Analysis::default() },
        changes: Changes {
            state: Applied::Refused,
            modified: 1,
            files: vec![change("src/main.py", ChangeKind::Modified)],
            conflicts: vec![conflict],
            ..small().changes
        },
        ..small()
    }
}

/// An answer with three programs, of which the second failed.
pub fn steps() -> Report {
    let step = |number, outcome, command: &str, result| Step {
        number,
        outcome,
        language: "bash".to_owned(),
        command: command.to_owned(),
        lines: Some([u64::from(number) * 10, u64::from(number) * 10 + 4]),
        result,
        analysis: None,
        resources: None,
    };
    Report {
        outcome: Outcome::Failure,
        exit_code: ExitCode(2),
        result: printed("", "make: *** no rule\n", Ending::Exited { code: 2 }, 180),
        analysis: Analysis { summary: "step 2 of 3 failed".to_owned(), ..Analysis::default() },
        steps: vec![
            step(
                1,
                Outcome::Success,
                "./configure",
                Some(printed("ok\n", "", Ending::Exited { code: 0 }, 120)),
            ),
            step(
                2,
                Outcome::Failure,
                "make check",
                Some(printed("", "make: *** no rule\n", Ending::Exited { code: 2 }, 60)),
            ),
            step(3, Outcome::Skipped, "make install", None),
        ],
        ..small()
    }
}

/// A request that waits for somebody's approval.
pub fn waiting() -> Report {
    let operation = Operation {
        kind: OperationKind::Publish,
        what: "git push origin main".to_owned(),
        line: 1,
        level: RiskLevel::High,
        contained: false,
        why: "others read it at once".to_owned(),
    };
    Report {
        outcome: Outcome::Skipped,
        exit_code: ExitCode::REFUSED,
        result: Printed { success: false, exit_code: 120, ..printed("", "", Ending::Cancelled, 0) },
        analysis: Analysis { summary: "waits for an approval: git push".to_owned(), ..Analysis::default() },
        request: Asked {
            risk: Risk { level: RiskLevel::High, operations: vec![operation], ..Risk::default() },
            ..small().request
        },
        resources: Usage::default(),
        confinement: None,
        recommendations: vec!["actum approve 9c1e02bd77aa".to_owned()],
        ..small()
    }
}

/// Texts that want to be obeyed: by the terminal, by a reader of Markdown, by a reader of XML.
pub fn hostile() -> Report {
    let text = format!(
        "\u{1b}]0;title\u{7}\u{1b}[2J\u{202e}gnp.exe```\n# CHOSEN @everyone\n````\n</details><script>]]>&amp;\u{0}{}",
        "x".repeat(1 << 20)
    );
    let mut report = kept_changes();
    report.analysis = Analysis {
        summary: text.clone(),
        warnings: vec![text.clone()],
        errors: vec![text.clone()],
        failures: vec![Failure { file: Some(text.clone()), frame: None, ..failure() }],
        tests: Some(Tests {
            runner: text.clone(),
            failed_names: vec![text.clone()],
            ..tests_failed().analysis.tests.unwrap()
        }),
        ..Analysis::default()
    };
    report.execution.command = text.clone();
    report.recommendations = vec![text.clone()];
    report.result.stdout = text.clone();
    report.result.stderr = text.clone();
    report.changes.files[0].path = text.clone().into_bytes();
    report.environment.system = text.clone();
    report.validation.checks[0].quote = Some(text.clone());
    report.validation.checks[0].name = text.clone();
    report.request.risk.operations[0].what = text;
    report
}

/// Every sample as a view shows it, one after the other: what a snapshot keeps.
pub fn shown(view: impl Fn(&Report) -> String) -> String {
    all().iter().map(|(name, report)| format!("======== {name}\n{}\n", view(report).trim_end())).collect()
}

/// With the megabyte of the hostile sample shortened, so that a snapshot can be read.
pub fn short(text: &str) -> String {
    text.replace(&"x".repeat(100), "")
}

fn printed(stdout: &str, stderr: &str, ending: Ending, took: u64) -> Printed {
    Printed {
        success: ending.is_success(),
        exit_code: i32::from(ending.exit_code()),
        stdout: stdout.to_owned(),
        stderr: stderr.to_owned(),
        duration: crate::phrase::duration(millis(took)),
        ending,
        streams: Streams { stdout: facts(stdout), stderr: facts(stderr) },
    }
}

fn facts(text: &str) -> StreamFacts {
    StreamFacts {
        bytes: Bytes(text.len() as u64),
        lines: text.lines().count() as u64,
        sha256: Some("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855".to_owned()),
        redactions: 0,
        redactions_cut: 0,
        left_out: Bytes(0),
        lossy: false,
    }
}

fn failure() -> Failure {
    Failure {
        kind: "ModuleNotFoundError".to_owned(),
        message: "No module named 'nonexistent_module'".to_owned(),
        language: "python".to_owned(),
        file: Some("main.py".to_owned()),
        line: Some(3),
        column: None,
        frame: Some(Frame {
            function: Some("load".to_owned()),
            file: "main.py".to_owned(),
            line: Some(3),
            column: None,
        }),
        causes: Vec::new(),
        stream: Stream::Stderr,
        lines: [1, 6],
    }
}

fn change(path: &str, kind: ChangeKind) -> Change {
    let file = Standing { node: Node::File, size: Some(Bytes(12)), ..Standing::default() };
    let (before, after) = match kind {
        ChangeKind::Created => (Standing::default(), file),
        ChangeKind::Modified => (Standing { size: Some(Bytes(9)), ..file.clone() }, file),
        ChangeKind::Deleted => (file, Standing::default()),
    };
    Change::between(path.as_bytes(), before, after)
}

fn confinement() -> Confinement {
    let layer = |layer: Layer, detail: &str| LayerState { layer, detail: detail.to_owned() };
    let limit = |limit, how| Enforced { limit, max: limits().get(limit), how };
    Confinement {
        tier: Tier::N,
        profile: Profile::Default,
        start: StartMode::Cold,
        layers: vec![
            layer(Layer::User, ""),
            layer(Layer::Mount, ""),
            layer(Layer::Landlock, "version 7"),
            layer(Layer::Seccomp, "41 rules"),
            layer(Layer::Accounting, "cgroup v1"),
            layer(Layer::Overlay, ""),
        ],
        workspace: WorkspaceHow::OverlayInMemory,
        limits: vec![limit(Limit::Wall, How::Timer), limit(Limit::Memory, How::CgroupV1)],
        missing: Vec::new(),
        not_covered: vec!["timing of shared caches".to_owned()],
    }
}

fn limits() -> Limits {
    Limits {
        wall: Span::seconds(600),
        cpu: Span::seconds(3600),
        memory: Bytes::gib(4),
        processes: 1024,
        descriptors: 4096,
        file_size: Bytes::gib(1),
        disk: Bytes::gib(1),
        output: Bytes::mib(64),
    }
}

fn millis(millis: u64) -> Span {
    Span(Duration::from_millis(millis))
}
