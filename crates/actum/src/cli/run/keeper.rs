//! What the ledger is told about a run: that it starts, before it does, and how it ended.

use super::problem::Problem;
use crate::cli::aside::Aside;
use crate::config::Surroundings;
use crate::{clock, facts, screen};
use actum_model::{
    Bytes, Digest, Entry, Evidence, Held, KeyReach, Level, Report, RunId, Started, Stream, Tier,
};
use actum_run::{Account, Draft, Journal, JournalError, Seal};
use actum_store::key::Signs;
use actum_store::signer::SealError;
use actum_store::{Content, Kept, Ledger, Store, StoreError, Ticket};
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::path::Path;

/// Keeps one run.
pub(super) struct Keeper<'a> {
    surroundings: &'a Surroundings,
    ledger: Ledger,
    place: Kept,
    aside: Aside,
    /// As long as this is open the run goes on for everybody else.
    _going_on: File,
    announced: Vec<Result<Ticket, StoreError>>,
}

impl<'a> Keeper<'a> {
    pub(super) fn open(
        surroundings: &'a Surroundings,
        store: &Store,
        place: Kept,
        aside: Aside,
    ) -> Result<Self, Problem> {
        let going_on = store.hold(place.id)?;
        let ledger = Ledger::open(store, clock::now())?;
        Ok(Self { surroundings, ledger, place, aside, _going_on: going_on, announced: Vec::new() })
    }

    pub(super) fn run(&self) -> RunId {
        self.place.id
    }

    pub(super) fn folder(&self) -> &Path {
        &self.place.folder
    }

    /// Seals what came of it. What is given back is the report with what the ledger holds about it.
    pub(super) fn seal(self, account: Account) -> Result<Box<Report>, Problem> {
        let Account { mut report, record } = account;
        let text = screen::json(&report)?;
        let (index, digest, key) = self.write(&report, record, text)?;
        self.tidy();
        let signed = Self::sign(&self.ledger, self.aside);
        report.evidence = Some(evidence(index, digest, key, signed));
        Ok(Box::new(report))
    }

    fn write(&self, report: &Report, draft: Draft, text: String) -> Result<(u64, Digest, KeyReach), Problem> {
        let text = text.into_bytes();
        let key = reach(report);
        let sealed = draft.seal(Seal {
            report: Held {
                sha256: Digest(Sha256::digest(&text).into()),
                bytes: Bytes(text.len() as u64),
                redactions: 0,
            },
            key,
            actum: facts::build(&self.surroundings.cache),
            host: facts::host(),
        });
        let mut contents = vec![Content::Bytes(text)];
        let held = [
            (Stream::Stdout.name(), &sealed.stdout),
            (Stream::Stderr.name(), &sealed.stderr),
            ("timeline", &sealed.timeline),
        ];
        let printed = held.into_iter().filter(|(_, held)| held.bytes.0 > 0);
        contents.extend(printed.map(|(name, _)| Content::File(self.place.folder.join(name))));
        let sealing = self.ledger.seal(sealed, contents)?;
        let digest = sealing.digest();
        let places = sealing.wait()?;
        Ok((places.first().copied().unwrap_or_default(), digest, key))
    }

    /// The fingerprint of the key that signed the log as it is now.
    fn sign(ledger: &Ledger, aside: Aside) -> Result<String, SealError> {
        let mut signer = aside.signer()?;
        signer.seal(ledger, &ledger.reader()?)?;
        Ok(signer.public().fingerprint())
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
        self.announced.push(self.ledger.append(&Entry::Started(started)));
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
