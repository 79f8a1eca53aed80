//! Which runs a claim can be about.

use super::meant;
use super::verdict::Verdict;
use crate::evidence::{Evidence, RunFacts};
use actum_commands::command::{self, Match};
use actum_model::{Anchor, Claim, Said, When};

/// The runs that a claim can be about, newest first.
pub(crate) struct Scope<'e> {
    pub(crate) evidence: &'e Evidence,
    pub(crate) runs: Vec<&'e RunFacts>,
    /// The claim names its run or its command.
    pub(crate) bound: bool,
    /// The command that it names.
    pub(crate) named: Option<&'e str>,
    pub(crate) when: When,
    pub(crate) text: &'e str,
}

impl<'e> Scope<'e> {
    pub(crate) fn of(claim: &'e Claim, evidence: &'e Evidence) -> Result<Self, Box<Verdict<'e>>> {
        let (when, text, context) = (claim.when, claim.text.as_str(), claim.context.as_str());
        // A run that was cut off only denies that the tests hold.
        let is_about_tests = matches!(claim.said, Said::Tests(_) | Said::Test { .. });
        let runs = evidence.runs.iter().filter(|run| !run.lost || is_about_tests).collect();
        let mut scope = Self { evidence, runs, bound: false, named: None, when, text };
        if let Some(anchor) = &claim.anchor {
            scope.bind(anchor)?;
        }
        // Who says what ran is not bound by a command beside it.
        let names_itself = matches!(
            claim.said,
            Said::Ran { .. }
                | Said::File { .. }
                | Said::Installed { .. }
                | Said::Commit { .. }
                | Said::RunId { .. }
        );
        if let Some(named) = claim.command.as_deref().filter(|_| !names_itself) {
            scope.named = Some(named);
            scope.choose(named)?;
        }
        if !names_itself && !scope.bound {
            scope.narrow(claim);
        }
        if !names_itself && claim.anchor.is_none() {
            if matches!(claim.said, Said::Exit { .. } | Said::Absent { .. }) && claim.command.is_none() {
                meant::of_program(text, &mut scope.runs);
            }
            meant::prune(text, &mut scope.runs);
            meant::prune(context, &mut scope.runs);
        }
        Ok(scope)
    }

    /// Chooses by words that tell runs apart: the file that was run, an option with its value.
    fn narrow(&mut self, claim: &Claim) {
        let mut named = meant::of_files(&claim.text, &self.runs);
        // A file that another run wrote says nothing about which run of tests is meant.
        if matches!(claim.said, Said::Tests(_) | Said::Test { .. }) {
            named.retain(|run| run.tests.is_some() || command::runs_tests(&run.command));
        }
        if !named.is_empty() && named.len() < self.runs.len() {
            self.runs = named;
            self.bound = true;
        }
    }

    fn bind(&mut self, text: &str) -> Result<(), Box<Verdict<'e>>> {
        let nothing = || Box::new(Verdict::unsupported(format!("{text} names no run in scope")));
        let anchor: Anchor = text.parse().map_err(|_| nothing())?;
        let wanted = anchor.run.to_lowercase();
        let is_it =
            |run: &&RunFacts| run.run == wanted || run.run.starts_with(&wanted) || run.run.ends_with(&wanted);
        let mut runs: Vec<&RunFacts> = self.runs.iter().copied().filter(is_it).collect();
        if wanted == "last" {
            runs = self.runs.first().copied().into_iter().collect();
        }
        if runs.len() != 1 {
            return Err(nothing());
        }
        self.runs = runs;
        self.bound = true;
        Ok(())
    }

    fn choose(&mut self, named: &str) -> Result<(), Box<Verdict<'e>>> {
        let mut runs: Vec<(&RunFacts, Match)> =
            self.runs.iter().filter_map(|run| Some((*run, command::compare(&run.command, named)?))).collect();
        if runs.is_empty() {
            return Err(Box::new(Verdict::unsupported(format!("no recorded run of `{named}` is in scope"))));
        }
        // A run of exactly that is meant before one of a part of it.
        if runs.iter().any(|(_, same)| *same > Match::Narrower) {
            runs.retain(|(_, same)| *same > Match::Narrower);
        }
        self.runs = runs.into_iter().map(|(run, _)| run).collect();
        self.bound = true;
        Ok(())
    }

    /// The newest run of each command: what was run again is superseded.
    pub(crate) fn latest(&self) -> Vec<&'e RunFacts> {
        let mut latest: Vec<&RunFacts> = Vec::new();
        for run in &self.runs {
            if !latest.iter().any(|one| one.command == run.command) {
                latest.push(run);
            }
        }
        latest
    }

    /// Whether the claim's words have this one.
    pub(crate) fn says(&self, word: &str) -> bool {
        self.text.to_lowercase().contains(word)
    }

    /// What was looked at, for who asks why.
    pub(crate) fn looked_at(&self) -> Vec<String> {
        self.runs.iter().take(10).map(|run| line(run)).collect()
    }
}

pub(crate) fn line(run: &RunFacts) -> String {
    let stale = if run.is_stale() { ", inputs changed since" } else { "" };
    format!(
        "actum:{}: `{}`, exit {}{stale}",
        run.run,
        run.command.chars().take(80).collect::<String>(),
        run.exit
    )
}

/// The program of a command: two runs of it with other words are still runs of the same work.
pub(crate) fn program(command: &str) -> Option<String> {
    let words = command::words(command);
    let is_file = |word: &&String| {
        word.contains('.') && !word.starts_with('-') && !word.chars().all(|c| c.is_ascii_digit() || c == '.')
    };
    words.iter().find(is_file).or(words.first()).cloned()
}
