//! What becomes of a run's changes: applied, kept apart, undone, given up; and never over somebody else's work.

use crate::run::Done;
use crate::world::{Caller, Walls, World};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

/// `actum WORDS…` by the world's caller.
fn say(world: &World, words: &[&str]) -> Done {
    world.run::<&str>(&[]).say(words)
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| format!("{}: {error}", path.display()))
}

#[test]
fn a_failed_run_s_changes_wait_and_can_be_applied_undone_and_given_up() {
    for world in World::each() {
        let (file, new) = (world.workspace().join("file"), world.workspace().join("d/new"));
        world.make_file(&file, "old\n");
        let done =
            world.run(&["sh", "-c", "echo new > file; mkdir d; echo new > d/new; exit 7"]).go().expect(7);
        assert_eq!(done.told("/changes/state"), "kept", "{done}");
        assert!(done.err().contains("3 changes kept apart"), "{done}");
        assert_eq!((text(&file).as_str(), new.exists()), ("old\n", false));

        let listed = say(&world, &["changes", "last"]).expect(0);
        assert!(listed.out().contains("~ file") && listed.out().contains("+ d/new"), "{listed}");
        let diff = say(&world, &["changes", "last", "--diff"]).expect(0);
        assert!(diff.out().contains("--- a/file\n+++ b/file\n@@ -1 +1 @@\n-old\n+new\n"), "{diff}");
        let json = say(&world, &["changes", "last", "--json"]).expect(0);
        let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
        let digest = "7aa7a5359173d05b63cfd682e3c38487f3cb4f7f1d60659fe59fab1505977d4c";
        assert_eq!(json["changes"][1]["sha256"], digest, "{json}");
        assert_eq!(json["changes"][2]["before"]["size"], 4, "{json}");

        say(&world, &["apply", "last"]).expect(0);
        assert_eq!((text(&file).as_str(), text(&new).as_str()), ("new\n", "new\n"));
        let again = say(&world, &["apply", "last"]).expect(125);
        assert!(again.err().contains("already applied"), "{again}");
        say(&world, &["undo", "last"]).expect(0);
        assert_eq!((text(&file).as_str(), new.exists()), ("old\n", false));
        let again = say(&world, &["undo", "last"]).expect(125);
        assert!(again.err().contains("already undone"), "{again}");
        say(&world, &["discard", "last"]).expect(0);
        let again = say(&world, &["discard", "last"]).expect(125);
        assert!(again.err().contains("already discarded"), "{again}");
        assert!(say(&world, &["changes", "last"]).expect(0).out().contains("discarded"));
    }
}

#[test]
fn what_was_applied_is_undone_unless_somebody_worked_on() {
    for world in World::each() {
        let file = world.workspace().join("file");
        world.make_file(&file, "old");
        world.run(&["sh", "-c", "printf new > file; printf made > made"]).go().expect(0);
        world.make_file(&file, "mine");
        let refused = say(&world, &["undo", "last"]).expect(3);
        assert!(
            refused.err().contains("file: it was changed") && refused.err().contains("--force"),
            "{refused}"
        );
        assert_eq!(text(&file), "mine");
        assert!(world.workspace().join("made").exists());
        say(&world, &["undo", "last", "--force"]).expect(0);
        assert_eq!((text(&file).as_str(), world.workspace().join("made").exists()), ("old", false));
    }
}

#[test]
fn what_others_do_while_it_runs_is_not_overwritten() {
    for world in World::each() {
        let (file, gate) = (world.workspace().join("file"), world.path("gate"));
        world.make_file(&file, "old");
        world.make_folder(&gate);
        // The clock of file systems runs up to a tick behind: what happens in the first one is not noticed.
        let program = format!(
            "echo theirs > file; echo made > made; sleep 0.05; echo started; while [ ! -e {}/go ]; do sleep 0.01; done",
            gate.display()
        );
        let mut going = world.run(&["sh", "-c", &program]).flag("--write").flag(&gate).start();
        going.until_said("started");
        world.make_file(&file, "mine");
        fs::write(gate.join("go"), "").unwrap();
        let done = going.finish().expect(125);
        assert_eq!(done.told("/changes/state"), "refused", "{done}");
        assert_eq!(done.told("/changes/conflicts/0/path"), "file", "{done}");
        assert!(done.err().contains("file: it was changed"), "{done}");
        assert_eq!((text(&file).as_str(), world.workspace().join("made").exists()), ("mine", false));
        // Told before it was the run's own moment; asked for later, it is what stands there now that counts.
        say(&world, &["apply", "last", "--force"]).expect(0);
        assert_eq!(text(&file), "theirs\n");
        say(&world, &["undo", "last"]).expect(0);
        assert_eq!(text(&file), "mine");
    }
}

/// Somebody swaps folders of the workspace for links while the program runs.
#[test]
fn a_swapped_folder_leads_nowhere() {
    for world in World::each() {
        let (folder, outside, gate) =
            (world.workspace().join("d"), world.path("outside"), world.path("gate"));
        world.make_file(&folder.join("old"), "old");
        world.make_folder(&outside);
        world.make_folder(&gate);
        let program = format!(
            "echo planted > d/planted; rm d/old; sleep 0.05; echo started; while [ ! -e {}/go ]; do sleep 0.01; done",
            gate.display()
        );
        let mut going = world.run(&["sh", "-c", &program]).flag("--write").flag(&gate).start();
        going.until_said("started");
        fs::rename(&folder, world.workspace().join("moved")).unwrap();
        symlink(&outside, &folder).unwrap();
        fs::write(gate.join("go"), "").unwrap();
        let done = going.finish().expect(125);
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0, "{done}");
        assert!(!done.err().contains("panicked"), "{done}");
        assert_eq!(text(&world.workspace().join("moved/old")), "old");
    }
}

#[test]
fn the_program_s_own_links_lead_nowhere_either() {
    for world in World::each() {
        world.make_file(&world.workspace().join("d/e/file"), "old");
        let program = "mv d/e x; ln -s ../../outside d/e; ln -s /tmp y; rm -r x; mkdir x; echo in > x/in";
        let done = world.run(&["sh", "-c", program]).go().expect(0);
        assert_eq!(text(&world.workspace().join("x/in")), "in\n", "{done}");
        assert!(!world.workspace().join("y").exists(), "{done}");
        assert_eq!(
            text(&world.workspace().join("d/e/file")),
            "old",
            "what its link takes the place of stays: {done}"
        );
        say(&world, &["undo", "last"]).expect(0);
        assert!(!world.workspace().join("x").exists());
    }
}

#[test]
fn withheld_changes_are_applied_only_by_name() {
    for world in World::each() {
        world.make_folder(&world.workspace().join(".git"));
        let program =
            "mkdir .git/hooks; echo hook > .git/hooks/pre-commit; echo a > a; ln -s /etc/passwd out";
        world.run(&["sh", "-c", program]).go().expect(0);
        let hook = world.workspace().join(".git/hooks/pre-commit");
        assert!(!hook.exists());
        assert!(say(&world, &["apply", "last"]).expect(125).err().contains("already"));
        let refused = say(&world, &["apply", "last", "out"]).expect(125);
        assert!(refused.err().contains("a link to a path outside the workspace"), "{refused}");
        say(&world, &["apply", "last", ".git/hooks/pre-commit"]).expect(0);
        assert_eq!(text(&hook), "hook\n");
    }
}

#[test]
fn what_was_written_directly_is_listed_and_cannot_be_undone() {
    for world in World::each() {
        for (walls, flags) in [(Walls::N, &["--in-place"][..]), (Walls::L, &[])] {
            world.run(&["sh", "-c", "echo $RANDOM$$ >> file"]).walls(walls).flags(flags).go().expect(0);
            let listed = say(&world, &["changes", "last"]).expect(0);
            assert!(listed.out().contains("written directly"), "{listed}");
            let refused = say(&world, &["undo", "last"]).expect(125);
            assert!(refused.err().contains("wrote directly"), "{refused}");
        }
        let done = world.run(&["sh", "-c", "echo x > new"]).flag("--read-only").go().expect(121);
        assert_eq!(done.told("/changes/state"), "discarded", "{done}");
        assert!(say(&world, &["apply", "last"]).expect(125).err().contains("were discarded"));
        let none = world.run(&["true"]).go().expect(0);
        assert_eq!(none.told("/changes/state"), "nothing");
        assert!(say(&world, &["changes", "last"]).expect(125).err().contains("made no changes"));
    }
}

#[test]
fn a_workspace_on_another_file_system_than_the_store() {
    for world in World::each() {
        let elsewhere = tempfile::tempdir_in("/dev/shm").unwrap();
        fs::set_permissions(elsewhere.path(), PermissionsExt::from_mode(0o777)).unwrap();
        let workspace = elsewhere.path().join("work");
        world.make_file(&workspace.join("d/old"), "old");
        world.make_file(&workspace.join("file"), "old");
        let program =
            "rm -r d; echo new > file; mkdir -p n/m; echo new > n/m/f; chmod 555 n/m; ln -s file link";
        world.run(&["sh", "-c", program]).folder(&workspace).go().expect(0);
        assert_eq!(text(&workspace.join("n/m/f")), "new\n");
        assert!(!workspace.join("d").exists());
        say(&world, &["undo", "last"]).expect(0);
        assert_eq!(
            (text(&workspace.join("d/old")), text(&workspace.join("file"))),
            ("old".into(), "old".into())
        );
        assert!(!workspace.join("n").exists() && !workspace.join("link").exists());
    }
}

/// A store with a quarter of a mebibyte: what does not fit is told, and the workspace is as it was.
#[test]
fn a_full_store_is_told_and_nothing_is_lost() {
    let Some(world) = World::new(Caller::Root) else { return };
    let small = world.path("small");
    world.make_folder(&small);
    let mount =
        Command::new("mount").args(["-t", "tmpfs", "-o", "size=256k,mode=700", "none"]).arg(&small).status();
    if !mount.is_ok_and(|status| status.success()) {
        actum_testkit::skip("this machine does not let root mount a file system");
        return;
    }
    let file = world.workspace().join("file");
    world.make_file(&file, "old");
    let run = |program: &str| world.run(&["sh", "-c", program]).variable("ACTUM_STORE", &small).go();
    let full = run("head -c 1000000 /dev/zero > file; echo more > other");
    let small_one = run("echo new > file");
    let unmounted = Command::new("umount").arg(&small).status().unwrap();
    assert!(unmounted.success());
    let full = full.expect(125);
    assert!(full.err().contains("No space left on device") && full.err().contains("ACTUM_STORE"), "{full}");
    assert!(!world.workspace().join("other").exists(), "{full}");
    small_one.expect(0);
    assert_eq!(text(&file), "new\n", "there is room again for what fits");
}
