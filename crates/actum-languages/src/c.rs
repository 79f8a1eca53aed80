//! C.
//!
//! `gnu17` is what compilers take by themselves; `-O1` warns of more than `-O0` and costs little; `-g` names lines in
//! sanitizers and debuggers; the mathematical library and threads are linked because nobody remembers to.

use super::{Check, Compiling, Encoding, Language, Makes, Reads, Runtime, Template, mark, package, words};

pub(super) fn language() -> Language {
    Language {
        name: "c".to_owned(),
        title: "C".to_owned(),
        names: words("c17 c11 c99 gnu17"),
        extensions: words("c"),
        shebangs: Vec::new(),
        encoding: Encoding::Bytes,
        staged_as: "main.c".to_owned(),
        runtimes: ["cc", "gcc", "clang"].map(runtime).to_vec(),
        install: package("gcc libc6-dev", &["apt install clang", "brew install gcc"]),
        marks: vec![
            mark(6, r"^\s*#\s*include\s*[<\x22][\w./]+\.h[>\x22]"),
            mark(
                5,
                r"^\s*(static\s+|const\s+|unsigned\s+)*(int|void|char|double|float|long|size_t|bool)\s*\*?\s*main\s*\(",
            ),
            mark(4, r"\b(printf|scanf|malloc|free|sizeof|strlen|fgets|fprintf|memcpy|strcmp)\s*\("),
            mark(3, r"^\s*#\s*(define|ifdef|ifndef|endif|pragma)\b"),
            mark(3, r"^\s*(typedef\s+)?(struct|union|enum)\s+\w*\s*\{"),
            mark(
                3,
                r"^(static\s+|const\s+|unsigned\s+)*(int|void|char|double|float|long|size_t)\s*\**\s*\w+\s*\([^;]*\)\s*\{?\s*\r?$",
            ),
            mark(
                2,
                r"^\s*(unsigned\s+|const\s+)*(int|char|double|float|long|size_t|uint\d+_t)\s*\**\s*\w+(\[[^\]]*\])?\s*(=|;|,)",
            ),
            mark(2, r"\w+->\w+"),
            mark(
                -8,
                r"^\s*(using\s+namespace|import|package|public|private\s|namespace|def|fn|func|let|const\s+\w+\s*=|contract|pragma|layout|uniform|kernel|@)\b",
            ),
            mark(-8, r"<\?php|\bvec[234]\b|\bfunction\b|System\.out|Console\.|\bmodule\b|\bendmodule\b"),
        ],
        ..Language::default()
    }
}

fn runtime(command: &str) -> Runtime {
    let options = [command, "-std=gnu17", "-O1", "-g", "-Wall", "-pthread"];
    let rest = ["-MD", "-MF", "{reads}", "-o", "{output}", "{file}", "-lm"];
    Runtime {
        run: Template::words("{output} {args}"),
        compiling: Some(Compiling {
            command: Template::list(options.into_iter().chain(rest)),
            makes: Makes::Program,
            reads: Reads::Told,
            variables: Vec::new(),
        }),
        checks: vec![Check::reading(Template::list([command, "-std=gnu17", "-fsyntax-only", "{file}"]))],
        version: Template::words("--version"),
        shown: Template::list([command, "{file}", "-o", "main", "-lm", "&&", "./main", "{args}"]),
        ..Runtime::default()
    }
}
