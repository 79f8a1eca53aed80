//! Parameters that a program declares for itself: options of its command line, fields of a configuration, constants.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One parameter, as its declaration stands in the text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeclaredParameter {
    /// By which the program itself knows it: `batch_size`, `optimizer.lr`.
    pub name: String,
    /// How it is given on the command line: `-b`, `--batch-size`. None for a position and for a constant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<String>,
    /// Flags that switch it off: `--no-cache`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub negative_flags: Vec<String>,
    pub kind: ParameterKind,
    /// What it is where it is not given. None where there is no default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<DefaultValue>,
    /// Its type in the words of the program: `int`, `str2bool`, `Optional[float]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_type: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<Value>,
    /// The program stops where it is not given.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    /// How many words are its value where that is not one: `?`, `*`, `+`, `2`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<String>,
    /// The subcommand that has it, with spaces between nested ones: `train`, `data prepare`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    pub framework: Framework,
    pub line: u32,
}

/// How a parameter is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ParameterKind {
    /// A flag with a value.
    Option,
    /// A flag without a value: its flags make it true, or false where its default is true.
    Switch,
    /// A flag that counts how often it is given: `-vvv`.
    Count,
    /// A flag that is given again for each value.
    Repeated,
    /// By its place on the command line.
    Position,
    /// `KEY VALUE` or `KEY=VALUE` without dashes.
    Pair,
    /// It cannot be given: a constant in the text.
    Constant,
}

/// What a parameter is where it is not given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DefaultValue {
    /// It stands in the text.
    Literal(Value),
    /// The program computes it: its expression, cut where it is long.
    Computed(String),
}

impl DefaultValue {
    /// The value where it is known.
    pub fn literal(&self) -> Option<&Value> {
        match self {
            DefaultValue::Literal(value) => Some(value),
            DefaultValue::Computed(_) => None,
        }
    }
}

/// By which library, or which custom, a parameter is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Framework {
    Argparse,
    Click,
    Typer,
    /// `absl.flags` and its kin.
    Absl,
    Fire,
    /// `HfArgumentParser` over data classes.
    HfArgumentParser,
    SimpleParsing,
    Tyro,
    /// `draccus` and `pyrallis`.
    Draccus,
    /// `@hydra.main`: only where its configuration is and what it is called.
    Hydra,
    /// Default nodes of a `yacs` configuration.
    Yacs,
    /// Names of the module that `exec(open("configurator.py").read())` may overwrite.
    Configurator,
    /// Names in capitals at the top level. A last resort: whether they are parameters is a guess.
    Constants,
}

/// A data set that the program loads by a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DataSetUse {
    pub name: String,
    /// Which of its variants: `wikitext-2-raw-v1`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split: Option<String>,
    /// By what: `datasets.load_dataset`.
    pub by: String,
    pub line: u32,
}
