//! Packages that are missing: added where somebody vouches for them, and never guessed.

use super::{Case, Change, Choice};
use actum_model::RemedyKind;
use actum_packages::Display;
use actum_prepare::packages::{self, Brought};

pub(super) fn choose(case: &Case<'_>) -> Option<Choice> {
    match case.language {
        "python" | "command" => python(case),
        "javascript" | "typescript" => node(case),
        _ => None,
    }
}

fn python(case: &Case<'_>) -> Option<Choice> {
    match case.diagnosis.row.as_str() {
        "py-module-missing" | "py-module-missing-py2" => Some(module(case, case.subject())),
        "py-submodule-removed" => submodule(case),
        "py-local-module-missing" => Some(local(case.subject())),
        "py-optional-engine" => engine(case),
        "py-pkg-resources" => Some(removed(case, case.subject())),
        "tz-missing" => Some(add(case, "tzdata", "no time zone database is installed")),
        "so-libgl" => Some(headless(case)),
        "pg-config" => Some(instead(case, "psycopg2", "psycopg2-binary", "it provides the missing library")),
        "py-nltk-data" | "py-spacy-model" => Some(data(case)),
        _ => None,
    }
}

/// A module that is not there: the package that brings it, if it is known.
fn module(case: &Case<'_>, module: &str) -> Choice {
    let top = module.split('.').next().unwrap_or(module);
    let version = case.interpreter.unwrap_or((3, 11));
    if let Some((since, back)) = packages::removed_standard(top, version) {
        let gone = format!("`{top}` was removed in Python {}.{}", since.0, since.1);
        return match back {
            Some(package) => add(case, package, &gone),
            None => Choice::Stop(format!("{gone}, and no package provides it")),
        };
    }
    match packages::bringing(module, display(case)) {
        Brought::By(name) if case.has_installed(&name) => Choice::Stop(format!(
            "`{name}` is installed but does not provide `{module}`: another release or package is needed"
        )),
        Brought::By(name) => add(case, &name, &format!("it provides the module `{module}`")),
        Brought::Elsewhere(place) => Choice::Stop(format!("`{module}` is part of {place}")),
        Brought::ByTheProject => local(module),
        Brought::ByNobody => unknown(module, &packages::near(top)),
    }
}

/// Parts of a namespace are packages of their own; else the release is another one.
fn submodule(case: &Case<'_>) -> Option<Choice> {
    let whole = case.diagnosis.subject.join(".");
    match packages::bringing(&whole, display(case)) {
        Brought::By(name) if !case.situation.wish.has(&name) => {
            Some(add(case, &name, &format!("it provides the module `{whole}`")))
        }
        Brought::By(_) | Brought::Elsewhere(_) | Brought::ByTheProject | Brought::ByNobody => None,
    }
}

fn engine(case: &Case<'_>) -> Option<Choice> {
    let name = case.diagnosis.subject.last()?;
    let why = "a library that the program uses requires it";
    match packages::bringing(name, display(case)) {
        Brought::By(package) => Some(add(case, &package, why)),
        Brought::Elsewhere(_) | Brought::ByTheProject | Brought::ByNobody => {
            packages::is_known(name).then(|| add(case, name, why))
        }
    }
}

fn removed(case: &Case<'_>, module_name: &str) -> Choice {
    match module_name {
        "setuptools" => add(case, "setuptools", "it is no longer installed by default"),
        other => module(case, other),
    }
}

/// The same module without windows, where none is opened.
fn headless(case: &Case<'_>) -> Choice {
    if case.reading.is_some_and(|reading| !reading.display.is_empty()) {
        return Choice::Stop("it needs libGL to open windows: apt install libgl1".to_owned());
    }
    instead(
        case,
        "opencv-python",
        "opencv-python-headless",
        "it provides the same module and needs no display",
    )
}

fn instead(case: &Case<'_>, package: &str, other: &str, why: &str) -> Choice {
    let altered = case.altered(|to| to.wish = to.wish.clone().instead(package, other));
    Change::new(RemedyKind::Packages, format!("use {other} instead of {package}"), why, altered)
        .permanently(format!("use `{other}` in your dependencies"))
        .choice()
}

/// Data that a package would fetch while it runs, fetched before.
fn data(case: &Case<'_>) -> Choice {
    let kind = if case.diagnosis.row == "py-nltk-data" { "nltk" } else { "spacy" };
    let name = case.subject();
    if packages::carriers(kind, name).is_empty() {
        return Choice::Stop(format!("no known package contains the {kind} data `{name}`"));
    }
    let altered = case.altered(|to| to.wish.data.push(format!("{kind}:{name}")));
    let what = format!("add the {kind} data `{name}` to the environment");
    Change::new(RemedyKind::Data, what, "the program has no network access to download it", altered).choice()
}

fn node(case: &Case<'_>) -> Option<Choice> {
    if case.diagnosis.row != "node-module-missing" {
        return None;
    }
    let package = actum_prepare::packages::npm_package(case.subject())?;
    Some(match actum_prepare::packages::is_known_npm(&package) {
        true => add(case, &package, "the program imports it"),
        false => unknown(&package, &[]),
    })
}

fn add(case: &Case<'_>, requirement: &str, why: &str) -> Choice {
    let altered = case.altered(|to| to.wish = to.wish.clone().with(&[requirement.to_owned()]));
    let what = format!("add {requirement} to the environment");
    let change = Change::new(RemedyKind::Packages, what, why, altered);
    change.permanently(format!("add `{requirement}` to your dependencies")).choice()
}

fn local(module: &str) -> Choice {
    Choice::Stop(format!(
        "`{module}` is probably a file of the program's own project that is missing: put it next to the program"
    ))
}

fn unknown(module: &str, nearest: &[String]) -> Choice {
    let meant = match nearest {
        [] => String::new(),
        names => format!("; similar known names: {}", names.join(", ")),
    };
    Choice::Stop(format!(
        "no known package provides `{module}`{meant}. If you know the package, pass it with --package"
    ))
}

fn display(case: &Case<'_>) -> Display {
    match case.reading.is_some_and(|reading| !reading.display.is_empty()) {
        true => Display::Used,
        false => Display::Unused,
    }
}
