//! An error in one line.

use std::error::Error;

/// An error and everything that it came from, for where there is room for one line or the error itself cannot go: a report,
/// another process.
pub fn with_causes(error: &dyn Error) -> String {
    let mut line = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        line.push_str(&format!(": {cause}"));
        source = cause.source();
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("cannot read the list")]
    struct Outer(#[from] std::io::Error);

    #[test]
    fn every_cause_is_told_once() {
        let inner = std::io::Error::other("the disk is gone");
        assert_eq!(with_causes(&inner), "the disk is gone");
        assert_eq!(with_causes(&Outer(inner)), "cannot read the list: the disk is gone");
    }
}
