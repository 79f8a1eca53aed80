//! What a run is going to need, where that comes from, and what is done when it does not: shown before anything happens.

use crate::{Reading, Runtime};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was worked out about every program of a source, before any of them starts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "Actum plan")]
pub struct Plan {
    /// The version of this form.
    pub v: u32,
    pub programs: Vec<Needs>,
}

impl Plan {
    /// The form that is written now.
    pub const VERSION: u32 = 1;
}

/// What one program needs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Needs {
    /// Counted from 1.
    pub number: u32,
    pub language: String,
    /// The file that it was read from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// What runs it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime: Option<Runtime>,
    /// Where its packages come from.
    pub environment: EnvironmentPlan,
    /// Every module that it imports, told apart.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub modules: Vec<Module>,
    /// What is to be installed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub packages: Vec<PackageNeed>,
    /// What is not installed, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<RefusedPackage>,
    /// Files that it reads and that are not there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing_files: Vec<String>,
    /// Variables that it needs and does not get.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing_variables: Vec<String>,
    /// What is done, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<String>,
    /// What is tried when that does not do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fallbacks: Vec<String>,
    /// Warnings before it runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// What its syntax says. Absent for a command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading: Option<Reading>,
}

/// Where the packages of a program come from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "from", rename_all = "kebab-case")]
pub enum EnvironmentPlan {
    /// It needs no packages.
    #[default]
    Nothing,
    /// All packages are installed already: with the interpreter, or in the user's environment.
    Interpreter { path: String },
    /// A file declares its packages.
    Declared { file: String },
    /// The code declares its packages in a comment block (PEP 723).
    Script,
    /// Derived from its imports.
    Imports,
}

/// One imported module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Module {
    /// As it is imported, with its dots.
    pub name: String,
    pub line: u32,
    pub origin: ModuleOrigin,
    /// The package that brings it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
}

/// Where an imported module comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ModuleOrigin {
    /// The language brings it.
    Standard,
    /// A file of the same project, or of another block.
    Local,
    /// A package that somebody published.
    Package,
    /// A name that projects give to files of their own; the file is not there.
    Missing,
    /// Nobody knows it.
    Unknown,
}

/// One package to install.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PackageNeed {
    /// As the installer is asked for it: `pandas<3`.
    pub requirement: String,
    /// Why: `import cv2, line 3`.
    pub because: String,
}

/// One package that is not installed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RefusedPackage {
    pub name: String,
    pub why: String,
    /// Known names that may have been meant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nearest: Vec<String>,
}
