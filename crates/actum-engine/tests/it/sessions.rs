//! Calls of a session: the same engine, the same request, an interpreter that stays.

use crate::world::{World, run};
use actum_engine::{Request, RequestBuilder, SessionChoice};

#[test]
fn a_session_keeps_its_variables_between_calls() {
    let world = World::new();
    let engine = world.engine();
    let call = |code: &str| RequestBuilder {
        session: Some(SessionChoice { name: "kept".into(), idle: None }),
        ..Request::builder().code("python", code).workspace(world.workspace.path())
    };
    let (first, _) = run(&engine, call("x = 20"));
    assert_eq!(first.report.exit_code.get(), 0, "{:?}", first.report.result);
    let (second, sink) = run(&engine, call("print(x + 1)"));
    assert_eq!((second.report.exit_code.get(), &sink.stdout[..]), (0, &b"21\n"[..]));
    let (other, _) = run(&world.engine(), call("raise ValueError(x)"));
    assert_eq!(other.report.exit_code.get(), 1);
    let place = actum_engine::session_place(engine.surroundings(), &world.config().program);
    let name = "kept".parse().unwrap();
    actum_run::session::stop(&place, &name, actum_run::session::Fate::Discard).unwrap();
}
