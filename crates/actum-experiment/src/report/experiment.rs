//! The section of one experiment: how it ended, what it printed as metrics, what it was made from, what it left.

use super::build::MOST_ROWS;
use super::document::{Block, Check, Fact, Rows, Text, Tone, code, fact, plain, shown};
use crate::compare::{ExperimentFacts, value_text};
use crate::manifest::{Manifest, ParameterOrigin, Purpose, SeedOrigin};
use crate::plot::number;
use crate::result::ExperimentResult;
use actum_model::Outcome;

/// Lines of a patch that are shown.
const MOST_LINES: usize = 400;

/// The line of facts and the command.
pub(super) fn summary(facts: &ExperimentFacts) -> Vec<Block> {
    let manifest = &facts.manifest;
    let mut line = Vec::new();
    match &facts.result {
        Some(result) => {
            let tone = if result.outcome == Outcome::Success { Tone::Good } else { Tone::Bad };
            line.push(Fact { name: "outcome", value: plain(result.outcome.word()), tone });
            line.push(fact("exit code", Text::Number(result.exit_code.get().to_string())));
            line.push(fact("duration", plain(&result.duration.to_string())));
        }
        None => line.push(Fact { name: "outcome", value: plain("no recorded end"), tone: Tone::Bad }),
    }
    line.push(fact(
        "seed",
        Text::Number(format!("{} ({})", manifest.seed.value, seed_origin(manifest.seed.origin))),
    ));
    if let Some(git) = &manifest.git {
        let dirty = if git.dirty { " with changes" } else { "" };
        line.push(fact(
            "commit",
            Text::Code(format!("{}{dirty}", shown(&git.commit.chars().take(12).collect::<String>()))),
        ));
    }
    line.push(fact(
        "started",
        plain(&manifest.created_at.to_string().chars().take(19).collect::<String>().replace('T', " ")),
    ));
    let words: Vec<String> = manifest.command.words.iter().map(|word| typed(word)).collect();
    vec![Block::Facts(line), Block::Command(shown(&words.join(" ")))]
}

/// What it came to, and what attracted attention.
pub(super) fn results(facts: &ExperimentFacts) -> Vec<Block> {
    let mut blocks = Vec::new();
    if let Some(result) = &facts.result {
        alarms(result, &mut blocks);
        metrics(result, &mut blocks);
    }
    blocks
}

/// What it was made from, and what it left.
pub(super) fn blocks(facts: &ExperimentFacts) -> Vec<Block> {
    let mut blocks = Vec::new();
    parameters(&facts.manifest, &mut blocks);
    manifest(&facts.manifest, &mut blocks);
    changes(facts, &mut blocks);
    determinism(&facts.manifest, &mut blocks);
    packages(&facts.manifest, &mut blocks);
    if let Some(result) = &facts.result {
        checklist(result, &mut blocks);
        artifacts(result, &mut blocks);
        if !result.next_steps.is_empty() {
            blocks.push(Block::Heading("Next steps".to_owned()));
            blocks.push(Block::List(result.next_steps.iter().map(|step| shown(step)).collect()));
        }
    }
    blocks
}

/// A word as a shell takes it.
fn typed(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-./=:,@+%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

fn seed_origin(origin: SeedOrigin) -> &'static str {
    match origin {
        SeedOrigin::Default => "default",
        SeedOrigin::Given => "given",
        SeedOrigin::Drawn => "drawn at random",
        SeedOrigin::Derived => "derived",
    }
}

fn metrics(result: &ExperimentResult, blocks: &mut Vec<Block>) {
    blocks.push(Block::Heading("Metrics".to_owned()));
    if result.metrics.is_empty() {
        blocks.push(Block::Paragraph("It printed no metrics.".to_owned()));
        return;
    }
    let value = |value: Option<f64>| Text::Number(value.map_or_else(|| "–".to_owned(), number));
    let row = |metric: &crate::result::MetricSummary| {
        let last = if metric.not_finite > 0 {
            format!("{} ({} not finite)", shown(&metric.last_text), metric.not_finite)
        } else {
            shown(&metric.last_text)
        };
        let count = Text::Number(metric.count.to_string());
        vec![
            plain(&metric.name),
            Text::Number(last),
            value(metric.best),
            value(metric.min),
            value(metric.max),
            count,
        ]
    };
    let rows = result.metrics.iter().map(row).collect();
    blocks.push(Block::Table(Rows::of(&["metric", "last", "best", "min", "max", "values"], rows, MOST_ROWS)));
}

fn alarms(result: &ExperimentResult, blocks: &mut Vec<Block>) {
    if !result.alarms.is_empty() {
        blocks.push(Block::Heading("Alarms".to_owned()));
        blocks.push(Block::List(result.alarms.iter().map(|alarm| shown(alarm)).collect()));
    }
}

fn parameters(manifest: &Manifest, blocks: &mut Vec<Block>) {
    if manifest.parameters.is_empty() {
        return;
    }
    let row = |parameter: &crate::manifest::ParameterFacts| {
        let origin = match &parameter.origin {
            ParameterOrigin::CommandLine => "command line".to_owned(),
            ParameterOrigin::Set => "--set".to_owned(),
            ParameterOrigin::Program => "the program, by a tracking client".to_owned(),
            ParameterOrigin::Config { file } => shown(file),
            ParameterOrigin::Default { file, line } => format!("default, {}:{line}", shown(file)),
        };
        vec![plain(&parameter.name), code(&value_text(&parameter.value)), Text::Plain(origin)]
    };
    let rows = manifest.parameters.iter().map(row).collect();
    blocks.push(Block::Heading("Parameters".to_owned()));
    blocks.push(Block::Table(Rows::of(&["parameter", "value", "from"], rows, MOST_ROWS)));
}

/// The manifest as names with values.
fn manifest(manifest: &Manifest, blocks: &mut Vec<Block>) {
    let mut rows: Vec<Vec<Text>> = Vec::new();
    let mut add = |name: &str, value: Text| rows.push(vec![plain(name), value]);
    add("run", code(&manifest.run.to_string()));
    match &manifest.purpose {
        Purpose::Experiment => {}
        Purpose::Smoke => add("purpose", plain("smoke run")),
        Purpose::Resume { of, .. } => add("continues", code(&of.to_string())),
        Purpose::Reproduction { of } => add("reproduces", code(&of.to_string())),
        Purpose::Trial { sweep, index } => add("trial", plain(&format!("{index} of sweep {sweep}"))),
    }
    if let Some(git) = &manifest.git {
        add("commit", code(&git.commit));
        add("branch", git.branch.as_deref().map_or_else(|| plain("none"), code));
        if let Some(patch) = git.patch {
            add("uncommitted changes", code(&format!("{} {}", patch.sha256, patch.bytes.approximate())));
        }
        if !git.untracked.is_empty() {
            add("untracked files", plain(&listed(&git.untracked, git.untracked_left_out)));
        }
    }
    add("workspace", code(&manifest.workspace));
    add("working folder", code(&manifest.folder));
    add("output folder", code(&manifest.output));
    for config in &manifest.configs {
        add("configuration", code(&format!("{} {}", config.path, config.sha256)));
    }
    if let Some(data) = &manifest.data {
        let named =
            [data.name.clone(), data.split.clone()].into_iter().flatten().chain(data.paths.iter().cloned());
        add("data", plain(&named.collect::<Vec<_>>().join(", ")));
    }
    if let Some(interpreter) = &manifest.environment.interpreter {
        let version = interpreter.version.as_deref().unwrap_or("");
        add("interpreter", code(&format!("{} {version} {}", interpreter.name, interpreter.path)));
    }
    if let Some(lock) = manifest.environment.lock {
        add("lock file", code(&lock.to_string()));
    }
    let machine = &manifest.machine;
    add(
        "system",
        plain(&format!(
            "{}, kernel {}, {}",
            machine.system,
            machine.kernel,
            machine.c_library.as_deref().unwrap_or("C library not known")
        )),
    );
    add("CPU", plain(&format!("{} ({} processors, {} threads)", machine.cpu, machine.cpus, machine.threads)));
    add("memory", plain(&machine.memory.approximate()));
    for gpu in machine.gpus.iter().filter(|gpu| gpu.granted) {
        add("GPU", plain(&format!("{}, driver {}, {}", gpu.name, gpu.driver, gpu.memory.approximate())));
    }
    blocks.push(Block::Heading("Manifest".to_owned()));
    blocks.push(Block::Table(Rows::of(&["what", "value"], rows, MOST_ROWS)));
    if !manifest.warnings.is_empty() {
        blocks.push(Block::Paragraph("What limits how exactly it can be repeated:".to_owned()));
        blocks.push(Block::List(manifest.warnings.iter().map(|warning| shown(warning)).collect()));
    }
}

/// The uncommitted changes as git wrote them.
fn changes(facts: &ExperimentFacts, blocks: &mut Vec<Block>) {
    let Some(patch) = &facts.patch else { return };
    let count = patch.lines().count();
    let mut lines: Vec<String> = patch.lines().take(MOST_LINES).map(source_line).collect();
    if count > lines.len() {
        lines.push(format!("… {} more lines", count - lines.len()));
    }
    let title = format!("Uncommitted changes: {count} lines of a patch");
    blocks.push(Block::Details { title, open: false, blocks: vec![Block::Source(lines.join("\n"))] });
}

/// A harmless line in which tabs and backslashes are what they were.
fn source_line(line: &str) -> String {
    let cell = |text: &str| text.split('\\').map(shown).collect::<Vec<_>>().join("\\");
    line.split('\t').map(cell).collect::<Vec<_>>().join("\t")
}

fn listed(names: &[String], left_out: u64) -> String {
    let shown: Vec<&str> = names.iter().take(10).map(String::as_str).collect();
    let more = (names.len() - shown.len()) as u64 + left_out;
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    shown.join(", ") + &more
}

fn determinism(manifest: &Manifest, blocks: &mut Vec<Block>) {
    let determinism = &manifest.determinism;
    if determinism.knobs.is_empty() && determinism.not_covered.is_empty() {
        return;
    }
    blocks.push(Block::Heading(format!("Determinism: {}", shown(&determinism.profile))));
    if !determinism.knobs.is_empty() {
        let row = |knob: &crate::manifest::KnobFacts| {
            vec![code(&knob.name), code(&knob.value), plain(&knob.covers)]
        };
        let rows = determinism.knobs.iter().map(row).collect();
        blocks.push(Block::Table(Rows::of(&["pinned", "value", "covers"], rows, MOST_ROWS)));
    }
    if !determinism.not_covered.is_empty() {
        blocks.push(Block::Paragraph("Not pinned:".to_owned()));
        blocks.push(Block::List(determinism.not_covered.iter().map(|line| shown(line)).collect()));
    }
}

fn packages(manifest: &Manifest, blocks: &mut Vec<Block>) {
    let packages = &manifest.environment.packages;
    let variables = &manifest.environment.variables;
    if !packages.is_empty() {
        let rows =
            packages.iter().map(|package| vec![plain(&package.name), code(&package.version)]).collect();
        let inner = Block::Table(Rows::of(&["package", "version"], rows, MOST_ROWS));
        blocks.push(Block::Details {
            title: format!("{} packages", packages.len()),
            open: false,
            blocks: vec![inner],
        });
    }
    if !variables.is_empty() {
        let rows = variables.iter().map(|(name, value)| vec![code(name), code(value)]).collect();
        let inner = Block::Table(Rows::of(&["variable", "value"], rows, MOST_ROWS));
        blocks.push(Block::Details {
            title: format!("{} variables", variables.len()),
            open: false,
            blocks: vec![inner],
        });
    }
}

fn checklist(result: &ExperimentResult, blocks: &mut Vec<Block>) {
    if result.checklist.is_empty() {
        return;
    }
    let held = result.checklist.iter().filter(|row| row.holds).count();
    blocks.push(Block::Heading(format!("Checklist: {held} of {}", result.checklist.len())));
    let check = |row: &crate::result::ChecklistRow| Check {
        what: shown(&row.what),
        holds: row.holds,
        evidence: shown(&row.evidence),
    };
    blocks.push(Block::Checklist(result.checklist.iter().map(check).collect()));
}

fn artifacts(result: &ExperimentResult, blocks: &mut Vec<Block>) {
    if result.artifacts.is_empty() {
        return;
    }
    let row = |artifact: &crate::result::Artifact| {
        let digest =
            artifact.sha256.map_or_else(|| plain("not hashed"), |digest| Text::Code(digest.to_string()));
        vec![code(&artifact.path), Text::Number(artifact.bytes.approximate()), digest]
    };
    let mut rows =
        Rows::of(&["file", "size", "SHA-256"], result.artifacts.iter().map(row).collect(), MOST_ROWS);
    rows.left_out += usize::try_from(result.artifacts_left_out).unwrap_or(usize::MAX - rows.left_out);
    blocks.push(Block::Heading("Artifacts".to_owned()));
    blocks.push(Block::Table(rows));
}
