//! Parsers of this crate that read text which somebody else wrote, for fuzzing.

/// A Makefile, as far as claims about tests read it.
pub fn makefile(text: &str) {
    crate::claims::parse_makefile(text);
}
