//! Does every line know its room? One file per question; [`CHECKS`] is the order in which they are asked.
//!
//! Every question of [`CHECKS`] but the last three is a pure function from text to findings, with a test that it can fail. What only a
//! compiler can answer is in [`COMPILED`]; `cargo xtask test` answers it from what it builds anyway.

pub mod accents;
pub mod deny;
pub mod documents;
pub mod duplicates;
pub mod graph;
pub mod layers;
pub mod licences;
pub mod links;
pub mod metadata;
pub mod reasons;
pub mod rust_text;
pub mod safety;
pub mod sizes;
pub mod tools;
pub mod words;

use crate::Held;
use crate::error::Error;
use crate::say;
use crate::step::{self, Mark, Outcome, Pace, Session, Step};
use crate::tree::Tree;

/// Cheap ones first, so that a reader who watches sees them first.
pub const CHECKS: &[Step] = &[
    Step { name: "layers", why: "crates depend only on lower layers", pace: Pace::Quick, act: layers },
    Step { name: "accents", why: "each API is used only in its crate", pace: Pace::Quick, act: accents },
    Step { name: "safety", why: "each unsafe block has a SAFETY comment", pace: Pace::Quick, act: safety },
    Step { name: "reasons", why: "each dependency has a reason", pace: Pace::Quick, act: reasons },
    Step {
        name: "words",
        why: "no unfinished code, long files or local paths",
        pace: Pace::Quick,
        act: words,
    },
    Step {
        name: "sizes",
        why: "of crates and functions, and tuples in signatures",
        pace: Pace::Quick,
        act: sizes,
    },
    Step { name: "documents", why: "they exist and their links work", pace: Pace::Quick, act: documents },
    Step {
        name: "dependencies",
        why: "licences, versions and sources as in deny.toml",
        pace: Pace::Quick,
        act: dependencies,
    },
    Step { name: "format", why: "formatted by rustfmt", pace: Pace::Quick, act: tools::format },
];

/// `cargo xtask test` does this as well.
pub const ARM: Step =
    Step { name: "aarch64", why: "it compiles for 64-bit ARM", pace: Pace::Full, act: tools::arm };

/// Those that compile the workspace.
pub const COMPILED: &[Step] = &[
    Step { name: "clippy", why: "no warnings", pace: Pace::Quick, act: tools::clippy },
    ARM,
    Step { name: "fuzz targets", why: "they compile", pace: Pace::Quick, act: crate::fuzz::compiles },
    Step {
        name: "reference",
        why: "generated files are current",
        pace: Pace::Quick,
        act: crate::generate::current,
    },
];

/// `cargo xtask check`.
pub fn check() -> Result<Held, Error> {
    let mut session = Session { tree: Tree::read()?, ..Session::default() };
    let tried = step::walk(CHECKS.iter().chain(COMPILED), Pace::Full, &mut session);
    say::line(step::summary(&tried).trim_end());
    let failed = tried.iter().filter(|step| step.mark == Mark::Failed).count();
    let held = tried.iter().filter(|step| step.mark == Mark::Held).count();
    say::line(&format!("{held} passed, {failed} failed, {} skipped", tried.len() - held - failed));
    Ok(if failed == 0 { Held::Yes } else { Held::No })
}

fn layers(_: &mut Session) -> Result<Outcome, Error> {
    Ok(Outcome::Found(layers::judge(&metadata::workspace()?)))
}

fn accents(session: &mut Session) -> Result<Outcome, Error> {
    Ok(Outcome::Found(session.tree.with_extension("rs").flat_map(accents::judge).collect()))
}

fn safety(session: &mut Session) -> Result<Outcome, Error> {
    Ok(Outcome::Found(session.tree.with_extension("rs").flat_map(safety::judge).collect()))
}

fn reasons(session: &mut Session) -> Result<Outcome, Error> {
    Ok(Outcome::Found(reasons::judge(session.tree.text("Cargo.toml").unwrap_or_default())))
}

fn words(session: &mut Session) -> Result<Outcome, Error> {
    Ok(Outcome::Found(session.tree.files().flat_map(words::judge).collect()))
}

fn sizes(session: &mut Session) -> Result<Outcome, Error> {
    let mut findings = sizes::judge_crates(session.tree.with_extension("rs"));
    findings.extend(session.tree.with_extension("rs").flat_map(sizes::judge_signatures));
    findings.extend(session.tree.with_extension("rs").flat_map(sizes::judge_functions));
    Ok(Outcome::Found(findings))
}

fn documents(session: &mut Session) -> Result<Outcome, Error> {
    Ok(Outcome::Found(documents::judge(&session.tree)))
}

/// By cargo-deny where it is installed; otherwise licences and versions by the same lists, read here.
fn dependencies(session: &mut Session) -> Result<Outcome, Error> {
    if tools::has_deny() {
        return tools::deny(session);
    }
    let Some(text) = session.tree.text(deny::FILE) else {
        return Ok(Outcome::Skipped(format!("{} is missing; see the documents check", deny::FILE)));
    };
    let lists = deny::read(text)?;
    let packages = graph::packages(&lists.targets)?;
    let mut findings = licences::judge(&packages, &lists.licences);
    findings.extend(duplicates::judge(&packages, &lists.skips));
    Ok(Outcome::Found(findings))
}
