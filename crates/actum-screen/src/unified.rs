//! Two texts of our own, as a unified diff.

use similar::TextDiff;

/// What is different; nothing where they are the same.
pub fn unified(before: &str, after: &str) -> String {
    TextDiff::from_lines(before, after).unified_diff().context_radius(2).to_string()
}
