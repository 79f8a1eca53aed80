//! Measures what starting a command costs, bare, under bubblewrap and under Actum, interleaved in one process run.
//!
//! `bench-start ROUNDS`: one line of JSON for each measurement on stdout. `cargo xtask bench start` builds and reads it.

#![allow(clippy::print_stdout)]

use actum_model::{Bytes, Limits, Profile, Span, StartMode, Tier};
use actum_sandbox::{Machine, Nowhere, Request, SandboxError, Sandboxes, Start, Streams, Warden, Watching};
use actum_testkit::BUBBLEWRAP;
use rustix::fd::AsFd;
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What is started: its name in the results, and the words.
const PAYLOADS: &[(&str, &[&str])] =
    &[("true", &["/bin/true"]), ("python", &["/usr/bin/python3", "-c", "pass"])];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (cold, warm) = (Warden::fork()?, Warden::fork()?);
    let rounds: usize = std::env::args().nth(1).and_then(|word| word.parse().ok()).unwrap_or(200);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folder = std::env::temp_dir().join(format!("actum-bench-{}", std::process::id()));
    std::fs::create_dir(&folder)?;
    let machine = Machine::survey(&path, None, actum_sandbox::ToolPlaces::default());
    let cold = Sandboxes::open(cold, machine.clone(), Tier::N)?;
    let warm = Sandboxes::open(warm, machine, Tier::N)?;
    warm.keep_ready(&request(&folder, &path, PAYLOADS[0].1), 2)?;
    let outcome = measure(&folder, &path, rounds, &cold, &warm);
    std::fs::remove_dir_all(&folder)?;
    outcome
}

fn measure(
    folder: &Path,
    path: &OsString,
    rounds: usize,
    cold: &Sandboxes,
    warm: &Sandboxes,
) -> Result<(), Box<dyn std::error::Error>> {
    let bubblewrap = Command::new("bwrap").arg("--version").stdout(Stdio::null()).status().is_ok();
    for round in 0..rounds + 5 {
        for (name, words) in PAYLOADS {
            // The first five rounds only warm caches.
            let tell = |series: &str, took: Duration, more: &str| {
                if round >= 5 {
                    println!(
                        "{{\"payload\":\"{name}\",\"series\":\"{series}\",\"ns\":{}{more}}}",
                        took.as_nanos()
                    );
                }
            };
            tell("bare", bare(words[0], &words[1..])?, "");
            if bubblewrap {
                let all: Vec<&str> = BUBBLEWRAP.iter().chain(*words).copied().collect();
                tell("bubblewrap", bare("bwrap", &all)?, "");
            }
            for (series, sandboxes) in [("actum cold", cold), ("actum warm", warm)] {
                let request = request(folder, path, words);
                let (took, more) = confined(sandboxes, &request, series == "actum warm")?;
                tell(series, took, &more);
            }
        }
    }
    Ok(())
}

fn bare(program: &str, arguments: &[&str]) -> io::Result<Duration> {
    let begun = Instant::now();
    Command::new(program).args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).status()?;
    Ok(begun.elapsed())
}

/// The answer is what counts: taking the sandbox down goes on after it, and is told beside it.
fn confined(
    sandboxes: &Sandboxes,
    request: &Request,
    warm: bool,
) -> Result<(Duration, String), SandboxError> {
    let null = std::fs::File::options().read(true).write(true).open("/dev/null");
    let null = null.map_err(|source| SandboxError::Output { source })?;
    let streams = Streams { stdin: null.as_fd(), stdout: null.as_fd(), stderr: null.as_fd() };
    let begun = Instant::now();
    let Start::Started(mut attempt) = sandboxes.start(request, streams)? else {
        return Err(SandboxError::Lost);
    };
    let ended = attempt.supervise(Watching::default(), &mut Nowhere)?;
    let whole = begun.elapsed();
    sandboxes.forget(&attempt);
    if warm {
        // The pool is filled again before anything else is measured, so that nobody pays for it.
        std::thread::sleep(Duration::from_millis(25));
    }
    let phases = ended.phases;
    let is_warm = ended.confinement.start == StartMode::Warm;
    let more = format!(
        ",\"cast\":{},\"ready\":{},\"gone\":{},\"warm\":{is_warm}",
        phases.cast.as_nanos(),
        phases.ready.as_nanos(),
        whole.as_nanos()
    );
    Ok((phases.answered, more))
}

fn request(folder: &Path, path: &OsString, words: &[&str]) -> Request {
    Request {
        policy: Profile::Default.policy(),
        limits: Limits {
            wall: Span::seconds(60),
            cpu: Span::seconds(60),
            memory: Bytes::gib(1),
            processes: 64,
            descriptors: 256,
            file_size: Bytes::mib(64),
            disk: Bytes::mib(64),
            output: Bytes::mib(1),
        },
        grace: Span::default(),
        terminal: None,
        workspace: folder.to_path_buf(),
        folder: folder.to_path_buf(),
        command: words.iter().map(OsString::from).collect(),
        variables: vec![("PATH".into(), path.clone())],
        granted_variables: Vec::new(),
        gate_variables: Vec::new(),
        layers: folder.join("layers"),
        home: None,
        layer: None,
        forwards: Vec::new(),
        shown_at: None,
        listeners: Vec::new(),
        written: None,
        searched: Vec::new(),
        hidden: Vec::new(),
        stores: Default::default(),
    }
}
