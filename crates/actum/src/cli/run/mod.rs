//! `actum run`

mod call;
mod expecting;
mod options;
mod presenter;
mod problem;
mod reporting;
mod words;

pub(super) use call::{Call, OneRun, Presentation, ProgramTerminal, engine, engine_for};
pub(super) use options::RunOptions;
pub(super) use presenter::Presenter;
pub(super) use problem::Problem;
pub(super) use reporting::{Form, Options, Reporter};
pub(super) use words::{Words, parse_options, source};

use actum_engine::EarlySigner;
use actum_model::{Label, Span, Tier};
use actum_sandbox::{Opening, Warden};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

/// Run a program in a sandbox and record what it did
///
/// SOURCE is a code file, an agent's answer in Markdown, or - for code on stdin. The words after it are the program's
/// arguments. Put a command after `--`. The program sees the system and the workspace (the current folder, unless you set
/// --workspace), but nothing else of your home, and it has no network. Its changes to the workspace are applied if it
/// succeeds. If it fails, they are kept apart: see `actum changes` and `actum apply`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "\
Examples:
  actum run train.py --epochs 3                 a file with its arguments
  actum run answer.md                           the programs of an answer, in order
  actum run -l python -c 'print(6 * 7)'         code as an argument
  cat job.rb | actum run -l ruby -              code on stdin
  actum run -- pytest -q                        a command
  actum run --shell -- 'sort data | uniq -c'    a shell command line
  actum run --json --timeout 30s check.js       print the report as JSON
  actum run --net pypi.example.org -- ./fetch   allow one host
  actum run --read-only -- make test            discard all changes
  actum run --pty -- python3                    a program that needs a terminal
  actum run --check train.py                    check the syntax only
  actum run --dry-run train.py                  show the plan, run nothing
  actum run --expect stdout-contains=done --expect rows:out.csv=10.. etl.py
  actum run --cases cases.toml solve.py         test inputs with expected output, in parallel
  actum run --expect metric:accuracy=0.9.. --expect duration=..30s train.py
  actum run --python 3.9 --exclude-newer 2021-06-01 old.py
  actum run --session s -l python -c 'x = 1'    keep variables until `actum session stop s`

Policies, for --policy:
  default      read the system and the workspace, no network, apply changes on success
  locked       like default, but discard all changes
  networked    like default, with the hosts of --net (selected by --net)
  gpu          like default, with the GPUs of --gpu (selected by --gpu)
  open         read the whole machine except key folders of your home, use its network

Cases, for --cases: a table (.toml, .csv, .json, .jsonl), or a folder with NAME.in, NAME.args and
NAME.out. Changes are not applied.

Expectations, for --expect, and as keys of NAME.expect.toml, of [expect] in actum.toml and of
`expect:` in front matter:
  exit=0                    stdout=TEXT              stdout-contains=TEXT    stdout-matches=REGEX
  stdout-json=JSON          tolerance=1e-6           file=PATH               absent=PATH
  size:FILE=1..1MiB         sha256:FILE=HEX          json:FILE=JSON          schema:FILE=SCHEMA.json
  columns:FILE.csv=a,b      rows:FILE=10..           image:FILE=640x480      parquet:FILE=id int64
  metric:NAME=0.9..         number:FILE.csv#COL=0..1 sum:FILE.csv#COL=1      last:stdout#NAME=..0.1
  finite=stdout             monotone:metric#loss=down duration=..5s          memory=..200MiB
A range is A..B, A.., ..B, A or A±B. If a check fails, the changes are kept apart (actum apply).

Exit codes: the program's own, or
  120  not approved, or waiting for approval   125  Actum's own error
  121  an expectation failed                   126  the command is not executable
  122  packages could not be prepared          127  the command was not found
  123  stopped by a limit other than time      130  cancelled
  124  timed out                               128+n  killed by signal n")]
pub struct Run {
    /// Run this code instead of a file
    #[arg(long, short = 'c', value_name = "CODE", help_heading = "What to run")]
    code: Option<OsString>,
    /// Set the language: python, bash, js, … [default: detected; see `actum languages`]
    #[arg(long, short, value_name = "NAME", help_heading = "What to run")]
    language: Option<String>,
    /// Run the words after -- as one shell command line
    #[arg(long, conflicts_with_all = ["code", "language"], help_heading = "What to run")]
    shell: bool,
    /// Run SQL on this file [default: in memory, or PostgreSQL at DATABASE_URL]
    #[arg(long, value_name = "FILE", help_heading = "What to run")]
    database: Option<PathBuf>,
    /// Check the syntax without running anything
    #[arg(long, conflicts_with_all = ["session", "pty", "shell", "in_place"], help_heading = "What to run")]
    check: bool,
    /// Run in the Python or Bash session NAME; start it if needed
    #[arg(long, value_name = "NAME", conflicts_with_all = ["pty", "shell", "database"], help_heading = "What to run")]
    session: Option<String>,
    /// Stop the session after TIME without calls [default: 30m]
    #[arg(long, value_name = "TIME", requires = "session", help_heading = "What to run")]
    idle: Option<Span>,
    /// Label the run, to find it later (repeatable)
    #[arg(long, value_name = "NAME", help_heading = "What to run")]
    label: Vec<Label>,
    /// Continue with the next program of an answer after a failure
    #[arg(long, help_heading = "What to run")]
    keep_going: bool,
    /// Run all blocks in one Python interpreter and continue after failures
    #[arg(long, conflicts_with_all = ["session", "check", "shell"], help_heading = "What to run")]
    together: bool,
    /// Define NAME as a Python string and environment variable for --together
    #[arg(long, value_name = "NAME=VALUE", requires = "together", help_heading = "What to run")]
    global: Vec<String>,
    /// Name the task that the run belongs to
    #[arg(long, value_name = "NAME", hide = true)]
    task: Option<String>,

    /// Show what the program needs and the plan; run nothing
    #[arg(long, conflicts_with_all = ["session", "check"], help_heading = "Packages and retries")]
    dry_run: bool,

    #[command(flatten)]
    options: RunOptions,

    #[command(flatten)]
    expecting: expecting::Expecting,

    #[command(flatten)]
    reporting: reporting::Options,

    /// Use at most this sandbox tier: N, L or none
    #[arg(long, value_name = "TIER", hide = true)]
    tier: Option<words::Ceiling>,

    /// Source and its arguments, or a command after --
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "SOURCE [ARGUMENT]…")]
    pub(super) words: Vec<OsString>,
}

impl Run {
    pub fn execute(self, warden: Warden, signer: Option<EarlySigner>) -> ExitCode {
        // Namespaces are made while we find out what for.
        let opening = match Opening::begin(warden, self.tier.map_or(Tier::N, Tier::from)) {
            Ok(opening) => opening,
            Err(error) => {
                super::fail(&error, error.hint().as_deref());
                return actum_model::ExitCode::OWN_ERROR.into();
            }
        };
        let line: Vec<OsString> = std::env::args_os().collect();
        let words = Words::read(&line, &self.words);
        match self.into_call(words, line) {
            Ok(call) => call.execute(OneRun::opening(opening, signer)),
            Err(problem) => problem.fail(),
        }
    }
}
