//! Many runs at once, several engines on one store, and cancelling.

use crate::world::{World, helpers, run, threads, verified_runs};
use actum_engine::{CancelHandle, Engine, EngineConfig, EngineError, MemorySink, Request, RunState};
use actum_model::{Ending, Outcome};
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

/// Runs `count` requests on `callers` threads and gives the worst exit code.
fn run_many(engine: &Engine, world: &World, (count, callers): (usize, usize)) {
    let next = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..callers {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    if number >= count {
                        return;
                    }
                    let (result, sink) = run(engine, world.command(&["echo", &number.to_string()]));
                    assert_eq!(result.state, RunState::Recorded);
                    assert_eq!(sink.stdout, format!("{number}\n").as_bytes());
                }
            });
        }
    });
}

#[test]
fn runs_of_many_threads_do_not_meet() {
    let world = World::new();
    let engine = world.engine();
    run_many(&engine, &world, (60, 20));
    assert_eq!(verified_runs(&engine), 60);
}

/// Programs of one run share a layer of the workspace, which is no other run's.
#[test]
fn runs_of_several_programs_do_not_share_a_layer() {
    let world = World::new();
    let engine =
        Engine::new(EngineConfig { most_runs: NonZeroUsize::new(8).unwrap(), ..world.config() }).unwrap();
    std::thread::scope(|scope| {
        for number in 0..16 {
            let (engine, world) = (&engine, &world);
            scope.spawn(move || {
                let folder = world.workspace.path().join(number.to_string());
                std::fs::create_dir(&folder).unwrap();
                let answer = format!(
                    "Write it.\n\n```bash\necho {number} > made.txt\n```\n\nThen read it.\n\n```bash\ncat made.txt\n```\n"
                );
                let file = folder.join("answer.md");
                std::fs::write(&file, answer).unwrap();
                let (result, sink) = run(engine, Request::builder().file(&file).workspace(&folder));
                assert_eq!(sink.stdout, format!("{number}\n").as_bytes(), "{:?}", result.report.result);
                assert_eq!(std::fs::read_to_string(folder.join("made.txt")).unwrap(), format!("{number}\n"));
            });
        }
    });
}

#[test]
fn as_many_wait_as_are_asked_for() {
    const COUNT: usize = 1000;
    let world = World::new();
    let before = threads();
    let most_runs = NonZeroUsize::new(4).unwrap();
    let engine = Engine::new(EngineConfig { most_runs, ..world.config() }).unwrap();
    run_many(&engine, &world, (COUNT, COUNT));
    assert_eq!(verified_runs(&engine), COUNT as u64);
    drop(engine);
    assert_eq!(helpers(), Vec::<u32>::new(), "no process is left");
    assert_eq!(threads(), before, "no thread is left");
}

#[test]
fn two_engines_share_a_store() {
    let world = World::new();
    let (one, two) = (world.engine(), world.engine());
    std::thread::scope(|scope| {
        for engine in [&one, &two] {
            let world = &world;
            scope.spawn(move || run_many(engine, world, (20, 3)));
        }
    });
    assert_eq!(verified_runs(&one), 40);
}

#[test]
fn a_run_is_cancelled_in_order_and_then_killed() {
    let world = World::new();
    let engine = world.engine();
    let handle = CancelHandle::new();
    // It ignores the first wish.
    let asked = world.shell("trap '' TERM INT; echo ready; while :; do sleep 0.05; done").timeout("60s");
    let request = engine.request(asked).unwrap().cancel_with(&handle).unwrap();
    let began = Instant::now();
    let result = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(600));
            handle.cancel();
            std::thread::sleep(Duration::from_millis(200));
            handle.cancel();
        });
        engine.run(&request, &mut MemorySink::default()).unwrap()
    });
    assert_eq!(result.report.outcome, Outcome::Cancelled);
    assert_eq!(result.report.result.ending, Ending::Cancelled);
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
}

#[test]
fn a_run_that_waits_for_its_turn_is_cancelled() {
    let world = World::new();
    let engine = Engine::new(EngineConfig { most_runs: NonZeroUsize::MIN, ..world.config() }).unwrap();
    let (first, second) = (CancelHandle::new(), CancelHandle::new());
    let long = engine.request(world.command(&["sleep", "60"])).unwrap().cancel_with(&first).unwrap();
    let waits = engine.request(world.command(&["true"])).unwrap().cancel_with(&second).unwrap();
    std::thread::scope(|scope| {
        let running = scope.spawn(|| engine.run(&long, &mut MemorySink::default()).unwrap());
        std::thread::sleep(Duration::from_millis(300));
        let waiting = scope.spawn(|| engine.run(&waits, &mut MemorySink::default()));
        std::thread::sleep(Duration::from_millis(100));
        second.cancel();
        assert!(matches!(waiting.join().unwrap(), Err(EngineError::Cancelled)));
        first.cancel();
        assert_eq!(running.join().unwrap().report.outcome, Outcome::Cancelled);
    });
}
