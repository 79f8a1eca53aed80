//! The kinds of expectations by their names.

use super::range::{self, Unit};
use super::{FORMS, Fault, Settings};
use crate::error::JudgeError;
use crate::{json, schema, text};
use actum_model::{
    Direction, Expectation, FileTest, NumberTest, ParquetColumn, Part, Place, Series, Stream, TextTest,
};
use serde_json::Value;

/// Whether a kind takes a value of JSON as it is.
pub(super) fn takes_json(kind: &str) -> bool {
    matches!(kind, "stdout-json" | "stderr-json" | "json")
}

/// Whether a list is one value of a kind.
pub(super) fn takes_list(kind: &str) -> bool {
    matches!(kind, "columns" | "parquet")
}

/// One entry; none where it is a setting.
pub(super) fn read(
    kind: &str,
    subject: Option<&str>,
    value: &Value,
    settings: &Settings<'_>,
) -> Result<Option<Expectation>, Fault> {
    let entry = Entry { subject, value, settings };
    Ok(Some(match kind {
        "exit" => Expectation::Exit {
            code: entry.text()?.trim().parse().map_err(|_| "a number is needed".to_owned())?,
        },
        "stdout" => entry.stream(Stream::Stdout, TextTest::Equals { text: entry.text()? })?,
        "stderr" => entry.stream(Stream::Stderr, TextTest::Equals { text: entry.text()? })?,
        "stdout-contains" => entry.stream(Stream::Stdout, TextTest::Contains { text: entry.text()? })?,
        "stderr-contains" => entry.stream(Stream::Stderr, TextTest::Contains { text: entry.text()? })?,
        "stdout-matches" => entry.stream(Stream::Stdout, entry.pattern()?)?,
        "stderr-matches" => entry.stream(Stream::Stderr, entry.pattern()?)?,
        "stdout-json" => entry.stream(Stream::Stdout, entry.json()?)?,
        "stderr-json" => entry.stream(Stream::Stderr, entry.json()?)?,
        "file" => entry.file(FileTest::Exists)?,
        "absent" => entry.file(FileTest::Absent)?,
        "readable" => entry.file(FileTest::Readable)?,
        "size" => entry.file(FileTest::Size { within: entry.count(Unit::Bytes)? })?,
        "rows" => entry.file(FileTest::Rows { within: entry.count(Unit::Number)? })?,
        "sha256" => entry
            .file(FileTest::Sha256 { digest: entry.text()?.parse().map_err(|error| format!("{error}"))? })?,
        "json" => entry.file(entry.file_json()?)?,
        "schema" => entry.file(entry.schema()?)?,
        "columns" => entry.file(FileTest::Columns { names: entry.list()? })?,
        "image" => entry.file(entry.image()?)?,
        "parquet" => entry.file(entry.parquet()?)?,
        "metric" => entry.metric()?,
        "last" => entry.numbers(NumberTest::Last { within: entry.range(Unit::Number)? })?,
        "number" => entry.numbers(NumberTest::Each { within: entry.range(Unit::Number)? })?,
        "sum" => entry.numbers(NumberTest::Sum { within: range::about(entry.range(Unit::Number)?) })?,
        "finite" => entry.numbers(NumberTest::Finite)?,
        "monotone" => entry.numbers(NumberTest::Monotone { direction: entry.direction()? })?,
        "duration" => Expectation::Duration { within: entry.count(Unit::Time)? },
        "memory" => Expectation::Memory { within: entry.count(Unit::Bytes)? },
        "tolerance" => return entry.tolerance().map(|()| None),
        other => return Err(format!("`{other}` is not a kind of expectation; the kinds are {FORMS}").into()),
    }))
}

/// What was written behind a kind.
struct Entry<'a> {
    subject: Option<&'a str>,
    value: &'a Value,
    settings: &'a Settings<'a>,
}

impl Entry<'_> {
    fn text(&self) -> Result<String, Fault> {
        match self.value {
            Value::String(text) => Ok(text.clone()),
            Value::Number(number) => Ok(number.to_string()),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
                Err("a value is needed after =".to_owned().into())
            }
        }
    }

    fn stream(&self, stream: Stream, test: TextTest) -> Result<Expectation, Fault> {
        match self.subject {
            None => Ok(Expectation::Stream { stream, test }),
            Some(_) => Err(format!("{stream} takes no subject; write {stream}=TEXT").into()),
        }
    }

    /// The subject, or the value where a kind takes nothing else.
    fn subject(&self) -> Result<String, Fault> {
        let named = self.subject.map(str::to_owned).or_else(|| self.text().ok());
        named
            .filter(|name| !name.is_empty())
            .ok_or_else(|| "a subject is needed after a colon".to_owned().into())
    }

    fn path(&self) -> Result<String, Fault> {
        let path = self.subject()?;
        let path = path.strip_prefix("./").unwrap_or(&path).trim_end_matches('/').to_owned();
        let leads_out = path.starts_with('/') || path.split('/').any(|part| part == "..");
        if leads_out || path.is_empty() {
            return Err("use the path of the file relative to the workspace".to_owned().into());
        }
        Ok(path)
    }

    fn file(&self, test: FileTest) -> Result<Expectation, Fault> {
        let needs_value = !matches!(test, FileTest::Exists | FileTest::Absent | FileTest::Readable);
        if needs_value && self.subject.is_none() {
            return Err("a file is needed after a colon: KIND:FILE=VALUE".to_owned().into());
        }
        Ok(Expectation::File { path: self.path()?, test })
    }

    fn pattern(&self) -> Result<TextTest, Fault> {
        let pattern = self.text()?;
        text::pattern(&pattern).map_err(|error| last_line(&error.to_string()))?;
        Ok(TextTest::Matches { pattern })
    }

    /// A text is JSON; anything else is the value itself.
    fn value_of_json(&self) -> Result<String, Fault> {
        match self.value {
            Value::String(text) => Ok(json::parse(text.as_bytes())?.to_string()),
            Value::Null => Err("a value is needed after =".to_owned().into()),
            Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                Ok(self.value.to_string())
            }
        }
    }

    fn json(&self) -> Result<TextTest, Fault> {
        Ok(TextTest::Json { value: self.value_of_json()?, tolerance: self.settings.tolerance })
    }

    fn file_json(&self) -> Result<FileTest, Fault> {
        Ok(FileTest::Json { value: self.value_of_json()?, tolerance: self.settings.tolerance })
    }

    fn schema(&self) -> Result<FileTest, Fault> {
        let from = self.text()?;
        let load = (self.settings.load)(&from);
        let text =
            load.map_err(|source| Fault::Whole(JudgeError::NoSchema { path: from.clone(), source }))?;
        schema::build(&text)
            .map_err(|why| Fault::Whole(JudgeError::NotASchema { path: from.clone(), why }))?;
        Ok(FileTest::Schema { schema: text, from })
    }

    /// Names in a list, or with commas between them.
    fn list(&self) -> Result<Vec<String>, Fault> {
        let named = match self.value {
            Value::Array(names) => {
                names.iter().map(|name| name.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
                Some(self.text()?.split(',').map(|name| name.trim().to_owned()).collect())
            }
        };
        named.ok_or_else(|| "a list of names is needed".to_owned().into())
    }

    fn image(&self) -> Result<FileTest, Fault> {
        let text = self.text()?;
        let sides = text.split_once(['x', 'X', '×']);
        let size =
            sides.and_then(|(width, height)| Some((width.trim().parse().ok()?, height.trim().parse().ok()?)));
        let (width, height) = size.ok_or_else(|| "write a size as 640x480".to_owned())?;
        Ok(FileTest::Image { width, height })
    }

    fn parquet(&self) -> Result<FileTest, Fault> {
        let column = |text: String| {
            let (name, holds) =
                text.split_once([' ', ':']).map_or((text.as_str(), None), |(one, other)| (one, Some(other)));
            ParquetColumn { name: name.to_owned(), holds: holds.map(|kind| kind.trim().to_ascii_lowercase()) }
        };
        Ok(FileTest::Parquet { columns: self.list()?.into_iter().map(column).collect() })
    }

    fn metric(&self) -> Result<Expectation, Fault> {
        let name = self.subject.filter(|name| !name.is_empty());
        let name = name.ok_or_else(|| "a name is needed after a colon: metric:NAME=RANGE".to_owned())?;
        let series = Series { place: Place::Metric, part: Part::Named(name.to_owned()) };
        Ok(Expectation::Numbers { series, test: NumberTest::Last { within: self.range(Unit::Number)? } })
    }

    fn numbers(&self, test: NumberTest) -> Result<Expectation, Fault> {
        if self.subject.is_none() && test != NumberTest::Finite {
            return Err("a series is needed after a colon: KIND:PLACE#PART=VALUE".to_owned().into());
        }
        let text = self.subject()?;
        let (place, part) =
            text.split_once('#').map_or((text.as_str(), None), |(place, part)| (place, Some(part)));
        let place = match place {
            "metric" => Place::Metric,
            "stdout" => Place::Stream(Stream::Stdout),
            "stderr" => Place::Stream(Stream::Stderr),
            path => Place::File(Entry { subject: Some(path), ..*self }.path()?),
        };
        let part = match part.filter(|part| !part.is_empty()) {
            None => Part::All,
            Some(pointer) if pointer.starts_with('/') => Part::Pointer(pointer.to_owned()),
            Some(name) => Part::Named(name.to_owned()),
        };
        Ok(Expectation::Numbers { series: Series { place, part }, test })
    }

    fn direction(&self) -> Result<Direction, Fault> {
        let text = self.text()?;
        let found = Direction::ALL.into_iter().find(|direction| direction.name() == text.trim());
        found.ok_or_else(|| "use up, down, strictly-up or strictly-down".to_owned().into())
    }

    fn range(&self, unit: Unit) -> Result<actum_model::Interval, Fault> {
        Ok(range::read(&self.text()?, unit, self.settings.tolerance)?)
    }

    /// Of what is counted nothing is nearly right.
    fn count(&self, unit: Unit) -> Result<actum_model::Interval, Fault> {
        Ok(range::read(&self.text()?, unit, 0.0)?)
    }

    fn tolerance(&self) -> Result<(), Fault> {
        let number = self.text()?.trim().parse::<f64>().ok();
        match number.filter(|number| number.is_finite() && *number >= 0.0) {
            Some(_) => Ok(()),
            None => Err("the number must not be negative".to_owned().into()),
        }
    }
}

/// The parser of patterns draws the place over several lines; the last says what is wrong.
fn last_line(text: &str) -> String {
    text.lines().last().unwrap_or_default().trim().trim_start_matches("error: ").to_owned()
}
