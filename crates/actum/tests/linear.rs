//! Every parser of foreign text takes time that grows with the text and not with its square, whatever its shape.
//!
//! Processor time is measured, not the clock, so that a busy machine changes nothing; and growth is compared, so that a slow
//! build does not either. Four times the text may take up to ten times as long; quadratic time would be sixteen.

#![allow(clippy::unwrap_used, reason = "tests: what goes wrong here should be loud")]

use rustix::time::{ClockId, clock_gettime};

const SMALL: usize = 48 << 10;
const LARGE: usize = 4 * SMALL;
const MOST_GROWTH: f64 = 10.0;
/// Less than this, in seconds, is mostly noise.
const NOISE: f64 = 0.04;
/// What a mebibyte may take in a release build is a second; this is a fifth of one in a build without optimisation.
const MOST: f64 = 12.0;

type Parser = (&'static str, fn(&str));

const PARSERS: &[Parser] = &[
    ("project file", |text| actum::foreign::project_file(text)),
    ("project file, patterns", |text| {
        actum::foreign::project_file(&format!("[redact]\npatterns = [{text:?}]\n"));
    }),
    ("front matter", |text| actum::foreign::front_matter(&format!("---\nexpect:\n  {text}\n---\n"))),
    ("task list", |text| actum::foreign::task_list(text.as_bytes())),
    ("task list, one task", |text| {
        let text = serde_json::to_string(text).unwrap();
        let task =
            format!("[{{\"id\": {text}, \"action\": {text}, \"agent_responses\": {{\"a\": {text}}}}}]");
        actum::foreign::task_list(task.as_bytes());
    }),
    ("hook event", |text| actum::foreign::hook_event(text.as_bytes())),
    ("hook event, command", |text| {
        let text = serde_json::to_string(text).unwrap();
        let event = format!("{{\"tool_name\": \"Bash\", \"tool_input\": {{\"command\": {text}}}}}");
        actum::foreign::hook_event(event.as_bytes());
    }),
    ("makefile", |text| actum::foreign::makefile(text)),
    ("journal", |text| actum_run::foreign::journal(text.as_bytes())),
    ("session", |text| actum_run::foreign::session_frames(text.as_bytes())),
    ("declared", |text| actum_run::foreign::declared(text)),
    (".env", |text| actum_run::foreign::dotenv(text.as_bytes())),
    ("shell", |text| actum_run::foreign::shell(text)),
    ("SQL", |text| actum_run::foreign::sql(text)),
    ("language", |text| actum_run::foreign::language(text.as_bytes())),
    ("expectation", |text| {
        let load = |_: &str| Ok("{}".to_owned());
        let settings = actum_judge::Settings { tolerance: 0.0, load: &load };
        let _ = actum_judge::line(text, &settings);
        let _ = actum_judge::cases_of_table("cases.csv", text);
        let _ = actum_judge::cases_of_table("cases.toml", text);
    }),
    ("bundle", |text| drop(actum_store::bundle::verify(text.as_bytes(), &[]))),
    ("shown", |text| drop(actum::foreign::shown(text))),
];

/// Repeated to the size that is asked for.
const SHAPES: &[&str] = &[
    "a ",
    "[",
    "{",
    "(",
    "{\"a\":",
    "[[a]]\n",
    "[a.b]\n",
    "a.",
    "\"",
    "'",
    "`",
    "\\",
    "\n",
    "\t",
    "# ",
    "- ",
    "? ",
    "- - ",
    "&a ",
    "*a ",
    "a: ",
    "a = 1\n",
    "a=",
    "a:\n ",
    "|",
    "||",
    "&&",
    ";",
    "$(",
    "${a",
    "<<a\n",
    "/*",
    "--",
    "\u{1b}[",
    "\u{202e}",
    "\0",
    "9",
    "1,",
    "%",
    "a\\\n",
    "a: b\n\t",
    "SELECT ",
    "$$",
    "\\g",
    "[\"a\",",
    "{\"id\":\"a\"},",
    "é",
];

fn seconds(parse: fn(&str), text: &str) -> f64 {
    let now = || clock_gettime(ClockId::ThreadCPUTime);
    let before = now();
    parse(text);
    let after = now();
    (after.tv_sec - before.tv_sec) as f64 + (after.tv_nsec - before.tv_nsec) as f64 / 1e9
}

#[test]
fn no_shape_takes_quadratic_time() {
    let mut slow = Vec::new();
    for (name, parse) in PARSERS {
        for shape in SHAPES {
            let text = shape.repeat(LARGE / shape.len());
            if seconds(*parse, &text) < NOISE {
                continue;
            }
            // Once more: the first time tables may have been built that every later call uses.
            let large = seconds(*parse, &text);
            let small = seconds(*parse, &shape.repeat(SMALL / shape.len()));
            if large > MOST || large / small > MOST_GROWTH {
                slow.push(format!(
                    "{name}, {shape:?}: {small:.3} s, then {large:.3} s for four times as much"
                ));
            }
        }
    }
    assert!(slow.is_empty(), "{}", slow.join("\n"));
}
