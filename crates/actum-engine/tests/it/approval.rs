//! Runs that need approval: asked through the sink, or kept and approved later.

use crate::world::{World, run};
use actum_engine::{Decision, EngineError, MemorySink, RequestBuilder, RunState, Sink};
use actum_model::{Approval, Happened, Outcome, Stream};
use std::io;

/// Answers the question.
struct Answers(Decision);

impl Sink for Answers {
    fn output(&mut self, _: Stream, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn event(&mut self, _: Happened) {}

    fn decide(&mut self, question: &[String]) -> io::Result<Decision> {
        assert!(!question.is_empty());
        Ok(self.0)
    }
}

fn asks(world: &World) -> RequestBuilder {
    RequestBuilder { approval: Some(Approval::Always), ..world.shell("echo approved > approved.txt") }
}

#[test]
fn a_sink_answers() {
    let world = World::new();
    let engine = world.engine();
    let refused = engine.run(&engine.request(asks(&world)).unwrap(), &mut Answers(Decision::Refused));
    assert!(matches!(refused, Err(EngineError::Refused)));
    let approved =
        engine.run(&engine.request(asks(&world)).unwrap(), &mut Answers(Decision::Approved)).unwrap();
    assert_eq!(approved.report.outcome, Outcome::Success);
    assert!(world.workspace.path().join("approved.txt").exists());
}

#[test]
fn without_an_answer_it_waits_and_is_run_once() {
    let world = World::new();
    let engine = world.engine();
    let (waits, _) = run(&engine, asks(&world));
    assert!(matches!(waits.state, RunState::AwaitingApproval { .. }), "{waits:?}");
    assert_eq!((waits.report.outcome, waits.report.exit_code.get()), (Outcome::Skipped, 120));
    assert!(!world.workspace.path().join("approved.txt").exists());
    // Two find it; the second comes too late.
    let (first, second) = (engine.find_pending("last").unwrap(), engine.find_pending("last").unwrap());
    assert_eq!(engine.pending().unwrap().len(), 1);
    let request = engine.approve(first).unwrap();
    assert!(engine.approve(second).is_err());
    let result = engine.run(&request, &mut MemorySink::default()).unwrap();
    assert_eq!((result.report.outcome, result.state), (Outcome::Success, RunState::Recorded));
    assert!(engine.pending().unwrap().is_empty());
}

#[test]
fn what_changed_since_it_was_asked_for_does_not_run() {
    let world = World::new();
    let engine = world.engine();
    let file = world.workspace.path().join("say.py");
    std::fs::write(&file, "print('harmless')").unwrap();
    let asked = RequestBuilder {
        approval: Some(Approval::Always),
        ..actum_engine::Request::builder().file(&file).workspace(world.workspace.path())
    };
    let _ = run(&engine, asked);
    std::fs::write(&file, "print('something else')").unwrap();
    let request = engine.approve(engine.find_pending("last").unwrap()).unwrap();
    let mut sink = MemorySink::default();
    assert!(matches!(engine.run(&request, &mut sink), Err(EngineError::NotWhatWasApproved)));
    assert_eq!(sink.stdout, b"");
}

#[test]
fn a_refused_request_is_gone() {
    let world = World::new();
    let engine = world.engine();
    let _ = run(&engine, asks(&world));
    engine.refuse(&engine.find_pending("last").unwrap()).unwrap();
    assert!(engine.pending().unwrap().is_empty());
}
