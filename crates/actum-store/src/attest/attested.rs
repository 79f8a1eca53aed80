//! A record with its exact bytes and its place in a log: what every form is derived from.

use actum_model::{Digest, Entry, Record};
use serde::de::Error as _;

/// A record as it stands in a log.
#[derive(Clone, Debug)]
pub struct Attested {
    /// As they were hashed.
    pub bytes: Vec<u8>,
    pub record: Record,
    /// The log that it stands in, by its own name.
    pub origin: String,
    /// Which entry of that log it is, counted from 0.
    pub index: u64,
}

impl Attested {
    /// Refuses what is no account of an ended run.
    pub fn read(bytes: Vec<u8>, origin: &str, index: u64) -> Result<Self, serde_json::Error> {
        let record = match serde_json::from_slice(&bytes)? {
            Entry::Ended(record) => *record,
            Entry::Made(_)
            | Entry::Started(_)
            | Entry::Lost(_)
            | Entry::Pruned(_)
            | Entry::KeyChanged(_)
            | Entry::Fact(_) => {
                return Err(serde_json::Error::custom("it is not the record of a finished run"));
            }
        };
        Ok(Self { bytes, record, origin: origin.to_owned(), index })
    }

    pub fn sha256(&self) -> Digest {
        Digest::of(&self.bytes)
    }
}
