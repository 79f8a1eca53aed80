//! Finds the program in a command that runs Python: `python -m unittest test.py`, `pytest -q`, `python3.11 job.py --fast`.

use crate::source::LARGEST_SOURCE;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What a command runs.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PythonCommand {
    pub(crate) code: Vec<u8>,
    pub(crate) file: Option<PathBuf>,
    /// Packages that the command itself is, or starts.
    pub(crate) tools: Vec<String>,
}

/// Whether a command runs Python at all.
pub(crate) fn is_one(words: &[OsString]) -> bool {
    let words: Option<Vec<String>> = words.iter().map(|word| word.to_str().map(str::to_owned)).collect();
    words.is_some_and(|words| meant(&words).is_some())
}

/// What a command's words say, before any file is looked at.
#[derive(Debug, PartialEq, Eq)]
enum Meant {
    Code(String),
    File(String),
    /// Tests of a runner, with the words that may name files.
    Tests {
        tool: Option<&'static str>,
        words: Vec<String>,
    },
    /// A module whose text is not looked for: what is named or declared is prepared for it.
    Module,
}

/// The Python program that a command runs; none where it runs none that can be found.
pub(crate) fn read(words: &[OsString], folder: &Path) -> Option<PythonCommand> {
    let words: Vec<String> =
        words.iter().map(|word| word.to_str().map(str::to_owned)).collect::<Option<_>>()?;
    match meant(&words)? {
        Meant::Code(code) => Some(PythonCommand { code: code.into_bytes(), file: None, tools: Vec::new() }),
        Meant::File(name) => {
            let file = folder.join(name);
            Some(PythonCommand { code: text(&file)?, file: Some(file), tools: Vec::new() })
        }
        Meant::Module => Some(PythonCommand { code: Vec::new(), file: None, tools: Vec::new() }),
        Meant::Tests { tool, words } => {
            let tools = tool.into_iter().map(str::to_owned).collect();
            let named: Vec<PathBuf> = words.iter().filter_map(|word| file_of(word, folder)).collect();
            let files = if named.is_empty() { tests_in(folder) } else { named };
            let code = files.iter().filter_map(|file| text(file)).collect::<Vec<_>>().join(&b'\n');
            Some(PythonCommand { code, file: files.into_iter().next(), tools })
        }
    }
}

fn meant(words: &[String]) -> Option<Meant> {
    let (first, rest) = words.split_first()?;
    let name = Path::new(first).file_name()?.to_str()?;
    if matches!(name, "pytest" | "py.test") {
        return Some(Meant::Tests { tool: Some("pytest"), words: rest.to_vec() });
    }
    let is_python = name
        .strip_prefix("python")
        .is_some_and(|version| version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'));
    if !is_python {
        return None;
    }
    let mut rest = rest.iter();
    while let Some(word) = rest.next() {
        match word.as_str() {
            "-c" => return Some(Meant::Code(rest.next()?.clone())),
            "-m" => return module(rest.next()?, rest.cloned().collect()),
            "-W" | "-X" => drop(rest.next()),
            option if option.starts_with('-') && option.len() > 1 => {}
            "-" => return None,
            file => return Some(Meant::File(file.to_owned())),
        }
    }
    None
}

fn module(name: &str, words: Vec<String>) -> Option<Meant> {
    match name {
        "unittest" => Some(Meant::Tests { tool: None, words }),
        "pytest" => Some(Meant::Tests { tool: Some("pytest"), words }),
        "doctest" | "timeit" | "trace" | "pdb" | "cProfile" => {
            words.into_iter().find(|word| word.ends_with(".py")).map(Meant::File)
        }
        _ => Some(Meant::Module),
    }
}

/// `test_a.py`, `tests/test_a.py::name`, `test_a`, `tests.test_a.Case.name`
fn file_of(word: &str, folder: &Path) -> Option<PathBuf> {
    if word.starts_with('-') {
        return None;
    }
    let word = word.split("::").next().unwrap_or(word);
    if word.ends_with(".py") {
        return Some(folder.join(word)).filter(|file| file.is_file());
    }
    let parts: Vec<&str> = word.split('.').collect();
    (1..=parts.len()).rev().find_map(|count| {
        let file = folder.join(parts[..count].join("/")).with_extension("py");
        file.is_file().then_some(file)
    })
}

/// Where no file is named, runners look for them by their names. A bounded look: what is missed turns up when it fails.
fn tests_in(folder: &Path) -> Vec<PathBuf> {
    const MOST: usize = 50;
    const MOST_LISTED: usize = 10_000;
    let mut found: Vec<PathBuf> = [folder.to_path_buf(), folder.join("tests"), folder.join("test")]
        .iter()
        .flat_map(|folder| {
            let names = actum_gate::list_named(folder, MOST_LISTED).unwrap_or_default();
            names.into_iter().map(|(name, _)| folder.join(name)).collect::<Vec<_>>()
        })
        .filter(|path| path.extension().is_some_and(|extension| extension == "py"))
        .filter(|path| path.file_stem().and_then(|stem| stem.to_str()).is_some_and(is_test))
        .take(MOST)
        .collect();
    found.sort();
    found
}

fn is_test(stem: &str) -> bool {
    stem.starts_with("test") || stem.ends_with("_test")
}

fn text(file: &Path) -> Option<Vec<u8>> {
    actum_gate::read_named(file, actum_gate::Bound(LARGEST_SOURCE.0)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn the_program_of_a_command_is_found() {
        let file = |name: &str| Some(Meant::File(name.to_owned()));
        let tests = |tool, list: &str| Some(Meant::Tests { tool, words: words(list) });
        for (line, expected) in [
            ("python job.py --fast", file("job.py")),
            ("/usr/bin/python3.11 -u -X dev job.py", file("job.py")),
            ("python -c print(1)", Some(Meant::Code("print(1)".to_owned()))),
            ("python3 -m unittest test_a.py", tests(None, "test_a.py")),
            ("pytest -q tests", tests(Some("pytest"), "-q tests")),
            ("python -m pytest -q", tests(Some("pytest"), "-q")),
            ("python -m http.server", Some(Meant::Module)),
            ("python", None),
            ("python -", None),
            ("pythonic job.py", None),
            ("make test", None),
        ] {
            assert_eq!(meant(&words(line)), expected, "{line}");
        }
    }

    #[test]
    fn tests_are_found_by_file_module_and_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        std::fs::create_dir(path.join("tests")).unwrap();
        std::fs::write(path.join("test_a.py"), "a").unwrap();
        std::fs::write(path.join("tests/test_b.py"), "b").unwrap();
        for (word, expected) in [
            ("test_a.py", Some("test_a.py")),
            ("test_a", Some("test_a.py")),
            ("tests.test_b.Case.test_it", Some("tests/test_b.py")),
            ("tests/test_b.py::test_it", Some("tests/test_b.py")),
            ("-q", None),
            ("nothing", None),
        ] {
            assert_eq!(file_of(word, path), expected.map(|name| path.join(name)), "{word}");
        }
        let line: Vec<OsString> = ["pytest"].map(OsString::from).to_vec();
        let found = read(&line, path).unwrap();
        assert_eq!((found.code, found.tools), (b"a\nb".to_vec(), vec!["pytest".to_owned()]));
    }
}
