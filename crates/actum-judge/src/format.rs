//! Whether a file is what its name says.

use crate::finding::Finding;
use crate::work::Slice;
use crate::{json, parquet, table};

/// A format that is known by the ending of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Json,
    JsonLines,
    Table,
    Image,
    Parquet,
}

impl Format {
    pub fn of(path: &str) -> Option<Self> {
        let (_, ending) = path.rsplit_once('.')?;
        match ending.to_ascii_lowercase().as_str() {
            "json" | "ipynb" | "geojson" => Some(Self::Json),
            "jsonl" | "ndjson" => Some(Self::JsonLines),
            "csv" | "tsv" | "tab" => Some(Self::Table),
            "png" | "jpg" | "jpeg" | "gif" | "webp" | "bmp" | "tif" | "tiff" => Some(Self::Image),
            "parquet" | "pq" => Some(Self::Parquet),
            _ => None,
        }
    }

    /// How much of it is looked at.
    pub(crate) fn slice(self) -> Slice {
        match self {
            Self::Json | Self::JsonLines | Self::Table => Slice::Whole,
            Self::Image => Slice::Head,
            Self::Parquet => Slice::Tail,
        }
    }
}

/// Judges whether bytes are what the name of their file says.
pub(crate) fn judge(path: &str, bytes: &[u8]) -> Finding {
    let Some(format) = Format::of(path) else { return Finding::held("an unknown file type") };
    let read = match format {
        Format::Json => json::parse(bytes).map(|_| "JSON".to_owned()),
        Format::JsonLines => json_lines(bytes),
        Format::Table => return whole_table(path, bytes),
        Format::Image => match imagesize::blob_size(bytes) {
            Ok(size) => Ok(format!("{}x{} pixels", size.width, size.height)),
            Err(_) => Err("it is not an image of a known format".to_owned()),
        },
        Format::Parquet => parquet::read(bytes).map(|footer| format!("Parquet of {} rows", footer.rows)),
    };
    match read {
        Ok(found) => Finding::held(found),
        Err(why) => Finding::broken(why),
    }
}

fn json_lines(bytes: &[u8]) -> Result<String, String> {
    let lines = bytes.split(|byte| *byte == b'\n').zip(1..);
    let full = lines.filter(|(line, _): &(&[u8], u64)| !line.iter().all(u8::is_ascii_whitespace));
    let mut count = 0;
    for (line, number) in full {
        json::parse(line).map_err(|_| format!("line {number} is not JSON"))?;
        count += 1;
    }
    Ok(format!("{count} lines of JSON"))
}

fn whole_table(path: &str, bytes: &[u8]) -> Finding {
    match table::shape(path, bytes) {
        Err(why) => Finding::broken(why),
        Ok(shape) => {
            let found = format!("{} columns, {} rows", shape.columns.len(), shape.rows);
            table::whole(&shape, Finding::held(found))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_what_it_says_is_told() {
        for (path, bytes, held, found) in [
            ("a.json", "{\"a\": 1}", true, "JSON"),
            ("a.json", "{\"a\": NaN}", false, "it is not JSON: line 1, column 7"),
            ("a.JSON", "", false, "it is empty"),
            ("a.jsonl", "{}\n\n[]\n", true, "2 lines of JSON"),
            ("a.jsonl", "{}\n[\n", false, "line 2 is not JSON"),
            ("a.csv", "a,b\n1,2\n", true, "2 columns, 1 rows"),
            ("a.csv", "a,b\n1\n", false, "line 2 has 1 fields, but the first line has 2"),
            ("a.png", "<html>", false, "it is not an image of a known format"),
            ("a.parquet", "x", false, "it is not a Parquet file"),
            ("a.bin", "x", true, "an unknown file type"),
        ] {
            let finding = judge(path, bytes.as_bytes());
            assert_eq!((finding.held, finding.found.as_str()), (held, found), "{path}");
        }
    }
}
