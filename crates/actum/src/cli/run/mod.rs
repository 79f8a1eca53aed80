//! `actum run`

mod ask;
mod asked;
mod book;
mod expect;
mod for_agent;
mod keeper;
mod outputs;
mod plan;
mod problem;
mod secrets;
mod telling;
mod tools;
mod within;

pub(super) use asked::{Words, named};
pub(crate) use expect::parse_front_matter;
pub(super) use for_agent::{ForAgent, Whereabouts};
pub(super) use problem::Problem;
pub(super) use within::Within;

use super::aside::{Aside, Early};
use super::{fail, internal, kept};
use crate::config::{Config, Surroundings};
use crate::{clock, screen, signals};
use actum_changes::settle::Keeping;
use actum_model::{Approval, Label, Plan, Report, Risk, RunId, Span, Tier, with_causes};
use actum_run::session::Place;
use actum_run::{Account, AnswerReader, Desk, Extracted, House, InSession, Live, NotRun, Request, RunError};
use actum_sandbox::{Machine, Opening, Resized, Sandboxes, Warden};
use actum_store::{Keyring, Store};
use book::Book;
use keeper::Keeper;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use telling::Telling;

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
    expecting: expect::Expecting,

    #[command(flatten)]
    telling: telling::Options,

    /// The highest tier of walls to use: N, L or none
    #[arg(long, value_name = "TIER", hide = true)]
    tier: Option<asked::Ceiling>,

    /// The source and its arguments, or a command after --
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "SOURCE [ARGUMENT]…")]
    pub(super) words: Vec<OsString>,
}

impl Run {
    pub fn execute(self, warden: Warden, signer: Option<Early>) -> ExitCode {
        let line: Vec<OsString> = std::env::args_os().collect();
        let words = Words::read(&line, &self.words);
        self.carry_out(warden, signer, Said { line, words, stdin: None, approved: None })
    }

    /// Carries out what was said, now or when it was asked for.
    pub(super) fn carry_out(self, warden: Warden, signer: Option<Early>, said: Said) -> ExitCode {
        let run = clock::new_run();
        match self.go(warden, (run, signer), said) {
            Ok(code) => ExitCode::from(code),
            Err(problem) => {
                fail(&problem, problem.hint().as_deref());
                ExitCode::from(problem.exit_code())
            }
        }
    }

    fn ceiling(&self) -> Tier {
        self.tier.map_or(Tier::N, Tier::from)
    }

    fn go(&self, warden: Warden, (run, signer): (RunId, Option<Early>), said: Said) -> Result<u8, Problem> {
        // The ground is broken while we find out what for.
        let opening = Opening::begin(warden, self.ceiling())?;
        let surroundings = Surroundings::read()?;
        let config = Config::resolve(&surroundings, self.workspace.as_deref())?;
        let request = self.request(&surroundings, &config, &said)?;
        // A contradiction is told before anything is built, and a report that cannot be written before an hour was spent.
        request.attempt.policy.check()?;
        actum_risk::check_timeout(request.attempt.limits.wall, Some(config.longest))?;
        let stdin = match request.cases.first() {
            Some(case) => asked::in_memory(&case.stdin)?,
            None => self.open_stdin(&request.attempt.workspace)?,
        };
        let telling = Telling::prepare(&self.telling, &surroundings, run)?;
        let going = Going { run, said, stdin, telling: &telling };
        let carried = self.carry(&request, (&surroundings, &config), (opening, signer), &going);
        match carried {
            Ok(Carried::Ended { report, put_away: _put_away }) => telling.tell(&report),
            Ok(Carried::Waits { report }) => telling.tell_waiting(&report),
            Ok(Carried::Planned(plan)) => telling.tell_plan(&plan),
            Err(problem) => {
                // A program that reads our report is told in its own language too.
                telling.tell_failure(&not_run(run, &request, &problem).report)?;
                Err(problem)
            }
        }
    }

    fn carry(
        &self,
        request: &Request,
        (surroundings, config): (&Surroundings, &Config),
        (opening, signer): (Opening, Option<Early>),
        going: &Going<'_>,
    ) -> Result<Carried, Problem> {
        let run = going.run;
        let places = request.attempt.tool_places(&surroundings.cache);
        let machine = Machine::survey(surroundings.path(), surroundings.home.as_deref(), places);
        let store = Store::at(&surroundings.store);
        let keyring = Keyring::at(&surroundings.keys);
        kept::finish_pending(store.root(), &keyring);
        let aside = Aside::after(signer, surroundings);
        // The ground is still being broken.
        let book = (!self.dry_run).then(|| Book::open_early(&store, &surroundings.cache)).flatten();
        let sandboxes = opening.finish(machine)?;
        if !self.dry_run && self.session.is_none() {
            sandboxes.expect(&request.attempt);
        }
        let (reader, folder) = (internal::reader()?, tools::desk(surroundings));
        let (cache, attempt) = (surroundings.cache.as_path(), &request.attempt);
        let desk = Desk { sandboxes: &sandboxes, reader: &reader, cache, folder: &folder, attempt };
        let mut reader = AnswerReader { desk, languages: &config.languages };
        let extracted = actum_run::extract(request, &config.languages, &mut reader)?;
        let risk = actum_run::weigh(request, &sandboxes, &extracted)?;
        if self.dry_run {
            return plan::plan((request, extracted), (surroundings, config), (&sandboxes, &store, run));
        }
        if let Some(waiting) = ask::ask(request, &extracted, &risk, &going.said)? {
            let waits = ask::wait((&store, &keyring), run, request, &risk, waiting);
            return waits.map(|report| Carried::Waits { report });
        }
        // Until here a signal ends us as it ends anybody; from here on it is a wish that the run hears. Before the first thread:
        // one that was there earlier would take it.
        let cancel = signals::cancel();
        let cancel = cancel.as_ref().map(AsFd::as_fd);
        let window = self.pty.then(signals::resized).flatten();
        let stdin = asked::handed_in(&going.stdin, self.pty)?;
        request.attempt.note_written(&surroundings.cache);
        let mut keeper = Keeper::begin(surroundings, &store, (run, request), (aside, book))?;
        let keeping = kept::keeping(&keyring, store.root(), keeper.folder().to_path_buf());
        if let Some(name) = &self.session {
            let sessions = super::session::place(surroundings);
            let session = self.session(name, (&sandboxes, &sessions), &keeping, run)?;
            let account = self.call(request, &session, (extracted, risk), (going, cancel, &mut keeper));
            let report = seal(keeper, account, request, &keeping)?;
            return Ok(Carried::Ended { report, put_away: Box::new(sandboxes) });
        }
        let sqlite = internal::sqlite()?;
        let tools = tools::tools(surroundings, config, request.packages.preparing)?;
        let house = House {
            sandboxes: &sandboxes,
            languages: &config.languages,
            run,
            folder: &keeping.folder,
            keeping: &keeping,
            cache: &surroundings.cache,
            sqlite: &sqlite,
            tools: &tools,
        };
        let door = going.telling.open(self.pty);
        let (mut output, mut watcher) = (door.output(), door.watcher());
        let live = Live {
            stdin: stdin.as_fd(),
            output: &mut output,
            passing: door.passing(),
            resized: window.as_ref().map(|told| Resized { told: told.as_fd(), size: &screen::size }),
            cancel,
            watcher: &mut watcher,
            journal: &mut keeper,
        };
        let raw = self.is_typed_at().then(screen::Raw::enter).flatten();
        let account = actum_run::run(request, &house, extracted, risk, live);
        // Nothing more is started: the sandbox is put away while everything is told.
        sandboxes.leave();
        door.finish(cancel);
        drop(raw);
        let report = seal(keeper, account, request, &keeping)?;
        Ok(Carried::Ended { report, put_away: Box::new(sandboxes) })
    }
}

impl Run {
    fn session<'a>(
        &self,
        name: &str,
        (sandboxes, place): (&'a Sandboxes, &'a Place),
        keeping: &'a Keeping,
        run: RunId,
    ) -> Result<InSession<'a>, Problem> {
        Ok(InSession {
            name: name.parse()?,
            sandboxes,
            place,
            idle: self.idle.unwrap_or(actum_run::session::IDLE),
            ceiling: self.ceiling(),
            run,
            folder: &keeping.folder,
            keeping,
        })
    }

    /// Carries it out by calls of a session.
    fn call(
        &self,
        request: &Request,
        session: &InSession<'_>,
        looked_at: (Extracted<'_>, Risk),
        (going, cancel, keeper): (&Going<'_>, Option<BorrowedFd<'_>>, &mut Keeper<'_>),
    ) -> Result<Account, RunError> {
        let door = going.telling.open(self.pty);
        let (mut output, mut watcher) = (door.output(), door.watcher());
        let live = Live {
            stdin: going.stdin.as_fd(),
            output: &mut output,
            passing: door.passing(),
            resized: None,
            cancel,
            watcher: &mut watcher,
            journal: keeper,
        };
        let (extracted, risk) = looked_at;
        let account = actum_run::run_in_session(request, session, extracted, risk, live);
        door.finish(cancel);
        account
    }
}

/// The words of a command, and what else came with them.
#[derive(Debug)]
pub(super) struct Said {
    /// The whole command line.
    pub(super) line: Vec<OsString>,
    pub(super) words: Words,
    /// Code that came on stdin when it was asked for.
    pub(super) stdin: Option<Vec<u8>>,
    /// The digest of what somebody approved.
    pub(super) approved: Option<String>,
}

/// What a run needs while it goes on.
struct Going<'a> {
    run: RunId,
    said: Said,
    stdin: OwnedFd,
    telling: &'a Telling,
}

/// What came of it.
enum Carried {
    /// What is still being put away is waited for after everything was told.
    Ended { report: Box<Report>, put_away: Box<Sandboxes> },
    /// Somebody has to approve it first.
    Waits { report: Box<Report> },
    /// Nothing was to be done.
    Planned(Plan),
}

/// Seals what came of a run. One that could not be carried out is sealed as what it was, so that nobody takes it for lost;
/// where that cannot be written either, the first problem is the one to tell.
fn seal(
    keeper: Keeper<'_>,
    account: Result<Account, RunError>,
    request: &Request,
    keeping: &Keeping,
) -> Result<Box<Report>, Problem> {
    match account {
        Ok(account) => keeper.seal(account, keeping, &request.redaction),
        Err(error) => {
            let (problem, run) = (Problem::from(error), keeper.run());
            let _ = keeper.seal(not_run(run, request, &problem), keeping, &request.redaction);
            Err(problem)
        }
    }
}

/// What a program that reads our reports is told of a problem.
fn not_run(run: RunId, request: &Request, problem: &Problem) -> Account {
    let (reason, hint) = (one_line(problem), problem.hint());
    let why = NotRun { reason: &reason, hint: hint.as_deref(), exit_code: problem.exit_code() };
    actum_run::not_run(run, request, Risk::default(), why)
}

/// An error with its causes.
pub(in crate::cli) fn one_line(problem: &dyn std::error::Error) -> String {
    format!("failed to {}", with_causes(problem))
}
