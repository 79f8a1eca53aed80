//! Configurations: read, found and changed.

use super::*;
use proptest::prelude::*;
use serde_json::json;
use std::time::{Duration, Instant};

fn set(text: &str, format: Format, key: &str, value: &str) -> Result<Edited, ParameterError> {
    set_values(text, format, &[(key.to_owned(), value.to_owned())])
}

/// The text before, the key, the value, and the text after.
type Case = (&'static str, &'static str, &'static str, &'static str);

fn check(format: Format, cases: &[Case]) {
    for (text, key, value, expected) in cases {
        let edited = set(text, format, key, value).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(edited.text, *expected, "{key}={value}");
        let anew = edited.notes.iter().any(|note| note.contains("written anew"));
        assert!(!anew, "{key}={value}: {:?}", edited.notes);
        let after = parse(&edited.text, format).unwrap();
        assert!(after.is_object(), "{after}");
    }
}

#[test]
fn values_of_yaml_are_changed_in_place() {
    check(
        Format::Yaml,
        &[
            ("lr: 0.1\n", "lr", "0.2", "lr: 0.2\n"),
            ("lr: 0.1", "lr", "3e-4", "lr: 0.0003"),
            ("lr: 0.1\n", "lr", "1e-6", "lr: 1.0e-6\n"),
            ("lr: 1e-4 # slow\nb: 2\n", "lr", "0.5", "lr: 0.5 # slow\nb: 2\n"),
            ("# head\n\na: 1 # one\n\nb: 2\n# end\n", "b", "3", "# head\n\na: 1 # one\n\nb: 3\n# end\n"),
            ("model:\n  name: x\n  dim: 8\n", "model.dim", "16", "model:\n  name: x\n  dim: 16\n"),
            ("a:\n    b:\n        c: 1\n    d: 2\n", "a.b.c", "5", "a:\n    b:\n        c: 5\n    d: 2\n"),
            ("a:\n  dim: 1\nb:\n  dim: 2\n", "b.dim", "3", "a:\n  dim: 1\nb:\n  dim: 3\n"),
            ("name: 'old'\n", "name", "new", "name: 'new'\n"),
            ("name: \"old\"\n", "name", "it's", "name: \"it's\"\n"),
            ("name: 'old'\n", "name", "it's", "name: \"it's\"\n"),
            ("name: old\n", "name", "yes please", "name: yes please\n"),
            ("name: old\n", "name", "a: b", "name: \"a: b\"\n"),
            ("name: old\n", "name", "#1", "name: \"#1\"\n"),
            ("name: old\n", "name", "'true'", "name: \"true\"\n"),
            ("flag: false\n", "flag", "true", "flag: true\n"),
            ("flag: no # really\n", "flag", "yes", "flag: true # really\n"),
            ("x: 1\n", "x", "null", "x: null\n"),
            ("x:\ny: 1\n", "x", "5", "x: 5\ny: 1\n"),
            ("x: # none yet\ny: 1\n", "x", "5", "x: 5 # none yet\ny: 1\n"),
            ("x: ~\n", "x", "5", "x: 5\n"),
            ("sizes: [1, 2, 3]\n", "sizes.1", "9", "sizes: [1, 9, 3]\n"),
            ("sizes: [1, 2, 3] # s\n", "sizes", "[4, 5]", "sizes: [4, 5] # s\n"),
            ("sizes:\n  - 1\n  - 2\nb: 1\n", "sizes.0", "7", "sizes:\n  - 7\n  - 2\nb: 1\n"),
            ("sizes:\n- 1 # first\n- 2\n", "sizes[1]", "7", "sizes:\n- 1 # first\n- 7\n"),
            ("sizes:\n  - 1\n  - 2\nb: 1\n", "sizes", "[7]", "sizes: [7]\nb: 1\n"),
            (
                "layers:\n  - size: 8\n    act: relu\n  - size: 4\n",
                "layers.1.size",
                "2",
                "layers:\n  - size: 8\n    act: relu\n  - size: 2\n",
            ),
            ("o: {lr: 0.1, wd: 0}\n", "o.lr", "0.2", "o: {lr: 0.2, wd: 0}\n"),
            ("o: {lr: 0.1,\n    wd: 0} # flow\n", "o.wd", "1", "o: {lr: 0.1,\n    wd: 1} # flow\n"),
            ("\"a b\": 1\n", "a b", "2", "\"a b\": 2\n"),
            ("a.b: 1\n", "a.b", "2", "a.b: 2\n"),
            ("a: &x 1\nb: *x\n", "b", "2", "a: &x 1\nb: 2\n"),
            (
                "base: &b\n  lr: 1\n  wd: 2\nrun:\n  <<: *b\n  wd: 3\n",
                "run.wd",
                "4",
                "base: &b\n  lr: 1\n  wd: 2\nrun:\n  <<: *b\n  wd: 4\n",
            ),
            (
                "base: &b\n  lr: 1\nrun:\n  <<: *b\n",
                "run.lr",
                "4",
                "base: &b\n  lr: 1\nrun:\n  lr: 4\n  <<: *b\n",
            ),
            (
                "base: &b {lr: 1}\nrun: {<<: *b, x: 2}\n",
                "run.lr",
                "4",
                "base: &b {lr: 1}\nrun: {lr: 4, <<: *b, x: 2}\n",
            ),
            ("text: |\n  one\n  two\nb: 1\n", "b", "2", "text: |\n  one\n  two\nb: 2\n"),
            ("text: |\n  one\n  two\nb: 1\n", "text", "short", "text: short\nb: 1\n"),
            ("text: >-\n  one\n  two\n", "text", "short", "text: short\n"),
            ("---\na: 1\n", "a", "2", "---\na: 2\n"),
            ("a: 1\r\nb: 2\r\n", "b", "3", "a: 1\r\nb: 3\r\n"),
            ("n: !!float 1\n", "n", "2.5", "n: !!float 2.5\n"),
            ("path: /data/x\n", "path", "/data/y z", "path: /data/y z\n"),
            ("é: ü # ö\nb: 1\n", "é", "ä", "é: \"ä\" # ö\nb: 1\n"),
            (
                "model:\n  layers:\n    - units: 1\n\n    # second\n    - units: 2\n",
                "model.layers.1.units",
                "3",
                "model:\n  layers:\n    - units: 1\n\n    # second\n    - units: 3\n",
            ),
        ],
    );
}

#[test]
fn values_of_json_are_changed_in_place() {
    check(
        Format::Json,
        &[
            ("{\"lr\": 0.1}", "lr", "0.2", "{\"lr\": 0.2}"),
            (
                "{\n  \"a\": {\"b\": [1, 2]},\n  \"c\": null\n}\n",
                "a.b.1",
                "5",
                "{\n  \"a\": {\"b\": [1, 5]},\n  \"c\": null\n}\n",
            ),
            ("{\t\"a\" : \"x\" }", "a", "y z", "{\t\"a\" : \"y z\" }"),
            ("{\"a\": true, \"b\": 1}", "a", "false", "{\"a\": false, \"b\": 1}"),
            ("{\"a\": {\"b\": 1}, \"c\": 2}", "a", "{b: 2}", "{\"a\": {\"b\":2}, \"c\": 2}"),
            ("{\"a\": \"\\ud83d\\ude00\", \"b\": 1}", "b", "2", "{\"a\": \"\\ud83d\\ude00\", \"b\": 2}"),
            ("{\"a\\\"b\": 1}", "a\"b", "2", "{\"a\\\"b\": 2}"),
            ("{\"a\": [], \"b\": {}}", "a", "[1]", "{\"a\": [1], \"b\": {}}"),
            ("{\"a\": 1, \"a\": 2}", "a", "3", "{\"a\": 1, \"a\": 3}"),
            ("{\"a\": 1}", "a", "say \"hi\"", "{\"a\": \"say \\\"hi\\\"\"}"),
        ],
    );
}

#[test]
fn values_of_toml_are_changed_in_place() {
    check(
        Format::Toml,
        &[
            ("lr = 0.1 # slow\n", "lr", "0.2", "lr = 0.2 # slow\n"),
            (
                "[model]\ndim = 8\n[train]\ndim = 4\n",
                "train.dim",
                "5",
                "[model]\ndim = 8\n[train]\ndim = 5\n",
            ),
            ("a.b = 1\nc = 2\n", "a.b", "3", "a.b = 3\nc = 2\n"),
            ("x = { a = 1, b = \"t\" }\n", "x.b", "u", "x = { a = 1, b = \"u\" }\n"),
            ("sizes = [1, 2]\n", "sizes.0", "9", "sizes = [9, 2]\n"),
            ("sizes = [\n  1, # one\n  2,\n]\n", "sizes.1", "9", "sizes = [\n  1, # one\n  9,\n]\n"),
            (
                "[[layer]]\nsize = 1\n[[layer]]\nsize = 2\n",
                "layer.1.size",
                "3",
                "[[layer]]\nsize = 1\n[[layer]]\nsize = 3\n",
            ),
            ("name = 'old'\n", "name", "new", "name = \"new\"\n"),
            ("flag = true\n", "flag", "false", "flag = false\n"),
            ("text = \"\"\"\na\nb\"\"\"\nz = 1\n", "text", "c", "text = \"c\"\nz = 1\n"),
            ("lr = 1e-3\n", "lr", "1e-9", "lr = 1e-9\n"),
            ("day = 2024-01-01\nn = 1\n", "n", "2", "day = 2024-01-01\nn = 2\n"),
        ],
    );
}

#[test]
fn what_cannot_be_changed_in_place_is_written_anew_and_says_so() {
    let alias = "base: &b\n  lr: 1 # one\nrun: *b\n";
    let edited = set(alias, Format::Yaml, "run.lr", "2").unwrap();
    assert_eq!(edited.text, "base:\n  lr: 1\nrun:\n  lr: 2\n");
    assert!(edited.notes.iter().any(|note| note.contains("written anew")), "{:?}", edited.notes);
    // Others refer to it, and stay what they were.
    let anchor = set("a: &x 1\nb: *x\n", Format::Yaml, "a", "2").unwrap();
    assert_eq!(parse(&anchor.text, Format::Yaml).unwrap(), json!({"a": 2, "b": 1}));
    let table = set("[model]\ndim = 8\n", Format::Toml, "model", "{dim: 9}").unwrap_err();
    assert_eq!(table.to_string(), "cannot set `model`: it is a table of TOML; set its keys");
    let null = set("a = 1\n", Format::Toml, "a", "null").unwrap_err();
    assert_eq!(null.to_string(), "cannot set `a`: TOML has no null");
}

#[test]
fn a_change_of_the_type_is_noted() {
    let edited = set("a: text\n", Format::Yaml, "a", "1").unwrap();
    assert_eq!(edited.notes, ["`a` was a text and is a number now"]);
    assert!(set("a: 1\n", Format::Yaml, "a", "1").unwrap().notes.is_empty());
}

#[test]
fn unknown_keys_name_near_ones() {
    let text = "model:\n  learning_rate: 1\n  layers: [1]\nseed: 1\n";
    for (key, expected) in [
        ("model.lr", "there is no parameter `model.lr`; did you mean `model.learning_rate`?"),
        ("learning_rate", "there is no parameter `learning_rate`; did you mean `model.learning_rate`?"),
        ("sed", "there is no parameter `sed`; did you mean `seed`?"),
        ("model.layers.3", "there is no parameter `model.layers.3`"),
        ("qqq", "there is no parameter `qqq`"),
        ("a..b", "there is no parameter `a..b`"),
    ] {
        assert_eq!(set(text, Format::Yaml, key, "2").unwrap_err().to_string(), expected, "{key}");
    }
}

#[test]
fn yaml_is_read_as_its_users_read_it() {
    for (text, expected) in [
        ("a: 1e-4", json!({"a": 1e-4})),
        ("a: yes\nb: Off", json!({"a": true, "b": false})),
        ("a: 017\nb: 0o17\nc: 0x1F\nd: 1_000", json!({"a": 15, "b": 15, "c": 31, "d": 1000})),
        ("a: .inf\nb: 1.2.3\nc: 12:30", json!({"a": ".inf", "b": "1.2.3", "c": "12:30"})),
        ("a: -0.5\nb: +3\nc: -7", json!({"a": -0.5, "b": 3, "c": -7})),
        ("a: 2024-01-01", json!({"a": "2024-01-01"})),
        ("a: !!str 1", json!({"a": "1"})),
        ("- 1\n- a: 2", json!([1, {"a": 2}])),
        ("", json!(null)),
        ("# only a comment\n", json!(null)),
        ("a: ${b.c}", json!({"a": "${b.c}"})),
        ("a: &x {b: 1}\nc: *x", json!({"a": {"b": 1}, "c": {"b": 1}})),
        (
            "x: &x {a: 1, b: 2}\ny: &y {c: 3}\nz:\n  <<: [*x, *y]\n  b: 5",
            json!({"x": {"a": 1, "b": 2}, "y": {"c": 3}, "z": {"b": 5, "a": 1, "c": 3}}),
        ),
    ] {
        assert_eq!(parse(text, Format::Yaml).unwrap(), expected, "{text}");
    }
    for text in ["a: [1", "a: b: c", "a: 1\n---\nb: 2\n", "a: *b", "a: &a [*a]"] {
        assert!(parse(text, Format::Yaml).is_err(), "{text}");
    }
}

#[test]
fn keys_keep_their_order() {
    for (text, format) in [
        ("z: 1\na: 2\nm: 3\n", Format::Yaml),
        ("{\"z\": 1, \"a\": 2, \"m\": 3}", Format::Json),
        ("z = 1\na = 2\nm = 3\n", Format::Toml),
    ] {
        let value = parse(text, format).unwrap();
        let keys: Vec<&String> = value.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["z", "a", "m"], "{text}");
    }
}

#[test]
fn a_bomb_of_aliases_is_refused() {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for at in 1..12 {
        let list = vec![format!("*a{}", at - 1); 10].join(", ");
        text.push_str(&format!("a{at}: &a{at} [{list}]\n"));
    }
    assert!(parse(&text, Format::Yaml).unwrap_err().contains("more than"));
}

/// Texts of the worst shapes, of some `size` bytes.
fn worst(size: usize) -> Vec<(String, Format)> {
    let lines: String = (0..size / 12).map(|at| format!("k{at} = {at}\n")).collect();
    vec![
        ("a: 1\n".repeat(size / 5), Format::Yaml),
        ("[".repeat(size), Format::Yaml),
        ("- ".repeat(size / 2), Format::Yaml),
        ("a:\n".repeat(size / 3), Format::Yaml),
        (format!("[{}]", "{a: b}, ".repeat(size / 8)), Format::Yaml),
        ("[".repeat(size), Format::Json),
        (format!("{{\"a\":[{}1]}}", "1,".repeat(size / 2)), Format::Json),
        ("[".repeat(size), Format::Toml),
        (format!("a = [{}]", "1, ".repeat(size / 3)), Format::Toml),
        (lines, Format::Toml),
        ("\"".repeat(size), Format::Yaml),
        ("? ".repeat(size / 2), Format::Yaml),
        ("&a ".repeat(size / 3), Format::Yaml),
    ]
}

#[test]
fn four_times_the_text_takes_some_four_times_as_long() {
    let time = |text: &str, format: Format| {
        let start = Instant::now();
        let _ = parse(text, format);
        start.elapsed()
    };
    for ((small, format), (large, _)) in worst(48 << 10).iter().zip(&worst(192 << 10)) {
        let (first, second) = (time(small, *format), time(large, *format));
        // A square would be sixteen times; a busy machine adds to either.
        let most = first * 11 + Duration::from_millis(500);
        assert!(second < most, "{first:?} and {second:?} for {}", &small[..8]);
    }
}

#[test]
fn typed_values_are_scalars_or_in_brackets() {
    for (text, expected) in [
        ("1", json!(1)),
        ("0.1", json!(0.1)),
        ("true", json!(true)),
        ("null", json!(null)),
        ("x", json!("x")),
        ("[1, a]", json!([1, "a"])),
        ("{a: 1}", json!({"a": 1})),
        ("a: 1", json!("a: 1")),
        ("- 1", json!("- 1")),
        ("", json!("")),
        ("[1", json!("[1")),
        ("'1'", json!("1")),
        ("a #b", json!("a #b")),
        ("*x", json!("*x")),
    ] {
        assert_eq!(typed_value(text), expected, "{text}");
    }
}

/// A configuration with tables, lists and scalars.
fn any_config() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        (-1e6..1e6_f64).prop_map(Value::from),
        "[ -~äß]{0,12}".prop_map(Value::from),
        Just(Value::Null),
    ];
    let inner = scalar.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 1..4).prop_map(Value::Array),
            proptest::collection::vec(("[a-z]{1,5}", inner), 1..4)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    });
    proptest::collection::vec(("[a-z]{1,6}", inner), 1..6)
        .prop_map(|entries| Value::Object(entries.into_iter().collect()))
}

fn written(value: &Value, format: Format) -> String {
    match format {
        Format::Json => serde_json::to_string_pretty(value).unwrap(),
        Format::Yaml => render::whole_yaml(value),
        Format::Toml => {
            let table = value.as_object().unwrap().iter();
            table
                .filter_map(|(key, value)| {
                    Some(format!("{key} = {}\n", render::inline(value, Format::Toml, tree::Layout::Plain)?))
                })
                .collect()
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_text_can_be_read_and_changed(text in "([a-z0-9_.]{1,4}|[:{}\\[\\]'\"#&*!|>,=<~ \n\t-]|: |- |<<|\\|\n  |é|\r\n){0,60}", key in "[a-z0-9.]{1,6}", value in "[ -~]{0,8}") {
        for format in [Format::Yaml, Format::Json, Format::Toml] {
            let _ = parse(&text, format);
            if let Ok(edited) = set(&text, format, &key, &value) {
                prop_assert!(parse(&edited.text, format).is_ok());
            }
        }
    }

    #[test]
    fn a_change_is_of_that_value_alone(value in any_config(), at in any::<proptest::sample::Index>(), new in "[ -~é]{0,10}") {
        for format in [Format::Yaml, Format::Json, Format::Toml] {
            let text = written(&value, format);
            let before = parse(&text, format).unwrap();
            if format == Format::Yaml || format == Format::Json {
                prop_assert_eq!(&before, &value);
            }
            let root = format.tree(&text).unwrap();
            let paths: Vec<String> = tree::paths(&root, 1_000).into_iter().filter(|path| !path.is_empty()).collect();
            let Some(path) = (!paths.is_empty()).then(|| at.get(&paths)) else { continue };
            let Ok(edited) = set(&text, format, path, &new) else { continue };
            let after = parse(&edited.text, format).unwrap();
            let key = KeyPath::parse(path).unwrap();
            let changed = format.tree(&edited.text).unwrap();
            prop_assert_eq!(tree::find(&changed, &key).unwrap().edge.node.value(), typed_value(&new));
            // Everything else is as before.
            let restored = set(&edited.text, format, path, &tree::find(&root, &key).unwrap().edge.node.value().to_string());
            if let Ok(restored) = restored {
                let again = parse(&restored.text, format).unwrap();
                let same_leaves = |value: &Value| crate::declared::leaves(value, "").into_iter().map(|leaf| leaf.path).collect::<Vec<_>>();
                prop_assert_eq!(same_leaves(&again).len(), same_leaves(&before).len());
            }
            prop_assert!(after.is_object());
        }
    }
}
