//! Config is resolved once, here at the door: the embedded defaults, then the user's file, then the
//! project's, then flags. Rooms below get
//! small typed values and never look for themselves.

mod hook;
mod packages;
mod tasks;

pub use hook::{Block, Commands, HookRules};
pub use packages::PackageRules;
pub use tasks::TaskRules;

use actum_model::{Approval, ApprovalError, Bytes, Limits, LimitsError, Profile, Span, SpanError};
use actum_run::Bounds;
use actum_run::language::{Languages, UserLanguage, UserLanguageError};
use actum_run::redact::{Pattern, PatternError};
use actum_store::{Keyring, Store};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The embedded defaults, which are also the manual.
pub const DEFAULTS: &str = include_str!("default.toml");

/// What is in force before flags.
#[derive(Debug, Clone)]
pub struct Config {
    pub profile: Profile,
    pub limits: Limits,
    pub approval: Approval,
    /// What a project's own file asks for at least.
    stricter: Approval,
    /// The longest time that is taken for meant.
    pub longest: Span,
    pub languages: Languages,
    /// How long a program that is to stop has to end by itself.
    pub grace: Span,
    /// What is looked for beside what is built in, and what is not looked for.
    pub redact: Redact,
    /// What may be installed for a program.
    pub packages: PackageRules,
    /// How often it is tried again.
    pub bounds: Bounds,
    /// What is done for coding agents.
    pub hook: HookRules,
    /// Which tasks of a list are run.
    pub tasks: TaskRules,
    /// What is expected of every run, or of the programs that `of` names.
    pub expect: Vec<ExpectPart>,
}

/// The `[expect]` of one file, as it is written there.
#[derive(Debug, Clone)]
pub struct ExpectPart {
    pub path: PathBuf,
    pub table: serde_json::Map<String, serde_json::Value>,
}

/// What somebody chose to have taken out of what is kept.
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

/// The caller's variables and folders, read once.
#[derive(Debug, Clone)]
pub struct Surroundings {
    pub variables: Vec<(OsString, OsString)>,
    pub home: Option<PathBuf>,
    pub folder: PathBuf,
    /// Where layers on disk are made.
    pub layers: PathBuf,
    /// What can be made again: compiled programs.
    pub cache: PathBuf,
    /// Where runs are kept: named, of the project, or the user's own.
    pub store: PathBuf,
    /// Where keys are kept. No program sees it.
    pub keys: PathBuf,
    /// The socket of an ssh-agent, where there is one.
    pub agent: Option<PathBuf>,
    pub config_file: Option<PathBuf>,
}

/// Why the configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("read {}", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("understand {}, line {line}: {message}", path.display())]
    Parse { path: PathBuf, line: usize, message: String },
    #[error("use the limits of {}", path.display())]
    Limits { path: PathBuf, source: LimitsError },
    #[error("use the grace of {}", path.display())]
    Grace { path: PathBuf, source: SpanError },
    #[error("use the policy of {}", path.display())]
    Policy { path: PathBuf, source: actum_model::PolicyError },
    #[error("let {} choose the policy `{profile}`: a project can ask for less than you allow, not for more", path.display())]
    Wider { path: PathBuf, profile: Profile },
    #[error("let {} say what {name} is: a project can add languages, not replace them", path.display())]
    Taken { path: PathBuf, name: String },
    #[error("use the approval of {}", path.display())]
    Approval { path: PathBuf, source: ApprovalError },
    #[error("use the longest time of {}", path.display())]
    Longest { path: PathBuf, source: SpanError },
    #[error("use the language {name} of {}", path.display())]
    Language { path: PathBuf, name: String, source: UserLanguageError },
    #[error("look for the pattern `{pattern}` of {}", path.display())]
    Pattern { path: PathBuf, pattern: String, source: PatternError },
    #[error("turn `{name}` off as {} says: nothing that is redacted is called so", path.display())]
    NoSuchPattern { path: PathBuf, name: String },
    #[error("let {} turn off what is redacted: a project can add patterns, not take any away", path.display())]
    TurnsOff { path: PathBuf },
    #[error("use [packages] of {}: {what}", path.display())]
    Packages { path: PathBuf, what: &'static str },
    #[error("use [tasks] of {}: {what}", path.display())]
    Tasks { path: PathBuf, what: &'static str },
    #[error("use the store {}: it was not made here by you", path.display())]
    UnknownStore { path: PathBuf },
    #[error("find the working folder")]
    Folder { source: std::io::Error },
}

impl ConfigError {
    pub fn hint(&self) -> &'static str {
        match self {
            Self::UnknownStore { .. } => {
                "it came with the project; `actum init` takes it over if you trust it, else remove it or name another with ACTUM_STORE"
            }
            Self::Folder { .. } => "go to a folder that is there",
            Self::Read { .. }
            | Self::Parse { .. }
            | Self::Limits { .. }
            | Self::Grace { .. }
            | Self::Policy { .. }
            | Self::Wider { .. }
            | Self::Taken { .. }
            | Self::Approval { .. }
            | Self::Longest { .. }
            | Self::Pattern { .. }
            | Self::NoSuchPattern { .. }
            | Self::TurnsOff { .. }
            | Self::Packages { .. }
            | Self::Tasks { .. }
            | Self::Language { .. } => {
                "`actum config` shows the defaults and where your own file is looked for"
            }
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
    redact: RedactPart,
    #[serde(default)]
    packages: packages::PackagesPart,
    #[serde(default)]
    recover: packages::RecoverPart,
    #[serde(default)]
    hook: hook::HookPart,
    #[serde(default)]
    tasks: tasks::TasksPart,
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

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct EndingsPart {
    grace: Option<String>,
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

/// What the caller's variables say about where things are.
struct Caller {
    variables: Vec<(OsString, OsString)>,
    home: Option<PathBuf>,
    folder: PathBuf,
}

impl Caller {
    fn read() -> Result<Self, ConfigError> {
        let variables: Vec<(OsString, OsString)> = std::env::vars_os().collect();
        let folder = std::env::current_dir().map_err(|source| ConfigError::Folder { source })?;
        let mut caller = Self { variables, home: None, folder };
        caller.home = caller.path("HOME").filter(|home| home.is_absolute());
        Ok(caller)
    }

    fn path(&self, name: &str) -> Option<PathBuf> {
        let found = self.variables.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| PathBuf::from(value)).filter(|path| !path.as_os_str().is_empty())
    }

    fn below_home(&self, variable: &str, default: &str) -> Option<PathBuf> {
        let named = self.path(variable).filter(|path| path.is_absolute());
        named.or_else(|| self.home.as_ref().map(|home| home.join(default)))
    }

    /// The same where it can be used, else a folder that everybody has.
    fn usable(&self, variable: &str, default: &str) -> PathBuf {
        let elsewhere = || PathBuf::from(format!("/var/tmp/actum-{}", rustix::process::geteuid().as_raw()));
        self.below_home(variable, default).filter(|path| is_usable(path)).unwrap_or_else(elsewhere)
    }

    fn keys(&self) -> PathBuf {
        let named = self.path("ACTUM_KEYS").map(|named| self.folder.join(named));
        without_links(named.unwrap_or_else(|| self.usable("XDG_CONFIG_HOME", ".config").join("actum/keys")))
    }
}

impl Surroundings {
    pub fn read() -> Result<Self, ConfigError> {
        let caller = Caller::read()?;
        let keys = caller.keys();
        let store = match caller.path("ACTUM_STORE") {
            Some(named) => caller.folder.join(named),
            None => match project_store(&caller.folder, &keys)? {
                Some(found) => found,
                None => caller.usable("XDG_DATA_HOME", ".local/share").join("actum"),
            },
        };
        // Without links: what is hidden is hidden by its real name.
        let cache = without_links(caller.usable("XDG_CACHE_HOME", ".cache").join("actum"));
        Ok(Self {
            layers: cache.join("layers"),
            cache,
            store: without_links(store),
            keys,
            agent: caller.path("SSH_AUTH_SOCK"),
            config_file: caller
                .below_home("XDG_CONFIG_HOME", ".config")
                .map(|base| base.join("actum/config.toml")),
            home: caller.home,
            folder: caller.folder,
            variables: caller.variables,
        })
    }

    /// Where keys are kept, also where no store can be used.
    pub fn keys_folder() -> Result<PathBuf, ConfigError> {
        Ok(Caller::read()?.keys())
    }

    /// What no program sees, wherever it lies: runs, approvals and sessions, what was compiled, and keys.
    pub fn hidden(&self) -> Vec<PathBuf> {
        vec![self.store.clone(), self.cache.clone(), self.keys.clone()]
    }

    /// The nearest `actum.toml` of the workspace and the folders above it.
    fn project_file(&self, workspace: Option<&Path>) -> Option<PathBuf> {
        let folder = workspace.map_or_else(|| self.folder.clone(), |workspace| self.folder.join(workspace));
        // Of the caller or of root: in a folder that all can write anybody could leave one.
        let own = |path: &PathBuf| {
            use std::os::unix::fs::MetadataExt;
            let owner =
                path.metadata().ok().filter(std::fs::Metadata::is_file).map(|metadata| metadata.uid());
            owner.is_some_and(|owner| owner == 0 || owner == rustix::process::geteuid().as_raw())
        };
        folder.ancestors().map(|above| above.join("actum.toml")).find(own)
    }

    /// A folder or file that a variable names; relative names are meant from here.
    pub fn path_named(&self, variable: &str) -> Option<PathBuf> {
        let found = self.variables.iter().find(|(name, _)| name == variable).map(|(_, value)| value);
        found.filter(|value| !value.is_empty()).map(|value| self.folder.join(value))
    }

    /// The variable `PATH`, or nothing.
    pub fn path(&self) -> &OsStr {
        let found = self.variables.iter().find(|(name, _)| name == "PATH");
        found.map(|(_, value)| value.as_os_str()).unwrap_or_default()
    }
}

/// The store of the project that a folder is in. One that came with the project, and was not made by this user, is refused:
/// what it says is to be finished would be finished.
fn project_store(folder: &Path, keys: &Path) -> Result<Option<PathBuf>, ConfigError> {
    let found = folder
        .ancestors()
        .map(|above| above.join(Store::IN_PROJECT))
        .find(|path| path.symlink_metadata().is_ok());
    match found {
        Some(path) if !Store::at(&path).is_known(&Keyring::at(keys)) => {
            Err(ConfigError::UnknownStore { path })
        }
        found => Ok(found),
    }
}

/// The real path of a folder that need not be there yet: of what is there of it.
fn without_links(path: PathBuf) -> PathBuf {
    let there = path.ancestors().find_map(|above| Some((above, above.canonicalize().ok()?)));
    match there {
        // Joined with nothing a path would end in a slash, and be another name.
        Some((above, real)) => match path.strip_prefix(above) {
            Ok(rest) if rest.as_os_str().is_empty() => real,
            Ok(rest) => real.join(rest),
            Err(_) => path,
        },
        None => path,
    }
}

/// A cache folder that is there or can be made by its owner.
fn is_usable(cache: &Path) -> bool {
    let nearest = cache.ancestors().find(|path| path.exists());
    nearest.is_some_and(|path| rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_ok())
}

impl Config {
    /// Embedded defaults, then the user's file, then the one of the project that `workspace` is in.
    pub fn resolve(surroundings: &Surroundings, workspace: Option<&Path>) -> Result<Self, ConfigError> {
        let mut config = Self::embedded()?;
        let read = |path: &Path| {
            std::fs::read_to_string(path)
                .map_err(|source| ConfigError::Read { path: path.to_path_buf(), source })
        };
        if let Some(path) = surroundings.config_file.as_ref().filter(|path| path.exists()) {
            config.lay_over(&read(path)?, path, Whose::Users)?;
        }
        if let Some(path) = surroundings.project_file(workspace) {
            config.lay_over(&read(&path)?, &path, Whose::Projects)?;
        }
        Ok(config)
    }

    /// When to ask: as the flag says, and not less than the project wants.
    pub fn approval_with(&self, flag: Option<Approval>) -> Approval {
        flag.unwrap_or(self.approval).max(self.stricter)
    }

    /// The defaults alone.
    pub fn embedded() -> Result<Self, ConfigError> {
        // Every value below is named in the embedded file, so none of these survives.
        let limits = Limits {
            wall: Span::default(),
            cpu: Span::default(),
            memory: Bytes(0),
            processes: 0,
            descriptors: 0,
            file_size: Bytes(0),
            disk: Bytes(0),
            output: Bytes(0),
        };
        let mut config = Self {
            profile: Profile::Default,
            limits,
            approval: Approval::default(),
            stricter: Approval::Never,
            longest: Span::default(),
            grace: Span::default(),
            languages: Languages::builtin(),
            redact: Redact::default(),
            packages: PackageRules::default(),
            tasks: TaskRules::default(),
            bounds: Bounds { attempts: 0, builds: 0, raises: 0, times: 0, ceiling: limits },
            hook: HookRules::default(),
            expect: Vec::new(),
        };
        config.lay_over(DEFAULTS, Path::new("default.toml"), Whose::Users)?;
        config
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
            self.profile = match (whose, profile) {
                (Whose::Users, any) | (Whose::Projects, any @ Profile::Locked) => any,
                (Whose::Projects, same) if same == self.profile => same,
                (Whose::Projects, profile) => return Err(ConfigError::Wider { path: path(), profile }),
            };
        }
        if let Some(approval) = file.request.approval {
            let approval =
                approval.parse().map_err(|source| ConfigError::Approval { path: path(), source })?;
            match whose {
                Whose::Users => self.approval = approval,
                Whose::Projects => self.stricter = approval,
            }
        }
        if let Some(longest) = file.request.longest.filter(|_| whose == Whose::Users) {
            self.longest = longest.parse().map_err(|source| ConfigError::Longest { path: path(), source })?;
        }
        for (name, language) in file.language {
            if whose == Whose::Projects && self.languages.called(&name).is_some() {
                return Err(ConfigError::Taken { path: path(), name });
            }
            let language = language.into_language(&name).map_err(|source| ConfigError::Language {
                path: path(),
                name,
                source,
            })?;
            self.languages = std::mem::take(&mut self.languages).with(language);
        }
        if let Some(grace) = file.endings.grace.filter(|_| whose == Whose::Users) {
            self.grace = grace.parse().map_err(|source| ConfigError::Grace { path: path(), source })?;
        }
        self.redact.lay_over(file.redact, &path(), whose)?;
        self.packages.lay_over(file.packages, &path(), whose)?;
        self.hook.lay_over(file.hook, &path(), whose)?;
        self.tasks.lay_over(file.tasks, &path())?;
        if !file.expect.is_empty() {
            // Everybody's add up: whoever expects more asks for more to be shown, and allows nothing.
            self.expect.push(ExpectPart { path: path(), table: file.expect });
        }
        packages::recover(&mut self.bounds, file.recover, &path(), whose)?;
        for (name, value) in file.limits {
            let mut limits = self.limits;
            limits
                .set(&value.assigned_to(&name))
                .map_err(|source| ConfigError::Limits { path: path(), source })?;
            self.limits = match whose {
                Whose::Users => limits,
                Whose::Projects => self.limits.least(limits),
            };
        }
        Ok(())
    }
}

impl Redact {
    fn lay_over(&mut self, part: RedactPart, path: &Path, whose: Whose) -> Result<(), ConfigError> {
        let path = || path.to_path_buf();
        for text in part.patterns {
            match Pattern::new(&text) {
                Ok(pattern) => self.patterns.push(pattern),
                Err(source) => return Err(ConfigError::Pattern { path: path(), pattern: text, source }),
            }
        }
        if whose == Whose::Projects && !part.off.is_empty() {
            return Err(ConfigError::TurnsOff { path: path() });
        }
        if let Some(name) = part.off.iter().find(|off| !Self::names().contains(&off.as_str())) {
            return Err(ConfigError::NoSuchPattern { path: path(), name: name.clone() });
        }
        self.off.extend(part.off);
        Ok(())
    }
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

    #[test]
    fn the_embedded_defaults_are_whole() {
        let config = Config::embedded().unwrap();
        assert_eq!(config.limits.check(), Ok(()));
        assert_eq!((config.profile, config.grace), (Profile::Default, Span::seconds(2)));
    }

    #[test]
    fn a_user_s_file_overrides_what_it_names() {
        let mut config = Config::embedded().unwrap();
        config
            .lay_over("[limits]\nmemory = \"1GiB\"\nprocesses = 9\n", Path::new("x"), Whose::Users)
            .unwrap();
        assert_eq!((config.limits.memory, config.limits.processes), (Bytes::gib(1), 9));
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
            config.lay_over(text, Path::new("actum.toml"), Whose::Projects).map(|()| config)
        };
        assert_eq!(project("[policy]\nprofile = \"locked\"").unwrap().profile, Profile::Locked);
        assert!(matches!(project("[policy]\nprofile = \"open\""), Err(ConfigError::Wider { .. })));
        let lax = project("[request]\napproval = \"never\"").unwrap();
        assert_eq!(lax.approval_with(None), Approval::Risky);
        let strict = project("[request]\napproval = \"always\"").unwrap();
        assert_eq!(strict.approval_with(Some(Approval::Never)), Approval::Always);
        let zig =
            project("[language.zig]\nextensions = [\"zig\"]\nrun = [\"zig\", \"run\", \"{file}\"]").unwrap();
        assert!(zig.languages.called("zig").is_some());
        let adds = project("[redact]\npatterns = [\"acme_[0-9]+\"]").unwrap();
        assert_eq!(adds.redact.patterns.len(), 1);
        assert!(matches!(project("[redact]\noff = [\"jwt\"]"), Err(ConfigError::TurnsOff { .. })));
        let taken = "[language.python]\nextensions = [\"py\"]\nrun = [\"cat\", \"{file}\"]";
        assert!(matches!(project(taken), Err(ConfigError::Taken { .. })));
        let user = Config::embedded().unwrap().limits;
        let wide = project("[limits]\nmemory = \"400GiB\"\nprocesses = 9").unwrap().limits;
        assert_eq!((wide.memory, wide.processes), (user.memory, 9));
    }
}
