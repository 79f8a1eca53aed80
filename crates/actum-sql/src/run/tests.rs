use super::*;
use proptest::prelude::*;
use std::path::Path;

fn run_on(database: Option<&Path>, script: &[u8]) -> (i32, String, String) {
    let options =
        Options { database: database.map(Path::to_path_buf), script: script.to_vec(), format: Format::Table };
    let (mut out, mut errors) = (Vec::new(), Vec::new());
    let code = run(&options, &mut out, &mut errors);
    (code, String::from_utf8(out).unwrap(), String::from_utf8(errors).unwrap())
}

/// What a script in memory prints; it must end well.
fn printed(script: &str) -> String {
    let (code, out, errors) = run_on(None, script.as_bytes());
    assert_eq!((code, errors.as_str()), (0, ""), "{script}");
    out
}

/// What a script in memory complains of; it must not end well.
fn complained(script: &[u8]) -> String {
    let (code, _, errors) = run_on(None, script);
    assert_eq!(code, 1, "{errors}");
    errors
}

#[test]
fn the_built_in_sqlite_is_new_enough() {
    let version: Vec<u32> = crate::sqlite_version().split('.').map(|part| part.parse().unwrap()).collect();
    assert!(version >= vec![3, 51, 3], "{version:?}");
}

#[test]
fn tables_are_aligned_as_psql_aligns_them() {
    assert_eq!(printed("SELECT 15423 AS user_count"), " user_count \n------------\n      15423\n(1 row)\n\n");
    assert_eq!(printed("SELECT 1 AS a"), " a \n---\n 1\n(1 row)\n\n");
    let rows = "SELECT 1 AS id, 'ada' AS name, 1.5 AS x UNION ALL SELECT 20, 'grace hopper', NULL";
    let expected = [
        " id |     name     |  x  ",
        "----+--------------+-----",
        "  1 | ada          | 1.5",
        " 20 | grace hopper |    ",
        "(2 rows)",
        "",
        "",
    ]
    .join("\n");
    assert_eq!(printed(rows), expected);
    assert_eq!(printed("SELECT 'x' AS a WHERE 0"), " a \n---\n(0 rows)\n\n");
}

#[test]
fn every_kind_of_value_has_its_form() {
    let script =
        "SELECT NULL AS empty, x'00ff' AS blob, 2.0 AS whole, 1e300 AS large, 9e999 AS most, -1 AS less";
    let expected = [
        " empty |  blob  | whole | large |   most   | less ",
        "-------+--------+-------+-------+----------+------",
        "       | \\x00ff |   2.0 | 1e300 | Infinity |   -1",
        "(1 row)",
        "",
        "",
    ]
    .join("\n");
    assert_eq!(printed(script), expected);
}

#[test]
fn wide_and_hostile_text_keeps_the_columns() {
    let script = "SELECT '日本' AS a, 'x' AS b UNION ALL SELECT 'é', 'y' UNION ALL SELECT char(27) || '[31m' || char(8238), 'z'";
    let expected = [
        "       a        | b ",
        "----------------+---",
        " 日本           | x",
        " é              | y",
        " \\x1B[31m\\u202E | z",
        "(3 rows)",
        "",
        "",
    ]
    .join("\n");
    assert_eq!(printed(script), expected);
    let lines = "SELECT 'one' || char(10) || 'two' AS a, 1 AS b, 'x' || char(10) || 'y' AS c";
    let expected =
        ["  a  | b | c ", "-----+---+---", " one+| 1 | x+", " two |   | y", "(1 row)", "", ""].join("\n");
    assert_eq!(printed(lines), expected);
    assert_eq!(
        printed("SELECT CAST(x'61ff09' AS text) AS a"),
        "    a     \n----------\n a\\xFF   \n(1 row)\n\n"
    );
}

#[test]
fn statements_without_rows_are_tagged() {
    let script = "\
CREATE TABLE t (a integer primary key, b text);
INSERT INTO t (b) VALUES ('x'), ('y;z'), ('--');
UPDATE t SET b = 'w' WHERE a > 1;
WITH old AS (SELECT a FROM t) DELETE FROM t WHERE a IN (SELECT a FROM old LIMIT 1);
INSERT INTO t (b) VALUES ('r') RETURNING a;
CREATE UNIQUE INDEX i ON t (a);
BEGIN; COMMIT;
DROP TABLE t";
    let expected = "\
CREATE TABLE
INSERT 0 3
UPDATE 2
DELETE 1
 a 
---
 4
(1 row)

INSERT 0 1
CREATE INDEX
BEGIN
COMMIT
DROP TABLE
";
    assert_eq!(printed(script), expected);
}

#[test]
fn a_statement_ends_where_sqlite_says() {
    let trigger = "CREATE TABLE t (a); CREATE TRIGGER g AFTER INSERT ON t BEGIN DELETE FROM t; SELECT ';'; END;\n\
                   INSERT INTO t VALUES (1); SELECT count(*) AS n FROM t /* ; */ ; -- ;\n";
    assert_eq!(printed(trigger), "CREATE TABLE\nCREATE TRIGGER\nINSERT 0 1\n n \n---\n 0\n(1 row)\n\n");
    for empty in ["", " \n", ";;;", "-- x", "/* x", "/* x */ ;\n-- y\n;", "\u{feff}"] {
        assert_eq!(printed(empty), "", "{empty:?}");
    }
}

#[test]
fn an_error_names_its_line_and_ends_the_script() {
    let (code, out, errors) =
        run_on(None, b"SELECT 1 AS a;\n;;\n-- note\n\nSELECT *\nFROM users;\nSELECT 2;");
    assert_eq!((code, errors.as_str()), (1, "error: line 5: no such table: users\n"));
    assert_eq!(out, " a \n---\n 1\n(1 row)\n\n");
    assert_eq!(complained(b"/* a\n b */ ;\n\nSELEC 1"), "error: line 4: near \"SELEC\": syntax error\n");
    assert_eq!(complained(b"SELECT 1;\nSELECT 'abc"), "error: line 2: unrecognized token: \"'abc\"\n");
    let constraint = b"CREATE TABLE t (a UNIQUE);\nINSERT INTO t VALUES (1);\n\nINSERT INTO t\nVALUES (1);";
    assert_eq!(complained(constraint), "error: line 4: UNIQUE constraint failed: t.a\n");
    assert_eq!(complained(b"SELECT 1\n, \xff"), "error: line 2: the script is not UTF-8\n");
    assert_eq!(complained(b"SELECT 1;\n\nSELECT \0"), "error: line 3: the script contains a NUL byte\n");
    let parameters = complained(b"\nSELECT ?1");
    assert_eq!(
        parameters,
        "error: line 2: the statement has parameters, but a script has no values for them\n"
    );
}

#[test]
fn what_was_committed_stays_and_the_rest_is_rolled_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new.db");
    let script =
        b"CREATE TABLE t (a); INSERT INTO t VALUES (1); BEGIN; INSERT INTO t VALUES (2); SELECT nothing;";
    assert_eq!(run_on(Some(&path), script).0, 1);
    assert_eq!(run_on(Some(&path), b"SELECT * FROM t").1, " a \n---\n 1\n(1 row)\n\n");
    let (code, _, errors) = run_on(Some(&path), b"BEGIN; DELETE FROM t;");
    assert_eq!(
        (code, errors.as_str()),
        (0, "warning: the script ended inside a transaction, which was rolled back\n")
    );
    assert_eq!(run_on(Some(&path), b"SELECT * FROM t").1, " a \n---\n 1\n(1 row)\n\n");
}

#[test]
fn a_log_beside_the_database_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    let writer = Connection::open(&path).unwrap();
    writer.execute_batch("PRAGMA journal_mode = wal; CREATE TABLE t (a); INSERT INTO t VALUES (1)").unwrap();
    assert!(folder.path().join("a.db-wal").exists(), "the writer is still there, so its log is");
    assert_eq!(run_on(Some(&path), b"SELECT * FROM t").1, " a \n---\n 1\n(1 row)\n\n");
}

#[test]
fn what_is_no_database_is_said_to_be_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("text\u{1b}.db");
    std::fs::write(&path, "this is not a database, and it is long enough to have a header\n".repeat(20))
        .unwrap();
    let (code, _, errors) = run_on(Some(&path), b"SELECT 1");
    let shown = folder.path().join("text\\x1B.db");
    assert_eq!((code, errors), (1, format!("error: {} is not a SQLite database\n", shown.display())));
    let (code, _, errors) = run_on(Some(&folder.path().join("no/such/a.db")), b"SELECT 1");
    assert!(code == 1 && errors.contains("unable to open database file"), "{errors}");
    let (code, _, errors) = run_on(Some(folder.path()), b"SELECT 1");
    assert!(code == 1 && errors.starts_with("error: cannot open the database "), "{errors}");
}

#[test]
fn names_that_are_not_utf8_are_refused_before_they_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    run_on(Some(&path), b"CREATE TABLE t (uuuuuuuu)");
    let mut bytes = std::fs::read(&path).unwrap();
    let at = bytes.windows(8).position(|window| window == b"uuuuuuuu").unwrap();
    bytes[at] = 0xff;
    std::fs::write(&path, bytes).unwrap();
    let expected = (1, "error: the names in the database are not UTF-8\n".to_owned());
    let (code, _, errors) = run_on(Some(&path), b"SELECT * FROM t");
    assert_eq!((code, errors), expected);
    let attach = format!("ATTACH '{}' AS x; SELECT * FROM x.t", path.display());
    let (code, _, errors) = run_on(None, attach.as_bytes());
    assert_eq!((code, errors), expected);
    let edit = b"CREATE TABLE t (a); PRAGMA writable_schema = on; UPDATE sqlite_schema SET sql = 'x';";
    assert_eq!(complained(edit), "error: line 1: table sqlite_master may not be modified\n");
}

#[test]
fn large_results_stream_and_late_wide_cells_stick_out() {
    let script = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) \
                  SELECT i, CASE WHEN i = 2000 THEN 'much wider' ELSE 'x' END AS w, 'y' AS e FROM n";
    let out = printed(script);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(&lines[..3], ["  i   | w | e ", "------+---+---", "    1 | x | y"]);
    assert_eq!(lines[2001], " 2000 | much wider | y");
    assert_eq!(lines[2002], " 2001 | x | y");
    assert_eq!(lines[3002], "(3000 rows)");
}

/// Takes a few bytes, then is gone.
struct Closing(usize);

impl Write for Closing {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or(std::io::ErrorKind::BrokenPipe)?;
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_reader_that_goes_away_ends_the_script_quietly() {
    let script = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n";
    let options = Options { database: None, script: script.into(), format: Format::Table };
    let mut errors = Vec::new();
    assert_eq!(run(&options, &mut Closing(100_000), &mut errors), 141);
    assert_eq!(errors, b"");
}

#[test]
fn csv_quotes_what_needs_it() {
    let script = "SELECT 1 AS a, 'x,\"y' AS \"b,c\", NULL AS d; CREATE TABLE t (a)";
    let options = Options { database: None, script: script.into(), format: Format::Csv };
    let (mut out, mut errors) = (Vec::new(), Vec::new());
    assert_eq!(run(&options, &mut out, &mut errors), 0);
    assert_eq!(String::from_utf8(out).unwrap(), "a,\"b,c\",d\n1,\"x,\"\"y\",\n");
}

#[test]
fn a_long_script_costs_no_square() {
    let script = "INSERT INTO t VALUES (1, 'some text that makes the line longer than it has to be');\n"
        .repeat(20_000);
    let out =
        printed(&format!("CREATE TABLE t (a, b); BEGIN;\n{script}COMMIT; SELECT count(*) AS n FROM t;"));
    assert!(out.ends_with(" 20000\n(1 row)\n\n"));
}

fn sql_like() -> impl Strategy<Value = String> {
    let pieces = [
        "SELECT ",
        "1",
        "'",
        "\"",
        ";",
        "--",
        "\n",
        "/*",
        "*/",
        " FROM t",
        "(",
        ")",
        ",",
        "CREATE TABLE t (a)",
        "é",
        "日",
        "INSERT INTO t VALUES (1)",
        "WITH a AS (SELECT 1) ",
        "x'ff'",
        "CAST(x'ff0a' AS text)",
        "BEGIN",
        "COMMIT",
        "[",
        "]",
        "`",
        "?",
        ":a",
        " AS ",
        "NULL",
        "DELETE FROM t",
        " RETURNING *",
        "EXPLAIN ",
        "PRAGMA user_version",
        "\u{feff}",
        "\t",
        "EOF",
    ];
    proptest::collection::vec(proptest::sample::select(pieces.to_vec()), 0..24).prop_map(|all| all.concat())
}

proptest! {
    #[test]
    fn no_script_panics(bytes: Vec<u8>, text in sql_like()) {
        for script in [bytes.as_slice(), text.as_bytes()] {
            let options = Options { database: None, script: script.to_vec(), format: Format::Table };
            let (mut out, mut errors) = (Vec::new(), Vec::new());
            let code = run(&options, &mut out, &mut errors);
            let errors = String::from_utf8(errors).unwrap();
            prop_assert_eq!(code == 1, errors.starts_with("error: "), "{}", errors);
            prop_assert!(!out.iter().any(|byte| *byte == 0x1b || *byte == 0));
        }
    }

    /// Statements on lines of their own: the error is on the line where it was put.
    #[test]
    fn lines_are_right(fillers in proptest::collection::vec(0_usize..6, 0..12)) {
        let pieces = ["SELECT 1;", ";", "-- c; '", "/* ;\n; */", "SELECT ';\n' AS a;", ""];
        let mut script: String = fillers.iter().map(|index| format!("{}\n", pieces[*index])).collect();
        let line = 1 + script.matches('\n').count();
        script.push_str("DROP TABLE nothing_here;");
        prop_assert_eq!(complained(script.as_bytes()), format!("error: line {line}: no such table: nothing_here\n"));
    }
}
