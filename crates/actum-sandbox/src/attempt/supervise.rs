//! The loop: output out, keys in, limits kept, until nothing of the program is left.

use super::stop::{Act, Situation, Stopping};
use super::streams::{Passed, Read, Typing, pass_on};
use super::usage::{Found, was_stopped};
use super::{Attempt, CHUNK, Ended, LOOK, Lasts, Output, PATIENCE, Watching};
use crate::clock::Moment;
use crate::error::SandboxError;
use crate::frame;
use crate::note::{Note, Word};
use actum_model::{Ending, Limit, Tier};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::process::{Signal, pidfd_send_signal};
use std::time::Duration;

/// 20 ms: what init has to end everything and to tell what it used. Then it is killed, and the kernel ends everything
/// with it; together that stays within the 50 ms that are promised.
const HURRY: Duration = Duration::from_millis(20);

/// Where the loop stands.
struct Loop<'a> {
    streams: [Option<OwnedFd>; 2],
    /// The first stream is a terminal, and these are the hands at it.
    typing: Option<Typing<'a>>,
    /// When nobody was found at the terminal.
    left_at: Option<Moment>,
    cancel: Option<BorrowedFd<'a>>,
    passed: Passed,
    stopping: Stopping,
    stopped_within: Option<Duration>,
    gone_at: Option<Moment>,
    told_open: bool,
    lasts: Option<Lasts<'a>>,
}

impl Attempt {
    /// Passes output on and enforces limits until nothing of the program is left.
    pub fn supervise(
        &mut self,
        watching: Watching<'_>,
        output: &mut dyn Output,
    ) -> Result<Ended, SandboxError> {
        let terminal = self.terminal.take();
        let typing = terminal.is_some().then(|| Typing::new(watching.typed, watching.resized));
        let mut state = Loop {
            streams: [terminal.or(watching.stdout), watching.stderr],
            typing,
            left_at: None,
            cancel: watching.cancel,
            passed: Passed { bytes: 0, most: self.limits.output.0 },
            stopping: Stopping::Not,
            stopped_within: None,
            gone_at: None,
            told_open: true,
            lasts: watching.lasts,
        };
        let mut buffer = vec![0_u8; CHUNK];
        while state.gone_at.is_none() || state.streams.iter().any(Option::is_some) {
            let room = output.room();
            let ready = self.wait(&state, room, output.waits_for())?;
            if ready.told {
                state.told_open = self.listen()?;
            }
            for index in (0..2).filter(|index| ready.streams[*index]) {
                let piece = &mut buffer[..room[index].min(CHUNK)];
                let read = pass_on(&state.streams[index], index, piece, output, &mut state.passed)?;
                state.close(index, read);
            }
            state.type_on(&ready);
            if ready.gone {
                state.gone_at = Some(Moment::now());
                self.phases.gone = self.begun.elapsed();
                // Its last words may have come after the one that was just heard.
                while state.told_open && is_readable(self.told.as_fd()) {
                    state.told_open = self.listen()?;
                }
            }
            let wish = ready.cancelled && state.cancel.is_some_and(take_wish);
            self.tell_that_it_lasts(&mut state.lasts);
            let hurry = self.judge_moment(&mut state, wish);
            let was_asked = state.stopping.is_asked();
            self.stop_on(&mut state, hurry);
            if !was_asked && state.stopping.is_asked() {
                output.asked();
            }
            if self.is_over(&state, &ready, room) || (state.gone_at.is_some() && wish) {
                break;
            }
        }
        let ending = self.end.take().or_else(|| self.reason_of_silence()).ok_or(SandboxError::Lost)?;
        let Loop { passed, stopped_within, stopping, .. } = state;
        // Its end may be told before the last of its output was read.
        let is_by_itself = matches!(ending, Ending::Exited { .. } | Ending::Signalled { .. });
        let is_over = is_by_itself && passed.bytes > self.limits.output.0;
        let ending = if is_over { self.over(Limit::Output, passed.bytes) } else { ending };
        Ok(self.ended(ending, Found { passed: passed.bytes, stopped_within, stopped: stopping.stopped() }))
    }

    /// Finds a reason to stop. Once the program has been asked to, another one only says that there is no time left.
    fn judge_moment(&mut self, state: &mut Loop<'_>, wish: bool) -> bool {
        if self.end.is_some() && !state.stopping.is_asked() {
            return false;
        }
        let cancelled = wish.then_some(Ending::Cancelled);
        if state.stopping.is_asked() {
            return cancelled.or_else(|| self.over_count_or_space(state.passed.bytes)).is_some();
        }
        self.end =
            cancelled.or_else(|| self.over_wall()).or_else(|| self.over_count_or_space(state.passed.bytes));
        false
    }

    fn tell_that_it_lasts(&self, lasts: &mut Option<Lasts<'_>>) {
        if let Some(told) = lasts.take_if(|told| self.begun.elapsed() >= told.after)
            && let Some(layer) = &self.layer
        {
            (told.act)(layer.as_fd());
        }
    }

    /// Takes the next step of stopping, if it is time for one.
    fn stop_on(&mut self, state: &mut Loop<'_>, hurry: bool) {
        let now = self.begun.elapsed();
        let gone = state.gone_at.is_some();
        // Nobody is left to wait for.
        let hurry = hurry || gone;
        let situation = Situation { now, end: self.end.as_ref(), answered: self.answered, hurry };
        let (stopping, act) = state.stopping.next(self.grace, situation);
        state.stopping = stopping;
        match act {
            Act::Nothing => {}
            Act::Ask(signal) => self.say(Word::Ask { otherwise: signal.as_raw() }),
            Act::End => self.say(Word::End),
            Act::Clear => self.clear_away(),
        }
        let Some(since) = stopping.ending_since() else { return };
        if gone {
            state.stopped_within.get_or_insert(now.saturating_sub(since));
            // Everything is dead: whatever is still in the pipes is all there will be.
            return;
        }
        let patience = match self.confinement.tier {
            Tier::N => HURRY,
            Tier::L | Tier::None => PATIENCE,
        };
        if now.saturating_sub(since) > patience {
            self.kill_init();
        }
    }

    /// Whether only what will never come is still waited for.
    fn is_over(&mut self, state: &Loop<'_>, ready: &Ready, room: [usize; 2]) -> bool {
        let Some(gone_at) = state.gone_at else { return false };
        if self.end.is_none() && !state.told_open {
            self.end = self.reason_of_silence();
        }
        if ready.streams != [false; 2] {
            return false;
        }
        // A terminal that nobody ever sat at does not say that nobody will. It is looked at once more after the end.
        if state.typing.is_some() && room[0] > 0 && !ready.gone {
            return true;
        }
        // Without namespaces a killed init leaves its program to the warden, who ends it once we let go.
        let held = gone_at.elapsed() > PATIENCE;
        let waits_for_reader = (0..2).any(|index| state.streams[index].is_some() && room[index] == 0);
        held && (!waits_for_reader || self.end.as_ref().is_some_and(was_stopped))
    }

    fn wait(
        &self,
        state: &Loop<'_>,
        room: [usize; 2],
        readers: [Option<BorrowedFd<'_>>; 2],
    ) -> Result<Ready, SandboxError> {
        let gone = state.gone_at.is_some();
        let mut list: Vec<(Source, PollFd<'_>)> = Vec::with_capacity(7);
        for (index, stream) in state.streams.iter().enumerate() {
            let is_left = index == 0 && state.is_left();
            match (stream.as_ref().filter(|_| !is_left), room[index], readers[index]) {
                (Some(_), 0, Some(reader)) => {
                    list.push((Source::Reader, PollFd::from_borrowed_fd(reader, PollFlags::OUT)));
                }
                (Some(_), 0, None) | (None, _, _) => {}
                (Some(stream), _, _) => {
                    list.push((Source::Stream(index), PollFd::new(stream, PollFlags::IN)));
                }
            }
        }
        if state.told_open {
            list.push((Source::Told, PollFd::new(&self.told, PollFlags::IN)));
        }
        if let Some(pidfd) = self.pidfd.as_ref().filter(|_| !gone) {
            list.push((Source::Gone, PollFd::new(pidfd, PollFlags::IN)));
        }
        if let Some(cancel) = state.cancel.filter(|_| self.end.is_none() || state.stopping.is_asked() || gone)
        {
            list.push((Source::Cancel, PollFd::from_borrowed_fd(cancel, PollFlags::IN)));
        }
        if let (Some(typing), Some(terminal), false) = (&state.typing, &state.streams[0], gone) {
            if typing.has_more() {
                list.push((Source::Takes, PollFd::new(terminal, PollFlags::OUT)));
            } else if let Some(from) = typing.from {
                list.push((Source::Typed, PollFd::from_borrowed_fd(from, PollFlags::IN)));
            }
            if let Some(resized) = &typing.resized {
                list.push((Source::Resized, PollFd::from_borrowed_fd(resized.told, PollFlags::IN)));
            }
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
                Source::Typed => ready.typed = true,
                Source::Takes => ready.takes = true,
                Source::Resized => ready.resized = true,
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

    /// Tells init. One that is gone or cannot listen is killed when its time is over.
    pub(super) fn say(&self, word: Word) {
        let _ = frame::send(self.told.as_fd(), &word, &[]);
    }

    /// The program has ended and everything is told: where init has a process namespace its death is the quickest end of
    /// what is left, else it is doing it by its own hand.
    fn clear_away(&self) {
        match self.confinement.tier {
            Tier::N => self.kill_init(),
            Tier::L | Tier::None => {
                let _ = rustix::net::shutdown(&self.told, rustix::net::Shutdown::Write);
            }
        }
    }

    pub(super) fn kill_init(&self) {
        if let Some(pidfd) = &self.pidfd {
            let _ = pidfd_send_signal(pidfd, Signal::KILL);
        }
    }
}

impl Loop<'_> {
    /// Puts a stream away that has ended. A terminal only when everything has: closing our end hangs up on a program that
    /// has closed its own and is just about to end well, or to open it again.
    fn close(&mut self, index: usize, read: Read) {
        let is_terminal = index == 0 && self.typing.is_some();
        match read {
            Read::More => {}
            Read::End if is_terminal && self.gone_at.is_none() => self.left_at = Some(Moment::now()),
            Read::End | Read::Unwanted => self.streams[index] = None,
        }
    }

    /// Whether nobody sat at the terminal a moment ago. Asked without end it would say so without end.
    fn is_left(&self) -> bool {
        self.gone_at.is_none() && self.left_at.is_some_and(|at| at.elapsed() < LOOK)
    }

    /// Carries keys and sizes to the terminal.
    fn type_on(&mut self, ready: &Ready) {
        let (Some(typing), Some(terminal)) = (&mut self.typing, &self.streams[0]) else { return };
        if ready.resized {
            typing.resize(terminal);
        }
        if ready.typed {
            typing.take();
        }
        if (ready.typed || ready.takes) && typing.has_more() {
            typing.give(terminal);
        }
    }
}

#[derive(Clone, Copy)]
enum Source {
    Stream(usize),
    Reader,
    Told,
    Gone,
    Cancel,
    Typed,
    Takes,
    Resized,
}

#[derive(Default)]
struct Ready {
    streams: [bool; 2],
    told: bool,
    gone: bool,
    cancelled: bool,
    typed: bool,
    takes: bool,
    resized: bool,
}

fn is_readable(descriptor: BorrowedFd<'_>) -> bool {
    let mut list = [PollFd::from_borrowed_fd(descriptor, PollFlags::IN)];
    matches!(poll(&mut list, Some(&Timespec::default())), Ok(1..))
}

/// Takes one wish to cancel. One that cannot be taken counts too: somebody made the descriptor readable.
fn take_wish(cancel: BorrowedFd<'_>) -> bool {
    let mut wish = [0_u8; super::WISH];
    !matches!(rustix::io::read(cancel, &mut wish), Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR))
}
