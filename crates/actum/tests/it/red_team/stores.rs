//! Stores, journals, placing and removal.

use crate::run::{Done, Run, within};
use crate::world::{Caller, Walls, World};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(20);

/// A project below the workspace with a store of its own and one run in it.
fn nested(world: &World) -> PathBuf {
    let project = world.workspace().join("below/project");
    world.make_folder(&project);
    world.actum_with(&["init"]).folder(&project).go().expect(0);
    world.run(&["true"]).folder(&project).go().expect(0);
    project
}

/// Gives everything below a folder to the caller: what a test plants is what a program of the caller planted.
fn give(world: &World, path: &Path) {
    if rustix::process::geteuid().is_root() {
        let (user, group) = (Some(world.identity.user), Some(world.identity.group));
        std::os::unix::fs::lchown(path, user, group).unwrap();
        if path.is_dir() && !path.is_symlink() {
            fs::read_dir(path).unwrap().for_each(|entry| give(world, &entry.unwrap().path()));
        }
    }
}

const PLANTED: &str = "01923456-789a-7fff-bfff-ffffffffffff";

/// A journal that has `text` written to `name` in a folder of the user's.
fn journal(folder: &Path, name: &str, text: &str) -> Value {
    let created = json!({"path": name, "kind": "created", "node": "file", "size": text.len(), "mode": 0o600});
    json!({"v": 1, "heading": "forward", "towards": "applied", "workspace": folder.as_os_str().as_bytes(),
        "inode": fs::metadata(folder).unwrap().ino(), "owner": null, "changes": [created]})
}

/// Puts a journal, what it places and its marker into a store, as a program that can write there would.
fn plant(world: &World, store: &Path, journal: &Value, (name, text): (&str, &str)) {
    let run = store.join("runs").join(PLANTED);
    fs::create_dir_all(run.join("changes")).unwrap();
    fs::create_dir_all(store.join("applying")).unwrap();
    fs::write(run.join("changes").join(name), text).unwrap();
    fs::write(run.join("applying.json"), journal.to_string()).unwrap();
    symlink(&run, store.join("applying").join(PLANTED)).unwrap();
    for made in [run, store.join("applying")] {
        give(world, &made);
    }
}

/// Finding 3: a program plants the journal itself, through a grant and where it writes directly.
#[test]
fn a_journal_that_a_program_writes_into_a_store_below_is_not_carried_out() {
    for world in World::each() {
        let (project, victim) = (nested(&world), world.path("home"));
        let store = project.join(".actum");
        let program = format!(
            "import os\nstore = {:?}\nrun = store + '/runs/{PLANTED}'\ntry:\n    os.makedirs(run + '/changes')\n    \
             os.makedirs(store + '/applying')\n    open(run + '/changes/.profile', 'w').write('evil\\n')\n    \
             open(run + '/applying.json', 'w').write({:?})\n    os.symlink(run, store + '/applying/{PLANTED}')\n\
             except OSError as error: print('refused', error)\n",
            store.to_str().unwrap(),
            journal(&victim, ".profile", "evil\n").to_string(),
        );
        let elsewhere = world.path("elsewhere");
        world.make_folder(&elsewhere);
        let above = world.workspace().join("below");
        for run in [
            world.code("python", &program).folder(&elsewhere).flag("--write").flag(&above),
            world.code("python", &program).folder(&above).flag("--in-place"),
            world.code("python", &program),
        ] {
            let done = run.go();
            world.run(&["true"]).folder(&project).go().expect(0);
            assert!(!victim.join(".profile").exists(), "{done}");
        }
    }
}

/// A variation: whatever way it came there, a journal that is not authentic is told once and blocks nothing.
#[test]
fn a_journal_that_is_not_authentic_is_set_aside_and_blocks_nothing() {
    for world in World::each() {
        let (project, victim) = (nested(&world), world.path("home"));
        let store = project.join(".actum");
        plant(&world, &store, &journal(&victim, ".profile", "evil\n"), (".profile", "evil\n"));
        let done = world.run(&["true"]).folder(&project).go().expect(0);
        assert!(!victim.join(".profile").exists(), "{done}");
        assert!(done.err().contains("authentication code"), "{done}");
        let next = world.run(&["true"]).folder(&project).go().expect(0);
        assert!(!next.err().contains("applying.json"), "{next}");
        // What is placed by right is placed still.
        world.run(&["sh", "-c", "echo x > made"]).folder(&project).go().expect(0);
        assert!(project.join("made").exists());
        // A real journal of another run, and one that is no file at all.
        fs::create_dir_all(store.join("applying")).unwrap();
        let run = store.join("runs").join(PLANTED);
        symlink("/dev/zero", run.join("applying.json")).unwrap();
        symlink(&run, store.join("applying").join(PLANTED)).unwrap();
        give(&world, &store.join("applying"));
        world.run(&["true"]).folder(&project).go().expect(0);
        let last = world.run(&["true"]).folder(&project).go().expect(0);
        assert!(!last.err().contains("applying.json"), "{last}");
    }
}

/// A variation: the list of what a run keeps says what `apply` and `undo` write.
#[test]
fn a_list_of_changes_that_a_program_planted_is_neither_applied_nor_undone() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let project = nested(&world);
    world.make_folder(&project.join(".git/hooks"));
    let done = world.run(&["true"]).folder(&project).go().expect(0);
    let run = project.join(".actum/runs").join(done.told("/run").as_str().unwrap());
    let hook = ".git/hooks/pre-commit";
    let text = "#!/bin/sh\necho evil\n";
    for (became, shelf, words) in [("kept", "changes", "apply"), ("applied", "undo", "undo")] {
        let file = json!({"node": "file", "size": text.len(), "mode": 0o755});
        let mut change = json!({"path": hook, "became": became});
        let (kind, before) = if became == "kept" { ("created", &Value::Null) } else { ("deleted", &file) };
        change["kind"] = kind.into();
        if before.is_null() {
            file.as_object().unwrap().iter().for_each(|(key, value)| change[key] = value.clone());
        } else {
            change["node"] = "nothing".into();
            change["before"] = before.clone();
        }
        let list = json!({"v": 1, "workspace": project.to_str().unwrap(),
            "inode": fs::metadata(&project).unwrap().ino(), "changes": [change]});
        let kept = run.join(shelf).join(hook);
        fs::create_dir_all(kept.parent().unwrap()).unwrap();
        fs::write(&kept, text).unwrap();
        fs::write(run.join("changes.json"), list.to_string()).unwrap();
        give(&world, &run);
        let done = world.actum_with(&[words, "last", "--force"]).folder(&project).go();
        let named = world.actum_with(&[words, "last"]).folder(&project).go();
        assert!(!project.join(hook).exists(), "{done}{named}");
        assert!(done.code() == 125 && done.err().contains("authentication code"), "{done}");
    }
    world.actum_with(&["discard", "last"]).folder(&project).go().expect(0);
    assert!(!run.join("changes.json").exists() && !run.join("undo").exists());
}

/// A variation: a request that waits, with another question than the one that was asked.
#[test]
fn a_request_that_was_altered_while_it_waited_is_not_run() {
    for world in World::each() {
        let project = nested(&world);
        let ask = || {
            let run = world.run(&["sh", "-c", "echo ran"]).folder(&project).flags(&["--approval", "always"]);
            let done = run.go().expect(120);
            project.join(".actum/pending").join(format!("{}.json", done.told("/run").as_str().unwrap()))
        };
        let file = ask();
        let whole: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        let mut altered = whole.clone();
        let body = if altered.get("sealed").is_some() { &mut altered["sealed"] } else { &mut altered };
        body["question"] = json!(["lists the folder"]);
        fs::write(&file, altered.to_string()).unwrap();
        let listed = world.actum_with(&["approve"]).folder(&project).go().expect(0);
        assert!(!listed.out().contains("lists the folder"), "{listed}");
        assert!(listed.err().contains("set aside"), "{listed}");
        let done = world.actum_with(&["approve", "last"]).folder(&project).go().expect(125);
        assert_eq!(done.out(), "", "{done}");
        // One that nobody asked for, made of one that somebody did.
        let file = ask();
        let other = file.with_file_name(format!("{PLANTED}.json"));
        let body = fs::read_to_string(&file).unwrap();
        fs::write(&other, body.replace("echo ran", "echo evil")).unwrap();
        give(&world, &other);
        let listed = world.actum_with(&["approve"]).folder(&project).go().expect(0);
        assert!(!listed.out().contains("evil") && listed.out().contains("echo ran"), "{listed}");
        assert_eq!(world.actum_with(&["approve", "last"]).folder(&project).go().expect(0).out(), "ran\n");
    }
}

/// The ledger of a project below is not shown: to an ordinary run above it, through a grant, to a run that sees the machine.
#[test]
fn stores_of_other_projects_are_hidden() {
    for world in World::each() {
        let project = nested(&world);
        let store = project.join(".actum");
        let look = format!(
            "import os\nfor name in ('', 'ledger.db', 'id'):\n    path = os.path.join({:?}, name)\n    \
             try: print(len(os.listdir(path)) if os.path.isdir(path) else len(open(path, 'rb').read()))\n    \
             except OSError as error: print(type(error).__name__)\n",
            store.to_str().unwrap()
        );
        let elsewhere = world.path("elsewhere");
        world.make_folder(&elsewhere);
        let at = |folder: &Path| world.code("python", &look).folder(folder);
        let (work, below) = (world.workspace(), work_below(&world));
        for run in [
            at(&work),
            at(&below).flag("--in-place"),
            at(&work).flag("--in-place"),
            at(&elsewhere).flag("--input").flag(&work),
            at(&elsewhere).flag("--write").flag(&work),
            at(&elsewhere).flag("--input").flag(&store),
            at(&elsewhere).flags(&["--policy", "open"]),
        ] {
            let done = run.go().expect(0);
            // Empty, or not there at all where all of /tmp is another one.
            let out = done.out();
            let seen = out.replace("FileNotFoundError\n", "");
            assert!(seen.is_empty() || seen == "0\n", "{done}");
        }
        world.actum_with(&["verify"]).folder(&project).go().expect(0);
    }
}

fn work_below(world: &World) -> PathBuf {
    world.workspace().join("below")
}

/// A variation: the user's own store, from a project that keeps elsewhere; and a store that was named by a variable once.
#[test]
fn the_user_s_own_store_is_hidden_from_a_project_with_another_one() {
    for world in World::each() {
        world.run(&["true"]).go().expect(0);
        let named = world.path("named");
        world.make_folder(&named);
        world.run(&["true"]).variable("ACTUM_STORE", named.join("store")).go().expect(0);
        let project = nested(&world);
        let share = world.path("home/.local/share");
        for (folder, store) in [(&share, "actum"), (&named, "store")] {
            assert!(folder.join(store).join("ledger.db").exists());
            for grant in ["--input", "--write"] {
                let list = format!("ls {}", folder.join(store).display());
                let done = world.run(&["sh", "-c", &list]).folder(&project).flag(grant).flag(folder).go();
                assert_eq!(done.out(), "", "{done}");
            }
        }
    }
}

/// What a test does while a program that writes directly in the folder above goes on.
fn meanwhile(world: &World, program: &str, act: impl FnOnce()) -> Done {
    let wait = "import os, time\nwhile not os.path.exists('go'): time.sleep(0.01)\n";
    let code = format!("{program}print('ready', flush=True)\n{wait}");
    let mut going = world.code("python", &code).flag("--in-place").start();
    going.until_said("ready");
    act();
    world.make_file(&world.workspace().join("go"), "");
    going.finish().expect(0)
}

/// Finding 13: what Actum keeps in a project below while a program writes directly above it.
#[test]
fn what_is_kept_below_while_a_program_writes_directly_above_stays() {
    for world in World::each() {
        let project = nested(&world);
        let at = |words: &[&str]| world.actum_with(words).folder(&project).go();
        let done = meanwhile(&world, "", || {
            world.run(&["sh", "-c", "echo kept > f; exit 3"]).folder(&project).go().expect(3);
            world
                .run(&["sh", "-c", "echo yes"])
                .folder(&project)
                .flags(&["--approval", "always"])
                .go()
                .expect(120);
        });
        assert_eq!(at(&["approve", "last"]).expect(0).out(), "yes\n", "{done}");
        let listed: Value = serde_json::from_str(&at(&["ls", "--json"]).expect(0).out()).unwrap();
        let kept = listed.as_array().unwrap().iter().find(|run| run["outcome"] == "failure").unwrap();
        at(&["apply", kept["run"].as_str().unwrap()]).expect(0);
        assert_eq!(fs::read_to_string(project.join("f")).unwrap(), "kept\n");
        at(&["verify"]).expect(0);
    }
}

/// A variation: the store is made meanwhile.
#[test]
fn a_store_that_is_made_below_meanwhile_stays() {
    for world in World::each() {
        let project = world.workspace().join("new");
        world.make_folder(&project);
        let done = meanwhile(&world, "", || {
            world.actum_with(&["init"]).folder(&project).go().expect(0);
            world.run(&["sh", "-c", "echo kept > f; exit 3"]).folder(&project).go().expect(3);
        });
        let applied = world.actum_with(&["apply", "last"]).folder(&project).go();
        assert_eq!(applied.code(), 0, "{applied}{done}");
        world.actum_with(&["verify"]).folder(&project).go().expect(0);
    }
}

/// A variation: the program moves the project, and its store with it. One that it makes itself goes.
#[test]
fn a_store_that_is_moved_with_its_project_stays() {
    for world in World::each() {
        let project = nested(&world);
        let before = fs::read(project.join(".actum/id")).unwrap();
        let program =
            "import os\nos.rename('below/project', 'below/moved')\nos.makedirs('other/.actum/runs')\n";
        let done = meanwhile(&world, program, || {});
        let moved = work_below(&world).join("moved/.actum");
        assert_eq!(fs::read(moved.join("id")).unwrap(), before, "{done}");
        assert!(moved.join("ledger.db").exists() && moved.join("runs").exists(), "{done}");
        assert!(!world.workspace().join("other/.actum").exists(), "{done}");
    }
}

/// Finding 4: root keeps changes for a folder of another user on a file system in memory, and something else with the same
/// inode number stands at its path when they are placed. `swap` is done by the shell between the two.
fn swapped(run: &str, swap: &str, settle: &str) -> Option<(World, Done)> {
    let world = World::new(Caller::Root)?;
    let (hers, ours) = (world.path("hers"), world.path("ours"));
    fs::create_dir(&hers).unwrap();
    fs::create_dir(&ours).unwrap();
    // Two file systems that number alike: the first folder made on each has the same number.
    let script = format!(
        "for at in {hers} {ours}; do mount -t tmpfs none $at && mkdir $at/w && echo old > $at/w/f || exit 9; done\n\
         [ $(stat -c %i {hers}/w) = $(stat -c %i {ours}/w) ] || exit 9\n\
         chown -R 65534 {hers}/w; cd {hers}/w; actum=$1\n\
         $actum run -- sh -c 'echo new > f; {run}'; cd /\n{swap}\n$actum {settle} last --force; code=$?\n\
         echo \"ours: $(cat {ours}/w/f)\"; exit $code",
        hers = hers.display(),
        ours = ours.display(),
    );
    let script = script.replace("HERS", hers.to_str().unwrap()).replace("OURS", ours.to_str().unwrap());
    let done = world
        .actum_with(&[])
        .shell(&format!("exec unshare -m sh -c '{}' sh \"$@\"", script.replace('\'', "'\\''")))
        .go();
    if done.code() == 9 || done.err().contains("unshare:") {
        actum_testkit::skip("file systems cannot be mounted here");
        return None;
    }
    Some((world, done))
}

#[test]
fn changes_are_not_placed_through_a_link_to_a_folder_with_the_same_inode() {
    let swap = "mv HERS/w HERS/away; ln -s OURS/w HERS/w";
    let Some((_world, done)) = swapped("exit 3", swap, "apply") else { return };
    assert!(done.out().ends_with("ours: old\n"), "{done}");
    assert_eq!(done.code(), 125, "{done}");
}

#[test]
fn changes_are_not_placed_in_a_folder_of_another_file_system_with_the_same_inode() {
    let swap = "mount --bind OURS/w HERS/w";
    let Some((_world, done)) = swapped("exit 3", swap, "apply") else { return };
    assert!(done.out().ends_with("ours: old\n"), "{done}");
    assert_eq!(done.code(), 125, "{done}");
}

#[test]
fn changes_are_not_undone_through_a_link_in_the_path() {
    // The folder itself is the right one: only the way to it is another.
    let swap = "mv HERS/w HERS/away; ln -s OURS/w HERS/w; echo new > OURS/w/f";
    let Some((_world, done)) = swapped("true", swap, "undo") else { return };
    assert!(done.out().ends_with("ours: new\n"), "{done}");
    assert_eq!(done.code(), 125, "{done}");
}

/// What is left where layers on disk and temporary folders are made.
fn layers(world: &World) -> Vec<PathBuf> {
    let entries = fs::read_dir(world.path("cache/actum/layers")).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

/// With few descriptors: one for each level is too many.
const FEW: &str = "ulimit -n 200; exec \"$@\"";

/// Makes a chain of folders that no path can name.
const DEEP: &str = "import os\nfor _ in range(400):\n    os.mkdir('d' * 30)\n    os.chdir('d' * 30)\n\
    open('leaf', 'w').write('x')\n";

/// Finding 12.
#[test]
fn a_deep_layer_is_removed() {
    for world in World::each() {
        let run = world.code("python", DEEP).flags(&["--read-only", "--limit", "disk=2GiB"]);
        // What it changed is discarded, and that it changed something is told.
        let done = run.shell(FEW).go().expect(121);
        assert!(within(PATIENCE, || layers(&world).is_empty()), "{:?} {done}", layers(&world));
    }
}

/// A variation: closed to their owner on the way down.
#[test]
fn a_deep_layer_of_closed_folders_is_removed() {
    let code = "import os\nfor _ in range(60):\n    above = os.open('.', os.O_RDONLY)\n    os.mkdir('d' * 200)\n    os.chdir('d' * 200)\n    \
        os.chmod(above, 0)\n    os.close(above)\nos.chmod('.', 0)\n";
    for world in World::each() {
        let run = world.code("python", code).flags(&["--read-only", "--limit", "disk=2GiB"]);
        // What it changed is discarded, and that it changed something is told.
        let done = run.shell(FEW).go().expect(121);
        assert!(within(PATIENCE, || layers(&world).is_empty()), "{:?} {done}", layers(&world));
    }
}

/// A variation: the temporary folder of a run without namespaces, and a link to a folder outside at its end.
#[test]
fn a_deep_temporary_folder_is_removed_and_links_in_it_are_not_followed() {
    for world in World::each() {
        let outside = world.workspace().join("outside");
        world.make_file(&outside.join("kept"), "kept");
        let code =
            format!("import os\nos.chdir(os.environ['TMPDIR'])\n{DEEP}os.symlink({outside:?}, 'link')\n");
        let done = world.code("python", &code).walls(Walls::L).shell(FEW).go().expect(0);
        assert!(within(PATIENCE, || layers(&world).is_empty()), "{:?} {done}", layers(&world));
        assert_eq!(fs::read_to_string(outside.join("kept")).unwrap(), "kept");
    }
}

/// One task, and the list as it was written after it ran.
fn ran(world: &World, code: &str) -> (Value, Value) {
    let answer = format!("```python\n{code}\n```\n");
    let task =
        json!({"action": "Run it", "status": "completed", "agent_responses": {"ops_commander": answer}});
    let path = world.workspace().join("results.json");
    world.make_file(&path, &json!([task]).to_string());
    world.actum_with(&["tasks", "results.json"]).without_report().go();
    let written = fs::read(world.workspace().join("results.executed.json")).unwrap();
    (task, serde_json::from_slice::<Value>(&written).unwrap()[0]["execution"].clone())
}

/// Whether a list with this task would run it again.
fn would_run(world: &World, task: &Value, execution: &Value) -> bool {
    let mut task = task.clone();
    task["execution"] = execution.clone();
    world.make_file(&world.workspace().join("forged.json"), &json!([task]).to_string());
    let words = ["tasks", "forged.json", "--resume", "--dry-run"];
    let done = world.actum_with(&words).without_report().go().expect(0);
    assert_ne!(done.err().contains("would run"), done.err().contains("was run before"), "{done}");
    done.err().contains("would run")
}

/// Finding 21: a list says that a task was done; the ledger knows nothing of it.
#[test]
fn a_task_that_only_its_list_says_was_done_is_run() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let (task, execution) = ran(&world, "print(1)");
    assert!(!would_run(&world, &task, &execution), "what was really done is not done again");
    for runs in [json!([]), json!([PLANTED]), json!([execution["runs"][0], PLANTED])] {
        let mut forged = execution.clone();
        forged["runs"] = runs;
        assert!(would_run(&world, &task, &forged), "{forged}");
    }
}

/// A variation: a run that there was, of something else.
#[test]
fn a_task_is_not_done_by_the_run_of_another_one() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let (other, of_other) = ran(&world, "print('harmless')");
    let (task, execution) = ran(&world, "print('the one that counts')");
    let mut forged = execution.clone();
    forged["runs"] = of_other["runs"].clone();
    assert!(would_run(&world, &task, &forged), "{forged}");
    let mut forged = of_other.clone();
    forged["source_sha256"] = execution["source_sha256"].clone();
    assert!(would_run(&world, &task, &forged), "{forged}");
    assert!(!would_run(&world, &other, &of_other));
}

/// A variation: the right run, told otherwise.
#[test]
fn a_task_that_failed_is_not_done_well_because_its_list_says_so() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let (task, execution) = ran(&world, "raise SystemExit(3)");
    assert!(!would_run(&world, &task, &execution), "a failure is an end too");
    let changes: [fn(&mut Value); 4] = [
        |forged| forged["outcome"] = "success".into(),
        |forged| forged["code_executed"] = true.into(),
        |forged| forged["run_id"] = "0123456789abcdef0123456789abcdef".into(),
        |forged| forged["blocks"][0]["outcome"] = "success".into(),
    ];
    for change in changes {
        let mut forged = execution.clone();
        change(&mut forged);
        assert!(would_run(&world, &task, &forged), "{forged}");
    }
}

/// A session of this world, and the process that holds it.
fn session<'a>(world: &'a World, name: &str, code: &str) -> Run<'a> {
    // With the same words each time: a call that asks for another sandbox is refused.
    world.actum_with(&["run", "--session", name, "--language", "python", "-c", code]).without_report()
}

fn holder(world: &World, name: &str) -> Option<i32> {
    let listed = world.actum_with(&["session", "ls", "--json"]).without_report().go().expect(0);
    let listed: Value = serde_json::from_str(&listed.out()).unwrap();
    let found = listed.as_array().unwrap().iter().find(|one| one["name"] == name)?.clone();
    Some(found["pid"].as_i64().unwrap() as i32)
}

fn is_gone(pid: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.is_empty() || stat.contains(") Z ")
}

/// Ends the holder whatever becomes of the test.
struct Ended<'a>(&'a World, String);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        let _ = self.0.actum_with(&["session", "stop", &self.1, "--discard"]).without_report().go();
    }
}

/// A session's holder that is asked to end does: what was settled when it was quiet is applied.
#[test]
fn a_quiet_session_ends_when_its_holder_is_asked_to() {
    for world in World::each() {
        let name = format!("quiet-{}", std::process::id());
        let _ended = Ended(&world, name.clone());
        session(&world, &name, "open('made', 'w').write('x')").go().expect(0);
        let pid = holder(&world, &name).unwrap();
        crate::leftovers::kill(pid, rustix::process::Signal::TERM);
        assert!(within(PATIENCE, || is_gone(pid)), "it goes on");
        assert_eq!(holder(&world, &name), None);
        assert_eq!(fs::read_to_string(world.workspace().join("made")).unwrap(), "x");
        // And another one of the name can begin.
        session(&world, &name, "print(open('made').read())").go().expect(0);
    }
}

/// A variation: while a call goes on. Its caller hears of it, and what is half done is not applied.
#[test]
fn a_busy_session_ends_when_its_holder_is_asked_to() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let name = format!("busy-{}", std::process::id());
    let _ended = Ended(&world, name.clone());
    session(&world, &name, "x = 1").go().expect(0);
    let code = "import time\nopen('half', 'w').write('x')\nprint('begun', flush=True)\ntime.sleep(600)";
    let mut going = session(&world, &name, code).start();
    going.until_said("begun");
    let pid = holder(&world, &name).unwrap();
    crate::leftovers::kill(pid, rustix::process::Signal::TERM);
    let done = going.finish();
    assert_ne!(done.code(), 0, "{done}");
    assert!(within(PATIENCE, || is_gone(pid)), "it goes on");
    assert!(!world.workspace().join("half").exists(), "{done}");
}

/// A variation: a session is not found in a store that a program could have written, but where no program sees it.
#[test]
fn a_session_is_not_taken_from_a_store_below() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let project = nested(&world);
    let name = format!("own-{}", std::process::id());
    let planted = project.join(".actum/sessions").join(&name);
    fs::create_dir_all(&planted).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(planted.join("socket")).unwrap();
    let alive = fs::File::create(planted.join("alive")).unwrap();
    rustix::fs::flock(&alive, rustix::fs::FlockOperation::LockExclusive).unwrap();
    give(&world, &project.join(".actum/sessions"));
    for folder in [project.join(".actum/sessions"), planted.clone()] {
        fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    }
    let run = session(&world, &name, "print(40 + 2)").folder(&project).patience(Duration::from_secs(8));
    let done = run.go().expect(0);
    assert_eq!(done.out(), "42\n", "{done}");
    world.actum_with(&["session", "stop", &name]).folder(&project).without_report().go().expect(0);
}

/// Settings of a project are not written through links that came with it.
#[test]
fn the_hooks_of_an_agent_are_not_written_through_a_link() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let (work, victim) = (world.workspace(), world.path("home/victim.json"));
    let init = || world.actum_with(&["init", "--agent", "claude"]).without_report().go();
    let links: [(&str, &Path); 3] = [
        (".claude/settings.json", &victim),
        (".claude/settings.json", &world.path("home/not-there.json")),
        (".claude", &world.path("home")),
    ];
    for (at, target) in links {
        world.make_file(&victim, "{}\n");
        let link = work.join(at);
        world.make_folder(link.parent().unwrap());
        symlink(target, &link).unwrap();
        let done = init().expect(125);
        assert!(done.err().contains("link"), "{done}");
        assert_eq!(fs::read_to_string(&victim).unwrap(), "{}\n", "{done}");
        assert!(!world.path("home/not-there.json").exists() && !world.path("home/settings.json").exists());
        fs::remove_file(&link).unwrap();
        let _ = fs::remove_dir(work.join(".claude"));
    }
    init().expect(0);
    assert!(work.join(".claude/settings.json").exists());
    // A user's own settings may lie elsewhere.
    let real = world.path("home/dotfiles/settings.json");
    world.make_file(&real, "{}\n");
    world.make_folder(&world.path("home/.claude"));
    symlink(&real, world.path("home/.claude/settings.json")).unwrap();
    world.actum_with(&["init", "--agent", "claude", "--user"]).without_report().go().expect(0);
    assert!(fs::read_to_string(&real).unwrap().contains("actum"), "it is written where it is");
    assert!(world.path("home/.claude/settings.json").is_symlink());
}

/// Whoever can write in the folder of the keys has the key: one that others can write is not used.
#[test]
fn a_key_that_others_could_have_put_there_authenticates_nothing() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    world.run(&["sh", "-c", "echo x > f; exit 3"]).go().expect(3);
    let key = world.path("home/.config/actum/keys").join(format!("seal-{}.key", world.identity.user));
    assert_eq!(fs::metadata(&key).unwrap().mode() & 0o777, 0o600);
    fs::set_permissions(&key, std::os::unix::fs::PermissionsExt::from_mode(0o660)).unwrap();
    let done = world.actum_with(&["apply", "last"]).go().expect(125);
    assert!(done.err().contains("others can read or write it"), "{done}");
    fs::set_permissions(&key, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    if rustix::process::geteuid().is_root() {
        chown(&key, Some(0), Some(0)).unwrap();
        world.actum_with(&["apply", "last"]).go().expect(125);
        chown(&key, Some(world.identity.user), Some(world.identity.group)).unwrap();
    }
    world.actum_with(&["apply", "last"]).go().expect(0);
}
