//! What the ledger is told about a run: that it starts, before it does, and how it ended.

use super::outputs;
use super::problem::Problem;
use crate::cli::aside::Aside;
use crate::config::Surroundings;
use crate::{clock, facts, screen};
use actum_model::{
    Bytes, Digest, Entry, Evidence, Held, KeyReach, Level, Report, RunId, Started, Stream, Tier,
};
use actum_run::redact::Redaction;
use actum_run::settle::Keeping;
use actum_run::{Account, Draft, Journal, JournalError, Seal};
use actum_store::key::Signs;
use actum_store::signer::SealError;
use actum_store::{Content, Kept, Ledger, Reader, Store, StoreError, Ticket};
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::path::Path;

/// The ledger and who signs it, made ready while something else is waited for. Starts no thread.
pub(super) struct Book {
    ledger: Ledger,
    reader: Reader,
    aside: Aside,
}

impl Book {
    pub(super) fn open(surroundings: &Surroundings, store: &Store) -> Result<Self, Problem> {
        let aside = Aside::begin(surroundings);
        let ledger = Ledger::prepare(store, clock::now())?;
        Ok(Self { reader: ledger.reader()?, ledger, aside })
    }

    /// The fingerprint of the key that signed the log as it is now.
    fn sign(self) -> Result<String, SealError> {
        let mut signer = self.aside.signer()?;
        let signed = signer.seal(&self.ledger, &self.reader).map(|_| signer.public().fingerprint());
        // Everything is where it belongs, and the process ends: closing in order would only take time.
        std::mem::forget((self.ledger, self.reader, signer));
        signed
    }
}

/// Keeps one run.
pub(super) struct Keeper<'a> {
    surroundings: &'a Surroundings,
    book: Book,
    place: Kept,
    /// As long as this is open the run goes on for everybody else.
    _going_on: File,
    announced: Vec<Result<Ticket, StoreError>>,
}

impl<'a> Keeper<'a> {
    pub(super) fn begin(
        surroundings: &'a Surroundings,
        store: &Store,
        run: RunId,
        mut book: Book,
    ) -> Result<Self, Problem> {
        let place = store.begin(run)?;
        let going_on = store.hold(run)?;
        book.ledger.declare_lost(clock::now())?;
        Ok(Self { surroundings, book, place, _going_on: going_on, announced: Vec::new() })
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
        let held = Held {
            sha256: Digest(Sha256::digest(&text).into()),
            bytes: Bytes(text.len() as u64),
            redactions: 0,
        };
        contents.push(Content::Bytes(text));
        let (index, digest, key) = self.write(&report, record, held, contents)?;
        self.tidy();
        let signed = self.book.sign();
        report.evidence = Some(evidence(index, digest, key, signed));
        Ok(Box::new(report))
    }

    fn write(
        &self,
        report: &Report,
        draft: Draft,
        held: Held,
        mut contents: Vec<Content>,
    ) -> Result<(u64, Digest, KeyReach), Problem> {
        let key = reach(report);
        let sealed = draft.seal(Seal {
            report: held,
            key,
            actum: facts::build(&self.surroundings.cache),
            host: facts::host(),
        });
        let held = [
            (Stream::Stdout.name(), &sealed.stdout),
            (Stream::Stderr.name(), &sealed.stderr),
            ("timeline", &sealed.timeline),
        ];
        let printed = held.into_iter().filter(|(_, held)| held.bytes.0 > 0);
        contents.extend(printed.map(|(name, _)| Content::File(self.place.folder.join(name))));
        let sealing = self.book.ledger.seal(sealed, contents)?;
        let digest = sealing.digest();
        let places = sealing.wait()?;
        Ok((places.first().copied().unwrap_or_default(), digest, key))
    }

    /// What is in the ledger now need not lie in the run's folder as well.
    fn tidy(&self) {
        let folder = &self.place.folder;
        for name in [Stream::Stdout.name(), Stream::Stderr.name(), "timeline"] {
            let _ = std::fs::remove_file(folder.join(name));
        }
        // Goes only when nothing else is in it.
        let _ = std::fs::remove_dir(folder);
    }
}

impl Journal for Keeper<'_> {
    fn will_start(&mut self, started: Started) {
        self.announced.push(self.book.ledger.append(&Entry::Started(started)));
    }

    fn wait(&mut self) -> Result<(), JournalError> {
        for ticket in self.announced.drain(..) {
            ticket?.wait()?;
        }
        Ok(())
    }
}

/// Where walls stood, the key was behind them: its folder is hidden, and the signer is another process.
fn reach(report: &Report) -> KeyReach {
    match &report.confinement {
        Some(confinement) if confinement.tier == Tier::None => KeyReach::WithinReach,
        Some(_) | None => KeyReach::OutOfReach,
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
