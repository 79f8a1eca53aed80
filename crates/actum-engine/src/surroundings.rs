//! What the caller's variables and folders are: given once, at the door; nothing below reads the environment.

use crate::folders;
use crate::program::HelperProgram;
use actum_gate::own::Looked;
use actum_model::Digest;
use actum_run::session::Place;
use actum_store::{Keyring, Store};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

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
    pub own_store: PathBuf,
    /// Where keys are kept. No program sees it.
    pub keys: PathBuf,
    /// The socket of an ssh-agent, where there is one.
    pub agent: Option<PathBuf>,
    pub config_file: Option<PathBuf>,
}

/// What the caller's variables say about where things are.
#[derive(Debug)]
pub struct Caller {
    variables: Vec<(OsString, OsString)>,
    home: Option<PathBuf>,
    folder: PathBuf,
    looked: Looked,
}

impl Caller {
    /// What a process was started with: its variables and its working folder.
    pub fn new(variables: Vec<(OsString, OsString)>, folder: PathBuf) -> Self {
        let mut caller = Self { variables, home: None, folder, looked: Looked::default() };
        caller.home = caller.path("HOME").filter(|home| home.is_absolute());
        caller
    }

    /// The same from a folder that is gone: by the name that it had, or as if called from the root.
    pub fn without_folder(variables: Vec<(OsString, OsString)>) -> Self {
        let mut caller = Self::new(variables, PathBuf::from("/"));
        caller.folder = caller.path("PWD").filter(|folder| folder.is_absolute()).unwrap_or(caller.folder);
        caller
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The path that a variable holds.
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        let found = self.variables.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| PathBuf::from(value)).filter(|path| !path.as_os_str().is_empty())
    }

    /// The folder that a variable names, else the default one below the home.
    pub fn below_home(&self, variable: &str, default: &str) -> Option<PathBuf> {
        let named = self.path(variable).filter(|path| path.is_absolute());
        named.or_else(|| self.home.as_ref().map(|home| home.join(default)))
    }

    /// The same where it can be used, else a folder that everybody has.
    fn usable(&self, variable: &str, default: &str) -> Result<PathBuf, SurroundingsError> {
        let named = self.below_home(variable, default).filter(|path| folders::is_usable(path));
        named.map_or_else(folders::fallback, Ok)
    }

    /// The same for runs and keys.
    fn own(&self, variable: &str, default: &str) -> Result<PathBuf, SurroundingsError> {
        folders::own_or_fallback(self.usable(variable, default)?, &self.looked)
    }

    /// The same for what can be made again: a cache that somebody else could write is not used.
    fn cache(&self) -> Result<PathBuf, SurroundingsError> {
        let base = self.usable("XDG_CACHE_HOME", ".cache")?;
        let base = if folders::is_own_cache(&base, &self.looked) { base } else { folders::fallback()? };
        Ok(base.join("actum"))
    }

    /// Where keys are kept, also where no store can be used.
    pub fn keys(&self) -> Result<PathBuf, SurroundingsError> {
        let named = self.path("ACTUM_KEYS").map(|named| self.folder.join(named));
        let keys = match named {
            Some(named) => named,
            None => self.own("XDG_CONFIG_HOME", ".config")?.join("actum/keys"),
        };
        folders::named(keys, &self.looked).map(without_links)
    }
}

/// Where the sessions of a store lie: in the caller's cache, one folder for each store. A store may lie where a program can
/// write, and whoever answers at a session's socket is handed the caller's code and variables.
pub fn session_place(surroundings: &Surroundings, program: &HelperProgram) -> Place {
    let store = Digest::of(surroundings.store.as_os_str().as_bytes()).to_string();
    let sessions = surroundings.cache.join("sessions").join(&store[..16]);
    Place { sessions, program: program.start().to_path_buf() }
}

impl Surroundings {
    /// Everything of Actum's below one folder, and none of this process's variables but `PATH`: for programs that embed the
    /// engine, and for tests.
    pub fn below(folder: &Path) -> Self {
        let at = |name: &str| without_links(folder.join(name));
        let path = ("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into());
        Self {
            variables: vec![path],
            home: None,
            folder: without_links(folder.to_path_buf()),
            layers: at("cache/layers"),
            cache: at("cache"),
            store: at("store"),
            own_store: at("store"),
            keys: at("keys"),
            agent: None,
            config_file: None,
        }
    }

    /// Works out the folders of the store, the cache and the keys. Nothing is made.
    pub fn of(caller: Caller) -> Result<Self, SurroundingsError> {
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
fn project_store(folder: &Path, keys: &Path) -> Result<Option<PathBuf>, SurroundingsError> {
    let found = folder
        .ancestors()
        .map(|above| above.join(Store::IN_PROJECT))
        .find(|path| path.symlink_metadata().is_ok_and(|metadata| actum_gate::own::is_own(&metadata)));
    match found {
        Some(path) if !Store::at(&path).is_known(&Keyring::at(keys)) => {
            Err(SurroundingsError::UnknownStore { path })
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

/// Why a folder of Actum's own cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SurroundingsError {
    #[error("the store {} was not created by you on this machine", path.display())]
    UnknownStore { path: PathBuf },
    #[error("{} is not a private folder of yours", path.display())]
    ForeignFolder { path: PathBuf, source: actum_gate::GateError },
}

impl SurroundingsError {
    pub fn hint(&self) -> &'static str {
        match self {
            Self::UnknownStore { .. } => {
                "it may have come with the project; accept it with `actum init` if you trust it, or set ACTUM_STORE to another folder"
            }
            Self::ForeignFolder { .. } => {
                "make it writable only by you (chmod go-w), remove it, or set HOME to a folder that you can write to"
            }
        }
    }
}
