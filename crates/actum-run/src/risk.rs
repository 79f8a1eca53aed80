//! What a request could do to the world around it, weighed by its walls.

use crate::error::RunError;
use crate::extract::Extracted;
use crate::request::Request;
use actum_model::Risk;
use actum_risk::{self as inspect, Database, Inspection, Setting};
use actum_sandbox::Sandboxes;

/// Looks at every program of a request before any of them runs.
pub fn weigh(request: &Request, sandboxes: &Sandboxes, extracted: &Extracted<'_>) -> Result<Risk, RunError> {
    let tier = sandboxes.tier(&request.attempt)?;
    let url = request.variable("DATABASE_URL").map(|url| url.to_string_lossy().into_owned());
    let database = match (&request.database, url) {
        (Some(file), _) => Database::File(file.clone()),
        (None, Some(url)) if actum_languages::Connection::is_meant(&url) => Database::Postgres,
        (None, Some(_) | None) => Database::Memory,
    };
    let setting = Setting {
        policy: &request.attempt.policy,
        tier,
        workspace: &request.attempt.workspace,
        database: Some(&database),
    };
    let all =
        extracted.parts.iter().map(crate::extract::Part::inspect).reduce(Inspection::and).unwrap_or_default();
    let mut risk = inspect::judge(all, &setting);
    request.redaction.risk(&mut risk);
    Ok(risk)
}
