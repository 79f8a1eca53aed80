//! Tables of separated values: their columns, their rows, and whether all rows are as long as the first.

use crate::finding::Finding;
use csv::{ByteRecord, Reader, ReaderBuilder};

/// What a table is like, after one look at all of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) columns: Vec<String>,
    pub(crate) rows: u64,
    /// The first row that is longer or shorter than the first line: its line, and how many fields it has.
    pub(crate) ragged: Option<(u64, usize)>,
}

fn reader<'t>(path: &str, text: &'t [u8]) -> Reader<&'t [u8]> {
    let delimiter = if path.ends_with(".tsv") || path.ends_with(".tab") { b'\t' } else { b',' };
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    ReaderBuilder::new().delimiter(delimiter).flexible(true).has_headers(true).from_reader(text)
}

/// Looks through a table.
pub(crate) fn shape(path: &str, text: &[u8]) -> Result<Shape, String> {
    let mut reader = reader(path, text);
    let failed = |error: csv::Error| format!("it is not a table: {error}");
    let first = reader.byte_headers().map_err(failed)?.clone();
    let columns: Vec<String> = first.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
    let (mut record, mut rows, mut ragged) = (ByteRecord::new(), 0, None);
    while reader.read_byte_record(&mut record).map_err(failed)? {
        rows += 1;
        if record.len() != columns.len() && ragged.is_none() {
            ragged = Some((record.position().map_or(rows + 1, csv::Position::line), record.len()));
        }
    }
    Ok(Shape { columns, rows, ragged })
}

/// The fields of one column, each with its line; none where there is no such column.
pub(crate) fn column(path: &str, text: &[u8], name: &str) -> Result<Option<Vec<(u64, String)>>, String> {
    let mut reader = reader(path, text);
    let failed = |error: csv::Error| format!("it is not a table: {error}");
    let first = reader.byte_headers().map_err(failed)?.clone();
    let Some(at) = first.iter().position(|column| column == name.as_bytes()) else { return Ok(None) };
    let mut fields = Vec::new();
    for record in reader.byte_records() {
        let record = record.map_err(failed)?;
        let line = record.position().map_or(0, csv::Position::line);
        let field = record.get(at).map(|field| String::from_utf8_lossy(field).trim().to_owned());
        fields.push((line, field.unwrap_or_default()));
    }
    Ok(Some(fields))
}

/// Judges the names in the first line.
pub(crate) fn columns(names: &[String], path: &str, text: &[u8]) -> Finding {
    match shape(path, text) {
        Err(why) => Finding::broken(why),
        Ok(shape) if shape.columns != names => {
            let found = shape.columns.join(",");
            Finding::broken(format!("{} columns", shape.columns.len())).quoting(&found).at_line(1)
        }
        Ok(shape) => whole(&shape, Finding::held("these columns")),
    }
}

/// Judges how many rows there are.
pub(crate) fn rows(within: &actum_model::Interval, path: &str, text: &[u8]) -> Finding {
    match shape(path, text) {
        Err(why) => Finding::broken(why),
        Ok(shape) => {
            let found = Finding::of(within.holds(shape.rows as f64), format!("{} rows", shape.rows));
            whole(&shape, found)
        }
    }
}

/// A table with ragged rows is none: whoever reads it gets other columns than its first line says.
pub(crate) fn whole(shape: &Shape, finding: Finding) -> Finding {
    match shape.ragged {
        Some((line, fields)) => Finding::broken(format!(
            "line {line} has {fields} fields, but the first line has {}",
            shape.columns.len()
        ))
        .at_line(line),
        None => finding,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actum_model::Interval;
    use proptest::prelude::*;

    #[test]
    fn columns_and_rows() {
        let text = b"a,b\n1,\"x\ny\"\n2,z\n";
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert!(columns(&names(&["a", "b"]), "t.csv", text).held);
        assert_eq!(columns(&names(&["a"]), "t.csv", text).quote.as_deref(), Some("`a,b`"));
        let three = Interval { least: Some(3.0), most: None };
        assert_eq!(rows(&three, "t.csv", text).found, "2 rows");
        assert!(columns(&names(&["a", "b"]), "t.tsv", b"\xef\xbb\xbfa\tb\n1\t2\n").held);
        assert_eq!(shape("t.csv", b"").unwrap(), Shape { columns: vec![], rows: 0, ragged: None });
    }

    #[test]
    fn ragged_rows_are_told_with_their_line() {
        let text = b"a,b\n1,2\n1,2,3\n1\n";
        let any = Interval { least: None, most: None };
        for finding in [rows(&any, "t.csv", text), columns(&["a".into(), "b".into()], "t.csv", text)] {
            assert_eq!((finding.held, finding.lines), (false, Some([3, 3])), "{finding:?}");
            assert_eq!(finding.found, "line 3 has 3 fields, but the first line has 2");
        }
    }

    #[test]
    fn a_column_by_its_name() {
        let fields = column("t.csv", b"a,b\n1, 2\n3\n", "b").unwrap().unwrap();
        assert_eq!(fields, [(2, "2".to_owned()), (3, String::new())]);
        assert_eq!(column("t.csv", b"a\n", "c").unwrap(), None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_looked_through(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = shape("t.csv", &bytes);
            let _ = column("t.csv", &bytes, "a");
        }
    }
}
