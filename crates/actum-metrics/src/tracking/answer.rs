//! Answers, and failures with the words that MLflow's client knows.

use super::TrackingRequest;
use actum_output::analyse::shown;
use serde_json::{Value, json};

/// What a route answers.
pub(super) type Answer = Result<Value, Failure>;

/// What is sent back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    pub status: u16,
    pub content_type: &'static str,
    pub body: Vec<u8>,
}

/// Why a request was refused.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Failure {
    status: u16,
    code: &'static str,
    message: String,
}

impl Response {
    pub(super) fn json(value: &Value) -> Self {
        Self { status: 200, content_type: "application/json", body: value.to_string().into_bytes() }
    }

    pub(super) fn text(text: &str) -> Self {
        Self { status: 200, content_type: "text/plain; charset=utf-8", body: text.as_bytes().to_vec() }
    }

    pub(super) fn failure(failure: &Failure) -> Self {
        let value = json!({ "error_code": failure.code, "message": failure.message });
        Self { status: failure.status, ..Self::json(&value) }
    }
}

impl Failure {
    pub(super) fn invalid(message: impl Into<String>) -> Self {
        Self { status: 400, code: "INVALID_PARAMETER_VALUE", message: message.into() }
    }

    pub(super) fn missing(what: &str, name: &str) -> Self {
        let message = format!("{what} '{}' not found", shown(name, 100));
        Self { status: 404, code: "RESOURCE_DOES_NOT_EXIST", message }
    }

    pub(super) fn exists(what: &str, name: &str) -> Self {
        let message = format!("{what} '{}' already exists", shown(name, 100));
        Self { status: 400, code: "RESOURCE_ALREADY_EXISTS", message }
    }

    pub(super) fn state(message: impl Into<String>) -> Self {
        Self { status: 400, code: "INVALID_STATE", message: message.into() }
    }

    /// Not 429: the client would repeat the request for minutes.
    pub(super) fn full(of: &str) -> Self {
        let message = format!("the tracking server keeps no more {of}");
        Self { status: 400, code: "RESOURCE_LIMIT_EXCEEDED", message }
    }

    pub(super) fn no_artifacts() -> Self {
        let message = "artifacts are written to the folder that the run's artifact_uri names; this server does not pass them on";
        Self { status: 501, code: "NOT_IMPLEMENTED", message: message.to_owned() }
    }

    pub(super) fn no_endpoint(request: &TrackingRequest<'_>) -> Self {
        if request.path.contains("/mlflow-artifacts/") {
            return Self::no_artifacts();
        }
        let message = format!("there is no {} {}", shown(request.method, 20), shown(request.path, 200));
        Self { status: 404, code: "ENDPOINT_NOT_FOUND", message }
    }
}
