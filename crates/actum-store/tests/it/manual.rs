//! The commands of `VERIFY.md`, run as they stand there.

use crate::changes::{self, Reads};
use crate::exported::{Unpacked, unpack};
use crate::tools;
use actum_testkit::skip;
use std::process::Command;

/// Title and commands of each section that has some.
fn sections(manual: &str) -> Vec<(String, String)> {
    let sections = manual.split("\n## ").skip(1);
    let with_commands = sections.filter_map(|section| {
        let commands = section.split_once("```sh\n")?.1.split_once("\n```")?.0;
        Some((section.lines().next()?.to_owned(), commands.to_owned()))
    });
    with_commands.collect()
}

/// Every tool where `VERIFY.md` expects it: on the path, or where its language looks.
fn run(unpacked: &Unpacked, commands: &str) -> std::process::Output {
    let python = tools::python().and_then(|python| Some(python.parent()?.to_path_buf()));
    let path = std::env::var("PATH").unwrap();
    let path = python.map_or(path.clone(), |folder| format!("{}:{path}", folder.display()));
    let mut command = tools::go(tools::go_path().unwrap_or_default());
    let environment: Vec<_> =
        command.get_envs().map(|(name, value)| (name.to_owned(), value.unwrap().to_owned())).collect();
    command = Command::new("sh");
    command.args(["-c", commands]).current_dir(&unpacked.folder).envs(environment);
    command.env("TRUST", &unpacked.trust).env("PATH", path);
    command.env("NODE_PATH", tools::node_modules().unwrap_or_default());
    command.output().unwrap()
}

/// What a section needs that is not here, and what it reads.
fn about(title: &str) -> (Option<&'static str>, Reads) {
    let python = || tools::python().is_none().then_some("Python packages of other verifiers");
    let program = |name: &'static str| (!tools::is_here(name)).then_some(name);
    match title.split([' ', ':']).next().unwrap() {
        "sha256sum" => (program("openssl"), changes::everything),
        "ssh-keygen" => (program("ssh-keygen"), changes::ssh),
        "in-toto-verify" => (python(), changes::links),
        "securesystemslib" => (python(), changes::statements),
        "sigstore" => (python(), changes::log),
        "@sigstore/verify" => {
            (tools::node_modules().is_none().then_some("@sigstore/verify"), changes::sigstore_alone)
        }
        "Go's" => (tools::go_path().is_none().then_some("Go's note package"), changes::whole_log),
        other => panic!("nobody knows what {other} reads"),
    }
}

#[test]
fn every_command_of_the_manual_accepts_the_bundle_and_refuses_a_changed_one() {
    let folder = tempfile::tempdir().unwrap();
    for number in [0, 1, 4] {
        let unpacked = unpack(number, folder.path());
        let sections = sections(str::from_utf8(&unpacked.files["VERIFY.md"]).unwrap());
        assert_eq!(sections.len(), 7);
        for (title, commands) in &sections {
            let (missing, reads) = about(title);
            if let Some(what) = missing {
                skip(&format!("not here, and VERIFY.md needs it: {what}"));
                continue;
            }
            let output = run(&unpacked, commands);
            assert!(output.status.success(), "{title}: {}", String::from_utf8_lossy(&output.stderr));
            if number == 1 {
                refuses(&unpacked, title, (commands, reads));
            }
        }
    }
}

/// After one change in each part that a section reads.
fn refuses(unpacked: &Unpacked, title: &str, (commands, reads): (&str, Reads)) {
    let mut changes = changes::of(unpacked, reads);
    changes.dedup_by_key(|change| change.part.clone());
    for change in changes {
        let (path, bytes) = (unpacked.folder.join(&change.part), &unpacked.files[&change.part]);
        let mut changed = bytes.clone();
        changed[change.at] ^= 1;
        std::fs::write(&path, changed).unwrap();
        assert!(!run(unpacked, commands).status.success(), "{title} accepted {change:?}");
        std::fs::write(&path, bytes).unwrap();
    }
}
