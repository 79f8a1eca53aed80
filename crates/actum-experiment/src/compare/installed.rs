//! Files of an environment by names that are the same wherever it was built.
//!
//! A reproduction has its packages in another folder. What an installer writes about an installation (times, paths) is no ingredient.

use super::ingredients::package_name;
use crate::manifest::InterpreterFacts;

/// Folders of installed packages.
const PACKAGES: &[&str] = &["site-packages/", "dist-packages/", "node_modules/", "R/library/"];
/// Files of an environment that name the place or the time of its installation.
const RECORDS: &[&str] =
    &["RECORD", "INSTALLER", "REQUESTED", "direct_url.json", "uv_cache.json", "pyvenv.cfg", "uv_build.json"];
/// Prefixes that hold the system and not an environment.
const SYSTEM: &[&str] = &["", "/", "/usr", "/usr/local"];

/// What a file of an environment is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Installed {
    /// A file of a package, by its name below the folder of packages.
    Package(String),
    /// Another file of the interpreter's environment.
    Interpreter(String),
    /// It says nothing about a run.
    Record,
}

/// None for a file that belongs to no environment.
pub(super) fn classify(path: &str, interpreter: Option<&InterpreterFacts>) -> Option<Installed> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let in_packages = PACKAGES.iter().find_map(|folder| {
        let (before, rest) = path.rsplit_once(folder)?;
        (before.is_empty() || before.ends_with('/')).then_some(rest)
    });
    if let Some(rest) = in_packages {
        // Compiled files have the time of the installation in them; their sources are compared.
        let is_record = RECORDS.contains(&name) || name.ends_with(".pyc");
        return Some(if is_record { Installed::Record } else { Installed::Package(rest.to_owned()) });
    }
    let interpreter = interpreter?;
    let prefix = interpreter.path.rsplit_once("/bin/").map_or("", |(prefix, _)| prefix);
    if path == interpreter.path {
        // It is compared by its version and digest.
        return Some(Installed::Record);
    }
    if SYSTEM.contains(&prefix) {
        return None;
    }
    let rest = path.strip_prefix(prefix)?.strip_prefix('/')?;
    let is_record = RECORDS.contains(&name) || name.ends_with(".pyc");
    Some(if is_record { Installed::Record } else { Installed::Interpreter(rest.to_owned()) })
}

/// The name of the package that a file below the folder of packages belongs to.
pub(super) fn package_of(rest: &str) -> String {
    let first = rest.split('/').next().unwrap_or(rest);
    let first = first.strip_suffix(".py").unwrap_or(first);
    let end = first.find('-').filter(|_| first.ends_with(".dist-info")).unwrap_or(first.len());
    package_name(&first[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_environment_has_the_same_names_wherever_it_is() {
        let python = |path: &str| InterpreterFacts {
            name: "python".to_owned(),
            path: path.to_owned(),
            version: None,
            sha256: None,
        };
        let (venv, system) = (python("/e/.venv/bin/python"), python("/usr/bin/python3"));
        let package = |rest: &str| Some(Installed::Package(rest.to_owned()));
        let cases = [
            ("/e/.venv/lib/python3.11/site-packages/numpy/core.py", &venv, package("numpy/core.py")),
            (".venv/lib/python3.11/site-packages/six.py", &system, package("six.py")),
            ("/usr/lib/python3/dist-packages/x/y.so", &system, package("x/y.so")),
            ("/e/.venv/lib/python3.11/site-packages/numpy/__pycache__/a.pyc", &venv, Some(Installed::Record)),
            ("/e/.venv/pyvenv.cfg", &venv, Some(Installed::Record)),
            ("/e/.venv/bin/python", &venv, Some(Installed::Record)),
            (
                "/e/.venv/lib/python3.11/json.py",
                &venv,
                Some(Installed::Interpreter("lib/python3.11/json.py".to_owned())),
            ),
            ("/usr/lib/libm.so", &system, None),
            ("train.py", &venv, None),
            ("my-site-packages/x.py", &venv, None),
        ];
        for (path, interpreter, expected) in cases {
            assert_eq!(classify(path, Some(interpreter)), expected, "{path}");
        }
    }

    #[test]
    fn installed_files_have_a_package() {
        assert_eq!(package_of("numpy/core.py"), "numpy");
        assert_eq!(package_of("My_Pkg-1.0.dist-info/METADATA"), "my-pkg");
        assert_eq!(package_of("six.py"), "six");
    }
}
