//! Julia.

use super::{Check, Install, Language, Runtime, Template, mark, words};

/// `parseall` gives errors back as parts of the tree instead of throwing them.
const CHECK: &str = "\
tree = Meta.parseall(read(ARGS[1], String); filename = ARGS[1])
for part in tree.args
    if part isa Expr && part.head in (:error, :incomplete)
        println(stderr, ARGS[1], \": \", part.args[1])
        exit(1)
    end
end
";

pub(super) fn language() -> Language {
    Language {
        name: "julia".to_owned(),
        title: "Julia".to_owned(),
        names: words("jl"),
        extensions: words("jl"),
        shebangs: words("julia"),
        staged_as: "main.jl".to_owned(),
        runtimes: vec![Runtime {
            run: Template::words("julia {file} {args}"),
            checks: vec![Check::reading(Template::list([
                "julia",
                "--startup-file=no",
                "-e",
                CHECK,
                "{file}",
            ]))],
            version: Template::words("--version"),
            shown_inline: Template::words("julia -e {code} {args}"),
            ..Runtime::default()
        }],
        // Debian has none in its stable release.
        install: Install {
            package: None,
            otherwise: ["juliaup add release", "mise use -g julia"].map(str::to_owned).to_vec(),
        },
        marks: vec![
            mark(5, r"^\s*using\s+[A-Z]\w+(\s*,\s*[A-Z]\w+)*\s*\r?$"),
            mark(4, r"^\s*function\s+\w+[!]?(\{\w+\})?\([^)]*::\w+"),
            mark(4, r"^\s*(mutable\s+)?struct\s+\w+(\{\w+\})?\s*(<:\s*\w+)?\s*\r?$"),
            mark(4, r"\bprintln\([^;]*\)\s*\r?$"),
            mark(3, r"\w+::(Int|Float64|String|Vector|Array|Bool|Number|Any|AbstractString)\b"),
            mark(3, r"^\s*for\s+\w+\s+(in|=)\s+\S+:\S+\s*\r?$"),
            mark(3, r"^\s*\w+\([\w, ]*\)\s*=\s*\S"),
            mark(3, r"\bend\s*\r?$"),
            mark(2, r"\w\.[+*/^-]=?\s|\w+!\(|@(show|time|assert|printf|test)\b"),
            mark(2, r"^\s*(elseif|else)\b"),
            mark(
                -6,
                r"^\s*(puts|require|local|def|fn|fun|public|import\s+\w+;|val|var|let|const)\s|;\s*\r?$|\bthen\s*\r?$",
            ),
            mark(-5, r"\{\s*\r?$|^\s*%|\bprintln!|^\s*end(function|module)\b"),
        ],
        ..Language::default()
    }
}
