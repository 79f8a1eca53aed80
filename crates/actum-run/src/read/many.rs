//! Many texts by one worker: an answer can have thousands of blocks, and a sandbox for each would take minutes.

use super::{Desk, MEMORY, PATIENCE, Text, UNFINISHED, known, remember, unread};
use crate::listen::listen;
use crate::worker::{self, Leave};
use actum_model::Reading;
use rustix::fd::AsFd;
use std::collections::HashMap;
use std::io;

/// An answer whose texts end more workers than this is not read further.
const WORKERS: usize = 64;
/// A worker is given as much as it reads in a part of its time.
const BYTES: usize = 4 << 20;
/// As many readings of ordinary length fit into what is listened to.
const TEXTS: usize = 10_000;
/// As many readings are kept; who has more has a text that nobody reads twice.
const KEPT: usize = 100;
/// What is listened to: far above what so many readings need.
const MOST: usize = 64 << 20;

/// What many texts say, in their order. Equal ones are read once.
pub(super) fn read(desk: &Desk<'_>, texts: &[Text<'_>]) -> Vec<Reading> {
    let (different, place) = different(texts);
    let readings = read_each(desk, &different);
    place.into_iter().map(|at| readings[at].clone()).collect()
}

/// The texts without those that are there already, and where each of all is among them.
fn different<'a>(texts: &[Text<'a>]) -> (Vec<Text<'a>>, Vec<usize>) {
    let mut different: Vec<Text<'a>> = Vec::new();
    let mut seen: HashMap<(&str, &[u8]), usize> = HashMap::new();
    let place = texts.iter().map(|text| {
        *seen.entry((text.language, text.code)).or_insert_with(|| {
            different.push(*text);
            different.len() - 1
        })
    });
    let place = place.collect();
    (different, place)
}

/// How a worker tells what it read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Telling {
    /// Many at once: nobody knows at which one it ended.
    Swiftly,
    /// Each as soon as it is read.
    Each,
}

/// Where a worker ends early, another tells each text as it is read: the one at which that ends is the one that it could not cope
/// with, and the others are given to the next.
fn read_each(desk: &Desk<'_>, texts: &[Text<'_>]) -> Vec<Reading> {
    let mut readings: Vec<Option<Reading>> = vec![None; texts.len()];
    readings.iter_mut().zip(texts).take(KEPT).for_each(|(reading, text)| *reading = known(desk, *text));
    let mut open: Vec<usize> = (0..texts.len()).filter(|at| readings[*at].is_none()).collect();
    let mut telling = Telling::Swiftly;
    for _ in 0..open.len() / TEXTS + WORKERS {
        let batch = &open[..within(&open, texts)];
        if batch.is_empty() {
            break;
        }
        let (done, next) = (by_one_worker(desk, texts, batch, telling), batch.len());
        telling = if done.len() < next { Telling::Each } else { Telling::Swiftly };
        open.drain(..done.len());
        done.into_iter().for_each(|(at, reading)| readings[at] = Some(reading));
    }
    let late = |text: &Text<'_>| unread(text.language, "parsing timed out on too many earlier texts");
    readings.into_iter().zip(texts).map(|(reading, text)| reading.unwrap_or_else(|| late(text))).collect()
}

/// Readings of the first texts of a batch: at least one, where each is told.
fn by_one_worker(
    desk: &Desk<'_>,
    texts: &[Text<'_>],
    batch: &[usize],
    telling: Telling,
) -> Vec<(usize, Reading)> {
    let said = match ask(desk, batch.iter().map(|at| texts[*at]), telling) {
        Ok(said) => said,
        Err(error) => {
            let why = format!("cannot start the parser: {error}");
            return batch.iter().map(|at| (*at, unread(texts[*at].language, &why))).collect();
        }
    };
    let lines = said.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let mut done = Vec::new();
    for (at, line) in batch.iter().zip(lines) {
        let reading = serde_json::from_slice(line).ok();
        if reading.is_some() && *at < KEPT {
            remember(desk, texts[*at], line);
        }
        done.push((*at, reading.unwrap_or_else(|| unread(texts[*at].language, UNFINISHED))));
    }
    if let Some(at) = batch.get(done.len()).filter(|_| telling == Telling::Each) {
        done.push((*at, unread(texts[*at].language, UNFINISHED)));
    }
    done
}

/// How many of the open texts one worker takes: at least one, where there is one.
fn within(open: &[usize], texts: &[Text<'_>]) -> usize {
    let mut bytes = 0;
    let fits = |at: &&usize| {
        bytes += texts[**at].code.len();
        bytes <= BYTES
    };
    open.iter().take(TEXTS).take_while(fits).count().max(usize::from(!open.is_empty()))
}

fn ask<'a>(desk: &Desk<'_>, texts: impl Iterator<Item = Text<'a>>, telling: Telling) -> io::Result<Vec<u8>> {
    let mut asked = Vec::new();
    for text in texts {
        serde_json::to_writer(&mut asked, &(text.language, String::from_utf8_lossy(text.code)))?;
        asked.push(b'\n');
    }
    let stdin = worker::in_memory(&[&asked])?;
    let mut command = desk.reader.to_vec();
    command.push("--many".into());
    command.extend((telling == Telling::Each).then(|| "--each".into()));
    let request =
        worker::request(desk.folder, desk.attempt, command, Leave { patience: PATIENCE, memory: MEMORY });
    let mut said = listen(desk.sandboxes, &request, stdin.as_fd(), MOST)?.stdout;
    // A line without an end was being written when the worker ended.
    let whole = said.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    said.truncate(whole);
    Ok(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_are_read_once() {
        let text = |language, code| Text { language, code };
        let texts =
            [text("python", &b"a"[..]), text("bash", b"a"), text("python", b"a"), text("python", b"b")];
        let (different, place) = different(&texts);
        assert_eq!((different.len(), place), (3, vec![0, 1, 0, 2]));
    }

    #[test]
    fn a_worker_takes_what_it_can_read_and_at_least_one() {
        let large = vec![b'x'; BYTES];
        let text = |code| Text { language: "python", code };
        let texts = [text(b"a"), text(b"b"), text(&large), text(b"c")];
        assert_eq!(within(&[0, 1, 2, 3], &texts), 2);
        assert_eq!(within(&[2, 3], &texts), 1);
        assert_eq!(within(&[], &texts), 0);
        let many = vec![text(b"a"); TEXTS * 2];
        assert_eq!(within(&(0..many.len()).collect::<Vec<_>>(), &many), TEXTS);
    }
}
