//! A real terminal, played by tmux: colours show, commands to the terminal do not, and Ctrl-C stops the run.

use crate::leftovers::{Leftovers, marked};
use crate::run::within;
use crate::world::{Caller, World};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(20);

/// A tmux server of this test's own, with one window.
pub struct Terminal {
    socket: PathBuf,
    caller: Vec<OsString>,
}

impl Terminal {
    /// Nothing where there is no tmux, which then was said.
    pub fn open(world: &World) -> Option<Self> {
        if Command::new("tmux").arg("-V").output().is_err() {
            actum_testkit::skip("there is no tmux on this machine");
            return None;
        }
        let caller = match (world.caller, rustix::process::geteuid().is_root()) {
            (Caller::Ordinary, true) => vec![
                "setpriv".into(),
                format!("--reuid={}", world.identity.user).into(),
                format!("--regid={}", world.identity.group).into(),
                "--clear-groups".into(),
            ],
            _ => Vec::new(),
        };
        let terminal = Self { socket: world.path("home/tmux"), caller };
        let shell = "PS1='ready> ' exec sh";
        let made =
            terminal.tmux(world, &["-f", "/dev/null", "new-session", "-d", "-x", "120", "-y", "50", shell]);
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        terminal.tmux(world, &["set-option", "-s", "set-clipboard", "on"]);
        Some(terminal)
    }

    pub fn tmux(&self, world: &World, words: &[&str]) -> Output {
        let mut line = self.caller.clone();
        line.extend(["tmux".into(), "-S".into(), self.socket.clone().into()]);
        let mut command = Command::new(&line[0]);
        command.args(&line[1..]).args(words).current_dir(world.workspace()).env_clear();
        command.env("PATH", crate::world::PATH).env("LANG", "C.UTF-8").env("TERM", "xterm-256color");
        command.env("HOME", world.path("home")).env("XDG_CACHE_HOME", world.path("cache"));
        command.output().unwrap()
    }

    pub fn type_in(&self, world: &World, text: &str) {
        self.tmux(world, &["send-keys", "-l", text]);
        self.tmux(world, &["send-keys", "Enter"]);
    }

    /// A shell's words from beside the terminal, as whoever started it.
    pub fn outside(&self, world: &World, words: &str) {
        let status = Command::new("sh").args(["-c", words]).current_dir(world.workspace()).status().unwrap();
        assert!(status.success(), "{words}");
    }

    /// What the window shows, with the sequences that make its colours.
    fn shown(&self, world: &World) -> String {
        String::from_utf8_lossy(&self.tmux(world, &["capture-pane", "-p", "-e", "-J"]).stdout).into_owned()
    }

    pub fn until_shown(&self, world: &World, text: &str) -> String {
        let mut shown = String::new();
        let came = within(PATIENCE, || {
            shown = self.shown(world);
            shown.contains(text)
        });
        assert!(came, "{text} did not come: {shown}");
        shown
    }

    pub fn close(self, world: &World) {
        self.tmux(world, &["kill-server"]);
    }
}

#[test]
fn colours_show_and_the_clipboard_is_out_of_reach() {
    for world in World::each() {
        let Some(terminal) = Terminal::open(&world) else { return };
        world.make_file(
            &world.workspace().join("show.py"),
            "import sys\nsys.stdout.write('\\x1b[31mred\\x1b[0m \\x1b]52;c;c2VjcmV0\\x07 \\x1b]2;title\\x07end\\n')\n",
        );
        terminal.type_in(&world, &format!("{} run -- python3 show.py", world.actum().display()));
        let shown = terminal.until_shown(&world, "actum: exited 0");
        assert!(shown.contains("\u{1b}[31mred"), "{shown:?}");
        assert!(shown.contains("␛]52;c;c2VjcmV0"), "{shown:?}");
        let kept = terminal.tmux(&world, &["show-buffer"]);
        assert!(!String::from_utf8_lossy(&kept.stdout).contains("secret"), "the clipboard was written");
        let title = terminal.tmux(&world, &["display-message", "-p", "#{pane_title}"]);
        assert_ne!(String::from_utf8_lossy(&title.stdout).trim(), "title");
        terminal.close(&world);
    }
}

/// The test above means something only if this terminal obeys when nobody stands between.
#[test]
fn the_terminal_of_these_tests_obeys() {
    let Some(world) = World::each().pop() else { return };
    let Some(terminal) = Terminal::open(&world) else { return };
    terminal.type_in(&world, "printf '\\033]52;c;c2VjcmV0\\007'; echo wri''tten");
    terminal.until_shown(&world, "written");
    let kept = within(PATIENCE, || terminal.tmux(&world, &["show-buffer"]).stdout == b"secret");
    assert!(kept, "tmux did not take what was written to its clipboard");
    terminal.close(&world);
}

#[test]
fn control_c_stops_the_run() {
    for world in World::each() {
        let Some(terminal) = Terminal::open(&world) else { return };
        let before = Leftovers::before(&world);
        let marker = format!("actum-it-{}-terminal", std::process::id());
        let program = "import time; print(\"start\"+\"ed\", flush=True); time.sleep(600)";
        terminal.type_in(
            &world,
            &format!("{} run -- python3 -c '{program}' {marker}; echo code=$?", world.actum().display()),
        );
        terminal.until_shown(&world, "started");
        terminal.tmux(&world, &["send-keys", "C-c"]);
        let shown = terminal.until_shown(&world, "code=1");
        assert!(shown.contains("code=130") && shown.contains("actum: cancelled"), "{shown}");
        assert!(within(PATIENCE, || marked(&marker).is_empty()));
        terminal.close(&world);
        before.check(&marker);
    }
}
