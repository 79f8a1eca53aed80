//! `actum sandbox`

use super::fail;
use crate::screen;
use actum_attacks::{Filter, Matrix, Options, Runner, Verdict};
use actum_model::Tier;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

/// Test the sandbox itself
#[derive(Debug, clap::Args)]
pub struct Sandbox {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Test(Test),
}

/// Try to break out of the sandbox with a catalogue of attacks
///
/// Each attack is a small sandboxed program. It tries to reach something that was placed outside for this purpose: a key file,
/// a service, another process, or more memory than allowed. Most results are checked from outside the sandbox. Nothing is left
/// behind. Exits with 0 if every attack was blocked, with 1 if one succeeded that should not have.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum sandbox test
  actum sandbox test --group network
  actum sandbox test fs-read-ssh-key rs-fork-bomb
  actum sandbox test --against bubblewrap      # compare with another sandbox")]
struct Test {
    /// Run only these attacks
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// Run only the attacks of this group
    #[arg(long, conflicts_with = "ids")]
    group: Option<String>,
    /// Attack this sandbox; bare means none
    #[arg(long, value_name = "RUNNER", default_value = "actum")]
    against: Against,
    /// Set the sandbox tier: N (namespaces) or L (Landlock)
    #[arg(long, value_name = "TIER", default_value = "N")]
    tier: Ceiling,
    /// Run the attacks as this user (root only)
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
    /// A command to put before actum, as in a wrapper that takes privileges away
    #[arg(long, value_name = "COMMAND", hide = true)]
    prefix: Vec<OsString>,
    /// The binary to test instead of this one
    #[arg(long, value_name = "FILE", hide = true)]
    binary: Option<PathBuf>,
    /// Print the results as JSON
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
            "actum: {} attacks: {} blocked, {achieved} escaped ({} of them expected in this tier), {} \
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
            screen::note("actum: no attack has this name; `actum sandbox test` without names runs all");
            return actum_model::ExitCode::OWN_ERROR.into();
        }
        if unexpected.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) }
    }
}
