//! What a program needs and what would be done for it, for people.

use super::look::{Look, Tone};
use super::untrusted;
use actum_model::{EnvironmentPlan, Module, ModuleOrigin, Needs, Plan};

/// Columns of a label with its indent.
const LABELS: usize = 14;

/// The whole plan, without a line end at its end.
pub fn plan(plan: &Plan, look: &Look) -> String {
    let several = plan.programs.len() > 1;
    let shown = plan.programs.iter().map(|needs| program(needs, several, look));
    shown.collect::<Vec<_>>().join("\n\n")
}

fn program(needs: &Needs, several: bool, look: &Look) -> String {
    let mut lines = vec![look.paint(Tone::Plain, &headline(needs, several))];
    let mut row = |label: &str, tone: Tone, text: String| {
        let label = look.paint(Tone::Faint, &format!("  {label:<width$}", width = LABELS - 2));
        let text = untrusted::fit(&untrusted::line(&text), look.width.saturating_sub(LABELS));
        lines.push(format!("{label}{}", look.paint(tone, &text)).trim_end().to_owned());
    };
    let mut rows = |label: &'static str, tone: Tone, texts: Vec<String>| {
        for (index, text) in texts.into_iter().enumerate() {
            row(if index == 0 { label } else { "" }, tone, text);
        }
    };
    let runtime = needs.runtime.iter().map(|one| {
        format!("{} {} ({})", one.name, one.version.as_deref().unwrap_or("version unknown"), one.path)
    });
    rows("runtime", Tone::Plain, runtime.collect());
    rows("packages", Tone::Plain, packages(needs));
    rows("files", Tone::Plain, files(needs));
    rows("local", Tone::Plain, modules(needs, ModuleOrigin::Local).into_iter().collect());
    rows("missing", Tone::Bad, missing(needs));
    rows("refused", Tone::Bad, refused(needs));
    rows("warning", Tone::Doubtful, needs.warnings.clone());
    rows("plan", Tone::Plain, needs.steps.clone());
    rows("on failure", Tone::Faint, needs.fallbacks.clone());
    lines.join("\n")
}

fn headline(needs: &Needs, several: bool) -> String {
    let number = if several { format!("{}: ", needs.number) } else { String::new() };
    let path = needs.path.as_deref().map(|path| format!(", {}", untrusted::line(path))).unwrap_or_default();
    let from = match &needs.environment {
        EnvironmentPlan::Nothing => "needs no packages".to_owned(),
        EnvironmentPlan::Interpreter { .. } => "uses the interpreter's packages".to_owned(),
        EnvironmentPlan::Declared { file } => format!("declares its packages in {}", untrusted::line(file)),
        EnvironmentPlan::Script => "declares its packages in the source".to_owned(),
        EnvironmentPlan::Imports => "needs the packages it imports".to_owned(),
    };
    format!("{number}{}{path}: {from}", needs.language)
}

fn packages(needs: &Needs) -> Vec<String> {
    needs.packages.iter().map(|one| format!("{} ({})", one.requirement, one.because)).collect()
}

/// What it reads and writes by name.
fn files(needs: &Needs) -> Vec<String> {
    const MOST: usize = 8;
    let files = needs.reading.iter().flat_map(|reading| &reading.files);
    let told = files.map(|one| format!("{} {} (line {})", mode(one.mode), one.path, one.line));
    told.take(MOST).collect()
}

fn mode(mode: actum_model::FileMode) -> &'static str {
    use actum_model::FileMode;
    match mode {
        FileMode::Read => "reads",
        FileMode::Write => "writes",
        FileMode::Append => "appends to",
        FileMode::Update => "updates",
        FileMode::Folder => "creates the folder",
        FileMode::Unknown => "names",
    }
}

fn modules(needs: &Needs, origin: ModuleOrigin) -> Option<String> {
    let of = |module: &&Module| module.origin == origin;
    let names: Vec<&str> = needs.modules.iter().filter(of).map(|one| one.name.as_str()).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

fn missing(needs: &Needs) -> Vec<String> {
    let files = needs.missing_files.iter().map(|path| format!("the file {path}"));
    let variables = needs.missing_variables.iter().map(|name| format!("the variable {name}"));
    let modules = modules(needs, ModuleOrigin::Missing).map(|names| format!("files of the project: {names}"));
    files.chain(variables).chain(modules).collect()
}

fn refused(needs: &Needs) -> Vec<String> {
    let told = |one: &actum_model::RefusedPackage| match one.nearest.as_slice() {
        [] => format!("{}: {}", one.name, one.why),
        near => format!("{}: {}; similar names: {}", one.name, one.why, near.join(", ")),
    };
    needs.refused.iter().map(told).collect()
}
