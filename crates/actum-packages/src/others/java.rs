//! Java: the beginning of a package's name tells the artefact.

use crate::python::prefixes;
use crate::table::Table;

static JAVA: Table = Table::new(include_str!("../../data/others/java.tsv"));

/// The coordinates, without a version, of what brings a class or a package: `org.json.JSONObject` comes with
/// `org.json:json`. Nothing for what belongs to Java itself or is not known.
pub fn maven_for_java(import: &str) -> Option<&'static str> {
    let name = import.trim_end_matches(".*");
    prefixes(name).find_map(|part| JAVA.find(part)).map(|row| row.field(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_beginning_decides() {
        for (import, expected) in [
            ("com.google.gson.Gson", Some("com.google.code.gson:gson")),
            ("com.google.common.collect.*", Some("com.google.guava:guava")),
            ("org.json.simple.JSONObject", Some("com.googlecode.json-simple:json-simple")),
            ("org.json.JSONObject", Some("org.json:json")),
            ("org.junit.jupiter.api.Test", Some("org.junit.jupiter:junit-jupiter")),
            ("java.util.List", None),
            ("javax.swing.JFrame", None),
            ("", None),
        ] {
            assert_eq!(maven_for_java(import), expected, "{import}");
        }
    }

    #[test]
    fn every_row_is_found() {
        for row in JAVA.rows() {
            assert_eq!(JAVA.find(row.key()), Some(row), "{}", row.key());
            assert_eq!(row.field(1).matches(':').count(), 1, "{}", row.key());
        }
    }
}
