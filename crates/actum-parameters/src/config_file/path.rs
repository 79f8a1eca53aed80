//! Dotted paths of keys: `model.layers.0.size`, `model.layers[0].size`.

use std::fmt;

/// Where a value is in a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyPath {
    segments: Vec<Segment>,
}

/// One key, or one index of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Segment(String);

/// Deeper ones are not looked up.
const DEEPEST: usize = 64;

impl KeyPath {
    /// Nothing where a key is empty, or there are too many.
    pub fn parse(text: &str) -> Option<Self> {
        let plain = text.replace('[', ".").replace(']', "");
        let segments: Vec<Segment> = plain.split('.').map(|part| Segment(part.to_owned())).collect();
        let is_whole = segments.len() <= DEEPEST && segments.iter().all(|segment| !segment.0.is_empty());
        is_whole.then_some(Self { segments })
    }

    pub(super) fn segments(&self) -> &[Segment] {
        &self.segments
    }
}

impl Segment {
    pub(super) fn text(&self) -> &str {
        &self.0
    }

    pub(super) fn index(&self) -> Option<usize> {
        self.0.parse().ok()
    }
}

impl fmt::Display for KeyPath {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<&str> = self.segments.iter().map(Segment::text).collect();
        out.write_str(&parts.join("."))
    }
}
