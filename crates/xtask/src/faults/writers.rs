//! Processes that write ledgers, and the one that checks what they left.

use std::fs::{self, File};
use std::process::{Child, Command as Process, Stdio};

use crate::binary;
use crate::command::Command;
use crate::error::Error;

/// What they write, and where what they acknowledge goes. Acknowledgements never lie in the file system that fails.
pub struct Writers {
    pub store: String,
    pub keys: String,
    /// The folder of acknowledgements.
    pub said: String,
    next: u64,
}

/// One that is at work. Whoever forgets it has killed it.
pub struct Writer {
    child: Child,
}

impl Writers {
    pub fn of(store: String, keys: String, said: String) -> Result<Writers, Error> {
        fs::create_dir_all(&said).map_err(|source| Error::Write { path: said.clone(), source })?;
        Ok(Writers { store, keys, said, next: 0 })
    }

    /// Starts one that writes until it is killed.
    pub fn start(&mut self, threads: u64, seed: u64) -> Result<Writer, Error> {
        self.next += 1;
        let path = format!("{}/{}", self.said, self.next);
        let said = File::create(&path).map_err(|source| Error::Write { path, source })?;
        let words = self.words(10_000_000, threads, seed);
        let child = Process::new(program("write-ledger")?)
            .args(&words)
            .stdin(Stdio::null())
            .stdout(said)
            .stderr(Stdio::null())
            .spawn()
            .map_err(|source| Error::Start { command: "write-ledger".to_owned(), source })?;
        Ok(Writer { child })
    }

    /// The words that write so many runs.
    pub fn words(&self, runs: u64, threads: u64, seed: u64) -> Vec<String> {
        vec![self.store.clone(), self.keys.clone(), runs.to_string(), threads.to_string(), seed.to_string()]
    }

    /// What is wrong with the store, and the line that says what is in it.
    pub fn check(&self) -> Result<(String, Vec<String>), Error> {
        let files = fs::read_dir(&self.said).map_err(|source| self.unreadable(source))?;
        let files = files.map(|file| file.map(|file| file.path().display().to_string()));
        let files = files.collect::<Result<Vec<_>, _>>().map_err(|source| self.unreadable(source))?;
        let words: Vec<&str> =
            [&self.store, &self.keys].into_iter().chain(&files).map(String::as_str).collect();
        let mut process = Process::new(program("check-ledger")?);
        let ended = process.args(words).stdin(Stdio::null()).output();
        let ended = ended.map_err(|source| Error::Start { command: "check-ledger".to_owned(), source })?;
        let text = String::from_utf8_lossy(&ended.stdout).into_owned();
        let mut lines = text.lines().map(str::to_owned);
        match (ended.status.success(), lines.next()) {
            (true, Some(line)) => Ok((line, Vec::new())),
            (_, first) => {
                let mut wrong: Vec<String> = first.into_iter().chain(lines).collect();
                wrong.push(format!("check-ledger {}", ended.status));
                wrong.extend(String::from_utf8_lossy(&ended.stderr).lines().map(str::to_owned));
                Ok((String::new(), wrong))
            }
        }
    }

    /// Forgets the store and everything that was said about it.
    pub fn anew(&mut self) -> Result<(), Error> {
        for folder in [&self.store, &self.said, &self.keys] {
            match fs::remove_dir_all(folder) {
                Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                    return Err(Error::Write { path: folder.clone(), source });
                }
                Ok(()) | Err(_) => {}
            }
        }
        fs::create_dir_all(&self.said).map_err(|source| Error::Write { path: self.said.clone(), source })
    }

    /// How many acknowledgements there are: proof that something was at stake.
    pub fn acknowledged(&self) -> Result<u64, Error> {
        let lines = Command::new("sh", &["-c", "cat \"$0\"/* | wc -l", &self.said]).output()?;
        Ok(lines.trim().parse().unwrap_or(0))
    }

    fn unreadable(&self, source: std::io::Error) -> Error {
        Error::Read { path: self.said.clone(), source }
    }
}

impl Writer {
    /// As nothing can be caught.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The path of a program of the testkit.
pub fn program(name: &str) -> Result<String, Error> {
    binary::path(name)
}
