//! SQL: which statements write, and to which database.

mod statements;

use super::found::{Findings, Found, Reach, Weight, shown};
use super::{Place, Tongue, embedded};
use actum_model::OperationKind;
use statements::{Form, Statement, Verdict};

/// Which database the statements are for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Where {
    /// The one that the request names.
    TheRequest,
    /// One that a program opened itself.
    Unknown,
    /// A server that a client speaks to.
    Server,
    Memory,
    File(Reach),
}

impl Where {
    fn reach(&self) -> Reach {
        match self {
            Where::TheRequest => Reach::Database,
            Where::Unknown => Reach::Unknown,
            Where::Server => Reach::Server,
            Where::Memory => Reach::Temporary,
            Where::File(reach) => reach.clone(),
        }
    }
}

/// Looks at statements.
pub(super) fn look(code: &str, database: Where, place: Place, findings: &mut Findings) {
    let form = match database {
        Where::TheRequest | Where::Server | Where::Memory | Where::File(_) => Form::Script,
        Where::Unknown => Form::Embedded,
    };
    look_at((code, form), &database, place, findings);
}

fn look_at((code, form): (&str, Form), database: &Where, place: Place, findings: &mut Findings) {
    for statement in statements::split(code) {
        let line = place.line.saturating_add(statement.line - 1);
        for verdict in statements::judge(&statement, form) {
            match verdict {
                Verdict::Writes { kind, weight } => {
                    findings.add(found(&statement, (kind, weight), line, database.reach()));
                }
                Verdict::WritesFile(path) => {
                    let what = (OperationKind::OverwriteOutside, Weight::Plain);
                    findings.add(found(&statement, what, line, Reach::of_path(&path)));
                }
                Verdict::Statements(body) => {
                    if let Some(inner) = place.within(line) {
                        look_at((body, Form::Embedded), database, inner, findings);
                    }
                }
                Verdict::Shell(command) => {
                    embedded::look_within(Tongue::Shell, command, place, line, findings);
                }
            }
        }
    }
}

fn found(
    statement: &Statement<'_>,
    (kind, weight): (OperationKind, Weight),
    line: u32,
    reach: Reach,
) -> Found {
    Found { kind, what: shown(statement.written), line, weight, reach }
}
