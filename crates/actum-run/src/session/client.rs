//! Calls a session, and starts its holder where there is none.

use super::error::SessionError;
use super::holder::{Failure, Order};
use super::line::Line;
use super::name::SessionName;
use super::place::{Folder, Held, Place};
use super::wire::{Asked, CallAsked, Fate, Frame, LARGEST, Reply, Seen, Settled, Told};
use super::{Call, Language};
use actum_model::ExitCode;
use actum_sandbox::Output;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fd::{AsFd, BorrowedFd};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

/// Carries out one call; what it prints goes to `output` as it comes. `cancel` becomes readable for each wish to stop.
pub fn call(
    place: &Place,
    call: &Call,
    output: &mut dyn Output,
    cancel: Option<BorrowedFd<'_>>,
) -> Result<Reply, SessionError> {
    if call.language == Language::Bash && call.code.contains(&0) {
        return Err(SessionError::Nul);
    }
    if call.code.len() > LARGEST {
        return Err(SessionError::TooLarge { length: call.code.len() });
    }
    let asked = Asked::Call(Box::new(CallAsked {
        language: call.language,
        request: call.request.clone(),
        ceiling: call.ceiling,
        file: call.file.clone(),
        arguments: call.arguments.clone(),
        echo: call.echo,
    }));
    let words = Frame::words(&asked).map_err(|source| SessionError::Order { source })?;
    loop {
        let mut line = Line::new(&call.name, reach(place, call, cancel)?);
        let sent = line.send(&Frame::Code(call.code.clone())).and_then(|()| line.send(&words));
        // A holder that is just leaving does not take it; the next one will.
        if sent.is_err() {
            wait_for_end(place, &call.name)?;
            continue;
        }
        match line.converse(output, cancel)? {
            Told::Ended(reply) => return Ok(*reply),
            Told::Differs(differences) => {
                return Err(SessionError::Differs { name: call.name.clone(), differences });
            }
            Told::Leaving => wait_for_end(place, &call.name)?,
            Told::Seen(_) | Told::Stopped(_) => return Err(line.nonsense()),
        }
    }
}

/// Ends a session; says what became of its changes. One whose holder is gone is put away.
pub fn stop(place: &Place, name: &SessionName, fate: Fate) -> Result<Settled, SessionError> {
    let not_there = || SessionError::NotThere { name: name.clone() };
    let folder = place.find(name)?.ok_or_else(not_there)?;
    let failed = |source| SessionError::Talk { name: name.clone(), source };
    let Held::By(holder) = folder.held().map_err(failed)? else {
        let locked = place.lock()?;
        locked.remove(name).map_err(failed)?;
        return Err(SessionError::Lost { name: name.clone() });
    };
    let mut line = Line::new(name, UnixStream::connect(folder.socket()).map_err(failed)?);
    let words = Frame::words(&Asked::Stop(fate)).map_err(failed)?;
    line.send(&words).map_err(failed)?;
    let told = line.converse(&mut actum_sandbox::Nowhere, None)?;
    holder.wait();
    match told {
        Told::Stopped(settled) => Ok(settled),
        Told::Leaving => Err(not_there()),
        Told::Ended(_) | Told::Differs(_) | Told::Seen(_) => Err(line.nonsense()),
    }
}

/// The sessions that there are. One whose holder is gone is not.
pub fn list(place: &Place) -> Result<Vec<Seen>, SessionError> {
    let mut all = Vec::new();
    for name in place.names()? {
        let Some(folder) = place.find(&name)? else { continue };
        // One that ends while it is looked at was not there.
        all.extend(look(&name, &folder).ok());
    }
    Ok(all)
}

fn look(name: &SessionName, folder: &Folder) -> Result<Seen, SessionError> {
    let failed = |source| SessionError::Talk { name: name.clone(), source };
    let mut line = Line::new(name, UnixStream::connect(folder.socket()).map_err(failed)?);
    let words = Frame::words(&Asked::Look).map_err(failed)?;
    line.send(&words).map_err(failed)?;
    match line.converse(&mut actum_sandbox::Nowhere, None)? {
        Told::Seen(seen) => Ok(seen),
        Told::Ended(_) | Told::Differs(_) | Told::Stopped(_) | Told::Leaving => Err(line.nonsense()),
    }
}

/// Connects to the holder; starts one if there is none. Whoever comes first starts it, the others find it started.
fn reach(place: &Place, call: &Call, cancel: Option<BorrowedFd<'_>>) -> Result<UnixStream, SessionError> {
    let failed = |source| SessionError::Talk { name: call.name.clone(), source };
    loop {
        if let Some(folder) = place.find(&call.name)?
            && let Held::By(holder) = folder.held().map_err(failed)?
        {
            match UnixStream::connect(folder.socket()) {
                Ok(stream) => return Ok(stream),
                // It is just ending, or has not yet begun to listen: then its lock, or that of whoever starts it, tells.
                Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::ConnectionRefused) => {
                    let is_starting = place.lock().is_ok() && folder.socket().exists();
                    if !is_starting {
                        holder.wait();
                    }
                    continue;
                }
                Err(error) => return Err(failed(error)),
            }
        }
        let locked = place.lock()?;
        let is_held = match place.find(&call.name)? {
            Some(folder) => matches!(folder.held().map_err(failed)?, Held::By(_)),
            None => false,
        };
        if !is_held {
            let folder = locked.make(&call.name).map_err(failed)?;
            let started = start(place, call, &folder, cancel);
            if started.is_err() {
                let _ = locked.remove(&call.name);
            }
            started?;
        }
    }
}

fn wait_for_end(place: &Place, name: &SessionName) -> Result<(), SessionError> {
    let failed = |source| SessionError::Talk { name: name.clone(), source };
    if let Some(folder) = place.find(name)?
        && let Held::By(holder) = folder.held().map_err(failed)?
    {
        holder.wait();
    }
    Ok(())
}

/// Starts a holder and waits until it says that it is up.
fn start(
    place: &Place,
    call: &Call,
    folder: &Folder,
    cancel: Option<BorrowedFd<'_>>,
) -> Result<(), SessionError> {
    let failed = |source| SessionError::Spawn { name: call.name.clone(), source };
    let order = Order {
        sessions: std::path::absolute(&place.sessions).map_err(failed)?,
        name: call.name.clone(),
        language: call.language,
        request: call.request.clone(),
        ceiling: call.ceiling,
        idle: call.idle,
        kept: call.keeping.folder.clone(),
        store: call.keeping.store.clone(),
        keys: call.keeping.keys.clone(),
    };
    let text = serde_json::to_vec(&order).map_err(|error| SessionError::Order { source: error.into() })?;
    // What we were given by others and do not know of is not for a process that stays.
    let _ = actum_sandbox::sys::close_on_execute_from(3);
    let mut child = Command::new(&place.program)
        .arg0("actum")
        .args(["internal", "session-serve", call.name.as_str()])
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(folder.log().map_err(failed)?)
        .spawn()
        .map_err(failed)?;
    let given = child.stdin.take().map_or(Ok(()), |mut stdin| stdin.write_all(&text));
    let told =
        given.and_then(|()| child.stdout.take().map_or(Ok(None), |mut told| wait_to_hear(&mut told, cancel)));
    match told {
        Ok(Some(told)) => {
            let told: Result<(), Failure> = serde_json::from_slice(&told).unwrap_or_else(|_| {
                let message = "the session's process exited unexpectedly".to_owned();
                Err(Failure { message, hint: None, code: ExitCode::OWN_ERROR })
            });
            // It ends some day, and is not left as a zombie by a caller that lives longer.
            std::thread::spawn(move || child.wait());
            told.map_err(|failure| SessionError::Start {
                name: call.name.clone(),
                message: failure.message,
                hint: failure.hint,
                code: failure.code,
            })
        }
        Ok(None) => {
            let _ = child.kill();
            let _ = child.wait();
            Err(SessionError::Cancelled { name: call.name.clone() })
        }
        Err(source) => {
            let _ = child.kill();
            let _ = child.wait();
            Err(failed(source))
        }
    }
}

/// The line that is said, or nothing when somebody wants to stop before.
fn wait_to_hear(
    told: &mut (impl Read + AsFd),
    cancel: Option<BorrowedFd<'_>>,
) -> io::Result<Option<Vec<u8>>> {
    let mut text = Vec::new();
    let mut buffer = [0; 4096];
    while !text.ends_with(b"\n") {
        let mut list = vec![PollFd::from_borrowed_fd(told.as_fd(), PollFlags::IN)];
        list.extend(cancel.map(|cancel| PollFd::from_borrowed_fd(cancel, PollFlags::IN)));
        let _ = poll(&mut list, None);
        if list.get(1).is_some_and(|cancel| !cancel.revents().is_empty()) {
            return Ok(None);
        }
        match told.read(&mut buffer) {
            Ok(0) => break,
            Ok(length) => text.extend_from_slice(&buffer[..length]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(Some(text))
}
