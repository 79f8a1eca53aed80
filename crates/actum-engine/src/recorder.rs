//! What the ledger is told about a run: that it starts, before it does, and how it ended.

use crate::engine::{Engine, Lifetime};
use crate::error::EngineError;
use crate::inputs::{self, InputPlace};
use crate::json::report_json;
use crate::ledger::{Announcements, LedgerHandle};
use crate::outputs;
use crate::signing::{StartedSigner, ToSign};
use crate::sink::Attachment;
use actum_changes::settle::Keeping;
use actum_gate::{File, own};
use actum_model::{
    AttachmentFacts, Bytes, Digest, Evidence, FileFacts, Grant, Held, KeyReach, Level, Record, Report, RunId,
    Started, Stream, Tier, Witness, with_causes,
};
use actum_run::{Account, Journal, JournalError, Request, Seal, Tracing};
use actum_store::signer::SealError;
use actum_store::{Choice, Content, Kept};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Records one run.
pub(crate) struct Recorder<'a> {
    engine: &'a Engine,
    ledger: Arc<LedgerHandle>,
    announcements: Announcements,
    place: Kept,
    /// As long as this is open the run goes on for everybody else.
    going_on: File,
    /// What the program sees beside the system: its workspace and what was granted.
    shown: Vec<PathBuf>,
}

/// A report with what the ledger holds about it.
pub(crate) struct Sealed {
    pub(crate) report: Box<Report>,
    /// Why the log was not signed.
    pub(crate) unsigned: Option<SealError>,
}

impl<'a> Recorder<'a> {
    pub(crate) fn begin(engine: &'a Engine, run: RunId, request: &Request) -> Result<Self, EngineError> {
        let place = engine.store.begin(run)?;
        // So that runs in folders above do not see it. One that cannot be noted is only not hidden from those.
        let _ = engine.keyring.note_store(engine.store.root());
        let going_on = engine.store.hold(run)?;
        let ledger = engine.ledger()?;
        let granted = request.attempt.policy.grants.iter().map(|grant| match grant {
            Grant::Read(path) | Grant::Write(path) => path.clone(),
        });
        let shown = granted.chain([request.attempt.workspace.clone()]).collect();
        let announcements = Announcements::new(Arc::clone(&ledger));
        Ok(Self { engine, ledger, announcements, place, going_on, shown })
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.place.folder
    }

    /// Where the run keeps its changes.
    pub(crate) fn keeping(&self) -> Keeping {
        self.engine.keeping(self.place.folder.clone())
    }

    /// Seals the account of the run. What is given back is the report with what the ledger holds about it.
    pub(crate) fn seal(
        self,
        account: Account,
        keeping: &Keeping,
        request: &Request,
        attached: Vec<Attachment>,
    ) -> Result<Sealed, EngineError> {
        let Account { mut report, mut record } = account;
        let mut contents = outputs::keep(record.outputs(), keeping, &request.redaction);
        if request.tracing == Tracing::Whole {
            contents.extend(self.keep_inputs(record.inputs(), keeping, request));
        }
        record.attach(attached.iter().map(facts_of).collect());
        contents.extend(attached.into_iter().map(|one| Content::Bytes(one.bytes)));
        let text = report_json(&report)?.into_bytes();
        let held = Held { sha256: Digest::of(&text), bytes: Bytes(text.len() as u64), redactions: 0 };
        contents.push(Content::Bytes(text));
        let key = self.reach(&report);
        let ledger = self.ledger.ledger()?;
        let (actum, host) = self.ledger.facts();
        let record = record.seal(Seal { report: held, key, actum, host });
        contents.extend(printed(&record, &self.place.folder));
        let sealing = ledger.seal(record, contents)?;
        let digest = sealing.digest();
        let index = sealing.wait()?.first().copied().unwrap_or_default();
        let mut rest = Some((self.place.folder, self.going_on));
        let mut tidy = || rest.take().into_iter().for_each(|(folder, going_on)| tidy(&folder, going_on));
        let again = || StartedSigner::begin(&self.engine.surroundings, self.engine.program());
        let many = self.engine.lifetime() == Lifetime::ManyRuns;
        let again = many.then_some(&again as &dyn Fn() -> StartedSigner);
        let signed = self.engine.signing().sign(&ToSign { ledger, index }, &mut tidy, again);
        // Where nothing was signed nothing was done meanwhile.
        tidy();
        if self.engine.lifetime() == Lifetime::OneRun {
            // Everything is where it belongs, and the process ends: closing in order would only take time.
            self.engine.signing().forget();
            std::mem::forget(self.ledger);
        }
        report.evidence = Some(evidence(index, digest, key, &signed));
        Ok(Sealed { report: Box::new(report), unsigned: signed.err() })
    }
}

impl Recorder<'_> {
    /// Keeps what the run read, so that it can be repeated without it.
    fn keep_inputs(&self, inputs: &mut [FileFacts], keeping: &Keeping, request: &Request) -> Vec<Content> {
        let place = InputPlace {
            workspace: &request.attempt.workspace,
            folder: &self.place.folder,
            keeping,
            redaction: &request.redaction,
            reader: self.ledger.ledger().ok().and_then(|ledger| ledger.reader().ok()),
        };
        inputs::keep(inputs, &place)
    }

    /// Where walls stood, the key was behind them: its folder is hidden, and the signer is another process. A key of an
    /// ssh-agent is as far as the agent's socket.
    fn reach(&self, report: &Report) -> KeyReach {
        // What an agent ran past us had no walls of ours.
        if report.execution.witness == Witness::Observed {
            return KeyReach::WithinReach;
        }
        let Some(confinement) = &report.confinement else { return KeyReach::OutOfReach };
        let is_far = match self.engine.keyring.choice() {
            Choice::Own => confinement.tier != Tier::None,
            // Landlock alone does not keep a program from connecting to a socket.
            Choice::Agent(_) => confinement.tier == Tier::N && !self.agent_is_shown(report),
        };
        if is_far { KeyReach::OutOfReach } else { KeyReach::WithinReach }
    }

    fn agent_is_shown(&self, report: &Report) -> bool {
        let Some(socket) = &self.engine.surroundings.agent else { return true };
        let socket = socket.canonicalize().unwrap_or_else(|_| socket.clone());
        report.request.policy == "open" || self.shown.iter().any(|path| socket.starts_with(path))
    }
}

fn facts_of(attachment: &Attachment) -> AttachmentFacts {
    let Attachment { name, bytes } = attachment;
    AttachmentFacts { name: name.clone(), sha256: Digest::of(bytes), bytes: Bytes(bytes.len() as u64) }
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

/// What is in the ledger now need not lie in the run's folder as well, and nobody asks any more whether the run goes on.
fn tidy(folder: &Path, going_on: File) {
    for name in [Stream::Stdout.name(), Stream::Stderr.name(), "timeline"] {
        let _ = own::remove_file(&folder.join(name));
    }
    let _ = own::remove_tree(&folder.join("inputs"));
    // Goes only when nothing else is in it.
    let _ = own::remove_folder(folder);
    drop(going_on);
}

impl Journal for Recorder<'_> {
    fn will_start(&mut self, started: Started) {
        self.announcements.announce(started);
    }

    fn wait(&mut self) -> Result<(), JournalError> {
        Ok(self.announcements.wait()?)
    }
}

fn evidence(index: u64, record: Digest, key: KeyReach, signed: &Result<String, SealError>) -> Evidence {
    let level = match (signed, key) {
        (Ok(_), KeyReach::OutOfReach) => Level::E2,
        (Ok(_), KeyReach::WithinReach) | (Err(_), _) => Level::E1,
    };
    let unsigned = signed.as_ref().err().map(|error| with_causes(error));
    Evidence {
        level,
        meaning: level.words().to_owned(),
        index,
        record,
        signer: signed.as_ref().ok().cloned(),
        unsigned,
    }
}
