//! What stands behind a shim of pyenv: a script that chooses among versions each time it is started.
//!
//! Followed by hand, because asking one takes a hundred times as long: the variable, the nearest `.python-version`, the
//! global choice. A shim that cannot be followed is left as it is, and asked.

use actum_sandbox::Request;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The program that a path leads to, as the caller of `attempt` would get it.
pub(super) fn behind(path: &Path, attempt: &Request) -> PathBuf {
    follow(path, attempt).unwrap_or_else(|| path.to_path_buf())
}

fn follow(path: &Path, attempt: &Request) -> Option<PathBuf> {
    let shims = path.parent().filter(|folder| folder.file_name() == Some(OsStr::new("shims")))?;
    let root = shims.parent().filter(|root| root.join("versions").is_dir())?;
    let variable = attempt
        .variables
        .iter()
        .find(|(name, _)| name == "PYENV_VERSION")
        .and_then(|(_, value)| value.to_str());
    let near = || attempt.folder.ancestors().find_map(|folder| choice(folder, ".python-version"));
    let chosen = variable.map(str::to_owned).or_else(near).or_else(|| choice(root, "version"))?;
    let name = path.file_name()?;
    // Several may be chosen; the first that has the command wins.
    let versions = chosen.split([':', ' ', '\n']).map(str::trim).filter(|version| is_plain(version));
    let mut programs = versions.filter_map(|version| program(root, version, name));
    programs.next()
}

/// A version by its whole name, or the newest that begins with it, as in `3.11`.
fn program(root: &Path, version: &str, name: &OsStr) -> Option<PathBuf> {
    let versions = root.join("versions");
    let exact = versions.join(version).join("bin").join(name);
    if exact.is_file() {
        return Some(exact);
    }
    let prefix = format!("{version}.");
    let number = |name: &str| name.rsplit('.').next().and_then(|last| last.parse::<u32>().ok());
    let names =
        actum_gate::own::names(&versions).ok()?.into_iter().filter_map(|name| name.into_string().ok());
    let newest = names.filter(|name| name.starts_with(&prefix)).max_by_key(|name| number(name))?;
    Some(versions.join(newest).join("bin").join(name)).filter(|path| path.is_file())
}

fn choice(folder: &Path, name: &str) -> Option<String> {
    // A project brings it: no link leads out of its folder, no pipe is waited for, and a few names are all that counts.
    let root = actum_gate::Root::open(folder).ok()?;
    let text = root.read_text(Path::new(name), actum_gate::Bound(4096)).ok()?.into_string();
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let chosen: Vec<&str> = lines.collect();
    (!chosen.is_empty()).then(|| chosen.join(":"))
}

/// The name of a folder, and nothing that leads elsewhere.
fn is_plain(version: &str) -> bool {
    let is_ok = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
    !version.is_empty() && !version.starts_with('.') && version != "system" && version.bytes().all(is_ok)
}
