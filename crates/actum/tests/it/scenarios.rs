//! Claims about programs that really ran, as agents write them: `tests/scenarios` has a folder for each, with the program, the
//! lines that set it up, and what is right about each sentence.
//!
//! They were written by people who did not know the rules, and the labels are theirs, also where Actum judges nothing by now: then it is
//! silent, which is no fault. What is counted as one is a message that is believed or accused wrongly. `claims.txt` has a case on each line, `status | kind | text`, with `\n` for
//! the end of a line and `¦` for the bar of a table; a kind of `-` claims nothing.

use crate::world::{Caller, World};
use serde_json::Value;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

/// From harmless to worst.
const ORDER: [&str; 6] = ["not judged", "verified", "stale", "ambiguous", "unsupported", "contradicted"];

/// What came of all cases. What is neither right nor false is silent: nothing is said, or that it is not known.
#[derive(Default)]
struct Tally {
    all: u32,
    right: u32,
    /// Everything in a message is said to hold, and it does not.
    false_verified: u32,
    /// A message is accused, and what it says is so, or cannot be known.
    false_contradicted: u32,
    told: String,
}

#[test]
fn sentences_about_programs_that_ran_are_judged_as_people_judge_them() {
    let mut tally = Tally::default();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios");
    let mut scenarios: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    scenarios.sort();
    for scenario in scenarios {
        let Some(world) = World::new(Caller::Root) else { return };
        set_up(&world, &scenario);
        let cases = std::fs::read_to_string(scenario.join("claims.txt")).unwrap();
        let cases =
            cases.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty() && !line.starts_with('#'));
        for (line, number) in cases {
            let place = format!("{}:{number}", scenario.file_name().unwrap().to_string_lossy());
            hold(&world, line, &place, &mut tally);
        }
    }
    let Tally { all, right, false_verified, false_contradicted, told } = tally;
    let summary = format!(
        "{all} sentences: {right} right, {false_verified} false verified, {false_contradicted} false contradicted"
    );
    println!("{summary}\n{told}");
    assert!(all >= 400, "{summary}");
    assert!(right >= 205, "{summary}\n{told}");
    assert!(false_verified + false_contradicted == 0, "{summary}\n{told}");
}

fn set_up(world: &World, scenario: &Path) {
    let all = format!("{}/.", scenario.display());
    assert!(Command::new("cp").arg("-r").arg(all).arg(world.workspace()).status().unwrap().success());
    for name in ["setup.txt", "claims.txt"] {
        std::fs::remove_file(world.workspace().join(name)).unwrap();
    }
    for line in std::fs::read_to_string(scenario.join("setup.txt")).unwrap().lines() {
        match line.strip_prefix("actum ") {
            Some(line) => drop(world.actum_with(&line.split(' ').collect::<Vec<_>>()).without_report().go()),
            None => {
                let done = Command::new("bash").args(["-c", line]).current_dir(world.workspace()).status();
                assert!(done.unwrap().success(), "{line}");
            }
        }
    }
}

fn hold(world: &World, line: &str, place: &str, tally: &mut Tally) {
    let parts: Vec<&str> = line.splitn(3, " | ").map(str::trim).collect();
    let [status, kind, text] = parts[..] else { panic!("{place}: {line}") };
    let message = world.path("message.md");
    world.make_file(&message, &text.replace("\\n", "\n").replace('¦', "|"));
    let done = world.actum_with(&["claims", message.to_str().unwrap(), "--json"]).without_report().go();
    let found: Value = serde_json::from_str(&done.out()).unwrap_or_else(|_| panic!("{place}: {done}"));
    let findings = found["findings"].as_array().unwrap();
    let of = |finding: &Value, field: &str| finding[field].as_str().unwrap().to_owned();
    let all: Vec<(String, String)> =
        findings.iter().map(|finding| (of(finding, "kind"), of(finding, "status"))).collect();
    let judged: Vec<&(String, String)> = all.iter().filter(|(_, status)| status != "not judged").collect();
    let rank = |status: &str| ORDER.iter().position(|one| *one == status).unwrap();
    let is_right = if kind == "-" || status == "not judged" {
        judged.is_empty()
    } else {
        let same: Vec<&String> =
            judged.iter().filter(|(of, _)| of == kind).map(|(_, status)| status).collect();
        let all: Vec<&String> = judged.iter().map(|(_, status)| status).collect();
        let meant = if same.is_empty() { &all } else { &same };
        meant.iter().any(|one| *one == status) && all.iter().all(|one| rank(one) <= rank(status))
    };
    let has = |wanted: &str| all.iter().any(|(_, status)| status == wanted);
    let is_verified = all.iter().all(|(_, status)| status == "verified") && !all.is_empty();
    tally.all += 1;
    tally.right += u32::from(is_right);
    let is_false_verified = !is_right && is_verified && status != "verified";
    let is_false_contradicted = !is_right && has("contradicted") && status != "contradicted";
    tally.false_verified += u32::from(is_false_verified);
    tally.false_contradicted += u32::from(is_false_contradicted);
    if is_false_verified || is_false_contradicted {
        let _ = writeln!(tally.told, "{place} wants {status} {kind}: {text}\n    {all:?}");
    }
}
