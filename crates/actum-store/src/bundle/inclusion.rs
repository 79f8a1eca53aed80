//! The part that says where in the log the record stands, with the hashes that prove it.

use crate::merkle;
use crate::note::Checkpoint;
use actum_model::Digest;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Inclusion {
    /// Which entry it is, counted from 0.
    pub leaf_index: u64,
    pub tree_size: u64,
    /// SHA-256 of a zero byte and the record's bytes.
    pub leaf_hash: Digest,
    pub root_hash: Digest,
    /// From the leaf upwards.
    pub hashes: Vec<Digest>,
}

impl Inclusion {
    pub fn of(record: &[u8], index: u64, checkpoint: &Checkpoint, hashes: Vec<Digest>) -> Self {
        let (tree_size, root_hash) = (checkpoint.size, checkpoint.root);
        Self { leaf_index: index, tree_size, leaf_hash: merkle::leaf(record), root_hash, hashes }
    }

    pub fn is_proven(&self) -> bool {
        let Self { leaf_index, tree_size, leaf_hash, root_hash, hashes } = self;
        merkle::verify_inclusion(leaf_hash, *leaf_index, *tree_size, root_hash, hashes)
    }
}
