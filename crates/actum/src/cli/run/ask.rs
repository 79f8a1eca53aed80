//! Asking before a run: on a terminal now, otherwise later with `actum approve`.

use super::Said;
use super::problem::Problem;
use crate::{clock, screen};
use actum_gate::File;
use actum_model::{Report, Risk, RunId};
use actum_run::{Extracted, NotRun, Request, Source};
use actum_store::{Keyring, Pending, Store};
use std::ffi::OsString;
use std::io::{BufRead, BufReader, IsTerminal, Write};

/// What waits for somebody who can be asked.
pub(super) struct Waiting {
    digest: String,
    question: Vec<String>,
    words: Vec<OsString>,
    stdin: Option<Vec<u8>>,
}

const REFUSED: u8 = 120;

/// Asks where that is wanted. Nothing: it may run.
pub(super) fn ask(
    request: &Request,
    extracted: &Extracted<'_>,
    risk: &Risk,
    said: &Said,
) -> Result<Option<Waiting>, Problem> {
    let mut digest = String::new();
    if said.approved.is_some() || request.approval.asks(risk.level) {
        digest = extracted.digest(request);
    }
    if let Some(approved) = &said.approved {
        return if *approved == digest { Ok(None) } else { Err(Problem::NotWhatWasApproved) };
    }
    if !request.approval.asks(risk.level) {
        return Ok(None);
    }
    // The last line is the question itself, which only a terminal is asked.
    let mut question = actum_risk::question(risk);
    question.pop();
    if std::io::stderr().is_terminal()
        && let Ok(terminal) = actum_gate::own::terminal()
    {
        question.iter().for_each(|line| screen::note(line));
        return if is_yes(terminal)? { Ok(None) } else { Err(Problem::Refused) };
    }
    let stdin = match &request.source {
        Source::Stdin(code) => Some(code.clone()),
        Source::Command(_) | Source::Shell(_) | Source::File(_) | Source::Inline(_) => None,
    };
    Ok(Some(Waiting { digest, question, words: said.line.clone(), stdin }))
}

/// From the terminal itself: stdin may be the code.
fn is_yes(mut terminal: File) -> Result<bool, Problem> {
    let failed = |source| Problem::Ask { source };
    terminal.write_all(b"Run it? [y/N] ").map_err(failed)?;
    let mut answer = String::new();
    BufReader::new(terminal).read_line(&mut answer).map_err(failed)?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

/// Keeps the request until somebody approves it.
pub(super) fn wait(
    (store, keyring): (&Store, &Keyring),
    run: RunId,
    request: &Request,
    risk: &Risk,
    waiting: Waiting,
) -> Result<Box<Report>, Problem> {
    let Waiting { digest, question, words, stdin } = waiting;
    let folder = std::env::current_dir().map_err(|source| Problem::Ask { source })?.into();
    let pending =
        Pending { run, asked_at: clock::now(), words, folder, stdin, digest, question: question.clone() };
    store.wait_for_approval(&pending, &keyring.seal_key())?;
    question.iter().for_each(|line| screen::note(line));
    screen::note(&format!("actum: waits for approval\nhint: actum approve {}", run.short()));
    let mut account = actum_run::not_run(
        run,
        request,
        risk.clone(),
        NotRun { reason: "waits for approval", hint: None, exit_code: REFUSED },
    );
    account.report.recommendations = vec![format!("actum approve {}", run.short())];
    Ok(Box::new(account.report))
}
