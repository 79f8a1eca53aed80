//! Starts one attempt through the runner, watches it from the outside, and says what was seen.
//!
//! Hands only: no verdict is reached here. Start reading at [`observe`].

mod command;
mod during;
mod running;

use crate::{
    AttackError, Attempt, Observation, Parameters, RunLimits, Runner, Slack, User, Watch, Wrap,
    canary::Canaries,
    marked, report,
    suite::Options,
    token::contains,
    workspace::{After, Workspace},
};
use during::During;
use running::Running;
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

/// Where programs are looked for: fixed, so that a developer's own shims do not decide what is tested.
pub(crate) const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// No run may take longer, whatever its wall limit.
const LONGEST: Duration = Duration::from_secs(30);
/// How long a late write may take to show itself; the attempts write every 50 ms.
const LATE: Duration = Duration::from_millis(600);
/// Bytes that must arrive as they were written; the attempt `in-nul-and-utf8` writes them.
const EXACT_BYTES: &[u8] = b"exact:\x00\xff\xfe\xc3\x28:end";

/// What stays the same for all attempts of a suite.
#[derive(Debug)]
pub(crate) struct Scene<'a> {
    pub options: &'a Options,
    pub user: &'a User,
    pub base: &'a Path,
    /// In the name of everything that this suite makes.
    pub label: &'a str,
    pub canaries: &'a mut Canaries,
}

/// One attempt with all that it needs to start.
#[derive(Debug)]
struct Cast<'a> {
    attempt: &'a Attempt,
    marker: String,
    limits: RunLimits,
    workspace: Workspace,
    report: PathBuf,
    parameters: Parameters,
    listen_port: u16,
    binary: Option<PathBuf>,
}

/// Runs the attempt and says what was seen, together with the limits that it was given.
pub(crate) fn observe(
    scene: &mut Scene<'_>,
    attempt: &Attempt,
    binary: Option<PathBuf>,
) -> Result<(RunLimits, Observation), AttackError> {
    let mut cast = cast(scene, attempt, binary)?;
    if attempt.header.wraps.contains(&Wrap::Twice) {
        cast.parameters.set("phase", "plant");
        let (first, _) = go_through(scene, &cast)?;
        first.finish();
    }
    cast.parameters.set("phase", "look");
    let seen = play(scene, &cast)?;
    Ok((cast.limits, seen))
}

fn cast<'a>(
    scene: &Scene<'_>,
    attempt: &'a Attempt,
    binary: Option<PathBuf>,
) -> Result<Cast<'a>, AttackError> {
    let marker = format!("actum-mark-{}-{}", scene.label, attempt.id());
    let limits = RunLimits::usual(Duration::from_secs(attempt.header.wall));
    let workspace =
        Workspace::prepare(scene.base.join("runs").join(attempt.id()).join("workspace"), scene.user)?;
    let report = scene.base.join("reports").join(format!("{}.json", attempt.id()));
    let mut parameters = scene.canaries.parameters();
    parameters.set("marker", &marker);
    parameters.set("workspace", workspace.path.display());
    parameters.set("report", report.display());
    parameters.set("planted", scene.canaries.home().join(format!(".actum-planted-{marker}")).display());
    let listen_port = free_port();
    parameters.set("listen_port", listen_port);
    parameters.set("allowed_host", "allowed.test");
    parameters.set("memory_limit", limits.memory);
    parameters.set("processes_limit", limits.processes);
    parameters.set("descriptors_limit", limits.descriptors);
    parameters.set("disk_limit", limits.disk);
    parameters.set("host_pid_namespace", link("/proc/self/ns/pid"));
    parameters.set("host_mounts", mount_points());
    Ok(Cast { attempt, marker, limits, workspace, report, parameters, listen_port, binary })
}

/// One run from start to end, and a look at the host after it.
fn play(scene: &mut Scene<'_>, cast: &Cast<'_>) -> Result<Observation, AttackError> {
    let before = Before::note(scene, cast)?;
    let (running, mut during) = go_through(scene, cast)?;
    let mut seen = running.finish();
    during.last(cast);
    seen.peak = during.peak;
    look_after(scene, cast, &before, &mut seen)?;
    seen.seen.extend(during.seen(&before));
    Ok(seen)
}

/// Starts it, watches it, and ends it if it does not end by itself.
fn go_through(scene: &mut Scene<'_>, cast: &Cast<'_>) -> Result<(Running, During), AttackError> {
    let mut running = Running::start(command::build(scene, cast)?, cast)?;
    let deadline = LONGEST.min(cast.limits.wall + Slack::USUAL.wall);
    let mut during = During::default();
    while !running.is_over() {
        if running.elapsed() > deadline {
            running.stop(&cast.marker);
            break;
        }
        during.beat(scene, cast, &mut running)?;
    }
    Ok((running, during))
}

/// What is noted before the run, to be compared after it.
#[derive(Debug)]
struct Before {
    inotify: Option<u64>,
    modules: BTreeSet<String>,
}

impl Before {
    fn note(scene: &mut Scene<'_>, cast: &Cast<'_>) -> Result<Before, AttackError> {
        let counts = cast.watches(Watch::Inotify);
        let inotify = counts.then(|| scene.canaries.inotify_left()).transpose()?;
        Ok(Before { inotify, modules: modules() })
    }
}

impl Cast<'_> {
    fn watches(&self, watch: Watch) -> bool {
        self.attempt.header.watches.contains(&watch)
    }
}

/// Looks at the host after the run. The order matters: late writers are given time before they are ended.
fn look_after(
    scene: &mut Scene<'_>,
    cast: &Cast<'_>,
    before: &Before,
    seen: &mut Observation,
) -> Result<(), AttackError> {
    if cast.watches(Watch::LateWrite) {
        seen.seen.extend(late_write(&cast.workspace.path.join("result.txt")));
    }
    seen.survivors = marked::survivors(&cast.marker);
    marked::end(&cast.marker);
    let look = scene.canaries.look(&cast.marker)?;
    seen.contacts = look.contacts;
    seen.victim_dead = look.victim_dead;
    seen.changed = look.changed;
    seen.changed.extend(sweep(&cast.marker));
    let report = read_report(&cast.report);
    let inodes = scene.canaries.inodes();
    let after = After { report: &report, tokens: &scene.canaries.tokens, inodes: &inodes };
    for watch in cast.attempt.header.watches.iter().copied() {
        let what = cast.workspace.see(watch, &after).or_else(|| see_elsewhere(watch, cast, &report, seen));
        seen.seen.extend(what.map(|what| (watch, what)));
    }
    if cast.watches(Watch::Modules) {
        // One that is gone was not loaded by the attempt.
        let new: Vec<String> = modules().difference(&before.modules).cloned().collect();
        let told = || (Watch::Modules, format!("the host kernel has loaded {}", new.join(", ")));
        seen.seen.extend((!new.is_empty()).then(told));
    }
    Ok(())
}

/// Watches that look at the report and the output.
fn see_elsewhere(watch: Watch, cast: &Cast<'_>, report: &str, seen: &Observation) -> Option<String> {
    let tell = |condition: bool, what: &str| condition.then(|| what.to_owned());
    match watch {
        Watch::Forged => {
            tell(report.contains(&format!("forged-{}", cast.marker)), "the report contains forged text")
        }
        Watch::Blame => tell(report::blames_memory(report), "the report wrongly blames memory"),
        Watch::Escapes => tell(
            contains(&seen.output, b"\x1b]") || report.contains('\u{1b}'),
            "raw escape sequences reach the terminal",
        ),
        Watch::Bytes => tell(!contains(&seen.output, EXACT_BYTES), "the bytes of the output were altered"),
        Watch::SetUid
        | Watch::Hooks
        | Watch::Unlisted
        | Watch::Moved
        | Watch::Collected
        | Watch::HardLink
        | Watch::DeviceNode
        | Watch::Core
        | Watch::LateWrite
        | Watch::Dial
        | Watch::Inotify
        | Watch::Modules
        | Watch::KillSupervisor => None,
    }
}

/// Takes away what carries the marker in folders that everyone shares, and names it.
fn sweep(marker: &str) -> Vec<String> {
    let folders = ["/tmp", "/var/tmp", "/dev/shm", "/run"];
    let entries = folders.into_iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
    let ours = entries.filter(|entry| contains(entry.file_name().as_encoded_bytes(), marker.as_bytes()));
    ours.map(|entry| {
        let path = entry.path();
        let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path));
        format!("{} was left behind", path.display())
    })
    .collect()
}

fn late_write(path: &Path) -> Option<(Watch, String)> {
    let read =
        || fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file).and_then(|_| fs::read(path).ok());
    let first = read();
    thread::sleep(LATE);
    (read() != first).then(|| (Watch::LateWrite, "result.txt changed after the run ended".to_owned()))
}

/// The report as text; a link or a device in its place is no report.
fn read_report(path: &Path) -> String {
    let regular = fs::symlink_metadata(path).is_ok_and(|data| data.is_file());
    if !regular {
        return String::new();
    }
    fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0");
    listener.and_then(|listener| listener.local_addr()).map_or(0, |address| address.port())
}

fn link(path: &str) -> String {
    fs::read_link(path).map(|target| target.display().to_string()).unwrap_or_default()
}

/// Where the host has mounted something, but for what every system has.
fn mount_points() -> String {
    let usual = ["/", "/proc", "/sys", "/dev", "/dev/shm", "/dev/pts", "/tmp", "/run", "/dev/mqueue"];
    let text = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let mut points: Vec<&str> = text.lines().filter_map(|line| line.split(' ').nth(4)).collect();
    points.retain(|point| !usual.contains(point));
    points.sort_unstable();
    points.dedup();
    points.join(":")
}

fn modules() -> BTreeSet<String> {
    let text = fs::read_to_string("/proc/modules").unwrap_or_default();
    text.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}

/// The runner of the suite, for the parts of this room.
fn runner<'a>(scene: &Scene<'a>) -> &'a Runner {
    &scene.options.runner
}
