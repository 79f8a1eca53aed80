//! Rust, one file without dependencies.
//!
//! Edition 2021: nearly everything that is written today was written for it, and 2024 refuses parts of it (`set_var`,
//! `extern` blocks, references to mutable statics). Optimised a little, since debug builds are an order of magnitude
//! slower; the checks of a debug build stay on, because a silent overflow is worse than a slow addition.

use super::{Check, Compiling, Language, Makes, Reads, Runtime, Template, mark, package, words};

pub(super) fn language() -> Language {
    Language {
        name: "rust".to_owned(),
        title: "Rust".to_owned(),
        names: words("rs rust2021"),
        extensions: words("rs"),
        shebangs: Vec::new(),
        staged_as: "main.rs".to_owned(),
        runtimes: vec![Runtime {
            run: Template::words("{output} {args}"),
            compiling: Some(Compiling {
                command: Template::words(
                    "rustc --edition 2021 -C opt-level=1 -C debug-assertions=on -C debuginfo=line-tables-only \
                     --emit=link={output},dep-info={reads} {file}",
                ),
                makes: Makes::Program,
                reads: Reads::Told,
                variables: Vec::new(),
            }),
            // There is no parsing alone in a stable compiler; this checks types too and makes no code.
            checks: vec![Check::reading(Template::words(
                "rustc --edition 2021 -A warnings --emit=metadata={output}.rmeta {file}",
            ))],
            version: Template::words("-vV"),
            shown: Template::words("rustc {file} && ./main {args}"),
            ..Runtime::default()
        }],
        install: package("rustc", &["rustup toolchain install stable"]),
        marks: vec![
            mark(6, r"^\s*(pub(\([^)]*\))?\s+)?(async\s+)?(unsafe\s+)?fn\s+\w+(<[^>]*>)?\s*\("),
            mark(5, r"\b(println|print|eprintln|format|vec|panic|assert_eq|assert|write|matches)!\s*[(\[]"),
            mark(5, r"\blet\s+mut\s+\w+"),
            mark(3, r"^\s*let\s+\w+(\s*:\s*[\w<>&\[\]']+)?\s*=\s*.*;\s*(//.*)?\r?$"),
            mark(5, r"^\s*use\s+(std|crate|super|self|core|alloc|\w+)::[\w:{},\s*]+;"),
            mark(4, r"^\s*impl(<[^>]*>)?\s+\w+"),
            mark(4, r"^\s*#!?\[\w+.*\]\s*\r?$"),
            mark(3, r"^\s*(pub\s+)?(struct|enum|trait|mod)\s+\w+"),
            mark(
                3,
                r"->\s*(Result|Option|Vec|Self|&|i32|u\d+|usize|bool|String)\b|\.unwrap\(\)|&mut\s|&str\b|::new\(",
            ),
            mark(3, r"=\s*(move\s+)?\|[\w, &:]*\|\s|\.(to_string|clone|iter|collect|to_owned|into_iter)\(\)"),
            mark(2, r"\bmatch\s+[^{]+\{"),
            mark(
                -5,
                r"^\s*(public|class|namespace|using|#include|func|import|function|const\s+\w+\s*=|var|def)\b",
            ),
        ],
        ..Language::default()
    }
}
