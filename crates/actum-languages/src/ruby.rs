//! Ruby.

use super::{Check, Encoding, Language, Runtime, Template, mark, package, words};

pub(super) fn language() -> Language {
    Language {
        name: "ruby".to_owned(),
        title: "Ruby".to_owned(),
        names: words("rb jruby"),
        extensions: words("rb"),
        shebangs: words("ruby"),
        encoding: Encoding::Declared,
        staged_as: "main.rb".to_owned(),
        runtimes: vec![Runtime {
            run: Template::words("ruby {file} {args}"),
            checks: vec![Check::reading(Template::words("ruby -c {file}"))],
            version: Template::words("--version"),
            shown_inline: Template::words("ruby -e {code} {args}"),
            ..Runtime::default()
        }],
        install: package("ruby", &["mise use -g ruby", "brew install ruby"]),
        marks: vec![
            mark(5, r"^\s*puts\s+\S|^\s*puts\("),
            mark(4, r"^\s*def\s+(self\.)?\w+[?!]?(\s*\([^)]*\))?\s*\r?$"),
            mark(5, r"^def\s+(self\.)?\w+[?!]?(\s*\([^):]*\))?[^:{]*\n(.*\n)*end\s*\r?$"),
            mark(4, r"\bdo\s*\|[^|]*\|"),
            mark(4, r"\{\s*\|[^|]*\|"),
            mark(4, r"^\s*require(_relative)?\s+['\x22]"),
            mark(4, r"^\s*attr_(accessor|reader|writer)\s+:"),
            mark(3, r"^\s*class\s+[A-Z]\w*(\s*<\s*[A-Z][\w:]*)?\s*\r?$"),
            mark(3, r"^\s*end\s*\r?$"),
            mark(3, r"^\s*(elsif|unless|when|rescue|ensure)\b"),
            mark(3, r"\.(each|each_with_index|times|nil\?|empty\?|upcase|to_s|to_i|inject|select|collect)\b"),
            mark(3, r"#\{[^}]+\}"),
            mark(2, r"@\w+\s*(\|\|)?="),
            mark(2, r"\bnil\b"),
            mark(2, r"(^|\s):\w+\s*=>|\b\w+:\s+\S+,?"),
            mark(-5, r"\blocal\s+(function\s+)?\w+|\bthen\s*\r?$|~="),
            mark(-5, r"^\s*(function\s|defmodule\s|defp?\s+\w+.*\bdo\s*\r?$|end(if|function|module|case)\b)"),
            mark(-5, r"^\s*(def|class|if|for|while)\b.*:\s*\r?$"),
            mark(-3, r";\s*\r?$"),
        ],
        ..Language::default()
    }
}
