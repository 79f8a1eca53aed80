//! Installs the Debian packages whose programs tests start, and only those that are missing.
//!
//! What cannot be installed is said, not an error: tests that need it say that they are skipped.

use crate::command::{self, Command};
use crate::error::Error;
use crate::say;
use crate::step::{Outcome, Session};

/// One program, where it comes from, and why tests want it.
struct Wanted {
    program: &'static str,
    packages: &'static [&'static str],
    why: &'static str,
}

const WANTED: &[Wanted] = &[
    Wanted { program: "bwrap", packages: &["bubblewrap"], why: "the sandbox that ours is compared with" },
    // gcc only recommends the C headers, and recommendations are left out.
    Wanted { program: "gcc", packages: &["gcc", "libc6-dev"], why: "attack programs written in C" },
    Wanted { program: "unshare", packages: &["util-linux"], why: "asks the kernel for namespaces by hand" },
    Wanted { program: "tmux", packages: &["tmux"], why: "a terminal that tests can type into" },
    Wanted { program: "g++", packages: &["g++"], why: "programs in C++" },
    Wanted { program: "node", packages: &["nodejs", "npm"], why: "programs in JavaScript and TypeScript" },
    Wanted { program: "ruby", packages: &["ruby"], why: "programs in Ruby" },
    Wanted { program: "perl", packages: &["perl"], why: "programs in Perl" },
    Wanted { program: "php", packages: &["php-cli"], why: "programs in PHP" },
    Wanted { program: "lua", packages: &["lua5.4"], why: "programs in Lua" },
    Wanted { program: "go", packages: &["golang-go"], why: "programs in Go" },
    Wanted { program: "javac", packages: &["default-jdk-headless"], why: "programs in Java" },
    Wanted { program: "Rscript", packages: &["r-base-core"], why: "programs in R" },
    Wanted { program: "pg_createcluster", packages: &["postgresql"], why: "a database outside the sandbox" },
    Wanted { program: "openssl", packages: &["openssl"], why: "verifies what we signed" },
    Wanted { program: "ssh-keygen", packages: &["openssh-client"], why: "verifies what we signed; an agent" },
    Wanted { program: "python3", packages: &["python3", "python3-venv"], why: "verifiers of other people" },
    // No program but a source: the only sign that the package is here is its file.
    Wanted {
        program: "/usr/share/gocode/src/golang.org/x/mod/sumdb/note/note.go",
        packages: &["golang-golang-x-mod-dev"],
        why: "Go's packages for notes and logs",
    },
    Wanted { program: "strace", packages: &["strace"], why: "calls that fail while a ledger is written" },
    Wanted { program: "mkfs.ext4", packages: &["e2fsprogs"], why: "a disk whose power goes" },
    Wanted { program: "curl", packages: &["curl"], why: "an ordinary client behind the egress proxy" },
];

pub fn install(_: &mut Session) -> Result<Outcome, Error> {
    let missing = missing(command::is_on_path);
    if missing.is_empty() {
        say::line("nothing to install");
        return Ok(Outcome::Held);
    }
    for wanted in &missing {
        say::line(&format!("missing: {} ({}), {}", wanted.program, wanted.packages.join(" "), wanted.why));
    }
    if let Some(reason) = obstacle()? {
        return Ok(Outcome::Skipped(format!("{reason}; tests that need {} report it", names(&missing))));
    }
    let mut arguments = vec!["install", "-y", "--no-install-recommends"];
    arguments.extend(missing.iter().flat_map(|wanted| wanted.packages));
    if apt_get(&["update"]).live()? && apt_get(&arguments).live()? {
        return Ok(Outcome::Held);
    }
    Ok(Outcome::Skipped(format!("apt-get failed; tests that need {} report it", names(&missing))))
}

fn missing(is_here: fn(&str) -> bool) -> Vec<&'static Wanted> {
    WANTED.iter().filter(|wanted| !is_here(wanted.program)).collect()
}

/// Why nothing can be installed here, if so.
fn obstacle() -> Result<Option<&'static str>, Error> {
    if !command::is_on_path("apt-get") {
        return Ok(Some("apt-get is not installed"));
    }
    let is_root = Command::new("id", &["-u"]).output()?.trim() == "0";
    Ok((!is_root).then_some("only root can install packages"))
}

fn apt_get(arguments: &[&str]) -> Command {
    Command::new("apt-get", arguments).with("DEBIAN_FRONTEND", "noninteractive")
}

fn names(missing: &[&Wanted]) -> String {
    missing.iter().map(|wanted| wanted.program).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_missing_is_wanted() {
        assert!(missing(|_| true).is_empty());
        assert_eq!(names(&missing(|program| program != "tmux" && program != "curl")), "tmux, curl");
    }
}
