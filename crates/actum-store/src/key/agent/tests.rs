//! A real agent, and answers that no agent would give.

use super::*;
use crate::key::KeyFile;
use proptest::prelude::*;
use std::os::unix::net::UnixListener;
use std::process::{Child, Command, Stdio};

struct Agent {
    process: Child,
    folder: tempfile::TempDir,
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Agent {
    /// In the foreground, so that it ends with us.
    fn start() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let started = Command::new("ssh-agent")
            .args(["-D", "-a"])
            .arg(folder.path().join("socket"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let agent = Self { process: started.ok()?, folder };
        (0..1000).any(|_| {
            std::thread::sleep(Duration::from_millis(5));
            agent.socket().exists()
        });
        Some(agent)
    }

    fn socket(&self) -> PathBuf {
        self.folder.path().join("socket")
    }

    /// A key made by ssh-keygen, and its public line.
    fn add(&self, kind: &str, comment: &str) -> String {
        let path = self.folder.path().join(comment);
        let made = Command::new("ssh-keygen")
            .args(["-q", "-t", kind, "-N", "", "-C", comment, "-f"])
            .arg(&path)
            .status()
            .unwrap();
        let added = Command::new("ssh-add")
            .arg("-q")
            .arg(&path)
            .env("SSH_AUTH_SOCK", self.socket())
            .stderr(Stdio::null())
            .status()
            .unwrap();
        assert!(made.success() && added.success());
        std::fs::read_to_string(path.with_extension("pub")).unwrap()
    }
}

#[test]
fn a_real_agent_signs() {
    let Some(agent) = Agent::start() else {
        return actum_testkit::skip("there is no ssh-agent on this machine");
    };
    let nothing = AgentKey::choose(&agent.socket(), None).unwrap_err();
    assert!(matches!(nothing, KeyError::Identity { .. }) && nothing.hint().unwrap().contains("ssh-add"));
    agent.add("ecdsa", "other-kind");
    let first: PublicKey = agent.add("ed25519", "first").parse().unwrap();
    let mut key = AgentKey::choose(&agent.socket(), None).unwrap();
    assert_eq!(key.public(), first);
    for message in [b"".as_slice(), b"one", &[7; 100_000]] {
        let signature = key.sign(message).unwrap();
        assert!(first.signed(message, &signature));
    }
    let second: PublicKey = agent.add("ed25519", "second").parse().unwrap();
    assert!(matches!(AgentKey::choose(&agent.socket(), None), Err(KeyError::Identity { .. })), "which one?");
    for wanted in ["second", &second.fingerprint()] {
        assert_eq!(AgentKey::choose(&agent.socket(), Some(wanted)).unwrap().public(), second);
    }
    let missing = AgentKey::choose(&agent.socket(), Some("third")).unwrap_err();
    assert!(missing.hint().unwrap().contains(&first.fingerprint()), "{missing}");
    assert_eq!(AgentKey::list(&agent.socket()).unwrap().len(), 2);
}

/// An agent that says one thing, whatever it is asked.
fn parrot(answer: Vec<u8>) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let listener = UnixListener::bind(&path).unwrap();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut asked = [0; 5];
        let _ = stream.read_exact(&mut asked);
        let _ = stream.write_all(&answer);
    });
    (folder, path)
}

#[test]
fn an_agent_that_lies_is_refused() {
    let key = KeyFile::in_memory([1; 32]);
    let one = wire::strings(&[&key.public().ssh(), b"c"]);
    let listed = [&[IDENTITIES_ANSWER, 0, 0, 0, 1], one.as_slice(), b"more"].concat();
    for answer in [
        u32::MAX.to_be_bytes().to_vec(),
        wire::strings(&[&[5]]),
        wire::strings(&[b""]),
        wire::strings(&[&[IDENTITIES_ANSWER, 255, 255, 255, 255]]),
        wire::strings(&[&listed]),
    ] {
        let (_folder, path) = parrot(answer.clone());
        assert!(matches!(AgentKey::list(&path), Err(KeyError::Garbled { .. })), "{answer:?}");
    }
    let (_folder, path) = parrot(vec![0, 0, 0, 9, 1]);
    assert!(matches!(AgentKey::list(&path), Err(KeyError::Agent { .. })), "it hung up");
    assert!(matches!(AgentKey::list(Path::new("/no/such")), Err(KeyError::Agent { .. })));
    // A signature of the right form that is not one.
    let signature = wire::strings(&[&wire::strings(&[wire::ED25519, &[3; 64]])]);
    let refused = wire::strings(&[&[[SIGN_RESPONSE].as_slice(), &signature].concat()]);
    let (_folder, path) = parrot(refused);
    let stream = connect(&path).unwrap();
    let mut lying = AgentKey { stream, socket: path, key: key.public() };
    assert!(matches!(lying.sign(b"m"), Err(KeyError::Refused { .. })));
}

proptest! {
    #[test]
    fn hostile_answers_are_survived(bytes: Vec<u8>) {
        let _ = read_identities(&bytes);
        let _ = read_identities(&[vec![IDENTITIES_ANSWER], bytes].concat());
    }
}
