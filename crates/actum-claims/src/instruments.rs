//! Instruments that a program is said to have run under: what such a run is said to have found, only a run under it can tell.

use crate::evidence::RunFacts;
use crate::stance::pattern;
use regex::bytes::Regex;
use std::sync::LazyLock;

/// Names that are nothing else, wherever they stand.
const SURE: &str = r"valgrind|memcheck|helgrind|callgrind|cachegrind|massif|drmemory|asan|ubsan|tsan|msan|lsan|(?:address|thread|memory|leak|undefined[- ]?behaviou?r) ?sanitizers?|race detector|heaptrack|py-spy|pyinstrument|memray|cprofile|tracemalloc|bpftrace|ltrace|strace|libfuzzer|electric fence";

static UNDER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"\b({SURE})\b|\b(?:under|with|through|using|via|inside|in|by)(?: the| an?)?[ `]+(sanitizers?|gdb|lldb|dtrace|perf|gprof|miri|scalene|line_profiler|memory_profiler|pdb|qemu|afl)\b"
    ))
});
/// Who did not use it speaks of a plain run.
static WITHOUT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?:\bnot|\bno|\bwithout|n't|\binstead of|\bnever|\bunavailable)\b[^.;,]{0,24}$")
});

/// The instrument that a text says something ran under.
pub(crate) fn named(text: &str) -> Option<String> {
    let lower = text.to_lowercase();
    let found = UNDER.captures(lower.as_bytes())?;
    let found = found.get(1).or(found.get(2))?;
    let is_used = !WITHOUT.is_match(&lower.as_bytes()[..found.start()]);
    is_used.then(|| String::from_utf8_lossy(found.as_bytes()).into_owned())
}

/// Whether any run knows it: by its command, or by what it printed.
pub(crate) fn is_known(name: &str, runs: &[RunFacts]) -> bool {
    // A sanitizer is known by the switch that a compiler is given, and by what it calls itself.
    let signs: Vec<&str> = match name {
        _ if name.contains("sanitizer") || name.ends_with("san") => vec!["sanitize", "sanitizer"],
        "race detector" => vec!["-race", "data race"],
        "memcheck" | "helgrind" | "callgrind" | "cachegrind" | "massif" => vec![name, "valgrind"],
        _ => vec![name],
    };
    let has = |text: &str| {
        let lower = text.to_lowercase();
        signs.iter().any(|sign| match sign.len() {
            0..=4 => lower.split(|c: char| !c.is_alphanumeric()).any(|word| word == *sign),
            _ => lower.contains(sign),
        })
    };
    runs.iter().any(|run| has(&run.command) || run.printed.iter().any(|line| has(&line.text)))
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn instruments() {
        assert_eq!(named("I ran it under Valgrind").as_deref(), Some("valgrind"));
        assert_eq!(named("built with AddressSanitizer, and clean").as_deref(), Some("addresssanitizer"));
        assert_eq!(named("with the race detector it stays quiet").as_deref(), Some("race detector"));
        assert_eq!(named("Valgrind reports 0 errors").as_deref(), Some("valgrind"));
        assert_eq!(named("it ran under load with 4 workers, and in the wine shop"), None);
        assert_eq!(named("not run under Valgrind"), None);
    }
}
