//! Which bytes of a part a tool reads, and so must notice when one of them is another.
//!
//! A change flips the lowest bit of one byte. Some bytes mean nothing to anybody: the end of the last line, and the last
//! digit of base64 before its padding, whose lowest bit is not used. Others mean nothing to one tool, which the functions
//! here name. Our own verifier accepts a change of none of them.

use crate::exported::Unpacked;
use crate::records::digest;
use std::ops::Range;

/// One changed byte.
#[derive(Clone, Debug)]
pub struct Change {
    pub part: String,
    pub at: usize,
}

/// So many changes of each part of a bundle.
const EACH: usize = 5;

/// What a tool reads of each part.
pub type Reads = fn(&Unpacked) -> Vec<(String, Vec<Range<usize>>)>;

/// Changes spread over everything that a tool reads: each part of it, and each range of a part.
pub fn of(unpacked: &Unpacked, reads: Reads) -> Vec<Change> {
    let mut changes = Vec::new();
    for (part, ranges) in reads(unpacked) {
        for number in 0..EACH.max(ranges.len()) {
            let range = &ranges[number % ranges.len()];
            // Anywhere, and at the same place each time.
            let random = digest(format!("{part} {number} {}", number_of(unpacked)).as_bytes()).0;
            let at = range.start + usize::from_be_bytes(*random.first_chunk().unwrap()) % range.len();
            changes.push(Change { part: part.clone(), at });
        }
    }
    changes
}

/// The envelopes from brace to brace, and the record, whose digest they hold.
pub fn statements(unpacked: &Unpacked) -> Vec<(String, Vec<Range<usize>>)> {
    let envelopes = unpacked.files.keys().filter(|name| name.ends_with(".dsse.json"));
    let envelope = |name: &String| (name.clone(), but_padding(file(unpacked, name)));
    envelopes.map(envelope).chain([record(unpacked)]).collect()
}

/// Layout and link from brace to brace, but for what in-toto itself does not read: the type inside a step, and the name of
/// a field whose value is what it takes when there is none.
pub fn links(unpacked: &Unpacked) -> Vec<(String, Vec<Range<usize>>)> {
    const UNREAD: [&str; 4] =
        [r#""_type":"step""#, r#""products":{}"#, r#""materials":{}"#, r#""threshold""#];
    let links = unpacked.files.keys().filter(|name| name.starts_with("link/"));
    let read = |name: &String| {
        let text = str::from_utf8(file(unpacked, name)).unwrap();
        let mut unread: Vec<(usize, &str)> =
            UNREAD.iter().flat_map(|word| text.match_indices(word)).collect();
        unread.sort_unstable();
        let starts = [0].into_iter().chain(unread.iter().map(|(at, word)| at + word.len()));
        let ends = unread.iter().map(|(at, _)| *at).chain([text.len() - 1]);
        (name.clone(), starts.zip(ends).map(|(start, end)| start..end).collect())
    };
    links.map(read).collect()
}

/// The record, and the armoured signature without the ends of its lines.
pub fn ssh(unpacked: &Unpacked) -> Vec<(String, Vec<Range<usize>>)> {
    let name = "record.json.sig";
    let bytes = file(unpacked, name);
    let mut ranges = Vec::new();
    let mut start = 0;
    for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let digits = line.iter().take_while(|byte| **byte != b'=').count();
        let read = if digits == line.len() { line.len() } else { digits - 1 };
        ranges.push(start..start + read);
        start += line.len() + 1;
    }
    vec![record(unpacked), (name.to_owned(), ranges)]
}

/// The text of the checkpoint and the signature proper: openssl is given neither the signer's name nor the key's id.
pub fn note_text(unpacked: &Unpacked) -> Vec<(String, Vec<Range<usize>>)> {
    vec![note("checkpoint", unpacked, 6)]
}

/// Sigstore's readers look at the key's id, and not at the name before it; of the proof they read index, size and hashes.
pub fn log(unpacked: &Unpacked) -> Vec<(String, Vec<Range<usize>>)> {
    vec![record(unpacked), note("checkpoint", unpacked, 0), inclusion(unpacked)]
}

/// Go's reader looks at every byte of a checkpoint but the last digit of base64.
pub fn whole_log(unpacked: &Unpacked) -> Vec<(String, Vec<Range<usize>>)> {
    let bytes = file(unpacked, "checkpoint");
    let end =
        bytes.len() - 1 - usize::from(bytes.ends_with(b"=\n")) - usize::from(bytes.ends_with(b"==\n")) - 1;
    let checkpoint = ("checkpoint".to_owned(), vec![0..end, bytes.len() - 1..bytes.len()]);
    vec![record(unpacked), checkpoint, inclusion(unpacked)]
}

/// What `@sigstore/verify` takes out of a bundle: payload, its type, the first signature, and which key it should be.
pub fn sigstore_alone(unpacked: &Unpacked) -> Vec<(String, Vec<Range<usize>>)> {
    let name = "sigstore.json";
    let fields = ["payload", "payloadType", "sig", "hint"].map(|field| value(file(unpacked, name), field));
    vec![(name.to_owned(), fields.into())]
}

/// That, and our log with the code that it has for its own.
pub fn sigstore(unpacked: &Unpacked) -> Vec<(String, Vec<Range<usize>>)> {
    [log(unpacked), sigstore_alone(unpacked)].concat()
}

/// Both notes, and every file whose digest stands in one of them.
pub fn everything(unpacked: &Unpacked) -> Vec<(String, Vec<Range<usize>>)> {
    let files = unpacked.files.iter().filter(|(name, bytes)| *name != "contents" && !bytes.is_empty());
    let files = files.map(|(name, bytes)| (name.clone(), whole(bytes)));
    [note("contents", unpacked, 6)].into_iter().chain(files).collect()
}

fn number_of(unpacked: &Unpacked) -> String {
    unpacked.folder.file_name().unwrap().to_str().unwrap().to_owned()
}

fn file<'a>(unpacked: &'a Unpacked, name: &str) -> &'a [u8] {
    &unpacked.files[name]
}

fn whole(bytes: &[u8]) -> Vec<Range<usize>> {
    std::iter::once(0..bytes.len()).collect()
}

fn record(unpacked: &Unpacked) -> (String, Vec<Range<usize>>) {
    ("record.json".to_owned(), whole(file(unpacked, "record.json")))
}

fn note(name: &str, unpacked: &Unpacked, skipped: usize) -> (String, Vec<Range<usize>>) {
    let text = str::from_utf8(file(unpacked, name)).unwrap();
    let end = text.find("\n\n").unwrap() + 1;
    let start = text.rfind(' ').unwrap() + 1;
    let digits = text[start..].find(['=', '\n']).unwrap();
    let read = if text.ends_with("=\n") { digits - 1 } else { digits };
    (name.to_owned(), vec![0..end, start + skipped..start + read])
}

/// The values of the proof's fields, and each of its hashes.
fn inclusion(unpacked: &Unpacked) -> (String, Vec<Range<usize>>) {
    let name = "inclusion.json";
    let text = str::from_utf8(file(unpacked, name)).unwrap();
    let number = |field: &str| {
        let start = text.find(&format!("\"{field}\":")).unwrap() + field.len() + 3;
        start..start + text[start..].find(',').unwrap()
    };
    let mut ranges = vec![number("leaf_index"), number("tree_size")];
    let hashes = text.find("\"hashes\":[").unwrap() + 10;
    ranges.extend(
        text[hashes..].match_indices('"').step_by(2).map(|(at, _)| hashes + at + 1..hashes + at + 65),
    );
    (name.to_owned(), ranges)
}

/// A file but for its last line's end and the last digit of every padded text.
fn but_padding(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut start = 0;
    for at in 1..bytes.len() {
        if bytes[at] == b'=' && bytes[at - 1] != b'=' {
            ranges.push(start..at - 1);
            start = at;
        }
    }
    ranges.push(start..bytes.len() - 1);
    ranges
}

/// The text of a field, but for the last digit before its padding.
fn value(bytes: &[u8], field: &str) -> Range<usize> {
    let text = str::from_utf8(bytes).unwrap();
    let start = text.find(&format!("\"{field}\":\"")).unwrap() + field.len() + 4;
    let length = text[start..].find('"').unwrap();
    let digits = text[start..start + length].find('=').map_or(length, |digits| digits - 1);
    start..start + digits
}
