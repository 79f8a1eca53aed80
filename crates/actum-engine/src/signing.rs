//! The process that signs the ledger: it alone holds the key.

use crate::program::HelperProgram;
use crate::surroundings::Surroundings;
use crate::workers;
use actum_sandbox::{Aside, AsideProcess};
use actum_store::Ledger;
use actum_store::key::{KeyError, Signs};
use actum_store::signer::{self, Greeted, SealError, Signer};
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A signer that was forked before it is known where the keys are: while this process is small, copying it costs less, and fewer
/// of its pages have to be copied afterwards.
pub struct EarlySigner(io::Result<Aside>);

impl EarlySigner {
    /// Forks it. Works only while this process has one thread.
    pub fn fork() -> Self {
        Self(actum_sandbox::aside(signer::serve_when_told))
    }
}

impl std::fmt::Debug for EarlySigner {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("EarlySigner")
    }
}

/// A signer that looks for its key while the caller does something else.
#[derive(Debug)]
pub struct StartedSigner(Result<(Greeted, AsideProcess), KeyError>);

impl StartedSigner {
    /// Starts one for the keys of `surroundings`. Begin before there are threads: copying this process is cheaper than starting it.
    pub fn begin(surroundings: &Surroundings, program: &HelperProgram) -> Self {
        Self::after(None, surroundings, program)
    }

    /// Tells the signer where the key is. Without an early one it is forked now, or started as a program where there are threads.
    fn after(early: Option<EarlySigner>, surroundings: &Surroundings, program: &HelperProgram) -> Self {
        let aside = match early {
            Some(EarlySigner(aside)) => aside,
            None => actum_sandbox::aside(signer::serve_when_told).or_else(|_| {
                actum_sandbox::start_aside(program.start(), &[crate::program::WORD, workers::SIGNER])
            }),
        };
        let gone = |error: io::Error| KeyError::Gone(error.to_string());
        let greeted = aside.map_err(gone).and_then(|Aside { mut stream, process }| {
            signer::tell(&mut stream, &surroundings.keys, surroundings.agent.as_deref())?;
            Ok((Signer::greet(stream)?, process))
        });
        Self(greeted)
    }

    /// The signer, once it found its key.
    pub fn signer(self) -> Result<Signer, KeyError> {
        self.0?.0.signer()
    }
}

/// The signer of an engine. Several runs use it, one after the other.
pub(crate) struct Signing(Mutex<State>);

enum State {
    Started(StartedSigner),
    Ready(Ready),
    /// It could not be started or is gone.
    Gone(String),
}

struct Ready {
    signer: Signer,
    process: AsideProcess,
    /// How many entries of the log it signed last.
    size: u64,
}

/// The log, up to an entry that must be signed.
pub(crate) struct ToSign<'a> {
    pub(crate) ledger: &'a Ledger,
    pub(crate) index: u64,
}

impl Signing {
    pub(crate) fn begin(
        early: Option<EarlySigner>,
        surroundings: &Surroundings,
        program: &HelperProgram,
    ) -> Self {
        Self(Mutex::new(State::Started(StartedSigner::after(early, surroundings, program))))
    }

    /// Has the log signed up to the entry at least, and gives the fingerprint of the key. What can be done while the signer signs
    /// is called once it was asked. Runs that end together share a signature. A signer that is gone is started `again`, once.
    pub(crate) fn sign(
        &self,
        log: &ToSign<'_>,
        meanwhile: &mut dyn FnMut(),
        again: Option<&dyn Fn() -> StartedSigner>,
    ) -> Result<String, SealError> {
        let mut state = self.lock();
        match (state.sign(log, meanwhile), again) {
            (Err(SealError::Key(KeyError::Gone(_))), Some(again)) => {
                std::mem::replace(&mut *state, State::Started(again())).end();
                state.sign(log, meanwhile)
            }
            (signed, _) => signed,
        }
    }

    /// Leaves the signer to end by itself: closing in order would only take time.
    pub(crate) fn forget(&self) {
        std::mem::forget(std::mem::replace(
            &mut *self.lock(),
            State::Gone("the engine has ended".to_owned()),
        ));
    }

    /// Ends the signer, and waits until nothing of it is left.
    pub(crate) fn end(self) {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner).end();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn sign(&mut self, log: &ToSign<'_>, meanwhile: &mut dyn FnMut()) -> Result<String, SealError> {
        let signed = match self.ready() {
            Ok(ready) => ready.sign(log, meanwhile),
            Err(error) => Err(error.into()),
        };
        if let Err(SealError::Key(error)) = &signed {
            std::mem::replace(self, State::Gone(error.to_string())).end();
        }
        signed
    }

    /// The signer, once it found its key.
    fn ready(&mut self) -> Result<&mut Ready, KeyError> {
        let before = std::mem::replace(self, Self::Gone("the signing process exited".to_owned()));
        let ready = match before {
            Self::Ready(ready) => ready,
            Self::Gone(why) => return Err(KeyError::Gone(why)),
            Self::Started(StartedSigner(started)) => {
                let (greeted, process) = started?;
                match greeted.signer() {
                    Ok(signer) => Ready { signer, process, size: 0 },
                    Err(error) => {
                        process.wait();
                        return Err(error);
                    }
                }
            }
        };
        *self = Self::Ready(ready);
        match self {
            Self::Ready(ready) => Ok(ready),
            Self::Started(_) | Self::Gone(_) => Err(KeyError::Gone("BUG: it is ready".to_owned())),
        }
    }

    fn end(self) {
        let process = match self {
            State::Started(StartedSigner(Ok((greeted, process)))) => {
                drop(greeted);
                process
            }
            State::Ready(Ready { signer, process, .. }) => {
                drop(signer);
                process
            }
            State::Started(StartedSigner(Err(_))) | State::Gone(_) => return,
        };
        process.wait();
    }
}

impl Ready {
    fn sign(&mut self, log: &ToSign<'_>, meanwhile: &mut dyn FnMut()) -> Result<String, SealError> {
        if self.size <= log.index {
            let note = self.signer.seal_own(log.ledger, meanwhile)?;
            self.size = note.checkpoint().map_or(0, |checkpoint| checkpoint.size);
        }
        Ok(self.signer.public().fingerprint())
    }
}
