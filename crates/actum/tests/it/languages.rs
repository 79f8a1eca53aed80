//! Every language that this machine has: the same seven programs, and the whole report of each as a snapshot.
//!
//! What each program should do is told here once. A language whose runtime is not here is said as a skip. Snapshots are
//! accepted with `INSTA_UPDATE=always`, after reading them.

use crate::leftovers::marked;
use crate::run::{Done, within};
use crate::samples::{SAMPLES, Sample};
use crate::world::{Caller, World};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// What a program is asked for, and what must come of it whatever the language.
struct Case {
    name: &'static str,
    code: fn(&Sample) -> &'static str,
    flags: &'static [&'static str],
    arguments: &'static [&'static str],
    stdin: &'static [u8],
    check: fn(&Sample, &Done),
}

const CASES: &[Case] = &[
    Case {
        name: "hello",
        code: |sample| sample.hello,
        check: |sample, done| {
            assert_eq!(done.out(), format!("hello from {}\n", sample.language), "{done}");
            assert_eq!(done.code(), 0, "{done}");
        },
        ..PLAIN
    },
    Case {
        name: "arguments",
        code: |sample| sample.arguments,
        arguments: &["one", "two words", "--three=3", ""],
        check: |_, done| assert_eq!(done.out(), "[one]\n[two words]\n[--three=3]\n[]\n", "{done}"),
        ..PLAIN
    },
    Case {
        name: "stdin",
        code: |sample| sample.stdin,
        stdin: b"some words\nand more\n",
        check: |_, done| assert_eq!(done.out(), "SOME WORDS\nAND MORE\n", "{done}"),
        ..PLAIN
    },
    Case {
        name: "failing",
        code: |sample| sample.failing,
        check: |_, done| {
            assert_eq!(done.out().lines().next(), Some("before"), "{done}");
            assert_ne!(done.code(), 0, "{done}");
            let errors = done.told("/analysis/errors").to_string();
            assert!(errors.contains("broken on purpose"), "{errors}\n{done}");
        },
        ..PLAIN
    },
    Case {
        name: "syntax-error",
        code: |sample| sample.syntax_error,
        check: |_, done| {
            assert!(!done.out().contains("never"), "{done}");
            assert_ne!(done.code(), 0, "{done}");
            assert!(!done.told("/analysis/errors").as_array().unwrap().is_empty(), "{done}");
        },
        ..PLAIN
    },
    Case {
        name: "timeout",
        code: |sample| sample.forever,
        flags: &["--grace", "200ms"],
        check: |_, done| {
            assert_eq!(done.code(), 124, "{done}");
            assert_eq!(done.out(), "started\n", "{done}");
            assert_eq!(done.told("/outcome"), "timeout", "{done}");
        },
        ..PLAIN
    },
    Case {
        name: "bytes",
        code: |sample| sample.bytes,
        check: |_, done| {
            let expected = ["grüße 🌍\n".as_bytes(), &[0, 255, 128, 10]].concat();
            assert_eq!(done.stdout, expected, "{done}");
            assert_eq!(done.told("/result/streams/stdout/lossy"), true, "{done}");
        },
        ..PLAIN
    },
];

const PLAIN: Case =
    Case { name: "", code: |sample| sample.hello, flags: &[], arguments: &[], stdin: b"", check: |_, _| {} };

/// One test a language, so that they run beside each other and a failure names its language.
macro_rules! languages {
    ($($test:ident $language:literal),* $(,)?) => {
        $(#[test] fn $test() { try_language($language); })*

        #[test]
        fn every_sample_is_tried() {
            let tried = [$($language),*];
            for sample in SAMPLES {
                assert!(tried.contains(&sample.language), "{} is never run", sample.language);
            }
        }
    };
}

languages! {
    python "python", bash "bash", javascript "javascript", typescript "typescript", ruby "ruby", perl "perl", php "php",
    lua "lua", r "r", julia "julia", go "go", rust "rust", c "c", cpp "cpp", java "java",
}

fn try_language(name: &str) {
    let sample = SAMPLES.iter().find(|sample| sample.language == name).unwrap();
    let path = search_path();
    let found =
        path.split(':').map(|folder| Path::new(folder).join(sample.runtime)).find(|path| path.exists());
    let Some(found) = found else {
        return actum_testkit::skip(&format!("{name} needs {}", sample.runtime));
    };
    // A runtime in root's home is root's alone.
    let caller = if found.starts_with("/root") { Caller::Root } else { Caller::Ordinary };
    let Some(world) = World::new(caller) else { return };
    for case in CASES {
        let file = if name == "java" {
            "Main.java".to_owned()
        } else {
            format!("{}.{}", case.name, sample.extension)
        };
        world.make_file(&world.workspace().join(&file), (case.code)(sample));
        let run = world.source(&file, case.arguments).flags(case.flags).variable("PATH", &path);
        let run = if case.name == "timeout" { run.flags(&["--timeout", timeout(name)]) } else { run };
        let run = if case.stdin.is_empty() { run } else { run.stdin(case.stdin) };
        let done = run.go();
        (case.check)(sample, &done);
        // Other tests run beside this one, so only what carries its own mark counts.
        let is_clean = within(Duration::from_secs(10), || marked(&done.marker).is_empty());
        assert!(is_clean, "processes are left: {:?}\n{done}", marked(&done.marker));
        let report = redacted(done.report.clone().unwrap(), &world);
        let shown = serde_json::to_string_pretty(&report).unwrap();
        insta::with_settings!({ snapshot_path => "snapshots/languages", prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(format!("{name}-{}", case.name), shown);
        });
    }
}

/// Long enough for it to start on a busy computer, its compiler included.
fn timeout(language: &str) -> &'static str {
    match language {
        "go" | "rust" | "java" | "typescript" | "c" | "cpp" => "15s",
        _ => "5s",
    }
}

/// The system's programs, and where a test machine keeps compilers that are no package.
fn search_path() -> String {
    let more = std::env::var("ACTUM_TEST_PATH").unwrap_or_default();
    let system = crate::world::PATH;
    if more.is_empty() { system.to_owned() } else { format!("{system}:{more}") }
}

/// What differs from run to run and from machine to machine has a word in its place.
fn redacted(mut report: Value, world: &World) -> Value {
    let run = report["run"].as_str().unwrap().to_owned();
    let text = report.to_string();
    let (folder, workspace) = (world.path(""), world.workspace());
    let text = text.replace(&run, "<run>").replace(&run[24..], "<run>");
    let text = text.replace(workspace.to_str().unwrap(), "<workspace>");
    let text = text.replace(folder.to_str().unwrap().trim_end_matches('/'), "<world>");
    let more = std::env::var("ACTUM_TEST_PATH").unwrap_or_default();
    // The folder that a tool's `bin` lies in.
    let tools = more.split(':').filter_map(|folder| Path::new(folder).parent()?.to_str());
    let text = tools.fold(text, |text, tools| text.replace(tools, "<tools>"));
    report = serde_json::from_str(&text).unwrap();
    // Where it stands in the log, and whose key signed, is another matter each time.
    let evidence = report.as_object_mut().unwrap().remove("evidence").unwrap();
    assert_eq!(evidence["level"], "E2", "{evidence}");
    for (pointer, word) in [
        ("/result/duration", "<duration>"),
        // Messages name the file by its whole path, which has another length each time.
        ("/result/streams/stderr/bytes", "<bytes>"),
        ("/result/streams/stderr/sha256", "<digest>"),
        ("/execution/started_at", "<time>"),
        ("/execution/completed_at", "<time>"),
        ("/execution/actum", "<version>"),
        ("/environment/system", "<system>"),
        ("/environment/runtime/path", "<path>"),
        ("/environment/runtime/version", "<version>"),
        ("/environment/compiled/took", "<duration>"),
        ("/environment/variables", "<variables>"),
        ("/resources", "<resources>"),
        ("/confinement", "<confinement>"),
        ("/request/limits", "<limits>"),
    ] {
        if let Some(value) = report.pointer_mut(pointer) {
            *value = json!(word);
        }
    }
    for used in ["/result/ending/used/seconds", "/recovery/steps/0/ending/used/seconds"] {
        if let Some(used) = report.pointer_mut(used) {
            *used = json!("<duration>");
        }
    }
    // Addresses, process and thread numbers, and times inside what runtimes print.
    redact_numbers(&mut report);
    report
}

fn redact_numbers(value: &mut Value) {
    match value {
        Value::String(text) => *text = without_numbers(text),
        Value::Array(items) => items.iter_mut().for_each(redact_numbers),
        Value::Object(fields) => fields.values_mut().for_each(redact_numbers),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Hexadecimal addresses and the seconds of a sentence.
fn without_numbers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("0x") {
        let digits = rest[at + 2..].chars().take_while(char::is_ascii_hexdigit).count();
        out.push_str(&rest[..at]);
        out.push_str(if digits > 4 { "<address>" } else { &rest[at..at + 2 + digits] });
        rest = &rest[at + 2 + digits..];
    }
    out.push_str(rest);
    seconds(&out)
}

/// `in 0.123s`, `after 12.004s` and their kin.
fn seconds(text: &str) -> String {
    let words: Vec<String> = text
        .split(' ')
        .map(|word| {
            let number = word
                .trim_end_matches([',', ';', ':', '.', ')'])
                .strip_suffix('s')
                .map(|word| word.trim_end_matches('m'));
            let is_time = number.is_some_and(|number| number.contains('.') && number.parse::<f64>().is_ok());
            let is_millis = word
                .trim_end_matches([',', ';', ':'])
                .strip_suffix("ms")
                .is_some_and(|number| number.parse::<u64>().is_ok());
            if is_time || is_millis { "<duration>".to_owned() } else { word.to_owned() }
        })
        .collect();
    words.join(" ")
}
