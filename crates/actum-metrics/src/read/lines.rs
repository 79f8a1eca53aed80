//! Bytes to lines, whatever the pieces they come in. What waits for its line feed is bounded.

/// 64 KiB: longer than any line of metrics.
pub(super) const LONGEST: usize = 64 * 1024;

/// Whether a carriage return begins a line anew, as it does on a screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Returns {
    Overwrite,
    Ordinary,
}

/// The line that is not whole yet.
#[derive(Debug)]
pub(super) struct LineBuffer {
    held: Vec<u8>,
    returns: Returns,
    /// The rest of a line that was longer than is held.
    is_overlong: bool,
}

impl LineBuffer {
    pub(super) fn new(returns: Returns) -> Self {
        Self { held: Vec::new(), returns, is_overlong: false }
    }

    /// Calls `each` with every line that became whole, without its line feed. Of a longer line than is held it gets the
    /// beginning; of a progress line that is written over again and again, the newest state.
    pub(super) fn push(&mut self, bytes: &[u8], mut each: impl FnMut(&[u8])) {
        let mut rest = bytes;
        while let Some(at) = rest.iter().position(|byte| *byte == b'\n') {
            self.hold(&rest[..at]);
            each(&self.held);
            self.held.clear();
            self.is_overlong = false;
            rest = &rest[at + 1..];
        }
        self.hold(rest);
    }

    /// The line that nothing ended, if there is one.
    pub(super) fn finish(&mut self, each: impl FnOnce(&[u8])) {
        if !self.held.is_empty() {
            each(&self.held);
        }
        self.held.clear();
        self.is_overlong = false;
    }

    fn hold(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            if self.is_overlong {
                let restart = bytes.iter().position(|byte| *byte == b'\r');
                let Some(at) = restart.filter(|_| self.returns == Returns::Overwrite) else { return };
                // The return itself is kept: whether it ends the line is seen with what follows.
                self.held.clear();
                self.is_overlong = false;
                bytes = &bytes[at..];
            }
            let (fits, rest) = bytes.split_at(bytes.len().min(LONGEST - self.held.len()));
            self.held.extend_from_slice(fits);
            bytes = rest;
            if self.held.len() == LONGEST && !bytes.is_empty() {
                self.make_room();
            }
        }
    }

    /// Drops earlier states of a progress line; where there are none, the line is too long.
    fn make_room(&mut self) {
        let last = self.held.iter().rposition(|byte| *byte == b'\r').filter(|at| *at > 0);
        match last.filter(|_| self.returns == Returns::Overwrite) {
            Some(at) => drop(self.held.drain(..at)),
            None => self.is_overlong = true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines(pieces: &[&[u8]], returns: Returns) -> Vec<Vec<u8>> {
        let mut buffer = LineBuffer::new(returns);
        let mut lines = Vec::new();
        pieces.iter().for_each(|piece| buffer.push(piece, |line| lines.push(line.to_vec())));
        buffer.finish(|line| lines.push(line.to_vec()));
        lines
    }

    #[test]
    fn a_cut_line_waits() {
        assert_eq!(lines(&[b"a", b"b\nc", b"", b"\n\nd"], Returns::Ordinary), [&b"ab"[..], b"c", b"", b"d"]);
    }

    #[test]
    fn a_long_progress_line_keeps_its_newest_state_and_a_long_line_its_beginning() {
        let states: String = (0..20_000).map(|step| format!("\r{step:06} loss=0.5")).collect();
        let read = lines(&[states.as_bytes(), b"\nnext\n"], Returns::Overwrite);
        assert!(read[0].ends_with(b"\r019999 loss=0.5") && read[0].len() <= LONGEST);
        assert_eq!(read[1], b"next");
        let long = vec![b'x'; 3 * LONGEST];
        let read = lines(&[&long, b"\nnext"], Returns::Ordinary);
        assert_eq!((read[0].len(), read[1].as_slice()), (LONGEST, &b"next"[..]));
    }

    proptest! {
        #[test]
        fn how_it_is_cut_does_not_matter(
            words in proptest::collection::vec((0..6_u8, 1..40_000_usize), 0..12),
            cut in 1..50_000_usize,
        ) {
            let bytes: Vec<u8> =
                words.iter().flat_map(|(kind, count)| match kind {
                    0 => b"\n".to_vec(),
                    1 => b"\r".to_vec(),
                    2 => b"\r\n".to_vec(),
                    _ => vec![b'a' + kind; *count],
                }).collect();
            for returns in [Returns::Overwrite, Returns::Ordinary] {
                let pieces: Vec<&[u8]> = bytes.chunks(cut).collect();
                prop_assert_eq!(lines(&pieces, returns), lines(&[&bytes], returns));
            }
        }
    }
}
