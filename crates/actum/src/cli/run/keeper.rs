//! What the ledger is told about a run: that it starts, before it does, and how it ended.

use super::book::{Book, Pages};
use super::outputs;
use super::problem::Problem;
use crate::cli::aside::Aside;
use crate::config::Surroundings;
use crate::screen;
use actum_changes::settle::Keeping;
use actum_gate::{File, own};
use actum_model::{
    Bytes, Digest, Evidence, Grant, Held, KeyReach, Level, Record, Report, RunId, Started, Stream, Tier,
    Witness,
};
use actum_run::redact::Redaction;
use actum_run::{Account, Journal, JournalError, Request, Seal};
use actum_store::key::Signs;
use actum_store::signer::SealError;
use actum_store::{Choice, Content, Kept, Keyring, Store};
use std::path::{Path, PathBuf};

/// Keeps one run.
pub(super) struct Keeper<'a> {
    surroundings: &'a Surroundings,
    book: Book,
    aside: Aside,
    place: Kept,
    /// As long as this is open the run goes on for everybody else.
    going_on: File,
    /// What the program sees beside the system: its workspace and what was granted.
    shown: Vec<PathBuf>,
}

impl<'a> Keeper<'a> {
    pub(super) fn begin(
        surroundings: &'a Surroundings,
        store: &Store,
        (run, request): (RunId, &Request),
        (aside, book): (Aside, Option<Book>),
    ) -> Result<Self, Problem> {
        let place = store.begin(run)?;
        // So that runs in folders above do not see it. One that cannot be noted is only not hidden from those.
        let _ = Keyring::at(&surroundings.keys).note_store(store.root());
        let going_on = store.hold(run)?;
        let book = book.map_or_else(|| Book::open(store, &surroundings.cache), Ok)?;
        let granted = request.attempt.policy.grants.iter().map(|grant| match grant {
            Grant::Read(path) | Grant::Write(path) => path.clone(),
        });
        let shown = granted.chain([request.attempt.workspace.clone()]).collect();
        Ok(Self { surroundings, book, aside, place, going_on, shown })
    }

    pub(super) fn run(&self) -> RunId {
        self.place.id
    }

    pub(super) fn folder(&self) -> &Path {
        &self.place.folder
    }

    /// Seals what came of it. What is given back is the report with what the ledger holds about it.
    pub(super) fn seal(
        self,
        account: Account,
        keeping: &Keeping,
        redaction: &Redaction,
    ) -> Result<Box<Report>, Problem> {
        let Account { mut report, mut record } = account;
        let mut contents = outputs::keep(record.outputs(), keeping, redaction);
        let text = screen::json(&report)?.into_bytes();
        let held = Held { sha256: Digest::of(&text), bytes: Bytes(text.len() as u64), redactions: 0 };
        contents.push(Content::Bytes(text));
        let key = self.reach(&report);
        let pages = self.book.pages()?;
        let (actum, host) = pages.facts();
        let record = record.seal(Seal { report: held, key, actum, host });
        contents.extend(printed(&record, &self.place.folder));
        let sealing = pages.ledger()?.seal(record, contents)?;
        let digest = sealing.digest();
        let index = sealing.wait()?.first().copied().unwrap_or_default();
        let mut rest = Some((self.place.folder, self.going_on));
        let mut tidy = || rest.take().into_iter().for_each(|(folder, going_on)| tidy(&folder, going_on));
        let signed = sign(pages, self.aside, &mut tidy);
        // Where nothing was signed nothing was done meanwhile.
        tidy();
        report.evidence = Some(evidence(index, digest, key, signed));
        Ok(Box::new(report))
    }
}

impl Keeper<'_> {
    /// Where walls stood, the key was behind them: its folder is hidden, and the signer is another process. A key of an
    /// ssh-agent is as far as the agent's socket.
    fn reach(&self, report: &Report) -> KeyReach {
        // What an agent ran past us had no walls of ours.
        if report.execution.witness == Witness::Observed {
            return KeyReach::WithinReach;
        }
        let Some(confinement) = &report.confinement else { return KeyReach::OutOfReach };
        let is_far = match Keyring::at(&self.surroundings.keys).choice() {
            Choice::Own => confinement.tier != Tier::None,
            // Landlock alone does not keep a program from connecting to a socket.
            Choice::Agent(_) => confinement.tier == Tier::N && !self.agent_is_shown(report),
        };
        if is_far { KeyReach::OutOfReach } else { KeyReach::WithinReach }
    }

    fn agent_is_shown(&self, report: &Report) -> bool {
        let Some(socket) = &self.surroundings.agent else { return true };
        let socket = socket.canonicalize().unwrap_or_else(|_| socket.clone());
        report.request.policy == "open" || self.shown.iter().any(|path| socket.starts_with(path))
    }
}

/// What a run printed, as it lies in its folder.
fn printed(record: &Record, folder: &Path) -> impl Iterator<Item = Content> {
    let held = [
        (Stream::Stdout.name(), &record.stdout),
        (Stream::Stderr.name(), &record.stderr),
        ("timeline", &record.timeline),
    ];
    let held = held.map(|(name, held)| (held.bytes.0 > 0).then(|| Content::File(folder.join(name))));
    held.into_iter().flatten()
}

/// The fingerprint of the key that signed the log as it is now.
fn sign(pages: Pages, aside: Aside, meanwhile: &mut dyn FnMut()) -> Result<String, SealError> {
    let mut signer = aside.signer()?;
    let signed = signer.seal_own(pages.ledger()?, meanwhile).map(|_| signer.public().fingerprint());
    // Everything is where it belongs, and the process ends: closing in order would only take time.
    std::mem::forget((pages, signer));
    signed
}

/// What is in the ledger now need not lie in the run's folder as well, and nobody asks any more whether the run goes on.
fn tidy(folder: &Path, going_on: File) {
    for name in [Stream::Stdout.name(), Stream::Stderr.name(), "timeline"] {
        let _ = own::remove_file(&folder.join(name));
    }
    // Goes only when nothing else is in it.
    let _ = own::remove_folder(folder);
    drop(going_on);
}

impl Journal for Keeper<'_> {
    fn will_start(&mut self, started: Started) {
        self.book.announce(started);
    }

    fn wait(&mut self) -> Result<(), JournalError> {
        Ok(self.book.wait()?)
    }
}

fn evidence(index: u64, record: Digest, key: KeyReach, signed: Result<String, SealError>) -> Evidence {
    let level = match (&signed, key) {
        (Ok(_), KeyReach::OutOfReach) => Level::E2,
        (Ok(_), KeyReach::WithinReach) | (Err(_), _) => Level::E1,
    };
    if let Err(error) = &signed {
        screen::problem(error, error.hint().as_deref());
    }
    let unsigned = signed.as_ref().err().map(|error| super::one_line(error));
    Evidence { level, meaning: level.words().to_owned(), index, record, signer: signed.ok(), unsigned }
}
