//! Words typed in: one command a file, whose doc comment is its help.

mod agent;
mod apply;
mod approve;
mod backup;
mod bundle;
mod changes;
mod checkpoint;
mod claims;
mod completions;
mod config;
mod diff;
mod discard;
mod doctor;
mod evidence;
mod experiment;
mod extract;
mod fix;
mod gc;
mod help;
mod hook;
mod init;
mod inspect;
mod itself;
mod kept;
mod key;
mod languages;
mod lines;
mod logs;
mod ls;
mod output_place;
mod reading;
mod reference;
mod report_file;
mod reproduce;
mod rerun;
mod run;
mod sandbox;
mod session;
mod show;
mod summary_file;
mod sweep;
mod tasks;
mod timeline;
mod trouble;
mod trust;
mod undo;
mod verify;
mod watch;
mod when;

use crate::screen;
use actum_engine::EarlySigner;
use actum_sandbox::Warden;
use clap::{CommandFactory, FromArgMatches, Parser};
use std::ffi::OsString;
use std::process::ExitCode;

/// Run code written by AI agents and people: sandboxed, recorded and verifiable
#[derive(Debug, Parser)]
#[command(name = "actum", version, about, max_term_width = 100)]
struct Actum {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Run(Box<run::Run>),
    Tasks(tasks::Tasks),
    Experiment(experiment::Experiment),
    Reproduce(reproduce::Reproduce),
    Sweep(Box<sweep::Sweep>),
    Rerun(rerun::Rerun),
    Inspect(inspect::Inspect),
    Extract(extract::Extract),
    Fix(fix::Fix),
    Ls(ls::Ls),
    Show(show::Show),
    Logs(logs::Logs),
    Timeline(timeline::Timeline),
    Evidence(evidence::Evidence),
    Diff(diff::Diff),
    Approve(approve::Approve),
    Languages(languages::List),
    Changes(changes::Changes),
    Apply(apply::Apply),
    Discard(discard::Discard),
    Undo(undo::Undo),
    Claims(claims::Claims),
    Verify(verify::Verify),
    Bundle(bundle::Bundle),
    Checkpoint(checkpoint::Checkpoint),
    Key(key::Key),
    Init(init::Init),
    Hook(hook::Hook),
    Gc(gc::Gc),
    Backup(backup::Backup),
    Doctor(doctor::Doctor),
    Session(session::Session),
    Sandbox(sandbox::Sandbox),
    Config(config::Show),
    Trust(trust::Trust),
    Completions(completions::Completions),
    #[command(hide = true)]
    Reference(reference::Reference),
}

/// Whether the words ask for a run as nearly all do, with namespaces: then the ground can be broken before they are understood.
/// A word that only looks like the flag is somebody's argument, and costs the head start.
pub fn is_plain_run(mut words: impl Iterator<Item = OsString>) -> bool {
    words.nth(1).is_some_and(|word| word == "run")
        && !words.any(|word| word.as_encoded_bytes().starts_with(b"--tier"))
}

/// Reads the words and does what they say.
pub fn main(warden: Warden, signer: Option<EarlySigner>) -> ExitCode {
    let actum = match read(std::env::args_os()) {
        Ok(actum) => actum,
        Err(error) => {
            print_usage_error(&error);
            // clap's 2 for a wrong word would look like a program's own code; ours is 125.
            return match error.use_stderr() {
                true => actum_model::ExitCode::OWN_ERROR.into(),
                false => ExitCode::SUCCESS,
            };
        }
    };
    match actum.command {
        Command::Run(command) => command.execute(warden, signer),
        Command::Tasks(command) => command.execute(warden),
        Command::Experiment(command) => command.execute(warden, signer),
        Command::Reproduce(command) => command.execute(warden, signer),
        Command::Sweep(command) => command.execute(warden, signer),
        Command::Rerun(command) => command.execute(warden, signer),
        Command::Inspect(command) => command.execute(warden),
        Command::Extract(command) => command.execute(warden),
        Command::Fix(command) => command.execute(),
        Command::Ls(command) => command.execute(),
        Command::Show(command) => command.execute(),
        Command::Logs(command) => command.execute(),
        Command::Timeline(command) => command.execute(),
        Command::Evidence(command) => command.execute(),
        Command::Diff(command) => command.execute(),
        Command::Approve(command) => command.execute(warden),
        Command::Languages(command) => command.execute(),
        Command::Changes(command) => command.execute(),
        Command::Apply(command) => command.execute(),
        Command::Discard(command) => command.execute(),
        Command::Undo(command) => command.execute(),
        Command::Claims(command) => command.execute(warden),
        Command::Verify(command) => command.execute(),
        Command::Bundle(command) => command.execute(),
        Command::Checkpoint(command) => command.execute(),
        Command::Key(command) => command.execute(),
        Command::Init(command) => command.execute(),
        Command::Hook(command) => command.execute(warden),
        Command::Gc(command) => command.execute(),
        Command::Backup(command) => command.execute(),
        Command::Doctor(command) => command.execute(warden),
        Command::Session(command) => command.execute(),
        Command::Sandbox(command) => command.execute(),
        Command::Config(command) => command.execute(),
        Command::Trust(command) => command.execute(),
        Command::Completions(command) => command.execute(),
        Command::Reference(command) => command.execute(),
    }
}

/// Prints what was wrong with the command line, or its help. Words of the command line can be somebody else's choice too: where
/// they hold control characters, clap's own rendering is not used.
fn print_usage_error(error: &clap::Error) {
    let plain = error.render().to_string();
    if screen::harmless_lines(&plain) == plain {
        let _ = error.print();
    } else {
        screen::note(plain.trim_end());
    }
}

/// Everything that can be typed.
fn command() -> clap::Command {
    help::grouped(Actum::command())
}

fn read(words: impl Iterator<Item = OsString>) -> Result<Actum, clap::Error> {
    let words: Vec<OsString> = words.collect();
    if let Some(run) = read_run(&words) {
        return Ok(Actum { command: Command::Run(Box::new(run)) });
    }
    let matches = command().try_get_matches_from(words)?;
    Actum::from_arg_matches(&matches).map_err(|error| error.format(&mut command()))
}

/// The words of a run, by its own definition alone: making those of all others takes longer than everything else that is done with
/// words. What is not understood is read again with all of them, so that it is told as ever.
fn read_run(words: &[OsString]) -> Option<run::Run> {
    words.get(1).filter(|word| *word == "run")?;
    parse_run(words.to_vec()).ok()
}

fn parse_run(words: Vec<OsString>) -> Result<run::Run, clap::Error> {
    let run = <run::Run as clap::Args>::augment_args(clap::Command::new("run"));
    let matches = clap::Command::new("actum").subcommand(run).try_get_matches_from(words)?;
    let missing = || clap::Error::new(clap::error::ErrorKind::MissingSubcommand);
    run::Run::from_arg_matches(matches.subcommand_matches("run").ok_or_else(missing)?)
}

/// Parsers of foreign text below this module, for [`crate::foreign`].
pub(crate) use hook::parse_hook_event;
pub(crate) use tasks::parse_task_list;

/// Shows an error and ends with our own code.
pub(crate) fn fail(error: &dyn std::error::Error, hint: Option<&str>) -> ExitCode {
    screen::problem(error, hint);
    actum_model::ExitCode::OWN_ERROR.into()
}
