//! `actum logs`

use crate::config::{ConfigError, Surroundings};
use crate::screen;
use actum_model::Stream;
use actum_run::read_timeline;
use actum_store::{Kept, Store, StoreError};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::process::ExitCode;

/// Print what a run printed, byte for byte as it is kept
///
/// Both streams in the order in which they came, each to its own; or one of them.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum logs last
  actum logs last --stream stderr
  actum logs 3f9a --stream stdout | sha256sum
  actum logs last --tail 20")]
pub struct Logs {
    /// The run: its id, the beginning or end of it, or `last`
    #[arg(value_name = "RUN")]
    run: String,
    /// Only stdout or only stderr
    #[arg(long, value_name = "NAME")]
    stream: Option<Which>,
    /// Only the last lines
    #[arg(long, value_name = "LINES")]
    tail: Option<u64>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Which {
    Stdout,
    Stderr,
}

#[derive(Debug, thiserror::Error)]
enum Problem {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("read {}", path.display())]
    Read { path: PathBuf, source: io::Error },
}

impl Logs {
    pub fn execute(self) -> ExitCode {
        match self.go() {
            Ok(()) => ExitCode::SUCCESS,
            Err(problem) => {
                let hint = match &problem {
                    Problem::Store(error) => error.hint(),
                    Problem::Config(_) | Problem::Read { .. } => None,
                };
                super::fail(&problem, hint.as_deref())
            }
        }
    }

    fn go(&self) -> Result<(), Problem> {
        let kept = Store::at(&Surroundings::read()?.store).find(&self.run)?;
        let streams: Vec<Stream> = Stream::ALL.into_iter().filter(|stream| self.wants(*stream)).collect();
        if let [stream] = streams.as_slice() {
            let Some(mut file) = open(&kept, *stream)? else { return Ok(()) };
            let failed = |source| Problem::Read { path: kept.folder.join(stream.name()), source };
            self.skip_to_tail(&mut file).map_err(failed)?;
            return screen::copy(&mut file, Stream::Stdout).map_err(failed);
        }
        self.both(&kept)
    }

    fn wants(&self, stream: Stream) -> bool {
        match (self.stream, stream) {
            (None, _) | (Some(Which::Stdout), Stream::Stdout) | (Some(Which::Stderr), Stream::Stderr) => true,
            (Some(Which::Stdout), Stream::Stderr) | (Some(Which::Stderr), Stream::Stdout) => false,
        }
    }

    fn both(&self, kept: &Kept) -> Result<(), Problem> {
        let failed = |source| Problem::Read { path: kept.folder.join("timeline"), source };
        let mut files = [open(kept, Stream::Stdout)?, open(kept, Stream::Stderr)?];
        if self.tail.is_some() {
            for (stream, file) in Stream::ALL.into_iter().zip(&mut files) {
                if let Some(file) = file {
                    self.skip_to_tail(file).and_then(|()| screen::copy(file, stream)).map_err(failed)?;
                }
            }
            return Ok(());
        }
        for entry in read_timeline(&kept.folder).map_err(failed)? {
            if let Some(file) = &mut files[entry.stream.index()] {
                screen::copy(&mut file.take(entry.bytes), entry.stream).map_err(failed)?;
            }
        }
        Ok(())
    }

    /// Goes back from the end until enough line ends were seen.
    fn skip_to_tail(&self, file: &mut File) -> io::Result<()> {
        const PIECE: u64 = 64 << 10;
        let Some(lines) = self.tail else { return Ok(()) };
        let mut end = file.metadata()?.len();
        // The line end of the last line begins no line.
        let mut wanted = lines;
        let mut first = true;
        while end > 0 {
            let begin = end.saturating_sub(PIECE);
            let mut piece = vec![0; (end - begin) as usize];
            file.seek(SeekFrom::Start(begin))?;
            file.read_exact(&mut piece)?;
            for (at, byte) in piece.iter().enumerate().rev() {
                let is_last = std::mem::replace(&mut first, false);
                if *byte == b'\n' && !is_last {
                    if wanted <= 1 {
                        return file.seek(SeekFrom::Start(begin + at as u64 + 1)).map(drop);
                    }
                    wanted -= 1;
                }
            }
            end = begin;
        }
        file.seek(SeekFrom::Start(0)).map(drop)
    }
}

fn open(kept: &Kept, stream: Stream) -> Result<Option<File>, Problem> {
    let path = kept.folder.join(stream.name());
    match File::open(&path) {
        // It printed nothing there.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        opened => opened.map(Some).map_err(|source| Problem::Read { path, source }),
    }
}
