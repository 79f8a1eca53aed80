//! Where the tools of other people are on this machine: `cargo xtask test` installs them and says so in a variable.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Folders of programs that a test machine has beside the system's.
fn folders() -> Vec<PathBuf> {
    std::env::var_os("ACTUM_TEST_PATH").map_or(Vec::new(), |path| std::env::split_paths(&path).collect())
}

/// The interpreter beside `in-toto-verify`, which has all the Python packages.
pub fn python() -> Option<PathBuf> {
    let folder = folders().into_iter().find(|folder| folder.join("in-toto-verify").is_file())?;
    Some(folder.join("python3"))
}

/// The folder of Node's packages, where `@sigstore/verify` is among them.
pub fn node_modules() -> Option<PathBuf> {
    let mut modules = folders().into_iter().filter_map(|folder| folder.parent().map(Path::to_path_buf));
    modules.find(|folder| folder.join("@sigstore/verify").is_dir() && is_here("node"))
}

/// Where Debian keeps Go's sources of packages, if the one with the notes is among them.
pub fn go_path() -> Option<&'static str> {
    let path = "/usr/share/gocode";
    let note = Path::new(path).join("src/golang.org/x/mod/sumdb/note/note.go");
    (note.is_file() && go_program().is_some()).then_some(path)
}

pub fn is_here(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// The system's, else the one that was installed for tests.
fn go_program() -> Option<PathBuf> {
    let installed = folders().into_iter().map(|folder| folder.join("go")).find(|path| path.is_file());
    if is_here("go") { Some(PathBuf::from("go")) } else { installed }
}

/// Go, with its sources where Debian has them, and a cache of builds in the target folder.
pub fn go(path: &str) -> Command {
    let mut command = Command::new(go_program().unwrap_or_default());
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("go-cache");
    command.env("GO111MODULE", "off").env("GOPATH", path).env("GOCACHE", cache).env("GOFLAGS", "");
    command
}
