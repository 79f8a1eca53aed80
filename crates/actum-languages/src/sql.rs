//! SQL: our own SQLite, or PostgreSQL through `psql` where the caller has a connection to one.
//!
//! There is no check of its own: what is valid depends on the database, and the room that runs it says so.

use super::{Language, Runtime, Template, mark, package, words};

pub(super) fn language() -> Language {
    Language {
        name: "sql".to_owned(),
        title: "SQL".to_owned(),
        names: words("sqlite sqlite3 psql postgres postgresql pgsql plpgsql"),
        extensions: words("sql"),
        shebangs: Vec::new(),
        staged_as: "main.sql".to_owned(),
        runtimes: vec![
            Runtime {
                // No startup file, stop at the first error. The address and the password travel in variables of libpq:
                // arguments can be read by every process of the machine.
                run: Template::words("psql {postgres} -X -v ON_ERROR_STOP=1 -P pager=off -f {file}"),
                version: Template::words("--version"),
                shown: Template::words("psql -f {file}"),
                shown_inline: Template::words("psql -c {code}"),
                ..Runtime::default()
            },
            Runtime {
                run: Template::words("{sqlite} {file}"),
                shown: Template::words("sqlite3 {database} < {file}"),
                shown_inline: Template::words("sqlite3 {database} {code}"),
                ..Runtime::default()
            },
        ],
        // SQLite is inside; only psql can be missing.
        install: package("postgresql-client", &["conda install -c conda-forge postgresql"]),
        marks: vec![
            mark(6, r"(?i)^\s*SELECT\b[^;{}]*?\bFROM\s+[\w\x22`\[(.]"),
            mark(
                6,
                r"(?i)^\s*CREATE\s+(OR\s+REPLACE\s+)?(TEMP(ORARY)?\s+)?(UNIQUE\s+)?(TABLE|VIEW|INDEX|DATABASE|SCHEMA|TRIGGER|PROCEDURE|FUNCTION)\s+\w",
            ),
            mark(6, r"(?i)^\s*INSERT\s+INTO\s+[\w\x22`.]+"),
            mark(
                6,
                r"(?i)^\s*(UPDATE\s+[\w\x22`.]+\s+SET\s|DELETE\s+FROM\s|ALTER\s+TABLE\s|DROP\s+(TABLE|VIEW|DATABASE|INDEX)\s|TRUNCATE\s+TABLE)",
            ),
            mark(5, r"(?i)^\s*WITH\s+(RECURSIVE\s+)?\w+\s*(\([^)]*\))?\s*AS\s*\("),
            mark(4, r"(?i)^\s*SELECT\s+[\w*('\x22]"),
            mark(
                3,
                r"(?i)^\s*(FROM|(LEFT|RIGHT|INNER|OUTER|CROSS|FULL)\s+JOIN|JOIN|WHERE|GROUP\s+BY|ORDER\s+BY|HAVING|UNION(\s+ALL)?)\b",
            ),
            mark(2, r"(?i)\b(VARCHAR|INTEGER|PRIMARY\s+KEY|NOT\s+NULL|FOREIGN\s+KEY|DATETIME)\b"),
            mark(2, r"(?i)\b(COUNT|SUM|AVG|MAX|MIN|COALESCE)\s*\("),
            mark(1, r"^\s*--"),
            mark(
                -8,
                r"^\s*(import|from\s+\w+\s+import|def|class|const|let|var|public|function|using|#include|package|fn|func|proc\s+sql)\b|<\?php|\bcursor\.|\$\w+\s*=|=\s*\x22\x22\x22",
            ),
        ],
        ..Language::default()
    }
}
