//! The process aside that signs, for whoever needs a signature.

use crate::config::Surroundings;
use actum_store::Keyring;
use actum_store::key::KeyError;
use actum_store::signer::{self, Greeted, Signer};
use std::io;
use std::os::unix::net::UnixStream;

/// A process aside that signs. Made while there is one thread; it looks for its key while we do something else.
pub(super) struct Aside(Result<Greeted, KeyError>);

/// The same before it is known where the keys are: while this process is small, copying it costs less, and fewer of its pages have
/// to be copied afterwards.
pub struct Early(io::Result<UnixStream>);

impl Early {
    pub fn begin() -> Self {
        Self(actum_sandbox::aside(signer::serve_when_told))
    }
}

impl Aside {
    /// By a process that was made early, where there is one.
    pub(super) fn after(early: Option<Early>, surroundings: &Surroundings) -> Self {
        let Some(Early(stream)) = early else { return Self::begin(surroundings) };
        let told = stream.map_err(|error| KeyError::Gone(error.to_string())).and_then(|mut stream| {
            signer::tell(&mut stream, &surroundings.keys, surroundings.agent.as_deref())?;
            Signer::greet(stream)
        });
        Self(told)
    }

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
