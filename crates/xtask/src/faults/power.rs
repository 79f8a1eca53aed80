//! The power goes: an ext4 in a loop file is shut down under its writers, so that nothing of its journal and its caches is
//! written any more. It is then mounted again, which replays the journal, as a machine does that comes up after a power cut.
//!
//! Acknowledgements, and the signer's memory, lie on another file system: what was signed must be there too. What counts is what was
//! acknowledged before the cut began. The shutdown answers a wait for the disk that is under way with success: a plain program that
//! appends to a file and waits for it "loses" its last block in 4 of 100 cuts, which no power cut can do.

use std::fs::File;

use super::numbers::Numbers;
use super::place::{Loop, Mount, Place, obstacle};
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
/// Keeps what was signed and notes what was acknowledged, then `FS_IOC_SHUTDOWN` without writing the journal (2), by a language
/// that may call ioctl.
const CUT: &str = "import fcntl, os, shutil, struct, sys
disk, said, keys, before = sys.argv[1:]
disk, how = os.open(disk, os.O_RDONLY), struct.pack('I', 2)
shutil.rmtree(before, ignore_errors=True)
if os.path.isdir(keys): shutil.copytree(keys, before, ignore=shutil.ignore_patterns('new-*'))
sizes = [(file.path, file.stat().st_size) for file in os.scandir(said)]
fcntl.ioctl(disk, 0x8004587D, how)
for path, size in sizes: print(size, path)";

pub fn inject(asked: Asked) -> Result<Found, Error> {
    if let Some(reason) = obstacle()? {
        return Ok(Found::Skipped(reason));
    }
    for needed in ["mkfs.ext4", "python3"] {
        if !command::is_on_path(needed) {
            return Ok(Found::Skipped(format!("{needed} is not installed")));
        }
    }
    let place = Place::make("power")?;
    let image = place.path("image");
    make(&image)?;
    let device = match Loop::over(&image) {
        Ok(device) => device,
        Err(error) => return Ok(Found::Skipped(format!("no loop device is available: {error}"))),
    };
    let mount = || Mount::make(&["-t", "ext4", &device.path], &place.path("disk"));
    let mut numbers = Numbers::from(asked.seed);
    let mut writers = Writers::of(place.path("disk/store"), place.path("keys"), place.path("said"))?;
    let before = place.path("keys-before");
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
        let words = ["-c", CUT, &disk.at, &writers.said, &writers.keys, &before];
        let sizes = Command::new("python3", &words).output()?;
        at_work.iter_mut().for_each(Writer::kill);
        as_it_was(&sizes, &writers.keys, &before)?;
        drop(disk);
        device.wait_until_free();
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

/// Everything outside of the disk is as it was when the power went: acknowledgements, and what was signed.
fn as_it_was(sizes: &str, keys: &str, before: &str) -> Result<(), Error> {
    for line in sizes.lines() {
        let (size, path) = line.split_once(' ').unwrap_or(("0", line));
        let cut = File::options().write(true).open(path);
        let cut = cut.and_then(|file| file.set_len(size.parse().unwrap_or(0)));
        cut.map_err(|source| Error::Write { path: path.to_owned(), source })?;
    }
    let script = "rm -rf \"$0\" && if [ -d \"$1\" ]; then mv \"$1\" \"$0\"; fi";
    Command::new("sh", &["-c", script, keys, before]).output().map(drop)
}

fn make(image: &str) -> Result<(), Error> {
    let cannot_write = |source| Error::Write { path: image.to_owned(), source };
    File::create(image).and_then(|file| file.set_len(IMAGE)).map_err(cannot_write)?;
    Command::new("mkfs.ext4", &["-q", "-F", image]).output().map(drop)
}
