//! `actum run`

mod call;
mod expecting;
mod presenter;
mod problem;
mod reporting;
mod words;

pub(super) use call::{Call, OneRun, Presentation, engine};
pub(super) use problem::Problem;
pub(super) use reporting::{Form, Options};
pub(super) use words::{Words, parse_options, source};

use super::OWN_ERROR;
use actum_engine::EarlySigner;
use actum_model::{Approval, Label, Span, Tier};
use actum_sandbox::{Opening, Warden};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

/// Run a program, confined and captured
///
/// SOURCE is a file of code, an answer in Markdown, or - for code on stdin; what follows it are the program's arguments. A
/// command stands after --. The program sees the system and the workspace, nothing of your home and no network. What it
/// changes in the workspace is applied when it ends well and kept apart otherwise.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "\
Examples:
  actum run train.py --epochs 3                 a file, with its arguments
  actum run answer.md                           the programs of an answer, in order
  actum run -l python -c 'print(6 * 7)'         code as an argument
  cat job.rb | actum run -l ruby -              code on stdin
  actum run -- pytest -q                        a command
  actum run --shell -- 'sort data | uniq -c'    a line for the shell
  actum run --json --timeout 30s check.js       the report for a program to read
  actum run --net pypi.example.org -- ./fetch   one granted host
  actum run --read-only -- make test            nothing may change
  actum run --pty -- python3                    a program that needs a terminal
  actum run --check train.py                    its syntax, and nothing runs
  actum run --dry-run train.py                  what it needs and what would be done
  actum run --expect stdout-contains=done --expect rows:out.csv=10.. etl.py
  actum run --cases cases.toml solve.py         stdin and arguments to expected stdout, in parallel
  actum run --expect metric:accuracy=0.9.. --expect duration=..30s train.py
  actum run --python 3.9 --exclude-newer 2021-06-01 old.py
  actum run --session s -l python -c 'x = 1'    variables last until `actum session stop s`

Expectations, for --expect and as keys of NAME.expect.toml, [expect] in actum.toml and `expect:` in front matter:
  exit=0                    stdout=TEXT              stdout-contains=TEXT    stdout-matches=REGEX
  stdout-json=JSON          tolerance=1e-6           file=PATH               absent=PATH
  size:FILE=1..1MiB         sha256:FILE=HEX          json:FILE=JSON          schema:FILE=SCHEMA.json
  columns:FILE.csv=a,b      rows:FILE=10..           image:FILE=640x480      parquet:FILE=id int64,name
  metric:NAME=0.9..         number:FILE.csv#COL=0..1 sum:FILE.csv#COL=1      last:stdout#NAME=..0.1
  finite=stdout             monotone:metric#loss=down duration=..5s          memory=..200MiB
A range is A..B, A.., ..B, A or A±B. When a check does not hold, changes are kept apart (actum apply).

Exit code: the program's own; 120 refused or awaiting approval; 121 a check did not hold; 123 a limit other
than time; 122 what it needs could not be prepared; 124 timed out; 125 Actum's own error; 126 not executable; 127 not found; 128+n ended by signal n.")]
pub struct Run {
    /// The code itself, as an argument
    #[arg(long, short = 'c', value_name = "CODE", help_heading = "What to run")]
    code: Option<OsString>,
    /// The language, where its name or text does not tell: python, bash, js, … (`actum languages`)
    #[arg(long, short, value_name = "NAME", help_heading = "What to run")]
    language: Option<String>,
    /// The words after -- are a line for the shell
    #[arg(long, conflicts_with_all = ["code", "language"], help_heading = "What to run")]
    shell: bool,
    /// The database that SQL runs on; without it, one in memory or the PostgreSQL of DATABASE_URL
    #[arg(long, value_name = "FILE", help_heading = "What to run")]
    database: Option<PathBuf>,
    /// Only look at its syntax, without running it
    #[arg(long, conflicts_with_all = ["session", "pty", "shell", "in_place"], help_heading = "What to run")]
    check: bool,
    /// Call an interpreter that stays: Python or Bash, started by the first call of this name
    #[arg(long, value_name = "NAME", conflicts_with_all = ["pty", "shell", "database"], help_heading = "What to run")]
    session: Option<String>,
    /// How long a session stays without a call [default: 30m]
    #[arg(long, value_name = "TIME", requires = "session", help_heading = "What to run")]
    idle: Option<Span>,
    /// A word to find the run by again; may be given several times
    #[arg(long, value_name = "NAME", help_heading = "What to run")]
    label: Vec<Label>,
    /// Go on with the next program of an answer when one fails
    #[arg(long, help_heading = "What to run")]
    keep_going: bool,
    /// Run the blocks of an answer in one interpreter of Python, shell lines among them, whatever fails on the way
    #[arg(long, conflicts_with_all = ["session", "check", "shell"], help_heading = "What to run")]
    together: bool,
    /// A text that blocks which run together find under this name, and as a variable of the environment
    #[arg(long, value_name = "NAME=VALUE", requires = "together", help_heading = "What to run")]
    global: Vec<String>,
    /// The task of a list that it is run for
    #[arg(long, value_name = "NAME", hide = true)]
    task: Option<String>,

    /// A package that it may have, whatever the tables say: name or requirement; may be given several times
    #[arg(long, value_name = "NAME", help_heading = "What it needs")]
    package: Vec<String>,
    /// Nothing that was published after this day: 2024-06-18
    #[arg(long, value_name = "DATE", help_heading = "What it needs")]
    exclude_newer: Option<String>,
    /// The version of Python to use: 3.11
    #[arg(long, value_name = "VERSION", help_heading = "What it needs")]
    python: Option<String>,
    /// Use what was installed before, and ask no index
    #[arg(long, conflicts_with = "no_prepare", help_heading = "What it needs")]
    offline: bool,
    /// Install nothing: it finds what is there
    #[arg(long, help_heading = "What it needs")]
    no_prepare: bool,
    /// Try it once, whatever goes wrong
    #[arg(long, help_heading = "What it needs")]
    no_recover: bool,
    /// Where nothing around it would help, try a changed copy of the source; the source itself stays as it is
    #[arg(long, help_heading = "What it needs")]
    allow_source_changes: bool,
    /// Show what it needs and what would be done, and do nothing
    #[arg(long, conflicts_with_all = ["session", "check"], help_heading = "What it needs")]
    dry_run: bool,

    /// What it may touch: locked, default, networked, gpu or open
    #[arg(long, value_name = "NAME", help_heading = "What it may touch")]
    policy: Option<String>,
    /// Hosts it may reach (host, host:port, *.domain, comma-separated), or none, loopback, full
    #[arg(long, value_name = "HOSTS", help_heading = "What it may touch")]
    net: Vec<String>,
    /// A variable it gets: NAME with your value, or NAME=VALUE
    #[arg(long, value_name = "NAME[=VALUE]", help_heading = "What it may touch")]
    env: Vec<OsString>,
    /// A file or folder it may read, beside the workspace
    #[arg(long, value_name = "PATH", alias = "read", help_heading = "What it may touch")]
    input: Vec<PathBuf>,
    /// A folder it may write directly, beside the workspace
    #[arg(long, value_name = "PATH", help_heading = "What it may touch")]
    write: Vec<PathBuf>,
    /// Graphics cards it may use, by index
    #[arg(long, value_name = "N,…", value_delimiter = ',', help_heading = "What it may touch")]
    gpu: Vec<u32>,
    /// When to ask before it runs: never, risky or always
    #[arg(long, value_name = "WHEN", help_heading = "What it may touch")]
    approval: Option<Approval>,

    /// How long it may take: 30s, 5m (the limit `wall`)
    #[arg(long, value_name = "TIME", help_heading = "What it may use")]
    timeout: Option<String>,
    /// How long it has to end by itself when it is to stop; 0 asks nothing and ends it
    #[arg(long, value_name = "TIME", help_heading = "What it may use")]
    grace: Option<Span>,
    /// A limit: wall, cpu, memory, processes, descriptors, file-size, disk or output
    #[arg(long, value_name = "NAME=VALUE", help_heading = "What it may use")]
    limit: Vec<String>,

    /// The folder it may change
    #[arg(long, value_name = "FOLDER", help_heading = "Files")]
    workspace: Option<PathBuf>,
    /// Where it starts, inside the workspace
    #[arg(long, value_name = "FOLDER", help_heading = "Files")]
    workdir: Option<PathBuf>,
    /// List its changes and discard them
    #[arg(long, conflicts_with = "in_place", help_heading = "Files")]
    read_only: bool,
    /// Let it write directly into the workspace
    #[arg(long, help_heading = "Files")]
    in_place: bool,
    /// A file to read from instead of nothing; - is your own stdin
    #[arg(long, value_name = "FILE", help_heading = "Files")]
    stdin: Option<PathBuf>,
    /// Give it a terminal: yours if you are at one, else one of 24 lines by 80
    #[arg(long, help_heading = "Files")]
    pty: bool,

    #[command(flatten)]
    expecting: expecting::Expecting,

    #[command(flatten)]
    reporting: reporting::Options,

    /// The highest tier of walls to use: N, L or none
    #[arg(long, value_name = "TIER", hide = true)]
    tier: Option<words::Ceiling>,

    /// The source and its arguments, or a command after --
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
                return ExitCode::from(OWN_ERROR);
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
