//! The process aside that signs, for whoever needs a signature.

use crate::config::Surroundings;
use actum_store::Keyring;
use actum_store::key::KeyError;
use actum_store::signer::{self, Signer};
use std::io;
use std::os::unix::net::UnixStream;

/// A process aside that signs. Made while there is one thread; it reads its key when it is first asked.
pub(super) struct Aside(io::Result<UnixStream>);

impl Aside {
    pub(super) fn begin(surroundings: &Surroundings) -> Self {
        let (keyring, agent) = (Keyring::at(&surroundings.keys), surroundings.agent.clone());
        Self(actum_sandbox::aside(move |stream| signer::serve(stream, &keyring, agent)))
    }

    /// The way to it, once it found its key.
    pub(super) fn signer(self) -> Result<Signer, KeyError> {
        Signer::over(self.0.map_err(|error| KeyError::Gone(error.to_string()))?)
    }
}
