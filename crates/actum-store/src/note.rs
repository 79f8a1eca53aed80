//! Signed notes and checkpoints, as C2SP specifies them (signed-note, tlog-checkpoint): text, a blank line, signatures.
//!
//! A [`Checkpoint`] is what a log says of itself: who it is, how many entries it has, and their root. The name of the
//! key in a signature is the log's own. Reading is strict, so that a note has one form only, and never panics.

use crate::key::{KeyError, PublicKey, Signs};
use actum_model::Digest;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::fmt;

/// The state of a log at one time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// The log's own name.
    pub origin: String,
    pub size: u64,
    pub root: Digest,
}

/// A text and who signed it. That somebody stands there proves nothing until [`SignedNote::is_signed_by`] was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedNote {
    text: String,
    lines: Vec<SignatureLine>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct SignatureLine {
    name: String,
    /// The four bytes of the key's id, then the signature.
    bytes: Vec<u8>,
}

/// Why bytes are no note, or a note no checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a valid {what}: {why}")]
pub struct NoteError {
    what: &'static str,
    pub why: &'static str,
}

const DASH: &str = "\u{2014} ";
/// 100, as in Go's reference: a note with more is there to keep us busy.
const MOST_SIGNATURES: usize = 100;

/// Whether a log may be called so: what every reader of notes accepts as the name of a key.
pub fn is_name(name: &str) -> bool {
    let is_odd = |one: char| one.is_whitespace() || one.is_control() || one == '+';
    !name.is_empty() && name.len() <= 255 && !name.contains(is_odd)
}

impl Checkpoint {
    /// The text that is signed.
    pub fn text(&self) -> String {
        format!("{}\n{}\n{}\n", self.origin, self.size, STANDARD.encode(self.root.0))
    }

    pub fn sign(&self, signer: &mut dyn Signs) -> Result<SignedNote, KeyError> {
        SignedNote::sign(self.text(), &self.origin, signer)
    }

    /// Reads the text of a note; exactly the form that [`Checkpoint::text`] writes.
    pub fn of_text(text: &str) -> Result<Self, NoteError> {
        let refused = |why| NoteError { what: "checkpoint", why };
        let mut lines = text.split('\n');
        let mut line = || lines.next().unwrap_or_default();
        let (origin, size, root) = (line(), line(), line());
        if !is_name(origin) {
            return Err(refused("its first line is not the name of a log"));
        }
        let size = size.parse().map_err(|_| refused("its second line is not the size of a log"))?;
        let root = STANDARD.decode(root).ok().and_then(|bytes| bytes.try_into().ok());
        let root = root.map(Digest).ok_or_else(|| refused("its third line is not the root of a log"))?;
        let checkpoint = Self { origin: origin.to_owned(), size, root };
        match checkpoint.text() == text {
            true => Ok(checkpoint),
            false => Err(refused("it has more than three lines, or numbers in another form")),
        }
    }
}

impl SignedNote {
    /// The text must be whole lines, and hold nothing that a reader of notes refuses.
    pub fn sign(text: String, name: &str, signer: &mut dyn Signs) -> Result<Self, KeyError> {
        debug_assert!(is_text(&text) && is_name(name), "BUG: this makes no note: {name} {text}");
        let signature = signer.sign(text.as_bytes())?;
        let mut bytes = signer.public().note_id(name).to_vec();
        bytes.extend_from_slice(&signature);
        Ok(Self { text, lines: vec![SignatureLine { name: name.to_owned(), bytes }] })
    }

    pub fn parse(bytes: &[u8]) -> Result<Self, NoteError> {
        let refused = |why| NoteError { what: "signed note", why };
        let note = str::from_utf8(bytes).map_err(|_| refused("it is not UTF-8"))?;
        // The last blank line: a text may hold some of its own.
        let split =
            note.rfind("\n\n").ok_or_else(|| refused("the empty line before the signatures is missing"))?;
        let (text, signatures) = (&note[..split + 1], &note[split + 2..]);
        if !is_text(text) {
            return Err(refused("it holds control characters"));
        }
        let signatures =
            signatures.strip_suffix('\n').ok_or_else(|| refused("its last line has no line end"))?;
        let lines: Option<Vec<SignatureLine>> =
            signatures.split('\n').take(MOST_SIGNATURES + 1).map(SignatureLine::parse).collect();
        let lines = lines.ok_or_else(|| refused("a line is not a signature"))?;
        if lines.len() > MOST_SIGNATURES {
            return Err(refused("it has more than 100 signatures"));
        }
        Ok(Self { text: text.to_owned(), lines })
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn checkpoint(&self) -> Result<Checkpoint, NoteError> {
        Checkpoint::of_text(&self.text)
    }

    /// Whether this key signed the text under this name.
    pub fn is_signed_by(&self, key: &PublicKey, name: &str) -> bool {
        let id = key.note_id(name);
        let own = self.lines.iter().filter(|line| line.name == name);
        let signatures = own.filter_map(|line| line.bytes.strip_prefix(&id)?.try_into().ok());
        signatures.into_iter().any(|signature| key.signed(self.text.as_bytes(), &signature))
    }

    /// Whether a line says that this key signed the text under this name, and it did not.
    pub fn is_forged_for(&self, key: &PublicKey, name: &str) -> bool {
        let id = key.note_id(name);
        let own = self.lines.iter().filter(|line| line.name == name && line.bytes.starts_with(&id));
        let is_true = |line: &SignatureLine| {
            let signature = line.bytes[id.len()..].try_into();
            signature.is_ok_and(|signature| key.signed(self.text.as_bytes(), &signature))
        };
        own.into_iter().any(|line| !is_true(line))
    }

    /// How many have signed, known or not.
    pub fn signatures(&self) -> usize {
        self.lines.len()
    }
}

impl SignatureLine {
    fn parse(line: &str) -> Option<Self> {
        let (name, signature) = line.strip_prefix(DASH)?.split_once(' ')?;
        let bytes = STANDARD.decode(signature).ok().filter(|bytes| bytes.len() > 4)?;
        is_name(name).then(|| Self { name: name.to_owned(), bytes })
    }
}

fn is_text(text: &str) -> bool {
    text.ends_with('\n') && !text.contains(|one: char| one.is_control() && one != '\n')
}

impl fmt::Display for SignedNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.text)?;
        let mut lines = self.lines.iter();
        lines.try_for_each(|line| writeln!(f, "{DASH}{} {}", line.name, STANDARD.encode(&line.bytes)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::KeyFile;
    use proptest::prelude::*;

    fn signed() -> (PublicKey, Checkpoint, SignedNote) {
        let mut key = KeyFile::in_memory([3; 32]);
        let checkpoint = Checkpoint { origin: "log/a".to_owned(), size: 7, root: Digest([9; 32]) };
        let note = checkpoint.sign(&mut key).unwrap();
        (key.public(), checkpoint, note)
    }

    #[test]
    fn the_example_of_the_specification_verifies() {
        // From the page of Go's package `note`, whose form C2SP took over.
        let key = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
        let note = "If you think cryptography is the answer to your problem,\n\
                    then you don't know what your problem is.\n\
                    \n\
                    \u{2014} PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";
        let key: PublicKey = key.parse().unwrap();
        let note = SignedNote::parse(note.as_bytes()).unwrap();
        assert!(note.is_signed_by(&key, "PeterNeumann"));
        assert!(!note.is_signed_by(&key, "Peter") && note.checkpoint().is_err());
    }

    #[test]
    fn a_checkpoint_reads_back_and_only_its_key_and_name_verify_it() {
        let (key, checkpoint, note) = signed();
        let read = SignedNote::parse(note.to_string().as_bytes()).unwrap();
        assert_eq!((&read, read.checkpoint()), (&note, Ok(checkpoint)));
        assert!(read.is_signed_by(&key, "log/a"));
        assert!(!read.is_signed_by(&key, "log/b"));
        assert!(!read.is_signed_by(&KeyFile::in_memory([4; 32]).public(), "log/a"));
        assert_eq!(read.signatures(), 1);
    }

    #[test]
    fn a_signature_that_its_key_did_not_make_is_told_from_one_of_a_stranger() {
        let (key, checkpoint, note) = signed();
        let stranger = KeyFile::in_memory([4; 32]).public();
        assert!(!note.is_forged_for(&key, "log/a") && !note.is_forged_for(&stranger, "log/a"));
        let other = Checkpoint { size: 8, ..checkpoint };
        let moved = SignedNote { text: other.text(), ..note };
        assert!(moved.is_forged_for(&key, "log/a"));
        assert!(!moved.is_forged_for(&stranger, "log/a") && !moved.is_forged_for(&key, "log/b"));
    }

    #[test]
    fn another_form_of_the_same_is_refused() {
        let root = STANDARD.encode([9; 32]);
        let last = format!("{}9=", &root[..42]);
        for text in [
            format!("log\n07\n{root}\n"),
            format!("log\n+7\n{root}\n"),
            format!("log\n7\n{last}\n"),
            format!("log\n7\n{root}\nmore\n"),
            format!("log\n7\n{root}"),
            format!("a log\n7\n{root}\n"),
            format!("\n7\n{root}\n"),
            format!("log\n99999999999999999999\n{root}\n"),
            format!("log\n7\n{}\n", STANDARD.encode([9; 31])),
            String::new(),
        ] {
            assert!(Checkpoint::of_text(&text).is_err(), "{text}");
        }
        let (_, _, note) = signed();
        let (note, line) = (note.to_string(), note.to_string().lines().last().unwrap().to_owned());
        let many = format!("{}{}", note, format!("{line}\n").repeat(MOST_SIGNATURES));
        for bad in [
            note.trim_end().to_owned(),
            note.replace('\n', "\r\n"),
            note.replace("\u{2014}", "-"),
            note.replace("log/a", "log\ta"),
            format!("{note}\n"),
            format!("{note}more\n"),
            many,
        ] {
            assert!(SignedNote::parse(bad.as_bytes()).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn one_changed_byte_never_verifies(at in 0_usize..200, to: u8) {
            let (key, _, note) = signed();
            let mut bytes = note.to_string().into_bytes();
            let at = at % bytes.len();
            prop_assume!(bytes[at] != to);
            bytes[at] = to;
            let read = SignedNote::parse(&bytes);
            prop_assert!(!read.is_ok_and(|note| note.is_signed_by(&key, "log/a")));
        }

        #[test]
        fn hostile_bytes_are_survived(bytes: Vec<u8>, text in "[a\n\u{2014} +=A0]{0,60}") {
            let _ = SignedNote::parse(&bytes);
            if let Ok(note) = SignedNote::parse(text.as_bytes()) {
                let _ = note.checkpoint();
                prop_assert_eq!(note.to_string(), text);
            }
        }
    }
}
