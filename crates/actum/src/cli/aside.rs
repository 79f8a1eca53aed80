//! The process aside that signs, for whoever needs a signature.

use crate::config::Surroundings;
use actum_store::Keyring;
use actum_store::key::KeyError;
use actum_store::signer::{self, Greeted, Signer};

/// A process aside that signs. Made while there is one thread; it looks for its key while we do something else.
pub(super) struct Aside(Result<Greeted, KeyError>);

impl Aside {
    pub(super) fn begin(surroundings: &Surroundings) -> Self {
        let (keyring, agent) = (Keyring::at(&surroundings.keys), surroundings.agent.clone());
        let stream = actum_sandbox::aside(move |stream| signer::serve(stream, &keyring, agent));
        Self(stream.map_err(|error| KeyError::Gone(error.to_string())).and_then(Signer::greet))
    }

    /// The way to it, once it found its key.
    pub(super) fn signer(self) -> Result<Signer, KeyError> {
        self.0?.signer()
    }
}
