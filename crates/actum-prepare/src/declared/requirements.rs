//! `requirements.txt` and what it includes: lines, options, addresses, each judged.

use super::{Declared, refused, text};
use crate::error::PrepareError;
use crate::requirement::Requirement;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Files may include each other, and one that includes itself would never end.
const DEEPEST: usize = 8;
/// More lines than any project has, in all files together.
const MOST: usize = 5_000;
/// The same with comments, hashes and empty lines.
const MOST_WRITTEN: usize = 200_000;
const MOST_BYTES: usize = 32 << 20;
/// Notes that are kept, and indexes that may be named.
const MOST_NOTES: usize = 100;
const TOO_MANY: &str = "it has too many lines";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Require,
    Constrain,
}

/// Reads one file and those that it includes.
pub(super) fn read(path: &Path, workspace: &Path) -> Result<Declared, PrepareError> {
    let mut reading = Reading::new(workspace, Declared::default());
    reading.file(path, Purpose::Require, DEEPEST)?;
    Ok(reading.declared)
}

/// Takes one dependency of a project's file: a package, or the project itself, and no option.
pub(super) fn package(declared: &mut Declared, path: &Path, line: &str) -> Result<(), PrepareError> {
    if declared.requirements.len() >= MOST {
        return Err(refused(path, line, TOO_MANY));
    }
    match requirement(line).map_err(|why| refused(path, line, why))? {
        Kind::Package(text) => declared.requirements.push(text),
        Kind::Local => leave_out(declared, line, "the project itself is used from the workspace"),
    }
    Ok(())
}

/// The lines of a file, and of those that it includes.
pub(super) struct Reading<'r> {
    workspace: &'r Path,
    pub(super) declared: Declared,
    /// The real paths of what was read.
    seen: HashSet<PathBuf>,
    lines: usize,
    written: usize,
    bytes: usize,
}

impl<'r> Reading<'r> {
    pub(super) fn new(workspace: &'r Path, declared: Declared) -> Self {
        Self { workspace, declared, seen: HashSet::new(), lines: 0, written: 0, bytes: 0 }
    }

    fn file(&mut self, path: &Path, purpose: Purpose, deeper: usize) -> Result<(), PrepareError> {
        let text = text(path, self.workspace)?;
        self.seen.insert(path.canonicalize().unwrap_or_else(|_| path.to_path_buf()));
        self.declared.files.push(path.to_path_buf());
        self.bytes += text.len();
        self.written += text.lines().count();
        if self.bytes > MOST_BYTES || self.written > MOST_WRITTEN {
            return Err(refused(path, "", TOO_MANY));
        }
        logical_lines(&text).iter().try_for_each(|line| self.line(path, line, purpose, deeper))
    }

    /// Takes one line as if it stood in a file.
    pub(super) fn single(&mut self, path: &Path, line: &str) -> Result<(), PrepareError> {
        self.line(path, line, Purpose::Require, DEEPEST)
    }

    fn line(&mut self, path: &Path, line: &str, purpose: Purpose, deeper: usize) -> Result<(), PrepareError> {
        self.lines += 1;
        if self.lines > MOST {
            return Err(refused(path, line, TOO_MANY));
        }
        if line.contains("${") {
            return Err(refused(path, line, "it uses an environment variable"));
        }
        if line.starts_with('-') {
            return self.option(path, line, deeper);
        }
        let requirement = requirement(line).map_err(|why| refused(path, line, why))?;
        match requirement {
            Kind::Package(text) if purpose == Purpose::Require => self.declared.requirements.push(text),
            Kind::Package(text) => self.declared.constraints.push(text),
            Kind::Local => self.leave_out(line, "the project itself is used from the workspace"),
        }
        Ok(())
    }

    fn option(&mut self, path: &Path, line: &str, deeper: usize) -> Result<(), PrepareError> {
        let (name, value) = split_option(line);
        match name {
            "-r" | "--requirement" => self.include(path, (line, value), Purpose::Require, deeper),
            "-c" | "--constraint" => self.include(path, (line, value), Purpose::Constrain, deeper),
            "-i" | "--index-url" | "--extra-index-url" => {
                if self.declared.indexes.len() >= MOST_NOTES {
                    return Err(refused(path, line, "it has too many indexes"));
                }
                self.declared.indexes.push(value.to_owned());
                Ok(())
            }
            "-e" | "--editable" => match requirement(value) {
                Ok(Kind::Local) => {
                    self.leave_out(line, "the project itself is used from the workspace");
                    Ok(())
                }
                Ok(Kind::Package(_)) => {
                    Err(refused(path, line, "only a folder can be installed as editable"))
                }
                Err(why) => Err(refused(path, line, why)),
            },
            "--require-hashes" | "--prefer-binary" | "--only-binary" => Ok(()),
            "--trusted-host" => {
                self.leave_out(line, "TLS certificates of an index are always verified");
                Ok(())
            }
            "--no-binary" => {
                self.leave_out(line, "wheels are preferred");
                Ok(())
            }
            "--pre" => {
                self.leave_out(line, "pre-releases are used only if a version names one");
                Ok(())
            }
            "--use-feature" | "--no-cache-dir" | "--use-pep517" => Ok(()),
            "-f" | "--find-links" => {
                Err(refused(path, line, "configure a folder of wheels in [packages] instead"))
            }
            "--no-index" => Err(refused(path, line, "configure the use of an index in [packages] instead")),
            _ => Err(refused(path, line, "this option is not supported")),
        }
    }

    fn include(
        &mut self,
        path: &Path,
        (line, value): (&str, &str),
        purpose: Purpose,
        deeper: usize,
    ) -> Result<(), PrepareError> {
        let beside = path.parent().unwrap_or(path);
        if value.contains("://") {
            return Err(refused(path, line, "it is a URL; only files in the workspace are read"));
        }
        let there =
            beside.join(value).canonicalize().map_err(|_| refused(path, line, "the file does not exist"))?;
        let workspace = self.workspace.canonicalize().unwrap_or_else(|_| self.workspace.to_path_buf());
        if !there.starts_with(&workspace) {
            return Err(refused(path, line, "it is outside the workspace"));
        }
        if self.seen.contains(&there) {
            return Ok(());
        }
        let Some(deeper) = deeper.checked_sub(1) else {
            return Err(refused(path, line, "files include each other too deeply"));
        };
        self.file(&there, purpose, deeper)
    }

    fn leave_out(&mut self, line: &str, why: &str) {
        leave_out(&mut self.declared, line, why);
    }
}

/// Notes that a line was left out.
pub(super) fn leave_out(declared: &mut Declared, line: &str, why: &str) {
    if declared.notes.len() < MOST_NOTES {
        let line: String = line.chars().filter(|c| !c.is_control()).take(80).collect();
        declared.notes.push(format!("`{line}` was ignored: {why}"));
    }
}

/// What a line asks for.
enum Kind {
    Package(String),
    /// A folder or archive of the workspace.
    Local,
}

/// Parses a requirement; which versions there are is left to who resolves.
fn requirement(line: &str) -> Result<Kind, &'static str> {
    let is_address =
        ["git+", "hg+", "svn+", "bzr+", "http:", "https:", "ftp:"].iter().any(|way| line.starts_with(way));
    if is_address || line.contains("://") && !line.starts_with("file:") {
        return Err("it is a URL; only packages from the index are supported");
    }
    if line.starts_with("file:") || line.starts_with('/') || line.starts_with('~') {
        return Err("it is outside the workspace");
    }
    if line.starts_with('.') {
        return if line.contains("..") { Err("it is outside the workspace") } else { Ok(Kind::Local) };
    }
    Requirement::parse(line).map(|requirement| Kind::Package(requirement.to_string()))
}

/// `-r file`, `-rfile`, `--requirement=file`, `--requirement file`.
fn split_option(line: &str) -> (&str, &str) {
    if line.starts_with("--") {
        let end = line.find(['=', ' ', '\t']).unwrap_or(line.len());
        return (&line[..end], line[end..].trim_start_matches(['=', ' ', '\t']).trim());
    }
    let end = line.char_indices().nth(2).map_or(line.len(), |(at, _)| at);
    (&line[..end], line[end..].trim())
}

/// Lines without comments, with those joined that end in a backslash.
fn logical_lines(text: &str) -> Vec<String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = Vec::new();
    let mut joined = String::new();
    for line in text.lines() {
        let is_comment = line.trim_start().starts_with('#');
        if let (false, Some(start)) = (is_comment, line.strip_suffix('\\')) {
            joined.push_str(start);
            joined.push(' ');
            continue;
        }
        if !is_comment {
            joined.push_str(line);
        }
        let whole = std::mem::take(&mut joined);
        let bare = whole.split(" #").next().unwrap_or_default().split("\t#").next().unwrap_or_default();
        let words: Vec<&str> = bare.split_whitespace().collect();
        if !words.is_empty() {
            lines.push(words.join(" "));
        }
    }
    let words: Vec<&str> = joined.split_whitespace().collect();
    lines.extend((!words.is_empty()).then(|| words.join(" ")));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<Declared, PrepareError> {
        let world = tempfile::tempdir().unwrap();
        let path = world.path().join("requirements.txt");
        std::fs::write(&path, text).unwrap();
        std::fs::write(world.path().join("more.txt"), "from-more\n-r requirements.txt\n").unwrap();
        read(&path, world.path())
    }

    #[test]
    fn what_people_write_is_read() {
        let found = read_text(
            "\u{feff}# a comment\nnumpy>=1.20,<2  # why\r\npandas [excel] ; python_version > '3.8'\n\nsix==1.16.0 \\\n    --hash=sha256:00 \\\n    --hash=sha256:11\n-rmore.txt\n-c more.txt\n-e .\n--extra-index-url https://a.example/simple\n--trusted-host a.example\nuvicorn[standard]~=0.30",
        )
        .unwrap();
        assert_eq!(
            found.requirements,
            [
                "numpy>=1.20,<2",
                "pandas[excel] ; python_version > '3.8'",
                "six==1.16.0 --hash=sha256:00 --hash=sha256:11",
                "from-more",
                "uvicorn[standard]~=0.30"
            ]
        );
        assert_eq!(found.indexes, ["https://a.example/simple"]);
        assert_eq!(found.notes.len(), 2, "{:?}", found.notes);
    }

    #[test]
    fn what_leads_elsewhere_is_refused_with_its_line() {
        for (line, why) in [
            ("git+https://a.example/x.git", "URL"),
            ("x @ https://a.example/x.whl", "URL"),
            ("https://a.example/x.whl", "URL"),
            ("file:///etc/passwd", "outside the workspace"),
            ("/srv/x.whl", "outside the workspace"),
            ("../x", "outside the workspace"),
            ("-e ../x", "outside the workspace"),
            ("-e git+ssh://a.example/x", "URL"),
            ("-r /etc/hostname", "outside the workspace"),
            ("-r nowhere.txt", "does not exist"),
            ("-r https://a.example/r.txt", "URL"),
            ("--find-links ./w", "[packages]"),
            ("--no-index", "[packages]"),
            ("--install-option=x", "not supported"),
            ("--index-url https://${TOKEN}@a.example", "variable"),
            ("six --global-option=x", "only hashes"),
            ("wheels/x.whl", "path"),
            ("$(id)", "not a requirement"),
            ("six evil", "not a requirement"),
            ("; rm -rf x", "not a requirement"),
        ] {
            let error = read_text(line).unwrap_err();
            assert!(error.to_string().contains(why), "{line}: {error}");
        }
    }

    #[test]
    fn the_work_is_bounded_whatever_the_lines_are() {
        for line in ["-r more.txt", "--pre", "-e .", "six", "-i https://a.example/simple", "--no-cache-dir"] {
            let error = read_text(&format!("{line}\n").repeat(MOST + 1)).unwrap_err();
            assert!(error.to_string().contains("too many"), "{line}: {error}");
        }
        let error = read_text(&"#\n".repeat(MOST_WRITTEN + 1)).unwrap_err();
        assert!(error.to_string().contains("too many"), "{error}");
        let found = read_text(&"--pre\n".repeat(1000)).unwrap();
        assert_eq!(found.notes.len(), MOST_NOTES);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "([-a-z#=. /@\\\\\n$;]|\u{feff}){0,120}") {
            if let Ok(found) = read_text(&text) {
                proptest::prop_assert!(found.requirements.iter().all(|line| line.starts_with(|c: char| c.is_ascii_alphanumeric())));
            }
        }
    }
}
