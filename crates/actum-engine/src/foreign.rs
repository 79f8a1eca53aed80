//! Parsers of this crate that read text which somebody else wrote, for fuzzing.

/// Front matter of an answer.
pub fn front_matter(text: &str) {
    crate::expectations::parse_front_matter(text);
}
