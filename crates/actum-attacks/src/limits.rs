//! The limits that every run is given, what was measured, and how much over is too much.

use std::time::Duration;

const MEBIBYTE: u64 = 1024 * 1024;

/// Limits handed to the runner. Small, so that the attempts can pass them and stay harmless.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunLimits {
    pub wall: Duration,
    pub memory: u64,
    pub processes: u64,
    pub descriptors: u64,
    pub disk: u64,
    pub output: u64,
}

/// How far over a limit still counts as held: measuring and polling both have a grain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slack {
    /// Start-up, teardown and two busy cores.
    pub wall: Duration,
    /// Counted pages of the supervisor and the interpreter, and one beat of a poller.
    pub memory: u64,
    /// The supervisor's own tasks carry the marker too.
    pub processes: u64,
    /// One beat of a poller at the pace at which the attempts write.
    pub disk: u64,
    /// A notice that output was cut, and buffers under way.
    pub output: u64,
}

/// The most that was seen at once while an attempt went on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Peak {
    pub tasks: u64,
    pub memory: u64,
    pub disk: u64,
}

impl RunLimits {
    pub fn usual(wall: Duration) -> RunLimits {
        RunLimits {
            wall,
            memory: 256 * MEBIBYTE,
            processes: 64,
            descriptors: 256,
            disk: 64 * MEBIBYTE,
            output: 8 * MEBIBYTE,
        }
    }

    /// The values of `--limit`, in the words that `actum run` reads.
    pub fn as_flags(&self) -> Vec<String> {
        vec![
            format!("wall={}s", self.wall.as_secs()),
            format!("memory={}MiB", self.memory / MEBIBYTE),
            format!("processes={}", self.processes),
            format!("descriptors={}", self.descriptors),
            format!("disk={}MiB", self.disk / MEBIBYTE),
            format!("output={}MiB", self.output / MEBIBYTE),
        ]
    }
}

impl Slack {
    pub const USUAL: Slack = Slack {
        wall: Duration::from_millis(2500),
        memory: 64 * MEBIBYTE,
        processes: 32,
        disk: 48 * MEBIBYTE,
        output: MEBIBYTE,
    };
}

impl Peak {
    /// The greater of each.
    pub fn max(self, other: Peak) -> Peak {
        Peak {
            tasks: self.tasks.max(other.tasks),
            memory: self.memory.max(other.memory),
            disk: self.disk.max(other.disk),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actum_model::Limits;

    #[test]
    fn the_model_understands_our_flags() {
        let mut limits = Limits {
            wall: "1s".parse().unwrap(),
            cpu: "1s".parse().unwrap(),
            memory: "1GiB".parse().unwrap(),
            processes: 100,
            descriptors: 100,
            file_size: "1GiB".parse().unwrap(),
            disk: "1GiB".parse().unwrap(),
            output: "1MiB".parse().unwrap(),
        };
        for flag in RunLimits::usual(Duration::from_secs(3)).as_flags() {
            limits.set(&flag).unwrap();
        }
        limits.check().unwrap();
    }
}
