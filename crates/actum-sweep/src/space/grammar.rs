//! `name=domain` on a command line, and the text that gives a domain again.
//!
//! A domain is a list, a range of integers, or a form with parentheses. What only looks like a range or a form is refused and never
//! taken for a text: a sweep over the text `1..x` would run for hours before somebody sees it.

use super::{SpaceError, shortened};
use crate::value::json_text;
use crate::{Domain, Value, number};

/// All forms with an example of each.
pub const FORMS: &str = "a list `0.1,0.01,adam,true,null` (`\"a,b\"` in quotes is one text), integers `1..4` with both ends, \
`int(8,128,step=8)`, `logint(1,1024)`, `uniform(0,0.5)`, `uniform(0,1,step=0.1)`, `log(1e-5,1e-1)`, `normal(0,1)` with mean and \
deviation, `choice(a,b)`";

/// A longer word is taken for a mistake.
const LONGEST: usize = 1 << 18;

/// `name=domain`.
pub(super) fn parameter(word: &str) -> Result<(String, Domain), SpaceError> {
    let (name, domain) = word.split_once('=').ok_or_else(|| SpaceError::NoDomain(shortened(word)))?;
    let refused = |reason| SpaceError::Form { name: shortened(name), form: shortened(domain), reason };
    let domain = self::domain(domain).map_err(refused)?;
    Ok((name.to_owned(), domain))
}

/// What stands behind the `=`, or why it is refused.
pub(super) fn domain(text: &str) -> Result<Domain, String> {
    let text = text.trim();
    if text.len() > LONGEST {
        return Err(format!("is longer than {LONGEST} bytes"));
    }
    if let Some((name, arguments)) = as_form(text) {
        return form(name, arguments);
    }
    if let Some((min, max)) = as_range(text) {
        let [min, max] = [min, max].map(|end| end.trim().parse::<i64>());
        let reason = "is a range of something else than integers";
        return match (min, max) {
            (Ok(min), Ok(max)) => Ok(Domain::Integers { min, max, step: 1 }),
            (Ok(_), Err(_)) | (Err(_), Ok(_)) | (Err(_), Err(_)) => Err(reason.to_owned()),
        };
    }
    list(text)
}

/// Whether a text in a file is more than that text: a form or a range.
pub(super) fn is_form(text: &str) -> bool {
    as_form(text.trim()).is_some() || as_range(text.trim()).is_some()
}

/// What [`domain`] reads as the same domain.
pub(super) fn text(domain: &Domain) -> String {
    let step = |step: &Option<f64>| step.map(|step| format!(",step={}", plain(step))).unwrap_or_default();
    match domain {
        Domain::Choice(values) => values.iter().map(item_text).collect::<Vec<_>>().join(","),
        Domain::Integers { min, max, step: 1 } => format!("{min}..{max}"),
        Domain::Integers { min, max, step } => format!("int({min},{max},step={step})"),
        Domain::LogIntegers { min, max } => format!("logint({min},{max})"),
        Domain::Uniform { min, max, step: by } => {
            format!("uniform({},{}{})", plain(*min), plain(*max), step(by))
        }
        Domain::Log { min, max, step: by } => format!("log({},{}{})", plain(*min), plain(*max), step(by)),
        Domain::Normal { mean, deviation } => format!("normal({},{})", plain(*mean), plain(*deviation)),
    }
}

/// A name and what is between its parentheses.
fn as_form(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.split_once('(')?;
    let is_name = name.starts_with(|c: char| c.is_alphabetic())
        && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    if is_name { rest.strip_suffix(')').map(|arguments| (name, arguments)) } else { None }
}

/// Two ends of which the first looks like a number: `../data` is a text.
fn as_range(text: &str) -> Option<(&str, &str)> {
    let (min, max) = text.split_once("..")?;
    let is_like_number = min.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit());
    let is_one = !text.contains([',', '"', '/']);
    (is_like_number && is_one).then_some((min, max))
}

fn form(name: &str, arguments: &str) -> Result<Domain, String> {
    if name == "choice" {
        return list(arguments);
    }
    let arguments = Arguments::read(arguments)?;
    match name {
        "int" => {
            let step = arguments.step.map(|step| step.parse().map_err(|_| not_a("step", step, "integer")));
            let (min, max) = arguments.two(integer)?;
            Ok(Domain::Integers { min, max, step: step.transpose()?.unwrap_or(1) })
        }
        "logint" => {
            let (min, max) = arguments.without_step()?.two(integer)?;
            Ok(Domain::LogIntegers { min, max })
        }
        "uniform" => {
            let (min, max) = arguments.two(float)?;
            Ok(Domain::Uniform { min, max, step: arguments.step.map(float).transpose()? })
        }
        "log" => {
            let (min, max) = arguments.two(float)?;
            Ok(Domain::Log { min, max, step: arguments.step.map(float).transpose()? })
        }
        "normal" => {
            let (mean, deviation) = arguments.without_step()?.two(float)?;
            Ok(Domain::Normal { mean, deviation })
        }
        _ => Err(format!("has the unknown form `{}(…)`", shortened(name))),
    }
}

/// What is between the parentheses of a form.
struct Arguments<'t> {
    plain: Vec<&'t str>,
    step: Option<&'t str>,
}

impl<'t> Arguments<'t> {
    fn read(text: &'t str) -> Result<Self, String> {
        let mut arguments = Self { plain: Vec::new(), step: None };
        for part in text.split(',').map(str::trim) {
            match part.split_once('=') {
                Some(("step", value)) if arguments.step.is_none() => arguments.step = Some(value),
                Some(_) => return Err(format!("has the unknown argument `{}`", shortened(part))),
                None if arguments.step.is_some() => {
                    return Err(format!("has `{}` behind its step", shortened(part)));
                }
                None => arguments.plain.push(part),
            }
        }
        Ok(arguments)
    }

    fn without_step(self) -> Result<Self, String> {
        if self.step.is_some() { Err("takes no step".to_owned()) } else { Ok(self) }
    }

    fn two<T>(&self, read: impl Fn(&str) -> Result<T, String>) -> Result<(T, T), String> {
        match self.plain.as_slice() {
            [one, other] => Ok((read(one)?, read(other)?)),
            plain => Err(format!("has {} numbers instead of two", plain.len())),
        }
    }
}

fn integer(text: &str) -> Result<i64, String> {
    text.parse().map_err(|_| not_a("argument", text, "integer"))
}

fn float(text: &str) -> Result<f64, String> {
    let number =
        if is_number(text) { text.parse().ok().filter(|number: &f64| number.is_finite()) } else { None };
    number.map(number::without_sign_of_zero).ok_or_else(|| not_a("argument", text, "number"))
}

fn not_a(what: &str, text: &str, kind: &str) -> String {
    format!("has the {what} `{}`, which is no {kind}", shortened(text))
}

fn list(text: &str) -> Result<Domain, String> {
    Ok(Domain::Choice(items(text)?.into_iter().map(item).collect::<Result<_, _>>()?))
}

/// Between commas that are not within quotes.
fn items(text: &str) -> Result<Vec<&str>, String> {
    let (mut items, mut from) = (Vec::new(), 0);
    let (mut is_quoted, mut is_escaped) = (false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_quoted => is_escaped = true,
            // Only at its beginning does a quote open an item.
            b'"' if is_quoted || text[from..at].trim().is_empty() => is_quoted = !is_quoted,
            b',' if !is_quoted => {
                items.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    if is_quoted {
        return Err("has a quote that is not closed".to_owned());
    }
    items.push(text[from..].trim());
    Ok(items)
}

/// One value: quoted, a word of JSON, a number, or else a text.
fn item(text: &str) -> Result<Value, String> {
    if text.is_empty() {
        return Err("has an empty value; write `\"\"` for an empty text".to_owned());
    }
    if text.starts_with('"') {
        let read = serde_json::from_str(text).map(Value::Text);
        return read.map_err(|_| format!("has `{}`, which is no quoted text", shortened(text)));
    }
    match text {
        "null" => return Ok(Value::Null),
        "true" => return Ok(Value::Boolean(true)),
        "false" => return Ok(Value::Boolean(false)),
        _ => {}
    }
    if is_number(text) {
        return number_item(text);
    }
    if text.contains(['(', ')', '[', ']', '{', '}', '"']) || as_range(text).is_some() {
        return Err(format!("has `{}`; put quotes around it to pass it as text", shortened(text)));
    }
    Ok(Value::Text(text.to_owned()))
}

fn number_item(text: &str) -> Result<Value, String> {
    if text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') {
        let refused = |_| format!("has `{}`, which is beyond 64 bits; put quotes around it", shortened(text));
        return text.parse().map(Value::Integer).map_err(refused);
    }
    float(text).map(Value::Number)
}

/// A number as JSON has it, and with the zero before or behind the point left out. `007`, `+5`, `1_000` and `0x10` are texts.
fn is_number(text: &str) -> bool {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let mantissa = mantissa.strip_prefix('-').unwrap_or(mantissa);
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    are_digits(whole)
        && are_digits(fraction)
        && are_digits(exponent)
        && !exponent.is_empty()
        && !(whole.is_empty() && fraction.is_empty())
        && !(whole.len() > 1 && whole.starts_with('0'))
}

fn item_text(value: &Value) -> String {
    match value {
        Value::Null | Value::Boolean(_) | Value::Integer(_) | Value::Number(_) => value.canonical(),
        Value::Text(text) => {
            let is_plain = text.chars().all(|c| c.is_alphanumeric() || "_./-:@+".contains(c));
            let is_itself = item(text).is_ok_and(|read| read == *value);
            if is_plain && is_itself { text.clone() } else { json_text(text) }
        }
    }
}

/// Without the point that a value needs: `uniform(0,0.5)`.
fn plain(number: f64) -> String {
    let text = number::text(number);
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::super::Space;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn each_form_gives_itself_again() {
        for (word, expected) in [
            ("lr=0.1,0.01,0.001", "lr=0.1,0.01,0.001"),
            ("lr=1e-3", "lr=0.001"),
            ("lr=.5,5.,-1E2", "lr=0.5,5.0,-100.0"),
            ("layers=1..4", "layers=1..4"),
            ("layers=-3..-1", "layers=-3..-1"),
            ("lr=log(1e-5,1e-1)", "lr=log(1e-5,0.1)"),
            ("lr=log( 1e-5 , 0.1 , step=0.001 )", "lr=log(1e-5,0.1,step=0.001)"),
            ("dropout=uniform(0,0.5)", "dropout=uniform(0,0.5)"),
            ("dropout=uniform(0,1,step=0.1)", "dropout=uniform(0,1,step=0.1)"),
            ("batch=int(8,128,step=8)", "batch=int(8,128,step=8)"),
            ("batch=int(8,128)", "batch=8..128"),
            ("batch=logint(1,1024)", "batch=logint(1,1024)"),
            ("w=normal(0,1)", "w=normal(0,1)"),
            ("opt=choice(adam, sgd)", "opt=adam,sgd"),
            ("opt=adam, sgd ,true,null,false", "opt=adam,sgd,true,null,false"),
            ("opt=\"a,b\",\"true\",\"\",\"1..4\"", "opt=\"a,b\",\"true\",\"\",\"1..4\""),
            ("id=007,+5,1_000,0x10", "id=007,+5,1_000,0x10"),
            ("data=../a,b/../c,../d", "data=../a,b/../c,../d"),
            ("model.lr@x=1", "model.lr@x=1"),
        ] {
            let space = Space::parse(&[word]).unwrap();
            let again = Space::parse(&space.words()).unwrap();
            assert_eq!(again, space, "{word}");
            assert_eq!(space.words(), [expected]);
        }
    }

    #[test]
    fn refusals_say_what_is_allowed() {
        for (word, expected) in [
            ("lr", "`lr` has no `=`"),
            ("--lr=1", "no name"),
            ("=1", "no name"),
            ("l r=1", "no name"),
            ("lr=", "an empty value"),
            ("lr=1,,2", "an empty value"),
            ("lr=1,1", "has 1 twice"),
            ("lr=gauss(1,2)", "unknown form `gauss(…)`; allowed are a list `0.1,"),
            ("lr=log(1,2,q=3)", "unknown argument `q=3`"),
            ("lr=log(1)", "1 numbers instead of two"),
            ("lr=log(0,1)", "begins above 0"),
            ("lr=log(a,1)", "`a`, which is no number"),
            ("lr=uniform(0,inf)", "`inf`, which is no number"),
            ("lr=uniform(0,1e400)", "no number"),
            ("lr=int(1,2.5)", "`2.5`, which is no integer"),
            ("lr=int(8,1)", "the minimum 8 is above the maximum 1"),
            ("lr=int(1,8,step=0)", "the step must be above 0"),
            ("lr=int(step=2,1,8)", "behind its step"),
            ("lr=1..=4", "a range of something else"),
            ("lr=0.1..0.5", "a range of something else"),
            ("lr=1..4,8", "put quotes around it"),
            ("h=[64,64],[128]", "put quotes around it"),
            ("h=\"a", "not closed"),
            ("h=\"a\"b", "no quoted text"),
            ("n=99999999999999999999", "beyond 64 bits"),
        ] {
            let error = Space::parse(&[word]).map(|space| space.words()).unwrap_err().to_string();
            assert!(error.contains(expected), "{word}: {error}");
        }
    }

    fn value() -> impl Strategy<Value = Value> {
        prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::Boolean),
            any::<i64>().prop_map(Value::Integer),
            (-1e300_f64..1e300).prop_map(|number| Value::Number(number::without_sign_of_zero(number))),
            "\\PC{0,8}".prop_map(Value::Text),
            "[-0-9.e,(\"]{0,5}".prop_map(Value::Text),
        ]
    }

    proptest! {
        #[test]
        fn any_word_is_read_or_refused(word in "\\PC{0,40}") {
            let _ = Space::parse(&[word]);
        }

        #[test]
        fn any_domain_is_read_or_refused(text in "[a-z0-9.,()=\"\\\\e -]{0,30}") {
            if let Ok(space) = Space::parse(&[format!("a={text}")]) {
                prop_assert_eq!(Space::parse(&space.words()).unwrap(), space);
            }
        }

        #[test]
        fn lists_of_anything_are_written_and_read(values in proptest::collection::vec(value(), 1..6)) {
            if let Ok(space) = Space::new(vec![("a".to_owned(), Domain::Choice(values))]) {
                prop_assert_eq!(Space::parse(&space.words()).unwrap(), space);
            }
        }
    }
}
