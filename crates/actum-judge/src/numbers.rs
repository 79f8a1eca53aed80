//! Numbers: found in text, in JSON and in tables, and what is expected of them together.

use crate::finding::Finding;
use crate::{json, table};
use actum_model::{Metric, NumberTest, Part, Place, Series};
use serde_json::Value;

/// A number, and the line where it stands, counted from 1; 0 where it stands in no line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Found {
    pub(crate) value: f64,
    pub(crate) line: u64,
}

/// Judges a series.
pub(crate) fn judge(test: &NumberTest, numbers: &[Found]) -> Finding {
    let Some(last) = numbers.last() else { return Finding::broken("no number found") };
    let count = numbers.len();
    let first_that = |is_wrong: &dyn Fn(&Found) -> bool| numbers.iter().find(|found| is_wrong(found));
    match test {
        NumberTest::Each { within } => match first_that(&|found| !within.holds(found.value)) {
            Some(found) => broken(found, format!("{} among {}", found.value, numbered(count))),
            None => Finding::held(spread(numbers)),
        },
        NumberTest::Last { within } => match within.holds(last.value) {
            true => at(Finding::held(last.value.to_string()), last),
            false => broken(last, last.value.to_string()),
        },
        NumberTest::Sum { within } => {
            let sum: f64 = numbers.iter().map(|found| found.value).sum();
            Finding::of(within.holds(sum), format!("{sum} as the sum of {}", numbered(count)))
        }
        NumberTest::Finite => match first_that(&|found| !found.value.is_finite()) {
            Some(found) => broken(found, format!("{} among {}", found.value, numbered(count))),
            None => Finding::held(numbered(count)),
        },
        NumberTest::Monotone { direction } => {
            let wrong = numbers.windows(2).find(|pair| !direction.allows(pair[0].value, pair[1].value));
            match wrong {
                Some(pair) => broken(&pair[1], format!("{} after {}", pair[1].value, pair[0].value)),
                None => Finding::held(spread(numbers)),
            }
        }
    }
}

fn numbered(count: usize) -> String {
    format!("{count} {}", if count == 1 { "number" } else { "numbers" })
}

fn spread(numbers: &[Found]) -> String {
    let least = numbers.iter().map(|found| found.value).fold(f64::INFINITY, f64::min);
    let most = numbers.iter().map(|found| found.value).fold(f64::NEG_INFINITY, f64::max);
    format!("{} from {least} to {most}", numbered(numbers.len()))
}

fn broken(found: &Found, words: String) -> Finding {
    at(Finding::broken(words), found)
}

fn at(finding: Finding, found: &Found) -> Finding {
    if found.line == 0 { finding } else { finding.at_line(found.line) }
}

/// Numbers that the program told about its own work, by their name.
pub(crate) fn of_metrics(name: &str, metrics: &[Metric]) -> Vec<Found> {
    let named = metrics.iter().filter(|metric| metric.name == name);
    named.map(|metric| Found { value: metric.value, line: 0 }).collect()
}

/// The numbers of a series in the contents of its place.
pub(crate) fn of_contents(series: &Series, text: &[u8]) -> Result<Vec<Found>, String> {
    match (&series.place, &series.part) {
        (_, Part::Pointer(pointer)) => of_json(pointer, text),
        (Place::File(path), Part::Named(name)) if is_table(path) => of_column(path, name, text),
        (Place::File(path), Part::All) if is_table(path) => of_table(path, text),
        (_, Part::Named(name)) => Ok(named(&String::from_utf8_lossy(text), name)),
        (_, Part::All) => Ok(all(&String::from_utf8_lossy(text))),
    }
}

fn is_table(path: &str) -> bool {
    [".csv", ".tsv", ".tab"].iter().any(|end| path.ends_with(end))
}

fn of_column(path: &str, name: &str, text: &[u8]) -> Result<Vec<Found>, String> {
    let fields = table::column(path, text, name)?.ok_or("there is no such column")?;
    fields.into_iter().map(|(line, field)| field_number(&field, line)).collect()
}

/// An empty field is a number that is missing: most libraries write one that is none so.
fn field_number(field: &str, line: u64) -> Result<Found, String> {
    let value = if field.is_empty() { Some(f64::NAN) } else { number(field) };
    value.map(|value| Found { value, line }).ok_or_else(|| format!("line {line} has no number"))
}

/// Every field that is a number, whatever stands beside it.
fn of_table(path: &str, text: &[u8]) -> Result<Vec<Found>, String> {
    let mut all = Vec::new();
    for name in table::shape(path, text)?.columns {
        let fields = table::column(path, text, &name)?.unwrap_or_default();
        all.extend(
            fields.into_iter().filter_map(|(line, field)| Some(Found { value: number(&field)?, line })),
        );
    }
    all.sort_by_key(|found| found.line);
    Ok(all)
}

/// One value, or one on each line.
fn of_json(pointer: &str, text: &[u8]) -> Result<Vec<Found>, String> {
    let documents: Vec<(u64, Value)> = match json::parse(text) {
        Ok(value) => vec![(0, value)],
        Err(why) => {
            let lines = text.split(|byte| *byte == b'\n').zip(1..);
            let full = lines.filter(|(line, _)| !line.iter().all(u8::is_ascii_whitespace));
            let read =
                full.map(|(line, number)| Some((number, json::parse(line).ok()?))).collect::<Option<_>>();
            read.ok_or(why)?
        }
    };
    let mut numbers = Vec::new();
    for (line, document) in &documents {
        for value in json::at(document, pointer) {
            // JSON has no word for what is not a number; libraries write null.
            let value = if value.is_null() { Some(f64::NAN) } else { value.as_f64() };
            numbers.push(Found { value: value.ok_or("the value is not a number")?, line: *line });
        }
    }
    Ok(numbers)
}

/// Every number of a text, in order.
pub(crate) fn all(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    for (line, number_of_line) in text.lines().zip(1..) {
        let mut rest = line;
        while let Some((start, end)) = next_word(rest) {
            let word = &rest[start..end];
            if let Some(value) = number(word) {
                found.push(Found { value, line: number_of_line });
            }
            rest = &rest[end..];
        }
    }
    found
}

/// The first line of a text that holds a number which is none, or infinite.
pub fn not_finite(text: &str) -> Option<(u64, &str)> {
    let holds = |line: &str| {
        let mut rest = line;
        while let Some((start, end)) = next_word(rest) {
            if number(&rest[start..end]).is_some_and(|value| !value.is_finite()) {
                return true;
            }
            rest = &rest[end..];
        }
        false
    };
    text.lines().zip(1..).find(|(line, _)| holds(line)).map(|(line, number)| (number, line))
}

/// The next stretch of signs that numbers and words are made of.
fn next_word(text: &str) -> Option<(usize, usize)> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '+' | '-' | '_' | '#');
    let start = text.find(is_part)?;
    let end = text[start..].find(|c| !is_part(c)).map_or(text.len(), |length| start + length);
    Some((start, end))
}

/// What is printed behind a name: `loss: 0.5`, `loss=0.5`, `"loss": 0.5`, `loss 0.5`.
pub(crate) fn named(text: &str, name: &str) -> Vec<Found> {
    let mut found = Vec::new();
    for (line, number_of_line) in text.lines().zip(1..) {
        let mut from = 0;
        while let Some(at) = line[from..].find(name).map(|at| at + from) {
            let behind = at + name.len();
            from = behind;
            let is_apart = |c: Option<char>| !c.is_some_and(|c| c.is_alphanumeric() || c == '_');
            let stands_alone =
                is_apart(line[..at].chars().next_back()) && is_apart(line[behind..].chars().next());
            let value = line[behind..].trim_start_matches(['"', '\'', ' ', '\t', ':', '=']);
            let word = next_word(value).filter(|(start, _)| *start == 0).map(|(_, end)| &value[..end]);
            if let Some(value) = word.filter(|_| stands_alone).and_then(number) {
                found.push(Found { value, line: number_of_line });
            }
            if name.is_empty() {
                break;
            }
        }
    }
    found
}

/// A word as a number, also one that is none: `nan`, `-inf`. A full stop behind it ends a sentence.
pub(crate) fn number(word: &str) -> Option<f64> {
    let word = word.strip_suffix(['.', ',']).unwrap_or(word);
    let bare = word.trim_start_matches(['+', '-']);
    if ["nan", "NaN", "NAN", "inf", "Inf", "INF", "Infinity", "infinity", "1.#QNAN", "1.#INF"].contains(&bare)
    {
        return Some(match (bare.to_ascii_lowercase().contains("nan"), word.starts_with('-')) {
            (true, _) => f64::NAN,
            (false, true) => f64::NEG_INFINITY,
            (false, false) => f64::INFINITY,
        });
    }
    let is_digit_first = bare.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    word.parse().ok().filter(|_| is_digit_first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use actum_model::{Direction, Interval};
    use proptest::prelude::*;

    fn values(found: &[Found]) -> Vec<f64> {
        found.iter().map(|found| found.value).collect()
    }

    #[test]
    fn numbers_of_a_text() {
        let text = "epoch 1 loss=0.5 (3e-2)\nv1.2.3 x86_64 took 2.\n-7,+8";
        assert_eq!(values(&all(text)), [1.0, 0.5, 0.03, 2.0, -7.0, 8.0]);
        assert_eq!(all(text).last().unwrap().line, 3);
        let none = all("loss: nan\nNaN -inf [inf] Infinity\nbanana infer Nancy");
        assert_eq!(none.len(), 5);
        assert!(none.iter().all(|found| !found.value.is_finite()));
        assert_eq!(not_finite("a 1\nloss: nan, b\n"), Some((2, "loss: nan, b")));
        assert_eq!(not_finite("banana\ninfinite 1e999x\n"), None);
    }

    #[test]
    fn numbers_behind_a_name() {
        let text = "val_loss: 0.9\nloss: 0.5\n{\"loss\": 0.25}\nloss = nan, loss=-1\nlosses 3\nloss is low";
        let found = named(text, "loss");
        assert_eq!(values(&found[..2]), [0.5, 0.25]);
        assert!(found[2].value.is_nan() && found[3] == Found { value: -1.0, line: 4 });
        assert_eq!(found.len(), 4);
    }

    #[test]
    fn series_are_judged_together() {
        let numbers: Vec<Found> =
            [3.0, 2.0, 2.0, 5.0].into_iter().zip(1..).map(|(value, line)| Found { value, line }).collect();
        let interval = |least, most| Interval { least: Some(least), most: Some(most) };
        for (test, held, found) in [
            (NumberTest::Each { within: interval(2.0, 5.0) }, true, "4 numbers from 2 to 5"),
            (NumberTest::Each { within: interval(0.0, 4.0) }, false, "5 among 4 numbers"),
            (NumberTest::Last { within: interval(5.0, 5.0) }, true, "5"),
            (NumberTest::Sum { within: interval(12.0, 12.0) }, true, "12 as the sum of 4 numbers"),
            (NumberTest::Finite, true, "4 numbers"),
            (NumberTest::Monotone { direction: Direction::Down }, false, "5 after 2"),
            (NumberTest::Monotone { direction: Direction::StrictlyDown }, false, "2 after 2"),
        ] {
            let finding = judge(&test, &numbers);
            assert_eq!((finding.held, finding.found.as_str()), (held, found), "{test:?}");
        }
        assert_eq!(judge(&NumberTest::Finite, &[]).found, "no number found");
    }

    #[test]
    fn columns_and_json() {
        let series = |place: Place, part: Part| Series { place, part };
        let column = series(Place::File("t.csv".into()), Part::Named("b".into()));
        let found = of_contents(&column, b"a,b\nx,1\ny,\nz,inf\n").unwrap();
        assert!(found[1].value.is_nan() && found[2].value.is_infinite() && found[2].line == 4);
        assert_eq!(of_contents(&column, b"a,b\nx,one\n").unwrap_err(), "line 2 has no number");
        assert_eq!(of_contents(&column, b"a\n1\n").unwrap_err(), "there is no such column");
        let stdout = series(Place::Stream(actum_model::Stream::Stdout), Part::Pointer("/loss".into()));
        assert_eq!(values(&of_contents(&stdout, b"{\"loss\": 2}\n{\"loss\": 1}\n").unwrap()), [2.0, 1.0]);
        assert!(of_contents(&stdout, b"{\"loss\": null}").unwrap()[0].value.is_nan());
        assert!(of_contents(&stdout, b"{\"loss\": \"x\"}").is_err());
        let whole = series(Place::File("t.csv".into()), Part::All);
        assert_eq!(values(&of_contents(&whole, b"a,b\nx,1\n2,y\n").unwrap()), [1.0, 2.0]);
    }

    proptest! {
        #[test]
        fn what_is_printed_is_read_back(value in proptest::num::f64::NORMAL | proptest::num::f64::ZERO, name in "[a-z_]{1,8}") {
            for line in [format!("{name}: {value}"), format!("x {name}={value};"), format!("{{\"{name}\": {value:e}}}")] {
                prop_assert_eq!(values(&named(&line, &name)), vec![value], "{}", line);
            }
            prop_assert_eq!(values(&all(&format!("({value})"))), vec![value]);
        }

        #[test]
        fn any_text_is_looked_through(text in "\\PC{0,60}", name in "\\PC{0,4}") {
            let _ = (all(&text), named(&text, &name));
        }
    }
}
