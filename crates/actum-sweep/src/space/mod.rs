//! Names and domains: what a sweep is over.

mod grammar;
mod table;

pub use grammar::FORMS;

use crate::{Domain, DomainError};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::collections::HashSet;

/// Parameters by name, in the order that they were given. Serialised as words; read from words or from a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Space(Vec<(String, Domain)>);

/// More parameters are taken for a mistake.
pub const MOST_PARAMETERS: usize = 256;

/// Why there is no space.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SpaceError {
    #[error("`{0}` has no `=`; write for example `lr=0.1,0.01`")]
    NoDomain(String),
    #[error("`{0}` is no name of a parameter: letters, digits and `_ . - / @ : +`, not beginning with `-`")]
    Name(String),
    #[error("parameter `{0}` is given twice")]
    Doubled(String),
    #[error("there are more than {MOST_PARAMETERS} parameters")]
    TooMany,
    #[error("parameter `{name}`: {reason}")]
    Domain { name: String, reason: DomainError },
    #[error("parameter `{name}`: `{form}` {reason}; allowed are {FORMS}")]
    Form { name: String, form: String, reason: String },
    #[error("parameter `{name}`: {reason}")]
    Table { name: String, reason: String },
}

impl Space {
    /// In this order, each name once, each domain with values.
    pub fn new(parameters: Vec<(String, Domain)>) -> Result<Self, SpaceError> {
        if parameters.len() > MOST_PARAMETERS {
            return Err(SpaceError::TooMany);
        }
        let mut seen = HashSet::new();
        for (name, domain) in &parameters {
            if !is_name(name) {
                return Err(SpaceError::Name(shortened(name)));
            }
            if !seen.insert(name) {
                return Err(SpaceError::Doubled(name.clone()));
            }
            domain.check().map_err(|reason| SpaceError::Domain { name: name.clone(), reason })?;
        }
        Ok(Self(parameters))
    }

    /// From words such as `lr=log(1e-5,1e-1)`; [`FORMS`] has them all.
    pub fn parse<W: AsRef<str>>(words: &[W]) -> Result<Self, SpaceError> {
        Self::new(words.iter().map(|word| grammar::parameter(word.as_ref())).collect::<Result<_, _>>()?)
    }

    /// From what a file in YAML, TOML or JSON holds: a list of words, a table of names, or a configuration of W&B with its table below
    /// `parameters`, whose other keys are not looked at.
    pub fn read(value: &serde_json::Value) -> Result<Self, SpaceError> {
        table::space(value)
    }

    /// The words that give this space again.
    pub fn words(&self) -> Vec<String> {
        self.0.iter().map(|(name, domain)| format!("{name}={}", grammar::text(domain))).collect()
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Domain)> {
        self.0.iter().map(|(name, domain)| (name.as_str(), domain))
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many points there are, where each domain can be counted.
    pub fn count(&self) -> Option<u64> {
        self.0.iter().try_fold(1_u64, |product, (_, domain)| product.checked_mul(domain.count()?))
    }
}

impl Serialize for Space {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.words().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Space {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::read(&serde_json::Value::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Space {
    fn schema_name() -> Cow<'static, str> {
        "Space".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({
            "type": ["array", "object"],
            "items": { "type": "string" },
            "description": "Words such as lr=log(1e-5,1e-1), or names with their domains.",
        })
    }
}

/// For a message.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut short: String =
        text.chars().take(LONGEST).map(|c| if c.is_control() { '?' } else { c }).collect();
    if text.chars().nth(LONGEST).is_some() {
        short.push('…');
    }
    short
}

fn is_name(name: &str) -> bool {
    const LONGEST: usize = 256;
    let is_part = |c: char| c.is_alphanumeric() || "_.-/@:+".contains(c);
    !name.is_empty() && name.len() <= LONGEST && !name.starts_with('-') && name.chars().all(is_part)
}
