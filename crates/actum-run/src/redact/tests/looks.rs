//! What is told by its looks, and what is not.

use super::*;

fn redacted(text: &str) -> String {
    Redaction::new(&Sought::default()).text(text)
}

/// Put together here, so that nobody's scanner takes this file for a leak.
fn repeated(prefix: &str, unit: &str, times: usize) -> String {
    format!("{prefix}{}", unit.repeat(times))
}

#[test]
fn keys_and_tokens_are_told_by_their_looks() {
    for secret in [
        repeated("AKIA", "ABCD2345", 2),
        repeated("AIza", "aB3dE", 7),
        repeated("ya29.", "aB3-_", 8),
        repeated("GOCSPX-", "aB3d", 7),
        repeated("ghp_", "aB3d", 9),
        repeated("github_pat_", "aB3d_", 9),
        repeated("glpat-", "aB3d-", 4),
        repeated("xoxb-", "123456-", 5),
        repeated("sk-proj-", "aB3d_", 9),
        repeated("sk-ant-", "api03-", 9),
        format!("sk-{}T3BlbkFJ{}", "aB3d".repeat(5), "aB3d".repeat(5)),
        repeated("hf_", "aBcD", 9),
        repeated("npm_", "aB3d", 9),
        repeated("pypi-AgE", "aB3d-", 9),
        repeated("sk_live_", "aB3d", 6),
        format!("SG.{}.{}", "aB3d-".repeat(4), "aB3d-".repeat(8)),
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl".to_owned(),
    ] {
        for (before, after) in [("", ""), ("key: ", "\n"), ("\"", "\""), ("x=%3D", "&y=1"), ("\\n", "\\n")] {
            let shown = redacted(&format!("{before}{secret}{after}"));
            assert!(!shown.contains(&secret[4..]), "{before}{secret}{after}: {shown}");
            assert!(shown.contains("[redacted:"), "{shown}");
        }
    }
}

#[test]
fn what_stands_behind_a_name_is_taken_out() {
    for (text, expected) in [
        ("Authorization: Bearer abc123def456", "Authorization: Bearer [redacted:12]"),
        ("> authorization: Basic dXNlcjpwYXNz0", "> authorization: Basic [redacted:13]"),
        ("postgres://me:s3cr3t@db/x", "postgres://me:[redacted:6]@db/x"),
        ("GET /x?access_token=abcdefgh&y=1", "GET /x?access_token=[redacted:8]&y=1"),
        ("DB_PASSWORD=correcthorse\nX=1", "DB_PASSWORD=[redacted:12]\nX=1"),
        ("{\"password\": \"hunter2hunter\"}", "{\"password\": \"[redacted:13]\"}"),
        ("client_secret: abc-123-xyz", "client_secret: [redacted:11]"),
        ("AccountKey=", "AccountKey="),
        (
            "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
            "-----BEGIN RSA PRIVATE KEY-----\n[redacted:4]\n-----END RSA PRIVATE KEY-----",
        ),
    ] {
        assert_eq!(redacted(text), expected);
    }
}

#[test]
fn ordinary_text_is_left_alone() {
    for text in [
        "token = self.next_token()",
        "def login(password=None, token=token):",
        "    password=password,",
        "connect(password=self.password)",
        "max_tokens=1024000",
        "the secret: a good night's sleep",
        "TOKENIZERS_PARALLELISM=false",
        "PASSWORD=$PASSWORD TOKEN=${TOKEN}",
        "see https://example.org/a:b and http://localhost:8080/x@y",
        "task-runner, disk-1234567890123456789012345678901234567890",
        "Basic usage of bearer tokens; authorization required",
        "eyJ is how JSON begins in base64",
        "BEGIN TRANSACTION; COMMIT;",
        "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "550e8400-e29b-41d4-a716-446655440000",
        "tests::token_kind ... ok",
        "error[E0308]: mismatched types --> src/lexer/token.rs:12:5",
    ] {
        assert_eq!(redacted(text), text);
    }
}

#[test]
fn a_pattern_of_somebodys_own_is_looked_for_in_every_line() {
    let redaction = looking_for(&["ACME-([0-9]{4})", "internal"]);
    assert_eq!(
        redaction.text("ACME-1234 x\ninternal\nACME-12"),
        "ACME-[redacted:4] x\n[redacted:8]\nACME-12"
    );
    let long = format!("{}ACME-1234{}", "-".repeat(5000), "-".repeat(9000));
    assert_eq!(redaction.text(&long), long.replace("1234", "[redacted:4]"));
}

#[test]
fn a_pattern_can_be_turned_off() {
    let off = ["jwt".to_owned(), "url".to_owned()];
    let redaction = Redaction::new(&Sought { off: &off, ..Sought::default() });
    let text = "postgres://me:s3cr3t@db/x";
    assert_eq!(redaction.text(text), text);
    assert!(super::super::builtin_patterns().contains(&"jwt"));
}
