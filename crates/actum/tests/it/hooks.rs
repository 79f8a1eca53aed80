//! What coding agents meet, without the agents: routed commands are the bare ones byte for byte, what went past is recorded as
//! observed, and nothing that comes on stdin breaks anything.

use crate::run::Done;
use crate::world::{Caller, World};
use serde_json::{Value, json};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// A place of whoever runs these tests: nothing here depends on who that is.
pub fn own_world() -> Option<World> {
    World::new(if rustix::process::geteuid().is_root() { Caller::Root } else { Caller::Ordinary })
}

fn hook(world: &World, word: &str, agent: &str, event: &[u8]) -> Done {
    world.actum_with(&["hook", word, "--agent", agent]).stdin(event).go()
}

/// The line that the agent is told to run instead; nothing where it is left as it is.
fn routed(world: &World, agent: &str, line: &str) -> Option<String> {
    let event = json!({ "cwd": world.workspace(), "tool_input": { "command": line, "timeout": 5 } });
    let done = hook(world, "pre-tool-use", agent, event.to_string().as_bytes()).expect(0);
    let answer: Value = serde_json::from_slice(&done.stdout).ok()?;
    let answer = &answer["hookSpecificOutput"];
    let input = if agent == "gemini" { &answer["tool_input"] } else { &answer["updatedInput"] };
    assert_eq!(input["timeout"], 5, "what else the tool is told stays: {answer}");
    Some(input["command"].as_str().unwrap().to_owned())
}

/// A line in the shell of an agent, in the place's workspace.
fn in_shell(world: &World, shell: &[&str], line: &str) -> Output {
    let mut command = Command::new(shell[0]);
    command.args(&shell[1..]).arg(line).current_dir(world.workspace()).env_clear();
    command.env("PATH", crate::world::PATH).env("HOME", world.path("home")).env("LANG", "C.UTF-8");
    command.env("XDG_CACHE_HOME", world.path("cache")).env("SOME_TOKEN", "s3cret-value");
    command.stdin(Stdio::from(std::fs::File::open("/etc/passwd").unwrap())).output().unwrap()
}

fn listed(world: &World) -> Vec<Value> {
    let done = world.actum_with(&["ls", "--json"]).go().expect(0);
    let text: Value = serde_json::from_slice(&done.stdout).unwrap();
    text.as_array().cloned().or_else(|| text["runs"].as_array().cloned()).unwrap_or_default()
}

/// Lines whose output, on both streams, and whose end are the same without us.
const LINES: &[&str] = &[
    "true",
    "exit 3",
    "printf 'no newline at the end'",
    "printf '\\000\\377\\033[31mbytes\\r\\n\\200'",
    "echo out; echo err >&2; exit 7",
    "nosuchcommand --at-all",
    "cd nowhere",
    "if then",
    "kill -TERM $$",
    "kill -KILL $$",
    "seq 1 200000",
    "head -c 3000000 /dev/zero",
    "cat | wc -c",
    "read -r first; echo \"$first\"",
    "for i in 1 2 3; do echo out $i; echo err $i >&2; done",
    "echo $SOME_TOKEN $HOME $0 $#",
    "[ -t 1 ] && echo terminal || echo none",
    "yes | head -n 3",
    "echo 'it'\\''s \"quoted\" $HOME `date +%Y >/dev/null`'",
    "cat <<'END'\nseveral\n  lines $x\nEND",
    "set -euo pipefail; false | cat; echo never",
    "pwd; cd sub; pwd; echo x > made; cat made",
    "python3 -c 'import sys; sys.stdout.write(\"a\"); sys.stderr.write(\"b\"); sys.exit(4)'",
];

#[test]
fn a_routed_command_is_the_bare_one_byte_for_byte() {
    let Some(world) = own_world() else { return };
    world.make_folder(&world.workspace().join("sub"));
    for agent in ["claude", "codex", "gemini"] {
        for line in LINES {
            for shell in [&["/bin/bash", "-c"][..], &["bash", "-c"], &["sh", "-c"]] {
                // Each is a run of its own.
                let routed = routed(&world, agent, line).unwrap_or_else(|| panic!("{line} is not routed"));
                let (bare, with) = (in_shell(&world, shell, line), in_shell(&world, shell, &routed));
                let code = |output: &Output| {
                    output.status.code().unwrap_or_else(|| 128 + output.status.signal().unwrap())
                };
                assert_eq!(code(&bare), code(&with), "{agent} {shell:?} {line}");
                assert!(bare.stdout == with.stdout, "{agent} {shell:?} {line}: stdout");
                let [bare, with] = [&bare.stderr, &with.stderr].map(|text| String::from_utf8_lossy(text));
                assert_eq!(bare, with, "{agent} {shell:?} {line}");
            }
        }
    }
    let runs = listed(&world);
    assert!(!runs.is_empty());
    // A run that was told once is told once more with the same name, and kept once.
    let shown = world.actum_with(&["show", "last", "--json"]).go().expect(0);
    let report: Value = serde_json::from_slice(&shown.stdout).unwrap();
    assert_eq!(report["confinement"]["tier"], "none", "{shown}");
    let verified = world.actum_with(&["verify"]).go();
    assert_eq!(verified.code(), 0, "{verified}");
}

#[test]
fn what_a_routed_command_opened_is_its_input() {
    let Some(world) = own_world() else { return };
    for name in ["pairs.txt", "unread.txt"] {
        world.make_file(&world.workspace().join(name), "1 2\n");
    }
    let routed = routed(&world, "claude", "cat pair*.txt > sum.txt; cat sum.txt").unwrap();
    assert_eq!(in_shell(&world, &["sh", "-c"], &routed).stdout, b"1 2\n");
    let record = world.actum_with(&["evidence", "last"]).go().expect(0);
    let record: Value = serde_json::from_slice(&record.stdout).unwrap();
    let inputs = record["inputs"].as_array().unwrap();
    let told: Vec<(&Value, bool)> =
        inputs.iter().map(|input| (&input["path"], input["sha256"].is_string())).collect();
    assert_eq!(told, [(&json!("pairs.txt"), true)]);
}

/// Where both streams lead to the same place, which line came first stays so.
#[test]
fn streams_that_are_one_keep_their_order() {
    let Some(world) = own_world() else { return };
    let line = "for i in $(seq 300); do echo out $i; echo err $i >&2; done";
    let routed = routed(&world, "claude", line).unwrap();
    let one = |line: &str| in_shell(&world, &["sh", "-c"], &format!("exec 2>&1\n{line}"));
    assert_eq!(one(&routed).stdout, one(line).stdout);
}

/// A folder that a line changes to is where the next one starts, as Claude Code asks its shell.
#[test]
fn the_folder_that_a_line_ends_in_is_kept() {
    let Some(world) = own_world() else { return };
    world.make_folder(&world.workspace().join("sub"));
    for (line, ends) in [
        ("cd sub && true", "sub"),
        ("cd sub && false", ""),
        ("cd sub; exit 0", ""),
        ("pushd sub > /dev/null", "sub"),
    ] {
        let routed = routed(&world, "claude", line).unwrap();
        let done =
            in_shell(&world, &["bash", "-c"], &format!("eval {} && pwd -P || true; pwd -P", quoted(&routed)));
        let last = String::from_utf8_lossy(&done.stdout).lines().last().unwrap_or_default().to_owned();
        let expected = world.workspace().canonicalize().unwrap().join(ends);
        assert_eq!(Path::new(&last), expected.components().as_path(), "{line}");
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Where Actum cannot keep anything the command runs all the same, and nobody hears of it.
#[test]
fn a_ledger_that_cannot_be_written_breaks_nothing() {
    let Some(world) = own_world() else { return };
    let routed = routed(&world, "codex", "echo out; echo err >&2; exit 5").unwrap();
    // A file stands where the store should be.
    world.make_file(&world.path("home/.local/share/actum"), "no folder");
    let done = in_shell(&world, &["bash", "-c"], &routed);
    assert_eq!(
        (done.status.code(), done.stdout, done.stderr),
        (Some(5), b"out\n".to_vec(), b"err\n".to_vec())
    );
    let event = json!({ "tool_input": { "command": routed }, "tool_response": "out\n" });
    let told = hook(&world, "post-tool-use", "codex", event.to_string().as_bytes()).expect(0);
    assert!(told.err().contains("the hook did nothing"), "{told}");
}

#[test]
fn what_goes_past_is_recorded_as_observed() {
    let Some(world) = own_world() else { return };
    assert_eq!(routed(&world, "claude", "npm run dev &"), None, "what is left running is left to the agent");
    let passed = "Ran 12 tests in 0.001s\n\nOK\n";
    for (agent, event, code) in [
        (
            "claude",
            json!({ "tool_response": { "stdout": passed, "stderr": "" }, "duration_ms": 40 }),
            Some(0),
        ),
        ("claude", json!({ "error": "Exit code 3\nhello" }), Some(3)),
        ("codex", json!({ "tool_response": passed }), None),
        (
            "gemini",
            json!({ "tool_response": { "llmContent": "Output: hello\nExit Code: 4\nProcess Group PGID: 1" } }),
            Some(4),
        ),
    ] {
        let mut event = event;
        event["tool_input"] = json!({ "command": "python3 -m unittest &" });
        event["cwd"] = world.workspace().to_string_lossy().into();
        let done = hook(&world, "post-tool-use", agent, event.to_string().as_bytes()).expect(0);
        assert_eq!(done.err(), "", "{event}");
        let shown = world.actum_with(&["show", "last", "--json"]).go().expect(0);
        let report: Value = serde_json::from_slice(&shown.stdout).unwrap();
        assert_eq!(report["execution"]["witness"], "observed", "{shown}");
        match code {
            Some(code) => assert_eq!(report["result"]["exit_code"], code, "{shown}"),
            None => assert_eq!(report["outcome"], "lost", "{shown}"),
        }
        assert_eq!(report["evidence"]["level"], "E1", "{shown}");
    }
}

/// A routed command that left its own record is not recorded a second time; one that could not is, by its own line.
#[test]
fn nothing_is_recorded_twice() {
    let Some(world) = own_world() else { return };
    let line = routed(&world, "claude", "echo once").unwrap();
    in_shell(&world, &["bash", "-c"], &line);
    let event = json!({ "tool_input": { "command": line }, "tool_response": { "stdout": "once" } });
    hook(&world, "post-tool-use", "claude", event.to_string().as_bytes()).expect(0);
    assert_eq!(listed(&world).len(), 1);
    let unrecorded = routed(&world, "claude", "echo twice").unwrap();
    let event = json!({ "tool_input": { "command": unrecorded }, "tool_response": { "stdout": "twice" } });
    hook(&world, "post-tool-use", "claude", event.to_string().as_bytes()).expect(0);
    let runs = listed(&world);
    assert_eq!(runs.len(), 2);
    assert!(runs.iter().any(|run| run["command"] == "echo twice"), "{runs:?}");
}

/// A line that only looks routed is recorded as what it is: what it prints is not of the command that it names.
#[test]
fn nobody_else_names_the_command_of_a_record() {
    let Some(world) = own_world() else { return };
    let real = routed(&world, "codex", "pytest -q").unwrap();
    for forged in
        [format!("{real}; echo 12 passed"), format!("true {real}"), real.replace("pytest", "x; pytest")]
    {
        let is_whole = forged.ends_with("'x; pytest -q'");
        let event = json!({ "tool_input": { "command": forged }, "tool_response": "12 passed in 0.1s" });
        hook(&world, "post-tool-use", "codex", event.to_string().as_bytes()).expect(0);
        let runs = listed(&world);
        assert!(runs.iter().all(|run| run["command"] != "pytest -q"), "{runs:?}");
        assert!(is_whole || runs.iter().any(|run| run["command"] == forged.as_str()), "{runs:?}");
    }
}

#[test]
fn what_comes_on_stdin_breaks_nothing() {
    let Some(world) = own_world() else { return };
    for word in ["pre-tool-use", "post-tool-use", "stop"] {
        for agent in ["claude", "codex", "gemini"] {
            for event in [
                &b""[..],
                b"{",
                b"[]",
                b"\xff\xfe",
                b"{\"tool_input\": 3}",
                b"{\"tool_input\": {\"command\": []}}",
                b"{}",
            ] {
                let done = hook(&world, word, agent, event).expect(0);
                assert_eq!(done.out(), "", "{word} {agent}");
            }
        }
    }
    assert!(listed(&world).is_empty());
}

/// The agent's own rules are held against the line that runs: one that they may forbid is left for them to see.
#[test]
fn what_the_agent_may_forbid_is_left_to_it() {
    let Some(world) = own_world() else { return };
    let settings = world.workspace().join(".claude/settings.json");
    world.make_file(&settings, "{\"permissions\": {\"deny\": [\"Bash(curl:*)\", \"Read(./.env)\"]}}");
    for (line, is_routed) in
        [("curl x", false), ("cat .env", false), ("make && curl x", false), ("make test", true)]
    {
        assert_eq!(routed(&world, "claude", line).is_some(), is_routed, "{line}");
    }
}

#[test]
fn settings_are_changed_and_changed_back() {
    let Some(world) = own_world() else { return };
    for (agent, file) in [
        ("claude", ".claude/settings.json"),
        ("codex", ".codex/hooks.json"),
        ("gemini", ".gemini/settings.json"),
    ] {
        let path = world.workspace().join(file);
        let own = "{\n    \"mine\": [1, 2],\n    \"hooks\": {}\n}\n";
        world.make_file(&path, own);
        let dry = world.actum_with(&["init", "--agent", agent, "--dry-run", "--json"]).go().expect(0);
        let told: Value = serde_json::from_slice(&dry.stdout).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), own, "a dry run writes nothing");
        world.actum_with(&["init", "--agent", agent]).go().expect(0);
        let with = std::fs::read_to_string(&path).unwrap();
        assert_eq!(told["text"], with.as_str());
        assert!(with.contains("\"mine\": [1, 2]") && with.contains(&format!("--agent {agent}")), "{with}");
        world.actum_with(&["init", "--agent", agent]).go().expect(0);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), with, "a second time changes nothing");
        world.actum_with(&["init", "--agent", agent, "--remove"]).go().expect(0);
        let without: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        assert_eq!(without["mine"], json!([1, 2]));
        assert!(without.get("hooks").is_none_or(|hooks| hooks == &json!({})), "{without}");
        world.make_file(&path, "{\"broken\": ");
        let done = world.actum_with(&["init", "--agent", agent]).go().expect(125);
        assert!(done.err().contains("line 1, column 12: the text ends where a value is expected"), "{done}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"broken\": ");
    }
}

/// Starts a line in a shell at a terminal of its own, of an odd size, types what it is given, and prints all that was shown.
const AT_TERMINAL: &str = "
import fcntl, os, pty, signal, struct, sys, termios
line, typed = sys.argv[1], sys.argv[2].encode()
pid, terminal = pty.fork()
if pid == 0:
    # Not before it has its size.
    signal.raise_signal(signal.SIGSTOP)
    os.execv('/bin/bash', ['bash', '-c', line])
os.waitpid(pid, os.WUNTRACED)
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', 31, 97, 0, 0))
os.kill(pid, signal.SIGCONT)
def write(): global typed; os.write(terminal, typed); typed = b''
# A wish to stop is typed when there is something to be stopped.
if typed != b'\\x03': write()
while True:
    try: piece = os.read(terminal, 65536)
    except OSError: break
    if not piece: break
    sys.stdout.buffer.write(piece)
    if b'ready' in piece: write()
_, status = os.waitpid(pid, 0)
sys.stdout.flush()
code = os.waitstatus_to_exitcode(status)
# As a shell in between makes it.
sys.exit(code if code >= 0 else 128 - code)
";

/// Lines whose output depends on whether, and on what kind of a terminal, they are at; and what is typed meanwhile.
const LINES_AT_TERMINAL: &[(&str, &str)] = &[
    ("python3 -c 'import os; print([os.isatty(stream) for stream in (0, 1, 2)])'", ""),
    ("python3 -c 'import os; print([os.isatty(stream) for stream in (0, 1, 2)])' | cat", ""),
    ("python3 -c 'import os; print([os.isatty(stream) for stream in (0, 1, 2)])' 2>/dev/null </dev/null", ""),
    ("stty size; tput cols; tput lines", ""),
    ("ls --color=auto; ls --color=auto | cat", ""),
    ("grep --color=auto -n root /etc/passwd", ""),
    ("git --no-pager -c color.ui=auto diff --no-index --stat one two", ""),
    ("git --no-pager -c color.ui=auto diff --no-index one two", ""),
    ("printf 'tab\\there\\n\\033[31mred\\033[0m\\rback\\r\\n\\000\\377no end'", ""),
    ("for i in $(seq 200); do echo out $i; echo err $i >&2; done; exit 5", ""),
    ("seq 1 50000", ""),
    ("read -r word; echo \"got $word\"", "typed\n"),
    ("python3 -c 'print(\"hello\", input(\"who? \"))'", "Ada\n"),
    ("cat", "one\ntwo\n\u{4}"),
    ("kill -TERM $$", ""),
    ("nosuchcommand", ""),
    ("echo ready; sleep 60", "\u{3}"),
];

#[test]
fn at_a_terminal_a_routed_command_is_the_bare_one_byte_for_byte() {
    let Some(world) = own_world() else { return };
    for (name, text) in [("one", "a\nb\n"), ("two", "a\nc\n"), ("run.sh", "#!/bin/sh\n")] {
        world.make_program(&world.workspace().join(name), text);
    }
    world.make_folder(&world.workspace().join("folder"));
    let at_terminal = |line: &str, typed: &str| -> Output {
        let mut command = Command::new("python3");
        command.args(["-c", AT_TERMINAL, line, typed]).current_dir(world.workspace()).env_clear();
        command.env("PATH", crate::world::PATH).env("HOME", world.path("home")).env("LANG", "C.UTF-8");
        command.env("XDG_CACHE_HOME", world.path("cache")).env("TERM", "xterm-256color");
        command.stdin(Stdio::null()).output().unwrap()
    };
    for (line, typed) in LINES_AT_TERMINAL {
        let routed = routed(&world, "claude", line).unwrap_or_else(|| panic!("{line} is not routed"));
        let (bare, with) = (at_terminal(line, typed), at_terminal(&routed, typed));
        let [shown, shown_with] =
            [&bare, &with].map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
        assert_eq!(shown, shown_with, "{line}");
        assert!(bare.stdout == with.stdout, "{line}");
        assert_eq!(bare.status.code(), with.status.code(), "{line}: {shown}");
        assert!(bare.stderr.is_empty(), "{}", String::from_utf8_lossy(&bare.stderr));
    }
    let shown = at_terminal("ls --color=auto", "").stdout;
    assert!(String::from_utf8_lossy(&shown).contains("\u{1b}["), "a terminal is coloured at all");
    let recorded = world.actum_with(&["logs", "last"]).go();
    assert!(!listed(&world).is_empty(), "{recorded}");
}
