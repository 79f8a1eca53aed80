//! `cargo xtask properties [--cases N]`: what must hold for any input, for many inputs that nobody has tried.
//!
//! `cargo xtask test` tries the same inputs each time, so that what it finds is the change's doing; here they are new each time. Nothing tells
//! a property from another test, so that all tests beside them run as well, once.

use crate::Held;
use crate::command::Command;
use crate::error::Error;

/// How proptest is told how many inputs a property is tried with, and where their numbers begin.
const CASES: &str = "PROPTEST_CASES";
pub const SEED: &str = "PROPTEST_RNG_SEED";

/// More than twenty times what a test tries.
const MANY: u32 = 6_000;

/// Tests within crates, and those beside them that are properties.
const WHERE: &str =
    "kind(lib) + kind(bin) + binary(properties) + (kind(test) & test(/^hostile::|^bundle::/))";

/// The same for every run of `cargo xtask test`, unless somebody names another.
pub fn seed_of_tests() -> String {
    std::env::var(SEED).unwrap_or_else(|_| "4".to_owned())
}

pub fn properties(arguments: &[String]) -> Result<Held, Error> {
    let cases = cases(arguments)?.to_string();
    let words = ["nextest", "run", "--workspace", "--no-fail-fast", "--profile", "properties", "-E", WHERE];
    let held = Command::cargo(&words).with(CASES, &cases).live()?;
    Ok(if held { Held::Yes } else { Held::No })
}

fn cases(arguments: &[String]) -> Result<u32, Error> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let wrong = || Error::Arguments { given: format!("properties {}", arguments.join(" ")) };
    match words[..] {
        [] => Ok(MANY),
        ["--cases", count] => count.parse().ok().filter(|&count| count > 0).ok_or_else(wrong),
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked() {
        let asked = |line: &str| cases(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).ok();
        assert_eq!(asked(""), Some(MANY));
        assert_eq!(asked("--cases 50"), Some(50));
        for wrong in ["--cases", "--cases x", "--cases 0", "50"] {
            assert_eq!(asked(wrong), None, "{wrong}");
        }
    }
}
