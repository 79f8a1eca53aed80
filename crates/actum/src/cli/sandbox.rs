//! `actum sandbox`

use super::{OWN_ERROR, fail};
use crate::screen;
use actum_attacks::{Filter, Matrix, Options, Runner, Verdict};
use actum_model::Tier;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

/// Examine the walls themselves
#[derive(Debug, clap::Args)]
pub struct Sandbox {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Test(Test),
}

/// Try to break out: run the attack catalogue on this machine and print the matrix
///
/// Each attempt is a small program that runs confined and tries to reach a canary planted outside: a key file, a
/// service, another process, more memory than it may have. Most are judged from outside. Nothing is left behind.
/// Ends with 0 when every wall held, with 1 when an attempt reached its aim that should not have.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum sandbox test
  actum sandbox test --group network
  actum sandbox test fs-read-ssh-key rs-fork-bomb
  actum sandbox test --against bubblewrap      # shows that the attempts are real")]
struct Test {
    /// Only these attempts
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// Only the attempts of a group
    #[arg(long, conflicts_with = "ids")]
    group: Option<String>,
    /// What confines the attempts: actum, bubblewrap or bare (nothing)
    #[arg(long, value_name = "RUNNER", default_value = "actum")]
    against: Against,
    /// The tier of walls: N or L
    #[arg(long, value_name = "TIER", default_value = "N")]
    tier: Ceiling,
    /// As this user instead of yourself (as root only)
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
    /// A command to put before actum, as in a wrapper that takes privileges away
    #[arg(long, value_name = "COMMAND", hide = true)]
    prefix: Vec<OsString>,
    /// The binary to test instead of this one
    #[arg(long, value_name = "FILE", hide = true)]
    binary: Option<PathBuf>,
    /// Print the matrix as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Against {
    Actum,
    Bubblewrap,
    Bare,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
#[value(rename_all = "verbatim")]
enum Ceiling {
    N,
    L,
}

impl Sandbox {
    pub fn execute(self) -> ExitCode {
        match self.command {
            Command::Test(test) => test.execute(),
        }
    }
}

impl Test {
    fn execute(self) -> ExitCode {
        let options = match self.options() {
            Ok(options) => options,
            Err(error) => return fail(&error, None),
        };
        let shown = !self.json;
        let matrix = actum_attacks::run(&options, &mut |progress| {
            if shown {
                screen::say(&screen::attempt(progress.row));
            }
        });
        let matrix = match matrix {
            Ok(matrix) => matrix,
            Err(error) => return fail(&error, None),
        };
        if self.json {
            match serde_json::to_string_pretty(&matrix) {
                Ok(text) => screen::say(&text),
                Err(error) => return fail(&error, None),
            }
        }
        self.close(&matrix)
    }

    fn options(&self) -> Result<Options, std::io::Error> {
        let runner = match self.against {
            Against::Bare => Runner::Bare,
            Against::Bubblewrap => Runner::Bubblewrap,
            Against::Actum => Runner::Actum {
                binary: self.binary.clone().map_or_else(std::env::current_exe, Ok)?,
                prefix: self.prefix.clone(),
                flags: match self.tier {
                    Ceiling::N => Vec::new(),
                    Ceiling::L => vec!["--tier".to_owned(), "L".to_owned()],
                },
            },
        };
        let mut options = Options::new(runner);
        options.as_user = self.user.clone();
        options.filter = match (&self.group, self.ids.is_empty()) {
            (Some(group), _) => Filter::Group(group.clone()),
            (None, false) => Filter::Ids(self.ids.clone()),
            (None, true) => Filter::All,
        };
        Ok(options)
    }

    fn close(&self, matrix: &Matrix) -> ExitCode {
        let tier = match (self.against, self.tier) {
            (Against::Actum, Ceiling::N) => Tier::N,
            (Against::Actum, Ceiling::L) => Tier::L,
            (Against::Bubblewrap | Against::Bare, _) => Tier::None,
        };
        let unexpected = match matrix.unexpected(tier) {
            Ok(unexpected) => unexpected,
            Err(error) => return fail(&error, None),
        };
        let achieved = matrix.achieved().count();
        screen::note(&format!(
            "actum: {} attempts: {} held, {achieved} reached their aim ({} of them expected in this tier), {} \
             skipped, {} refused or not run",
            matrix.rows.len(),
            matrix.held().count(),
            achieved.saturating_sub(
                unexpected.iter().filter(|row| matches!(row.verdict, Verdict::Achieved { .. })).count()
            ),
            matrix.skipped().count(),
            matrix.not_started().count(),
        ));
        if matrix.rows.is_empty() {
            screen::note("actum: no attempt has this name; `actum sandbox test` without names runs all");
            return ExitCode::from(OWN_ERROR);
        }
        if unexpected.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) }
    }
}
