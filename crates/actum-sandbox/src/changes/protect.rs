//! Which paths are configuration that other programs act on later, so that a run never changes them by itself.
//!
//! Pure. A path counts at any depth, because any folder may be opened as a project or be a nested repository.
//! Names are compared as a careless file system would: ASCII case folded, trailing dots and spaces dropped.
//!
//! Decided, and why:
//! - `AGENTS.md`, `CLAUDE.md` and their kin are protected: they are instructions that later agents obey.
//! - `.git` itself is: as a file it redirects git to a folder of the program's choosing. A plain folder is excused by
//!   [`protected_as`], or nobody could clone into a workspace. `commondir` and `gitdir` redirect in the same way,
//!   and `git-rebase-todo` holds commands for `git rebase --continue`.
//! - `.gitmodules` and `.gitattributes` are not: git itself refuses commands in the one, and filters named in the
//!   other have to be defined in a configuration, which is protected.
//! - `.github/workflows` and build files (`Makefile`, `package.json`, `.cargo/config.toml`) are not: they are the code
//!   under work, and are run by somebody who means to run it.
//! - A folder that merely has the shape of a bare repository is not; git's `safe.bareRepository` is for that.

use super::path::split;
use actum_model::Node;

/// Folders that are protected with everything in them, of agents and of editors.
const FOLDERS: [&str; 2] = [
    ".actum .agents .aider .amazonq .amp .augment .claude .clinerules .codex .continue .cursor .factory .gemini \
     .goose .junie .kiro .opencode .qwen .roo .trae .windsurf",
    ".devcontainer .fleet .githooks .husky .idea .lefthook .nova .ssh .vs .vscode .zed",
];

/// Names that are protected wherever they stand.
const NAMES: [&str; 4] = [
    // Instructions to agents and their configuration, our own among it.
    "actum.toml agent.md agents.md agents.override.md claude.md claude.local.md .claude.json gemini.md qwen.md \
     warp.md .mcp.json .rules .cursorrules .windsurfrules .roorules .roomodes .goosehints .aider.conf.yml \
     opencode.json opencode.jsonc crush.json .crush.json",
    // Editors that run what they find beside a file.
    ".exrc .nvimrc .nvim.lua .vimrc .lvimrc .dir-locals.el .devcontainer.json",
    // Shells: entering a folder, and start-up files for a workspace that is a home.
    ".envrc .bashrc .bash_profile .bash_login .bash_logout .profile .zshrc .zshenv .zprofile .zlogin .zlogout",
    // Git, outside of a repository's own folder: what runs at the next commit.
    ".gitconfig .pre-commit-config.yaml .pre-commit-config.yml lefthook.yml",
];

/// Whether a path, relative to the workspace, is protected. Folders that are protected with everything in them are
/// protected themselves.
pub fn is_protected(path: &[u8]) -> bool {
    let names: Vec<Vec<u8>> = path.split(|byte| *byte == b'/').map(folded).collect();
    (0..names.len()).any(|at| {
        let (name, below) = (names[at].as_slice(), &names[at + 1..]);
        match name {
            b".git" | b"git~1" => in_git(below),
            b".github" => in_github(below),
            b".config" => below.first().is_some_and(|name| name == b"git" || name == b"fish"),
            name if listed(&FOLDERS, name) => true,
            name => below.is_empty() && (listed(&NAMES, name) || name.ends_with(b".code-workspace")),
        }
    })
}

/// Whether `node` may not be put at `path`. A plain `.git` folder may: its dangerous contents are judged one by one.
pub(super) fn protected_as(path: &[u8], node: &Node) -> bool {
    let (folder, name) = split(path);
    let plain_repository = *node == Node::Folder && matches!(folded(name).as_slice(), b".git" | b"git~1");
    is_protected(if plain_repository { folder } else { path })
}

/// Inside a repository's own folder. Branch names are free, so `refs` and `logs` hold any name, and `objects` holds
/// nothing that acts; only at the top, because a submodule under `modules` may be called `refs`.
fn in_git(below: &[Vec<u8>]) -> bool {
    let Some(first) = below.first() else { return true };
    if matches!(first.as_slice(), b"refs" | b"logs" | b"objects") {
        return false;
    }
    let last = below.last().map_or(&b""[..], Vec::as_slice);
    below.iter().any(|name| name == b"hooks")
        || matches!(last, b"config" | b"config.worktree" | b"commondir" | b"gitdir" | b"git-rebase-todo")
        || below.ends_with(&[b"info".to_vec(), b"attributes".to_vec()])
}

/// Copilot's instructions, prompts and agents live beside the workflows.
fn in_github(below: &[Vec<u8>]) -> bool {
    below.first().is_some_and(|name| {
        name.starts_with(b"copilot")
            || matches!(name.as_slice(), b"instructions" | b"prompts" | b"chatmodes" | b"agents" | b"skills")
    })
}

fn listed(words: &[&str], name: &[u8]) -> bool {
    words.iter().any(|words| words.split(' ').any(|word| word.as_bytes() == name))
}

fn folded(name: &[u8]) -> Vec<u8> {
    let end = name.iter().rposition(|byte| !matches!(byte, b'.' | b' ')).map_or(name.len(), |at| at + 1);
    name[..end].to_ascii_lowercase()
}
