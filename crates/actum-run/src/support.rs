//! Lays files of ours beside a program, where it can read them and nothing of it can write.

use crate::error::RunError;
use crate::request::Support;
use actum_gate::own;
use actum_model::Grant;
use actum_sandbox::Variable;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The folder of support files in a run's own folder.
const FOLDER: &str = "support";
/// What stands for it in values.
const PLACEHOLDER: &str = "{support}";

impl Support {
    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty() && self.variables.is_empty()
    }

    /// Writes the files, grants them and sets the variables that lead to them.
    pub(crate) fn lay(
        &self,
        run_folder: &Path,
        request: &mut actum_sandbox::Request,
    ) -> Result<(), RunError> {
        if self.is_empty() {
            return Ok(());
        }
        let folder = run_folder.join(FOLDER);
        let failed = |path: &Path, source| RunError::Keep { path: path.to_path_buf(), source };
        own::make_folders(&folder).map_err(|source| failed(&folder, source))?;
        for file in &self.files {
            let path = folder.join(&file.name);
            if !own::read(&path).is_ok_and(|there| there == file.bytes) {
                own::write(&path, &file.bytes).map_err(|source| failed(&path, source))?;
            }
        }
        let own =
            self.variables.iter().map(|(name, value)| Variable::Set(name.clone(), lead(value, &folder)));
        let users = std::mem::take(&mut request.granted_variables);
        request.granted_variables = own.chain(users).collect();
        for name in &self.search_paths {
            let value = in_front(&folder, current(request, name));
            request.granted_variables.push(Variable::Set(name.clone(), value));
        }
        request.policy.grants.push(Grant::Read(folder));
        Ok(())
    }
}

/// A value with the folder in the place of the placeholder.
fn lead(value: &OsStr, folder: &Path) -> OsString {
    match value.to_str() {
        Some(text) if text.contains(PLACEHOLDER) => {
            let mut led = OsString::new();
            for (at, part) in text.split(PLACEHOLDER).enumerate() {
                if at > 0 {
                    led.push(folder);
                }
                led.push(part);
            }
            led
        }
        Some(_) | None => value.to_owned(),
    }
}

/// The value that the program would get by grants.
fn current<'r>(request: &'r actum_sandbox::Request, name: &OsStr) -> Option<&'r OsStr> {
    let callers = || request.variables.iter().find(|(other, _)| other == name).map(|(_, value)| value);
    let value = |variable: &'r Variable| match variable {
        Variable::Set(other, value) if other == name => Some(value),
        Variable::Inherited(other) if other == name => callers(),
        Variable::Set(..) | Variable::Inherited(_) => None,
    };
    request.granted_variables.iter().rev().find_map(value).map(OsString::as_os_str)
}

fn in_front(folder: &Path, rest: Option<&OsStr>) -> OsString {
    let folders = rest.filter(|rest| !rest.is_empty()).into_iter().flat_map(|rest| {
        rest.as_bytes().split(|byte| *byte == b':').map(|part| PathBuf::from(OsStr::from_bytes(part)))
    });
    let mut list = folder.as_os_str().to_owned();
    for folder in folders {
        list.push(":");
        list.push(folder);
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_lead_to_the_folder() {
        let folder = Path::new("/run/support");
        for (value, expected) in [
            ("{support}/a.so", "/run/support/a.so"),
            ("a{support}b{support}", "a/run/supportb/run/support"),
            ("x", "x"),
        ] {
            assert_eq!(lead(OsStr::new(value), folder), OsStr::new(expected));
        }
    }

    #[test]
    fn our_folder_is_searched_first() {
        let folder = Path::new("/s");
        assert_eq!(in_front(folder, None), OsStr::new("/s"));
        assert_eq!(in_front(folder, Some(OsStr::new(""))), OsStr::new("/s"));
        assert_eq!(in_front(folder, Some(OsStr::new("/a:/b"))), OsStr::new("/s:/a:/b"));
    }
}
