//! Tells imported modules apart: the language's own, files of the project, packages, and names that nobody knows.

use super::{Look, Program};
use crate::packages::{self, Brought};
use actum_model::{Import, ImportKind, Module, ModuleOrigin};
use actum_packages::Display;

/// One import with its origin; those that never happen are left out.
pub(super) fn tell_apart(
    import: &Import,
    program: &Program<'_>,
    look: &dyn Look,
    display: Display,
) -> Vec<Module> {
    if import.kind == ImportKind::TypeOnly {
        return Vec::new();
    }
    let module = |origin, package| Module { name: import.module.clone(), line: import.line, origin, package };
    let top = import.module.split('.').next().unwrap_or(&import.module);
    if import.kind == ImportKind::Relative || top.is_empty() || is_local(top, program, look) {
        return vec![module(ModuleOrigin::Local, None)];
    }
    let version = program.interpreter.unwrap_or((3, 11));
    if packages::is_standard(top, version) || top == "__future__" {
        return vec![module(ModuleOrigin::Standard, None)];
    }
    if let Some((_, back)) = packages::removed_standard(top, version) {
        return vec![module(ModuleOrigin::Package, back.map(str::to_owned))];
    }
    // `from google.cloud import storage, bigquery` means two packages.
    let brought = packages::bringing_all(import, display);
    let told = |one: Brought| match one {
        Brought::By(package) => module(ModuleOrigin::Package, Some(package)),
        Brought::ByTheProject => module(ModuleOrigin::Missing, None),
        Brought::Elsewhere(_) | Brought::ByNobody => module(ModuleOrigin::Unknown, None),
    };
    brought.into_iter().map(told).collect()
}

/// A file or folder of this name lies beside the program, or where it starts.
fn is_local(top: &str, program: &Program<'_>, look: &dyn Look) -> bool {
    let file = format!("{top}.py");
    [program.folder, program.start].iter().any(|folder| {
        let is_itself = program.file.is_some_and(|own| own == folder.join(&file));
        (!is_itself && look.is_there(&folder.join(&file))) || look.is_there(&folder.join(top))
    })
}
