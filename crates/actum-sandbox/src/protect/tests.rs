//! Which paths are protected, by example and by property.

use super::Guard;
use proptest::prelude::*;

fn is_protected(path: &[u8]) -> bool {
    Guard::default().is_protected(path)
}

const PROTECTED: [&str; 46] = [
    ".git",
    ".git/hooks",
    ".git/hooks/pre-commit",
    ".git/config",
    ".git/config.worktree",
    ".git/commondir",
    ".git/info/attributes",
    ".git/rebase-merge/git-rebase-todo",
    ".githooks/pre-push",
    ".git/modules/a/b/hooks/post-checkout",
    ".git/modules/a/config",
    ".git/modules/refs/config",
    ".git/worktrees/w/config.worktree",
    ".git/worktrees/w/commondir",
    ".git/worktrees/w/gitdir",
    "vendor/lib/.git",
    "vendor/lib/.git/hooks/x",
    ".GIT/Config",
    "GIT~1/config",
    ".git./config",
    ".git /hooks/x",
    ".vscode",
    ".vscode/tasks.json",
    "a/.VSCode/settings.json",
    ".idea/workspace.xml",
    ".mcp.json",
    ".envrc",
    ".claude/settings.json",
    ".codex/config.toml",
    ".cursor/rules/a.mdc",
    ".cursorrules",
    ".gemini/settings.json",
    ".github/copilot-instructions.md",
    ".github/prompts/a.prompt.md",
    ".devcontainer/devcontainer.json",
    ".devcontainer.json",
    ".husky/pre-commit",
    ".actum/anything",
    "actum.toml",
    "sub/actum.toml",
    "AGENTS.md",
    "docs/CLAUDE.md",
    "claude.local.md",
    "project.code-workspace",
    ".bashrc",
    ".config/git/config",
];

const FREE: [&str; 17] = [
    "src/main.rs",
    ".git/index",
    ".git/HEAD",
    ".git/objects/ab/cdef",
    ".git/refs/heads/config",
    ".git/refs/heads/hooks/x",
    ".git/logs/refs/heads/config",
    ".git/info/exclude",
    ".gitignore",
    ".gitmodules",
    ".gitattributes",
    ".github/workflows/ci.yml",
    "config",
    "hooks/pre-commit",
    "agents.md.txt",
    "my.vscode/a",
    "actum.toml/a",
];

#[test]
fn known_paths() {
    for path in PROTECTED {
        assert!(is_protected(path.as_bytes()), "{path} should be protected");
    }
    for path in FREE {
        assert!(!is_protected(path.as_bytes()), "{path} should not be protected");
    }
}

fn any_name() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>().prop_filter("no separators", |byte| !matches!(byte, b'/' | 0)), 1..20)
}

proptest! {
    #[test]
    fn depth_and_case_change_nothing(
        at in 0..PROTECTED.len(),
        above in prop::collection::vec("[a-z]{1,8}", 0..4),
        upper in any::<u64>(),
    ) {
        let mixed: String = PROTECTED[at]
            .chars()
            .enumerate()
            .map(|(at, c)| if upper >> (at % 64) & 1 == 1 { c.to_ascii_uppercase() } else { c })
            .collect();
        let path = above.into_iter().chain([mixed]).collect::<Vec<_>>().join("/");
        prop_assert!(is_protected(path.as_bytes()), "{}", path);
    }

    #[test]
    fn everything_in_a_protected_folder_is_protected(names in prop::collection::vec(any_name(), 0..5)) {
        for folder in [".vscode", ".git/hooks", ".claude", "a/.git/modules/m/hooks"] {
            let path = std::iter::once(folder.as_bytes().to_vec()).chain(names.clone()).collect::<Vec<_>>();
            prop_assert!(is_protected(&path.join(&b'/')));
        }
    }

    #[test]
    fn ordinary_source_names_are_free(names in prop::collection::vec("[a-z]{1,12}_[a-z]{1,3}", 1..6)) {
        prop_assert!(!is_protected(names.join("/").as_bytes()));
    }
}
