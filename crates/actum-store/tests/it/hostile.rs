//! Files that pretend to be bundles: refused early, with one message, in little memory.

use crate::exported::{self, export};
use actum_store::bundle::{Refused, verify};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::io::{Read, Write as _};
use std::process::{Command, Stdio};

/// A tar header in our form, by another hand than ours.
fn header(name: &str, size: u64, kind: u8) -> Vec<u8> {
    let mut block = vec![0; 512];
    let mut put = |at: usize, text: &[u8]| block[at..at + text.len()].copy_from_slice(text);
    put(0, name.as_bytes());
    for (at, text) in
        [(100, "0000644"), (108, "0000000"), (116, "0000000"), (136, "00000000000"), (148, "        ")]
    {
        put(at, text.as_bytes());
    }
    put(124, format!("{size:011o}").as_bytes());
    put(156, &[kind]);
    put(257, b"ustar\x0000");
    put(329, b"0000000");
    put(337, b"0000000");
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    block
}

fn entry(name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut entry = header(name, bytes.len() as u64, b'0');
    entry.extend_from_slice(bytes);
    entry.resize(entry.len().next_multiple_of(512), 0);
    entry
}

/// Files as a bundle, in the order of one.
pub fn packed(files: &BTreeMap<String, Vec<u8>>) -> Vec<u8> {
    const ORDER: [&str; 13] = [
        "VERIFY.md",
        "contents",
        "keys/signer.pem",
        "keys/signer.vkey",
        "keys/signer.pub",
        "keys/allowed_signers",
        "keys/signer.intoto.json",
        "record.json",
        "checkpoint",
        "inclusion.json",
        "attestation.dsse.json",
        "test-result.dsse.json",
        "link/root.layout",
    ];
    let rank = |name: &str| match name {
        "record.json.sig" => 14,
        "sigstore.json" => 15,
        name if name.starts_with("blobs/") => 16,
        name => ORDER.iter().position(|known| *known == name).unwrap_or(13),
    };
    let mut names: Vec<&String> = files.keys().collect();
    names.sort_by_key(|name| (rank(name), *name));
    let mut bytes: Vec<u8> = names.into_iter().flat_map(|name| entry(name, &files[name])).collect();
    bytes.extend([0; 1024]);
    bytes
}

fn why(bytes: &[u8]) -> String {
    match verify(bytes, &[]) {
        Ok(_) => "accepted".to_owned(),
        Err(refused) => refused.to_string(),
    }
}

#[test]
fn what_is_no_bundle_is_told_for_what_it_is() {
    for (bytes, expected) in [
        (b"".to_vec(), "this is not a bundle: it is empty"),
        (b"PK\x03\x04...".to_vec(), "this is not a bundle: it is a zip archive"),
        (b"\x1f\x8b\x08".to_vec(), "this is not a bundle: it is compressed with gzip"),
        (b"\x28\xb5\x2f\xfd....".to_vec(), "this is not a bundle: it is compressed with zstd"),
        (b"{\"a\":1}".to_vec(), "this is not a bundle: it is JSON"),
        (vec![b'x'; 4000], "this is not a valid bundle: at byte 0, a tar header is missing"),
        (b"short".to_vec(), "this is not a valid bundle: at byte 0, the file is truncated"),
        (vec![0; 1024], "the bundle is rejected: VERIFY.md is missing"),
    ] {
        assert_eq!(why(&bytes), expected);
    }
}

#[test]
fn names_links_and_order_are_refused_at_the_first() {
    let bytes = export(1).bytes;
    for (first, expected) in [
        (entry("/etc/passwd", b"x"), "the bundle is rejected: `/etc/passwd` does not belong in a bundle"),
        (entry("../x", b"x"), "the bundle is rejected: `../x` does not belong in a bundle"),
        (entry("a\nb", b"x"), "the bundle is rejected: `a\u{fffd}b` does not belong in a bundle"),
        (
            entry("keys/../VERIFY.md", b"x"),
            "the bundle is rejected: `keys/../VERIFY.md` does not belong in a bundle",
        ),
        (entry("blobs/00", b"x"), "the bundle is rejected: `blobs/00` does not belong in a bundle"),
        (entry(&format!("blobs/{}", "0".repeat(64)), b"x"), "the bundle is rejected: VERIFY.md is missing"),
        (
            [entry("VERIFY.md", b"x"), entry("VERIFY.md", b"x")].concat(),
            "the bundle is rejected: `VERIFY.md` is duplicated or not in the expected order",
        ),
        (
            [entry("contents", b"x"), entry("VERIFY.md", b"x")].concat(),
            "the bundle is rejected: `VERIFY.md` is duplicated or not in the expected order",
        ),
        (
            header("VERIFY.md", 1 << 32, b'0'),
            "the bundle is rejected: VERIFY.md has 4294967296 bytes, more than 65536",
        ),
        (
            header("record.json", (1 << 33) - 1, b'0'),
            "the bundle is rejected: record.json has 8589934591 bytes, more than 8388608",
        ),
    ] {
        assert_eq!(why(&[first, bytes.clone()].concat()), expected);
    }
    for kind in *b"123456LKxgS\0" {
        let refused = why(&header("VERIFY.md", 0, kind));
        assert!(refused.contains("the tar header has an unexpected type"), "{kind}: {refused}");
    }
}

/// GNU tar and Python's tarfile write other headers. Such a file says the same, and is refused all the same: what can be
/// written in two ways could hide something in the difference.
#[test]
fn the_same_files_in_another_tar_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let unpacked = exported::unpack(1, folder.path());
    let output = Command::new("tar")
        .args(["cf", "-", "VERIFY.md", "contents"])
        .current_dir(&unpacked.folder)
        .output()
        .unwrap();
    assert!(why(&output.stdout).contains("the tar header has an unexpected type"), "{}", why(&output.stdout));
}

/// Reads for ever, and counts how much of it was wanted.
struct Endless<'a> {
    piece: Vec<u8>,
    at: usize,
    read: &'a mut u64,
}

impl Read for Endless<'_> {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        for byte in to.iter_mut() {
            *byte = self.piece[self.at % self.piece.len()];
            self.at += 1;
        }
        *self.read += to.len() as u64;
        Ok(to.len())
    }
}

#[test]
fn a_million_entries_and_bytes_without_end_are_refused_early() {
    for piece in [entry("x", b""), entry("VERIFY.md", b""), vec![b'x'; 512], entry("blobs/x", b"")] {
        let mut read = 0;
        assert!(verify(Endless { piece, at: 0, read: &mut read }, &[]).is_err());
        assert!(read < 1 << 20, "{read} bytes were read");
    }
    let (mut read, piece) = (0, vec![0; 512]);
    let endless = Endless { piece, at: 0, read: &mut read };
    assert!(matches!(verify(endless, &[]), Err(Refused::Form { .. })), "zeros without end");
    assert!(read < 1 << 20);
}

/// A blob that the list names and the record does not; one that the record names and the list does not; one too many.
#[test]
fn blobs_are_exactly_those_that_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let unpacked = exported::unpack(2, folder.path());
    let blob = unpacked.files.keys().find(|name| name.starts_with("blobs/")).unwrap().clone();
    let mut without = unpacked.files.clone();
    without.remove(&blob);
    assert_eq!(
        why(&packed(&without)),
        format!("the bundle is rejected: {blob} is missing or not in the expected order")
    );
    let mut more = unpacked.files.clone();
    more.insert(format!("blobs/{}", "f".repeat(64)), b"more".to_vec());
    assert!(why(&packed(&more)).contains("is not in the list of contents"));
    let mut longer = unpacked.files.clone();
    longer.get_mut(&blob).unwrap().push(b'x');
    assert!(why(&packed(&longer)).contains("and the record says"), "{}", why(&packed(&longer)));
}

/// Our own file passes through ordinary programs unharmed.
#[test]
fn other_programs_read_our_tar() {
    let exported = export(3);
    let mut child = Command::new("tar")
        .args(["tvf", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let bytes = exported.bytes.clone();
    let writer = std::thread::spawn(move || stdin.write_all(&bytes).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    let listed = String::from_utf8(output.stdout).unwrap();
    assert!(
        listed.lines().count() > 15 && listed.lines().all(|line| line.starts_with("-rw-r--r-- 0/0")),
        "{listed}"
    );
}

proptest! {
    #[test]
    fn hostile_bytes_are_survived(bytes: Vec<u8>, name in "\\PC{0,40}", size in 0_u64..1 << 33) {
        prop_assert!(verify(bytes.as_slice(), &[]).is_err());
        if name.len() < 100 {
            prop_assert!(verify([header(&name, size, b'0'), bytes].concat().as_slice(), &[]).is_err());
        }
    }

    /// Blocks of a real bundle, moved, doubled and dropped.
    #[test]
    fn shuffled_blocks_are_refused(order in prop::collection::vec(any::<prop::sample::Index>(), 1..60)) {
        let bytes = export(1).bytes;
        let blocks: Vec<&[u8]> = bytes.chunks(512).collect();
        let shuffled: Vec<u8> = order.iter().flat_map(|at| at.get(&blocks).to_vec()).collect();
        prop_assert!(verify(shuffled.as_slice(), &[]).is_err());
    }
}
