//! Which variables of the environment matter for a result: a few by value, the others by name alone, since they may hold secrets.

use std::collections::BTreeMap;
use std::ffi::OsString;

/// Variables that change results and hold no secrets. One that ends with `*` stands for all that begin so.
const BY_VALUE: &[&str] = &[
    "ACTUM_SEED",
    "CONDA_DEFAULT_ENV",
    "CUBLAS_WORKSPACE_CONFIG",
    "CUDA_DEVICE_ORDER",
    "CUDA_VISIBLE_DEVICES",
    "HF_DATASETS_OFFLINE",
    "HF_HUB_OFFLINE",
    "JAX_ENABLE_X64",
    "JAX_PLATFORMS",
    "LANG",
    "LC_*",
    "MALLOC_ARENA_MAX",
    "MKL_*",
    "NCCL_ALGO",
    "NPY_DISABLE_CPU_FEATURES",
    "NUMBA_*",
    "NUMEXPR_*",
    "OMP_*",
    "OPENBLAS_*",
    "PYTHONHASHSEED",
    "PYTHONOPTIMIZE",
    "PYTHONUTF8",
    "TF_CPP_MIN_LOG_LEVEL",
    "TF_DETERMINISTIC_OPS",
    "TF_ENABLE_ONEDNN_OPTS",
    "TOKENIZERS_PARALLELISM",
    "TORCH_*",
    "TRANSFORMERS_OFFLINE",
    "TZ",
    "VECLIB_*",
    "VIRTUAL_ENV",
    "XLA_FLAGS",
];

/// Parts of names that hold secrets, whatever they begin with.
const SECRET: [&str; 6] = ["TOKEN", "SECRET", "PASSWORD", "CREDENTIAL", "API", "AUTH"];

/// Variables with their values, and names of the others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Split {
    pub by_value: BTreeMap<String, String>,
    pub by_name: Vec<String>,
}

/// Tells variables apart.
pub fn split(variables: impl Iterator<Item = (OsString, OsString)>) -> Split {
    let mut split = Split::default();
    for (name, value) in variables {
        let name = name.to_string_lossy().into_owned();
        match matters(&name) {
            true => {
                split.by_value.insert(name, value.to_string_lossy().into_owned());
            }
            false => split.by_name.push(name),
        }
    }
    split.by_name.sort();
    split.by_name.dedup();
    split
}

/// Whether the value of a variable is kept.
pub fn matters(name: &str) -> bool {
    let listed = BY_VALUE.iter().any(|known| match known.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => name == *known,
    });
    listed && (name == "TOKENIZERS_PARALLELISM" || !SECRET.iter().any(|part| name.contains(part)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_kept_by_name_alone() {
        for (name, kept) in [
            ("OMP_NUM_THREADS", true),
            ("TORCH_API_TOKEN", false),
            ("AWS_SECRET_ACCESS_KEY", false),
            ("PATH", false),
            ("TOKENIZERS_PARALLELISM", true),
            ("LC_ALL", true),
        ] {
            assert_eq!(matters(name), kept, "{name}");
        }
        let given: Vec<(OsString, OsString)> =
            [("TZ", "UTC"), ("B", "x"), ("A", "y")].map(|(a, b)| (a.into(), b.into())).to_vec();
        let split = split(given.into_iter());
        assert_eq!(split.by_value.get("TZ").unwrap(), "UTC");
        assert_eq!(split.by_name, ["A", "B"]);
    }
}
