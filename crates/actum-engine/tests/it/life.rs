//! What an engine holds on to, and what it survives.

use crate::world::{World, helpers, run, verified_runs};
use actum_engine::{EngineError, MemorySink};
use rustix::process::{Pid, Signal, kill_process};
use std::time::{Duration, Instant};

#[test]
fn an_engine_that_is_dropped_leaves_no_process() {
    let world = World::new();
    let engine = world.engine();
    assert!(!helpers().is_empty(), "a warden was started");
    let _ = run(&engine, world.command(&["true"]));
    drop(engine);
    assert_eq!(helpers(), Vec::<u32>::new());
}

#[test]
fn a_warden_that_is_killed_is_started_again() {
    let world = World::new();
    let engine = world.engine();
    let _ = run(&engine, world.command(&["true"]));
    for helper in helpers() {
        let _ = kill_process(Pid::from_raw(helper.cast_signed()).unwrap(), Signal::KILL);
    }
    let deadline = Instant::now() + Duration::from_secs(20);
    let request = || engine.request(world.command(&["echo", "again"])).unwrap();
    let mut sink = MemorySink::default();
    // The run that finds it gone is told so; the next one has another.
    while let Err(error) = engine.run(&request(), &mut sink) {
        assert!(matches!(error, EngineError::Run(_)), "{}", actum_engine::describe(&error));
        assert!(Instant::now() < deadline, "{}", actum_engine::describe(&error));
    }
    assert_eq!(sink.stdout, b"again\n");
    assert!(verified_runs(&engine) >= 2);
}

#[test]
fn a_store_that_cannot_be_written_is_told_and_nothing_runs() {
    let world = World::new();
    let engine = world.engine();
    std::fs::write(world.home.path().join("store"), "a file").unwrap();
    let request = engine.request(world.shell("touch made.txt")).unwrap();
    let error = engine.run(&request, &mut MemorySink::default()).unwrap_err();
    assert!(matches!(error, EngineError::Store(_)), "{error:?}");
    assert!(!world.workspace.path().join("made.txt").exists());
}
