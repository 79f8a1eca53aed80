//! One started run: its output as it arrives, and its end.

use super::Cast;
use crate::{AttackError, Observation, Wrap, marked};
use rustix::process::{Pid, Signal, kill_process_group};
use std::{
    fs,
    io::Read,
    os::unix::process::CommandExt,
    process::{Child, ChildStdin, Command, Stdio},
    sync::{Arc, Mutex, mpsc},
    thread,
    time::{Duration, Instant},
};

/// Bytes that are kept of the beginning and of the end of the output; what lies between is only counted.
const KEPT: usize = 256 << 10;
/// How long to wait for the end of the output after everything was ended.
const GRACE: Duration = Duration::from_secs(1);

pub(super) struct Running {
    child: Child,
    began: Instant,
    /// Kept open on purpose where the header asks for it.
    _input: Option<ChildStdin>,
    gathered: Arc<Mutex<Gathered>>,
    /// One word for each stream that has ended.
    ends: mpsc::Receiver<()>,
    open_streams: usize,
    exited: bool,
    exit_code: Option<i32>,
    stopped: bool,
    elapsed: Option<Duration>,
}

#[derive(Default)]
struct Gathered {
    head: Vec<u8>,
    tail: Vec<u8>,
    received: u64,
}

impl Gathered {
    fn keep(&mut self, bytes: &[u8]) {
        self.received += bytes.len() as u64;
        let room = KEPT.saturating_sub(self.head.len()).min(bytes.len());
        self.head.extend_from_slice(&bytes[..room]);
        self.tail.extend_from_slice(&bytes[room..]);
        if self.tail.len() > 2 * KEPT {
            self.tail.drain(..self.tail.len() - KEPT);
        }
    }
}

impl Running {
    pub(super) fn start(mut command: Command, cast: &Cast<'_>) -> Result<Running, AttackError> {
        if let Some(binary) = &cast.binary {
            let place = cast.workspace.path.join("attempt");
            fs::copy(binary, &place).map_err(AttackError::prepare(&place))?;
        }
        let open_input = cast.attempt.header.wraps.contains(&Wrap::OpenInput);
        command.stdin(if open_input { Stdio::piped() } else { Stdio::null() });
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        let began = crate::clock::now();
        let failed = |source| AttackError::StartAttempt { id: cast.attempt.id().to_owned(), source };
        let mut child = command.spawn().map_err(failed)?;
        let gathered = Arc::new(Mutex::new(Gathered::default()));
        let (sender, ends) = mpsc::channel();
        if let Some(stream) = child.stdout.take() {
            gather(stream, &gathered, &sender);
        }
        if let Some(stream) = child.stderr.take() {
            gather(stream, &gathered, &sender);
        }
        Ok(Running {
            _input: child.stdin.take(),
            child,
            began,
            gathered,
            ends,
            open_streams: 2,
            exited: false,
            exit_code: None,
            stopped: false,
            elapsed: None,
        })
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// Over means: the runner has ended, and nobody holds its output open any more.
    pub(super) fn is_over(&mut self) -> bool {
        if !self.exited {
            let ended = self.child.try_wait();
            self.exited = !matches!(ended, Ok(None));
            self.exit_code = ended.ok().flatten().and_then(|status| status.code());
        }
        self.open_streams -= self.ends.try_iter().count();
        let over = self.exited && self.open_streams == 0;
        if over {
            self.elapsed.get_or_insert(self.began.elapsed());
        }
        over
    }

    /// Kills the runner alone, as a crash would.
    pub(super) fn crash(&mut self) {
        let _ = self.child.kill();
    }

    /// Ends everything of the run.
    pub(super) fn stop(&mut self, marker: &str) {
        self.stopped = true;
        self.elapsed.get_or_insert(self.began.elapsed());
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        marked::end(marker);
        let _ = self.child.wait();
        for _ in 0..self.open_streams {
            let _ = self.ends.recv_timeout(GRACE);
        }
    }

    pub(super) fn finish(self) -> Observation {
        let mut gathered = self.gathered.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let mut output = std::mem::take(&mut gathered.head);
        output.append(&mut gathered.tail);
        Observation {
            output,
            received: gathered.received,
            elapsed: self.elapsed.unwrap_or_default(),
            stopped: self.stopped,
            exit_code: self.exit_code,
            ..Observation::default()
        }
    }
}

fn gather(mut stream: impl Read + Send + 'static, gathered: &Arc<Mutex<Gathered>>, ended: &mpsc::Sender<()>) {
    let (gathered, ended) = (Arc::clone(gathered), ended.clone());
    thread::spawn(move || {
        let mut bytes = vec![0_u8; 64 << 10];
        while let Ok(length) = stream.read(&mut bytes) {
            if length == 0 {
                break;
            }
            let mut gathered = gathered.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            gathered.keep(&bytes[..length]);
        }
        let _ = ended.send(());
    });
}
