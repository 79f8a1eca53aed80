//! Archives without compression: zip, tar, gzip. The same entries give the same bytes, and every date is the format's first.

use sha2::{Digest as _, Sha256};

/// A path inside the archive, and what is there.
pub(super) type Entry = (String, Vec<u8>);

/// A zip whose entries are stored.
pub(super) fn zip(entries: &[Entry]) -> Vec<u8> {
    let mut archive = Vec::new();
    let mut directory = Vec::new();
    for (path, bytes) in entries {
        let offset = length(&archive);
        let facts = zip_facts(path, bytes);
        archive.extend(b"PK\x03\x04");
        archive.extend(&facts);
        archive.extend(path.as_bytes());
        archive.extend(bytes);
        directory.extend(b"PK\x01\x02\x14\x03");
        directory.extend(&facts);
        // No comment, first disk, a plain file that its owner may write.
        directory.extend([0, 0, 0, 0, 0, 0]);
        directory.extend((0o100_644_u32 << 16).to_le_bytes());
        directory.extend(offset.to_le_bytes());
        directory.extend(path.as_bytes());
    }
    let count = u16::try_from(entries.len()).expect("tests pack few files");
    let (begins, size) = (length(&archive), length(&directory));
    archive.extend(directory);
    archive.extend(b"PK\x05\x06\0\0\0\0");
    archive.extend([count.to_le_bytes(), count.to_le_bytes()].concat());
    archive.extend([size.to_le_bytes(), begins.to_le_bytes()].concat());
    archive.extend([0, 0]);
    archive
}

/// What both headers of an entry say, from the version that is needed to the length of the extra field.
fn zip_facts(path: &str, bytes: &[u8]) -> Vec<u8> {
    let mut facts = Vec::from([20, 0, 0, 8, 0, 0, 0, 0, 0x21, 0]);
    facts.extend(crc32(bytes).to_le_bytes());
    facts.extend(length(bytes).to_le_bytes());
    facts.extend(length(bytes).to_le_bytes());
    facts.extend(u16::try_from(path.len()).expect("paths in tests are short").to_le_bytes());
    facts.extend([0, 0]);
    facts
}

/// A tar of plain files, in gzip.
pub(super) fn tar_gz(entries: &[Entry]) -> Vec<u8> {
    let mut tar = Vec::new();
    for (path, bytes) in entries {
        tar.extend(tar_header(path, bytes.len()));
        tar.extend(bytes);
        tar.resize(tar.len().next_multiple_of(512), 0);
    }
    tar.resize(tar.len() + 1024, 0);
    gzip(&tar)
}

fn tar_header(path: &str, size: usize) -> [u8; 512] {
    assert!(path.len() < 100, "the name field of a tar takes 99 bytes: {path}");
    let mut header = [0; 512];
    let mut put = |at: usize, text: &str| header[at..at + text.len()].copy_from_slice(text.as_bytes());
    put(0, path);
    put(100, "0000644\0");
    put(108, "0000000\0");
    put(116, "0000000\0");
    put(124, &format!("{size:011o}\0"));
    put(136, "00000000000\0");
    // The sum is taken with its own field full of blanks.
    put(148, "        ");
    put(156, "0");
    put(257, "ustar\x0000");
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    header
}

/// A gzip of stored blocks.
fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
    let mut blocks = bytes.chunks(usize::from(u16::MAX)).peekable();
    while let Some(block) = blocks.next() {
        let size = u16::try_from(block.len()).expect("chunks are no longer than asked for");
        out.push(u8::from(blocks.peek().is_none()));
        out.extend([size.to_le_bytes(), (!size).to_le_bytes()].concat());
        out.extend(block);
    }
    out.extend(crc32(bytes).to_le_bytes());
    out.extend(length(bytes).to_le_bytes());
    out
}

pub(super) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn length(bytes: &[u8]) -> u32 {
    u32::try_from(bytes.len()).expect("archives in tests are small")
}

/// The check sum of zip and gzip, bit by bit: tests pack little.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |sum: u32| if sum & 1 == 1 { (sum >> 1) ^ 0xedb8_8320 } else { sum >> 1 };
    let mut sum = u32::MAX;
    for byte in bytes {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = step(sum);
        }
    }
    !sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    fn entries() -> Vec<Entry> {
        vec![("a/one.txt".to_owned(), b"one".to_vec()), ("two".to_owned(), vec![7; 70_000])]
    }

    #[test]
    fn the_check_sum_is_that_of_the_standard() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }

    /// Other people's readers find what was put in.
    #[test]
    fn python_reads_both() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.zip"), zip(&entries())).unwrap();
        std::fs::write(folder.path().join("a.tar.gz"), tar_gz(&entries())).unwrap();
        let script = "import zipfile, tarfile\n\
            z = zipfile.ZipFile('a.zip'); assert z.testzip() is None\n\
            t = tarfile.open('a.tar.gz')\n\
            for name, text in (('a/one.txt', b'one'), ('two', bytes([7]) * 70000)):\n    \
                assert z.read(name) == text and t.extractfile(name).read() == text\n";
        let read = Command::new("python3").args(["-c", script]).current_dir(folder.path()).output();
        let Ok(read) = read else { return crate::skip("python3 is not installed") };
        assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
    }
}
