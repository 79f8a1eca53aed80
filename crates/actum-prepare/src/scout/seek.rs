//! Sends the scout out, inside the walls.

use super::{SCRIPT, SECONDS, Scouted, Sought, read};
use crate::cache::Cache;
use crate::confined::{Program, Task, carry_out, refused};
use crate::index;
use crate::uv;
use crate::{Interpreter, Kit, PrepareError, Reach, Stage};
use actum_model::Span;

/// What the script's own bound leaves out: its start, and the last answer that it waits for.
const GRACE: u32 = 10;

/// Looks for a release that has it. None where there is nobody to ask, or no answer came.
///
/// `python` runs the script: any interpreter of 3.8 and newer. An index that is away is an answer (`failed`), not an error.
pub fn seek(
    sought: &Sought,
    kit: &Kit<'_>,
    python: &Interpreter,
    tell: &mut dyn FnMut(Stage),
) -> Result<Option<Scouted>, PrepareError> {
    if kit.packages.reach == Reach::Offline {
        return Ok(None);
    }
    let cache = Cache::open(kit.cache)?;
    let mut indexes = index::configured(kit);
    if indexes.main.is_none() {
        indexes.main = uv::find(kit, &cache, python, tell)?.index;
    }
    let Some(url) = indexes.main.clone() else { return Ok(None) };
    let names = [sought.package.clone()];
    let reachable = index::reachable(kit, &cache, &indexes, (python.tool(), &names))?;
    let mut variables = index::client_variables(kit);
    variables.push(("ACTUM_INDEXES".into(), url.into()));
    let words = ["-I", "-S", "-c", SCRIPT];
    let task = Task {
        doing: "search older releases",
        program: Program::Tool(python.tool().clone()),
        arguments: words.into_iter().map(Into::into).chain([sought.argument().into()]).collect(),
        folder: &cache.nowhere(),
        reads: index::certificates(kit),
        writes: Vec::new(),
        variables,
        hosts: Some(&reachable),
        wall: Span::seconds((SECONDS + GRACE).into()),
    };
    let said = carry_out(kit, &task)?;
    if matches!(said.ending, actum_model::Ending::Cancelled) {
        return Err(refused(task.doing, &said));
    }
    Ok(read(&said.stdout))
}
