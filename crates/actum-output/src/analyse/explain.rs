//! Failures whose own words can be said better: a module or a command that is not there.

use super::shown::{NAME, shown};
use super::sight::between;
use super::summary::place;
use actum_model::Failure;

/// `Import failed: module 'x' not found`, `command 'x' not found at a.sh line 2`.
pub(super) fn explain(failure: &Failure) -> Option<String> {
    if failure.kind == "command not found" {
        return Some(format!("command '{}' not found{}", shown(&failure.message, NAME), place(failure)));
    }
    let (noun, name) = missing(failure)?;
    Some(format!("Import failed: {noun} '{}' not found", shown(name, NAME)))
}

/// The module that could not be found, in each language's words.
fn missing(failure: &Failure) -> Option<(&'static str, &str)> {
    let message = failure.message.as_str();
    match failure.language.as_str() {
        "python" => Some(("module", between(message, "No module named '", "'")?)),
        "javascript" => {
            let module = between(message, "Cannot find module '", "'");
            module
                .map(|name| ("module", name))
                .or_else(|| Some(("package", between(message, "Cannot find package '", "'")?)))
        }
        "ruby" => Some(("file", message.strip_prefix("cannot load such file -- ")?)),
        "perl" => Some(("module", between(message, "you may need to install the ", " module")?)),
        "lua" => Some(("module", between(message, "module '", "' not found")?)),
        "r" => Some(("package", between(message, "there is no package called ‘", "’")?)),
        _ => None,
    }
}
