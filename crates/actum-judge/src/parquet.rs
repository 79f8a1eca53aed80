//! The footer of a Parquet file: its columns and how many rows it has. Pages are not read.
//!
//! The footer is a struct of Thrift's compact protocol, of which a handful of fields matter here. Every length is held
//! against what is left of the bytes before anything is taken, and nesting is bounded.

use crate::finding::Finding;
use actum_model::{Interval, ParquetColumn};

/// What a footer says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Footer {
    pub(crate) columns: Vec<ParquetColumn>,
    pub(crate) rows: u64,
}

/// Judges the columns of a file, by the end of its bytes.
pub(crate) fn columns(expected: &[ParquetColumn], bytes: &[u8]) -> Finding {
    let footer = match read(bytes) {
        Ok(footer) => footer,
        Err(why) => return Finding::broken(why),
    };
    let shown = || footer.columns.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let fits = |(expected, found): (&ParquetColumn, &ParquetColumn)| {
        let holds = |column: &ParquetColumn| column.holds.as_deref().map(|kind| usual(kind).to_owned());
        expected.name == found.name && (expected.holds.is_none() || holds(expected) == holds(found))
    };
    let held = expected.len() == footer.columns.len() && expected.iter().zip(&footer.columns).all(fits);
    match held {
        true => Finding::held(format!("these columns, {} rows", footer.rows)),
        false => Finding::broken(format!("{} columns", footer.columns.len())).quoting(&shown()),
    }
}

/// Judges how many rows there are.
pub(crate) fn rows(within: &Interval, bytes: &[u8]) -> Finding {
    match read(bytes) {
        Ok(footer) => Finding::of(within.holds(footer.rows as f64), format!("{} rows", footer.rows)),
        Err(why) => Finding::broken(why),
    }
}

/// Types have several names in as many libraries.
fn usual(kind: &str) -> &str {
    match kind {
        "utf8" | "str" | "large_string" | "object" => "string",
        "float64" => "double",
        "float32" => "float",
        "bool" => "boolean",
        "binary" => "bytes",
        other => other,
    }
}

pub(crate) const MARK: &[u8] = b"PAR1";

/// Reads the footer from the end of a file's bytes.
pub(crate) fn read(bytes: &[u8]) -> Result<Footer, String> {
    let none = || "it is not a Parquet file".to_owned();
    let rest = bytes.strip_suffix(MARK).ok_or_else(none)?;
    let (rest, length) = rest.split_last_chunk::<4>().ok_or_else(none)?;
    let length = u32::from_le_bytes(*length) as usize;
    let start = rest.len().checked_sub(length).ok_or("its footer is too long")?;
    footer(&mut Compact { rest: &rest[start..] }).ok_or_else(|| "its footer is broken".to_owned())
}

fn footer(compact: &mut Compact<'_>) -> Option<Footer> {
    let (mut elements, mut rows) = (Vec::new(), 0);
    compact.fields(|compact, field, kind| {
        match (field, kind) {
            (2, Kind::List) => elements = schema(compact)?,
            (3, Kind::I64) => rows = u64::try_from(compact.integer()?).ok()?,
            _ => compact.skip(kind, 0)?,
        }
        Some(())
    })?;
    Some(Footer { columns: columns_of(&elements)?, rows })
}

/// One element of the schema, which is a tree written in order.
struct Element {
    name: String,
    children: u64,
    holds: String,
}

fn schema(compact: &mut Compact<'_>) -> Option<Vec<Element>> {
    let (count, kind) = compact.list()?;
    if kind != Kind::Struct {
        return None;
    }
    (0..count).map(|_| element(compact)).collect()
}

fn element(compact: &mut Compact<'_>) -> Option<Element> {
    let (mut name, mut children, mut physical, mut logical) = (String::new(), 0, None, None);
    compact.fields(|compact, field, kind| {
        match (field, kind) {
            (1, Kind::I32) => physical = Some(physical_type(compact.integer()?)),
            (4, Kind::Bytes) => name = String::from_utf8_lossy(compact.bytes()?).into_owned(),
            (5, Kind::I32) => children = u64::try_from(compact.integer()?).ok()?,
            (6, Kind::I32) => logical = converted_type(compact.integer()?).or(logical),
            (10, Kind::Struct) => logical = logical_type(compact)?.or(logical),
            _ => compact.skip(kind, 0)?,
        }
        Some(())
    })?;
    let holds = logical.or(physical).unwrap_or("group").to_owned();
    Some(Element { name, children, holds })
}

fn physical_type(number: i64) -> &'static str {
    match number {
        0 => "boolean",
        1 => "int32",
        2 => "int64",
        3 => "int96",
        4 => "float",
        5 => "double",
        6 | 7 => "bytes",
        _ => "unknown",
    }
}

fn converted_type(number: i64) -> Option<&'static str> {
    match number {
        0 => Some("string"),
        1 | 2 => Some("map"),
        3 => Some("list"),
        5 => Some("decimal"),
        6 => Some("date"),
        7 | 8 => Some("time"),
        9 | 10 => Some("timestamp"),
        19 => Some("json"),
        _ => None,
    }
}

/// A union: the field that is there says which.
fn logical_type(compact: &mut Compact<'_>) -> Option<Option<&'static str>> {
    let mut found = None;
    compact.fields(|compact, field, kind| {
        found = match field {
            1 => Some("string"),
            2 => Some("map"),
            3 => Some("list"),
            5 => Some("decimal"),
            6 => Some("date"),
            7 => Some("time"),
            8 => Some("timestamp"),
            12 => Some("json"),
            14 => Some("uuid"),
            _ => None,
        };
        compact.skip(kind, 0)
    })?;
    Some(found)
}

/// The children of the first element, without what is below them.
fn columns_of(elements: &[Element]) -> Option<Vec<ParquetColumn>> {
    let root = elements.first()?;
    let (mut columns, mut at) = (Vec::new(), 1);
    for _ in 0..root.children {
        let element = elements.get(at)?;
        columns.push(ParquetColumn { name: element.name.clone(), holds: Some(element.holds.clone()) });
        let mut open = 1;
        while open > 0 {
            open += elements.get(at)?.children;
            open -= 1;
            at += 1;
        }
    }
    Some(columns)
}

/// What is left of a text of the compact protocol.
struct Compact<'b> {
    rest: &'b [u8],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    True,
    False,
    I8,
    I16,
    I32,
    I64,
    Double,
    Bytes,
    List,
    Map,
    Struct,
}

/// Deeper than any footer, and far from the end of a stack.
const DEEPEST: u32 = 32;

impl<'b> Compact<'b> {
    /// Goes through the fields of a struct.
    fn fields(&mut self, mut each: impl FnMut(&mut Self, i64, Kind) -> Option<()>) -> Option<()> {
        let mut field = 0;
        loop {
            let head = self.byte()?;
            if head == 0 {
                return Some(());
            }
            field = match head >> 4 {
                0 => self.integer()?,
                step => i64::checked_add(field, step.into())?,
            };
            each(self, field, kind(head & 15)?)?;
        }
    }

    fn skip(&mut self, what: Kind, depth: u32) -> Option<()> {
        if depth > DEEPEST {
            return None;
        }
        match what {
            Kind::True | Kind::False => Some(()),
            Kind::I8 => self.take(1).map(drop),
            Kind::Double => self.take(8).map(drop),
            Kind::I16 | Kind::I32 | Kind::I64 => self.varint().map(drop),
            Kind::Bytes => self.bytes().map(drop),
            Kind::Struct => self.fields(|compact, _, kind| compact.skip(kind, depth + 1)),
            Kind::List => {
                let (count, kind) = self.list()?;
                (0..count).try_for_each(|_| self.skip_member(kind, depth))
            }
            Kind::Map => {
                let count = self.varint()?;
                if count == 0 {
                    return Some(());
                }
                let kinds = self.byte()?;
                let (keys, values) = (kind(kinds >> 4)?, kind(kinds & 15)?);
                (0..count).try_for_each(|_| {
                    self.skip_member(keys, depth)?;
                    self.skip_member(values, depth)
                })
            }
        }
    }

    /// A truth value takes a byte where it is a member, and none where it is a field.
    fn skip_member(&mut self, kind: Kind, depth: u32) -> Option<()> {
        match kind {
            Kind::True | Kind::False => self.take(1).map(drop),
            Kind::I8
            | Kind::I16
            | Kind::I32
            | Kind::I64
            | Kind::Double
            | Kind::Bytes
            | Kind::List
            | Kind::Map
            | Kind::Struct => self.skip(kind, depth + 1),
        }
    }

    fn list(&mut self) -> Option<(u64, Kind)> {
        let head = self.byte()?;
        let count = match head >> 4 {
            15 => self.varint()?,
            count => count.into(),
        };
        // Each member takes a byte at least.
        (count <= self.rest.len() as u64).then_some((count, kind(head & 15)?))
    }

    fn bytes(&mut self) -> Option<&'b [u8]> {
        let length = usize::try_from(self.varint()?).ok()?;
        self.take(length)
    }

    fn integer(&mut self) -> Option<i64> {
        let number = self.varint()?;
        Some((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    fn varint(&mut self) -> Option<u64> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 127) << shift;
            if byte < 128 {
                return Some(number);
            }
        }
        None
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|byte| byte[0])
    }

    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }
}

fn kind(number: u8) -> Option<Kind> {
    Some(match number {
        1 => Kind::True,
        2 => Kind::False,
        3 => Kind::I8,
        4 => Kind::I16,
        5 => Kind::I32,
        6 => Kind::I64,
        7 => Kind::Double,
        8 => Kind::Bytes,
        9 | 10 => Kind::List,
        11 => Kind::Map,
        12 => Kind::Struct,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Bytes of a field: its step from the one before, its type, and its contents.
    fn field(step: u8, kind: u8, contents: &[u8]) -> Vec<u8> {
        [&[step << 4 | kind], contents].concat()
    }

    fn text(step: u8, text: &str) -> Vec<u8> {
        field(step, 8, &[&[text.len() as u8], text.as_bytes()].concat())
    }

    /// A file with the columns `id int64`, `name string` and `tags list`, and 300 rows.
    fn file() -> Vec<u8> {
        let root = [text(4, "schema"), field(1, 5, &[6]), vec![0]].concat();
        let id = [field(1, 5, &[4]), text(3, "id"), vec![0]].concat();
        let name = [field(1, 5, &[12]), text(3, "name"), field(2, 5, &[0]), vec![0]].concat();
        let tags = [text(4, "tags"), field(1, 5, &[2]), field(1, 5, &[6]), vec![0]].concat();
        let item =
            [field(1, 5, &[10]), text(3, "item"), field(6, 12, &field(1, 12, &[0, 0])), vec![0]].concat();
        let schema = [vec![5 << 4 | 12], root, id, name, tags, item].concat();
        let footer = [field(1, 5, &[2]), field(1, 9, &schema), field(1, 6, &[216, 4]), vec![0]].concat();
        let length = (footer.len() as u32).to_le_bytes();
        [b"PAR1 pages".as_slice(), &footer, &length, MARK].concat()
    }

    fn column(name: &str, holds: &str) -> ParquetColumn {
        ParquetColumn { name: name.to_owned(), holds: (!holds.is_empty()).then(|| holds.to_owned()) }
    }

    #[test]
    fn columns_and_rows_are_read() {
        let footer = read(&file()).unwrap();
        assert_eq!(footer.rows, 300);
        assert_eq!(footer.columns, [column("id", "int64"), column("name", "string"), column("tags", "list")]);
        let expected = [column("id", ""), column("name", "utf8"), column("tags", "list")];
        assert!(columns(&expected, &file()).held);
        assert_eq!(
            columns(&expected[..2], &file()).quote.as_deref(),
            Some("`id int64, name string, tags list`")
        );
        assert!(!columns(&[column("id", "int32"), column("name", ""), column("tags", "")], &file()).held);
    }

    #[test]
    fn what_is_none_is_told() {
        let mut cut = file();
        cut.drain(..30);
        for (bytes, why) in [
            (b"hello".to_vec(), "it is not a Parquet file"),
            (b"PAR1".to_vec(), "it is not a Parquet file"),
            (cut, "its footer is too long"),
            ([b"\0\0\0\0".as_slice(), MARK].concat(), "its footer is broken"),
        ] {
            assert_eq!(read(&bytes).unwrap_err(), why);
        }
    }

    proptest! {
        #[test]
        fn any_footer_is_looked_at(footer in proptest::collection::vec(any::<u8>(), 0..300)) {
            let length = (footer.len() as u32).to_le_bytes();
            let _ = read(&[&footer, &length[..], MARK].concat());
        }

        #[test]
        fn one_flipped_byte_does_no_harm(at in 0usize..100, byte in any::<u8>()) {
            let mut bytes = file();
            let at = at % bytes.len();
            bytes[at] = byte;
            let _ = read(&bytes);
        }
    }
}
