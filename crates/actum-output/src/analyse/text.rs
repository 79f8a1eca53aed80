//! The part of a stream that is read: its beginning and its end, with the numbers of their lines.
//!
//! An output of a gigabyte is as cheap to analyse as one of a megabyte: what lies between the two parts is only counted.

/// 256 KiB: compilers and Node put what matters first; the first error of a large build stands in here.
const HEAD: usize = 256 * 1024;
/// 1 MiB: Python and every test runner put what matters last, after what the program printed.
const TAIL: usize = 1024 * 1024;
/// 64 KiB: what a pipe holds; a larger push is taken in such pieces, so that it does not grow the tail.
const PIECE: usize = 64 * 1024;

/// A bounded view of one stream. Bytes are handed over as they come, live or from a file; see [`Text::push`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    head: Vec<u8>,
    tail: Vec<u8>,
    /// Line feeds in the head, and in what was dropped between the two parts.
    head_feeds: u64,
    dropped_feeds: u64,
    dropped: u64,
    bytes: u64,
}

impl Text {
    /// The view of a whole output.
    pub fn of(bytes: &[u8]) -> Self {
        let mut text = Self::default();
        text.push(bytes);
        text
    }

    /// The view of an output whose ends were read from where it is kept; between them lie bytes that only were counted.
    pub fn of_ends(head: &[u8], dropped: u64, dropped_feeds: u64, tail: &[u8]) -> Self {
        Self {
            head: head.to_vec(),
            tail: tail.to_vec(),
            head_feeds: count_feeds(head),
            dropped_feeds,
            dropped,
            bytes: head.len() as u64 + dropped + tail.len() as u64,
        }
    }

    /// Takes the next bytes of the stream. Keeps about 2 MiB at most, whatever is pushed.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        let (head, rest) = bytes.split_at(bytes.len().min(HEAD.saturating_sub(self.head.len())));
        self.head.extend_from_slice(head);
        self.head_feeds += count_feeds(head);
        for piece in rest.chunks(PIECE) {
            if self.tail.len() + piece.len() > 2 * TAIL {
                self.drop_front();
            }
            self.tail.extend_from_slice(piece);
        }
    }

    /// Only when the tail is twice as long as needed, so that every byte is moved and counted once.
    fn drop_front(&mut self) {
        let end = self.tail.len() - TAIL;
        self.dropped_feeds += count_feeds(&self.tail[..end]);
        self.dropped += end as u64;
        self.tail.drain(..end);
    }

    /// Bytes that the stream had in all.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Lines that the stream had in all; what follows the last line feed is one.
    pub fn lines(&self) -> u64 {
        let last = self.tail.last().or(self.head.last());
        self.feeds() + u64::from(last.is_some_and(|byte| *byte != b'\n'))
    }

    fn feeds(&self) -> u64 {
        self.head_feeds + self.dropped_feeds + count_feeds(&self.tail)
    }

    /// Whether bytes between head and tail were dropped.
    pub fn is_cut(&self) -> bool {
        self.dropped > 0
    }

    /// The one part, or the two, each with the number of its first line. The first line of a second part may be the
    /// rest of one.
    pub(super) fn parts(&self) -> Vec<(u64, Vec<u8>)> {
        if self.is_cut() {
            let tail_first = 1 + self.head_feeds + self.dropped_feeds;
            return vec![(1, self.head.clone()), (tail_first, self.tail.clone())];
        }
        vec![(1, [self.head.as_slice(), self.tail.as_slice()].concat())]
    }

    /// The same view with shorter ends, of so many bytes and lines at most: what lies between them is counted like what
    /// was dropped.
    pub(crate) fn narrowed(&self, first: usize, last: usize, lines: usize) -> Self {
        let bytes = [self.head.as_slice(), self.tail.as_slice()].concat();
        let first = end_of_line(&bytes, lines).min(first);
        let last = bytes.len() - start_of_last(&bytes, lines).max(bytes.len().saturating_sub(last));
        if bytes.len() <= first + last {
            return self.clone();
        }
        let (head, rest) = bytes.split_at(first);
        let (between, tail) = rest.split_at(rest.len() - last);
        let dropped = self.dropped + between.len() as u64;
        Self::of_ends(head, dropped, self.dropped_feeds + count_feeds(between), tail)
    }

    /// The first bytes, for a look at what kind of output it is.
    pub(super) fn beginning(&self) -> &[u8] {
        &self.head[..self.head.len().min(4096)]
    }
}

/// Where the first `lines` lines end.
fn end_of_line(bytes: &[u8], lines: usize) -> usize {
    let mut feeds = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    feeds.nth(lines).map_or(bytes.len(), |(at, _)| at + 1)
}

/// Where the last `lines` lines begin.
fn start_of_last(bytes: &[u8], lines: usize) -> usize {
    let mut feeds = bytes.iter().enumerate().rev().filter(|(_, byte)| **byte == b'\n');
    feeds.nth(lines).map_or(0, |(at, _)| at + 1)
}

fn count_feeds(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|byte| **byte == b'\n').count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_output_is_one_part() {
        for (bytes, lines) in [(&b""[..], 0), (b"a", 1), (b"a\n", 1), (b"a\n\nb", 3)] {
            let text = Text::of(bytes);
            assert_eq!(text.parts(), [(1, bytes.to_vec())]);
            assert_eq!((text.lines(), text.bytes(), text.is_cut()), (lines, bytes.len() as u64, false));
        }
    }

    #[test]
    fn a_large_output_keeps_its_ends_and_their_numbers() {
        let line = |number: u64| format!("line {number:010}\n");
        let mut text = Text::default();
        for number in 1..=600_000 {
            text.push(line(number).as_bytes());
            assert!(text.head.len() + text.tail.len() <= HEAD + 2 * TAIL);
        }
        assert_eq!(text.lines(), 600_000);
        assert!(text.is_cut());
        let parts = text.parts();
        assert!(parts[0].1.starts_with(line(1).as_bytes()));
        let (first, tail) = &parts[1];
        assert!(tail.ends_with(line(600_000).as_bytes()));
        let feed = tail.iter().position(|byte| *byte == b'\n').unwrap();
        assert!(tail[feed + 1..].starts_with(line(first + 1).as_bytes()));
    }

    #[test]
    fn a_narrower_view_has_the_same_lines() {
        let lines: String = (1..=400_000).map(|number| format!("line {number}\n")).collect();
        for text in [Text::of(lines.as_bytes()), Text::of(&lines.as_bytes()[..100_000])] {
            let narrow = text.narrowed(1000, 2000, 4000);
            assert_eq!((narrow.lines(), narrow.bytes()), (text.lines(), text.bytes()));
            let (first, tail) = &narrow.parts()[1];
            let feed = tail.iter().position(|byte| *byte == b'\n').unwrap();
            assert!(tail[feed + 1..].starts_with(format!("line {}\n", first + 1).as_bytes()));
        }
        let feeds = Text::of(&[b'\n'; 100_000]).narrowed(50_000, 50_000, 100);
        assert_eq!((feeds.lines(), feeds.head.len(), feeds.tail.len()), (100_000, 101, 100));
        assert_eq!(Text::of(b"a\nb").narrowed(10, 10, 10).parts(), [(1, b"a\nb".to_vec())]);
    }

    #[test]
    fn how_it_is_pushed_does_not_matter() {
        let bytes: Vec<u8> = (0..5 * TAIL).map(|at| if at % 7 == 0 { b'\n' } else { b'x' }).collect();
        let whole = Text::of(&bytes);
        let mut pieces = Text::default();
        bytes.chunks(4093).for_each(|piece| pieces.push(piece));
        assert_eq!((whole.lines(), whole.bytes()), (pieces.lines(), pieces.bytes()));
        assert_eq!(whole.parts()[0], pieces.parts()[0]);
        for text in [whole, pieces] {
            let (first, tail) = &text.parts()[1];
            assert_eq!(first + count_feeds(tail), 1 + text.feeds());
            assert!(tail.len() >= TAIL);
        }
    }
}
