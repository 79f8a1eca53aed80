//! One confined process from its start to its end, watched from outside.
//!
//! A loop over descriptors: the two streams, what init tells, init's own end, the clock. No thread, no async: whoever
//! wants several at once gives each its own thread.

use crate::cgroup::{self, Counted, Version};
use crate::clock::Moment;
use crate::error::SandboxError;
use crate::frame;
use crate::note::{Note, Status, Used};
use crate::sys;
use actum_model::{Amount, Bytes, Confinement, Ending, Limit, Limits, Span, Tier, Usage, WorkspaceHow};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::fstatfs;
use rustix::process::{Signal, pidfd_send_signal};
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Takes the program's output as it comes.
pub trait Output {
    fn stdout(&mut self, bytes: &[u8]) -> io::Result<()>;
    fn stderr(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// How many bytes each of the two takes without waiting. Whoever may be slow says so: nothing is read from the
    /// program meanwhile, and its limits go on being watched.
    fn room(&mut self) -> [usize; 2] {
        [usize::MAX; 2]
    }

    /// What becomes writable when one that had no room has some again.
    fn waits_for(&self) -> [Option<rustix::fd::BorrowedFd<'_>>; 2] {
        [None; 2]
    }
}

/// Takes no output.
#[derive(Debug)]
pub struct Nowhere;

impl Output for Nowhere {
    fn stdout(&mut self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }
    fn stderr(&mut self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }
}

/// How long after the request each thing had happened.
#[derive(Debug, Clone, Copy, Default)]
pub struct Phases {
    /// The sandbox's init existed.
    pub cast: Duration,
    /// Everything was mounted and the program about to be executed.
    pub ready: Duration,
    /// The program's end was known.
    pub answered: Duration,
    /// Nothing of it was left.
    pub gone: Duration,
}

/// What became of an attempt.
#[derive(Debug)]
pub struct Ended {
    pub phases: Phases,
    pub ending: Ending,
    pub usage: Usage,
    pub confinement: Confinement,
}

/// The ends of pipes that the program's output comes from, and what stops it from outside.
#[derive(Debug)]
pub struct Watching<'a> {
    pub stdout: Option<OwnedFd>,
    pub stderr: Option<OwnedFd>,
    /// Becomes readable when the run is to be cancelled.
    pub cancel: Option<rustix::fd::BorrowedFd<'a>>,
}

/// A started attempt.
#[derive(Debug)]
pub struct Attempt {
    pub(crate) told: OwnedFd,
    pub(crate) key: u64,
    confinement: Confinement,
    limits: Limits,
    folder: Option<PathBuf>,
    begun: Moment,
    pidfd: Option<OwnedFd>,
    accounting: Option<(Version, Vec<OwnedFd>)>,
    layer: Option<OwnedFd>,
    gates: Vec<OwnedFd>,
    end: Option<Ending>,
    used: Used,
    phases: Phases,
    looked: Option<Moment>,
}

/// 10 ms: limits that are looked at are met within it, and 50 ms are promised.
const LOOK: Duration = Duration::from_millis(10);
/// After this long without an end a sandbox that was told to stop is killed by name.
const PATIENCE: Duration = Duration::from_millis(500);
/// 64 KiB: what a pipe holds.
const CHUNK: usize = 64 << 10;

impl Attempt {
    pub(crate) fn new(
        told: OwnedFd,
        key: u64,
        plan: (Confinement, Option<PathBuf>),
        limits: Limits,
        begun: Moment,
    ) -> Self {
        let (confinement, folder) = plan;
        Self {
            told,
            key,
            confinement,
            limits,
            folder,
            begun,
            pidfd: None,
            accounting: None,
            layer: None,
            gates: Vec::new(),
            end: None,
            used: Used::default(),
            phases: Phases::default(),
            looked: Some(begun),
        }
    }

    /// Whether everything is known that supervising needs.
    pub(crate) fn is_started(&self) -> bool {
        self.pidfd.is_some() && (self.phases.ready > Duration::ZERO || self.end.is_some())
    }

    /// Takes a note in.
    pub(crate) fn hear(&mut self, note: Note, descriptors: Vec<OwnedFd>) {
        let mut descriptors = descriptors.into_iter();
        match note {
            Note::Cast { start, accounting } => {
                self.phases.cast = self.begun.elapsed();
                self.confinement.start = start;
                self.pidfd = descriptors.next();
                self.accounting = accounting.map(|version| (version, descriptors.collect()));
            }
            Note::Ready { layer, gates } => {
                self.phases.ready = self.begun.elapsed();
                self.layer = if layer { descriptors.next() } else { None };
                self.gates = if gates { descriptors.collect() } else { Vec::new() };
            }
            Note::NotExecuted { errno } => {
                self.end.get_or_insert(not_executed(errno));
            }
            Note::Ended { status, used } => {
                self.phases.answered = self.begun.elapsed();
                self.used = used;
                self.end.get_or_insert(self.judge(status));
            }
            Note::Over { limit, used } => {
                let ending = self.over(limit, used);
                self.end.get_or_insert(ending);
            }
            Note::Failed { step, errno, detail } => {
                let reason = format!("could not {} {detail} (error {errno})", step.doing());
                self.end.get_or_insert(Ending::NotStarted { code: 125, reason });
            }
        }
    }

    /// What is enforced on it.
    pub fn confinement(&self) -> &Confinement {
        &self.confinement
    }

    /// The gates of the allow-list, to be served from outside: proxy, names over UDP, names over TCP, then
    /// those that lead to one server each.
    pub fn take_gates(&mut self) -> Vec<OwnedFd> {
        std::mem::take(&mut self.gates)
    }

    /// The root of the layer that took the workspace's writes. Complete once the attempt has ended.
    pub fn take_layer(&mut self) -> Option<OwnedFd> {
        self.layer.take()
    }

    /// Passes output on and enforces limits until nothing of the program is left.
    pub fn supervise(
        &mut self,
        watching: Watching<'_>,
        output: &mut dyn Output,
    ) -> Result<Ended, SandboxError> {
        let mut streams = [watching.stdout, watching.stderr];
        let mut passed = Passed { bytes: 0, most: self.limits.output.0 };
        let mut stopping: Option<Moment> = None;
        let mut stopped_within = None;
        let mut buffer = vec![0_u8; CHUNK];
        let mut gone = false;
        let mut gone_at = None;
        let mut told_open = true;
        while !gone || streams.iter().any(Option::is_some) {
            let room = output.room();
            let open = Open { room, gone, told: told_open };
            let ready = self.wait(&streams, watching.cancel, open, output.waits_for())?;
            if ready.told {
                told_open = self.listen()?;
            }
            for (index, stream) in streams.iter_mut().enumerate() {
                let piece = room[index].min(CHUNK);
                if ready.streams[index] && pass_on(stream, index, &mut buffer[..piece], output, &mut passed)?
                {
                    *stream = None;
                }
            }
            if ready.gone {
                gone = true;
                gone_at = Some(Moment::now());
                self.phases.gone = self.begun.elapsed();
            }
            if self.end.is_none() {
                self.end = self.find_reason_to_stop(passed.bytes, ready.cancelled);
            }
            if self.end.is_some() && stopping.is_none() {
                // The word of a limit and the end of its sandbox may come at once.
                stopping = Some(Moment::now());
                if !gone {
                    self.stop();
                }
            }
            if gone && stopped_within.is_none() {
                stopped_within = stopping.map(Moment::elapsed);
                // Everything is dead: whatever is still in the pipes is all there will be.
                if !told_open && self.end.is_none() {
                    self.end = self.reason_of_silence();
                }
            }
            if let Some(since) = stopping
                && !gone
                && since.elapsed() > PATIENCE
            {
                self.kill_init();
            }
            // Without namespaces a killed init leaves its program to the warden, who ends it once we let go.
            let held = gone_at.is_some_and(|at: Moment| at.elapsed() > PATIENCE);
            let waits_for_reader = (0..2).any(|index| streams[index].is_some() && room[index] == 0);
            if held
                && ready.streams == [false; 2]
                && (!waits_for_reader || stopping.is_some_and(|_| was_stopped(&self.end)))
            {
                break;
            }
            // Asked to stop while only the reader of our own output is waited for.
            if gone && ready.cancelled {
                break;
            }
        }
        let ending = self.end.take().or_else(|| self.reason_of_silence()).ok_or(SandboxError::Lost)?;
        Ok(self.ended(ending, passed.bytes, stopped_within))
    }

    fn wait(
        &self,
        streams: &[Option<OwnedFd>; 2],
        cancel: Option<rustix::fd::BorrowedFd<'_>>,
        open: Open,
        readers: [Option<rustix::fd::BorrowedFd<'_>>; 2],
    ) -> Result<Ready, SandboxError> {
        let mut list: Vec<(Source, PollFd<'_>)> = Vec::with_capacity(5);
        for (index, stream) in streams.iter().enumerate() {
            match (stream, open.room[index], readers[index]) {
                (Some(_), 0, Some(reader)) => {
                    list.push((Source::Reader, PollFd::from_borrowed_fd(reader, PollFlags::OUT)));
                }
                (Some(_), 0, None) | (None, _, _) => {}
                (Some(stream), _, _) => {
                    list.push((Source::Stream(index), PollFd::new(stream, PollFlags::IN)))
                }
            }
        }
        if open.told {
            list.push((Source::Told, PollFd::new(&self.told, PollFlags::IN)));
        }
        if let Some(pidfd) = self.pidfd.as_ref().filter(|_| !open.gone) {
            list.push((Source::Gone, PollFd::new(pidfd, PollFlags::IN)));
        }
        if let Some(cancel) = cancel.filter(|_| self.end.is_none() || open.gone) {
            list.push((Source::Cancel, PollFd::from_borrowed_fd(cancel, PollFlags::IN)));
        }
        let mut polled: Vec<PollFd<'_>> = list.iter().map(|(_, descriptor)| descriptor.clone()).collect();
        let timeout = Timespec { tv_sec: 0, tv_nsec: LOOK.as_nanos() as _ };
        match poll(&mut polled, Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(SandboxError::Talk { source: error.into() }),
        }
        let mut ready = Ready::default();
        for ((source, _), descriptor) in list.iter().zip(&polled) {
            if descriptor.revents().is_empty() {
                continue;
            }
            match source {
                Source::Stream(index) => ready.streams[*index] = true,
                // There is room again; the next round asks how much.
                Source::Reader => {}
                Source::Told => ready.told = true,
                Source::Gone => ready.gone = true,
                Source::Cancel => ready.cancelled = true,
            }
        }
        Ok(ready)
    }

    /// False when nobody is left to tell anything.
    fn listen(&mut self) -> Result<bool, SandboxError> {
        match frame::receive::<Note>(self.told.as_fd()) {
            Ok(Some((note, descriptors))) => {
                self.hear(note, descriptors);
                Ok(true)
            }
            Ok(None) => Ok(false),
            Err(source) => Err(SandboxError::Talk { source }),
        }
    }

    fn find_reason_to_stop(&mut self, passed: u64, cancelled: bool) -> Option<Ending> {
        if cancelled {
            return Some(Ending::Cancelled);
        }
        if self.begun.elapsed() >= self.limits.wall.0 {
            let used = Amount::Seconds(Span(self.begun.elapsed()));
            return Some(Ending::TimedOut { max: Amount::Seconds(self.limits.wall), used });
        }
        if passed > self.limits.output.0 {
            return Some(self.over(Limit::Output, passed));
        }
        // Output can come in thousands of pieces; counters are read once in an interval all the same.
        if self.looked.is_some_and(|looked| looked.elapsed() < LOOK) {
            return None;
        }
        self.looked = Some(Moment::now());
        if let Some(counted) = self.counted()
            && let Some(ending) = self.over_count(counted)
        {
            return Some(ending);
        }
        let (used, full) = self.disk_used()?;
        full.then(|| self.over(Limit::Disk, used))
    }

    fn counted(&self) -> Option<Counted> {
        self.accounting.as_ref().map(|(version, folders)| cgroup::read(*version, folders))
    }

    fn over_count(&self, counted: Counted) -> Option<Ending> {
        if counted.memory_kills > 0 {
            return Some(self.over(Limit::Memory, counted.memory_peak.max(counted.memory)));
        }
        if counted.processes_refused > 0 {
            return Some(self.over(Limit::Processes, self.limits.processes));
        }
        (counted.cpu > self.limits.cpu.0).then(|| self.over(Limit::Cpu, counted.cpu.as_millis() as u64))
    }

    /// What the layer holds, and whether it can hold no more.
    fn disk_used(&self) -> Option<(u64, bool)> {
        let layer = self.layer.as_ref()?;
        match self.confinement.workspace {
            WorkspaceHow::OverlayInMemory => {
                let space = fstatfs(layer).ok()?;
                let used = (space.f_blocks - space.f_bfree) * space.f_bsize as u64;
                Some((used, space.f_bfree == 0 || space.f_ffree == 0))
            }
            WorkspaceHow::OverlayOnDisk => {
                let used = crate::disk::usage(layer.as_fd());
                Some((used, used > self.limits.disk.0))
            }
            WorkspaceHow::Direct => None,
        }
    }

    fn over(&self, limit: Limit, used: u64) -> Ending {
        let max = self.limits.get(limit);
        let used = match max {
            Amount::Bytes(_) => Amount::Bytes(Bytes(used)),
            Amount::Count(_) => Amount::Count(used),
            Amount::Seconds(_) => Amount::Seconds(Span(Duration::from_millis(used))),
        };
        match limit {
            Limit::Memory => Ending::OutOfMemory { max, used },
            Limit::Wall => Ending::TimedOut { max, used },
            Limit::Cpu
            | Limit::Processes
            | Limit::Descriptors
            | Limit::FileSize
            | Limit::Disk
            | Limit::Output => Ending::OverLimit { limit, max, used },
        }
    }

    /// A signal may be a limit speaking: the kernel's file-size and processor signals, and the memory killer's.
    fn judge(&self, status: Status) -> Ending {
        if let Some(ending) = self.counted().and_then(|counted| self.over_count(counted)) {
            return ending;
        }
        if let Some((used, true)) = self.disk_used() {
            return self.over(Limit::Disk, used);
        }
        match status {
            Status::Exited(code) => Ending::Exited { code },
            Status::Signalled(signal) if signal == sys::SIGXFSZ => {
                self.over(Limit::FileSize, self.limits.file_size.0)
            }
            Status::Signalled(signal) if signal == sys::SIGXCPU => {
                self.over(Limit::Cpu, (self.used.user + self.used.system).as_millis() as u64)
            }
            Status::Signalled(signal) => Ending::Signalled { signal },
        }
    }

    /// Init is gone and said nothing: the memory killer of its cgroup takes all of it at once. If it was not that,
    /// somebody outside ended the sandbox, and nothing is known about the program.
    fn reason_of_silence(&self) -> Option<Ending> {
        self.counted().and_then(|counted| self.over_count(counted))
    }

    /// Ends everything: by the kernel through init's death where init has a process namespace, else by init's own hand.
    fn stop(&self) {
        match self.confinement.tier {
            Tier::N => self.kill_init(),
            Tier::L | Tier::None => {
                let _ = rustix::net::shutdown(&self.told, rustix::net::Shutdown::Write);
            }
        }
    }

    fn kill_init(&self) {
        if let Some(pidfd) = &self.pidfd {
            let _ = pidfd_send_signal(pidfd, Signal::KILL);
        }
    }

    fn ended(&mut self, ending: Ending, passed: u64, stopped_within: Option<Duration>) -> Ended {
        let counted = self.counted();
        // Init tells what was used with the program's own end; a sandbox that was stopped tells nothing.
        let told = self.phases.answered > Duration::ZERO;
        let peak = counted.map_or(0, |counted| counted.memory_peak).max(self.used.memory_peak);
        let was_stopped = ending.limit().is_some() || ending == Ending::Cancelled;
        let usage = Usage {
            wall: Span(self.begun.elapsed()),
            cpu: Some(self.used.user + self.used.system)
                .filter(|_| told)
                .or(counted.map(|counted| counted.cpu))
                .map(Span),
            cpu_user: told.then_some(Span(self.used.user)),
            cpu_system: told.then_some(Span(self.used.system)),
            memory_peak: (peak > 0).then_some(Bytes(peak)),
            processes_peak: (self.used.processes_peak > 0).then_some(self.used.processes_peak),
            disk: self.disk_used().map(|(used, _)| Bytes(used)),
            output: Bytes(passed),
            stopped_within: stopped_within.filter(|_| was_stopped).map(Span),
        };
        Ended { phases: self.phases, ending, usage, confinement: self.confinement.clone() }
    }

    /// The folder on disk that belongs to this attempt, if it has one.
    pub fn folder(&self) -> Option<&std::path::Path> {
        self.folder.as_deref()
    }
}

/// What there still is to wait for.
#[derive(Clone, Copy)]
struct Open {
    room: [usize; 2],
    gone: bool,
    told: bool,
}

fn was_stopped(end: &Option<Ending>) -> bool {
    end.as_ref().is_some_and(|ending| ending.limit().is_some() || *ending == Ending::Cancelled)
}

#[derive(Clone, Copy)]
enum Source {
    Stream(usize),
    Reader,
    Told,
    Gone,
    Cancel,
}

#[derive(Default)]
struct Ready {
    streams: [bool; 2],
    told: bool,
    gone: bool,
    cancelled: bool,
}

/// What has come of a program's output, and how much of it may pass.
struct Passed {
    bytes: u64,
    most: u64,
}

/// Reads once and passes on what may pass; true at the end of the stream.
fn pass_on(
    stream: &Option<OwnedFd>,
    index: usize,
    buffer: &mut [u8],
    output: &mut dyn Output,
    passed: &mut Passed,
) -> Result<bool, SandboxError> {
    let Some(descriptor) = stream else { return Ok(true) };
    let length = match rustix::io::read(descriptor, &mut *buffer) {
        Ok(length) => length,
        Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => return Ok(false),
        Err(error) => return Err(SandboxError::Output { source: error.into() }),
    };
    if length == 0 {
        return Ok(true);
    }
    let room = passed.most.saturating_sub(passed.bytes).min(length as u64) as usize;
    passed.bytes += length as u64;
    let written = if index == 0 { output.stdout(&buffer[..room]) } else { output.stderr(&buffer[..room]) };
    match written {
        Ok(()) => Ok(false),
        // Nobody reads on: we hang up on the program as our reader did on us, and it gets the signal it would have got.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(true),
        Err(source) => Err(SandboxError::Output { source }),
    }
}

fn not_executed(errno: i32) -> Ending {
    let error = io::Error::from_raw_os_error(errno);
    let code = if error.kind() == io::ErrorKind::NotFound { 127 } else { 126 };
    Ending::NotStarted { code, reason: error.to_string() }
}
