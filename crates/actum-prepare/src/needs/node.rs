//! What a program for Node needs: packages of its project, or those that it imports.

use super::{Look, Program};
use crate::{Of, Wish};
use actum_model::{
    EnvironmentPlan, Import, ImportKind, Module, ModuleOrigin, Needs, PackageNeed, Reading, RefusedPackage,
};

pub(super) fn work_out(needs: &mut Needs, reading: &Reading, program: &Program<'_>, look: &dyn Look) -> Wish {
    let mut wish = Wish { of: Of::Node, ..Wish::default() };
    let declared = look.declared();
    for import in reading.imports.iter().filter(|import| import.kind != ImportKind::TypeOnly) {
        let (origin, package) = origin(import);
        let module =
            Module { name: import.module.clone(), line: import.line, origin, package: package.clone() };
        needs.modules.push(module);
        let Some(package) = package.filter(|package| !is_installed(package, program, look)) else { continue };
        if declared.is_some() || wish.has(&package) {
            continue;
        }
        take(needs, &mut wish, program, import, package);
    }
    if program.language == "typescript" && !look.runs_typescript() {
        let because = "the installed version of Node does not run TypeScript".to_owned();
        needs.packages.push(PackageNeed { requirement: "tsx".to_owned(), because });
        wish = wish.with(&["tsx".to_owned()]);
    }
    if let Some(file) =
        declared.filter(|_| needs.modules.iter().any(|one| one.origin == ModuleOrigin::Package))
    {
        let file = file.strip_prefix(program.start).unwrap_or(&file).to_string_lossy().into_owned();
        needs.environment = EnvironmentPlan::Declared { file };
    } else if !wish.requirements.is_empty() {
        needs.environment = EnvironmentPlan::Imports;
        wish.guessed = true;
    }
    wish
}

fn origin(import: &Import) -> (ModuleOrigin, Option<String>) {
    let is_path = import.module.starts_with(['.', '/']);
    match (is_path || import.kind == ImportKind::Relative, crate::packages::npm_package(&import.module)) {
        (true, _) => (ModuleOrigin::Local, None),
        (false, None) => (ModuleOrigin::Standard, None),
        (false, Some(package)) => (ModuleOrigin::Package, Some(package)),
    }
}

/// A folder of modules beside the program, or above it, has it already.
fn is_installed(package: &str, program: &Program<'_>, look: &dyn Look) -> bool {
    program.folder.ancestors().any(|folder| look.is_there(&folder.join("node_modules").join(package)))
}

fn take(needs: &mut Needs, wish: &mut Wish, program: &Program<'_>, import: &Import, package: String) {
    let rules = program.rules;
    let is_trusted = rules.is_allowed(&package) || crate::packages::is_known_npm(&package);
    if rules.is_denied(&package) || !is_trusted {
        let why = if is_trusted { "your configuration denies it" } else { "it is not a known package" };
        needs.refused.push(RefusedPackage { name: package, why: why.to_owned(), nearest: Vec::new() });
        return;
    }
    let because = format!("import {}, line {}", import.module, import.line);
    needs.packages.push(PackageNeed { requirement: package.clone(), because });
    *wish = std::mem::take(wish).with(&[package]);
}
