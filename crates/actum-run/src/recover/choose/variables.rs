//! Variables that make a runtime do without something, or use what it was given.

use super::{Case, Change, Choice};
use actum_model::RemedyKind;

pub(super) fn choose(case: &Case<'_>) -> Option<Choice> {
    let three_quarters = case.situation.limits.memory.0 / (1 << 20) * 3 / 4;
    match case.diagnosis.row.as_str() {
        "node-heap" => Some(set(
            case,
            &[("NODE_OPTIONS", format!("--max-old-space-size={three_quarters}"))],
            "let Node use three quarters of the run's memory limit",
            "Node reached its own heap limit, not the run's limit",
        )),
        "java-heap" => Some(set(
            case,
            &[("JAVA_TOOL_OPTIONS", format!("-Xmx{three_quarters}m"))],
            "let Java use three quarters of the run's memory limit",
            "Java reached its own heap limit, not the run's limit",
        )),
        "py-no-display" => Some(set(
            case,
            &[
                ("MPLBACKEND", "Agg".to_owned()),
                ("QT_QPA_PLATFORM", "offscreen".to_owned()),
                ("SDL_VIDEODRIVER", "dummy".to_owned()),
                ("SDL_AUDIODRIVER", "dummy".to_owned()),
                ("PYGLET_HEADLESS", "true".to_owned()),
            ],
            "draw without a display",
            "no display is available",
        )),
        "py-unicode-encode" => Some(set(
            case,
            &[
                ("PYTHONUTF8", "1".to_owned()),
                ("PYTHONIOENCODING", "utf-8".to_owned()),
                ("LC_ALL", "C.UTF-8".to_owned()),
            ],
            "set its output encoding to UTF-8",
            "its output encoding cannot represent what it prints",
        )),
        "locale-missing" => Some(set(
            case,
            &[("LC_ALL", "C.UTF-8".to_owned()), ("LANG", "C.UTF-8".to_owned())],
            "use the locale C.UTF-8",
            "the locale that it requests is not installed",
        )),
        "any-readonly-fs" => caches(case),
        "any-nproc" => Some(threads(case)),
        "getpass-tty" => None,
        _ => None,
    }
}

/// Libraries that keep something beside themselves keep it where the run may write.
fn caches(case: &Case<'_>) -> Option<Choice> {
    let below = |name: &str| format!("/tmp/{name}");
    let variables = [
        ("XDG_CACHE_HOME", below("cache")),
        ("XDG_CONFIG_HOME", below("config")),
        ("XDG_DATA_HOME", below("data")),
        ("MPLCONFIGDIR", below("matplotlib")),
        ("HF_HOME", below("huggingface")),
        ("NUMBA_CACHE_DIR", below("numba")),
    ];
    let why = "it writes to a read-only folder";
    Some(set(case, &variables, "let libraries write to /tmp", why))
}

/// Pools that are as large as the machine are made as small as what the run may use.
fn threads(case: &Case<'_>) -> Choice {
    const POOLS: [&str; 6] = [
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "NUMEXPR_NUM_THREADS",
        "RAYON_NUM_THREADS",
        "GOMAXPROCS",
    ];
    let variables = POOLS.map(|name| (name, "2".to_owned()));
    set(
        case,
        &variables,
        "let libraries use two threads each",
        "it tries to start more threads than its limit allows",
    )
}

fn set(case: &Case<'_>, variables: &[(&str, String)], what: &str, why: &str) -> Choice {
    let altered = case.altered(|to| {
        to.variables.extend(variables.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
    });
    let flags: Vec<String> = variables.iter().map(|(name, value)| format!("--env {name}={value}")).collect();
    let change = Change::new(RemedyKind::Variables, what, why, altered);
    change.permanently(format!("pass {}", flags.join(" "))).choice()
}
