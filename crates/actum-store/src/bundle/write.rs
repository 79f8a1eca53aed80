//! Writes a bundle, and never one that would be refused.

use super::inclusion::Inclusion;
use super::names::{LONGEST_RECORD, Part, blob_name};
use super::parts::{self, Messages};
use super::{contents, manual, tar};
use crate::attest::{Attested, link};
use crate::key::{KeyError, Signs};
use crate::named::named;
use crate::note::SignedNote;
use actum_model::Digest;
use sha2::{Digest as _, Sha256};
use std::io::{self, Read, Write};

/// What a bundle is made of.
pub struct Parts<'a> {
    /// The entry's exact bytes.
    pub record: Vec<u8>,
    /// Which entry of the log it is, counted from 0.
    pub index: u64,
    /// Of the log at a size beyond the index, signed by the key that signs the bundle.
    pub checkpoint: SignedNote,
    /// That the entry is in the log of that size.
    pub proof: Vec<Digest>,
    /// What the record names, as far as it is still there, in any order.
    pub blobs: Vec<Blob<'a>>,
}

/// Bytes that a record names.
pub struct Blob<'a> {
    pub digest: Digest,
    pub size: u64,
    /// Opened when its turn comes, and read to its end.
    pub open: Box<dyn Fn() -> io::Result<Box<dyn Read + 'a>> + 'a>,
}

/// What became of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Blobs that a bundle has no room for: 8 GiB and more.
    pub left_out: Vec<Digest>,
}

/// Why no bundle was written.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    #[error("cannot add the record to a bundle: {why}")]
    Record { why: String },
    #[error("cannot prove that the record is in its log")]
    Unproven,
    #[error("cannot sign the bundle: the checkpoint was signed with another key")]
    OtherKey,
    #[error("cannot sign the bundle")]
    Sign(#[from] KeyError),
    #[error("cannot add the blob {digest} to a bundle: {why}")]
    Blob { digest: Digest, why: &'static str },
    #[error("cannot read the blob {digest}")]
    Open { digest: Digest, source: io::Error },
    #[error("cannot write the bundle")]
    Write(#[from] io::Error),
}

/// Writes the bundle of one record. Blobs stream through; everything else is small. When it fails, what was written until
/// then is no bundle: write to a file that gets its name afterwards.
pub fn write(parts: &Parts, signer: &mut dyn Signs, to: &mut impl Write) -> Result<Written, BundleError> {
    let unreadable = |why: String| BundleError::Record { why };
    let checkpoint = parts.checkpoint.checkpoint().map_err(|error| unreadable(error.to_string()))?;
    let attested = Attested::read(parts.record.clone(), &checkpoint.origin, parts.index)
        .map_err(|error| unreadable(error.to_string()))?;
    if attested.bytes.len() as u64 > LONGEST_RECORD {
        return Err(unreadable(format!("it has more than {LONGEST_RECORD} bytes")));
    }
    let key = signer.public();
    if parts.checkpoint.signatures() != 1 || !parts.checkpoint.is_signed_by(&key, &checkpoint.origin) {
        return Err(BundleError::OtherKey);
    }
    let inclusion = Inclusion::of(&attested.bytes, parts.index, &checkpoint, parts.proof.clone());
    if !inclusion.is_proven() {
        return Err(BundleError::Unproven);
    }
    let (blobs, written) = sorted(&parts.blobs, &attested)?;
    let signatures = Messages::of(&attested, &key).sign(signer)?;
    let mut listed = parts::derived(&attested, &key, (&parts.checkpoint, &inclusion), &signatures);
    listed.insert(0, (Part::Manual, manual::text(&attested, &key).into_bytes()));
    let link = link::link_file(&key);
    let pieces = listed.iter().map(|(part, bytes)| (*part, bytes.as_slice()));
    let text = contents::text(&link, pieces, blobs.iter().map(|blob| blob.digest));
    let note = SignedNote::sign(text, &checkpoint.origin, signer)?;
    listed.insert(1, (Part::Contents, note.to_string().into_bytes()));
    let mut tar = tar::Tar::new(to);
    for (part, bytes) in &listed {
        tar.add(&part.name(&link), bytes)?;
    }
    for blob in blobs {
        tar.add_from(&blob_name(&blob.digest), blob.size, |to| copy(blob, to))?;
    }
    tar.finish()?;
    Ok(written)
}

/// In the order of a bundle, each once, and only what the record names.
fn sorted<'a, 'b>(
    blobs: &'b [Blob<'a>],
    attested: &Attested,
) -> Result<(Vec<&'b Blob<'a>>, Written), BundleError> {
    let named = named(&attested.record).map_err(|why| BundleError::Record { why })?;
    let mut written = Written::default();
    let mut kept: Vec<&Blob> = Vec::new();
    for blob in blobs {
        let refused = |why| BundleError::Blob { digest: blob.digest, why };
        match named.get(&blob.digest.0) {
            None => return Err(refused("the record does not name it")),
            Some(size) if *size != blob.size => return Err(refused("the record has another size for it")),
            Some(size) if *size > tar::LARGEST => written.left_out.push(blob.digest),
            Some(_) => kept.push(blob),
        }
    }
    kept.sort_by_key(|blob| blob.digest.0);
    kept.dedup_by_key(|blob| blob.digest.0);
    Ok((kept, written))
}

/// Passes a blob on, and stops when it is not what it is called.
fn copy(blob: &Blob, to: &mut impl Write) -> Result<(), BundleError> {
    let digest = blob.digest;
    let mut from = (blob.open)().map_err(|source| BundleError::Open { digest, source })?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 64 << 10];
    let mut left = blob.size;
    loop {
        let count = match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(source) => return Err(BundleError::Open { digest, source }),
        };
        left = left
            .checked_sub(count as u64)
            .ok_or(BundleError::Blob { digest, why: "it is longer than the record says" })?;
        hash.update(&buffer[..count]);
        to.write_all(&buffer[..count])?;
    }
    match left == 0 && Digest::finish(hash) == digest {
        true => Ok(()),
        false => Err(BundleError::Blob { digest, why: "its contents do not match the recorded digest" }),
    }
}
