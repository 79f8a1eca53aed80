//! What really happened comes before what the program said about it.

use super::{Told, timed_out};
use actum_model::{Amount, Bytes, Completeness, Ending, Limit, Reading, Service, Sign, Span, Usage};

fn over(limit: Limit) -> Ending {
    Ending::OverLimit { limit, max: Amount::Count(8), used: Amount::Count(9) }
}

fn used(wall: u64, cpu: u64, threads: u64) -> Usage {
    Usage {
        wall: Span::seconds(wall),
        cpu: Some(Span::seconds(cpu)),
        processes_peak: Some(threads),
        ..Usage::default()
    }
}

#[test]
fn limits_and_signals_decide() {
    let memory =
        Ending::OutOfMemory { max: Amount::Bytes(Bytes::mib(64)), used: Amount::Bytes(Bytes::mib(65)) };
    let not_found = Ending::NotStarted { code: 127, reason: "no such command: foo".to_owned() };
    let not_executable = Ending::NotStarted { code: 126, reason: "permission denied".to_owned() };
    for (ending, row) in [
        (memory, "any-oom-killed"),
        (over(Limit::Cpu), "any-cpu-xcpu"),
        (over(Limit::Output), "perf-output-flood"),
        (over(Limit::Disk), "any-disk-full"),
        (over(Limit::FileSize), "any-file-too-large"),
        (over(Limit::Descriptors), "any-too-many-files"),
        (over(Limit::Processes), "any-nproc"),
        (Ending::Signalled { signal: 24 }, "any-cpu-xcpu"),
        (Ending::Signalled { signal: 25 }, "any-file-too-large"),
        (Ending::Signalled { signal: 7 }, "any-sigbus"),
        (Ending::Signalled { signal: 11 }, "any-segv"),
        (Ending::Signalled { signal: 31 }, "any-seccomp"),
        (not_found, "sh-cmd-missing"),
        (not_executable, "any-permission"),
        (timed_out(), "any-timeout"),
    ] {
        // Whatever is on stderr, a program that met a limit did not fail by it.
        let told = Told { language: "python", ending: Some(ending.clone()), ..Told::default() };
        assert_eq!(told.row(), row, "{ending:?}");
        if ending.limit().is_some() {
            let stderr = "Traceback (most recent call last):\n  File \"/workspace/main.py\", line 1, in <module>\nModuleNotFoundError: No module named 'x'\n";
            assert_eq!(Told { stderr, ..told }.row(), row, "{ending:?}");
        }
    }
}

#[test]
fn an_end_of_its_time_is_told_by_what_it_did_with_it() {
    let service = Reading { service: Some(a_service()), ..Reading::of("python") };
    let stdin =
        Reading { stdin: Some(Sign { what: "input()".to_owned(), line: 1 }), ..Reading::of("python") };
    let waiting = used(10, 0, 1);
    let busy = used(10, 10, 1);
    for (usage, reading, stdout, row) in [
        (waiting.clone(), Some(service), "", "server-never-ends"),
        (waiting.clone(), Some(stdin), "", "any-stdin-wait"),
        (waiting.clone(), None, " * Running on http://127.0.0.1:5000\n", "server-never-ends"),
        (waiting.clone(), None, "retrying: Connection refused\n", "net-refused"),
        (waiting, None, "step 1\n", "any-timeout"),
        (busy.clone(), None, "", "perf-slow-no-output"),
        (busy.clone(), None, "step 1\n", "any-timeout"),
        // A program that computes and once met a refusal is not waiting for it.
        (busy, None, "Connection refused, going on\n", "any-timeout"),
        (used(10, 20, 64), None, "step 1\n", "perf-thrash-threads"),
    ] {
        let told =
            Told { language: "python", stdout, ending: Some(timed_out()), usage, reading, ..Told::default() };
        assert_eq!(told.row(), row, "{stdout:?}");
    }
}

fn a_service() -> Service {
    Service { what: "app.run()".to_owned(), port: None, line: 3 }
}

#[test]
fn what_was_left_out_explains_what_goes_wrong_by_itself() {
    let complete = Completeness::Elided { line: 4, what: "# ... rest of the code".to_owned() };
    let reading = Reading { complete, ..Reading::of("python") };
    let raise = |line: &str| {
        format!(
            "Traceback (most recent call last):\n  File \"/workspace/main.py\", line 9, in <module>\n{line}\n"
        )
    };
    for (line, row) in [
        ("NameError: name 'load' is not defined", "elided-code"),
        ("IndentationError: expected an indented block", "elided-code"),
        // What is missing around it is missing all the same.
        ("ModuleNotFoundError: No module named 'absent'", "py-module-missing"),
    ] {
        let stderr = raise(line);
        let told =
            Told { language: "python", stderr: &stderr, reading: Some(reading.clone()), ..Told::default() };
        assert_eq!(told.row(), row);
    }
    let told = Told { language: "python", reading: Some(reading), ..Told::default() };
    assert_eq!(told.diagnosis().unwrap().subject, ["4", "# ... rest of the code"]);
}

#[test]
fn an_attempt_that_ended_well_or_was_cancelled_has_no_diagnosis() {
    let text = "ModuleNotFoundError: No module named 'x'\nNo space left on device\n";
    for ending in [Ending::Exited { code: 0 }, Ending::Cancelled] {
        let told =
            Told { language: "python", stderr: text, stdout: text, ending: Some(ending), ..Told::default() };
        assert_eq!(told.diagnosis(), None);
    }
}
