//! From an offset in a text to its line and column, and back.

/// The offsets at which the lines of a text begin, so that the line of an offset is found without counting each time.
#[derive(Clone, Debug)]
pub struct LineIndex {
    starts: Vec<usize>,
}

impl LineIndex {
    pub fn new(text: &str) -> Self {
        let after = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Self { starts: std::iter::once(0).chain(after).collect() }
    }

    /// The line of an offset, counted from 1.
    pub fn line_of(&self, offset: usize) -> u32 {
        let line = self.starts.partition_point(|start| *start <= offset);
        u32::try_from(line).unwrap_or(u32::MAX)
    }

    /// The line of an offset and its column in bytes, both counted from 1.
    pub fn position(&self, offset: usize) -> (u32, u32) {
        let line = self.line_of(offset);
        let column = offset - self.start_of(line) + 1;
        (line, u32::try_from(column).unwrap_or(u32::MAX))
    }

    /// The offset at which a line begins; that of the last line for every later one.
    pub fn start_of(&self, line: u32) -> usize {
        let index = usize::try_from(line).unwrap_or(usize::MAX).saturating_sub(1);
        self.starts.get(index).or(self.starts.last()).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_are_counted_from_one() {
        let index = LineIndex::new("a\n\nbc\n");
        let lines: Vec<u32> = (0..7).map(|offset| index.line_of(offset)).collect();
        assert_eq!(lines, [1, 1, 2, 3, 3, 3, 4]);
        assert_eq!((index.start_of(1), index.start_of(3), index.start_of(99)), (0, 3, 6));
        assert_eq!((index.position(0), index.position(4), index.position(6)), ((1, 1), (3, 2), (4, 1)));
        assert_eq!(LineIndex::new("").line_of(0), 1);
    }

    proptest! {
        #[test]
        fn a_position_leads_back_to_its_offset(text in "[a\n]{0,40}", offset in 0usize..40) {
            let (line, column) = LineIndex::new(&text).position(offset.min(text.len()));
            let start = LineIndex::new(&text).start_of(line);
            prop_assert_eq!(start + column as usize - 1, offset.min(text.len()));
            prop_assert_eq!(text[..start].matches('\n').count() as u32 + 1, line);
        }
    }
}
