//! Under which commands exit status 0 means that a tool found nothing, and what a tool prints when it found something.
//!
//! An allow-list: a subcommand, an option or a starter that is not here verifies nothing, and neither does a recipe or a script, which may
//! do anything. The build of a project is what its recipe says, so there a plain recipe counts. Pure. Start at [`proves_clean`].

use crate::programs::PROGRAMS;
use crate::test_selection::MOST_INPUTS;
use crate::{RecordedCommand, command};
use actum_model::Cleanliness;
use regex::bytes::Regex;
use std::sync::LazyLock;

/// The words of a tool, its switches, and its options with a value.
type Row = (&'static str, &'static str, &'static str);

const CARGO: &str = "--all-targets --all-features --no-default-features --workspace --all --release --tests --bins --lib --examples \
    --no-deps --locked --frozen --offline -v -vv --verbose";
const CARGO_VALUED: &str =
    "-p --package --bin --features -F --target --profile -j --jobs --target-dir --message-format --color";

/// Linters, type checks and formatters. Of a row with `a|b` in it one of these words has to be there.
const CHECKERS: &[Row] = &[
    (
        "ruff check",
        "-q --quiet -v --verbose -n --no-cache --preview --fix --no-fix --unsafe-fixes --show-fixes --statistics",
        "--output-format --target-version --cache-dir --extend-select --color",
    ),
    (
        "ruff format",
        "--check --diff -q --quiet -v --verbose --no-cache --preview",
        "--target-version --cache-dir",
    ),
    ("flake8", "--count --statistics --show-source --benchmark -v --verbose", "-j --jobs --format --color"),
    ("pylint", "-v --verbose", "-j --jobs --output-format -f --reports -r --score -s"),
    (
        "mypy",
        "--strict --pretty --show-error-codes --show-column-numbers --show-error-context --no-color-output --no-error-summary \
         --no-incremental --ignore-missing-imports --check-untyped-defs --disallow-untyped-defs --warn-unused-ignores \
         --warn-return-any --install-types --non-interactive --explicit-package-bases --namespace-packages -v --verbose",
        "-p --package -m --module --python-version --cache-dir",
    ),
    ("pyright", "--verbose --stats --warnings --outputjson", "-p --project --pythonversion --pythonplatform"),
    ("basedpyright", "--verbose --stats --warnings --outputjson", "-p --project --pythonversion"),
    (
        "tsc",
        "--noEmit --noemit --pretty --strict --skipLibCheck --incremental --noUnusedLocals --noUnusedParameters -b --build \
         --noEmitOnError",
        "-p --project --outDir --target --module --jsx --tsBuildInfoFile",
    ),
    ("vue-tsc", "--noEmit --pretty --strict --skipLibCheck -b --build", "-p --project"),
    (
        "eslint",
        "--fix --cache --color --no-color --report-unused-disable-directives",
        "--ext --max-warnings --format -f --cache-location",
    ),
    ("stylelint", "--fix --cache", "--max-warnings"),
    ("oxlint", "--fix", ""),
    ("biome check", "--write --apply", ""),
    ("biome lint", "--write --apply", ""),
    ("biome ci", "", ""),
    ("shellcheck", "-x -a", "-s --shell -f --format -C --color"),
    ("golangci-lint run", "-v --verbose", "--timeout -j --concurrency"),
    ("staticcheck", "", ""),
    ("go vet", "-v", "-tags"),
    ("rubocop", "--parallel -D -a -A --autocorrect --autocorrect-all", "--format -f"),
    ("bandit", "-r --recursive -q --quiet -v --verbose", "-f --format"),
    ("cargo clippy", CARGO, CARGO_VALUED),
    ("cargo audit", "", ""),
    ("pip-audit", "", "-r --requirement"),
    ("hadolint", "", ""),
    ("yamllint", "-s --strict", ""),
    ("codespell", "", ""),
    ("vulture", "", ""),
    ("actionlint", "", ""),
    ("pyflakes", "", ""),
    ("pycodestyle", "", ""),
    ("pydocstyle", "", ""),
    ("phpstan analyse", "--no-progress", "-l --level"),
    ("markdownlint", "--fix", ""),
    ("ty check", "", ""),
    ("black", "--check --diff -q --quiet -v --verbose --fast --preview", "-t --target-version"),
    ("isort", "--check --check-only -c --diff -q --quiet", "--profile"),
    ("prettier --check|-c|--write|-w", "--check -c --write -w --cache", "--log-level"),
    ("gofmt -w", "-w -s", ""),
    ("cargo fmt", "--all --check -v --verbose", "-p --package"),
    ("rustfmt", "--check -v --verbose", "--edition"),
    ("clang-format -i", "-i", "-style --style"),
];

/// Builders.
const BUILDERS: &[Row] = &[
    ("cargo build", CARGO, CARGO_VALUED),
    ("cargo check", CARGO, CARGO_VALUED),
    ("go build", "-v -race -trimpath", "-o -ldflags -tags"),
    ("docker build", "--no-cache --pull", "-t --tag -f --file --target --progress"),
    ("mvn package|compile|install|verify", "-q -B -ntp -DskipTests --batch-mode --quiet", ""),
    ("mvnw package|compile|install|verify", "-q -B -ntp -DskipTests --batch-mode --quiet", ""),
    ("gradle build|assemble", "-q --quiet --info --no-daemon --stacktrace", ""),
    ("gradlew build|assemble", "-q --quiet --info --no-daemon --stacktrace", ""),
    ("dotnet build", "--no-restore --nologo", "-c --configuration -o --output"),
    ("cmake --build", "--build -v --verbose", "-j --parallel --target -t --config"),
    ("next build", "", ""),
    ("vite build", "", "--mode --outDir"),
    ("webpack", "", "--mode --config -c"),
    ("bazel build", "", "-c --compilation_mode"),
    ("build", "-w --wheel -s --sdist -n --no-isolation", "-o --outdir"),
    ("poetry build", "", "-f --format"),
    ("uv build", "--wheel --sdist", "-o --out-dir"),
    ("hatch build", "", ""),
    ("compileall", "-q -f", "-j"),
    ("tsc", "--pretty --strict --skipLibCheck -b --build", "-p --project --outDir --target --module --jsx"),
    ("ninja", "-v", "-C -j"),
    ("rustc", "-O -g", "-C --edition -o --crate-type --crate-name --out-dir"),
    ("javac", "-g -parameters", "-d -cp -classpath --class-path --release -source -target"),
    ("swiftc", "-O -g", "-o"),
    ("ghc", "-O -O2 -Wall --make", "-o -outputdir"),
    // What the project calls its build.
    ("make", "-s --silent -B --always-make --no-print-directory -j --jobs", "-C --directory"),
    ("npm run build", "-s --silent", ""),
    ("npm build", "", ""),
    ("yarn build", "", ""),
    ("yarn run build", "", ""),
    ("pnpm build", "", ""),
    ("pnpm run build", "", ""),
    ("bun run build", "", ""),
];
const COMPILERS: [&str; 6] = ["gcc", "g++", "clang", "clang++", "cc", "c++"];

/// Programs that start the tool behind them, with the options that leave it as it is.
const STARTERS: &[(&str, &str)] = &[
    ("uv run", "--frozen --locked --offline --no-sync --all-extras --dev -q --quiet"),
    ("uvx", "-q --quiet"),
    ("poetry run", ""),
    ("pipenv run", ""),
    ("pdm run", ""),
    ("bundle exec", ""),
    ("npx", "--yes -y --no --no-install"),
    ("bunx", ""),
    ("pnpm exec", ""),
];

/// Whether exit status 0 of a command means that its tool found nothing, or that it built.
pub fn proves_clean(run: &RecordedCommand<'_>, words: &[String], kind: Cleanliness) -> bool {
    let (words, is_module) = without_starter(words);
    let Some(first) = words.first() else { return false };
    let rows = if kind == Cleanliness::Build { BUILDERS } else { CHECKERS };
    let is_known = rows.iter().any(|row| fits(row, &words))
        || kind == Cleanliness::Build && COMPILERS.contains(&first.as_str()) && compiles(&words);
    is_known && !(is_module && is_shadowed(run, first)) && is_cargos_own(run, &words)
}

/// The first line in which a tool tells that it found something.
pub fn find_fault<'r>(run: &RecordedCommand<'r>) -> Option<&'r str> {
    static FOUND: LazyLock<Regex> = LazyLock::new(|| {
        let text = concat!(
            r"(?-u)^found [1-9]\d* (?:error|issue|problem|diagnostic|violation)s?\b",
            r"|(?:^|[:)] )error(?: ts\d+|\[[\w-]+\])?:",
            r"|\b[1-9]\d* errors?\b(?:$|[,.)]| found| generated)",
            r"|\berror \d+ \(ignored\)"
        );
        Regex::new(text).expect("a constant that a test compiles")
    });
    let tells = |line: &&str| {
        let lower = line.trim().to_lowercase();
        lower.len() < 400
            && FOUND.is_match(lower.as_bytes())
            && !lower.contains("fixed")
            && !lower.contains("0 remaining")
    };
    run.printed.iter().map(|line| line.text.as_str()).find(tells)
}

/// A command from its tool on, and whether that is a module of Python.
fn without_starter(words: &[String]) -> (Vec<String>, bool) {
    let mut rest: Vec<String> = words.to_vec();
    if let Some(first) = rest.first_mut() {
        *first = command::file_name(first).to_owned();
    }
    for (starter, options) in STARTERS {
        let count = starter.split(' ').count();
        if rest.len() > count && starter.split(' ').eq(rest.iter().take(count).map(String::as_str)) {
            let is_option = |word: &&String| options.split(' ').any(|option| option == word.as_str());
            let skipped = rest.iter().skip(count).take_while(is_option).count();
            rest.drain(..count + skipped);
            break;
        }
    }
    match rest.as_slice() {
        [python, dash, tool @ ..] if python.starts_with("python") && dash == "-m" => (tool.to_vec(), true),
        _ => (rest, false),
    }
}

fn fits((tool, switches, valued): &Row, words: &[String]) -> bool {
    let mut rest = words.iter().filter(|word| !word.starts_with('+')).peekable();
    for (at, wanted) in tool.split(' ').enumerate() {
        let is_it = |word: &&String| {
            wanted.split('|').any(|one| one == if at == 0 { command::file_name(word) } else { word })
        };
        // An option that has to be there can stand anywhere, a subcommand only in front.
        match wanted.starts_with('-') {
            true if words.iter().any(|word| is_it(&word)) => {}
            false if rest.next_if(is_it).is_some() => {}
            _ => return false,
        }
    }
    let has = |list: &str, word: &str| !word.is_empty() && list.split_whitespace().any(|one| one == word);
    while let Some(word) = rest.next() {
        let (option, value) =
            word.split_once('=').map_or((word.as_str(), None), |(one, two)| (one, Some(two)));
        match word.starts_with('-') {
            // `cargo clippy -- -D warnings`
            true if word == "--" && tool.starts_with("cargo clippy") => {
                return rest.clone().all(|word| {
                    !word.starts_with("-A") && !word.starts_with("--allow") && word != "--cap-lints"
                });
            }
            true if word == "--" || has(switches, word) => {}
            true if has(valued, option) => {
                if value.is_none() {
                    rest.next();
                }
            }
            true if word.strip_prefix("-j").is_some_and(|jobs| jobs.parse::<u16>().is_ok()) => {}
            true => return false,
            // `make CC=true`
            false if word.contains('=') => return false,
            false => {}
        }
    }
    true
}

/// Options of C compilers that still build: by their beginnings, since they are many.
fn compiles(words: &[String]) -> bool {
    const HARMLESS: [&str; 19] = [
        "-W",
        "-O",
        "-g",
        "-std=",
        "-c",
        "-I",
        "-L",
        "-l",
        "-D",
        "-U",
        "-f",
        "-m",
        "-pthread",
        "-shared",
        "-static",
        "-pedantic",
        "-pipe",
        "-s",
        "-o",
    ];
    let is_harmless = |word: &&String| {
        !word.starts_with('-') || *word != "-fsyntax-only" && HARMLESS.iter().any(|one| word.starts_with(one))
    };
    words.iter().skip(1).all(|word| is_harmless(&word)) && words.len() > 1
}

/// Whether the project has a module of that name, which `python -m` would start instead, as far as the record tells.
fn is_shadowed(run: &RecordedCommand<'_>, module: &str) -> bool {
    let (file, folder) = (format!("{module}.py"), format!("{module}/"));
    let is_own = |path: &str| !path.contains("site-packages");
    let shadows = |path: &str| {
        is_own(path)
            && (command::file_name(path) == file
                || path.starts_with(&folder)
                || path.contains(&format!("/{folder}")))
    };
    let paths = run.inputs.iter().map(|(path, _)| path.as_str()).chain(run.written.iter().copied());
    run.inputs.len() >= MOST_INPUTS || paths.into_iter().any(shadows)
}

/// An alias in cargo's configuration can be called like a command that was installed. Only those that cargo has itself cannot.
fn is_cargos_own(run: &RecordedCommand<'_>, words: &[String]) -> bool {
    let is_installed = words.first().is_some_and(|first| first == "cargo")
        && words.iter().any(|word| ["clippy", "fmt", "audit"].contains(&word.as_str()));
    let is_config = |path: &str| path.ends_with(".cargo/config.toml") || path.ends_with(".cargo/config");
    let is_linted = words.iter().any(|word| word == "clippy");
    let has_ended = || run.printed.iter().any(|line| line.text.trim_start().starts_with("Finished "));
    let has_alias = || run.printed.iter().any(|line| line.text.contains("user-defined alias"));
    let is_configured = || run.inputs.iter().any(|(path, _)| is_config(path));
    !is_installed || !has_alias() && !is_configured() && (!is_linted || has_ended())
}

/// What a tool was given where that is only a part of the project, and a text about it does not say so.
pub fn unnamed_part(run: &RecordedCommand<'_>, text: &str) -> Option<String> {
    const WHOLE: [&str; 9] =
        ["whole", "entire", "all", "everywhere", "anywhere", "project", "repository", "repo", "codebase"];
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !(c.is_alphanumeric() || "._-/".contains(c)))
        .map(|word| word.trim_end_matches('.'))
        .collect();
    let is_whole = words.iter().any(|word| WHOLE.contains(word));
    let names = |path: &str| {
        let path = path.trim_end_matches('/').to_lowercase();
        let last = path.rsplit('/').next().unwrap_or_default();
        words.iter().any(|word| *word == path || *word == last)
    };
    let parts = command::split_crudely(run.line);
    let entered = parts.iter().filter(|part| part[0] == "cd").filter_map(|part| part.get(1));
    let checks = parts.iter().filter(|part| !command::checks(&part.join(" ")).is_empty());
    let given = checks.flat_map(|part| part.iter().skip(1).filter(|word| !word.starts_with('-')));
    let is_folder = |word: &str| word.contains('/') && ![".", "./", "./..."].contains(&word);
    let mut open = given
        .filter(|word| {
            command::is_source(word) || is_whole && is_folder(&format!("{word}/")) && is_path(word)
        })
        .chain(entered.filter(|_| is_whole));
    open.find(|word| !names(word)).cloned()
}

/// A word that can be a folder, and is neither the project nor a subcommand.
fn is_path(word: &str) -> bool {
    ![".", "./", "./..."].contains(&word)
        && !PROGRAMS.subcommands.contains(word)
        && command::checks(word).is_empty()
}

/// `No Python files found under the given path(s)`: a tool that ended well because it had nothing to look at.
pub fn found_no_files(run: &RecordedCommand<'_>) -> bool {
    static NOTHING: LazyLock<Regex> = LazyLock::new(|| {
        let text = concat!(
            "(?-u)",
            r"\b(?:no|0|zero) (?:[a-z]+ ){0,2}files? (?:were |was )?(?:found|checked|matched|to (?:check|lint|format))\b",
            r"|\bnothing to (?:check|lint)\b"
        );
        Regex::new(text).expect("a constant that a test compiles")
    });
    run.printed.iter().any(|line| NOTHING.is_match(line.text.to_lowercase().as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use actum_output::PrintedLine;

    fn lines(printed: &str) -> Vec<PrintedLine> {
        let line = |text: &str| PrintedLine { stream: "stdout".to_owned(), number: 1, text: text.to_owned() };
        printed.lines().map(line).collect()
    }

    fn inputs(paths: &[&str]) -> Vec<(String, String)> {
        paths.iter().map(|path| ((*path).to_owned(), String::new())).collect()
    }

    fn run<'r>(inputs: &'r [(String, String)], printed: &'r [PrintedLine]) -> RecordedCommand<'r> {
        RecordedCommand { inputs, printed, ..RecordedCommand::default() }
    }

    fn decides(command: &str, kind: Cleanliness, run: &RecordedCommand<'_>) -> bool {
        proves_clean(run, &command.split(' ').map(str::to_owned).collect::<Vec<_>>(), kind)
    }

    #[test]
    fn commands_that_end_with_0_only_where_nothing_was_found() {
        use Cleanliness::{Build, Format, Lint, Types};
        let printed = lines("    Finished `dev` profile in 0.1s");
        let finished = run(&[], &printed);
        for (command, kind) in [
            ("ruff check .", Lint),
            ("uv run --frozen ruff check --output-format=concise src", Lint),
            ("python3 -m mypy --strict src", Types),
            ("npx --yes tsc --noEmit -p .", Types),
            ("cargo +nightly clippy --all-targets -- -D warnings", Lint),
            ("go vet ./...", Lint),
            (".venv/bin/ruff format --check .", Format),
            ("cargo build --release", Build),
            ("gcc -Wall -O2 -Ilib a.c -o a", Build),
            ("make -j4 all", Build),
            ("npm run build", Build),
        ] {
            assert!(decides(command, kind, &finished), "{command}");
        }
    }

    #[test]
    fn commands_that_end_with_0_whatever_is_wrong() {
        use Cleanliness::{Build, Format, Lint, Types};
        let (own, printed) =
            (inputs(&["mypy.py", "x/flake8/__init__.py"]), lines("    Finished `dev` profile in 0.1s"));
        let finished = run(&own, &printed);
        for (command, kind) in [
            ("ruff check --exit-zero .", Lint),
            ("ruff help", Lint),
            ("ruff clean", Lint),
            ("ruff rule E501", Lint),
            ("ruff check --select W605 .", Lint),
            ("python3 -m mypy .", Types),
            ("python3 -m flake8 .", Lint),
            ("flake8 --exit-zero", Lint),
            ("npx tsc --showConfig", Types),
            ("cargo clippy -- -A clippy::all", Lint),
            ("make lint", Lint),
            ("npm run lint", Lint),
            ("prettier src", Format),
            ("make -n build", Build),
            ("make -i build", Build),
            ("make -t build", Build),
            ("make CC=true build", Build),
            ("gcc -fsyntax-only a.c", Build),
            ("go build -n", Build),
        ] {
            assert!(!decides(command, kind, &finished), "{command}");
        }
        assert!(!decides("cargo clippy", Lint, &run(&[], &lines("cargo 1.90.0"))));
        assert!(!decides("cargo clippy", Lint, &run(&inputs(&[".cargo/config.toml"]), &lines("Finished x"))));
    }

    #[test]
    fn what_a_tool_prints_when_it_found_something() {
        for line in [
            "Found 1 error.",
            "Found 3 errors in 1 file (checked 2 source files)",
            "a.py:1: error: Incompatible types  [assignment]",
            "a.ts(1,2): error TS2322: Type",
            "error[E0308]: mismatched types",
            "1 error, 0 warnings, 0 informations",
            "make: [Makefile:2: build] Error 1 (ignored)",
        ] {
            assert!(find_fault(&run(&[], &lines(line))).is_some(), "{line}");
        }
        for line in [
            "All checks passed!",
            "Success: no issues found in 3 source files",
            "0 errors, 0 warnings, 0 informations",
            "Found 1 error (1 fixed, 0 remaining).",
            "gcc -c error.c",
        ] {
            assert!(find_fault(&run(&[], &lines(line))).is_none(), "{line}");
        }
    }
}
