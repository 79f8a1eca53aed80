//! Where in a text its lines begin.

/// The offsets at which lines begin, to tell the line of an offset without counting each time.
#[derive(Debug)]
pub(crate) struct Lines {
    begins: Vec<usize>,
}

impl Lines {
    pub(crate) fn of(text: &str) -> Self {
        let after = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Self { begins: std::iter::once(0).chain(after).collect() }
    }

    /// Counted from 1.
    pub(crate) fn at(&self, offset: usize) -> u64 {
        self.begins.partition_point(|begin| *begin <= offset) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_from_one() {
        let lines = Lines::of("a\nb\n\nc");
        let told: Vec<u64> = (0..6).map(|at| lines.at(at)).collect();
        assert_eq!(told, [1, 1, 2, 2, 3, 4]);
    }
}
