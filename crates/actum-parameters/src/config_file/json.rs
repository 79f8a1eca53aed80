//! JSON as a tree. The text is known to be valid when it is scanned for places, so the scanner has no errors of its own.

use super::tree::{Content, Edge, Key, Layout, Node, Origin};
use serde_json::Value;
use std::rc::Rc;

pub(super) fn read(text: &str) -> Result<Rc<Node>, String> {
    // A reader with a bound of its own for depth.
    serde_json::from_str::<serde::de::IgnoredAny>(text).map_err(|error| error.to_string())?;
    let mut scanner = Scanner { text, at: 0 };
    scanner.value().ok_or_else(|| "it is not understood".to_owned())
}

struct Scanner<'t> {
    text: &'t str,
    at: usize,
}

impl Scanner<'_> {
    /// Recursion is as deep as the text, which the reader has bounded to 128.
    fn value(&mut self) -> Option<Rc<Node>> {
        let start = self.next_solid()?;
        match self.text.as_bytes()[start] {
            b'{' => {
                let edges = self.edges(b'}')?;
                Some(Node::new(start..self.at, Layout::Flow, Content::Table(edges)))
            }
            b'[' => {
                let edges = self.edges(b']')?;
                Some(Node::new(start..self.at, Layout::Flow, Content::List(edges)))
            }
            first => {
                self.skip_scalar(first);
                let value = scalar(&self.text[start..self.at])?;
                let layout = if first == b'"' { Layout::DoubleQuoted } else { Layout::Plain };
                Some(Node::new(start..self.at, layout, Content::Scalar(value)))
            }
        }
    }

    fn edges(&mut self, end: u8) -> Option<Vec<Edge>> {
        let mut edges = Vec::new();
        self.at += 1;
        loop {
            match self.text.as_bytes()[self.next_solid()?] {
                byte if byte == end => {
                    self.at += 1;
                    return Some(edges);
                }
                b',' => self.at += 1,
                _ => {
                    let key = if end == b'}' { Some(self.key()?) } else { None };
                    edges.push(Edge { key, node: self.value()?, origin: Origin::Here });
                }
            }
        }
    }

    fn key(&mut self) -> Option<Key> {
        let start = self.at;
        self.skip_scalar(b'"');
        let span = start..self.at;
        let text: String = serde_json::from_str(&self.text[span.clone()]).ok()?;
        // Over the colon.
        self.next_solid()?;
        self.at += 1;
        Some(Key { text, span })
    }

    fn next_solid(&mut self) -> Option<usize> {
        let bytes = self.text.as_bytes();
        while bytes.get(self.at)?.is_ascii_whitespace() {
            self.at += 1;
        }
        Some(self.at)
    }

    fn skip_scalar(&mut self, first: u8) {
        let bytes = self.text.as_bytes();
        self.at += 1;
        while let Some(byte) = bytes.get(self.at) {
            match (first, byte) {
                (b'"', b'\\') => self.at += 2,
                (b'"', b'"') => {
                    self.at += 1;
                    return;
                }
                (b'"', _) => self.at += 1,
                (_, b',' | b']' | b'}' | b':') => return,
                (_, byte) if byte.is_ascii_whitespace() => return,
                (_, _) => self.at += 1,
            }
        }
    }
}

/// Numbers are read as exactly as they are written; the other reader may miss the last bit.
fn scalar(text: &str) -> Option<Value> {
    let value: Value = serde_json::from_str(text).ok()?;
    let float = value.is_f64().then(|| text.parse().ok().and_then(serde_json::Number::from_f64)).flatten();
    Some(float.map_or(value, Value::Number))
}
