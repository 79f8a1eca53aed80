//! Repositories written by hand, hostile ones among them; no `git` is needed.

use super::*;
use proptest::prelude::*;
use std::fs;

const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";
const OTHER: &str = "89abcdef0123456789abcdef0123456789abcdef";

/// A folder with these files.
fn world(files: &[(&str, &str)]) -> tempfile::TempDir {
    let world = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = world.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    world
}

fn head(files: &[(&str, &str)], workspace: &str) -> Option<(String, Option<String>)> {
    let world = world(files);
    let workspace = world.path().join(workspace);
    fs::create_dir_all(&workspace).unwrap();
    let Head { commit, branch } = Repository::around(&workspace)?.head()?;
    Some((commit, branch))
}

fn on(commit: &str, branch: Option<&str>) -> Option<(String, Option<String>)> {
    Some((commit.to_owned(), branch.map(str::to_owned)))
}

#[test]
fn a_commit_is_found_in_every_form() {
    let line = format!("{COMMIT}\n");
    let packed = format!(
        "# pack-refs with: peeled fully-peeled sorted\n{OTHER} refs/heads/mainly\n{COMMIT} refs/heads/main\n^{OTHER}\n"
    );
    let main = ("r/.git/HEAD", "ref: refs/heads/main\n");
    assert_eq!(head(&[("r/.git/HEAD", &line)], "r"), on(COMMIT, None), "a commit by itself");
    assert_eq!(head(&[main, ("r/.git/refs/heads/main", &line)], "r/a/b"), on(COMMIT, Some("main")));
    assert_eq!(head(&[main, ("r/.git/packed-refs", &packed)], "r"), on(COMMIT, Some("main")));
    let loose = [main, ("r/.git/packed-refs", &packed), ("r/.git/refs/heads/main", OTHER)];
    assert_eq!(head(&loose, "r"), on(OTHER, Some("main")), "what is loose is newer");
    let named = [main, ("r/.git/refs/heads/main", "ref: refs/heads/x/y"), ("r/.git/refs/heads/x/y", &line)];
    assert_eq!(head(&named, "r"), on(COMMIT, Some("main")));
    assert_eq!(head(&[("r/.git/HEAD", &"ab".repeat(32))], "r"), on(&"ab".repeat(32), None), "SHA-256");
}

#[test]
fn a_second_folder_of_one_repository() {
    let line = format!("{COMMIT}\n");
    let files = [
        ("second/.git", "gitdir: ../r/.git/worktrees/second\n"),
        ("r/.git/HEAD", "ref: refs/heads/main\n"),
        ("r/.git/worktrees/second/HEAD", "ref: refs/heads/side\n"),
        ("r/.git/worktrees/second/commondir", "../..\n"),
        ("r/.git/refs/heads/side", line.as_str()),
        ("r/.git/worktrees/second/gitdir", "../../../../second/.git\n"),
    ];
    assert_eq!(head(&files, "second"), on(COMMIT, Some("side")));
    assert_eq!(head(&files[..5], "second"), None, "does not name this work tree");
}

#[test]
fn a_repository_elsewhere_has_to_name_the_work_tree() {
    let module = |config: &str| {
        let files = [
            ("r/lib/.git", "gitdir: ../.git/modules/lib\n"),
            ("r/.git/modules/lib/HEAD", COMMIT),
            ("r/.git/modules/lib/config", config),
        ];
        head(&files, "r/lib")
    };
    assert_eq!(module("[core]\n\tworktree = ../../../lib\n"), on(COMMIT, None), "a submodule");
    assert_eq!(module("[core]\n\tworktree = ../../../other\n"), None);
    assert_eq!(module("[core]\n\tbare = false\n"), None);
    let shared = [("r/.git/HEAD", "ref: refs/heads/x"), ("r/.git/commondir", "../../private\n")];
    let shared = [shared[0], shared[1], ("private/refs/heads/x", COMMIT)];
    assert_eq!(head(&shared, "r"), None, "a folder that is no repository of this one");
}

#[test]
fn links_do_not_lead_out_of_a_repository() {
    for (link, target) in [("refs/heads", "private"), ("refs", "private/refs"), ("packed-refs", "private/x")]
    {
        let packed = format!("{COMMIT} refs/heads/x\n");
        let text = if link == "packed-refs" { packed.as_str() } else { COMMIT };
        let world = world(&[
            ("r/.git/HEAD", "ref: refs/heads/x"),
            ("private/x", text),
            ("private/refs/heads/x", COMMIT),
        ]);
        let link = world.path().join("r/.git").join(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(world.path().join(target), link).unwrap();
        assert_eq!(Repository::around(&world.path().join("r")).unwrap().head(), None, "{target}");
    }
    let world = world(&[("r/code", ""), ("private/HEAD", COMMIT)]);
    std::os::unix::fs::symlink("../private", world.path().join("r/.git")).unwrap();
    assert_eq!(Repository::around(&world.path().join("r")), None);
}

#[test]
fn what_cannot_be_told_is_absent() {
    let far = "x".repeat(5000);
    for (text, why) in [
        ("ref: refs/heads/main\n", "no commit yet"),
        ("ref: refs/heads/.invalid\n", "references are kept in another form"),
        ("ref: ../../secret\n", "leads out"),
        ("ref: refs/../../secret\n", "leads out"),
        ("ref: refs/heads/main/../main\n", "leads around"),
        ("ref: HEAD\n", "itself"),
        ("ref: refs/\n", "nothing"),
        ("ref: \n", "nothing"),
        ("", "nothing"),
        ("0123", "too short"),
        (&COMMIT.to_uppercase(), "no form of git's"),
        (&far, "too long"),
    ] {
        assert_eq!(head(&[("r/.git/HEAD", text), ("r/secret", COMMIT)], "r"), None, "{why}");
    }
    let circle = [("r/.git/HEAD", "ref: refs/heads/a"), ("r/.git/refs/heads/a", "ref: refs/heads/a")];
    assert_eq!(head(&circle, "r"), None);
    assert_eq!(head(&[("r/.git", "gitdir: nowhere\n")], "r"), None);
    assert_eq!(head(&[("r/.git", "other")], "r"), None);
    assert_eq!(head(&[("plain/file", "")], "plain"), None);
}

#[test]
fn links_and_pipes_are_not_read() {
    let world = world(&[("r/.git/refs/heads/other", COMMIT), ("secret", COMMIT)]);
    let git = world.path().join("r/.git");
    std::os::unix::fs::symlink("../../secret", git.join("HEAD")).unwrap();
    assert_eq!(Repository::around(&world.path().join("r")).unwrap().head(), None);
    fs::remove_file(git.join("HEAD")).unwrap();
    let pipe = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, git.join("HEAD"), pipe, 0o600.into(), 0).unwrap();
    assert_eq!(Repository::around(&world.path().join("r")).unwrap().head(), None, "and is not waited for");
}

proptest! {
    #[test]
    fn nothing_leaves_but_a_commit_and_a_branch(text in "(ref: )?(refs/)?[a-z./\\n\u{1b}0-9]{0,60}", packed in ".{0,80}") {
        let files = [("r/.git/HEAD", text.as_str()), ("r/.git/packed-refs", packed.as_str())];
        if let Some((commit, branch)) = head(&files, "r") {
            prop_assert!(commit.len() == 40 || commit.len() == 64);
            prop_assert!(branch.is_none_or(|branch| !branch.contains(char::is_control)));
        }
    }
}
