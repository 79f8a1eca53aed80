//! Measures recognition on labelled texts: how often it agrees, asks, or is wrong.
//!
//! `cargo run -p actum-run --example recognise -- FILE... [--wrong]`, where each line of a file is a JSON object with
//! `language` and `code`. A text of a language that is not in the table is recognised rightly where none is named.

use actum_languages::recognise::{Recognised, Scores, Unlabelled};
use actum_languages::{Language, Languages};
use std::collections::BTreeMap;
use std::error::Error;
use std::io::Write;

#[derive(Default)]
struct Counts {
    agreed: u32,
    asked: u32,
    wrong: u32,
}

fn main() -> Result<(), Box<dyn Error>> {
    let (flags, files): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|word| word.starts_with("--"));
    let languages = Languages::builtin();
    let mut counts: BTreeMap<String, Counts> = BTreeMap::new();
    let mut screen = std::io::stdout();
    for file in files {
        for line in std::fs::read_to_string(file)?.lines() {
            let row: serde_json::Value = serde_json::from_str(line)?;
            let text = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
            let (label, code, id) = (text("language"), text("code"), text("id"));
            let meant = languages.called(&label);
            let (verdict, said) = judge(&languages, meant, &code);
            let name = meant.map_or("(others)", |language| &language.name);
            let count = counts.entry(name.to_owned()).or_default();
            match verdict {
                "agreed" => count.agreed += 1,
                "asked" => count.asked += 1,
                _ => count.wrong += 1,
            }
            if flags.contains(&format!("--{verdict}")) {
                let scores = Scores::of(&languages, code.as_bytes());
                let best: Vec<_> = scores.points().into_iter().take(4).collect();
                let head: String = code.chars().take(400).collect();
                writeln!(screen, "=== {verdict} {label} as {said} {best:?} {id}\n{head}")?;
            }
        }
    }
    let mut all = Counts::default();
    for (name, count) in &counts {
        writeln!(
            screen,
            "{name:12} agreed {:5}  asked {:4}  wrong {:3}",
            count.agreed, count.asked, count.wrong
        )?;
        all.agreed += count.agreed;
        all.asked += count.asked;
        all.wrong += count.wrong;
    }
    let total = f64::from(all.agreed + all.asked + all.wrong) / 100.0;
    let percent = |count: u32| f64::from(count) / total;
    let shares = (percent(all.agreed), percent(all.asked), percent(all.wrong));
    writeln!(
        screen,
        "all: agreed {:.1} %, asked {:.1} %, wrong {:.2} % of {total}00",
        shares.0, shares.1, shares.2
    )?;
    Ok(())
}

fn judge(languages: &Languages, meant: Option<&Language>, code: &str) -> (&'static str, String) {
    match languages.recognise(Unlabelled { name: None, code: code.as_bytes() }) {
        Recognised::One { language, .. } => {
            let same = meant.is_some_and(|meant| meant.name == language.name || is_shell(meant, language));
            (if same { "agreed" } else { "wrong" }, language.name.clone())
        }
        Recognised::Ambiguous(list) => {
            ("asked", list.iter().map(|one| one.name.as_str()).collect::<Vec<_>>().join("|"))
        }
        Recognised::Script(shebang) => ("wrong", shebang.name().to_owned()),
        // Of a language in the table it means that the user is asked, of another one that it is right.
        Recognised::Foreign(title) => (if meant.is_none() { "agreed" } else { "asked" }, title.to_owned()),
        Recognised::Unknown => (if meant.is_none() { "agreed" } else { "asked" }, "unknown".to_owned()),
    }
}

/// Bash runs what is written for the POSIX shell, so taking one for the other is no mistake.
fn is_shell(one: &Language, other: &Language) -> bool {
    [one, other].iter().all(|language| ["sh", "bash"].contains(&language.name.as_str()))
}
