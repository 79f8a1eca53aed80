//! Sinks that fail, panic, or take their time.

use crate::world::{World, run, verified_runs};
use actum_engine::{MemorySink, NoSink, Sink};
use actum_model::{Happened, Outcome, Stream};
use std::io;
use std::time::Duration;

/// Does something with each piece of output.
struct Doing<F>(F);

impl<F: FnMut(&[u8]) -> io::Result<()>> Sink for Doing<F> {
    fn output(&mut self, _: Stream, bytes: &[u8]) -> io::Result<()> {
        (self.0)(bytes)
    }

    fn event(&mut self, _: Happened) {}
}

#[test]
fn a_sink_that_fails_ends_its_own_run_only() {
    let world = World::new();
    let engine = world.engine();
    let mut gone = Doing(|_: &[u8]| Err(io::ErrorKind::BrokenPipe.into()));
    let endless = engine.request(world.command(&["yes"]).timeout("60s")).unwrap();
    let result = engine.run(&endless, &mut gone).unwrap();
    assert_ne!(result.report.outcome, Outcome::Success, "{:?}", result.report.result.ending);
    assert_ne!(result.report.outcome, Outcome::Timeout);
    assert!(result.report.evidence.is_some());
    assert_eq!(run(&engine, world.command(&["true"])).0.report.exit_code.get(), 0);
    assert_eq!(verified_runs(&engine), 2);
}

#[test]
fn a_sink_that_panics_ends_its_own_run_only() {
    let world = World::new();
    let engine = world.engine();
    let mut panics = Doing(|_: &[u8]| panic!("a sink of a test"));
    let endless = engine.request(world.command(&["yes"]).timeout("60s")).unwrap();
    let result = engine.run(&endless, &mut panics).unwrap();
    assert_ne!(result.report.outcome, Outcome::Success);
    assert_ne!(result.report.outcome, Outcome::Timeout);
    assert_eq!(run(&engine, world.command(&["true"])).0.report.exit_code.get(), 0);
    assert_eq!(verified_runs(&engine), 2);
}

#[test]
fn a_slow_sink_loses_nothing() {
    let world = World::new();
    let engine = world.engine();
    let mut taken = 0;
    let mut slow = Doing(|bytes: &[u8]| {
        taken += bytes.len();
        std::thread::sleep(Duration::from_millis(5));
        Ok(())
    });
    let asked = world.shell("head -c 3000000 /dev/zero | tr '\\0' x");
    let result = engine.run(&engine.request(asked).unwrap(), &mut slow).unwrap();
    assert_eq!(result.report.outcome, Outcome::Success);
    assert_eq!(result.report.result.streams.stdout.bytes.0, 3_000_000);
    assert_eq!(taken, 3_000_000);
}

#[test]
fn output_is_kept_where_nobody_takes_it() {
    let world = World::new();
    let engine = world.engine();
    let asked = engine.request(world.shell("echo kept")).unwrap();
    let result = engine.run(&asked, &mut NoSink).unwrap();
    assert_eq!(result.report.result.stdout, "kept\n");
    let _ = MemorySink::default();
}
