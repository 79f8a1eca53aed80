//! What `actum verify` found.

use super::untrusted;
use actum_model::Level;
use serde::Serialize;

/// A verdict about a run, a bundle or a store.
#[derive(Debug, Serialize)]
pub struct Judged {
    pub what: String,
    pub status: Status,
    /// Never more than is true.
    pub level: Level,
    /// Fingerprints of the keys that signed.
    pub signers: Vec<String>,
    pub notes: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

impl Judged {
    /// Something that is not what was signed.
    pub fn invalid(what: String, problem: String) -> Self {
        let (status, level) = (Status::Invalid, Level::E0);
        Self { what, status, level, signers: Vec::new(), notes: Vec::new(), problems: vec![problem] }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Status {
    #[serde(rename = "verified")]
    Verified,
    #[serde(rename = "intact, signer unknown")]
    SignerUnknown,
    #[serde(rename = "invalid record")]
    Invalid,
}

impl Status {
    fn words(self) -> &'static str {
        match self {
            Status::Verified => "verified",
            Status::SignerUnknown => "intact, signer unknown",
            Status::Invalid => "invalid record",
        }
    }
}

/// For people: the verdict first, then what it rests on, then what is wrong.
pub fn judged(judged: &Judged) -> String {
    let Judged { what, status, level, signers, notes, problems } = judged;
    let mut lines = vec![format!("{}: {}", status.words(), untrusted::line(what))];
    lines.push(match status {
        Status::Invalid => format!("  level     {level}, invalid: do not trust this record"),
        Status::Verified | Status::SignerUnknown => format!("  level     {level}, {}", level.words()),
    });
    lines.extend(signers.iter().map(|signer| format!("  signer    {signer}")));
    lines.extend(notes.iter().map(|note| format!("  note      {}", untrusted::line(note))));
    lines.extend(problems.iter().map(|problem| format!("  problem   {}", untrusted::line(problem))));
    lines.join("\n")
}
