//! The kinds of ingredients, in the order in which they most probably explain a different result.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A kind of ingredient. The order is that of the list in `docs/design/reproduction.md`: first what a person changes to get another
/// result, then what changes results by accident, last what changes bits at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IngredientKind {
    /// A word of the command, or its working folder.
    Argument,
    /// A value of a configuration file.
    ConfigValue,
    /// A default in the program's own text.
    Parameter,
    Seed,
    /// A file that git tracks, edited and not committed.
    TrackedEdit,
    /// Code that git does not track.
    UntrackedFile,
    Commit,
    Data,
    Package,
    Interpreter,
    /// The profile or a knob by which results are pinned.
    Determinism,
    Variable,
    Gpu,
    /// The instruction sets by which numeric libraries choose their code.
    BlasKernel,
    Threads,
    Cpu,
    Libc,
    /// A file of the system that the program read.
    SystemFile,
    Kernel,
    /// Memory, number of processors, operating system.
    Machine,
}

/// Under which heading a difference is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Group {
    Source,
    Parameters,
    Environment,
    Data,
    Machine,
}

impl Group {
    pub const ALL: [Group; 5] =
        [Group::Source, Group::Parameters, Group::Environment, Group::Data, Group::Machine];

    pub fn label(self) -> &'static str {
        match self {
            Group::Source => "Source",
            Group::Parameters => "Parameters",
            Group::Environment => "Environment",
            Group::Data => "Data",
            Group::Machine => "Machine",
        }
    }
}

/// How a kind of ingredient usually shows in the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Anything can change.
    Any,
    /// The last digits of numbers change, and what grows out of them.
    Rounding,
    /// Usually nothing changes.
    Rare,
}

impl IngredientKind {
    pub fn label(self) -> &'static str {
        self.row().0
    }

    pub fn group(self) -> Group {
        self.row().1
    }

    pub(crate) fn effect(self) -> Effect {
        self.row().2
    }

    fn row(self) -> (&'static str, Group, Effect) {
        match self {
            Self::Argument => ("argument", Group::Parameters, Effect::Any),
            Self::ConfigValue => ("configuration", Group::Parameters, Effect::Any),
            Self::Parameter => ("default", Group::Parameters, Effect::Any),
            Self::Seed => ("seed", Group::Parameters, Effect::Any),
            Self::TrackedEdit => ("uncommitted edit", Group::Source, Effect::Any),
            Self::UntrackedFile => ("untracked file", Group::Source, Effect::Any),
            Self::Commit => ("commit", Group::Source, Effect::Any),
            Self::Data => ("data", Group::Data, Effect::Any),
            Self::Package => ("package", Group::Environment, Effect::Any),
            Self::Interpreter => ("interpreter", Group::Environment, Effect::Any),
            Self::Determinism => ("determinism", Group::Environment, Effect::Any),
            Self::Variable => ("variable", Group::Environment, Effect::Any),
            Self::Gpu => ("GPU", Group::Machine, Effect::Rounding),
            Self::BlasKernel => ("numeric kernel", Group::Machine, Effect::Rounding),
            Self::Threads => ("threads", Group::Machine, Effect::Rounding),
            Self::Cpu => ("CPU", Group::Machine, Effect::Rounding),
            Self::Libc => ("C library", Group::Machine, Effect::Rounding),
            Self::SystemFile => ("system file", Group::Machine, Effect::Rare),
            Self::Kernel => ("kernel", Group::Machine, Effect::Rare),
            Self::Machine => ("machine", Group::Machine, Effect::Rare),
        }
    }
}

/// Variables that stand for an ingredient of another kind. Everything else is a variable.
const VARIABLES: &[(&str, IngredientKind)] = &[
    ("PYTHONHASHSEED", IngredientKind::Seed),
    ("ACTUM_SEED", IngredientKind::Seed),
    ("PL_GLOBAL_SEED", IngredientKind::Seed),
    ("OMP_NUM_THREADS", IngredientKind::Threads),
    ("OPENBLAS_NUM_THREADS", IngredientKind::Threads),
    ("MKL_NUM_THREADS", IngredientKind::Threads),
    ("BLIS_NUM_THREADS", IngredientKind::Threads),
    ("NUMEXPR_NUM_THREADS", IngredientKind::Threads),
    ("VECLIB_MAXIMUM_THREADS", IngredientKind::Threads),
    ("RAYON_NUM_THREADS", IngredientKind::Threads),
    ("JULIA_NUM_THREADS", IngredientKind::Threads),
    ("OPENBLAS_CORETYPE", IngredientKind::BlasKernel),
    ("NPY_DISABLE_CPU_FEATURES", IngredientKind::BlasKernel),
    ("MKL_CBWR", IngredientKind::BlasKernel),
    ("MKL_ENABLE_INSTRUCTIONS", IngredientKind::BlasKernel),
    ("ATEN_CPU_CAPABILITY", IngredientKind::BlasKernel),
    ("DNNL_MAX_CPU_ISA", IngredientKind::BlasKernel),
    ("ONEDNN_MAX_CPU_ISA", IngredientKind::BlasKernel),
    ("CUDA_VISIBLE_DEVICES", IngredientKind::Gpu),
    ("HIP_VISIBLE_DEVICES", IngredientKind::Gpu),
];

/// What a variable or a knob of this name stands for.
pub(crate) fn kind_of_variable(name: &str, otherwise: IngredientKind) -> IngredientKind {
    VARIABLES.iter().find(|(known, _)| *known == name).map_or(otherwise, |(_, kind)| *kind)
}

/// What a parameter of this name stands for.
pub(crate) fn kind_of_parameter(name: &str, otherwise: IngredientKind) -> IngredientKind {
    let plain = name.trim_start_matches('-').replace('-', "_").to_ascii_lowercase();
    let last = plain.rsplit('.').next().unwrap_or(&plain);
    match last {
        "seed" | "random_seed" | "rng_seed" | "random_state" | "manual_seed" => IngredientKind::Seed,
        "threads" | "num_threads" | "n_threads" | "n_jobs" => IngredientKind::Threads,
        _ => otherwise,
    }
}
