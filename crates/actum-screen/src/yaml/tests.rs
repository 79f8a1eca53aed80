use super::*;
use proptest::prelude::*;
use serde_json::json;

/// What another reader makes of it.
fn read(text: &str) -> Value {
    serde_saphyr::from_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

#[test]
fn the_form_is_that_of_the_contract() {
    let report = json!({
        "result": {"success": true, "stdout": "PASS\n  ✓ creates user\n\ndone\n", "stderr": "", "duration": "2.3s"},
        "execution": {"command": "npm test -- --grep 'UserService'", "language": "bash"},
        "analysis": {"warnings": [], "errors": ["a: b", "two\nlines"]},
        "steps": [{"number": 1, "lines": [1, 2]}, {}],
        "nested": [["a", ["b"]], 1.5],
    });
    let expected = "\
result:
  success: true
  stdout: |
    PASS
      ✓ creates user

    done
  stderr: \"\"
  duration: \"2.3s\"
execution:
  command: \"npm test -- --grep 'UserService'\"
  language: bash
analysis:
  warnings: []
  errors:
    - \"a: b\"
    - |-
      two
      lines
steps:
  - number: 1
    lines:
      - 1
      - 2
  - {}
nested:
  - - a
    - - b
  - 1.5
";
    assert_eq!(yaml(&report), expected);
    assert_eq!(read(expected), report);
}

#[test]
fn texts_that_look_like_something_else_are_quoted() {
    for tricky in [
        "yes",
        "No",
        "ON",
        "off",
        "y",
        "N",
        "true",
        "null",
        "Null",
        "~",
        "",
        " a",
        "a ",
        "1",
        "1.0",
        "1e3",
        "0x1f",
        "0o7",
        "017",
        "1_000",
        "+1",
        "-",
        "- a",
        "1:30",
        "190:20:30",
        "2024-01-15",
        "2024-01-15T10:30:00Z",
        ".inf",
        ".nan",
        "=",
        "<<",
        "@a",
        "`a`",
        "%a",
        "!a",
        "&a",
        "*a",
        "[a]",
        "{a}",
        "a: b",
        "a #b",
        "#a",
        "? a",
        "|",
        ">",
        "'a'",
        "\"a\"",
        "---",
        "...",
        "a\tb",
        "a\u{85}b",
        "a\u{2028}b",
        "\u{feff}a",
        "a\u{7f}",
        "\u{1b}[2J",
        "\r\n",
    ] {
        assert!(yaml(&json!([tricky])).starts_with("- \""), "{tricky:?}");
        assert_eq!(read(&yaml(&json!([tricky]))), json!([tricky]), "{tricky:?}");
        assert_eq!(read(&yaml(&json!({ tricky: 1 }))), json!({ tricky: 1 }), "{tricky:?}");
    }
    for plain in ["kebab-case", "exited 0", "none", "src/main.rs", "user_count"] {
        assert_eq!(yaml(&json!([plain])), format!("- {plain}\n"));
    }
}

#[test]
fn blocks_read_back_whatever_they_begin_and_end_with() {
    for lines in [
        "a\nb",
        "a\nb\n",
        "a\n\n\n",
        "\n\na\nb\n",
        "  set in\nout\n",
        "\n  set in\nout",
        "\ttab\nb\n",
        "a\n b\n  c\n",
        "# no comment\n",
        "- no list\n- \n",
        "key: value\n",
        "---\n...\n",
        "\n",
        "\n\n",
        "a \nb\n",
        "a\n \nb\n",
        "%YAML 1.2\n",
        "a\rb\n",
        "\u{2029}\na",
    ] {
        for value in
            [json!({ "a": lines }), json!([lines]), json!([{ "a": lines, "b": [lines, 1] }]), json!(lines)]
        {
            assert_eq!(read(&yaml(&value)), value, "{}", yaml(&value));
        }
    }
}

#[test]
fn numbers_have_a_point_and_a_sign_where_they_have_an_exponent() {
    for (given, text) in [(1e16, "1.0e+16\n"), (1.5e-9, "1.5e-9\n"), (2.0, "2.0\n"), (1e300, "1.0e+300\n")] {
        assert_eq!(yaml(&json!(given)), text);
        assert_eq!(read(text).as_f64(), Some(given));
    }
    assert_eq!(yaml(&json!(u64::MAX)), "18446744073709551615\n");
}

fn value() -> impl Strategy<Value = Value> {
    let word = prop_oneof![
        "[\\PC\\p{Cc}\\p{Cf}]{0,20}",
        "[ -~\n\t]{0,40}",
        "[0-9:.eEx_+-]{1,8}",
        "(?i:y|no|on|null|true)"
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e300..1e300).prop_map(|number: f64| Value::from(number)),
        word.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 5, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            proptest::collection::vec((word.clone(), inner), 0..5)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_value_reads_back(value in value()) {
        prop_assert_eq!(read(&yaml(&value)), value);
    }
}
