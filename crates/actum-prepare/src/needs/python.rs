//! What a Python program needs: packages that it declares, or that its imports mean.

use super::modules::tell_apart;
use super::{Look, Program};
use crate::packages::{self, Brought};
use crate::{Range, Version};
use crate::{Wish, bare};
use actum_model::{
    EnvironmentPlan, Import, ImportKind, Module, ModuleOrigin, Needs, PackageNeed, Reading, RefusedPackage,
};
use actum_packages::Display;

/// Libraries of a gigabyte and more: a program that can do without them is not made to wait for them.
const HEAVY: [&str; 6] = ["torch", "tensorflow", "jax", "tensorflow-cpu", "keras", "paddlepaddle"];

pub(super) fn work_out(needs: &mut Needs, reading: &Reading, program: &Program<'_>, look: &dyn Look) -> Wish {
    let display = if reading.display.is_empty() { Display::Unused } else { Display::Used };
    let apart: Vec<(&Import, Module)> = reading
        .imports
        .iter()
        .flat_map(|import| {
            tell_apart(import, program, look, display).into_iter().map(move |one| (import, one))
        })
        .collect();
    needs.modules = apart.iter().map(|(_, module)| module.clone()).collect();
    let mut wish = Wish { newest: program.rules.newest.clone(), ..Wish::default() };
    if let Some(declared) = reading.declared.as_ref().filter(|declared| declared.problem.is_none()) {
        needs.environment = EnvironmentPlan::Script;
        for dependency in &declared.dependencies {
            take(needs, &mut wish, program, dependency, "declared in the program");
        }
        wish.newest = wish.newest.or_else(|| declared.exclude_newer.clone());
        wish.interpreter = declared.requires_python.as_deref().and_then(|range| {
            let range = Range::read(range)?;
            let fits = |version: &(u8, u8)| range.holds(Version::from(*version));
            match program.interpreter.is_some_and(|version| fits(&version)) {
                true => None,
                false => look.interpreters().into_iter().find(fits),
            }
        });
        return named(needs, wish, program);
    }
    if let Some(file) = look.declared() {
        let file = file.strip_prefix(program.start).unwrap_or(&file).to_string_lossy().into_owned();
        needs.environment = EnvironmentPlan::Declared { file };
        return named(needs, wish, program);
    }
    guess(needs, &mut wish, (reading, &apart), program, look);
    wish.guessed = true;
    named(needs, wish, program)
}

/// Works packages out from what is imported, what is used, and what the text says is to be installed.
fn guess(
    needs: &mut Needs,
    wish: &mut Wish,
    (reading, apart): (&Reading, &[(&Import, Module)]),
    program: &Program<'_>,
    look: &dyn Look,
) {
    let is_wanted =
        |import: &Import, package: &str| import.kind != ImportKind::Optional || !HEAVY.contains(&package);
    let has = |import: &Import| look.interpreter_has(import.module.split('.').next().unwrap_or_default());
    let packaged = apart.iter().filter(|(_, module)| module.origin == ModuleOrigin::Package);
    let all_there = packaged.clone().all(|(import, _)| has(import) || import.kind == ImportKind::Optional);
    let unknown = apart.iter().filter(|(_, module)| module.origin == ModuleOrigin::Unknown);
    let unknown: Vec<&(&Import, Module)> = unknown.filter(|(import, _)| !has(import)).collect();
    for (import, module) in &unknown {
        let top = module.name.split('.').next().unwrap_or(&module.name);
        if let Brought::Elsewhere(place) = packages::bringing(&module.name, Display::Unused) {
            // Nothing is installed for it; what happens without it the program itself tells.
            needs.warnings.push(format!("`{top}` is part of {place}"));
            continue;
        }
        if program.rules.is_allowed(top) {
            needs.environment = EnvironmentPlan::Imports;
            if program.rules.is_named(top) {
                continue;
            }
            take(needs, wish, program, top, &format!("import {}, line {}", module.name, module.line));
        } else if import.kind != ImportKind::Optional && program.rules.named.is_empty() {
            // Whoever names packages knows what they bring.
            needs.refused.push(unknown_module(module, program));
        }
    }
    if all_there && wish.requirements.is_empty() {
        let path = needs.runtime.as_ref().map(|runtime| runtime.path.clone()).unwrap_or_default();
        if packaged.clone().next().is_some() {
            needs.environment = EnvironmentPlan::Interpreter { path };
        }
        return;
    }
    needs.environment = EnvironmentPlan::Imports;
    for (import, module) in packaged {
        let Some(package) = &module.package else { continue };
        if is_wanted(import, package) {
            take(needs, wish, program, package, &format!("import {}, line {}", module.name, module.line));
        }
    }
    for engine in actum_packages::engines(&reading.names) {
        for package in &engine.packages {
            take(needs, wish, program, package, &format!("{} needs it, line {}", engine.used, engine.line));
        }
    }
    let installs = reading.installs.iter().filter(|one| one.tool == "pip");
    for install in installs {
        let because = format!("the text says to install it, line {}", install.line);
        take(needs, wish, program, &install.package, &because);
    }
    for bound in packages::removals(&reading.names) {
        if wish.has(&bound.package) && bound.is_in_the_time_of(program.interpreter.unwrap_or((3, 11))) {
            *wish = std::mem::take(wish).keeping(&bound.package, &format!("<{}", bound.below));
            // With the rest as it was then: neighbours of today may not know how to live with it.
            let day =
                wish.newest.take().map_or(bound.released.clone(), |day| day.min(bound.released.clone()));
            wish.newest = program.rules.newest.clone().or(Some(day));
            needs.packages.retain(|one| bare(&one.requirement) != bare(&bound.package));
            let kept = format!("{}<{}", bound.package, bound.below);
            needs.packages.push(PackageNeed { requirement: kept, because: bound.because });
        }
    }
    wish.data.extend(packages::data_for(&reading.names));
}

/// Why a package is wanted that the user named.
const NAMED: &str = "named with --package";

/// Takes a package in, if somebody vouches for it.
fn take(needs: &mut Needs, wish: &mut Wish, program: &Program<'_>, requirement: &str, because: &str) {
    let name = bare(requirement);
    let rules = program.rules;
    // What the user named is taken as it was named, with its versions.
    if because != NAMED && rules.is_named(&name) {
        return;
    }
    let refused =
        |why: &str, nearest: Vec<String>| RefusedPackage { name: name.clone(), why: why.to_owned(), nearest };
    if rules.is_denied(&name) {
        needs.refused.push(refused("your configuration denies it", Vec::new()));
        return;
    }
    if !is_plain(requirement) {
        needs.refused.push(refused("it is not a package name with an optional version", Vec::new()));
        return;
    }
    let is_declared = matches!(needs.environment, EnvironmentPlan::Script);
    let nearest = packages::near(&name);
    // What is declared is taken at its word, but for a name that looks like one that everybody knows.
    let is_vouched_for = is_declared && nearest.is_empty();
    if !is_vouched_for && !rules.is_allowed(&name) && !packages::is_known(&name) {
        needs.refused.push(refused("it is not a known package", nearest));
        return;
    }
    if !wish.has(requirement) {
        needs.packages.push(PackageNeed { requirement: requirement.to_owned(), because: because.to_owned() });
        *wish = std::mem::take(wish).with(&[requirement.to_owned()]);
    }
}

/// A name, extras, versions and a marker; no option, no address, no path.
fn is_plain(requirement: &str) -> bool {
    let begins = requirement.starts_with(|c: char| c.is_ascii_alphanumeric());
    let odd = |c: char| matches!(c, '@' | '/' | '\\' | '#' | '`' | '$') || c.is_control();
    begins && !requirement.contains(odd) && !requirement.contains(" -")
}

/// What the user named for this run comes on top.
fn named(needs: &mut Needs, mut wish: Wish, program: &Program<'_>) -> Wish {
    for name in &program.rules.named {
        if matches!(needs.environment, EnvironmentPlan::Nothing | EnvironmentPlan::Interpreter { .. }) {
            needs.environment = EnvironmentPlan::Imports;
        }
        take(needs, &mut wish, program, name, NAMED);
    }
    if let Some(version) = program.rules.python {
        wish.interpreter = Some(version);
    }
    wish
}

fn unknown_module(module: &Module, program: &Program<'_>) -> RefusedPackage {
    let top = module.name.split('.').next().unwrap_or(&module.name).to_owned();
    let nearest = packages::near(&top);
    let why = match program.rules.is_allowed(&top) {
        true => "it is allowed, but no known package provides it".to_owned(),
        false => format!("no known package provides the module imported in line {}", module.line),
    };
    RefusedPackage { name: top, why, nearest }
}
