//! Runs the attempts one after the other and gathers the matrix.

use crate::{
    AttackError, Attempt, Language, Matrix, Row, Runner, RunnerKind, User, Verdict, attempts,
    canary::Canaries, compile, judge, observe::PATH, observe::Scene, observe::observe, token::random_word,
};
use std::{
    ffi::OsString,
    fs,
    os::unix::fs::chown,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// How a suite is run.
#[derive(Clone, Debug)]
pub struct Options {
    pub runner: Runner,
    /// Run everything with the rights of this user; needs root.
    pub as_user: Option<String>,
    /// Where the suite makes its folder; it removes it at the end.
    pub scratch: PathBuf,
    pub filter: Filter,
    /// A word that stands in the name of everything the suite makes, so that it can be told from other suites on the
    /// machine; random where none is given.
    pub label: Option<String>,
    /// More variables for the runner.
    pub environment: Vec<(OsString, OsString)>,
}

/// Which attempts are run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Filter {
    All,
    Group(String),
    Ids(Vec<String>),
}

/// Shown while the suite goes on; forgotten afterwards.
#[derive(Debug)]
pub struct Progress<'a> {
    pub done: usize,
    pub total: usize,
    pub row: &'a Row,
}

impl Options {
    pub fn new(runner: Runner) -> Options {
        Options {
            runner,
            as_user: None,
            scratch: "/tmp".into(),
            filter: Filter::All,
            label: None,
            environment: Vec::new(),
        }
    }
}

impl Filter {
    fn takes(&self, attempt: &Attempt) -> bool {
        match self {
            Filter::All => true,
            Filter::Group(group) => attempt.header.group == *group,
            Filter::Ids(ids) => ids.iter().any(|id| id == attempt.id()),
        }
    }
}

/// Runs the suite. Everything that it plants is gone when it returns, also when it fails.
pub fn run(options: &Options, progress: &mut dyn FnMut(Progress<'_>)) -> Result<Matrix, AttackError> {
    let user = User::find(options.as_user.as_deref())?;
    let chosen: Vec<&Attempt> = attempts()?.iter().filter(|attempt| options.filter.takes(attempt)).collect();
    // The folder is made first, so that it is dropped last, after the canaries that live in it.
    let label = options.label.clone().map_or_else(random_word, Ok)?;
    let folder = Folder::make(&options.scratch, &user, &label)?;
    let mut canaries = Canaries::plant(&folder.0, &user, &label)?;
    let mut scene = Scene { options, user: &user, base: &folder.0, label: &label, canaries: &mut canaries };
    let mut matrix = Matrix::default();
    for attempt in &chosen {
        let began = crate::clock::now();
        let verdict = one(&mut scene, attempt)?;
        matrix.add(attempt, verdict, began.elapsed());
        if let Some(row) = matrix.rows.last() {
            progress(Progress { done: matrix.rows.len(), total: chosen.len(), row });
        }
    }
    Ok(matrix)
}

/// One attempt, from the question whether it can be run to the verdict.
fn one(scene: &mut Scene<'_>, attempt: &Attempt) -> Result<Verdict, AttackError> {
    if let Some(why) = why_not(scene.options.runner.kind(), attempt) {
        return Ok(Verdict::Skipped { why });
    }
    let binary = match attempt.language {
        Language::C => match compile::compile(attempt, &scene.base.join("binaries"))? {
            Ok(binary) => Some(binary),
            Err(why) => return Ok(Verdict::Skipped { why }),
        },
        Language::Python | Language::Shell | Language::JavaScript => None,
    };
    let (limits, seen) = observe(scene, attempt, binary)?;
    let verdict = judge(attempt, &limits, &scene.canaries.tokens, &seen);
    remove(&scene.base.join("runs").join(attempt.id()));
    Ok(verdict)
}

/// Why the attempt is not run under that runner on this machine.
fn why_not(kind: RunnerKind, attempt: &Attempt) -> Option<String> {
    if let Some((_, reason)) = attempt.header.never.iter().find(|(never, _)| *never == kind) {
        return Some(reason.clone());
    }
    if attempt.header.needs_proxy && !kind.has_proxy() {
        return Some("this runner has no proxy".to_owned());
    }
    let program = match attempt.language {
        Language::Python => "python3",
        Language::JavaScript => "node",
        Language::C => "cc",
        Language::Shell => "sh",
    };
    let found = PATH.split(':').any(|folder| Path::new(folder).join(program).exists());
    (!found).then(|| format!("there is no {program} on this machine"))
}

/// The folder of one suite.
struct Folder(PathBuf);

impl Folder {
    fn make(scratch: &Path, user: &User, label: &str) -> Result<Folder, AttackError> {
        let folder = Folder(scratch.join(format!("actum-attacks-{label}")));
        for name in ["", "runs", "reports", "binaries", "home"] {
            let path = folder.0.join(name);
            fs::create_dir_all(&path).map_err(AttackError::prepare(&path))?;
            chown(&path, Some(user.uid), Some(user.gid)).map_err(AttackError::prepare(&path))?;
        }
        Ok(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        remove(&self.0);
    }
}

/// By `rm`, which walks folders of any depth with few descriptors; what attempts leave behind is hostile.
fn remove(path: &Path) {
    let quiet = |command: &mut Command| {
        let command = command.env("PATH", crate::observe::PATH);
        let _ = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    };
    quiet(Command::new("rm").args(["-rf", "--one-file-system", "--"]).arg(path));
    if path.symlink_metadata().is_ok() {
        // An attempt may take away its own rights on a folder.
        quiet(Command::new("chmod").args(["-R", "u+rwx", "--"]).arg(path));
        quiet(Command::new("rm").args(["-rf", "--one-file-system", "--"]).arg(path));
    }
}
