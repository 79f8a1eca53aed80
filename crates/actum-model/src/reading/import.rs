//! What a program asks other people's code for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One import, as written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Import {
    /// With all its dots: `sklearn.model_selection`, `.utils`, `lodash/fp`, `<stdio.h>`.
    pub module: String,
    /// What is taken out of it: `from module import a, b`. `*` is everything.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    pub line: u32,
    pub kind: ImportKind,
    /// The form it has: `import`, `from`, `importlib`, `__import__`, `require`, `include`, `use`, `library`.
    pub via: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ImportKind {
    /// Happens whenever the program starts.
    Plain,
    /// Within a function: happens when that is called.
    Lazy,
    /// Its failure is caught: the program goes on without it, or with another one.
    Optional,
    /// For the checker of types only; never happens.
    TypeOnly,
    /// By a call, with its name in a string.
    Dynamic,
    /// Of the program's own files.
    Relative,
}

/// One use of a name that belongs to an imported module, or that tables may know.
///
/// - `numpy.float`: a dotted name, resolved through the program's own aliases
/// - `sklearn.preprocessing.OneHotEncoder(sparse=)`: an argument given by name
/// - `pandas.date_range(freq="M")`, `bs4.BeautifulSoup("lxml")`: a short literal string that was given
/// - `?.applymap()`, `?.boxplot(labels=)`, `?.resample("M")`: the same on something of unknown type
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NameUse {
    pub name: String,
    /// Where it is used first.
    pub line: u32,
}

/// A package that the text says is to be installed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Install {
    /// As written, with its version: `pandas==2.1`.
    pub package: String,
    /// Whose package: `pip`, `conda`, `apt`, `npm`, `gem`, `cran`, `go`, `cargo`.
    pub tool: String,
    /// Where it is said: `comment`, `magic`, `command`.
    pub via: String,
    pub line: u32,
}

/// The oldest version of a language that can run a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VersionNeed {
    /// `3.10`
    pub at_least: String,
    /// What needs it: `match statement`.
    pub because: String,
    pub line: u32,
}

/// What a program says itself about its environment, in a block that tools read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Declared {
    /// The line of `# /// script`.
    pub line: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requires_python: Option<String>,
    /// As written, each a PEP 508 requirement. Present and empty: it says that it needs none.
    pub dependencies: Vec<String>,
    /// `[tool.uv] exclude-newer`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exclude_newer: Option<String>,
    /// Why the block could not be read. Then it says nothing else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}
