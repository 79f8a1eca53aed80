//! Flips one bit, reads everything, and says what came of it.

use crate::sample::Sample;
use actum_model::Digest;
use actum_store::{Against, Filter, Reader, bundle, verify};
use actum_testkit::runs::Numbers;
use rusqlite::{Connection, OpenFlags};
use std::error::Error;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

pub struct Judge {
    sample: Sample,
    seed: u64,
    files: Vec<Flippable>,
    before: Vec<Digest>,
}

struct Flippable {
    path: PathBuf,
    length: u64,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Database,
    /// The database's log of writes.
    Log,
    Contents,
    Bundle,
}

/// What came of one flip.
pub struct Verdict {
    pub word: &'static str,
    /// Which kind of file it was.
    pub place: &'static str,
    pub is_found_by_sqlite: bool,
    what: String,
}

const WORDS: [&str; 5] = ["harmless", "refused", "found", "unsigned", "missed"];

impl Kind {
    const ALL: [Kind; 4] = [Kind::Database, Kind::Log, Kind::Contents, Kind::Bundle];

    fn name(self) -> &'static str {
        match self {
            Kind::Database => "database",
            Kind::Log => "log",
            Kind::Contents => "contents",
            Kind::Bundle => "bundle",
        }
    }
}

impl Verdict {
    pub fn line(&self) -> String {
        let sqlite = if self.is_found_by_sqlite { "sqlite" } else { "silent" };
        format!("{} {} {sqlite} {}", self.word, self.place, self.what)
    }

    pub fn read(line: &str) -> Option<Self> {
        let mut words = line.splitn(4, ' ');
        let word = words.next().and_then(|word| WORDS.into_iter().find(|known| *known == word))?;
        let place = words.next().and_then(|place| Kind::ALL.into_iter().find(|kind| kind.name() == place))?;
        let is_found_by_sqlite = words.next()? == "sqlite";
        Some(Self { word, place: place.name(), is_found_by_sqlite, what: words.next()?.to_owned() })
    }
}

impl Judge {
    pub fn of(sample: Sample, seed: u64) -> Result<Self, Box<dyn Error>> {
        let files = files(&sample)?;
        let before = given_back(&sample)?;
        let judge = Self { sample, seed, files, before };
        let found = judge.verified()?;
        match found.problems.as_slice() {
            [] if found.unsigned == 0 => Ok(judge),
            _ => Err(format!("the sample is not intact: {found:?}").into()),
        }
    }

    /// The same number always flips the same bit.
    pub fn flip(&self, number: u64) -> Result<Verdict, Box<dyn Error>> {
        let mut numbers = Numbers::from(self.seed ^ number.wrapping_mul(0x2545_f491_4f6c_dd1d));
        let file = self.choose(&mut numbers);
        let (at, bit) = (numbers.below(file.length), numbers.below(8));
        let what = format!("{} byte {at} bit {bit}", file.path.display());
        let open = File::options().read(true).write(true).open(&file.path)?;
        let mut byte = [0];
        open.read_exact_at(&mut byte, at)?;
        open.write_all_at(&[byte[0] ^ (1 << bit)], at)?;
        let verdict = self.judge(file, what);
        open.write_all_at(&byte, at)?;
        Ok(verdict)
    }

    /// Database, log, files of contents and the bundle get a share each, however large they are.
    fn choose(&self, numbers: &mut Numbers) -> &Flippable {
        let kind = match numbers.below(10) {
            0..5 => Kind::Database,
            5 | 6 => Kind::Log,
            7 | 8 => Kind::Contents,
            _ => Kind::Bundle,
        };
        let all: Vec<&Flippable> = self.files.iter().filter(|file| file.kind == kind).collect();
        all[numbers.below(all.len() as u64) as usize]
    }

    fn judge(&self, file: &Flippable, what: String) -> Verdict {
        let is_asked = matches!(file.kind, Kind::Database | Kind::Log);
        let is_found_by_sqlite = is_asked && is_found_by_sqlite(&self.sample.store.ledger_file());
        let word = match file.kind {
            Kind::Database | Kind::Log | Kind::Contents => self.judge_store(),
            Kind::Bundle => self.judge_bundle(),
        };
        Verdict { word, place: file.kind.name(), is_found_by_sqlite, what }
    }

    fn judge_store(&self) -> &'static str {
        let after = given_back(&self.sample);
        // Always asked, so that it is seen to survive.
        let found = self.verified();
        match (after, found) {
            (Ok(after), _) if after == self.before => "harmless",
            (Err(_), _) | (_, Err(_)) => "refused",
            (Ok(_), Ok(found)) if !found.is_intact() => "found",
            (Ok(_), Ok(found)) if found.unsigned > 0 => "unsigned",
            (Ok(_), Ok(_)) => "missed",
        }
    }

    /// Every byte of a bundle counts.
    fn judge_bundle(&self) -> &'static str {
        let trusted = self.sample.trusted().unwrap_or_default();
        let bytes = std::fs::read(&self.sample.bundle).unwrap_or_default();
        if bundle::verify(bytes.as_slice(), &trusted).is_ok() { "missed" } else { "refused" }
    }

    fn verified(&self) -> Result<actum_store::Verified, Box<dyn Error>> {
        let reader = Reader::open(&self.sample.store)?;
        let outside = self.sample.remembered(&reader.origin()?).into_iter().collect();
        let against = Against { keys: self.sample.keys.own()?, outside, ..Against::default() };
        Ok(verify(&reader, &against))
    }
}

fn files(sample: &Sample) -> Result<Vec<Flippable>, Box<dyn Error>> {
    let database = sample.store.ledger_file();
    let log = database.with_extension("db-wal");
    let mut all = vec![(database, Kind::Database), (log, Kind::Log), (sample.bundle.clone(), Kind::Bundle)];
    for shelf in std::fs::read_dir(sample.store.root().join("blobs"))? {
        for file in std::fs::read_dir(shelf?.path())? {
            all.push((file?.path(), Kind::Contents));
        }
    }
    // The order of a folder is nobody's promise.
    all.sort_by(|one, other| one.0.cmp(&other.0));
    // The log of writes is longer than what is written in it: behind that nobody looks.
    let with_length = |(path, kind): (PathBuf, Kind)| -> io::Result<Flippable> {
        let bytes = std::fs::read(&path)?;
        let length = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last as u64 + 1);
        Ok(Flippable { length, path, kind })
    };
    Ok(all.into_iter().map(with_length).collect::<Result<_, _>>()?)
}

/// Everything that a reader gives back, each piece as its digest.
fn given_back(sample: &Sample) -> Result<Vec<Digest>, Box<dyn Error>> {
    let reader = Reader::open(&sample.store)?;
    let mut all = Vec::new();
    let mut keep = |piece: &[u8]| all.push(Digest::of(piece));
    let listed = reader.list(&Filter::default())?;
    let head = reader.head()?;
    keep(reader.origin()?.as_bytes());
    keep(&serde_json::to_vec(&listed)?);
    keep(format!("{head:?} {:?}", reader.head_at(head.size)?).as_bytes());
    keep(format!("{:?}", reader.last_checkpoint()?).as_bytes());
    for one in &listed {
        keep(&serde_json::to_vec(&reader.entries(one.run)?)?);
        reader.find(&one.run.to_string())?;
        let Some(sealed) = reader.sealed(one.run)? else { continue };
        keep(&sealed.bytes);
        keep(format!("{:?}", reader.inclusion(sealed.seq, head.size)?).as_bytes());
        keep(format!("{:?}", reader.consistency(sealed.seq, head.size)?).as_bytes());
        keep(format!("{:?}", reader.checkpoint_over(sealed.seq)?).as_bytes());
        for held in [&sealed.record.stdout, &sealed.record.report] {
            let mut bytes = Vec::new();
            reader.blob(&held.sha256)?.read_to_end(&mut bytes)?;
            keep(&bytes);
        }
    }
    Ok(all)
}

/// Whether SQLite alone notices: it cannot open the file, or finds something in its pages.
fn is_found_by_sqlite(path: &Path) -> bool {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let asked = Connection::open_with_flags(path, flags).and_then(|connection| {
        connection.query_row("PRAGMA integrity_check", [], |row| row.get::<_, String>(0))
    });
    asked.map_or(true, |answer| answer != "ok")
}
