//! Releases that no longer have a name, and interpreters that are too new or too old.
//!
//! Only versions that we chose ourselves are changed. The order: what the table of removals says; the newest release that
//! still has the name, which is looked up; the releases of the code's time; another interpreter.

use super::{Case, Change, Choice, Wanted};
use actum_model::{Class, RemedyKind, Span, Whose};
use actum_packages::Display;
use actum_prepare::bare;
use actum_prepare::packages::{self, Brought};
use actum_prepare::scout::Pick;

pub(super) fn choose(case: &Case<'_>) -> Option<Choice> {
    if !matches!(case.language, "python" | "command") {
        return None;
    }
    match case.diagnosis.row.as_str() {
        "py-stdlib-removed" => Some(older_interpreter(case)),
        "py-pkg-resources" => Some(older_interpreter(case)),
        "py-new-syntax" => Some(newer_interpreter(case)),
        "py2-print" | "py2-syntax" | "py2-names" => Some(python_2(case)),
        row if !case.situation.wish.guessed => is_about_versions(row).then(|| {
            Choice::Stop(
                "the program declares its versions, and declared versions are not changed".to_owned(),
            )
        }),
        "py-cannot-import-name" => Some(gone(case, case.second(), Some(case.subject()))),
        "py-module-attr-removed" => Some(gone(case, case.subject(), Some(case.second()))),
        "py-submodule-removed" => Some(gone(case, &case.diagnosis.subject.join("."), None)),
        "py-said-removed" => Some(said(case)),
        "py-obj-attr-removed" | "py-kwarg-removed" | "py-signature-changed" => method(case),
        "py-numpy-abi" => Some(pin(case, "numpy", "<2", "an extension was built for NumPy 1")),
        _ => None,
    }
}

fn is_about_versions(row: &str) -> bool {
    matches!(
        row,
        "py-cannot-import-name"
            | "py-module-attr-removed"
            | "py-submodule-removed"
            | "py-said-removed"
            | "py-obj-attr-removed"
            | "py-kwarg-removed"
            | "py-signature-changed"
            | "py-numpy-abi"
    )
}

/// When a program fails by itself in an environment that we guessed, the guess is revised: the releases of its own time tell a
/// program that is wrong from one that is old. Never where versions were declared, and never where something else is plainly
/// the cause.
pub(super) fn revise(case: &Case<'_>) -> Option<Choice> {
    let is_python = matches!(case.language, "python" | "command");
    let may_be_versions = matches!(case.diagnosis.class, Class::Logic | Class::Version);
    let is_ours = case.situation.wish.guessed && !case.installed.is_empty() && uses_packages(case);
    // Once, and not where it costs another long run: most programs that fail by themselves are simply wrong.
    let is_cheap = case.situation.wish.newest.is_none() && case.usage.wall <= LONGEST_REVISED;
    // A command that tests failed because a test failed: that is what it was asked.
    let is_result = case.language == "command" && case.diagnosis.row == "py-assertion";
    (is_python && may_be_versions && is_ours && is_cheap && !is_result).then(|| snapshot(case))
}

/// Whether it asked for more than the tools that look at code: their releases change nothing about what a program does.
fn uses_packages(case: &Case<'_>) -> bool {
    const TOOLS: [&str; 9] =
        ["black", "coverage", "flake8", "mypy", "nose2", "pylint", "pytest", "pytest-cov", "ruff"];
    case.situation.wish.requirements.iter().any(|wanted| !TOOLS.contains(&bare(wanted).as_str()))
}

/// A program that took longer is not run again on a guess.
const LONGEST_REVISED: Span = Span::seconds(60);

/// A module, or a name in it, that the installed release does not have.
fn gone(case: &Case<'_>, module: &str, name: Option<&str>) -> Choice {
    let top = module.split('.').next().unwrap_or(module);
    if packages::is_standard(top, case.interpreter.unwrap_or((3, 11))) {
        return older_interpreter(case);
    }
    if is_own(case, top) {
        return Choice::Stop(format!("`{top}` is a file of the project itself"));
    }
    let package = match package_of(case, module) {
        Some(package) => package,
        None => return Choice::Stop(format!("no known package provides `{top}`")),
    };
    let now = case.interpreter.unwrap_or((3, 11));
    let known = packages::removal_of(module, name.unwrap_or_default());
    if let Some(bound) = known.filter(|bound| bound.is_in_the_time_of(now)) {
        return pin(case, &bound.package, &format!("<{}", bound.below), &bound.because);
    }
    if !case.tried.contains(&RemedyKind::Versions) {
        return scout(case, package, (module, name, None));
    }
    snapshot(case)
}

/// The library itself says what it dropped.
fn said(case: &Case<'_>) -> Choice {
    let name = case.subject();
    let imports = case.reading.iter().flat_map(|reading| &reading.imports);
    let imported = imports.into_iter().find(|import| import.names.iter().any(|one| one == name));
    let module = imported.map_or_else(|| case.second().to_lowercase(), |import| import.module.clone());
    let name = name.strip_prefix(&format!("{module}.")).unwrap_or(name);
    match package_of(case, &module) {
        Some(_) => gone(case, &module, Some(name)),
        // A value that it no longer takes, such as a frequency: nothing that a release could be asked for.
        None => snapshot(case),
    }
}

/// Has it looked up which release still has it.
fn scout(
    case: &Case<'_>,
    package: String,
    (module, name, keyword): (&str, Option<&str>, Option<&str>),
) -> Choice {
    let below = case
        .installed
        .iter()
        .find(|(installed, _)| actum_prepare::bare(installed) == actum_prepare::bare(&package));
    Choice::Scout(Wanted {
        below: below.map(|(_, version)| version.clone()),
        package,
        module: module.to_owned(),
        name: name.map(str::to_owned),
        keyword: keyword.map(str::to_owned),
    })
}

/// The release that a scout found, with the rest as it was then.
pub(crate) fn found(case: &Case<'_>, wanted: &Wanted, pick: &Pick) -> Choice {
    let has = wanted
        .name
        .as_ref()
        .map_or_else(|| wanted.module.clone(), |name| format!("{}.{name}", wanted.module));
    let part = |number: u32| u8::try_from(number).unwrap_or(u8::MAX);
    let Some(version) = pick.interpreter.map(|one| (part(one.major), part(one.minor))) else {
        return Choice::Stop(format!(
            "{} is the last release with `{has}`, and no Python on this machine can run it",
            pick.requirement.replace("==", " ")
        ));
    };
    let is_same = Some(version) == case.interpreter;
    let altered = case.altered(|to| {
        let versions = pick.requirement.strip_prefix(&wanted.package).unwrap_or_default();
        to.wish =
            to.wish.clone().with(std::slice::from_ref(&wanted.package)).keeping(&wanted.package, versions);
        to.wish.newest = pick.own_newest.clone().or_else(|| pick.newest.clone());
        if !is_same {
            to.wish.interpreter = Some(version);
        }
    });
    let with = if is_same { String::new() } else { format!(" with Python {}.{}", version.0, version.1) };
    let what =
        format!("use {}{with}, and other packages from the same time", pick.requirement.replace("==", " "));
    Change::new(RemedyKind::Versions, what, format!("it is the newest release that has `{has}`"), altered)
        .permanently(format!("declare `{}`", pick.requirement))
        .choice()
}

/// What is done when no release was found.
pub(crate) fn not_found(case: &Case<'_>, wanted: &Wanted) -> Choice {
    let has = wanted.name.as_deref().unwrap_or(&wanted.module);
    match snapshot(case) {
        Choice::Stop(_) => {
            Choice::Stop(format!("no release of {} that was checked has `{has}`", wanted.package))
        }
        choice @ (Choice::Change(_) | Choice::Scout(_) | Choice::Propose(..)) => choice,
    }
}

/// A method or a keyword that a library no longer has: what the table knows; the release that still has it; else the releases of
/// the code's time.
fn method(case: &Case<'_>) -> Option<Choice> {
    let name = case.diagnosis.subject.last().map(String::as_str).unwrap_or_default();
    let imports = case.reading.iter().flat_map(|reading| &reading.imports);
    let known = imports.map(|import| import.module.split('.').next().unwrap_or_default());
    let now = case.interpreter.unwrap_or((3, 11));
    let known =
        known.filter_map(|top| packages::removal_of(top, name)).find(|bound| bound.is_in_the_time_of(now));
    if let Some(bound) = known {
        return Some(pin(case, &bound.package, &format!("<{}", bound.below), &bound.because));
    }
    let is_first = !case.tried.contains(&RemedyKind::Versions);
    if case.diagnosis.row == "py-obj-attr-removed" {
        let place = OBJECTS.iter().find(|(object, ..)| *object == case.subject()).filter(|_| is_first);
        return Some(match place {
            Some((object, package, module)) => {
                scout(case, (*package).to_owned(), (module, Some(&format!("{object}.{name}")), None))
            }
            None => snapshot(case),
        });
    }
    if let Some((module, callee)) = called_with(case, name).filter(|_| is_first)
        && let Some(package) = package_of(case, &module)
    {
        return Some(scout(case, package, (&module, Some(&callee), Some(name))));
    }
    (case.diagnosis.raised_in == Some(Whose::Package)).then(|| snapshot(case))
}

/// Objects that programs rarely name, and where their class is.
const OBJECTS: [(&str, &str, &str); 8] = [
    ("DataFrame", "pandas", "pandas.core.frame"),
    ("Series", "pandas", "pandas.core.series"),
    ("Index", "pandas", "pandas.core.indexes.base"),
    ("DatetimeIndex", "pandas", "pandas.core.indexes.datetimes"),
    ("Axes", "matplotlib", "matplotlib.axes"),
    ("Figure", "matplotlib", "matplotlib.figure"),
    ("Graph", "networkx", "networkx"),
    ("KMeans", "scikit-learn", "sklearn.cluster"),
];

/// The library's function that the program calls with an argument of this name: its module and its own name.
fn called_with(case: &Case<'_>, keyword: &str) -> Option<(String, String)> {
    let end = format!("({keyword}=)");
    let names = case.reading?.names.iter();
    let callee = names.filter_map(|one| one.name.strip_suffix(&end)).find(|name| !name.starts_with('?'))?;
    let (module, name) = callee.rsplit_once('.')?;
    Some((module.to_owned(), name.to_owned()))
}

fn pin(case: &Case<'_>, package: &str, versions: &str, because: &str) -> Choice {
    let altered = case.altered(|to| to.wish = to.wish.clone().keeping(package, versions));
    if altered.wish == case.situation.wish {
        return snapshot(case);
    }
    Change::new(RemedyKind::Versions, format!("use {package}{versions}"), because.to_owned(), altered)
        .permanently(format!("declare `{package}{versions}`"))
        .choice()
}

/// Releases of the interpreter's own time; then the interpreter before it with those of its time.
fn snapshot(case: &Case<'_>) -> Choice {
    let now = case.interpreter.unwrap_or((3, 11));
    let rung = match &case.situation.wish.newest {
        None => Some(now),
        Some(day) if (case.era)(now).as_ref() == Some(day) => {
            case.interpreters.iter().copied().find(|version| *version < now && version.0 == now.0)
        }
        Some(_) if !case.tried.contains(&RemedyKind::Versions) => Some(now),
        Some(_) => None,
    };
    let Some((version, day)) = rung.and_then(|version| Some((version, (case.era)(version)?))) else {
        return Choice::Stop("releases from when the code was written were tried as well".to_owned());
    };
    let altered = case.altered(|to| {
        to.wish.newest = Some(day.clone());
        to.wish.constraints.clear();
        if version != now {
            to.wish.interpreter = Some(version);
        }
    });
    let with =
        if version == now { String::new() } else { format!(" with Python {}.{}", version.0, version.1) };
    let why = "the code declares no versions and may not work with newer releases";
    Change::new(RemedyKind::Versions, format!("use the releases of {day}{with}"), why, altered)
        .permanently(format!("pass --exclude-newer {day}, or declare the versions of this run"))
        .speculatively()
        .choice()
}

fn older_interpreter(case: &Case<'_>) -> Choice {
    let now = case.interpreter.unwrap_or((3, 11));
    let last = packages::last_python_with(&case.diagnosis.subject);
    if last.is_none() && case.diagnosis.row == "py-module-attr-removed" {
        return Choice::Stop("no known Python version has that name in its standard library".to_owned());
    }
    let fits =
        |version: &&(u8, u8)| **version < now && last.is_none_or(|last| **version <= last) && version.0 == 3;
    match case.interpreters.iter().find(fits) {
        Some(&version) => interpreter(case, version, "newer Python versions no longer have what it uses"),
        None => Choice::Stop(
            "it uses a removed part of the standard library, and no older Python is installed".to_owned(),
        ),
    }
}

fn newer_interpreter(case: &Case<'_>) -> Choice {
    let now = case.interpreter.unwrap_or((3, 11));
    let wanted = case.reading.and_then(|reading| reading.version.as_ref());
    let wanted = wanted.and_then(|need| actum_prepare::needs::version_pair(&need.at_least));
    let fits = |version: &&(u8, u8)| **version > now && wanted.is_none_or(|wanted| **version >= wanted);
    match case.interpreters.iter().rev().find(fits) {
        Some(&version) => {
            interpreter(case, version, "its syntax needs a newer Python than the one that ran it")
        }
        None => Choice::Stop("its syntax needs a newer Python than any installed one".to_owned()),
    }
}

/// A program of Python 2 runs under Python 2, or not at all: translating it would change its text.
fn python_2(case: &Case<'_>) -> Choice {
    match case.interpreters.iter().find(|version| version.0 == 2) {
        Some(&version) if case.interpreter != Some(version) => {
            interpreter(case, version, "it is a Python 2 program")
        }
        Some(_) | None => Choice::Stop("it is a Python 2 program, and Python 2 is not installed".to_owned()),
    }
}

fn interpreter(case: &Case<'_>, version: (u8, u8), why: &str) -> Choice {
    let name = format!("Python {}.{}", version.0, version.1);
    let altered = case.altered(|to| to.wish.interpreter = Some(version));
    Change::new(RemedyKind::Interpreter, format!("run it with {name}"), why, altered)
        .permanently(format!("declare `requires-python = \"=={}.{}.*\"`", version.0, version.1))
        .choice()
}

fn package_of(case: &Case<'_>, module: &str) -> Option<String> {
    let top = module.split('.').next().unwrap_or(module);
    match packages::bringing(module, Display::Unused) {
        Brought::By(name) => Some(name),
        Brought::ByTheProject | Brought::Elsewhere(_) | Brought::ByNobody => {
            let same = |name: &&(String, String)| name.0.eq_ignore_ascii_case(top);
            case.installed.iter().find(same).map(|(name, _)| name.clone())
        }
    }
}

/// The module is a file beside the program.
fn is_own(case: &Case<'_>, top: &str) -> bool {
    let frame = case.diagnosis.raised_in == Some(Whose::Own);
    frame && case.file.and_then(|file| file.file_stem()).is_some_and(|stem| stem == top)
}
