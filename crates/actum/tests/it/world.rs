//! Where a run happens and who calls: a folder of its own under /tmp with a home, a cache and a workspace, and the
//! binary copied to where everybody can start it. All of it goes away with the [`World`].

use crate::run::Run;
use std::ffi::OsStr;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use tempfile::TempDir;

/// Who starts the binary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    Root,
    Ordinary,
}

/// The walls that a run gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Walls {
    /// Namespaces and all.
    N,
    /// Without namespaces because it was asked for.
    L,
    /// Without namespaces because the rules of a container refuse them.
    Docker,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    pub user: u32,
    pub group: u32,
}

/// A place for runs of one caller.
#[derive(Debug)]
pub struct World {
    folder: TempDir,
    pub caller: Caller,
    pub identity: Identity,
}

/// The system's own programs, as an ordinary login has them: what a developer's PATH adds is no part of these tests.
pub const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The ordinary user of these tests, made by the first that needs it and kept.
pub const ORDINARY: &str = "actum-tester";

impl Walls {
    pub const ALL: [Walls; 3] = [Walls::N, Walls::L, Walls::Docker];

    /// As the report names it.
    pub fn tier(self) -> &'static str {
        match self {
            Walls::N => "N",
            Walls::L | Walls::Docker => "L",
        }
    }
}

/// What the name of every world's folder begins with.
pub const PREFIX: &str = "actum-it-";

impl World {
    /// A place for this caller; nothing where this machine cannot play that part, which then was said as a skip.
    pub fn new(caller: Caller) -> Option<Self> {
        let identity = match identity(caller) {
            Ok(identity) => identity,
            Err(reason) => {
                actum_testkit::skip(&reason);
                return None;
            }
        };
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in("/tmp").unwrap();
        std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755)).unwrap();
        let world = Self { folder, caller, identity };
        // Not copied where that can be avoided: a file that was just written is busy for as long as another thread's child has it.
        if std::fs::hard_link(binary(), world.actum()).is_err() {
            std::fs::copy(binary(), world.actum()).unwrap();
            std::fs::set_permissions(world.actum(), PermissionsExt::from_mode(0o755)).unwrap();
        }
        for name in ["home", "cache", "work", "reports"] {
            world.make_folder(&world.path(name));
        }
        Some(world)
    }

    /// One place for each caller that this machine can play.
    pub fn each() -> Vec<Self> {
        [Caller::Root, Caller::Ordinary].into_iter().filter_map(Self::new).collect()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn actum(&self) -> PathBuf {
        self.path("actum")
    }

    pub fn workspace(&self) -> PathBuf {
        self.path("work")
    }

    /// A folder that belongs to the caller; the folders above it are made too.
    pub fn make_folder(&self, path: &Path) {
        if let Some(above) = path.parent().filter(|above| !above.exists()) {
            self.make_folder(above);
        }
        if !path.exists() {
            std::fs::create_dir(path).unwrap();
            self.give(path);
        }
    }

    /// A file of the caller's.
    pub fn make_file(&self, path: &Path, text: &str) {
        self.make_folder(path.parent().unwrap());
        std::fs::write(path, text).unwrap();
        self.give(path);
    }

    pub fn make_program(&self, path: &Path, text: &str) {
        self.make_file(path, text);
        std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
    }

    fn give(&self, path: &Path) {
        if rustix::process::geteuid().is_root() {
            chown(path, Some(self.identity.user), Some(self.identity.group)).unwrap();
        }
    }

    /// A run in this place's workspace; see [`Run`] for what can be added.
    pub fn run<W: AsRef<OsStr>>(&self, command: &[W]) -> Run<'_> {
        Run::new(self, command.iter().map(|word| word.as_ref().to_owned()).collect())
    }

    /// A run of a file of code with its arguments.
    pub fn source(&self, file: &str, arguments: &[&str]) -> Run<'_> {
        let words: Vec<&str> = [file].into_iter().chain(arguments.iter().copied()).collect();
        self.run(&words).of_source()
    }

    /// A run of code that is given with `-c`.
    pub fn code(&self, language: &str, code: &str) -> Run<'_> {
        self.run::<&str>(&[]).of_source().flags(&["--language", language, "-c", code])
    }

    /// Another command of the binary than `run`.
    pub fn actum_with(&self, words: &[&str]) -> Run<'_> {
        self.run::<&str>(&[]).of_other(words)
    }

    pub fn python(&self, program: &str) -> Run<'_> {
        self.run(&["python3", "-c", program])
    }
}

fn binary() -> PathBuf {
    std::env::var_os("ACTUM_BINARY").map_or_else(|| env!("CARGO_BIN_EXE_actum").into(), PathBuf::from)
}

/// The program that plays a container's rules: named by `cargo xtask test`, beside the binary, or built now.
pub fn docker_rules() -> &'static Path {
    static FOUND: OnceLock<PathBuf> = OnceLock::new();
    FOUND.get_or_init(|| {
        if let Some(named) = std::env::var_os("ACTUM_DOCKER_RULES") {
            return named.into();
        }
        let profile = Path::new(env!("CARGO_BIN_EXE_actum")).parent().unwrap();
        let build = Command::new(env!("CARGO"))
            .args(["build", "--quiet", "--package", "actum-testkit", "--bin", "docker-rules", "--target-dir"])
            .arg(profile.parent().unwrap())
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .status()
            .unwrap();
        assert!(build.success(), "docker-rules could not be built");
        profile.with_file_name("debug").join("docker-rules")
    })
}

fn identity(caller: Caller) -> Result<Identity, String> {
    let is_root = rustix::process::geteuid().is_root();
    let own =
        Identity { user: rustix::process::geteuid().as_raw(), group: rustix::process::getegid().as_raw() };
    match (caller, is_root) {
        (Caller::Root, true) | (Caller::Ordinary, false) => Ok(own),
        (Caller::Root, false) => Err("only root can try what root sees".to_owned()),
        (Caller::Ordinary, true) => look_up()
            .or_else(|| {
                make_user();
                look_up()
            })
            .ok_or_else(|| format!("there is no user {ORDINARY}, and useradd did not make one")),
    }
}

/// One test after the other: two that add the user at the same time overwrite each other's entry, and the home keeps the owner of
/// the first.
fn make_user() {
    let lock = std::fs::File::create(std::env::temp_dir().join("actum-it-user.lock")).unwrap();
    lock.lock().unwrap();
    if look_up().is_some() {
        return;
    }
    let _ = Command::new("/usr/sbin/useradd")
        .args(["--system", "--user-group", "--create-home", "--home-dir", "/home/actum-tester"])
        .args(["--shell", "/bin/sh", ORDINARY])
        .output();
}

fn look_up() -> Option<Identity> {
    let users = std::fs::read_to_string("/etc/passwd").ok()?;
    let line = users.lines().find(|line| line.split(':').next() == Some(ORDINARY))?;
    let mut numbers = line.split(':').skip(2).map_while(|field| field.parse().ok());
    Some(Identity { user: numbers.next()?, group: numbers.next()? })
}
