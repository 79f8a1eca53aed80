//! Tools that know nothing of us accept a hundred bundles, and refuse each of them after one byte of what they read was
//! changed.

use crate::changes::{self, Change, Reads};
use crate::exported::{MANY, Unpacked, unpack};
use crate::tools;
use actum_testkit::skip;
use serde_json::json;
use std::path::Path;
use std::process::{Command, Stdio};

const PROGRAMS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/outside");

/// A hundred bundles and what is to be changed in each.
struct Field {
    folder: tempfile::TempDir,
    bundles: Vec<(Unpacked, Vec<Change>)>,
}

impl Field {
    fn new(reads: Reads) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let with_changes = |number: usize| {
            let unpacked = unpack(number, folder.path());
            let changes = changes::of(&unpacked, reads);
            (unpacked, changes)
        };
        let bundles = (0..MANY).map(with_changes).collect();
        Self { folder, bundles }
    }

    fn changes(&self) -> usize {
        self.bundles.iter().map(|(_, changes)| changes.len()).sum()
    }

    /// Runs a program that goes through all of it in one process, and says at the end what it counted.
    fn walk(&self, mut command: Command) {
        let bundles: Vec<_> = self
            .bundles
            .iter()
            .map(|(unpacked, changes)| {
                let changes: Vec<_> = changes.iter().map(|change| json!([change.part, change.at])).collect();
                json!({ "folder": unpacked.folder, "trust": unpacked.trust, "changes": changes })
            })
            .collect();
        let plan = self.folder.path().join("plan.json");
        std::fs::write(&plan, json!({ "bundles": bundles }).to_string()).unwrap();
        let output = command.arg(&plan).current_dir(self.folder.path()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let expected = format!("{MANY} accepted, {} refused\n", self.changes());
        assert_eq!(said, expected, "{}", String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success());
    }

    /// Asks a tool that is started for each: once as it is, and once for each change.
    fn ask(&self, each: usize, accepts: fn(&Unpacked) -> bool) {
        for (unpacked, changes) in &self.bundles {
            assert!(accepts(unpacked), "{}", unpacked.folder.display());
            for change in changes.iter().step_by(each) {
                let path = unpacked.folder.join(&change.part);
                let mut bytes = unpacked.files[&change.part].clone();
                bytes[change.at] ^= 1;
                std::fs::write(&path, &bytes).unwrap();
                assert!(!accepts(unpacked), "{change:?} in {}", unpacked.folder.display());
                std::fs::write(&path, &unpacked.files[&change.part]).unwrap();
            }
        }
    }
}

fn python(program: &str) -> Option<Command> {
    let mut command = Command::new(tools::python()?);
    command.arg(Path::new(PROGRAMS).join(program)).env("PYTHONDONTWRITEBYTECODE", "1");
    Some(command)
}

const NO_PYTHON: &str =
    "the Python packages of other verifiers are not here; `cargo xtask test` installs them";

#[test]
fn in_toto_verify() {
    let Some(command) = python("in_toto_verify.py") else { return skip(NO_PYTHON) };
    Field::new(changes::links).walk(command);
}

#[test]
fn securesystemslib_and_in_toto_attestation() {
    let Some(command) = python("statements.py") else { return skip(NO_PYTHON) };
    Field::new(changes::statements).walk(command);
}

#[test]
fn sigstore_in_python() {
    let Some(command) = python("sigstore_log.py") else { return skip(NO_PYTHON) };
    Field::new(changes::log).walk(command);
}

#[test]
fn sigstore_in_node() {
    let Some(modules) = tools::node_modules() else {
        return skip("@sigstore/verify is not here; `cargo xtask test` installs it");
    };
    let mut command = Command::new("node");
    command.arg(Path::new(PROGRAMS).join("sigstore.js")).env("NODE_PATH", modules);
    Field::new(changes::sigstore).walk(command);
}

#[test]
fn note_and_tlog_in_go() {
    let Some(path) = tools::go_path() else {
        return skip("Go and the source package of golang.org/x/mod are not here");
    };
    let mut command = tools::go(path);
    command.arg("run").arg(Path::new(PROGRAMS).join("log.go"));
    Field::new(changes::whole_log).walk(command);
}

#[test]
fn ssh_keygen() {
    if !tools::is_here("ssh-keygen") {
        return skip("ssh-keygen is not here");
    }
    Field::new(changes::ssh).ask(2, |unpacked| {
        let record = std::fs::File::open(unpacked.folder.join("record.json")).unwrap();
        let mut command = Command::new("ssh-keygen");
        command.args(["-Y", "verify", "-I", "actum", "-n", "actum", "-s", "record.json.sig", "-f"]);
        command.arg(unpacked.trust.join("allowed_signers")).current_dir(&unpacked.folder).stdin(record);
        succeeds(command)
    });
}

#[test]
fn openssl() {
    if !tools::is_here("openssl") {
        return skip("openssl is not here");
    }
    // As VERIFY.md cuts a note in two.
    const CUT: &str = r#"sed '/^$/,$d' checkpoint > ../text
        sed -n 's/^— [^ ]* //p' checkpoint | base64 -d | tail -c 64 > ../signature
        exec openssl pkeyutl -verify -rawin -pubin -inkey "$TRUST/signer.pem" -in ../text -sigfile ../signature"#;
    Field::new(changes::note_text).ask(1, |unpacked| {
        let mut command = Command::new("sh");
        command.args(["-c", CUT]).env("TRUST", &unpacked.trust).current_dir(&unpacked.folder);
        succeeds(command)
    });
}

fn succeeds(mut command: Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().success()
}
