//! The only clock of xtask: how long a step took, and how long processors worked for it.

use std::time::{Duration, Instant};

/// Started when it is made.
pub struct Stopwatch {
    began: Instant,
    worked: Duration,
}

impl Stopwatch {
    pub fn start() -> Stopwatch {
        Stopwatch { began: Instant::now(), worked: worked() }
    }

    pub fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// The processor time of this process and of every child that has ended since the start.
    pub fn worked(&self) -> Duration {
        worked().saturating_sub(self.worked)
    }
}

/// The time of day, in seconds.
pub fn seconds_since_1970() -> f64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}

/// Zero where the kernel does not tell.
fn worked() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    Duration::from_millis(ticks(&stat).unwrap_or_default() * 10)
}

/// Fields 14 to 17 of `/proc/PID/stat`: ticks in user and kernel mode, of the process and of its children. Linux counts a hundred ticks a
/// second in what it shows, on every kind of machine that we build for. The name, which is in parentheses, may hold anything.
fn ticks(stat: &str) -> Option<u64> {
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_whitespace().skip(11).take(4).map(|field| field.parse::<u64>().ok()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_those_of_the_process_and_its_children() {
        let stat = "7 (a) b) S 1 7 7 0 -1 0 1 2 3 4 100 20 3000 400 20 0 1 0 99";
        assert_eq!(ticks(stat), Some(3520));
        assert_eq!(ticks("7 (a"), None);
    }

    #[test]
    fn a_child_that_has_ended_counts() {
        let watch = Stopwatch::start();
        let busy =
            crate::command::Command::new("sh", &["-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"]);
        busy.output().unwrap();
        assert!(watch.worked() > Duration::ZERO);
    }
}
