//! What is collected while a program runs: its output with times, the points of its curves from wherever it writes them, and alarms.
//!
//! One value behind a lock, fed by the run's own thread (output), by a thread that looks at the output folder and the disk, and by the
//! threads of the tracking server.

use crate::artifacts;
use crate::history::{self, History};
use crate::output_folder::OutputFolder;
use crate::result::{ExperimentResult, MetricSummary};
use actum_engine::{CancelHandle, clock};
use actum_gate::{File, Kind, Root};
use actum_metrics::read::{FollowedFile, MetricReader, OutputReader, Update};
use actum_metrics::{Alarm, Curves, MetricPoint, OnAlarm, Summary, Watch, WatchPolicy};
use actum_model::{Bytes, Moment, Span, Stream};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// How often files and the disk are looked at.
const INTERVAL: Duration = Duration::from_secs(2);
/// Files of metrics that are followed.
const MOST_FILES: usize = 200;
/// Entries of the output folder that are looked at for files of metrics.
const MOST_ENTRIES: usize = 20_000;
/// A line of the log is cut there.
const LONGEST_LINE: usize = 16 << 10;
/// The alarms that are kept.
const MOST_ALARMS: usize = 100;

/// Collects, until it is finished.
pub(crate) struct Collector {
    shared: Arc<Shared>,
    ticker: Option<Ticker>,
}

/// What the threads share.
pub(crate) struct Shared {
    inner: Mutex<Inner>,
    cancel: CancelHandle,
}

struct Inner {
    curves: Curves,
    watch: Watch,
    attempt: u32,
    /// Attempts of earlier runs that this one continues.
    earlier: u32,
    readers: [OutputReader; 2],
    logs: Logs,
    folder: PathBuf,
    followed: BTreeMap<PathBuf, FollowedFile>,
    alarms: Vec<String>,
    stopped_by: Option<String>,
    params: BTreeMap<String, String>,
}

/// What was collected.
pub(crate) struct Collected {
    pub(crate) metrics: Vec<MetricSummary>,
    pub(crate) alarms: Vec<String>,
    /// The alarm that stopped the program.
    pub(crate) stopped_by: Option<String>,
    /// Every point, as JSON lines.
    pub(crate) curves: Vec<u8>,
    /// Every point is among them.
    pub(crate) is_whole: bool,
    /// Parameters that the program told a tracking server.
    pub(crate) params: BTreeMap<String, String>,
}

struct Ticker {
    stop: Sender<()>,
    thread: JoinHandle<()>,
}

impl Collector {
    pub(crate) fn begin(
        (output, own): (&OutputFolder, &OutputFolder),
        policy: WatchPolicy,
        cancel: CancelHandle,
    ) -> std::io::Result<Self> {
        let inner = Inner {
            curves: Curves::default(),
            watch: Watch::new(policy, clock::now()),
            attempt: 1,
            earlier: 0,
            readers: [OutputReader::new(Stream::Stdout), OutputReader::new(Stream::Stderr)],
            logs: Logs::open(own)?,
            folder: output.path.clone(),
            followed: BTreeMap::new(),
            alarms: Vec::new(),
            stopped_by: None,
            params: BTreeMap::new(),
        };
        Ok(Self { shared: Arc::new(Shared { inner: Mutex::new(inner), cancel }), ticker: None })
    }

    pub(crate) fn shared(&self) -> Arc<Shared> {
        Arc::clone(&self.shared)
    }

    /// Begins to look at files and the disk.
    pub(crate) fn watch(&mut self) {
        if self.ticker.is_none() {
            let (stop, stopped) = channel();
            let shared = self.shared();
            let look = move || {
                while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(INTERVAL) {
                    shared.look();
                }
            };
            let thread = std::thread::Builder::new().name("experiment".to_owned()).spawn(look);
            self.ticker = thread.ok().map(|thread| Ticker { stop, thread });
        }
    }

    /// Another attempt of the same run begins: its steps stand in place of those of the attempts before.
    pub(crate) fn next_attempt(&self, number: u32) {
        let mut inner = self.shared.lock();
        inner.attempt = inner.earlier.saturating_add(number);
    }

    /// Takes the curves of earlier runs in the output folder: what follows are later attempts.
    pub(crate) fn continue_curves(&self) {
        self.shared.lock().continue_curves(clock::now());
    }

    /// Takes what is still to be read. The program has ended.
    pub(crate) fn finish(&mut self) -> Collected {
        if let Some(Ticker { stop, thread }) = self.ticker.take() {
            drop(stop);
            let _ = thread.join();
        }
        let mut inner = self.shared.lock();
        inner.finish()
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn output(&self, stream: Stream, bytes: &[u8]) {
        let now = clock::now();
        let mut inner = self.lock();
        inner.watch.hear(now);
        inner.logs.write(stream, bytes, now);
        let mut points = Vec::new();
        inner.readers[index(stream)].push(bytes, Some(now), &mut points);
        self.take(&mut inner, points, now);
    }

    /// Takes a point from a tracking server.
    pub(crate) fn point(&self, point: MetricPoint) {
        self.take(&mut self.lock(), vec![point], clock::now());
    }

    pub(crate) fn param(&self, key: String, value: String) {
        self.lock().params.insert(key, value);
    }

    /// Looks at the files of metrics in the output folder, and at the disk.
    fn look(&self) {
        let now = clock::now();
        let mut inner = self.lock();
        let points = inner.follow(now);
        self.take(&mut inner, points, now);
        let free =
            rustix::fs::statvfs(&inner.folder).ok().map(|disk| disk.f_bavail.saturating_mul(disk.f_frsize));
        let alarms = inner.watch.tick(now, free);
        self.raise(&mut inner, &alarms);
    }

    fn take(&self, inner: &mut Inner, points: Vec<MetricPoint>, now: Moment) {
        for point in points {
            let alarms = inner.watch.observe(&point, now);
            inner.add(&point);
            self.raise(inner, &alarms);
        }
    }

    fn raise(&self, inner: &mut Inner, alarms: &[Alarm]) {
        for alarm in alarms {
            let text = describe(alarm);
            inner.logs.alarm(&text, clock::now());
            if inner.watch.policy().on_alarm == OnAlarm::Stop && inner.stopped_by.is_none() {
                inner.stopped_by = Some(text.clone());
                self.cancel.cancel();
            }
            if inner.alarms.len() < MOST_ALARMS {
                inner.alarms.push(text);
            }
        }
    }
}

/// An alarm as a sentence.
fn describe(alarm: &Alarm) -> String {
    let seconds = |span: &Duration| Span(*span).to_string();
    match alarm {
        Alarm::NotFinite { key, value, step } => {
            let step = step.map(|step| format!(" at step {step}")).unwrap_or_default();
            format!("{key} is {value}{step}")
        }
        Alarm::Stalled { silent } => format!("no output and no new metric for {}", seconds(silent)),
        Alarm::DiskLow { free, least } => {
            format!("{} are free on the disk of the output folder; {} should be", Bytes(*free), Bytes(*least))
        }
        Alarm::DiskFilling { free, rate, within } => format!(
            "the disk of the output folder will be full in about {}: {} are free, and {} are written each second",
            seconds(within),
            Bytes(*free),
            Bytes(*rate)
        ),
    }
}

fn index(stream: Stream) -> usize {
    match stream {
        Stream::Stdout => 0,
        Stream::Stderr => 1,
    }
}

impl Inner {
    fn add(&mut self, point: &MetricPoint) {
        self.curves.append(self.attempt, point);
        self.logs.point(point, self.attempt);
    }

    fn continue_curves(&mut self, now: Moment) {
        let Ok(root) = Root::open(&self.folder) else { return };
        let earlier = history::read(&root, MOST_POINT_BYTES);
        for (point, attempt) in &earlier.points {
            self.curves.append(*attempt, point);
        }
        self.earlier = earlier.attempts;
        self.attempt = earlier.attempts;
        self.logs.continue_points(&root, &earlier);
        // What files had more by when the earlier run was killed is its own; the rest is known.
        let mut points = self.follow(now);
        points.retain(|point| !earlier.has(point));
        points.iter().for_each(|point| self.add(point));
    }

    /// New points of files in the output folder. The folder is the program's: links are not followed.
    fn follow(&mut self, now: Moment) -> Vec<MetricPoint> {
        let Ok(root) = Root::open(&self.folder) else { return Vec::new() };
        let mut points = Vec::new();
        for entry in root.walk(MOST_ENTRIES).unwrap_or_default() {
            let is_own = entry.path.to_str().is_none_or(|path| artifacts::OWN.contains(&path));
            if entry.facts.kind != Kind::File || is_own {
                continue;
            }
            if !self.followed.contains_key(&entry.path) && self.followed.len() < MOST_FILES {
                let reader = MetricReader::for_file(&entry.path.to_string_lossy());
                self.followed.extend(reader.map(|reader| (entry.path.clone(), FollowedFile::new(reader))));
            }
            points.extend(self.read_on(&root, &entry.path, now));
        }
        points
    }

    fn read_on(&mut self, root: &Root, path: &Path, now: Moment) -> Vec<MetricPoint> {
        let mut points = Vec::new();
        let Some(followed) = self.followed.get_mut(path) else { return points };
        let Ok(file) = root.open_file(path) else { return points };
        while let Ok(Update { points: new, is_rewritten, has_more }) = followed.read_on(&file, Some(now)) {
            if is_rewritten {
                self.curves.forget_since(followed.reader().source(), self.earlier.saturating_add(1));
            }
            points.extend(new);
            if !has_more {
                break;
            }
        }
        points
    }

    fn finish(&mut self) -> Collected {
        let now = clock::now();
        let mut points = Vec::new();
        self.readers.iter_mut().for_each(|reader| reader.finish(Some(now), &mut points));
        points.extend(self.follow(now));
        self.followed.values_mut().for_each(|file| points.extend(file.finish(Some(now))));
        points.iter().for_each(|point| self.add(point));
        self.logs.finish(now);
        let all_points = std::mem::take(&mut self.logs.all_points);
        let curves = if self.earlier > 0 { history::join(&all_points) } else { all_points };
        Collected {
            metrics: self.curves.summaries().iter().map(summary).collect(),
            alarms: std::mem::take(&mut self.alarms),
            stopped_by: self.stopped_by.take(),
            curves,
            is_whole: !self.logs.is_cut,
            params: std::mem::take(&mut self.params),
        }
    }
}

fn summary(of: &Summary) -> MetricSummary {
    let finite = |value: f64| value.is_finite().then_some(value);
    MetricSummary {
        name: of.key.clone(),
        count: of.count,
        last: finite(of.last),
        last_text: of.last.to_string(),
        last_step: of.last_step,
        min: of.min.map(|one| one.value),
        max: of.max.map(|one| one.value),
        best: of.best.map(|one| one.value),
        best_step: of.best.and_then(|one| one.step),
        not_finite: of.not_finite,
    }
}

/// The files that are written while the program runs.
struct Logs {
    streams: [File; 2],
    lines: File,
    points: File,
    /// Lines that are not whole yet.
    waiting: [Vec<u8>; 2],
    all_points: Vec<u8>,
    /// There were more.
    is_cut: bool,
}

/// More points are in the file, and not in the record.
const MOST_POINT_BYTES: usize = 64 << 20;

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct LogLine<'a> {
    t: Moment,
    stream: &'a str,
    text: &'a str,
}

impl Logs {
    fn open(output: &OutputFolder) -> std::io::Result<Self> {
        Ok(Self {
            streams: [output.append_file("stdout.log")?, output.append_file("stderr.log")?],
            lines: output.append_file("log.jsonl")?,
            points: output.append_file(ExperimentResult::METRICS)?,
            waiting: [Vec::new(), Vec::new()],
            all_points: Vec::new(),
            is_cut: false,
        })
    }

    /// Begins with the points of earlier runs. A line that was cut when one was killed is ended.
    fn continue_points(&mut self, root: &Root, earlier: &History) {
        self.is_cut = earlier.is_cut;
        earlier.points.iter().for_each(|(point, attempt)| {
            self.all_points.extend_from_slice(history::line(point, *attempt).as_bytes());
        });
        if !history::ends_whole(root, ExperimentResult::METRICS) {
            let _ = self.points.write_all(b"\n");
        }
        if !history::ends_whole(root, "log.jsonl") {
            let _ = self.lines.write_all(b"\n");
        }
    }

    /// A log that cannot be written, such as on a full disk, does not stop the program: its output is in the record.
    fn write(&mut self, stream: Stream, bytes: &[u8], now: Moment) {
        let at = index(stream);
        let _ = self.streams[at].write_all(bytes);
        let mut lines = Vec::new();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let room = LONGEST_LINE.saturating_sub(self.waiting[at].len()).min(piece.len());
            self.waiting[at].extend_from_slice(&piece[..room]);
            if piece.ends_with(b"\n") {
                lines.extend(log_line(stream.name(), &self.waiting[at], now));
                self.waiting[at].clear();
            }
        }
        let _ = self.lines.write_all(&lines);
    }

    fn alarm(&mut self, text: &str, now: Moment) {
        let _ = self.lines.write_all(&log_line("actum", text.as_bytes(), now));
    }

    fn point(&mut self, point: &MetricPoint, attempt: u32) {
        let line = history::line(point, attempt);
        let _ = self.points.write_all(line.as_bytes());
        match self.all_points.len() + line.len() <= MOST_POINT_BYTES {
            true => self.all_points.extend_from_slice(line.as_bytes()),
            false => self.is_cut = true,
        }
    }

    fn finish(&mut self, now: Moment) {
        for stream in Stream::ALL {
            let rest = std::mem::take(&mut self.waiting[index(stream)]);
            if !rest.is_empty() {
                let _ = self.lines.write_all(&log_line(stream.name(), &rest, now));
            }
        }
        let _ = self.streams.iter().chain([&self.lines, &self.points]).try_for_each(File::sync_data);
    }
}

fn log_line(stream: &str, text: &[u8], now: Moment) -> Vec<u8> {
    let text = String::from_utf8_lossy(text);
    let line = LogLine { t: now, stream, text: text.trim_end_matches(['\n', '\r']) };
    let mut bytes = serde_json::to_vec(&line).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}
