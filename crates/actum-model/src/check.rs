//! Whether what was expected of a run came out.

use crate::{Outcome, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The results of expectations.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Validation {
    pub checks: Vec<Check>,
    /// The program's runs on cases, each with its own input and expectation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cases: Vec<Case>,
    /// Suspicious results that no expectation covers. They change neither the outcome nor the exit code.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub advice: Vec<Advice>,
}

/// One expectation about what came out.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    pub name: String,
    pub held: bool,
    pub expected: String,
    /// In Actum's own words.
    pub found: String,
    /// What the program printed or wrote there, shortened and neutralised. Not part of the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// Where it was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<String>,
    /// Where the expectation was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// Why it could not be checked. Then it counts as failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undecided: Option<String>,
}

/// A suspicious result that no expectation covers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Advice {
    /// What was checked: `stdout`, `out.csv`.
    pub about: String,
    /// In Actum's own words.
    pub says: String,
    /// What the program printed or wrote there, shortened and neutralised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<String>,
}

/// One case: its input, and whether the result was as expected.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Case {
    pub name: String,
    pub held: bool,
    /// How its program ended.
    pub outcome: Outcome,
    pub duration: Span,
    pub checks: Vec<Check>,
}

impl Validation {
    /// Whether everything held that was expected.
    pub fn holds(&self) -> bool {
        self.checks.iter().all(|check| check.held) && self.cases.iter().all(|case| case.held)
    }

    /// How many held of how many, cases among them.
    pub fn counts(&self) -> (usize, usize) {
        let held = self.checks.iter().map(|check| check.held).chain(self.cases.iter().map(|case| case.held));
        (held.clone().filter(|held| *held).count(), held.count())
    }
}

impl Check {
    /// `expected 3, found 4`, behind its name.
    pub fn words(&self) -> String {
        match (&self.undecided, &self.quote) {
            (Some(why), _) => format!("could not be made: {why}"),
            (None, Some(quote)) => format!("expected {}, found {}: {quote}", self.expected, self.found),
            (None, None) => format!("expected {}, found {}", self.expected, self.found),
        }
    }

    /// As the record keeps it: without what the program printed.
    pub fn sealed(&self) -> Self {
        Self { quote: None, ..self.clone() }
    }
}
