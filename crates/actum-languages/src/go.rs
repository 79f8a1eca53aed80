//! Go.
//!
//! Built and started apart instead of `go run`, which would hide the program's exit code behind its own and link anew each
//! time. The build cache is kept: since Go 1.20 the standard library is compiled into it, which takes ten seconds.

use super::{Check, Compiling, Language, Makes, Reads, Runtime, Template, mark, package, variables, words};

pub(super) fn language() -> Language {
    Language {
        name: "go".to_owned(),
        title: "Go".to_owned(),
        names: words("golang"),
        extensions: words("go"),
        shebangs: Vec::new(),
        staged_as: "main.go".to_owned(),
        runtimes: vec![Runtime {
            run: Template::words("{output} {args}"),
            compiling: Some(Compiling {
                // Stamping the commit needs git, and fails where another user owns the folder.
                command: Template::words("go build -buildvcs=false -o {output} {file}"),
                makes: Makes::Program,
                reads: Reads::Beside { extensions: words("go s c h"), names: words("go.mod go.sum go.work") },
                // A toolchain that is not there is not fetched.
                variables: variables(&[("GOCACHE", "{cache}/go"), ("GOTOOLCHAIN", "local")]),
            }),
            checks: vec![
                Check::reading(Template::words("gofmt -e -l {file}")),
                Check::reading(Template::words("go vet {file}")),
            ],
            version: Template::words("version"),
            shown: Template::words("go run {file} {args}"),
            ..Runtime::default()
        }],
        install: package("golang-go", &["mise use -g go", "brew install go"]),
        marks: vec![
            mark(8, r"^package\s+\w+\s*\r?$"),
            mark(5, r"^func\s+(\(\w+\s+\*?\w+\)\s+)?\w+\([^)]*\).*\{\s*\r?$"),
            mark(4, r"\bfmt\.(Print|Sprint|Fprint|Scan|Errorf)"),
            mark(3, r"^import\s+(\(|\x22)"),
            mark(3, r"^\s*\w+(\s*,\s*\w+)*\s*:=\s*\S"),
            mark(3, r"\bif\s+err\s*!=\s*nil\b|\bgo\s+func\(|\bdefer\s|\bchan\s|\bmake\("),
            mark(3, r"^type\s+\w+\s+(struct|interface)\s*\{"),
            mark(-6, r"^\s*(public|fun|class|import\s+\w+(\.\w+)+;?)\b.*|println!"),
        ],
        ..Language::default()
    }
}
