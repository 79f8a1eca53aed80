//! TOML as a tree.

use super::tree::{Content, Edge, Key, Layout, Node, Origin};
use serde_json::{Number, Value};
use std::rc::Rc;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

pub(super) fn read(text: &str) -> Result<Rc<Node>, String> {
    let table = DeTable::parse(text).map_err(|error| error.message().to_owned())?;
    Ok(Node::new(table.span(), Layout::Section, Content::Table(edges(table.get_ref()))))
}

/// The parser bounds how deep tables lie in tables.
fn edges(table: &DeTable<'_>) -> Vec<Edge> {
    let mut edges: Vec<Edge> = table
        .iter()
        .map(|(key, value)| {
            let key = Key { text: key.get_ref().to_string(), span: key.span() };
            Edge { key: Some(key), node: node(value), origin: Origin::Here }
        })
        .collect();
    // The order of the text; the parser's is that of the alphabet.
    edges.sort_by_key(|edge| edge.key.as_ref().map_or(0, |key| key.span.start));
    edges
}

fn node(value: &Spanned<DeValue<'_>>) -> Rc<Node> {
    let span = value.span();
    let scalar = |value: Value, layout| Node::new(span.clone(), layout, Content::Scalar(value));
    match value.get_ref() {
        DeValue::String(text) => scalar(Value::String(text.to_string()), Layout::DoubleQuoted),
        DeValue::Integer(number) => scalar(integer(number.as_str(), number.radix()), Layout::Plain),
        DeValue::Float(number) => scalar(float(number.as_str()), Layout::Plain),
        DeValue::Boolean(one) => scalar(Value::Bool(*one), Layout::Plain),
        DeValue::Datetime(time) => scalar(Value::String(time.to_string()), Layout::Plain),
        DeValue::Array(list) => {
            let edge = |one| Edge { key: None, node: node(one), origin: Origin::Here };
            Node::new(span, Layout::Flow, Content::List(list.iter().map(edge).collect()))
        }
        DeValue::Table(table) => Node::new(span, Layout::Section, Content::Table(edges(table))),
    }
}

fn integer(digits: &str, radix: u32) -> Value {
    i64::from_str_radix(digits, radix).map_or_else(|_| Value::String(digits.to_owned()), Value::from)
}

/// Infinity is no number of JSON.
fn float(digits: &str) -> Value {
    let number = digits.parse().ok().and_then(Number::from_f64);
    number.map_or_else(|| Value::String(digits.to_owned()), Value::Number)
}
