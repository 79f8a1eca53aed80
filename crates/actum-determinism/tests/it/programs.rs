//! Common programs in a strict run: they do what they do without it, and time and entropy are those of the seed.

use crate::world::{World, is_installed, python, request};
use actum_determinism::Profile;
use std::time::{Duration, Instant};

fn strict() -> World {
    World::new(Profile::Strict)
}

/// Runs a script of Bash in both worlds; the printed text must be the same.
fn assert_same_as_bare(script: &str) {
    let bare = World::bare();
    let expected = bare.run("bash", &["-c", script]);
    assert_eq!(strict().run("bash", &["-c", script]), expected, "{script}");
}

#[test]
fn shells_and_their_tools() {
    for script in [
        "seq 1000 | sort -R | sort -n | tail -1",
        "printf 'b\\na\\n' > f; sort f | tee g | wc -l; cat < g; rm f g; ls -A | wc -l",
        "for i in 1 2 3; do (sleep 0.01; echo $i) & done | sort; wait; echo done",
        "timeout 0.2 sleep 5; echo $?",
        "d=$(mktemp -d); touch \"$d/x\"; ls \"$d\"; rm -r \"$d\"",
        "read -t 0.1 line < <(sleep 1); echo $(($? > 128))",
        "tar -cf - -C /etc hostname 2>/dev/null | tar -tf -",
        "echo 1 | xargs -P 4 -n 1 echo; find . -newermt 1999-01-01 | head -1",
        "kill -0 $$ && trap 'echo caught' USR1 && kill -USR1 $$",
    ] {
        assert_same_as_bare(script);
    }
}

#[test]
fn devices_give_what_was_asked_for_and_repeat() {
    let world = strict();
    let script = "head -c 8 /dev/urandom | od -An -tx1; head -c 8 < /dev/random | od -An -tx1
dd if=/dev/urandom bs=1M count=3 2> /dev/null | sha256sum
tr -dc a-z < /dev/urandom | head -c 12; echo
cat /proc/sys/kernel/random/uuid; echo $SRANDOM";
    let drawn = world.run("bash", &["-c", script]);
    assert_eq!(drawn, world.run("bash", &["-c", script]));
    assert_ne!(drawn, World::bare().run("bash", &["-c", script]));
    let lines: Vec<&str> = drawn.lines().collect();
    assert_ne!(lines[0], lines[1]);
    assert_eq!((lines[3].len(), lines[4].len()), (12, 36), "{drawn}");
    let counted = world.run("bash", &["-c", "dd if=/dev/urandom bs=1M count=3 2> /dev/null | wc -c"]);
    assert_eq!(counted, (3 << 20).to_string());
}

#[test]
fn devices_give_bytes_where_files_in_memory_cannot_be_large() {
    let world = strict();
    let script = "ulimit -f 8; head -c 4000 /dev/urandom | sha256sum; cat /dev/urandom | wc -c; wc -c < /proc/sys/kernel/random/uuid";
    let drawn = world.run("bash", &["-c", script]);
    assert_eq!(drawn, world.run("bash", &["-c", script]));
    let lines: Vec<&str> = drawn.lines().collect();
    assert!(lines[1].parse::<u32>().unwrap() >= 4096 && lines[2] == "37", "{drawn}");
}

#[test]
fn another_seed_gives_other_bytes() {
    let mut other = request(Profile::Strict);
    other.seed.value = 43;
    let script = ["-c", "head -c 8 /dev/urandom | od -An -tx1"];
    assert_ne!(strict().run("bash", &script), World::with(&other).run("bash", &script));
}

#[test]
fn the_clock_starts_where_it_was_told() {
    assert_eq!(strict().run("date", &["-u", "+%FT%T"]), "2026-09-21T14:13:20");
}

#[test]
fn a_commit_of_git_has_the_same_name_in_each_run() {
    if !is_installed("git") {
        return;
    }
    let script = "export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
git init -q . && echo a > a && git add a && git -c user.name=a -c user.email=a@b commit -qm a && git gc -q && git fsck && git status --short && git log --format='%H %ct'";
    let made = strict().run("bash", &["-c", script]);
    assert_eq!(made, strict().run("bash", &["-c", script]));
    assert!(made.contains(" 17900000"), "{made}");
}

#[test]
fn waits_of_python_last_as_long_as_ever_and_move_the_clock_by_that() {
    let Some(python) = python() else { return };
    let program = "
import queue, select, threading, time
def measure(name, act):
    wall, real = time.time(), time.monotonic()
    act()
    wall, real = time.time() - wall, time.monotonic() - real
    assert 0.19 < real < 5, (name, real)
    print(name, round(wall, 3))
lock = threading.Lock(); lock.acquire()
def wait_for_condition():
    condition = threading.Condition()
    with condition: condition.wait(0.2)
def wait_for_queue():
    try: queue.Queue().get(timeout=0.2)
    except queue.Empty: pass
measure('sleep', lambda: time.sleep(0.2))
measure('lock', lambda: lock.acquire(timeout=0.2))
measure('event', lambda: threading.Event().wait(0.2))
measure('condition', wait_for_condition)
measure('queue', wait_for_queue)
measure('select', lambda: select.select([], [], [], 0.2))
measure('poll', lambda: select.poll().poll(200))
measure('epoll', lambda: select.epoll().poll(0.2))
";
    let names = ["sleep", "lock", "event", "condition", "queue", "select", "poll", "epoll"];
    let expected = names.map(|name| format!("{name} 0.2")).join("\n");
    assert_eq!(strict().run(&python, &["-c", program]), expected);
}

#[test]
fn a_loop_that_waits_for_a_time_ends() {
    let Some(python) = python() else { return };
    let program = "
import threading, time
deadline = time.time() + 2
while time.time() < deadline: pass
deadline = time.time() + 1
while time.time() < deadline: time.sleep(0.05)
deadline = time.time() + 1
while time.time() < deadline: threading.Event().wait(0.05)
print('ended')";
    let begun = Instant::now();
    assert_eq!(strict().run(&python, &["-c", program]), "ended");
    assert!(begun.elapsed() < Duration::from_secs(30));
}

#[test]
fn processes_and_threads_of_python_draw_bytes_of_their_own() {
    let Some(python) = python() else { return };
    let program = "
import os, threading, uuid
drawn = [os.urandom(8).hex(), str(uuid.uuid4())]
for child in range(3):
    receive, send = os.pipe()
    if os.fork() == 0:
        os.write(send, os.urandom(8).hex().encode())
        os._exit(0)
    os.wait()
    drawn.append(os.read(receive, 100).decode())
for thread in range(3):
    thread = threading.Thread(target=lambda: drawn.append(os.urandom(8).hex()))
    thread.start(); thread.join()
assert len(set(drawn)) == 8, drawn
print(drawn)";
    let world = strict();
    assert_eq!(world.run(&python, &["-c", program]), world.run(&python, &["-c", program]));
}

#[test]
fn python_with_pools_and_temporary_files_works() {
    let Some(python) = python() else { return };
    let world = strict();
    world.file(
        "a.py",
        "import asyncio, multiprocessing, subprocess, sys, tempfile, concurrent.futures, sqlite3
def double(x): return 2 * x
async def later(x):
    await asyncio.sleep(0.01)
    return x
async def all_later(): return sum(await asyncio.gather(*(later(x) for x in range(10))))
if __name__ == '__main__':
    for method in ('fork', 'spawn', 'forkserver'):
        with multiprocessing.get_context(method).Pool(2) as pool: print(sum(pool.map(double, range(10))))
    with concurrent.futures.ThreadPoolExecutor(4) as pool: print(sum(pool.map(double, range(100))))
    with tempfile.TemporaryDirectory() as folder, tempfile.NamedTemporaryFile(dir=folder) as file: file.write(b'a')
    print(asyncio.run(all_later()), sqlite3.connect(':memory:').execute('select 1').fetchone())
    print(subprocess.run(['sh', '-c', 'echo out'], stdout=subprocess.PIPE, timeout=20).stdout)
    try: subprocess.run(['sleep', '9'], timeout=0.2)
    except subprocess.TimeoutExpired: print('expired')
",
    );
    let expected = "90\n90\n90\n9900\n45 (1,)\nb'out\\n'\nexpired";
    assert_eq!(world.run(&python, &["a.py"]), expected);
}

#[test]
fn a_program_with_a_sanitizer_starts() {
    let world = strict();
    let source = world.file(
        "a.c",
        "#include <stdio.h>\n#include <time.h>\nint main() { printf(\"%ld\\n\", (long)time(NULL)); }\n",
    );
    let binary = source.with_extension("run");
    let mut compile = World::bare().command("cc", &[]);
    let compiled = compile.args(["-fsanitize=address", "-o"]).args([&binary, &source]).status();
    if !compiled.is_ok_and(|status| status.success()) {
        return actum_testkit::skip("no C compiler with AddressSanitizer is installed");
    }
    assert_eq!(world.run(binary.to_str().unwrap(), &[]), "1790000000");
}

#[test]
fn other_runtimes_start() {
    for (program, arguments, expected) in [
        ("node", ["-e", "const d = Date.now(); setTimeout(() => console.log(Date.now() > d), 100)"], "true"),
        ("ruby", ["-e", "q = Queue.new; Thread.new { sleep 0.05; q << 1 }; p q.pop"], "1"),
        ("perl", ["-e", "select undef, undef, undef, 0.1; print 1"], "1"),
        ("php", ["-r", "usleep(1000); echo 1;"], "1"),
    ] {
        if is_installed(program) {
            assert_eq!(strict().run(program, &arguments), expected, "{program}");
        }
    }
    if is_installed("java") {
        strict().run("java", &["-version"]);
    }
}
