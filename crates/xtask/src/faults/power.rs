//! The power goes: an ext4 in a loop file is shut down under its writers, so that nothing of its journal and its caches is
//! written any more. It is then mounted again, which replays the journal, as a machine does that comes up after a power cut.
//!
//! Acknowledgements, and the signer's memory, lie on another file system: what was signed must be there too.

use std::fs::File;

use super::numbers::Numbers;
use super::place::{Mount, Place, obstacle};
use super::writers::{Writer, Writers};
use super::{Asked, Found};
use crate::command::{self, Command};
use crate::error::Error;

/// Large enough for some rounds, small enough to be mounted in no time.
const IMAGE: u64 = 192 << 20;
const WRITERS: usize = 3;
/// The longest that writers have before the power goes, in milliseconds.
const LONGEST: u64 = 150;
/// A store is used so many rounds, then made anew.
const ROUNDS: u64 = 10;
/// `FS_IOC_SHUTDOWN` without writing the journal (2), by a language that may call ioctl.
const CUT: &str = "import fcntl, os, struct, sys
fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x8004587D, struct.pack('I', 2))";

pub fn inject(asked: Asked) -> Result<Found, Error> {
    if let Some(reason) = obstacle()? {
        return Ok(Found::Skipped(reason));
    }
    for needed in ["mkfs.ext4", "python3"] {
        if !command::is_on_path(needed) {
            return Ok(Found::Skipped(format!("{needed} is not here")));
        }
    }
    let place = Place::make("power")?;
    let image = place.path("image");
    make(&image)?;
    let mount = || Mount::make(&["-o", "loop", "-t", "ext4", &image], &place.path("disk"));
    if let Err(error) = mount().map(drop) {
        return Ok(Found::Skipped(format!("no loop device can be mounted here: {error}")));
    }
    let mut numbers = Numbers::from(asked.seed);
    let mut writers = Writers::of(place.path("disk/store"), place.path("keys"), place.path("said"))?;
    let (mut acknowledged, mut seen, mut wrong, mut cuts) = (0, String::new(), Vec::new(), 0);
    let mut disk = mount()?;
    while cuts < asked.count && wrong.is_empty() {
        if cuts % ROUNDS == 0 {
            acknowledged += writers.acknowledged()?;
            writers.anew()?;
        }
        let mut at_work: Vec<Writer> = (0..WRITERS)
            .map(|_| writers.start(1 + numbers.below(3), numbers.draw()))
            .collect::<Result<_, _>>()?;
        std::thread::sleep(numbers.pause(LONGEST));
        Command::new("python3", &["-c", CUT, &disk.at]).output()?;
        at_work.iter_mut().for_each(Writer::kill);
        drop(disk);
        disk = mount()?;
        cuts += 1;
        let checked = writers.check()?;
        seen = checked.0;
        wrong.extend(checked.1.into_iter().map(|line| format!("cut {cuts}: {line}")));
    }
    acknowledged += writers.acknowledged()?;
    drop(disk);
    let seen = format!("{acknowledged} acknowledgements; the last store: {seen}");
    Ok(Found::Tried { injected: cuts, seen, wrong })
}

fn make(image: &str) -> Result<(), Error> {
    let cannot_write = |source| Error::Write { path: image.to_owned(), source };
    File::create(image).and_then(|file| file.set_len(IMAGE)).map_err(cannot_write)?;
    Command::new("mkfs.ext4", &["-q", "-F", image]).output().map(drop)
}
