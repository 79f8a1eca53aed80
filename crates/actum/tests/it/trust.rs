//! What is kept is trusted later: no program reaches it, wherever it lies, and nothing else is run than what was approved.

use crate::world::{Caller, World};

/// A store in the workspace, as when somebody runs in their home.
#[test]
fn a_program_sees_neither_store_nor_cache() {
    let look = "import os\nfor name in ('kept/applying', 'kept/pending', 'cached'):\n    \
        try: os.makedirs(name); open(name + '/planted', 'w').write('x'); print('wrote', name)\n    \
        except OSError as error: print(type(error).__name__)\nprint(os.listdir('kept'))\n";
    for world in World::each() {
        let (store, cache) = (world.workspace().join("kept"), world.workspace().join("cached"));
        // What is written directly may hold them only where nothing above them can be moved.
        let workspace = world.workspace();
        for (flags, cache) in [(&[][..], &cache), (&["--in-place"], &workspace)] {
            let run = world.code("python", look).flags(flags);
            let done = run.variable("ACTUM_STORE", &store).variable("XDG_CACHE_HOME", cache).go().expect(0);
            // What is ours of it shows only what this run was given: its own program.
            assert!(!store.join("applying").exists() && !store.join("pending").exists(), "{done}");
            assert!(!cache.join("actum/planted").exists(), "{done}");
            assert!(done.out().ends_with("['runs']\n"), "{done}");
        }
        // By another name, and through a grant of what holds it.
        let link = world.path("link");
        let _ = std::os::unix::fs::symlink(world.workspace(), &link);
        let run = world.code("python", look).variable("ACTUM_STORE", link.join("kept"));
        run.go().expect(0);
        assert!(!store.join("applying").exists());
        let other = world.path("other");
        world.make_folder(&other);
        let plant = format!("import os\nos.makedirs('{}/pending/x')\n", store.display());
        let run = world.code("python", &plant).folder(&other).flag("--write").flag(world.workspace());
        assert_ne!(run.variable("ACTUM_STORE", &store).go().code(), 0);
        assert!(!store.join("pending").exists());
    }
}

#[test]
fn compiled_code_runs_where_the_store_lies_in_the_workspace() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let store = world.workspace().join("kept");
    let code = "#include <stdio.h>\nint main(void) { puts(\"made\"); }\n";
    for _ in 0..2 {
        let done = world.code("c", code).variable("ACTUM_STORE", &store).go().expect(0);
        assert_eq!(done.out(), "made\n", "{done}");
    }
}

#[test]
fn a_compiled_program_is_not_taken_from_another_workspace() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let code = "#include \"here.h\"\n#include <stdio.h>\nint main(void) { puts(HERE); }\n";
    for name in ["one", "other"] {
        let folder = world.path(name);
        world.make_file(&folder.join("here.h"), &format!("#define HERE \"{name}\"\n"));
        let file = folder.join("main.c");
        world.make_file(&file, code);
        let done = world.source("main.c", &[]).folder(&folder).go().expect(0);
        assert_eq!(done.out(), format!("{name}\n"), "{done}");
        let again = world.source("main.c", &[]).folder(&folder).go().expect(0);
        assert_eq!(again.told("/environment/compiled/cached"), true, "{again}");
    }
}

#[test]
fn what_changed_since_it_was_asked_is_not_run() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let script = world.workspace().join("s.sh");
    let ask = || world.run(&["sh", "s.sh"]).flags(&["--approval", "always"]).go().expect(120);
    world.make_file(&script, "echo good\n");
    ask();
    world.make_file(&script, "echo evil\n");
    let refused = world.actum_with(&["approve", "last"]).go().expect(120);
    assert_eq!(refused.out(), "", "{refused}");
    ask();
    assert_eq!(world.actum_with(&["approve", "last"]).go().expect(0).out(), "evil\n");
}

#[test]
fn a_project_cannot_widen_what_its_user_allows() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let project = world.workspace().join("actum.toml");
    world.make_file(&project, "[limits]\nmemory = \"900GiB\"\nwall = \"5s\"\n[endings]\ngrace = \"1h\"\n");
    let done = world.run(&["true"]).go().expect(0);
    assert_eq!(done.told("/request/limits/wall"), 5.0, "{done}");
    assert!(done.told("/request/limits/memory").as_u64().unwrap() < 900 << 30, "{done}");
    world.make_file(&project, "[policy]\nprofile = \"open\"\n");
    let refused = world.run(&["true"]).go().expect(125);
    assert!(refused.err().contains("wider policy"), "{refused}");
}

#[test]
fn mistakes_are_told_for_what_they_are() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    for (words, said) in [
        (&["run", "--jsn", "x.py"][..], "--jsn"),
        (&["run", "make"], "actum run -- make"),
        (
            &["run", "--database", "/var/tmp/no-such-folder/x.db", "-l", "sql", "-c", "SELECT 1"],
            "not inside the workspace",
        ),
        (&["run", "-c", "", "-l", "python"], "empty"),
        (&["run", "-l", "pyton", "-c", "print(1)"], "did you mean --language python"),
        (&["run", "--timeout", "0", "--", "true"], "wall"),
        (&["show", "no-such-run"], "no-such-run"),
    ] {
        let done = world.actum_with(words).go().expect(125);
        assert!(done.err().contains(said), "{said} is not in {}", done.err());
    }
    let full = world.actum_with(&["languages"]).shell("\"$@\" > /dev/full").go().expect(125);
    assert!(full.err().contains("stdout"), "{full}");
}

#[test]
fn syntax_is_looked_at_and_nothing_runs() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    for (name, good, bad) in [
        ("x.py", "open('ran', 'w')\n", "open('ran', 'w')\nif True\n"),
        ("x.sh", "touch ran\n", "touch ran\nif true; then\n"),
        ("x.c", "int main(void) { return 0; }\n", "int main(void) { return 0 }\n"),
    ] {
        world.make_file(&world.workspace().join(name), good);
        world.source(name, &[]).flag("--check").go().expect(0);
        world.make_file(&world.workspace().join(name), bad);
        let done = world.source(name, &[]).flag("--check").go();
        assert_ne!(done.code(), 0, "{done}");
        assert!(!done.told("/analysis/errors").as_array().unwrap().is_empty(), "{done}");
        assert!(!world.workspace().join("ran").exists(), "{done}");
    }
    world.code("sql", "SELECT 1").flag("--check").go().expect(125);
}
