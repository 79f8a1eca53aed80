//! Why an expectation cannot be used.

/// Why an expectation cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JudgeError {
    #[error("cannot understand the expectation `{text}`: {why}")]
    NotUnderstood { text: String, why: String },
    #[error("cannot read the schema {path}")]
    NoSchema { path: String, source: std::io::Error },
    #[error("cannot read cases from {from}: {why}")]
    NoCases { from: String, why: String },
    #[error("cannot use {path} as a JSON Schema: {why}")]
    NotASchema { path: String, why: String },
}

impl JudgeError {
    /// What to do next.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NotUnderstood { .. } => {
                "write it as KIND=VALUE or KIND:SUBJECT=VALUE; `actum run --help` shows examples"
            }
            Self::NoSchema { .. } => "name a file that you can read, from where you are",
            Self::NoCases { .. } => "docs/design/validation.md shows tables and folders of cases",
            Self::NotASchema { .. } => "mend it; references to other documents are not followed",
        }
    }
}
