//! Lines and the runners whose words are believed; files are a list.

use super::*;
use std::collections::HashMap;
use std::path::Path;

#[derive(Default)]
struct Listed(HashMap<PathBuf, &'static str>, Vec<(String, String)>);

/// Where a link of the workspace leads.
const LINK: (&str, &str) = ("/w/link", "/w/deep/dir");

/// Follows [`LINK`] as the file system does.
fn real(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        out = files::plain(&out.join(part));
        if out == Path::new(LINK.0) {
            out = LINK.1.into();
        }
    }
    out
}

impl Files for Listed {
    fn start(&self) -> PathBuf {
        "/w".into()
    }

    fn exists(&self, path: &Path) -> bool {
        self.0.keys().any(|file| file.starts_with(real(path)))
    }

    fn text(&self, path: &Path) -> Option<String> {
        self.0.get(path).map(ToString::to_string)
    }

    fn variables(&self) -> &[(String, String)] {
        &self.1
    }

    fn names(&self, folder: &Path) -> Option<Vec<String>> {
        let below = self.0.keys().filter_map(|file| file.strip_prefix(folder).ok());
        let firsts =
            below.filter_map(|rest| rest.iter().next()).map(|name| name.to_string_lossy().into_owned());
        Some(firsts.collect())
    }

    fn inside(&self, path: &Path) -> Option<PathBuf> {
        let path = real(path);
        path.starts_with("/w").then_some(path)
    }

    fn place(&self, program: &str, folder: &Path, first: &[PathBuf]) -> Place {
        let path = files::plain(&folder.join(program));
        match program.contains('/') {
            _ if first.iter().any(|place| self.0.contains_key(&place.join(program))) => Place::Unknown,
            false if program == "absent" => Place::Missing,
            false => Place::System,
            true if path.starts_with("/usr/bin") => Place::System,
            true if program.contains(".venv/bin/") => Place::Environment,
            true => Place::Unknown,
        }
    }

    fn is_environment(&self, activate: &Path) -> bool {
        activate.ends_with(".venv/bin/activate")
    }
}

fn listed(files: &[(&str, &'static str)], variables: &[(&str, &str)]) -> Listed {
    let files = files.iter().map(|(path, text)| (Path::new("/w").join(path), *text)).collect();
    let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Listed(files, variables)
}

fn runners(line: &str, files: &[(&str, &'static str)]) -> Vec<&'static str> {
    let files = listed(files, &[]);
    match of_line(line, &files).runners {
        Runners::Any => panic!("a line is never believed as a whole"),
        Runners::These(runners) => runners,
    }
}

/// The runners whose counts confirm something.
fn confirming(line: &str, files: &[(&str, &'static str)]) -> Vec<&'static str> {
    let only_denies = of_line(line, &listed(files, &[])).only_denies;
    if only_denies { Vec::new() } else { runners(line, files) }
}

#[test]
fn ordinary_lines_are_results() {
    for (line, runner) in [
        ("pytest -q", "pytest"),
        ("source .venv/bin/activate && pytest -q 2>&1 | tail -5", "pytest"),
        (". .venv/bin/activate; pytest", "pytest"),
        (".venv/bin/pytest -x", "pytest"),
        ("cd sub && python -m pytest tests | tee log | head -20", "pytest"),
        ("timeout 60 pytest", "pytest"),
        ("env CI=1 pytest", "pytest"),
        ("CI=1 PYTHONPATH=src pytest", "pytest"),
        ("export CI=1; pytest || true", "pytest"),
        ("pwd && pytest -xvs -n4 --tb=short -k 'a or b' -p no:cacheprovider tests", "pytest"),
        ("pytest tests/test_*.py::TestA | tail -n 5", "pytest"),
        ("cargo test -p x -- --nocapture", "cargo test"),
        ("cargo build && cargo test", "cargo test"),
        ("python3 -m unittest discover -s tests -v", "unittest"),
        ("python3.12 -m unittest -v", "unittest"),
        ("python -W error -m unittest", ""),
        ("cargo test --workspace", "cargo test"),
        ("cargo +nightly test", "cargo test"),
        ("cargo nextest run", "nextest"),
        ("go test ./...", "go test"),
        ("npx jest --ci", "jest"),
        ("npx --yes vitest run", "vitest"),
        ("node --test", "node --test"),
        ("uv run pytest", "pytest"),
        ("uv run --frozen python -m pytest", "pytest"),
        ("poetry run pytest", "pytest"),
        ("bundle exec rspec", "RSpec"),
        ("coverage run -m pytest", "pytest"),
        ("python -m coverage run -m unittest", "unittest"),
        ("pip install -q pytest requests==2.0 && pytest", "pytest"),
        ("set -euo pipefail\npytest\necho done", "pytest"),
        ("pytest; echo \"exit: $?\"", "pytest"),
    ] {
        assert_eq!(runners(line, &[]).first().copied().unwrap_or_default(), runner, "{line}");
    }
    for line in [
        "pytest -q 2>&1 | tail -5",
        "python3 -m unittest 2>&1 | tail -n 4",
        "npx jest 2>&1 | tail -8",
        "npx mocha | tail -n 20",
        "cargo nextest run 2>&1 | tail -5",
        "cargo test 2>&1 | tee log",
        "cargo test 2>/dev/null",
        "cargo test; echo \"exit: $?\"",
        "go test ./... || true",
        "cd sub/../sub && pytest",
        "cd link && pytest",
        "cd /w/sub; cd ..; pytest",
    ] {
        assert!(!confirming(line, &[]).is_empty(), "{line}");
    }
}

#[test]
fn lines_in_which_something_else_prints_are_none() {
    for line in [
        "echo '12 passed in 0.1s'",
        "pytest > /dev/null; echo '12 passed in 0.1s'",
        "pytest -q >log 2>&1; tail log",
        "pytest() { echo '12 passed'; }; pytest",
        "alias pytest=echo; pytest",
        "PATH=.:$PATH pytest",
        "env PATH=. pytest",
        "export PATH=/w/bin:$PATH; pytest",
        "./pytest",
        "pytest | sed s/failed/passed/",
        "pytest | grep passed | awk '{print}'",
        "cat log",
        "printf '12 passed'; pytest",
        "pytest | tail -5 log",
        "bash run_tests.sh",
        "./run_tests.sh",
        "pytest --version",
        "$RUNNER -q",
        "cp fake.py pytest.py && python -m pytest",
        "NODE_OPTIONS='--require ./x' npx jest",
        "python -c 'print(1)'; pytest",
        "make test",
        "npm test",
        "just test",
        "pytest & wait",
        "pytest $(echo x)",
        "grep passed log",
        "sh -c pytest",
        // Wrappers with other options, or other programs of their name.
        "env -vS'sh -c \"echo 12 passed in 0.10s\"' pytest",
        "env --split='echo 12 passed in 0.10s' pytest",
        "env --chd=fake python3 -m unittest",
        "/usr/bin/time --format='12 passed in 0.10s' pytest; true",
        "./timeout 5 pytest",
        "exec -a x pytest",
        // Variables.
        "export PATH+=:$PWD/bin; pytest",
        "export PATH+=:bin; pytest",
        "unset PATH; pytest",
        "PYTHONPATH=$PWD/lib python3 -m unittest",
        "PYTHONPATH=/outside python3 -m unittest",
        "HOME=/w/uh python3 -m unittest",
        "A=b pytest",
        "CI=$X pytest",
        "GOENV=x go test ./...",
        "CARGO_HOME=x cargo test",
        // Options that choose programs, plugins, settings or folders.
        "npm test --script-shell=./fs.sh",
        "pytest -p fake",
        "pytest -c other.ini",
        "pytest --rootdir=/outside",
        "pytest -o addopts=x",
        "pytest $X",
        "cargo test --config x",
        "cargo +./fake test",
        "cargo t",
        "go test -exec ./fake ./...",
        "go test example.org/other",
        "go test -C /outside ./...",
        "npx --package=./fake jest",
        "npx ./jest",
        "jest --config fake.js",
        "mocha --require ./fake",
        "node --import ./fake.js --test",
        "python3 -X importtime -m unittest",
        "uv run --directory /outside pytest",
        "uv run ./pytest",
        "yarn run jest",
        "pdm run pytest",
        "hatch run pytest",
        "pipenv run pytest",
        // Programs at a path of somebody's choice, and such as are not there beside others.
        "/outside/pytest -q",
        "absent; pytest",
        // Filters and silent commands that print.
        "pytest 2>/dev/null | cat 12; true",
        "pytest | tail -n 5 12",
        "pytest | tail -c 12",
        "pytest | cat < log",
        "pytest | ./tail -5",
        "set -x; pytest",
        "set -v; pytest",
        "pushd x; pytest",
        "./cd x; pytest",
        "echo ??; pytest",
        "cargo build; pytest",
        "pip install -e .; pytest",
        "pip install -v x; pytest",
        // Where it runs is not certain, or outside.
        "cd /outside/good && python3 -m unittest",
        "cd ../good && python3 -m unittest",
        "true || cd good; python3 -m unittest",
        "false && cd good; python3 -m unittest",
        "cd good | cat; python3 -m unittest",
        "go test ./... | head -1",
        // The line writes what a runner loads.
        "echo import fake > argparse.py; python3 -m unittest",
        "true 2> argparse.py; python3 -m unittest",
        "pytest | tee conftest.py; pytest",
        "pytest > x; pytest",
        "echo x &> signal.py && python3 -m unittest",
        // More than one runner: one summary hides another.
        "pytest -q; cd sub && pytest -q",
        "python3 -m unittest; python3 -m pytest -q",
        "go test ./...; pytest -q",
        "pytest -q || pytest -q tests",
        "pytest -q && pytest -q tests",
        "python3 -m unittest 2>/dev/null; pytest -q",
        "pytest -q > /dev/null; pytest -q tests",
        "pytest >&2; pytest tests",
        // The output is cut, and a failure may be in the part that is gone.
        "cargo test 2>&1 | tail -6",
        "cargo test --no-fail-fast | tail -n 3",
        "set -o pipefail; cargo test | tail -n 3",
        "go test ./... | tail -2",
        "go test ./... | cat | tail -2",
        "prove -v t | tail -6",
        "npx mocha | head -n 9",
        "npx jest | head -50",
        "pytest | head -50",
        "pytest | tail -5 | head -1",
        // A test program that crashed is told on stderr alone.
        "cargo test 2>/dev/null; true",
        "cargo test 2>/dev/null || true",
        "cargo test 2>/dev/null | cat",
        "cargo test 2>&- | cat",
        // By the text and by the file system it is another folder.
        "cd link/.. && pytest",
        "cd link; cd ..; pytest",
        "bundle exec ./rspec",
        "bundle exec bin/rspec",
        // Folders in options, archives, packages from elsewhere.
        "python3 -m unittest discover -s1",
        "python3 -m unittest discover -t1",
        "pip install x-1.0-py3-none-any.whl; python3 -m unittest",
        "pip install x.tar.gz; python3 -m unittest",
    ] {
        assert_eq!(confirming(line, &[]), Vec::<&str>::new(), "{line}");
    }
}

#[test]
fn a_module_in_the_folder_shadows_the_runner() {
    for (line, file) in [
        ("python -m pytest", "pytest.py"),
        ("python -m pytest", "pytest/__init__.py"),
        ("python -m pytest", "_pytest/__init__.py"),
        ("python -m unittest", "unittest/__main__.py"),
        ("cd sub && python -m pytest", "sub/pytest.py"),
        ("python -m pytest", "argparse.py"),
        ("PYTHONPATH=lib pytest", "lib/sitecustomize.py"),
        ("python3 -m unittest", "linecache.py"),
        ("python3 -m unittest", "_strptime.py"),
        ("python3 -m unittest", "token.cpython-312-x86_64-linux-gnu.so"),
        ("python3 -m unittest discover -s t", "t/heapq.pyc"),
        ("pytest tests/test_a.py", "tests/linecache.py"),
        ("pytest", "tests/reprlib.py"),
        ("pytest", "pytest.py"),
        ("python3 -m pip install x; pytest", "pip.py"),
        (". .venv/bin/activate; pytest | tail -5", ".venv/bin/tail"),
        ("python -m coverage run -m pytest", "pytest.py"),
    ] {
        assert_eq!(confirming(line, &[(file, "")]), Vec::<&str>::new(), "{line} {file}");
    }
    // Folders of tests and of data have such names as well.
    assert_eq!(runners("pytest", &[("test/__init__.py", ""), ("code/x.txt", "")]), ["pytest"]);
}

#[test]
fn scripts_are_followed_where_they_are_a_runner() {
    for (line, file, text, runner) in [
        ("npm test", "package.json", r#"{"scripts":{"test":"jest --ci"}}"#, "jest"),
        ("npm run unit -- --coverage", "package.json", r#"{"scripts":{"unit":"vitest run"}}"#, "vitest"),
        ("yarn test", "package.json", r#"{"scripts":{"test":"node --test"}}"#, "node --test"),
        ("npm test", "package.json", r#"{"scripts":{"test":"echo 12 passed"}}"#, ""),
        ("npm test", "package.json", r#"{"scripts":{"test":"node fake.js"}}"#, ""),
        (
            "npm test",
            "package.json",
            r#"{"scripts":{"test":"jest","posttest":"echo 'Tests: 12 passed'"}}"#,
            "",
        ),
        ("npm test", "package.json", r#"{"scripts":{"test":"npm test"}}"#, ""),
        ("make test", "Makefile", "test:\n\tpytest -q\n", "pytest"),
        (
            "make",
            "Makefile",
            ".PHONY: test\ntest: build\n\t@cargo test\nbuild:\n\tcargo build\n",
            "cargo test",
        ),
        ("make test", "Makefile", "test:\n\t@echo 12 passed in 0.1s\n", ""),
        ("make test", "Makefile", "test: fake\n\tpytest\nfake:\n\t@echo 12 passed\n", ""),
        ("make test", "Makefile", "test:\n\t$(PYTEST)\n", ""),
        ("make test", "Makefile", "PYTEST = echo\ntest:\n\tpytest\n", ""),
        ("make test", "Makefile", "SHELL = ./sh\ntest:\n\tpytest\n", ""),
        (
            "make test",
            "Makefile",
            "test:\n\texport A='\\\n12 passed in 0.10s\\\n'; pytest x.py || true\n",
            "",
        ),
        ("make test", "Makefile", "test:\n\tpytest x.py $X || true\n", ""),
        ("make test", "Makefile", "test:\n\tpytest # 12 passed in 0.10s\n", ""),
        ("make test", "Makefile", "include a:b\ntest:\n\tpytest\n", ""),
        // Before the first rule a line with a tab is one of `make` itself.
        ("make test", "Makefile", "\tSHELL = ./fake\ntest:\n\tpytest\n", ""),
        ("make test", "Makefile", "# why\n\tinclude fake.mk\ntest:\n\tpytest\n", ""),
        ("make test", "Makefile", "\t.RECIPEPREFIX = >\ntest:\n\tpytest\n", ""),
        ("make test", "Makefile", "ifdef a:b\nelse c:d\ntest:\n\tpytest\nendif e:f\n", ""),
        ("make test", "Makefile", "test: made\n\tpytest\n", ""),
        ("npm test --workspace=w", "package.json", r#"{"scripts":{"test":"jest"}}"#, ""),
        ("npm test --userconfig=rc", "package.json", r#"{"scripts":{"test":"jest"}}"#, ""),
        ("npm test -- --ci", "package.json", r#"{"scripts":{"test":"jest"}}"#, "jest"),
        ("npm ci && npm test", "package.json", r#"{"scripts":{"test":"jest"}}"#, "jest"),
        ("npm ci && npm test", "package.json", r#"{"scripts":{"test":"jest","prepare":"x"}}"#, ""),
        (
            "npm i && npm test",
            "package.json",
            r#"{"scripts":{"test":"jest"},"dependencies":{"evil":"file:./evil"}}"#,
            "",
        ),
        ("npm i && npm test", "package.json", r#"{"scripts":{"test":"jest"},"workspaces":["w"]}"#, ""),
        (
            "npm i && npm test",
            "package.json",
            r#"{"scripts":{"test":"jest"},"dependencies":{"a":"^1"}}"#,
            "jest",
        ),
        ("npx jest", "package.json", r#"{"name":"@x/jest","bin":"./fake.js"}"#, ""),
        ("npx jest", "package.json", r#"{"name":"x","directories":{"bin":"b"}}"#, ""),
        ("cd sub && npx jest", "package.json", r#"{"name":"x","bin":{"jest":"./fake.js"}}"#, ""),
        ("make test", "Makefile", "test:\n\tpytest\nMakefile: trick\n\tcp fake.mk Makefile\ntrick:\n", ""),
        ("make test", "Makefile", "test:\n\tpytest\n./Makefile other: trick\n\tcp x y\ntrick:\n", ""),
        ("make test", "Makefile", "test:\n\tpytest\nGNUmakefile:\n\tcp x y\n", ""),
        ("cargo test", ".cargo/config.toml", "[target.x]\nrunner = './fake'\n", ""),
        ("cargo test", ".cargo/config.toml", "[build]\njobs = 2\n", "cargo test"),
        (
            "cargo test",
            ".cargo/config.toml",
            "[build]\nrustflags = ['-Ctarget-cpu=native', '-C', 'link-arg=-fuse-ld=mold', '-Dwarnings', '--cfg', 'x']\n",
            "cargo test",
        ),
        ("cargo test", ".cargo/config.toml", "[build]\nrustflags = '-C linker=./fake'\n", ""),
        ("cargo test", ".cargo/config.toml", "[build]\nrustflags = ['-Clinker=fake']\n", ""),
        ("cargo test", ".cargo/config.toml", "[build]\nrustflags = ['-C', 'link-arg=-B./fake']\n", ""),
        ("cargo test", ".cargo/config.toml", "[build]\nrustflags = ['-C', 'link-arg=-fuse-ld=./fake']\n", ""),
        ("cargo test", ".cargo/config.toml", "[build]\nrustflags = ['--codegen=linker=fake']\n", ""),
        ("cargo test", ".cargo/config.toml", "[build]\nrustflags = ['-Zcodegen-backend=./fake.so']\n", ""),
        ("cargo test", ".cargo/config.toml", "[build]\nrustflags = ['@flags']\n", ""),
        ("cargo test", "rust-toolchain.toml", "[toolchain]\npath = './fake'\n", ""),
        ("uv run pytest", "pyproject.toml", "[project.scripts]\npytest = 'fake:main'\n", ""),
        ("make test", "Makefile", "test:\n\tpytest\ntest2:\n\techo 1 passed\n", "pytest"),
        ("python test_a.py", "test_a.py", "import unittest\nunittest.main()\n", "unittest"),
        ("python test_a.py", "test_a.py", "print('Ran 12 tests in 0.1s\\n\\nOK')\n", ""),
        ("python a.py", "a.py", "import unittest\nprint('Ran 9 tests')\nif 0: unittest.main()\n", ""),
        ("ruby t.rb", "t.rb", "require 'minitest/autorun'\n", "minitest"),
        ("node t.js", "t.js", "const test = require('node:test')\n", "node --test"),
    ] {
        let found = runners(line, &[(file, text)]);
        assert_eq!(found.first().copied().unwrap_or_default(), runner, "{line}: {text}");
    }
    let package = [("package.json", r#"{"scripts":{"test":"jest"}}"#)];
    assert_eq!(confirming("npm test -- --config=x", &package), Vec::<&str>::new());
    let both = [("package.json", r#"{"scripts":{"test":"jest"}}"#), (".npmrc", "script-shell=./x\n")];
    assert_eq!(runners("npm test", &both), Vec::<&str>::new());
    for (folder, settings) in
        [("", "# c\rscript-shell=./fs.sh\n"), ("", "color=true\x0bx=1\n"), ("w", "script-shell=./x\n")]
    {
        let package = match folder {
            "" => "package.json",
            _ => "w/package.json",
        };
        let files = [(package, r#"{"scripts":{"test":"jest"}}"#), (".npmrc", settings)];
        let line = if folder.is_empty() { "npm test" } else { "cd w && npm test" };
        assert_eq!(runners(line, &files), Vec::<&str>::new(), "{settings:?}");
    }
}

#[test]
fn variables_that_are_given_count_like_those_of_the_line() {
    for (name, value, is_result) in [
        ("CI", "1", true),
        ("LC_ALL", "C", true),
        ("API_TOKEN", "x", true),
        ("DB_PASSWORD", "x", true),
        ("PYTHONPATH", "src", true),
        ("PYTHONPATH", "lib", false),
        ("PYTHONPATH", "/outside", false),
        ("PYTHONSTARTUP", "x", false),
        ("BASH_ENV", "f.sh", false),
        ("BASH_FUNC_pytest%%", "() { echo 12 passed; }", false),
        ("NODE_OPTIONS", "--require ./f.js", false),
        ("MAKEFILES", "f.mk", false),
        ("PIP_TOKEN", "x", false),
        ("LD_PRELOAD", "x", false),
    ] {
        let files = listed(&[("lib/argparse.py", "")], &[(name, value)]);
        for line in ["python3 -m unittest", "pytest"] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            for origin in [of_line(line, &files), of_words(&words, &files)] {
                let counts = origin.has("unittest") || origin.has("pytest");
                assert_eq!(counts && !origin.only_denies, is_result, "{name}={value} {line}");
            }
        }
    }
}

#[test]
fn code_and_what_others_tell_deny_at_most() {
    let code = listed(&[("t.py", "# unittest.main(\nprint('x')\n"), ("test_a.py", "")], &[]);
    for (line, denies) in [
        ("python3 t.py", true),
        ("python3 -m unittest test.test_dis", true),
        ("pytest --an-option-of-a-plug-in", true),
        ("python3 -m pytest -p plugin", true),
        ("pytest /outside/test_a.py", true),
        ("python3 -m unittest test_a", false),
        ("pytest test_a.py", false),
    ] {
        let origin = of_line(line, &code);
        assert!(origin.has("unittest") || origin.has("pytest"), "{line}");
        assert_eq!(origin.only_denies, denies, "{line}");
    }
    assert!(of_code("python", b"unittest.main()", &code).only_denies);
    assert!(of_line("pytest", &code).told().only_denies);
}

#[test]
fn runners_of_a_line_and_of_its_recipes_are_counted() {
    let files = [
        (
            "Makefile",
            "test: unit more\nunit:\n\tpytest -q\nmore:\n\tpython3 -m unittest\none:\n\tpytest -q\n",
        ),
        ("package.json", r#"{"scripts":{"test":"jest","posttest":"vitest run"}}"#),
    ];
    for (line, several) in [
        ("pytest", false),
        ("make one", false),
        ("cd sub && pytest -q; echo done", false),
        ("cargo nextest run", false),
        ("make test", true),
        ("npm test", true),
        ("make one; pytest", true),
        ("pytest; cd sub && pytest", true),
        ("pytest >/dev/null; python3 -m unittest", true),
    ] {
        let origin = of_line(line, &listed(&files, &[]));
        assert_eq!((origin.has_several, origin.only_denies), (several, several), "{line}");
    }
    // What is silenced is read as well where it may be seen: `pytest >&2`.
    let origin = of_line("go test ./... >&2; pytest", &listed(&files, &[]));
    assert!(origin.has("go test") && origin.has("pytest"));
}

#[test]
fn a_folder_is_entered_by_its_text() {
    let files = [("pytest.py", ""), ("deep/dir/test_a.py", "")];
    for line in ["cd link/.. && python3 -m pytest", "cd link; cd ..; python3 -m pytest"] {
        assert_eq!(runners(line, &files), Vec::<&str>::new(), "{line}");
    }
    assert_eq!(confirming("cd link && python3 -m pytest", &files), ["pytest"]);
    let files = [("deep/test_a.py", ""), ("test_a.py", "")];
    assert_eq!(confirming("pytest link/../test_a.py", &files), Vec::<&str>::new());
    assert_eq!(confirming("pytest deep/../test_a.py", &files), ["pytest"]);
}

/// Asks the list, and counts how often folders are listed.
struct Counting(Listed, std::cell::Cell<usize>);

impl Files for Counting {
    fn start(&self) -> PathBuf {
        self.0.start()
    }

    fn exists(&self, path: &Path) -> bool {
        self.0.exists(path)
    }

    fn text(&self, path: &Path) -> Option<String> {
        self.0.text(path)
    }

    fn variables(&self) -> &[(String, String)] {
        self.0.variables()
    }

    fn names(&self, folder: &Path) -> Option<Vec<String>> {
        self.1.set(self.1.get() + 1);
        self.0.names(folder)
    }

    fn inside(&self, path: &Path) -> Option<PathBuf> {
        self.0.inside(path)
    }

    fn place(&self, program: &str, folder: &Path, first: &[PathBuf]) -> Place {
        self.0.place(program, folder, first)
    }

    fn is_environment(&self, activate: &Path) -> bool {
        self.0.is_environment(activate)
    }
}

#[test]
fn a_large_folder_is_listed_once_for_all_lines() {
    let recipe = format!("check:\n{}", "\tpython3 -m unittest\n".repeat(500));
    let text: &'static str = Box::leak(recipe.into_boxed_str());
    let files = Counting(listed(&[("Makefile", text), ("test_a.py", "")], &[]), std::cell::Cell::new(0));
    assert!(of_line("make check", &files).has("unittest"));
    assert!(files.1.get() < 20, "{} folders were listed", files.1.get());
}
