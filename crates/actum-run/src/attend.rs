//! What is done for every program of a run before the first of them starts: it is read, what it needs is worked out, and
//! that is prepared.

use crate::edit::Edit;
use crate::error::RunError;
use crate::extract::Part;
use crate::foresee::{self, Place};
use crate::live::Watcher;
use crate::python_command::{self, PythonCommand};
use crate::read;
use crate::recover::{self, Care, Next, ProgramPython, Providing, Situation, declared_file, provide_somehow};
use crate::request::{Purpose, Request};
use crate::stage::Ready;
use crate::versions::Versions;
use actum_languages::Installed;
use actum_model::{
    Completeness, Ending, EnvironmentPlan, Happened, Install, Needs, PackageNeed, Reading, Runtime, path_text,
};
use actum_packages::Verdict;
use actum_prepare::needs::{self, Look, Preparing};
use actum_prepare::{PrepareError, Wish};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Every program of a run, ready to start: looked at, with what it needs prepared, and staged.
pub(crate) fn attend<'e>(
    parts: Vec<Part<'e>>,
    installs: &[Install],
    providing: &Providing<'_>,
    watcher: &mut dyn Watcher,
) -> Result<(Vec<Care<'e>>, Vec<Ready>), RunError> {
    let mut cares = look_at(parts, installs, providing);
    warn(&cares, providing.request, watcher);
    let mut tell = |what: &str| watcher.happened(Happened::Preparing { what: what.to_owned() });
    prepare(&mut cares, providing, &mut tell)?;
    try_imports(&mut cares, providing, &mut tell);
    let staged = |care: &Care<'_>| care.ready(&care.dressed(providing.request), providing.house);
    let ready = cares.iter().map(staged).collect::<Result<_, _>>()?;
    Ok((cares, ready))
}

/// Says what programs lack before anything is done for them.
fn warn(cares: &[Care<'_>], request: &Request, watcher: &mut dyn Watcher) {
    let mut cards = None;
    for (needs, reading) in cares.iter().filter_map(|care| care.needs.as_ref().zip(care.reading.as_ref())) {
        let is_said = request.attempt.policy.cards.is_empty() && !request.cards_refused;
        let wants = reading.gpu.is_some() && is_said;
        let cards = wants.then(|| cards.get_or_insert_with(actum_sandbox::graphics_cards).as_slice());
        if let Some(what) = foresee::lacks(needs, reading, cards) {
            watcher.happened(Happened::Warned { what: request.redaction.text(&what) });
        }
    }
}

/// Every program with what it needs, and nothing prepared yet. `installs` is what an answer says about packages.
pub(crate) fn look_at<'e>(
    parts: Vec<Part<'e>>,
    installs: &[Install],
    providing: &Providing<'_>,
) -> Vec<Care<'e>> {
    let (request, house) = (providing.request, providing.house);
    let limits = request.attempt.limits;
    let desk = house.desk(&request.attempt);
    let given = Given::of(&parts, &request.attempt.folder);
    let mut cares: Vec<Care<'e>> = parts
        .into_iter()
        .zip(1..)
        .map(|(part, number)| Care::new(part, number, Situation::new(limits, Wish::default())))
        .collect();
    if request.purpose != Purpose::Run || request.packages.preparing == Preparing::Never {
        return cares;
    }
    for care in &mut cares {
        let Some(text) = text_of(&care.part, request) else { continue };
        let mut reading = match &care.part {
            Part::Together(blocks) => {
                let each = blocks.blocks.iter().map(|block| read::read(&desk, &block.language, &block.code));
                crate::together::merged(each.collect())
            }
            Part::Command(_) | Part::Program { .. } | Part::Edits(_) => {
                read::read(&desk, &text.language, &text.code)
            }
        };
        reading.installs.extend_from_slice(installs);
        let (needs, wish) = work_out(care.number, &text, &reading, (providing, &given));
        care.situation.wish = wish;
        if foresee::is_foreseeable(&care.part) {
            let place = Place { folder: &request.attempt.folder, workspace: &request.attempt.workspace };
            care.foreseen = foresee::folders(&reading, place, &|path| path.exists() || given.is_there(path));
            care.situation.folders.clone_from(&care.foreseen);
        }
        if text.language == "python" {
            care.interpreter = match providing.program_python() {
                Some(ProgramPython::Trusted(one)) => Some(one.path().to_path_buf()),
                Some(ProgramPython::Own(_)) | None => None,
            };
        }
        care.needs = Some(needs);
        care.reading = Some(reading);
    }
    let modules = given.modules().map(|text| {
        let reading = read::read(&desk, &text.language, &text.code);
        work_out(0, text, &reading, (providing, &given)).1
    });
    let modules = modules.fold(Wish::default(), together);
    share(&mut cares, modules);
    cares
}

/// What a file declares, for somebody who only looks: the packages in it, or why a run would refuse it.
pub(crate) fn declared(needs: &mut Needs, providing: &Providing<'_>) {
    let is_python = needs.language == "python";
    let Some(file) = declared_file(&needs.environment, providing).filter(|_| is_python) else { return };
    match actum_prepare::declared::read_file(&file, &providing.request.attempt.workspace) {
        Ok(declared) => {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            let need = |requirement| PackageNeed { requirement, because: name.clone().into_owned() };
            needs.packages.extend(declared.requirements.into_iter().map(need));
            needs.warnings.extend(declared.notes);
        }
        Err(error) => needs.warnings.push(format!("a run would not start: {error}")),
    }
}

/// Files that an answer gives, which will be there when its programs start.
struct Given {
    texts: Vec<Text>,
}

impl Given {
    fn of(parts: &[Part<'_>], folder: &Path) -> Self {
        let edits = parts.iter().flat_map(|part| match part {
            Part::Edits(edits) => edits.as_slice(),
            Part::Command(_) | Part::Program { .. } | Part::Together(_) => &[],
        });
        let text = |edit: &Edit| {
            let file = folder.join(edit.path.as_ref()?);
            let is_python = file.extension().is_some_and(|extension| extension == "py");
            Some(Text {
                language: if is_python { "python".to_owned() } else { String::new() },
                code: edit.code.bytes.clone(),
                file: Some(file),
                tools: Vec::new(),
            })
        };
        Self { texts: edits.filter_map(text).collect() }
    }

    /// Whether one of them is this file, or lies in this folder.
    fn is_there(&self, path: &Path) -> bool {
        self.texts.iter().filter_map(|text| text.file.as_deref()).any(|file| file.starts_with(path))
    }

    /// Those that programs may import: what they need, the programs need.
    fn modules(&self) -> impl Iterator<Item = &Text> {
        self.texts.iter().filter(|text| text.language == "python")
    }
}

/// Prepares what was worked out. Programs of one language share what they need.
fn prepare(
    cares: &mut [Care<'_>],
    providing: &Providing<'_>,
    tell: &mut dyn FnMut(&str),
) -> Result<(), RunError> {
    // Those for which something was prepared: there are few, however many programs there are.
    let mut fresh: Vec<usize> = Vec::new();
    for at in 0..cares.len() {
        vouch(&mut cares[at], providing, tell)?;
        let Some(needs) = &cares[at].needs else { continue };
        let plan = needs.environment.clone();
        let earlier = fresh.iter().find(|other| cares[**other].wish() == cares[at].wish());
        let prepared = match earlier {
            Some(other) => cares[*other].prepared.clone(),
            None => {
                let declared = declared_file(&plan, providing);
                match provide_somehow(providing, &mut cares[at].situation, &plan, declared, tell) {
                    // Installing needs all walls. The program may find what it needs, and tells so where it does not.
                    Err(PrepareError::Sandbox(error)) if cares[at].wish().guessed => {
                        cares[at].stopped = Some(format!("its packages could not be installed: {error}"));
                        None
                    }
                    prepared => {
                        let prepared = prepared?;
                        fresh.extend(prepared.is_some().then_some(at));
                        prepared
                    }
                }
            }
        };
        let care = &mut cares[at];
        care.situation.lock = prepared.as_ref().map(|prepared| prepared.lock);
        care.spent.builds = u32::from(prepared.as_ref().is_some_and(|prepared| !prepared.cached));
        care.prepared = prepared;
        let state = care.situation.digest();
        care.spent.met(state);
    }
    Ok(())
}

/// Tries the imports of programs that would take long to tell that one of them fails, and mends what can be mended.
fn try_imports(cares: &mut [Care<'_>], providing: &Providing<'_>, tell: &mut dyn FnMut(&str)) {
    let programs = cares.len();
    for care in cares.iter_mut().filter(|care| recover::is_worth_a_smoke(care, programs)) {
        tell("testing its imports");
        while let Some(failed) = recover::smoke(care, providing.request, providing.house.sandboxes) {
            let mut around = recover::Around {
                providing,
                run: providing.house.run,
                attempt: None,
                elapsed: Duration::ZERO,
                left_traces: None,
                tell,
            };
            if recover::after(care, &failed, &mut around) == Next::Over {
                // It is run all the same: only the program itself knows whether it can do without.
                break;
            }
        }
        let well = Ending::Exited { code: 0 };
        care.judge_last(&well, None);
    }
}

/// A module that nobody knows, imported before anything else happens: it could only fail, and a name that somebody invented is
/// never tried. What passes the gate is wished for; the first that does not ends it.
fn vouch(care: &mut Care<'_>, providing: &Providing<'_>, tell: &mut dyn FnMut(&str)) -> Result<(), RunError> {
    let Some((needs, reading)) = care.needs.as_mut().zip(care.reading.as_ref()) else { return Ok(()) };
    let finds_modules_itself = reading.names.iter().any(|one| one.name.starts_with("sys.path"));
    let is_legacy = matches!(reading.complete, Completeness::Legacy { .. });
    if finds_modules_itself || is_legacy {
        return Ok(());
    }
    for refused in std::mem::take(&mut needs.refused) {
        // What was declared is not a module that the index could be asked about.
        let is_python = care.part.is_python() && needs.environment != EnvironmentPlan::Script;
        let verdict = if is_python { recover::judge_stranger(providing, &refused.name, tell) } else { None };
        let (why, nearest) = match verdict {
            Some(Verdict::Trusted) => {
                care.situation.wish = std::mem::take(&mut care.situation.wish).with(&[refused.name]);
                needs.environment = EnvironmentPlan::Imports;
                continue;
            }
            Some(Verdict::Ask { why, nearest } | Verdict::Refused { why, nearest }) => {
                (why, nearest.into_iter().map(str::to_owned).collect())
            }
            None => (refused.why, refused.nearest),
        };
        // Of several blocks only the one that imports it can fail, and tells so itself.
        if matches!(care.part, Part::Together(_)) {
            continue;
        }
        return Err(RunError::Package { name: refused.name, why, nearest });
    }
    Ok(())
}

/// Programs in one language see one environment: what each needs, and what the modules that come with them need, all get.
fn share(cares: &mut [Care<'_>], modules: Wish) {
    let python = |care: &&mut Care<'_>| care.part.is_python() && care.wish().guessed;
    let wishes = cares.iter_mut().filter(python).map(|care| care.wish().clone());
    let whole = Wish { guessed: true, ..wishes.fold(modules, together) };
    for care in cares.iter_mut().filter(python) {
        care.situation.wish = whole.clone();
    }
}

fn together(mut whole: Wish, wish: Wish) -> Wish {
    whole.constraints.extend(wish.constraints);
    whole.data.extend(wish.data);
    whole.interpreter = whole.interpreter.or(wish.interpreter);
    whole.newest = whole.newest.take().or(wish.newest);
    whole.with(&wish.requirements)
}

/// Code that can be read, and where it lies.
struct Text {
    language: String,
    code: Vec<u8>,
    file: Option<PathBuf>,
    /// Packages that the command itself needs.
    tools: Vec<String>,
}

fn text_of(part: &Part<'_>, request: &Request) -> Option<Text> {
    match part {
        Part::Program { code, chosen } => Some(Text {
            language: chosen.language.name.clone(),
            code: code.bytes.clone(),
            file: code.file.clone(),
            tools: Vec::new(),
        }),
        Part::Together(_) => {
            Some(Text { language: "python".to_owned(), code: Vec::new(), file: None, tools: Vec::new() })
        }
        Part::Command(words) => {
            let PythonCommand { code, file, tools } = python_command::read(words, &request.attempt.folder)?;
            Some(Text { language: "python".to_owned(), code, file, tools })
        }
        Part::Edits(_) => None,
    }
}

fn work_out(
    number: u32,
    text: &Text,
    reading: &Reading,
    (providing, given): (&Providing<'_>, &Given),
) -> (Needs, Wish) {
    let attempt = &providing.request.attempt;
    let folder = text.file.as_deref().and_then(Path::parent).unwrap_or(&attempt.folder);
    let is_python = text.language == "python";
    let default = if is_python { providing.program_python() } else { None };
    let program = needs::Program {
        number,
        language: &text.language,
        folder,
        file: text.file.as_deref(),
        start: &attempt.folder,
        interpreter: providing.request.packages.python.or_else(|| default.and_then(ProgramPython::version)),
        rules: &providing.request.packages,
    };
    let around = OnDisk { folder, is_python, providing, given };
    let (mut needs, mut wish) = needs::work_out(reading, &program, &around);
    if wish.guessed && !text.tools.is_empty() {
        let is_missing = |tool: &&String| default.is_none_or(|one| !one.has_module(tool));
        let missing: Vec<String> = text.tools.iter().filter(is_missing).cloned().collect();
        wish = wish.with(&missing);
    }
    if let Completeness::Legacy { .. } = reading.complete {
        // Its own interpreter, with packages of its own time.
        wish.interpreter = providing.versions().into_iter().find(|version| version.0 == 2);
    }
    needs.runtime = default.map(|one| Runtime {
        name: "python".to_owned(),
        path: path_text(one.path().as_os_str().as_bytes()),
        version: one.version_text(),
    });
    (needs, wish)
}

/// The machine as it is.
struct OnDisk<'a> {
    folder: &'a Path,
    is_python: bool,
    providing: &'a Providing<'a>,
    given: &'a Given,
}

/// Files that say what a project needs, the most exact first.
const DECLARE_PYTHON: [&str; 5] =
    ["uv.lock", "pyproject.toml", "requirements.txt", "environment.yml", "environment.yaml"];
const DECLARE_NODE: [&str; 1] = ["package.json"];

impl Look for OnDisk<'_> {
    fn is_there(&self, path: &Path) -> bool {
        path.exists() || self.given.is_there(path)
    }

    fn declared(&self) -> Option<PathBuf> {
        let workspace = &self.providing.request.attempt.workspace;
        if self.is_python
            && let Ok(declared) = actum_prepare::declared::read(self.folder, workspace)
        {
            return declared.and_then(|declared| declared.files.into_iter().next());
        }
        // What cannot be read is found all the same, so that preparing it tells what is wrong.
        let names: &[&str] = if self.is_python { &DECLARE_PYTHON } else { &DECLARE_NODE };
        let inside = |folder: &&Path| folder.starts_with(workspace);
        let folders = self.folder.ancestors().take_while(inside);
        folders.flat_map(|folder| names.iter().map(move |name| folder.join(name))).find(|file| file.is_file())
    }

    fn interpreter_has(&self, module: &str) -> bool {
        let rules = &self.providing.request.packages;
        // Another Python, or releases of another day, were asked for.
        if rules.python.is_some() || rules.newest.is_some() {
            return false;
        }
        self.providing.program_python().is_some_and(|interpreter| interpreter.has_module(module))
    }

    fn interpreters(&self) -> Vec<(u8, u8)> {
        self.providing.versions()
    }

    fn runs_typescript(&self) -> bool {
        let versions = Versions { house: self.providing.house, attempt: &self.providing.request.attempt };
        if ["tsx", "deno", "bun"].iter().any(|name| versions.find(name).is_some()) {
            return true;
        }
        let Some(node) = versions.find("node") else { return false };
        let said = versions.version(&node, &["--version".into()]).unwrap_or_default();
        let version = needs::version_pair(said.trim().trim_start_matches('v'));
        // The first that strips types, if it is asked to.
        version.is_some_and(|version| version >= (22, 6))
    }

    fn is_set(&self, variable: &str) -> bool {
        let granted = actum_sandbox::handed_over(&self.providing.request.attempt);
        granted.iter().any(|(name, _)| name == variable)
    }
}
