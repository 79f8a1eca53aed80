//! Works out what a program needs, from what its text says and what lies around it.
//!
//! Input: a [`Reading`] and a [`Look`] at the machine. Output: [`Needs`], which is shown, and a [`Wish`], which is prepared.
//! Judgement only: whatever has to be looked up is asked through [`Look`]. Start reading at [`work_out`].
//! Why it is so: docs/design/needs.md.

mod modules;
mod node;
mod python;
mod rules;
#[cfg(test)]
mod tests;
mod words;

pub use rules::{Packages, Preparing};

use crate::Wish;
use actum_model::{Completeness, EntryPoint, FileMode, GpuNeed, LayoutKind, Needs, Reading};
use std::path::{Path, PathBuf};

/// What has to be looked up to know what a program needs.
pub trait Look {
    /// Whether a file or folder is there, as the program would see it.
    fn is_there(&self, path: &Path) -> bool;
    /// A file that says what the project needs: the nearest one, from the program's folder up to the workspace.
    fn declared(&self) -> Option<PathBuf>;
    /// Whether the interpreter has a module of this name by itself.
    fn interpreter_has(&self, module: &str) -> bool;
    /// Versions of Python that are on this machine, newest first.
    fn interpreters(&self) -> Vec<(u8, u8)>;
    /// Whether something here runs TypeScript as it is.
    fn runs_typescript(&self) -> bool;
    /// Whether a variable will be set.
    fn is_set(&self, variable: &str) -> bool;
}

/// One program, where it lies, and what may be done for it.
#[derive(Debug, Clone, Copy)]
pub struct Program<'a> {
    pub number: u32,
    pub language: &'a str,
    /// The folder whose files it can import.
    pub folder: &'a Path,
    pub file: Option<&'a Path>,
    /// Where it starts.
    pub start: &'a Path,
    /// The interpreter's version, where it is known.
    pub interpreter: Option<(u8, u8)>,
    pub rules: &'a Packages,
}

/// What it needs, and what its environment is to hold.
pub fn work_out(reading: &Reading, program: &Program<'_>, look: &dyn Look) -> (Needs, Wish) {
    let mut needs = Needs {
        number: program.number,
        language: program.language.to_owned(),
        path: program.file.map(|file| file.to_string_lossy().into_owned()),
        ..Needs::default()
    };
    let wish = match program.language {
        "python" => python::work_out(&mut needs, reading, program, look),
        "javascript" | "typescript" => node::work_out(&mut needs, reading, program, look),
        _ => Wish::default(),
    };
    files(&mut needs, reading, program, look);
    variables(&mut needs, reading, look);
    warnings(&mut needs, reading);
    words::tell(&mut needs, &wish, reading);
    needs.reading = Some(reading.clone());
    (needs, wish)
}

/// What it only ever reads has to be there before it starts.
fn files(needs: &mut Needs, reading: &Reading, program: &Program<'_>, look: &dyn Look) {
    let is_made = |path: &str| reading.files.iter().any(|one| one.path == path && one.mode != FileMode::Read);
    let read = reading.files.iter().filter(|one| one.mode == FileMode::Read && !is_made(&one.path));
    for one in read {
        if !look.is_there(&program.start.join(&one.path)) && !needs.missing_files.contains(&one.path) {
            needs.missing_files.push(one.path.clone());
        }
    }
}

fn variables(needs: &mut Needs, reading: &Reading, look: &dyn Look) {
    let missing = reading.variables.iter().filter(|one| one.needed && !look.is_set(&one.name));
    needs.missing_variables = missing.map(|one| one.name.clone()).collect();
}

/// Warnings before it runs.
fn warnings(needs: &mut Needs, reading: &Reading) {
    let mut warn = |text: String| needs.warnings.push(text);
    match &reading.complete {
        Completeness::Complete => {}
        Completeness::Truncated { line, why } => warn(format!("it is cut off at line {line}: {why}")),
        Completeness::Elided { line, what } => {
            warn(format!("its author left out a part at line {line}: {what}"))
        }
        Completeness::Wrong { line, message } => warn(format!("syntax error in line {line}: {message}")),
        Completeness::Legacy { line, what } => {
            warn(format!("it is a Python 2 program, as line {line} shows: {what}"))
        }
        Completeness::Unread { why } => warn(format!("it was not parsed: {why}")),
    }
    match reading.entry {
        EntryPoint::MainNotCalled => warn("it defines `main` but never calls it".to_owned()),
        EntryPoint::Definitions => warn("it contains only definitions; running it prints nothing".to_owned()),
        EntryPoint::Tests => warn(format!(
            "it contains {} but does not run them: use `actum run -- pytest` or `python -m unittest` instead",
            words::count(reading.tests as usize, "test")
        )),
        EntryPoint::MainGuard | EntryPoint::Script | EntryPoint::Nothing => {}
    }
    if let Some(sign) = &reading.stdin {
        warn(format!("it reads stdin (line {}): pass input with --stdin", sign.line));
    }
    if let Some(network) = &reading.network {
        match network.hosts.as_slice() {
            [] => warn("it uses the network, which is off: allow hosts with --net HOST".to_owned()),
            hosts => {
                warn(format!("it uses the network, which is off: allow it with --net {}", hosts.join(",")))
            }
        }
    }
    if reading.gpu.as_ref().is_some_and(|gpu| gpu.need == GpuNeed::Required) {
        warn("it needs a GPU: allow one with --gpu".to_owned());
    }
    if let Some(service) = &reading.service {
        warn(format!(
            "it is a server that runs until it is stopped ({}, line {})",
            service.what, service.line
        ));
    }
    if let Some(sign) = reading.unseeded.first() {
        warn(format!(
            "it uses random numbers without a seed (line {}): results differ between runs",
            sign.line
        ));
    }
    for effort in reading.effort.iter().take(3) {
        warn(format!("it may need much time or memory: {}, line {}", effort.what, effort.line));
    }
    for layout in &reading.layout {
        if layout.kind == LayoutKind::SmartQuotes {
            warn(format!("it has typographic quotes (line {})", layout.line));
        }
    }
}

/// `3.11` and `3.11.7` as two numbers.
pub fn version_pair(text: &str) -> Option<(u8, u8)> {
    let mut parts = text.trim().split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}
