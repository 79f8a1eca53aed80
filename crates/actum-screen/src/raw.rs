//! Our own terminal while a program has it as a whole: every key goes through, and afterwards it is as it was.

use actum_sandbox::Terminal;
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};
use std::io::{self, IsTerminal};
use std::sync::{Mutex, Once};

/// As long as this lives our terminal passes keys on as they are typed.
#[derive(Debug)]
pub struct Raw(());

/// How the terminal was, while it is not. Here and not in [`Raw`], because a panic ends the program without dropping.
static BEFORE: Mutex<Option<Termios>> = Mutex::new(None);

impl Raw {
    /// Nothing where our stdin is no terminal.
    pub fn enter() -> Option<Self> {
        let before = tcgetattr(io::stdin()).ok()?;
        let mut raw = before.clone();
        raw.make_raw();
        restore_when_panicking();
        *BEFORE.lock().ok()? = Some(before);
        // Made before the terminal changes: whatever fails from here on puts it back.
        let entered = Self(());
        tcsetattr(io::stdin(), OptionalActions::Drain, &raw).ok()?;
        Some(entered)
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        restore();
    }
}

/// The size of the terminal that we are shown on or typed at, if there is one.
pub fn size() -> Option<Terminal> {
    let size = tcgetwinsize(io::stdout()).or_else(|_| tcgetwinsize(io::stdin())).ok()?;
    let (rows, columns) = (size.ws_row, size.ws_col);
    (rows > 0 && columns > 0).then_some(Terminal { rows, columns })
}

/// Whether somebody can type.
pub fn is_typed_at() -> bool {
    io::stdin().is_terminal()
}

fn restore() {
    // A lock that a panic poisoned is as good.
    let mut before = BEFORE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some(before) = before.take() {
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &before);
    }
}

fn restore_when_panicking() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            restore();
            usual(panic);
        }));
    });
}
