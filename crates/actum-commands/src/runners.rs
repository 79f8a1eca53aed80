//! The test runners that are known, as data and small rules. Options by which a runner loads other programs, plugins or settings
//! are in no table: a command that has one of them is not understood.

use super::{Files, follow};
use actum_model::command_line::{self, CommandWord, SimpleCommand};
use std::path::Path;

/// A runner that a command starts.
#[derive(Debug)]
pub(super) struct Started<'w> {
    /// As `analyse` calls what it prints.
    pub(super) names: &'static [&'static str],
    /// The program behind starters: `pytest` in `uv run pytest`.
    pub(super) program: &'w str,
    /// How that program is found.
    pub(super) by: By,
    /// Files, folders and names of tests.
    pub(super) operands: Vec<&'w str>,
    /// Every option is known to leave the meaning of what is printed as it is.
    pub(super) is_plain: bool,
}

/// Who looks for a runner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    Shell,
    Python,
    /// `uv run`, `poetry run`: the project's environment, then `PATH`.
    Project,
    /// `npx`: `node_modules/.bin`.
    Node,
}

/// What may stand behind a runner's name.
struct Runner {
    program: &'static str,
    names: &'static [&'static str],
    /// Letters that may stand together behind one dash.
    letters: &'static str,
    switches: &'static [&'static str],
    /// With a value, as the next word or behind `=`.
    valued: &'static [&'static str],
}

/// Options whose value is a number, which may follow the letter directly.
const NUMBERED: [&str; 3] = ["-n", "-j", "-w"];

const PYTEST: Runner = Runner {
    program: "pytest",
    names: &["pytest"],
    letters: "qvxsl",
    switches: &[
        "--quiet",
        "--verbose",
        "--exitfirst",
        "--showlocals",
        "--lf",
        "--last-failed",
        "--ff",
        "--failed-first",
        "--nf",
        "--sw",
        "--stepwise",
        "--no-header",
        "--disable-warnings",
        "--disable-pytest-warnings",
        "--strict-markers",
        "--strict-config",
        "--strict",
        "--cov",
        "--cov-branch",
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
        "-ra",
        "-rA",
        "-rs",
        "-rf",
        "-rx",
        "-rE",
        "-rfE",
        "-rN",
        "-rsx",
        "-rP",
    ],
    valued: &[
        "-k",
        "-m",
        "-n",
        "--tb",
        "--maxfail",
        "--durations",
        "--durations-min",
        "--color",
        "--cov",
        "--cov-report",
        "--cov-fail-under",
        "--timeout",
        "--capture",
        "--ignore",
        "--ignore-glob",
        "--deselect",
        "--junitxml",
        "--junit-xml",
        "--dist",
        "--numprocesses",
        "--reruns",
        "--asyncio-mode",
        "--verbosity",
        "--code-highlight",
    ],
};

const UNITTEST: Runner = Runner {
    program: "unittest",
    names: &["unittest"],
    letters: "vqfbc",
    switches: &["--verbose", "--quiet", "--failfast", "--buffer", "--catch", "--locals"],
    valued: &[
        "-s",
        "-p",
        "-t",
        "-k",
        "--start-directory",
        "--pattern",
        "--top-level-directory",
        "--durations",
    ],
};

const DOCTEST: Runner = Runner {
    program: "doctest",
    names: &["doctest"],
    letters: "vf",
    switches: &["--verbose", "--fail-fast"],
    valued: &[],
};

const CARGO: Runner = Runner {
    program: "test",
    names: &["cargo test"],
    letters: "qvr",
    switches: &[
        "--quiet",
        "--verbose",
        "--workspace",
        "--all",
        "--lib",
        "--bins",
        "--tests",
        "--examples",
        "--doc",
        "--release",
        "--all-features",
        "--no-default-features",
        "--no-fail-fast",
        "--locked",
        "--offline",
        "--frozen",
        "--all-targets",
    ],
    valued: &[
        "-p",
        "--package",
        "--exclude",
        "--bin",
        "--test",
        "--example",
        "--features",
        "-F",
        "-j",
        "--jobs",
        "--color",
    ],
};

/// Behind `--` of `cargo test`: options of the test programs.
const LIBTEST: Runner = Runner {
    program: "",
    names: &[],
    letters: "q",
    switches: &[
        "--nocapture",
        "--no-capture",
        "--ignored",
        "--include-ignored",
        "--exact",
        "--show-output",
        "--quiet",
    ],
    valued: &["--test-threads", "--skip", "--color"],
};

const NEXTEST: Runner = Runner {
    program: "nextest",
    names: &["nextest", "cargo test"],
    valued: &[
        "-p",
        "--package",
        "--exclude",
        "--bin",
        "--test",
        "--example",
        "--features",
        "-F",
        "-j",
        "--jobs",
        "--color",
        "-E",
        "--filterset",
        "--test-threads",
        "--retries",
        "--no-tests",
        "--status-level",
        "--final-status-level",
    ],
    ..CARGO
};

const GO: Runner = Runner {
    program: "test",
    names: &["go test"],
    letters: "v",
    switches: &["-race", "-short", "-cover", "-failfast", "-benchmem", "-fullpath"],
    valued: &[
        "-count",
        "-run",
        "-skip",
        "-timeout",
        "-coverprofile",
        "-covermode",
        "-coverpkg",
        "-p",
        "-parallel",
        "-tags",
        "-shuffle",
        "-cpu",
    ],
};

const NODE: Runner = Runner {
    program: "node",
    names: &["node --test", "TAP"],
    letters: "",
    switches: &["--test", "--experimental-test-coverage", "--test-only", "--test-force-exit"],
    valued: &["--test-name-pattern", "--test-concurrency", "--test-timeout"],
};

/// Programs by their own name.
const PROGRAMS: &[Runner] = &[
    PYTEST,
    Runner { program: "py.test", ..PYTEST },
    Runner {
        program: "jest",
        names: &["jest"],
        letters: "i",
        switches: &[
            "--ci",
            "--coverage",
            "--runInBand",
            "--silent",
            "--verbose",
            "--passWithNoTests",
            "--no-cache",
            "--forceExit",
            "--detectOpenHandles",
            "--bail",
            "--colors",
            "--no-colors",
            "--no-coverage",
            "--watchAll=false",
            "--onlyChanged",
            "--no-watchman",
            "--expand",
            "--logHeapUsage",
        ],
        valued: &[
            "--maxWorkers",
            "-w",
            "-t",
            "--grep",
            "--testNamePattern",
            "--testPathPattern",
            "--testPathPatterns",
            "--testTimeout",
        ],
    },
    Runner {
        program: "vitest",
        names: &["vitest"],
        letters: "",
        switches: &[
            "--run",
            "--coverage",
            "--silent",
            "--no-color",
            "--passWithNoTests",
            "--watch=false",
            "--reporter=verbose",
            "--reporter=default",
            "--reporter=dot",
            "--reporter=basic",
            "--no-coverage",
            "--coverage.enabled",
        ],
        valued: &["-t", "--testNamePattern", "--bail", "--testTimeout", "--retry", "--maxWorkers"],
    },
    Runner {
        program: "mocha",
        names: &["mocha"],
        letters: "bc",
        switches: &[
            "--recursive",
            "--exit",
            "--bail",
            "--color",
            "--no-color",
            "--parallel",
            "--forbid-only",
            "--check-leaks",
        ],
        valued: &["-t", "--timeout", "-g", "--grep", "--jobs", "--retries"],
    },
    Runner {
        program: "ava",
        names: &["TAP"],
        letters: "s",
        switches: &["--tap", "--serial"],
        valued: &["--match", "--timeout"],
    },
    Runner { program: "tap", names: &["TAP"], letters: "", switches: &[], valued: &["--timeout"] },
    Runner {
        program: "rspec",
        names: &["RSpec"],
        letters: "",
        switches: &[
            "--color",
            "--no-color",
            "--force-color",
            "--fail-fast",
            "-fd",
            "-fp",
            "--format=documentation",
            "--format=progress",
        ],
        valued: &["-e", "--example", "--seed", "--tag"],
    },
    Runner {
        program: "phpunit",
        names: &["PHPUnit"],
        letters: "",
        switches: &[
            "--testdox",
            "--no-coverage",
            "--stop-on-failure",
            "--colors=never",
            "--colors=always",
            "--colors",
        ],
        valued: &["--filter", "--group", "--testsuite"],
    },
    Runner {
        program: "prove",
        names: &["TAP"],
        letters: "vlrbq",
        switches: &["--verbose", "--recurse"],
        valued: &["-j"],
    },
    Runner {
        program: "bats",
        names: &["TAP"],
        letters: "r",
        switches: &["--tap", "--recursive"],
        valued: &["-f", "--filter", "-j"],
    },
];

impl Runner {
    /// The operands, and whether every option is known.
    fn read<'w>(&self, words: &[&'w str]) -> (Vec<&'w str>, bool) {
        self.operands(words).map_or_else(|| (Vec::new(), false), |operands| (operands, true))
    }

    /// The operands, where every option is known.
    fn operands<'w>(&self, words: &[&'w str]) -> Option<Vec<&'w str>> {
        let mut operands = Vec::new();
        let mut words = words.iter().copied();
        while let Some(word) = words.next() {
            if !word.starts_with('-') {
                operands.push(word);
                continue;
            }
            let name = word.split_once('=').map_or(word, |(name, _)| name);
            let letters = word.strip_prefix('-').unwrap_or_default();
            if self.switches.contains(&word) || word.contains('=') && self.valued.contains(&name) {
                continue;
            }
            if self.names == ["pytest"] && word == "-p" {
                words.next().filter(|plugin| *plugin == "no:cacheprovider")?;
                continue;
            }
            if self.valued.contains(&word) {
                // A value that looks like an option is not understood.
                words.next().filter(|value| !value.starts_with('-'))?;
                continue;
            }
            // `-xvs`, `-n4`
            let is_cluster =
                !letters.is_empty() && letters.chars().all(|letter| self.letters.contains(letter));
            let option = word.get(..2).unwrap_or_default();
            let is_count = word.len() > 2
                && NUMBERED.contains(&option)
                && self.valued.contains(&option)
                && letters[1..].bytes().all(|byte| byte.is_ascii_digit());
            (is_cluster || is_count).then_some(())?;
        }
        Some(operands)
    }
}

/// Whether a runner prints one summary of all its tests at its end. The others report in parts, one for each package or program.
pub(super) fn ends_with_a_summary(names: &[&str]) -> bool {
    const SUMMARISED: [&str; 11] = [
        "pytest",
        "unittest",
        "doctest",
        "jest",
        "vitest",
        "mocha",
        "node --test",
        "nextest",
        "RSpec",
        "minitest",
        "PHPUnit",
    ];
    names.first().is_some_and(|name| SUMMARISED.contains(name))
}

/// The runner that a command starts, where it starts a known one and every word is understood.
pub(super) fn started_by(command: &SimpleCommand) -> Option<Started<'_>> {
    if command.words.first()?.dynamic || !command.words.iter().all(is_understood) {
        return None;
    }
    let words: Vec<&str> = command.words.iter().map(|word| word.text.as_str()).collect();
    of_words(&words, By::Shell)
}

/// A pattern of file names cannot become an option; anything else that a shell resolves may be anything.
fn is_understood(word: &CommandWord) -> bool {
    let is_pattern = !word.text.contains(['$', '{', '}']);
    let begins_plainly =
        word.text.starts_with(|c: char| c.is_ascii_alphanumeric()) || word.text.starts_with("./");
    !word.text.starts_with('~') && (!word.dynamic || is_pattern && begins_plainly)
}

fn of_words<'w>(words: &[&'w str], by: By) -> Option<Started<'w>> {
    let (program, rest) = words.split_first()?;
    let name = program.rsplit('/').next().unwrap_or(program);
    let started = |runner: &Runner, rest: &[&'w str]| {
        let (operands, is_plain) = runner.read(rest);
        Some(Started { names: runner.names, program, by, operands, is_plain })
    };
    if let Some(runner) = PROGRAMS.iter().find(|runner| runner.program == name) {
        let rest = if name == "vitest" { rest.strip_prefix(&["run"]).unwrap_or(rest) } else { rest };
        return started(runner, rest);
    }
    match name {
        "cargo" => {
            let rest = match rest.split_first() {
                Some((toolchain, rest)) if is_toolchain(toolchain) => rest,
                _ => rest,
            };
            let (runner, rest) = match rest {
                ["test", rest @ ..] => (&CARGO, rest),
                ["nextest", "run", rest @ ..] => (&NEXTEST, rest),
                _ => return None,
            };
            let end = rest.iter().position(|word| *word == "--").unwrap_or(rest.len());
            let is_plain = LIBTEST.operands(rest.get(end + 1..).unwrap_or_default()).is_some();
            let started = started(runner, &rest[..end])?;
            // Names of tests are no files.
            Some(Started { operands: Vec::new(), is_plain: started.is_plain && is_plain, ..started })
        }
        "go" => started(&GO, rest.strip_prefix(&["test"])?),
        "node" if rest.contains(&"--test") => started(&NODE, rest),
        "npx" | "bunx" if by == By::Shell => {
            let at = rest.iter().position(|word| !["-y", "--yes", "--no-install", "--no"].contains(word))?;
            of_words(rest.get(at..)?, By::Node)
                .filter(|started| started.by == By::Node && is_bare(started.program))
        }
        "npm" | "pnpm" if by == By::Shell => match rest {
            ["exec", "--", inner @ ..] | ["exec", inner @ ..] => {
                of_words(inner, By::Node).filter(|started| started.by == By::Node && is_bare(started.program))
            }
            _ => None,
        },
        "uv" | "poetry" if by == By::Shell => {
            const SWITCHES: [&str; 9] = [
                "--frozen",
                "--locked",
                "--no-sync",
                "--quiet",
                "-q",
                "--no-dev",
                "--all-extras",
                "--dev",
                "--all-groups",
            ];
            let mut rest = rest.strip_prefix(&["run"])?;
            loop {
                rest = match rest {
                    [switch, rest @ ..] if SWITCHES.contains(switch) => rest,
                    ["--extra" | "--group", value, rest @ ..] if is_bare(value) => rest,
                    _ => break,
                };
            }
            let inner = of_words(rest, By::Project)?;
            is_bare(rest.first()?).then_some(inner)
        }
        "bundle" if by == By::Shell => of_words(rest.strip_prefix(&["exec"])?, By::Shell)
            .filter(|started| started.names == ["RSpec"] && is_bare(started.program)),
        "coverage" => covered(program, rest, by),
        name if is_python(name) => of_python(program, rest, by),
        _ => None,
    }
}

/// `python3 -B -m pytest`: before `-m` only switches that change no meaning.
fn of_python<'w>(program: &'w str, rest: &[&'w str], by: By) -> Option<Started<'w>> {
    let at = rest.iter().position(|word| *word == "-m")?;
    const SWITCHES: [&str; 9] = ["-u", "-B", "-b", "-bb", "-I", "-E", "-s", "-P", "-Xdev"];
    rest[..at].iter().all(|word| SWITCHES.contains(word)).then_some(())?;
    let (module, rest) = rest.get(at + 1..)?.split_first()?;
    if *module == "coverage" {
        return covered(program, rest, by).map(|started| as_module(started, by));
    }
    of_module(program, module, rest).map(|started| as_module(started, by))
}

fn as_module(started: Started<'_>, by: By) -> Started<'_> {
    let by = if by == By::Shell { By::Python } else { by };
    Started { by, ..started }
}

fn of_module<'w>(program: &'w str, module: &str, rest: &[&'w str]) -> Option<Started<'w>> {
    let runner = [PYTEST, UNITTEST, DOCTEST].into_iter().find(|runner| runner.program == module)?;
    let rest = if module == "unittest" { rest.strip_prefix(&["discover"]).unwrap_or(rest) } else { rest };
    let (mut operands, is_plain) = runner.read(rest);
    // Where to look for tests is a folder like those that are operands.
    let folders = ["-s", "-t", "--start-directory", "--top-level-directory"];
    operands.extend(rest.windows(2).filter(|pair| folders.contains(&pair[0])).map(|pair| pair[1]));
    let behind = |word: &&'w str| {
        word.split_once('=').filter(|(name, _)| folders.contains(name)).map(|(_, value)| value)
    };
    operands.extend(rest.iter().filter_map(behind));
    Some(Started { names: runner.names, program, by: By::Python, operands, is_plain })
}

/// `coverage run --source x -m pytest`
fn covered<'w>(program: &'w str, rest: &[&'w str], by: By) -> Option<Started<'w>> {
    let mut rest = rest.strip_prefix(&["run"])?;
    loop {
        rest = match rest {
            ["--branch" | "-p" | "--parallel-mode" | "-a" | "--append", rest @ ..] => rest,
            ["--source" | "--omit" | "--include", value, rest @ ..] if !value.starts_with('-') => rest,
            [word, rest @ ..] if word.starts_with("--source=") || word.starts_with("--omit=") => rest,
            ["-m", module, rest @ ..] => {
                return of_module(program, module, rest).map(|started| as_module(started, by));
            }
            _ => return None,
        };
    }
}

fn is_bare(word: &str) -> bool {
    !word.is_empty()
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
        && !word.starts_with('-')
}

/// `+nightly`, `+1.80`: a name that rustup gives, and no path.
fn is_toolchain(word: &str) -> bool {
    let Some(name) = word.strip_prefix('+') else { return false };
    is_bare(name)
        && (name.starts_with(|c: char| c.is_ascii_digit())
            || ["stable", "beta", "nightly"].iter().any(|one| name.starts_with(one)))
}

pub(super) fn is_python(program: &str) -> bool {
    let bare = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    ["python", "pypy"].contains(&bare)
}

/// What an installer or a compiler prints beside a runner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Prepared {
    /// Nothing that can be mistaken for a test result.
    Quietly,
    /// What the compiler says, as the runner of the same tools does: only beside these runners.
    Beside(&'static [&'static str]),
}

/// Installers and compilers, as far as they hide what they start prints.
pub(super) fn prepares(words: &[&str], files: &dyn Files, folder: &Path) -> Option<Prepared> {
    const CARGO_TESTS: &[&str] = &["cargo test", "nextest"];
    let is_list = |path: &str| {
        let is_plain = is_path_inside(path);
        is_plain && files.text(&folder.join(path)).is_some_and(|text| text.lines().all(is_requirement))
    };
    let are_requirements = |words: &[&str]| {
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let is_known = match *word {
                "-q" | "--quiet" | "-U" | "--upgrade" => true,
                "-r" | "--requirement" => words.next().is_some_and(|path| is_list(path)),
                word => is_requirement(word) && !word.is_empty() && !files.exists(&folder.join(word)),
            };
            if !is_known {
                return false;
            }
        }
        true
    };
    let has_no_scripts = || {
        let package = files.text(&folder.join("package.json")).unwrap_or_default();
        let package: serde_json::Value = serde_json::from_str(&package).ok()?;
        const AROUND: [&str; 8] = [
            "preinstall",
            "install",
            "postinstall",
            "prepare",
            "preprepare",
            "postprepare",
            "prepublish",
            "dependencies",
        ];
        let scripts = package.get("scripts");
        let has = |name: &&str| scripts.is_some_and(|scripts| scripts.get(name).is_some());
        let lock = folder.join("package-lock.json");
        let lock = files.exists(&lock).then(|| files.text(&lock).unwrap_or_default());
        let is_plain = follow::has_plain_settings(files, folder)
            && actum_packages::npm_files::is_from_registry(&package, lock.as_deref());
        (is_plain && !AROUND.iter().any(has)).then_some(Prepared::Quietly)
    };
    let quietly = |is_one: bool| is_one.then_some(Prepared::Quietly);
    match words {
        ["pip" | "pip3", "install", rest @ ..] => quietly(are_requirements(rest)),
        ["uv", "pip", "install", rest @ ..] => quietly(are_requirements(rest)),
        [python, "-m", "pip", "install", rest @ ..] if is_python(python) => {
            quietly(are_requirements(rest) && super::modules::is_not_shadowed(files, folder))
        }
        [python, "-m", "venv", target] if is_python(python) => {
            quietly(is_path_inside(target) && super::modules::is_not_shadowed(files, folder))
        }
        ["uv", "venv"] => Some(Prepared::Quietly),
        ["npm", "ci" | "install" | "i"] => has_no_scripts(),
        ["cargo", "build" | "check" | "clippy" | "fmt", rest @ ..] => {
            CARGO.operands(rest).filter(Vec::is_empty).map(|_| Prepared::Beside(CARGO_TESTS))
        }
        ["go", "build" | "vet", rest @ ..] => {
            GO.operands(rest).filter(|operands| operands.iter().all(|one| is_path_inside(one)))?;
            Some(Prepared::Beside(&["go test"]))
        }
        _ => None,
    }
}

/// `requests[socks]>=2.0`: a package of an index, and no path and no address, whose setup anybody could write.
fn is_requirement(line: &str) -> bool {
    const ARCHIVES: [&str; 6] = [".whl", ".zip", ".gz", ".bz2", ".xz", ".tar"];
    let line = line.split('#').next().unwrap_or_default().trim();
    let is_archive = ARCHIVES.iter().any(|ending| line.to_ascii_lowercase().ends_with(ending));
    line.is_empty()
        || !is_archive
            && line.starts_with(|c: char| c.is_ascii_alphanumeric())
            && line.chars().all(|c| c.is_ascii_alphanumeric() || "._-[],<>=!~*+ ".contains(c))
}

/// A path below the folder, by its text.
pub(super) fn is_path_inside(path: &str) -> bool {
    !path.starts_with(['/', '~', '-']) && !path.split('/').any(|part| part == "..")
}

/// Whether a command's first program prints what it is given, or what a file holds.
pub(super) fn prints_what_it_is_given(command: &SimpleCommand) -> bool {
    // Wrappers with options that are not known.
    const WRAPPERS: [&str; 4] = ["time", "timeout", "command", "exec"];
    let inner = command.without_wrappers();
    command_line::is_printer(inner.program()) || WRAPPERS.contains(&inner.program())
}

/// Variables that change neither which program or module a name leads to nor what a runner does and says.
pub(super) fn is_harmless_variable(name: &str, value: &str) -> bool {
    const NAMES: [&str; 33] = [
        "CI",
        "TZ",
        "LANG",
        "LANGUAGE",
        "TERM",
        "NO_COLOR",
        "FORCE_COLOR",
        "CLICOLOR",
        "RUST_BACKTRACE",
        "RUST_LOG",
        "DEBUG",
        "CUDA_VISIBLE_DEVICES",
        "OMP_NUM_THREADS",
        "MKL_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "TOKENIZERS_PARALLELISM",
        "PYTHONHASHSEED",
        "PYTHONUNBUFFERED",
        "PYTHONDONTWRITEBYTECODE",
        "PYTHONIOENCODING",
        "PYTHONUTF8",
        "NODE_ENV",
        "CARGO_TERM_COLOR",
        "CARGO_INCREMENTAL",
        "GOMAXPROCS",
        "COLUMNS",
        // Of the program under test.
        "DATABASE_URL",
        "DJANGO_SETTINGS_MODULE",
        "FLASK_ENV",
        "APP_ENV",
        "RAILS_ENV",
        "RACK_ENV",
        "PORT",
    ];
    // What the program under test connects to; tools of ours read none of these.
    const ENDINGS: [&str; 8] =
        ["_KEY", "_TOKEN", "_SECRET", "_PASSWORD", "_HOST", "_PORT", "_USER", "_DATABASE"];
    const OF_TOOLS: [&str; 16] = [
        "BASH", "BUNDLE", "CARGO", "COVERAGE", "GEM", "GIT", "GO", "LD", "MAKE", "NODE", "NPM", "PIP", "PY",
        "RUBY", "RUST", "UV",
    ];
    let upper = name.to_ascii_uppercase();
    let is_of_tests = ENDINGS.iter().any(|ending| upper.ends_with(ending))
        && !OF_TOOLS.iter().any(|tool| upper.starts_with(tool));
    let is_known = NAMES.contains(&name) || name.starts_with("LC_") || is_of_tests;
    is_known && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.,:/=@+".contains(&byte))
}

/// The runners that a program's own text calls. Such a text can print anything: its counts deny, and confirm nothing.
pub(super) fn called_by(language: &str, code: &str) -> Vec<&'static str> {
    let has = |text: &str| code.contains(text);
    let mut names = Vec::new();
    match language {
        "python" => {
            if has("unittest.main(") || has("TextTestRunner(") || has("import main") && has("unittest") {
                names.push("unittest");
            }
            if has("pytest.main(") {
                names.push("pytest");
            }
            if has("doctest.testmod(") || has("doctest.testfile(") {
                names.push("doctest");
            }
        }
        "javascript" | "typescript" if has("node:test") => names.extend(["node --test", "TAP"]),
        "ruby" if has("minitest/autorun") || has("test/unit") => names.push("minitest"),
        "ruby" if has("rspec/autorun") => names.push("RSpec"),
        "perl" if has("Test::More") || has("Test2::") || has("Test::Simple") => names.push("TAP"),
        _ => {}
    }
    if has_result(code) { Vec::new() } else { names }
}

/// Whether a text has in it what a runner prints at its end: then it may print that itself.
fn has_result(code: &str) -> bool {
    let lower = code.to_lowercase();
    let is_counted = |word: &str| {
        lower.match_indices(word).any(|(at, _)| {
            let before = lower[..at].trim_end();
            before.ends_with(|c: char| c.is_ascii_digit() || "}%)\"'".contains(c)) && before.len() < at
        })
    };
    let after = |word: &str| {
        lower.match_indices(word).any(|(at, _)| {
            lower[at + word.len()..].starts_with(|c: char| c.is_ascii_digit() || c == '{' || c == '%')
        })
    };
    is_counted(" passed") || is_counted(" passing") || is_counted(" failed") || after("ran ") || after("1..")
}
