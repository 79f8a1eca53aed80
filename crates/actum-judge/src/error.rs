//! Why an expectation cannot be used.

/// Why an expectation cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JudgeError {
    #[error("cannot parse the expectation `{text}`: {why}")]
    NotUnderstood { text: String, why: String },
    #[error("cannot read the schema {path}")]
    NoSchema { path: String, source: std::io::Error },
    #[error("cannot read cases from {from}: {why}")]
    NoCases { from: String, why: String },
    #[error("{path} is not a valid JSON Schema: {why}")]
    NotASchema { path: String, why: String },
}

impl JudgeError {
    /// What to do next.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NotUnderstood { .. } => {
                "use KIND=VALUE or KIND:SUBJECT=VALUE; `actum run --help` shows examples"
            }
            Self::NoSchema { .. } => "give a readable file, relative to the current folder",
            Self::NoCases { .. } => "docs/design/validation.md describes tables and folders of cases",
            Self::NotASchema { .. } => "correct the schema; references to other documents are not followed",
        }
    }
}
