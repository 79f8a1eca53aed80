//! C++. The options have the reasons of [`c`](super::c); C++20 is the newest that every current compiler has whole.

use super::{Check, Compiling, Encoding, Language, Makes, Reads, Runtime, Template, mark, package, words};

pub(super) fn language() -> Language {
    Language {
        name: "cpp".to_owned(),
        title: "C++".to_owned(),
        names: words("c++ cxx cc c++20 c++17 cplusplus"),
        extensions: words("cpp cc cxx c++"),
        shebangs: Vec::new(),
        encoding: Encoding::Bytes,
        staged_as: "main.cpp".to_owned(),
        runtimes: ["c++", "g++", "clang++"].map(runtime).to_vec(),
        install: package("g++", &["apt install clang", "brew install gcc"]),
        extends: Some("c".to_owned()),
        marks: vec![
            mark(
                6,
                r"^\s*#\s*include\s*<(iostream|vector|string|map|algorithm|memory|bits/stdc\+\+\.h|unordered_map|set|queue|functional|thread|sstream|cmath|cstdio|cstdlib|chrono|optional|array|utility|stack|fstream|numeric|climits|cstring|cassert|mutex|random|iomanip)>",
            ),
            mark(6, r"\bstd::\w+"),
            mark(6, r"^\s*using\s+namespace\s+std\s*;"),
            mark(4, r"\b(cout|cerr)\s*<<|\bcin\s*>>|<<\s*endl\b"),
            mark(4, r"^\s*template\s*<(typename|class|int)\b"),
            mark(3, r"^\s*(public|private|protected)\s*:\s*\r?$"),
            mark(
                3,
                r"\b(vector|map|unordered_map|set|pair|unique_ptr|shared_ptr)<[\w:<>, *]+>\s*[&*]?\s*\w+",
            ),
            mark(3, r"\b(nullptr|constexpr|static_cast<|auto\s+\w+\s*=|new\s+\w+\[|delete\[\])"),
            mark(2, r"^\s*class\s+\w+(\s*:\s*public\s+\w+)?\s*\{?\s*\r?$"),
            mark(3, r"\w+::\w+[(<]"),
            mark(
                -8,
                r"^\s*(use\s+\w+(::\w+)*;|fn\s|pub\s|import\s|package\s|let\s|def\s|func\s|public\s+(static|class|void))|\$\w+\s*=|println!|\busing\s+System",
            ),
            mark(-8, r"\[\[\s*(kernel|buffer|stage_in)|\bkernel\s+void|<metal_stdlib>|\bfunction\s+\w+\("),
        ],
    }
}

fn runtime(command: &str) -> Runtime {
    let options = [command, "-std=gnu++20", "-O1", "-g", "-Wall", "-pthread"];
    let rest = ["-MD", "-MF", "{reads}", "-o", "{output}", "{file}"];
    Runtime {
        run: Template::words("{output} {args}"),
        compiling: Some(Compiling {
            command: Template::list(options.into_iter().chain(rest)),
            makes: Makes::Program,
            reads: Reads::Told,
            variables: Vec::new(),
        }),
        checks: vec![Check::reading(Template::list([command, "-std=gnu++20", "-fsyntax-only", "{file}"]))],
        version: Template::words("--version"),
        shown: Template::list([command, "{file}", "-o", "main", "&&", "./main", "{args}"]),
        ..Runtime::default()
    }
}
