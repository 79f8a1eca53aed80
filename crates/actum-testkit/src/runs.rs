//! Runs that never happened, for programs that write ledgers: what each printed follows from its name, so that a checker
//! knows without being told.

use actum_model::{
    Bytes, Digest, Ending, Held, Instant, Moment, Outcome, Record, Risk, RunId, Span, Started, Usage,
};
use std::time::Duration;

/// Numbers that look random and follow from a seed (SplitMix64): a fault that was found can be found again.
#[derive(Debug, Clone)]
pub struct Numbers(u64);

impl Numbers {
    pub fn from(seed: u64) -> Self {
        Self(seed)
    }

    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// One of the first `count` numbers.
    pub fn below(&mut self, count: u64) -> u64 {
        self.draw() % count.max(1)
    }
}

/// A run's name, from a time and numbers.
pub fn run(milliseconds: u64, numbers: &mut Numbers) -> RunId {
    let mut random = [0; 10];
    random[..8].copy_from_slice(&numbers.draw().to_be_bytes());
    random[8..].copy_from_slice(&numbers.draw().to_be_bytes()[..2]);
    RunId::new(milliseconds, random)
}

/// What a run printed: of every eight runs one prints so much that it becomes a file. It does not compress.
pub fn printed(run: RunId) -> Vec<u8> {
    let bytes = run.to_bytes();
    let seed = u64::from_be_bytes(bytes[8..].try_into().expect("the last eight of sixteen bytes"));
    let mut numbers = Numbers::from(seed);
    let length = match numbers.below(8) {
        0 => 70_000 + numbers.below(60_000),
        _ => 20 + numbers.below(2_000),
    };
    let words = (0..length.div_ceil(8)).flat_map(|_| numbers.draw().to_be_bytes());
    words.take(usize::try_from(length).unwrap_or_default()).collect()
}

/// How a run began.
pub fn started(run: RunId) -> Started {
    Started {
        v: Started::VERSION,
        run,
        attempt: 1,
        at: Moment(run.milliseconds() * 1000),
        command: format!("python train.py --seed {}", run.milliseconds() % 997),
        language: "python".to_owned(),
        folder: "/home/u/project".to_owned(),
        labels: vec!["nightly".to_owned()],
    }
}

/// The record of a run, and the contents that it names: what it printed, and its report.
pub fn record(run: RunId) -> (Record, Vec<Vec<u8>>) {
    let (stdout, report) = (printed(run), format!("{{\"run\":\"{run}\"}}").into_bytes());
    let Started { at, command, language, folder, labels, .. } = started(run);
    let instant =
        |at: u64| Instant { at: Moment(at), monotonic: Span(Duration::from_micros(at % 1_000_000_000)) };
    let json = serde_json::json!({
        "v": Record::VERSION, "run": run, "labels": labels, "command": command, "language": language,
        "source": { "kind": "file", "path": "train.py" }, "workspace": folder, "folder": folder,
        "variables": { "names": ["PATH"] },
        "asked": {
            "policy": "default", "workspace_mode": "overlay",
            "limits": { "wall": 60.0, "cpu": 60.0, "memory": 1 << 30, "processes": 10, "descriptors": 64,
                        "file_size": 1 << 30, "disk": 1 << 30, "output": 1 << 30 },
            "approval": "risky", "risk": Risk::default(),
        },
        "key": "out-of-reach", "started": instant(at.0), "ended": instant(at.0 + 500_000),
        "outcome": Outcome::Success, "exit_code": 0, "ending": Ending::Exited { code: 0 }, "attempts": [],
        "usage": Usage::default(), "stdout": held(&stdout), "stderr": held(b""), "timeline": held(b""),
        "report": held(&report), "changes": "nothing", "actum": { "version": "0.1.0" },
    });
    let record = serde_json::from_value(json).expect("BUG: this is a record, field by field");
    (record, vec![stdout, report])
}

fn held(bytes: &[u8]) -> Held {
    Held { sha256: Digest::of(bytes), bytes: Bytes(bytes.len() as u64), redactions: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_run_printed_follows_from_its_name() {
        let mut numbers = Numbers::from(1);
        let runs: Vec<RunId> = (0..64).map(|n| run(n, &mut numbers)).collect();
        let large = runs.iter().filter(|run| printed(**run).len() > 65_536).count();
        assert!((1..20).contains(&large), "{large}");
        for run in runs {
            let (record, contents) = record(run);
            assert_eq!((record.run, record.stdout), (run, held(&printed(run))));
            assert_eq!(contents[0], printed(run));
        }
    }
}
