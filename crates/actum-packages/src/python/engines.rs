//! What a program needs only when it runs: `read_excel` does not import openpyxl until it is called.
//!
//! Rows for methods of something unknown count only beside the module that they belong to: `?.plot()` asks for matplotlib
//! where pandas is used, and for nothing elsewhere.

use super::used::Used;
use crate::table::{Row, Table};
use actum_model::NameUse;

static ENGINES: Table = Table::new(include_str!("../../data/python/engines.tsv"));

/// What one use of a name needs beyond its import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Engine {
    /// Packages to have, as requirements.
    pub packages: Vec<&'static str>,
    /// Programs of the system that it starts, by the name they are called by.
    pub commands: Vec<&'static str>,
    /// The use that needs it, as it was read.
    pub used: String,
    pub line: u32,
}

/// What these uses need, once each, in the order of the program.
pub fn engines(names: &[NameUse]) -> Vec<Engine> {
    let mut found: Vec<Engine> = Vec::new();
    for name in names {
        let Some(row) = row(name, names) else { continue };
        let engine = Engine {
            packages: listed(row, 1),
            commands: listed(row, 3),
            used: name.name.clone(),
            line: name.line,
        };
        let is_new =
            !found.iter().any(|one| one.packages == engine.packages && one.commands == engine.commands);
        if is_new {
            found.push(engine);
        }
    }
    found
}

/// Every package that the table names, without its extras.
pub(crate) fn packages() -> impl Iterator<Item = &'static str> {
    ENGINES.rows().flat_map(|row| listed(row, 1)).map(|name| name.split('[').next().unwrap_or(name))
}

fn row(name: &NameUse, all: &[NameUse]) -> Option<Row> {
    let used = Used::read(&name.name);
    used.keys().iter().find_map(|key| ENGINES.find(key).filter(|row| is_beside(*row, all)))
}

fn is_beside(row: Row, all: &[NameUse]) -> bool {
    row.given(2).is_none_or(|module| all.iter().any(|name| Used::read(&name.name).top() == Some(module)))
}

fn listed(row: Row, field: usize) -> Vec<&'static str> {
    row.given(field).map(|list| list.split(',').collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uses(names: &[&str]) -> Vec<NameUse> {
        names.iter().map(|name| NameUse { name: (*name).to_owned(), line: 1 }).collect()
    }

    fn needed(names: &[&str]) -> Vec<&'static str> {
        engines(&uses(names)).into_iter().flat_map(|engine| engine.packages).collect()
    }

    #[test]
    fn what_is_needed_only_when_called() {
        for (names, expected) in [
            (&["pandas.read_excel"] as &[&str], &["openpyxl"] as &[&str]),
            (&["pandas.read_excel(\"old.xls\")"], &["xlrd"]),
            (&["pandas.DataFrame", "?.to_excel()"], &["openpyxl"]),
            (&["pandas.DataFrame", "?.to_excel(\"x.xlsx\")"], &["openpyxl"]),
            (&["pandas.DataFrame", "?.to_excel(engine=\"xlsxwriter\")"], &["XlsxWriter"]),
            (&["pandas.read_html"], &["lxml", "html5lib", "beautifulsoup4"]),
            (&["bs4.BeautifulSoup(\"lxml\")"], &["lxml"]),
            (&["bs4.BeautifulSoup(\"html.parser\")"], &[]),
            (&["pandas.Series", "?.plot()"], &["matplotlib"]),
            (&["?.plot()"], &[]),
            (&["sqlalchemy.create_engine(\"postgresql://a@b/c\")"], &["psycopg2-binary"]),
            (&["sqlalchemy.create_engine(\"sqlite:///a.db\")"], &[]),
            (&["keras.models.Sequential"], &["tensorflow-cpu"]),
            (&["numpy.array"], &[]),
        ] {
            assert_eq!(needed(names), expected, "{names:?}");
        }
    }

    #[test]
    fn programs_of_the_system_are_named() {
        let found = engines(&uses(&["pytesseract.image_to_string"]));
        assert_eq!(found[0].commands, ["tesseract"]);
    }

    #[test]
    fn the_same_need_is_told_once() {
        assert_eq!(engines(&uses(&["pandas.read_excel", "pandas.ExcelFile", "pandas.read_excel"])).len(), 1);
    }

    #[test]
    fn every_row_is_found() {
        for row in ENGINES.rows() {
            assert_eq!(ENGINES.find(row.key()), Some(row), "{}", row.key());
            assert!(row.given(1).is_some() || row.given(3).is_some(), "{}", row.key());
        }
    }
}
