//! Runs for coding agents: carried out as the agent's own shell would, or only told about.

use super::asked::Words;
use super::keeper::Keeper;
use super::problem::Problem;
use super::{Said, secrets};
use crate::cli::aside::Aside;
use crate::cli::{Command, kept, read};
use crate::config::{Config, Surroundings};
use crate::{screen, signals};
use actum_model::RunId;
use actum_run::redact::is_secret_name;
use actum_run::unconfined::{self, Line, Shell, Starter, Surface, Told, Without};
use actum_run::{Account, Request};
use actum_sandbox::Variable;
use actum_store::{Keyring, Store};
use rustix::fd::AsFd;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// Where an agent's command runs.
#[derive(Debug, Clone)]
pub(in crate::cli) struct Whereabouts {
    /// The project.
    pub(in crate::cli) workspace: PathBuf,
    /// Where the command starts.
    pub(in crate::cli) folder: PathBuf,
}

/// One command of an agent.
pub(in crate::cli) struct ForAgent {
    surroundings: Surroundings,
    request: Request,
    store: Store,
}

impl ForAgent {
    /// Puts together what would be asked with `actum run` for the same line, and says whose it is.
    pub(in crate::cli) fn read(
        surroundings: Surroundings,
        line: &OsStr,
        place: &Whereabouts,
        agent: &str,
    ) -> Result<Self, Problem> {
        // A project's file that cannot be read must not keep a command out of the record.
        let config = Config::resolve(&surroundings, Some(&place.workspace))
            .or_else(|_| Config::of_user(&surroundings))?;
        let flags = "actum run --shell --in-place --policy open --approval never --no-prepare --no-recover";
        let label = format!("agent={agent}");
        let mut words: Vec<OsString> = flags.split(' ').map(OsString::from).collect();
        words.extend(["--label".into(), label.into(), "--workspace".into(), place.workspace.clone().into()]);
        words.extend(["--workdir".into(), place.folder.clone().into(), "--".into(), line.to_owned()]);
        let Ok(Command::Run(run)) = read(words.iter().cloned()).map(|actum| actum.command) else {
            return Err(Problem::NoSource);
        };
        let said = Said { line: words, words: Words::Command, stdin: None, approved: None };
        let mut request = run.request(&surroundings, &config, &said)?;
        // It has all of them; those that sound like a secret are named, and taken out of what is kept.
        let is_secret = |(name, value): &&(OsString, OsString)| {
            // Where certificates lie is no secret, whatever the variable is called.
            is_secret_name(name.as_bytes()) && !value.as_bytes().starts_with(b"/")
        };
        let secret = surroundings.variables.iter().filter(is_secret).map(|(name, _)| name.clone());
        request.attempt.granted_variables = secret.map(Variable::Inherited).collect();
        request.redaction = secrets::redaction(&request.attempt, &config.redact);
        let store = Store::at(&surroundings.store);
        Ok(Self { surroundings, request, store })
    }

    /// Carries it out and gives its exit code. Where it was not started nothing was printed either, and who could start it
    /// otherwise is given back.
    pub(in crate::cli) fn execute(&self, run: RunId, shell: &Shell) -> Result<u8, Option<Starter>> {
        kept::finish_pending(self.store.root(), &Keyring::at(&self.surroundings.keys));
        // In this order: processes are copied while there is one thread, and signals become wishes before there are more.
        let aside = Aside::begin(&self.surroundings);
        let starter = Starter::ready();
        let cancel = signals::cancel();
        let keeper = Keeper::begin(&self.surroundings, &self.store, (run, &self.request), (aside, None));
        let Ok(mut keeper) = keeper else { return Err(Some(starter)) };
        let folder = keeper.folder().to_path_buf();
        let line = Line { request: &self.request, run, folder: &folder };
        let [stdout, stderr] = screen::own_streams();
        let cancel = cancel.as_ref().map(AsFd::as_fd);
        let surface = Surface { stdout, stderr, cancel, journal: &mut keeper };
        match unconfined::execute(line, shell, starter, surface) {
            Ok(account) => {
                let code = account.report.exit_code;
                // The command has said everything: what we have to say is in the record, or nowhere.
                screen::say_no_more();
                let _ = self.seal(keeper, account);
                Ok(code)
            }
            Err(Without::NotKept { ending, .. }) => Ok(ending.exit_code()),
            Err(Without::NotStarted { starter, .. }) => Err(starter),
        }
    }

    /// Records what an agent told about it.
    pub(in crate::cli) fn observe(&self, run: RunId, told: Told<'_>) -> Result<(), Problem> {
        let aside = Aside::begin(&self.surroundings);
        let keeper = Keeper::begin(&self.surroundings, &self.store, (run, &self.request), (aside, None))?;
        let folder = keeper.folder().to_path_buf();
        let line = Line { request: &self.request, run, folder: &folder };
        let account = unconfined::observe(line, told)?;
        self.seal(keeper, account)
    }

    fn seal(&self, keeper: Keeper<'_>, account: Account) -> Result<(), Problem> {
        let keyring = Keyring::at(&self.surroundings.keys);
        let keeping = kept::keeping(&keyring, self.store.root(), keeper.folder().to_path_buf());
        keeper.seal(account, &keeping, &self.request.redaction).map(drop)
    }
}
