//! Stores that cannot be used: refused in one line before anything is started, nothing changed, and the next run works.

use crate::run::Done;
use crate::world::{Caller, World};
use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// A run that leaves a file behind, with a store of its own.
fn run_in(world: &World, store: &Path) -> Done {
    let program = "open('made', 'w').write('x'); print('ran')";
    world.python(program).variable("ACTUM_STORE", store).go()
}

/// The folder of a store, which belongs to the caller.
fn made(world: &World) -> PathBuf {
    let store = world.path("store");
    world.make_folder(&store);
    store
}

fn is_changed(world: &World) -> bool {
    world.workspace().join("made").exists()
}

/// Refused in one line and a hint, before the program was started.
fn assert_refused(world: &World, store: &Path, names: &str) {
    let done = run_in(world, store);
    let said = done.err();
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(done.code(), 125, "{done}");
    assert!(lines[0].starts_with("actum: ") && lines[0].contains(names), "{done}");
    assert!(lines.len() <= 2 && lines[1..].iter().all(|line| line.starts_with("hint: ")), "{done}");
    assert!(!is_changed(world) && done.out().is_empty(), "{done}");
}

fn assert_works(world: &World, store: &Path) {
    let done = run_in(world, store).expect(0);
    assert!(is_changed(world), "{done}");
    fs::remove_file(world.workspace().join("made")).unwrap();
}

/// Every file of a store with its bytes.
fn bytes_of(store: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let database = store.join("ledger.db");
    [database.clone(), database.with_extension("db-wal")]
        .into_iter()
        .filter_map(|path| Some((path.clone(), fs::read(&path).ok()?)))
        .collect()
}

#[test]
fn what_is_no_ledger_is_refused_and_not_touched() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let store = made(&world);
    assert_works(&world, &store);
    let whole = fs::read(store.join("ledger.db")).unwrap();
    for (bytes, names) in [
        (b"SQLite is not what this is".to_vec(), "not an Actum ledger"),
        (vec![0xa5; 100_000], "not an Actum ledger"),
        (whole[..50].to_vec(), "ledger"),
    ] {
        for name in ["ledger.db-wal", "ledger.db-shm"] {
            let _ = fs::remove_file(store.join(name));
        }
        world.make_file(&store.join("ledger.db"), "");
        fs::write(store.join("ledger.db"), &bytes).unwrap();
        assert_refused(&world, &store, names);
        assert_eq!(fs::read(store.join("ledger.db")).unwrap(), bytes);
    }
}

#[test]
fn a_newer_ledger_is_refused_and_not_touched() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let store = made(&world);
    assert_works(&world, &store);
    let Some(()) = sql(&store, "PRAGMA user_version = 99") else { return };
    let before = bytes_of(&store);
    assert_refused(&world, &store, "newer than this version of Actum supports");
    assert!(bytes_of(&store) == before);
}

#[test]
fn a_store_of_another_user_is_refused() {
    let (Some(world), Some(_)) = (World::new(Caller::Ordinary), World::new(Caller::Root)) else { return };
    let store = world.path("store");
    fs::create_dir(&store).unwrap();
    fs::set_permissions(&store, PermissionsExt::from_mode(0o777)).unwrap();
    assert_refused(&world, &store, "belongs to user 0");
    chown(&store, Some(world.identity.user), Some(world.identity.group)).unwrap();
    assert_refused(&world, &store, "can be written by other users");
    fs::set_permissions(&store, PermissionsExt::from_mode(0o700)).unwrap();
    assert_works(&world, &store);
}

#[test]
fn a_store_that_cannot_be_written_is_refused() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let store = made(&world);
    assert_works(&world, &store);
    let before = bytes_of(&store);
    let closed = |mode| {
        for name in ["ledger.db", "ledger.db-wal", "ledger.db-shm", "runs", ""] {
            let mode = if name.starts_with("ledger") { mode & 0o666 } else { mode };
            fs::set_permissions(store.join(name), PermissionsExt::from_mode(mode)).unwrap();
        }
    };
    closed(0o500);
    assert_refused(&world, &store, "store");
    assert!(bytes_of(&store) == before);
    closed(0o700);
    assert_works(&world, &store);
}

/// Also when it becomes full between two runs, and while one goes on.
#[test]
fn a_full_disk_is_refused_and_a_run_works_when_there_is_room() {
    let Some(world) = World::new(Caller::Root) else { return };
    let disk = world.path("disk");
    fs::create_dir(&disk).unwrap();
    let mount = |words: &[&str]| Command::new("mount").args(words).arg(&disk).stderr(Stdio::null()).status();
    let is_mounted = mount(&["-t", "tmpfs", "-o", "size=12m", "none"]).is_ok_and(|status| status.success());
    if !is_mounted {
        return actum_testkit::skip("no file system can be mounted here");
    }
    let disk = Unmounted(disk);
    let store = disk.0.join("store");
    assert_works(&world, &store);
    let ballast = disk.0.join("ballast");
    // Fails when there is no room for more, which is what is wanted.
    let _ = fs::write(&ballast, vec![7; 16 << 20]);
    assert_refused(&world, &store, "store");
    // Room for a start, and none for what the program prints.
    fs::File::options().write(true).open(&ballast).unwrap().set_len(5 << 20).unwrap();
    let room = "import os, sys; sys.stdout.write('x' * 20_000_000); open('made', 'w').write('x')";
    let done = world.python(room).variable("ACTUM_STORE", &store).flag("--quiet").go();
    assert_eq!(done.code(), 125, "{}", done.err());
    assert!(!done.err().contains("panicked") && !is_changed(&world), "{}", done.err());
    fs::remove_file(&ballast).unwrap();
    assert_works(&world, &store);
    let listed = world.actum_with(&["show", "last"]).variable("ACTUM_STORE", &store).without_report().go();
    assert_eq!(listed.code(), 0, "{listed}");
}

#[test]
fn a_store_that_another_holds_for_a_while_is_waited_for() {
    let Some(world) = World::new(Caller::Root) else { return };
    let store = made(&world);
    assert_works(&world, &store);
    let hold = "import sqlite3, sys, time
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute('BEGIN IMMEDIATE')
print('held', flush=True)
time.sleep(2)";
    let holder = Command::new("python3")
        .args(["-c", hold])
        .arg(store.join("ledger.db"))
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut holder) = holder else { return actum_testkit::skip("there is no Python here") };
    // Kept open: who writes into a pipe that nobody reads does not go on.
    let mut said = holder.stdout.take().unwrap();
    std::io::Read::read_exact(&mut said, &mut [0; 5]).unwrap();
    let done = run_in(&world, &store).expect(0);
    assert!(done.took > Duration::from_secs(1), "{done}");
    holder.wait().unwrap();
}

struct Unmounted(PathBuf);

impl Drop for Unmounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

/// Changes a ledger with another program's SQLite; nothing where there is none, which was then said.
fn sql(store: &Path, sql: &str) -> Option<()> {
    let script = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).executescript(sys.argv[2])";
    let words = [store.join("ledger.db").into_os_string(), sql.into()];
    let status = Command::new("python3").args(["-c", script]).args(words).status();
    if status.is_ok_and(|status| status.success()) {
        return Some(());
    }
    actum_testkit::skip("there is no Python with SQLite here");
    None
}
