//! The tracking server that a program finds at `MLFLOW_TRACKING_URI`: on its own loopback, answered by threads of ours.

use crate::live_metrics::Shared;
use crate::manifest::Manifest;
use crate::output_folder::OutputFolder;
use actum_engine::clock;
use actum_metrics::serve::{HttpServer, ServeOptions};
use actum_metrics::tracking::{TrackingEvent, TrackingOptions, TrackingServer};
use actum_model::Digest;
use rustix::fd::OwnedFd;
use std::sync::Arc;

/// The folder of artifacts that a client logs, in the output folder.
const ARTIFACTS: &str = "artifacts";

/// Serves one attempt after the other.
pub(crate) struct Tracking {
    collected: Arc<Shared>,
    options: TrackingOptions,
    server: Option<HttpServer>,
}

impl Tracking {
    pub(crate) fn new(collected: Arc<Shared>, manifest: &Manifest, output: &OutputFolder) -> Self {
        let options = TrackingOptions {
            artifact_root: output.path.join(ARTIFACTS).to_string_lossy().into_owned(),
            seed: ids(manifest),
        };
        Self { collected, options, server: None }
    }

    /// Serves an attempt. A server that cannot be started is found by the program, as one that does not answer.
    pub(crate) fn serve(&mut self, listeners: Vec<OwnedFd>) {
        self.stop();
        let server = TrackingServer::new(self.options.clone(), clock::now());
        let collected = Arc::clone(&self.collected);
        let take = Box::new(move |event| match event {
            TrackingEvent::Metric(point) => collected.point(point),
            TrackingEvent::Param { key, value, .. } => collected.param(key, value.into_string()),
            TrackingEvent::RunStarted { .. }
            | TrackingEvent::Tag { .. }
            | TrackingEvent::Input { .. }
            | TrackingEvent::RunEnded { .. } => {}
        });
        let clock = Box::new(clock::now);
        self.server =
            HttpServer::start_tracking(listeners, ServeOptions::default(), server, clock, take).ok();
    }

    /// Waits for what is being answered.
    pub(crate) fn stop(&mut self) {
        if let Some(server) = self.server.take() {
            server.stop();
        }
    }
}

/// What the server's ids are made from: the seed, so that a repeated run prints the same ones; and the run where nothing is pinned.
fn ids(manifest: &Manifest) -> [u8; 32] {
    let from = match manifest.determinism.profile.as_str() {
        "record" => manifest.run.to_string(),
        _ => format!("seed {}", manifest.seed.value),
    };
    Digest::of(format!("actum tracking ids, {from}")).0
}
