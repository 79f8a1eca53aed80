//! Something that moves while somebody waits: a sign, what is being done, and for how long.
//!
//! Only on a terminal, only after half a second, on one line that is erased before anything else is printed. The cursor is
//! never hidden: a process that is killed could not bring it back.

use super::look::{Look, Motion};
use super::untrusted;
use std::io::{self, Write};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

/// What takes less is over before it was read.
const PATIENCE: Duration = Duration::from_millis(500);
/// Ten a second: smooth to look at, and nothing to compute.
const TICK: Duration = Duration::from_millis(100);
const SIGNS: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const ERASE: &str = "\r\u{1b}[K";

/// Moves until it is dropped. When it is, its line is erased and nothing more will be written.
#[derive(Debug)]
pub struct Spinner(Option<Running>);

#[derive(Debug)]
struct Running {
    /// Nothing is ever sent: the thread ends when this is gone.
    stop: Sender<Never>,
    thread: JoinHandle<()>,
}

#[derive(Debug)]
enum Never {}

impl Spinner {
    /// Nothing is started where nothing may move.
    pub fn start(look: &Look, label: &str) -> Self {
        match look.motion {
            Motion::Still => Self(None),
            Motion::Moving => {
                Self::on(io::stderr(), label, Pace { first: PATIENCE, next: TICK, width: look.width })
            }
        }
    }

    fn on(to: impl Write + Send + 'static, label: &str, pace: Pace) -> Self {
        let (stop, stopped) = mpsc::channel();
        let label = label.to_owned();
        let thread = std::thread::Builder::new().name("spinner".to_owned());
        // Without a thread there is nothing to look at, and everything else goes on.
        let thread = thread.spawn(move || move_on(to, &label, &stopped, &pace)).ok();
        Self(thread.map(|thread| Running { stop, thread }))
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        if let Some(Running { stop, thread }) = self.0.take() {
            drop(stop);
            let _ = thread.join();
        }
    }
}

#[derive(Debug)]
struct Pace {
    first: Duration,
    next: Duration,
    width: usize,
}

/// Draws until the other side of the channel is gone.
fn move_on(mut to: impl Write, label: &str, stopped: &Receiver<Never>, pace: &Pace) {
    let mut ticks = 0;
    let mut wait = pace.first;
    while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(wait) {
        let elapsed = pace.first + pace.next * ticks;
        let line = untrusted::fit(&frame(ticks, label, elapsed), pace.width.saturating_sub(1));
        let _ = write!(to, "{ERASE}{line}").and_then(|()| to.flush());
        ticks = ticks.saturating_add(1);
        wait = pace.next;
    }
    if ticks > 0 {
        let _ = write!(to, "{ERASE}").and_then(|()| to.flush());
    }
}

/// `⠹ compiling main.rs 1.2s`
fn frame(ticks: u32, label: &str, elapsed: Duration) -> String {
    let sign = SIGNS[ticks as usize % SIGNS.len()];
    format!("{sign} {} {:.1}s", untrusted::line(label), elapsed.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::look::{Detail, Look};

    /// Sends everything that is written to whoever asks.
    struct Seen(Sender<String>);

    impl Write for Seen {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let _ = self.0.send(String::from_utf8(bytes.to_vec()).unwrap());
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn until(seen: &Receiver<String>, text: &str) -> String {
        let mut all = String::new();
        while !all.contains(text) {
            all.push_str(&seen.recv_timeout(Duration::from_secs(20)).unwrap());
        }
        all
    }

    #[test]
    fn it_moves_is_harmless_and_leaves_nothing() {
        let (to, seen) = mpsc::channel();
        let pace = Pace { first: Duration::ZERO, next: Duration::from_millis(1), width: 80 };
        let spinner = Spinner::on(Seen(to), "compiling\u{1b}[2J", pace);
        until(&seen, "compiling\\u{1b}[2J");
        drop(spinner);
        let rest: String = seen.try_iter().collect();
        assert!(rest.ends_with(ERASE), "{rest:?}");
        assert!(!rest.contains("\u{1b}[?25l"), "the cursor was hidden");
        assert!(seen.recv().is_err(), "something holds the stream after the end");
    }

    #[test]
    fn what_is_over_at_once_shows_nothing() {
        let (to, seen) = mpsc::channel();
        let pace = Pace { first: Duration::from_secs(3600), next: TICK, width: 80 };
        drop(Spinner::on(Seen(to), "nothing", pace));
        assert_eq!(seen.try_iter().collect::<String>(), "");
    }

    #[test]
    fn where_nothing_may_move_nothing_is_started() {
        assert!(Spinner::start(&Look::plain(Detail::Brief), "x").0.is_none());
    }

    #[test]
    fn a_frame_is_one_short_line() {
        assert_eq!(frame(12, "compiling main.rs", Duration::from_millis(1700)), "⠹ compiling main.rs 1.7s");
    }
}
