//! Config is resolved once, here at the door: the embedded defaults, then the user's file, then the
//! project's, then flags. Rooms below get
//! small typed values and never look for themselves.

mod experiment;
mod files;
mod hook;
mod packages;
mod rights;
mod tasks;
mod trust;

pub use experiment::ExperimentRules;
pub use files::{ConfigFile, project_file};
use files::{project_files, users_file};
pub(crate) use hook::read_setting_file;
pub use hook::{Block, Commands, HookRules, SandboxRequest};
pub use tasks::TaskRules;
pub use trust::Trust;

use actum_engine::{Caller, ExpectPart, Redact, RunDefaults, Surroundings, SurroundingsError};
use actum_languages::{UserLanguage, UserLanguageError};
use actum_model::{ApprovalError, LimitsError, Profile, Span, SpanError};
use actum_run::NotKeep;
use actum_run::redact::{Pattern, PatternError};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The embedded defaults, which are also the manual.
pub const DEFAULTS: &str = include_str!("default.toml");

/// What is in force before flags.
#[derive(Debug, Clone)]
pub struct Config {
    /// For every run.
    pub run: RunDefaults,
    /// For experiments.
    pub experiment: ExperimentRules,
    /// Which tasks of a list are run.
    pub tasks: TaskRules,
    /// What is done for coding agents.
    pub hook: HookRules,
}

/// Why the configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error(transparent)]
    Surroundings(#[from] SurroundingsError),
    #[error("cannot read {}", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("cannot use a configuration file")]
    Gate { source: actum_gate::GateError },
    #[error("cannot use {}: a project must not set `{key}`: it {why}", path.display())]
    UsersKey { path: PathBuf, key: String, why: &'static str },
    #[error("cannot use {}: `{}` {} trust, and you have not trusted this file", path.display(), keys.join("`, `"), if keys.len() == 1 { "needs" } else { "need" })]
    Untrusted { path: PathBuf, keys: Vec<String> },
    #[error("cannot use {}: `{key}` is not a table", path.display())]
    NotATable { path: PathBuf, key: String },
    #[error("cannot use {}: `{key}` has more than {most} entries", path.display())]
    TooMany { path: PathBuf, key: String, most: usize },
    #[error("no actum.toml found here or in a parent folder")]
    NoProjectFile,
    #[error("cannot save trusted files: there is no home folder")]
    NoHome,
    #[error("cannot parse {}, line {line}: {message}", path.display())]
    Parse { path: PathBuf, line: usize, message: String },
    #[error("invalid limit in {}", path.display())]
    Limits { path: PathBuf, source: LimitsError },
    #[error("invalid `grace` in {}", path.display())]
    Grace { path: PathBuf, source: SpanError },
    #[error("invalid `keep` in {}", path.display())]
    Keep { path: PathBuf, source: NotKeep },
    #[error("invalid policy in {}", path.display())]
    Policy { path: PathBuf, source: actum_model::PolicyError },
    #[error("cannot use {}: a project must not select the wider policy `{profile}`", path.display())]
    Wider { path: PathBuf, profile: Profile },
    #[error("cannot use {}: a project can add languages, but not replace {name}", path.display())]
    Taken { path: PathBuf, name: String },
    #[error("invalid `approval` in {}", path.display())]
    Approval { path: PathBuf, source: ApprovalError },
    #[error("invalid `longest` in {}", path.display())]
    Longest { path: PathBuf, source: SpanError },
    #[error("invalid language {name} in {}", path.display())]
    Language { path: PathBuf, name: String, source: UserLanguageError },
    #[error("invalid redaction pattern `{pattern}` in {}", path.display())]
    Pattern { path: PathBuf, pattern: String, source: PatternError },
    #[error("cannot turn off `{name}` as in {}: there is no redaction of that name", path.display())]
    NoSuchPattern { path: PathBuf, name: String },
    #[error("invalid [packages] in {}: {what}", path.display())]
    Packages { path: PathBuf, what: &'static str },
    #[error("invalid [tasks] in {}: {what}", path.display())]
    Tasks { path: PathBuf, what: &'static str },
    #[error("cannot trust {path:?}: its path has control characters")]
    UnprintablePath { path: PathBuf },
    #[error("cannot find the current folder")]
    Folder { source: std::io::Error },
}

impl ConfigError {
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Surroundings(error) => error.hint(),
            Self::Folder { .. } => "change to a folder that exists",
            Self::UnprintablePath { .. } => "rename the folder, and check the rest of the project",
            Self::Untrusted { .. } => "read the file, then run `actum trust`",
            Self::UsersKey { .. } => "set it in your own file; `actum config` shows its path",
            Self::Gate { .. } => "it must be a regular file that you own, smaller than 1 MiB, in its folder",
            Self::NotATable { .. } => "write it as a table; `actum config` shows all keys",
            Self::NoProjectFile => "name the file: `actum trust FILE`",
            Self::NoHome => "set HOME or XDG_CONFIG_HOME",
            Self::Read { .. }
            | Self::TooMany { .. }
            | Self::Parse { .. }
            | Self::Limits { .. }
            | Self::Grace { .. }
            | Self::Keep { .. }
            | Self::Policy { .. }
            | Self::Wider { .. }
            | Self::Taken { .. }
            | Self::Approval { .. }
            | Self::Longest { .. }
            | Self::Pattern { .. }
            | Self::NoSuchPattern { .. }
            | Self::Packages { .. }
            | Self::Tasks { .. }
            | Self::Language { .. } => "`actum config` shows the defaults and the path of your own file",
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    policy: PolicyPart,
    #[serde(default)]
    limits: BTreeMap<String, Value>,
    #[serde(default)]
    request: RequestPart,
    #[serde(default)]
    language: BTreeMap<String, UserLanguage>,
    #[serde(default)]
    endings: EndingsPart,
    #[serde(default)]
    changes: ChangesPart,
    #[serde(default)]
    redact: RedactPart,
    #[serde(default)]
    packages: packages::PackagesPart,
    #[serde(default)]
    recover: packages::RecoverPart,
    #[serde(default)]
    experiment: experiment::ExperimentPart,
    #[serde(default)]
    tasks: tasks::TasksPart,
    #[serde(default)]
    hook: hook::HookPart,
    #[serde(default)]
    expect: serde_json::Map<String, serde_json::Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RedactPart {
    #[serde(default)]
    patterns: Vec<String>,
    #[serde(default)]
    off: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RequestPart {
    approval: Option<String>,
    longest: Option<String>,
}

/// Whose file it is. A project comes from anywhere: its file may ask for less than the user allows, and never for more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    Users,
    Projects,
}

impl Whose {
    /// A project can ask for a shorter time, not for a longer one.
    fn shorter(self, now: Span, asked: Span) -> Span {
        match self {
            Self::Users => asked,
            Self::Projects => asked.min(now),
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct EndingsPart {
    grace: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ChangesPart {
    keep: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct PolicyPart {
    profile: Option<String>,
}

/// A limit may be written as a text with its unit or as a bare number.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Value {
    Number(u64),
    Text(String),
}

impl Value {
    /// As a flag would say it.
    fn assigned_to(&self, name: &str) -> String {
        match self {
            Self::Number(number) => format!("{name}={number}"),
            Self::Text(text) => format!("{name}={text}"),
        }
    }
}

/// The variables and the working folder of this process.
fn caller() -> Result<Caller, ConfigError> {
    let folder = std::env::current_dir().map_err(|source| ConfigError::Folder { source })?;
    Ok(Caller::new(std::env::vars_os().collect(), folder))
}

/// The same from a folder that is gone.
fn caller_anywhere() -> Caller {
    caller().unwrap_or_else(|_| Caller::without_folder(std::env::vars_os().collect()))
}

/// The caller's variables and folders, read once.
pub fn surroundings() -> Result<Surroundings, ConfigError> {
    Ok(Surroundings::of(caller()?)?)
}

/// Where keys are kept, also where no store can be used.
pub fn keys_folder() -> Result<PathBuf, ConfigError> {
    Ok(caller()?.keys()?)
}

impl Config {
    /// Embedded defaults, then the user's file, then the one of the project that `workspace` is in.
    pub fn resolve(surroundings: &Surroundings, workspace: Option<&Path>) -> Result<Self, ConfigError> {
        let mut config = Self::embedded()?;
        if let Some(file) = users_file(surroundings)? {
            config.lay_over(&file.text, &file.path, Whose::Users)?;
        }
        for file in project_files(surroundings, workspace)? {
            config.lay_over_project(&file, surroundings)?;
        }
        Ok(config)
    }

    /// Without any project's file.
    pub fn of_user(surroundings: &Surroundings) -> Result<Self, ConfigError> {
        let mut config = Self::embedded()?;
        if let Some(file) = users_file(surroundings)? {
            config.lay_over(&file.text, &file.path, Whose::Users)?;
        }
        Ok(config)
    }

    /// What the user's own file says about agents' hooks, whatever a project or a store is like.
    pub fn users_hook_rules() -> Result<HookRules, ConfigError> {
        let mut config = Self::embedded()?;
        let base = caller_anywhere().below_home("XDG_CONFIG_HOME", ".config");
        if let Some(path) = base.map(|base| base.join("actum/config.toml")) {
            let text = read_setting_file(&path)
                .map_err(|source| ConfigError::Read { path: path.clone(), source })?;
            config.lay_over(&text.unwrap_or_default(), &path, Whose::Users)?;
        }
        Ok(config.hook)
    }

    /// A project's file, as far as it may go by itself, or with the user's trust.
    fn lay_over_project(
        &mut self,
        file: &ConfigFile,
        surroundings: &Surroundings,
    ) -> Result<(), ConfigError> {
        let keys = keys_needing_trust(file)?;
        if !keys.is_empty() && !Trust::of(surroundings)?.is_trusted(&file.path, &file.text)? {
            return Err(ConfigError::Untrusted { path: file.path.clone(), keys });
        }
        self.lay_over(&file.text, &file.path, Whose::Projects)
    }

    /// The defaults alone.
    pub fn embedded() -> Result<Self, ConfigError> {
        let mut config = Self {
            run: RunDefaults::default(),
            experiment: ExperimentRules::default(),
            tasks: TaskRules::default(),
            hook: HookRules::default(),
        };
        config.lay_over(DEFAULTS, Path::new("default.toml"), Whose::Users)?;
        config
            .run
            .limits
            .check()
            .map_err(|source| ConfigError::Limits { path: "default.toml".into(), source })?;
        Ok(config)
    }

    fn lay_over(&mut self, text: &str, path: &Path, whose: Whose) -> Result<(), ConfigError> {
        let path = || path.to_path_buf();
        let file: File = toml::from_str(text).map_err(|error| not_understood(&error, text, path()))?;
        if let Some(profile) = file.policy.profile {
            let profile = profile.parse().map_err(|source| ConfigError::Policy { path: path(), source })?;
            self.run.profile = match (whose, profile) {
                (Whose::Users, any) | (Whose::Projects, any @ Profile::Locked) => any,
                (Whose::Projects, same) if same == self.run.profile => same,
                (Whose::Projects, profile) => return Err(ConfigError::Wider { path: path(), profile }),
            };
        }
        if let Some(approval) = file.request.approval {
            let approval =
                approval.parse().map_err(|source| ConfigError::Approval { path: path(), source })?;
            match whose {
                Whose::Users => self.run.approval = approval,
                Whose::Projects => self.run.least_approval = self.run.least_approval.max(approval),
            }
        }
        if let Some(longest) = file.request.longest {
            let longest = longest.parse().map_err(|source| ConfigError::Longest { path: path(), source })?;
            self.run.longest = whose.shorter(self.run.longest, longest);
        }
        for (name, language) in file.language {
            if whose == Whose::Projects && self.run.languages.called(&name).is_some() {
                return Err(ConfigError::Taken { path: path(), name });
            }
            let language = language.into_language(&name).map_err(|source| ConfigError::Language {
                path: path(),
                name,
                source,
            })?;
            self.run.languages = std::mem::take(&mut self.run.languages).with(language);
        }
        if let Some(grace) = file.endings.grace {
            let grace = grace.parse().map_err(|source| ConfigError::Grace { path: path(), source })?;
            self.run.grace = whose.shorter(self.run.grace, grace);
        }
        if let Some(keep) = file.changes.keep {
            let keep = keep.parse().map_err(|source| ConfigError::Keep { path: path(), source })?;
            self.run.keep = match whose {
                Whose::Users => keep,
                Whose::Projects => self.run.keep.min(keep),
            };
        }
        add_redactions(&mut self.run.redact, file.redact, &path(), whose)?;
        packages::lay_over(&mut self.run.packages, file.packages, &path(), whose)?;
        self.experiment.lay_over(file.experiment);
        self.tasks.lay_over(file.tasks, &path())?;
        self.hook.lay_over(file.hook, &path(), whose)?;
        if !file.expect.is_empty() {
            // Everybody's add up: whoever expects more asks for more to be shown, and allows nothing.
            self.run.expect.push(ExpectPart { path: path(), table: file.expect });
        }
        packages::recover(&mut self.run.bounds, file.recover, &path(), whose)?;
        for (name, value) in file.limits {
            let mut limits = self.run.limits;
            limits
                .set(&value.assigned_to(&name))
                .map_err(|source| ConfigError::Limits { path: path(), source })?;
            self.run.limits = match whose {
                Whose::Users => limits,
                Whose::Projects => self.run.limits.least(limits),
            };
        }
        Ok(())
    }
}

fn add_redactions(
    redact: &mut Redact,
    part: RedactPart,
    path: &Path,
    whose: Whose,
) -> Result<(), ConfigError> {
    let path = || path.to_path_buf();
    let count = part.patterns.len();
    for text in part.patterns {
        let pattern = match whose {
            Whose::Users => Pattern::new(&text),
            Whose::Projects if count > Pattern::MOST_OF_PROJECT => Err(PatternError::TooMany),
            Whose::Projects => Pattern::of_project(&text),
        };
        match pattern {
            Ok(pattern) => redact.patterns.push(pattern),
            Err(source) => return Err(ConfigError::Pattern { path: path(), pattern: text, source }),
        }
    }
    if let Some(name) = part.off.iter().find(|off| !Redact::names().contains(&off.as_str())) {
        return Err(ConfigError::NoSuchPattern { path: path(), name: name.clone() });
    }
    redact.off.extend(part.off);
    Ok(())
}

/// Reads a project's file over the defaults and drops what comes of it.
pub(crate) fn parse_project_file(text: &str) {
    let _ = keys_needing_trust(&ConfigFile { path: "actum.toml".into(), text: text.to_owned() });
    if let Ok(mut config) = Config::embedded() {
        let _ = config.lay_over(text, Path::new("actum.toml"), Whose::Projects);
    }
}

/// Keys of a project's file that it may set only with the user's trust.
pub fn keys_needing_trust(file: &ConfigFile) -> Result<Vec<String>, ConfigError> {
    let table: toml::Table =
        toml::from_str(&file.text).map_err(|error| not_understood(&error, &file.text, file.path.clone()))?;
    rights::check(&table, &file.path)
}

/// On one line: the parser's own words draw the place over several.
fn not_understood(error: &toml::de::Error, text: &str, path: PathBuf) -> ConfigError {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    let message = error.message().split_whitespace().collect::<Vec<_>>().join(" ");
    ConfigError::Parse { path, line: before.matches('\n').count() + 1, message }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actum_model::{Approval, Bytes};

    #[test]
    fn the_embedded_defaults_are_whole() {
        let config = Config::embedded().unwrap();
        assert_eq!(config.run.limits.check(), Ok(()));
        assert_eq!((config.run.profile, config.run.grace), (Profile::Default, Span::seconds(2)));
    }

    /// Programs that embed the engine get what this file says.
    #[test]
    fn the_engine_s_defaults_are_those_of_the_embedded_file() {
        let embedded = Config::embedded().unwrap().run;
        assert_eq!(format!("{embedded:?}"), format!("{:?}", RunDefaults::default()));
        for key in
            ["profile", "wall", "cpu", "memory", "processes", "descriptors", "file-size", "disk", "output"]
        {
            assert!(DEFAULTS.lines().any(|line| line.starts_with(key)), "{key}");
        }
    }

    #[test]
    fn a_user_s_file_overrides_what_it_names() {
        let mut config = Config::embedded().unwrap();
        config
            .lay_over("[limits]\nmemory = \"1GiB\"\nprocesses = 9\n", Path::new("x"), Whose::Users)
            .unwrap();
        assert_eq!((config.run.limits.memory, config.run.limits.processes), (Bytes::gib(1), 9));
        for bad in [
            "[limits]\nmemory = \"5 apples\"",
            "[limit]\nx = 1",
            "[policy]\nprofile = \"lax\"",
            "[limits]\nwall = 0",
            "[endings]\ngrace = \"soon\"",
            "[redact]\npatterns = [\"acme_[\"]",
            "[redact]\noff = [\"everything\"]",
        ] {
            assert!(config.clone().lay_over(bad, Path::new("x"), Whose::Users).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_project_may_ask_for_less_and_not_for_more() {
        let project = |text: &str| {
            let mut config = Config::embedded().unwrap();
            let path = PathBuf::from("actum.toml");
            let keys = keys_needing_trust(&ConfigFile { path: path.clone(), text: text.to_owned() })?;
            if !keys.is_empty() {
                return Err(ConfigError::Untrusted { path, keys });
            }
            config.lay_over(text, &path, Whose::Projects).map(|()| config)
        };
        assert_eq!(project("[policy]\nprofile = \"locked\"").unwrap().run.profile, Profile::Locked);
        assert!(matches!(project("[policy]\nprofile = \"open\""), Err(ConfigError::Wider { .. })));
        let lax = project("[request]\napproval = \"never\"").unwrap();
        assert_eq!(lax.run.approval(None), Approval::Risky);
        let strict = project("[request]\napproval = \"always\"").unwrap();
        assert_eq!(strict.run.approval(Some(Approval::Never)), Approval::Always);
        let zig = project("[language.zig]\nextensions = [\"zig\"]\nrun = [\"zig\", \"run\", \"{file}\"]");
        assert!(matches!(zig, Err(ConfigError::Untrusted { .. })));
        let adds = project("[redact]\npatterns = [\"acme_[0-9]+\"]").unwrap();
        assert_eq!(adds.run.redact.patterns.len(), 1);
        assert!(matches!(project("[redact]\noff = [\"jwt\"]"), Err(ConfigError::UsersKey { .. })));
        let taken = "[language.python]\nextensions = [\"py\"]\nrun = [\"cat\", \"{file}\"]";
        let trusted = Config::embedded().unwrap().lay_over(taken, Path::new("actum.toml"), Whose::Projects);
        assert!(matches!(trusted, Err(ConfigError::Taken { .. })));
        let times = project("[request]\nlongest = \"1h\"\n[endings]\ngrace = \"1h\"").unwrap();
        assert_eq!((times.run.longest, times.run.grace), (Span::seconds(3600), Span::seconds(2)));
        let user = Config::embedded().unwrap().run.limits;
        let wide = project("[limits]\nmemory = \"400GiB\"\nprocesses = 9").unwrap().run.limits;
        assert_eq!((wide.memory, wide.processes), (user.memory, 9));
    }
}
