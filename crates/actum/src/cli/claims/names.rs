//! Names and numbers that runners and programs print in known shapes: tests that passed, seeds.

use actum_claims::Line;
use actum_model::{Digest, Record};
use sha2::{Digest as _, Sha256};
use std::path::Path;

/// More are not looked at.
const MOST: usize = 5000;

/// Tests that a runner named as passed.
pub(super) fn passed(lines: &[Line]) -> Vec<String> {
    lines.iter().filter_map(|line| passed_one(line.text.trim())).take(MOST).collect()
}

fn passed_one(line: &str) -> Option<String> {
    // pytest -v: `tests/test_a.py::test_x PASSED   [ 50%]`
    if let Some((name, _)) = line.split_once(" PASSED").filter(|(name, _)| name.contains("::")) {
        return Some(name.trim().to_owned());
    }
    // cargo test: `test a::b ... ok`; unittest: `test_x (mod.Class.test_x) ... ok`
    if let Some(name) = line.strip_suffix(" ... ok") {
        let name = name.strip_prefix("test ").unwrap_or(name);
        return Some(name.split(" (").next().unwrap_or(name).trim().to_owned());
    }
    // go test -v: `--- PASS: TestX (0.00s)`
    if let Some(rest) = line.strip_prefix("--- PASS: ") {
        return Some(rest.split(' ').next().unwrap_or(rest).to_owned());
    }
    // jest, vitest, mocha, node: a tick, a name, perhaps a time.
    let rest = ["✓ ", "✔ ", "√ "].iter().find_map(|tick| line.strip_prefix(tick))?;
    let name = rest.rsplit_once(" (").map_or(rest, |(name, _)| name);
    Some(name.trim().to_owned())
}

/// `--seed 42`, `--seed=42`, `seed=42`, `--random-state 7`.
pub(super) fn seed_of_command(command: &str) -> Option<i64> {
    let words: Vec<&str> = command.split_whitespace().collect();
    let is_name = |word: &str| {
        let name = word.trim_start_matches('-').to_lowercase().replace('-', "_");
        name == "seed" || name.ends_with("_seed") || name.ends_with(".seed") || name == "random_state"
    };
    words.iter().enumerate().find_map(|(at, word)| match word.split_once('=') {
        Some((name, value)) if is_name(name) => value.parse().ok(),
        Some(_) => None,
        None if is_name(word) => words.get(at + 1)?.parse().ok(),
        None => None,
    })
}

/// `seed: 42`, `Using seed 42`, `Random seed = 42`.
pub(super) fn seed_of_line(line: &str) -> Option<i64> {
    let lower = line.to_lowercase();
    let at = lower.find("seed").filter(|_| line.len() < 200)?;
    let rest = lower[at + 4..].trim_start_matches(['"', ':', '=', ' ', '\'', '(']);
    let rest =
        ["set to ", "is ", "used: ", "value: "].iter().fold(rest, |rest, word| rest.trim_start_matches(word));
    let digits: String = rest.chars().take_while(|c| c.is_ascii_digit() || *c == '-').collect();
    digits.parse().ok()
}

/// The numbers on the lines where the source fixes its random numbers, while the source is what was run.
pub(super) fn seeds_of_source(record: &Record) -> Vec<i64> {
    let read = || {
        let path = Path::new(&record.workspace).join(record.source.path.as_deref()?);
        let text = std::fs::read(path).ok()?;
        let then: Digest = record.source.sha256.as_deref()?.parse().ok()?;
        (Digest(Sha256::digest(&text).into()) == then).then(|| String::from_utf8_lossy(&text).into_owned())
    };
    let Some(text) = read() else { return Vec::new() };
    let lines: Vec<&str> = text.lines().collect();
    let places = record.seeds.iter().filter_map(|place| place.rsplit_once("line ")?.1.parse::<usize>().ok());
    places.filter_map(|line| literal(lines.get(line.checked_sub(1)?)?)).collect()
}

/// `torch.manual_seed(42)`.
fn literal(line: &str) -> Option<i64> {
    let inside = line.split_once('(')?.1;
    let inside = inside.rsplit_once("seed=").map_or(inside, |(_, value)| value);
    let digits: String = inside.trim_start().chars().take_while(|c| c.is_ascii_digit()).collect();
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_passed_tests() {
        for (line, name) in [
            ("tests/test_a.py::test_x PASSED        [ 50%]", Some("tests/test_a.py::test_x")),
            ("test_x (test_a.T.test_x) ... ok", Some("test_x")),
            ("test maths::adds ... ok", Some("maths::adds")),
            ("--- PASS: TestAdd (0.00s)", Some("TestAdd")),
            ("✓ adds numbers (3 ms)", Some("adds numbers")),
            ("test maths::adds ... FAILED", None),
            ("all PASSED", None),
        ] {
            assert_eq!(passed_one(line).as_deref(), name, "{line}");
        }
    }

    #[test]
    fn seeds() {
        assert_eq!(seed_of_command("python train.py --seed 42"), Some(42));
        assert_eq!(seed_of_command("python train.py --seed=7 --lr 0.1"), Some(7));
        assert_eq!(seed_of_command("python train.py --lr 0.1"), None);
        for (line, seed) in [
            ("seed: 42", Some(42)),
            ("Using random seed 7", Some(7)),
            ("Seed set to 42", Some(42)),
            ("seeds planted", None),
        ] {
            assert_eq!(seed_of_line(line), seed, "{line}");
        }
        assert_eq!(literal("    torch.manual_seed(42)"), Some(42));
    }
}
