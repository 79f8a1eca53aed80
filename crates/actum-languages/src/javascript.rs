//! JavaScript.

use super::{Check, Language, Mark, Runtime, Template, mark, package, words};

pub(super) fn language() -> Language {
    Language {
        name: "javascript".to_owned(),
        title: "JavaScript".to_owned(),
        names: words("js node nodejs mjs cjs ecmascript"),
        extensions: words("js mjs cjs"),
        shebangs: words("node nodejs"),
        staged_as: "main.js".to_owned(),
        runtimes: vec![
            node("node"),
            node("nodejs"),
            Runtime {
                run: Template::words("bun {file} {args}"),
                checks: vec![Check::reading(Template::words("bun build --no-bundle {file}"))],
                version: Template::words("--version"),
                shown_inline: Template::words("bun -e {code} {args}"),
                ..Runtime::default()
            },
            Runtime {
                // The walls are ours; Deno's own would only ask.
                run: Template::words("deno run --quiet --allow-all {file} {args}"),
                checks: vec![Check::reading(Template::words("deno check --quiet {file}"))],
                version: Template::words("--version"),
                shown: Template::words("deno run {file} {args}"),
                shown_inline: Template::words("deno eval {code} {args}"),
                ..Runtime::default()
            },
        ],
        install: package("nodejs", &["nvm install --lts", "mise use -g node"]),
        marks: marks(),
        ..Language::default()
    }
}

fn node(command: &str) -> Runtime {
    Runtime {
        run: Template::list([command, "{file}", "{args}"]),
        checks: vec![Check::reading(Template::list([command, "--check", "{file}"]))],
        version: Template::words("--version"),
        shown_inline: Template::list([command, "-e", "{code}", "{args}"]),
        ..Runtime::default()
    }
}

fn marks() -> Vec<Mark> {
    vec![
        mark(6, r"\bconsole\.(log|error|warn|table|info)\("),
        mark(4, r"^\s*(export\s+)?(const|let)\s+(\w+|\{[^}]*\}|\[[^\]]*\])\s*=\s*"),
        mark(2, r"^\s*var\s+\w+\s*=\s*[^;]+;"),
        mark(4, r"\brequire\(['\x22][^'\x22]+['\x22]\)"),
        mark(5, r"^\s*import\s+(\w+|\{[^}]*\}|\*\s+as\s+\w+)(\s*,\s*\{[^}]*\})?\s+from\s+['\x22]"),
        mark(5, r"^\s*import\s+['\x22][^'\x22]+['\x22];?\r?$"),
        mark(5, r"^\s*(module\.exports|exports\.\w+)\s*="),
        mark(5, r"^\s*export\s+(default\s|(async\s+)?function\s|class\s|const\s|\{)"),
        mark(4, r"\)\s*=>\s*[\{\(\w]|\b\w+\s*=>\s*[\{\w\(]"),
        mark(3, r"^\s*(async\s+)?function\s*\*?\s*\w*\s*\([\w\s,={}\[\].'\x22]*\)\s*\{"),
        mark(3, r"=\s*(async\s+)?function\s*\("),
        mark(4, r"===|!=="),
        mark(4, r"\b(document|window)\.\w+|\baddEventListener\("),
        mark(
            3,
            r"\b(JSON\.(parse|stringify)|Object\.(keys|entries|values|assign)|Array\.(isArray|from)|Math\.(floor|max|min|round|random)|Promise\.\w+|parseInt|setTimeout|new\s+(Map|Set|Date|Promise)\()",
        ),
        mark(2, r"`[^`\n]*\$\{[^}]+\}"),
        mark(2, r"\b(undefined|typeof|await|async)\b"),
        mark(2, r"\.(forEach|map|filter|reduce|push|then|catch)\("),
        mark(2, r"\bfor\s*\((let|const|var)\s"),
        mark(1, r"^\s*//\s"),
        mark(1, r";\s*\r?$"),
        mark(
            -6,
            r"<\?php|\$\w+\s*->|^\s*(public|private|protected)\s+(static\s+)?(function|void|int|String)\s",
        ),
        mark(-4, r"^\s*(fn|func|fun|val|def|using|namespace|package|#include)\s"),
        mark(-6, r"^\s*<(script|!DOCTYPE|html|template|style|div|head|body)\b"),
        mark(-3, r"\blet\s+mut\b|println!"),
        mark(-5, r"\b(float|vec[234]|uint[0-9]*|address)\s+\w+\s*[=;,(]"),
    ]
}
