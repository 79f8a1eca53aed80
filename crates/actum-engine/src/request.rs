//! From what a caller asks for to a request: paths resolved, defaults filled in, contradictions refused.
//!
//! [`RequestBuilder`] holds the words of whoever asks, whatever door they came through; it can be kept and read again, which is
//! how a run that waits for approval is started later. [`RequestBuilder::build`] resolves it once. Relative paths begin at the
//! working folder.

use crate::cancel::CancelHandle;
use crate::defaults::RunDefaults;
use crate::error::EngineError;
use crate::stdin;
use crate::surroundings::Surroundings;
use crate::{clock, expectations, redaction};
use actum_gate::Resolved;
use actum_model::{
    Approval, Grant, Label, Limits, Network, Policy, PolicyError, Profile, RunId, Span, WorkspaceMode,
};
use actum_prepare::needs::{Packages, Preparing};
use actum_run::session::SessionName;
use actum_run::{AfterFailure, Bounds, Keep, Namespace, Purpose, Source, SourceChanges, Support, Tracing};
use actum_sandbox::{Terminal, Variable};
use rustix::fd::OwnedFd;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What to run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum SourceChoice {
    #[default]
    Nothing,
    /// A file of code, an answer or a notebook.
    File(PathBuf),
    /// Code that was read from standard input.
    Stdin(Vec<u8>),
    /// Code given as a value.
    Code(Vec<u8>),
    /// A program and its arguments.
    Command(Vec<OsString>),
    /// A line for the shell.
    Shell(OsString),
}

/// What a program reads on its standard input.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum StdinChoice {
    #[default]
    Nothing,
    /// The standard input of this process.
    Inherit,
    File(PathBuf),
}

/// An interpreter that stays between calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionChoice {
    pub name: String,
    /// How long it stays without a call.
    pub idle: Option<Span>,
}

/// What a caller asks for. Fields that are left out take the defaults of the engine.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RequestBuilder {
    pub source: SourceChoice,
    /// For the program, after its source.
    pub arguments: Vec<OsString>,
    /// The language, where the name and the text of the source do not say it.
    pub language: Option<String>,
    /// The database that SQL runs on.
    pub database: Option<PathBuf>,
    /// Check the syntax only.
    pub check: bool,
    pub session: Option<SessionChoice>,
    pub labels: Vec<Label>,
    /// Continue with the next program of an answer when one fails.
    pub keep_going: bool,
    /// Run the blocks of an answer in one Python interpreter that has these variables.
    pub together: Option<Vec<String>>,
    /// The task of a list that it is run for.
    pub task: Option<String>,

    /// Packages to allow even if Actum does not know them.
    pub packages: Vec<String>,
    /// Ignore packages published after this day: `2024-06-18`.
    pub exclude_newer: Option<String>,
    /// The version of Python: `3.11`.
    pub python: Option<String>,
    /// Use only packages that were downloaded before.
    pub offline: bool,
    /// Do not install packages.
    pub no_prepare: bool,
    /// Make one attempt only.
    pub no_recover: bool,
    /// Allow attempts with a changed copy of the source.
    pub allow_source_changes: bool,

    /// The name of a policy.
    pub policy: Option<String>,
    /// Hosts to allow, or `none`, `loopback`, `full`.
    pub network: Vec<String>,
    /// `NAME` with the caller's value, or `NAME=VALUE`.
    pub variables: Vec<OsString>,
    /// Files and folders to allow reading.
    pub inputs: Vec<PathBuf>,
    /// Folders to allow writing.
    pub writes: Vec<PathBuf>,
    /// Graphics cards, by index.
    pub cards: Vec<u32>,
    /// All graphics cards that there are.
    pub all_cards: bool,
    /// No graphics card, and no word about it.
    pub no_cards: bool,
    /// When to ask for approval.
    pub approval: Option<Approval>,

    /// `30s`, `5m`.
    pub timeout: Option<String>,
    /// Time between SIGTERM and SIGKILL.
    pub grace: Option<Span>,
    /// `NAME=VALUE` each.
    pub limits: Vec<String>,

    /// The folder that the program may change.
    pub workspace: Option<PathBuf>,
    /// Where it starts, inside the workspace.
    pub workdir: Option<PathBuf>,
    /// When its changes are applied.
    pub keep: Option<Keep>,
    /// List changes and discard them.
    pub read_only: bool,
    /// Write directly into the workspace.
    pub in_place: bool,
    pub stdin: StdinChoice,
    /// Give it a terminal of this size.
    pub terminal: Option<Terminal>,

    /// `KIND=VALUE` each, as typed.
    pub expect: Vec<String>,
    /// Files of expectations.
    pub expectations: Vec<PathBuf>,
    /// A table or folder of cases.
    pub cases: Option<PathBuf>,
    /// Ignore expectations of files and configuration.
    pub no_expectations: bool,

    /// How much is remembered of what it reads.
    pub tracing: Tracing,
    /// Files of the caller's that the program sees beside its own.
    pub support: Support,
    /// Where the program sees the workspace, if not at its own path.
    pub shown_at: Option<PathBuf>,
    /// Ports of the program's own loopback that [`Sink::serve`](crate::Sink::serve) gets listeners for.
    pub listeners: Vec<u16>,

    /// How the caller wants to see the result; kept with a request that waits for approval, and not read by the engine.
    pub presentation: serde_json::Value,
}

/// A request that is ready to run: its paths are resolved and its parts agree with each other.
#[derive(Debug)]
pub struct Request {
    pub(crate) id: RunId,
    pub(crate) run: actum_run::Request,
    pub(crate) session: Option<Session>,
    pub(crate) stdin: OwnedFd,
    /// What it was built from.
    pub(crate) asked: RequestBuilder,
    /// The digest of what somebody approved.
    pub(crate) approved: Option<String>,
    /// Becomes readable for each request to cancel it.
    pub(crate) cancel: Option<Arc<OwnedFd>>,
}

#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) name: SessionName,
    pub(crate) idle: Span,
}

impl Request {
    /// Starts a request that asks for nothing yet.
    pub fn builder() -> RequestBuilder {
        RequestBuilder::default()
    }

    /// The name of the run that this request becomes.
    pub fn id(&self) -> RunId {
        self.id
    }

    /// The folder that the program may change.
    pub fn workspace(&self) -> &Path {
        &self.run.attempt.workspace
    }

    /// Gives it a name that was made before.
    pub fn with_id(mut self, id: RunId) -> Self {
        self.id = id;
        self
    }

    /// The folder in which the program starts.
    pub fn folder(&self) -> &Path {
        &self.run.attempt.folder
    }

    /// The caller's variables of which the program is granted those that it names, and those that every program gets.
    pub fn variables(&self) -> &[(OsString, OsString)] {
        &self.run.attempt.variables
    }

    /// Whether the program may reach any network but its own loopback.
    pub fn reaches_network(&self) -> bool {
        !matches!(self.run.attempt.policy.network, Network::None | Network::Loopback)
    }

    /// Lets a handle cancel it, while it waits for its turn and while it runs.
    pub fn cancel_with(mut self, handle: &CancelHandle) -> Result<Self, EngineError> {
        self.cancel = Some(handle.watch().map_err(|source| EngineError::Turn { source })?);
        Ok(self)
    }

    /// Runs it without asking, if what would run is what was approved.
    pub fn approved(mut self, digest: String) -> Self {
        self.approved = Some(digest);
        self
    }
}

impl RequestBuilder {
    /// Runs a program with arguments.
    pub fn command<Word: Into<OsString>>(mut self, words: impl IntoIterator<Item = Word>) -> Self {
        self.source = SourceChoice::Command(words.into_iter().map(Into::into).collect());
        self
    }

    /// Runs code in a language.
    pub fn code(mut self, language: &str, code: impl Into<Vec<u8>>) -> Self {
        (self.language, self.source) = (Some(language.to_owned()), SourceChoice::Code(code.into()));
        self
    }

    /// Runs a file of code, an answer or a notebook.
    pub fn file(mut self, path: impl Into<PathBuf>) -> Self {
        self.source = SourceChoice::File(path.into());
        self
    }

    /// Sets the folder that the program may change.
    pub fn workspace(mut self, folder: impl Into<PathBuf>) -> Self {
        self.workspace = Some(folder.into());
        self
    }

    /// Kills the program after this time: `30s`.
    pub fn timeout(mut self, time: &str) -> Self {
        self.timeout = Some(time.to_owned());
        self
    }

    /// Adds a label to find the run by.
    pub fn label(mut self, label: Label) -> Self {
        self.labels.push(label);
        self
    }

    /// Resolves it. An error says what is missing or does not agree.
    pub fn build(self, surroundings: &Surroundings, defaults: &RunDefaults) -> Result<Request, EngineError> {
        let run = self.request(surroundings, defaults)?;
        run.attempt.policy.check()?;
        actum_risk::check_timeout(run.attempt.limits.wall, Some(defaults.longest))?;
        let session = self.session.as_ref().map(SessionChoice::resolve).transpose()?;
        let stdin = match run.cases.first() {
            Some(case) => stdin::in_memory(&case.stdin)?,
            None => stdin::open(&self, &run.attempt.workspace)?,
        };
        Ok(Request { id: clock::new_run(), run, session, stdin, asked: self, approved: None, cancel: None })
    }

    fn request(
        &self,
        surroundings: &Surroundings,
        defaults: &RunDefaults,
    ) -> Result<actum_run::Request, EngineError> {
        let (workspace, folder) = self.places(surroundings)?;
        let source = self.source(&surroundings.folder, &workspace)?;
        let expectations = expectations::collect(self, surroundings, defaults, (&source, &workspace))?;
        let cases = expectations::cases(self, (&surroundings.folder, &workspace), &expectations)?;
        // The first case is the run itself.
        let of_case = cases.first().into_iter().flat_map(|case| case.arguments.iter().map(OsString::from));
        let arguments = self.arguments.iter().cloned().chain(of_case).collect();
        let mut attempt = actum_sandbox::Request {
            policy: self.policy(defaults, &|path| granted(&surroundings.folder.join(path), &workspace))?,
            limits: self.limits(defaults)?,
            workspace,
            folder,
            command: Vec::new(),
            variables: surroundings.variables.clone(),
            granted_variables: self.variables.iter().map(variable).collect(),
            gate_variables: actum_egress::proxy_variables(actum_sandbox::PROXY_PORT),
            forwards: Vec::new(),
            shown_at: self.shown_at.clone(),
            listeners: self.listeners.clone(),
            hidden: surroundings.hidden(),
            stores: surroundings.other_stores(),
            written: None,
            searched: Vec::new(),
            layers: surroundings.layers.clone(),
            home: surroundings.home.clone(),
            layer: None,
            grace: self.grace.unwrap_or(defaults.grace),
            terminal: self.terminal,
        };
        attempt.searched = attempt.policy.grants.iter().map(|grant| grant.path().to_path_buf()).collect();
        let redaction = redaction::for_request(&attempt, &defaults.redact);
        let together = self.namespace()?;
        // What is handed in by its name is no secret, so it is not looked for; what is granted by name wins.
        let handed_in = together.iter().flat_map(|namespace| &namespace.variables);
        let handed_in = handed_in.map(|(name, value)| Variable::Set(name.into(), value.into()));
        attempt.granted_variables.splice(0..0, handed_in.collect::<Vec<_>>());
        Ok(actum_run::Request {
            source,
            redaction,
            language: self.language.clone(),
            arguments,
            database: self.database(surroundings, &attempt)?,
            after_failure: if self.keep_going { AfterFailure::GoOn } else { AfterFailure::Stop },
            labels: self.labels()?,
            purpose: if self.check { Purpose::Check } else { Purpose::Run },
            // What only looks at code changes nothing that anybody has to be asked about.
            approval: if self.check { Approval::Never } else { defaults.approval(self.approval) },
            source_changes: match self.allow_source_changes {
                true => SourceChanges::Allowed,
                false => SourceChanges::Denied,
            },
            together,
            task: self.task.clone(),
            keep: self.keep.unwrap_or(defaults.keep),
            expectations,
            cases,
            packages: self.packages(defaults)?,
            bounds: self.bounds(defaults)?,
            tracing: self.tracing,
            cards_refused: self.no_cards,
            support: self.support.clone(),
            attempt,
        })
    }

    /// The workspace, and the folder in it where the program starts.
    fn places(&self, surroundings: &Surroundings) -> Result<(PathBuf, PathBuf), EngineError> {
        // A relative path begins at the folder we are in, not at its name: whoever owns a folder above could have put a link there since.
        let real = |path: &Path| {
            let failed = |source| EngineError::Path {
                path: surroundings.folder.join(path),
                hint: "give an existing path",
                source,
            };
            actum_gate::real_path(path).map_err(failed)
        };
        let workspace = a_folder(real(self.workspace.as_deref().unwrap_or(Path::new(".")))?)?;
        let folder = match &self.workdir {
            Some(folder) => a_folder(real(&workspace.join(folder))?)?,
            None => workspace.clone(),
        };
        if !folder.starts_with(&workspace) {
            return Err(EngineError::Outside { folder, workspace });
        }
        Ok((workspace, folder))
    }

    /// What is to be run. The program's file is shown to it, so a link of the workspace does not choose it.
    fn source(&self, folder: &Path, workspace: &Path) -> Result<Source, EngineError> {
        Ok(match &self.source {
            SourceChoice::Nothing => return Err(EngineError::NoSource),
            SourceChoice::Command(words) if words.is_empty() => return Err(EngineError::NoSource),
            SourceChoice::Command(words) => Source::Command(words.clone()),
            SourceChoice::Code(code) => Source::Inline(code.clone()),
            SourceChoice::Stdin(code) => Source::Stdin(code.clone()),
            SourceChoice::Shell(line) => Source::Shell(line.clone()),
            SourceChoice::File(path) => Source::File(granted(&folder.join(path), workspace)?),
        })
    }

    /// What blocks that run together find in their interpreter.
    fn namespace(&self) -> Result<Option<Namespace>, EngineError> {
        let Some(variables) = &self.together else { return Ok(None) };
        let read =
            |text: &String| parse_assignment(text).ok_or_else(|| EngineError::Global { text: text.clone() });
        Ok(Some(Namespace { variables: variables.iter().map(read).collect::<Result<_, _>>()? }))
    }

    /// What may be installed: as configured, and as said for this run.
    fn packages(&self, defaults: &RunDefaults) -> Result<Packages, EngineError> {
        let rules = &defaults.packages;
        let preparing = match (self.no_prepare, self.offline) {
            (true, _) => Preparing::Never,
            (false, true) => Preparing::Offline,
            (false, false) => rules.preparing,
        };
        let python = self.python.as_deref().map(version).transpose()?;
        let newest = self.exclude_newer.as_deref().map(day).transpose()?;
        let cooldown_days = u32::try_from(rules.cooldown.0.as_secs() / 86_400).unwrap_or(u32::MAX);
        Ok(Packages {
            preparing,
            allow: rules.allow.clone(),
            deny: rules.deny.clone(),
            named: self.packages.clone(),
            newest,
            cooldown_days,
            strangers: rules.strangers,
            builds: rules.builds,
            python,
        })
    }

    /// In order, each once.
    fn labels(&self) -> Result<Vec<Label>, EngineError> {
        let mut labels = self.labels.clone();
        labels.sort();
        labels.dedup();
        if labels.len() > Label::MOST { Err(EngineError::Labels { count: labels.len() }) } else { Ok(labels) }
    }

    /// The database's file, which has to lie where the program may write.
    fn database(
        &self,
        surroundings: &Surroundings,
        attempt: &actum_sandbox::Request,
    ) -> Result<Option<PathBuf>, EngineError> {
        let Some(path) = &self.database else { return Ok(None) };
        let path = surroundings.folder.join(path);
        // A link in its place would lead the program's writes elsewhere.
        if path.symlink_metadata().is_ok() {
            granted(&path, &attempt.workspace)?;
        }
        let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
        let real = folder.zip(path.file_name()).map(|(folder, name)| folder.join(name));
        let is_granted = |real: &PathBuf| {
            let mut grants = attempt.policy.grants.iter();
            let granted = |grant: &Grant| matches!(grant, Grant::Write(folder) if real.starts_with(folder));
            real.starts_with(&attempt.workspace) || grants.any(granted)
        };
        match real.filter(is_granted) {
            Some(real) => Ok(Some(real)),
            None => Err(EngineError::Database { path, workspace: attempt.workspace.clone() }),
        }
    }

    fn policy(
        &self,
        defaults: &RunDefaults,
        real: &dyn Fn(&Path) -> Result<PathBuf, EngineError>,
    ) -> Result<Policy, EngineError> {
        let profile = self.policy.as_deref().map(str::parse::<Profile>).transpose()?;
        let network =
            (!self.network.is_empty()).then(|| Network::parse(&self.network.join(","))).transpose()?;
        // Granting hosts or cards says which profile is meant, unless one is named.
        let meant = match (&network, self.cards.is_empty() && !self.all_cards) {
            (Some(Network::Hosts(_)), _) => Profile::Networked,
            (_, false) => Profile::Gpu,
            (Some(_) | None, true) => defaults.profile,
        };
        let mut policy = profile.unwrap_or(meant).policy();
        match network {
            // Said with an empty list it is nothing; not said at all it was forgotten.
            Some(network) => policy.network = network,
            None if policy.profile == Profile::Networked => {
                return Err(PolicyError::NetworkedWithoutHosts.into());
            }
            None => {}
        }
        for path in &self.inputs {
            policy.grants.push(Grant::Read(real(path)?));
        }
        for path in &self.writes {
            policy.grants.push(Grant::Write(real(path)?));
        }
        policy.cards = self.granted_cards(policy.profile == Profile::Gpu)?;
        if self.in_place {
            policy.workspace = WorkspaceMode::InPlace;
        } else if self.read_only || self.check {
            policy.workspace = WorkspaceMode::ReadOnly;
        }
        Ok(policy)
    }

    /// The cards that are granted. One that is not there is told now, and not when all packages are installed.
    fn granted_cards(&self, is_gpu_profile: bool) -> Result<Vec<u32>, EngineError> {
        let mut wanted = self.cards.clone();
        if wanted.is_empty() && !self.all_cards && is_gpu_profile {
            wanted.push(0);
        }
        if wanted.is_empty() && !self.all_cards {
            return Ok(wanted);
        }
        let found = actum_sandbox::graphics_cards();
        if self.all_cards {
            wanted.clone_from(&found);
        }
        let missing = wanted.iter().find(|card| !found.contains(card)).copied();
        match (missing, found.is_empty()) {
            (_, true) => Err(EngineError::NoCards),
            (Some(card), false) => Err(EngineError::NoCard { card, found }),
            (None, false) => Ok(wanted),
        }
    }

    /// A limit that was said is meant: it is not raised.
    fn bounds(&self, defaults: &RunDefaults) -> Result<Bounds, EngineError> {
        let mut bounds = defaults.bounds;
        if self.no_recover {
            bounds.attempts = 1;
        }
        self.limits.iter().try_for_each(|assignment| bounds.ceiling.set(assignment))?;
        if let Some(timeout) = &self.timeout {
            bounds.ceiling.set(&format!("wall={timeout}"))?;
        }
        Ok(bounds)
    }

    fn limits(&self, defaults: &RunDefaults) -> Result<Limits, EngineError> {
        let mut limits = defaults.limits;
        self.limits.iter().try_for_each(|assignment| limits.set(assignment))?;
        if let Some(timeout) = &self.timeout {
            limits.set(&format!("wall={timeout}"))?;
        }
        Ok(limits)
    }
}

impl SessionChoice {
    fn resolve(&self) -> Result<Session, EngineError> {
        Ok(Session { name: self.name.parse()?, idle: self.idle.unwrap_or(actum_run::session::IDLE) })
    }
}

/// `NAME=VALUE`, with a name as Python has them, of plain letters.
pub fn parse_assignment(text: &str) -> Option<(String, String)> {
    let (name, value) = text.split_once('=')?;
    let begins = |first: char| first.is_ascii_alphabetic() || first == '_';
    let is_name = name.starts_with(begins) && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then(|| (name.to_owned(), value.to_owned()))
}

/// `3.11` or `3.11.7`.
fn version(text: &str) -> Result<(u8, u8), EngineError> {
    let mut parts = text.split('.').map(|part| part.parse().ok());
    match (parts.next().flatten(), parts.next().flatten()) {
        (Some(major), Some(minor)) => Ok((major, minor)),
        _ => Err(EngineError::Python { version: text.to_owned() }),
    }
}

/// `2024-06-18`.
fn day(text: &str) -> Result<String, EngineError> {
    let shape =
        |(at, byte): (usize, u8)| if matches!(at, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() };
    match text.len() == 10 && text.bytes().enumerate().all(shape) {
        true => Ok(text.to_owned()),
        false => Err(EngineError::Day { text: text.to_owned() }),
    }
}

/// A path that is granted to the program, or whose contents are handed to it. A link in the workspace that leads out of it is
/// somebody else's choice of what is granted, so it is refused.
pub(crate) fn granted(path: &Path, workspace: &Path) -> Result<PathBuf, EngineError> {
    let resolved = Resolved::follow(path).map_err(|error| EngineError::Path {
        path: path.to_path_buf(),
        hint: "give an existing path",
        source: error.into_io(),
    })?;
    match resolved.leaves(workspace) {
        None => Ok(resolved.path),
        Some(link) => Err(EngineError::LinkOut { link: link.to_path_buf(), target: resolved.path.clone() }),
    }
}

/// The path, if it is a folder.
fn a_folder(path: PathBuf) -> Result<PathBuf, EngineError> {
    let source = std::io::ErrorKind::NotADirectory.into();
    if path.is_dir() {
        Ok(path)
    } else {
        Err(EngineError::Path { path, hint: "give an existing folder", source })
    }
}

/// `NAME` or `NAME=VALUE`, as bytes.
pub(crate) fn variable(text: &OsString) -> Variable {
    let bytes = text.as_bytes();
    match bytes.iter().position(|byte| *byte == b'=') {
        Some(at) => Variable::Set(
            OsString::from_vec(bytes[..at].to_vec()),
            OsString::from_vec(bytes[at + 1..].to_vec()),
        ),
        None => Variable::Inherited(text.clone()),
    }
}
