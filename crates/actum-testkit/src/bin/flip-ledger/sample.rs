//! The ledger whose bits are flipped: half of it in the database, half in its log of writes, some contents as files, some bodies
//! removed, signed several times, and a bundle of one of its runs.

use actum_model::{Entry, Moment, RunId};
use actum_store::bundle::{self, Blob, Parts};
use actum_store::key::Signs;
use actum_store::note::{Checkpoint, SignedNote};
use actum_store::signer::{Signer, serve};
use actum_store::{Content, Filter, Keyring, Ledger, Named, Reader, Store};
use actum_testkit::runs::{self, Numbers};
use std::error::Error;
use std::io::Read;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

pub struct Sample {
    pub store: Store,
    pub keys: Keyring,
    pub bundle: PathBuf,
}

/// In each half: enough for some large outputs, few enough to be read ten thousand times.
const RUNS: u64 = 24;
const REMOVED: usize = 4;
const SIGNED_EVERY: u64 = 8;

impl Sample {
    pub fn at(folder: &Path) -> Self {
        Self {
            store: Store::at(&folder.join("store")),
            keys: Keyring::at(&folder.join("keys")),
            bundle: folder.join("run.actum"),
        }
    }

    pub fn make(&self) -> Result<(), Box<dyn Error>> {
        let mut numbers = Numbers::from(1);
        let (ours, theirs) = UnixStream::pair()?;
        let keys = self.keys.clone();
        std::thread::spawn(move || serve(theirs, &keys, None));
        let mut signer = Signer::greet(ours)?.signer()?;
        self.write(&mut numbers, &mut signer)?;
        let (ledger, reader) = (Ledger::open(&self.store, Moment(1))?, Reader::open(&self.store)?);
        let names: Vec<RunId> = reader.list(&Filter::default())?.iter().map(|one| one.run).collect();
        let oldest = &names[names.len() - REMOVED..];
        let going = actum_store::announce_removal(&ledger, &reader, oldest, "a sample", Moment(5))?;
        drop((ledger, reader));
        actum_store::prune(&self.store, &going)?;
        // Everything so far goes into the database; what follows stays in its log.
        let connection = rusqlite::Connection::open(self.store.ledger_file())?;
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        let ledger = Ledger::open(&self.store, Moment(1))?;
        drop(connection);
        drop(ledger);
        self.write(&mut numbers, &mut signer)?;
        self.write_bundle(names[3], &mut signer)
    }

    /// What `actum verify` holds a store against: the last checkpoint that the keys remember.
    pub fn remembered(&self, origin: &str) -> Option<Checkpoint> {
        self.keys.remembered(origin)?.checkpoint().ok()
    }

    /// The key of the sample, as somebody who trusts it has it.
    pub fn trusted(&self) -> Result<Vec<Named>, Box<dyn Error>> {
        Ok(self.keys.own()?.into_iter().map(|key| Named { name: "sample".to_owned(), key }).collect())
    }

    fn write(&self, numbers: &mut Numbers, signer: &mut Signer) -> Result<(), Box<dyn Error>> {
        let ledger = Ledger::open(&self.store, Moment(1))?;
        let reader = ledger.reader()?;
        for number in 0..RUNS {
            let run = runs::run(1_000_000 + number, numbers);
            ledger.append(&Entry::Started(runs::started(run)))?.wait()?;
            let (record, contents) = runs::record(run);
            ledger.seal(record, contents.into_iter().map(Content::Bytes).collect())?.wait()?;
            if number % SIGNED_EVERY == SIGNED_EVERY - 1 {
                signer.seal(&ledger, &reader)?;
            }
        }
        Ok(())
    }

    fn write_bundle(&self, run: RunId, signer: &mut dyn Signs) -> Result<(), Box<dyn Error>> {
        let reader = Reader::open(&self.store)?;
        let sealed = reader.sealed(run)?.ok_or("it was sealed just before")?;
        let (size, note) = reader.checkpoint_over(sealed.seq)?.ok_or("it was signed just before")?;
        let blobs = [&sealed.record.stdout, &sealed.record.report].map(|held| {
            let (reader, digest) = (&reader, held.sha256);
            let open = move || -> std::io::Result<Box<dyn Read>> {
                Ok(Box::new(reader.blob(&digest).map_err(std::io::Error::other)?))
            };
            Blob { digest, size: held.bytes.0, open: Box::new(open) }
        });
        let parts = Parts {
            record: sealed.bytes,
            index: sealed.seq,
            checkpoint: SignedNote::parse(note.as_bytes())?,
            proof: reader.inclusion(sealed.seq, size)?,
            blobs: blobs.into(),
        };
        let mut bytes = Vec::new();
        bundle::write(&parts, signer, &mut bytes)?;
        Ok(std::fs::write(&self.bundle, bytes)?)
    }
}
