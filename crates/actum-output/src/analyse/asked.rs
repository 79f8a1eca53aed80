//! What was asked, as far as it helps to read the output, and which code is the user's own.

use crate::Origin;

/// What the analysis needs to know about the request.
#[derive(Clone, Debug, Default)]
pub struct Asked<'a> {
    /// The declared language by its canonical name; empty when there is none.
    pub language: &'a str,
    /// The command as it is shown.
    pub command: &'a str,
    /// The workspace as the program sees it.
    pub workspace: &'a str,
    /// Files that were staged for the user, as the program sees them: their own code too, wherever they lie.
    pub own: &'a [String],
    /// Who printed the output: only a runner's own words are test results.
    pub origin: Origin,
}

/// Parts of a path that only code of others has.
const OTHERS: &[&str] = &[
    "site-packages",
    "dist-packages",
    "node_modules",
    ".venv",
    "venv",
    ".cargo",
    ".rustup",
    "vendor",
    "gems",
    ".tox",
    ".julia",
    "__pypackages__",
];

/// Where systems keep their own. A workspace below one of them is still the user's.
const SYSTEM: &[&str] = &["/usr/", "/lib/", "/lib64/", "/opt/", "/rustc/", "/nix/", "/snap/", "/build/"];

/// Code that has no file: given on the command line or by stdin.
const INLINE: &[&str] =
    &["<string>", "<stdin>", "[eval]", "[stdin]", "-e", "-", "<main>", "(eval)", "Command line code", "none"];

impl Asked<'_> {
    pub(super) fn speaks(&self, languages: &[&str]) -> bool {
        languages.contains(&self.language)
    }

    /// Whether a file that a frame names holds the user's own code.
    pub(crate) fn owns(&self, path: &str) -> bool {
        let path = path.strip_prefix("file://").unwrap_or(path);
        if is_inline(path) || self.own.iter().any(|own| names(own, path)) {
            return true;
        }
        // `<frozen importlib>`, `node:internal/…`, `[C]`, `internal/…` of Node, `??` of a debugger.
        let special = path.starts_with(['<', '[', '(', '?'])
            || path.starts_with("node:")
            || path.starts_with("internal/");
        let relative = path.strip_prefix(self.workspace).filter(|_| !self.workspace.is_empty());
        let inside = relative.filter(|rest| rest.starts_with('/') || self.workspace.ends_with('/'));
        let others = inside.unwrap_or(path).split('/').any(|part| OTHERS.contains(&part));
        if special || others || path.is_empty() {
            return false;
        }
        match inside {
            // A workspace at the root holds the system as well.
            Some(_) if self.workspace == "/" => !is_system(path),
            Some(_) => true,
            None => !path.starts_with('/') && !path.starts_with("../"),
        }
    }

    /// A path as it is shown: relative to the workspace where it lies in it; a staged file by its name, for where it was
    /// staged is our business.
    pub(crate) fn relative<'p>(&self, path: &'p str) -> &'p str {
        let path = path.strip_prefix("file://").unwrap_or(path);
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let outside = self.workspace.is_empty() || !folder.starts_with(self.workspace);
        if outside && self.own.iter().any(|own| own == path) {
            return name;
        }
        let inside =
            path.strip_prefix(self.workspace.trim_end_matches('/')).filter(|_| !self.workspace.is_empty());
        let relative = inside.and_then(|rest| rest.strip_prefix('/')).unwrap_or(path);
        relative.strip_prefix("./").unwrap_or(relative)
    }
}

pub(super) fn is_inline(path: &str) -> bool {
    INLINE.contains(&path)
}

fn is_system(path: &str) -> bool {
    SYSTEM.iter().any(|folder| path.starts_with(folder))
}

/// Whether two paths end alike: frames name files by what the interpreter was given.
fn names(own: &str, path: &str) -> bool {
    let ends = |long: &str, short: &str| {
        !short.is_empty()
            && long.strip_suffix(short).is_some_and(|before| before.is_empty() || before.ends_with('/'))
    };
    ends(own, path) || (ends(path, own) && !is_system(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whose_code_it_is() {
        let own = ["/tmp/staged/main.py".to_owned()];
        let asked = Asked { workspace: "/workspace", own: &own, ..Asked::default() };
        for path in [
            "/workspace/a.py",
            "a.py",
            "./src/lib.rs",
            "<string>",
            "[eval]",
            "/tmp/staged/main.py",
            "file:///workspace/a.mjs",
        ] {
            assert!(asked.owns(path), "{path} is the user's");
        }
        for path in [
            "/usr/lib/python3.11/json/decoder.py",
            "/workspace/node_modules/x/i.js",
            "/workspace/.venv/lib/site-packages/x.py",
            "node:internal/modules/cjs/loader",
            "<frozen importlib._bootstrap>",
            "/workspaces/a.py",
            "/rustc/5980/library/std/src/panicking.rs",
            "../sysdeps/nptl/start.h",
            "[C]",
            "",
        ] {
            assert!(!asked.owns(path), "{path} is somebody else's");
        }
        let below = Asked { workspace: "/usr/src/app", ..Asked::default() };
        assert!(below.owns("/usr/src/app/main.py"));
        let root = Asked { workspace: "/", ..Asked::default() };
        assert!(root.owns("/data/a.py") && !root.owns("/usr/lib/a.py"));
    }

    #[test]
    fn paths_are_shown_from_the_workspace() {
        let own = ["/tmp/staged/main.py".to_owned()];
        let asked = Asked { workspace: "/workspace", own: &own, ..Asked::default() };
        for (path, shown) in [
            ("/workspace/a/b.py", "a/b.py"),
            ("./x.go", "x.go"),
            ("/workspaces/a.py", "/workspaces/a.py"),
            ("/workspace", "/workspace"),
            ("/tmp/staged/main.py", "main.py"),
        ] {
            assert_eq!(asked.relative(path), shown);
        }
    }
}
