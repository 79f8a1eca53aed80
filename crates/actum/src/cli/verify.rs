//! `actum verify`

use super::trouble::{INVALID, Trouble, ended};
use crate::config;
use crate::screen::{self, Judged, Status};
use actum_model::Level;
use actum_store::bundle::{self, Signer};
use actum_store::key::PublicKey;
use actum_store::note::{Checkpoint, SignedNote};
use actum_store::{Against, Keyring, Named, Reader, Store, StoreError, standing, verify, verify_run};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Verify a run, a bundle, or the whole store
///
/// Without an argument, everything in the store is hashed again and compared with what was signed. A bundle can be verified
/// without a store and without network access. Its signer is known only if you trust the key or own it; a key inside the bundle
/// does not count. `verified` means that this run did or printed this. It does not mean that the result is true in general.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum verify                                     the whole store
  actum verify last                                one run
  actum verify run.actum.tar --key alice.pub       a bundle, by Alice's key
  actum verify --checkpoint ~/elsewhere/checkpoint detect a truncated ledger
  actum verify last --again theirs.actum.tar       compare outputs of two parties

Exit codes: 0 verified; 5 intact, but the signer is unknown; 6 something differs from what was
signed; 125 Actum's own error.")]
pub struct Verify {
    /// Run, bundle file or store folder [default: your store]
    #[arg(value_name = "RUN|FILE|FOLDER")]
    target: Option<String>,
    /// Trust this key: a file or the key itself (repeatable)
    #[arg(long, value_name = "KEY")]
    key: Vec<String>,
    /// Check against a checkpoint that you saved elsewhere (repeatable)
    #[arg(long, value_name = "FILE")]
    checkpoint: Vec<PathBuf>,
    /// Compare with another party's bundle of the same run
    #[arg(long, value_name = "FILE")]
    again: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Whether what the signer remembers of a log counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Memory {
    Used,
    LeftOut,
}

/// Nothing was changed since it was signed, and who signed it is not known: anybody could have made all of it.
const SIGNER_UNKNOWN: u8 = 5;

impl Verify {
    pub fn execute(self) -> ExitCode {
        ended(self.go())
    }

    fn go(&self) -> Result<ExitCode, Trouble> {
        let judged = match &self.target {
            None => self.store(&Store::at(&config::surroundings()?.store), Memory::Used)?,
            Some(target) => {
                let path = Path::new(target);
                if path.is_dir() {
                    self.folder(path)?
                } else if path.is_file() {
                    self.bundle(path)?
                } else {
                    self.run(target)?
                }
            }
        };
        screen::say(&if self.json { screen::json(&judged)? } else { screen::judged(&judged) });
        Ok(ExitCode::from(match judged.status {
            Status::Verified => 0,
            Status::SignerUnknown => SIGNER_UNKNOWN,
            Status::Invalid => INVALID,
        }))
    }

    /// A folder that was named. A copy of a store is behind the store itself, and nothing is wrong with that.
    fn folder(&self, path: &Path) -> Result<Judged, Trouble> {
        let root = path.canonicalize().map_err(Trouble::file(path))?;
        let store = Store::at(&root);
        if !store.ledger_file().exists() {
            return Err(Trouble::NotAStore { path: root });
        }
        let in_force = config::surroundings().is_ok_and(|surroundings| surroundings.store == root);
        self.store(&store, if in_force { Memory::Used } else { Memory::LeftOut })
    }

    fn store(&self, store: &Store, memory: Memory) -> Result<Judged, Trouble> {
        let reader = Reader::open(store)?;
        let against = self.against(&reader)?;
        let remembered = against.remembered.clone();
        let against = match memory {
            Memory::Used => against,
            Memory::LeftOut => Against { remembered: None, ..against },
        };
        let found = verify(&reader, &against);
        let status = match (found.is_intact(), found.signers.is_empty()) {
            (false, _) => Status::Invalid,
            (true, true) => Status::SignerUnknown,
            (true, false) => Status::Verified,
        };
        // Of all of it: what holds for a beginning only is a note.
        let level = match status {
            Status::Invalid => Level::E0,
            Status::Verified if found.unsigned > 0 => Level::E1,
            Status::Verified if found.outside >= found.entries => Level::E3,
            Status::Verified => Level::E2,
            Status::SignerUnknown => Level::E1,
        };
        let mut notes = vec![format!(
            "{} entries, {} runs, {} contents ({}), {} checkpoints",
            found.entries,
            found.runs,
            found.blobs,
            actum_model::Bytes(found.bytes),
            found.checkpoints
        )];
        if found.pruned > 0 {
            notes.push(format!(
                "{} entries have no contents: the log says that `actum gc` deleted them",
                found.pruned
            ));
        }
        if found.unsigned > 0 && status == Status::Verified {
            notes.push(format!(
                "the last {} entries are linked by hashes, but not signed yet",
                found.unsigned
            ));
        }
        match found.outside {
            0 => notes.push(
                "if others can write to this machine, only a checkpoint saved elsewhere detects a truncated log"
                    .to_owned(),
            ),
            size => notes.push(format!("the first {size} entries were not truncated or rewritten")),
        }
        if let (Memory::LeftOut, Some(signed)) = (memory, remembered.filter(|one| one.size > found.entries)) {
            notes.push(format!("this is an older state: this log has {} signed entries since", signed.size));
        }
        let mut problems: Vec<String> = found.problems.iter().map(ToString::to_string).collect();
        if found.more_problems > 0 {
            problems.push(format!("and {} more", found.more_problems));
        }
        let signers = found.signers.iter().map(PublicKey::fingerprint).collect();
        Ok(Judged { what: store.root().display().to_string(), status, level, signers, notes, problems })
    }

    fn run(&self, text: &str) -> Result<Judged, Trouble> {
        let store = Store::at(&config::surroundings()?.store);
        let reader = Reader::open(&store)?;
        let run = store.find(text)?.id;
        let sealed = match reader.sealed(run) {
            Err(error @ StoreError::Damaged { .. }) => {
                return Ok(Judged::invalid(format!("run {run}"), error.to_string()));
            }
            sealed => sealed?.ok_or(Trouble::NoRecord { run })?,
        };
        let against = self.against(&reader)?;
        let problems: Vec<String> =
            verify_run(&reader, &sealed, &against).iter().map(ToString::to_string).collect();
        let standing = standing(&reader, &sealed, &against);
        let status = match (problems.is_empty(), &standing.signer) {
            (false, _) => Status::Invalid,
            (true, None) => Status::SignerUnknown,
            (true, Some(_)) => Status::Verified,
        };
        let mut level = if status == Status::Invalid { Level::E0 } else { standing.level };
        let mut notes = vec![format!("entry {} of {}", sealed.seq, reader.origin()?)];
        notes.extend(standing.unsigned.clone());
        if let Some(path) = &self.again {
            match self.is_equal(path, &sealed.record, standing.signer)? {
                Ok(name) => {
                    notes.push(format!("another party ({name}) also ran it, with equal outputs"));
                    level = if level >= Level::E2 { Level::E4 } else { level };
                }
                Err(why) => notes.push(format!("not reproduced: {why}")),
            }
        }
        let signers = standing.signer.iter().map(PublicKey::fingerprint).collect();
        Ok(Judged { what: format!("run {run}"), status, level, signers, notes, problems })
    }

    fn bundle(&self, path: &Path) -> Result<Judged, Trouble> {
        let verdict = match self.read_bundle(path) {
            Err(Trouble::Refused { source, .. }) => {
                return Ok(Judged::invalid(path.display().to_string(), format!("cannot {source}")));
            }
            verdict => verdict?,
        };
        let record = &verdict.attested.record;
        let mut notes = vec![
            format!("run {}: {} ({})", record.run, screen::harmless(&record.command), record.outcome),
            format!("entry {} of {}", verdict.attested.index, verdict.checkpoint.origin),
        ];
        if !verdict.absent.is_empty() {
            notes
                .push(format!("{} contents are named in the record, but not included", verdict.absent.len()));
        }
        let (status, signer) = match &verdict.signer {
            Signer::Trusted(named) => {
                (Status::Verified, format!("{} ({})", named.key.fingerprint(), named.name))
            }
            Signer::Unknown(key) => (Status::SignerUnknown, key.fingerprint()),
        };
        let mut level = verdict.level;
        for held in self.held()? {
            // A checkpoint from elsewhere over the same log, at the same size: no proof between sizes is in a bundle.
            if held == verdict.checkpoint && level == Level::E2 {
                level = Level::E3;
            }
        }
        Ok(Judged {
            what: path.display().to_string(),
            status,
            level,
            signers: vec![signer],
            notes,
            problems: Vec::new(),
        })
    }

    fn read_bundle(&self, path: &Path) -> Result<bundle::Verdict, Trouble> {
        let (file, _) = actum_gate::open_named(path).map_err(|error| Trouble::file(path)(error.into_io()))?;
        bundle::verify(BufReader::with_capacity(1 << 20, file), &self.trusted()?)
            .map_err(|source| Trouble::Refused { path: path.to_path_buf(), source })
    }

    /// Whether somebody else whom the caller trusts ran the same with equal outputs; else why not.
    fn is_equal(
        &self,
        path: &Path,
        ours: &actum_model::Record,
        signer: Option<PublicKey>,
    ) -> Result<Result<String, String>, Trouble> {
        let verdict = self.read_bundle(path)?;
        let Signer::Trusted(named) = verdict.signer else {
            return Ok(Err("its signer is unknown".to_owned()));
        };
        if Some(named.key) == signer {
            return Ok(Err("it was signed by the same party".to_owned()));
        }
        let theirs = &verdict.attested.record;
        let differs = [
            ("the source", ours.source.sha256 != theirs.source.sha256),
            ("the command", ours.command != theirs.command || ours.arguments != theirs.arguments),
            ("how it ended", ours.ending != theirs.ending),
            ("stdout", ours.stdout.sha256 != theirs.stdout.sha256),
            ("stderr", ours.stderr.sha256 != theirs.stderr.sha256),
            ("a file", files(ours) != files(theirs)),
        ];
        Ok(match differs.iter().find(|(_, differs)| *differs) {
            Some((what, _)) => Err(format!("{what} differs")),
            None => Ok(named.name),
        })
    }

    fn against(&self, reader: &Reader) -> Result<Against, Trouble> {
        let remembered = Keyring::at(&config::keys_folder()?).remembered(&reader.origin()?);
        let remembered = remembered.and_then(|note| note.checkpoint().ok());
        let keys = self.trusted()?.into_iter().map(|named| named.key).collect();
        let (outside, origin) = (self.held()?, reader.origin()?);
        if let Some(other) = outside.iter().find(|held| held.origin != origin) {
            return Err(Trouble::OtherLog { log: other.origin.clone(), origin });
        }
        Ok(Against { keys, outside, remembered, ..Against::default() })
    }

    /// Own keys, those that are trusted by name, and those that were given.
    fn trusted(&self) -> Result<Vec<Named>, Trouble> {
        let keyring = Keyring::at(&config::keys_folder()?);
        let own = keyring.own()?.into_iter().map(|key| Named { name: "you".to_owned(), key });
        let mut all: Vec<Named> = own.chain(keyring.trusted()?).collect();
        for given in &self.key {
            let key = PublicKey::given(given)?;
            all.push(Named { name: "named by --key".to_owned(), key });
        }
        Ok(all)
    }

    /// Checkpoints that were kept elsewhere. They count when somebody signed them whom the caller trusts.
    fn held(&self) -> Result<Vec<Checkpoint>, Trouble> {
        let trusted = self.trusted()?;
        let mut all = Vec::new();
        for path in &self.checkpoint {
            let bytes = actum_gate::read_named(path, actum_gate::Bound::SMALL)
                .map_err(|error| Trouble::file(path)(error.into_io()))?;
            let refused = |source| Trouble::Note { path: path.clone(), source };
            let note = SignedNote::parse(&bytes).map_err(refused)?;
            let checkpoint =
                note.checkpoint().map_err(|source| Trouble::Note { path: path.clone(), source })?;
            if trusted.iter().any(|named| note.is_signed_by(&named.key, &checkpoint.origin)) {
                all.push(checkpoint);
            } else {
                screen::note(&format!(
                    "{}: it is not signed by a key that you trust, so it is ignored",
                    path.display()
                ));
            }
        }
        Ok(all)
    }
}

/// What was changed and to what.
fn files(record: &actum_model::Record) -> Vec<(&str, Option<actum_model::Digest>)> {
    record.outputs.iter().map(|file| (file.path.as_str(), file.sha256)).collect()
}
