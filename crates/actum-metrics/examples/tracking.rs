//! A tracking server for measurements: serves on a free port, writes the port to stdout, and ends with its stdin.
//!
//! `tracking` answers as MLflow does; `tracking --empty` answers `{}` to everything, which is the least that any server can do.

use actum_metrics::serve::{HttpServer, ServeOptions};
use actum_metrics::tracking::{Response, TrackingOptions, TrackingServer};
use actum_model::Moment;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::time::SystemTime;

fn main() -> std::io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    writeln!(std::io::stdout(), "{}", listener.local_addr()?.port())?;
    let (listeners, options) = (vec![listener.into()], ServeOptions::default());
    let is_empty = std::env::args().any(|argument| argument == "--empty");
    let server = if is_empty {
        let answer = Response { status: 200, content_type: "application/json", body: b"{}".to_vec() };
        HttpServer::start(listeners, options, Box::new(move |_| answer.clone()))?
    } else {
        let artifact_root = std::env::temp_dir().join("actum-tracking-example").display().to_string();
        let tracking = TrackingServer::new(TrackingOptions { artifact_root, seed: [1; 32] }, now());
        HttpServer::start_tracking(listeners, options, tracking, Box::new(now), Box::new(drop))?
    };
    std::io::stdin().read_to_end(&mut Vec::new())?;
    server.stop();
    Ok(())
}

fn now() -> Moment {
    let since = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
    Moment(since.as_micros() as u64)
}
