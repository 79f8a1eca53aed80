//! Commands on the machine itself: rights, processes, what runs later.

use super::super::found::{Found, Reach, Weight};
use super::command::Command;
use actum_model::OperationKind::{Persistence, Privilege, ProcessControl};

pub(super) fn look(name: &str, command: &Command<'_>) -> Option<Found> {
    match name {
        "su" | "mount" | "umount" | "insmod" | "rmmod" | "modprobe" | "unshare" | "nsenter" | "chroot"
        | "setcap" | "useradd" | "userdel" | "usermod" | "groupadd" | "adduser" | "passwd" | "chpasswd"
        | "visudo" | "iptables" | "ip6tables" | "nft" | "ufw" | "setenforce" | "kexec" | "capsh"
        | "newgrp" | "losetup" | "swapon" | "swapoff" | "firewall-cmd" => Some(command.plain(Privilege)),
        "sysctl" => command.has('w', "write").then(|| command.plain(Privilege)),
        "chmod" => sets_user(command).then(|| command.plain(Privilege)),
        "docker" | "podman" | "nerdctl" | "docker-compose" => daemon(command),
        "kill" | "killall" | "pkill" | "skill" | "xkill" => stop(command),
        "shutdown" | "reboot" | "halt" | "poweroff" | "init" | "telinit" => {
            Some(command.grave(ProcessControl))
        }
        "systemctl" | "service" | "launchctl" | "rc-service" => service(name, command),
        "crontab" => (!command.has('l', "")).then(|| command.found(Persistence, Weight::Plain, Reach::Home)),
        "at" | "batch" | "update-rc.d" | "chkconfig" | "rc-update" | "loginctl" | "ssh-copy-id" => {
            Some(command.plain(Persistence))
        }
        _ => None,
    }
}

/// `u+s`, `g+s`, or an octal mode with those bits.
fn sets_user(command: &Command<'_>) -> bool {
    let mode = command.operand(0);
    let symbolic =
        mode.split(',').any(|part| part.split_once(['+', '=']).is_some_and(|(_, bits)| bits.contains('s')));
    let octal = mode.len() == 4
        && mode.bytes().all(|byte| (b'0'..=b'7').contains(&byte))
        && mode.as_bytes()[0] >= b'2';
    symbolic || octal
}

/// What the daemon does, it does outside the walls and as root.
fn daemon(command: &Command<'_>) -> Option<Found> {
    const READS: &[&str] = &[
        "", "ps", "images", "logs", "inspect", "version", "info", "history", "top", "stats", "port", "diff",
        "events", "search", "help", "push", "config", "ls",
    ];
    (!READS.contains(&command.operand(0))).then(|| command.plain(Privilege))
}

fn stop(command: &Command<'_>) -> Option<Found> {
    // `kill -0` asks only, `kill -l` lists; a job or a child of the script is its own.
    let asks = command.arguments().iter().any(|word| matches!(word.text.as_str(), "-0" | "-l" | "-L"));
    let own = |text: &str| text.starts_with('%') || text == "$!" || text == "$$";
    if asks || command.operands().all(|word| own(&word.text)) {
        return None;
    }
    Some(command.plain(ProcessControl))
}

fn service(name: &str, command: &Command<'_>) -> Option<Found> {
    let verb = command.operands().find_map(|word| {
        [
            "enable",
            "disable",
            "mask",
            "unmask",
            "link",
            "load",
            "unload",
            "bootstrap",
            "start",
            "stop",
            "restart",
            "reload",
            "kill",
        ]
        .into_iter()
        .find(|verb| word.text == *verb)
    });
    match (verb?, name) {
        ("enable" | "disable" | "mask" | "unmask" | "link" | "load" | "unload" | "bootstrap", _) => {
            Some(command.plain(Persistence))
        }
        (_, _) => Some(command.plain(ProcessControl)),
    }
}
