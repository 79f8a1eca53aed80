//! TypeScript, on whatever the machine has that can.
//!
//! `tsx` comes first: it runs the whole language. Node only takes types away and refuses enumerations and parameter
//! properties; from 22.7 to 25 a flag makes it rewrite those too, in 26 that flag is gone. Node before 22.6 cannot.

use super::{Check, Install, Language, Mark, Runtime, Template, Version, mark, words};

/// Parses with the parser that runs it. `node --check` does not take TypeScript.
const CHECK: &str = "\
const { stripTypeScriptTypes } = require('node:module');
const file = process.argv[1];
try {
  stripTypeScriptTypes(require('node:fs').readFileSync(file, 'utf8'), MODE);
} catch (error) {
  console.error(`${file}: ${error.message}`);
  process.exit(1);
}
";

pub(super) fn language() -> Language {
    Language {
        name: "typescript".to_owned(),
        title: "TypeScript".to_owned(),
        names: words("ts mts cts ts-node"),
        extensions: words("ts mts cts"),
        shebangs: words("tsx ts-node bun deno"),
        staged_as: "main.ts".to_owned(),
        runtimes: runtimes(),
        // Debian's own Node is too old, so no package is named.
        install: Install {
            package: None,
            otherwise: ["npm install -g tsx", "nvm install 24", "mise use -g node@24"]
                .map(str::to_owned)
                .to_vec(),
        },
        extends: Some("javascript".to_owned()),
        marks: marks(),
        ..Language::default()
    }
}

/// In the order of preference.
fn runtimes() -> Vec<Runtime> {
    vec![
        Runtime {
            run: Template::words("tsx {file} {args}"),
            version: Template::words("--version"),
            shown_inline: Template::words("tsx -e {code} {args}"),
            ..Runtime::default()
        },
        strips(Version::new(26, 0), None, &[]),
        strips(Version::new(22, 13), Some(Version::new(26, 0)), &["--experimental-transform-types", QUIET]),
        Runtime {
            checks: Vec::new(),
            ..strips(
                Version::new(22, 7),
                Some(Version::new(22, 13)),
                &["--experimental-transform-types", QUIET],
            )
        },
        Runtime {
            checks: Vec::new(),
            ..strips(Version::new(22, 6), Some(Version::new(22, 7)), &["--experimental-strip-types", QUIET])
        },
        Runtime {
            run: Template::words("bun {file} {args}"),
            checks: vec![Check::reading(Template::words("bun build --no-bundle {file}"))],
            version: Template::words("--version"),
            shown_inline: Template::words("bun -e {code} {args}"),
            ..Runtime::default()
        },
        Runtime {
            run: Template::words("deno run --quiet --allow-all {file} {args}"),
            checks: vec![Check::reading(Template::words("deno check --quiet {file}"))],
            version: Template::words("--version"),
            shown: Template::words("deno run {file} {args}"),
            ..Runtime::default()
        },
    ]
}

fn marks() -> Vec<Mark> {
    vec![
        mark(5, r"^\s*(export\s+)?interface\s+\w+(<[^>]*>)?(\s+extends\s+[\w\s,<>]+)?\s*\{"),
        mark(5, r"^\s*(export\s+)?type\s+\w+(<[^>]*>)?\s*=\s*"),
        mark(6, r"\b(const|let|var)\s+\w+\s*:\s*[\w<>\[\]{}|\s,]+=[^=]"),
        mark(
            6,
            r"[(,]\s*\w+\??\s*:\s*(string|number|boolean|any|void|unknown|never|object|Array<|Record<|Map<|Promise<)",
        ),
        mark(
            5,
            r"\)\s*:\s*(string|number|boolean|void|any|unknown|never|Promise<[^>]*>|Array<[^>]*>|[A-Z]\w*(\[\])?)\s*(\{|=>)",
        ),
        mark(4, r"\bas\s+(const|string|number|any|unknown)\b"),
        mark(4, r"^\s*(private|public|protected|readonly)\s+(readonly\s+)?\w+\??\s*:\s*\w"),
        mark(4, r"^\s*import\s+type\s|^\s*(export\s+)?(declare|const\s+enum|abstract\s+class)\s"),
        mark(3, r"\bfunction\s+\w+<\w+"),
        mark(2, r"^\s*\w+\??\s*:\s*(string|number|boolean|any)(\[\])?\s*[;,]?\r?$"),
        mark(-6, r"^\s*(fun|val|func|package|using|import\s+\w+(\.\w+)+;?|let\s+mut|fn|data\s+class)\b"),
    ]
}

const QUIET: &str = "--disable-warning=ExperimentalWarning";

fn strips(at_least: Version, below: Option<Version>, flags: &[&str]) -> Runtime {
    let mode = if flags.is_empty() { "{ mode: 'strip' }" } else { "{ mode: 'transform' }" };
    let run = ["node"].into_iter().chain(flags.iter().copied()).chain(["{file}", "{args}"]);
    Runtime {
        run: Template::list(run),
        checks: vec![Check::reading(Template::list([
            "node",
            QUIET,
            "-e",
            &CHECK.replace("MODE", mode),
            "{file}",
        ]))],
        version: Template::words("--version"),
        at_least: Some(at_least),
        below,
        shown: Template::words("node {file} {args}"),
        ..Runtime::default()
    }
}
