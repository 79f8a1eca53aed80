//! `[experiment]`: where output goes, and how a program resumes.

use serde::Deserialize;

/// What `actum experiment` goes by before flags.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExperimentRules {
    /// The pattern of output folders.
    pub output: Option<String>,
    /// Words to add to a command so that it continues from `{checkpoint}`.
    pub resume: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExperimentPart {
    output: Option<String>,
    resume: Option<String>,
}

impl ExperimentRules {
    /// A pattern is checked where it is used: it leads nowhere but below the workspace.
    pub(super) fn lay_over(&mut self, part: ExperimentPart) {
        self.output = part.output.or(self.output.take());
        self.resume = part.resume.or(self.resume.take());
    }
}
