//! Wheels from sources, for packages that have none. Only where the user allows it.
//!
//! Fetching runs nothing of the package. Building does: in a sandbox of its own, without a network, with one folder to write,
//! and the builder's own packages read-only. What comes out is taken where it is the wheel that was wanted, and kept by the
//! digest of its sources, so that the same lock comes out the next time.

use super::cache::{make, write};
use super::confined::{Program, succeed};
use super::data::FETCH;
use super::error::PrepareError;
use super::index;
use super::requirement::Requirement;
use super::resolve::Work;
use super::wanted::{Builds, Newest, Prepared, Stage, Wanted};
use actum_model::{Digest, Moment, Span};
use rustix::fs::{Mode, OFlags};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

const BUILD: &str = include_str!("build.py");
const FETCHING: Span = Span::seconds(300);
const BUILDING: Span = Span::seconds(900);
/// What sources are built with that do not say it. Later ones have taken old ways away.
const BUILDERS: [&str; 2] = ["setuptools<81", "wheel"];

/// Where wheels that were built lie, for one preparation.
pub(super) fn folder(work: &Work<'_>) -> PathBuf {
    work.site.folder.join("wheels")
}

/// Builds a wheel of a package, within the bounds of what is wanted.
pub(super) fn build(work: &Work<'_>, name: &str, tell: &mut dyn FnMut(Stage)) -> Result<(), PrepareError> {
    tell(Stage::Building { package: name.to_owned() });
    let sources = work.site.folder.join(format!("sources-{name}"));
    let (sha256, version) = fetch(work, name, &sources)?;
    let (said, builders) = builders(work, &sources)?;
    // Code of the package and of its builders made it: it is kept for these sources, these builders and this project.
    let maker = Path::new(&super::project_of(work.kit)).join(builders.key.to_string());
    let kept = work.cache.folder.join("built").join(interpreter(work)).join(maker).join(&sha256);
    if wheel_in(&kept, name, &version).is_none() {
        let made = carry_out(work, (name, &version), &sources, (&said, &builders))?;
        make(&kept)?;
        let new = kept.join(format!(".{}", actum_gate::own::draft_name()));
        fs::copy(&made, &new).map_err(PrepareError::io("write", &new))?;
        let own = kept.join(made.file_name().unwrap_or_default());
        fs::rename(&new, &own).map_err(PrepareError::io("write", &own))?;
    }
    let wheel = wheel_in(&kept, name, &version).ok_or_else(|| odd(name))?;
    make(&folder(work))?;
    let here = folder(work).join(wheel.file_name().unwrap_or_default());
    let _ = actum_gate::own::remove_tree(&sources);
    fs::copy(&wheel, &here).map(drop).map_err(PrepareError::io("write", &here))
}

fn odd(name: &str) -> PrepareError {
    PrepareError::Tool {
        doing: "build a package",
        trouble: super::Trouble::Build,
        names: vec![name.to_owned()],
        said: "its build created no wheel".to_owned(),
    }
}

fn interpreter(work: &Work<'_>) -> String {
    Digest::of(work.wanted.interpreter.build.as_bytes()).to_string()
}

/// Fetches and unpacks its sources; gives their digest and version.
fn fetch(work: &Work<'_>, name: &str, sources: &Path) -> Result<(String, String), PrepareError> {
    let mut task = work.task("download sources", Vec::new(), FETCHING);
    task.program = Program::Tool(work.wanted.interpreter.for_tasks(work.kit)?);
    task.arguments = ["-I", "-S", "-c", FETCH, "source"].map(OsString::from).to_vec();
    task.arguments.extend([OsString::from(name), bounds(work.wanted, name).into(), sources.into()]);
    task.arguments.extend(latest(&work.wanted.newest).map(OsString::from));
    task.writes = vec![work.site.folder.clone()];
    task.variables = index::client_variables(work.kit);
    let all: Vec<&str> = work.indexes.all().map(String::as_str).collect();
    task.variables.push(("ACTUM_INDEXES".into(), all.join(" ").into()));
    let said = succeed(work.kit, &task)?.text();
    let words: Vec<&str> = said.split_whitespace().collect();
    match words[..] {
        [sha256, _, version] if sha256.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            Ok((sha256.to_owned(), version.to_owned()))
        }
        _ => Err(odd(name)),
    }
}

/// The moment after which releases do not count.
fn latest(newest: &Newest) -> Option<String> {
    const DAY: u64 = 24 * 3600 * 1_000_000;
    match newest {
        Newest::Any => None,
        Newest::At(moment) => Some(moment.clone()),
        Newest::OlderThan(days) => {
            Some(Moment(crate::clock::moment().0.saturating_sub(u64::from(*days) * DAY)).to_string())
        }
    }
}

/// Everything that requirements and constraints say of a package's version.
fn bounds(wanted: &Wanted, name: &str) -> String {
    let lines = wanted.requirements.iter().chain(&wanted.constraints);
    let parsed = lines.filter_map(|line| Requirement::parse(line).ok());
    let of_it = parsed.filter(|requirement| plain(&requirement.name) == plain(name));
    of_it.flat_map(|requirement| requirement.versions).collect::<Vec<_>>().join(",")
}

/// Names that differ in dashes and capitals are the same.
fn plain(name: &str) -> String {
    name.to_ascii_lowercase().replace(['_', '.'], "-")
}

/// The wheel of this package and version in a folder.
fn wheel_in(folder: &Path, name: &str, version: &str) -> Option<PathBuf> {
    let entries = fs::read_dir(folder)
        .ok()?
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    entries.map(|entry| entry.path()).find(|path| is_wheel_of(path, name, version))
}

fn is_wheel_of(path: &Path, name: &str, version: &str) -> bool {
    let file = path.file_name().and_then(|file| file.to_str()).and_then(|file| file.strip_suffix(".whl"));
    let parts: Vec<&str> = file.unwrap_or_default().split('-').collect();
    // A builder may write the same version in another way, as in 1.0 for 1.0.0; it may not name another package.
    let is_same =
        |theirs: &str| theirs == version || theirs.trim_end_matches(".0") == version.trim_end_matches(".0");
    parts.len() >= 5 && plain(parts[0]) == plain(name) && is_same(parts[1])
}

/// What sources say about how they are built, and an environment with what they ask for.
fn builders(work: &Work<'_>, sources: &Path) -> Result<(Said, Prepared), PrepareError> {
    let said = Said::read(sources);
    let wanted = Wanted {
        newest: work.wanted.newest.clone(),
        builds: Builds::Refused,
        ..Wanted::new(work.wanted.interpreter.clone(), said.requires.clone())
    };
    let builders = super::python::prepare(&wanted, work.kit, &mut |_| {})?;
    Ok((said, builders))
}

/// Builds inside the walls.
fn carry_out(
    work: &Work<'_>,
    (name, version): (&str, &str),
    sources: &Path,
    (said, builders): (&Said, &Prepared),
) -> Result<PathBuf, PrepareError> {
    let made = work.site.folder.join(format!("built-{name}"));
    make(&made)?;
    let script = made.join("build.py");
    write(&script, BUILD.as_bytes())?;
    let mut task = work.task("build a package", Vec::new(), BUILDING);
    task.program = Program::Environment(builders);
    task.arguments = vec!["-s".into(), script.into()];
    task.arguments.extend([sources.as_os_str().to_owned(), made.join("wheel").into()]);
    task.reads = vec![builders.folder.clone()];
    task.writes = vec![sources.to_path_buf(), made.clone()];
    task.hosts = None;
    task.variables =
        vec![("ACTUM_BACKEND".into(), said.backend.clone().into()), ("TMPDIR".into(), made.clone().into())];
    task.variables.push(("ACTUM_BACKEND_PATH".into(), said.path.join(":").into()));
    succeed(work.kit, &task).map_err(|error| error.meaning(super::Trouble::Build, name))?;
    let wheels = made.join("wheel");
    // Its builder wrote here: a link would lead us to somebody else's files.
    let is_folder = fs::symlink_metadata(&wheels).is_ok_and(|about| about.is_dir());
    is_folder.then(|| wheel_in(&wheels, name, version)).flatten().ok_or_else(|| odd(name))
}

/// What sources say about how they are built.
#[derive(Debug, PartialEq, Eq)]
struct Said {
    requires: Vec<String>,
    backend: String,
    path: Vec<String>,
}

impl Said {
    fn read(sources: &Path) -> Self {
        let entries = fs::read_dir(sources).into_iter().flatten().flatten();
        let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        let tops = folders.map(|entry| entry.path());
        let text = tops.filter_map(|top| settings(&top.join("pyproject.toml"))).next();
        Self::of(&text.unwrap_or_default())
    }

    fn of(text: &str) -> Self {
        let table: Table = text.parse().unwrap_or_default();
        let system = table.get("build-system").and_then(Value::as_table);
        let list = |name: &str| -> Option<Vec<String>> {
            let list = system?.get(name)?.as_array()?;
            Some(list.iter().filter_map(Value::as_str).map(str::to_owned).collect())
        };
        // What comes from elsewhere is not fetched for building either.
        let requires = list("requires")
            .filter(|list| !list.is_empty() && list.iter().all(|line| Requirement::parse(line).is_ok()));
        let own = || BUILDERS.map(str::to_owned).to_vec();
        let backend = system.and_then(|system| system.get("build-backend")).and_then(Value::as_str);
        Self {
            requires: requires.unwrap_or_else(own),
            backend: backend.unwrap_or_default().to_owned(),
            path: list("backend-path").unwrap_or_default(),
        }
    }
}

/// The text of a regular file of a sane size; no link, and no pipe is waited for. Whoever made the archive chose it.
fn settings(path: &Path) -> Option<String> {
    use std::io::Read;
    const LARGEST: u64 = 1 << 20;
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = fs::File::from(rustix::fs::open(path, flags, Mode::empty()).ok()?);
    let is_sane = file.metadata().is_ok_and(|about| about.is_file() && about.len() <= LARGEST);
    let mut text = String::new();
    file.take(LARGEST).read_to_string(&mut text).ok().filter(|_| is_sane).map(|_| text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wheel_of_another_package_is_not_taken() {
        for (file, taken) in [
            ("my_gift-1.0-py3-none-any.whl", true),
            ("My.Gift-1.0.0-cp311-cp311-linux_x86_64.whl", true),
            ("numpy-1.0-py3-none-any.whl", false),
            ("my_gift-2.0-py3-none-any.whl", false),
            ("my_gift-1.0.tar.gz", false),
            ("my_gift.whl", false),
        ] {
            assert_eq!(is_wheel_of(Path::new(file), "my-gift", "1.0"), taken, "{file}");
        }
    }

    #[test]
    fn sources_say_how_they_are_built() {
        let said = Said::of("[build-system]\nrequires=['flit_core>=3']\nbuild-backend='flit_core.buildapi'");
        assert_eq!(
            (said.requires, said.backend.as_str()),
            (vec!["flit_core>=3".to_owned()], "flit_core.buildapi")
        );
        assert_eq!(Said::of("").requires, BUILDERS);
        assert_eq!(Said::of("[build-system]\nrequires=['x @ https://a.example']").requires, BUILDERS);
    }
}
