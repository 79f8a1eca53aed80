//! A program that needs a terminal gets one: its own, with a name, a size, and somebody who types.

use crate::leftovers::Leftovers;
use crate::terminal::Terminal;
use crate::world::{Walls, World};

/// As a terminal ends them.
fn lines(lines: &[&str]) -> String {
    lines.iter().map(|line| format!("{line}\r\n")).collect()
}

#[test]
fn a_program_sits_at_a_terminal_of_its_own() {
    let asks = "test -t 0 && test -t 1 && test -t 2 && echo three; stty size; test -c \"$(tty)\" && echo named; \
                echo \"$TERM\"; echo again > /dev/tty; echo by name > \"$(tty)\"; ps -o tty= -p $$ | grep -q pts && echo own";
    for world in World::each() {
        for walls in Walls::ALL {
            let before = Leftovers::before(&world);
            let done = world.run(&["bash", "-c", asks]).walls(walls).flag("--pty").go().expect(0);
            let expected = ["three", "24 80", "named", "xterm-256color", "again", "by name", "own"];
            assert_eq!(done.out(), lines(&expected), "{done}");
            before.check(&done.marker);
        }
    }
}

#[test]
fn what_is_handed_in_is_typed_and_then_ends() {
    let program = "print('hello', input('who? '))\ntry: input()\nexcept EOFError: print('end')";
    for world in World::each() {
        for walls in Walls::ALL {
            let done = world.python(program).walls(walls).flag("--pty").stdin(b"Ada\n").go().expect(0);
            assert!(done.out().contains("who? ") && done.out().contains("hello Ada\r\n"), "{done}");
            assert!(done.out().ends_with("end\r\n"), "{done}");
            // In the middle of a line, and with nothing at all.
            let cat = world.run(&["sh", "-c", "stty -echo; cat; echo end"]).walls(walls).flag("--pty");
            let done = cat.stdin(b"half").go().expect(0);
            assert!(done.out().ends_with("halfend\r\n"), "{done}");
            world.run(&["cat"]).walls(walls).flag("--pty").go().expect(0);
        }
    }
}

#[test]
fn everything_that_is_shown_is_captured() {
    for world in World::each() {
        for walls in Walls::ALL {
            let done = world.run(&["seq", "100000"]).walls(walls).flag("--pty").go().expect(0);
            let expected: String = (1..=100_000).map(|number| format!("{number}\r\n")).collect();
            assert!(done.out() == expected, "{} of {} bytes", done.stdout.len(), expected.len());
            assert_eq!(done.told("/resources/output"), expected.len() as u64, "{done}");
            world.run(&["sh", "-c", "exit 5"]).walls(walls).flag("--pty").go().expect(5);
        }
    }
}

#[test]
fn a_line_discipline_cannot_be_loaded() {
    // TIOCSETD to N_HDLC, whose module has a history.
    let program = "import fcntl, struct, errno\ntry: fcntl.ioctl(0, 0x5423, struct.pack('i', 13))\n\
                   except OSError as e: print(errno.errorcode[e.errno])";
    for world in World::each() {
        let done = world.python(program).flag("--pty").go().expect(0);
        assert_eq!(done.out(), "EPERM\r\n", "{done}");
    }
}

/// Tells what it reads key by key, its size, and switches to the other screen, without tidying up after itself.
const KEYS: &str = "import os, signal, shutil, sys, termios, tty\n\
    signal.signal(signal.SIGWINCH, lambda *_: print('size', *shutil.get_terminal_size(), end='\\r\\n', flush=True))\n\
    tty.setraw(0)\nsys.stdout.write('\\x1b[?1049h\\x1b]2;title\\x07\\x1b[6n')\n\
    print('listens', end='\\r\\n', flush=True)\n\
    while (key := os.read(0, 1)) != b'q': print('key', key[0], end='\\r\\n', flush=True)\n\
    print('bye', end='\\r\\n', flush=True)\n";

#[test]
fn keys_sizes_and_pictures_pass_and_the_terminal_is_as_before() {
    for world in World::each() {
        let Some(terminal) = Terminal::open(&world) else { return };
        world.make_file(&world.workspace().join("keys.py"), KEYS);
        terminal.type_in(&world, "stty -a > before");
        terminal.type_in(
            &world,
            &format!("{} run --pty -- python3 keys.py; echo code=$?", world.actum().display()),
        );
        terminal.until_shown(&world, "listens");
        terminal.tmux(&world, &["send-keys", "x"]);
        terminal.until_shown(&world, "key 120");
        // Ctrl-C is a key of the program's; the question of where the cursor is was not put, so nobody answered it.
        terminal.tmux(&world, &["send-keys", "C-c"]);
        let shown = terminal.until_shown(&world, "key 3");
        assert_eq!(shown.matches("key").count(), 2, "{shown}");
        terminal.tmux(&world, &["resize-window", "-x", "90", "-y", "33"]);
        terminal.until_shown(&world, "size 90 33");
        terminal.tmux(&world, &["send-keys", "q"]);
        let shown = terminal.until_shown(&world, "code=0");
        // The other screen was left for the program, which had forgotten to.
        assert!(shown.contains("actum: exited 0") && !shown.contains("listens"), "{shown}");
        let title = terminal.tmux(&world, &["display-message", "-p", "#{pane_title}"]);
        assert_ne!(String::from_utf8_lossy(&title.stdout).trim(), "title");
        same_modes(&world, &terminal);
        terminal.close(&world);
    }
}

#[test]
fn stopped_by_a_signal_it_leaves_the_terminal_as_it_was() {
    for world in World::each() {
        let Some(terminal) = Terminal::open(&world) else { return };
        world.make_file(&world.workspace().join("keys.py"), KEYS);
        terminal.type_in(&world, "stty -a > before");
        for signal in ["TERM", "HUP", "QUIT"] {
            let line = format!(
                "{} run --grace 0 --pty -- python3 keys.py & echo $! > pid; fg; echo code-{signal}=$?",
                world.actum().display()
            );
            terminal.type_in(&world, &format!("set -m; {line}"));
            terminal.until_shown(&world, "listens");
            terminal.outside(&world, &format!("kill -{signal} $(cat pid)"));
            terminal.until_shown(&world, &format!("code-{signal}=130"));
            same_modes(&world, &terminal);
        }
        terminal.close(&world);
    }
}

/// Compares with what `stty` said before, without the size.
fn same_modes(world: &World, terminal: &Terminal) {
    terminal.type_in(
        world,
        "stty -a > after; tail -n +2 before > b; tail -n +2 after > a; cmp a b && echo un''changed; rm a b",
    );
    terminal.until_shown(world, "unchanged");
    terminal.type_in(world, "clear");
    terminal.until_shown(world, "ready> ");
}
