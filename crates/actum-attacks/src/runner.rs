//! How a command is started confined: builds command lines, starts nothing.

use crate::RunLimits;
use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

/// One way to confine a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Runner {
    /// Nothing around it: shows that the attempts are real.
    Bare,
    /// Bubblewrap with the settings that the peers were measured with.
    Bubblewrap,
    /// Our own. `prefix` stands before the binary, e.g. a wrapper that plays Docker's rules.
    Actum { binary: PathBuf, prefix: Vec<OsString>, flags: Vec<String> },
}

/// A runner without its settings; what headers name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunnerKind {
    Bare,
    Bubblewrap,
    Actum,
}

/// What a runner needs to know about one run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Start<'a> {
    pub workspace: &'a Path,
    pub report: &'a Path,
    pub limits: &'a RunLimits,
    pub profile: &'a str,
    pub net: &'a [String],
}

impl Runner {
    pub fn kind(&self) -> RunnerKind {
        match self {
            Runner::Bare => RunnerKind::Bare,
            Runner::Bubblewrap => RunnerKind::Bubblewrap,
            Runner::Actum { .. } => RunnerKind::Actum,
        }
    }

    /// Everything that stands before the command of the attempt.
    pub(crate) fn prefix(&self, start: &Start<'_>) -> Vec<OsString> {
        match self {
            Runner::Bare => Vec::new(),
            Runner::Bubblewrap => bubblewrap(start.workspace),
            Runner::Actum { binary, prefix, flags } => {
                let mut line = prefix.clone();
                line.push(binary.into());
                line.extend(actum(start, flags));
                line
            }
        }
    }
}

impl RunnerKind {
    pub fn from_name(name: &str) -> Option<RunnerKind> {
        match name {
            "bare" => Some(RunnerKind::Bare),
            "bubblewrap" => Some(RunnerKind::Bubblewrap),
            "actum" => Some(RunnerKind::Actum),
            _ => None,
        }
    }

    /// Whether a granted host is reached through a proxy of the runner.
    pub fn has_proxy(self) -> bool {
        match self {
            RunnerKind::Actum => true,
            RunnerKind::Bare | RunnerKind::Bubblewrap => false,
        }
    }
}

fn bubblewrap(workspace: &Path) -> Vec<OsString> {
    let words = "bwrap --unshare-user --ro-bind / / --dev /dev --proc /proc --tmpfs /tmp";
    let mut line: Vec<OsString> = words.split(' ').map(OsString::from).collect();
    line.extend(["--bind".into(), workspace.into(), workspace.into()]);
    line.extend("--unshare-all --die-with-parent --new-session --chdir".split(' ').map(OsString::from));
    line.push(workspace.into());
    line.push("--".into());
    line
}

fn actum(start: &Start<'_>, flags: &[String]) -> Vec<OsString> {
    let mut line: Vec<OsString> = ["run", "--quiet", "--policy", start.profile].map(OsString::from).into();
    for limit in start.limits.as_flags() {
        line.extend(["--limit".into(), limit.into()]);
    }
    for grant in start.net {
        line.extend(["--net".into(), grant.into()]);
    }
    if start.profile == "networked" && start.net.is_empty() {
        // The empty list, said aloud: it has to mean nothing.
        line.extend(["--net".into(), "".into()]);
    }
    // What is measured are the walls, not how long a program may take to leave.
    line.extend(["--grace".into(), "0".into()]);
    // Nobody is there to be asked, and a question is no wall.
    line.extend(["--approval".into(), "never".into()]);
    line.extend(["--report".into(), start.report.into()]);
    line.extend(flags.iter().map(OsString::from));
    line.push("--".into());
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_command_line_of_actum_is_what_its_door_reads() {
        let runner = Runner::Actum {
            binary: "/bin/actum".into(),
            prefix: vec!["docker-rules".into()],
            flags: vec!["--tier".into(), "L".into()],
        };
        let limits = RunLimits::usual(Duration::from_secs(3));
        let start = Start {
            workspace: Path::new("/w"),
            report: Path::new("/r.json"),
            limits: &limits,
            profile: "networked",
            net: &["allowed.test:443".to_owned()],
        };
        let line = runner.prefix(&start).join(&OsString::from(" ")).into_string().unwrap();
        assert_eq!(
            line,
            "docker-rules /bin/actum run --quiet --policy networked --limit wall=3s --limit memory=256MiB \
             --limit processes=64 --limit descriptors=256 --limit disk=64MiB --limit output=8MiB \
             --net allowed.test:443 --grace 0 --approval never --report /r.json --tier L --"
        );
        assert!(Runner::Bare.prefix(&start).is_empty());
    }
}
