//! Why an attempt failed, as a row of the taxonomy.

use crate::{Frame, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Why an attempt failed: one row of the taxonomy with its subject.
///
/// Texts in it were printed by the program; they are neutralised and shortened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Diagnosis {
    /// The row's name, stable over versions: `py-module-missing`.
    pub row: String,
    /// The version of the taxonomy that the row is of.
    pub taxonomy: u32,
    pub class: Class,
    pub priority: Priority,
    /// In one sentence, with the subject in it.
    pub cause: String,
    /// Its subject: the module, the file, the host. In the order of the row's captures; empty ones are left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub subject: Vec<String>,
    /// What a remedy would have to change.
    pub touches: Touches,
    /// Whether a remedy is applied without asking.
    pub mode: Mode,
    /// Where it is in the output; absent if it was derived from the ending alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matched: Option<Matched>,
    /// The innermost frame in the user's own code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<Frame>,
    /// Whose code the innermost frame of all is in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raised_in: Option<Whose>,
}

/// What kind of thing went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// A package, or a file of the program's own, that it imports is not there.
    Import,
    /// A file or a folder is not where the program looks for it.
    Path,
    /// A limit was reached.
    Resource,
    /// An error of the program itself.
    Logic,
    /// It works but takes too long.
    Performance,
    /// Another version of a package, an interpreter or a library is needed.
    Version,
    Permission,
    Network,
    Encoding,
    Gpu,
    /// A compiler or another program that it needs is not installed.
    Toolchain,
    /// A port is in use, or the program is a server that never ends.
    Port,
    /// It waits for a person: input, a terminal, arguments.
    Interactive,
    Display,
    /// A shared library or a header of the system is missing.
    Syslib,
    /// Written for an old version of its language.
    Legacy,
    /// A part of a notebook or of a transcript.
    Notebook,
    Async,
    /// A part of the program is missing: cut off, or left out on purpose.
    Truncated,
    /// The sandbox blocked it.
    Sandbox,
    /// An external service is missing or busy.
    Service,
}

/// The stage of repair; smaller numbers are tried first.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "u8", into = "u8")]
pub struct Priority(#[schemars(range(max = 5))] u8);

/// What a remedy would have to change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Touches {
    /// Nothing: it can only be reported.
    None,
    /// Packages, interpreter, variables.
    Environment,
    /// Limits, arguments, stdin, mounts.
    Parameters,
    /// Folders and files beside the program.
    Files,
    /// How it is started: a launcher or a staged copy beside the untouched source.
    Launcher,
    /// The text of the program itself.
    Source,
}

/// Whether a remedy is applied without asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// It is applied.
    Auto,
    /// It is applied if the policy allows it: it needs the network, or a package that is not known.
    Gated,
    /// A person has to decide.
    Ask,
    /// It is reported, and nothing is tried again.
    Report,
}

/// Where in the output a row was recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Matched {
    pub stream: Stream,
    /// Counted from 1.
    pub line: u64,
}

/// Whose code it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Whose {
    /// The user's code: in the workspace, or passed to Actum.
    Own,
    /// An installed package.
    Package,
    /// The language's standard library, or the system.
    System,
}

/// Why a number is not a priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} is not a priority from 0 to 5")]
pub struct PriorityError(u8);

impl Priority {
    /// Outside the five.
    pub const OUTSIDE: Priority = Priority(0);
    /// The first of the five: something that it imports.
    pub const IMPORT: Priority = Priority(1);

    pub fn number(self) -> u8 {
        self.0
    }
}

impl TryFrom<u8> for Priority {
    type Error = PriorityError;

    fn try_from(number: u8) -> Result<Self, PriorityError> {
        if number <= 5 { Ok(Self(number)) } else { Err(PriorityError(number)) }
    }
}

impl From<Priority> for u8 {
    fn from(priority: Priority) -> u8 {
        priority.0
    }
}

impl Class {
    pub const ALL: [Class; 21] = [
        Class::Import,
        Class::Path,
        Class::Resource,
        Class::Logic,
        Class::Performance,
        Class::Version,
        Class::Permission,
        Class::Network,
        Class::Encoding,
        Class::Gpu,
        Class::Toolchain,
        Class::Port,
        Class::Interactive,
        Class::Display,
        Class::Syslib,
        Class::Legacy,
        Class::Notebook,
        Class::Async,
        Class::Truncated,
        Class::Sandbox,
        Class::Service,
    ];

    pub fn word(self) -> &'static str {
        match self {
            Class::Import => "import",
            Class::Path => "path",
            Class::Resource => "resource",
            Class::Logic => "logic",
            Class::Performance => "performance",
            Class::Version => "version",
            Class::Permission => "permission",
            Class::Network => "network",
            Class::Encoding => "encoding",
            Class::Gpu => "gpu",
            Class::Toolchain => "toolchain",
            Class::Port => "port",
            Class::Interactive => "interactive",
            Class::Display => "display",
            Class::Syslib => "syslib",
            Class::Legacy => "legacy",
            Class::Notebook => "notebook",
            Class::Async => "async",
            Class::Truncated => "truncated",
            Class::Sandbox => "sandbox",
            Class::Service => "service",
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_is_absent_and_reads_back() {
        let diagnosis = Diagnosis {
            row: "any-timeout".to_owned(),
            taxonomy: 1,
            class: Class::Resource,
            priority: Priority::try_from(3).unwrap(),
            cause: "The time was over.".to_owned(),
            subject: Vec::new(),
            touches: Touches::Parameters,
            mode: Mode::Auto,
            matched: None,
            frame: None,
            raised_in: None,
        };
        let json = serde_json::to_value(&diagnosis).unwrap();
        assert_eq!(
            json,
            serde_json::json!({ "row": "any-timeout", "taxonomy": 1, "class": "resource", "priority": 3,
                "cause": "The time was over.", "touches": "parameters", "mode": "auto" })
        );
        assert_eq!(serde_json::from_value::<Diagnosis>(json).unwrap(), diagnosis);
    }

    #[test]
    fn words_are_those_of_json() {
        for class in Class::ALL {
            assert_eq!(serde_json::to_value(class).unwrap(), class.word());
        }
        assert!(serde_json::from_value::<Priority>(serde_json::json!(6)).is_err());
    }
}
