//! YAML as a tree.
//!
//! Events of the parser with the bytes that they stand at, put together without recursion. Scalars are read as the loaders of
//! Python do that most configurations are written for: `yes` is true, `0o17` and `017` are 15, and `1e-4` is a number (it is a text
//! to PyYAML and a number to all others).

use super::tree::{Content, Edge, Key, Layout, Node, Origin};
use serde_json::{Number, Value};
use serde_saphyr::granit_parser::{Event, Parser, ScalarStyle, Span, StructureStyle, Tag};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

/// More values than that, counting what aliases repeat, are no configuration.
pub(super) const MOST_VALUES: usize = 300_000;

/// Reads the only document of a text.
pub(super) fn read(text: &str) -> Result<Rc<Node>, String> {
    let mut builder = Builder { text, open: Vec::new(), anchors: HashMap::new(), root: None, copied: 0 };
    let mut documents = 0;
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| error.to_string())?;
        if matches!(event, Event::DocumentStart(..)) {
            documents += 1;
            if documents > 1 {
                return Err("it has more than one document".to_owned());
            }
        }
        builder.take(event, &span)?;
    }
    let empty = || Node::new(0..0, Layout::Empty, Content::Scalar(Value::Null));
    Ok(builder.root.unwrap_or_else(empty))
}

/// A list or table that is being read.
struct Open {
    start: usize,
    layout: Layout,
    anchor: usize,
    is_table: bool,
    edges: Vec<Edge>,
    /// The key whose value comes next.
    key: Option<(Key, bool)>,
    /// The end of the last value.
    end: usize,
}

struct Builder<'t> {
    text: &'t str,
    open: Vec<Open>,
    anchors: HashMap<usize, Rc<Node>>,
    root: Option<Rc<Node>>,
    /// Entries that `<<` copied.
    copied: usize,
}

impl Builder<'_> {
    fn take(&mut self, event: Event<'_>, span: &Span) -> Result<(), String> {
        let range = self.range(span);
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let node = self.scalar(&text, style, tag.as_deref(), range);
                self.keep(anchor, &node);
                self.add(node, Origin::Here, &text, style == ScalarStyle::Plain)
            }
            Event::SequenceStart(style, anchor, _) => self.begin(range, style, anchor, false),
            Event::MappingStart(style, anchor, _) => self.begin(range, style, anchor, true),
            Event::SequenceEnd | Event::MappingEnd => self.end(&range),
            Event::Alias(anchor) => {
                let node = self.anchors.get(&anchor).map(Rc::clone);
                let node = node.ok_or_else(|| "an alias refers to what it is in".to_owned())?;
                let text = node.value_text();
                self.add(node, Origin::Alias(range), &text, false)
            }
            Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(..)
            | Event::DocumentEnd
            | Event::Anchor(..)
            | Event::UnresolvedAlias(_) => Ok(()),
            // The parser may come to know more.
            _ => Err("it has a part that is not known".to_owned()),
        }
    }

    fn range(&self, span: &Span) -> Range<usize> {
        let start = span.start.byte_offset().unwrap_or(0).min(self.text.len());
        let end = span.end.byte_offset().unwrap_or(start).min(self.text.len());
        start..end.max(start)
    }

    fn scalar(&self, text: &str, style: ScalarStyle, tag: Option<&Tag>, range: Range<usize>) -> Rc<Node> {
        let layout = match style {
            ScalarStyle::SingleQuoted => Layout::SingleQuoted,
            ScalarStyle::DoubleQuoted => Layout::DoubleQuoted,
            ScalarStyle::Literal | ScalarStyle::Folded => Layout::Block,
            ScalarStyle::Plain if range.is_empty() => Layout::Empty,
            ScalarStyle::Plain => Layout::Plain,
        };
        let is_text = tag.is_some_and(|tag| tag.core_suffix() == Some("str"));
        let value = match layout {
            Layout::Plain | Layout::Empty if !is_text => plain(text),
            Layout::Plain
            | Layout::Empty
            | Layout::SingleQuoted
            | Layout::DoubleQuoted
            | Layout::Block
            | Layout::Flow
            | Layout::Section => Value::String(text.to_owned()),
        };
        Node::new(range, layout, Content::Scalar(value))
    }

    fn begin(
        &mut self,
        range: Range<usize>,
        style: StructureStyle,
        anchor: usize,
        is_table: bool,
    ) -> Result<(), String> {
        let layout = if style == StructureStyle::Flow { Layout::Flow } else { Layout::Block };
        let (start, end) = (range.start, range.end);
        self.open.push(Open { start, layout, anchor, is_table, edges: Vec::new(), key: None, end });
        Ok(())
    }

    fn end(&mut self, range: &Range<usize>) -> Result<(), String> {
        let Some(mut open) = self.open.pop() else { return Ok(()) };
        let end = if open.layout == Layout::Flow { range.end } else { open.end };
        let content = if open.is_table {
            self.merge(&mut open.edges)?;
            Content::Table(open.edges)
        } else {
            Content::List(open.edges)
        };
        let node = Node::new(open.start..end.max(open.start), open.layout, content);
        self.keep(open.anchor, &node);
        self.add(node, Origin::Here, "", false)
    }

    fn keep(&mut self, anchor: usize, node: &Rc<Node>) {
        if anchor != 0 {
            self.anchors.insert(anchor, Rc::clone(node));
        }
    }

    fn add(&mut self, node: Rc<Node>, origin: Origin, text: &str, is_plain: bool) -> Result<(), String> {
        if node.size > MOST_VALUES {
            return Err(format!("it has more than {MOST_VALUES} values"));
        }
        let span = match &origin {
            Origin::Alias(span) => span.clone(),
            Origin::Here | Origin::Merged => node.span.clone(),
        };
        let Some(open) = self.open.last_mut() else {
            self.root.get_or_insert(node);
            return Ok(());
        };
        open.end = open.end.max(span.end);
        if open.is_table && open.key.is_none() {
            open.key = Some((Key { text: text.to_owned(), span }, is_plain));
            return Ok(());
        }
        let key = open.key.take();
        let merges = key.as_ref().is_some_and(|(key, is_plain)| *is_plain && key.text == "<<");
        let origin = if merges { Origin::Merged } else { origin };
        open.edges.push(Edge { key: key.map(|(key, _)| key), node, origin });
        Ok(())
    }

    /// What `<<` brings: entries that the table does not have itself.
    fn merge(&mut self, edges: &mut Vec<Edge>) -> Result<(), String> {
        let is_merge = |edge: &Edge| edge.origin == Origin::Merged;
        if !edges.iter().any(is_merge) {
            return Ok(());
        }
        let (merges, own): (Vec<Edge>, Vec<Edge>) = edges.drain(..).partition(is_merge);
        let mut known: HashSet<String> =
            own.iter().filter_map(|edge| Some(edge.key.as_ref()?.text.clone())).collect();
        *edges = own;
        for merge in merges {
            let tables: Vec<Rc<Node>> = match &merge.node.content {
                Content::List(list) => list.iter().map(|edge| Rc::clone(&edge.node)).collect(),
                Content::Scalar(_) | Content::Table(_) => vec![Rc::clone(&merge.node)],
            };
            for table in tables {
                let Content::Table(entries) = &table.content else { continue };
                self.copied += entries.len();
                if self.copied > MOST_VALUES {
                    return Err(format!("it has more than {MOST_VALUES} values"));
                }
                for entry in entries {
                    let Some(key) = &entry.key else { continue };
                    if known.insert(key.text.clone()) {
                        edges.push(Edge { origin: Origin::Merged, ..entry.clone() });
                    }
                }
            }
        }
        Ok(())
    }
}

impl Node {
    /// The text of a scalar, as a key has it.
    fn value_text(&self) -> String {
        match &self.content {
            Content::Scalar(Value::String(text)) => text.clone(),
            Content::Scalar(other) => other.to_string(),
            Content::List(_) | Content::Table(_) => String::new(),
        }
    }
}

/// A scalar without quotes.
pub(super) fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => return Value::Bool(true),
        "false" | "False" | "FALSE" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => {
            return Value::Bool(false);
        }
        _ => {}
    }
    number(text).map_or_else(|| Value::String(text.to_owned()), Value::Number)
}

/// Numbers that JSON can hold. Longer texts are none.
fn number(text: &str) -> Option<Number> {
    const LONGEST: usize = 64;
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if text.len() > LONGEST || !unsigned.starts_with(|first: char| first.is_ascii_digit() || first == '.') {
        return None;
    }
    let clean = unsigned.replace('_', "");
    let is_negative = text.starts_with('-');
    let signed = |number: u64| {
        if is_negative {
            0_i64.checked_sub_unsigned(number).map(Number::from)
        } else {
            Some(Number::from(number))
        }
    };
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if let Some(digits) = clean.strip_prefix(prefix) {
            return u64::from_str_radix(digits, radix).ok().and_then(signed);
        }
    }
    if clean.bytes().all(|byte| byte.is_ascii_digit()) {
        let is_octal = clean.len() > 1 && clean.starts_with('0') && clean.bytes().all(|byte| byte < b'8');
        return u64::from_str_radix(&clean, if is_octal { 8 } else { 10 }).ok().and_then(signed);
    }
    let is_float = clean.bytes().all(|byte| byte.is_ascii_digit() || b".eE+-".contains(&byte))
        && clean.bytes().any(|byte| byte.is_ascii_digit());
    let float: f64 = clean.parse().ok().filter(|_| is_float)?;
    Number::from_f64(if is_negative { -float } else { float })
}
