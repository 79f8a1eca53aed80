//! Names that people give to files of their own. A package of that name exists for nearly every one of them, and is never
//! what was meant: `utils` alone is a top-level module of more than a thousand projects.

use super::provider::is_mapped;
use super::top_of;
use crate::table::Table;

static GENERIC: Table = Table::new(include_str!("../../data/generic.txt"));

/// Packages whose names begin like something of one's own.
const NOT_OWN: &[&str] = &["mycli", "mygene", "myhdl", "mypy", "mysql", "myst_"];

/// Whether a module is to be looked for beside the program and never on an index.
pub fn is_generic(module: &str) -> bool {
    let name = top_of(module).to_ascii_lowercase().replace('-', "_");
    GENERIC.find(&name).is_some() || is_own(&name) || is_numbered(&name)
}

/// `my_module`, `myapp`, `your_project`.
fn is_own(name: &str) -> bool {
    let known = NOT_OWN.iter().any(|known| name.starts_with(known));
    if known {
        return false;
    }
    let own = ["my_", "your_", "our_"].iter().any(|prefix| name.starts_with(prefix));
    own || name.strip_prefix("my").or_else(|| name.strip_prefix("your")).is_some_and(|rest| {
        matches!(
            rest,
            "code"
                | "mod"
                | "lib"
                | "class"
                | "site"
                | "package"
                | "script"
                | "file"
                | "function"
                | "functions"
        ) || GENERIC.find(rest).is_some()
    })
}

/// `module1`, `test2`, `utils_2`: a generic name with a number, and not one of the few packages that are called so.
fn is_numbered(name: &str) -> bool {
    let stem = name.trim_end_matches(|letter: char| letter.is_ascii_digit()).trim_end_matches('_');
    stem.len() < name.len() && GENERIC.find(stem).is_some() && !is_mapped(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_ones_own_are_told_from_packages() {
        for name in [
            "utils", "utils.io", "config", "helpers", "src", "app", "models", "Tests", "mymodule", "my_thing",
        ] {
            assert!(is_generic(name), "{name}");
        }
        for name in ["your_project", "module1", "test_2", "data-utils", "myutils", "main", "settings"] {
            assert!(is_generic(name), "{name}");
        }
        for name in [
            "numpy",
            "mypy",
            "mysql",
            "mypy_extensions",
            "schema",
            "requests",
            "tests_of_mine",
            "web",
            "myst_parser",
        ] {
            assert!(!is_generic(name), "{name}");
        }
    }
}
