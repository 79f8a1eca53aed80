//! Bundles of many records, from logs of many sizes.

use crate::records::{self, Made};
use actum_model::Digest;
use actum_store::bundle::{self, Blob, Parts};
use actum_store::key::{KeyFile, PublicKey, Signs};
use actum_store::merkle::{self, Subtree, Subtrees};
use actum_store::note::Checkpoint;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How many the outside tools are given.
pub const MANY: usize = 100;

/// A bundle and what went into it.
pub struct Exported {
    pub record: Vec<u8>,
    pub bytes: Vec<u8>,
    pub key: PublicKey,
    pub origin: String,
}

/// A log whose leaves are all in memory.
struct Leaves(Vec<Digest>);

impl Subtrees for Leaves {
    type Error = Infallible;

    fn hash(&mut self, subtree: Subtree) -> Result<Digest, Infallible> {
        let (from, to) = subtree.leaves();
        match subtree.level {
            0 => Ok(self.0[from as usize]),
            level => {
                let middle = Subtree { level: level - 1, index: subtree.index * 2 };
                let next = Subtree { index: middle.index + 1, ..middle };
                assert!(to <= self.0.len() as u64);
                Ok(merkle::node(&self.hash(middle)?, &self.hash(next)?))
            }
        }
    }
}

/// Three signers, as three stores would have.
pub fn signer(number: usize) -> (KeyFile, String) {
    let which = number % 3;
    (
        KeyFile::in_memory([which as u8 + 1; 32]),
        ["actum/store-a", "größe.example/log", "log"][which].to_owned(),
    )
}

/// The parts of the bundle of this number. Sizes go from 1 to about 300, and places over all of each.
pub fn parts(number: usize) -> Parts<'static> {
    let Made { record, blobs } = records::record(number);
    let record = records::entry(record);
    let size = 1 + (number as u64 * 37) % 301;
    let index = (number as u64 * 7919) % size;
    let mut leaves = Leaves((0..size).map(|at| merkle::leaf(&at.to_be_bytes())).collect());
    leaves.0[index as usize] = merkle::leaf(&record);
    let (mut key, origin) = signer(number);
    let Ok(root) = merkle::root(size, &mut leaves);
    let Ok(proof) = merkle::inclusion(index, size, &mut leaves);
    let checkpoint = Checkpoint { origin, size, root }.sign(&mut key).unwrap();
    Parts { record, index, checkpoint, proof, blobs: blobs.into_iter().map(blob).collect() }
}

pub fn blob(bytes: Vec<u8>) -> Blob<'static> {
    let (digest, size) = (records::digest(&bytes), bytes.len() as u64);
    Blob { digest, size, open: Box::new(move || Ok(Box::new(Cursor::new(bytes.clone())))) }
}

pub fn export(number: usize) -> Exported {
    let parts = parts(number);
    let (mut key, origin) = signer(number);
    let mut bytes = Vec::new();
    let written = bundle::write(&parts, &mut key, &mut bytes).unwrap();
    assert!(written.left_out.is_empty());
    Exported { record: parts.record, bytes, key: key.public(), origin }
}

/// A bundle unpacked by the system's own tar.
pub struct Unpacked {
    pub folder: PathBuf,
    /// The signer's keys, as somebody got them from the signer.
    pub trust: PathBuf,
    pub files: BTreeMap<String, Vec<u8>>,
}

pub fn unpack(number: usize, below: &Path) -> Unpacked {
    let exported = export(number);
    let (folder, file) = (below.join(format!("{number:03}")), below.join(format!("{number:03}.actum.tar")));
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(&file, &exported.bytes).unwrap();
    let status = Command::new("tar").arg("xf").arg(&file).arg("-C").arg(&folder).status().unwrap();
    assert!(status.success());
    let trust = below.join(format!("trust-{}", number % 3));
    if !trust.exists() {
        give_keys(&trust, &exported);
    }
    let mut files = BTreeMap::new();
    collect(&folder, &folder, &mut files);
    Unpacked { folder, trust, files }
}

/// Made from the key, not copied from the bundle.
fn give_keys(trust: &Path, Exported { key, origin, .. }: &Exported) {
    std::fs::create_dir(trust).unwrap();
    for (name, text) in [
        ("signer.pem", key.pem()),
        ("signer.vkey", key.note_key(origin)),
        ("allowed_signers", actum_store::attest::ssh::allowed_signer(key)),
        ("signer.intoto.json", key.in_toto().to_string()),
    ] {
        std::fs::write(trust.join(name), text).unwrap();
    }
}

fn collect(root: &Path, folder: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(root, &path, files);
        } else {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            files.insert(name, std::fs::read(&path).unwrap());
        }
    }
}
