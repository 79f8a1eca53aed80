//! What a program's text tells about it: what it imports, reads, writes, wants and lacks.
//!
//! A reading comes from the syntax tree, before anything runs. It says what is written, not what is true of this machine:
//! which import is a package, which file is there and which program is installed is for others to find out. Names that
//! the program computes stay unknown. Every text in it was chosen by whoever wrote the program; it is of bounded length
//! and must be neutralised where it is shown.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

mod demands;
mod import;
mod parameter;
mod state;

pub use demands::{
    Argument, CommandUse, Effort, EffortKind, FileMode, FileUse, Gpu, GpuNeed, NetworkUse, Service, Sign,
    Variable,
};
pub use import::{Declared, Import, ImportKind, Install, NameUse, VersionNeed};
pub use parameter::{DataSetUse, DeclaredParameter, DefaultValue, Framework, ParameterKind};
pub use state::{Completeness, EntryPoint, Layout, LayoutKind, Magic, MagicKind};

/// What was read out of one program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reading {
    /// The version of this form.
    pub v: u32,
    /// The language in which it was read: `python`, `javascript`, `bash`. Empty where there is no reader for it.
    pub language: String,
    pub complete: Completeness,
    /// The oldest version of the language that knows every form in it, where that is not the oldest one still in use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<VersionNeed>,
    /// What the program says itself about its environment (in Python a PEP 723 block).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declared: Option<Declared>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub imports: Vec<Import>,
    /// Packages that the text itself says are to be installed: `%pip install x`, `# pip install x`, `apt install x`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub installs: Vec<Install>,
    /// Names of imported modules that are used, and calls that tables know by their arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<NameUse>,
    /// The number of names that are not listed.
    #[serde(default, skip_serializing_if = "crate::absent::is_zero")]
    pub names_left_out: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileUse>,
    /// What it takes from its command line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<Argument>,
    /// Parameters that it declares, with their defaults.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<DeclaredParameter>,
    /// Data sets that it loads by their names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub data_sets: Vec<DataSetUse>,
    /// Variables of the environment that it asks for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<Variable>,
    /// The first place where it reads its standard input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdin: Option<Sign>,
    /// Where it fixes its random numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seeds: Vec<Sign>,
    /// Random numbers from a source that is fixed nowhere: two runs differ.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unseeded: Vec<Sign>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu: Option<Gpu>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<NetworkUse>,
    /// Where it opens windows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub display: Vec<Sign>,
    /// It serves until it is stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<Service>,
    /// What is likely to take long or to need much memory.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effort: Vec<Effort>,
    /// Programs that it starts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<CommandUse>,
    pub entry: EntryPoint,
    /// Lines for a notebook, which the language itself does not know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub magics: Vec<Magic>,
    /// The first line with an `await` outside every function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top_level_await: Option<u32>,
    /// What is unusual about the text as text. Reading looks through it; an interpreter would not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layout: Vec<Layout>,
    /// Names that it defines at the top level, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub defines: Vec<String>,
    /// Names that it uses and neither defines, imports nor has from the language: they must come from elsewhere.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unbound: Vec<String>,
    /// How many tests for a test runner it holds.
    #[serde(default, skip_serializing_if = "is_none_at_all")]
    pub tests: u32,
    /// What was not read, and why: a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Reading {
    /// The version of the form that is written today.
    pub const VERSION: u32 = 1;

    /// A reading of a program in this language, with nothing read yet.
    pub fn of(language: &str) -> Self {
        Reading { v: Self::VERSION, language: language.to_owned(), ..Reading::default() }
    }
}

fn is_none_at_all(number: &u32) -> bool {
    *number == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_is_absent_and_reads_back() {
        let empty = Reading::of("python");
        let json = serde_json::to_value(&empty).unwrap();
        let expected = serde_json::json!({
            "v": 1, "language": "python", "complete": { "state": "complete" }, "entry": "nothing"
        });
        assert_eq!(json, expected);
        assert_eq!(serde_json::from_value::<Reading>(json).unwrap(), empty);
    }

    #[test]
    fn a_full_one_reads_back() {
        let sign = Sign { what: "input()".to_owned(), line: 3 };
        let full = Reading {
            complete: Completeness::Truncated { line: 7, why: "a bracket is not closed".to_owned() },
            imports: vec![Import {
                module: "numpy".to_owned(),
                names: Vec::new(),
                line: 1,
                kind: ImportKind::Plain,
                via: "import".to_owned(),
            }],
            stdin: Some(sign.clone()),
            gpu: Some(Gpu { need: GpuNeed::Guarded, signs: vec![sign] }),
            entry: EntryPoint::MainGuard,
            tests: 2,
            ..Reading::of("python")
        };
        let text = serde_json::to_string(&full).unwrap();
        assert_eq!(serde_json::from_str::<Reading>(&text).unwrap(), full);
    }
}
