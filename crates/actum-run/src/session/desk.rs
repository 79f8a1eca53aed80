//! The holder's loop: clients come, are served one after the other, and go.
//!
//! It runs beside the attempt's own loop, in a thread of its own, and ends with [`Shared::end`]. What a call goes through
//! is judged in `stage`; here it is carried out.

use super::control::{Control, Heard};
use super::differ::{Shape, differences};
use super::driver::{Said, ask};
use super::guest::{Guest, Wish};
use super::holder::{Failure, Order};
use super::relay::{End, Shared};
use super::stage::{Act, GRACE, Situation, Stage, Why};
use super::wire::{CallAsked, Fate, Frame, Reply, Seen, Standing, Told};
use crate::clock::Stopwatch;
use actum_model::{Amount, Bytes, Confinement, Ending, Limit, Moment, Span, Stream, Usage};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::OwnedFd;
use rustix::process::Pid;
use std::collections::VecDeque;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixListener;
use std::sync::Arc;
use std::time::Duration;

/// 30 s: an interpreter that takes longer to come up does not come.
const COMING_UP: Duration = Duration::from_secs(30);
/// Half a second: an interpreter that has hung up is about to be gone; and how often one that is to be gone is told.
const PATIENCE: Duration = Duration::from_millis(500);
/// 5 s: what a client has to take its last words before the holder ends without it.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// What the holder brings.
pub(super) struct Given {
    pub(super) order: Order,
    pub(super) confinement: Confinement,
    pub(super) listener: UnixListener,
    pub(super) control: Control,
    pub(super) shared: Arc<Shared>,
    /// Made readable to end the attempt.
    pub(super) cancel: OwnedFd,
    /// Becomes readable when this process is asked to end.
    pub(super) stop: Option<OwnedFd>,
    /// Told once whether the session came up.
    pub(super) ready: std::fs::File,
    pub(super) started: Moment,
}

pub(super) struct Desk {
    given: Given,
    is_up: bool,
    began: Stopwatch,
    guests: Vec<Guest>,
    next_guest: u64,
    /// Calls and stops, in the order in which they came.
    wishes: VecDeque<(u64, Wish)>,
    calls: u64,
    current: Option<Current>,
    last: Stopwatch,
    leaving: Option<Stopwatch>,
    hung_up: Option<Stopwatch>,
    killed: Option<Stopwatch>,
    /// Who wants to hear what became of the changes.
    stoppers: Vec<u64>,
}

/// The call that is being carried out.
struct Current {
    guest: u64,
    began: Stopwatch,
    timeout: Duration,
    stage: Stage,
    status: Option<u8>,
    output: u64,
    cpu: Option<(Pid, Duration)>,
}

enum Source {
    Listener,
    Control,
    News,
    Stop,
    Guest(u64),
}

impl Desk {
    pub(super) fn new(given: Given) -> Self {
        Self {
            given,
            is_up: false,
            began: Stopwatch::start(),
            guests: Vec::new(),
            next_guest: 0,
            wishes: VecDeque::new(),
            calls: 0,
            current: None,
            last: Stopwatch::start(),
            leaving: None,
            hung_up: None,
            killed: None,
            stoppers: Vec::new(),
        }
    }

    pub(super) fn serve(mut self) {
        loop {
            if let Some(end) = self.given.shared.end() {
                return self.close(end);
            }
            self.pass_output();
            self.look_at_call();
            self.look_at_time();
            self.next_wish();
            self.wait();
        }
    }

    fn wait(&mut self) {
        let mut list = vec![
            (Source::Listener, PollFd::new(&self.given.listener, PollFlags::IN)),
            (Source::News, PollFd::from_borrowed_fd(self.given.shared.news(), PollFlags::IN)),
        ];
        list.extend(self.given.stop.as_ref().map(|stop| (Source::Stop, PollFd::new(stop, PollFlags::IN))));
        if self.hung_up.is_none() {
            let more = if self.given.control.has_more() { PollFlags::OUT } else { PollFlags::empty() };
            list.push((
                Source::Control,
                PollFd::from_borrowed_fd(self.given.control.socket(), PollFlags::IN | more),
            ));
        }
        for guest in &self.guests {
            let more = if guest.has_more() { PollFlags::OUT } else { PollFlags::empty() };
            list.push((Source::Guest(guest.number), PollFd::new(&guest.socket, PollFlags::IN | more)));
        }
        let mut polled: Vec<PollFd<'_>> = list.iter().map(|(_, descriptor)| descriptor.clone()).collect();
        let timeout = self.due().and_then(|due| Timespec::try_from(due).ok());
        let _ = poll(&mut polled, timeout.as_ref());
        let ready: Vec<Source> = list
            .into_iter()
            .zip(&polled)
            .filter(|(_, descriptor)| !descriptor.revents().is_empty())
            .map(|((source, _), _)| source)
            .collect();
        for source in ready {
            match source {
                Source::Listener => self.welcome(),
                Source::News => self.given.shared.heard_news(),
                Source::Stop => self.asked_to_end(),
                Source::Control => self.hear(),
                Source::Guest(number) => self.listen(number),
            }
        }
        self.guests.retain(|guest| !guest.is_gone);
    }

    fn welcome(&mut self) {
        let Ok((socket, _)) = self.given.listener.accept() else { return };
        self.next_guest += 1;
        self.guests.extend(Guest::welcome(self.next_guest, socket));
    }

    fn listen(&mut self, number: u64) {
        let Some(guest) = self.guests.iter_mut().find(|guest| guest.number == number) else { return };
        guest.push();
        for wish in guest.listen() {
            match wish {
                Wish::Look => self.show(number),
                // Nothing is to be kept, so nothing is waited for.
                Wish::Stop(Fate::Discard) => self.stop(number, Fate::Discard),
                Wish::Call { .. } | Wish::Stop(Fate::Apply) => self.wishes.push_back((number, wish)),
            }
        }
    }

    fn hear(&mut self) {
        self.given.control.push();
        let said = match self.given.control.hear() {
            Heard::Said(said) => said,
            Heard::Gone => {
                self.hung_up.get_or_insert(Stopwatch::start());
                return;
            }
        };
        for word in said {
            match (word, &mut self.current) {
                (Said::Ready, _) => self.come_up(),
                (Said::Done { call, status }, Some(current))
                    if call == self.calls && current.status.is_none() =>
                {
                    current.status = Some(status);
                    self.given.shared.want_mark();
                }
                (Said::Done { .. }, _) => {}
            }
        }
    }

    fn come_up(&mut self) {
        if !self.is_up {
            self.is_up = true;
            self.given.shared.come_up();
            self.last = Stopwatch::start();
            self.tell_ready(&Ok(()));
        }
    }

    fn tell_ready(&mut self, told: &Result<(), Failure>) {
        super::holder::tell(&mut self.given.ready, told);
    }

    /// Gives the current call's client what there is, as far as it has room.
    fn pass_output(&mut self) {
        let Some(current) = &mut self.current else { return };
        let mut guest = self.guests.iter_mut().find(|guest| guest.number == current.guest);
        while guest.as_ref().is_none_or(|guest| guest.has_room()) {
            let Some((stream, bytes)) = self.given.shared.take() else { return };
            current.output += bytes.len() as u64;
            if let Some(guest) = &mut guest {
                guest.pass(&match stream {
                    Stream::Stdout => Frame::Stdout(bytes),
                    Stream::Stderr => Frame::Stderr(bytes),
                });
            }
        }
    }

    fn look_at_call(&mut self) {
        let Some(current) = &mut self.current else { return };
        if let Some(status) = current.status {
            if self.given.shared.is_drained() {
                self.finish(Ending::Exited { code: status.into() }, Standing::Lives);
            }
            return;
        }
        let guest = self.guests.iter().find(|guest| guest.number == current.guest);
        let unwanted = guest.is_none_or(|guest| guest.has_cancelled);
        let now = Situation { elapsed: current.began.elapsed(), timeout: current.timeout, unwanted };
        let (stage, act) = current.stage.next(now);
        current.stage = stage;
        match act {
            Act::Nothing => {}
            Act::Interrupt => self.given.control.interrupt(),
            Act::End => self.kill(),
        }
    }

    /// Tells the client how its call ended; a reason of ours is the reason, whatever the interpreter made of it.
    fn finish(&mut self, ending: Ending, standing: Standing) {
        let Some(current) = self.current.take() else { return };
        self.last = Stopwatch::start();
        let wall = current.began.elapsed();
        let max = Amount::Seconds(Span(current.timeout));
        let ending = match current.stage.why() {
            None => ending,
            Some(Why::Cancelled) => Ending::Cancelled,
            Some(Why::TimedOut) => Ending::TimedOut { max, used: Amount::Seconds(Span(wall)) },
        };
        // A shell that ended and goes on as a copy counts anew: then nothing is told.
        let now = self.given.control.cpu();
        let cpu = match (current.cpu, now) {
            (Some((pid, before)), Some((same, now))) if pid == same => Some(Span(now.saturating_sub(before))),
            (_, _) => None,
        };
        let mut confinement = self.given.confinement.clone();
        confinement.limits.iter_mut().filter(|one| one.limit == Limit::Wall).for_each(|one| one.max = max);
        let usage = Usage { wall: Span(wall), cpu, output: Bytes(current.output), ..Usage::default() };
        let reply = Reply { ending, usage, confinement, fresh: self.calls == 1, standing };
        self.tell(current.guest, &Told::Ended(Box::new(reply)));
    }

    fn look_at_time(&mut self) {
        let over =
            |since: Option<Stopwatch>, most: Duration| since.is_some_and(|since| since.elapsed() >= most);
        if self.is_idle() && self.last.elapsed() >= self.given.order.idle.0 {
            self.leave(Fate::Apply);
        }
        let late = !self.is_up && self.began.elapsed() >= COMING_UP;
        // Told again, because the first time is a wish that may be granted slowly.
        let again = over(self.killed, PATIENCE);
        if late
            || again
            || self.killed.is_none() && (over(self.leaving, GRACE) || over(self.hung_up, PATIENCE))
        {
            self.kill();
        }
    }

    fn is_idle(&self) -> bool {
        self.is_up && self.current.is_none() && self.wishes.is_empty() && self.leaving.is_none()
    }

    /// How long there is nothing to do unless something happens.
    fn due(&self) -> Option<Duration> {
        let left = |since: Option<Stopwatch>, most: Duration| {
            since.map(|since| most.saturating_sub(since.elapsed()))
        };
        let call = self.current.as_ref().filter(|current| current.status.is_none()).and_then(|current| {
            Some(current.stage.due(current.timeout)?.saturating_sub(current.began.elapsed()))
        });
        let killing = left(self.killed, PATIENCE);
        let first = [
            call,
            killing,
            left(self.leaving, GRACE).filter(|_| killing.is_none()),
            left(self.hung_up, PATIENCE).filter(|_| killing.is_none()),
            left(Some(self.began), COMING_UP).filter(|_| !self.is_up && killing.is_none()),
            left(Some(self.last), self.given.order.idle.0).filter(|_| self.is_idle()),
        ];
        // A millisecond more, because to wait too short is to wait again and again.
        first.into_iter().flatten().min().map(|due| due + Duration::from_millis(1))
    }

    fn next_wish(&mut self) {
        if self.current.is_some() || !self.is_up || self.hung_up.is_some() {
            return;
        }
        while let Some((number, wish)) = self.wishes.pop_front() {
            if !self.guests.iter().any(|guest| guest.number == number) {
                continue;
            }
            match wish {
                Wish::Call { .. } if self.leaving.is_some() => self.tell(number, &Told::Leaving),
                Wish::Call { asked, code } => {
                    self.begin(number, *asked, &code);
                    if self.current.is_some() {
                        return;
                    }
                }
                Wish::Stop(fate) => self.stop(number, fate),
                Wish::Look => self.show(number),
            }
        }
    }

    fn begin(&mut self, guest: u64, asked: CallAsked, code: &[u8]) {
        let order = &self.given.order;
        let session = Shape { language: order.language, request: &order.request, ceiling: order.ceiling };
        let call = Shape { language: asked.language, request: &asked.request, ceiling: asked.ceiling };
        let found = differences(session, call);
        if !found.is_empty() {
            return self.tell(guest, &Told::Differs(found));
        }
        self.calls += 1;
        let file = asked.file.unwrap_or_else(|| format!("<session {}>", self.calls));
        let mut parts: Vec<&[u8]> = vec![code, file.as_bytes()];
        parts.extend(asked.arguments.iter().map(|argument| argument.as_bytes()));
        self.given.control.ask(&ask(self.calls, asked.echo, &parts));
        self.current = Some(Current {
            guest,
            began: Stopwatch::start(),
            timeout: asked.request.limits.wall.0,
            stage: Stage::Running,
            status: None,
            output: 0,
            cpu: self.given.control.cpu(),
        });
    }

    /// A signal asks this process to end. What is quiet is settled as if it had been left alone for long; what a call was
    /// changing is half done, so it is kept apart like what a run wrote that was stopped.
    fn asked_to_end(&mut self) {
        let Some(stop) = &self.given.stop else { return };
        // One read takes one signal.
        let _ = rustix::io::read(stop, &mut [0_u8; 128]);
        if self.current.is_none() && self.leaving.is_none() && self.is_up {
            return self.leave(Fate::Apply);
        }
        self.leaving.get_or_insert(Stopwatch::start());
        self.given.control.hang_up();
        self.kill();
    }

    fn stop(&mut self, guest: u64, fate: Fate) {
        self.stoppers.push(guest);
        self.leave(fate);
        if self.current.is_some() {
            self.kill();
        }
    }

    /// Lets the interpreter come to its end. Throwing away is never taken back.
    fn leave(&mut self, fate: Fate) {
        if self.given.shared.fate() != Some(Fate::Discard) {
            self.given.shared.set_fate(fate);
        }
        self.leaving.get_or_insert(Stopwatch::start());
        self.given.control.hang_up();
    }

    fn kill(&mut self) {
        self.killed = Some(Stopwatch::start());
        let _ = rustix::io::write(&self.given.cancel, &1_u64.to_ne_bytes());
    }

    fn show(&mut self, guest: u64) {
        let Order { name, language, request, idle, .. } = &self.given.order;
        let seen = Seen {
            name: name.clone(),
            language: *language,
            workspace: request.workspace.clone(),
            pid: std::process::id(),
            started: self.given.started,
            calls: self.calls,
            busy: self.current.is_some(),
            quiet: Span(if self.current.is_some() { Duration::ZERO } else { self.last.elapsed() }),
            idle: *idle,
        };
        self.tell(guest, &Told::Seen(seen));
    }

    fn tell(&mut self, guest: u64, told: &Told) {
        if let Some(guest) = self.guests.iter_mut().find(|one| one.number == guest) {
            guest.tell(told);
        }
    }

    /// The attempt is over and its changes are settled: everybody hears it who waits.
    fn close(mut self, end: End) {
        if !self.is_up {
            self.tell_ready(&Err(Failure::of_ending(&end.ending)));
        }
        self.pass_output();
        self.drain();
        self.pass_output();
        self.finish(end.ending, Standing::Gone(end.settled.clone()));
        for guest in std::mem::take(&mut self.stoppers) {
            self.tell(guest, &Told::Stopped(end.settled.clone()));
        }
        for (guest, wish) in std::mem::take(&mut self.wishes) {
            match wish {
                Wish::Stop(_) => self.tell(guest, &Told::Stopped(end.settled.clone())),
                Wish::Call { .. } | Wish::Look => self.tell(guest, &Told::Leaving),
            }
        }
        self.drain();
    }

    /// Waits until the clients have taken what is theirs, or do not.
    fn drain(&mut self) {
        let mut since = Stopwatch::start();
        while self.guests.iter().any(Guest::has_more) && since.elapsed() < LAST_WORDS {
            let full: Vec<&Guest> = self.guests.iter().filter(|guest| guest.has_more()).collect();
            let mut list: Vec<PollFd<'_>> =
                full.iter().map(|guest| PollFd::new(&guest.socket, PollFlags::OUT)).collect();
            let timeout = Timespec::try_from(PATIENCE).ok();
            if matches!(poll(&mut list, timeout.as_ref()), Ok(1..)) {
                since = Stopwatch::start();
            }
            self.guests.iter_mut().for_each(Guest::push);
            self.pass_output();
        }
    }
}
