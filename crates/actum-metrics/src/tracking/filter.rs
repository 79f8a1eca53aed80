//! Filters of a search: `metrics.loss < 0.5 and params.model = 'small'`, as MLflow has them. In `LIKE`, `%` stands for any
//! text; `_` is a character like any other.

use super::answer::Failure;
use super::run::Run;
use actum_output::analyse::shown;

/// Longer than anybody writes.
const LONGEST: usize = 10_000;

/// A field that a filter or an order names.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Field {
    Metric(String),
    Param(String),
    Tag(String),
    Attribute(Attribute),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Attribute {
    RunId,
    RunName,
    Status,
    User,
    ArtifactUri,
    Start,
    End,
}

/// What a run has in a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Found<'a> {
    Number(f64),
    Text(&'a str),
}

/// One comparison.
#[derive(Debug, PartialEq)]
pub(super) struct Condition {
    field: Field,
    operator: Operator,
    operands: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Operator {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Like,
    CaselessLike,
    In,
    NotIn,
}

/// A word, a sign or a text between quotes.
#[derive(Clone, Debug, PartialEq)]
enum Token {
    Word(String),
    Sign(String),
    Quoted(String),
}

/// The conditions of a filter, all of which have to hold.
pub(super) fn read(filter: &str) -> Result<Vec<Condition>, Failure> {
    if filter.len() > LONGEST {
        return Err(Failure::invalid("the filter is too long"));
    }
    let tokens = tokens(filter).ok_or_else(|| wrong(filter))?;
    let is_and = |token: &Token| matches!(token, Token::Word(word) if word.eq_ignore_ascii_case("and"));
    let parts = tokens.split(is_and).filter(|_| !tokens.is_empty());
    parts.map(|part| condition(part).ok_or_else(|| wrong(filter))?).collect()
}

impl Field {
    /// `metrics.loss`, `` params.`a b` ``, `start_time`.
    pub(super) fn read(text: &str) -> Result<Self, Failure> {
        let text = text.trim();
        let (kind, name) = text.split_once('.').unwrap_or(("attributes", text));
        let bare = |quote: char| name.strip_prefix(quote).and_then(|name| name.strip_suffix(quote));
        let name = bare('`').or_else(|| bare('"')).unwrap_or(name);
        match kind.to_ascii_lowercase().as_str() {
            "metrics" | "metric" => Ok(Self::Metric(name.to_owned())),
            "params" | "param" | "parameters" | "parameter" => Ok(Self::Param(name.to_owned())),
            "tags" | "tag" => Ok(Self::Tag(name.to_owned())),
            "attributes" | "attribute" | "attr" | "run" => attribute(name).map(Self::Attribute),
            _ => Err(wrong(text)),
        }
    }

    pub(super) fn of<'r>(&self, run: &'r Run) -> Option<Found<'r>> {
        match self {
            Self::Metric(key) => run.metrics.get(key)?.latest().map(|latest| Found::Number(latest.value)),
            Self::Param(key) => run.params.get(key).map(|value| Found::Text(value)),
            Self::Tag(key) => run.tags.get(key).map(|value| Found::Text(value)),
            Self::Attribute(attribute) => attribute.of(run),
        }
    }
}

impl Attribute {
    fn of(self, run: &Run) -> Option<Found<'_>> {
        match self {
            Self::RunId => Some(Found::Text(&run.id)),
            Self::RunName => Some(Found::Text(&run.name)),
            Self::Status => Some(Found::Text(run.status.name())),
            Self::User => Some(Found::Text(&run.user)),
            Self::ArtifactUri => Some(Found::Text(&run.artifact_uri)),
            Self::Start => Some(Found::Number(run.start as f64)),
            Self::End => run.end.map(|end| Found::Number(end as f64)),
        }
    }
}

impl Condition {
    pub(super) fn holds(&self, run: &Run) -> bool {
        match self.field.of(run) {
            Some(Found::Number(number)) => self.holds_of_number(number),
            Some(Found::Text(text)) => self.holds_of_text(text),
            None => false,
        }
    }

    fn holds_of_number(&self, number: f64) -> bool {
        let Some(operand) = self.operands.first().and_then(|one| one.parse::<f64>().ok()) else {
            return false;
        };
        match self.operator {
            Operator::Equal => number == operand,
            Operator::Unequal => number != operand,
            Operator::Less => number < operand,
            Operator::LessOrEqual => number <= operand,
            Operator::Greater => number > operand,
            Operator::GreaterOrEqual => number >= operand,
            Operator::Like | Operator::CaselessLike | Operator::In | Operator::NotIn => false,
        }
    }

    fn holds_of_text(&self, text: &str) -> bool {
        let operand = self.operands.first().map(String::as_str).unwrap_or_default();
        match self.operator {
            Operator::Equal => text == operand,
            Operator::Unequal => text != operand,
            Operator::Like => is_like(text, operand),
            Operator::CaselessLike => is_like(&text.to_lowercase(), &operand.to_lowercase()),
            Operator::In => self.operands.iter().any(|operand| operand == text),
            Operator::NotIn => self.operands.iter().all(|operand| operand != text),
            Operator::Less | Operator::LessOrEqual | Operator::Greater | Operator::GreaterOrEqual => false,
        }
    }
}

fn attribute(name: &str) -> Result<Attribute, Failure> {
    match name.to_ascii_lowercase().as_str() {
        "run_id" => Ok(Attribute::RunId),
        "run_name" | "run name" => Ok(Attribute::RunName),
        "status" => Ok(Attribute::Status),
        "user_id" => Ok(Attribute::User),
        "artifact_uri" => Ok(Attribute::ArtifactUri),
        "start_time" | "created" | "start time" => Ok(Attribute::Start),
        "end_time" => Ok(Attribute::End),
        _ => Err(Failure::invalid(format!("runs have no attribute '{}'", shown(name, 60)))),
    }
}

/// A field, an operator, and one value or a list of them.
fn condition(tokens: &[Token]) -> Option<Result<Condition, Failure>> {
    // A quoted part of a field's name is a token of its own: `params.` and `"a b"`.
    let (field, rest) = match tokens {
        [Token::Word(word), Token::Quoted(name), rest @ ..] if word.ends_with('.') => {
            (format!("{word}{name}"), rest)
        }
        [Token::Word(word), rest @ ..] => (word.clone(), rest),
        _ => return None,
    };
    let (operator, operands) = match rest {
        [Token::Sign(sign), rest @ ..] => (operator_of_sign(sign)?, rest),
        [Token::Word(word), rest @ ..] if word.eq_ignore_ascii_case("like") => (Operator::Like, rest),
        [Token::Word(word), rest @ ..] if word.eq_ignore_ascii_case("ilike") => {
            (Operator::CaselessLike, rest)
        }
        [Token::Word(word), rest @ ..] if word.eq_ignore_ascii_case("in") => (Operator::In, rest),
        [Token::Word(not), Token::Word(word), rest @ ..]
            if not.eq_ignore_ascii_case("not") && word.eq_ignore_ascii_case("in") =>
        {
            (Operator::NotIn, rest)
        }
        _ => return None,
    };
    let operands = match operator {
        Operator::In | Operator::NotIn => list(operands)?,
        Operator::Equal
        | Operator::Unequal
        | Operator::Less
        | Operator::LessOrEqual
        | Operator::Greater
        | Operator::GreaterOrEqual
        | Operator::Like
        | Operator::CaselessLike => match operands {
            [Token::Quoted(text) | Token::Word(text)] => vec![text.clone()],
            _ => return None,
        },
    };
    Some(Field::read(&field).map(|field| Condition { field, operator, operands }))
}

fn operator_of_sign(sign: &str) -> Option<Operator> {
    match sign {
        "=" | "==" => Some(Operator::Equal),
        "!=" | "<>" => Some(Operator::Unequal),
        "<" => Some(Operator::Less),
        "<=" => Some(Operator::LessOrEqual),
        ">" => Some(Operator::Greater),
        ">=" => Some(Operator::GreaterOrEqual),
        _ => None,
    }
}

/// `('a', 'b')`
fn list(tokens: &[Token]) -> Option<Vec<String>> {
    let is_sign = |token: &Token, sign: &str| matches!(token, Token::Sign(one) if one == sign);
    let (first, rest) = tokens.split_first().filter(|(first, _)| is_sign(first, "("))?;
    let (last, inner) = rest.split_last().filter(|(last, _)| is_sign(last, ")") && !is_sign(first, ")"))?;
    debug_assert!(is_sign(last, ")"));
    inner
        .split(|token| is_sign(token, ","))
        .map(|one| match one {
            [Token::Quoted(text) | Token::Word(text)] => Some(text.clone()),
            _ => None,
        })
        .collect()
}

fn tokens(filter: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = filter.trim_start();
    while let Some(first) = rest.chars().next() {
        let (token, behind) = match first {
            '\'' | '"' | '`' => {
                let (text, behind) = rest[1..].split_once(first)?;
                (Token::Quoted(text.to_owned()), behind)
            }
            '(' | ')' | ',' => (Token::Sign(first.to_string()), &rest[1..]),
            '=' | '!' | '<' | '>' => {
                let end = rest.find(|c| !"=!<>".contains(c)).unwrap_or(rest.len());
                (Token::Sign(rest[..end].to_owned()), &rest[end..])
            }
            _ => {
                let is_end = |c: char| c.is_whitespace() || "'\"`(),=!<>".contains(c);
                let end = rest.find(is_end).unwrap_or(rest.len());
                (Token::Word(rest[..end].to_owned()), &rest[end..])
            }
        };
        tokens.push(token);
        rest = behind.trim_start();
    }
    Some(tokens)
}

/// The parts between the `%` occur one after the other, the first at the beginning and the last at the end.
fn is_like(text: &str, pattern: &str) -> bool {
    let mut parts = pattern.split('%');
    let Some(mut rest) = text.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, inner)) = parts.split_last() else { return rest.is_empty() };
    for part in inner {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

fn wrong(filter: &str) -> Failure {
    Failure::invalid(format!("the filter '{}' cannot be read", shown(filter, 120)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn patterns() {
        for (text, pattern, expected) in [
            ("small", "small", true),
            ("small", "sm%", true),
            ("small", "%all", true),
            ("small", "s%a%l", true),
            ("small", "s%x%", false),
            ("small", "%", true),
            ("small", "mall", false),
            ("aa", "a%aa", false),
        ] {
            assert_eq!(is_like(text, pattern), expected, "{text} {pattern}");
        }
    }

    #[test]
    fn filters_are_read_or_refused() {
        let read = |filter: &str| read(filter).map(|conditions| conditions.len());
        for (filter, count) in [
            ("", 0),
            ("metrics.loss < 0.5", 1),
            ("metrics.`val loss`<=1e-3 AND params.\"a b\" = 'x and y' and tags.mlflow.user != \"me\"", 3),
            ("attributes.status = 'FINISHED' and start_time > 12", 2),
            ("params.model in ('a', 'b') and run_id not in ('c')", 2),
            ("tags.note ILIKE '%best%'", 1),
        ] {
            assert_eq!(read(filter), Ok(count), "{filter}");
        }
        for filter in [
            "metrics.loss",
            "loss < 1",
            "metrics.loss ~ 1",
            "params.a = 'x",
            "and",
            "params.a in ('b'",
            "a.b = 1",
        ] {
            assert!(read(filter).is_err(), "{filter}");
        }
    }

    proptest! {
        #[test]
        fn nothing_panics(filter in "[a-z.'\"`%=<>!() ,é]{0,60}") {
            let _ = read(&filter);
        }
    }
}
