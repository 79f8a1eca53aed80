//! What the granted cards were used for, looked at beside the attempt through the driver's own library.
//!
//! A thread of its own, because asking a driver can take milliseconds. Where there is no library, no driver or no such
//! card, nothing is told: a card that cannot be counted is no reason to fail a run.

use actum_model::{Bytes, CardUsage};
use nvml_wrapper::{Device, Nvml};
use std::ffi::OsStr;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// The driver itself looks at how busy a card is about five times a second.
const INTERVAL: Duration = Duration::from_millis(200);
/// The name that the driver's own package installs; the one without a number comes with tools for developers.
const LIBRARY: &str = "libnvidia-ml.so.1";

/// The thread that looks.
pub(crate) struct Watch {
    stop: Sender<()>,
    thread: JoinHandle<Vec<CardUsage>>,
}

/// One look at one card.
#[derive(Debug, Clone, Copy)]
struct Look {
    memory: u64,
    total: u64,
    busy: u32,
}

/// All looks at one card.
#[derive(Debug, Default)]
struct Looks {
    count: u32,
    total: u64,
    memory_peak: u64,
    memory_sum: u128,
    busy_peak: u32,
    busy_sum: u64,
}

/// Begins to look, if any cards were granted.
pub(crate) fn watch(cards: &[u32]) -> Option<Watch> {
    if cards.is_empty() {
        return None;
    }
    let (stop, stopped) = channel::<()>();
    let cards = cards.to_vec();
    let thread = std::thread::Builder::new().name("gpu".to_owned()).spawn(move || {
        let Ok(library) = Nvml::builder().lib_path(OsStr::new(LIBRARY)).init() else { return Vec::new() };
        let devices = find(&library, &cards);
        let mut looks: Vec<Looks> = devices.iter().map(|_| Looks::default()).collect();
        loop {
            for ((_, device), looks) in devices.iter().zip(&mut looks) {
                looks.extend(look(device));
            }
            match stopped.recv_timeout(INTERVAL) {
                Err(RecvTimeoutError::Timeout) => {}
                Ok(()) | Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        let told = devices.iter().zip(looks);
        told.filter_map(|((index, device), looks)| looks.usage(*index, device.name().ok()?)).collect()
    });
    thread.ok().map(|thread| Watch { stop, thread })
}

impl Watch {
    /// Ends the looking; what was seen.
    pub(crate) fn stop(self) -> Vec<CardUsage> {
        let _ = self.stop.send(());
        self.thread.join().unwrap_or_default()
    }
}

/// The devices of these cards. A grant names the number of a device node, which need not be the library's own number.
fn find<'a>(library: &'a Nvml, cards: &[u32]) -> Vec<(u32, Device<'a>)> {
    let count = library.device_count().unwrap_or(0);
    let all = (0..count).filter_map(|index| library.device_by_index(index).ok());
    let numbered = all.filter_map(|device| Some((device.minor_number().ok()?, device)));
    numbered.filter(|(number, _)| cards.contains(number)).collect()
}

/// A card of this machine.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Card {
    /// The number of its device node, by which it is granted.
    pub index: u32,
    pub name: String,
    pub driver: String,
    pub memory: Bytes,
    pub memory_free: Bytes,
    /// Processes that hold memory of it.
    pub held_by: Vec<u32>,
}

/// The control node that the driver makes. Without it no library is loaded.
const CONTROL: &str = "/dev/nvidiactl";

/// The cards of this machine. None where there is no driver, or it does not answer.
pub fn cards() -> Vec<Card> {
    if rustix::fs::stat(CONTROL).is_err() {
        return Vec::new();
    }
    let Ok(library) = Nvml::builder().lib_path(OsStr::new(LIBRARY)).init() else { return Vec::new() };
    let driver = library.sys_driver_version().unwrap_or_default();
    let count = library.device_count().unwrap_or(0);
    let devices = (0..count).filter_map(|index| library.device_by_index(index).ok());
    let card = |device: Device<'_>| {
        let memory = device.memory_info().ok()?;
        let holders = device.running_compute_processes().unwrap_or_default();
        Some(Card {
            index: device.minor_number().ok()?,
            name: device.name().ok()?,
            driver: driver.clone(),
            memory: Bytes(memory.total),
            memory_free: Bytes(memory.free),
            held_by: holders.iter().map(|process| process.pid).collect(),
        })
    };
    devices.filter_map(card).collect()
}

fn look(device: &Device<'_>) -> Option<Look> {
    let memory = device.memory_info().ok()?;
    let busy = device.utilization_rates().map_or(0, |rates| rates.gpu);
    Some(Look { memory: memory.used, total: memory.total, busy })
}

impl Extend<Look> for Looks {
    fn extend<I: IntoIterator<Item = Look>>(&mut self, looks: I) {
        for look in looks {
            self.count += 1;
            self.total = look.total;
            self.memory_peak = self.memory_peak.max(look.memory);
            self.memory_sum += u128::from(look.memory);
            self.busy_peak = self.busy_peak.max(look.busy);
            self.busy_sum += u64::from(look.busy);
        }
    }
}

impl Looks {
    /// Nothing for a card that never answered.
    fn usage(self, index: u32, name: String) -> Option<CardUsage> {
        let mean = |sum: u128| sum.checked_div(u128::from(self.count));
        Some(CardUsage {
            index,
            name,
            memory_total: Bytes(self.total),
            memory_peak: Bytes(self.memory_peak),
            memory_mean: Bytes(mean(self.memory_sum)? as u64),
            busy_peak: self.busy_peak,
            busy_mean: mean(self.busy_sum.into())? as u32,
            looks: self.count,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_become_peak_and_mean() {
        let mut looks = Looks::default();
        looks.extend([(10, 0), (40, 100), (10, 50)].map(|(memory, busy)| Look { memory, total: 99, busy }));
        let usage = looks.usage(3, "card".to_owned()).unwrap();
        assert_eq!((usage.index, usage.looks, usage.memory_total), (3, 3, Bytes(99)));
        assert_eq!((usage.memory_peak, usage.memory_mean), (Bytes(40), Bytes(20)));
        assert_eq!((usage.busy_peak, usage.busy_mean), (100, 50));
    }

    #[test]
    fn a_card_that_never_answers_is_absent() {
        assert_eq!(Looks::default().usage(0, "card".to_owned()), None);
        assert!(watch(&[]).is_none());
        // No machine has this many.
        assert_eq!(watch(&[u32::MAX]).unwrap().stop(), []);
    }
}
