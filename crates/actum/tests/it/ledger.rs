//! The ledger as a user meets it: what is proven about a run, to oneself and to a stranger, and what is refused.

use crate::run::{Done, within};
use crate::world::{Caller, Walls, World};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

fn say(world: &World, words: &[&str]) -> Done {
    world.actum_with(words).go()
}

fn json(done: &Done) -> Value {
    serde_json::from_slice(&done.stdout)
        .unwrap_or_else(|error| panic!("{error}: {} {}", done.out(), done.err()))
}

fn store(world: &World) -> PathBuf {
    world.path("home/.local/share/actum")
}

fn copy(from: &Path, to: &Path) {
    let done = std::process::Command::new("cp").arg("-a").arg(from).arg(to).status().unwrap();
    assert!(done.success());
}

fn level(done: &Done) -> &str {
    done.told("/evidence/level").as_str().unwrap()
}

#[test]
fn every_run_is_signed_by_a_key_that_it_cannot_reach() {
    for world in World::each() {
        for walls in Walls::ALL {
            let look = "for path in \"$HOME\"/.config/actum /proc/*/environ; do cat \"$path\"/keys/signing.pem; done 2>/dev/null; true";
            let done = world.run(&["sh", "-c", look]).walls(walls).go().expect(0);
            assert_eq!(done.out(), "", "{walls:?}");
            assert_eq!(level(&done), "E2", "{walls:?}");
        }
        let done = world.run(&["true"]).flags(&["--policy", "open", "--tier", "none"]).go().expect(0);
        assert_eq!(level(&done), "E1", "nothing kept it from the key");
        let verified = say(&world, &["verify", "--json"]).expect(0);
        let verdict = json(&verified);
        assert_eq!(
            (&verdict["status"], &verdict["level"]),
            (&"verified".into(), &"E2".into()),
            "{verdict:#}"
        );
        assert_eq!(verdict["signers"][0], *done.told("/evidence/signer"));
        let key = world.path("home/.config/actum/keys/signing.pem");
        assert_eq!(key.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn a_bundle_convinces_a_stranger_who_has_the_key() {
    for world in World::each() {
        world.code("python", "print('accuracy: 0.93'); open('out.txt', 'w').write('result')").go().expect(0);
        let bundle = world.workspace().join("run.actum.tar");
        let name = bundle.to_str().unwrap();
        say(&world, &["bundle", "last", "--output", name]).expect(0);
        say(&world, &["bundle", "last", "--output", name]).expect(125);
        say(&world, &["bundle", "last", "--output", name, "--force"]).expect(0);
        let key = say(&world, &["key", "show", "--form", "ssh"]).expect(0).out();
        let stranger = |words: &[&str]| {
            let keys = world.path("home/stranger");
            world.actum_with(words).variable("ACTUM_KEYS", keys).variable("ACTUM_STORE", "/nowhere").go()
        };
        let unknown = stranger(&["verify", name, "--json"]).expect(5);
        assert_eq!(json(&unknown)["status"], "intact, signer unknown");
        assert_eq!(json(&unknown)["level"], "E1");
        let known = stranger(&["verify", name, "--json", "--key", key.trim()]).expect(0);
        assert_eq!((&json(&known)["status"], &json(&known)["level"]), (&"verified".into(), &"E2".into()));
        stranger(&["key", "trust", "them", key.trim()]).expect(0);
        assert!(stranger(&["verify", name]).expect(0).out().contains("(them)"));
        // One bit anywhere.
        let bytes = std::fs::read(&bundle).unwrap();
        for at in (0..bytes.len()).step_by(bytes.len() / 40) {
            let mut bent = bytes.clone();
            bent[at] ^= 1 << (at % 8);
            world.make_file(&bundle, "");
            std::fs::write(&bundle, &bent).unwrap();
            stranger(&["verify", name, "--key", key.trim()]).expect(6);
        }
    }
}

#[test]
fn what_is_no_bundle_is_refused_with_one_message() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let path = world.workspace().join("x.actum.tar");
    let tar = |words: &str| {
        let script = format!("cd {} && rm -rf t && mkdir t && cd t && {words}", world.workspace().display());
        let done = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    };
    let makes: &[&str] = &[
        ": > ../x.actum.tar",
        "head -c 1M /dev/zero > ../x.actum.tar",
        "head -c 1M /dev/urandom > ../x.actum.tar",
        "head -c 200M /dev/zero | gzip > ../x.actum.tar",
        "echo hello > record.json; tar cPf ../x.actum.tar --transform 's,^,/tmp/actum-evil/,' record.json",
        "echo hello > record.json; tar cPf ../x.actum.tar --transform 's,^,../../,' record.json",
        "ln -s /etc/passwd record.json; tar cf ../x.actum.tar record.json",
        "touch $(seq 20000); tar cf ../x.actum.tar .",
        "truncate -s 20G record.json; tar cSf ../x.actum.tar record.json",
    ];
    for make in makes {
        tar(make);
        let done = say(&world, &["verify", path.to_str().unwrap(), "--json"]).expect(6);
        let verdict = json(&done);
        assert_eq!(
            (&verdict["status"], &verdict["level"]),
            (&"invalid record".into(), &"E0".into()),
            "{make}"
        );
        assert_eq!(verdict["problems"].as_array().unwrap().len(), 1, "{make}");
    }
    assert!(!Path::new("/tmp/actum-evil").exists());
}

#[test]
fn a_start_without_an_end_is_lost_and_says_so() {
    for world in World::each() {
        let mut going = world.run(&["sh", "-c", "echo begun; sleep 60"]).without_report().start();
        going.until_said("begun");
        let running = json(&say(&world, &["ls", "--json"]).expect(0));
        assert_eq!(running.as_array().unwrap().len(), 1, "{running:#}");
        going.child.kill().unwrap();
        going.finish();
        assert!(within(Duration::from_secs(10), || {
            world.run(&["true"]).go().expect(0);
            say(&world, &["ls", "--json"]).expect(0).out().contains("\"lost\"")
        }));
        say(&world, &["verify"]).expect(0);
    }
}

#[test]
fn a_ledger_that_was_rolled_back_is_noticed_and_not_signed_again() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    world.run(&["true"]).go().expect(0);
    let older = world.path("older");
    copy(&store(&world), &older);
    world.run(&["false"]).go().expect(1);
    let checkpoint = world.path("work/checkpoint");
    world.make_file(&checkpoint, &say(&world, &["checkpoint"]).expect(0).out());
    let outside =
        say(&world, &["verify", "last", "--json", "--checkpoint", checkpoint.to_str().unwrap()]).expect(0);
    assert_eq!(json(&outside)["level"], "E3");
    std::fs::remove_dir_all(store(&world)).unwrap();
    copy(&older, &store(&world));
    let verdict = json(&say(&world, &["verify", "--json"]).expect(6));
    assert!(verdict["problems"][0].as_str().unwrap().contains("rolled back"), "{verdict:#}");
    let done = world.run(&["true"]).go().expect(0);
    assert_eq!(level(&done), "E1");
    assert!(done.err().contains("rolled back"), "{}", done.err());
    // Who has neither the keys' memory nor a checkpoint cannot tell.
    let elsewhere = world.path("home/elsewhere");
    let blind = |words: &[&str]| world.actum_with(words).variable("ACTUM_KEYS", &elsewhere).go();
    blind(&["verify"]).expect(5);
    let key = world.path("home/.config/actum/keys/signing.pub");
    blind(&["verify", "--key", key.to_str().unwrap(), "--checkpoint", checkpoint.to_str().unwrap()])
        .expect(6);
    // On purpose.
    say(&world, &["key", "forget"]).expect(0);
    assert_eq!(level(&world.run(&["true"]).go().expect(0)), "E2");
}

#[test]
fn keys_are_rotated_and_what_the_old_one_signed_still_verifies() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let first = world.run(&["true"]).go().expect(0);
    let run = first.told("/run").as_str().unwrap().to_owned();
    say(&world, &["key", "rotate"]).expect(0);
    let second = world.run(&["true"]).go().expect(0);
    assert_ne!(first.told("/evidence/signer"), second.told("/evidence/signer"));
    for words in [vec!["verify"], vec!["verify", &run], vec!["verify", "last"]] {
        say(&world, &words).expect(0);
    }
    let bundle = world.workspace().join("old.actum.tar");
    say(&world, &["bundle", &run, "--output", bundle.to_str().unwrap()]).expect(0);
    say(&world, &["verify", bundle.to_str().unwrap()]).expect(0);
}

#[test]
fn a_project_keeps_its_runs_and_one_that_came_with_it_is_refused() {
    for world in World::each() {
        let project = world.workspace().join("project");
        world.make_folder(&project.join("deep"));
        let at = |words: &[&str]| world.actum_with(words).folder(&project.join("deep")).go();
        at(&["init", ".."]).expect(0);
        let look = "ls -A .actum 2>/dev/null | wc -l; echo x > .actum/evil 2>/dev/null; echo y > deep/file";
        let done = world.run(&["sh", "-c", look]).folder(&project).go().expect(0);
        assert!(done.out().ends_with("0\n"), "nothing of it is seen: {}", done.out());
        assert!(project.join("deep/file").exists() && !project.join(".actum/evil").exists());
        assert!(project.join(".actum/ledger.db").exists() && !store(&world).exists());
        assert_eq!(json(&at(&["ls", "--json"]).expect(0)).as_array().unwrap().len(), 1);
        at(&["verify"]).expect(0);
        // Cloned by somebody else.
        let keys = world.path("home/other-keys");
        let other = |words: &[&str]| {
            world.actum_with(words).folder(&project.join("deep")).variable("ACTUM_KEYS", &keys).go()
        };
        assert!(other(&["ls"]).expect(125).err().contains("not created by you"));
        other(&["init", ".."]).expect(0);
        other(&["ls"]).expect(0);
    }
}

#[test]
fn bodies_of_old_runs_go_and_the_log_stays_whole() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    for _ in 0..3 {
        world.code("python", "print('x' * 100000); open('a', 'a').write('y')").go().expect(0);
    }
    world.run(&["sh", "-c", "echo kept > k; exit 3"]).go().expect(3);
    say(&world, &["gc"]).expect(0).out().contains("0 runs");
    let dry = json(&say(&world, &["gc", "--older-than", "0s", "--keep", "2", "--json"]).expect(0));
    assert_eq!((dry["state"].as_str(), dry["runs"].as_array().unwrap().len()), (Some("would-remove"), 2));
    assert_eq!(json(&say(&world, &["ls", "--json"]).expect(0)).as_array().unwrap().len(), 4, "a dry run");
    let removed = json(&say(&world, &["gc", "--older-than", "0s", "--yes", "--json"]).expect(0));
    assert_eq!(removed["runs"].as_array().unwrap().len(), 3, "one has changes that wait");
    assert_eq!(json(&say(&world, &["ls", "--json"]).expect(0)).as_array().unwrap().len(), 1);
    assert!(say(&world, &["verify"]).expect(0).out().contains("`actum gc` deleted them"));
    say(&world, &["apply", "last"]).expect(0);
    let copy = world.path("home/copy");
    say(&world, &["backup", copy.to_str().unwrap()]).expect(0);
    // The store goes on; a copy of it is older and not wrong.
    world.run(&["true"]).go().expect(0);
    assert!(say(&world, &["verify", copy.to_str().unwrap()]).expect(0).out().contains("an older state"));
    world.actum_with(&["ls"]).variable("ACTUM_STORE", &copy).go().expect(0);
}

#[test]
fn a_store_that_cannot_be_used_is_refused_with_one_message() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    world.run(&["true"]).go().expect(0);
    let ledger = store(&world).join("ledger.db");
    // All in one file: what is written lies beside it at first.
    let copied = world.path("home/copied");
    say(&world, &["backup", copied.to_str().unwrap()]).expect(0);
    let whole = std::fs::read(copied.join("ledger.db")).unwrap();
    let garbage: &[(&str, Vec<u8>)] = &[
        ("garbage", vec![7; 9000]),
        ("text", b"just a text of some length, and no database".to_vec()),
        ("cut", whole[..whole.len() / 2].to_vec()),
    ];
    for name in ["ledger.db-wal", "ledger.db-shm"] {
        let _ = std::fs::remove_file(store(&world).join(name));
    }
    for (what, bytes) in garbage {
        world.make_file(&ledger, "");
        std::fs::write(&ledger, bytes).unwrap();
        let done = world.run(&["touch", "never"]).go().expect(125);
        assert!(!world.workspace().join("never").exists(), "{what}: nothing ran");
        assert!((1..=3).contains(&done.err().lines().count()), "{what}: {}", done.err());
        assert_eq!(&std::fs::read(&ledger).unwrap(), bytes, "{what}: not touched");
    }
    // Another user's.
    if rustix::process::geteuid().is_root() {
        let foreign = world.path("foreign");
        std::fs::create_dir(&foreign).unwrap();
        std::fs::set_permissions(&foreign, PermissionsExt::from_mode(0o777)).unwrap();
        let done = world.run(&["true"]).variable("ACTUM_STORE", &foreign).go().expect(125);
        assert!(done.err().contains("belongs to user 0"), "{}", done.err());
    }
}

#[test]
fn a_run_of_several_programs_is_one_run_in_every_view() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    world.make_file(&world.workspace().join("two.md"), "```bash\necho a\n```\n\n```bash\necho b\n```\n");
    let done = world.source("two.md", &[]).go().expect(0);
    say(&world, &["verify", "last"]).expect(0);
    say(&world, &["verify"]).expect(0);
    let listed = json(&say(&world, &["ls", "--json"]).expect(0));
    assert_eq!(listed[0]["command"], *done.told("/execution/command"));
    world.run(&["no-such-command-at-all"]).go().expect(127);
    say(&world, &["verify"]).expect(0);
    // A part of the short name that people see is enough.
    let short = &done.told("/run").as_str().unwrap()[24..30];
    say(&world, &["show", short]).expect(0);
}

#[test]
fn a_program_that_writes_directly_leaves_the_ledger_of_its_project_alone() {
    for world in World::each() {
        let project = world.workspace().join("project");
        world.make_folder(&project);
        let at = |words: &[&str]| world.actum_with(words).folder(&project).go();
        at(&["init"]).expect(0);
        world.run(&["echo", "first"]).folder(&project).go().expect(0);
        let direct = "echo x > file; rm -rf .actum/*; echo evil > .actum/evil; mv .actum gone; true";
        let done = world
            .run(&["sh", "-c", direct])
            .flags(&["--in-place", "--approval", "never"])
            .folder(&project)
            .go()
            .expect(0);
        assert_eq!(level(&done), "E2");
        assert!(project.join("file").exists() && !project.join(".actum/evil").exists());
        let changed: Vec<&str> = done
            .told("/changes/files")
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["path"].as_str().unwrap())
            .collect();
        assert_eq!(changed, ["file"]);
        assert_eq!(json(&at(&["ls", "--json"]).expect(0)).as_array().unwrap().len(), 2);
        at(&["verify"]).expect(0);
        // From above: another project's ledger is not rolled back either.
        world.run(&["true"]).flag("--in-place").go().expect(0);
        at(&["verify"]).expect(0);
    }
}

#[test]
fn a_folder_that_holds_the_keys_is_not_written_directly() {
    for world in World::each() {
        world.run(&["true"]).go().expect(0);
        let home = world.path("home");
        let steal = format!("mv {0}/.config {0}/c2", home.display());
        let done = world.run(&["sh", "-c", &steal]).flags(&["--write", home.to_str().unwrap()]).go();
        assert_eq!(done.code(), 125, "{}", done.err());
        assert!(done.err().contains("could then move"), "{}", done.err());
        assert!(home.join(".config/actum/keys/signing.pem").exists());
        world.run(&["true"]).flag("--in-place").folder(&home).go().expect(125);
    }
}

#[test]
fn a_store_that_a_clone_brought_is_not_believed_by_a_link() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let (own, clone) = (world.workspace().join("own"), world.workspace().join("clone"));
    world.make_folder(&own);
    world.make_folder(&clone.join(".actum"));
    world.actum_with(&["init"]).folder(&own).go().expect(0);
    world.run(&["true"]).folder(&own).go().expect(0);
    std::os::unix::fs::symlink("../../own/.actum/id", clone.join(".actum/id")).unwrap();
    world.actum_with(&["ls"]).folder(&clone).go().expect(125);
    std::fs::remove_file(clone.join(".actum/id")).unwrap();
    std::fs::copy(own.join(".actum/id"), clone.join(".actum/id")).unwrap();
    world.actum_with(&["ls"]).folder(&clone).go().expect(125);
    std::fs::remove_dir_all(clone.join(".actum")).unwrap();
    std::os::unix::fs::symlink("../own/.actum", clone.join(".actum")).unwrap();
    world.actum_with(&["ls"]).folder(&clone).go().expect(125);
}

#[test]
fn only_what_the_run_wrote_is_applied_later() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let done = world.run(&["sh", "-c", "echo good > f; exit 3"]).go().expect(3);
    let place = store(&world).join("runs").join(done.told("/run").as_str().unwrap());
    let kept = place.join("changes/f");
    let good = std::fs::read(&kept).unwrap();
    world.make_file(&kept, "EVIL-LONGER\n");
    assert!(say(&world, &["apply", "last"]).expect(125).err().contains("not what the run wrote"));
    std::fs::write(&kept, &good).unwrap();
    let list = std::fs::read_to_string(place.join("changes.json")).unwrap();
    let elsewhere = list.replace(world.workspace().to_str().unwrap(), world.path("home").to_str().unwrap());
    assert_ne!(list, elsewhere);
    std::fs::write(place.join("changes.json"), elsewhere).unwrap();
    assert!(say(&world, &["apply", "last"]).expect(125).err().contains("they differ from its sealed record"));
    std::fs::write(place.join("changes.json"), list).unwrap();
    say(&world, &["apply", "last"]).expect(0);
    assert_eq!(std::fs::read(world.workspace().join("f")).unwrap(), good);
}

#[test]
fn a_key_of_an_agent_is_out_of_reach_only_while_its_socket_is() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let folder = world.path("home/agent");
    world.make_folder(&folder);
    let (key, socket) = (folder.join("key"), folder.join("socket"));
    let script = format!(
        "ssh-keygen -q -t ed25519 -N '' -f {0} && eval $(ssh-agent -a {1}) >&2 && SSH_AUTH_SOCK={1} ssh-add -q {0} && echo $SSH_AGENT_PID",
        key.display(),
        socket.display()
    );
    let mut command = std::process::Command::new("sh");
    command.args(["-c", &script]).env("HOME", world.path("home"));
    if rustix::process::geteuid().is_root() {
        use std::os::unix::process::CommandExt;
        command.uid(world.identity.user).gid(world.identity.group);
    }
    let started = command.output().unwrap();
    let agent = String::from_utf8_lossy(&started.stdout).trim().to_owned();
    if agent.is_empty() {
        return actum_testkit::skip("no ssh-agent could be started");
    }
    let with_agent = |run: crate::run::Run<'_>| run.variable("SSH_AUTH_SOCK", &socket).go();
    with_agent(world.actum_with(&["key", "use", "agent"])).expect(0);
    let far = with_agent(world.run(&["true"])).expect(0);
    let near = with_agent(world.run(&["true"]).flags(&["--input", folder.to_str().unwrap()])).expect(0);
    let without_walls = with_agent(world.run(&["true"]).walls(Walls::L)).expect(0);
    let _ = std::process::Command::new("kill").arg(&agent).status();
    assert_eq!((level(&far), level(&near), level(&without_walls)), ("E2", "E1", "E1"));
}
