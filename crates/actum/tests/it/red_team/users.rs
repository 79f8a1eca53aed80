//! Other users of the machine: folders, links and locks that they put where Actum keeps its own.

use crate::run::{Done, within};
use crate::world::{Caller, ORDINARY, World};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, lchown, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A user that is neither the caller nor root. Nothing where this machine cannot give files away.
const OTHER: u32 = 54321;

fn world() -> Option<World> {
    if !rustix::process::geteuid().is_root() {
        actum_testkit::skip("only root can make files of another user");
        return None;
    }
    World::new(Caller::Root)
}

fn give(path: &Path) {
    lchown(path, Some(OTHER), Some(OTHER)).unwrap();
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
}

fn folder_of_other(world: &World, name: &str) -> PathBuf {
    let path = world.path(name);
    fs::create_dir_all(&path).unwrap();
    give(&path);
    path
}

/// A folder of the caller's alone, with one file.
fn private(world: &World) -> PathBuf {
    let path = world.path("private");
    fs::create_dir(&path).unwrap();
    mode(&path, 0o700);
    fs::write(path.join("file"), "mine").unwrap();
    path
}

#[track_caller]
fn assert_untouched(folder: &Path, done: &Done) {
    let names: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["file"], "{done}");
    assert_eq!(fs::read_to_string(folder.join("file")).unwrap(), "mine", "{done}");
}

/// Drafts in the folder of keys had names that could be guessed, and were written through links.
#[test]
fn a_folder_of_keys_of_another_user_is_refused() {
    let Some(world) = world() else { return };
    let (keys, private) = (folder_of_other(&world, "keys"), private(&world));
    let known = folder_of_other(&world, "keys/known");
    let pid = std::process::id();
    for number in pid..pid + 300 {
        symlink(private.join("file"), known.join(format!("new-{number}-0"))).unwrap();
    }
    let done = world.actum_with(&["init"]).variable("ACTUM_KEYS", &keys).go();
    assert_untouched(&private, &done);
    assert!(done.code() != 0 && done.err().contains("belongs to user 54321"), "{done}");
    assert!(fs::read_dir(&keys).unwrap().count() == 1, "{done}");
}

/// A variation: the folder is the caller's, and others can write it, one in it, or the one above.
#[test]
fn a_folder_of_keys_that_others_can_write_is_refused() {
    let Some(world) = world() else { return };
    for (number, modes) in
        [[0o755, 0o777, 0o700], [0o755, 0o1777, 0o700], [0o777, 0o700, 0o700], [0o755, 0o700, 0o777]]
            .into_iter()
            .enumerate()
    {
        let above = world.path(&format!("above{number}"));
        let keys = above.join("keys");
        fs::create_dir_all(keys.join("known")).unwrap();
        for (path, bits) in [&above, &keys, &keys.join("known")].into_iter().zip(modes) {
            mode(path, bits);
        }
        let project = world.path(&format!("project{number}"));
        fs::create_dir(&project).unwrap();
        let done = world.actum_with(&["init"]).folder(&project).variable("ACTUM_KEYS", &keys).go();
        assert!(done.code() != 0, "{modes:?} {done}");
        assert!(!keys.join("signing.pem").exists(), "{done}");
    }
}

/// Public keys of a folder that a variable names were taken for the caller's own.
#[test]
fn what_another_user_signed_is_not_verified_as_yours() {
    let Some(world) = world() else { return };
    let (keys, store) = (world.path("keys"), world.path("store"));
    let run = |words: &[&str]| {
        world.actum_with(words).variable("ACTUM_KEYS", &keys).variable("ACTUM_STORE", &store)
    };
    world.run(&["true"]).variable("ACTUM_KEYS", &keys).variable("ACTUM_STORE", &store).go().expect(0);
    let bundle = world.path("bundle");
    let bundle = bundle.to_str().unwrap();
    run(&["bundle", "last", "-o", bundle]).go().expect(0);
    assert!(run(&["verify", bundle]).go().out().contains("you"));
    for path in
        [keys.join("signing.pub"), keys.join("retired"), keys.clone()].iter().filter(|path| path.exists())
    {
        give(path);
        let done = run(&["verify", bundle]).go();
        assert!(done.code() != 0 && !done.out().contains("(you)"), "{}: {done}", path.display());
        lchown(path, Some(0), Some(0)).unwrap();
    }
    mode(&keys, 0o777);
    let done = run(&["verify", bundle]).go();
    assert!(done.code() != 0 && !done.out().contains("(you)"), "{done}");
    mode(&keys, 0o700);
    run(&["verify", bundle]).go().expect(0);
}

/// A home of another user, as `sudo` leaves it: links in it led runs and keys anywhere.
#[test]
fn links_in_a_home_of_another_user_are_not_followed() {
    let Some(world) = world() else { return };
    let (home, private) = (folder_of_other(&world, "other"), private(&world));
    for name in [".local", ".local/share", ".config", ".cache"] {
        folder_of_other(&world, &format!("other/{name}"));
    }
    for name in [".local/share/actum", ".config/actum", ".cache/actum"] {
        symlink(&private, home.join(name)).unwrap();
        give(&home.join(name));
    }
    let done =
        world.run(&["true"]).variable("HOME", &home).variable("XDG_CACHE_HOME", home.join(".cache")).go();
    assert_untouched(&private, &done);
}

/// A variation: there is no link yet, and the owner of the home could make one; or the link leads to a home.
#[test]
fn a_home_of_another_user_is_not_used() {
    let Some(world) = world() else { return };
    let home = folder_of_other(&world, "other");
    let done = world.run(&["true"]).variable("HOME", &home).go();
    assert!(fs::read_dir(&home).unwrap().count() == 0, "{done}");
    let private = private(&world);
    let linked = world.path("linked");
    symlink(&private, &linked).unwrap();
    give(&linked);
    let done = world.run(&["true"]).variable("HOME", &linked).go();
    assert_untouched(&private, &done);
}

/// What people have: a home behind a link of root or of their own, and a umask that lets their group write.
#[test]
fn a_home_behind_a_link_of_one_s_own_is_used() {
    for world in World::each() {
        let (home, linked) = (world.path("real"), world.path("linked"));
        world.make_folder(&home);
        symlink(&home, &linked).unwrap();
        world.run(&["true"]).variable("HOME", &linked).go().expect(0);
        assert!(home.join(".local/share/actum/ledger.db").exists());
    }
}

/// `.actum` of a checkout could be a link into a folder of the caller's.
#[test]
fn a_store_of_a_project_is_not_made_behind_a_link() {
    let Some(world) = world() else { return };
    let private = private(&world);
    fs::write(private.join("id"), "mine").unwrap();
    let stands = |done: &Done| {
        assert_eq!(fs::read_to_string(private.join("id")).unwrap(), "mine", "{done}");
        assert_eq!(fs::read_dir(&private).unwrap().count(), 2, "{done}");
    };
    let link = world.workspace().join(".actum");
    symlink(&private, &link).unwrap();
    for is_own in [true, false] {
        if !is_own {
            give(&link);
        }
        let done = world.actum_with(&["init"]).go();
        assert!(done.code() != 0, "{done}");
        stands(&done);
    }
    fs::remove_file(&link).unwrap();
    folder_of_other(&world, "work/.actum");
    let done = world.actum_with(&["init"]).go();
    assert!(done.code() != 0 && fs::read_dir(&link).unwrap().count() == 0, "{done}");
}

/// Others held the lock of a store that they could write, and a run waited without end.
#[test]
fn a_store_that_others_can_write_is_refused() {
    let Some(world) = world() else { return };
    let (store, private) = (world.path("store"), private(&world));
    fs::create_dir(&store).unwrap();
    for bits in [0o1777, 0o777, 0o733] {
        mode(&store, bits);
        let done = world.run(&["true"]).variable("ACTUM_STORE", &store).go();
        assert!(done.code() != 0 && done.err().contains("can be written by other users"), "{done}");
        assert!(fs::read_dir(&store).unwrap().count() == 0, "{done}");
    }
    // What they left while they could.
    mode(&store, 0o700);
    symlink(&private, store.join("runs")).unwrap();
    give(&store.join("runs"));
    let done = world.run(&["true"]).variable("ACTUM_STORE", &store).go();
    assert!(done.code() != 0, "{done}");
    assert_untouched(&private, &done);
    fs::remove_file(store.join("runs")).unwrap();
    for name in ["ledger.db", "applying.lock"] {
        fs::write(store.join(name), "").unwrap();
        mode(&store.join(name), 0o666);
        give(&store.join(name));
        let done = world.run(&["true"]).variable("ACTUM_STORE", &store).go();
        assert!(done.code() != 0 && fs::metadata(store.join(name)).unwrap().len() == 0, "{done}");
        fs::remove_file(store.join(name)).unwrap();
    }
    world.run(&["true"]).variable("ACTUM_STORE", &store).go().expect(0);
}

/// A store that others could read: output may hold what its program read, and readers can lock the ledger.
#[test]
fn a_store_that_others_can_read_is_made_private() {
    for world in World::each() {
        let store = world.path("home/store");
        world.make_folder(&store);
        mode(&store, 0o755);
        world.run(&["true"]).variable("ACTUM_STORE", &store).go().expect(0);
        assert_eq!(fs::metadata(&store).unwrap().mode() & 0o777, 0o700);
        for name in ["ledger.db", "ledger.db-wal"].iter().filter(|name| store.join(name).exists()) {
            assert_eq!(fs::metadata(store.join(name)).unwrap().mode() & 0o077, 0, "{name}");
        }
        mode(&store, 0o755);
        mode(&store.join("ledger.db"), 0o644);
        world.run(&["true"]).variable("ACTUM_STORE", &store).go().expect(0);
        assert_eq!(fs::metadata(&store).unwrap().mode() & 0o777, 0o700);
        assert_eq!(fs::metadata(store.join("ledger.db")).unwrap().mode() & 0o777, 0o600);
    }
}

/// Whoever holds the lock, a signal ends the wait.
#[test]
fn a_signal_ends_the_wait_for_the_lock_of_a_store() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let store = world.path("home/.local/share/actum");
    world.run(&["touch", "a"]).go().expect(0);
    let lock = fs::File::options().write(true).open(store.join("applying.lock")).unwrap();
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let going =
        world.run(&["sh", "-c", "echo started >&2; touch b"]).patience(Duration::from_secs(20)).start();
    let pid = rustix::process::Pid::from_raw(going.child.id() as i32).unwrap();
    // It opens the lock's file when the program is over.
    let waits = || {
        let files = fs::read_dir(format!("/proc/{}/fd", going.child.id()));
        files.is_ok_and(|files| {
            files
                .flatten()
                .any(|file| fs::read_link(file.path()).is_ok_and(|file| file.ends_with("applying.lock")))
        })
    };
    assert!(within(Duration::from_secs(15), waits), "it does not wait for the lock");
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    let done = going.finish();
    assert!(done.took < Duration::from_secs(15), "{done}");
    drop(lock);
    world.run(&["true"]).go().expect(0);
}

/// Settings of an agent behind a link of another user.
#[test]
fn settings_of_an_agent_are_not_written_through_a_link_of_another_user() {
    let Some(world) = world() else { return };
    let (home, private) = (world.path("home"), private(&world));
    fs::create_dir(home.join(".claude")).unwrap();
    let settings = home.join(".claude/settings.json");
    let init = || world.actum_with(&["init", "--agent", "claude", "--user"]).go();
    symlink(private.join("settings.json"), &settings).unwrap();
    init().expect(0);
    assert!(private.join("settings.json").exists(), "a link of one's own is followed");
    fs::remove_file(private.join("settings.json")).unwrap();
    give(&settings);
    let done = init();
    assert!(done.code() != 0, "{done}");
    assert_untouched(&private, &done);
    fs::remove_file(&settings).unwrap();
    symlink(private.join("settings.json"), &settings).unwrap();
    give(&home.join(".claude"));
    let done = init();
    assert!(done.code() != 0, "{done}");
    assert_untouched(&private, &done);
}

/// With a umask that lets the group write, folders of ours were open to everybody in the group.
#[test]
fn what_is_made_is_private_whatever_the_umask() {
    for world in World::each() {
        let actum = world.actum();
        let line = format!("umask 000; {0} run -- true && {0} init", actum.display());
        let done = world.actum_with(&[]).shell(&line).go();
        assert_eq!(done.code(), 0, "{done}");
        for name in [
            "cache/actum",
            "home/.local/share/actum",
            "home/.config/actum",
            "home/.config/actum/keys",
            "work/.actum",
        ] {
            let path = world.path(name);
            if name == "home/.config/actum" || path.exists() {
                assert_eq!(fs::metadata(&path).unwrap().mode() & 0o077, 0, "{name}");
            }
        }
        world.run(&["true"]).go().expect(0);
    }
}

/// Root works in the home of another user: a program gets that user's rights, and would have their keys with them.
#[test]
fn keys_of_another_user_s_home_are_hidden_from_root_s_runs() {
    let Some(world) = world() else { return };
    let Some(home) = home_of_tester() else {
        actum_testkit::skip("the user that runs these tests has no home");
        return;
    };
    let (folder, key) = (home.join(format!(".actum-it-{}", std::process::id())), home.join(".netrc"));
    let owner = fs::metadata(&home).unwrap();
    fs::create_dir(&folder).unwrap();
    fs::write(&key, "password hunter2\n").unwrap();
    for path in [&folder, &key] {
        lchown(path, Some(owner.uid()), Some(owner.gid())).unwrap();
    }
    mode(&key, 0o600);
    let look =
        "for name in ('.netrc', '../.netrc'):\n    try: print(open(name).read())\n    except OSError: pass\n";
    let seen = world.python(look).folder(&home).flag("--read-only").go();
    let granted =
        world.python(&format!("print(open('{}').read())", key.display())).flag("--input").flag(&home).go();
    let write = world.python("open('.netrc', 'w').write('evil')").folder(&home).go();
    let text = fs::read_to_string(&key);
    fs::remove_file(&key).unwrap();
    fs::remove_dir_all(&folder).unwrap();
    assert!(!seen.out().contains("hunter2"), "{seen}");
    assert!(!granted.out().contains("hunter2"), "{granted}");
    assert_eq!(text.unwrap(), "password hunter2\n", "{write}");
}

/// The home of the user that these tests made for themselves.
fn home_of_tester() -> Option<PathBuf> {
    let users = fs::read_to_string("/etc/passwd").ok()?;
    let row = users.lines().find(|line| line.split(':').next() == Some(ORDINARY))?;
    row.split(':').nth(5).map(PathBuf::from).filter(|home| home.is_dir())
}

/// Outputs by names that another user, or a repository, made links of.
#[test]
fn reports_are_not_written_through_links_of_others() {
    let Some(world) = world() else { return };
    let (work, secret) = (world.workspace(), private(&world));
    let before = fs::read_to_string(secret.join("file")).unwrap();
    symlink(&secret, work.join("sub")).unwrap();
    symlink(secret.join("file"), work.join("report.json")).unwrap();
    let foreign = folder_of_other(&world, "foreign");
    symlink(&secret, foreign.join("sub")).unwrap();
    give(&foreign.join("sub"));
    for flag in ["--report", "--junit", "--summary"] {
        for path in [work.join("sub/file"), foreign.join("sub/file"), PathBuf::from("sub/file")] {
            let done = world.run(&["true"]).without_report().flag(flag).flag(&path).go();
            assert_eq!(done.code(), 125, "{done}");
            assert!(done.err().contains("is a link that leads to"), "{done}");
        }
    }
    // A link at the very name is replaced; what is no file is not written behind a link.
    world.run(&["true"]).without_report().flags(&["--report", "report.json"]).go().expect(0);
    assert!(!work.join("report.json").is_symlink());
    for (name, target) in [("device.json", "/dev/full"), ("pipe.json", "pipe")] {
        rustix::fs::mknodat(
            rustix::fs::CWD,
            secret.join("pipe"),
            rustix::fs::FileType::Fifo,
            0o600.into(),
            0,
        )
        .ok();
        symlink(secret.join(target), work.join(name)).unwrap();
        world
            .run(&["true"])
            .without_report()
            .flags(&["--report", name])
            .patience(Duration::from_secs(10))
            .go()
            .expect(0);
        assert!(work.join(name).is_file() && !work.join(name).is_symlink(), "{name}");
    }
    assert_eq!(fs::read_to_string(secret.join("file")).unwrap(), before);
    // Streams and devices by their own names, and links of one's own elsewhere, are written as ever.
    let done = world.run(&["true"]).without_report().flags(&["--report", "/dev/stdout"]).go().expect(0);
    assert!(done.out().contains("\"run\""), "{done}");
    world.run(&["true"]).without_report().flags(&["--report", "/dev/null"]).go().expect(0);
    symlink(&secret, world.path("alias")).unwrap();
    let alias = world.path("alias/new.json");
    world.run(&["true"]).without_report().flag("--report").flag(&alias).go().expect(0);
    assert!(secret.join("new.json").is_file());
}

/// A task that puts a link in the place of the folder of its own list.
#[test]
fn a_list_of_tasks_is_written_where_it_was() {
    let Some(world) = world() else { return };
    let (work, secret) = (world.workspace(), private(&world));
    let code = format!(
        "```python\nimport os\nos.rename('sub', 'away')\nos.symlink({:?}, 'sub')\n```",
        secret.to_str().unwrap()
    );
    let responses = serde_json::json!({ "ops_commander": code });
    let list = serde_json::json!([{
        "id": "1", "action": "execute it", "status": "completed", "agent_responses": responses
    }]);
    world.make_file(&work.join("sub/list.json"), &list.to_string());
    let done = world
        .actum_with(&["tasks", "sub/list.json", "--write", "--", "--in-place", "--approval", "never"])
        .go();
    assert!(!secret.join("list.json").exists(), "{done}");
    let list = fs::read_to_string(work.join("away/list.json")).unwrap_or_else(|_| panic!("{done}"));
    assert!(list.contains("execution"), "{list} {done}");
}
