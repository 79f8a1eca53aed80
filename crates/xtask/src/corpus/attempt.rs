//! Starts `actum run` on one sample, in a folder of its own, and takes its report.

use super::bare;
use super::sample::{Known, Sample, Yardstick};
use crate::clock::Stopwatch;
use crate::error::Error;
use serde_json::Value;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

/// What a program may take. The recovery of a run may take three times as long, and building environments counts apart.
const TIMEOUT: &str = "120s";
/// After this the whole command is hung, whatever its limits say.
const HUNG: Duration = Duration::from_secs(1200);
/// Nothing is gained by looking more often at programs that take a second or more.
const LOOK: Duration = Duration::from_millis(20);

/// Where programs are tried.
pub struct Bench {
    actum: String,
    folder: PathBuf,
}

/// What came of one.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    /// The report; none where there was none.
    pub report: Option<Value>,
    /// What was said beside it.
    pub said: String,
    pub took: Duration,
    /// Whether the program is byte for byte what it was.
    pub is_untouched: bool,
    /// What is known about the program, by now.
    pub known: Known,
}

impl Bench {
    pub fn new(actum: &str) -> Result<Bench, Error> {
        let folder = std::env::temp_dir().join(format!("actum-corpus-{}", std::process::id()));
        let bench = Bench { actum: actum.to_owned(), folder };
        bench.make(&bench.folder.join("store"))?;
        Ok(bench)
    }

    pub fn attempt(&self, sample: &Sample) -> Result<Told, Error> {
        let name: String =
            sample.id.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let (place, aside) = (self.folder.join(&name), self.folder.join(format!("{name}.said")));
        self.make(&place)?;
        self.make(&aside)?;
        let known = match sample.yardstick {
            Yardstick::Told => sample.known,
            Yardstick::Bare => bare::known(sample, &self.folder.join(format!("{name}.bare")))?,
        };
        let program = place.join(sample.file);
        fs::write(&program, &sample.text).map_err(cannot_write(&program))?;
        let stopwatch = Stopwatch::start();
        self.run(sample, &place, &aside)?;
        let took = stopwatch.elapsed();
        let text = |name: &str| fs::read(aside.join(name)).unwrap_or_default();
        let told = Told {
            report: serde_json::from_slice(&text("report")).ok(),
            said: String::from_utf8_lossy(&text("talk")).into_owned(),
            took,
            known,
            is_untouched: fs::read(&program).is_ok_and(|bytes| bytes == sample.text.as_bytes()),
        };
        for folder in [&place, &aside] {
            // A folder that stays costs space and nothing else.
            let _ = fs::remove_dir_all(folder);
        }
        Ok(told)
    }

    fn run(&self, sample: &Sample, place: &Path, aside: &Path) -> Result<(), Error> {
        let file = |name: &str| {
            let path = aside.join(name);
            File::create(&path).map_err(cannot_write(&path))
        };
        let mut command = Command::new(&self.actum);
        command.args(["run", "--json", "--approval", "never", "--timeout", TIMEOUT]).args(&sample.words);
        command.current_dir(place).stdin(Stdio::null()).stdout(file("report")?).stderr(file("talk")?);
        // Records of a round are not the user's.
        command.env("ACTUM_STORE", self.folder.join("store"));
        let not_started = |source| Error::Start { command: format!("{} run", self.actum), source };
        let mut child = command.spawn().map_err(not_started)?;
        wait(&mut child, HUNG).map_err(not_started).map(drop)
    }

    fn make(&self, folder: &Path) -> Result<(), Error> {
        fs::create_dir_all(folder).map_err(cannot_write(folder))
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Waits for an end, and makes one when it took too long.
pub(super) fn wait(child: &mut Child, longest: Duration) -> std::io::Result<ExitStatus> {
    let stopwatch = Stopwatch::start();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if stopwatch.elapsed() > longest {
            child.kill()?;
        }
        thread::sleep(LOOK);
    }
}

pub(super) fn cannot_write(path: &Path) -> impl Fn(std::io::Error) -> Error {
    let path = path.display().to_string();
    move |source| Error::Write { path: path.clone(), source }
}
