//! Starts the binary as a shell would and reads everything that came out.

use crate::world::{Caller, PATH, Walls, World, docker_rules};
use serde_json::Value;
use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Far above what any run here takes: it only turns a hang into a failure.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often something that has no descriptor to wait on is looked at.
pub const LOOK: Duration = Duration::from_millis(5);

/// One `actum run`, being put together.
#[derive(Debug)]
pub struct Run<'a> {
    world: &'a World,
    walls: Walls,
    flags: Vec<OsString>,
    command: Vec<OsString>,
    /// A source and its arguments stand without `--`.
    is_source: bool,
    /// Another command than `run`, with all of its words.
    other: Option<Vec<OsString>>,
    variables: Vec<(OsString, OsString)>,
    folder: PathBuf,
    stdin: Vec<u8>,
    /// A shell's words around the binary; `"$@"` is the binary with all that follows.
    shell: Option<String>,
    report: Option<PathBuf>,
    patience: Duration,
    /// Stands in the arguments of everything of ours, and in the variables of everything that the program starts.
    pub marker: String,
}

/// A run that goes on.
#[derive(Debug)]
pub struct Going {
    pub child: Child,
    pub marker: String,
    begun: Instant,
    stdout: Stream,
    stderr: Stream,
    report: Option<PathBuf>,
    patience: Duration,
    shown: String,
}

/// What a run left: all that a user could see of it.
#[derive(Debug)]
pub struct Done {
    pub status: ExitStatus,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    pub report: Option<Value>,
    pub took: Duration,
    /// The highest resident memory that the supervising process was seen with.
    pub resident: u64,
    pub marker: String,
    shown: String,
}

#[derive(Debug)]
struct Stream {
    bytes: Arc<Mutex<Vec<u8>>>,
    reader: JoinHandle<()>,
}

impl<'a> Run<'a> {
    pub(crate) fn new(world: &'a World, command: Vec<OsString>) -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let marker = format!("actum-it-{}-{count}-mark", std::process::id());
        let home = world.path("home");
        let variables = [
            ("PATH", PATH.into()),
            ("HOME", home.into_os_string()),
            ("XDG_CACHE_HOME", world.path("cache").into_os_string()),
            ("LANG", "C.UTF-8".into()),
            ("TERM", "dumb".into()),
        ];
        Self {
            world,
            walls: Walls::N,
            flags: Vec::new(),
            command,
            is_source: false,
            other: None,
            variables: variables.map(|(name, value)| (name.into(), value)).into(),
            folder: world.workspace(),
            stdin: Vec::new(),
            shell: None,
            report: Some(world.path("reports").join(format!("{count}.json"))),
            patience: PATIENCE,
            marker,
        }
    }

    /// Another command than `run`.
    pub fn of_other(mut self, words: &[&str]) -> Self {
        self.other = Some(words.iter().map(OsString::from).collect());
        self
    }

    /// The words are a source and its arguments, not a command.
    pub fn of_source(mut self) -> Self {
        self.is_source = true;
        self
    }

    pub fn walls(mut self, walls: Walls) -> Self {
        self.walls = walls;
        self
    }

    pub fn flag(mut self, flag: impl AsRef<OsStr>) -> Self {
        self.flags.push(flag.as_ref().to_owned());
        self
    }

    pub fn flags(mut self, flags: &[&str]) -> Self {
        self.flags.extend(flags.iter().map(OsString::from));
        self
    }

    /// A variable of the caller, not of the program.
    pub fn variable(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.variables.retain(|(other, _)| other != name);
        self.variables.push((name.into(), value.as_ref().to_owned()));
        self
    }

    pub fn folder(mut self, folder: &Path) -> Self {
        self.folder = folder.to_owned();
        self
    }

    pub fn stdin(mut self, bytes: &[u8]) -> Self {
        self.stdin = bytes.to_owned();
        self.flags(&["--stdin", "-"])
    }

    pub fn shell(mut self, words: &str) -> Self {
        self.shell = Some(words.to_owned());
        self
    }

    /// For what installs something large.
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    pub fn without_report(mut self) -> Self {
        self.report = None;
        self
    }

    /// As typed, the binary first.
    pub fn words(&self) -> Vec<OsString> {
        let mut words = Vec::new();
        if self.walls == Walls::Docker {
            words.push(docker_rules_for(self.world));
        }
        words.push(self.world.actum().into());
        if let Some(other) = &self.other {
            words.extend(other.iter().cloned());
            return words;
        }
        words.push("run".into());
        if self.walls == Walls::L {
            words.extend(["--tier".into(), "L".into()]);
        }
        if let Some(report) = &self.report {
            words.extend(["--report".into(), report.into()]);
        }
        words.extend(["--env".into(), format!("LC_ACTUM_IT={}", self.marker).into()]);
        words.extend(self.flags.iter().cloned());
        if !self.is_source {
            words.push("--".into());
        }
        words.extend(self.command.iter().cloned());
        words
    }

    /// Another command of the same caller, in the same place: `actum WORDS…`.
    pub fn say(self, words: &[&str]) -> Done {
        let command: Vec<OsString> = words.iter().map(OsString::from).collect();
        let asked = Self { command, report: None, ..self };
        asked
            .begin(|asked| [asked.world.actum().into()].into_iter().chain(asked.command.clone()).collect())
            .finish()
    }

    pub fn start(self) -> Going {
        self.begin(Self::words)
    }

    fn begin(self, words: impl Fn(&Self) -> Vec<OsString>) -> Going {
        let mut words = words(&self);
        let shown = format!("{:?} {:?}: {:?}", self.world.caller, self.walls, words);
        if let Some(shell) = &self.shell {
            words.splice(0..0, ["sh", "-c", shell, "sh"].map(OsString::from));
        }
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).current_dir(&self.folder).env_clear().envs(self.variables.iter().cloned());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if self.world.caller == Caller::Ordinary && rustix::process::geteuid().is_root() {
            command.uid(self.world.identity.user).gid(self.world.identity.group);
        }
        let begun = Instant::now();
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let bytes = self.stdin;
        // A program that does not read closes the pipe, and that is its right.
        std::thread::spawn(move || drop(stdin.write_all(&bytes)));
        let (stdout, stderr) = (Stream::read(child.stdout.take()), Stream::read(child.stderr.take()));
        let (report, patience) = (self.report, self.patience);
        Going { child, marker: self.marker, begun, stdout, stderr, report, patience, shown }
    }

    pub fn go(self) -> Done {
        self.start().finish()
    }
}

impl Going {
    /// Waits until the program has printed `text`.
    pub fn until_said(&mut self, text: &str) {
        let said = || contains(&self.stdout.bytes.lock().unwrap(), text);
        assert!(within(PATIENCE, said), "{text} was never said by {}", self.shown);
    }

    /// Waits for the end, which must come.
    pub fn finish(mut self) -> Done {
        let mut resident = 0;
        let status = loop {
            resident = resident.max(resident_peak(self.child.id()));
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            if self.begun.elapsed() > self.patience {
                crate::leftovers::end_marked(&self.marker);
                let _ = self.child.kill();
                panic!("no end after {:?}: {}", self.patience, self.shown);
            }
            std::thread::sleep(LOOK);
        };
        let took = self.begun.elapsed();
        let stdout = self.stdout.all();
        let stderr = self.stderr.all();
        let report = self.report.and_then(|path| std::fs::read(path).ok());
        let report: Option<Value> = report.and_then(|text| serde_json::from_slice(&text).ok());
        if let Some(report) = &report {
            actum_testkit::assert_valid_report(report);
        }
        Done { status, stdout, stderr, report, took, resident, marker: self.marker, shown: self.shown }
    }
}

impl Stream {
    fn read(stream: Option<impl Read + Send + 'static>) -> Self {
        let mut stream = stream.unwrap();
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let kept = bytes.clone();
        let reader = std::thread::spawn(move || {
            let mut buffer = vec![0; 64 << 10];
            while let Ok(length @ 1..) = stream.read(&mut buffer) {
                kept.lock().unwrap().extend(&buffer[..length]);
            }
        });
        Self { bytes, reader }
    }

    /// Everything until the last holder closed it: one that stays hangs the test, as it would hang a pipeline.
    fn all(self) -> Vec<u8> {
        let ended = within(PATIENCE, || self.reader.is_finished());
        assert!(ended, "somebody still holds the output");
        std::mem::take(&mut self.bytes.lock().unwrap())
    }
}

impl Done {
    /// The exit code as a shell shows it.
    pub fn code(&self) -> i32 {
        self.status.code().unwrap_or_else(|| 128 + self.status.signal().unwrap())
    }

    pub fn out(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    pub fn err(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    /// A value of the report, by its path: `/ending/how`.
    pub fn told(&self, pointer: &str) -> &Value {
        self.report.as_ref().and_then(|report| report.pointer(pointer)).unwrap_or(&Value::Null)
    }

    /// Panics with everything that was seen unless the code is as expected.
    #[track_caller]
    pub fn expect(self, code: i32) -> Self {
        assert_eq!(self.code(), code, "{self}");
        self
    }
}

impl std::fmt::Display for Done {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let cut = |bytes: &[u8]| String::from_utf8_lossy(&bytes[..bytes.len().min(4000)]).into_owned();
        writeln!(out, "\n{}\nended with {} after {:?}", self.shown, self.status, self.took)?;
        writeln!(out, "stdout: {}\nstderr: {}", cut(&self.stdout), cut(&self.stderr))?;
        for part in ["/result/ending", "/resources", "/confinement/tier", "/changes"] {
            write!(out, "{part}: {} ", self.told(part))?;
        }
        Ok(())
    }
}

/// Looks until it is so or the time is over; says whether it is so.
pub fn within(time: Duration, mut is_so: impl FnMut() -> bool) -> bool {
    let begun = Instant::now();
    loop {
        if is_so() {
            return true;
        }
        if begun.elapsed() > time {
            return false;
        }
        std::thread::sleep(LOOK);
    }
}

pub fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

/// Copied beside the binary, so that everybody can start it.
fn docker_rules_for(world: &World) -> OsString {
    let path = world.path("docker-rules");
    if !path.exists() {
        std::fs::copy(docker_rules(), &path).unwrap();
    }
    path.into()
}

fn resident_peak(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}
