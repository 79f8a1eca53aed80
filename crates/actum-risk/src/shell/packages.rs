//! Commands that bring code of others, and commands that hand work to others.

use super::super::found::{Found, Reach, Weight};
use super::command::Command;
use actum_model::OperationKind::{self, Install, Publish};

/// A program and the verbs of it that have a kind.
struct Rule {
    names: &'static [&'static str],
    verbs: &'static [&'static str],
    kind: OperationKind,
}

const RULES: &[Rule] = &[
    Rule {
        names: &["pip", "pip2", "pip3", "pipx", "easy_install"],
        verbs: &["install", "uninstall", "download", "inject", "upgrade", "run"],
        kind: Install,
    },
    Rule {
        names: &["npm", "yarn", "pnpm", "bun"],
        verbs: &[
            "install",
            "i",
            "add",
            "ci",
            "update",
            "upgrade",
            "uninstall",
            "remove",
            "x",
            "dlx",
            "create",
        ],
        kind: Install,
    },
    Rule {
        names: &[
            "apt",
            "apt-get",
            "aptitude",
            "dnf",
            "yum",
            "zypper",
            "apk",
            "brew",
            "snap",
            "flatpak",
            "port",
            "emerge",
            "conda",
            "mamba",
            "micromamba",
            "nix-env",
            "choco",
            "winget",
            "scoop",
            "gem",
            "luarocks",
            "cpanm",
            "opam",
            "sdk",
            "asdf",
            "mise",
            "rustup",
            "nvm",
            "pyenv",
            "rbenv",
            "dpkg",
            "rpm",
        ],
        verbs: &[
            "install",
            "add",
            "remove",
            "purge",
            "upgrade",
            "full-upgrade",
            "dist-upgrade",
            "update",
            "uninstall",
            "del",
            "reinstall",
            "autoremove",
            "-i",
            "-U",
            "-e",
            "toolchain",
            "create",
        ],
        kind: Install,
    },
    Rule { names: &["uv"], verbs: &["add", "sync", "pip", "tool", "remove"], kind: Install },
    Rule { names: &["poetry", "pdm"], verbs: &["add", "install", "update", "remove"], kind: Install },
    Rule { names: &["cargo"], verbs: &["install", "add", "uninstall", "update"], kind: Install },
    Rule { names: &["go"], verbs: &["install", "get"], kind: Install },
    Rule { names: &["composer"], verbs: &["install", "require", "update"], kind: Install },
    Rule { names: &["bundle"], verbs: &["install", "update", "add"], kind: Install },
    Rule {
        names: &["npm", "yarn", "pnpm", "bun"],
        verbs: &["publish", "unpublish", "deprecate", "dist-tag"],
        kind: Publish,
    },
    Rule { names: &["cargo"], verbs: &["publish", "yank", "owner"], kind: Publish },
    Rule { names: &["uv", "poetry", "pdm", "hatch", "flit"], verbs: &["publish"], kind: Publish },
    Rule { names: &["twine"], verbs: &["upload"], kind: Publish },
    Rule { names: &["gem"], verbs: &["push", "yank"], kind: Publish },
    Rule {
        names: &["docker", "podman", "buildah", "skopeo", "helm", "oras"],
        verbs: &["push", "copy"],
        kind: Publish,
    },
    Rule { names: &["mvn"], verbs: &["deploy", "release:perform"], kind: Publish },
    Rule { names: &["gradle", "gradlew"], verbs: &["publish"], kind: Publish },
    Rule { names: &["vsce", "ovsx"], verbs: &["publish"], kind: Publish },
];

pub(super) fn look(name: &str, command: &Command<'_>) -> Option<Found> {
    if name == "git" {
        return git(command);
    }
    if matches!(name, "npx" | "bunx" | "uvx" | "pnpx") && command.operands().next().is_some() {
        return Some(command.plain(Install));
    }
    if name == "pacman"
        && (command.has('S', "sync") || command.has('U', "upgrade") || command.has('R', "remove"))
    {
        return Some(command.plain(Install));
    }
    if (name == "yarn" || name == "cpan") && command.arguments().is_empty() {
        return Some(command.plain(Install));
    }
    let verb = verb(name, command);
    let rule = RULES.iter().find(|rule| rule.names.contains(&name) && rule.verbs.contains(&verb))?;
    Some(command.plain(rule.kind))
}

/// Where the verb may be an option, as with `dpkg -i`, the first argument counts.
fn verb<'a>(name: &str, command: &Command<'a>) -> &'a str {
    let first = command.arguments().first().map_or("", |word| word.text.as_str());
    if matches!(name, "dpkg" | "rpm" | "nix-env") { first } else { command.operand(0) }
}

fn git(command: &Command<'_>) -> Option<Found> {
    // `git -C folder push`: the folder is an operand for our eyes.
    let verb = command.operands().take(2).find(|word| word.text == "push" || word.text == "send-email")?;
    let forced =
        command.has('f', "force") || command.has('\0', "force-with-lease") || command.has('\0', "mirror");
    let weight = if forced || command.has('d', "delete") { Weight::Grave } else { Weight::Plain };
    // `git stash push` stays at home.
    let local = command.operand(0) == "stash" || command.operand(0) == "subtree" && verb.text != "push";
    (!local).then(|| command.found(Publish, weight, Reach::Unknown))
}
