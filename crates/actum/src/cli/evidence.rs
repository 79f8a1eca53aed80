//! `actum evidence`

use super::lines::Stretch;
use super::reading::{self, Problem, failed};
use crate::screen::{self, Again};
use actum_evidence::piece::{self, Found};
use actum_evidence::printed::{Places, Printed};
use actum_evidence::{EvidenceError, Reading, proof};
use actum_model::{Anchor, Bytes, Digest, Level, Piece, RunId, Stream};
use actum_store::{Kept, Sealed};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde_json::Value;
use std::io::Read;
use std::ops::ControlFlow;
use std::process::ExitCode;

/// Print recorded evidence: output lines, a file, a metric, the command
///
/// An anchor names one piece of evidence: `actum:RUN#PIECE`. PIECE is cmd, exit, stdout, stdout:L3-L9 (lines), stderr…, metric/NAME[@STEP], file/PATH,
/// test/NAME, git, env or attempt/N[/cmd|/exit]. Without #PIECE it points to the whole record, as it was hashed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum evidence last --list
  actum evidence 'last#stdout:L3-L9'
  actum evidence 'actum:3f9a02#file/out/result.csv' > result.csv
  actum evidence 'last#metric/accuracy' --json

Exit codes: 0; 4 only the hash of a file was recorded; 125 Actum's own error, such as an anchor that does not exist.")]
pub struct Evidence {
    /// Anchor, or a run id for the whole record
    #[arg(value_name = "ANCHOR")]
    anchor: String,
    /// List the run's anchors instead
    #[arg(long)]
    list: bool,
    /// Print JSON, with the SHA-256 and the evidence level
    #[arg(long)]
    json: bool,
}

/// What programs read.
#[derive(Serialize)]
struct Told {
    anchor: String,
    run: RunId,
    #[serde(flatten)]
    body: Option<Body>,
    /// Of the bytes that are printed without `--json`.
    sha256: Digest,
    level: Level,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
enum Body {
    Value(Value),
    Text(String),
    Base64(String),
}

/// More is not put into one text.
const LONGEST: Bytes = Bytes::mib(16);

impl Evidence {
    pub fn execute(self) -> ExitCode {
        match self.go() {
            Ok(()) => ExitCode::SUCCESS,
            Err(problem) => failed(&problem),
        }
    }

    fn go(&self) -> Result<(), Problem> {
        let anchor: Anchor = self.anchor.parse()?;
        let (reading, kept) = reading::open_at(&anchor.run)?;
        let sealed = reading.reader.sealed(kept.id)?;
        if self.list {
            return self.show_list(&reading, &kept, sealed.as_ref());
        }
        let found = match &sealed {
            Some(sealed) => piece::find(&reading, &kept, sealed, &anchor.piece),
            None => piece::find_unfinished(&reading, &kept, &anchor.piece),
        };
        let evidence = One { reading: &reading, kept: &kept, piece: &anchor.piece };
        match (found, self.json) {
            (Ok(found), false) => evidence.print(found),
            (Ok(found), true) => evidence.tell(found, level(&reading, sealed.as_ref())),
            (Err(problem @ EvidenceError::OnlyDigest { sha256, .. }), true) => {
                evidence.say(None, sha256, level(&reading, sealed.as_ref()))?;
                Err(problem.into())
            }
            (Err(problem), _) => Err(problem.into()),
        }
    }

    fn show_list(&self, reading: &Reading, kept: &Kept, sealed: Option<&Sealed>) -> Result<(), Problem> {
        let mut names: Vec<String> = match sealed {
            None => vec![Piece::Whole, Piece::Command],
            Some(sealed) => piece::all(&sealed.record),
        }
        .into_iter()
        .map(|piece| Anchor::of(kept.id, piece).to_string())
        .collect();
        // The report names single lines; what it names and is listed already is not listed twice.
        let told =
            sealed.and_then(|sealed| reading.report(sealed).ok()).map(|report| report.evidence_anchors);
        for name in told.unwrap_or_default() {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        match self.json {
            true => screen::say(&screen::json(&names)?),
            false => names.iter().for_each(|name| screen::say(&screen::harmless(name))),
        }
        Ok(())
    }
}

/// As much as the ledger proves about the record that everything here is held against.
fn level(reading: &Reading, sealed: Option<&Sealed>) -> Level {
    sealed.map_or(Level::E0, |sealed| proof::evidence(&reading.reader, &reading.keyring(), sealed).level)
}

/// Takes bytes that are the evidence; breaks off when nothing more is wanted.
type TakeBytes<'t> = &'t mut dyn FnMut(&[u8]) -> Result<ControlFlow<()>, Problem>;

/// One piece that was asked for.
struct One<'a> {
    reading: &'a Reading,
    kept: &'a Kept,
    piece: &'a Piece,
}

impl One<'_> {
    fn print(&self, found: Found) -> Result<(), Problem> {
        let mut again = Again::new();
        self.pass(found, &mut |bytes| {
            again.show(Stream::Stdout, bytes).map_err(|source| Problem::Write { source })
        })
    }

    fn tell(&self, found: Found, level: Level) -> Result<(), Problem> {
        let value = match &found {
            Found::Fact { value, .. } => Some(value.clone()),
            Found::Bytes(_) | Found::Blob(_) | Found::Output(_, _) => None,
        };
        let mut bytes = Vec::new();
        self.pass(found, &mut |piece| {
            bytes.extend_from_slice(piece);
            let size = Bytes(bytes.len() as u64);
            match size <= LONGEST {
                true => Ok(ControlFlow::Continue(())),
                false => Err(Problem::TooLong { size, most: LONGEST }),
            }
        })?;
        let sha256 = Digest::of(&bytes);
        let body = value.map(Body::Value).unwrap_or_else(|| match String::from_utf8(bytes) {
            Ok(text) => Body::Text(text),
            Err(error) => Body::Base64(STANDARD.encode(error.as_bytes())),
        });
        self.say(Some(body), sha256, level)
    }

    fn say(&self, body: Option<Body>, sha256: Digest, level: Level) -> Result<(), Problem> {
        let anchor = Anchor::of(self.kept.id, self.piece.clone()).to_string();
        screen::say(&screen::json(&Told { anchor, run: self.kept.id, body, sha256, level })?);
        Ok(())
    }

    /// Passes on the bytes that are the evidence.
    fn pass(&self, found: Found, take: TakeBytes<'_>) -> Result<(), Problem> {
        match found {
            Found::Bytes(bytes) => take(&bytes).map(drop),
            Found::Fact { text, .. } => take(format!("{text}\n").as_bytes()).map(drop),
            Found::Blob(sha256) => self.pass_blob(&sha256, take),
            Found::Output(stream, lines) => self.pass_output(stream, lines, take),
        }
    }

    fn pass_blob(&self, sha256: &Digest, take: TakeBytes<'_>) -> Result<(), Problem> {
        let failed = |source| EvidenceError::Printed { run: self.kept.id, source };
        let (mut blob, mut buffer) = (self.reading.reader.blob(sha256)?, vec![0; 256 << 10]);
        loop {
            let length = blob.read(&mut buffer).map_err(failed)?;
            if length == 0 || take(&buffer[..length])?.is_break() {
                return Ok(());
            }
        }
    }

    fn pass_output(
        &self,
        stream: Stream,
        lines: Option<[u64; 2]>,
        take: TakeBytes<'_>,
    ) -> Result<(), Problem> {
        let printed = Printed { reader: &self.reading.reader, kept: self.kept, streams: vec![stream] };
        let Some([first, last]) = lines else {
            return printed.pass(&mut Places::default(), &mut |_, bytes| take(bytes)).map(drop);
        };
        // Counted before anything is printed: half of what an anchor names is not what it names.
        let mut counted = Stretch::new(first, last);
        let _ = printed.pass::<EvidenceError>(&mut Places::default(), &mut |_, bytes| {
            counted.take(bytes);
            Ok(if counted.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        if !counted.is_over() && counted.lines() < last {
            let lines = counted.lines();
            let why = format!("{stream} has {lines} {}", if lines == 1 { "line" } else { "lines" });
            return Err(piece::missing(self.kept.id, self.piece, &why).into());
        }
        let mut stretch = Stretch::new(first, last);
        let passed = printed.pass(&mut Places::default(), &mut |_, bytes| {
            let is_over = take(stretch.take(bytes))?.is_break() || stretch.is_over();
            Ok(if is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        });
        passed.map(drop)
    }
}
