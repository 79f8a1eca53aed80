//! A bounded look at one stream, or at a part of it: its head and its tail, and how much is left out between them.

use super::Reached;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// How much is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) head: u64,
    pub(crate) tail: u64,
}

/// The head and the tail of a stretch of a stream. When nothing is left out, all of it is the head.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct View {
    pub(crate) head: Vec<u8>,
    pub(crate) tail: Vec<u8>,
    pub(crate) left_out: u64,
    /// Line ends in what is left out.
    pub(crate) left_out_line_ends: u64,
    /// Lines in all; what follows the last line end is one.
    pub(crate) lines: u64,
    pub(crate) bytes: u64,
    pub(crate) redactions: u64,
    pub(crate) redactions_cut: u64,
}

impl View {
    /// Reads a stretch of a stream's file again. A stream that printed nothing has no file.
    pub(crate) fn read(path: &Path, from: Reached, to: Reached, part: Part) -> io::Result<Self> {
        let (bytes, line_ends) = (to.bytes - from.bytes, to.line_ends - from.line_ends);
        if bytes == 0 {
            return Ok(Self::default());
        }
        let file = File::open(path)?;
        let redactions = to.redactions - from.redactions;
        let redactions_cut = to.redactions_cut - from.redactions_cut;
        let mut view = Self { bytes, redactions, redactions_cut, ..Self::default() };
        if bytes <= part.head + part.tail {
            view.head = piece(&file, from.bytes, bytes)?;
        } else {
            view.head = piece(&file, from.bytes, part.head)?;
            view.tail = piece(&file, to.bytes - part.tail, part.tail)?;
            view.left_out = bytes - part.head - part.tail;
            view.left_out_line_ends = line_ends - line_ends_of(&view.head) - line_ends_of(&view.tail);
        }
        let last = view.tail.last().or(view.head.last());
        view.lines = line_ends + u64::from(last != Some(&b'\n'));
        Ok(view)
    }

    /// As text for people and programs: what is left out is told, and what is not UTF-8 is replaced.
    pub(crate) fn text(&self) -> String {
        let mut text = String::from_utf8_lossy(&self.head).into_owned();
        if self.left_out > 0 {
            if !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(&format!("[… {} bytes left out …]\n", self.left_out));
            text.push_str(&String::from_utf8_lossy(&self.tail));
        }
        text
    }

    pub(crate) fn is_utf8(&self) -> bool {
        // A cut may go through a character: its rest is at most three bytes, on either side of the cut.
        let whole = |bytes: &[u8], cut: bool| match std::str::from_utf8(bytes) {
            Ok(_) => true,
            Err(error) => cut && error.error_len().is_none(),
        };
        let rest = self.tail.iter().take(3).take_while(|byte| **byte & 0xc0 == 0x80).count();
        whole(&self.head, self.left_out > 0) && whole(&self.tail[rest..], false)
    }
}

fn piece(file: &File, from: u64, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; length as usize];
    file.read_exact_at(&mut bytes, from)?;
    Ok(bytes)
}

fn line_ends_of(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|byte| **byte == b'\n').count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(text: &str, head: u64, tail: u64) -> View {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("stdout");
        std::fs::write(&path, text).unwrap();
        let line_ends = line_ends_of(text.as_bytes());
        let to = Reached { bytes: text.len() as u64, line_ends, ..Reached::default() };
        View::read(&path, Reached::default(), to, Part { head, tail }).unwrap()
    }

    #[test]
    fn what_is_left_out_is_told() {
        assert_eq!(view("one\ntwo\n", 4, 4).text(), "one\ntwo\n");
        let cut = view("one\ntwo\nthree\nfour\n", 4, 5);
        assert_eq!(cut.text(), "one\n[… 10 bytes left out …]\nfour\n");
        assert_eq!((cut.left_out, cut.left_out_line_ends, cut.lines), (10, 2, 4));
        let within = view("one\ntwo\nthree\nfour", 5, 7);
        assert_eq!(
            (within.tail.as_slice(), within.left_out_line_ends, within.lines),
            (&b"ee\nfour"[..], 1, 4)
        );
    }

    #[test]
    fn a_stretch_is_read_by_itself() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("stdout");
        std::fs::write(&path, "first\nsecond\nthird").unwrap();
        let at = |bytes, line_ends| Reached { bytes, line_ends, ..Reached::default() };
        let read = |from, to| View::read(&path, from, to, Part { head: 99, tail: 99 }).unwrap();
        assert_eq!(
            (read(at(6, 1), at(13, 2)).text().as_str(), read(at(6, 1), at(13, 2)).lines),
            ("second\n", 1)
        );
        assert_eq!(read(at(13, 2), at(18, 2)).lines, 1);
        assert_eq!(read(at(13, 2), at(13, 2)), View::default());
    }

    #[test]
    fn a_cut_character_is_not_an_error() {
        assert!(view("ääääääää", 3, 3).is_utf8());
        assert!(!View { head: vec![b'a', 0xff], ..View::default() }.is_utf8());
    }
}
