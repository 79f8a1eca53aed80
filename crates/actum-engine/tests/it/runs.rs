//! One run: what comes out, what is changed, what is recorded.

use crate::world::{World, run, verified_runs};
use actum_engine::{Engine, EngineConfig, Lifetime, MemorySink, Request, RunState, StdinChoice};
use actum_model::{Applied, Ending, Happened, Level, Outcome};

#[test]
fn a_command_is_confined_captured_and_recorded() {
    let world = World::new();
    let engine = world.engine();
    let (result, sink) = run(&engine, world.shell("echo out; echo err >&2; exit 3"));
    assert_eq!((&sink.stdout[..], &sink.stderr[..]), (&b"out\n"[..], &b"err\n"[..]));
    assert_eq!(result.state, RunState::Recorded);
    assert_eq!((result.report.outcome, result.report.exit_code.get()), (Outcome::Failure, 3));
    assert!(result.report.confinement.is_some());
    let evidence = result.report.evidence.as_ref().unwrap();
    assert!(evidence.level >= Level::E2 && evidence.signer.is_some(), "{evidence:?}");
    assert_eq!(verified_runs(&engine), 1);
}

#[test]
fn events_come_in_order() {
    let world = World::new();
    let (_, sink) = run(&world.engine(), world.shell("true"));
    let position = |wanted: fn(&Happened) -> bool| sink.events.iter().position(wanted).unwrap();
    let started = position(|event| matches!(event, Happened::RunStarted { .. }));
    let attempted = position(|event| matches!(event, Happened::AttemptStarted { .. }));
    let ended = position(|event| matches!(event, Happened::AttemptEnded { .. }));
    assert!(started < attempted && attempted < ended, "{:?}", sink.events);
}

#[test]
fn what_a_python_file_needs_and_changes_is_prepared_and_applied() {
    let world = World::new();
    let file = world.workspace.path().join("write.py");
    std::fs::write(&file, "open('made.txt', 'w').write('made\\n'); print('done')").unwrap();
    let asked = Request::builder().file(&file).workspace(world.workspace.path());
    let (result, sink) = run(&world.engine(), asked);
    assert_eq!(sink.stdout, b"done\n");
    assert_eq!(result.report.changes.state, Applied::Applied);
    assert_eq!(std::fs::read(world.workspace.path().join("made.txt")).unwrap(), b"made\n");
}

#[test]
fn a_failed_run_leaves_the_workspace_as_it_was() {
    let world = World::new();
    let engine = world.engine();
    let (result, _) = run(&engine, world.shell("echo half > half.txt; exit 1"));
    assert_eq!(result.report.changes.state, Applied::Kept);
    assert!(!world.workspace.path().join("half.txt").exists());
    assert!(engine.finish_pending().is_empty());
}

#[test]
fn a_program_reads_the_file_that_it_was_given() {
    let world = World::new();
    let input = world.workspace.path().join("input");
    std::fs::write(&input, "lines\n").unwrap();
    let asked = world.command(&["cat"]);
    let asked = actum_engine::RequestBuilder { stdin: StdinChoice::File(input), ..asked };
    assert_eq!(run(&world.engine(), asked).1.stdout, b"lines\n");
}

#[test]
fn time_is_limited() {
    let world = World::new();
    let (result, _) = run(&world.engine(), world.command(&["sleep", "60"]).timeout("200ms"));
    assert_eq!(result.report.outcome, Outcome::Timeout);
    assert!(matches!(result.report.result.ending, Ending::TimedOut { .. }));
}

#[test]
fn a_plan_runs_nothing_and_writes_nothing() {
    let world = World::new();
    let engine = world.engine();
    let asked = Request::builder().code("python", "open('made.txt', 'w')").workspace(world.workspace.path());
    let plan = engine.plan(&engine.request(asked).unwrap()).unwrap();
    assert_eq!(plan.programs.len(), 1, "{plan:?}");
    assert!(!world.workspace.path().join("made.txt").exists());
    assert!(!engine.store().root().exists());
}

#[test]
fn an_engine_for_one_run_says_so_when_it_is_used_again() {
    let world = World::new();
    let engine = Engine::new(EngineConfig { lifetime: Lifetime::OneRun, ..world.config() }).unwrap();
    let (result, _) = run(&engine, world.command(&["true"]));
    assert_eq!(result.report.exit_code.get(), 0);
    let again = engine.request(world.command(&["true"])).unwrap();
    let error = engine.run(&again, &mut MemorySink::default()).unwrap_err();
    assert!(error.to_string().contains("created for one run"), "{error}");
}
