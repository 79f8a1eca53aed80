//! What goes wrong with keys.

use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    #[error("cannot create the key file {}", path.display())]
    Make { path: PathBuf, source: io::Error },
    #[error("cannot read the key file {}", path.display())]
    Open { path: PathBuf, source: io::Error },
    #[error("cannot use the key file {}: {why}", path.display())]
    Exposed { path: PathBuf, why: String },
    #[error("no private Ed25519 key in {}", path.display())]
    NotPrivate { path: PathBuf },
    #[error("`{text}` is not a public Ed25519 key")]
    NotPublic { text: String },
    #[error("this is a private key; a public key is needed")]
    PrivateHalf,
    #[error("reject key {text}: weak (small-order) Ed25519 key")]
    Weak { text: String },
    #[error("cannot connect to the ssh-agent at {}", path.display())]
    Agent { path: PathBuf, source: io::Error },
    #[error("unexpected answer from the ssh-agent at {}", path.display())]
    Garbled { path: PathBuf },
    #[error("{} Ed25519 keys in the ssh-agent match `{wanted}`, but exactly one is needed", found.len())]
    Identity { wanted: String, found: Vec<String>, held: Vec<String> },
    #[error("the ssh-agent at {} refused to sign", path.display())]
    Refused { path: PathBuf },
    #[error("cannot get random bytes from the kernel")]
    Random(#[source] io::Error),
    #[error("the signing process failed: {0}")]
    Gone(String),
}

impl KeyError {
    /// What to do next, where we know it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Exposed { path, .. } => Some(format!(
                "create a new key, because others may have read this one; if they cannot have, run `chmod 600 {}`",
                path.display()
            )),
            Self::PrivateHalf => Some("pass the public key, and keep the private key secret".to_owned()),
            Self::NotPublic { .. } => Some(
                "pass a PEM file, a line of an OpenSSH .pub file, or a note key `name+id+base64`".to_owned(),
            ),
            Self::Agent { .. } => {
                Some("check that the agent is running and that SSH_AUTH_SOCK is its socket".to_owned())
            }
            Self::Identity { held, .. } if held.is_empty() => {
                Some("the agent has no Ed25519 key; add one with `ssh-add`".to_owned())
            }
            Self::Identity { held, .. } => Some(format!("the agent has {}", held.join(", "))),
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
