//! What is in force where a request says nothing: resolved once by whoever reads configuration, and given to the engine as values.

use actum_languages::Languages;
use actum_model::{Approval, Bytes, Limits, Profile, Span};
use actum_prepare::needs::Preparing;
use actum_run::redact::Pattern;
use actum_run::{Bounds, Keep};
use std::path::PathBuf;

/// Defaults for every request.
#[derive(Debug, Clone)]
pub struct RunDefaults {
    pub profile: Profile,
    pub limits: Limits,
    pub approval: Approval,
    /// The least that a project asks for; a request cannot go below it.
    pub least_approval: Approval,
    /// Longer timeouts are rejected as likely typos.
    pub longest: Span,
    pub languages: Languages,
    /// Time between SIGTERM and SIGKILL.
    pub grace: Span,
    /// When changes are applied.
    pub keep: Keep,
    /// Patterns to redact beside the built-in ones, and built-in ones to leave out.
    pub redact: Redact,
    /// Which packages may be installed.
    pub packages: PackageRules,
    /// How many attempts a run may have.
    pub bounds: Bounds,
    /// Expectations for every run, or for the programs that `of` names.
    pub expect: Vec<ExpectPart>,
}

/// What `actum` has without configuration; a test there compares them with its `default.toml`.
impl Default for RunDefaults {
    fn default() -> Self {
        let limits = Limits {
            wall: Span::seconds(10 * 60),
            cpu: Span::seconds(60 * 60),
            memory: Bytes::gib(4),
            processes: 1024,
            descriptors: 4096,
            file_size: Bytes::gib(1),
            disk: Bytes::gib(1),
            output: Bytes::mib(64),
        };
        let ceiling = Limits {
            wall: Span::seconds(30 * 60),
            cpu: Span::seconds(2 * 60 * 60),
            memory: Bytes::gib(8),
            processes: 4096,
            descriptors: 65_536,
            file_size: Bytes::gib(4),
            disk: Bytes::gib(4),
            ..limits
        };
        const DAY: u64 = 24 * 60 * 60;
        Self {
            profile: Profile::Default,
            limits,
            approval: Approval::Risky,
            least_approval: Approval::Never,
            longest: Span::seconds(7 * DAY),
            languages: Languages::builtin(),
            grace: Span::seconds(2),
            keep: Keep::Success,
            redact: Redact::default(),
            packages: PackageRules { cooldown: Span::seconds(7 * DAY), ..PackageRules::default() },
            bounds: Bounds { attempts: 6, builds: 3, raises: 1, times: 3, ceiling },
            expect: Vec::new(),
        }
    }
}

impl RunDefaults {
    /// When to ask: as the request says, and not less than the project wants.
    pub fn approval(&self, requested: Option<Approval>) -> Approval {
        requested.unwrap_or(self.approval).max(self.least_approval)
    }
}

/// Which packages may be installed, and from where.
#[derive(Debug, Clone, Default)]
pub struct PackageRules {
    pub preparing: Preparing,
    pub allow: Vec<String>,
    pub deny: Vec<String>,
    pub index: Option<String>,
    pub wheels: Option<PathBuf>,
    pub cooldown: Span,
    pub strangers: bool,
    pub builds: bool,
}

/// The `[expect]` table of one file, as it is written there.
#[derive(Debug, Clone)]
pub struct ExpectPart {
    pub path: PathBuf,
    pub table: serde_json::Map<String, serde_json::Value>,
}

/// What is redacted beside the built-in patterns, and what is not redacted.
#[derive(Debug, Clone, Default)]
pub struct Redact {
    pub patterns: Vec<Pattern>,
    pub off: Vec<String>,
}

impl Redact {
    /// Granted variables and the `.env` file can be turned off like patterns.
    pub const ENV: &str = "env";
    pub const DOTENV: &str = "dotenv";

    /// Everything that can be turned off.
    pub fn names() -> Vec<&'static str> {
        let mut names = actum_run::redact::builtin_patterns();
        names.extend([Self::ENV, Self::DOTENV]);
        names
    }

    pub fn is_off(&self, name: &str) -> bool {
        self.off.iter().any(|off| off == name)
    }
}
