//! What the harness measures and does while an attempt goes on.

use super::{Before, Cast, Running, Scene};
use crate::{AttackError, Judge, Peak, Watch, marked, token::contains};
use actum_model::Limit;
use std::{
    io::Read,
    net::{Ipv4Addr, SocketAddr, TcpStream},
    thread,
    time::Duration,
};

/// Between two looks; short enough for bombs that live for a second, long enough to leave them a core.
const BEAT: Duration = Duration::from_millis(15);
/// When the supervisor is crashed, and when inotify is counted: the attempts are in full swing by then.
const IN_FULL_SWING: Duration = Duration::from_millis(900);
/// How long the run may take to follow a dead supervisor.
const TIME_TO_DIE: Duration = Duration::from_millis(1500);
/// Instances that one run may take from its user without counting as a theft.
const FEW_INSTANCES: u64 = 40;

#[derive(Debug, Default)]
pub(super) struct During {
    pub(super) peak: Peak,
    beats: u64,
    dialled: bool,
    crashed: Option<Duration>,
    outlived: Option<usize>,
    inotify: Option<u64>,
}

impl During {
    /// One look.
    pub(super) fn beat(
        &mut self,
        scene: &mut Scene<'_>,
        cast: &Cast<'_>,
        running: &mut Running,
    ) -> Result<(), AttackError> {
        self.beats += 1;
        thread::sleep(BEAT);
        if cast.attempt.header.judge == Judge::Limit {
            self.measure(cast);
        }
        if cast.watches(Watch::Dial) && !self.dialled {
            self.dialled = dial(cast);
        }
        let swinging = running.elapsed() > IN_FULL_SWING;
        if cast.watches(Watch::KillSupervisor) && swinging {
            self.crash(cast, running);
        }
        if cast.watches(Watch::Inotify) && swinging && self.inotify.is_none() {
            self.inotify = Some(scene.canaries.inotify_left()?);
        }
        Ok(())
    }

    /// The last look, after the end: what stays on disk counts.
    pub(super) fn last(&mut self, cast: &Cast<'_>) {
        if cast.attempt.header.limit == Some(Limit::Disk) {
            let disk = cast.workspace.used();
            self.peak = self.peak.max(Peak { disk, ..Peak::default() });
        }
    }

    /// What was found that only shows while the run goes on.
    pub(super) fn seen(&self, before: &Before) -> Vec<(Watch, String)> {
        let mut seen = Vec::new();
        if self.dialled {
            seen.push((Watch::Dial, "the host can reach the port where the attempt listens".to_owned()));
        }
        if let Some(left) = self.outlived.filter(|left| *left > 0) {
            seen.push((
                Watch::KillSupervisor,
                format!("{left} processes were left after the supervisor was killed"),
            ));
        }
        if let (Some(before), Some(during)) = (before.inotify, self.inotify)
            && during + FEW_INSTANCES < before
        {
            seen.push((Watch::Inotify, format!("{during} instances left to the host, {before} before")));
        }
        seen
    }

    /// Kills the supervisor once, and once looks who is left a while after that.
    fn crash(&mut self, cast: &Cast<'_>, running: &mut Running) {
        let Some(at) = self.crashed else {
            running.crash();
            self.crashed = Some(running.elapsed());
            return;
        };
        if running.elapsed() > at + TIME_TO_DIE && self.outlived.is_none() {
            self.outlived = Some(marked::pids(&cast.marker).len());
        }
    }

    fn measure(&mut self, cast: &Cast<'_>) {
        // A walk over the workspace is dearer than a look at processes, and disks fill slower.
        let disk = if cast.attempt.header.limit == Some(Limit::Disk) && self.beats.is_multiple_of(4) {
            cast.workspace.used()
        } else {
            0
        };
        let counts =
            matches!(cast.attempt.header.limit, Some(Limit::Memory | Limit::Processes | Limit::Output));
        let usage = if counts { marked::usage(&cast.marker) } else { Peak::default() };
        self.peak = self.peak.max(usage).max(Peak { disk, ..Peak::default() });
    }
}

/// Whether someone answers with our marker where the attempt was told to listen.
fn dial(cast: &Cast<'_>) -> bool {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, cast.listen_port));
    let Ok(mut stream) = TcpStream::connect_timeout(&address, Duration::from_millis(100)) else {
        return false;
    };
    let _ = stream.set_read_timeout(Some(Duration::from_millis(300)));
    let mut bytes = [0_u8; 256];
    let length = stream.read(&mut bytes).unwrap_or(0);
    contains(&bytes[..length], cast.marker.as_bytes())
}
