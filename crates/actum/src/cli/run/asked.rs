//! From words to a request.

use super::problem::Problem;
use super::{Run, Said, secrets};
use crate::config::{Config, Surroundings};
use crate::screen;
use actum_gate::Resolved;
use actum_model::{
    Approval, Grant, Label, Limits, Network, Policy, PolicyError, Profile, Tier, WorkspaceMode,
};
use actum_prepare::needs::{Packages, Preparing};
use actum_run::{AfterFailure, Bounds, Namespace, Purpose, Request, Source, SourceChanges};
use actum_sandbox::Variable;
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::FileType;
use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
#[value(rename_all = "verbatim")]
pub(super) enum Ceiling {
    N,
    L,
    #[value(name = "none")]
    None,
}

impl From<Ceiling> for Tier {
    fn from(ceiling: Ceiling) -> Tier {
        match ceiling {
            Ceiling::N => Tier::N,
            Ceiling::L => Tier::L,
            Ceiling::None => Tier::None,
        }
    }
}

/// Whether `--` stood before the words, so that they are a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum Words {
    Source,
    Command,
}

impl Words {
    pub(in crate::cli) fn is_command(self) -> bool {
        self == Self::Command
    }

    /// Everything after the first word belongs to it, so the words are the end of the whole line: what stands before them
    /// there tells. A flag's value is never `--`.
    pub(in crate::cli) fn read(line: &[OsString], words: &[OsString]) -> Self {
        let before = line.len().checked_sub(words.len() + 1).and_then(|at| line.get(at));
        if before.is_some_and(|word| word == "--") { Self::Command } else { Self::Source }
    }
}

impl Run {
    pub(super) fn request(
        &self,
        surroundings: &Surroundings,
        config: &Config,
        said: &Said,
    ) -> Result<Request, Problem> {
        // A relative path begins at the folder we are in, not at its name: whoever owns a folder above could have put a link there since.
        let real = |path: &Path| {
            let failed = |source| Problem::Path {
                path: surroundings.folder.join(path),
                hint: "name an existing path",
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
            return Err(Problem::Outside { folder, workspace });
        }
        let (source, mut arguments) = self.source(said, &surroundings.folder, &workspace)?;
        let expectations = self.expectations(surroundings, config, (&source, &workspace))?;
        let cases = self.cases((&surroundings.folder, &workspace), &expectations)?;
        // The first case is the run itself.
        arguments
            .extend(cases.first().into_iter().flat_map(|case| case.arguments.iter().map(OsString::from)));
        let mut attempt = actum_sandbox::Request {
            policy: self.policy(config, &|path| granted(&surroundings.folder.join(path), &workspace))?,
            limits: self.limits(config)?,
            workspace,
            folder,
            command: Vec::new(),
            variables: surroundings.variables.clone(),
            granted_variables: self.env.iter().map(variable).collect(),
            gate_variables: actum_egress::proxy_variables(actum_sandbox::PROXY_PORT),
            forwards: Vec::new(),
            hidden: surroundings.hidden(),
            stores: surroundings.other_stores(),
            written: None,
            searched: Vec::new(),
            layers: surroundings.layers.clone(),
            home: surroundings.home.clone(),
            layer: None,
            grace: self.grace.unwrap_or(config.grace),
            terminal: self.pty.then(|| screen::size().unwrap_or_default()),
        };
        attempt.searched = attempt.policy.grants.iter().map(|grant| grant.path().to_path_buf()).collect();
        let redaction = secrets::redaction(&attempt, &config.redact);
        let together = self.together.then(|| self.namespace()).transpose()?;
        // What is handed in by its name is no secret, so it is not looked for; what is granted by --env wins.
        let handed_in = together.iter().flat_map(|namespace| &namespace.variables);
        let handed_in = handed_in.map(|(name, value)| Variable::Set(name.into(), value.into()));
        attempt.granted_variables.splice(0..0, handed_in.collect::<Vec<_>>());
        Ok(Request {
            source,
            redaction,
            language: self.language.clone(),
            arguments,
            database: self.database(surroundings, &attempt)?,
            after_failure: if self.keep_going { AfterFailure::GoOn } else { AfterFailure::Stop },
            labels: self.labels()?,
            purpose: if self.check { Purpose::Check } else { Purpose::Run },
            // What only looks at code changes nothing that anybody has to be asked about.
            approval: if self.check { Approval::Never } else { config.approval_with(self.approval) },
            source_changes: match self.allow_source_changes {
                true => SourceChanges::Allowed,
                false => SourceChanges::Denied,
            },
            together,
            task: self.task.clone(),
            expectations,
            cases,
            packages: self.packages(config)?,
            bounds: self.bounds(config)?,
            attempt,
        })
    }

    /// What blocks that run together find in their interpreter.
    fn namespace(&self) -> Result<Namespace, Problem> {
        let read = |text: &String| named(text).ok_or_else(|| Problem::Global { text: text.clone() });
        Ok(Namespace { variables: self.global.iter().map(read).collect::<Result<_, _>>()? })
    }

    /// What may be installed: as configured, and as said for this run.
    fn packages(&self, config: &Config) -> Result<Packages, Problem> {
        let rules = &config.packages;
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
            named: self.package.clone(),
            newest,
            cooldown_days,
            strangers: rules.strangers,
            builds: rules.builds,
            python,
        })
    }

    /// In order, each once.
    fn labels(&self) -> Result<Vec<Label>, Problem> {
        let mut labels = self.label.clone();
        labels.sort();
        labels.dedup();
        if labels.len() > Label::MOST { Err(Problem::Labels { count: labels.len() }) } else { Ok(labels) }
    }

    /// The database's file, which has to lie where the program may write.
    fn database(
        &self,
        surroundings: &Surroundings,
        attempt: &actum_sandbox::Request,
    ) -> Result<Option<PathBuf>, Problem> {
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
            None => Err(Problem::Database { path, workspace: attempt.workspace.clone() }),
        }
    }

    /// What is to be run, and the words that are the program's own. The program's file is shown to it, so a link of the workspace does
    /// not choose it.
    fn source(
        &self,
        said: &Said,
        folder: &Path,
        workspace: &Path,
    ) -> Result<(Source, Vec<OsString>), Problem> {
        if let Some(code) = &self.code {
            return Ok((Source::Inline(code.as_bytes().to_vec()), self.words.clone()));
        }
        let Some((first, rest)) = self.words.split_first() else { return Err(Problem::NoSource) };
        let is_option = said.words == Words::Source && first.as_bytes().starts_with(b"-") && first != "-";
        if is_option {
            return Err(Problem::Option { word: first.to_string_lossy().into_owned() });
        }
        if self.shell {
            return Ok((Source::Shell(self.words.join(OsStr::new(" "))), Vec::new()));
        }
        match said.words {
            Words::Command => Ok((Source::Command(self.words.clone()), Vec::new())),
            Words::Source if first == "-" => Ok((Source::Stdin(said.stdin_code()?), rest.to_vec())),
            Words::Source => {
                let path = folder.join(first);
                if let Err(source) = path.metadata() {
                    return Err(self.no_such_file(path, source));
                }
                Ok((Source::File(granted(&path, workspace)?), rest.to_vec()))
            }
        }
    }

    /// Somebody who types `actum run make` means the command.
    fn no_such_file(&self, path: PathBuf, source: std::io::Error) -> Problem {
        let word = self.words.first().map(|word| word.as_bytes()).unwrap_or_default();
        if word.contains(&b'/') || word.contains(&b'.') {
            let hint = "name a file of code, - for stdin, or put a command after --";
            return Problem::Path { path, hint, source };
        }
        let line: Vec<String> = self.words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        Problem::NotASource { path, line: line.join(" "), source }
    }

    fn policy(
        &self,
        config: &Config,
        real: &dyn Fn(&Path) -> Result<PathBuf, Problem>,
    ) -> Result<Policy, Problem> {
        let profile = self.policy.as_deref().map(str::parse::<Profile>).transpose()?;
        let network = (!self.net.is_empty()).then(|| Network::parse(&self.net.join(","))).transpose()?;
        // Granting hosts or cards says which profile is meant, unless one is named.
        let meant = match (&network, self.gpu.is_empty()) {
            (Some(Network::Hosts(_)), _) => Profile::Networked,
            (_, false) => Profile::Gpu,
            (Some(_) | None, true) => config.profile,
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
        for path in &self.input {
            policy.grants.push(Grant::Read(real(path)?));
        }
        for path in &self.write {
            policy.grants.push(Grant::Write(real(path)?));
        }
        policy.cards =
            if policy.profile == Profile::Gpu && self.gpu.is_empty() { vec![0] } else { self.gpu.clone() };
        if self.in_place {
            policy.workspace = WorkspaceMode::InPlace;
        } else if self.read_only || self.check {
            policy.workspace = WorkspaceMode::ReadOnly;
        }
        Ok(policy)
    }

    /// A limit that was said is meant: it is not raised.
    fn bounds(&self, config: &Config) -> Result<Bounds, Problem> {
        let mut bounds = config.bounds;
        if self.no_recover {
            bounds.attempts = 1;
        }
        self.limit.iter().try_for_each(|assignment| bounds.ceiling.set(assignment))?;
        if let Some(timeout) = &self.timeout {
            bounds.ceiling.set(&format!("wall={timeout}"))?;
        }
        Ok(bounds)
    }

    fn limits(&self, config: &Config) -> Result<Limits, Problem> {
        let mut limits = config.limits;
        self.limit.iter().try_for_each(|assignment| limits.set(assignment))?;
        if let Some(timeout) = &self.timeout {
            limits.set(&format!("wall={timeout}"))?;
        }
        Ok(limits)
    }

    /// Whether the user's own keys go to the program's terminal.
    pub(super) fn is_typed_at(&self) -> bool {
        let own = self.stdin.as_deref().is_none_or(|path| path == Path::new("-"));
        self.pty && own && screen::is_typed_at()
    }

    pub(super) fn open_stdin(&self, workspace: &Path) -> Result<OwnedFd, Problem> {
        let nothing = Path::new(if self.is_typed_at() { "-" } else { "/dev/null" });
        let path = self.stdin.as_deref().unwrap_or(nothing);
        let hint = "name a file that you can read, or - for your own stdin";
        let opened = match path == Path::new("-") {
            // Not by the name /dev/stdin: opening a pipe or socket again needs rights that its user may not have.
            true => std::io::stdin().as_fd().try_clone_to_owned(),
            false => {
                // What a shell makes of `<(command)` has no path that could be followed.
                let is_foreign = std::path::absolute(path).is_ok_and(|path| path.starts_with(workspace));
                match granted(path, workspace) {
                    Ok(real) if is_foreign => open_regular(&real),
                    Ok(real) => open_input(&real),
                    Err(problem @ Problem::LinkOut { .. }) => return Err(problem),
                    Err(problem) if is_foreign => return Err(problem),
                    Err(_) => open_input(path),
                }
            }
        };
        opened.map_err(|source| Problem::Path { path: path.to_path_buf(), hint, source })
    }
}

/// A file of the workspace. A pipe there has no writer that the user knows of.
fn open_regular(path: &Path) -> std::io::Result<OwnedFd> {
    let (file, _) = actum_gate::open_named(path).map_err(actum_gate::GateError::into_io)?;
    Ok(file.into())
}

/// A file, a device such as `/dev/null` or a named pipe: the user typed it, and may wait for its writer.
fn open_input(path: &Path) -> std::io::Result<OwnedFd> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOCTTY;
    Ok(rustix::fs::open(path, flags, Mode::empty())?)
}

impl Said {
    /// Code on our own stdin, which is read to its end before anything is decided.
    fn stdin_code(&self) -> Result<Vec<u8>, Problem> {
        if let Some(code) = &self.stdin {
            return Ok(code.clone());
        }
        let mut code = Vec::new();
        let most = actum_run::LARGEST_SOURCE.0;
        let read = std::io::stdin().lock().take(most + 1).read_to_end(&mut code);
        read.map_err(|source| Problem::Path { path: "-".into(), hint: "pipe the code in", source })?;
        if code.len() as u64 > most {
            return Err(Problem::LongStdin);
        }
        Ok(code)
    }
}

/// `NAME=VALUE`, with a name as Python has them, of plain letters.
pub(in crate::cli) fn named(text: &str) -> Option<(String, String)> {
    let (name, value) = text.split_once('=')?;
    let begins = |first: char| first.is_ascii_alphabetic() || first == '_';
    let is_name = name.starts_with(begins) && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then(|| (name.to_owned(), value.to_owned()))
}

/// `3.11` or `3.11.7`.
fn version(text: &str) -> Result<(u8, u8), Problem> {
    let mut parts = text.split('.').map(|part| part.parse().ok());
    match (parts.next().flatten(), parts.next().flatten()) {
        (Some(major), Some(minor)) => Ok((major, minor)),
        _ => Err(Problem::Python { version: text.to_owned() }),
    }
}

/// `2024-06-18`.
fn day(text: &str) -> Result<String, Problem> {
    let shape =
        |(at, byte): (usize, u8)| if matches!(at, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() };
    match text.len() == 10 && text.bytes().enumerate().all(shape) {
        true => Ok(text.to_owned()),
        false => Err(Problem::Day { text: text.to_owned() }),
    }
}

/// A path that is granted to the program, or whose contents are handed to it. A link in the workspace that leads out of it is
/// somebody else's choice of what is granted, so it is refused.
pub(super) fn granted(path: &Path, workspace: &Path) -> Result<PathBuf, Problem> {
    let resolved = Resolved::follow(path).map_err(|error| Problem::Path {
        path: path.to_path_buf(),
        hint: "name an existing path",
        source: error.into_io(),
    })?;
    match resolved.leaves(workspace) {
        None => Ok(resolved.path),
        Some(link) => Err(Problem::LinkOut { link: link.to_path_buf(), target: resolved.path.clone() }),
    }
}

/// The path, if it is a folder.
fn a_folder(path: PathBuf) -> Result<PathBuf, Problem> {
    let source = std::io::ErrorKind::NotADirectory.into();
    if path.is_dir() {
        Ok(path)
    } else {
        Err(Problem::Path { path, hint: "name an existing folder", source })
    }
}

/// `NAME` or `NAME=VALUE`, as bytes.
pub(super) fn variable(text: &OsString) -> Variable {
    let bytes = text.as_bytes();
    match bytes.iter().position(|byte| *byte == b'=') {
        Some(at) => Variable::Set(
            OsString::from_vec(bytes[..at].to_vec()),
            OsString::from_vec(bytes[at + 1..].to_vec()),
        ),
        None => Variable::Inherited(text.clone()),
    }
}

/// What the program gets as its stdin. A descriptor is a handle on its file: whoever has it can change the file's mode, walk on
/// from a folder, write to a terminal or to the other end of a socket. So everything but a pipe and `/dev/null` is copied into a
/// pipe, and a folder is refused. Where the program has a terminal of its own, the descriptor stays with us.
pub(super) fn handed_in(input: &OwnedFd, has_own_terminal: bool) -> Result<OwnedFd, Problem> {
    let failed =
        |source| Problem::Path { path: "stdin".into(), hint: "name a file that you can read", source };
    let input = input.try_clone().map_err(failed)?;
    if has_own_terminal {
        return Ok(input);
    }
    poured(actum_gate::File::from(input)).map_err(failed)
}

/// What a case reads, as a file that nobody else has.
pub(super) fn in_memory(bytes: &[u8]) -> Result<OwnedFd, Problem> {
    use rustix::fs::{MemfdFlags, SeekFrom, memfd_create, seek};
    use std::io::Write;
    let written =
        memfd_create("case", MemfdFlags::CLOEXEC).map_err(std::io::Error::from).and_then(|memory| {
            let mut file = actum_gate::File::from(memory);
            file.write_all(bytes)?;
            let memory = OwnedFd::from(file);
            seek(&memory, SeekFrom::Start(0))?;
            Ok(memory)
        });
    written.map_err(|source| Problem::Path { path: "stdin".into(), hint: "hand over less", source })
}

fn poured(mut file: actum_gate::File) -> std::io::Result<OwnedFd> {
    let stat = rustix::fs::fstat(&file)?;
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::Directory => return Err(std::io::ErrorKind::IsADirectory.into()),
        FileType::Fifo => return Ok(file.into()),
        // `/dev/null`, which nothing can be done to.
        FileType::CharacterDevice if stat.st_rdev == rustix::fs::makedev(1, 3) => return Ok(file.into()),
        FileType::CharacterDevice
        | FileType::RegularFile
        | FileType::Socket
        | FileType::BlockDevice
        | FileType::Symlink
        | FileType::Unknown => {}
    }
    let (reader, writer) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
    // Ends with the input, or with its reader.
    std::thread::spawn(move || std::io::copy(&mut file, &mut actum_gate::File::from(writer)));
    Ok(reader)
}
