//! Hooks of coding agents fail closed where a sandbox was asked for.

use crate::run::Done;
use crate::world::{Caller, World};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A user whose configuration asks for a sandbox around every command of an agent.
pub(super) fn world() -> Option<World> {
    let world = World::new(Caller::Ordinary)?;
    world.make_file(&config(&world), "[hook]\nwalls = \"default\"\n");
    Some(world)
}

pub(super) fn config(world: &World) -> PathBuf {
    world.path("home/.config/actum/config.toml")
}

/// A file outside of the workspace, which no command in a sandbox can write.
pub(super) fn escaped(world: &World) -> PathBuf {
    world.path("home/escaped")
}

/// Plays an agent: it calls the hook, and then runs what the hook says, or its own line where the hook says nothing.
pub(super) fn agent_runs(world: &World, agent: &str, event: &Value, line: &str) -> (Done, Option<Done>) {
    let hook = world.actum_with(&["hook", "pre-tool-use", "--agent", agent]);
    let hook = hook.stdin(event.to_string().as_bytes()).go();
    let answer: Option<Value> = serde_json::from_slice(&hook.stdout).ok();
    let told = answer.as_ref().map(|answer| &answer["hookSpecificOutput"]);
    let command = told.and_then(|told| {
        let input = if agent == "gemini" { &told["tool_input"] } else { &told["updatedInput"] };
        input["command"].as_str()
    });
    if hook.code() == 2 {
        return (hook, None);
    }
    let ran = world.actum_with(&[]).shell(command.unwrap_or(line)).go();
    (hook, Some(ran))
}

pub(super) fn event(world: &World, line: &str) -> Value {
    json!({ "cwd": world.workspace(), "tool_name": "Bash", "tool_input": { "command": line } })
}

/// The command did not run, and the agent was given a reason.
#[track_caller]
pub(super) fn assert_refused(world: &World, (hook, ran): &(Done, Option<Done>), reason: &str) {
    assert!(!escaped(world).exists(), "the command ran outside the sandbox: {hook}");
    match ran {
        None => assert!(hook.err().contains("was not run") && hook.err().contains(reason), "{hook}"),
        Some(ran) => assert!(ran.code() != 0 && ran.err().contains(reason), "{hook}{ran}"),
    }
}

#[test]
fn a_sandboxed_command_runs_and_cannot_write_the_home() {
    let Some(world) = world() else { return };
    let line = format!("echo ran; touch {}", escaped(&world).display());
    for agent in ["claude", "codex", "gemini"] {
        let (_, ran) = agent_runs(&world, agent, &event(&world, &line), &line);
        let ran = ran.unwrap();
        assert!(ran.out().contains("ran"), "{ran}");
        assert!(!escaped(&world).exists(), "{ran}");
    }
}

/// What a routed shell would change was left to the agent's own shell.
#[test]
fn lines_that_cannot_be_routed_are_refused() {
    let Some(world) = world() else { return };
    let touch = format!("touch {}", escaped(&world).display());
    for line in [
        format!("{touch} & wait"),
        format!("{touch}; echo tmux"),
        format!("nohup {touch}"),
        format!("{touch} # {}", "x".repeat(70 << 10)),
    ] {
        let ran = agent_runs(&world, "claude", &event(&world, &line), &line);
        assert_refused(&world, &ran, "sandbox");
    }
}

/// A rule in a file that the project brings may be about any line.
#[test]
fn rules_of_a_project_do_not_lead_out_of_the_sandbox() {
    let Some(world) = world() else { return };
    let touch = format!("touch {}", escaped(&world).display());
    for (name, rules) in [
        ("settings.json", json!({ "deny": ["Bash"] })),
        ("settings.local.json", json!({ "ask": ["Bash(touch:*)"] })),
        ("settings.json", json!({ "deny": ["Edit(**)"] })),
    ] {
        let file = world.workspace().join(".claude").join(name);
        world.make_file(&file, &json!({ "permissions": rules }).to_string());
        let ran = agent_runs(&world, "claude", &event(&world, &touch), &touch);
        assert_refused(&world, &ran, "rule");
        std::fs::remove_file(file).unwrap();
    }
}

/// A FIFO would hold the hook until the agent gives it up and runs the command itself.
#[test]
fn settings_that_are_a_fifo_do_not_hold_the_hook() {
    let Some(world) = world() else { return };
    let fifo = world.workspace().join(".claude/settings.json");
    world.make_folder(fifo.parent().unwrap());
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, 0o666.into(), 0).unwrap();
    let touch = format!("touch {}", escaped(&world).display());
    let (hook, ran) = agent_runs(&world, "claude", &event(&world, &touch), &touch);
    assert!(hook.took < std::time::Duration::from_secs(8), "{hook}");
    assert!(ran.is_some() && !escaped(&world).exists(), "{hook}");
}

/// Files that the agent itself can write stopped the configuration from being read, and the command ran without a sandbox.
#[test]
fn a_project_that_cannot_be_read_does_not_lead_out_of_the_sandbox() {
    let Some(world) = world() else { return };
    let touch = format!("touch {}", escaped(&world).display());
    let event = event(&world, &touch);
    let project = world.workspace().join("actum.toml");
    for text in
        ["[broken", "[nonsense]\nx = 1\n", "[policy]\nprofile = \"open\"\n", "[hook]\nwalls = \"x\"\n"]
    {
        world.make_file(&project, text);
        assert_refused(&world, &agent_runs(&world, "codex", &event, &touch), "actum.toml");
    }
    std::fs::remove_file(&project).unwrap();
    // A store that came with the project.
    world.make_folder(&world.workspace().join(".actum"));
    assert_refused(&world, &agent_runs(&world, "gemini", &event, &touch), "store");
}

/// The same after the hook was asked: a file that is broken before the routed line starts.
#[test]
fn what_breaks_after_the_hook_does_not_lead_out_of_the_sandbox() {
    let Some(world) = world() else { return };
    let touch = format!("touch {}", escaped(&world).display());
    let hook = world.actum_with(&["hook", "pre-tool-use", "--agent", "codex"]);
    let hook = hook.stdin(event(&world, &touch).to_string().as_bytes()).go().expect(0);
    let answer: Value = serde_json::from_slice(&hook.stdout).unwrap();
    let routed = answer["hookSpecificOutput"]["updatedInput"]["command"].as_str().unwrap();
    let breaks: [&dyn Fn(); 2] =
        [&|| world.make_file(&world.workspace().join("actum.toml"), "[broken"), &|| {
            world.make_folder(&world.workspace().join(".actum"))
        }];
    for breaks in breaks {
        breaks();
        let ran = world.actum_with(&[]).shell(routed).go();
        assert!(ran.err().contains("was not run"), "{ran}");
        assert!(!escaped(&world).exists(), "{ran}");
        let _ = std::fs::remove_file(world.workspace().join("actum.toml"));
    }
}

/// The user's own file asks for a sandbox in a way that is not understood.
#[test]
fn a_broken_configuration_that_asks_for_a_sandbox_runs_nothing() {
    let Some(world) = world() else { return };
    let touch = format!("touch {}", escaped(&world).display());
    for text in
        ["[hook]\nwalls = \"defualt\"\n", "[hook]\nwalls = \"default\"\n[limits\n", "[hook]\nwalls = true\n"]
    {
        world.make_file(&config(&world), text);
        assert_refused(&world, &agent_runs(&world, "claude", &event(&world, &touch), &touch), "config.toml");
    }
}

#[test]
fn events_of_an_unknown_shape_are_refused() {
    let Some(world) = world() else { return };
    let touch = format!("touch {}", escaped(&world).display());
    for event in [
        json!({ "tool_name": "Bash", "tool_input": { "command": ["sh", "-c", touch] } }),
        json!({ "tool_name": "shell", "tool_input": { "script": touch } }),
        json!({ "tool_input": touch }),
        json!([]),
    ] {
        assert_refused(&world, &agent_runs(&world, "codex", &event, &touch), "event");
    }
    // Another tool runs no command.
    let other = json!({ "tool_name": "Read", "tool_input": { "file_path": "x" } });
    assert_eq!(agent_runs(&world, "claude", &other, "true").0.code(), 0);
}

/// Where nobody asked for a sandbox, none of this stops an agent.
#[test]
fn without_a_sandbox_agents_are_not_stopped() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    for (line, project) in [("echo ran & wait", ""), ("echo ran; echo tmux", ""), ("echo ran", "[broken")] {
        world.make_file(&world.workspace().join("actum.toml"), project);
        let (hook, ran) = agent_runs(&world, "claude", &event(&world, line), line);
        assert!(ran.is_some_and(|ran| ran.out().contains("ran")), "{hook}");
    }
}

fn stop(world: &World, message: &str) -> Done {
    let event = json!({ "cwd": world.workspace(), "last_assistant_message": message });
    world.actum_with(&["hook", "stop", "--agent", "claude"]).stdin(event.to_string().as_bytes()).go()
}

/// An agent that breaks the configuration has not thereby shown that its message is true.
#[test]
fn a_message_that_cannot_be_judged_does_not_pass() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let message = "All 12 tests pass.";
    let breaks: [&dyn Fn(); 2] =
        [&|| world.make_file(&world.workspace().join("actum.toml"), "[broken"), &|| {
            world.make_folder(&world.workspace().join(".actum"))
        }];
    for breaks in breaks {
        breaks();
        let done = stop(&world, message).expect(2);
        assert!(done.err().contains("could not compare"), "{done}");
        let _ = std::fs::remove_file(world.workspace().join("actum.toml"));
    }
    world.make_file(&config(&world), "[hook]\nblock = \"never\"\n");
    stop(&world, message).expect(0);
}

/// Asks the hook about an event, and runs what it answers in `start`, as an agent does whose tool is told to start there.
pub(super) fn agent_runs_in(world: &World, agent: &str, event: &Value, start: &Path) -> (Done, Option<Done>) {
    let hook = world.actum_with(&["hook", "pre-tool-use", "--agent", agent]);
    let hook = hook.stdin(event.to_string().as_bytes()).go();
    let answer: Option<Value> = serde_json::from_slice(&hook.stdout).ok();
    let told = answer.as_ref().map(|answer| &answer["hookSpecificOutput"]);
    let input = told.map(|told| if agent == "gemini" { &told["tool_input"] } else { &told["updatedInput"] });
    let line = input.and_then(|input| input["command"].as_str()).or(event["tool_input"]["command"].as_str());
    if hook.code() == 2 {
        return (hook, None);
    }
    let ran = line.map(|line| world.actum_with(&[]).shell(line).folder(start).go());
    (hook, ran)
}

/// A world whose project, and not its user, asks for a sandbox; and a folder beside it.
pub(super) fn walled_project() -> Option<(World, PathBuf)> {
    let world = World::new(Caller::Ordinary)?;
    world.make_file(&world.workspace().join("actum.toml"), "[hook]\nwalls = \"default\"\n");
    let other = world.path("home/other");
    world.make_folder(&other);
    Some((world, other))
}

/// The shell decided again where it was started, and found no project there.
#[test]
fn a_folder_of_the_tool_does_not_lead_out_of_the_sandbox() {
    let Some((world, other)) = walled_project() else { return };
    let line = format!("touch {}", escaped(&world).display());
    for (agent, name) in [("codex", "workdir"), ("gemini", "directory"), ("gemini", "dir_path")] {
        for named in [json!(other), json!("../home/other"), json!(["x"])] {
            let mut event = event(&world, &line);
            event["tool_input"][name] = named;
            let (hook, ran) = agent_runs_in(&world, agent, &event, &other);
            assert!(!escaped(&world).exists(), "{hook}");
            assert!(ran.is_none() && hook.err().contains("outside the agent's project"), "{hook}");
        }
        // The first of two names is harmless.
        let mut event = event(&world, &line);
        event["tool_input"] = json!({ "command": line, "dir_path": world.workspace(), "workdir": other });
        assert_eq!(agent_runs_in(&world, agent, &event, &other).0.code(), 2);
    }
    let inner = world.workspace().join("inner");
    world.make_folder(&inner);
    let mut event = event(&world, "pwd; touch made");
    event["tool_input"]["workdir"] = "inner".into();
    let (hook, ran) = agent_runs_in(&world, "codex", &event, &inner);
    let ran = ran.unwrap();
    assert!(ran.code() == 0 && inner.join("made").exists(), "{hook}{ran}");
}

/// A variation: the agent starts the routed line elsewhere without saying so, or changes it, or writes one of its own.
#[test]
fn the_decision_is_carried_to_the_shell_and_cannot_be_forged() {
    let Some((world, other)) = walled_project() else { return };
    let line = format!("touch {}", escaped(&world).display());
    let told = event(&world, &line);
    let (hook, ran) = agent_runs_in(&world, "codex", &told, &other);
    assert!(!escaped(&world).exists() && ran.is_some_and(|ran| ran.code() != 0), "{hook}");
    let answer: Value = serde_json::from_slice(&hook.stdout).unwrap();
    let routed = answer["hookSpecificOutput"]["updatedInput"]["command"].as_str().unwrap().to_owned();
    // Another workspace, and another command, in the routed line.
    let home = world.path("home");
    for changed in [
        routed.replace(&format!("{}\"", world.workspace().display()), &format!("{}\"", home.display())),
        routed.replace("'touch ", "'touch  "),
        routed.replace("\"default\"", "\"open\""),
    ] {
        assert_ne!(changed, routed);
        let ran = world.actum_with(&[]).shell(&changed).folder(&other).go();
        assert!(!escaped(&world).exists() && ran.code() != 0, "{ran}");
    }
    // The same line again is known, one of the agent's own is not.
    let (again, _) = agent_runs_in(&world, "codex", &event(&world, &routed), &other);
    assert_eq!((again.code(), again.out().as_str()), (0, ""), "{again}");
    let start = routed.find(" --ticket ").unwrap();
    let end = routed.find(" --name ").unwrap();
    let own = format!("{}{}", &routed[..start], &routed[end..]);
    let ran = agent_runs_in(&world, "codex", &event(&world, &own), &other);
    assert_refused(&world, &ran, "hook shell");
}

/// The agent chose the workspace: a folder beside the project was written.
#[test]
fn the_workspace_is_the_project_of_the_agent() {
    let Some(world) = world() else { return };
    let docs = world.path("home/docs");
    world.make_file(&docs.join("secret"), "s");
    let line = format!("echo x > {}", docs.join("secret").display());
    let mut told = event(&world, &line);
    told["tool_input"]["workdir"] = json!(docs);
    let (hook, _) = agent_runs_in(&world, "codex", &told, &docs);
    assert_eq!(hook.code(), 2, "{hook}");
    let (hook, ran) = agent_runs_in(&world, "codex", &event(&world, &line), &docs);
    assert!(ran.is_some_and(|ran| ran.code() != 0), "{hook}");
    assert_eq!(std::fs::read_to_string(docs.join("secret")).unwrap(), "s");
}

/// A sign of a project that another user put into a folder above made that folder the workspace.
#[test]
fn signs_of_other_users_do_not_widen_the_workspace() {
    let Some(world) = world() else { return };
    if !rustix::process::geteuid().is_root() {
        return actum_testkit::skip("only root can make files of another user");
    }
    let shared = world.path("shared");
    let victim = shared.join("victim");
    world.make_folder(&victim);
    std::os::unix::fs::chown(&shared, Some(0), Some(0)).unwrap();
    std::fs::set_permissions(&shared, std::os::unix::fs::PermissionsExt::from_mode(0o1777)).unwrap();
    let secret = shared.join("secret");
    std::fs::write(&secret, "s").unwrap();
    std::os::unix::fs::chown(&secret, Some(world.identity.user), Some(world.identity.group)).unwrap();
    let line = format!("echo x > {}", secret.display());
    let told = json!({ "cwd": victim, "tool_name": "Bash", "tool_input": { "command": line } });
    for (sign, owner) in [(".git", 54321), ("actum.toml", 54321), (".hg", world.identity.user)] {
        let sign = shared.join(sign);
        std::fs::create_dir(&sign).unwrap();
        std::os::unix::fs::chown(&sign, Some(owner), Some(owner)).unwrap();
        let (hook, ran) = agent_runs_in(&world, "claude", &told, &victim);
        assert_eq!(std::fs::read_to_string(&secret).unwrap(), "s", "{hook}{}", ran.unwrap());
        std::fs::remove_dir(&sign).unwrap();
    }
}

/// An inner file without walls, or a project that asks for more than its user.
#[test]
fn the_strictest_of_all_files_counts() {
    let Some((world, _)) = walled_project() else { return };
    let inner = world.workspace().join("inner");
    world.make_file(&inner.join("actum.toml"), "");
    let touch = format!("touch {}", escaped(&world).display());
    let told = json!({ "cwd": inner, "tool_name": "Bash", "tool_input": { "command": touch } });
    let (hook, _) = agent_runs_in(&world, "claude", &told, &inner);
    assert!(!escaped(&world).exists(), "{hook}");
    world.make_file(&inner.join("actum.toml"), "[hook]\nwalls = \"none\"\n");
    let (hook, _) = agent_runs_in(&world, "claude", &told, &inner);
    assert!(!escaped(&world).exists(), "{hook}");
    // The user asks for the default, the project for more.
    world.make_file(&config(&world), "[hook]\nwalls = \"default\"\n");
    world.make_file(&world.workspace().join("actum.toml"), "[hook]\nwalls = \"locked\"\n");
    std::fs::remove_file(inner.join("actum.toml")).unwrap();
    for folder in [world.workspace(), inner] {
        let told = json!({ "cwd": folder, "tool_name": "Bash", "tool_input": { "command": "touch made" } });
        let (hook, ran) = agent_runs_in(&world, "claude", &told, &folder);
        assert!(ran.is_some() && !folder.join("made").exists(), "{hook}");
    }
}

/// What is there and cannot be read may ask for a sandbox.
#[test]
fn a_configuration_that_cannot_be_read_is_not_none() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let touch = format!("touch {}", escaped(&world).display());
    let told = event(&world, &touch);
    let folder = world.path("home/.config/actum");
    let link = |target: &str, path: &Path| {
        world.make_folder(path.parent().unwrap());
        std::os::unix::fs::symlink(target, path).unwrap();
        std::os::unix::fs::lchown(path, Some(world.identity.user), Some(world.identity.group)).unwrap();
    };
    let refused = || assert_refused(&world, &agent_runs(&world, "claude", &told, &touch), "config.toml");
    link("nowhere", &folder.join("config.toml"));
    refused();
    std::fs::remove_dir_all(&folder).unwrap();
    link("nowhere", &folder);
    refused();
    std::fs::remove_file(&folder).unwrap();
    world.make_file(&folder, "");
    refused();
    std::fs::remove_file(&folder).unwrap();
    let (hook, ran) = agent_runs(&world, "claude", &told, &touch);
    assert!(ran.is_some() && escaped(&world).exists(), "nothing is there: {hook}");
}

/// Tools of other names that run a command.
#[test]
fn a_command_under_another_name_is_refused() {
    let Some(world) = world() else { return };
    let line = format!("touch {}", escaped(&world).display());
    for (tool, input) in [
        ("exec", json!({ "cmd": line })),
        ("Runner", json!({ "cmd": ["sh", "-c", line] })),
        ("exec", json!({ "script": line })),
    ] {
        let told = json!({ "cwd": world.workspace(), "tool_name": tool, "tool_input": input });
        assert_refused(&world, &agent_runs(&world, "codex", &told, &line), "known form");
    }
    let read = json!({ "cwd": world.workspace(), "tool_name": "Read", "tool_input": { "file_path": "x" } });
    assert_eq!(world.actum_with(&["hook", "pre-tool-use"]).stdin(read.to_string().as_bytes()).go().code(), 0);
}
