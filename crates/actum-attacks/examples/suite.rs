//! Runs the suite under one of the runners and prints the matrix.
//!
//! `cargo run -p actum-attacks --example suite -- bare|bubblewrap|/path/to/actum [--user NAME] [--group GROUP | ID...]`

use actum_attacks::{Filter, Options, Runner, Verdict, run};
use std::{env, error::Error, io::Write};

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = env::args().skip(1);
    let runner = match words.next().as_deref() {
        Some("bare") => Runner::Bare,
        Some("bubblewrap") | None => Runner::Bubblewrap,
        Some(binary) => Runner::Actum { binary: binary.into(), prefix: Vec::new(), flags: Vec::new() },
    };
    let mut options = Options::new(runner);
    let mut ids = Vec::new();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--user" => options.as_user = words.next(),
            "--group" => options.filter = Filter::Group(words.next().unwrap_or_default()),
            _ => ids.push(word),
        }
    }
    if !ids.is_empty() {
        options.filter = Filter::Ids(ids);
    }
    let mut screen = std::io::stdout();
    let matrix = run(&options, &mut |progress| {
        let (word, detail) = match &progress.row.verdict {
            Verdict::Held { detail } => ("held", detail),
            Verdict::Achieved { evidence } => ("ACHIEVED", evidence),
            Verdict::Skipped { why } => ("skipped", why),
            Verdict::NotStarted { said, .. } => ("NOT RUN", said),
        };
        let (id, took) = (&progress.row.id, progress.row.milliseconds);
        let _ = writeln!(screen, "{word:9} {id:28} {took:6} ms  {detail}");
    })?;
    let counts = (matrix.achieved().count(), matrix.held().count(), matrix.skipped().count());
    writeln!(screen, "achieved {}, held {}, skipped {}", counts.0, counts.1, counts.2)?;
    Ok(())
}
