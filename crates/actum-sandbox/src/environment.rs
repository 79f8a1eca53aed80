//! Which variables a program gets: an allow-list, ours, and what was granted by name. Pure.

use serde::{Deserialize, Serialize};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

/// Variables that describe the machine and the terminal, not the person, and where runtimes are found. Not among them on
/// purpose: everything that loads code (`LD_*`, `PYTHONPATH`, `BASH_ENV`, `NODE_OPTIONS`, `GIT_*`, `PERL5LIB`).
const ALLOWED: &[&str] = &[
    "CI",
    "CLICOLOR",
    "COLORTERM",
    "COLUMNS",
    "CONDA_PREFIX",
    "FORCE_COLOR",
    "GOROOT",
    "JAVA_HOME",
    "LANG",
    "LANGUAGE",
    "LINES",
    "NO_COLOR",
    "PYENV_ROOT",
    "PYENV_VERSION",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONUNBUFFERED",
    "RUSTUP_TOOLCHAIN",
    "SOURCE_DATE_EPOCH",
    "TERM",
    "TZ",
    "VIRTUAL_ENV",
];

/// A variable granted by the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Variable {
    /// With the value that the caller has; nothing if it has none.
    Inherited(OsString),
    Set(OsString, OsString),
}

/// The variables that every program gets, whoever runs it.
#[derive(Debug, Clone)]
pub struct Given<'a> {
    pub path: &'a OsStr,
    pub home: &'a str,
    pub temporary: &'a str,
}

/// What a program gets of the caller's variables and by grants, sorted by name; the rest of its environment is ours.
pub fn handed_over(request: &crate::Request) -> Vec<(OsString, OsString)> {
    let mut all: Vec<(OsString, OsString)> =
        request.variables.iter().filter(|(name, _)| is_allowed(name)).cloned().collect();
    grant(&mut all, &request.variables, &request.granted_variables);
    all.sort();
    all
}

/// The program's whole environment, sorted by name. Later sources win: ours, then the user's grants.
pub fn environment(
    callers: &[(OsString, OsString)],
    given: &Given<'_>,
    more: &[(OsString, OsString)],
    granted: &[Variable],
) -> Vec<(OsString, OsString)> {
    let mut all: Vec<(OsString, OsString)> =
        callers.iter().filter(|(name, _)| is_allowed(name)).cloned().collect();
    let mut set = |name: &OsStr, value: &OsStr| {
        all.retain(|(other, _)| other != name);
        all.push((name.to_owned(), value.to_owned()));
    };
    set(OsStr::new("PATH"), given.path);
    set(OsStr::new("HOME"), OsStr::new(given.home));
    set(OsStr::new("TMPDIR"), OsStr::new(given.temporary));
    set(OsStr::new("USER"), OsStr::new("actum"));
    set(OsStr::new("LOGNAME"), OsStr::new("actum"));
    set(OsStr::new("ACTUM"), OsStr::new("1"));
    for (name, value) in more {
        set(name, value);
    }
    grant(&mut all, callers, granted);
    all.sort();
    all
}

/// What was granted by name takes the place of what was there.
fn grant(all: &mut Vec<(OsString, OsString)>, callers: &[(OsString, OsString)], granted: &[Variable]) {
    for variable in granted {
        let (name, value) = match variable {
            Variable::Set(name, value) => (name, Some(value)),
            Variable::Inherited(name) => {
                (name, callers.iter().find(|(other, _)| other == name).map(|(_, value)| value))
            }
        };
        if let Some(value) = value {
            all.retain(|(other, _)| other != name);
            all.push((name.clone(), value.clone()));
        }
    }
}

fn is_allowed(name: &OsStr) -> bool {
    name.as_bytes().starts_with(b"LC_") || ALLOWED.iter().any(|allowed| name == *allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(list: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        list.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))).collect()
    }

    #[test]
    fn secrets_and_loaders_stay_outside() {
        let callers = pairs(&[
            ("AWS_SECRET_ACCESS_KEY", "x"),
            ("LD_PRELOAD", "x"),
            ("PYTHONPATH", "x"),
            ("BASH_ENV", "x"),
            ("NODE_OPTIONS", "x"),
            ("GIT_SSH_COMMAND", "x"),
            ("SSH_AUTH_SOCK", "x"),
            ("LANG", "C.UTF-8"),
            ("LC_ALL", "C"),
            ("HOME", "/home/me"),
        ]);
        let given = Given { path: OsStr::new("/usr/bin"), home: "/tmp/home", temporary: "/tmp" };
        let names: Vec<OsString> =
            environment(&callers, &given, &[], &[]).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["ACTUM", "HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "TMPDIR", "USER"]);
    }

    #[test]
    fn grants_win() {
        let callers = pairs(&[("TOKEN", "secret"), ("OTHER", "x")]);
        let given = Given { path: OsStr::new("/usr/bin"), home: "/tmp/home", temporary: "/tmp" };
        let granted = [
            Variable::Inherited("TOKEN".into()),
            Variable::Inherited("ABSENT".into()),
            Variable::Set("HOME".into(), "/elsewhere".into()),
        ];
        let all = environment(&callers, &given, &[], &granted);
        assert!(all.contains(&("TOKEN".into(), "secret".into())));
        assert!(all.contains(&("HOME".into(), "/elsewhere".into())));
        assert!(!all.iter().any(|(name, _)| name == "ABSENT" || name == "OTHER"));
    }
}
