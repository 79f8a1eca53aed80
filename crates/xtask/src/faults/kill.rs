//! Eight processes write one store and are killed, one after the other and all at once.
//!
//! A round: eight at work, four of them killed at random moments and replaced, then all eight killed together, so that nobody is
//! left who knows the log of writes. Then the store is opened as the next run would open it, and held to what was acknowledged.

use super::numbers::Numbers;
use super::place::Place;
use super::writers::{Writer, Writers};
use super::{Asked, Found};
use crate::error::Error;

const WRITERS: usize = 8;
/// Killed alone in each round, before all are.
const SINGLE: u64 = 4;
/// The longest that a round waits before each kill, in milliseconds.
const LONGEST: u64 = 60;
/// A store is used so many rounds: an old one has more to lose, a new one is made more often.
const ROUNDS: u64 = 6;

pub fn inject(asked: Asked) -> Result<Found, Error> {
    let place = Place::make("kill")?;
    let mut numbers = Numbers::from(asked.seed);
    let mut writers = Writers::of(place.path("store"), place.path("keys"), place.path("said"))?;
    let (mut kills, mut round, mut acknowledged) = (0, 0, 0);
    let (mut seen, mut wrong) = (String::new(), Vec::new());
    while kills < asked.count && wrong.is_empty() {
        if round % ROUNDS == 0 {
            acknowledged += writers.acknowledged()?;
            writers.anew()?;
        }
        round += 1;
        kills += one(&mut writers, &mut numbers)?;
        let checked = writers.check()?;
        seen = checked.0;
        wrong.extend(checked.1.into_iter().map(|line| format!("round {round}: {line}")));
    }
    acknowledged += writers.acknowledged()?;
    let seen = format!("{acknowledged} acknowledgements in {round} rounds; the last store: {seen}");
    Ok(Found::Tried { injected: kills, seen, wrong })
}

/// How many were killed.
fn one(writers: &mut Writers, numbers: &mut Numbers) -> Result<u64, Error> {
    let start = |writers: &mut Writers, numbers: &mut Numbers| {
        let threads = 1 + numbers.below(3);
        writers.start(threads, numbers.draw())
    };
    let mut at_work: Vec<Writer> = (0..WRITERS).map(|_| start(writers, numbers)).collect::<Result<_, _>>()?;
    for _ in 0..SINGLE {
        std::thread::sleep(numbers.pause(LONGEST));
        let which = numbers.below(WRITERS as u64) as usize;
        at_work[which].kill();
        at_work[which] = start(writers, numbers)?;
    }
    std::thread::sleep(numbers.pause(LONGEST));
    at_work.iter_mut().for_each(Writer::kill);
    Ok(SINGLE + WRITERS as u64)
}
