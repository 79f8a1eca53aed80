//! Keys: who signs, and how a stranger knows them.
//!
//! One Ed25519 key signs everything that leaves a store. A [`PublicKey`] is written in the forms that other people's
//! verifiers read; whatever [`Signs`] holds the other half: a [`KeyFile`], or an ssh-agent behind an [`AgentKey`].
//! Nothing here decides whom to trust. Start reading at [`Signs`].

mod agent;
mod error;
mod file;
mod public;
mod read;
pub(crate) mod wire;

pub use agent::{AgentKey, Identity};
pub use error::KeyError;
pub use file::KeyFile;
pub use public::PublicKey;

/// Something that signs with one key.
pub trait Signs {
    fn public(&self) -> PublicKey;

    /// The Ed25519 signature of a message. Always the same one for the same message.
    fn sign(&mut self, message: &[u8]) -> Result<[u8; 64], KeyError>;
}
