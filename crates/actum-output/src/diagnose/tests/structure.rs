//! The table itself: everything in it can be used, and nothing that was known is lost.

use super::samples;
use crate::diagnose::Taxonomy;
use crate::diagnose::pattern::Pattern;
use crate::diagnose::table::{Mark, Row};
use std::collections::BTreeSet;

/// Rows that were known from the beginning. A report of an old run names them, so they stay.
const KNOWN: &[&str] = &[
    "py-module-missing",
    "py-module-missing-py2",
    "py-local-module-missing",
    "py-submodule-missing",
    "py-circular-shadow",
    "py-cannot-import-name",
    "py-module-attr-removed",
    "py-obj-attr-removed",
    "py-kwarg-removed",
    "py-numpy-abi",
    "py-no-matching-dist",
    "uv-not-in-registry",
    "uv-unsatisfiable",
    "uv-offline-miss",
    "py-build-failed",
    "py-requires-python",
    "py-pkg-resources",
    "py-optional-engine",
    "py-nltk-data",
    "py-spacy-model",
    "hf-offline",
    "node-module-missing",
    "node-local-missing",
    "node-esm-cjs",
    "node-ts-ext",
    "ts-types-missing",
    "r-pkg-missing",
    "r-pkg-not-available",
    "r-fn-missing",
    "rb-load-error",
    "go-no-module",
    "rs-unresolved-crate",
    "java-pkg-missing",
    "java-public-class-name",
    "c-header-missing",
    "c-undefined-ref",
    "sh-cmd-missing",
    "perl-module-missing",
    "php-class-missing",
    "lua-module-missing",
    "jl-package-missing",
    "py-submodule-removed",
    "py-signature-changed",
    "uv-build-failed",
    "uv-needs-header",
    "uv-no-wheel",
    "py-django-settings",
    "cv2-empty",
    "py-file-missing-input",
    "py-savefig-dir",
    "py-is-a-dir",
    "py-file-exists",
    "node-enoent",
    "sh-no-such-file",
    "sh-bad-interpreter",
    "sh-crlf",
    "r-cannot-open",
    "java-file-missing",
    "rb-enoent",
    "sql-no-table",
    "any-readonly-fs",
    "any-oom-killed",
    "py-memoryerror",
    "node-heap",
    "java-heap",
    "rust-alloc",
    "r-alloc",
    "any-timeout",
    "any-cpu-xcpu",
    "any-disk-full",
    "any-file-too-large",
    "any-too-many-files",
    "any-nproc",
    "py-recursion",
    "any-stack-overflow",
    "cuda-oom",
    "shm-too-small",
    "any-sigbus",
    "py-nameerror",
    "py-assertion",
    "py-type-value-key",
    "node-type-ref",
    "java-runtime",
    "rust-panic",
    "go-panic",
    "any-segv",
    "rs-compile",
    "c-compile",
    "java-compile",
    "go-unused",
    "sql-syntax",
    "sql-no-column",
    "sql-locked",
    "sh-unbound",
    "py-env-keyerror",
    "py-usage",
    "py-argv-index",
    "perf-slow-no-output",
    "perf-thrash-threads",
    "perf-import-compile",
    "perf-output-flood",
    "py2-print",
    "py2-syntax",
    "py2-names",
    "py-new-syntax",
    "py-stdlib-removed",
    "glibc-old",
    "exec-format",
    "java-class-version",
    "node-engine",
    "rs-edition",
    "locale-missing",
    "py-unicode-encode",
    "py-unicode-decode",
    "py-null-bytes",
    "tz-missing",
    "any-permission",
    "any-seccomp",
    "sudo-wanted",
    "pip-externally-managed",
    "net-dns",
    "net-unreachable",
    "net-refused",
    "net-timeout",
    "net-tls",
    "net-http-4xx",
    "net-http-429",
    "port-in-use",
    "server-never-ends",
    "cuda-none",
    "cuda-arch",
    "cuda-driver-old",
    "cuda-lib-missing",
    "cuda-assert",
    "cc-missing",
    "rustc-missing",
    "pkgconfig-missing",
    "pg-config",
    "so-libgl",
    "so-missing",
    "ctypes-find",
    "exe-tesseract",
    "py-no-display",
    "py-mpl-backend",
    "py-no-tkinter",
    "selenium-browser",
    "py-eof-input",
    "any-stdin-wait",
    "java-nosuchelement",
    "getpass-tty",
    "nb-magic",
    "nb-display",
    "nb-colab",
    "py-toplevel-await",
    "py-loop-running",
    "js-toplevel-await",
    "py-truncated",
    "js-truncated",
    "sh-truncated",
    "c-truncated",
    "py-indent",
    "py-repl-prompt",
    "sh-prompt",
    "elided-code",
    "py-multiproc-main",
    "py-file-undefined",
];

/// Rows whose failures print nothing that could be a sample; `facts` tries them.
const BY_FACTS: &[&str] = &[
    "any-oom-killed",
    "any-stdin-wait",
    "perf-thrash-threads",
    "perf-slow-no-output",
    "any-cpu-xcpu",
    "perf-output-flood",
    "any-timeout",
    "any-sigbus",
    "elided-code",
];

fn rows() -> &'static [Row] {
    &Taxonomy::builtin().rows
}

#[test]
fn names_are_unique_and_none_is_lost() {
    let names: BTreeSet<&str> = rows().iter().map(|row| row.id.as_str()).collect();
    assert_eq!(names.len(), rows().len());
    let lost: Vec<_> = KNOWN.iter().filter(|id| !names.contains(*id)).collect();
    assert!(lost.is_empty(), "{lost:?}");
    assert_eq!(Taxonomy::builtin().version, 1);
}

#[test]
fn patterns_compile_and_nearly_all_have_a_word_to_look_for() {
    let mut wordless = Vec::new();
    for row in rows() {
        for mark in &row.marks {
            for pattern in [&mark.pattern, &mark.source, &mark.innermost].into_iter().flatten() {
                assert!(pattern.regex().is_some(), "{}: {}", row.id, pattern.text());
            }
            let in_lines = mark.pattern.as_ref().filter(|_| !mark.is_of_exceptions());
            let without = |pattern: &&Pattern| pattern.word().is_empty();
            wordless.extend(in_lines.filter(without).map(|pattern| pattern.text()));
        }
    }
    // Each of these is held against every failing output of its language.
    assert!(wordless.len() <= 14, "{wordless:#?}");
}

#[test]
fn every_hole_has_a_subject() {
    for row in rows() {
        let most =
            row.marks.iter().map(groups).max().unwrap_or(0).max(if row.when.is_empty() { 0 } else { 2 });
        for hole in row.cause.split('{').skip(1) {
            let (hole, _) = hole.split_once('}').unwrap_or_else(|| panic!("{}: {}", row.id, row.cause));
            let (number, words) =
                hole.split_once('|').map_or((hole, None), |(number, words)| (number, Some(words)));
            let number: usize = number.parse().unwrap();
            assert!((1..=most).contains(&number), "{}: {}", row.id, row.cause);
            let is_always = row.marks.iter().all(|mark| groups(mark) >= number);
            assert!(is_always || words.is_some(), "{} has no words for {{{number}}}", row.id);
        }
    }
}

fn groups(mark: &Mark) -> usize {
    let regex = mark.pattern.as_ref().and_then(|pattern| pattern.regex());
    regex.map_or(0, |regex| regex.captures_len() - 1)
}

#[test]
fn every_row_says_what_it_is_and_what_may_be_done() {
    for row in rows() {
        assert!(row.cause.ends_with('.') && !row.remedies.is_empty(), "{}", row.id);
        assert!(row.rank <= 3 && !row.languages.is_empty(), "{}", row.id);
        let is_decidable = !row.marks.is_empty() || !row.when.is_empty() || row.elsewhere.is_some();
        assert!(is_decidable, "{}", row.id);
    }
}

#[test]
fn every_row_has_a_message_that_it_wins() {
    let won: BTreeSet<String> = samples::samples().into_iter().map(|sample| sample.row).collect();
    let is_tried =
        |row: &&Row| won.contains(&row.id) || BY_FACTS.contains(&row.id.as_str()) || row.elsewhere.is_some();
    let untried: Vec<_> = rows().iter().filter(|row| !is_tried(row)).map(|row| &row.id).collect();
    assert!(untried.is_empty(), "{untried:?}");
}
