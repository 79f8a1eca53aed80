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
        "tz-missing" => Some(add(case, "tzdata", "there is no time zone database here")),
        "so-libgl" => Some(headless(case)),
        "pg-config" => {
            Some(instead(case, "psycopg2", "psycopg2-binary", "it brings the library that is missing"))
        }
        "py-nltk-data" | "py-spacy-model" => Some(data(case)),
        _ => None,
    }
}

/// A module that is not there: the package that brings it, if it is known.
fn module(case: &Case<'_>, module: &str) -> Choice {
    let top = module.split('.').next().unwrap_or(module);
    let version = case.interpreter.unwrap_or((3, 11));
    if let Some((since, back)) = packages::removed_standard(top, version) {
        let gone = format!("`{top}` is gone since Python {}.{}", since.0, since.1);
        return match back {
            Some(package) => add(case, package, &gone),
            None => Choice::Stop(format!("{gone}, and nothing brings it back")),
        };
    }
    match packages::bringing(module, display(case)) {
        Brought::By(name) if case.has_installed(&name) => Choice::Stop(format!(
            "`{name}` is there, and does not bring `{module}`: another release or another package is meant"
        )),
        Brought::By(name) => add(case, &name, &format!("it brings the module `{module}`")),
        Brought::Elsewhere(place) => Choice::Stop(format!("`{module}` belongs to {place}")),
        Brought::ByTheProject => local(module),
        Brought::ByNobody => unknown(module, &packages::near(top)),
    }
}

/// Parts of a namespace are packages of their own; else the release is another one.
fn submodule(case: &Case<'_>) -> Option<Choice> {
    let whole = case.diagnosis.subject.join(".");
    match packages::bringing(&whole, display(case)) {
        Brought::By(name) if !case.situation.wish.has(&name) => {
            Some(add(case, &name, &format!("it brings the module `{whole}`")))
        }
        Brought::By(_) | Brought::Elsewhere(_) | Brought::ByTheProject | Brought::ByNobody => None,
    }
}

fn engine(case: &Case<'_>) -> Option<Choice> {
    let name = case.diagnosis.subject.last()?;
    let why = "a library that is used wants it";
    match packages::bringing(name, display(case)) {
        Brought::By(package) => Some(add(case, &package, why)),
        Brought::Elsewhere(_) | Brought::ByTheProject | Brought::ByNobody => {
            packages::is_known(name).then(|| add(case, name, why))
        }
    }
}

fn removed(case: &Case<'_>, module_name: &str) -> Choice {
    match module_name {
        "setuptools" => add(case, "setuptools", "it is not installed by default any more"),
        other => module(case, other),
    }
}

/// The same module without windows, where none is opened.
fn headless(case: &Case<'_>) -> Choice {
    if case.reading.is_some_and(|reading| !reading.display.is_empty()) {
        return Choice::Stop(
            "it opens windows, and the library for that is not installed: apt install libgl1".to_owned(),
        );
    }
    instead(case, "opencv-python", "opencv-python-headless", "it is the same module and needs no screen")
}

fn instead(case: &Case<'_>, package: &str, other: &str, why: &str) -> Choice {
    let altered = case.altered(|to| to.wish = to.wish.clone().instead(package, other));
    Change::new(RemedyKind::Packages, format!("use {other} in the place of {package}"), why, altered)
        .permanently(format!("use `{other}` in your dependencies"))
        .choice()
}

/// Data that a package would fetch while it runs, fetched before.
fn data(case: &Case<'_>) -> Choice {
    let kind = if case.diagnosis.row == "py-nltk-data" { "nltk" } else { "spacy" };
    let name = case.subject();
    if packages::carriers(kind, name).is_empty() {
        return Choice::Stop(format!(
            "the data `{name}` of {kind} is not carried by any package that is known here"
        ));
    }
    let altered = case.altered(|to| to.wish.data.push(format!("{kind}:{name}")));
    let what = format!("bring the data `{name}` of {kind} into the environment");
    Change::new(RemedyKind::Data, what, "the program has no network to fetch it with", altered).choice()
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
        "`{module}` is a name that projects give to files of their own, and the file is not there: put it beside the program"
    ))
}

fn unknown(module: &str, nearest: &[String]) -> Choice {
    let meant = match nearest {
        [] => String::new(),
        names => format!("; known names that are near: {}", names.join(", ")),
    };
    Choice::Stop(format!(
        "nothing that is known brings `{module}`{meant}. If you know the package, name it with --package"
    ))
}

fn display(case: &Case<'_>) -> Display {
    match case.reading.is_some_and(|reading| !reading.display.is_empty()) {
        true => Display::Used,
        false => Display::Unused,
    }
}
