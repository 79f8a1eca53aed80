//! Who printed an output, as far as it decides whether a count of tests is one.

/// Who printed what a run printed. Decided from the command line and the files around it; see `actum-commands`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    pub runners: Runners,
    /// What is counted may be printed by anybody, or is not all that was counted: it denies a claim, and confirms none.
    pub only_denies: bool,
    /// More than one runner is started: each may print a summary.
    pub has_several: bool,
    /// A text that was there before may stand in the output.
    pub shows_text: bool,
    /// Programs of the line that somebody else may have put in the place of those that they are called after.
    pub unknown: Vec<String>,
}

/// The runners whose counts are believed, by the names that [`crate::analyse`] gives them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Runners {
    /// Nobody asks: the output is that of a runner by definition, as in a fixture.
    #[default]
    Any,
    These(Vec<&'static str>),
}

impl Origin {
    /// Where nothing is known about it, nothing counts.
    pub fn nobody() -> Self {
        Self { runners: Runners::These(Vec::new()), shows_text: true, ..Self::default() }
    }

    /// Told by somebody else: it denies, and confirms nothing.
    #[must_use]
    pub fn told(self) -> Self {
        Self { only_denies: true, ..self }
    }

    /// Whether what looks like this runner's counts is a test result.
    pub fn has(&self, runner: &str) -> bool {
        match &self.runners {
            Runners::Any => true,
            Runners::These(runners) => runners.contains(&runner),
        }
    }

    /// Whether numbers in the output may be found out by a program, and not only shown.
    pub fn is_of_a_program(&self) -> bool {
        !self.shows_text
    }

    /// The output of these runners; several summaries where there is more than one.
    #[cfg(test)]
    pub(crate) fn of_runners(names: &[&'static str]) -> Self {
        let has_several = names.len() > 1;
        let runners = Runners::These(names.to_vec());
        Self { runners, only_denies: has_several, has_several, ..Self::nobody() }
    }
}
