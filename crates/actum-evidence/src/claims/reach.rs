//! Which inputs of a run can have had a say in it.
//!
//! What was opened had one. A record also lists the code of the whole workspace, and that need not be opened to count: a build
//! tool looks at the time of a file and leaves it alone. Where nothing but interpreters ran, though, what they did not open had no
//! say; and a script that nothing opened speaks of had none anywhere. Otherwise, and where nobody saw what was opened, names decide:
//! where the command names a file of code, only what that file mentions by name counts, and what those mention in turn; where it
//! names none, as `make` does, all of it. Rather one too many than one missed.

use actum_gate::{Bound, Root};
use actum_model::{FileFacts, Record, SourceKind, Untrusted};
use std::cell::OnceCell;
use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};

/// Files that tools read without anybody naming them.
const ALWAYS: &[&str] = &[
    "conftest.py",
    "pyproject.toml",
    "setup.cfg",
    "setup.py",
    "pytest.ini",
    "tox.ini",
    "package.json",
    "Cargo.toml",
    "Makefile",
    "go.mod",
];
/// Longer files are not looked through.
const LARGEST: u64 = 1 << 20;

/// Programs that open what they read each time, and keep no results of their own between runs. Not shells alone: a script of
/// theirs can start anything.
const READERS: &[&str] = &[
    "python", "pypy", "pytest", "py.test", "node", "nodejs", "ruby", "rspec", "perl", "prove", "php", "lua",
    "Rscript", "julia", "cd", "echo", "printf", "cat", "head", "tail", "tee", "grep", "sort", "uniq", "wc",
    "ls", "pwd", "true", "sed", "awk", "jq", "diff", "cmp", "export", "set",
];
/// Words that stand before the program itself.
const LEADING: &[&str] = &["time", "env", "exec", "command", "nice", "sudo"];
/// Modules of Python that keep results of their own: what did not change they do not open.
const KEEPERS: &[&str] =
    &["mypy", "dmypy", "ruff", "black", "tox", "nox", "pre_commit", "build", "invoke", "scons"];
/// Languages whose programs are read when they run.
const INTERPRETED: &[&str] =
    &["python", "javascript", "typescript", "ruby", "perl", "php", "lua", "r", "julia", "sql"];
/// Whoever opens one of these builds, and does not open what is older than what was built.
const BUILDS: &[&str] = &[
    "Makefile",
    "makefile",
    "GNUmakefile",
    "CMakeLists.txt",
    "build.ninja",
    "meson.build",
    "Cargo.toml",
    "go.mod",
    "build.gradle",
    "build.gradle.kts",
    "pom.xml",
    "tsconfig.json",
    "Rakefile",
    "justfile",
    "SConstruct",
    ".eslintcache",
];

/// Tools that look at the times of files of these kinds; files of other kinds they open, or do not know.
const OF_ONE_LANGUAGE: &[(&str, &[&str])] = &[
    ("cargo", &["rs", "toml", "lock"]),
    ("rustc", &["rs"]),
    ("go", &["go", "mod", "sum", "work"]),
    ("mypy", &["py", "pyi", "toml", "ini", "cfg"]),
    ("pyright", &["py", "pyi", "toml", "json"]),
    ("ruff", &["py", "pyi", "toml", "ipynb"]),
    ("black", &["py", "pyi", "toml", "ipynb"]),
    ("tsc", &["ts", "tsx", "js", "jsx", "mts", "cts", "json"]),
    ("dotnet", &["cs", "csproj", "sln", "props", "json"]),
    ("mvn", &["java", "xml", "properties"]),
];

/// Paths of the inputs that count.
pub(super) fn of(record: &Record, command: &str) -> HashSet<String> {
    let mut reached = mentioned(record, command);
    let is_told = only_reads(record, command);
    let keeps = command.split_whitespace().any(|word| KEEPERS.contains(&name(word)));
    let kinds = kinds(record, command);
    let made = made(record, command);
    let words = OnceCell::new();
    // Something that was opened speaks of it: then a build may have left it alone because nothing was new.
    let is_spoken_of = |path: &str| words.get_or_init(|| opened_words(record)).contains(stem(path));
    for input in &record.inputs {
        let is_foreign = || {
            kinds.as_ref().is_some_and(|kinds| !kinds.contains(&ending(&input.path)))
                && !is_spoken_of(&input.path)
        };
        let had_no_say = || {
            let is_left_alone = !keeps && is_script(&input.path) && !is_spoken_of(&input.path);
            let is_of_others =
                made.as_ref().is_some_and(|made| is_source(&input.path) && !made.contains(&input.path));
            is_told || is_left_alone || is_foreign() || is_of_others
        };
        if input.opened == Some(true) {
            reached.insert(input.path.clone());
        } else if input.opened == Some(false) && !is_word(command, &input.path) && had_no_say() {
            reached.remove(&input.path);
        }
    }
    reached
}

/// A source that a compiler would have to be given by name.
fn is_source(path: &str) -> bool {
    ["c", "cc", "cpp", "cxx", "s", "f90"].contains(&ending(path))
}

/// What the targets of `make`, or a program that it made, are made from.
fn made(record: &Record, command: &str) -> Option<HashSet<String>> {
    let words: Vec<&str> = command.split_whitespace().collect();
    let (program, rest) = words.split_first()?;
    if command.contains(['&', '|', ';', '\n']) || rest.contains(&"-f") {
        return None;
    }
    let folder =
        rest.windows(2).find(|pair| pair[0] == "-C").map_or("", |pair| pair[1].trim_end_matches('/'));
    let is_target = |(at, word): &(usize, &&str)| {
        !word.starts_with('-') && !word.contains('=') && (*at == 0 || !["-C", "-j"].contains(&rest[at - 1]))
    };
    let (folder, targets): (&str, Vec<&str>) = match *program {
        "make" | "gmake" => {
            (folder, rest.iter().enumerate().filter(is_target).map(|(_, word)| *word).collect())
        }
        program => {
            let (folder, name) =
                program.strip_prefix("./")?.rsplit_once('/').unwrap_or(("", program.strip_prefix("./")?));
            (folder, vec![name])
        }
    };
    let workspace = Root::open(Path::new(&record.workspace)).ok()?;
    let text = makefile(&workspace, Path::new(folder))?;
    let made = super::makefile::made_from(text.as_str(), &targets)?;
    let whole = |path: String| if folder.is_empty() { path } else { format!("{folder}/{path}") };
    Some(made.into_iter().map(whole).collect())
}

/// The file that make itself reads: the first of these that is there, whatever is in it.
fn makefile(workspace: &Root, folder: &Path) -> Option<Untrusted> {
    let places = ["GNUmakefile", "makefile", "Makefile"].map(|name| folder.join(name));
    let is_there = |place: &&PathBuf| !workspace.facts_of(place).is_err_and(|error| error.is_missing());
    workspace.read_text(places.iter().find(is_there)?, Bound::SMALL).ok()
}

/// A script is opened by whoever runs it, whatever was built before.
fn is_script(path: &str) -> bool {
    ["sh", "bash", "py", "rb", "pl", "js", "mjs", "lua", "php"].contains(&ending(path))
}

fn ending(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(_, ending)| ending)
}

/// The kinds of files that the commands of a line may leave unopened though they count, where all of these are known.
fn kinds(record: &Record, command: &str) -> Option<Vec<&'static str>> {
    // A program of the project's own that builds may ask for anything.
    let has_own = record.inputs.iter().any(|input| name(&input.path) == "build.rs");
    let mut kinds = Vec::new();
    for part in command.split(['&', '|', ';', '\n']).map(str::trim).filter(|part| !part.is_empty()) {
        // What was built by cargo is as old as its sources.
        let is_built = part.trim_start_matches("./").starts_with("target/");
        let mut words = part.split_whitespace().map(name).chain(is_built.then_some("cargo"));
        let of = words.find_map(|word| OF_ONE_LANGUAGE.iter().find(|(tool, _)| *tool == word));
        match of {
            Some((tool, own)) if !(has_own && *tool == "cargo") => kinds.extend(*own),
            Some(_) => return None,
            None if is_reader(part) => {}
            None => return None,
        }
    }
    (!kinds.is_empty()).then_some(kinds)
}

/// The words of all builds and scripts that were opened.
fn opened_words(record: &Record) -> HashSet<String> {
    let opened = record.inputs.iter().filter(|input| input.opened == Some(true));
    let opened = opened.filter(|input| BUILDS.contains(&name(&input.path)) || is_script(&input.path));
    opened.flat_map(|input| words_of(record, &input.path)).collect()
}

/// Whether everything that had a say in a run was opened by it.
fn only_reads(record: &Record, command: &str) -> bool {
    let builds = |input: &FileFacts| input.opened == Some(true) && BUILDS.contains(&name(&input.path));
    if record.inputs.iter().any(builds) {
        return false;
    }
    match record.source.kind {
        SourceKind::Command | SourceKind::Shell => {
            command.split(['&', '|', ';', '\n']).map(str::trim).filter(|part| !part.is_empty()).all(is_reader)
        }
        SourceKind::File | SourceKind::Inline | SourceKind::Stdin | SourceKind::Answer => {
            let mut languages = record.attempts.iter().map(|attempt| attempt.language.as_str());
            languages.all(|language| INTERPRETED.contains(&language))
        }
    }
}

/// Whether one command of a line is known to open what it reads.
fn is_reader(part: &str) -> bool {
    let is_setting = |word: &str| word.split_once('=').is_some_and(|(name, _)| !name.contains(['/', '-']));
    let mut words = part.split_whitespace().skip_while(|word| LEADING.contains(word) || is_setting(word));
    let Some(program) = words.next() else { return true };
    // `python3.12` is python.
    let bare = name(program).trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let module = words.skip_while(|word| *word != "-m").nth(1).unwrap_or_default();
    let package = module.split('.').next().unwrap_or_default();
    READERS.contains(&bare) && !KEEPERS.contains(&package)
}

fn is_word(command: &str, path: &str) -> bool {
    command.split_whitespace().any(|word| word.trim_matches(['\'', '"']).trim_start_matches("./") == path)
}

/// Paths of the inputs that the command names, or code does that it names.
fn mentioned(record: &Record, command: &str) -> HashSet<String> {
    let all: Vec<&str> = record.inputs.iter().map(|input| input.path.as_str()).collect();
    let words: Vec<&str> = command
        .split_whitespace()
        .map(|word| word.trim_matches(['\'', '"']).trim_start_matches("./"))
        .collect();
    let source = record.source.path.as_deref().unwrap_or_default();
    let is_named = |path: &str| {
        words.iter().any(|word| word.split("::").next() == Some(path))
            || (!source.is_empty() && Path::new(source).ends_with(path))
    };
    let named: Vec<&str> =
        all.iter().copied().filter(|path| is_named(path) || path.starts_with('/')).collect();
    if !named.iter().any(|path| is_code(path)) {
        return all.into_iter().map(str::to_owned).collect();
    }
    let mut reached: HashSet<String> = named.iter().map(|path| (*path).to_owned()).collect();
    reached.extend(all.iter().filter(|path| ALWAYS.contains(&name(path))).map(|path| (*path).to_owned()));
    let mut open: Vec<String> = reached.iter().cloned().collect();
    while let Some(path) = open.pop() {
        let mentioned = words_of(record, &path);
        for other in &all {
            if !reached.contains(*other) && mentioned.contains(stem(other)) {
                reached.insert((*other).to_owned());
                open.push((*other).to_owned());
            }
        }
    }
    reached
}

fn words_of(record: &Record, path: &str) -> HashSet<String> {
    let text = read(Path::new(&record.workspace), Path::new(path), Bound(LARGEST)).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-');
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// A file that is named from a folder, as it is now. What lies below the folder is opened beneath it: a link that was put there since leads
/// nobody out. What lies elsewhere was named so, by the user who granted it or by a claim.
pub(super) fn read(folder: &Path, path: &Path, most: Bound) -> Option<Vec<u8>> {
    match below(folder, path) {
        Some(inside) => Root::open(folder).ok()?.read(inside, most).ok(),
        None => actum_gate::read_named(&folder.join(path), most).ok(),
    }
}

/// The length of such a file.
pub(super) fn length(folder: &Path, path: &Path) -> Option<u64> {
    match below(folder, path) {
        Some(inside) => Root::open(folder).ok()?.facts_of(inside).ok().map(|facts| facts.size),
        None => folder.join(path).metadata().ok().map(|facts| facts.len()),
    }
}

/// A path as the folder has it; none where it leaves the folder by what it says.
fn below<'p>(folder: &Path, path: &'p Path) -> Option<&'p Path> {
    let inside = path.strip_prefix(folder).unwrap_or(path);
    let mut depth = 0_usize;
    for part in inside.components() {
        match part {
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
            Component::ParentDir => depth = depth.checked_sub(1)?,
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(inside)
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// What code calls a file: its name without its ending, or its folder's where the file speaks for that.
fn stem(path: &str) -> &str {
    let stem = name(path).split('.').next().unwrap_or_default();
    let folder = path.rsplit('/').nth(1).unwrap_or(stem);
    if ["__init__", "__main__", "index", "mod", "lib"].contains(&stem) { folder } else { stem }
}

fn is_code(path: &str) -> bool {
    [
        ".py", ".js", ".mjs", ".ts", ".rs", ".go", ".rb", ".php", ".sh", ".pl", ".r", ".jl", ".lua", ".java",
        ".c", ".cpp",
    ]
    .iter()
    .any(|ending| path.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_nobody_out_of_the_folder() {
        let top = tempfile::tempdir().unwrap();
        let folder = top.path().join("w");
        let write = |path: &str, text: &str| {
            std::fs::create_dir_all(top.path().join(path).parent().unwrap()).unwrap();
            std::fs::write(top.path().join(path), text).unwrap();
        };
        write("secret/s.py", "secret");
        write("w/in/a.py", "inside");
        std::os::unix::fs::symlink("in/a.py", folder.join("a.py")).unwrap();
        std::os::unix::fs::symlink("../secret/s.py", folder.join("s.py")).unwrap();
        std::os::unix::fs::symlink(top.path().join("secret"), folder.join("other")).unwrap();
        let seen = |path: &Path| {
            let text = read(&folder, path, Bound::SMALL).map(|bytes| String::from_utf8(bytes).unwrap());
            assert_eq!(length(&folder, path), text.as_ref().map(|text| text.len() as u64));
            text
        };
        for path in ["a.py", "in/a.py", "in/../a.py"] {
            assert_eq!(seen(Path::new(path)).as_deref(), Some("inside"), "{path}");
            assert_eq!(seen(&folder.join(path)).as_deref(), Some("inside"), "{path}");
        }
        for path in ["s.py", "other/s.py", "in/../s.py"] {
            assert_eq!(seen(Path::new(path)), None, "{path}");
            assert_eq!(seen(&folder.join(path)), None, "{path}");
        }
        // Named so.
        assert_eq!(seen(Path::new("../secret/s.py")).as_deref(), Some("secret"));
        assert_eq!(seen(&top.path().join("secret/s.py")).as_deref(), Some("secret"));
    }

    #[test]
    fn the_file_is_read_that_make_reads() {
        let top = tempfile::tempdir().unwrap();
        let root = Root::open(top.path()).unwrap();
        let read = || makefile(&root, Path::new("")).map(Untrusted::into_string);
        assert_eq!(read(), None);
        for name in ["Makefile", "makefile", "GNUmakefile"] {
            std::fs::write(top.path().join(name), name).unwrap();
            assert_eq!(read().as_deref(), Some(name));
        }
        // What cannot be read is read by make all the same.
        std::fs::write(top.path().join("GNUmakefile"), b"\xff").unwrap();
        assert_eq!(read(), None);
        std::fs::remove_file(top.path().join("GNUmakefile")).unwrap();
        std::os::unix::fs::symlink("/etc/hostname", top.path().join("GNUmakefile")).unwrap();
        assert_eq!(read(), None);
    }

    #[test]
    fn interpreters_open_what_they_read_and_build_tools_need_not() {
        for part in [
            "python3 -m unittest test_ringbuf",
            "python3.12 main.py --epochs 3",
            "/usr/bin/python3 -m pytest -q",
            "SEED=1 time pytest tests/test_a.py::test_b",
            "node app.js",
            "cd src",
        ] {
            assert!(is_reader(part), "{part}");
        }
        for part in [
            "make test",
            "cargo test",
            "npm test",
            "./run.sh",
            "bash run.sh",
            "python3 -m mypy src",
            "ruff check",
            "go test ./...",
        ] {
            assert!(!is_reader(part), "{part}");
        }
    }
}
