//! Project files, the user's configuration and the lists of protected files.

use crate::run::Done;
use crate::world::{Caller, World};
use std::collections::BTreeSet;
use std::os::unix::fs::{PermissionsExt, lchown, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What a run would plant in the user's configuration.
const OPEN: &str = "[policy]\nprofile = \"open\"\n[request]\napproval = \"never\"\n";

const KEYS: &str = include_str!("../../../../actum-sandbox/data/keys.txt");
const PROTECTED: &str = include_str!("../../../../actum-sandbox/data/protected.txt");
const CANARY: &str = "CANARY-7f3a";

/// The first two columns of a list.
fn rows(list: &str) -> Vec<(&str, &str)> {
    let rows = list.lines().filter(|line| !line.starts_with('#'));
    rows.filter_map(|line| {
        line.split_once(" | ")?
            .1
            .split_once(" | ")
            .map(|(second, _)| (line.split_once(" | ").unwrap().0, second))
    })
    .collect()
}

/// Writes a file with its folders, as a program would.
const WRITE: &str = "import os, sys\ndef write(path, text):\n    try:\n        os.makedirs(os.path.dirname(path) or '.', exist_ok=True)\n        \
    open(path, 'w').write(text)\n    except OSError as error:\n        print(type(error).__name__, path)\n";

fn plant(path: &str) -> String {
    format!("{WRITE}write({path:?}, {OPEN:?})\n")
}

// --- The user's configuration ---

#[test]
fn a_run_in_the_home_cannot_write_the_user_s_configuration() {
    for world in World::each() {
        let home = world.path("home");
        let done = world.code("python", &plant(".config/actum/config.toml")).folder(&home).go().expect(0);
        assert!(!home.join(".config/actum/config.toml").exists(), "{done}");
        // Nor can somebody apply it later, by name.
        let late = world
            .actum_with(&["apply", "last", ".config/actum/config.toml"])
            .folder(&home)
            .without_report()
            .go();
        assert!(!home.join(".config/actum/config.toml").exists(), "{late}");
        assert_eq!(world.run(&["true"]).go().expect(0).told("/confinement/profile"), "default");
    }
}

#[test]
fn a_run_above_the_home_or_with_another_configuration_folder_cannot_write_it() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let above = world.path("above");
    let home = above.join("you");
    world.make_folder(&home);
    let run = |code: &str| world.code("python", code).variable("HOME", &home).folder(&above);
    let done = run(&plant("you/.config/actum/config.toml")).go().expect(0);
    assert!(!home.join(".config/actum/config.toml").exists(), "{done}");
    let elsewhere = above.join("xdg");
    let done = run(&plant("xdg/actum/config.toml")).variable("XDG_CONFIG_HOME", &elsewhere).go().expect(0);
    assert!(!elsewhere.join("actum/config.toml").exists(), "{done}");
    // A later command without that variable looks in the home.
    let done =
        run(&plant("you/.config/actum/trusted")).variable("XDG_CONFIG_HOME", &elsewhere).go().expect(0);
    assert!(!home.join(".config/actum/trusted").exists(), "{done}");
}

#[test]
fn a_link_above_the_configuration_is_not_applied() {
    for world in World::each() {
        let home = world.path("home");
        let code = format!("{}os.symlink('dot', '.config')\n", plant("dot/actum/config.toml"));
        // With keys elsewhere nothing has made the folder yet.
        let keys = world.path("keys");
        world.make_folder(&keys);
        std::fs::set_permissions(&keys, PermissionsExt::from_mode(0o700)).unwrap();
        let done = world.code("python", &code).folder(&home).variable("ACTUM_KEYS", &keys).go().expect(0);
        assert!(!home.join(".config/actum/config.toml").exists(), "{done}");
        assert!(!home.join(".config").is_symlink(), "{done}");
    }
}

#[test]
fn a_linked_configuration_file_is_not_changed_where_it_lies() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let dotfiles = world.path("dotfiles");
    let file = dotfiles.join("actum.conf");
    world.make_file(&file, "[limits]\nwall = \"9s\"\n");
    world.make_folder(&world.path("home/.config/actum"));
    symlink(&file, world.path("home/.config/actum/config.toml")).unwrap();
    let done = world.code("python", &plant("actum.conf")).folder(&dotfiles).go();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "[limits]\nwall = \"9s\"\n", "{done}");
    assert_eq!(done.told("/request/limits/wall"), 9.0, "the link itself still works: {done}");
}

#[test]
fn places_that_variables_name_in_the_workspace_are_not_written() {
    for world in World::each() {
        let keys = world.workspace().join("kept-keys");
        let code = format!("{WRITE}write('kept-keys/planted', 'x')\n");
        for flags in [&[][..], &["--in-place"]] {
            let done = world.code("python", &code).flags(flags).variable("ACTUM_KEYS", &keys).go();
            assert!(!keys.join("planted").exists(), "{done}");
        }
        // A folder that is written directly: made first and covered, or refused.
        let config = world.path("home/.config");
        world.make_folder(&config);
        let plant = plant(config.join("actum/config.toml").to_str().unwrap());
        let done = world.code("python", &plant).flag("--write").flag(&config).go();
        assert!(!config.join("actum/config.toml").exists(), "{done}");
    }
}

// --- What a project's file may set ---

fn tasks(world: &World, config: &str) -> Done {
    world.make_file(&world.workspace().join("actum.toml"), config);
    let results = "[{\"id\": \"a\", \"action\": \"run it\", \"status\": \"completed\", \"agent_responses\": \
        {\"ops_commander\": \"```sql\\nSELECT 1;\\n```\\n\"}}]";
    world.make_file(&world.workspace().join("results.json"), results);
    world.actum_with(&["tasks", "results.json"]).without_report().go()
}

#[test]
fn a_project_cannot_name_the_database_of_its_tasks() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    server.set_nonblocking(true).unwrap();
    let port = server.local_addr().unwrap().port();
    let sockets = world.path("sockets");
    world.make_folder(&sockets);
    for value in [
        format!("postgres://x@127.0.0.1:{port}/x"),
        format!("postgres:///x?host={}", sockets.display()),
        "postgresql://x@localhost/x".to_owned(),
    ] {
        let done = tasks(&world, &format!("[tasks.variables]\nDATABASE_URL = \"{value}\"\n")).expect(125);
        assert!(
            done.err().contains("tasks.variables.DATABASE_URL") && done.err().contains("actum trust"),
            "{done}"
        );
    }
    assert!(server.accept().is_err(), "the server was reached");
}

#[test]
fn a_project_cannot_set_variables_that_programs_obey() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    for name in
        ["PGHOST", "PGSERVICEFILE", "database_url", "LD_PRELOAD", "PYTHONSTARTUP", "HTTPS_PROXY", "PATH"]
    {
        let done = tasks(&world, &format!("[tasks.variables]\n{name} = \"x\"\n")).expect(125);
        assert!(done.err().contains(name), "{done}");
    }
    tasks(&world, "[tasks.variables]\nROOT = \"/x\"\n").expect(0);
}

#[test]
fn what_is_handed_in_by_name_grants_no_reach() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    world.make_file(&world.workspace().join("a.md"), "```sql\nSELECT 40 + 2;\n```\n");
    let url = "DATABASE_URL=postgres://x@127.0.0.1:1/x";
    let run = world.source("a.md", &[]).flags(&["--together", "--global", url]);
    let done = run.go().expect(0);
    assert!(done.out().contains("42"), "the embedded database answers: {done}");
}

#[test]
fn keys_that_reach_further_count_only_in_a_trusted_file() {
    for world in World::each() {
        let file = world.workspace().join("actum.toml");
        let config = "[language.speak]\nextensions = [\"speak\"]\nrun = [\"cat\", \"{file}\"]\n";
        world.make_file(&file, config);
        world.make_file(&world.workspace().join("a.speak"), "spoken\n");
        let run = || world.source("a.speak", &[]);
        let refused = run().go().expect(125);
        assert!(
            refused.err().contains("language.speak.run") && refused.err().contains("actum trust"),
            "{refused}"
        );
        let trust = |words: &[&str]| world.actum_with(words).without_report().go().expect(0);
        assert!(trust(&["trust"]).out().contains("language.speak.run"));
        assert_eq!(run().go().expect(0).out(), "spoken\n");
        assert!(trust(&["trust", "--list"]).out().contains(file.to_str().unwrap()));
        // A changed file is another file.
        world.make_file(&file, &config.replace("cat", "tac"));
        run().go().expect(125);
        world.make_file(&file, config);
        run().go().expect(0);
        trust(&["trust", "--remove"]);
        run().go().expect(125);
    }
}

#[test]
fn a_sandbox_cannot_trust_a_file() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let home = world.path("home");
    world
        .make_file(&home.join("actum.toml"), "[packages]\nindex = \"https://packages.example.org/simple\"\n");
    let list = home.join(".config/actum/trusted");
    let digest = "0".repeat(64);
    let line = format!("{digest} {}\n", home.join("actum.toml").display());
    let other = world.path("other");
    world.make_folder(&other);
    let code = format!("{WRITE}write({:?}, {line:?})\n", list.to_str().unwrap());
    for flags in [&["--policy", "open"][..], &["--policy", "open", "--workspace", home.to_str().unwrap()]] {
        world.code("python", &code).flags(flags).folder(&other).go();
        assert!(!list.exists());
    }
    for text in [
        "[packages]\nwheels = \"/\"\n",
        "[packages]\nage = \"0s\"\n",
        "[tasks]\nrequire = [\"nobody\"]\n",
        "[redact]\noff = [\"jwt\"]\n",
    ] {
        world.make_file(&world.workspace().join("actum.toml"), text);
        world.run(&["true"]).go().expect(125);
    }
}

// --- Patterns of a project ---

/// Each search looks through the rest of the stretch before it finds one byte.
fn slow(number: usize) -> String {
    format!("(a)[^c{number}]*c|(a)")
}

fn with_patterns(world: &World, path: &Path, patterns: &[String]) {
    world.make_file(path, &format!("[redact]\npatterns = {patterns:?}\n"));
}

/// One long line, then nothing for ever.
const LONG_LINE: &str = "import time\nprint('a' * 60000, flush=True)\ntime.sleep(60)\n";

#[test]
fn patterns_of_a_project_do_not_outlast_the_time_limit() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let patterns: Vec<String> = (0..32).map(|number| slow(number % 10)).collect();
    with_patterns(&world, &world.workspace().join("actum.toml"), &patterns);
    let run =
        world.code("python", LONG_LINE).flags(&["--limit", "wall=2s"]).patience(Duration::from_secs(60));
    let done = run.go();
    assert!(done.took < Duration::from_secs(10), "it took {:?}: {done}", done.took);
}

#[test]
fn patterns_of_the_user_are_bounded_too_and_leave_nothing_unread() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let patterns: Vec<String> = (0..200).map(|number| slow(number % 10)).collect();
    with_patterns(&world, &world.path("home/.config/actum/config.toml"), &patterns);
    let run =
        world.code("python", LONG_LINE).flags(&["--limit", "wall=2s"]).patience(Duration::from_secs(60));
    let done = run.go();
    assert!(done.took < Duration::from_secs(10), "it took {:?}: {done}", done.took);
    let logs = world.actum_with(&["logs", "last"]).without_report().go();
    assert!(!logs.out().contains("aaaa"), "what was not searched is not kept: {logs}");
}

#[test]
fn patterns_of_a_project_are_bounded_in_number_and_size() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let file = world.workspace().join("actum.toml");
    for patterns in [
        (0..33).map(|number| format!("acme_{number}")).collect::<Vec<_>>(),
        vec!["x".repeat(300)],
        vec!["(?:[a-z]{50}){50}".to_owned()],
    ] {
        with_patterns(&world, &file, &patterns);
        world.run(&["true"]).go().expect(125);
    }
    with_patterns(&world, &file, &["acme_[0-9]+".to_owned()]);
    let done = world.run(&["echo", "acme_123"]).go().expect(0);
    let logs = world.actum_with(&["logs", "last"]).without_report().go();
    assert!(logs.out().contains("[redacted:8]"), "{done}{logs}");
}

// --- Files that are read ---

#[test]
fn a_huge_project_file_costs_nothing() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    for file in [world.workspace().join("actum.toml"), world.path("home/.config/actum/config.toml")] {
        world.make_file(&file, "");
        std::fs::File::options().write(true).open(&file).unwrap().set_len(400 << 20).unwrap();
        let done = world.run(&["true"]).go().expect(125);
        assert!(done.err().contains("larger than"), "{done}");
        assert!(done.resident < 200 << 20, "{} bytes were resident", done.resident);
        std::fs::remove_file(file).unwrap();
    }
    world.run(&["true"]).go().expect(0);
}

#[test]
fn a_project_file_that_is_no_file_is_not_waited_for() {
    for world in World::each() {
        let file = world.workspace().join("actum.toml");
        let fifo = || {
            rustix::fs::mknodat(rustix::fs::CWD, &file, rustix::fs::FileType::Fifo, 0o666.into(), 0).unwrap()
        };
        fifo();
        lchown(&file, Some(world.identity.user), Some(world.identity.group)).unwrap();
        world.run(&["true"]).patience(Duration::from_secs(10)).go().expect(125);
        for target in ["/dev/zero", "/etc/hostname", "../outside.toml"] {
            world.make_file(&world.path("outside.toml"), "");
            std::fs::remove_file(&file).unwrap();
            symlink(target, &file).unwrap();
            lchown(&file, Some(world.identity.user), Some(world.identity.group)).unwrap();
            world.run(&["true"]).patience(Duration::from_secs(10)).go().expect(125);
        }
    }
}

#[test]
fn what_a_stranger_leaves_in_a_shared_folder_stops_nobody() {
    if !rustix::process::geteuid().is_root() {
        actum_testkit::skip("only root can make another user's files");
        return;
    }
    const STRANGER: u32 = 65534;
    for world in World::each() {
        let shared = world.path("shared");
        world.make_folder(&shared.join("mine"));
        std::fs::set_permissions(&shared, PermissionsExt::from_mode(0o1777)).unwrap();
        let (file, store) = (shared.join("actum.toml"), shared.join(".actum"));
        let own = |path: &Path| lchown(path, Some(STRANGER), Some(STRANGER)).unwrap();
        let run = || {
            world.run(&["true"]).folder(&shared.join("mine")).patience(Duration::from_secs(10)).go().expect(0)
        };
        std::fs::create_dir(&store).unwrap();
        own(&store);
        for target in ["/dev/zero", "/etc/hostname", "nowhere"] {
            symlink(target, &file).unwrap();
            own(&file);
            run();
            std::fs::remove_file(&file).unwrap();
        }
        std::fs::write(&file, "[limits]\nwall = \"1ms\"\n").unwrap();
        own(&file);
        run();
        std::fs::remove_dir(&store).unwrap();
        symlink("/dev/zero", &store).unwrap();
        own(&store);
        run();
    }
}

// --- Keys ---

/// Reads everything below the folders that it is given, and says where the canary is.
const SEARCH: &str = "import os, sys\nfor top in sys.argv[1:]:\n    for folder, _, names in os.walk(top, followlinks=True):\n        \
    for name in names:\n            path = os.path.join(folder, name)\n            try:\n                \
    if 'CANARY-7f3a' in open(path).read(): print('SEEN', path)\n            except (OSError, UnicodeDecodeError): pass\n";

/// A home with something at every path of the list: a file, or a folder that holds one.
fn home_of_keys(world: &World, home: &Path, as_folders: bool) {
    let paths: BTreeSet<&str> =
        rows(KEYS).into_iter().map(|(path, _)| path).filter(|path| !is_ours(path)).collect();
    for path in &paths {
        let holds_others =
            paths.iter().any(|other| other.strip_prefix(path).is_some_and(|rest| rest.starts_with('/')));
        let file =
            if as_folders || holds_others { home.join(path).join("inside/deep") } else { home.join(path) };
        world.make_file(&file, CANARY);
    }
}

/// Folders that Actum itself writes have contents of their own.
fn is_ours(path: &str) -> bool {
    path.ends_with("/actum")
}

fn search<'w>(world: &'w World, tops: &[&Path], flags: &[&str]) -> crate::run::Run<'w> {
    let tops = tops.iter().map(|top| top.as_os_str().to_owned());
    let words: Vec<std::ffi::OsString> =
        ["python3".into(), "-c".into(), SEARCH.into()].into_iter().chain(tops).collect();
    world.run(&words).flags(flags)
}

/// A folder of the caller's outside of what a sandbox has of its own: the policy `open` shows the machine's tree there.
fn outside_tmp(world: &World) -> Option<tempfile::TempDir> {
    let own = std::env::var_os("HOME").map(PathBuf::from);
    let places = ["/srv", "/opt", "/home"].map(PathBuf::from).into_iter().chain(own);
    let Some(folder) = places.filter_map(|place| tempfile::tempdir_in(place).ok()).next() else {
        actum_testkit::skip("no folder outside /tmp can be written");
        return None;
    };
    std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755)).unwrap();
    lchown(folder.path(), Some(world.identity.user), Some(world.identity.group)).unwrap();
    Some(folder)
}

#[test]
fn a_home_shows_none_of_the_keys_of_the_list() {
    for (world, as_folders) in World::each().into_iter().flat_map(|world| {
        let other = World::new(world.caller);
        [(Some(world), false), (other, true)]
    }) {
        let Some(world) = world else { continue };
        let Some(base) = outside_tmp(&world) else { continue };
        let (above, home) = (base.path().join("above"), base.path().join("above/you"));
        home_of_keys(&world, &home, as_folders);
        world.make_file(&home.join("plain"), CANARY);
        let expected = format!("SEEN {}\n", home.join("plain").display());
        let (input, open) = (["--input", above.to_str().unwrap()], ["--policy", "open"]);
        let workspace = world.workspace();
        let ways =
            [(&home, &[][..]), (&above, &[]), (&workspace, &input), (&workspace, &open), (&home, &open)];
        for (folder, flags) in ways {
            let run = search(&world, &[&above], flags).folder(folder).variable("HOME", &home);
            let done = run.go().expect(0);
            let folder = folder.display();
            assert_eq!(done.out(), expected, "as folders: {as_folders}, in {folder}, {flags:?}: {done}");
        }
    }
}

#[test]
fn linked_keys_are_not_read_at_their_target() {
    for world in World::each() {
        let home = world.path("home");
        for name in ["dot/ssh/id", "dot/pgpass", "dot/config/gh/hosts.yml", "dot/config/rclone/rclone.conf"] {
            world.make_file(&home.join(name), CANARY);
        }
        symlink("dot/ssh", home.join(".ssh")).unwrap();
        symlink(home.join("dot/pgpass"), home.join(".pgpass")).unwrap();
        symlink("dot/config", home.join(".config")).unwrap();
        let dotfiles = home.join("dot");
        for (folder, flags) in [(&home, &[][..]), (&dotfiles, &[]), (&home, &["--policy", "open"])] {
            let done = search(&world, &[&home], flags).folder(folder).go().expect(0);
            assert_eq!(done.out(), "", "in {}: {done}", folder.display());
        }
    }
}

#[test]
fn keys_of_a_home_that_is_reached_by_another_name_are_hidden() {
    for world in World::each() {
        let home = world.path("home");
        for name in [".pgpass", ".aws/credentials", ".claude/.credentials.json"] {
            world.make_file(&home.join(name), CANARY);
        }
        let link = world.path("other-name");
        symlink(&home, &link).unwrap();
        for (folder, named) in [(&home, &link), (&link, &home), (&link, &link)] {
            let done = search(&world, &[&home], &[]).folder(folder).variable("HOME", named).go().expect(0);
            assert_eq!(done.out(), "", "{done}");
        }
        let input = ["--input", link.to_str().unwrap()];
        let done = search(&world, &[&home], &input).variable("HOME", &link).go().expect(0);
        assert_eq!(done.out(), "", "{done}");
    }
}

#[test]
fn a_workspace_inside_a_hidden_folder_is_still_seen() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let skill = world.path("home/.claude/skills/one");
    world.make_file(&skill.join("plain"), "seen\n");
    for flags in [&[][..], &["--policy", "open"]] {
        let done = world.run(&["cat", "plain"]).flags(flags).folder(&skill).go().expect(0);
        assert_eq!(done.out(), "seen\n", "{done}");
    }
}

// --- Files that others act on ---

/// The paths of a home's files, without what Actum and this test put there.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut ahead = vec![folder.to_path_buf()];
    while let Some(folder) = ahead.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.file_name().is_some_and(|name| name == "actum") {
                continue;
            }
            if path.is_dir() && !path.is_symlink() { ahead.push(path) } else { found.push(path) }
        }
    }
    found
}

#[test]
fn none_of_the_files_that_others_act_on_is_applied() {
    for world in World::each() {
        let home = world.path("home");
        let patterns = rows(PROTECTED).into_iter().map(|(pattern, scope)| match scope {
            "folder" | "home" => format!("{}/planted", pattern.replace('*', "x")),
            _ => pattern.replace('*', "x"),
        });
        let keys = rows(KEYS).into_iter().map(|(path, _)| path.to_owned());
        let paths: Vec<String> = patterns.chain(keys).collect();
        let code = format!("{WRITE}for path in {paths:?}: write(path, 'x')\nwrite('plain', 'x')\n");
        let done = world.code("python", &code).folder(&home).go().expect(0);
        assert_eq!(files_below(&home), [home.join("plain")], "{done}");
    }
}

#[test]
fn a_workspace_below_the_home_does_not_shorten_protected_paths() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    for (folder, path) in [
        (".config", "autostart/x.desktop"),
        (".config", "git/config"),
        (".config/systemd", "user/x.service"),
        (".local", "bin/x"),
        (".local/share", "applications/x.desktop"),
        ("project/.git", "hooks/pre-commit"),
        ("project/.hg", "hgrc"),
        (".cargo", "config.toml"),
    ] {
        let folder = world.path("home").join(folder);
        world.make_folder(&folder);
        let code = format!("{WRITE}write({path:?}, 'x')\nwrite('plain.txt', 'x')\n");
        let done = world.code("python", &code).folder(&folder).go().expect(0);
        let is_inside = folder.ends_with(".config/systemd");
        assert_eq!(folder.join(path).exists(), is_inside, "who names the folder means it: {done}");
        assert!(folder.join("plain.txt").exists(), "{done}");
    }
}

#[test]
fn a_folder_in_the_shape_of_a_repository_is_not_armed() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let workspace = world.workspace();
    let bare =
        "write('x/HEAD', 'ref: refs/heads/main\\n')\nos.makedirs('x/objects')\nos.makedirs('x/refs')\n";
    let config = "write('x/config', '[core]\\nfsmonitor = touch owned\\n')\n";
    let is_armed = |name: &str| {
        let folder = workspace.join(name);
        folder.join("HEAD").exists()
            && (folder.join("config").exists() || folder.join("hooks/post-checkout").exists())
    };
    let run = |code: String, flags: &[&str]| {
        let done = world.code("python", &format!("{WRITE}{code}")).flags(flags).go().expect(0);
        assert!(!is_armed("x") && !is_armed(""), "{done}");
        let _ = std::fs::remove_dir_all(workspace.join("x"));
    };
    run(format!("{bare}{config}"), &[]);
    run(format!("{bare}write('x/hooks/post-checkout', 'x')\n"), &[]);
    run(format!("{bare}{config}").replace("x/", ""), &[]);
    run(format!("{bare}{config}"), &["--in-place"]);
    // In two runs.
    world.code("python", &format!("{WRITE}{config}")).go().expect(0);
    run(bare.to_owned(), &[]);
}

#[test]
fn ordinary_files_of_a_project_are_still_applied() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let paths = [
        "Makefile",
        "package.json",
        ".npmrc",
        ".cargo/config.toml",
        "src/hooks/useThing.ts",
        "bin/tool",
        "config",
        "src/config/mod.rs",
        "HEAD",
        "docs/refs/a.md",
        "objects/a.json",
        ".github/workflows/ci.yml",
        ".gitignore",
        ".env",
        ".tool-versions",
        "src/update",
        ".yarnrc.yml",
        "pyproject.toml",
        "custom_hooks/__init__.py",
        ".eslintrc.json",
    ];
    let code = format!("{WRITE}for path in {paths:?}: write(path, 'x')\n");
    let done = world.code("python", &code).go().expect(0);
    for path in paths {
        assert!(world.workspace().join(path).exists(), "{path}: {done}");
    }
}
