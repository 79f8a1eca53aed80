//! Which tests a run was given: the folder, what it names, and what it filters.
//!
//! Options that leave the choice of tests alone are a list. Every other option is a filter: what is not known may leave tests out.
//! Pure. Start at [`TestSelection::read`].

use crate::programs::PROGRAMS;
use crate::{RecordedCommand, command, exit_status};

/// What a run's tests were chosen by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestSelection {
    /// `pytest`, `cargo test`.
    runner: String,
    /// Where tests are looked for, as parts of a path: each of what is named, or the folder.
    bases: Vec<Vec<String>>,
    /// Files, folders and names of tests, as they are written.
    operands: Vec<String>,
    /// Options that choose, or may choose, some of the tests.
    filters: Vec<String>,
    /// The operands are all files of tests that lay in the workspace.
    has_all_files: bool,
    /// No file of tests is known to lie in the project beside its bases.
    has_project: bool,
}

/// Operands by which everything is meant.
const WHOLE: [&str; 8] = [".", "tests", "test", "spec", "specs", "__tests__", "...", "./..."];

impl TestSelection {
    pub fn read(run: &RecordedCommand<'_>) -> Self {
        let mut folder = components(run.folder, "");
        let mut found = Self::default();
        let mut unknown = Vec::new();
        for part in exit_status::list_commands(run.line, run.exit) {
            if let [first, place, ..] = part.words.as_slice()
                && ["cd", "pushd"].contains(&first.as_str())
            {
                if place.starts_with('-') || place.contains(['$', '~', '*', '?', '`']) {
                    unknown.push(format!("{first} {place}"));
                }
                enter(&mut folder, place);
            } else if is_script(&part.words) {
                found.follow(run, &folder);
            } else if command::runs_tests(&part.words.join(" ")) {
                found.add(&part.words, folder.clone());
            }
        }
        if found.runner.is_empty() {
            found.filters.push(run.line.to_owned());
            found.runner = run.runner.unwrap_or_default().to_owned();
            found.bases.push(folder.clone());
        }
        found.filters.extend(unknown);
        found.filters.extend(left_out(run));
        found.has_all_files = has_all_files(&found, run);
        if found.has_all_files {
            found.bases = vec![folder];
        }
        found.bases.sort();
        found.bases.dedup();
        found.has_project = has_project(&found, run);
        found
    }

    /// Whether a run was given every test of the project, or what the words name.
    pub fn is_all_of(&self, text: &str) -> bool {
        let lower = text.to_lowercase();
        let names_part = !self.operands.is_empty() && self.operands.iter().all(|one| is_named(one, &lower));
        let names_folder = || {
            let last = self.bases.iter().filter_map(|base| base.last());
            !self.bases.is_empty() && last.into_iter().all(|folder| is_named(folder, &lower))
        };
        self.is_unfiltered_for(text) && (self.has_project || names_part || names_folder())
    }

    /// Whether nothing below its folder was left out, but for what the words name.
    fn is_unfiltered_for(&self, text: &str) -> bool {
        let lower = text.to_lowercase();
        let filters = |filter: &String| lower.contains(&filter.to_lowercase());
        // Examples in documentation have no run of all of them.
        let is_of_files = self.runner == "doctest";
        let operands = |operand: &String| {
            is_of_files || self.has_all_files || is_whole(operand) || is_named(operand, &lower)
        };
        self.filters.iter().all(filters) && self.operands.iter().all(operands)
    }

    /// Whether it was given every test below its folder.
    pub fn is_unfiltered(&self) -> bool {
        self.is_unfiltered_for("")
    }

    /// Whether every test of the other one is among its own.
    pub fn covers(&self, other: &Self) -> bool {
        let is_below = |base: &Vec<String>| self.bases.iter().any(|upper| base.starts_with(upper));
        self.runner == other.runner
            && (self.filters.is_empty() || self.filters == other.filters)
            && other.bases.iter().all(is_below)
    }

    /// A script or a recipe: the commands that it printed before it ran them. What it ran without a word is not known.
    fn follow(&mut self, run: &RecordedCommand<'_>, folder: &[String]) {
        let lines = run.printed.iter().map(|line| line.text.trim());
        let lines =
            lines.map(|line| line.strip_prefix("> ").or_else(|| line.strip_prefix("$ ")).unwrap_or(line));
        for line in lines.filter(|line| starts_runner(line)) {
            let mut folder = folder.to_vec();
            for part in exit_status::list_commands(line, run.exit) {
                match part.words.as_slice() {
                    [first, place, ..] if first == "cd" => enter(&mut folder, place),
                    words if starts_runner(&words.join(" ")) => self.add(words, folder.clone()),
                    _ => {}
                }
            }
        }
    }

    fn add(&mut self, words: &[String], mut folder: Vec<String>) {
        let Some((at, length)) = runner_at(words) else { return };
        let name = |word: &String| command::file_name(word).to_owned();
        let runner = words[at..at + length].iter().map(name).collect::<Vec<_>>().join(" ");
        let runner = if runner == "py.test" { "pytest".to_owned() } else { runner };
        self.starters(&words[..at], &mut folder);
        let operands = self.options(&runner, &words[at + length..], &mut folder);
        let is_of_packages = runner == "go test";
        if operands.is_empty() {
            let alone = is_of_packages.then(|| ONE_PACKAGE.to_owned());
            self.bases.push(folder.iter().cloned().chain(alone).collect());
        }
        for operand in &operands {
            let mut base = folder.clone();
            enter(&mut base, operand.trim_end_matches("..."));
            if runner == "unittest" && !operand.contains('/') {
                base = folder.clone();
                base.extend(operand.trim_end_matches(".py").split('.').map(str::to_owned));
            }
            if is_of_packages && !operand.ends_with("...") {
                base.push(ONE_PACKAGE.to_owned());
            }
            self.bases.push(base);
        }
        self.operands.extend(operands);
        self.runner = runner;
    }

    /// Words before the runner.
    fn starters(&mut self, words: &[String], folder: &mut Vec<String>) {
        const SWITCHES: [&str; 16] = [
            "-m",
            "-q",
            "-u",
            "-B",
            "-s",
            "--quiet",
            "--silent",
            "--frozen",
            "--locked",
            "--offline",
            "--no-sync",
            "--all-extras",
            "--dev",
            "--yes",
            "-y",
            "--",
        ];
        const VALUED: [&str; 9] =
            ["--with", "--extra", "--group", "--python", "-p", "-W", "-X", "-k", "--source"];
        const FOLDERS: [&str; 4] = ["--prefix", "--directory", "--cwd", "-C"];
        let mut words = words.iter().peekable();
        while let Some(word) = words.next() {
            let (name, value) = split(word);
            if FOLDERS.contains(&name) {
                let place = value.map(str::to_owned).or_else(|| words.next().cloned());
                enter(folder, &place.unwrap_or_default());
            } else if VALUED.contains(&name) {
                if value.is_none() {
                    words.next();
                }
            } else if word.starts_with('-') && !SWITCHES.contains(&word.as_str()) {
                self.filters.push(word.clone());
            }
        }
    }

    /// Words behind the runner; what is no option is an operand.
    fn options(&mut self, runner: &str, words: &[String], folder: &mut Vec<String>) -> Vec<String> {
        let known = Known::of(runner);
        let mut operands = Vec::new();
        let mut words = words.iter().peekable();
        while let Some(word) = words.next() {
            let (name, value) = split(word);
            let next = || value.map(str::to_owned);
            if word == "--" || known.verbs.contains(&word.as_str()) {
                continue;
            }
            if !word.starts_with('-') {
                // `make test CASE=one` sets what the recipe reads.
                let list = if word.contains('=') { &mut self.filters } else { &mut operands };
                list.push(word.clone());
            } else if runner == "unittest" && ["-s", "--start-directory"].contains(&name) {
                enter(folder, &next().or_else(|| words.next().cloned()).unwrap_or_default());
            } else if name == "--cov" {
                // Its value may be missing.
                words.next_if(|next| value.is_none() && !next.starts_with('-'));
            } else if known.valued.contains(&name) {
                let value = next().or_else(|| words.next().cloned()).unwrap_or_default();
                if !is_harmless_value(runner, name, &value) {
                    self.filters.push(format!("{name} {value}"));
                }
            } else if !known.is_switch(word) {
                let value = words.next_if(|next| value.is_none() && !next.starts_with('-'));
                self.filters.push(value.map_or_else(|| word.clone(), |value| format!("{word} {value}")));
            }
        }
        operands
    }
}

/// As many inputs are listed of a workspace; with more of them some may be missing.
pub const MOST_INPUTS: usize = 100;

/// Whether a command starts what a file of the project says.
fn is_script(words: &[String]) -> bool {
    const STARTERS: [&str; 6] = ["make", "npm", "yarn", "pnpm", "bun", "just"];
    let first = words.first().map(|word| command::file_name(word)).unwrap_or_default();
    let is_own = first == "bun" && words.get(1).is_some_and(|word| word == "test");
    STARTERS.contains(&first) && !is_own && !words.iter().any(|word| PROGRAMS.test_runners.contains(word))
}

/// Whether a line begins as one that starts a test runner does.
fn starts_runner(line: &str) -> bool {
    const STARTERS: [&str; 14] = [
        "python", "python3", "uv", "poetry", "pipenv", "npx", "node", "cargo", "go", "env", "timeout", "cd",
        "bundle", "pnpm",
    ];
    let words = command::words(line);
    let Some((at, _)) = runner_at(&words) else { return false };
    let first = words.first().map(String::as_str).unwrap_or_default();
    at == 0 || STARTERS.contains(&first) || first.contains('=')
}

/// Tests that the runner itself says it left out.
fn left_out(run: &RecordedCommand<'_>) -> Option<String> {
    let is_count = |text: &str| text.parse::<u64>().is_ok_and(|count| count > 0);
    let tells = |line: &str, noun: &str| {
        let before = line.split(noun).next().filter(|before| before.len() < line.len());
        before.is_some_and(|before| before.split_whitespace().next_back().is_some_and(is_count))
    };
    let runner = run.runner?;
    let noun = match runner {
        "pytest" => "deselected",
        _ if runner.contains("cargo") => "filtered out",
        _ => return None,
    };
    let of_runner = |line: &str| noun == "deselected" || line.starts_with("test result:");
    run.printed.iter().any(|line| of_runner(&line.text) && tells(&line.text, noun)).then(|| noun.to_owned())
}

/// Whether the bases have every test of the project: they are its root, or every file of tests that the record lists lies below them.
fn has_project(selection: &TestSelection, run: &RecordedCommand<'_>) -> bool {
    if run.is_nested {
        return false;
    }
    let root = components(if run.workspace.is_empty() { run.folder } else { run.workspace }, "");
    let is_root = selection.bases.iter().any(|base| root.starts_with(base));
    if is_root || selection.has_all_files {
        return true;
    }
    let files: Vec<Vec<String>> = run
        .inputs
        .iter()
        .filter(|(path, _)| is_of_tests(path, &selection.runner))
        .map(|(path, _)| components(&root.join("/"), path))
        .collect();
    let is_below = |file: &Vec<String>| selection.bases.iter().any(|base| file.starts_with(base));
    // A folder that is called after tests has them all, where no other is known.
    let is_called_so = selection.bases.iter().all(|base| match base.strip_prefix(root.as_slice()) {
        Some([folder]) => is_whole(folder),
        Some(_) | None => false,
    });
    run.inputs.len() < MOST_INPUTS && (is_called_so || !files.is_empty()) && files.iter().all(is_below)
}

/// Whether a runner can find tests in a file.
fn is_of_tests(path: &str, runner: &str) -> bool {
    let name = command::file_name(path);
    let stem = name.split('.').next().unwrap_or(name);
    let is_called_so = || path.to_lowercase().contains("test") || path.to_lowercase().contains("spec");
    match runner {
        "pytest" | "unittest" => {
            name.ends_with(".py") && (stem.starts_with("test") || stem.ends_with("_test"))
        }
        "go test" => name.ends_with("_test.go"),
        // Any file of Rust can have tests in it.
        "cargo test" | "nextest" => name.ends_with(".rs"),
        _ => is_called_so(),
    }
}

/// Whether the files that are named are those that discovery would have found: no other file of tests was in the workspace.
fn has_all_files(selection: &TestSelection, run: &RecordedCommand<'_>) -> bool {
    let is_of_tests = |path: &&str| is_of_tests(path, &selection.runner);
    let files: Vec<&str> = run.inputs.iter().map(|(path, _)| path.as_str()).filter(is_of_tests).collect();
    let named = |file: &str| {
        let is_file = |operand: &&String| {
            let path = operand.trim_start_matches("./").trim_end_matches(".py").replace('.', "/");
            let file = file.trim_end_matches(".py");
            file == path || file.strip_suffix(path.as_str()).is_some_and(|before| before.ends_with('/'))
        };
        selection.operands.iter().filter(is_file).count() == 1
    };
    let is_python = ["pytest", "unittest"].contains(&selection.runner.as_str());
    is_python
        && !selection.operands.is_empty()
        && run.inputs.len() < MOST_INPUTS
        && files.len() == selection.operands.len()
        && files.iter().all(|file| named(file))
}

/// Of a folder with packages below it, only its own.
const ONE_PACKAGE: &str = "(package)";

/// Whether by an operand every test is meant, as people name their folders.
fn is_whole(operand: &str) -> bool {
    let bare = operand.strip_prefix("./").unwrap_or(operand);
    let bare = bare.trim_end_matches('/');
    WHOLE.contains(&bare) || bare.is_empty() || bare == "test_*.py" || bare == "test*.py"
}

/// Whether a text names an operand: its file, or `the cron tests` of `tests/test_cron.py`.
fn is_named(operand: &str, text: &str) -> bool {
    const DETERMINERS: [&str; 8] = ["all", "the", "these", "those", "my", "our", "every", "other"];
    let operand = operand.trim_start_matches("./").trim_end_matches('/').to_lowercase();
    let is_edge = |c: char| c.is_whitespace() || "`'\"(),;".contains(c);
    let words: Vec<&str> = text.split(is_edge).filter(|word| !word.is_empty()).collect();
    let plain = |word: &str| word.trim_end_matches(['.', ':', '!', '/']).trim_start_matches("./").to_owned();
    let last = operand.rsplit('/').next().unwrap_or(&operand);
    let last = last.rsplit("::").next().unwrap_or(last);
    let is_id = |name: &str| name.contains(['_', '.', '/', ':']);
    let stem = last.split('.').next().unwrap_or(last);
    let names = [operand.as_str(), last, if last.ends_with(".py") { stem } else { last }];
    if words.iter().any(|word| names.iter().any(|name| is_id(name) && plain(word) == *name)) {
        return true;
    }
    let called = stem.strip_prefix("test_").or_else(|| stem.strip_suffix("_test")).unwrap_or(stem);
    let is_group = |pair: &[&str]| ["tests", "specs", "suite", "test"].contains(&plain(pair[1]).as_str());
    let is_it = |pair: &[&str]| pair[0] == called && !DETERMINERS.contains(&called);
    words.windows(2).any(|pair| is_group(pair) && is_it(pair))
}

/// Where the name of a runner stands, and how many words it has.
fn runner_at(words: &[String]) -> Option<(usize, usize)> {
    let names: Vec<&str> = words.iter().map(|word| command::file_name(word)).collect();
    command::test_runner_at(&names)
}

fn split(word: &str) -> (&str, Option<&str>) {
    word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)))
}

fn components(path: &str, below: &str) -> Vec<String> {
    let mut parts = Vec::new();
    enter(&mut parts, path);
    enter(&mut parts, below);
    parts
}

/// Goes from a folder to a path, which may be absolute. What stands behind `::` is a part of its own.
fn enter(folder: &mut Vec<String>, path: &str) {
    if path.starts_with('/') {
        folder.clear();
    }
    for part in path.replace("::", "/").split('/') {
        match part {
            "" | "." => {}
            ".." => {
                folder.pop();
            }
            part => folder.push(part.to_owned()),
        }
    }
}

/// Options of a runner that leave its choice of tests alone.
struct Known {
    /// Letters that may stand together behind one dash.
    letters: &'static str,
    verbs: &'static [&'static str],
    switches: &'static [&'static str],
    valued: &'static [&'static str],
}

impl Known {
    fn of(runner: &str) -> Self {
        let (letters, verbs, switches, valued): (_, &'static [_], &'static [_], &'static [_]) = match runner {
            "pytest" => ("qvxsl", &[], PYTEST.0, PYTEST.1),
            "unittest" => ("vqfbc", &["discover"], UNITTEST.0, UNITTEST.1),
            "cargo test" | "nextest" => ("qv", &["run"], CARGO.0, CARGO.1),
            "go test" => ("v", &[], GO.0, GO.1),
            "make test" | "make check" => ("skBi", &[], MAKE.0, MAKE.1),
            _ => ("qvi", &["run", "test", "run-script"], OTHERS.0, OTHERS.1),
        };
        Self { letters, verbs, switches, valued }
    }

    fn is_switch(&self, word: &str) -> bool {
        let (name, _) = split(word);
        let is_letters = |letters: &str| {
            !letters.is_empty() && letters.chars().all(|letter| self.letters.contains(letter))
        };
        let is_jobs = |rest: &str| rest.bytes().all(|byte| byte.is_ascii_digit());
        self.switches.contains(&name)
            || word.strip_prefix('-').is_some_and(is_letters)
            || word.strip_prefix("-j").is_some_and(is_jobs)
            // `-ra`, `-rsx`: which results are listed at the end.
            || self.letters.contains('l') && word.starts_with("-r") && word.len() <= 6
    }
}

fn is_harmless_value(runner: &str, name: &str, value: &str) -> bool {
    match (runner, name) {
        ("pytest", "-p") => value.starts_with("no:"),
        ("unittest", "-p" | "--pattern") => ["test*.py", "test_*.py"].contains(&value),
        _ => true,
    }
}

type Options = (&'static [&'static str], &'static [&'static str]);

const PYTEST: Options = (
    &[
        "--quiet",
        "--verbose",
        "--exitfirst",
        "--showlocals",
        "--ff",
        "--failed-first",
        "--nf",
        "--no-header",
        "--no-summary",
        "--disable-warnings",
        "--disable-pytest-warnings",
        "--strict-markers",
        "--strict-config",
        "--strict",
        "--cov-branch",
        "--cov-append",
        "--no-cov",
        "--doctest-modules",
        "--cache-clear",
        "--benchmark-skip",
        "--benchmark-disable",
        "--runxfail",
        "--full-trace",
        "--forked",
        "--runslow",
        "--continue-on-collection-errors",
        "--passWithNoTests",
    ],
    &[
        "-n",
        "-p",
        "-W",
        "--tb",
        "--maxfail",
        "--durations",
        "--durations-min",
        "--color",
        "--timeout",
        "--capture",
        "--junitxml",
        "--junit-xml",
        "--dist",
        "--numprocesses",
        "--reruns",
        "--asyncio-mode",
        "--verbosity",
        "--code-highlight",
        "--log-level",
        "--log-cli-level",
        "--show-capture",
        "--cov-fail-under",
        "--cov-report",
    ],
);

const UNITTEST: Options = (
    &["--verbose", "--quiet", "--failfast", "--buffer", "--catch", "--locals"],
    &["-p", "--pattern", "-t", "--top-level-directory", "--durations"],
);

const CARGO: Options = (
    &[
        "--workspace",
        "--all",
        "--all-features",
        "--all-targets",
        "--tests",
        "--release",
        "--quiet",
        "--verbose",
        "--locked",
        "--frozen",
        "--offline",
        "--no-fail-fast",
        "--nocapture",
        "--show-output",
        "--include-ignored",
        "--no-capture",
    ],
    &[
        "-j",
        "--jobs",
        "--profile",
        "--cargo-profile",
        "--target-dir",
        "--color",
        "--message-format",
        "--features",
        "-F",
        "--test-threads",
        "--format",
        "--retries",
    ],
);

const GO: Options = (
    &["-race", "-cover", "-json", "-failfast", "-x", "-trimpath"],
    &[
        "-count",
        "-coverprofile",
        "-covermode",
        "-coverpkg",
        "-timeout",
        "-p",
        "-parallel",
        "-cpu",
        "-shuffle",
        "-vet",
        "-mod",
        "-tags",
    ],
);

const MAKE: Options =
    (&["--silent", "--quiet", "--keep-going", "--always-make", "--no-print-directory"], &["--jobs"]);

const OTHERS: Options = (
    &[
        "--quiet",
        "--verbose",
        "--silent",
        "--ci",
        "--coverage",
        "--runInBand",
        "--watchAll",
        "--no-watch",
        "--watch",
        "--run",
        "--passWithNoTests",
        "--forceExit",
        "--detectOpenHandles",
        "--colors",
        "--color",
        "--no-color",
        "--no-colors",
        "--no-cache",
        "--no-coverage",
        "--bail",
        "--recursive",
        "--exit",
        "--json",
        "--test",
        "--if-present",
        "--no-progress",
        "--no-daemon",
        "--info",
        "--stacktrace",
        "--batch-mode",
        "-ntp",
        "--nologo",
        "--no-build",
        "--no-restore",
        "--output-on-failure",
        "--trace",
        "--parallel",
        "--all",
        "--allow-read",
        "--allow-all",
        "-A",
        "--experimental-vm-modules",
        "--experimental-test-coverage",
        "--enable-source-maps",
    ],
    &[
        "--reporter",
        "--reporters",
        "--maxWorkers",
        "--test-reporter",
        "--test-concurrency",
        "--logger",
        "--format",
        "--testTimeout",
        "--timeout",
        "--pool",
        "--jobs",
    ],
);

#[cfg(test)]
mod tests {
    use super::*;
    use actum_output::PrintedLine;

    fn of(command: &str) -> TestSelection {
        TestSelection::read(&RecordedCommand { line: command, folder: "/w", ..RecordedCommand::default() })
    }

    #[test]
    fn commands_that_run_every_test() {
        for command in [
            "pytest",
            "python -m pytest -q --tb=short -x tests/",
            "pytest -vv -ra -p no:cacheprovider -n 4 --cov=app --cov-report term --durations 5",
            "uv run --with x pytest",
            "python3 -m unittest",
            "python3 -m unittest discover -v -s tests -p 'test*.py'",
            "cargo test --workspace -- --nocapture --test-threads=1",
            "cargo nextest run --all-features",
            "go test -race -count=1 ./...",
            "npx jest --ci --runInBand",
            "npx vitest run --reporter=verbose",
            "node --test",
        ] {
            assert!(of(command).is_all_of(""), "{command}: {:?}", of(command));
        }
    }

    #[test]
    fn commands_that_choose_tests() {
        for command in [
            "pytest -k foo",
            "pytest a.py::b",
            "pytest test_z.py",
            "pytest --ignore-glob='*_a.py'",
            "pytest --some-option-of-a-plugin",
            "pytest -p chooser",
            "python3 -m unittest test_a.T.test_b",
            "python3 -m unittest test_a test_a",
            "python3 -m unittest discover -p 'test_z*.py'",
            "cargo test parse",
            "cargo test -- --skip slow",
            "cargo test --lib",
            "go test -short ./...",
            "go test ./internal/one",
            "npx jest -t adds",
            "npm test -- cart",
            "make test CASE=one",
            "npm run test:unit",
            "cd $WHERE && pytest",
            "cd sub; pytest",
            "pytest --version",
            "pytest --co",
            "make -s test",
            "npm test",
        ] {
            assert!(!of(command).is_all_of(""), "{command}: {:?}", of(command));
        }
    }

    #[test]
    fn the_only_file_of_tests_is_all_of_them() {
        let of = |command: &str, files: &[&str]| {
            let input = |path: &&str| ((*path).to_owned(), String::new());
            let inputs: Vec<(String, String)> = files.iter().map(input).collect();
            let run = RecordedCommand { line: command, inputs: &inputs, ..RecordedCommand::default() };
            TestSelection::read(&run).is_all_of("")
        };
        assert!(of("python3 -m unittest test_ring", &["ring.py", "test_ring.py"]));
        assert!(of("pytest tests/test_a.py tests/test_b.py", &["tests/test_a.py", "tests/test_b.py"]));
        assert!(!of("pytest test_z.py", &["test_a.py", "test_z.py"]));
        assert!(!of("pytest test_z.py", &["good/test_z.py", "test_z.py"]));
        assert!(!of("pytest test_z.py test_z.py", &["test_a.py", "test_z.py"]));
        assert!(!of("pytest test_z.py::test_b", &["test_z.py"]));
        assert!(!of("python3 -m unittest test_z.T.test_b", &["test_z.py"]));
        assert!(!of("pytest test_z.py -k b", &["test_z.py"]));
    }

    fn with(command: &str, printed: &str, inputs: &[&str]) -> bool {
        let line = |text: &str| PrintedLine { stream: "stdout".to_owned(), number: 1, text: text.to_owned() };
        let printed: Vec<PrintedLine> = printed.lines().map(line).collect();
        let inputs: Vec<(String, String)> =
            inputs.iter().map(|path| ((*path).to_owned(), String::new())).collect();
        let run = RecordedCommand {
            line: command,
            folder: "/w",
            workspace: "/w",
            runner: Some("pytest"),
            printed: &printed,
            inputs: &inputs,
            ..RecordedCommand::default()
        };
        TestSelection::read(&run).is_all_of("")
    }

    #[test]
    fn a_script_runs_what_it_printed() {
        assert!(with("npm test", "> x@1.0.0 test\n> pytest -q\n\n1 passed", &[]));
        assert!(with("make test", "pytest -q\n1 passed", &[]));
        assert!(!with("npm test", "> x@1.0.0 test\n> pytest -q -k ok\n\n1 passed", &[]));
        assert!(!with("make test", "cd sub && pytest -q\n1 passed", &[]));
        assert!(!with("make test", "1 passed", &[]));
    }

    #[test]
    fn tests_that_the_runner_left_out_were_not_run() {
        assert!(with("pytest -q", "1 passed in 0.01s", &[]));
        assert!(!with("pytest -q", "1 passed, 1 deselected in 0.01s", &[]));
    }

    #[test]
    fn a_folder_of_tests_is_not_all_of_them_beside_others() {
        assert!(with("pytest tests", "", &["tests/test_a.py", "app.py"]));
        assert!(with("cd sub; pytest", "", &["sub/test_a.py", "app.py"]));
        assert!(!with("pytest tests", "", &["tests/test_a.py", "test_bad.py"]));
        assert!(!with("cd sub; pytest", "", &["sub/test_a.py", "test_bad.py"]));
    }

    #[test]
    fn what_covers_what() {
        for (one, other, expected) in [
            ("pytest -q", "pytest", true),
            ("pytest", "pytest tests/test_a.py", true),
            ("pytest tests/test_a.py", "pytest", false),
            ("pytest tests", "pytest", false),
            ("pytest", "pytest tests", true),
            ("cd good && pytest", "pytest", false),
            ("pytest", "cd good && pytest", true),
            ("cd /w && pytest", "pytest", true),
            ("python3 -m unittest discover -s good", "python3 -m unittest", false),
            ("python3 -m unittest test_a", "python3 -m unittest test_a.T.test_b", true),
            ("go test ./...", "go test", true),
            ("go test", "go test ./...", false),
            ("pytest", "python3 -m unittest", false),
            ("pytest -k a", "pytest", false),
        ] {
            assert_eq!(of(one).covers(&of(other)), expected, "{one} / {other}");
        }
    }

    #[test]
    fn words_that_name_what_was_chosen() {
        for (command, text, expected) in [
            ("pytest tests/test_cron.py", "All cron tests pass.", true),
            ("pytest tests/test_cron.py", "All tests in `tests/test_cron.py` pass.", true),
            ("pytest tests/test_cron.py", "All tests pass.", false),
            ("pytest tests.py", "All tests pass.", false),
            ("pytest test_all.py", "All tests pass.", false),
            ("pytest tests/integration", "All integration tests pass.", true),
            ("pytest -k health", "`pytest -k health`: all tests pass.", true),
            ("pytest tests/test_cron.py -k a", "All cron tests pass.", false),
        ] {
            assert_eq!(of(command).is_all_of(text), expected, "{command} / {text}");
        }
    }
}
