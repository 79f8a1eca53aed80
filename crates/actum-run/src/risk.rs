//! What a request could do to the world around it, weighed by its walls.

use crate::error::RunError;
use crate::extract::Extracted;
use crate::inspect::{self, Database, Inspection, Setting};
use crate::request::Request;
use actum_model::{Risk, Seen};
use actum_sandbox::Sandboxes;

/// Looks at every program of a request before any of them runs.
pub fn weigh(request: &Request, sandboxes: &Sandboxes, extracted: &Extracted<'_>) -> Result<Risk, RunError> {
    let tier = sandboxes.tier(&request.attempt)?;
    let url = request.variable("DATABASE_URL").map(|url| url.to_string_lossy().into_owned());
    let database = match (&request.database, url) {
        (Some(file), _) => Database::File(file.clone()),
        (None, Some(url)) if crate::language::Connection::is_meant(&url) => Database::Postgres,
        (None, Some(_) | None) => Database::Memory,
    };
    let setting = Setting {
        policy: &request.attempt.policy,
        tier,
        workspace: &request.attempt.workspace,
        database: Some(&database),
    };
    let all = extracted.parts.iter().map(crate::extract::Part::inspect).reduce(and).unwrap_or_default();
    let mut risk = inspect::judge(all, &setting);
    request.redaction.risk(&mut risk);
    Ok(risk)
}

/// What two texts hold together.
pub(crate) fn and(mut one: Inspection, other: Inspection) -> Inspection {
    one.found.extend(other.found);
    one.beyond += other.beyond;
    one.seen = match (one.seen, other.seen) {
        (Seen::Whole, Seen::Whole) => Seen::Whole,
        (Seen::Nothing, _) | (_, Seen::Nothing) => Seen::Nothing,
        (Seen::Beginning, _) | (_, Seen::Beginning) => Seen::Beginning,
    };
    one
}
