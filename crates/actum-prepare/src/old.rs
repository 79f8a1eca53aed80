//! Packages for interpreters that uv cannot use, Python 2.7 above all: uv resolves for them, their own pip installs.
//!
//! There is no environment of the usual form; packages lie in a folder, and a variable leads the interpreter there.

use super::build::Installed;
use super::cache::LOCK;
use super::confined::{Program, succeed};
use super::error::PrepareError;
use super::index;
use super::resolve::Work;
use actum_model::Span;
use std::ffi::OsString;
use std::path::Path;

const PACKAGES: &str = "packages";
const INSTALLING: Span = Span::seconds(1800);

/// Installs a lock with pip, wheels only, each held against its hashes.
pub(super) fn install(work: &Work<'_>, made: &Path) -> Result<Installed, PrepareError> {
    let interpreter = &work.wanted.interpreter;
    let temporary = work.site.folder.join("temporary");
    super::cache::make(&temporary)?;
    let mut task = work.task("install the packages", Vec::new(), INSTALLING);
    task.program = Program::Tool(interpreter.tool().clone());
    let words =
        "-E -s -m pip install --no-deps --require-hashes --only-binary :all: --no-compile --no-cache-dir";
    task.arguments.extend(words.split(' ').map(OsString::from));
    task.arguments
        .extend(["--disable-pip-version-check", "--no-input", "-q", "--target"].map(OsString::from));
    task.arguments.extend([made.join(PACKAGES).into(), "-r".into(), made.join(LOCK).into_os_string()]);
    if let Some(folder) = work.kit.packages.wheels.as_ref().filter(|folder| folder.is_dir()) {
        task.arguments.extend(["--find-links".into(), folder.into()]);
    }
    if work.indexes.main.is_none() {
        task.arguments.push("--no-index".into());
    }
    task.writes = vec![work.site.folder.clone()];
    task.variables = index::client_variables(work.kit);
    task.variables.extend(work.indexes.main.iter().map(|url| ("PIP_INDEX_URL".into(), url.into())));
    task.variables.push(("TMPDIR".into(), temporary.into()));
    super::cache::make(&made.join(PACKAGES))?;
    succeed(work.kit, &task)?;
    Ok(Installed {
        program: interpreter.path().to_path_buf(),
        commands: Path::new(PACKAGES).join("bin"),
        packages: PACKAGES.into(),
        variables: vec![("PYTHONPATH".to_owned(), format!("{{}}/{PACKAGES}"))],
    })
}
