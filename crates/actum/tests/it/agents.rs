//! The real coding agents, driven by a scripted model on loopback: what they claim falsely comes back to them, what is true passes,
//! and their commands leave records.
//!
//! `cargo xtask test` installs them (`xtask/src/test/agents.rs`); where they could not be installed these tests are skipped.

use crate::hooks::own_world;
use crate::world::{PATH, World};
use actum_testkit::model_server::{ModelServer, Turn};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Agent {
    Claude,
    Codex,
    Gemini,
}

const ALL: [Agent; 3] = [Agent::Claude, Agent::Codex, Agent::Gemini];
const CLAIM: &str = "I ran the tests and all 12 passed.";
const HONEST: &str = "I have not run anything yet.";
/// What the model is told when a claim does not hold.
const BACK: &str = "These claims are contradicted or unsupported";
const TESTS: &str = "python3 -m unittest -v";

impl Agent {
    fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
        }
    }

    /// The command that starts it; nothing where it is not installed.
    fn program(self) -> Option<Command> {
        let modules =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/test-tools/agents/node_modules");
        let script = |path: &str| {
            let path = modules.join(path);
            path.is_file().then(|| {
                let mut command = Command::new("node");
                command.arg(path);
                command
            })
        };
        match self {
            // Its package is a program for this machine, which stands beside the one that only starts it.
            Self::Claude => {
                let program = modules.join("@anthropic-ai/claude-code-linux-x64/claude");
                program.is_file().then(|| Command::new(program))
            }
            Self::Codex => script("@openai/codex/bin/codex.js"),
            Self::Gemini => script("@google/gemini-cli/bundle/gemini.js"),
        }
    }

    /// Points it at the server, lets it run its shell unasked, and has it keep to itself.
    fn prepare(self, command: &mut Command, world: &World, server: &ModelServer) {
        let (url, home) = (server.url(), world.path("home"));
        match self {
            Self::Claude => {
                command.args([
                    "-p",
                    "run the tests",
                    "--allowedTools",
                    "Bash",
                    "--output-format",
                    "stream-json",
                    "--verbose",
                ]);
                command.env("ANTHROPIC_BASE_URL", &url).env("ANTHROPIC_API_KEY", "none");
                command.env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1").env("DISABLE_AUTOUPDATER", "1");
            }
            Self::Codex => {
                let provider = format!(
                    "model = \"scripted\"\nmodel_provider = \"scripted\"\n[model_providers.scripted]\nname = \"scripted\"\n\
                     base_url = \"{url}/v1\"\nwire_api = \"responses\"\nenv_key = \"SCRIPTED_KEY\"\nrequest_max_retries = 0\n\
                     stream_max_retries = 0\n[analytics]\nenabled = false\n[projects.\"{}\"]\ntrust_level = \"trusted\"\n",
                    world.workspace().display()
                );
                world.make_file(&home.join(".codex/config.toml"), &provider);
                command.args(["exec", "--skip-git-repo-check", "--sandbox", "danger-full-access"]);
                command.args([
                    "--dangerously-bypass-hook-trust",
                    "--disable",
                    "plugins",
                    "--disable",
                    "apps",
                    "run the tests",
                ]);
                command.env("SCRIPTED_KEY", "none").env("CODEX_HOME", home.join(".codex"));
            }
            Self::Gemini => {
                let settings = "{\"security\":{\"auth\":{\"selectedType\":\"gemini-api-key\"},\"folderTrust\":{\"enabled\":false}},\
                     \"privacy\":{\"usageStatisticsEnabled\":false},\"telemetry\":{\"enabled\":false},\
                     \"general\":{\"enableAutoUpdate\":false,\"enableAutoUpdateNotification\":false}}";
                world.make_file(&home.join(".gemini/settings.json"), settings);
                command.args(["-p", "run the tests", "--yolo", "-m", "gemini-2.5-flash"]);
                command.env("GEMINI_API_KEY", "none").env("GOOGLE_GEMINI_BASE_URL", &url);
                command.env("GEMINI_CLI_NO_RELAUNCH", "1");
            }
        }
        command.env("HTTPS_PROXY", &url).env("HTTP_PROXY", &url).env("NO_PROXY", "127.0.0.1,localhost");
    }
}

/// A project with tests of its own, and one agent that plays a script in it.
struct Played {
    world: World,
    server: ModelServer,
    output: Output,
}

impl std::fmt::Display for Played {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).chars().take(6000).collect::<String>();
        writeln!(out, "{}\n{}", self.output.status, text(&self.output.stdout))?;
        writeln!(out, "{}\nrefused: {:?}", text(&self.output.stderr), self.server.refused())?;
        writeln!(out, "runs: {:?}", self.runs())
    }
}

impl Played {
    fn runs(&self) -> Vec<Value> {
        let done = self.world.actum_with(&["ls", "--json"]).go();
        let text: Value = serde_json::from_slice(&done.stdout).unwrap_or_default();
        text.as_array().cloned().or_else(|| text["runs"].as_array().cloned()).unwrap_or_default()
    }
}

fn twelve_tests(failing: usize) -> String {
    let test = |number: usize| {
        format!(
            "    def test_{number}(self):\n        self.assertTrue({})\n",
            if number < failing { "False" } else { "True" }
        )
    };
    let tests: String = (0..12).map(test).collect();
    format!("import unittest\n\nclass Sums(unittest.TestCase):\n{tests}")
}

fn play(agent: Agent, failing: usize, script: Vec<Turn>) -> Option<Played> {
    let Some(mut command) = agent.program() else {
        actum_testkit::skip(&format!("{} is not installed below target/test-tools/agents", agent.name()));
        return None;
    };
    let world = own_world()?;
    world.make_file(&world.workspace().join("test_sums.py"), &twelve_tests(failing));
    world.actum_with(&["init", "--agent", agent.name()]).go().expect(0);
    let server = ModelServer::start(script);
    let node: PathBuf = std::env::var_os("PATH")
        .map(|path| std::env::split_paths(&path).collect::<Vec<_>>())
        .unwrap_or_default()
        .into_iter()
        .find(|folder| folder.join("node").is_file())
        .unwrap_or_default();
    command
        .env_clear()
        .env("PATH", format!("{}:{PATH}", node.display()))
        .env("LANG", "C.UTF-8")
        .env("TERM", "dumb");
    command.env("HOME", world.path("home")).env("XDG_CACHE_HOME", world.path("cache"));
    agent.prepare(&mut command, &world, &server);
    let output = command.current_dir(world.workspace()).stdin(Stdio::null()).output().unwrap();
    Some(Played { world, server, output })
}

#[test]
fn a_claim_about_tests_that_never_ran_comes_back() {
    for agent in ALL {
        let Some(played) = play(agent, 0, vec![Turn::text(CLAIM), Turn::text(HONEST)]) else { continue };
        assert!(played.server.was_told(BACK), "{agent:?} {played}");
        assert_eq!(played.server.turns(), 2, "sent back once: {agent:?} {played}");
    }
}

#[test]
fn a_claim_that_the_record_contradicts_comes_back() {
    for agent in ALL {
        let script = vec![Turn::shell(TESTS), Turn::text(CLAIM), Turn::text("One of the 12 tests failed.")];
        let Some(played) = play(agent, 1, script) else { continue };
        assert!(played.server.was_told(BACK), "{agent:?} {played}");
        assert!(played.server.was_told("contradicted"), "{agent:?} {played}");
        assert_eq!(played.server.turns(), 3, "{agent:?} {played}");
    }
}

#[test]
fn what_is_true_passes_and_commands_leave_records() {
    for agent in ALL {
        let script = vec![Turn::shell("printf 'a\\nb'; echo err >&2"), Turn::shell(TESTS), Turn::text(CLAIM)];
        let Some(played) = play(agent, 0, script) else { continue };
        assert!(!played.server.was_told(BACK), "{agent:?} {played}");
        assert_eq!(played.server.turns(), 3, "{agent:?} {played}");
        let runs = played.runs();
        assert_eq!(runs.len(), 2, "{agent:?} {played}");
        let shown = played.world.actum_with(&["show", "last", "--json"]).go().expect(0);
        let report: Value = serde_json::from_slice(&shown.stdout).unwrap();
        assert_eq!(report["execution"]["command"], TESTS, "{agent:?} {shown}");
        assert_eq!(report["analysis"]["tests"]["passed"], 12, "{agent:?} {shown}");
        assert!(report["execution"].get("witness").is_none(), "it was executed, not only observed: {shown}");
        assert!(
            played.server.was_told("Ran 12 tests"),
            "the model sees what the tests printed: {agent:?} {played}"
        );
    }
}
