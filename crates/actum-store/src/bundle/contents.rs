//! The list of everything in a bundle, as `sha256sum` writes it, in a signed note.
//!
//! Parts that prove something are verified by themselves. This list covers the rest, such as the words of `VERIFY.md`,
//! and says which blobs are there, so that none can be taken out unnoticed.

use super::names::{self, Part};
use crate::attest::CONTENTS;
use actum_model::Digest;

/// The text of the note.
pub(super) fn text<'a>(
    link: &str,
    parts: impl Iterator<Item = (Part, &'a [u8])>,
    blobs: impl Iterator<Item = Digest>,
) -> String {
    let listed = parts.filter(|(part, _)| *part != Part::Contents);
    let part = |(part, bytes): (Part, &[u8])| line(Digest::of(bytes), &part.name(link));
    let blob = |digest: Digest| line(digest, &names::blob_name(&digest));
    let lines: String = listed.map(part).chain(blobs.map(blob)).collect();
    format!("{CONTENTS}\n{lines}")
}

/// The blobs that a list names, each higher than the one before.
pub(super) fn blobs(text: &str) -> Option<Vec<Digest>> {
    let digests: Vec<Digest> =
        text.lines().filter_map(|line| names::blob(line.split_once("  ")?.1)).collect();
    digests.is_sorted_by(|one, next| one.0 < next.0).then_some(digests)
}

fn line(digest: Digest, name: &str) -> String {
    format!("{digest}  {name}\n")
}
