//! `actum gc`

use super::trouble::{Trouble, ended};
use crate::config;
use crate::screen;
use actum_engine::clock;
use actum_engine::{HelperProgram, StartedSigner, Surroundings};
use actum_model::{Bytes, Moment, RunId, Span};
use actum_prepare::Keep;
use actum_store::{Filter, Ledger, Reader, Removal, Store, announce_removal, prune};
use std::collections::HashSet;
use std::process::ExitCode;
use std::time::Duration;

/// Delete the contents of old runs; the ledger keeps their hashes
///
/// Without --yes this only shows what would be deleted. It deletes the records, output and kept changes of the selected runs.
/// Their entries in the ledger stay, so that earlier proofs remain valid, and a new entry says what was deleted. Active
/// runs, and runs whose changes wait to be applied, are never selected. What a lost run saved goes with it if nobody looked at
/// it. Environments are created again when a run needs them.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum gc                                show runs older than 90 days
  actum gc --older-than 30d --keep 100    except the newest 100
  actum gc --older-than 7d --keep-label release --yes
  actum gc --environments                 delete environments unused for a month")]
pub struct Gc {
    /// Select runs that began longer than TIME ago
    #[arg(long, value_name = "TIME", default_value = "90d")]
    older_than: String,
    /// Keep the newest COUNT runs
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    keep: u64,
    /// Keep runs with this label (repeatable)
    #[arg(long, value_name = "NAME")]
    keep_label: Vec<String>,
    /// Delete environments unused for a month instead, without --yes
    #[arg(long, conflicts_with_all = ["keep", "keep_label", "older_than"])]
    environments: bool,
    /// Delete what was selected
    #[arg(long, short)]
    yes: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What environments may take together; the least used go first.
const MOST: Bytes = Bytes::gib(20);

impl Gc {
    pub fn execute(self) -> ExitCode {
        ended(self.go())
    }

    /// They are no evidence, so nothing asks for a yes.
    fn collect_environments(&self, surroundings: &Surroundings) -> Result<ExitCode, Trouble> {
        const MONTH: Duration = Duration::from_secs(30 * 24 * 3600);
        let keep = Keep { used_within: MONTH, most: MOST };
        let collected = actum_prepare::collect(&surroundings.cache, keep)?;
        let noun = if collected.environments == 1 { "environment" } else { "environments" };
        screen::say(&format!("deleted {} {noun}, {} freed", collected.environments, collected.freed));
        Ok(ExitCode::SUCCESS)
    }

    fn go(&self) -> Result<ExitCode, Trouble> {
        let surroundings = config::surroundings()?;
        if self.environments {
            return self.collect_environments(&surroundings);
        }
        let aside = StartedSigner::begin(&surroundings, &HelperProgram::itself()?);
        let store = Store::at(&surroundings.store);
        let reader = Reader::open(&store)?;
        let removal = reader.removal(self.chosen(&store, &reader)?)?;
        if !self.yes {
            self.tell("would be deleted", &removal)?;
            return Ok(ExitCode::SUCCESS);
        }
        let because = format!("older than {}", self.older_than);
        let mut signer = aside.signer()?;
        let ledger = Ledger::open(&store, clock::now())?;
        let pruned = announce_removal(&ledger, &reader, &removal.runs, &because, clock::now())?;
        signer.seal(&ledger, &reader)?;
        drop((reader, ledger));
        prune(&store, &pruned)?;
        for run in &pruned.runs {
            // What is left of a run beside the ledger: its program, and what undoing it would need.
            let _ = actum_gate::own::remove_tree(&store.root().join("runs").join(run.to_string()));
        }
        let removed = Removal { runs: pruned.runs, blobs: pruned.blobs, bytes: pruned.freed };
        self.tell("deleted", &removed)?;
        Ok(ExitCode::SUCCESS)
    }

    fn chosen(&self, store: &Store, reader: &Reader) -> Result<Vec<RunId>, Trouble> {
        let age: Span = self
            .older_than
            .parse()
            .map_err(|source| Trouble::Time { text: self.older_than.clone(), source })?;
        let until = Moment(clock::now().0.saturating_sub(age.0.as_micros() as u64));
        let listed = |filter: Filter| -> Result<HashSet<RunId>, Trouble> {
            Ok(reader.list(&filter)?.into_iter().map(|listed| listed.run).collect())
        };
        let mut kept = match self.keep {
            0 => HashSet::new(),
            count => listed(Filter { limit: Some(count), ..Filter::default() })?,
        };
        for label in &self.keep_label {
            kept.extend(listed(Filter { labels: vec![label.clone()], ..Filter::default() })?);
        }
        let old = reader.list(&Filter { until: Some(until), ..Filter::default() })?;
        let may_go = old.into_iter().filter(|run| run.outcome.is_some() && !kept.contains(&run.run));
        Ok(may_go.map(|run| run.run).filter(|run| !super::kept::waits(store, *run)).collect())
    }

    fn tell(&self, what: &str, removal: &Removal) -> Result<(), Trouble> {
        let Removal { runs, blobs, bytes } = removal;
        if self.json {
            let names: Vec<String> = runs.iter().map(ToString::to_string).collect();
            let state = if self.yes { "removed" } else { "would-remove" };
            let told = serde_json::json!({ "state": state, "runs": names, "blobs": blobs, "bytes": bytes.0 });
            screen::say(&serde_json::to_string_pretty(&told)?);
            return Ok(());
        }
        let count = runs.len();
        let plural = if count == 1 { "" } else { "s" };
        screen::say(&format!("{count} run{plural} {what}, with {blobs} contents and {bytes}"));
        if !self.yes && count > 0 {
            screen::note("hint: --yes deletes them; their hashes stay in the ledger");
        }
        Ok(())
    }
}
