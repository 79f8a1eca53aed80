//! Single bits are flipped: in the database, its log of writes, contents and a bundle. The flipping and the judging is done by
//! `flip-ledger`, in a process that may die; here it is started and its account read.

use serde_json::Value;
use std::process::{Command as Process, Stdio};

use super::place::Place;
use super::writers::program;
use super::{Asked, Found};
use crate::error::Error;

pub fn inject(asked: Asked) -> Result<Found, Error> {
    let place = Place::make("flips")?;
    let mut process = Process::new(program("flip-ledger")?);
    process.args([&place.path("flips"), &asked.count.to_string(), &asked.seed.to_string()]);
    let ended = process.stdin(Stdio::null()).stderr(Stdio::null()).output();
    let ended = ended.map_err(|source| Error::Start { command: "flip-ledger".to_owned(), source })?;
    let text = String::from_utf8_lossy(&ended.stdout);
    let mut wrong: Vec<String> =
        text.lines().filter_map(|line| line.strip_prefix("wrong: ")).map(str::to_owned).collect();
    let account = text.lines().last().and_then(|line| serde_json::from_str::<Value>(line).ok());
    let Some(account) = account else {
        wrong.push(format!("flip-ledger ended with {} and gave no account", ended.status));
        return Ok(Found::Tried { injected: 0, seen: String::new(), wrong });
    };
    let number = |name: &str| account[name].as_u64().unwrap_or(0);
    let seen = format!(
        "{} changed nothing that is given back, {} were refused on reading, {} found by verify, {} cost a signature and were told; SQLite alone finds {} of {} in the database that changed something and {} of {} in its log",
        number("harmless"),
        number("refused"),
        number("found"),
        number("unsigned"),
        number("in_database_by_sqlite"),
        number("in_database"),
        number("in_log_by_sqlite"),
        number("in_log")
    );
    Ok(Found::Tried { injected: number("flips"), seen, wrong })
}
