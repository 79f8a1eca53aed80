//! A test that cannot run here says so, and is counted as skipped rather than passed.

use std::env;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::Path;
use std::thread;

/// Says that this test, or a part of it, was not tried, and why. The caller then returns early.
///
/// Writes `actum-skip: reason` to stderr and, where `ACTUM_SKIPS` names a file (`cargo xtask test` sets it), appends
/// a line `test<tab>reason` to it. The whole test then counts as skipped, even when only a part of it was.
///
/// ```
/// fn needs_root(is_root: bool) {
///     if !is_root {
///         return actum_testkit::skip("only root may mount");
///     }
///     // …
/// }
/// # needs_root(true);
/// ```
///
/// # Panics
///
/// When the line cannot be kept: a skip that nobody hears of would look like a pass.
pub fn skip(reason: &str) {
    let reason = one_line(reason);
    // Not a macro that prints: those are captured by the test runner, and this is meant to be seen.
    let _ = writeln!(io::stderr(), "actum-skip: {reason}");
    if let Some(path) = env::var_os("ACTUM_SKIPS") {
        append(Path::new(&path), &test_name(), &reason)
            .expect("ACTUM_SKIPS names a file that can be written");
    }
}

/// Nextest names the test in a variable; cargo's own runner names the thread after it.
fn test_name() -> String {
    let binary = env::var("NEXTEST_BINARY_ID").ok();
    let test = env::var("NEXTEST_TEST_NAME").ok();
    match (binary, test) {
        (Some(binary), Some(test)) => format!("{binary} {test}"),
        (Some(_) | None, test) => {
            test.or_else(|| thread::current().name().map(str::to_owned)).unwrap_or_default()
        }
    }
}

/// One write of one whole line, so that tests in other processes cannot cut into it.
fn append(path: &Path, test: &str, reason: &str) -> io::Result<()> {
    let line = format!("{}\t{reason}\n", one_line(test));
    OpenOptions::new().create(true).append(true).open(path)?.write_all(line.as_bytes())
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skip_is_one_line_whatever_the_reason_holds() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("skips");
        append(&path, "room test", &one_line("no\n\tbwrap ")).unwrap();
        append(&path, "other", "not root").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "room test\tno bwrap\nother\tnot root\n");
    }

    #[test]
    fn a_test_knows_its_name() {
        assert!(test_name().ends_with("skip::tests::a_test_knows_its_name"), "{}", test_name());
    }
}
