//! `actum bundle`

use super::output_place::OutputPlace;
use super::trouble::{Trouble, ended};
use crate::config;
use crate::screen;
use actum_engine::clock;
use actum_engine::{HelperProgram, StartedSigner};
use actum_gate::own;
use actum_model::{Digest, Record};
use actum_store::bundle::{self, Blob, Parts};
use actum_store::key::Signs;
use actum_store::{Ledger, Named, Reader, Sealed, Store};
use rustix::fs::{FileType, Mode};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Write one file that lets others verify a run
///
/// Contains the record, the proof that it is in the signed ledger, attestations for other tools (in-toto, DSSE, SSH, sigstore),
/// the run's output, and a VERIFY.md with the commands. It is a plain tar file: reading and verifying it does not need Actum.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum bundle last
  actum bundle 3f9ac0d1e2b4 --output evidence.actum.tar
  actum bundle last --output - | ssh host 'cat > run.actum.tar'")]
pub struct Bundle {
    /// Run id, its beginning or end, or `last`
    #[arg(value_name = "RUN", default_value = "last")]
    run: String,
    /// Write to FILE, or - for stdout [default: <run>.actum.tar]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
}

impl Bundle {
    pub fn execute(self) -> ExitCode {
        ended(self.go())
    }

    fn go(&self) -> Result<ExitCode, Trouble> {
        let surroundings = config::surroundings()?;
        let store = Store::at(&surroundings.store);
        let mut signer = StartedSigner::begin(&surroundings, &HelperProgram::itself()?).signer()?;
        let reader = Reader::open(&store)?;
        let run = store.find(&self.run)?.id;
        let sealed = reader.sealed(run)?.ok_or(Trouble::NoRecord { run })?;
        let ledger = Ledger::open(&store, clock::now())?;
        let checkpoint = signer.seal(&ledger, &reader)?;
        let size = checkpoint.checkpoint().map_or(0, |checkpoint| checkpoint.size);
        let parts = Parts {
            index: sealed.seq,
            proof: reader.inclusion(sealed.seq, size)?,
            blobs: blobs(&reader, &sealed)?,
            record: sealed.bytes,
            checkpoint,
        };
        match self.output.as_deref() {
            Some(path) if path == Path::new("-") => {
                let mut stdout = io::stdout().lock();
                bundle::write(&parts, &mut signer, &mut stdout)?;
                stdout.flush().map_err(Trouble::file(Path::new("stdout")))?;
            }
            named => {
                let name = || PathBuf::from(format!("{}.actum.tar", run.short()));
                let path = surroundings.folder.join(named.map_or_else(name, Path::to_path_buf));
                self.write(&path, &parts, &mut signer)?;
                let own = Named { name: "you".to_owned(), key: signer.public() };
                let file = own::open(&path).map_err(Trouble::file(&path))?;
                let verdict = bundle::verify(io::BufReader::new(file), &[own])
                    .map_err(|source| Trouble::Refused { path: path.clone(), source })?;
                screen::say(&format!(
                    "{} contains run {run}, intact, {} ({})",
                    path.display(),
                    verdict.level,
                    verdict.level.words()
                ));
                screen::note(&format!(
                    "hint: give verifiers your key separately, not in the file: actum key show ({})",
                    signer.public().fingerprint()
                ));
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    /// In one step: there is never half a bundle under its name.
    fn write(&self, path: &Path, parts: &Parts<'_>, signer: &mut dyn Signs) -> Result<(), Trouble> {
        if path.exists() && !self.force {
            let exists =
                io::Error::new(io::ErrorKind::AlreadyExists, "it already exists; --force overwrites it");
            return Err(Trouble::File { path: path.to_path_buf(), source: exists });
        }
        let place = OutputPlace::find(path).map_err(Trouble::file(path))?;
        if !matches!(place.kind(), None | Some(FileType::RegularFile | FileType::Symlink)) {
            return Err(Trouble::File {
                path: path.to_path_buf(),
                source: io::Error::other("it is not a file"),
            });
        }
        let path = place.path();
        let (file, draft) =
            own::create_beside(path, Mode::from_raw_mode(0o644)).map_err(Trouble::file(path))?;
        let written = || -> Result<(), Trouble> {
            let mut file = BufWriter::with_capacity(1 << 20, file);
            bundle::write(parts, signer, &mut file)?;
            file.flush().map_err(Trouble::file(&draft))?;
            own::rename(&draft, path).map_err(Trouble::file(path))
        };
        let result = written();
        if result.is_err() {
            let _ = own::remove_file(&draft);
        }
        result
    }
}

/// What the record names and the store still has.
fn blobs<'a>(reader: &'a Reader, sealed: &Sealed) -> Result<Vec<Blob<'a>>, Trouble> {
    let mut blobs = Vec::new();
    for (digest, size) in named(&sealed.record) {
        if size == 0 {
            // What was empty is not kept, and easily given.
            blobs.push(Blob { digest, size, open: Box::new(|| Ok(Box::new(io::empty()))) });
            continue;
        }
        if !reader.has_blob(&digest)? {
            continue;
        }
        let open = move || -> io::Result<Box<dyn Read + 'a>> {
            Ok(Box::new(reader.blob(&digest).map_err(io::Error::other)?))
        };
        blobs.push(Blob { digest, size, open: Box::new(open) });
    }
    Ok(blobs)
}

/// Each once.
fn named(record: &Record) -> Vec<(Digest, u64)> {
    let own = [&record.stdout, &record.stderr, &record.timeline, &record.report];
    let own = own.into_iter().map(|held| (held.sha256, held.bytes.0));
    let kept = record.outputs.iter().filter(|file| file.kept);
    let files = kept.filter_map(|file| Some((file.sha256?, file.size?.0)));
    let mut all: Vec<(Digest, u64)> = own.chain(files).collect();
    all.sort_by_key(|(digest, _)| digest.0);
    all.dedup();
    all
}
