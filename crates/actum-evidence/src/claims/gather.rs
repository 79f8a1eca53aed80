//! Evidence from the ledger, as the plain values that claims are held against.
//!
//! Every record is verified before anything of it is used; one that fails is told, and nothing else counts then. Files are
//! read only where a claim names them or a run was given them, and only by their digest.

use super::{lines, names, reach, tracked};
use crate::error::EvidenceError;
use crate::proof;
use crate::reading::Reading;
use crate::tracking::{Asker, Stores};
use actum_claims::{Evidence, FileNow, FileText, PackageFact, RunFacts, SeedFact, Wrote};
use actum_engine::clock;
use actum_gate::{Bound, Root};
use actum_model::command_line::{shows_text, single_quoted};
use actum_model::{
    Applied, Bytes, ChangeKind, Claim, Digest, Ending, FileClaim, FileFacts, Outcome, Record, Report, Said,
    SourceKind, Witness,
};
use actum_store::{Against, Filter, Listed, Sealed, StoreError, verify_held, verify_run};
use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Larger files are not read again: what became of them stays open.
const LARGEST: u64 = 256 << 20;

/// Larger files are data, and not results.
const MOST_OF_RESULTS: u64 = 256 << 10;
const MOST_RESULTS: usize = 20;

/// Gathers what the claims can be about, from runs that filters let through, newest first.
pub fn gather(
    reading: &Reading,
    filters: &[Filter],
    claims: &[Claim],
    asker: &Asker<'_>,
) -> Result<Evidence, EvidenceError> {
    let keyring = reading.keyring();
    let remembered = keyring.remembered(&reading.reader.origin()?);
    let against = Against {
        // Without a key nothing is proven, and nothing is forged: the level says so.
        keys: proof::known(&keyring).unwrap_or_default(),
        remembered: remembered.and_then(|note| note.checkpoint().ok()),
        ..Against::default()
    };
    let cut_off = match verify_held(&reading.reader, &against) {
        Ok(problems) => problems.iter().map(ToString::to_string).collect(),
        Err(error @ StoreError::Damaged { .. }) => vec![error.to_string()],
        Err(error) => return Err(error.into()),
    };
    let mut gatherer = Gatherer {
        reading,
        against,
        digests: HashMap::new(),
        paths: paths(claims),
        ids: tracked::ids(claims),
        tracking: Vec::new(),
        evidence: Evidence { invalid: cut_off, ..Evidence::default() },
    };
    gatherer.evidence.removed = removed_lately(reading)?;
    for filter in filters {
        for run in &reading.reader.list(filter)? {
            gatherer.take(run)?;
        }
    }
    gatherer.look_now();
    let Gatherer { ids, tracking, mut evidence, .. } = gatherer;
    if !ids.is_empty() {
        evidence.tracked = tracked::tracked(&reading.surroundings.folder, &ids, &tracking, &evidence, asker);
    }
    Ok(evidence)
}

/// Runs that began within the last day and whose records were removed since. Which project they ran in is not known any more.
fn removed_lately(reading: &Reading) -> Result<Vec<String>, EvidenceError> {
    const DAY: u64 = 24 * 60 * 60 * 1000;
    let since = clock::now().milliseconds().saturating_sub(DAY);
    let removed = match reading.reader.removed() {
        // It is told with the rest of the damage.
        Err(StoreError::Damaged { .. }) => return Ok(Vec::new()),
        removed => removed?,
    };
    Ok(removed.into_iter().filter(|run| run.milliseconds() >= since).map(|run| run.to_string()).collect())
}

struct Gatherer<'r> {
    reading: &'r Reading,
    against: Against,
    /// Files that were read already, by the folder and the path from it.
    digests: HashMap<(PathBuf, PathBuf), Option<(Digest, u64)>>,
    /// Paths that claims name.
    paths: Vec<String>,
    /// Ids of runs elsewhere that claims name, and what runs wrote where such are kept.
    ids: Vec<String>,
    tracking: Vec<tracked::Wrote>,
    evidence: Evidence,
}

impl Gatherer<'_> {
    fn take(&mut self, listed: &Listed) -> Result<(), EvidenceError> {
        let sealed = match self.reading.reader.sealed(listed.run) {
            Ok(Some(sealed)) => sealed,
            // It goes on or was cut off: what is known is that it was started.
            Ok(None) => {
                self.evidence.runs.push(not_sealed(listed));
                return Ok(());
            }
            Err(StoreError::PrunedEntry { .. }) => return Ok(()),
            Err(error @ StoreError::Damaged { .. }) => {
                self.evidence.invalid.push(error.to_string());
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        };
        let problems = verify_run(&self.reading.reader, &sealed, &self.against);
        if let Some(problem) = problems.first() {
            self.evidence.invalid.push(format!("run {}: {problem}", listed.run));
            return Ok(());
        }
        // What an agent ran past us without telling how it ended says nothing for a claim, and nothing against one.
        let Record { witness, outcome, .. } = &sealed.record;
        if (*witness, *outcome) == (Witness::Observed, Outcome::Lost) {
            return Ok(());
        }
        let facts = self.facts(&sealed)?;
        self.evidence.runs.push(facts);
        Ok(())
    }

    fn facts(&mut self, sealed: &Sealed) -> Result<RunFacts, EvidenceError> {
        let record = &sealed.record;
        let report = self.reading.report(sealed).ok();
        if let Some(report) = report.as_ref().filter(|_| !self.ids.is_empty() && record.witness.is_executed())
        {
            let stores = Stores::of(report, &self.reading.store);
            let workspace = PathBuf::from(&record.workspace);
            self.tracking.push(tracked::Wrote { run: record.run.to_string(), workspace, stores });
        }
        let lines = lines::lines(&self.reading.reader, record);
        let level = proof::evidence(&self.reading.reader, &self.reading.keyring(), sealed).level;
        let wrote = record.outputs.iter().map(|facts| self.wrote(record, facts)).collect();
        // Records that were made before runs judged this themselves.
        let is_shown = is_line(record) && shows_text(&whole_command(record));
        let tests = record.tests.clone().filter(|_| !is_shown);
        let named = tests.as_ref().map(|_| names::tests(&lines.lines)).unwrap_or_default();
        Ok(RunFacts {
            run: record.run.to_string(),
            level,
            witness: record.witness,
            command: whole_command(record),
            folder: record.folder.clone(),
            workspace: record.workspace.clone(),
            is_nested: is_nested(record, &self.reading.surroundings.folder),
            exit: i32::from(record.ending.exit_code()),
            started: !matches!(record.ending, Ending::NotStarted { .. }),
            lost: false,
            wall: record.usage.wall.0.as_secs_f64(),
            tests: tests.clone(),
            passed_names: named.passed,
            skipped_names: named.skipped,
            expected_names: named.expected,
            metrics: match shows_text(&whole_command(record)) && is_line(record) {
                true => Vec::new(),
                false => record.metrics.clone(),
            },
            wrote,
            applied: matches!(record.changes, Applied::Applied | Applied::Direct),
            inputs: record
                .inputs
                .iter()
                .filter_map(|file| Some((file.path.clone(), file.sha256?.to_string())))
                .collect(),
            changed_inputs: self.changed(record),
            commit: record.git.as_ref().map(|git| git.commit.clone()),
            dirty: record.git.as_ref().and_then(|git| git.dirty),
            packages: packages(record, report.as_ref(), &lines.lines),
            seeds: seeds(record, &lines.lines),
            warnings: report
                .as_ref()
                .map(|report| report.analysis.warnings.len() as u64 + report.analysis.warnings_left_out),
            unknown_programs: report
                .as_ref()
                .map(|report| report.analysis.unknown_programs.clone())
                .unwrap_or_default(),
            printed: lines.lines,
            printed_cut: lines.is_cut,
            texts: self.texts(record),
        }
        .with_own_counts())
    }

    /// Small files of results that it wrote.
    fn texts(&mut self, record: &Record) -> Vec<FileText> {
        const ENDINGS: [&str; 5] = ["json", "jsonl", "ndjson", "csv", "tsv"];
        let is_one = |facts: &&FileFacts| {
            let ending = facts.path.rsplit('.').next().unwrap_or_default();
            ENDINGS.contains(&ending) && facts.size.is_some_and(|size| size.0 <= MOST_OF_RESULTS)
        };
        let found = record.outputs.iter().filter(is_one).take(MOST_RESULTS).filter_map(|facts| {
            let text = String::from_utf8(self.contents(record, facts)?).ok()?;
            Some(FileText { path: facts.path.clone(), text })
        });
        found.collect()
    }

    fn wrote(&mut self, record: &Record, facts: &FileFacts) -> Wrote {
        let how = match facts.kind {
            Some(ChangeKind::Created) => "created",
            Some(ChangeKind::Deleted) => "deleted",
            Some(_) | None => "modified",
        };
        let is_named = self.paths.iter().any(|path| {
            facts.path == *path || facts.path.ends_with(path.as_str()) || path.ends_with(&facts.path)
        });
        let contents = if is_named { self.contents(record, facts) } else { None };
        let counted = contents.map(|bytes| lines::rows(&facts.path, &bytes)).unwrap_or_default();
        Wrote {
            path: facts.path.clone(),
            how: how.to_owned(),
            sha256: facts.sha256.map(|digest| digest.to_string()),
            size: facts.size.map(|size| size.0),
            rows: counted.rows,
            lines: counted.lines,
            columns: counted.columns,
        }
    }

    /// The bytes that a run left, from the ledger or from where they still are.
    fn contents(&mut self, record: &Record, facts: &FileFacts) -> Option<Vec<u8>> {
        let wanted = facts.sha256?;
        if facts.size.is_none_or(|size| size.0 > LARGEST) {
            return None;
        }
        let mut bytes = Vec::new();
        if let Ok(mut blob) = self.reading.reader.blob(&wanted)
            && blob.read_to_end(&mut bytes).is_ok()
        {
            return Some(bytes);
        }
        let workspace = Root::open(Path::new(&record.workspace)).ok()?;
        let bytes = workspace.read(Path::new(&facts.path), Bound(LARGEST)).ok()?;
        (Digest::of(&bytes) == wanted).then_some(bytes)
    }

    /// Inputs that are no longer what they were, but for what the run itself wrote.
    fn changed(&mut self, record: &Record) -> Vec<String> {
        let mut changed = Vec::new();
        let reached = reach::of(record, &whole_command(record));
        for input in record.inputs.iter().filter(|input| reached.contains(&input.path)) {
            let (workspace, path) = (Path::new(&record.workspace), Path::new(&input.path));
            let Some(then) = input.sha256 else {
                // Too large to be read: another length is another file, the same one proves nothing.
                let is_other = |then: Bytes| reach::length(workspace, path) != Some(then.0);
                let is_own = record.outputs.iter().any(|output| output.path == input.path);
                if !is_own && input.size.is_some_and(is_other) {
                    changed.push(input.path.clone());
                }
                continue;
            };
            let now = self.digest(workspace, path).map(|(digest, _)| digest);
            let own =
                record.outputs.iter().find(|output| output.path == input.path).map(|output| output.sha256);
            if now != Some(then) && own != Some(now) {
                changed.push(input.path.clone());
            }
        }
        changed
    }

    fn digest(&mut self, folder: &Path, path: &Path) -> Option<(Digest, u64)> {
        let place = (folder.to_path_buf(), path.to_path_buf());
        if let Some(known) = self.digests.get(&place) {
            return *known;
        }
        let bytes = reach::read(folder, path, Bound(LARGEST));
        let found = bytes.map(|bytes| (Digest::of(&bytes), bytes.len() as u64));
        self.digests.insert(place, found);
        found
    }

    /// Files that claims name, as they are now.
    fn look_now(&mut self) {
        let folder = self.reading.surroundings.folder.clone();
        for path in self.paths.clone() {
            let digest = self.digest(&folder, Path::new(&path));
            self.evidence.files.push(FileNow {
                exists: folder.join(&path).exists(),
                sha256: digest.map(|(digest, _)| digest.to_string()),
                size: digest.map(|(_, size)| size),
                path,
            });
        }
    }
}

/// Whether its workspace is only a part of the folder that claims are about.
fn is_nested(record: &Record, folder: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let (workspace, folder) = (real(Path::new(&record.workspace)), real(folder));
    workspace != folder && workspace.starts_with(&folder)
}

/// Whether its command is one that a shell or a person would read as such.
fn is_line(record: &Record) -> bool {
    matches!(record.source.kind, SourceKind::Command | SourceKind::Shell)
}

/// As a person would type it, with the arguments behind the source.
fn whole_command(record: &Record) -> String {
    let missing = record.arguments.iter().filter(|word| !record.command.contains(word.as_str()));
    let is_plain = |word: &str| {
        !word.is_empty()
            && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./=:,+@%".contains(&byte))
    };
    // An argument is one word, whatever is in it.
    let missing = missing.map(|word| if is_plain(word) { word.clone() } else { single_quoted(word) });
    std::iter::once(record.command.clone()).chain(missing).collect::<Vec<_>>().join(" ")
}

/// A run without a sealed record.
fn not_sealed(listed: &Listed) -> RunFacts {
    const KILLED: i32 = 137;
    RunFacts {
        run: listed.run.to_string(),
        command: listed.command.clone(),
        exit: if listed.outcome.is_some() { KILLED } else { 0 },
        lost: true,
        applied: false,
        ..RunFacts::default()
    }
}

fn paths(claims: &[Claim]) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    for claim in claims {
        let path = match &claim.said {
            Said::File {
                path,
                fact:
                    FileClaim::Exists
                    | FileClaim::Written
                    | FileClaim::Created
                    | FileClaim::Modified
                    | FileClaim::Deleted
                    | FileClaim::Sha256(_)
                    | FileClaim::Size(_),
            } => Some(path),
            Said::Count { file, .. } => file.as_ref(),
            Said::Ran { .. }
            | Said::Exit { .. }
            | Said::Tests(_)
            | Said::Test { .. }
            | Said::Metric { .. }
            | Said::Ratio(_)
            | Said::Duration { .. }
            | Said::Commit { .. }
            | Said::RunId { .. }
            | Said::Installed { .. }
            | Said::Clean { .. }
            | Said::Absent { .. }
            | Said::Seed { .. }
            | Said::Device { .. }
            | Said::Done { .. }
            | Said::Figure { .. }
            | Said::Opinion { .. } => None,
        };
        if let Some(path) = path.filter(|path| !paths.contains(path)) {
            paths.push(path.clone());
        }
    }
    paths
}

/// The lock, the runtime, and what installers say.
fn packages(
    record: &Record,
    report: Option<&Report>,
    lines: &[actum_claims::PrintedLine],
) -> Vec<PackageFact> {
    let locked = report
        .and_then(|report| report.environment.prepared.as_ref())
        .into_iter()
        .flat_map(|prepared| &prepared.packages);
    let mut all: Vec<PackageFact> = locked
        .map(|one| PackageFact { name: one.name.clone(), version: one.version.clone(), printed_line: None })
        .collect();
    if let Some((name, version)) =
        record.runtime.as_ref().and_then(|runtime| Some((&runtime.name, runtime.version.as_ref()?)))
    {
        all.push(PackageFact { name: name.clone(), version: version.clone(), printed_line: None });
    }
    let command = whole_command(record);
    let is_own = |module: &str| record.inputs.iter().any(|input| is_module(&input.path, module));
    if !is_line(record) || !names::lists_packages(&command) || is_own("pip") {
        return all;
    }
    for (name, version, line) in names::packages(&command, lines) {
        all.push(PackageFact { name, version, printed_line: Some(line) });
    }
    for line in lines.iter().filter(|line| line.stream == "stdout") {
        let Some(list) = line.text.trim().strip_prefix("Successfully installed ") else { continue };
        for word in list.split_whitespace() {
            if let Some((name, version)) =
                word.rsplit_once('-').filter(|(_, version)| version.starts_with(|c: char| c.is_ascii_digit()))
            {
                all.push(PackageFact {
                    name: name.to_owned(),
                    version: version.to_owned(),
                    printed_line: Some(line.number),
                });
            }
        }
    }
    all
}

/// Whether a file of the workspace is a module of this name, which `python -m` would start instead.
fn is_module(path: &str, module: &str) -> bool {
    let path = path.strip_suffix(".py").unwrap_or(path);
    !path.contains("site-packages") && path.split('/').any(|part| part == module)
}

/// Seeds by the command, by the source's own lines while they are the same, and by what was printed.
fn seeds(record: &Record, lines: &[actum_claims::PrintedLine]) -> Vec<SeedFact> {
    let command = whole_command(record);
    let of = |value: i64, from: &str| SeedFact { value, from: from.to_owned() };
    let from_command = names::seed_of_command(&command).map(|value| of(value, "command"));
    let from_source = names::seeds_of_source(record).into_iter().map(|value| of(value, "source"));
    let printed =
        lines.iter().filter_map(|line| names::seed_of_line(&line.text)).map(|value| of(value, "stdout"));
    from_command.into_iter().chain(from_source).chain(printed.take(5)).collect()
}
