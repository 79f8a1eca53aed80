//! The workspace: changed when a run ends well, as it was when it does not, and never in ways that bite later.

use crate::world::{Caller, Walls, World};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

fn text(path: &Path) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

#[test]
fn changes_are_applied_when_the_run_ends_well_and_kept_apart_when_it_does_not() {
    let change = "import os\nopen('kept.txt', 'w').write('new')\nos.remove('old.txt')\nos.mkdir('sub')\n\
                  open('sub/deep.txt', 'w').write('deep')\n";
    for world in World::each() {
        let (kept, old) = (world.workspace().join("kept.txt"), world.workspace().join("old.txt"));
        let deep = world.workspace().join("sub/deep.txt");
        let state = || [&kept, &old, &deep].map(|path| text(path));
        world.make_file(&kept, "first");
        world.make_file(&old, "old");
        let as_it_was = state();
        // What failed, was stopped or was only to be looked at leaves no trace.
        for (program, flags, code, applied) in [
            (format!("{change}raise SystemExit(1)"), &[][..], 1, "kept"),
            (format!("{change}import os, signal; os.kill(os.getpid(), 11)"), &[], 139, "kept"),
            (format!("{change}import time; time.sleep(60)"), &["--limit", "wall=500ms"], 124, "kept"),
            (change.to_owned(), &["--read-only"], 121, "discarded"),
            (change.to_owned(), &["--policy", "locked"], 121, "discarded"),
        ] {
            let done = world.python(&program).flags(flags).go().expect(code);
            assert_eq!(state(), as_it_was, "{done}");
            assert_eq!(done.told("/changes/state"), applied, "{done}");
            assert_eq!(done.told("/changes/files").as_array().unwrap().len(), 4, "{done}");
        }
        let done = world.python(change).go().expect(0);
        let after = [Some("new".to_owned()), None, Some("deep".to_owned())];
        assert_eq!(state(), after, "{done}");
        assert_eq!(done.told("/changes/state"), "applied", "{done}");
        assert!(done.err().contains("4 changes applied"), "{done}");
    }
}

#[test]
fn in_place_writes_directly() {
    for world in World::each() {
        for walls in Walls::ALL {
            let made = world.workspace().join(format!("{walls:?}"));
            let program = format!("open('{walls:?}', 'w').write('x'); raise SystemExit(1)");
            let done = world.python(&program).walls(walls).flag("--in-place").go().expect(1);
            assert_eq!(text(&made).as_deref(), Some("x"), "{done}");
            assert_eq!(done.told("/changes/state"), "direct", "{done}");
            assert_eq!(done.told("/confinement/workspace"), "direct", "{done}");
        }
    }
}

/// Without a layer a workspace that must not change refuses to.
#[test]
fn read_only_holds_in_every_tier() {
    for world in World::each() {
        let file = world.workspace().join("there");
        world.make_file(&file, "before");
        for walls in Walls::ALL {
            let program = "import os\nfor act in (lambda: open('there', 'w').write('x'), lambda: open('new', 'w')):\n    \
                           try: act()\n    except OSError as error: print(error.errno)";
            // Where a layer takes what is written, that it was is told; where there is none, nothing could be.
            let code = if walls == Walls::N { 121 } else { 0 };
            let done = world.python(program).walls(walls).flag("--read-only").go().expect(code);
            assert_eq!(text(&file).as_deref(), Some("before"), "{done}");
            assert!(!world.workspace().join("new").exists(), "{done}");
        }
    }
}

#[test]
fn created_files_belong_to_the_owner_of_the_workspace() {
    let Some(world) = World::new(Caller::Root) else { return };
    let Some(other) = World::new(Caller::Ordinary) else { return };
    let program = "import os\nos.mkdir('d')\nopen('d/f', 'w').write('x')\nos.symlink('d/f', 'l')";
    for (workspace, owner) in [(world.workspace(), world.identity), (other.workspace(), other.identity)] {
        for mode in [None, Some("--in-place")] {
            let run = world.python(program).folder(&workspace);
            let done = mode.into_iter().fold(run, |run, flag| run.flag(flag)).go().expect(0);
            for name in ["d", "d/f", "l"] {
                let metadata = workspace.join(name).symlink_metadata().unwrap();
                let found = (metadata.uid(), metadata.gid());
                assert_eq!(found, (owner.user, owner.group), "{name} {mode:?} {done}");
            }
            std::fs::remove_dir_all(workspace.join("d")).unwrap();
            std::fs::remove_file(workspace.join("l")).unwrap();
        }
    }
}

#[test]
fn a_file_of_somebody_else_keeps_its_owner_when_it_is_changed() {
    let Some(world) = World::new(Caller::Root) else { return };
    let file = world.workspace().join("f");
    world.make_file(&file, "a");
    let inode = |path: &Path| (path.metadata().unwrap().uid(), path.metadata().unwrap().mode() & 0o7777);
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o640)).unwrap();
    let before = inode(&file);
    let done = world.python("open('f', 'a').write('b')").go().expect(0);
    assert_eq!((text(&file).as_deref(), inode(&file)), (Some("ab"), before), "{done}");
}

#[test]
fn set_uid_bits_are_stripped() {
    for world in World::each() {
        for walls in Walls::ALL {
            let program = "import os\nopen('tool', 'w').write('x')\ntry: os.chmod('tool', 0o6755)\n\
                           except OSError: os.chmod('tool', 0o755)";
            let done = world.python(program).walls(walls).go().expect(0);
            let mode = world.workspace().join("tool").metadata().unwrap().mode();
            assert_eq!(mode & 0o7777, 0o755, "{mode:o} {done}");
            std::fs::remove_file(world.workspace().join("tool")).unwrap();
        }
    }
}

#[test]
fn a_link_that_leads_out_is_not_followed() {
    for world in World::each() {
        let outside = world.path("home/outside.txt");
        world.make_file(&outside, "untouched");
        let target = world.workspace().join("out.txt");
        world.make_file(&target, "old");
        let program = format!(
            "import os\nos.remove('out.txt')\nos.symlink({outside:?}, 'out.txt')\n\
             try: open('out.txt', 'w').write('through')\nexcept OSError: pass\nos.symlink('kept', 'inside')"
        );
        let done = world.python(&program).go().expect(0);
        assert_eq!(text(&outside).as_deref(), Some("untouched"), "{done}");
        let links_out = target.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
        assert!(!links_out, "a link that leads out was applied: {done}");
        let told = done.told("/changes/files").to_string();
        assert!(told.contains("leads-out"), "{done}");
        assert_eq!(std::fs::read_link(world.workspace().join("inside")).unwrap(), Path::new("kept"));
        // The same name for the next run to write: it must land in the workspace or nowhere.
        world.python("open('inside', 'w').write('x')").go().expect(0);
        assert_eq!(text(&world.workspace().join("kept")).as_deref(), Some("x"));
    }
}

#[test]
fn what_others_would_run_later_is_withheld_and_told() {
    for world in World::each() {
        for walls in Walls::ALL {
            for mode in [None, Some("--in-place")] {
                let hook = world.workspace().join(".git/hooks/pre-commit");
                world.make_file(&hook, "#!/bin/sh\n");
                world.make_file(&world.workspace().join(".git/config"), "[core]\n");
                let program = "import os\nfor path in ('.git/hooks/pre-commit', '.git/config', '.vscode/tasks.json'):\n    \
                               try:\n        os.makedirs(os.path.dirname(path), exist_ok=True)\n        \
                               open(path, 'w').write('evil')\n    except OSError: pass\n\
                               open('fine.txt', 'w').write('fine')";
                let run = world.python(program).walls(walls);
                let done = mode.into_iter().fold(run, |run, flag| run.flag(flag)).go().expect(0);
                assert_eq!(text(&hook).as_deref(), Some("#!/bin/sh\n"), "{done}");
                let config = text(&world.workspace().join(".git/config"));
                assert_eq!(config.as_deref(), Some("[core]\n"), "{done}");
                let tasks = world.workspace().join(".vscode/tasks.json");
                assert!(!tasks.exists(), "{done}");
                assert_eq!(text(&world.workspace().join("fine.txt")).as_deref(), Some("fine"), "{done}");
                if (walls, mode) == (Walls::N, None) {
                    let told = done.told("/changes/files").to_string();
                    assert!(told.contains("pre-commit") && told.contains("protected"), "{done}");
                    assert!(done.err().contains("withheld"), "{done}");
                }
                std::fs::remove_dir_all(world.workspace()).unwrap();
                world.make_folder(&world.workspace());
            }
        }
    }
}

#[test]
fn a_file_without_any_mode_is_carried_over() {
    for world in World::each() {
        let file = world.workspace().join("shut");
        let program = "import os\nopen('shut', 'w').write('x')\nos.chmod('shut', 0)\nos.mkdir('d')\n\
                       open('d/f', 'w').write('y')\nos.chmod('d', 0o555)";
        let done = world.python(program).go().expect(0);
        let metadata = file.metadata().unwrap();
        assert_eq!((metadata.mode() & 0o7777, metadata.len()), (0, 1), "{done}");
        // One that is there already and that the run does not touch is no obstacle either.
        let done = world.python("open('other', 'w').write('x')").go().expect(0);
        assert!(world.workspace().join("other").exists(), "{done}");
        std::fs::set_permissions(world.workspace().join("d"), PermissionsExt::from_mode(0o755)).unwrap();
    }
}

#[test]
fn a_workspace_may_have_any_name_and_lie_anywhere() {
    let names = [
        "plain",
        "with spaces",
        "quo'te\"s",
        "com,ma",
        "co:lon",
        "new\nline",
        "grün-日本-💾",
        "back\\slash",
        "-dash",
        "$(touch x)",
    ];
    for world in World::each() {
        for walls in [Walls::N, Walls::Docker] {
            let made = |folder: &Path| {
                world.make_folder(folder);
                let program = "open('made.txt', 'w').write('x'); import os; print(os.getcwd())";
                let done = world.python(program).walls(walls).folder(folder).go().expect(0);
                assert_eq!(text(&folder.join("made.txt")).as_deref(), Some("x"), "{done}");
                assert_eq!(done.out(), format!("{}\n", folder.display()), "{done}");
                std::fs::remove_dir_all(folder).unwrap();
            };
            names.iter().for_each(|name| made(&world.path("work").join(name)));
            made(&world.path("home").join("project"));
            made(Path::new(&format!("/tmp/actum-it-x-{}", std::process::id())));
        }
    }
}

/// A home is a workspace too when somebody says so, where the store and the keys in it can be hidden.
#[test]
fn the_home_itself_can_be_the_workspace() {
    for world in World::each() {
        let home = world.path("home");
        let run = |walls: Walls| world.python("open('x', 'w').write('x')").walls(walls).folder(&home).go();
        let done = run(Walls::N).expect(0);
        assert_eq!(text(&home.join("x")).as_deref(), Some("x"), "{done}");
        let refused = run(Walls::Docker).expect(125);
        assert!(refused.err().contains("which can only be hidden in a mount namespace"), "{refused}");
    }
}
