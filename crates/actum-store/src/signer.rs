//! The signer: a process of its own that alone holds the key, and signs no log that was rolled back or forked.
//!
//! Whoever writes the ledger reads what hostile programs printed; the key is not in that process. The two talk over a pair
//! of sockets, one frame each way. For each store the signer remembers the last checkpoint that it signed, in its own folder:
//! the next one must go on from there, and a proof says so.

use crate::error::StoreError;
use crate::key::{KeyError, PublicKey, Signs};
use crate::keyring::Keyring;
use crate::ledger::{Ledger, LogState, Reader};
use crate::merkle::{self, Head};
use crate::note::{self, Checkpoint, SignedNote};
use actum_model::{Digest, with_causes};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

/// What the signer is asked.
#[derive(Debug, Serialize, Deserialize)]
enum Ask {
    Public,
    /// A text whose form says what it is: an envelope, a link, a signature of SSH. In base64.
    Sign {
        message: String,
    },
    /// The state of a log, with the proof that it goes on from an earlier one.
    Seal {
        origin: String,
        size: u64,
        root: Digest,
        since: u64,
        proof: Vec<Digest>,
    },
}

#[derive(Debug, Serialize, Deserialize)]
enum Answer {
    Public([u8; 32]),
    Signature(Vec<u8>),
    Sealed(String),
    /// Another state was signed last: the proof has to begin there.
    Since(u64),
    /// The log is not the one that was signed before.
    Broken {
        signed: u64,
    },
    Failed(String),
}

/// 16 MiB: statements of runs with a hundred thousand files are smaller.
const LONGEST: u32 = 16 << 20;

/// Where a signer finds its key.
#[derive(Debug, Serialize, Deserialize)]
struct Place {
    keys: OsString,
    agent: Option<OsString>,
}

/// Serves one process that tells where the key is: made early, while that process is small, it costs less.
pub fn serve_when_told(mut stream: UnixStream) {
    if let Ok(Some(Place { keys, agent })) = receive::<Place>(&mut stream) {
        serve(stream, &Keyring::at(Path::new(&keys)), agent.map(PathBuf::from));
    }
}

/// Tells a signer that was made early where the key is.
pub fn tell(stream: &mut UnixStream, keys: &Path, agent: Option<&Path>) -> Result<(), KeyError> {
    let place = Place { keys: keys.into(), agent: agent.map(Into::into) };
    send(stream, &place).map_err(|error| KeyError::Gone(error.to_string()))
}

/// Serves one process until it hangs up.
pub fn serve(mut stream: UnixStream, keyring: &Keyring, agent: Option<PathBuf>) {
    let mut key: Option<Box<dyn Signs>> = None;
    while let Ok(Some(ask)) = receive::<Ask>(&mut stream) {
        let answer = match loaded(&mut key, keyring, agent.as_deref()) {
            Ok(key) => answer(ask, key, keyring),
            Err(error) => Err(error),
        };
        let answer = answer.unwrap_or_else(|error| Answer::Failed(why(&error)));
        if send(&mut stream, &answer).is_err() {
            return;
        }
    }
}

/// What the other process shows, which says itself that its signer failed.
fn why(error: &KeyError) -> String {
    if let KeyError::Gone(why) = error {
        return why.clone();
    }
    with_causes(error)
}

fn loaded<'a>(
    key: &'a mut Option<Box<dyn Signs>>,
    keyring: &Keyring,
    agent: Option<&std::path::Path>,
) -> Result<&'a mut Box<dyn Signs>, KeyError> {
    match key {
        Some(key) => Ok(key),
        none => Ok(none.insert(keyring.signs(agent)?)),
    }
}

fn answer(ask: Ask, key: &mut Box<dyn Signs>, keyring: &Keyring) -> Result<Answer, KeyError> {
    match ask {
        Ask::Public => Ok(Answer::Public(*key.public().bytes())),
        // A checkpoint is signed by its own word only, which looks at what was signed before.
        Ask::Sign { message } => match STANDARD.decode(message) {
            Ok(message) if crate::attest::is_message(&message) => {
                Ok(Answer::Signature(key.sign(&message)?.to_vec()))
            }
            Ok(_) | Err(_) => Ok(Answer::Failed(
                "cannot sign: the message has none of the forms that Actum signs".to_owned(),
            )),
        },
        // A name with a line end in it would make the text another one than it seems.
        Ask::Seal { origin, .. } if !note::is_name(&origin) => {
            Ok(Answer::Failed("cannot sign: the name of the log is not valid".to_owned()))
        }
        Ask::Seal { origin, size, root, since, proof } => {
            let memory = keyring.memory(&origin)?;
            let asked = Checkpoint { origin, size, root };
            if let Some(early) = judge(memory.note.as_ref(), &asked, since, &proof, key.public()) {
                return Ok(early);
            }
            let note = asked.sign(key.as_mut())?;
            memory.keep(&note)?;
            Ok(Answer::Sealed(note.to_string()))
        }
    }
}

/// What is answered without signing; nothing where the log goes on from what was signed last.
fn judge(
    last: Option<&SignedNote>,
    asked: &Checkpoint,
    since: u64,
    proof: &[Digest],
    key: PublicKey,
) -> Option<Answer> {
    let last_note = last?;
    let last = last_note.checkpoint().ok().filter(|last| last.origin == asked.origin)?;
    let (old, new) = (Head { size: last.size, root: last.root }, Head { size: asked.size, root: asked.root });
    if asked.size == last.size && asked.root == last.root {
        let is_ours = last_note.is_signed_by(&key, &asked.origin);
        return is_ours.then(|| Answer::Sealed(last_note.to_string()));
    }
    if since != last.size {
        return Some(Answer::Since(last.size));
    }
    let goes_on = merkle::verify_consistency(old, new, proof);
    (!goes_on).then_some(Answer::Broken { signed: last.size })
}

/// The way to a signer.
#[derive(Debug)]
pub struct Signer {
    stream: UnixStream,
    public: PublicKey,
}

/// Why a log has no new signature.
#[derive(Debug, thiserror::Error)]
pub enum SealError {
    #[error(
        "cannot sign the ledger: it was rolled back or forked; it no longer begins with the {signed} entries signed before"
    )]
    Broken { signed: u64 },
    #[error("cannot sign the ledger")]
    Key(#[from] KeyError),
    #[error("cannot read the ledger for signing")]
    Store(#[from] StoreError),
}

impl SealError {
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Broken { .. } => Some(
                "two copies of the store were used, or a backup was restored; if this was intended, run `actum key forget` to sign this one again"
                    .to_owned(),
            ),
            Self::Key(error) => error.hint(),
            Self::Store(error) => error.hint(),
        }
    }
}

/// A signer that was asked for its key.
#[derive(Debug)]
pub struct Greeted {
    stream: UnixStream,
}

impl Greeted {
    /// The signer, once it found its key; else why it has none.
    pub fn signer(mut self) -> Result<Signer, KeyError> {
        let answer = hear(&mut self.stream)?;
        let Answer::Public(bytes) = answer else { return Err(unexpected(&answer)) };
        Ok(Signer { public: PublicKey::of(bytes)?, stream: self.stream })
    }
}

impl Signer {
    /// Asks the process at the other end for its key, and does not wait for it.
    pub fn greet(mut stream: UnixStream) -> Result<Greeted, KeyError> {
        say(&mut stream, &Ask::Public)?;
        Ok(Greeted { stream })
    }

    /// Has the log as it is now signed, and keeps the signature.
    pub fn seal(&mut self, ledger: &Ledger, reader: &Reader) -> Result<SignedNote, SealError> {
        self.seal_as_seen(ledger, &|since| reader.state(since), &mut || ())
    }

    /// The same by the ledger's own connection. What can be done while the signer signs is called once it was asked.
    pub fn seal_own(
        &mut self,
        ledger: &Ledger,
        meanwhile: &mut dyn FnMut(),
    ) -> Result<SignedNote, SealError> {
        self.seal_as_seen(ledger, &|since| ledger.state(since), meanwhile)
    }

    fn seal_as_seen(
        &mut self,
        ledger: &Ledger,
        look: &dyn Fn(Option<u64>) -> Result<LogState, StoreError>,
        meanwhile: &mut dyn FnMut(),
    ) -> Result<SignedNote, SealError> {
        let mut known = None;
        // Once with what we know, once with what the signer knows, and again only while others sign in between.
        for _ in 0..8 {
            let LogState { head, since, proof } = look(known)?;
            if since > head.size {
                return Err(SealError::Broken { signed: since });
            }
            let seal = Ask::Seal {
                origin: ledger.origin().to_owned(),
                size: head.size,
                root: head.root,
                since,
                proof,
            };
            say(&mut self.stream, &seal)?;
            meanwhile();
            match hear(&mut self.stream)? {
                Answer::Sealed(text) => {
                    let note = SignedNote::parse(text.as_bytes())
                        .map_err(|error| KeyError::Gone(error.to_string()))?;
                    ledger.keep_checkpoint(head.size, text)?.wait()?;
                    return Ok(note);
                }
                Answer::Since(size) => known = Some(size),
                Answer::Broken { signed } => return Err(SealError::Broken { signed }),
                other @ (Answer::Public(_) | Answer::Signature(_) | Answer::Failed(_)) => {
                    return Err(unexpected(&other).into());
                }
            }
        }
        Err(KeyError::Gone("other processes kept changing the ledger while it was signed".to_owned()).into())
    }
}

impl Signs for Signer {
    fn public(&self) -> PublicKey {
        self.public
    }

    fn sign(&mut self, message: &[u8]) -> Result<[u8; 64], KeyError> {
        let answer = ask(&mut self.stream, &Ask::Sign { message: STANDARD.encode(message) })?;
        let Answer::Signature(bytes) = answer else { return Err(unexpected(&answer)) };
        bytes.try_into().map_err(|_| KeyError::Gone("incomplete signature".to_owned()))
    }
}

fn unexpected(answer: &Answer) -> KeyError {
    KeyError::Gone(match answer {
        Answer::Failed(why) => why.clone(),
        Answer::Public(_)
        | Answer::Signature(_)
        | Answer::Sealed(_)
        | Answer::Since(_)
        | Answer::Broken { .. } => "unexpected answer".to_owned(),
    })
}

fn ask(stream: &mut UnixStream, question: &Ask) -> Result<Answer, KeyError> {
    say(stream, question)?;
    hear(stream)
}

fn say(stream: &mut UnixStream, question: &Ask) -> Result<(), KeyError> {
    send(stream, question).map_err(|error| KeyError::Gone(error.to_string()))
}

fn hear(stream: &mut UnixStream) -> Result<Answer, KeyError> {
    let answer = receive(stream).map_err(|error| KeyError::Gone(error.to_string()))?;
    answer.ok_or_else(|| KeyError::Gone("it exited".to_owned()))
}

fn send(stream: &mut UnixStream, message: &impl Serialize) -> io::Result<()> {
    let body = serde_json::to_vec(message)?;
    let length = u32::try_from(body.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
    let mut frame = length.to_be_bytes().to_vec();
    frame.extend(body);
    stream.write_all(&frame)
}

fn receive<T: for<'de> Deserialize<'de>>(stream: &mut UnixStream) -> io::Result<Option<T>> {
    let mut length = [0; 4];
    match stream.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    let length = u32::from_be_bytes(length);
    if length > LONGEST {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut body = vec![0; length as usize];
    stream.read_exact(&mut body)?;
    Ok(serde_json::from_slice(&body)?)
}

#[cfg(test)]
mod tests;
