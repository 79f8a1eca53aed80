//! Literal values of Python as JSON.

use super::super::bindings::Bindings;
use ruff_python_ast::{Expr, Number, UnaryOp};
use serde_json::{Map, Value};

/// How deep lists lie in lists, and how far names are followed.
const DEEPEST: u8 = 8;

/// More parts than that are data, not a default.
const MOST_PARTS: usize = 64;

/// Longer texts are data as well.
const LONGEST: usize = 400;

/// The value of an expression that is literal, or made of literal ones. Infinity and what is no JSON has none.
pub(super) fn value(expression: &Expr, bindings: &Bindings<'_>) -> Option<Value> {
    let mut parts = 0;
    value_within(expression, bindings, DEEPEST, &mut parts)
}

fn value_within(expression: &Expr, bindings: &Bindings<'_>, left: u8, parts: &mut usize) -> Option<Value> {
    let left = left.checked_sub(1)?;
    *parts += 1;
    if *parts > MOST_PARTS {
        return None;
    }
    match expression {
        Expr::NoneLiteral(_) => Some(Value::Null),
        Expr::BooleanLiteral(literal) => Some(Value::Bool(literal.value)),
        Expr::StringLiteral(literal) => {
            let text = literal.value.to_str();
            (text.len() <= LONGEST).then(|| Value::String(text.to_owned()))
        }
        Expr::NumberLiteral(literal) => number(&literal.value),
        Expr::UnaryOp(unary) => match (unary.op, value_within(&unary.operand, bindings, left, parts)?) {
            (UnaryOp::USub, Value::Number(number)) => negative(&number),
            (UnaryOp::UAdd, Value::Number(number)) => Some(Value::Number(number)),
            (UnaryOp::Not, Value::Bool(one)) => Some(Value::Bool(!one)),
            _ => None,
        },
        Expr::List(list) => list_of(&list.elts, bindings, left, parts),
        Expr::Tuple(tuple) => list_of(&tuple.elts, bindings, left, parts),
        Expr::Dict(dict) => {
            let mut table = Map::new();
            for item in &dict.items {
                let key = item.key.as_ref()?.as_string_literal_expr()?.value.to_str().to_owned();
                table.insert(key, value_within(&item.value, bindings, left, parts)?);
            }
            Some(Value::Object(table))
        }
        Expr::Name(name) => value_within(bindings.once(name.id.as_str())?, bindings, left, parts),
        Expr::BinOp(_) | Expr::Call(_) => {
            let text = bindings.text(expression).filter(|text| text.len() <= LONGEST);
            text.map(Value::String).or_else(|| bindings.number(expression).map(Value::from))
        }
        _ => None,
    }
}

fn list_of(elements: &[Expr], bindings: &Bindings<'_>, left: u8, parts: &mut usize) -> Option<Value> {
    elements
        .iter()
        .map(|one| value_within(one, bindings, left, parts))
        .collect::<Option<_>>()
        .map(Value::Array)
}

fn number(number: &Number) -> Option<Value> {
    match number {
        Number::Int(whole) => whole.as_u64().map(Value::from),
        Number::Float(float) => serde_json::Number::from_f64(*float).map(Value::Number),
        Number::Complex { .. } => None,
    }
}

fn negative(number: &serde_json::Number) -> Option<Value> {
    if let Some(whole) = number.as_u64() {
        return i64::try_from(whole).ok().and_then(i64::checked_neg).map(Value::from);
    }
    serde_json::Number::from_f64(-number.as_f64()?).map(Value::Number)
}
