//! What is expected of a run, from wherever somebody wrote it: the command line, `actum.toml`, a file beside the program, the
//! front matter of an answer. All of it holds together; what cannot is refused before anything runs.

use crate::defaults::RunDefaults;
use crate::error::EngineError;
use crate::request::{RequestBuilder, granted};
use crate::surroundings::Surroundings;
use actum_gate::{Bound, GateError, Kind, Root};
use actum_judge::{Given, JudgeError, Settings};
use actum_model::{Expectation, Expected, Origin, Place, Untrusted, path_text};
use actum_run::Source;
use serde_json::{Map, Value};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Longer than anything that somebody expects.
const LARGEST: Bound = Bound::SMALL;
/// Inputs and outputs of all cases together.
const LARGEST_TABLE: Bound = Bound::mib(64);
/// More cases than anybody waits for, each with three files.
const MOST_FILES: usize = 30_000;

/// Where files of expectations lie, and from where their names are shown.
struct Neighbourhood<'a> {
    folder: &'a Path,
    workspace: &'a Path,
}

impl Neighbourhood<'_> {
    /// A file that a project names, relative to another of its files: inside the workspace, or, where the other file lies
    /// elsewhere, inside that file's folder. Anything else is refused, whatever links lead there.
    fn read(&self, file: &Path, name: &Path) -> Result<Untrusted, GateError> {
        let beside = file.parent().unwrap_or(Path::new("/"));
        let (root, below) = match beside.strip_prefix(self.workspace) {
            Ok(below) => (self.workspace, below),
            Err(_) => (beside, Path::new("")),
        };
        Root::open(root)?.read_text(&below.join(name), LARGEST)
    }

    /// `train.py.expect.toml` or `train.expect.toml`, beside `train.py`, and what is in it.
    fn beside(&self, path: &Path) -> Result<Option<(PathBuf, Untrusted)>, EngineError> {
        let Some(name) = path.file_name() else { return Ok(None) };
        let mut whole = name.to_owned();
        whole.push(".expect.toml");
        for candidate in [path.with_file_name(whole), path.with_extension("expect.toml")] {
            let name = candidate.file_name().unwrap_or_default();
            match self.read(&candidate, Path::new(name)) {
                Ok(text) => return Ok(Some((candidate, text))),
                Err(error) if error.is_missing() => {}
                Err(error) => return Err(not_a_file(&candidate, error)),
            }
        }
        Ok(None)
    }
}

fn not_a_file(path: &Path, error: GateError) -> EngineError {
    const HINT: &str = "give a TOML file with expectations";
    EngineError::Path { path: path.to_path_buf(), hint: HINT, source: error.into_io() }
}

/// Everything that is expected of a run.
pub(crate) fn collect(
    asked: &RequestBuilder,
    surroundings: &Surroundings,
    defaults: &RunDefaults,
    (source, workspace): (&Source, &Path),
) -> Result<Vec<Expected>, EngineError> {
    let folder = &surroundings.folder;
    let mut all = typed(&asked.expect, folder)?;
    let place = Neighbourhood { folder, workspace };
    for path in &asked.expectations {
        let path = folder.join(path);
        let text = actum_gate::read_named_text(&path, LARGEST).map_err(|source| not_a_file(&path, source))?;
        all.extend(of_file(&path, text.as_str(), &place)?);
    }
    // Nothing is expected of a look at syntax.
    let asks_files = !asked.check && !asked.no_expectations;
    if asks_files {
        all.extend(of_defaults(defaults, source, &place)?);
        if let Source::File(path) = source {
            if let Some((beside, text)) = place.beside(path)? {
                all.extend(of_file(&beside, text.as_str(), &place)?);
            }
            all.extend(of_front_matter(path, &place)?);
        }
    }
    consistent(&all)?;
    can_be_judged(asked, &all)?;
    Ok(all)
}

/// A session keeps what its calls change until it ends, long after each of them was told. What would not be judged is refused,
/// whoever expects it.
fn can_be_judged(asked: &RequestBuilder, all: &[Expected]) -> Result<(), EngineError> {
    let cases = asked.cases.as_deref().map(|path| path.display().to_string());
    let origin = all.first().map(|expected| expected.origin.to_string()).or(cases);
    match (&asked.session, origin) {
        (Some(_), Some(origin)) => Err(EngineError::NotOfACall { origin }),
        (Some(_), None) | (None, _) => Ok(()),
    }
}

/// Refuses what would be about something that is dropped with a case: its files, and metrics, which stand in files too.
fn of_a_case(case: &Given) -> Result<(), EngineError> {
    let is_dropped = |expectation: &&Expectation| match expectation {
        Expectation::File { .. } => true,
        Expectation::Numbers { series, .. } => !matches!(series.place, Place::Stream(_)),
        Expectation::Exit { .. }
        | Expectation::Stream { .. }
        | Expectation::Duration { .. }
        | Expectation::Memory { .. } => false,
    };
    match case.expectations.iter().find(is_dropped) {
        Some(expectation) => {
            Err(EngineError::NotOfACase { what: expectation.name(), case: case.name.clone() })
        }
        None => Ok(()),
    }
}

/// Refuses two that cannot both hold.
fn consistent(all: &[Expected]) -> Result<(), EngineError> {
    match actum_judge::contradiction(all) {
        Some(found) => Err(EngineError::Contradiction { one: shown(found.one), other: shown(found.other) }),
        None => Ok(()),
    }
}

/// The cases that were named. What they hold is handed to the program, so a link of the workspace does not choose them.
pub(crate) fn cases(
    asked: &RequestBuilder,
    (folder, workspace): (&Path, &Path),
    expected: &[Expected],
) -> Result<Vec<Given>, EngineError> {
    let Some(path) = &asked.cases else { return Ok(Vec::new()) };
    const HINT: &str = "give a table of cases, or a folder with NAME.in, NAME.args and NAME.out";
    let path = folder.join(path);
    let failed = |source| EngineError::Path { path: path.clone(), hint: HINT, source };
    let from = told(&path, folder);
    if path.symlink_metadata().is_ok() {
        granted(&path, workspace)?;
    }
    let cases = match path.is_dir() {
        true => actum_judge::cases_of_folder(&from, &files(&path).map_err(failed)?)?,
        false => {
            let text = actum_gate::read_named_text(&path, LARGEST_TABLE);
            let text = text.map_err(|error| failed(error.into_io()))?;
            actum_judge::cases_of_table(&from, text.as_str())?
        }
    };
    // What is expected of the run is expected of its first case.
    for (case, shared) in cases.iter().zip([expected].into_iter().chain(std::iter::repeat(&[][..]))) {
        of_a_case(case)?;
        let origin = Origin::File(format!("case {} of {from}", case.name));
        consistent(&[shared, &self::from(origin, case.expectations.clone())].concat())?;
    }
    Ok(cases)
}

/// The plain files of a folder by their names.
fn files(folder: &Path) -> io::Result<Vec<(String, Vec<u8>)>> {
    let root = Root::open(folder).map_err(GateError::into_io)?;
    let (mut files, mut left) = (Vec::new(), LARGEST_TABLE.0);
    for (name, facts) in root.list(Path::new(""), MOST_FILES).map_err(GateError::into_io)? {
        let Some(name) = name.to_str().map(str::to_owned) else { continue };
        if facts.kind != Kind::File {
            continue;
        }
        let bytes = root.read(Path::new(&name), Bound(left)).map_err(GateError::into_io)?;
        left -= bytes.len() as u64;
        files.push((name, bytes));
    }
    Ok(files)
}

/// `exit code 0 (from actum.toml)`, with the name of what it is about where the words do not say it.
fn shown(expected: &Expected) -> String {
    let (name, words, origin) = (expected.what.name(), expected.what.words(), &expected.origin);
    if words.starts_with(&name) {
        format!("{words} (from {origin})")
    } else {
        format!("{name}: {words} (from {origin})")
    }
}

/// What was typed.
fn typed(lines: &[String], folder: &Path) -> Result<Vec<Expected>, EngineError> {
    // Typed by the user, who may name any file.
    let load = |path: &str| {
        let text = actum_gate::read_named_text(&folder.join(path), LARGEST);
        text.map(Untrusted::into_string).map_err(GateError::into_io)
    };
    let tolerance = actum_judge::tolerance_of(lines.iter().map(String::as_str));
    let settings = Settings { tolerance: tolerance.unwrap_or_default(), load: &load };
    let mut all = Vec::new();
    for line in lines {
        all.extend(actum_judge::line(line, &settings)?);
    }
    Ok(from(Origin::CommandLine, all))
}

fn from(origin: Origin, all: Vec<Expectation>) -> Vec<Expected> {
    all.into_iter().map(|what| Expected { what, origin: origin.clone() }).collect()
}

/// Reads a table. Schemas that it names lie beside the file that it stands in.
fn of_table(
    table: &Map<String, Value>,
    file: &Path,
    origin: Origin,
    place: &Neighbourhood<'_>,
) -> Result<Vec<Expected>, EngineError> {
    let load = |path: &str| {
        let text = place.read(file, Path::new(path));
        text.map(Untrusted::into_string).map_err(GateError::into_io)
    };
    let settings = Settings { tolerance: 0.0, load: &load };
    let wrong = |source: JudgeError| EngineError::Expectations { origin: origin.to_string(), source };
    let all = actum_judge::read_table(table, &settings).map_err(wrong)?;
    Ok(from(origin, all))
}

/// A path as it is told: from where the user is, where that is shorter.
fn told(path: &Path, folder: &Path) -> String {
    path_text(path.strip_prefix(folder).unwrap_or(path).as_os_str().as_bytes())
}

/// What settings expect of every run, and of this program.
fn of_defaults(
    defaults: &RunDefaults,
    source: &Source,
    place: &Neighbourhood<'_>,
) -> Result<Vec<Expected>, EngineError> {
    let mut all = Vec::new();
    for part in &defaults.expect {
        let origin = || Origin::File(told(&part.path, place.folder));
        let mut table = part.table.clone();
        let of = table.remove("of");
        all.extend(of_table(&table, &part.path, origin(), place)?);
        let project = part.path.parent().unwrap_or(Path::new("/"));
        let (Some(Value::Object(programs)), Source::File(path)) = (of, source) else { continue };
        let is_meant = |name: &str| project.join(name).canonicalize().is_ok_and(|named| named == *path);
        for (_, value) in programs.iter().filter(|(name, _)| is_meant(name)) {
            let table =
                value.as_object().ok_or_else(|| EngineError::NoTable { origin: origin().to_string() })?;
            all.extend(of_table(table, &part.path, origin(), place)?);
        }
    }
    Ok(all)
}

/// A file that holds expectations and nothing else.
fn of_file(path: &Path, text: &str, place: &Neighbourhood<'_>) -> Result<Vec<Expected>, EngineError> {
    let origin = Origin::File(told(path, place.folder));
    let table: Map<String, Value> = toml::from_str(text).map_err(|error| EngineError::NotUnderstood {
        origin: origin.to_string(),
        why: error.message().split_whitespace().collect::<Vec<_>>().join(" "),
    })?;
    // A file may hold them below `[expect]`, as settings do.
    match table.get("expect") {
        Some(Value::Object(inner)) if table.len() == 1 => of_table(inner, path, origin, place),
        Some(_) | None => of_table(&table, path, origin, place),
    }
}

/// What stands above an answer, between two lines of `---`: only `expect:` and what is indented below it is read. The rest
/// is somebody else's, and often no YAML.
fn of_front_matter(path: &Path, place: &Neighbourhood<'_>) -> Result<Vec<Expected>, EngineError> {
    let is_markdown =
        matches!(path.extension().and_then(|name| name.to_str()), Some("md" | "markdown" | "MD"));
    let Some(part) = is_markdown.then(|| head(path)).flatten().as_deref().and_then(front_matter) else {
        return Ok(Vec::new());
    };
    let origin = Origin::FrontMatter(told(path, place.folder));
    let wrong = |why: String| EngineError::NotUnderstood { origin: origin.to_string(), why };
    let whole: Map<String, Value> = serde_saphyr::from_str(&part).map_err(|error| {
        let said = error.to_string();
        wrong(said.lines().next().unwrap_or_default().to_owned())
    })?;
    match whole.get("expect") {
        Some(Value::Object(table)) => of_table(table, path, origin, place),
        Some(_) | None => Err(EngineError::NoTable { origin: origin.to_string() }),
    }
}

/// Reads the expectations in a text's front matter and drops them.
pub fn parse_front_matter(text: &str) {
    let Some(part) = front_matter(text) else { return };
    let Ok(whole) = serde_saphyr::from_str::<Map<String, Value>>(&part) else { return };
    if let Some(Value::Object(table)) = whole.get("expect") {
        let load = |_: &str| Ok("{}".to_owned());
        let _ = actum_judge::read_table(table, &Settings { tolerance: 0.0, load: &load });
    }
}

/// The beginning of a file, as far as it is text.
fn head(path: &Path) -> Option<String> {
    const HEAD: u64 = 64 << 10;
    let mut bytes = Vec::new();
    let (file, _) = actum_gate::open_named(path).ok()?;
    file.take(HEAD).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The part of front matter that is ours.
fn front_matter(text: &str) -> Option<String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.lines();
    if lines.next()?.trim_end() != "---" {
        return None;
    }
    let matter: Vec<&str> =
        lines.by_ref().take_while(|line| !matches!(line.trim_end(), "---" | "...")).collect();
    let start = matter.iter().position(|line| line.starts_with("expect:"))?;
    let is_below = |line: &&str| line.is_empty() || line.starts_with([' ', '\t', '#', '-']);
    let below = matter[start + 1..].iter().copied().take_while(is_below);
    let part: Vec<&str> = [matter[start]].into_iter().chain(below).collect();
    Some(part.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_front_matter_only_what_is_ours_is_read() {
        for (text, part) in [
            (
                "---\nname: x: y\nexpect:\n  exit: 0\n\n  stdout: a\ntitle: b\n---\n# A",
                Some("expect:\n  exit: 0\n\n  stdout: a\n"),
            ),
            ("\u{feff}---\r\nexpect: {exit: 0}\r\n---\r\n", Some("expect: {exit: 0}\n")),
            ("---\ntitle: b\n---\n", None),
            ("# A\n---\nexpect:\n  exit: 0\n---\n", None),
            ("", None),
        ] {
            assert_eq!(front_matter(text).as_deref(), part, "{text:?}");
        }
    }

    fn names(all: &[Expected]) -> Vec<String> {
        all.iter().map(|one| one.what.name()).collect()
    }

    #[test]
    fn files_are_found_and_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("a.py"), "").unwrap();
        let place = Neighbourhood { folder: folder.path(), workspace: folder.path() };
        assert_eq!(place.beside(&path("a.py")).unwrap(), None);
        std::fs::write(path("a.expect.toml"), "exit = 0\n[rows]\n\"t.csv\" = \"3..\"\n").unwrap();
        let all = || {
            let (found, text) = place.beside(&path("a.py")).unwrap().unwrap();
            of_file(&found, text.as_str(), &place).unwrap()
        };
        let read = all();
        assert_eq!(names(&read), ["exit", "rows:t.csv"]);
        assert_eq!(read[0].origin, Origin::File("a.expect.toml".to_owned()));
        std::fs::write(path("a.py.expect.toml"), "[expect]\nstdout = 'x'\n").unwrap();
        assert_eq!(names(&all()), ["stdout"]);
        std::fs::write(
            path("b.md"),
            "---\nexpect:\n  stdout-contains: [a, b]\n  metric:\n    loss: ..0.5\n---\n",
        )
        .unwrap();
        let read = of_front_matter(&path("b.md"), &place).unwrap();
        assert_eq!(names(&read), ["stdout-contains", "stdout-contains", "last:metric#loss"]);
        for (name, text) in [
            ("c.md", "---\nexpect: [\n---\n"),
            ("d.md", "---\nexpect: 3\n---\n"),
            ("e.md", "---\nexpect:\n  exits: 1\n---\n"),
        ] {
            std::fs::write(path(name), text).unwrap();
            assert!(of_front_matter(&path(name), &place).is_err(), "{text}");
        }
        for text in ["exit = ", "exits = 0", "exit = [0, {}]"] {
            assert!(of_file(&path("f.toml"), text, &place).is_err(), "{text}");
        }
    }
}
