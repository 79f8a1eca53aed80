//! Config is resolved once, here at the door: the embedded defaults, then the user's file, then the
//! project's, then flags. Rooms below get
//! small typed values and never look for themselves.

mod files;
mod folders;
mod hook;
mod packages;
mod rights;
mod tasks;
mod trust;

pub use files::ConfigFile;
use files::project_files;
pub(crate) use hook::read_setting_file;
pub use hook::{Block, Commands, HookRules, SandboxRequest};
pub use packages::PackageRules;
pub use tasks::TaskRules;
pub use trust::Trust;

use actum_gate::own::Looked;
use actum_languages::{Languages, UserLanguage, UserLanguageError};
use actum_model::{Approval, ApprovalError, Bytes, Limits, LimitsError, Profile, Span, SpanError};
use actum_run::Bounds;
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
    /// Which tasks of a list are run.
    pub tasks: TaskRules,
    /// What is done for coding agents.
    pub hook: HookRules,
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
    /// The user's own store, where neither a variable nor a project names another one.
    own_store: PathBuf,
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
    #[error("use a configuration file")]
    Gate { source: actum_gate::GateError },
    #[error("use {}: `{key}` is yours to set, not a project's: it {why}", path.display())]
    UsersKey { path: PathBuf, key: String, why: &'static str },
    #[error("use {}: you have not trusted this file, and `{}` {} more than a project may set", path.display(), keys.join("`, `"), if keys.len() == 1 { "is" } else { "are" })]
    Untrusted { path: PathBuf, keys: Vec<String> },
    #[error("use {}: `{key}` is not a table", path.display())]
    NotATable { path: PathBuf, key: String },
    #[error("use {}: `{key}` has more than {most} entries", path.display())]
    TooMany { path: PathBuf, key: String, most: usize },
    #[error("find an actum.toml here or in a folder above")]
    NoProjectFile,
    #[error("keep what you trust: there is no home folder")]
    NoHome,
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
    #[error("use [packages] of {}: {what}", path.display())]
    Packages { path: PathBuf, what: &'static str },
    #[error("use [tasks] of {}: {what}", path.display())]
    Tasks { path: PathBuf, what: &'static str },
    #[error("use the store {}: it was not made here by you", path.display())]
    UnknownStore { path: PathBuf },
    #[error("use {} as a folder of your own", path.display())]
    ForeignFolder { path: PathBuf, source: actum_gate::GateError },
    #[error("trust {path:?}: its path has control characters")]
    UnprintablePath { path: PathBuf },
    #[error("find the working folder")]
    Folder { source: std::io::Error },
}

impl ConfigError {
    pub fn hint(&self) -> &'static str {
        match self {
            Self::UnknownStore { .. } => {
                "it came with the project; `actum init` takes it over if you trust it, else remove it or name another with ACTUM_STORE"
            }
            Self::ForeignFolder { .. } => {
                "make it yours alone (chmod go-w), remove it, or set HOME to a folder that you can write"
            }
            Self::Folder { .. } => "go to a folder that is there",
            Self::UnprintablePath { .. } => "rename the folder, and look at what else came with it",
            Self::Untrusted { .. } => "read the file, then run `actum trust`",
            Self::UsersKey { .. } => "set it in your own file; `actum config` shows where that is",
            Self::Gate { .. } => "make it a regular file of your own, of less than 1 MiB, in its folder",
            Self::NotATable { .. } => "write it as a table of keys; `actum config` shows them all",
            Self::NoProjectFile => "name the file: `actum trust FILE`",
            Self::NoHome => "set HOME or XDG_CONFIG_HOME",
            Self::Read { .. }
            | Self::TooMany { .. }
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
    looked: Looked,
}

impl Caller {
    fn read() -> Result<Self, ConfigError> {
        let variables: Vec<(OsString, OsString)> = std::env::vars_os().collect();
        let folder = std::env::current_dir().map_err(|source| ConfigError::Folder { source })?;
        let mut caller = Self { variables, home: None, folder, looked: Looked::default() };
        caller.home = caller.path("HOME").filter(|home| home.is_absolute());
        Ok(caller)
    }

    /// The same from a folder that is gone: by the name that it had, or as if called from the root.
    fn or_anywhere() -> Self {
        Self::read().unwrap_or_else(|_| {
            let (variables, looked) = (std::env::vars_os().collect(), Looked::default());
            let mut caller = Self { variables, home: None, folder: PathBuf::from("/"), looked };
            caller.home = caller.path("HOME").filter(|home| home.is_absolute());
            caller.folder = caller.path("PWD").filter(|folder| folder.is_absolute()).unwrap_or(caller.folder);
            caller
        })
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
    fn usable(&self, variable: &str, default: &str) -> Result<PathBuf, ConfigError> {
        let named = self.below_home(variable, default).filter(|path| folders::is_usable(path));
        named.map_or_else(folders::fallback, Ok)
    }

    /// The same for runs and keys.
    fn own(&self, variable: &str, default: &str) -> Result<PathBuf, ConfigError> {
        folders::own_or_fallback(self.usable(variable, default)?, &self.looked)
    }

    /// The same for what can be made again: a cache that somebody else could write is not used.
    fn cache(&self) -> Result<PathBuf, ConfigError> {
        let base = self.usable("XDG_CACHE_HOME", ".cache")?;
        let base = if folders::is_own_cache(&base, &self.looked) { base } else { folders::fallback()? };
        Ok(base.join("actum"))
    }

    fn keys(&self) -> Result<PathBuf, ConfigError> {
        let named = self.path("ACTUM_KEYS").map(|named| self.folder.join(named));
        let keys = match named {
            Some(named) => named,
            None => self.own("XDG_CONFIG_HOME", ".config")?.join("actum/keys"),
        };
        folders::named(keys, &self.looked).map(without_links)
    }
}

impl Surroundings {
    pub fn read() -> Result<Self, ConfigError> {
        let caller = Caller::read()?;
        let keys = caller.keys()?;
        let own_store = without_links(caller.own("XDG_DATA_HOME", ".local/share")?.join("actum"));
        let store = match caller.path("ACTUM_STORE") {
            Some(named) => folders::named(caller.folder.join(named), &caller.looked)?,
            None => match project_store(&caller.folder, &keys)? {
                Some(found) => found,
                None => own_store.clone(),
            },
        };
        // Without links: what is hidden is hidden by its real name.
        let cache = without_links(caller.cache()?);
        Ok(Self {
            layers: cache.join("layers"),
            cache,
            store: without_links(store),
            own_store,
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
        Caller::read()?.keys()
    }

    /// What no program sees or makes, wherever it lies and whether it exists: runs, approvals and sessions, what was compiled,
    /// keys, and the user's configuration. Also the places that the next command uses when the variables of this one
    /// are not set.
    pub fn hidden(&self) -> Vec<PathBuf> {
        let mut hidden =
            vec![self.store.clone(), self.cache.clone(), self.keys.clone(), folders::fallback_path()];
        let below_home = [".config/actum", ".local/share/actum", ".cache/actum"];
        let mut named: Vec<PathBuf> =
            self.home.iter().flat_map(|home| below_home.map(|name| home.join(name))).collect();
        if let Some(file) = &self.config_file {
            named.extend(file.parent().map(Path::to_path_buf));
            // A link leads to a file that may lie in somebody's workspace.
            named.push(file.clone());
        }
        named.sort();
        named.dedup();
        hidden.extend(named.into_iter().map(without_links));
        hidden.sort();
        hidden.dedup();
        hidden
    }

    /// Stores of other projects, and the user's own where this run keeps elsewhere: no program sees those either.
    pub fn other_stores(&self) -> actum_sandbox::Stores {
        let keyring = Keyring::at(&self.keys);
        let others = keyring.stores().into_iter().chain([self.own_store.clone()]);
        let known = others.filter(|store| *store != self.store && Store::is_at(store)).collect();
        actum_sandbox::Stores { known, list: Some(keyring.store_list()) }
    }

    /// The files that the user trusts.
    pub fn trust(&self) -> Result<Trust, ConfigError> {
        self.config_file.as_deref().map(Trust::beside).ok_or(ConfigError::NoHome)
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

/// The store of the project that a folder is in. A stranger's is passed over: anybody can leave one in a folder that all can
/// write. One that came with the project, and was not made by this user, is refused: what it says is to be finished would be
/// finished.
fn project_store(folder: &Path, keys: &Path) -> Result<Option<PathBuf>, ConfigError> {
    let found = folder
        .ancestors()
        .map(|above| above.join(Store::IN_PROJECT))
        .find(|path| path.symlink_metadata().is_ok_and(|metadata| files::is_own(&metadata)));
    match found {
        Some(path) if !Store::at(&path).is_known(&Keyring::at(keys)) => {
            Err(ConfigError::UnknownStore { path })
        }
        found => Ok(found),
    }
}

/// The real path of a folder that need not be there yet: of what is there of it.
fn without_links(path: PathBuf) -> PathBuf {
    let there = path.ancestors().find_map(|above| Some((above, actum_gate::real_path(above).ok()?)));
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

impl Config {
    /// Embedded defaults, then the user's file, then the one of the project that `workspace` is in.
    pub fn resolve(surroundings: &Surroundings, workspace: Option<&Path>) -> Result<Self, ConfigError> {
        let mut config = Self::embedded()?;
        if let Some(file) = surroundings.users_file()? {
            config.lay_over(&file.text, &file.path, Whose::Users)?;
        }
        for file in surroundings.project_files(workspace)? {
            config.lay_over_project(&file, surroundings)?;
        }
        Ok(config)
    }

    /// Without any project's file.
    pub fn of_user(surroundings: &Surroundings) -> Result<Self, ConfigError> {
        let mut config = Self::embedded()?;
        if let Some(file) = surroundings.users_file()? {
            config.lay_over(&file.text, &file.path, Whose::Users)?;
        }
        Ok(config)
    }

    /// What the user's own file says about agents' hooks, whatever a project or a store is like.
    pub fn users_hook_rules() -> Result<HookRules, ConfigError> {
        let mut config = Self::embedded()?;
        let base = Caller::or_anywhere().below_home("XDG_CONFIG_HOME", ".config");
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
        if !keys.is_empty() && !surroundings.trust()?.is_trusted(&file.path, &file.text)? {
            return Err(ConfigError::Untrusted { path: file.path.clone(), keys });
        }
        self.lay_over(&file.text, &file.path, Whose::Projects)
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
                Whose::Projects => self.stricter = self.stricter.max(approval),
            }
        }
        if let Some(longest) = file.request.longest {
            let longest = longest.parse().map_err(|source| ConfigError::Longest { path: path(), source })?;
            self.longest = whose.shorter(self.longest, longest);
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
        if let Some(grace) = file.endings.grace {
            let grace = grace.parse().map_err(|source| ConfigError::Grace { path: path(), source })?;
            self.grace = whose.shorter(self.grace, grace);
        }
        self.redact.lay_over(file.redact, &path(), whose)?;
        self.packages.lay_over(file.packages, &path(), whose)?;
        self.tasks.lay_over(file.tasks, &path())?;
        self.hook.lay_over(file.hook, &path(), whose)?;
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
        let count = part.patterns.len();
        for text in part.patterns {
            let pattern = match whose {
                Whose::Users => Pattern::new(&text),
                Whose::Projects if count > Pattern::MOST_OF_PROJECT => Err(PatternError::TooMany),
                Whose::Projects => Pattern::of_project(&text),
            };
            match pattern {
                Ok(pattern) => self.patterns.push(pattern),
                Err(source) => return Err(ConfigError::Pattern { path: path(), pattern: text, source }),
            }
        }
        if let Some(name) = part.off.iter().find(|off| !Self::names().contains(&off.as_str())) {
            return Err(ConfigError::NoSuchPattern { path: path(), name: name.clone() });
        }
        self.off.extend(part.off);
        Ok(())
    }
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
            let path = PathBuf::from("actum.toml");
            let keys = keys_needing_trust(&ConfigFile { path: path.clone(), text: text.to_owned() })?;
            if !keys.is_empty() {
                return Err(ConfigError::Untrusted { path, keys });
            }
            config.lay_over(text, &path, Whose::Projects).map(|()| config)
        };
        assert_eq!(project("[policy]\nprofile = \"locked\"").unwrap().profile, Profile::Locked);
        assert!(matches!(project("[policy]\nprofile = \"open\""), Err(ConfigError::Wider { .. })));
        let lax = project("[request]\napproval = \"never\"").unwrap();
        assert_eq!(lax.approval_with(None), Approval::Risky);
        let strict = project("[request]\napproval = \"always\"").unwrap();
        assert_eq!(strict.approval_with(Some(Approval::Never)), Approval::Always);
        let zig = project("[language.zig]\nextensions = [\"zig\"]\nrun = [\"zig\", \"run\", \"{file}\"]");
        assert!(matches!(zig, Err(ConfigError::Untrusted { .. })));
        let adds = project("[redact]\npatterns = [\"acme_[0-9]+\"]").unwrap();
        assert_eq!(adds.redact.patterns.len(), 1);
        assert!(matches!(project("[redact]\noff = [\"jwt\"]"), Err(ConfigError::UsersKey { .. })));
        let taken = "[language.python]\nextensions = [\"py\"]\nrun = [\"cat\", \"{file}\"]";
        let trusted = Config::embedded().unwrap().lay_over(taken, Path::new("actum.toml"), Whose::Projects);
        assert!(matches!(trusted, Err(ConfigError::Taken { .. })));
        let times = project("[request]\nlongest = \"1h\"\n[endings]\ngrace = \"1h\"").unwrap();
        assert_eq!((times.longest, times.grace), (Span::seconds(3600), Span::seconds(2)));
        let user = Config::embedded().unwrap().limits;
        let wide = project("[limits]\nmemory = \"400GiB\"\nprocesses = 9").unwrap().limits;
        assert_eq!((wide.memory, wide.processes), (user.memory, 9));
    }
}
