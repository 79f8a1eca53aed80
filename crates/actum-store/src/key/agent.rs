//! A key that an ssh-agent holds: we ask it to sign, and never see the private half.
//!
//! The socket's path is the caller's; what comes out of it is not trusted further than its form, and every signature
//! is verified before it is passed on.

use super::{KeyError, PublicKey, Signs, wire};
use std::io::{self, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// One Ed25519 key of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    pub key: PublicKey,
    pub comment: String,
}

/// A key behind an agent's socket.
#[derive(Debug)]
pub struct AgentKey {
    stream: UnixStream,
    socket: PathBuf,
    key: PublicKey,
}

/// Numbers of messages, from the agent protocol.
const REQUEST_IDENTITIES: u8 = 11;
const IDENTITIES_ANSWER: u8 = 12;
const SIGN_REQUEST: u8 = 13;
const SIGN_RESPONSE: u8 = 14;
/// 256 KiB: what OpenSSH's own agent accepts and sends.
const LONGEST: u32 = 256 << 10;
/// A minute: an agent may ask a person first, and one that hangs must not hang us for ever.
const PATIENCE: Duration = Duration::from_secs(60);

impl AgentKey {
    /// The Ed25519 keys that the agent at this socket holds.
    pub fn list(socket: &Path) -> Result<Vec<Identity>, KeyError> {
        identities(&mut connect(socket)?, socket)
    }

    /// The one key with this fingerprint or comment; the only one when nothing is said.
    pub fn choose(socket: &Path, wanted: Option<&str>) -> Result<Self, KeyError> {
        let mut stream = connect(socket)?;
        let held = identities(&mut stream, socket)?;
        let is_meant = |one: &&Identity| {
            wanted.is_none_or(|wanted| one.key.fingerprint() == wanted || one.comment == wanted)
        };
        let found: Vec<&Identity> = held.iter().filter(is_meant).collect();
        if let [one] = found.as_slice() {
            return Ok(Self { stream, socket: socket.to_owned(), key: one.key });
        }
        let named = |one: &Identity| format!("{} ({})", one.key.fingerprint(), one.comment);
        Err(KeyError::Identity {
            wanted: wanted.unwrap_or("of any name").to_owned(),
            found: found.into_iter().map(named).collect(),
            held: held.iter().map(named).collect(),
        })
    }
}

impl Signs for AgentKey {
    fn public(&self) -> PublicKey {
        self.key
    }

    fn sign(&mut self, message: &[u8]) -> Result<[u8; 64], KeyError> {
        let mut request = vec![SIGN_REQUEST];
        wire::put(&mut request, &self.key.ssh());
        wire::put(&mut request, message);
        // No flags: they choose the hash of RSA signatures.
        request.extend_from_slice(&0_u32.to_be_bytes());
        let answer = ask(&mut self.stream, &self.socket, &request)?;
        let refused = || KeyError::Refused { path: self.socket.clone() };
        let (SIGN_RESPONSE, mut rest) =
            answer.split_first().map(|(kind, rest)| (*kind, rest)).ok_or_else(refused)?
        else {
            return Err(refused());
        };
        let signature = wire::string(&mut rest).and_then(wire::of_our_kind::<64>);
        signature.filter(|signature| self.key.signed(message, signature)).ok_or_else(refused)
    }
}

fn connect(socket: &Path) -> Result<UnixStream, KeyError> {
    let ready = || -> io::Result<UnixStream> {
        let stream = UnixStream::connect(socket)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(stream)
    };
    ready().map_err(|source| KeyError::Agent { path: socket.to_owned(), source })
}

fn identities(stream: &mut UnixStream, socket: &Path) -> Result<Vec<Identity>, KeyError> {
    let answer = ask(stream, socket, &[REQUEST_IDENTITIES])?;
    read_identities(&answer).ok_or_else(|| KeyError::Garbled { path: socket.to_owned() })
}

/// Keys of other kinds are passed over.
fn read_identities(answer: &[u8]) -> Option<Vec<Identity>> {
    let mut rest = answer.strip_prefix(&[IDENTITIES_ANSWER])?;
    let count = wire::number(&mut rest)?;
    let mut held = Vec::new();
    for _ in 0..count {
        let (blob, comment) = (wire::string(&mut rest)?, wire::string(&mut rest)?);
        let key = wire::of_our_kind(blob).and_then(|bytes| PublicKey::of(bytes).ok());
        let comment = String::from_utf8_lossy(comment).into_owned();
        held.extend(key.map(|key| Identity { key, comment }));
    }
    rest.is_empty().then_some(held)
}

fn ask(stream: &mut UnixStream, socket: &Path, request: &[u8]) -> Result<Vec<u8>, KeyError> {
    let failed = |source| KeyError::Agent { path: socket.to_owned(), source };
    stream.write_all(&wire::strings(&[request])).map_err(failed)?;
    let mut length = [0; 4];
    stream.read_exact(&mut length).map_err(failed)?;
    let length = u32::from_be_bytes(length);
    if length > LONGEST {
        return Err(KeyError::Garbled { path: socket.to_owned() });
    }
    let mut answer = vec![0; length as usize];
    stream.read_exact(&mut answer).map_err(failed)?;
    Ok(answer)
}

#[cfg(test)]
mod tests;
