//! Somebody renames, replaces and links in a workspace while runs are made, applied and undone in it. No packages are prepared.
//!
//! A cycle: a run that writes (with an overlay or in place), then `apply`, `undo` and sometimes `discard`, each within a time
//! limit. Meanwhile a thread puts links to a folder outside in the place of files, of folders and of the workspace itself.
//! Outside lie canaries: after each cycle they are what they were, and what is in them is nowhere in the store, in the cache
//! or in what was printed. Half of the cycles belong to root, half to an ordinary user, as far as we can be both.
//!
//! In every third cycle the cache lies in a temporary folder that everybody can write, where a third user makes folders, files
//! and links of its name, and takes away what is theirs. A cache and keys in a folder that is open to their owner alone are no
//! boundary, and are not swapped.

use super::numbers::Numbers;
use super::{Asked, Found};
use crate::binary;
use crate::clock::Stopwatch;
use crate::error::Error;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt, chown, lchown, symlink};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// The user whose folder it is when root runs, and who runs otherwise: nobody, who is everywhere.
const ORDINARY: u32 = 65534;
/// Somebody else, who shares a temporary folder with the caller.
const STRANGER: u32 = 65533;
/// A command that takes longer hangs: 30 s is a hundred times what one takes.
const LONGEST: Duration = Duration::from_secs(30);
/// Between two swaps, at most, in milliseconds; each cycle has one of them. Under the first hardly a command finds what it needs,
/// under the last most do, and the few swaps fall anywhere in them.
const PAUSES: [u64; 4] = [2, 20, 80, 300];
/// More than a panic's exit status needs: what else a command may end with is its own affair here.
const PANICKED: i32 = 101;

pub fn inject(asked: Asked) -> Result<Found, Error> {
    let binary = chosen()?;
    let is_root = fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0);
    let callers: &[Option<u32>] = if is_root { &[None, Some(ORDINARY)] } else { &[None] };
    let mut numbers = Numbers::from(asked.seed);
    let (mut swaps, mut cycles, mut done, mut wrong) = (0, 0, 0, Vec::new());
    for (at, caller) in callers.iter().enumerate() {
        let share =
            asked.count / callers.len() as u64 + u64::from(at == 0) * (asked.count % callers.len() as u64);
        let ground = Ground::make(&binary, *caller, is_root, &mut numbers)?;
        for _ in 0..share {
            let is_shared = is_root && numbers.below(3) == 0;
            let attacker = Attacker::begin(&ground, is_shared, numbers.draw());
            let (told, succeeded) = ground.cycle(is_shared, &mut numbers);
            done += succeeded;
            swaps += attacker.end();
            cycles += 1;
            wrong.extend(told.into_iter().map(|line| format!("cycle {cycles}, {}: {line}", ground.shown())));
            if !wrong.is_empty() {
                break;
            }
        }
        wrong.extend(ground.leaks().into_iter().map(|line| format!("{}: {line}", ground.shown())));
    }
    let seen =
        format!("{swaps} swaps during them, {done} commands that succeeded, {} callers", callers.len());
    // A cycle in which nothing succeeds tries nothing.
    if done == 0 && cycles > 0 {
        wrong.push("no command succeeded".to_owned());
    }
    Ok(Found::Tried { injected: cycles, seen, wrong })
}

/// Names the binary that is tried.
pub const BINARY: &str = "ACTUM_BINARY";

/// The binary that is tried: the one that is named, or the one that was built for tests.
fn chosen() -> Result<PathBuf, Error> {
    match std::env::var_os(BINARY) {
        Some(named) => Ok(named.into()),
        None => binary::path("actum").map(PathBuf::from),
    }
}

/// A folder with a workspace, a home, and canaries beside them. Gone when it is dropped.
struct Ground {
    folder: PathBuf,
    caller: Option<u32>,
    /// What no file of ours may hold.
    secret: String,
    outside: BTreeMap<PathBuf, String>,
    /// The folder for callers without a cache of their own, if this made it.
    fallback: Option<PathBuf>,
}

impl Ground {
    fn make(binary: &Path, caller: Option<u32>, is_root: bool, numbers: &mut Numbers) -> Result<Self, Error> {
        let name = format!("actum-swaps-{}-{}", std::process::id(), caller.unwrap_or_default());
        let folder = std::env::temp_dir().join(name);
        let cannot_write = |source| Error::Write { path: folder.display().to_string(), source };
        let secret = format!("canary-{:016x}{:016x}", numbers.draw(), numbers.draw());
        let make = || -> std::io::Result<()> {
            let _ = fs::remove_dir_all(&folder);
            for name in ["work", "home", "cache", "tmp", "outside/sub"] {
                fs::create_dir_all(folder.join(name))?;
            }
            fs::set_permissions(&folder, PermissionsExt::from_mode(0o755))?;
            fs::set_permissions(folder.join("tmp"), PermissionsExt::from_mode(0o1777))?;
            fs::copy(binary, folder.join("actum"))?;
            fs::set_permissions(folder.join("actum"), PermissionsExt::from_mode(0o755))?;
            for name in ["a", "b", "sub/a", "sub/b"] {
                fs::write(folder.join("outside").join(name), &secret)?;
            }
            if is_root {
                // Root works in somebody else's folder; an ordinary user in their own.
                chown(folder.join("work"), Some(ORDINARY), None)?;
                for name in ["home", "cache"] {
                    chown(folder.join(name), caller, None)?;
                }
                for name in ["", "sub", "a", "b", "sub/a", "sub/b"] {
                    chown(folder.join("outside").join(name), caller, None)?;
                }
            }
            Ok(())
        };
        make().map_err(cannot_write)?;
        let outside = picture(&folder.join("outside"));
        let fallback = PathBuf::from(format!("/var/tmp/actum-{}", caller.unwrap_or_default()));
        let fallback = Some(fallback).filter(|path| is_root && fs::symlink_metadata(path).is_err());
        Ok(Self { folder, caller, secret, outside, fallback })
    }

    fn shown(&self) -> &'static str {
        if self.caller.is_some() { "ordinary user" } else { "whoever asks" }
    }

    /// One cycle; everything that is wrong after it, and how many commands succeeded.
    fn cycle(&self, is_shared: bool, numbers: &mut Numbers) -> (Vec<String>, u64) {
        let cache = self.folder.join(if is_shared { "tmp" } else { "cache" });
        let program =
            "mkdir -p sub; echo 1 > a; echo 2 > sub/b; rm -f b; echo 3 > new; cat sub/* c 2>&1; exit";
        let program = format!("{program} {}", numbers.below(2) * 3);
        let mut run = vec!["run"];
        run.extend((numbers.below(3) == 0).then_some("--in-place"));
        run.extend(["--", "sh", "-c", &program]);
        let (mut wrong, mut done) = (Vec::new(), 0);
        for words in [&run[..], &["apply", "last"], &["undo", "last", "--force"], &["discard", "last"]] {
            match self.command(words, &cache) {
                Ok(succeeded) => done += u64::from(succeeded),
                Err(line) => wrong.push(line),
            }
            let now = picture(&self.folder.join("outside"));
            if now != self.outside {
                wrong.push(format!("`actum {}` changed what is outside: {now:?}", words.join(" ")));
            }
        }
        (wrong, done)
    }

    /// Starts a command in the workspace, wherever that is by now, and holds it to its time. Says whether it succeeded.
    fn command(&self, words: &[&str], cache: &Path) -> Result<bool, String> {
        let shown = words.join(" ");
        let folder = ["work", "away"].into_iter().find_map(|name| {
            let path = self.folder.join(name);
            let is_it = fs::symlink_metadata(&path).is_ok_and(|found| found.is_dir());
            is_it.then(|| File::open(&path).ok()).flatten().filter(is_work)
        });
        // In the middle of a swap: the next command finds it.
        let Some(folder) = folder else { return Ok(false) };
        let printed = File::create(self.folder.join("printed")).map_err(|error| error.to_string())?;
        let again = printed.try_clone().map_err(|error| error.to_string())?;
        let mut command = Command::new(self.folder.join("actum"));
        command.args(words).env_clear();
        command.env("PATH", "/usr/local/bin:/usr/bin:/bin").env("HOME", self.folder.join("home"));
        command.env("XDG_CACHE_HOME", cache);
        command.current_dir(format!("/proc/{}/fd/{}", std::process::id(), folder.as_raw_fd()));
        command.stdin(Stdio::null()).stdout(printed).stderr(again);
        if let Some(user) = self.caller {
            command.uid(user).gid(user);
        }
        // A folder that is gone by now cannot be entered: no fault of the command's.
        let Ok(mut child) = command.spawn() else { return Ok(false) };
        let watch = Stopwatch::start();
        let status = loop {
            if let Ok(Some(status)) = child.try_wait() {
                break status;
            }
            if watch.elapsed() > LONGEST {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("`actum {shown}` hangs"));
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        let said = fs::read_to_string(self.folder.join("printed")).unwrap_or_default();
        if said.contains(&self.secret) {
            return Err(format!("`actum {shown}` printed what is outside"));
        }
        match (status.code(), status.signal()) {
            (Some(PANICKED), _) => Err(format!("`actum {shown}` panicked: {said}")),
            (None, signal) => Err(format!("`actum {shown}` was ended by signal {signal:?}")),
            (Some(code), _) => Ok(code == 0),
        }
    }

    /// Files of ours that hold what is outside.
    fn leaks(&self) -> Vec<String> {
        let mut ahead: Vec<PathBuf> = ["home", "cache", "tmp"].map(|name| self.folder.join(name)).into();
        ahead.extend(self.fallback.clone());
        let mut leaks = Vec::new();
        while let Some(path) = ahead.pop() {
            let Ok(found) = fs::symlink_metadata(&path) else { continue };
            if found.is_dir() {
                ahead.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
            } else if found.is_file() {
                let bytes = fs::read(&path).unwrap_or_default();
                if bytes.windows(self.secret.len()).any(|window| window == self.secret.as_bytes()) {
                    leaks.push(format!("{} holds what is outside", path.display()));
                }
            }
        }
        leaks
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        for path in self.fallback.iter().chain([&self.folder]) {
            let _ = fs::remove_dir_all(path);
        }
    }
}

/// Whether an opened folder is a workspace and not one with canaries, which have a folder of their own.
fn is_work(folder: &File) -> bool {
    let path = fs::read_link(format!("/proc/self/fd/{}", folder.as_raw_fd())).unwrap_or_default();
    path.file_name().is_some_and(|name| name == "work" || name == "away")
}

/// Everything below a folder: modes, owners, targets, contents.
fn picture(folder: &Path) -> BTreeMap<PathBuf, String> {
    let (mut ahead, mut told) = (vec![folder.to_path_buf()], BTreeMap::new());
    while let Some(path) = ahead.pop() {
        let Ok(found) = fs::symlink_metadata(&path) else { continue };
        let what = if found.is_dir() {
            ahead.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
            String::new()
        } else {
            fs::read_to_string(&path).unwrap_or_default()
        };
        told.insert(path, format!("{:o} {} {what}", found.mode(), found.uid()));
    }
    told
}

/// A thread that swaps until it is told to end.
struct Attacker {
    stop: Arc<AtomicBool>,
    swaps: Arc<AtomicU64>,
    thread: std::thread::JoinHandle<()>,
}

impl Attacker {
    fn begin(ground: &Ground, is_shared: bool, seed: u64) -> Self {
        let (stop, swaps) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let (folder, told, counted) = (ground.folder.clone(), stop.clone(), swaps.clone());
        let thread = std::thread::spawn(move || {
            let mut numbers = Numbers::from(seed);
            let pause = PAUSES[numbers.below(PAUSES.len() as u64) as usize];
            while !told.load(Ordering::Relaxed) {
                match is_shared && numbers.below(2) == 0 {
                    true => squat(&folder, &mut numbers),
                    false => swap(&folder, &mut numbers, pause),
                }
                counted.fetch_add(1, Ordering::Relaxed);
                std::thread::sleep(numbers.pause(pause));
            }
        });
        Self { stop, swaps, thread }
    }

    /// How many swaps there were.
    fn end(self) -> u64 {
        self.stop.store(true, Ordering::Relaxed);
        let _ = self.thread.join();
        self.swaps.load(Ordering::Relaxed)
    }
}

/// What another user does in a temporary folder that everybody can write, as that user: makes what has the name of the caller's
/// cache, and takes it away. What belongs to the caller stays, as in any sticky folder.
fn squat(folder: &Path, numbers: &mut Numbers) {
    let (cache, inside) = (folder.join("tmp/actum"), folder.join("outside/sub"));
    let inside = inside.to_string_lossy().into_owned();
    let words: &[&str] = match numbers.below(8) {
        0 => &["mkdir", "-m", "700"],
        1 => &["mkdir", "-m", "777"],
        2 => &["touch"],
        3 | 4 => &["ln", "-sn", &inside],
        _ => &["rm", "-rf"],
    };
    let mut command = Command::new(words[0]);
    command
        .args(&words[1..])
        .arg(cache)
        .uid(STRANGER)
        .gid(STRANGER)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let _ = command.status();
}

/// One swap. What fails is no swap: somebody was there first.
fn swap(folder: &Path, numbers: &mut Numbers, pause: u64) {
    // Only names in the workspace itself: below a link we would write outside ourselves.
    const NAMES: [&str; 5] = ["a", "b", "c", "new", "sub"];
    let (work, away, outside) = (folder.join("work"), folder.join("away"), folder.join("outside"));
    let mut name = || work.join(NAMES[numbers.below(NAMES.len() as u64) as usize]);
    let (one, other) = (name(), name());
    let remove = |path: &Path| drop(fs::remove_file(path).or_else(|_| fs::remove_dir_all(path)));
    // The workspace itself seldom: while it is away most commands find nothing to do.
    let which = if numbers.below(8) == 0 { 7 } else { numbers.below(7) };
    match which {
        0 => drop(fs::rename(&one, &other)),
        1 => {
            remove(&one);
            let _ = symlink(outside.join("a"), &one);
        }
        2 => {
            remove(&work.join("sub"));
            let _ = symlink(outside.join("sub"), work.join("sub"));
        }
        3 => remove(&one),
        4 => {
            remove(&one);
            let made = fs::OpenOptions::new().write(true).create_new(true).open(&one);
            let _ = made.and_then(|mut file| std::io::Write::write_all(&mut file, b"theirs"));
        }
        5 => drop(fs::create_dir_all(&one)),
        6 => drop(fs::hard_link(work.join("a"), &one)),
        _ => {
            // The workspace itself, for a moment.
            if fs::rename(&work, &away).is_ok() {
                let linked = symlink(&outside, &work).is_ok();
                std::thread::sleep(numbers.pause(pause));
                if linked {
                    let _ = fs::remove_file(&work);
                }
                let _ = fs::rename(&away, &work);
            }
        }
    }
    // Whose folder it is, theirs is what is put there. Where we are not root it is so anyway.
    for path in [one, work.join("sub")] {
        let _ = lchown(&path, Some(ORDINARY), Some(ORDINARY));
    }
}
