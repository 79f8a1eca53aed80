//! The three examples of the report's first users, field by field.

use crate::postgres::Postgres;
use crate::run::Done;
use crate::world::{Caller, World};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Every field of the contract with its type. Values are compared by each example.
fn has_every_field(done: &Done) {
    type Is = fn(&Value) -> bool;
    let types: &[(&str, Is)] = &[
        ("/result/success", Value::is_boolean),
        ("/result/exit_code", Value::is_i64),
        ("/result/stdout", Value::is_string),
        ("/result/stderr", Value::is_string),
        ("/result/duration", Value::is_string),
        ("/execution", Value::is_object),
        ("/execution/command", Value::is_string),
        ("/execution/language", Value::is_string),
        ("/execution/started_at", Value::is_string),
        ("/execution/completed_at", Value::is_string),
        ("/analysis", Value::is_object),
        ("/analysis/summary", Value::is_string),
        ("/analysis/warnings", Value::is_array),
        ("/analysis/errors", Value::is_array),
        ("/evidence_anchors", Value::is_array),
        ("/run", Value::is_string),
        ("/outcome", Value::is_string),
        ("/environment", Value::is_object),
        ("/recovery", Value::is_object),
        ("/validation", Value::is_object),
        ("/changes", Value::is_object),
        ("/resources", Value::is_object),
        ("/confinement", Value::is_object),
        ("/recommendations", Value::is_array),
    ];
    for (pointer, is_right) in types {
        assert!(is_right(done.told(pointer)), "{pointer} is {}\n{done}", done.told(pointer));
    }
}

#[test]
fn a_failing_import() {
    for world in World::each() {
        let code = "python3 -c 'import nonexistent_module'";
        let done = world.code("bash", code).go().expect(1);
        has_every_field(&done);
        assert_eq!(done.told("/result/success"), false);
        assert_eq!(done.told("/result/exit_code"), 1);
        assert_eq!(done.told("/result/stdout"), "");
        let expected = "Traceback (most recent call last):\n  File \"<string>\", line 1, in <module>\n\
            ModuleNotFoundError: No module named 'nonexistent_module'\n";
        assert_eq!(done.told("/result/stderr"), expected, "{done}");
        assert_eq!(done.told("/execution/command"), code);
        assert_eq!(done.told("/execution/language"), "bash");
        assert_eq!(done.told("/analysis/summary"), "Import failed: module 'nonexistent_module' not found");
        assert_eq!(done.told("/analysis/warnings"), &Value::Array(Vec::new()));
        assert_eq!(
            done.told("/analysis/errors/0"),
            "ModuleNotFoundError: No module named 'nonexistent_module'"
        );
        assert_eq!(done.told("/analysis/errors").as_array().unwrap().len(), 1);
        let anchor = done.told("/evidence_anchors/3").as_str().unwrap();
        assert!(anchor.starts_with("actum:") && anchor.ends_with("#stderr:L1-L3"), "{anchor}");
    }
}

#[test]
fn a_run_of_tests() {
    let Some(tools) = tools_of_node() else { return actum_testkit::skip("jest is not here") };
    let Some(world) = World::new(Caller::Root) else { return };
    let project = world.workspace();
    let file = |name: &str, text: &str| world.make_file(&project.join(name), text);
    file("package.json", r#"{ "name": "project", "version": "1.0.0", "scripts": { "test": "jest" } }"#);
    let tests = "describe('UserService', () => {\n  test('creates user with valid data', () => {});\n  \
        test('validates email format', () => {});\n  test('hashes password on save', () => {});\n});\n";
    file("src/services/__tests__/UserService.test.ts", tests);
    // Jest itself knows no --grep and prints to stderr; the example's project has one that does both.
    let jest =
        format!("#!/bin/sh\nexec node {}/jest/bin/jest.js --verbose -t \"$2\" 2>&1\n", tools.display());
    world.make_program(&project.join("node_modules/.bin/jest"), &jest);
    let command = "npm test -- --grep 'UserService'";
    let run = world.code("bash", command).flags(&["--timeout", "120s", "--input"]).flag(&tools);
    let done = run.variable("NO_COLOR", "1").go().expect(0);
    has_every_field(&done);
    assert_eq!(done.told("/result/success"), true);
    assert_eq!(done.told("/result/exit_code"), 0);
    let stdout = done.told("/result/stdout").as_str().unwrap();
    for part in [
        "> project@1.0.0 test\n> jest --grep UserService\n",
        "PASS src/services/__tests__/UserService.test.ts\n",
        "  UserService\n    ✓ creates user with valid data",
        "✓ validates email format",
        "✓ hashes password on save",
        "Test Suites: 1 passed, 1 total\n",
    ] {
        assert!(stdout.contains(part), "{part} is not in {stdout}");
    }
    assert_eq!(done.told("/result/stderr"), "", "{done}");
    assert_eq!(done.told("/execution/command"), command);
    assert_eq!(done.told("/execution/language"), "bash");
    assert_eq!(done.told("/analysis/summary"), "3 tests passed in UserService", "{done}");
    assert_eq!(done.told("/analysis/tests/passed"), 3);
    assert_eq!(done.told("/analysis/warnings"), &Value::Array(Vec::new()));
    assert_eq!(done.told("/analysis/errors"), &Value::Array(Vec::new()));
}

#[test]
fn a_query() {
    let Some(world) = World::new(Caller::Ordinary) else { return };
    let Some(server) = Postgres::start(&world) else {
        return actum_testkit::skip("the server of PostgreSQL is not here");
    };
    server.sql("CREATE TABLE users (created_at date); INSERT INTO users SELECT '2024-06-01' FROM generate_series(1, 15423)");
    let query = "SELECT COUNT(*) as user_count FROM users WHERE created_at > '2024-01-01'";
    let run = world.code("sql", query).variable("DATABASE_URL", server.url());
    let done = run.flags(&["--env", "DATABASE_URL"]).go().expect(0);
    has_every_field(&done);
    assert_eq!(done.told("/result/success"), true);
    assert_eq!(done.told("/result/stdout"), " user_count \n------------\n      15423\n(1 row)\n\n", "{done}");
    assert_eq!(done.told("/result/stderr"), "", "{done}");
    assert_eq!(done.told("/execution/command").as_str().unwrap(), format!("psql -c \"{query}\""), "{done}");
    assert_eq!(done.told("/execution/language"), "sql");
    assert_eq!(done.told("/analysis/summary"), "query returned 1 row: user_count = 15423", "{done}");
    assert_eq!(done.told("/hosts/decisions/0/via"), "forward", "{done}");
    assert_eq!(done.told("/hosts/decisions/0/host"), "127.0.0.1", "{done}");
    assert!(
        !done.report.as_ref().unwrap().to_string().contains("secret-word"),
        "a password is in the report"
    );

    // What changes a server outside the walls waits for somebody's approval.
    let delete = "DELETE FROM users";
    let refused = world.code("sql", delete).variable("DATABASE_URL", server.url()).go().expect(120);
    assert_eq!(refused.told("/outcome"), "skipped");
    assert_eq!(refused.told("/request/risk/level"), "high", "{refused}");
    assert_eq!(server.sql("SELECT count(*) FROM users").trim(), "15423");
    let approved =
        world.actum_with(&["approve", "last"]).variable("DATABASE_URL", server.url()).go().expect(0);
    assert_eq!(approved.out(), "DELETE 15423\n", "{approved}");
    assert_eq!(server.sql("SELECT count(*) FROM users").trim(), "0");
    world.actum_with(&["approve", "last"]).go().expect(125);
}

/// Where packages of Node are that tests brought.
fn tools_of_node() -> Option<PathBuf> {
    let path = std::env::var("ACTUM_TEST_PATH").ok()?;
    let folders = path.split(':').filter_map(|folder| Path::new(folder).parent());
    folders.map(Path::to_path_buf).find(|folder| folder.join("jest/bin/jest.js").is_file())
}
