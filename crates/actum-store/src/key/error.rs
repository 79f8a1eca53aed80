//! What goes wrong with keys.

use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    #[error("cannot make the key file {}", path.display())]
    Make { path: PathBuf, source: io::Error },
    #[error("cannot read the key file {}", path.display())]
    Open { path: PathBuf, source: io::Error },
    #[error("cannot trust the key file {}: {why}", path.display())]
    Exposed { path: PathBuf, why: String },
    #[error("cannot read a private Ed25519 key in {}", path.display())]
    NotPrivate { path: PathBuf },
    #[error("cannot read a public Ed25519 key in `{text}`")]
    NotPublic { text: String },
    #[error("cannot use this as a public key: it is a private one")]
    PrivateHalf,
    #[error("cannot use the key {text}: it is one of the few that let anybody sign")]
    Weak { text: String },
    #[error("cannot speak to the ssh-agent at {}", path.display())]
    Agent { path: PathBuf, source: io::Error },
    #[error("cannot understand the ssh-agent at {}", path.display())]
    Garbled { path: PathBuf },
    #[error("cannot find one Ed25519 key `{wanted}` in the ssh-agent: {} of its keys match", found.len())]
    Identity { wanted: String, found: Vec<String>, held: Vec<String> },
    #[error("cannot sign: the ssh-agent at {} refused", path.display())]
    Refused { path: PathBuf },
    #[error("cannot get random bytes from the kernel")]
    Random(#[source] io::Error),
    #[error("cannot reach the signer: {0}")]
    Gone(String),
}

impl KeyError {
    /// What to do next, where we know it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Exposed { path, .. } => Some(format!(
                "make another key: others may have read this one; if you are sure they did not, `chmod 600 {}`",
                path.display()
            )),
            Self::PrivateHalf => Some("name its public half, and show the private one to nobody".to_owned()),
            Self::NotPublic { .. } => Some(
                "give a PEM file, a line of an OpenSSH .pub file, or a note key `name+id+base64`".to_owned(),
            ),
            Self::Agent { .. } => Some("is the agent running, and is its socket the one named?".to_owned()),
            Self::Identity { held, .. } if held.is_empty() => {
                Some("it holds none of that kind; `ssh-add` adds one".to_owned())
            }
            Self::Identity { held, .. } => Some(format!("it holds {}", held.join(", "))),
            Self::Make { .. }
            | Self::Open { .. }
            | Self::NotPrivate { .. }
            | Self::Weak { .. }
            | Self::Garbled { .. }
            | Self::Refused { .. }
            | Self::Random(_)
            | Self::Gone(_) => None,
        }
    }
}
