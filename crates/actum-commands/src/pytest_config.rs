//! What pytest's own configuration says about which tests are run.
//!
//! A command names its tests in its words, and so does a file that pytest reads by itself. Where that file leads out of the workspace,
//! or leaves tests out, a summary is not one of the project's tests.

use super::Files;
use std::path::Path;

/// Where pytest looks for its configuration, in each folder from the tests up.
const NAMES: [&str; 7] =
    ["pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "pyproject.toml", "tox.ini", "setup.cfg"];
/// Settings that name paths or options.
const SETTINGS: [&str; 4] = ["testpaths", "addopts", "confcutdir", "norecursedirs"];
/// Options that leave tests out, or name another configuration.
const CHOICES: [&str; 10] = [
    "-k",
    "-c",
    "--rootdir",
    "--ignore",
    "--ignore-glob",
    "--deselect",
    "--lf",
    "--last-failed",
    "--co",
    "--collect-only",
];

/// Whether no configuration of the folder or above it, as far as the workspace goes, chooses tests in such a way.
pub(super) fn chooses_nothing(files: &dyn Files, folder: &Path) -> bool {
    let inside = folder.ancestors().take_while(|folder| files.inside(folder).is_some());
    let paths = inside.flat_map(|folder| NAMES.map(|name| folder.join(name)));
    paths.filter(|path| files.exists(path)).all(|path| files.text(&path).is_some_and(|text| is_plain(&text)))
}

fn is_plain(text: &str) -> bool {
    let mut is_setting = false;
    text.lines().all(|line| {
        let is_indented = line.starts_with([' ', '\t']);
        let name = line.split(['=', ':']).next().unwrap_or_default().trim().trim_matches('"');
        // What is indented, or closes a list, goes on with the setting above it.
        if !is_indented && !line.starts_with(']') && !line.trim().is_empty() {
            is_setting = SETTINGS.contains(&name);
        } else if is_indented && line.contains('=') && SETTINGS.contains(&name) {
            is_setting = true;
        }
        !is_setting || words(line).all(is_harmless)
    })
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|sign: char| sign.is_whitespace() || "\"',=[]".contains(sign)).filter(|word| !word.is_empty())
}

fn is_harmless(word: &str) -> bool {
    let leads_out = word.starts_with(['/', '~']) || word.split('/').any(|part| part == "..");
    !leads_out && !CHOICES.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::is_plain;

    #[test]
    fn settings_that_lead_out_or_leave_out_are_seen() {
        for text in [
            "[pytest]\ntestpaths = /home/x/fake\n",
            "[pytest]\ntestpaths =\n    tests\n    ../fake\n",
            "[pytest]\naddopts = ~/fake\n",
            "[tool.pytest.ini_options]\naddopts = [\n  \"-q\",\n  \"--ignore=tests/test_bad.py\",\n]\n",
            "[tool.pytest.ini_options]\naddopts = \"-k good\"\n",
            "[tool:pytest]\naddopts = --rootdir=/x\n",
        ] {
            assert!(!is_plain(text), "{text}");
        }
        for text in [
            "",
            "[pytest]\ntestpaths = tests\naddopts = -q --strict-markers -m \"not slow\"\n",
            "[project]\nname = 'x'\n[project.urls]\nhome = 'https://x/../y'\n[tool.pytest.ini_options]\ntestpaths = ['tests']\n",
            "[testenv]\ncommands = pytest -k x /y\n",
        ] {
            assert!(is_plain(text), "{text}");
        }
    }
}
