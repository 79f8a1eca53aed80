//! The inner program that runs SQL: inside the walls, on a database in the workspace.

use crate::world::{Caller, Walls, World};
use std::process::{Command, Stdio};

/// `actum run -- actum internal sql --database a.db script.sql`, with the binary shown at its own path.
fn inside(world: &World, walls: Walls, script: &str, code: i32) -> (String, String) {
    world.make_file(&world.workspace().join("script.sql"), script);
    let actum = world.actum().into_os_string().into_string().unwrap();
    let done = world
        .run(&[actum.as_str(), "internal", "sql", "--database", "a.db", "script.sql"])
        .walls(walls)
        .flags(&["--read", &actum])
        .go()
        .expect(code);
    (done.out(), done.err())
}

#[test]
fn sql_runs_confined_and_its_database_is_a_change_like_any_other() {
    for world in World::each() {
        for walls in Walls::ALL {
            let database = world.workspace().join("a.db");
            let _ = std::fs::remove_file(&database);
            let (out, _) = inside(&world, walls, "CREATE TABLE t (a); INSERT INTO t VALUES (15423);", 0);
            assert_eq!(out, "CREATE TABLE\nINSERT 0 1\n");
            let (out, err) =
                inside(&world, walls, "SELECT a AS n FROM t;\nDELETE FROM t;\nSELECT * FROM u;", 1);
            assert_eq!(out, "   n   \n-------\n 15423\n(1 row)\n\nDELETE 1\n");
            assert!(err.contains("error: line 3: no such table: u"), "{err}");
            // With a write layer a script that failed has changed nothing; without one what it committed stays.
            let (out, _) = inside(&world, walls, "SELECT count(*) AS n FROM t", 0);
            let kept = if walls == Walls::N { 1 } else { 0 };
            assert_eq!(out, format!(" n \n---\n {kept}\n(1 row)\n\n"), "{walls:?}");
        }
    }
}

#[test]
fn a_script_comes_through_stdin_and_a_reader_may_go_away() {
    let Some(world) = World::new(Caller::Root).or_else(|| World::new(Caller::Ordinary)) else { return };
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n";
    world.make_file(&world.workspace().join("endless.sql"), endless);
    let words = r#""$0" internal sql - < endless.sql | head -n 3; echo "${PIPESTATUS[0]}""#;
    let done = Command::new("bash")
        .args(["-c", words])
        .arg(world.actum())
        .current_dir(world.workspace())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8(done.stdout).unwrap();
    assert_eq!(text, "  i   \n------\n    1\n141\n");
    assert_eq!(String::from_utf8(done.stderr).unwrap(), "");
}

#[test]
fn words_that_make_no_sense_end_with_our_own_code() {
    let Some(world) = World::new(Caller::Root).or_else(|| World::new(Caller::Ordinary)) else { return };
    for words in [
        &["internal"] as &[&str],
        &["internal", "sqk"],
        &["internal", "sql"],
        &["internal", "sql", "no.sql"],
        &["internal", "read"],
        &["internal", "read", "python"],
        &["internal", "read", "--language"],
    ] {
        let done = Command::new(world.actum()).args(words).output().unwrap();
        assert_eq!(done.status.code(), Some(125), "{words:?}");
        assert!(String::from_utf8(done.stderr).unwrap().starts_with("actum: "), "{words:?}");
    }
}
