//! Runs a small program without Actum, to know whether it works at all.
//!
//! Some solutions in public sets are wrong, or were cut off in the middle. What fails here by its own doing must not succeed
//! there: that would be a repair that nobody asked for.

use super::attempt::{cannot_write, wait};
use super::sample::{Known, Sample};
use crate::check::metadata;
use crate::error::Error;
use crate::test::tools;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// The longest of these takes seconds.
const LONGEST: Duration = Duration::from_secs(60);
/// What tells that the machine is at fault and not the program.
const NOT_HERE: [&str; 4] =
    ["Cannot find module", "MODULE_NOT_FOUND", "command not found", "No module named"];

/// What can be known about a program by running it, in a folder that is its own.
pub fn known(sample: &Sample, place: &Path) -> Result<Known, Error> {
    let Some(line) = line(sample.file) else { return Ok(Known::Untried) };
    fs::create_dir_all(place).map_err(cannot_write(place))?;
    let program = place.join(sample.file);
    fs::write(&program, &sample.text).map_err(cannot_write(&program))?;
    let said = place.join("said");
    let out = File::create(&said).map_err(cannot_write(&said))?;
    let path = format!("{}:{}", tools::search_path()?, std::env::var("PATH").unwrap_or_default());
    let mut command = Command::new("sh");
    command.args(["-c", line]).current_dir(place).stdin(Stdio::null()).stdout(Stdio::null()).stderr(out);
    command
        .env("PATH", path)
        .env("NODE_PATH", format!("{}/test-tools/node_modules", metadata::target_folder()?));
    let not_started = |source| Error::Start { command: line.to_owned(), source };
    let mut child = command.spawn().map_err(not_started)?;
    let status = wait(&mut child, LONGEST).map_err(not_started)?;
    let said = String::from_utf8_lossy(&fs::read(&said).unwrap_or_default()).into_owned();
    let _ = fs::remove_dir_all(place);
    Ok(judge(status.code(), &said))
}

fn judge(code: Option<i32>, said: &str) -> Known {
    match code {
        Some(0) => Known::Right,
        Some(127) => Known::Untried,
        Some(_) | None if NOT_HERE.iter().any(|words| said.contains(words)) => Known::Untried,
        Some(_) | None => Known::Wrong,
    }
}

/// As a person would run it.
fn line(file: &str) -> Option<&'static str> {
    let lines = [
        ("program.py", "python3 program.py"),
        ("program.js", "node program.js"),
        ("program.ts", "tsx program.ts"),
        ("Main.java", "javac -d . Main.java && java -cp . Main"),
        ("program.cpp", "g++ -o program program.cpp && ./program"),
        ("program.rb", "ruby program.rb"),
        ("program.php", "php program.php"),
    ];
    lines.iter().find(|(name, _)| *name == file).map(|(_, line)| *line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_wrong_only_where_the_machine_is_not() {
        assert_eq!(judge(Some(0), ""), Known::Right);
        assert_eq!(judge(Some(1), "AssertionError"), Known::Wrong);
        assert_eq!(judge(None, ""), Known::Wrong);
        assert_eq!(judge(Some(127), "sh: tsx: not found"), Known::Untried);
        assert_eq!(judge(Some(1), "Error: Cannot find module 'mathjs'"), Known::Untried);
    }
}
