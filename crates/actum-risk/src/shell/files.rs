//! Commands that delete, and commands that write where they are told.

use super::super::found::{Found, Reach, Weight};
use super::command::{Command, reach_of};
use super::redirects;
use actum_model::OperationKind::{Delete, OverwriteOutside, Persistence};

pub(super) fn look(name: &str, command: &Command<'_>) -> Option<Found> {
    match name {
        "rm" | "srm" | "shred" => remove(command),
        "rmdir" | "unlink" | "trash" | "gio" => remove_one(name, command),
        "tee" => command.operands().find_map(|word| redirects::write(command, word)),
        "cp" | "mv" | "install" | "ln" | "rsync" => copy(command),
        "touch" | "mkdir" | "chmod" | "chown" | "chgrp" | "truncate" | "patch" => in_place(command),
        "sed" | "perl" if command.has('i', "in-place") => in_place(command),
        "dd" => device(command),
        "mkfs" | "wipefs" | "fdisk" | "parted" | "sgdisk" | "blkdiscard" | "mkswap" | "lvremove" => {
            Some(command.found(OverwriteOutside, Weight::Grave, Reach::Path("/dev".to_owned())))
        }
        _ if name.starts_with("mkfs.") => {
            Some(command.found(OverwriteOutside, Weight::Grave, Reach::Path("/dev".to_owned())))
        }
        "git" => git(command),
        "make" | "ninja" | "cmake" | "meson" if command.operands().any(|word| word.text == "install") => {
            Some(command.found(OverwriteOutside, Weight::Plain, Reach::Path("/usr/local".to_owned())))
        }
        _ => None,
    }
}

fn remove(command: &Command<'_>) -> Option<Found> {
    command.operands().next()?;
    let grave = command.has('r', "recursive") || command.has('R', "") || command.has('f', "force");
    let weight = if grave { Weight::Grave } else { Weight::Plain };
    Some(command.found(Delete, weight, Reach::farthest(command.operands().map(reach_of))))
}

fn remove_one(name: &str, command: &Command<'_>) -> Option<Found> {
    if name == "gio" && command.operand(0) != "trash" {
        return None;
    }
    command.operands().next()?;
    Some(command.found(Delete, Weight::Plain, Reach::farthest(command.operands().map(reach_of))))
}

/// The last operand is the target.
fn copy(command: &Command<'_>) -> Option<Found> {
    let target = command.value("-t", "--target-directory");
    let found = match target {
        Some(folder) => redirects::write(command, &super::split::Word::literal(folder)),
        None => redirects::write(command, command.operands().nth(1).and(command.operands().last())?),
    };
    let deletes =
        command.name() == "rsync" && command.arguments().iter().any(|word| word.text.starts_with("--delete"));
    if found.is_none() && deletes {
        return Some(command.found(
            Delete,
            Weight::Grave,
            Reach::farthest(command.operands().last().map(reach_of).into_iter()),
        ));
    }
    found
}

fn in_place(command: &Command<'_>) -> Option<Found> {
    command.operands().find_map(|word| redirects::write(command, word))
}

fn device(command: &Command<'_>) -> Option<Found> {
    let target = command.arguments().iter().find_map(|word| word.text.strip_prefix("of="))?;
    let reach = Reach::of_path(target);
    redirects::is_outside(&reach).then(|| command.found(OverwriteOutside, Weight::Grave, reach))
}

fn git(command: &Command<'_>) -> Option<Found> {
    let discards = match command.operand(0) {
        "clean" => command.has('f', "force"),
        "reset" => command.has('\0', "hard"),
        "branch" | "tag" => command.has('D', "delete") || command.has('d', ""),
        "filter-branch" | "filter-repo" => true,
        "stash" => matches!(command.operand(1), "drop" | "clear"),
        "config" if command.has('\0', "global") || command.has('\0', "system") => {
            return Some(command.found(Persistence, Weight::Plain, Reach::Home));
        }
        _ => false,
    };
    discards.then(|| command.found(Delete, Weight::Grave, Reach::Workspace))
}
