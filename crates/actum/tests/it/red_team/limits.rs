//! Limits where no cgroup counts, and sockets of the host.
//!
//! An ordinary user has no cgroup on most machines: what is counted there is looked at by init, and programs here try to use
//! much without being seen. All of them stop by themselves.

use crate::run::{Done, Run};
use crate::world::{Caller, Walls, World};
use std::io::{Read, Write};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

fn ordinary() -> Option<World> {
    World::new(Caller::Ordinary)
}

/// The run ended by this limit.
fn assert_met(done: &Done, limit: &str) {
    let ending = done.told("/result/ending");
    let met = match limit {
        "memory" => ending["how"] == "out-of-memory",
        "wall" => ending["how"] == "timed-out",
        other => ending["how"] == "over-limit" && ending["limit"] == other,
    };
    assert!(met, "the limit {limit} was not met: {done}");
}

/// Python that uses memory, waits to be noticed, and says so if it was not.
fn memory(world: &World, program: &str) -> Done {
    let program = format!(
        "import ctypes, mmap, os, signal, socket, sys, time\n{program}\ntime.sleep(1)\nprint('unnoticed')\n"
    );
    world.python(&program).flags(&["--limit", "memory=64MiB", "--limit", "wall=15s"]).go()
}

// Finding 8: page tables and memory that is in none.

#[test]
fn page_tables_count_as_memory() {
    let Some(world) = ordinary() else { return };
    // The page of zeros is resident nowhere; what maps it is: 200 MiB of tables.
    let program = "flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000\n\
                   area = mmap.mmap(-1, 100 << 30, flags=flags, prot=mmap.PROT_READ)\narea.madvise(15)\n\
                   for at in range(0, 100 << 30, 2 << 20): area[at]";
    assert_met(&memory(&world, program), "memory");
}

#[test]
fn page_tables_of_many_processes_count_together() {
    let Some(world) = ordinary() else { return };
    let program = "for n in range(8):\n    if os.fork() == 0:\n        \
                   flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000\n        \
                   area = mmap.mmap(-1, 12 << 30, flags=flags, prot=mmap.PROT_READ)\n        area.madvise(15)\n        \
                   for at in range(0, 12 << 30, 2 << 20): area[at]\n        time.sleep(3)\n        os._exit(0)\n\
                   time.sleep(2)";
    assert_met(&memory(&world, program), "memory");
}

#[test]
fn shared_memory_that_no_page_table_holds_counts() {
    let Some(world) = ordinary() else { return };
    // Touched in pieces that are then dropped from the tables; the pages stay.
    let program = "area = mmap.mmap(-1, 256 << 20, flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)\n\
                   for at in range(0, 256 << 20, 4 << 20):\n    \
                   area[at:at + (4 << 20)] = b'x' * (4 << 20)\n    area.madvise(mmap.MADV_DONTNEED, at, 4 << 20)";
    assert_met(&memory(&world, program), "memory");
}

/// A shared object in many mappings, and one of which only the first page stays mapped.
#[test]
fn shared_memory_in_pieces_counts_as_a_whole() {
    let Some(world) = ordinary() else { return };
    let touch = "import ctypes\nlibc = ctypes.CDLL(None)\nlibc.mmap.restype = ctypes.c_void_p\nsize, piece = 256 << 20, 2 << 20\n\
                 place = libc.mmap(None, ctypes.c_size_t(size), 3, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS, -1, ctypes.c_long(0))\n";
    let fill = "for at in range(0, size, piece):\n    here = ctypes.c_void_p(place + at)\n    \
                ctypes.memset(here, 1, piece)\n    libc.madvise(here, ctypes.c_size_t(piece), 4)\n";
    let split = "for at in range(0, size, 2 * piece): libc.mprotect(ctypes.c_void_p(place + at), ctypes.c_size_t(piece), 7)\n";
    assert_met(&memory(&world, &format!("{touch}{split}{fill}")), "memory");
    let unmap = "time.sleep(0.3)\nlibc.munmap(ctypes.c_void_p(place + 4096), ctypes.c_size_t(size - 4096))\n";
    assert_met(&memory(&world, &format!("{touch}{fill}{unmap}")), "memory");
}

#[test]
fn a_large_reservation_alone_is_no_memory() {
    let Some(world) = ordinary() else { return };
    let program = "import mmap, time\nflags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000\n\
                   area = mmap.mmap(-1, 64 << 30, flags=flags, prot=mmap.PROT_READ)\ntime.sleep(0.3)\nprint('fine')";
    let done = world.python(program).flags(&["--limit", "memory=64MiB"]).go().expect(0);
    assert_eq!(done.out(), "fine\n", "{done}");
}

// Finding 9: what the kernel keeps for a program in sockets, pipes and System V IPC.

#[test]
fn buffers_of_socket_pairs_count_as_memory() {
    let Some(world) = ordinary() else { return };
    for kind in ["SOCK_STREAM", "SOCK_SEQPACKET"] {
        let program = format!(
            "kept = []\nfor n in range(1500):\n    one, other = socket.socketpair(socket.AF_UNIX, socket.{kind})\n    \
             kept.append((one, other))\n    one.setblocking(False)\n    try:\n        \
             while True: one.send(b'x' * 65536)\n    except BlockingIOError: pass"
        );
        assert_met(&memory(&world, &program), "memory");
    }
}

#[test]
fn what_a_closed_sender_left_counts_as_memory() {
    let Some(world) = ordinary() else { return };
    // One descriptor each, and the sender is in no table any more.
    let program = "kept = []\nfor n in range(1500):\n    one, other = socket.socketpair()\n    one.setblocking(False)\n    \
                   try:\n        while True: one.send(b'x' * 65536)\n    except BlockingIOError: pass\n    \
                   one.close()\n    kept.append(other)";
    assert_met(&memory(&world, program), "memory");
}

#[test]
fn connections_that_were_never_accepted_count_as_memory() {
    let Some(world) = ordinary() else { return };
    let program = "listener = socket.socket(socket.AF_UNIX)\nlistener.bind('/tmp/s')\nlistener.listen(4096)\n\
                   for n in range(1500):\n    one = socket.socket(socket.AF_UNIX)\n    one.connect('/tmp/s')\n    \
                   one.setblocking(False)\n    try:\n        while True: one.send(b'x' * 65536)\n    \
                   except BlockingIOError: pass\n    one.close()";
    assert_met(&memory(&world, program), "memory");
}

#[test]
fn buffers_of_connections_over_loopback_count_as_memory() {
    let Some(world) = ordinary() else { return };
    let program = "listener = socket.socket()\nlistener.bind(('127.0.0.1', 0))\nlistener.listen(512)\nkept = []\n\
                   for n in range(400):\n    one = socket.create_connection(listener.getsockname())\n    \
                   kept.append((one, listener.accept()[0]))\n    one.setblocking(False)\n    \
                   for again in range(20):\n        try: one.send(b'x' * (1 << 20))\n        \
                   except BlockingIOError: break";
    assert_met(&memory(&world, program), "memory");
}

#[test]
fn pipes_count_as_memory() {
    let Some(world) = ordinary() else { return };
    let program = "kept = []\nfor n in range(1500):\n    one, other = os.pipe()\n    os.set_blocking(other, False)\n    \
                   kept.append(os.write(other, b'x' * 65536))";
    assert_met(&memory(&world, program), "memory");
}

#[test]
fn system_v_memory_counts_whoever_has_it_attached() {
    let Some(world) = ordinary() else { return };
    let program = "libc = ctypes.CDLL(None)\nlibc.shmat.restype = ctypes.c_void_p\nfor n in range(8):\n    \
                   one = libc.shmget(0, 32 << 20, 0o1600)\n    at = libc.shmat(one, None, 0)\n    \
                   ctypes.memset(at, 1, 32 << 20)\n    libc.shmdt(ctypes.c_void_p(at))";
    assert_met(&memory(&world, program), "memory");
}

#[test]
fn system_v_semaphores_and_messages_count_as_memory() {
    let Some(world) = ordinary() else { return };
    let semaphores = "libc = ctypes.CDLL(None)\nfor n in range(100): libc.semget(0, 32000, 0o1600)";
    assert_met(&memory(&world, semaphores), "memory");
    let messages = "libc = ctypes.CDLL(None)\ntext = ctypes.create_string_buffer(b'\\1' + b'\\0' * 8007, 8016)\n\
                    for n in range(16000):\n    queue = libc.msgget(0, 0o1600)\n    \
                    for again in range(2): libc.msgsnd(queue, text, 8000, 0o4000)";
    assert_met(&memory(&world, messages), "memory");
}

#[test]
fn many_idle_sockets_and_pipes_are_no_memory() {
    let Some(world) = ordinary() else { return };
    let program = "import os, socket, time\nkept = [socket.socketpair() for n in range(150)] + [os.pipe() for n in range(150)]\n\
                   time.sleep(0.3)\nprint('fine')";
    let done = world.python(program).flags(&["--limit", "memory=64MiB"]).go().expect(0);
    assert_eq!(done.out(), "fine\n", "{done}");
}

// Finding 10: processor time of processes that nobody waits for.

fn burn(world: &World, program: &str) -> Done {
    let program = format!(
        "import os, signal, time\ndef burn(seconds):\n    end = time.process_time() + seconds\n    \
         while time.process_time() < end: pass\n{program}\n"
    );
    world.python(&program).flags(&["--limit", "cpu=1s", "--limit", "wall=20s"]).go()
}

#[test]
fn time_of_children_that_vanish_counts() {
    let Some(world) = ordinary() else { return };
    let program = "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\nfor n in range(12):\n    child = os.fork()\n    \
                   if child == 0:\n        burn(0.3)\n        os._exit(0)\n    \
                   try: os.waitpid(child, 0)\n    except ChildProcessError: pass";
    assert_met(&burn(&world, program), "cpu");
}

#[test]
fn time_of_children_too_short_to_be_seen_counts() {
    let Some(world) = ordinary() else { return };
    let program = "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\nend = time.time() + 6\nwhile time.time() < end:\n    \
                   child = os.fork()\n    if child == 0:\n        burn(0.006)\n        os._exit(0)\n    \
                   try: os.waitpid(child, 0)\n    except ChildProcessError: pass";
    assert_met(&burn(&world, program), "cpu");
}

#[test]
fn time_of_children_that_were_waited_for_counts_while_their_parent_lives() {
    let Some(world) = ordinary() else { return };
    let program = "for n in range(12):\n    child = os.fork()\n    if child == 0:\n        burn(0.3)\n        os._exit(0)\n    \
                   os.waitpid(child, 0)";
    assert_met(&burn(&world, program), "cpu");
}

#[test]
fn time_of_orphans_counts() {
    let Some(world) = ordinary() else { return };
    let program = "for n in range(12):\n    child = os.fork()\n    if child == 0:\n        if os.fork() == 0: burn(0.3)\n        \
                   os._exit(0)\n    os.waitpid(child, 0)\n    time.sleep(0.31)";
    assert_met(&burn(&world, program), "cpu");
}

#[test]
fn many_processes_that_are_waited_for_count_once() {
    let Some(world) = ordinary() else { return };
    let program = "import os, time\nfor n in range(8):\n    child = os.fork()\n    if child == 0:\n        \
                   end = time.process_time() + 0.1\n        while time.process_time() < end: pass\n        os._exit(0)\n    \
                   os.waitpid(child, 0)\nprint('fine')";
    let done = world.python(program).flags(&["--limit", "cpu=1500ms"]).go().expect(0);
    assert_eq!(done.out(), "fine\n", "{done}");
}

// Finding 7: disk.

/// Writes in pieces to what `open` names, and says when it was not noticed.
const FILL: &str = "import os, sys, time\ndef fill(out):\n    for n in range(64):\n        \
                    os.write(out, b'x' * (1 << 20))\n        os.fsync(out)\n";

fn disk<'a>(run: Run<'a>) -> Run<'a> {
    run.flags(&["--limit", "disk=8MiB", "--limit", "wall=15s"])
}

#[test]
fn what_is_written_to_a_granted_folder_counts() {
    for world in World::each() {
        let granted = world.path("granted");
        world.make_folder(&granted);
        let program = format!(
            "{FILL}fill(os.open('{}/filler', os.O_CREAT | os.O_WRONLY))\nprint('unnoticed')",
            granted.display()
        );
        let done = disk(world.python(&program)).flag("--write").flag(&granted).go();
        assert_met(&done, "disk");
        assert!(std::fs::metadata(granted.join("filler")).unwrap().len() < 56 << 20, "{done}");
    }
}

#[test]
fn a_granted_folder_and_temporary_files_share_one_limit() {
    let Some(world) = ordinary() else { return };
    let granted = world.path("granted");
    world.make_folder(&granted);
    let program = format!(
        "import os, time\nfor path in ('{}/one', '/tmp/other'):\n    with open(path, 'wb') as out:\n        \
         out.write(b'x' * (6 << 20))\n        out.flush()\n        os.fsync(out.fileno())\ntime.sleep(1)\nprint('unnoticed')",
        granted.display()
    );
    assert_met(&disk(world.python(&program)).flag("--write").flag(&granted).go(), "disk");
}

#[test]
fn space_cannot_be_reserved_without_being_counted() {
    let Some(world) = ordinary() else { return };
    let program = "import ctypes, os, time\nlibc = ctypes.CDLL(None, use_errno=True)\nout = os.open('filler', os.O_CREAT | os.O_WRONLY)\n\
                   print(libc.fallocate(out, 0, ctypes.c_long(0), ctypes.c_long(64 << 20)))";
    let done = disk(world.python(program)).flags(&["--in-place"]).go().expect(0);
    assert_eq!(done.out(), "-1\n", "{done}");
    assert_eq!(std::fs::metadata(world.workspace().join("filler")).unwrap().len(), 0);
}

#[test]
fn a_program_that_cannot_be_read_cannot_write_without_being_counted() {
    let Some(world) = ordinary() else { return };
    let program =
        "cp /bin/dd own && chmod 0111 own && exec ./own if=/dev/zero of=filler bs=512K count=256 oflag=dsync";
    for walls in [Walls::N, Walls::L] {
        let run = disk(world.run(&["sh", "-c", program])).walls(walls).flags(&["--in-place"]);
        assert_met(&run.go(), "disk");
        let left: u64 = std::fs::read_dir(world.workspace())
            .unwrap()
            .map(|entry| entry.unwrap().metadata().unwrap().len())
            .sum();
        assert!(left < 120 << 20, "{left}");
        std::fs::remove_dir_all(world.workspace()).unwrap();
        world.make_folder(&world.workspace());
    }
}

/// Holds a lease on a file: whoever wants to execute it waits until the lease is given up, 300 ms later.
const LEASE: &str = "import fcntl, os, signal, sys, time\n\
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGIO])\nfile = os.open(sys.argv[1], os.O_RDONLY)\n\
    while True:\n    try:\n        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)\n    except BlockingIOError:\n        \
    time.sleep(0.001)\n        continue\n    print('held', flush=True)\n    signal.sigwait([signal.SIGIO])\n    \
    time.sleep(0.3)\n    fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_UNLCK)\n";

#[test]
fn a_program_that_is_executed_late_has_written_nothing() {
    let Some(world) = ordinary() else { return };
    let program = world.workspace().join("late");
    world.make_program(&program, "");
    std::fs::copy("/bin/true", &program).unwrap();
    let mut holder =
        Command::new("python3").args(["-c", LEASE]).arg(&program).stdout(Stdio::piped()).spawn().unwrap();
    let mut held = [0; 5];
    holder.stdout.take().unwrap().read_exact(&mut held).unwrap();
    let done = disk(world.run(&["./late"])).flags(&["--in-place"]).go();
    holder.kill().unwrap();
    holder.wait().unwrap();
    assert!(done.took > Duration::from_millis(300), "it was executed at once: {done}");
    assert_eq!(done.told("/result/ending/how"), "exited", "{done}");
}

/// Two programs, so that their layer lies on disk.
fn answer<'a>(world: &'a World, python: &str) -> Run<'a> {
    let answer = format!("```sh\necho first > first\n```\n\n```python\n{python}\n```\n");
    world.make_file(&world.workspace().join("answer.md"), &answer);
    disk(world.source("answer.md", &[]))
}

#[test]
fn a_path_too_long_for_the_kernel_hides_nothing() {
    let Some(world) = ordinary() else { return };
    let program = format!(
        "{FILL}here = os.open('.', os.O_RDONLY)\nfor n in range(40):\n    os.mkdir('d' * 200, dir_fd=here)\n    \
         here = os.open('d' * 200, os.O_RDONLY, dir_fd=here)\n\
         fill(os.open('filler', os.O_CREAT | os.O_WRONLY, dir_fd=here))\nprint('unnoticed')"
    );
    assert_met(&answer(&world, &program).go(), "disk");
}

#[test]
fn a_folder_that_cannot_be_read_hides_nothing() {
    let Some(world) = ordinary() else { return };
    for mode in ["0o000", "0o300"] {
        let program = format!(
            "{FILL}os.mkdir('closed')\nout = os.open('closed/filler', os.O_CREAT | os.O_WRONLY)\n\
             os.chmod('closed', {mode})\nfill(out)\nprint('unnoticed')"
        );
        assert_met(&answer(&world, &program).go(), "disk");
    }
}

#[test]
fn a_folder_that_cannot_be_read_and_holds_little_is_let_be() {
    let Some(world) = ordinary() else { return };
    let program = "import os, time\nos.mkdir('closed')\nopen('closed/file', 'w').write('x')\nos.chmod('closed', 0)\n\
                   time.sleep(0.2)\nos.chmod('closed', 0o700)\nprint('fine')";
    let done = answer(&world, program).go().expect(0);
    assert!(done.out().ends_with("fine\n"), "{done}");
}

#[test]
fn temporary_files_count_beside_a_layer_on_disk() {
    let Some(world) = ordinary() else { return };
    let program = "import os, time\nfor path in ('one', '/tmp/other'):\n    open(path, 'wb').write(b'x' * (6 << 20))\n\
                   time.sleep(1)\nprint('unnoticed')";
    assert_met(&answer(&world, program).go(), "disk");
}

// Finding 7: one budget for the whole run.

fn two<'a>(world: &'a World, sh: &str, python: &str) -> Run<'a> {
    let answer = format!("```sh\n{sh}\n```\n\n```python\n{python}\n```\n");
    world.make_file(&world.workspace().join("answer.md"), &answer);
    world.source("answer.md", &[])
}

#[test]
fn output_counts_for_all_programs_together() {
    let Some(world) = ordinary() else { return };
    let run = || two(&world, "head -c 700000 /dev/zero", "import sys\nsys.stdout.write('x' * 700000)");
    let done = run().flags(&["--limit", "output=1MB"]).go();
    assert_met(&done, "output");
    assert_eq!(done.told("/result/ending/max/bytes"), 1_000_000, "{done}");
    assert!(done.stdout.len() <= 1_000_000, "{}", done.stdout.len());
    run().flags(&["--limit", "output=2MB"]).go().expect(0);
}

#[test]
fn processor_time_counts_for_all_programs_together() {
    for world in World::each() {
        let burn = "import time\nend = time.process_time() + 0.7\nwhile time.process_time() < end: pass";
        let sh = format!("python3 -c '{burn}'");
        let done = two(&world, &sh, burn).flags(&["--limit", "cpu=1s"]).go();
        assert_met(&done, "cpu");
        two(&world, &sh, burn).flags(&["--limit", "cpu=5s"]).go().expect(0);
    }
}

#[test]
fn what_is_written_directly_counts_for_all_programs_together() {
    let Some(world) = ordinary() else { return };
    let sh = "dd if=/dev/zero of=one bs=1M count=5 conv=fsync 2> /dev/null; sleep 0.1";
    let python = "import os, time\nout = os.open('other', os.O_CREAT | os.O_WRONLY)\nos.write(out, b'x' * (5 << 20))\n\
                  os.fsync(out)\ntime.sleep(1)\nprint('unnoticed')";
    let done = disk(two(&world, sh, python)).flags(&["--in-place"]).go();
    assert_met(&done, "disk");
}

#[test]
fn time_by_the_clock_counts_for_all_programs_together() {
    let Some(world) = ordinary() else { return };
    let done = two(&world, "sleep 0.8", "import time\ntime.sleep(5)").flags(&["--limit", "wall=1500ms"]).go();
    assert_met(&done, "wall");
    assert!(done.took.as_secs_f64() < 4.0, "{done}");
}

// Finding 16: sockets of the machine.

/// Says `reached` to whoever connects; tells whether anybody did.
fn listen(path: &Path) -> UnixListener {
    let listener = UnixListener::bind(path).unwrap();
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    let theirs = listener.try_clone().unwrap();
    std::thread::spawn(move || {
        for stream in theirs.incoming() {
            let Ok(mut stream) = stream else { return };
            let _ = stream.write_all(b"reached");
            let _ = stream.read(&mut [0; 8]);
        }
    });
    listener
}

fn connect(path: &Path) -> String {
    format!(
        "import socket\ntry:\n    one = socket.socket(socket.AF_UNIX)\n    one.settimeout(3)\n    one.connect('{}')\n    \
         print(one.recv(7).decode())\nexcept OSError as error: print('refused', error.errno)\n",
        path.display()
    )
}

#[test]
fn sockets_in_an_input_lead_nowhere() {
    for world in World::each() {
        let input = world.path("input");
        world.make_folder(&input.join("deep/er"));
        for path in [input.join("near"), input.join("deep/er/far")] {
            let _listener = listen(&path);
            for policy in ["default", "locked"] {
                let run =
                    world.python(&connect(&path)).flags(&["--policy", policy]).flag("--input").flag(&input);
                let done = run.go().expect(0);
                assert!(done.out().starts_with("refused"), "{policy}: {done}");
            }
        }
    }
}

#[test]
fn sockets_in_a_folder_that_is_written_lead_nowhere() {
    for world in World::each() {
        let granted = world.path("granted");
        world.make_folder(&granted.join("below"));
        let path = granted.join("below/socket");
        let _listener = listen(&path);
        let run = |program: &str| world.python(program).flag("--write").flag(&granted).go().expect(0);
        let done = run(&connect(&path));
        assert!(done.out().starts_with("refused"), "{done}");
        // Nor under another name, when what lies above it is moved.
        let moved = granted.join("moved");
        let program = format!(
            "import os\nos.rename('{}', '{}')\n{}",
            granted.join("below").display(),
            moved.display(),
            connect(&moved.join("socket"))
        );
        let done = run(&program);
        assert!(done.out().starts_with("refused"), "{done}");
    }
}

#[test]
fn sockets_in_a_workspace_lead_nowhere() {
    for world in World::each() {
        let path = world.workspace().join("socket");
        let _listener = listen(&path);
        for flags in [&[][..], &["--in-place"], &["--policy", "locked"]] {
            let done = world.python(&connect(&path)).flags(flags).go().expect(0);
            assert!(done.out().starts_with("refused"), "{flags:?}: {done}");
        }
    }
}

#[test]
fn sockets_of_the_program_itself_go_on_working() {
    let own = "import os, socket, sys\npath = sys.argv[1] + '/own'\nlistener = socket.socket(socket.AF_UNIX)\n\
               listener.bind(path)\nlistener.listen()\none = socket.socket(socket.AF_UNIX)\none.connect(path)\n\
               one.send(b'fine')\nprint(listener.accept()[0].recv(4).decode())\none, other = socket.socketpair()\nos.unlink(path)\n";
    for world in World::each() {
        let granted = world.path("granted");
        world.make_folder(&granted);
        for (folder, flags) in
            [(&granted, &[][..]), (&world.workspace(), &["--in-place"]), (&world.workspace(), &[])]
        {
            let folder = folder.display().to_string();
            let run = world.run(&["python3", "-c", own, &folder]).flags(flags).flag("--write").flag(&granted);
            assert_eq!(run.go().expect(0).out(), "fine\n");
        }
        let pair = "import socket\none, other = socket.socketpair()\none.send(b'fine')\nprint(other.recv(4).decode())";
        let done = world.python(pair).flags(&["--policy", "locked"]).go().expect(0);
        assert_eq!(done.out(), "fine\n", "{done}");
    }
}

#[test]
fn a_socket_that_is_granted_by_its_name_is_reached() {
    let Some(world) = ordinary() else { return };
    let path = world.path("granted.socket");
    let _listener = listen(&path);
    let done = world.python(&connect(&path)).flag("--input").flag(&path).go().expect(0);
    assert_eq!(done.out(), "reached\n", "{done}");
}

// What cannot be enforced is said.

#[test]
fn a_limit_that_is_not_enforced_is_named() {
    let Some(world) = ordinary() else { return };
    let lines = |done: &Done| -> String {
        let told = done.told("/confinement/not_covered");
        told.as_array().unwrap().iter().map(|line| format!("{}\n", line.as_str().unwrap())).collect()
    };
    let shared = tempfile::Builder::new().prefix("actum-it-").tempdir_in("/dev/shm");
    let Ok(shared) = shared else { return actum_testkit::skip("there is no /dev/shm to write") };
    std::fs::set_permissions(shared.path(), std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    let done = world.run(&["true"]).flag("--write").flag(shared.path()).go().expect(0);
    assert!(lines(&done).contains("disk: the limit does not count data written to /dev/shm/"), "{done}");
    assert!(done.err().contains("not covered"), "{done}");
    let plain = world.run(&["true"]).go().expect(0);
    assert!(!lines(&plain).contains("disk:") && !plain.err().contains("not covered"), "{plain}");
}
