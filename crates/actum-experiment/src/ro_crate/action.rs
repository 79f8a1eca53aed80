//! The run itself: one `CreateAction` with what it used and what it made.

use super::entities::{self, AUTHOR, property, put_references};
use super::{CrateFile, CrateInput, FileRole, paths};
use crate::compare::value_text;
use crate::manifest::Manifest;
use actum_model::{Digest, Moment, Outcome};
use serde_json::{Value, json};

/// The action and everything that only it names.
pub(super) struct Action {
    pub id: String,
    pub entities: Vec<Value>,
}

pub(super) fn entities(input: CrateInput<'_>, files: &[CrateFile]) -> Action {
    let manifest = input.manifest;
    let id = format!("#run-{}", manifest.run);
    let (program, mut all) = programs(input);
    let values = values(input);
    let command = entities::line(&manifest.command.words.join(" "));
    let started = input.result.map_or(manifest.created_at, |result| result.started_at);
    let mut action = json!({
        "@id": id,
        "@type": "CreateAction",
        "name": entities::line(&format!("Run {}", manifest.name)),
        "description": command,
        "instrument": { "@id": program },
        "agent": { "@id": AUTHOR },
        "startTime": entities::time(started),
    });
    end(input, started, &mut action);
    if let Some(action) = action.as_object_mut() {
        let is = |wanted: &[FileRole]| -> Vec<String> {
            let wanted = files.iter().filter(|file| wanted.contains(&input.sources[file.source].role));
            wanted.map(|file| paths::address(&file.path)).collect()
        };
        let used = [FileRole::Input, FileRole::Config, FileRole::Patch, FileRole::Lock];
        let objects: Vec<String> = is(&used).into_iter().chain(values.parameters.iter().map(id_of)).collect();
        let made =
            [FileRole::Output, FileRole::Stdout, FileRole::Stderr, FileRole::Metrics, FileRole::Result];
        let results: Vec<String> = is(&made).into_iter().chain(values.metrics.iter().map(id_of)).collect();
        put_references(action, "object", &objects);
        put_references(action, "result", &results);
        let environment: Vec<String> = values.environment.iter().map(id_of).collect();
        put_references(action, "environment", &environment);
    }
    all.push(action);
    all.extend(values.parameters);
    all.extend(values.environment);
    all.extend(values.metrics);
    Action { id, entities: all }
}

fn id_of(entity: &Value) -> String {
    entity["@id"].as_str().unwrap_or_default().to_owned()
}

/// When and how it ended. The profile knows completed and failed actions with an end and no others, so a run whose end was not recorded has
/// failed, and the error says what its end stands for.
fn end(input: CrateInput<'_>, started: Moment, action: &mut Value) {
    let Some(result) = input.result else {
        action["endTime"] = json!(entities::time(input.publication.published_at.max(started)));
        action["actionStatus"] = json!("http://schema.org/FailedActionStatus");
        action["error"] =
            json!("the end of the run was not recorded; its end time is when this crate was made");
        return;
    };
    let micros = u64::try_from(result.duration.0.as_micros()).unwrap_or(u64::MAX);
    // The last moment with a year of four digits.
    let ended = Moment(started.0.saturating_add(micros).min(253_402_300_799_000_000));
    action["endTime"] = json!(entities::time(ended));
    let failed = match result.outcome {
        Outcome::Success => None,
        Outcome::Failure
        | Outcome::Error
        | Outcome::Timeout
        | Outcome::Cancelled
        | Outcome::Skipped
        | Outcome::Lost => Some(format!("{}: exit code {}", result.outcome, result.exit_code.get())),
    };
    let status = if failed.is_some() { "FailedActionStatus" } else { "CompletedActionStatus" };
    action["actionStatus"] = json!(format!("http://schema.org/{status}"));
    if let Some(error) = failed {
        action["error"] = json!(error);
    }
}

/// The program, its interpreter and Actum. The first is returned by its address as well.
fn programs(input: CrateInput<'_>) -> (String, Vec<Value>) {
    let manifest = input.manifest;
    let words = &manifest.command.words;
    let name = words.iter().find(|word| is_script(word)).or(words.first()).map_or("program", String::as_str);
    let (id, version) = identity(manifest, name);
    let repository =
        input.publication.repository.as_deref().filter(|address| entities::is_web_address(address));
    let mut program = json!({
        "@id": id,
        "@type": "SoftwareApplication",
        "name": entities::line(name),
        "description": "The program that was run",
        "version": version,
        "url": repository.unwrap_or(&id),
    });
    let mut all = Vec::new();
    if let Some(interpreter) = &manifest.environment.interpreter {
        let version = interpreter.version.as_deref().map_or_else(|| "not known".to_owned(), entities::line);
        program["runtimePlatform"] = json!(entities::line(&format!("{} {version}", interpreter.name)));
    }
    all.push(program);
    (id, all)
}

fn is_script(word: &str) -> bool {
    let extensions = [".py", ".sh", ".r", ".R", ".jl", ".js", ".ts", ".ipynb", ".pl", ".rb", ".lua"];
    !word.starts_with('-') && extensions.iter().any(|extension| word.ends_with(extension))
}

/// Where Software Heritage resolves its identifiers, which anybody can compute from a commit, archived or not.
const ARCHIVE: &str = "https://archive.softwareheritage.org/";

/// An address that anybody can compute: the commit by its identifier in the archive of software where there is one, else the digest of the command below a
/// host that cannot exist (RFC 2606). The profile wants addresses of the web.
fn identity(manifest: &Manifest, program: &str) -> (String, String) {
    let is_commit = |text: &str| text.len() == 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    match manifest.git.as_ref().filter(|git| is_commit(&git.commit)) {
        Some(git) => {
            let path = paths::address(program.trim_start_matches("./").trim_start_matches('/'));
            let dirty = if git.dirty { "+changes" } else { "" };
            let commit = git.commit.to_ascii_lowercase();
            (format!("{ARCHIVE}swh:1:rev:{commit};path=/{path}"), format!("git:{commit}{dirty}"))
        }
        None => {
            let digest = Digest::of(manifest.command.words.join("\0"));
            (format!("https://command.invalid/sha256/{digest}"), format!("sha256:{}", digest.short()))
        }
    }
}

struct Values {
    parameters: Vec<Value>,
    environment: Vec<Value>,
    metrics: Vec<Value>,
}

/// Parameters, variables and metrics as entities with numbers for names: theirs may be anything.
fn values(input: CrateInput<'_>) -> Values {
    let manifest = input.manifest;
    let seed = property("#seed", "seed", &manifest.seed.value.to_string(), "The seed of the run");
    let parameter = |(number, facts): (usize, &crate::manifest::ParameterFacts)| {
        property(
            &format!("#parameter-{number}"),
            &facts.name,
            &value_text(&facts.value),
            "A parameter of the program",
        )
    };
    let variables = manifest.environment.variables.iter().enumerate().map(|(number, (name, value))| {
        property(&format!("#variable-{number}"), name, value, "A variable that the program ran with")
    });
    let knobs = manifest.determinism.knobs.iter().enumerate();
    let knobs = knobs.filter(|(_, knob)| !manifest.environment.variables.contains_key(&knob.name));
    let knobs = knobs.map(|(number, knob)| {
        let what = entities::line(&format!("Pinned, so that results are the same again: {}", knob.covers));
        property(&format!("#pinned-{number}"), &knob.name, &knob.value, &what)
    });
    let metrics = input.result.iter().flat_map(|result| &result.metrics).enumerate();
    let metrics = metrics.map(|(number, metric)| {
        property(
            &format!("#metric-{number}"),
            &metric.name,
            &metric.last_text,
            "The last value of a metric, as it was printed",
        )
    });
    Values {
        parameters: std::iter::once(seed)
            .chain(manifest.parameters.iter().enumerate().map(parameter))
            .collect(),
        environment: variables.chain(knobs).collect(),
        metrics: metrics.collect(),
    }
}
