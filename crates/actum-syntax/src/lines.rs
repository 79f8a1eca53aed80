//! Which line an offset of a text lies on.

/// Where each line of a text begins.
#[derive(Debug)]
pub(crate) struct Lines {
    begins: Vec<usize>,
}

impl Lines {
    pub(crate) fn of(text: &str) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Lines { begins: std::iter::once(0).chain(breaks).collect() }
    }

    /// The line of an offset, from 1.
    pub(crate) fn at(&self, offset: usize) -> u32 {
        let line = self.begins.partition_point(|begin| *begin <= offset);
        u32::try_from(line).unwrap_or(u32::MAX)
    }

    /// The offset at which a line begins.
    pub(crate) fn begin(&self, line: u32) -> usize {
        let index = usize::try_from(line).unwrap_or(usize::MAX).saturating_sub(1);
        self.begins.get(index).or(self.begins.last()).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_count_from_one() {
        let lines = Lines::of("a\n\nbc\n");
        let found: Vec<u32> = (0..7).map(|offset| lines.at(offset)).collect();
        assert_eq!(found, [1, 1, 2, 3, 3, 3, 4]);
        assert_eq!((lines.begin(1), lines.begin(3), lines.begin(99)), (0, 3, 6));
        assert_eq!(Lines::of("").at(0), 1);
    }
}
