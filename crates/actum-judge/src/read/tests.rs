use super::*;
use actum_model::{FileTest, Interval, TextTest};
use proptest::prelude::*;
use serde_json::json;

fn one(text: &str) -> Result<Expectation, String> {
    line(text, &Settings::default()).map_err(|error| error.to_string()).map(|one| one.unwrap())
}

#[test]
fn what_is_typed_is_named_and_worded_again() {
    for (text, name, words) in [
        ("exit=3", "exit", "exit code 3"),
        ("stdout=", "stdout", "nothing on stdout"),
        ("stdout=a=b:c", "stdout", "`a=b:c`"),
        ("stderr-contains=x", "stderr-contains", "`x` somewhere"),
        ("stdout-matches=^a+$", "stdout-matches", "a match of `^a+$`"),
        ("stdout-json={\"b\": [1 ,2]}", "stdout-json", "the JSON {\"b\":[1,2]}"),
        ("file=./out/a.csv", "file:out/a.csv", "a file"),
        ("file:a", "file:a", "a file"),
        ("absent=core", "absent:core", "no file"),
        ("size:a=..1MiB", "size:a", "at most 1MiB"),
        ("rows:a.csv=10..", "rows:a.csv", "at least 10 rows"),
        ("rows:a.csv=>= 10", "rows:a.csv", "at least 10 rows"),
        ("columns:a.csv=x, y", "columns:a.csv", "the columns x,y"),
        ("image:p.png=640x480", "image:p.png", "640x480 pixels"),
        ("parquet:p.parquet=id int64,name", "parquet:p.parquet", "the columns id int64, name"),
        ("metric:val/loss=..0.3", "last:metric#val/loss", "at most 0.3"),
        ("number:stdout#loss=0..1", "number:stdout#loss", "every number 0 to 1"),
        ("last:out.json#/a/*=1±0.5", "last:out.json#/a/*", "0.5 to 1.5"),
        ("finite=stdout", "finite:stdout", "only finite numbers"),
        ("finite:out.csv", "finite:out.csv", "only finite numbers"),
        ("monotone:metric#loss=down", "monotone:metric#loss", "numbers going down"),
        ("duration=..1.5s", "duration", "at most 1.500s"),
        ("memory=..64MiB", "memory", "at most 64MiB"),
    ] {
        let read = one(text).unwrap();
        assert_eq!((read.name().as_str(), read.words().as_str()), (name, words), "{text}");
    }
}

#[test]
fn what_is_wrong_is_told() {
    for (text, why) in [
        ("", "`` is not a kind of expectation"),
        ("exits=0", "`exits` is not a kind of expectation"),
        ("exit", "a value is needed after ="),
        ("exit=zero", "a number is needed"),
        ("stdout:x=1", "stdout takes no subject"),
        ("stdout-matches=(", "unclosed group"),
        ("stdout-json={", "it is not JSON: line 1, column 1"),
        ("size=3", "a file is needed after a colon"),
        ("file=/etc/passwd", "use the path of the file relative to the workspace"),
        ("file=../x", "use the path of the file relative to the workspace"),
        ("rows:a=5..2", "the range ends before it begins"),
        ("rows:a=..", "the range needs a number on at least one side"),
        ("rows:a=many", "`many` is not a number"),
        ("size:a=..5 apples", "`apples` is not a unit of bytes"),
        ("image:a=big", "write a size as 640x480"),
        ("metric=3", "a name is needed after a colon"),
        ("monotone:metric#x=sideways", "use up, down, strictly-up or strictly-down"),
        ("tolerance=-1", "the number must not be negative"),
        ("sha256:a=12", "is not a SHA-256"),
    ] {
        let told = line(text, &Settings::default()).unwrap_err().to_string();
        assert!(told.contains(why), "{text}: {told}");
    }
}

#[test]
fn a_table_says_the_same() {
    let written = json!({
        "exit": 0, "tolerance": 0.5, "stdout-contains": ["a", "b"], "stdout-json": {"n": [1, 2]}, "file": "x",
        "rows": {"a.csv": "3..", "b.csv": 4}, "columns": {"a.csv": ["x", "y"]}, "metric": {"loss": "..0.1"},
        "json": {"c.json": {"k": 1}}, "duration": "..5s",
    });
    let read = super::table(written.as_object().unwrap(), &Settings::default()).unwrap();
    let mut names: Vec<String> = read.iter().map(Expectation::name).collect();
    names.sort();
    assert_eq!(
        names,
        [
            "columns:a.csv",
            "duration",
            "exit",
            "file:x",
            "json:c.json",
            "last:metric#loss",
            "rows:a.csv",
            "rows:b.csv",
            "stdout-contains",
            "stdout-contains",
            "stdout-json"
        ]
    );
    let rows = read.iter().find(|one| one.name() == "rows:b.csv").unwrap();
    // What is counted has no tolerance; a number has one, of itself where it is larger than one.
    let four = Interval { least: Some(4.0), most: Some(4.0) };
    assert_eq!(*rows, Expectation::File { path: "b.csv".into(), test: FileTest::Rows { within: four } });
    let wide = Settings { tolerance: 0.5, ..Settings::default() };
    assert_eq!(line("number:a.csv#x=4", &wide).unwrap().unwrap().words(), "every number 2 to 6");
    for wrong in [json!({"exits": 0}), json!({"exit": [0, {}]}), json!({"rows": 3}), json!({"stdout": true})]
    {
        assert!(super::table(wrong.as_object().unwrap(), &Settings::default()).is_err(), "{wrong}");
    }
}

#[test]
fn a_table_has_300_of_a_kind() {
    let list = |count: usize| vec!["a"; count];
    let read = |table: serde_json::Value| super::table(table.as_object().unwrap(), &Settings::default());
    let sizes = |count: usize| (0..count).map(|at| (at.to_string(), json!("1..2"))).collect::<Map<_, _>>();
    for (allowed, count) in [
        (json!({"stdout-contains": list(150), "stderr-contains": list(150), "file": list(300)}), 600),
        (json!({"stdout-matches": list(300), "size": sizes(300), "rows": sizes(300)}), 900),
    ] {
        assert_eq!(read(allowed).unwrap().len(), count);
    }
    for (refused, why) in [
        (json!({"stdout-contains": list(20_000)}), "at most 300 texts to find"),
        (json!({"stdout-contains": list(150), "stderr-contains": list(151)}), "at most 300 texts to find"),
        (json!({"stdout-matches": list(150), "stderr-matches": list(151)}), "at most 300 patterns"),
        (json!({"stdout": list(301)}), "at most 300 expectations of `stdout`"),
        (json!({"file": list(301)}), "at most 300 expectations of `file`"),
        (json!({"metric": sizes(301)}), "at most 300 expectations of `metric`"),
    ] {
        let told = read(refused).unwrap_err().to_string();
        assert!(told.contains(why), "{told}");
    }
}

#[test]
fn a_schema_is_read_before_the_run() {
    let load = |path: &str| match path {
        "good.json" => Ok("{\"type\": \"object\"}".to_owned()),
        "bad.json" => Ok("{\"type\": 3}".to_owned()),
        _ => Err(io::ErrorKind::NotFound.into()),
    };
    let settings = Settings { tolerance: 0.0, load: &load };
    assert!(line("schema:a.json=good.json", &settings).is_ok());
    assert!(matches!(line("schema:a.json=bad.json", &settings), Err(JudgeError::NotASchema { .. })));
    assert!(matches!(line("schema:a.json=none.json", &settings), Err(JudgeError::NoSchema { .. })));
}

#[test]
fn the_tolerance_of_lines_is_the_last() {
    assert_eq!(tolerance_of(["exit=0", "tolerance=1e-3", "tolerance=0.5"].into_iter()), Some(0.5));
    let settings = Settings { tolerance: 0.5, ..Settings::default() };
    let read = line("stdout-json=1", &settings).unwrap().unwrap();
    let json = TextTest::Json { value: "1".into(), tolerance: 0.5 };
    assert_eq!(read, Expectation::Stream { stream: actum_model::Stream::Stdout, test: json });
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "([a-z0-9-]{0,12}[:=#./]){0,4}\\PC{0,10}") {
        let _ = line(&text, &Settings::default());
    }

    #[test]
    fn a_range_holds_its_ends(a in -1e6..1e6f64, b in 0.0..1e6f64) {
        let Ok(Expectation::File { test: FileTest::Rows { within }, .. }) = one(&format!("rows:x={a}..{}", a + b)) else {
            panic!("a range was not read")
        };
        prop_assert!(within.holds(a) && within.holds(a + b) && !within.holds(a - 1.0) && !within.holds(a + b + 1.0));
    }
}
