//! Frames that are written here, byte by byte, and broken ones.

use super::*;
use crate::read::MetricReader;

/// A frame around these bytes.
pub(in crate::read) fn frame(payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u64).to_le_bytes();
    [&length, &masked(&length).to_le_bytes()[..], payload, &masked(payload).to_le_bytes()].concat()
}

/// A field that holds bytes, of fewer than 128.
pub(in crate::read) fn bytes(number: u8, content: &[u8]) -> Vec<u8> {
    [&[number << 3 | 2, content.len() as u8][..], content].concat()
}

pub(in crate::read) fn event(step: u8, value: &[u8]) -> Vec<u8> {
    let time = [&[0x09][..], &1_700_000_000.5_f64.to_le_bytes()].concat();
    [time, vec![0x10, step], bytes(5, &bytes(1, value))].concat()
}

pub(in crate::read) fn simple(tag: &str, value: f32) -> Vec<u8> {
    [bytes(1, tag.as_bytes()), vec![0x15], value.to_le_bytes().to_vec()].concat()
}

fn tensor(tag: &str, content: &[u8]) -> Vec<u8> {
    [bytes(1, tag.as_bytes()), bytes(8, content)].concat()
}

fn read(file: &[u8]) -> (Vec<(String, f64, Option<u64>)>, MetricReader) {
    let mut reader = MetricReader::for_file("logs/events.out.tfevents.1700000000.host").unwrap();
    let mut points = Vec::new();
    reader.push(file, None, &mut points);
    (points.into_iter().map(|point| (point.key, point.value, point.step)).collect(), reader)
}

/// The first frame that every writer writes, as the format has it: made by hand from its description, with checksums that
/// another implementation gave.
const VERSION: &[u8] = b"\x18\x00\x00\x00\x00\x00\x00\x00\xa3\x7f\x4b\x22\x09\x00\x00\x20\xfa\x26\xd5\xd9\x41\x1a\x0dbrain.Event:2";

#[test]
fn the_head_of_a_frame_has_the_checksum_of_others() {
    assert_eq!(masked(&VERSION[..8]), u32::from_le_bytes(*VERSION[8..].first_chunk().unwrap()));
}

#[test]
fn scalars_of_both_forms_are_read() {
    let shape = bytes(2, &[]);
    let two = bytes(2, &bytes(2, &[0x08, 2]));
    let float = |content: &[u8]| [&[0x08, 1][..], &shape, content].concat();
    let content = 0.25_f32.to_le_bytes();
    let file: Vec<u8> = [
        simple("loss", 0.5),
        tensor("content", &float(&bytes(4, &content))),
        tensor("packed", &float(&bytes(5, &content))),
        tensor("plain", &float(&[&[0x2d][..], &content].concat())),
        tensor("double", &[&[0x08, 2][..], &bytes(4, &0.1_f64.to_le_bytes())].concat()),
        tensor("doubles", &[&[0x08, 2][..], &bytes(6, &0.1_f64.to_le_bytes())].concat()),
        tensor("half", &[0x08, 19, 0x68, 0x80, 0x78]),
        tensor("brain half", &[0x08, 14, 0x68, 0x80, 0x7f]),
        tensor("int", &[0x08, 9, 0x50, 0x07]),
        tensor("vector", &[&[0x08, 1][..], &two, &bytes(4, &[0; 8])].concat()),
        tensor("text", &[0x08, 7]),
        bytes(1, b"picture"),
    ]
    .iter()
    .flat_map(|value| frame(&event(3, value)))
    .collect();
    let (points, reader) = read(&file);
    let names: Vec<_> = points.iter().map(|(key, value, step)| (key.as_str(), *value, *step)).collect();
    let expected = [
        ("loss", 0.5),
        ("content", 0.25),
        ("packed", 0.25),
        ("plain", 0.25),
        ("double", 0.1),
        ("doubles", 0.1),
        ("half", 1.0),
        ("brain half", 1.0),
        ("int", 7.0),
    ];
    let expected: Vec<_> = expected.into_iter().map(|(key, value)| (key, value, Some(3))).collect();
    assert_eq!(names, expected);
    assert_eq!(reader.ended(), None);
}

#[test]
fn a_wrong_checksum_ends_the_file_and_a_cut_frame_waits() {
    let whole = [frame(&event(1, &simple("loss", 0.5))), frame(&event(2, &simple("loss", 0.4)))].concat();
    let first = whole.len() / 2;
    for (at, count) in [(8, 0), (20, 0), (first + 1, 1), (whole.len() - 1, 1)] {
        let mut broken = whole.clone();
        broken[at] ^= 1;
        let (points, reader) = read(&[broken, whole.clone()].concat());
        assert_eq!(points.len(), count, "{at}");
        let at = if at < first { 0 } else { first as u64 };
        assert_eq!(reader.ended(), Some(&EndReason::Checksum { at }));
    }
    let (points, reader) = read(&whole[..whole.len() - 1]);
    assert_eq!((points.len(), reader.ended()), (1, None));
}

#[test]
fn a_large_frame_is_passed_over_and_checked() {
    let picture = vec![7; LARGEST as usize + 9];
    let scalar = frame(&event(1, &simple("loss", 0.5)));
    let mut file = [frame(&picture), scalar.clone()].concat();
    assert_eq!(read(&file).0.len(), 1);
    file[100] ^= 1;
    let (points, reader) = read(&file);
    assert_eq!((points.len(), reader.ended()), (0, Some(&EndReason::Checksum { at: 0 })));
    // A length that is a lie, with the right checksum, is waited for and not held.
    let length = u64::MAX.to_le_bytes();
    let mut reader = EventFileReader::new("a");
    let mut points = Vec::new();
    reader.push(&[&length[..], &masked(&length).to_le_bytes(), &picture, &scalar].concat(), &mut points);
    assert_eq!((points.len(), reader.held.len(), reader.ended()), (0, 0, None));
}

#[test]
fn bytes_that_are_no_event_are_counted() {
    let mut reader = EventFileReader::new("a");
    let mut points = Vec::new();
    reader.push(&[frame(&[0x0b]), frame(b""), frame(&event(1, &simple("loss", 0.5)))].concat(), &mut points);
    assert_eq!((points.len(), reader.unreadable()), (1, 1));
}
