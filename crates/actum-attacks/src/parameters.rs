//! What an attempt is told: places, ports and names, never a secret.

use crate::AttackError;
use std::collections::BTreeMap;

/// Names and values, all text, so that the shell and C can read them too.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parameters(BTreeMap<&'static str, String>);

impl Parameters {
    pub(crate) fn set(&mut self, name: &'static str, value: impl ToString) {
        self.0.insert(name, value.to_string());
    }

    pub(crate) fn extend(&mut self, other: &Parameters) {
        self.0.extend(other.0.iter().map(|(name, value)| (*name, value.clone())));
    }

    /// One JSON object, for Python and JavaScript.
    pub(crate) fn as_json(&self) -> Result<String, AttackError> {
        serde_json::to_string(&self.0).map_err(|source| AttackError::Parameters { source })
    }

    /// `name=value` words, for the shell and C.
    pub(crate) fn as_words(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|(name, value)| format!("{name}={value}"))
    }
}
