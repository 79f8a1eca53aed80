//! The story of one experiment: prepared, run by the engine, collected while it runs, and accounted for before its record is sealed.

use crate::artifacts;
use crate::checklist;
use crate::error::ExperimentError;
use crate::forward::Forward;
use crate::kept_manifest;
use crate::live_metrics::{Collected, Collector};
use crate::manifest::Manifest;
use crate::next_steps::{self, Situation};
use crate::output_folder::OutputFolder;
use crate::prepared::PreparedExperiment;
use crate::result::{ExperimentResult, MetricSummary};
use crate::tracking::Tracking;
use actum_engine::{Attachment, CancelHandle, Controls, Decision, Engine, OutputForm, RunResult, Sink};
use actum_model::{Happened, Metric, Report, Stream};
use actum_parameters::resume::{self, FileFacts};
use rustix::fd::{BorrowedFd, OwnedFd};
use std::io;
use std::path::Path;

/// An experiment that was run.
pub struct FinishedExperiment {
    pub run: RunResult,
    pub manifest: Manifest,
    /// Absent where nothing ran.
    pub result: Option<ExperimentResult>,
}

/// Runs a prepared experiment. The sink gets output and events as of any run.
pub fn run(
    engine: &Engine,
    prepared: PreparedExperiment,
    sink: &mut dyn Sink,
) -> Result<FinishedExperiment, ExperimentError> {
    let cancel = prepared.cancel.clone();
    let failed = |source| ExperimentError::Output { path: prepared.output.path.clone(), source };
    let own = prepared.logs.as_ref().unwrap_or(&prepared.output);
    let collector = Collector::begin((&prepared.output, own), prepared.asked.watch.clone(), cancel.clone())
        .map_err(failed)?;
    if prepared.continues {
        prepared.write_manifest(&prepared.manifest)?;
        collector.continue_curves();
    }
    let request = &prepared.request;
    let mut recording = Recording {
        inner: sink,
        engine,
        output: &prepared.output,
        own,
        patch: prepared.patch.as_deref(),
        manifest: prepared.manifest.clone(),
        tracking: Tracking::new(collector.shared(), &prepared.manifest, &prepared.output),
        collector,
        attempts: 0,
        continues: prepared.continues,
        cancel,
        forward: None,
        result: None,
    };
    let run = engine.run(request, &mut recording);
    kept_manifest::remove(engine, recording.manifest.run);
    let run = run?;
    let Recording { manifest, result, .. } = recording;
    Ok(FinishedExperiment { run, manifest, result })
}

/// Stands between the engine and the caller's sink.
struct Recording<'a> {
    inner: &'a mut dyn Sink,
    engine: &'a Engine,
    output: &'a OutputFolder,
    /// Where files of ours go.
    own: &'a OutputFolder,
    patch: Option<&'a Path>,
    manifest: Manifest,
    collector: Collector,
    tracking: Tracking,
    attempts: u32,
    continues: bool,
    cancel: CancelHandle,
    forward: Option<Forward>,
    result: Option<ExperimentResult>,
}

impl Sink for Recording<'_> {
    fn output(&mut self, stream: Stream, bytes: &[u8]) -> io::Result<()> {
        self.collector.shared().output(stream, bytes);
        self.inner.output(stream, bytes)
    }

    fn event(&mut self, event: Happened) {
        if let Happened::AttemptStarted { .. } = &event {
            self.attempts += 1;
            if self.attempts == 1 {
                kept_manifest::write(self.engine, &self.manifest);
            }
            self.collector.next_attempt(self.attempts);
            self.collector.watch();
        }
        self.inner.event(event);
    }

    fn decide(&mut self, question: &[String]) -> io::Result<Decision> {
        self.inner.decide(question)
    }

    fn begin(&mut self) -> Controls {
        let Controls { cancel, resized } = self.inner.begin();
        // The run listens to our handle, to which the watch speaks as well.
        self.forward = cancel.and_then(|from| Forward::begin(from, self.cancel.clone()).ok());
        Controls { cancel: None, resized }
    }

    fn finish(&mut self, cancel: Option<BorrowedFd<'_>>) {
        self.forward = None;
        self.inner.finish(cancel);
    }

    fn serve(&mut self, listeners: Vec<OwnedFd>) {
        self.tracking.serve(listeners);
    }

    fn attach(&mut self, report: &Report) -> Vec<Attachment> {
        self.tracking.stop();
        kept_manifest::hand_over(self.engine, self.manifest.run);
        let collected = self.collector.finish();
        let mut attachments = self.inner.attach(report);
        attachments.extend(self.account(report, collected));
        attachments
    }

    fn form(&self) -> OutputForm {
        self.inner.form()
    }

    fn room(&mut self) -> [usize; 2] {
        self.inner.room()
    }

    fn waits_for(&self) -> [Option<BorrowedFd<'static>>; 2] {
        self.inner.waits_for()
    }
}

impl Recording<'_> {
    /// Completes the manifest, writes the result, and gives what is kept with the record.
    fn account(&mut self, report: &Report, collected: Collected) -> Vec<Attachment> {
        let Collected { metrics, alarms, stopped_by, curves, is_whole, params } = collected;
        let lock = self.lock();
        self.complete_manifest(report, params);
        let artifacts = artifacts::list(&self.output.path);
        let metrics = with_reported(metrics, &report.analysis.metrics);
        let checkpoint = newest_checkpoint(&self.output.path);
        let situation = Situation {
            manifest: &self.manifest,
            report,
            metrics: &metrics,
            checkpoint: checkpoint.as_deref(),
            alarm: stopped_by.as_deref(),
        };
        let result = ExperimentResult {
            v: ExperimentResult::VERSION,
            run: self.manifest.run,
            name: self.manifest.name.clone(),
            outcome: report.outcome,
            exit_code: report.exit_code,
            started_at: report.execution.started_at,
            duration: duration(report),
            output: self.output.shown.clone(),
            next_steps: next_steps::suggest(situation),
            checklist: checklist::check(&self.manifest),
            metrics,
            artifacts: artifacts.listed,
            artifacts_left_out: artifacts.left_out,
            alarms,
        };
        let (manifest, account) = (json(&self.manifest), json(&result));
        // The record has both; a folder that cannot be written by now takes nothing from it.
        let _ = self.own.write(Manifest::FILE, &manifest);
        let _ = self.own.write(ExperimentResult::FILE, &account);
        if self.continues && is_whole {
            let _ = self.own.write(ExperimentResult::METRICS, &curves);
        }
        self.result = Some(result);
        let patch = self.patch.and_then(|patch| actum_gate::own::read(patch).ok());
        let all = [
            (Manifest::FILE, Some(manifest)),
            (ExperimentResult::FILE, Some(account)),
            (ExperimentResult::METRICS, Some(curves)),
            (Manifest::PATCH, patch),
            (Manifest::LOCK, lock),
        ];
        let attachment = |(name, bytes): (&str, Option<Vec<u8>>)| {
            Some(Attachment { name: name.to_owned(), bytes: bytes? })
        };
        all.into_iter().filter_map(attachment).filter(|one| !one.bytes.is_empty()).collect()
    }

    /// The lock of the environment that was prepared for the run.
    fn lock(&self) -> Option<Vec<u8>> {
        let kept = self.engine.store().find(&self.manifest.run.to_string()).ok()?;
        actum_gate::own::read(&kept.folder.join(actum_run::LOCK)).ok()
    }

    fn complete_manifest(&mut self, report: &Report, params: std::collections::BTreeMap<String, String>) {
        let environment = &mut self.manifest.environment;
        if let Some(prepared) = &report.environment.prepared {
            environment.lock = Some(prepared.lock);
            environment.packages = prepared.packages.clone();
        }
        if let (None, Some(runtime)) = (&environment.interpreter, &report.environment.runtime) {
            environment.interpreter = Some(crate::manifest::InterpreterFacts {
                name: runtime.name.clone(),
                path: runtime.path.clone(),
                version: runtime.version.clone(),
                sha256: None,
            });
        }
        for (name, value) in params {
            if self.manifest.parameters.iter().all(|one| one.name != name) {
                let value = serde_json::Value::String(value);
                let origin = crate::manifest::ParameterOrigin::Program;
                self.manifest.parameters.push(crate::manifest::ParameterFacts { name, value, origin });
            }
        }
    }
}

fn json<T: serde::Serialize>(value: &T) -> Vec<u8> {
    let mut text = serde_json::to_vec_pretty(value).expect("BUG: these types are JSON");
    text.push(b'\n');
    text
}

fn duration(report: &Report) -> actum_model::Span {
    let micros = report.execution.completed_at.0.saturating_sub(report.execution.started_at.0);
    actum_model::Span(std::time::Duration::from_micros(micros))
}

/// Metrics that only the report has: from files outside of the output folder.
fn with_reported(mut metrics: Vec<MetricSummary>, reported: &[Metric]) -> Vec<MetricSummary> {
    for metric in reported {
        let is_known = metrics.iter().any(|one| one.name == metric.name);
        if !is_known {
            let finite = metric.value.is_finite().then_some(metric.value);
            metrics.push(MetricSummary {
                name: metric.name.clone(),
                count: 1,
                last: finite,
                last_text: metric.literal.clone(),
                last_step: metric.step,
                min: finite,
                max: finite,
                best: finite,
                best_step: metric.step,
                not_finite: u64::from(finite.is_none()),
            });
        }
    }
    metrics
}

/// The newest checkpoint in the output folder, by the names and times of its files.
fn newest_checkpoint(folder: &Path) -> Option<String> {
    const MOST: usize = 100_000;
    let root = actum_gate::Root::open(folder).ok()?;
    let walked = root.walk(MOST).ok()?;
    let files = walked.into_iter().map(|entry| FileFacts {
        path: entry.path.to_string_lossy().into_owned(),
        modified: entry.facts.modified,
        size: entry.facts.size,
    });
    resume::newest_checkpoint(&files.collect::<Vec<_>>()).map(|newest| newest.path)
}
