//! Where a command's output goes: paths outside the workspace, and files that start programs later.

use super::super::found::{Findings, Found, Reach, Weight};
use super::command::{Command, reach_of};
use super::split::{Simple, Word};
use actum_model::OperationKind;

pub(super) fn look(simple: &Simple, command: &Command<'_>, findings: &mut Findings) {
    let written = simple.redirects.iter().filter(|redirect| redirect.writes);
    written.filter_map(|redirect| write(command, &redirect.target)).for_each(|found| findings.add(found));
}

/// Writing to a path, where that is worth telling.
pub(super) fn write(command: &Command<'_>, target: &Word) -> Option<Found> {
    let reach = reach_of(target);
    if starts_later(&target.text) {
        return Some(command.found(OperationKind::Persistence, Weight::Plain, reach));
    }
    is_outside(&reach).then(|| command.found(OperationKind::OverwriteOutside, Weight::Plain, reach))
}

/// Whether a path is certainly not in the workspace of a run, as far as words tell; devices that keep nothing are not
/// counted.
pub(in super::super) fn is_outside(reach: &Reach) -> bool {
    match reach {
        Reach::Home => true,
        Reach::Path(path) => !KEEPS_NOTHING.iter().any(|device| path.starts_with(device)),
        Reach::Unknown | Reach::Workspace | Reach::Temporary | Reach::Database | Reach::Server => false,
    }
}

const KEEPS_NOTHING: &[&str] =
    &["/dev/null", "/dev/std", "/dev/fd/", "/dev/tty", "/dev/zero", "/dev/full", "/proc/self/"];

/// Whether other programs act on a file of this name later.
pub(in super::super) fn starts_later(path: &str) -> bool {
    const ENDS: &[&str] = &[
        "/.bashrc",
        "/.bash_profile",
        "/.profile",
        "/.zshrc",
        "/.zprofile",
        "/.zshenv",
        "/.bash_login",
        "/.ssh/authorized_keys",
        "/.ssh/config",
        "/.ssh/rc",
        "/etc/profile",
        "/etc/rc.local",
        "/etc/crontab",
        "/etc/ld.so.preload",
        "/etc/sudoers",
    ];
    const HOLDS: &[&str] = &[
        "/etc/cron",
        "/var/spool/cron",
        "/etc/systemd/",
        "/systemd/system/",
        "/systemd/user/",
        "/etc/init.d/",
        "/LaunchAgents/",
        "/etc/profile.d/",
        "/.config/autostart/",
        ".git/hooks/",
        "/etc/sudoers.d/",
    ];
    ENDS.iter().any(|end| path.ends_with(end)) || HOLDS.iter().any(|part| path.contains(part))
}
