//! A configuration as a tree whose parts know where they stand in the text.

use super::path::{KeyPath, Segment};
use serde_json::{Map, Value};
use std::ops::Range;
use std::rc::Rc;

/// A value and the bytes that it takes.
#[derive(Debug)]
pub(super) struct Node {
    /// Of a block of YAML from its first key to the end of its last value.
    pub(super) span: Range<usize>,
    pub(super) layout: Layout,
    pub(super) content: Content,
    /// Values in it, itself included, with everything that aliases repeat.
    pub(super) size: usize,
}

#[derive(Debug)]
pub(super) enum Content {
    Scalar(Value),
    List(Vec<Edge>),
    Table(Vec<Edge>),
}

/// How a value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    Plain,
    SingleQuoted,
    DoubleQuoted,
    /// YAML's `|` and `>`, and its lists and tables by indentation.
    Block,
    /// Between brackets.
    Flow,
    /// There is nothing: `key:`.
    Empty,
    /// A table of TOML under its heading.
    Section,
}

/// A value within a list or table.
#[derive(Debug, Clone)]
pub(super) struct Edge {
    /// Of an entry of a table.
    pub(super) key: Option<Key>,
    pub(super) node: Rc<Node>,
    pub(super) origin: Origin,
}

#[derive(Debug, Clone)]
pub(super) struct Key {
    pub(super) text: String,
    pub(super) span: Range<usize>,
}

/// Where the text of a value stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Origin {
    Here,
    /// Elsewhere; here is an alias, at these bytes.
    Alias(Range<usize>),
    /// It came with `<<`.
    Merged,
}

/// A value that was looked up.
#[derive(Debug)]
pub(super) struct Place<'t> {
    pub(super) edge: &'t Edge,
    /// The list or table that holds it.
    pub(super) holder: &'t Rc<Node>,
    /// Its text belongs to this place alone: no alias was passed on the way to it.
    pub(super) is_own: bool,
}

impl Node {
    pub(super) fn new(span: Range<usize>, layout: Layout, content: Content) -> Rc<Self> {
        let size = match &content {
            Content::Scalar(_) => 1,
            Content::List(edges) | Content::Table(edges) => {
                edges.iter().fold(1_usize, |sum, edge| sum.saturating_add(edge.node.size))
            }
        };
        Rc::new(Self { span, layout, content, size })
    }

    pub(super) fn value(&self) -> Value {
        match &self.content {
            Content::Scalar(value) => value.clone(),
            Content::List(edges) => edges.iter().map(|edge| edge.node.value()).collect(),
            Content::Table(edges) => {
                let entry = |edge: &Edge| Some((edge.key.as_ref()?.text.clone(), edge.node.value()));
                Value::Object(edges.iter().filter_map(entry).collect::<Map<_, _>>())
            }
        }
    }

    fn edges(&self) -> &[Edge] {
        match &self.content {
            Content::Scalar(_) => &[],
            Content::List(edges) | Content::Table(edges) => edges,
        }
    }
}

/// The value at a path, if there is one.
pub(super) fn find<'t>(root: &'t Rc<Node>, path: &KeyPath) -> Option<Place<'t>> {
    let (mut holder, mut rest, mut is_own) = (root, path.segments(), true);
    loop {
        let (edge, taken) = step(holder, rest)?;
        rest = &rest[taken..];
        if rest.is_empty() {
            return Some(Place { edge, holder, is_own });
        }
        is_own &= edge.origin == Origin::Here;
        holder = &edge.node;
    }
}

/// One step down, and how many segments it took: a key may have dots of its own.
pub(super) fn step<'t>(holder: &'t Node, rest: &[Segment]) -> Option<(&'t Edge, usize)> {
    let first = rest.first()?;
    match &holder.content {
        Content::Scalar(_) => None,
        Content::List(edges) => Some((edges.get(first.index()?)?, 1)),
        Content::Table(edges) => {
            let has = |name: &str| {
                edges.iter().rev().find(|edge| edge.key.as_ref().is_some_and(|key| key.text == name))
            };
            if let Some(edge) = has(first.text()) {
                return Some((edge, 1));
            }
            // Keys with dots are rare and short.
            let mut joined = first.text().to_owned();
            for (at, segment) in rest.iter().enumerate().skip(1).take(4) {
                joined.push('.');
                joined.push_str(segment.text());
                if let Some(edge) = has(&joined) {
                    return Some((edge, at + 1));
                }
            }
            None
        }
    }
}

/// Dotted paths of all values that are neither lists nor tables, or are empty; at most `most`.
pub(super) fn paths(root: &Rc<Node>, most: usize) -> Vec<String> {
    let mut found = Vec::new();
    let mut ahead: Vec<(String, Rc<Node>)> = vec![(String::new(), Rc::clone(root))];
    while let Some((path, node)) = ahead.pop() {
        if found.len() >= most {
            break;
        }
        if node.edges().is_empty() {
            found.push(path);
            continue;
        }
        for (at, edge) in node.edges().iter().enumerate().rev().take(most) {
            let name = edge.key.as_ref().map_or_else(|| at.to_string(), |key| key.text.clone());
            let inner = if path.is_empty() { name } else { format!("{path}.{name}") };
            if inner.len() <= LONGEST_PATH {
                ahead.push((inner, Rc::clone(&edge.node)));
            }
        }
    }
    found
}

/// Longer ones are no names that somebody types.
const LONGEST_PATH: usize = 300;
