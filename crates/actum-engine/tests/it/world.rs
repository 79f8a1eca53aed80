//! A home and a workspace of its own for each test, and what is left of its processes.

use actum_engine::{
    Engine, EngineConfig, HelperProgram, MemorySink, Request, RequestBuilder, RunResult, Surroundings,
};
use std::path::Path;
use tempfile::TempDir;

pub struct World {
    pub home: TempDir,
    pub workspace: TempDir,
}

impl World {
    pub fn new() -> Self {
        Self { home: tempfile::tempdir().unwrap(), workspace: tempfile::tempdir().unwrap() }
    }

    pub fn config(&self) -> EngineConfig {
        let program = HelperProgram::named(Path::new(env!("CARGO_BIN_EXE_actum-helper")));
        EngineConfig::new(Surroundings::below(self.home.path()), program)
    }

    pub fn engine(&self) -> Engine {
        Engine::new(self.config()).unwrap()
    }

    pub fn command(&self, words: &[&str]) -> RequestBuilder {
        Request::builder().command(words).workspace(self.workspace.path())
    }

    pub fn shell(&self, line: &str) -> RequestBuilder {
        self.command(&["sh", "-c", line])
    }
}

/// Runs a request and gives what it printed.
pub fn run(engine: &Engine, asked: RequestBuilder) -> (RunResult, MemorySink) {
    let mut sink = MemorySink::default();
    let result = engine.run(&engine.request(asked).unwrap(), &mut sink).unwrap();
    (result, sink)
}

/// The processes whose command line names the program of helpers, and which this process started.
pub fn helpers() -> Vec<u32> {
    let own = std::process::id();
    let children = |of: u32| -> Vec<u32> {
        let threads = std::fs::read_dir(format!("/proc/{of}/task")).into_iter().flatten().flatten();
        let listed =
            threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
        listed
            .flat_map(|list| list.split_whitespace().map(|id| id.parse().unwrap()).collect::<Vec<_>>())
            .collect()
    };
    let (mut found, mut left) = (Vec::new(), children(own));
    while let Some(process) = left.pop() {
        left.extend(children(process));
        found.push(process);
    }
    found
}

/// How many threads this process has.
pub fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").unwrap().count()
}

/// How many runs the ledger of an engine holds, after everything in it was derived again.
pub fn verified_runs(engine: &Engine) -> u64 {
    let reader = actum_store::Reader::open(engine.store()).unwrap();
    let keys = actum_store::Keyring::at(&engine.surroundings().keys).own().unwrap();
    let against = actum_store::Against { keys, ..Default::default() };
    let found = actum_store::verify(&reader, &against);
    assert!(found.is_intact() && !found.signers.is_empty() && found.unsigned == 0, "{found:?}");
    found.runs
}
