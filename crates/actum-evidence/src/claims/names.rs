//! Names and numbers that runners and programs print in known shapes: tests that passed, seeds.

use super::reach;
use actum_claims::PrintedLine;
use actum_model::command_line::{CommandLine, SimpleCommand, is_plain_filter};
use actum_model::{Digest, Record};
use std::path::Path;

/// More are not looked at.
const MOST: usize = 5000;

/// Tests that a runner named, by what became of them. Those that failed are in the record.
#[derive(Debug, Default)]
pub(super) struct Named {
    pub(super) passed: Vec<String>,
    pub(super) skipped: Vec<String>,
    pub(super) expected: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Became {
    Passed,
    Skipped,
    Expected,
}

pub(super) fn tests(lines: &[PrintedLine]) -> Named {
    let mut named = Named::default();
    for (name, became) in lines.iter().filter_map(|line| named_one(line.text.trim())).take(MOST) {
        let list = match became {
            Became::Passed => &mut named.passed,
            Became::Skipped => &mut named.skipped,
            Became::Expected => &mut named.expected,
        };
        list.push(name);
    }
    named
}

fn named_one(line: &str) -> Option<(String, Became)> {
    pytest(line).or_else(|| dotted(line)).or_else(|| go(line)).or_else(|| tap(line)).or_else(|| ticked(line))
}

/// `tests/test_a.py::test_x PASSED   [ 50%]`, `… SKIPPED (reason)`, `… XFAIL`.
fn pytest(line: &str) -> Option<(String, Became)> {
    let words = [
        (" PASSED", Became::Passed),
        (" XPASS", Became::Passed),
        (" SKIPPED", Became::Skipped),
        (" XFAIL", Became::Expected),
    ];
    let found = words.iter().filter_map(|(word, became)| Some((line.find(word)?, *became)));
    let (at, became) = found.min_by_key(|(at, _)| *at)?;
    let name = line[..at].trim();
    (name.contains("::") && !name.contains(": ")).then(|| (name.to_owned(), became))
}

/// cargo test: `test a::b ... ok`; unittest: `test_x (mod.Class.test_x) ... skipped 'reason'`.
fn dotted(line: &str) -> Option<(String, Became)> {
    let (test, end) = line.split_once(" ... ")?;
    let became = match end {
        "ok" => Became::Passed,
        "expected failure" => Became::Expected,
        _ if end.starts_with("skipped") || end.starts_with("ignored") => Became::Skipped,
        _ => return None,
    };
    if let Some(name) = test.strip_prefix("test ") {
        return Some((name.split(" - should panic").next().unwrap_or(name).trim().to_owned(), became));
    }
    let (name, rest) = test.split_once(" (").unwrap_or((test, ""));
    let path = rest.split(')').next().unwrap_or_default();
    // Before Python 3.11 the path is that of the class.
    let whole = match path {
        "" => name.to_owned(),
        path if path.ends_with(name) => path.to_owned(),
        path => format!("{path}.{name}"),
    };
    Some((whole, became))
}

/// `--- PASS: TestX (0.00s)`
fn go(line: &str) -> Option<(String, Became)> {
    let passed = line.strip_prefix("--- PASS: ").map(|rest| (rest, Became::Passed));
    let (rest, became) =
        passed.or_else(|| line.strip_prefix("--- SKIP: ").map(|rest| (rest, Became::Skipped)))?;
    Some((rest.split(' ').next().unwrap_or(rest).to_owned(), became))
}

/// `ok 3 - adds # SKIP`
fn tap(line: &str) -> Option<(String, Became)> {
    let (number, rest) = line.strip_prefix("ok ")?.split_once(" - ")?;
    number.trim().parse::<u64>().ok()?;
    Some(with_directive(rest, Became::Passed))
}

/// jest, vitest, mocha, node: a tick, a name, perhaps a time.
fn ticked(line: &str) -> Option<(String, Became)> {
    let marks = [
        ("✓ ", Became::Passed),
        ("✔ ", Became::Passed),
        ("√ ", Became::Passed),
        ("○ skipped ", Became::Skipped),
        ("﹣ ", Became::Skipped),
        ("↓ ", Became::Skipped),
    ];
    let (rest, became) = marks.iter().find_map(|(mark, became)| Some((line.strip_prefix(mark)?, *became)))?;
    Some(with_directive(rest, became))
}

/// Without the time behind a name; `# SKIP` says that it did not run.
fn with_directive(rest: &str, became: Became) -> (String, Became) {
    let (name, directive) = rest.split_once(" # ").unwrap_or((rest, ""));
    let directive = directive.to_ascii_lowercase();
    let became =
        if directive.starts_with("skip") || directive.starts_with("todo") { Became::Skipped } else { became };
    let is_time = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    let name = match name.trim().rsplit_once(" (") {
        Some((name, time)) if is_time(time) => name,
        Some(_) | None => name,
    };
    (name.trim().to_owned(), became)
}

/// Whether what a line prints is an installer's, or a program's version: nothing else in it prints, and each is called by its bare name.
pub(super) fn lists_packages(command: &str) -> bool {
    let Some(line) = CommandLine::parse(command) else { return false };
    let commands: Vec<&SimpleCommand> = line.pipelines.iter().flatten().collect();
    if let [only] = commands[..]
        && let [program, question] = &only.words[..]
        && ["--version", "-V", "version"].contains(&question.text.as_str())
    {
        return !program.text.contains('/') && !program.dynamic && only.assignments.is_empty();
    }
    let is_harmless = |at: usize, command: &SimpleCommand| match command.program() {
        "cd" | "set" | "true" => at == 0,
        _ if at > 0 => is_plain_filter(command),
        _ => installs(command),
    };
    let is_known = |pipeline: &Vec<SimpleCommand>| {
        pipeline.iter().enumerate().all(|(at, command)| is_harmless(at, command))
    };
    line.pipelines.iter().all(is_known) && commands.iter().any(|command| installs(command))
}

/// `pip install`, `python3 -m pip list`, `uv pip install`, `npm ls`.
fn installs(command: &SimpleCommand) -> bool {
    const INSTALLERS: [&str; 12] =
        ["pip", "pip3", "uv", "poetry", "pdm", "conda", "mamba", "micromamba", "npm", "pnpm", "yarn", "bun"];
    const VERBS: [&str; 12] =
        ["install", "add", "sync", "list", "freeze", "ls", "i", "ci", "update", "upgrade", "show", "lock"];
    let words: Vec<&str> = command.words.iter().map(|word| word.text.as_str()).collect();
    let is_dynamic = command.words.iter().take(4).any(|word| word.dynamic);
    let verb = match words[..] {
        [python, "-m", "pip", verb, ..] if is_bare(python) && python.contains("python") => verb,
        ["uv", "pip", verb, ..] => verb,
        [program, verb, ..] if is_bare(program) => {
            let name = program.rsplit('/').next().unwrap_or(program);
            if INSTALLERS.contains(&name) { verb } else { "" }
        }
        _ => "",
    };
    VERBS.contains(&verb) && !is_dynamic && command.assignments.is_empty()
}

/// A program by its name alone, or of a virtual environment.
fn is_bare(program: &str) -> bool {
    let folder = program.rsplit_once('/').map(|(folder, _)| folder.trim_start_matches("./"));
    folder.is_none_or(|folder| [".venv/bin", "venv/bin", "/usr/bin", "/usr/local/bin"].contains(&folder))
}

/// Packages that a tool lists, or a program that tells its own version: name, version, and the line.
pub(super) fn packages(command: &str, lines: &[PrintedLine]) -> Vec<(String, String, u64)> {
    let words = command.split(|c: char| c.is_whitespace() || "'\"|;&".contains(c));
    let words: Vec<&str> = words.map(|word| word.rsplit('/').next().unwrap_or(word)).collect();
    let has = |list: &[&str]| words.iter().any(|word| list.contains(word));
    let stdout = lines.iter().filter(|line| line.stream == "stdout");
    if has(&["pip", "pip3", "conda", "uv"]) && has(&["list", "freeze"]) {
        return stdout.filter_map(listed).take(MOST).collect();
    }
    if has(&["npm", "pnpm", "yarn", "bun"]) && has(&["ls", "list", "install", "add", "i", "ci"]) {
        return stdout.flat_map(in_tree).take(MOST).collect();
    }
    let [program, "--version" | "-V" | "version"] = words.as_slice() else { return Vec::new() };
    let name = program.trim_end_matches(|c: char| c.is_ascii_digit());
    let first = stdout.into_iter().next();
    first
        .and_then(|line| Some((name.to_owned(), own_version(&line.text)?, line.number)))
        .into_iter()
        .collect()
}

/// What a program calls its version. What stands in brackets is a distributor's, and counts where nothing else is told:
/// `gcc (Debian 12.2.0-14+deb12u1) 12.2.0`.
fn own_version(line: &str) -> Option<String> {
    let mut depth = 0_usize;
    let outside = |c: char| {
        depth = if c == '(' { depth + 1 } else { depth };
        let kept = if depth > 0 { ' ' } else { c };
        depth = if c == ')' { depth.saturating_sub(1) } else { depth };
        kept
    };
    let outside: String = line.chars().map(outside).collect();
    let version = |text: &str| {
        let words = text.split([' ', ',', ';', '(', ')']).map(|word| word.trim_start_matches('v'));
        let is_version = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.');
        words.into_iter().find(is_version).map(str::to_owned)
    };
    version(&outside).or_else(|| version(line))
}

/// `└── tiny-money@2.3.1`, `+ @scope/name@1.0.0`.
fn in_tree(line: &PrintedLine) -> Vec<(String, String, u64)> {
    let words = line.text.split_whitespace().filter_map(|word| word.rsplit_once('@'));
    let named =
        words.filter(|(name, version)| !name.is_empty() && version.starts_with(|c: char| c.is_ascii_digit()));
    named.map(|(name, version)| (name.to_owned(), version.to_owned(), line.number)).collect()
}

/// `boto3  1.43.11`, `boto3==1.43.11`.
fn listed(line: &PrintedLine) -> Option<(String, String, u64)> {
    let (name, version) = line.text.trim().split_once("==").or_else(|| line.text.trim().split_once(' '))?;
    let version = version.split_whitespace().next()?;
    version
        .starts_with(|c: char| c.is_ascii_digit())
        .then(|| (name.trim().to_owned(), version.to_owned(), line.number))
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
        let path = Path::new(record.source.path.as_deref()?);
        let most = actum_gate::Bound(actum_run::LARGEST_SOURCE.0);
        let text = reach::read(Path::new(&record.workspace), path, most)?;
        let then: Digest = record.source.sha256.as_deref()?.parse().ok()?;
        (Digest::of(&text) == then).then(|| String::from_utf8_lossy(&text).into_owned())
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
    fn only_an_installer_lists_packages() {
        for line in [
            "pip install numpy",
            "python3 -m pip install numpy==2.0.1 | tail -1",
            "cd app && uv pip install -r requirements.txt",
            ".venv/bin/pip list",
            "npm install",
            "gcc --version",
        ] {
            assert!(lists_packages(line), "{line}");
        }
        for line in [
            "printf 'Successfully installed numpy-2.0.1\\n'",
            "pip --help; printf 'Successfully installed numpy-2.0.1\\n'",
            "pip install x | sed s/x/numpy/",
            "python3 fake.py pip install",
            "./pip install numpy",
            "PATH=fake pip install numpy",
            "pip() { echo Successfully installed numpy-2.0.1; }; pip install numpy",
            "uv run fake.py",
            "npm run install-all",
            "./numpy --version",
        ] {
            assert!(!lists_packages(line), "{line}");
        }
    }

    #[test]
    fn names_of_tests() {
        use Became::*;
        for (line, name) in [
            ("tests/test_a.py::test_x PASSED        [ 50%]", Some(("tests/test_a.py::test_x", Passed))),
            ("test_a.py::test_x SKIPPED (only PASSED on macOS) [ 5%]", Some(("test_a.py::test_x", Skipped))),
            ("test_a.py::test_x[a b] XFAIL (later)", Some(("test_a.py::test_x[a b]", Expected))),
            ("test_x (test_a.T.test_x) ... ok", Some(("test_a.T.test_x", Passed))),
            ("test_x (test_a.T) ... skipped 'macOS only'", Some(("test_a.T.test_x", Skipped))),
            ("test_x (test_a.T.test_x) ... expected failure", Some(("test_a.T.test_x", Expected))),
            ("test maths::adds ... ok", Some(("maths::adds", Passed))),
            ("test maths::slow ... ignored, takes an hour", Some(("maths::slow", Skipped))),
            ("--- PASS: TestAdd (0.00s)", Some(("TestAdd", Passed))),
            ("--- SKIP: TestAdd (0.00s)", Some(("TestAdd", Skipped))),
            ("ok 3 - adds numbers # SKIP no network", Some(("adds numbers", Skipped))),
            ("✓ adds numbers (3 ms)", Some(("adds numbers", Passed))),
            ("✔ adds (two) (0.3ms)", Some(("adds (two)", Passed))),
            ("﹣ syncs (0.1ms) # SKIP", Some(("syncs", Skipped))),
            ("✔ later (0.1ms) # TODO", Some(("later", Skipped))),
            ("test maths::adds ... FAILED", None),
            ("all PASSED", None),
        ] {
            let found = named_one(line);
            assert_eq!(found.as_ref().map(|(name, became)| (name.as_str(), *became)), name, "{line}");
        }
    }

    #[test]
    fn packages_that_are_listed() {
        let lines = |texts: &[&str]| -> Vec<PrintedLine> {
            let line = |(at, text): (usize, &&str)| PrintedLine {
                stream: "stdout".to_owned(),
                number: at as u64 + 1,
                text: (*text).to_owned(),
            };
            texts.iter().enumerate().map(line).collect()
        };
        let one = |name: &str, version: &str, line| vec![(name.to_owned(), version.to_owned(), line)];
        assert_eq!(packages("python3 --version", &lines(&["Python 3.11.7"])), one("python", "3.11.7", 1));
        assert_eq!(packages("node --version", &lines(&["v20.1.0"])), one("node", "20.1.0", 1));
        let gcc = "gcc (Debian 12.2.0-14+deb12u1) 12.2.0";
        assert_eq!(packages("gcc --version", &lines(&[gcc])), one("gcc", "12.2.0", 1));
        let bash = "GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu)";
        assert_eq!(packages("bash --version", &lines(&[bash])), one("bash", "5.2.15", 1));
        assert_eq!(packages("tool --version", &lines(&["tool (v2.4.1)"])), one("tool", "2.4.1", 1));
        let list = lines(&["Package Version", "------- -------", "attrs   26.1.0"]);
        assert_eq!(packages("python3 -m pip list", &list), one("attrs", "26.1.0", 3));
        assert_eq!(packages("pip freeze", &lines(&["attrs==26.1.0"])), one("attrs", "26.1.0", 1));
        assert_eq!(packages("python3 train.py", &lines(&["attrs==26.1.0"])), Vec::new());
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
