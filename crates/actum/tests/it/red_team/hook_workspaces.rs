//! Which folder an agent's sandboxed commands may write, and by which program and keys they are started.

use super::hooks::{
    agent_runs, agent_runs_in, assert_refused, config, escaped, event, walled_project, world,
};
use crate::run::Done;
use crate::world::{Caller, World};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// An event of a session, from an agent that is in `folder`.
fn event_in(folder: &Path, session: Option<&str>, line: &str) -> Value {
    let mut event = json!({ "cwd": folder, "tool_name": "Bash", "tool_input": { "command": line } });
    if let Some(session) = session {
        event["session_id"] = session.into();
    }
    event
}

/// A project with a folder in it, and a key in the home.
fn project_and_key(world: &World) -> (PathBuf, PathBuf) {
    let (inner, keys) = (world.workspace().join("inner"), world.path("home/.ssh"));
    world.make_folder(&world.workspace().join(".git"));
    world.make_folder(&inner);
    world.make_file(&keys.join("id"), "the key");
    (inner, keys)
}

/// The hook refused the command, whose output would have been the key.
#[track_caller]
fn assert_refused_for(ran: &(Done, Option<Done>), reason: &str) {
    let (hook, ran) = ran;
    assert!(ran.is_none() && hook.code() == 2, "{hook}{ran:?}");
    assert!(hook.err().contains(reason) && hook.err().contains("was not run"), "{hook}");
}

/// A sandboxed command exchanged the agent's folder for a link, and the next one had the target as its workspace.
#[test]
fn a_folder_that_became_a_link_is_not_the_next_workspace() {
    for (session, target) in
        [(Some("one"), "home/.ssh"), (None, "home/.ssh"), (Some("two"), "home/docs"), (None, "home/docs")]
    {
        let Some(world) = world() else { return };
        let (inner, _) = project_and_key(&world);
        let target = world.path(target);
        world.make_file(&target.join("id"), "the key");
        let line = format!("mv ../inner ../moved && ln -s {} ../inner && echo done", target.display());
        let (hook, ran) = agent_runs_in(&world, "claude", &event_in(&inner, session, &line), &inner);
        assert!(ran.as_ref().is_some_and(|ran| ran.out().contains("done")), "{hook}{ran:?}");
        assert!(inner.is_symlink());
        let next = agent_runs_in(&world, "claude", &event_in(&inner, session, "cat id"), &inner);
        assert_refused_for(&next, "link");
    }
}

/// A variation: no link, the session goes elsewhere.
#[test]
fn a_session_stays_in_its_first_workspace() {
    let Some(world) = world() else { return };
    let (inner, _) = project_and_key(&world);
    let docs = world.path("home/docs");
    world.make_file(&docs.join("id"), "the key");
    for agent in ["claude", "codex", "gemini"] {
        let ran = agent_runs_in(&world, agent, &event_in(&inner, Some("one"), "echo ran"), &inner).1;
        assert!(ran.is_some_and(|ran| ran.out().contains("ran")));
        let next = agent_runs_in(&world, agent, &event_in(&docs, Some("one"), "cat id"), &docs);
        assert_refused_for(&next, "outside the workspace of its session");
        // Elsewhere in the same project, and in a session of its own.
        for (folder, session) in [(world.workspace(), "one"), (docs.clone(), "other")] {
            let ran = agent_runs_in(&world, agent, &event_in(&folder, Some(session), "echo ran"), &folder).1;
            assert!(ran.is_some_and(|ran| ran.out().contains("ran")), "{}", folder.display());
        }
    }
    let mut odd = event(&world, "cat id");
    odd["session_id"] = json!(["one"]);
    assert_refused_for(&agent_runs_in(&world, "claude", &odd, &docs), "session");
}

/// A variation: another folder under the name of the workspace, before the hook or between the hook and the shell.
#[test]
fn another_folder_under_the_name_of_the_workspace_is_refused() {
    let Some(world) = world() else { return };
    let (_, _) = project_and_key(&world);
    let told = event_in(&world.workspace(), Some("one"), "touch made");
    let hook = world.actum_with(&["hook", "pre-tool-use", "--agent", "codex"]);
    let hook = hook.stdin(told.to_string().as_bytes()).go().expect(0);
    let answer: Value = serde_json::from_slice(&hook.stdout).unwrap();
    let routed = answer["hookSpecificOutput"]["updatedInput"]["command"].as_str().unwrap();
    // Not removed first: the new folder would get its number.
    std::fs::rename(world.workspace(), world.path("moved")).unwrap();
    world.make_folder(&world.workspace());
    let ran = world.actum_with(&[]).shell(routed).go();
    assert!(ran.code() != 0 && ran.err().contains("another folder"), "{ran}");
    let next = agent_runs_in(&world, "codex", &told, &world.workspace());
    assert_refused_for(&next, "another folder");
    assert!(!world.workspace().join("made").exists());
}

/// A variation: the first command of a session, or one without a session, in a folder that is no project.
#[test]
fn keys_programs_and_the_system_are_no_workspace() {
    let Some(world) = world() else { return };
    for (name, session) in [(".ssh", Some("a")), (".local/bin", None), (".config/x", Some("b"))] {
        let folder = world.path("home").join(name);
        world.make_folder(&folder);
        let ran = agent_runs_in(&world, "claude", &event_in(&folder, session, "ls"), &folder);
        assert_refused_for(&ran, "cannot be a workspace");
    }
    for folder in ["/etc", "/usr/lib", "/var/lib", "/"] {
        let folder = Path::new(folder);
        let ran = agent_runs_in(&world, "codex", &event_in(folder, None, "ls"), folder);
        assert_refused_for(&ran, "cannot be a workspace");
    }
    // A folder on PATH, and Actum's own.
    let programs = world.path("home/programs");
    world.make_folder(&programs);
    let hook = world.actum_with(&["hook", "pre-tool-use", "--agent", "claude"]).variable("PATH", &programs);
    let hook = hook.stdin(event_in(&programs, None, "ls").to_string().as_bytes()).go();
    assert_refused_for(&(hook, None), "PATH names it");
    let own = world.path("cache/actum/hook");
    let ran = agent_runs_in(&world, "claude", &event_in(&own, None, "ls"), &own);
    assert_refused_for(&ran, "Actum itself");
}

/// What a session is bound to cannot be changed by somebody who has no key.
#[test]
fn a_session_that_was_tampered_with_runs_nothing() {
    let Some(world) = world() else { return };
    let told = event_in(&world.workspace(), Some("one"), "echo ran");
    let ran = agent_runs_in(&world, "claude", &told, &world.workspace()).1;
    assert!(ran.is_some_and(|ran| ran.out().contains("ran")));
    let folder = world.path("cache/actum/hook/sessions");
    let file = std::fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    let text = std::fs::read_to_string(&file).unwrap();
    for changed in [text.replace("/work\"", "/home\""), String::new(), "{}".to_owned()] {
        assert_ne!(changed, text);
        std::fs::write(&file, changed).unwrap();
        let ran = agent_runs_in(&world, "claude", &told, &world.workspace());
        assert_refused_for(&ran, "session");
    }
}

/// A sandboxed command took the sign of its project away, and the project around it became the workspace.
#[test]
fn a_sign_that_is_renamed_does_not_widen_the_workspace() {
    for (around, own) in [(".hg", ".git"), (".git", ".hg"), (".git", "actum.toml")] {
        let Some(world) = world() else { return };
        let inner = world.workspace().join("inner");
        world.make_folder(&world.workspace().join(around));
        world.make_file(&world.workspace().join("secret"), "s");
        match own {
            "actum.toml" => world.make_file(&inner.join(own), ""),
            folder => world.make_folder(&inner.join(folder)),
        }
        let told = |line: &str| event_in(&inner, Some("one"), line);
        let (hook, ran) = agent_runs_in(&world, "claude", &told("echo ran"), &inner);
        assert!(ran.is_some_and(|ran| ran.out().contains("ran")), "{hook}");
        std::fs::rename(inner.join(own), inner.join("away")).unwrap();
        let (hook, _) = agent_runs_in(&world, "claude", &told("echo x > ../secret"), &inner);
        assert_eq!(std::fs::read_to_string(world.workspace().join("secret")).unwrap(), "s", "{hook}");
    }
}

/// The name `actum` in settings and routed lines was looked up on PATH, where a project's folder of programs comes first.
#[test]
fn an_agent_calls_this_program_by_its_path() {
    let Some(world) = world() else { return };
    let programs = world.workspace().join("node_modules/.bin");
    world.make_program(&programs.join("actum"), "#!/bin/sh\ntouch \"$HOME/escaped\"\n");
    let (root, own) = (world.path("actum"), world.actum().display().to_string());
    let root = root.parent().unwrap();
    for path in [
        format!("{}:{}:{}", programs.display(), root.display(), crate::world::PATH),
        format!("{}:{}", root.display(), crate::world::PATH),
        crate::world::PATH.to_owned(),
    ] {
        let settings = world.workspace().join(".claude/settings.json");
        world.actum_with(&["init", "--agent", "claude"]).variable("PATH", &path).go().expect(0);
        let text = std::fs::read_to_string(&settings).unwrap();
        assert_eq!(text.matches(&format!("'{own}' hook ")).count(), 4, "{text}");
        std::fs::remove_file(settings).unwrap();
        let hook = world.actum_with(&["hook", "pre-tool-use", "--agent", "codex"]).variable("PATH", &path);
        let hook = hook.stdin(event(&world, "echo ran").to_string().as_bytes()).go().expect(0);
        let answer: Value = serde_json::from_slice(&hook.stdout).unwrap();
        let line = answer["hookSpecificOutput"]["updatedInput"]["command"].as_str().unwrap();
        assert!(line.starts_with(&format!("'{own}' hook shell ")), "{line}");
        let ran = world.actum_with(&[]).variable("PATH", &path).shell(line).go();
        assert!(ran.out().contains("ran") && !escaped(&world).exists(), "{ran}");
    }
}

/// Settings of earlier versions have the name alone.
#[test]
fn settings_with_the_bare_name_are_replaced_and_removed() {
    let Some(world) = world() else { return };
    let settings = world.workspace().join(".codex/hooks.json");
    let hook = json!({ "type": "command", "command": "actum hook stop --agent codex", "timeout": 60 });
    let old = json!({ "hooks": { "Stop": [{ "hooks": [hook] }] } }).to_string();
    world.make_file(&settings, &old);
    world.actum_with(&["init", "--agent", "codex"]).go().expect(0);
    let text = std::fs::read_to_string(&settings).unwrap();
    assert!(!text.contains("\"actum hook") && text.matches(" hook stop ").count() == 1, "{text}");
    world.make_file(&settings, &old);
    world.actum_with(&["init", "--agent", "codex", "--remove"]).go().expect(0);
    assert!(!settings.exists());
}

/// A variation: this program itself lies where a sandboxed command, or another user, can replace it.
#[test]
fn a_program_that_others_can_replace_is_not_called_by_an_agent() {
    let Some(world) = world() else { return };
    let (inside, shared) = (world.workspace().join("venv/bin"), world.path("home/shared"));
    for folder in [&inside, &shared] {
        world.make_folder(folder);
        std::fs::hard_link(world.actum(), folder.join("actum")).unwrap();
    }
    std::fs::set_permissions(&shared, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    for folder in [inside, shared] {
        let call = |words: &str| format!("{} {words}", folder.join("actum").display());
        let init = world.actum_with(&[]).shell(&call("init --agent claude")).go();
        assert!(init.code() != 0 && init.err().contains("could replace"), "{init}");
        assert!(!world.workspace().join(".claude").exists(), "{init}");
        let hook = world.actum_with(&[]).shell(&call("hook pre-tool-use --agent claude"));
        let hook = hook.stdin(event(&world, "ls").to_string().as_bytes()).go();
        assert_refused_for(&(hook, None), "replace this program");
    }
}

/// White space of Unicode counted as no command, and a shell ran the program of that name.
#[test]
fn a_command_of_white_space_is_not_let_through() {
    let Some(world) = world() else { return };
    let programs = world.path("home/programs");
    let path = format!("{}:{}", programs.display(), crate::world::PATH);
    for name in ["\u{85}", "\u{a0}", "\u{2003}", "\u{b}", "\r"] {
        world.make_program(&programs.join(name), "#!/bin/sh\ntouch \"$HOME/escaped\"\n");
        for line in [name.to_owned(), format!(" {name}\n")] {
            let hook = world.actum_with(&["hook", "pre-tool-use", "--agent", "codex"]);
            let hook = hook.stdin(event(&world, &line).to_string().as_bytes()).go().expect(0);
            let answer: Value = serde_json::from_slice(&hook.stdout).expect("the command is routed");
            let routed = answer["hookSpecificOutput"]["updatedInput"]["command"].as_str().unwrap();
            let ran = world.actum_with(&[]).variable("PATH", &path).shell(routed).go();
            assert!(!escaped(&world).exists(), "{ran}");
        }
    }
    for line in ["", " ", "\t\n "] {
        let (hook, _) = agent_runs(&world, "claude", &event(&world, line), line);
        assert_eq!((hook.code(), hook.out().as_str()), (0, ""), "{hook}");
    }
}

/// A variation: the command is empty, and another key has one.
#[test]
fn an_empty_command_does_not_hide_another_one() {
    let Some(world) = world() else { return };
    let line = format!("touch {}", escaped(&world).display());
    for (tool, input) in [
        ("Bash", json!({ "command": "", "cmd": line })),
        ("shell", json!({ "command": " \n", "argv": ["sh", "-c", line] })),
        ("Runner", json!({ "command": "", "command_line": line })),
    ] {
        let told = json!({ "cwd": world.workspace(), "tool_name": tool, "tool_input": input });
        assert_refused(&world, &agent_runs(&world, "codex", &told, &line), "known form");
    }
}

/// While it was not clear which sandbox was asked for, a routed line that the agent wrote itself passed as work done.
#[test]
fn a_routed_line_does_not_pass_where_the_request_is_not_understood() {
    for (line, broken) in [
        ("", "[hook]\nwalls = \"defualt\"\n"),
        ("cd /; ", "[hook]\nwalls = 3\n"),
        ("", "[hook]\nwalls = \"default\"\n[limits\n"),
    ] {
        let Some(world) = World::new(Caller::Ordinary) else { return };
        let line = format!("{line}touch {}", escaped(&world).display());
        let hook = world.actum_with(&["hook", "pre-tool-use", "--agent", "claude"]);
        let hook = hook.stdin(event(&world, &line).to_string().as_bytes()).go().expect(0);
        let answer: Value = serde_json::from_slice(&hook.stdout).unwrap();
        let own = answer["hookSpecificOutput"]["updatedInput"]["command"].as_str().unwrap();
        assert!(!own.contains("--ticket"), "{own}");
        // Without walls it is known again.
        let hook = world.actum_with(&["hook", "pre-tool-use", "--agent", "claude"]);
        let hook = hook.stdin(event(&world, own).to_string().as_bytes()).go().expect(0);
        assert_eq!(hook.out(), "");
        for file in [config(&world), world.workspace().join("actum.toml")] {
            world.make_file(&file, broken);
            let ran = agent_runs(&world, "claude", &event(&world, own), own);
            assert_refused(&world, &ran, "walls");
            std::fs::remove_file(file).unwrap();
        }
        // Another tool is not stopped.
        world.make_file(&config(&world), broken);
        let read = json!({ "cwd": world.workspace(), "tool_name": "Read", "tool_input": {} });
        assert_eq!(agent_runs(&world, "claude", &read, "true").0.code(), 0);
    }
}

/// The agent's folder by a name with a link: the files above the name, or above the real folder, were not read.
#[test]
fn a_link_does_not_hide_a_project_s_request_for_a_sandbox() {
    let Some((world, other)) = walled_project() else { return };
    let inner = world.workspace().join("inner");
    world.make_folder(&inner);
    let line = format!("touch {}", escaped(&world).display());
    let link = |target: &Path, name: PathBuf| {
        std::os::unix::fs::symlink(target, &name).unwrap();
        std::os::unix::fs::lchown(&name, Some(world.identity.user), Some(world.identity.group)).unwrap();
        name
    };
    // Into the project from elsewhere, out of it, and through it.
    let into = link(&inner, world.path("home/into"));
    let out = link(&other, world.workspace().join("out"));
    let through = link(&out, world.path("home/through"));
    for folder in [into, out, through] {
        let told = event_in(&folder, None, &line);
        let (hook, ran) = agent_runs_in(&world, "codex", &told, &folder);
        assert!(!escaped(&world).exists(), "{}: {hook}", folder.display());
        assert!(ran.is_none() || hook.out().contains("--ticket"), "{}: {hook}", folder.display());
    }
    // The same folder without any project runs as it is.
    let (hook, _) = agent_runs_in(&world, "codex", &event_in(&other, None, &line), &other);
    assert!(escaped(&world).exists(), "{hook}");
}

/// A variation: two files ask for different policies, one above the name and one above the real folder.
#[test]
fn the_strictest_file_of_every_way_counts() {
    let Some((world, _)) = walled_project() else { return };
    let link = world.path("home/link");
    std::os::unix::fs::symlink(world.workspace(), &link).unwrap();
    world.make_file(&world.path("home/actum.toml"), "[hook]\nwalls = \"locked\"\n");
    let told = event_in(&link, None, "touch made");
    let (hook, ran) = agent_runs_in(&world, "codex", &told, &link);
    assert!(ran.is_some() && !world.workspace().join("made").exists(), "{hook}");
}

/// A folder of the agent that is gone, closed or no folder: the files above it were not read.
#[test]
fn a_folder_that_cannot_be_used_does_not_hide_a_request_for_a_sandbox() {
    let Some((world, other)) = walled_project() else { return };
    let line = format!("touch {}", escaped(&world).display());
    let closed = world.workspace().join("closed");
    world.make_folder(&closed.join("inner"));
    std::fs::set_permissions(&closed, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    world.make_file(&world.workspace().join("file"), "");
    for (name, reason) in [
        ("gone", "cannot be used"),
        ("gone/deeper", "cannot be used"),
        ("file", "cannot be used"),
        ("file/x", "cannot be used"),
        ("closed/inner", "cannot read"),
    ] {
        let told = event_in(&world.workspace().join(name), None, &line);
        let hook = world.actum_with(&["hook", "pre-tool-use", "--agent", "codex"]).folder(&other);
        let hook = hook.stdin(told.to_string().as_bytes()).go();
        assert_refused_for(&(hook, None), reason);
    }
    // In a form that is not known, from a hook that was started in the project; and relative to it.
    for folder in [json!(["x"]), json!("gone"), json!("")] {
        let mut told = event(&world, &line);
        told["cwd"] = folder;
        assert_refused_for(&agent_runs(&world, "codex", &told, &line), "cannot be used");
    }
}

/// A variation: the folder of the hook itself is gone.
#[test]
fn a_hook_in_a_folder_that_is_gone_reads_the_project_by_its_name() {
    let Some((world, _)) = walled_project() else { return };
    let line = format!("touch {}", escaped(&world).display());
    for (name, told) in [
        ("one", json!({ "tool_name": "Bash", "tool_input": { "command": line } })),
        ("two", event_in(&world.workspace().join("two"), None, &line)),
        ("three", json!({ "cwd": 3, "tool_name": "Bash", "tool_input": { "command": line } })),
    ] {
        let folder = world.workspace().join(name);
        world.make_folder(&folder);
        let hook = world.actum_with(&["hook", "pre-tool-use", "--agent", "codex"]).folder(&folder);
        let hook = hook.shell("rmdir \"$PWD\"; exec \"$@\"").variable("PWD", &folder);
        let hook = hook.stdin(told.to_string().as_bytes()).go();
        assert_refused_for(&(hook, None), "");
    }
}

/// Where no file asks for a sandbox, a folder that is gone stops nothing.
#[test]
fn a_folder_that_is_gone_stops_nothing_without_walls() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let told = event_in(&world.workspace().join("gone"), None, "echo ran");
    let (hook, ran) = agent_runs(&world, "claude", &told, "echo ran");
    assert!(ran.is_some_and(|ran| ran.out().contains("ran")), "{hook}");
}

/// Keys that choose the shell, its variables or its user were handed on, and took effect before the routed line.
#[test]
fn keys_that_choose_how_a_command_starts_are_refused() {
    let Some(world) = world() else { return };
    let refused = [
        ("shell", json!("/bin/evil")),
        ("env", json!({ "BASH_ENV": "evil" })),
        ("executable", json!("evil")),
        ("user", json!("root")),
        ("login", json!(true)),
        ("cmd", json!("id")),
        ("Command", json!("id")),
    ];
    for (key, value) in refused {
        let mut told = event(&world, "ls");
        told["tool_input"][key] = value;
        assert_refused_for(&agent_runs(&world, "codex", &told, "ls"), &format!("`{key}`"));
    }
    // As the agents send them.
    for (agent, input) in [
        (
            "claude",
            json!({ "command": "echo ran", "description": "d", "timeout": 9, "run_in_background": false }),
        ),
        (
            "codex",
            json!({ "command": "echo ran", "workdir": world.workspace(), "timeout_ms": 9000, "shell": null }),
        ),
        (
            "gemini",
            json!({ "command": "echo ran", "description": "d", "dir_path": "", "is_background": false }),
        ),
    ] {
        let mut told = event(&world, "");
        told["tool_input"] = input;
        let (hook, ran) = agent_runs(&world, agent, &told, "");
        assert!(ran.is_some_and(|ran| ran.out().contains("ran")), "{hook}");
    }
}

/// Without walls they are the agent's own business.
#[test]
fn without_walls_every_key_is_handed_on() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let mut told = event(&world, "echo ran");
    told["tool_input"]["shell"] = "/bin/bash".into();
    let hook = world.actum_with(&["hook", "pre-tool-use", "--agent", "codex"]);
    let hook = hook.stdin(told.to_string().as_bytes()).go().expect(0);
    let answer: Value = serde_json::from_slice(&hook.stdout).unwrap();
    assert_eq!(answer["hookSpecificOutput"]["updatedInput"]["shell"], "/bin/bash");
}
