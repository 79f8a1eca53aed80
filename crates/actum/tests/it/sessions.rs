//! An interpreter that stays between calls: what it learns lasts, its sandbox stays, and nothing is left of it after.

use crate::leftovers::{Leftovers, end_marked, kill, marked};
use crate::run::{contains, within};
use crate::world::{Caller, PATH, World};
use rustix::process::Signal;
use serde_json::Value;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(30);

/// One session of a world, put away whatever happens.
struct Session<'a> {
    world: &'a World,
    /// Its name, and the marker of everything that belongs to it.
    name: String,
    language: &'static str,
    flags: Vec<String>,
}

/// What a call left.
#[derive(Debug)]
struct Done {
    code: i32,
    stdout: Vec<u8>,
    stderr: String,
}

impl<'a> Session<'a> {
    fn new(world: &'a World, language: &'static str) -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let name = format!("it-{}-{}-mark", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        Self { world, name, language, flags: Vec::new() }
    }

    fn flags(mut self, flags: &[&str]) -> Self {
        self.flags.extend(flags.iter().map(ToString::to_string));
        self
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(self.world.actum());
        command.args(words).current_dir(self.world.workspace()).env_clear();
        command.env("PATH", PATH).env("HOME", self.world.path("home")).env("LANG", "C.UTF-8");
        command
            .env("XDG_CACHE_HOME", self.world.path("cache"))
            .env("ACTUM_STORE", self.world.path("home/store"));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if self.world.caller == Caller::Ordinary && rustix::process::geteuid().is_root() {
            command.uid(self.world.identity.user).gid(self.world.identity.group);
        }
        command
    }

    fn start(&self, code: &str, flags: &[&str]) -> Child {
        let mark = format!("ACTUM_IT_MARK={}", self.name);
        let mut words = vec!["run", "--session", &self.name, "-l", self.language, "-c", code, "--env", &mark];
        words.extend(self.flags.iter().map(String::as_str));
        words.extend(flags);
        self.command(&words).spawn().unwrap()
    }

    fn call(&self, code: &str) -> Done {
        self.call_with(code, &[])
    }

    fn call_with(&self, code: &str, flags: &[&str]) -> Done {
        Done::of(self.start(code, flags).wait_with_output().unwrap())
    }

    fn stop(&self, flags: &[&str]) -> Done {
        let mut words = vec!["session", "stop", &self.name];
        words.extend(flags);
        Done::of(self.command(&words).output().unwrap())
    }

    /// As `actum session ls --json` tells it.
    fn seen(&self) -> Option<Value> {
        let listed = Done::of(self.command(&["session", "ls", "--json"]).output().unwrap()).expect(0);
        let all: Vec<Value> = serde_json::from_slice(&listed.stdout).unwrap();
        all.into_iter().find(|one| one["name"] == self.name.as_str())
    }

    fn holder(&self) -> i32 {
        self.seen().unwrap()["pid"].as_i64().unwrap() as i32
    }

    fn folder(&self) -> std::path::PathBuf {
        // One folder for each store; this world has one.
        let stores = self.world.path("cache/actum/sessions");
        let first = std::fs::read_dir(&stores).ok().and_then(|mut found| found.next()?.ok());
        first.map_or_else(|| stores.join("none"), |store| store.path()).join(&self.name)
    }

    /// Nothing of it is there: no process, no folder. What the machine shares is counted by [`Leftovers`].
    #[track_caller]
    fn check_gone(&self) {
        assert!(within(PATIENCE, || marked(&self.name).is_empty()), "{:?} live", marked(&self.name));
        assert!(!self.folder().exists(), "{} is still there", self.folder().display());
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        end_marked(&self.name);
    }
}

impl Done {
    fn of(output: Output) -> Self {
        let code = output.status.code().unwrap_or_else(|| 128 + output.status.signal().unwrap());
        Self { code, stdout: output.stdout, stderr: String::from_utf8_lossy(&output.stderr).into_owned() }
    }

    #[track_caller]
    fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{:?} {}", self.out(), self.stderr);
        self
    }

    /// Panics unless it ended well and printed this.
    #[track_caller]
    fn says(self, text: &str) {
        assert_eq!((self.code, self.out().as_str()), (0, text), "{}", self.stderr);
    }

    fn out(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }
}

#[test]
fn what_python_learns_lasts_and_its_files_come_with_the_stop() {
    for world in World::each() {
        for tier in ["N", "L"] {
            let session = Session::new(&world, "python").flags(&["--tier", tier]);
            let made = world.workspace().join(format!("made-{tier}"));
            session.call("x = 41\ndef f(n):\n    return 1 / n").says("");
            session.call("x + 1").says("42\n");
            session.call(&format!("_ = open('made-{tier}', 'w').write('whole')")).says("");
            session.call(&format!("open('made-{tier}').read()")).says("'whole'\n");
            assert_eq!(made.exists(), tier == "L", "in its own view until the stop");
            let done = session.call("f(0)").expect(1);
            for line in [
                "<session 5>\", line 1, in <module>\n    f(0)\n",
                "<session 1>\", line 3, in f\n    return 1 / n\n",
            ] {
                assert!(done.stderr.contains(line), "{}", done.stderr);
            }
            assert!(!done.stderr.contains("<string>"), "a frame of ours: {}", done.stderr);
            session.call("import sys; sys.exit(5)").expect(5);
            session.call("x").says("41\n");
            session.stop(&[]).expect(0);
            assert_eq!(std::fs::read_to_string(&made).unwrap(), "whole");
            session.check_gone();
        }
    }
}

#[test]
fn what_bash_learns_lasts() {
    for world in World::each() {
        for tier in ["N", "L"] {
            let session = Session::new(&world, "bash").flags(&["--tier", tier]);
            session.call("x=4; declare -a list=(1 2); f() { echo \"f$x\"; }; cd /usr").says("");
            session.call("f; echo ${#list[@]} $PWD").says("f4\n2 /usr\n");
            session.call("exit 7").expect(7);
            session.call("set -u; echo $missing").expect(127);
            let done = session.call("set +u\n\nno-such-command").expect(127);
            assert!(done.stderr.contains("line 3: no-such-command: command not found"), "{}", done.stderr);
            session
                .call("f; echo $PWD; [[ -t 0 ]] || read -r line || echo nothing")
                .says("f4\n/usr\nnothing\n");
            session.stop(&[]).expect(0);
            session.check_gone();
        }
    }
}

#[test]
fn a_call_that_takes_too_long_is_interrupted_and_the_session_stays() {
    for world in World::each() {
        for (language, learn, endless, know) in [
            ("python", "x = 1", "import time; time.sleep(60)", "print(x)"),
            ("bash", "x=1", "sleep 60; echo never", "echo $x"),
        ] {
            let session = Session::new(&world, language);
            session.call(learn).expect(0);
            let done = session.call_with(endless, &["--limit", "wall=300ms"]).expect(124);
            assert_eq!(done.out(), "");
            session.call(know).says("1\n");
            session.stop(&["--discard"]).expect(0);
        }
    }
}

#[test]
fn a_call_that_does_not_heed_takes_the_session_with_it_and_says_so() {
    for world in World::each() {
        let session = Session::new(&world, "python");
        session.call("x = 1; _ = open('half', 'w').write('half')").says("");
        let deaf = "import time\nwhile True:\n    try: time.sleep(60)\n    except KeyboardInterrupt: pass";
        let done = session.call_with(deaf, &["--limit", "wall=300ms"]).expect(124);
        assert!(
            done.stderr.contains("has ended; its process exited and its variables are lost"),
            "{}",
            done.stderr
        );
        session.check_gone();
        assert!(!world.workspace().join("half").exists(), "as after a run that did not end well");
        let (_, kept) = done.stderr.split_once("1 change kept apart: actum apply ").unwrap();
        let run = kept.split_whitespace().next().unwrap();
        Done::of(session.command(&["apply", run]).output().unwrap()).expect(0);
        assert!(world.workspace().join("half").exists(), "what is told can be done");
        let fresh = session.call("x").expect(1);
        assert!(fresh.stderr.contains("NameError"), "{}", fresh.stderr);
        session.stop(&[]).expect(0);
    }
}

#[test]
fn clients_are_served_one_after_the_other_by_one_holder() {
    for world in World::each() {
        let session = Session::new(&world, "python");
        let code = "n = globals().get('n', 0) + 1\nimport time; time.sleep(0.05)\nn";
        let going: Vec<Child> = (0..6).map(|_| session.start(code, &[])).collect();
        let mut said: Vec<String> = going
            .into_iter()
            .map(|child| Done::of(child.wait_with_output().unwrap()).expect(0).out())
            .collect();
        said.sort();
        assert_eq!(said, ["1\n", "2\n", "3\n", "4\n", "5\n", "6\n"]);
        session.stop(&[]).expect(0);
    }
}

#[test]
fn when_the_holder_is_killed_everything_goes_and_the_next_call_begins_anew() {
    for world in World::each() {
        for tier in ["N", "L"] {
            let before = Leftovers::before(&world);
            let session = Session::new(&world, "python").flags(&["--tier", tier]);
            session.call("import os, time\nif os.fork() == 0:\n    os.setsid(); time.sleep(600)").says("");
            session.call("x = 1").says("");
            let holder = session.holder();
            kill(holder, Signal::KILL);
            assert!(
                within(PATIENCE, || marked(&session.name).is_empty()),
                "{:?} live",
                marked(&session.name)
            );
            assert!(session.seen().is_none());
            let fresh = session.call("x").expect(1);
            assert!(fresh.stderr.contains("NameError"), "{}", fresh.stderr);
            assert_ne!(session.holder(), holder);
            session.stop(&[]).expect(0);
            session.check_gone();
            before.check(&session.name);
        }
    }
}

#[test]
fn a_session_that_nobody_calls_ends_by_itself_and_keeps_its_files() {
    for world in World::each() {
        let session = Session::new(&world, "bash").flags(&["--idle", "200ms"]);
        session.call("echo whole > idle").says("");
        let applied =
            || std::fs::read_to_string(world.workspace().join("idle")).is_ok_and(|text| text == "whole\n");
        assert!(within(PATIENCE, applied));
        session.check_gone();
        std::fs::remove_file(world.workspace().join("idle")).unwrap();
    }
}

#[test]
fn fifty_megabytes_arrive_byte_for_byte() {
    for world in World::each() {
        let session = Session::new(&world, "python").flags(&["--quiet", "--limit", "output=1GiB"]);
        let code = "import sys\nline = bytes(range(256)) * 256\nfor n in range(800):\n    \
                    sys.stdout.buffer.write(line)\n    sys.stderr.buffer.write(b'e')\nsys.stdout.buffer.flush()";
        let done = session.call(code).expect(0);
        assert_eq!((done.stdout.len(), done.stderr.len()), (800 * 65536, 800));
        let pattern: Vec<u8> = (0..=255).collect();
        assert!(done.stdout.chunks(256).all(|chunk| chunk == pattern));
        session.call("'next'").says("'next'\n");
        session.stop(&[]).expect(0);
    }
}

/// The word that a call is over comes another way than its output, and may come before it.
#[test]
fn each_call_has_its_own_output_and_all_of_it() {
    let Some(world) = World::each().into_iter().next() else { return };
    let session = Session::new(&world, "python").flags(&["--quiet"]);
    for n in 0..30 {
        let code =
            format!("import sys; sys.stdout.write('o' * {n} * 997); sys.stderr.write('e' * {n} * 13); None");
        let done = session.call(&code).expect(0);
        assert_eq!((done.stdout.len(), done.stderr.len()), (n * 997, n * 13));
    }
    session.call("import threading\nheard = threading.Event()\ndef late():\n    heard.wait(); print('late'); said.set()\nsaid = threading.Event()\nthreading.Thread(target=late, daemon=True).start()").says("");
    session.call("heard.set(); said.wait(); print('now')").says("late\nnow\n");
    session.stop(&[]).expect(0);
}

#[test]
fn an_interpreter_that_dies_ends_its_call_and_its_session() {
    for world in World::each() {
        let session = Session::new(&world, "python");
        let done = session.call("import os\nprint('last words', flush=True)\nos._exit(3)").expect(3);
        assert_eq!(done.out(), "last words\n");
        assert!(done.stderr.contains("has ended"), "{}", done.stderr);
        let session = Session::new(&world, "python").flags(&["--limit", "memory=256MiB"]);
        session.call("1").says("1\n");
        let done = session.call("x = bytearray(600 << 20)");
        if done.stderr.contains("MemoryError") {
            // Where no cgroup counts, the kernel refuses, and that is the program's to see.
            session.call("'lives'").says("'lives'\n");
            session.stop(&[]).expect(0);
        } else {
            assert!(done.expect(123).stderr.contains("has ended"));
        }
        let session = Session::new(&world, "bash");
        session.call("exec sh -c 'exit 6'").expect(6);
        session.check_gone();
    }
}

#[test]
fn a_call_that_does_not_fit_is_refused_with_what_differs() {
    let Some(world) = World::each().into_iter().next() else { return };
    let session = Session::new(&world, "python");
    session.call("x = 1").says("");
    let elsewhere = world.path("home").display().to_string();
    for (flags, what) in [
        (&["--limit", "memory=1GiB"][..], "memory is 4GiB in the session and 1GiB in this call"),
        (&["--workspace", &elsewhere], "workspace is"),
        (&["--in-place"], "files is Overlay in the session and InPlace in this call"),
        (&["--tier", "L"], "tier is N in the session and L in this call"),
    ] {
        let done = session.call_with("x", flags).expect(125);
        assert!(done.stderr.contains(what), "{}", done.stderr);
        assert!(done.stderr.contains("hint: "), "{}", done.stderr);
    }
    session.call("x").says("1\n");
    session.stop(&[]).expect(0);
    for bad in ["../x", ".x", "a b", ""] {
        let done = Done::of(
            session.command(&["run", "--session", bad, "-l", "python", "-c", "1"]).output().unwrap(),
        )
        .expect(125);
        assert!(done.stderr.contains("invalid session name"), "{}", done.stderr);
    }
}

#[test]
fn who_interrupts_or_leaves_stops_the_call_and_not_the_session() {
    for world in World::each() {
        for signal in [Signal::INT, Signal::KILL] {
            let session = Session::new(&world, "python");
            session.call("x = 1").says("");
            let mut going = session.start("import time; print('at', flush=True); time.sleep(600)", &[]);
            let mut said = Vec::new();
            let mut stdout = going.stdout.take().unwrap();
            while !contains(&said, "at\n") {
                let mut byte = [0];
                std::io::Read::read_exact(&mut stdout, &mut byte).unwrap();
                said.extend(byte);
            }
            kill(going.id() as i32, signal);
            let code = Done::of(going.wait_with_output().unwrap()).code;
            assert_eq!(code, if signal == Signal::INT { 130 } else { 137 });
            session.call("x").says("1\n");
            session.stop(&[]).expect(0);
        }
    }
}

#[test]
fn a_stop_applies_or_discards_or_finds_it_done() {
    for world in World::each() {
        for (call, stop, exists) in
            [(&[][..], &[][..], true), (&[], &["--discard"], false), (&["--in-place"], &["--discard"], true)]
        {
            let before = Leftovers::before(&world);
            let session = Session::new(&world, "bash").flags(call);
            session.call("echo x > stopped").says("");
            session.stop(stop).expect(0);
            session.check_gone();
            before.check(&session.name);
            assert_eq!(world.workspace().join("stopped").exists(), exists, "{call:?} {stop:?}");
            let _ = std::fs::remove_file(world.workspace().join("stopped"));
            let done = session.stop(&[]).expect(125);
            assert!(done.stderr.contains("no session named"), "{}", done.stderr);
        }
    }
}

#[test]
fn an_interpreter_that_is_not_there_is_told_and_leaves_nothing() {
    let Some(world) = World::each().into_iter().next() else { return };
    let session = Session::new(&world, "python");
    let mut command = session.command(&["run", "--session", &session.name, "-l", "python", "-c", "1"]);
    let done = Done::of(command.env("PATH", "/nowhere").output().unwrap()).expect(127);
    assert!(done.stderr.contains("cannot start session"), "{}", done.stderr);
    session.check_gone();
}
