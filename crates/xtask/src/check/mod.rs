//! Does every line know its room? One file per question; [`CHECKS`] is the order in which they are asked.
//!
//! Every question but the last five is a pure function from text to findings, with a test that it can fail.

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
    Step { name: "layers", why: "crates depend only on lower floors", pace: Pace::Quick, act: layers },
    Step { name: "accents", why: "each word is spoken only in its room", pace: Pace::Quick, act: accents },
    Step { name: "safety", why: "each unsafe block names its contract", pace: Pace::Quick, act: safety },
    Step { name: "reasons", why: "each dependency says why it is here", pace: Pace::Quick, act: reasons },
    Step {
        name: "words",
        why: "nothing unfinished, too long or of this machine",
        pace: Pace::Quick,
        act: words,
    },
    Step {
        name: "sizes",
        why: "of crates and functions, and tuples in signatures",
        pace: Pace::Quick,
        act: sizes,
    },
    Step {
        name: "documents",
        why: "they exist and their links lead somewhere",
        pace: Pace::Quick,
        act: documents,
    },
    Step {
        name: "dependencies",
        why: "licences and versions as in deny.toml",
        pace: Pace::Quick,
        act: dependencies,
    },
    Step {
        name: "cargo deny",
        why: "the same by its own tool, where installed",
        pace: Pace::Quick,
        act: tools::deny,
    },
    Step { name: "format", why: "one format", pace: Pace::Quick, act: tools::format },
    Step { name: "clippy", why: "no warnings", pace: Pace::Quick, act: tools::clippy },
    Step {
        name: "fuzz targets",
        why: "they know the house as it is now",
        pace: Pace::Quick,
        act: crate::fuzz::compiles,
    },
    Step {
        name: "reference",
        why: "what is generated is current",
        pace: Pace::Quick,
        act: crate::generate::current,
    },
];

/// `cargo xtask check`.
pub fn check() -> Result<Held, Error> {
    let mut session = Session { tree: Tree::read()?, binary: None };
    let tried = step::walk(CHECKS, Pace::Full, &mut session);
    say::line(step::summary(&tried).trim_end());
    let failed = tried.iter().filter(|step| step.mark == Mark::Failed).count();
    let held = tried.iter().filter(|step| step.mark == Mark::Held).count();
    say::line(&format!("{held} held, {failed} failed, {} skipped", tried.len() - held - failed));
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

fn dependencies(session: &mut Session) -> Result<Outcome, Error> {
    let Some(text) = session.tree.text(deny::FILE) else {
        return Ok(Outcome::Skipped(format!("{} is missing; the documents check says so", deny::FILE)));
    };
    let lists = deny::read(text)?;
    let packages = graph::packages(&lists.targets)?;
    let mut findings = licences::judge(&packages, &lists.licences);
    findings.extend(duplicates::judge(&packages, &lists.skips));
    Ok(Outcome::Found(findings))
}
