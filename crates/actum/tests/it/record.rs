//! What a record says, compared with what was really there: streams, files, variables, the repository.

use crate::run::Done;
use crate::world::{Caller, Walls, World};
use actum_model::{Digest, Entry};
use actum_store::{Reader, Store};
use serde_json::Value;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The ledger of this place.
fn reader(world: &World) -> Reader {
    Reader::open(&Store::at(&world.path("home/.local/share/actum"))).unwrap()
}

pub(crate) fn record(world: &World, done: &Done) -> Value {
    let run = done.told("/run").as_str().unwrap().parse().unwrap();
    let sealed = reader(world).sealed(run).unwrap().unwrap();
    serde_json::to_value(&sealed.record).unwrap()
}

fn sha256(bytes: &[u8]) -> String {
    Digest::of(bytes).to_string()
}

#[test]
fn a_record_names_everything_by_its_digest() {
    for world in World::each() {
        let program = world.workspace().join("train.sh");
        // Printed by a program: what an `echo` shows is no metric.
        let text = r#"python3 -c 'import sys; print("accuracy: 0.9312"); print("oops", file=sys.stderr); open("metrics.json", "w").write("{\"f1\": 0.80}\n")'; rm old"#;
        world.make_file(&program, text);
        world.make_file(&world.workspace().join("old"), "old");
        let data = world.path("data.csv");
        world.make_file(&data, "1,2\n");
        let input = data.to_str().unwrap().to_owned();
        let done = world
            .source("train.sh", &["--fast"])
            .flags(&[
                "--label",
                "nightly",
                "--label",
                "a b",
                "--input",
                &input,
                "--env",
                "TOKEN=secret-value",
            ])
            .go()
            .expect(0);
        let record = record(&world, &done);
        let at = |pointer: &str| record.pointer(pointer).unwrap_or_else(|| panic!("{pointer}: {record:#}"));
        assert_eq!(at("/run"), done.told("/run"));
        assert_eq!(at("/labels"), &serde_json::json!(["a b", "nightly"]));
        assert_eq!(at("/arguments"), &serde_json::json!(["--fast"]));
        assert_eq!((at("/outcome"), at("/exit_code")), (&"success".into(), &0.into()));
        assert_eq!(at("/attempts").as_array().unwrap().len(), 1);
        assert_eq!(at("/stdout/sha256"), &Value::from(sha256(b"accuracy: 0.9312\n")));
        assert_eq!(at("/stderr/sha256"), &Value::from(sha256(b"oops\n")));
        for pointer in ["/stdout/sha256", "/timeline/sha256", "/report/sha256"] {
            let digest: Digest = at(pointer).as_str().unwrap().parse().unwrap();
            let mut kept = Vec::new();
            reader(&world).blob(&digest).unwrap().read_to_end(&mut kept).unwrap();
            assert_eq!(digest.to_string(), sha256(&kept), "{pointer}");
        }
        assert_eq!(
            (at("/inputs/0/path"), at("/inputs/0/sha256")),
            (&"train.sh".into(), &sha256(text.as_bytes()).into())
        );
        assert_eq!((at("/inputs/1/path"), at("/inputs/1/sha256")), (&input.into(), &sha256(b"1,2\n").into()));
        let outputs: Vec<_> =
            at("/outputs").as_array().unwrap().iter().map(|one| (&one["path"], &one["kind"])).collect();
        assert_eq!(
            outputs,
            [(&"metrics.json".into(), &"created".into()), (&"old".into(), &"deleted".into())]
        );
        assert_eq!(at("/outputs/0/sha256"), &Value::from(sha256(b"{\"f1\": 0.80}\n")));
        assert_eq!(
            (at("/metrics/0/literal"), at("/metrics/0/source/file/path")),
            (&"0.80".into(), &"metrics.json".into())
        );
        assert_eq!((at("/metrics/1/name"), at("/metrics/1/line")), (&"accuracy".into(), &1.into()));
        assert!(at("/variables/names").as_array().unwrap().contains(&"TOKEN".into()));
        assert!(!record.to_string().contains("secret-value"));
        assert_eq!(at("/actum/sha256"), &Value::from(sha256(&std::fs::read(world.actum()).unwrap())));
        assert!(at("/ended/monotonic").as_f64() >= at("/started/monotonic").as_f64());
        assert!(record.pointer("/usage/curve").is_none(), "the curve is the report's");
        assert!(record.get("git").is_none(), "there is no repository here");
        let anchors = done.told("/evidence_anchors").to_string();
        for piece in ["#metric/f1", "#metric/accuracy", "#file/metrics.json"] {
            assert!(anchors.contains(piece), "{piece}: {anchors}");
        }
    }
}

#[test]
fn every_program_and_every_call_is_announced_before_the_end() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let blocks = "```bash\necho one\n```\n\n```python\nprint(2)\n```\n\n```bash\nfalse\n```\n\n```bash\necho four\n```\n";
    world.make_file(&world.workspace().join("answer.md"), blocks);
    let several = world.source("answer.md", &[]).flags(&["--label", "x"]).go().expect(1);
    let call = world.code("bash", "echo five").flags(&["--session", "s"]).go().expect(0);
    for (done, expected) in
        [(several, vec![(1, "bash"), (2, "python"), (3, "bash")]), (call, vec![(1, "bash")])]
    {
        let run = done.told("/run").as_str().unwrap().parse().unwrap();
        let mut entries = reader(&world).entries(run).unwrap();
        entries.sort_by_key(|(place, _)| *place);
        let (_, last) = entries.pop().unwrap();
        assert!(matches!(last, Entry::Ended(_)), "{last:?}");
        let told: Vec<(u32, String)> = entries
            .into_iter()
            .map(|(_, entry)| match entry {
                Entry::Started(started) => (started.attempt, started.language),
                other @ (Entry::Made(_)
                | Entry::Ended(_)
                | Entry::Lost(_)
                | Entry::Pruned(_)
                | Entry::KeyChanged(_)
                | Entry::Fact(_)) => panic!("{other:?}"),
            })
            .collect();
        let expected: Vec<(u32, String)> =
            expected.into_iter().map(|(at, name)| (at, name.to_owned())).collect();
        assert_eq!(told, expected, "{done}");
    }
    world.actum_with(&["session", "stop", "s"]).go().expect(0);
}

/// Runs `git` in a repository as its owner.
pub(crate) fn git(world: &World, folder: &Path, words: &[&str]) -> Option<Vec<u8>> {
    use std::os::unix::process::CommandExt;
    let mut command = Command::new("git");
    command.args(["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]);
    command.args(["-c", "protocol.file.allow=always"]).args(words).current_dir(folder);
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", world.path("home"));
    if rustix::process::geteuid().is_root() {
        command.uid(world.identity.user).gid(world.identity.group);
    }
    let Ok(output) = command.output() else {
        actum_testkit::skip("there is no git here");
        return None;
    };
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    Some(output.stdout)
}

/// A repository with one commit, in the workspace or around it.
pub(crate) fn repository(world: &World) -> Option<PathBuf> {
    let folder = world.workspace();
    world.make_file(&folder.join("code/a.txt"), "one\n");
    git(world, &folder, &["init", "-q"])?;
    git(world, &folder, &["add", "-A"])?;
    git(world, &folder, &["commit", "-qm", "first"])?;
    Some(folder)
}

const DIFF: &[&str] =
    &["diff", "--no-ext-diff", "--no-textconv", "--no-color", "--binary", "--full-index", "HEAD"];

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap().trim().to_owned()
}

#[test]
fn the_repository_is_told_as_it_was_when_the_run_began() {
    for world in World::each() {
        let Some(folder) = repository(&world) else { return };
        let commit = text(git(&world, &folder, &["rev-parse", "HEAD"]).unwrap());
        // The program writes what git would see, and takes long enough for git to look.
        let slow = |flags: &[&str]| {
            // One that must not change anything, and does, is not as expected.
            let code = if flags.contains(&"--read-only") { 121 } else { 0 };
            let done =
                world.run(&["sh", "-c", "echo two >> code/a.txt; sleep 1"]).flags(flags).go().expect(code);
            record(&world, &done)["git"].clone()
        };
        let clean =
            serde_json::json!({ "commit": commit, "branch": "main", "dirty": false, "diff": sha256(b"") });
        assert_eq!(slow(&["--read-only"]), clean);
        assert_eq!(slow(&["--in-place"]), clean, "in place it is looked at before");
        let diff = git(&world, &folder, DIFF).unwrap();
        assert!(!diff.is_empty());
        let dirty =
            serde_json::json!({ "commit": commit, "branch": "main", "dirty": true, "diff": sha256(&diff) });
        assert_eq!(slow(&["--read-only"]), dirty);
        let below = world.path("work/code");
        let done = world.run(&["sleep", "1"]).flags(&["--workspace", below.to_str().unwrap()]).go().expect(0);
        assert_eq!(record(&world, &done)["git"], dirty, "a workspace inside a repository");
        git(&world, &folder, &["checkout", "-q", "."]).unwrap();
        world.make_file(&folder.join("new.py"), "");
        let untracked = slow(&["--read-only"]);
        assert_eq!(
            (&untracked["dirty"], &untracked["diff"]),
            (&true.into(), &sha256(b"").into()),
            "not known to git"
        );
    }
}

#[test]
fn a_second_folder_of_a_repository_is_told() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let Some(folder) = repository(&world) else { return };
    let second = world.path("home/second");
    git(&world, &folder, &["worktree", "add", "-q", "-b", "side", second.to_str().unwrap()]).unwrap();
    let done = world.run(&["sleep", "1"]).flags(&["--workspace", second.to_str().unwrap()]).go().expect(0);
    let told = record(&world, &done)["git"].clone();
    assert_eq!((&told["branch"], &told["dirty"]), (&"side".into(), &false.into()), "{told}");
}

/// What a repository's own configuration has `git` start finds the walls around it.
#[test]
fn a_hostile_repository_reaches_nothing() {
    for world in World::each() {
        for (walls, flags) in [(Walls::N, "--read-only"), (Walls::N, "--in-place"), (Walls::L, "--in-place")]
        {
            let Some(folder) = repository(&world) else { return };
            let canary = world.path("home/canary");
            world.make_program(
                &world.workspace().join("evil"),
                &format!(
                    "#!/bin/sh\necho ran > {0}\necho ran > {1}\ncat\n",
                    canary.display(),
                    world.workspace().join("trace").display()
                ),
            );
            let evil = world.workspace().join("evil");
            let evil = evil.to_str().unwrap();
            world.make_file(&folder.join(".gitattributes"), "* filter=evil diff=evil\n");
            for (name, value) in [
                ("core.fsmonitor", evil),
                ("core.pager", evil),
                ("core.hooksPath", world.workspace().to_str().unwrap()),
                ("diff.external", evil),
                ("diff.evil.textconv", evil),
                ("diff.evil.command", evil),
                ("filter.evil.clean", evil),
                ("filter.evil.smudge", evil),
                ("filter.evil.process", evil),
            ] {
                git(&world, &folder, &["config", name, value]).unwrap();
            }
            world.make_file(&folder.join("code/a.txt"), "changed\n");
            let done = world.run(&["sleep", "1"]).walls(walls).flags(&[flags]).go().expect(0);
            assert_eq!(record(&world, &done)["git"]["commit"].as_str().map(str::len), Some(40), "{done}");
            assert!(!canary.exists(), "{walls:?} {flags}: something ran outside");
            assert!(
                !world.workspace().join("trace").exists(),
                "{walls:?} {flags}: the workspace was written"
            );
            // The trap is a real one: outside it is sprung.
            let _ =
                Command::new("git").args(["-c", "safe.directory=*", "diff"]).current_dir(&folder).output();
            assert!(canary.exists(), "{walls:?} {flags}: nothing here starts anything");
            std::fs::remove_file(&canary).unwrap();
            std::fs::remove_file(world.workspace().join("trace")).unwrap();
            std::fs::remove_dir_all(folder.join(".git")).unwrap();
        }
    }
}

#[test]
fn labels_are_short_and_few() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    world.run(&["true"]).flags(&["--label", "a\nb"]).without_report().go().expect(125);
    let many: Vec<String> = (0..33).flat_map(|at| ["--label".to_owned(), at.to_string()]).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let done = world.run(&["true"]).flags(&many).without_report().go().expect(125);
    assert!(done.err().contains("at most 32 labels"), "{done}");
}
