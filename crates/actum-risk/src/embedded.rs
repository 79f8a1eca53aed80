//! One language inside another: the shell in a call, SQL in a string, Python behind `-c`.

use super::found::Findings;
use super::{Place, Tongue, calls, shell, sql};

/// Looks at a piece of code in its own language.
pub(super) fn look(tongue: Tongue, code: &str, place: Place, findings: &mut Findings) {
    match tongue {
        Tongue::Shell => shell::look(code, place, findings),
        Tongue::Sql => sql::look(code, sql::Where::TheRequest, place, findings),
        Tongue::Calls(language) => calls::look(language, code, place, findings),
    }
}

/// Looks at a piece of another language that begins at `line`, unless it lies too deep.
pub(super) fn look_within(tongue: Tongue, code: &str, place: Place, line: u32, findings: &mut Findings) {
    if let Some(place) = place.within(line) {
        look(tongue, code, place, findings);
    }
}
