//! The coding agents whose hooks are known: where their settings lie and what they call things.

use actum_engine::Surroundings;
use std::path::{Path, PathBuf};

/// A coding agent that runs shell commands and says what it did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Agent {
    /// Claude Code
    Claude,
    /// Codex
    Codex,
    /// Gemini CLI
    Gemini,
}

/// One moment at which an agent calls us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Moment {
    /// The agent's own name of it.
    pub(super) event: &'static str,
    /// Which tools it is about; none where it is about none.
    pub(super) matcher: Option<&'static str>,
    /// What we call it.
    pub(super) word: &'static str,
    /// How long we may take, in seconds.
    pub(super) patience: u64,
}

pub(super) const BEFORE: &str = "pre-tool-use";
pub(super) const AFTER: &str = "post-tool-use";
pub(super) const STOP: &str = "stop";

/// A rewritten command is there in a few milliseconds; a ledger that is locked is waited for, and not for long.
const SHORT: u64 = 10;
/// Claims of a long message against a long ledger.
const LONG: u64 = 60;

const fn moment(event: &'static str, tool: &'static str, word: &'static str) -> Moment {
    Moment { event, matcher: Some(tool), word, patience: SHORT }
}

const fn stop(event: &'static str) -> Moment {
    Moment { event, matcher: None, word: STOP, patience: LONG }
}

const CLAUDE: &[Moment] = &[
    moment("PreToolUse", "Bash", BEFORE),
    moment("PostToolUse", "Bash", AFTER),
    moment("PostToolUseFailure", "Bash", AFTER),
    stop("Stop"),
];
const CODEX: &[Moment] =
    &[moment("PreToolUse", "Bash", BEFORE), moment("PostToolUse", "Bash", AFTER), stop("Stop")];
const GEMINI: &[Moment] = &[
    moment("BeforeTool", "run_shell_command", BEFORE),
    moment("AfterTool", "run_shell_command", AFTER),
    stop("AfterAgent"),
];

impl Agent {
    /// As it is typed.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
        }
    }

    /// As people call it.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Claude => "Claude Code",
            Self::Codex => "Codex",
            Self::Gemini => "Gemini CLI",
        }
    }

    pub(super) fn moments(self) -> &'static [Moment] {
        match self {
            Self::Claude => CLAUDE,
            Self::Codex => CODEX,
            Self::Gemini => GEMINI,
        }
    }

    /// A time in the unit in which its settings count: Gemini's are milliseconds.
    pub(super) fn timeout(self, seconds: u64) -> u64 {
        match self {
            Self::Claude | Self::Codex => seconds,
            Self::Gemini => seconds * 1000,
        }
    }

    /// The settings of a project.
    pub(super) fn project_settings(self, project: &Path) -> PathBuf {
        let (folder, file) = self.place();
        project.join(folder).join(file)
    }

    /// The settings of a user; none where there is no home.
    pub(super) fn user_settings(self, surroundings: &Surroundings) -> Option<PathBuf> {
        let (folder, file) = self.place();
        let named = match self {
            Self::Claude => surroundings.path_named("CLAUDE_CONFIG_DIR"),
            Self::Codex => surroundings.path_named("CODEX_HOME"),
            Self::Gemini => None,
        };
        let home = surroundings.home.as_ref().map(|home| home.join(folder));
        named.or(home).map(|folder| folder.join(file))
    }

    fn place(self) -> (&'static str, &'static str) {
        match self {
            Self::Claude => (".claude", "settings.json"),
            Self::Codex => (".codex", "hooks.json"),
            Self::Gemini => (".gemini", "settings.json"),
        }
    }

    /// What its user has to do before it calls us.
    pub(super) fn advice(self) -> Option<&'static str> {
        match self {
            Self::Claude => None,
            Self::Codex => {
                Some("Codex runs new hooks only after you trusted them: start it here and type /hooks")
            }
            Self::Gemini => Some("Gemini CLI reads a project's settings only in folders that you trusted"),
        }
    }
}
