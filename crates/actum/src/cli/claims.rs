//! `actum claims`

pub(super) use super::reading::Problem;
use super::reading::{self, failed};
use super::run;
use super::when::When;
use crate::config::{self, Config};
use crate::screen;
use actum_engine::{Lifetime, clock};
use actum_evidence::{Asker, EvidenceError, Reading, gather};
use actum_model::{Claim, Findings, Label, Strictness, Tier};
use actum_sandbox::Warden;
use actum_store::{Filter, StoreError};
use serde::Deserialize;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Check the claims in a text against recorded runs
///
/// Reads an agent's message (Markdown) and checks what it claims: commands that ran, tests that passed, exit codes, named
/// metrics, files, commits and packages. Each claim is compared with the recorded runs of this folder and below, newest first.
/// Other numbers are reported as `not judged`. `verified` means that a recorded run did or printed this. It does not mean that
/// the claim is true in general.
///
/// A .json file, or text with --structured, contains claims as data:
/// {"claims":[{"kind":"tests","passed":12,"total":12,"verdict":"all-pass"},{"kind":"metric","name":"accuracy","value":"93.1%"}]}
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum claims answer.md
  echo 'All 12 tests pass, accuracy is 93.1 %.' | actum claims -
  actum claims answer.md --run last --explain
  actum claims claims.json --json

Exit codes: 0 all verified, or none judged; 3 contradicted; 4 unsupported, ambiguous or stale; 5 not
judged, with --strict; 6 a record differs from what was signed; 125 Actum's own error. The worst
result decides.")]
pub struct Claims {
    /// Message to check, or - for stdin
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Use only this run (repeatable)
    #[arg(long, value_name = "RUN")]
    run: Vec<String>,
    /// Use only the newest COUNT runs
    #[arg(long, value_name = "COUNT", default_value_t = LAST)]
    last: u64,
    /// Use only runs that began at TIME or later
    #[arg(long, value_name = "TIME")]
    since: Option<When>,
    /// Use only runs with this label (repeatable: all must match)
    #[arg(long, value_name = "LABEL")]
    label: Vec<Label>,
    /// Use the runs of every folder
    #[arg(long)]
    everywhere: bool,
    /// Read the text as JSON claims
    #[arg(long)]
    structured: bool,
    /// Fail if a claim was not judged
    #[arg(long)]
    strict: bool,
    /// Show the runs that were compared, and what each number means
    #[arg(long)]
    explain: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Which runs count.
#[derive(Debug, Clone, Default)]
struct InScope {
    runs: Vec<String>,
    filter: Filter,
}

/// Claims as data: in an object, or bare.
#[derive(Deserialize)]
#[serde(untagged)]
enum Given {
    Object { claims: Vec<Claim> },
    List(Vec<Claim>),
    One(Box<Claim>),
}

/// As many runs are looked at where nothing else is said.
const LAST: u64 = 50;

/// More is not the message of an agent.
const LARGEST: u64 = 16 << 20;

impl Claims {
    pub fn execute(self, warden: Warden) -> ExitCode {
        match self.go(warden) {
            Ok(code) => ExitCode::from(code),
            Err(problem) => failed(&problem),
        }
    }

    fn go(&self, warden: Warden) -> Result<u8, Problem> {
        let text = self.read()?;
        let is_data = self.structured || self.file.extension().is_some_and(|ending| ending == "json");
        let claims = if is_data { given(&text, &self.file)? } else { actum_claims::extract(&text) };
        let findings = judged(&claims, &self.scope()?, warden)?;
        let strictness = if self.strict { Strictness::Strict } else { Strictness::Usual };
        let code = findings.exit_code(strictness);
        match self.json {
            true => screen::say(&screen::json(&self.shown(findings))?),
            false => screen::say(&screen::findings(&findings, self.explain)),
        }
        Ok(code)
    }

    /// What was looked at is told to who asks.
    fn shown(&self, mut findings: Findings) -> Findings {
        if !self.explain {
            findings.findings.iter_mut().for_each(|finding| finding.considered.clear());
        }
        findings
    }

    fn read(&self) -> Result<String, Problem> {
        let failed = |source| Problem::Text { path: self.file.clone(), source };
        let mut bytes = Vec::new();
        if self.file.as_os_str() == "-" {
            std::io::stdin().take(LARGEST + 1).read_to_end(&mut bytes).map_err(failed)?;
        } else {
            bytes = match actum_gate::read_named_or_pipe(&self.file, actum_gate::Bound(LARGEST)) {
                Err(actum_gate::GateError::TooLarge { .. }) => {
                    return Err(Problem::LongText { path: self.file.clone() });
                }
                read => read.map_err(|error| failed(error.into_io()))?,
            };
        }
        if bytes.len() as u64 > LARGEST {
            return Err(Problem::LongText { path: self.file.clone() });
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn scope(&self) -> Result<InScope, Problem> {
        let here = config::surroundings()?.folder;
        let below = (!self.everywhere && self.run.is_empty()).then(|| here.to_string_lossy().into_owned());
        let filter = Filter {
            since: self.since.map(|when| when.before(clock::now())),
            labels: self.label.iter().map(Label::to_string).collect(),
            below,
            limit: Some(self.last),
            ..Filter::default()
        };
        Ok(InScope { runs: self.run.clone(), filter })
    }
}

/// Claims that came as data.
fn given(text: &str, path: &Path) -> Result<Vec<Claim>, Problem> {
    match serde_json::from_str(text) {
        Ok(Given::Object { claims } | Given::List(claims)) => Ok(claims),
        Ok(Given::One(claim)) => Ok(vec![*claim]),
        Err(source) => Err(Problem::Structured { path: path.to_path_buf(), source }),
    }
}

/// Judges a message against the last runs of the working folder and below.
pub(super) fn judge_message(text: &str, warden: Warden) -> Result<Findings, Problem> {
    let claims = actum_claims::extract(text);
    let here = config::surroundings()?.folder;
    let below = Some(here.to_string_lossy().into_owned());
    let filter = Filter { below, limit: Some(LAST), ..Filter::default() };
    judged(&claims, &InScope { runs: Vec::new(), filter }, warden)
}

/// Gathers evidence and judges. Without a ledger there is no evidence, and that is an answer.
fn judged(claims: &[Claim], scope: &InScope, warden: Warden) -> Result<Findings, Problem> {
    let evidence = match reading::open() {
        Err(Problem::Evidence(EvidenceError::Store(StoreError::Nothing { .. }))) => {
            actum_claims::Evidence::default()
        }
        opened => {
            let reading = opened?;
            let config = Config::resolve(&reading.surroundings, None).map(|config| config.run);
            // What cannot be read does not keep the ledger from being asked.
            let given = (reading.surroundings.clone(), config.unwrap_or_default());
            let engine = run::engine(warden.into(), given, Lifetime::OneRun, Tier::N)?;
            let asker = Asker::new(&engine);
            gather(&reading, &scope.filters(&reading)?, claims, &asker)?
        }
    };
    Ok(actum_claims::judge(claims, &evidence))
}

impl InScope {
    /// One for each run that is named, newest first, or one for all.
    fn filters(&self, reading: &Reading) -> Result<Vec<Filter>, Problem> {
        if self.runs.is_empty() {
            return Ok(vec![self.filter.clone()]);
        }
        let named = self.runs.iter().map(|text| Ok(reading.find(text)?.id));
        let mut ids = named.collect::<Result<Vec<_>, Problem>>()?;
        ids.sort_by_key(|run| std::cmp::Reverse(run.to_string()));
        ids.dedup();
        Ok(ids.into_iter().map(|run| Filter { run: Some(run), ..self.filter.clone() }).collect())
    }
}
