//! Perl.
//!
//! Its syntax cannot be known without running parts of it: `use` and `BEGIN` run while the rest is read, and what they
//! define changes how that is parsed. `perl -c` is the only true check, so the table says that it runs parts.

use super::{Check, Encoding, Language, Runs, Runtime, Template, mark, package, words};

pub(super) fn language() -> Language {
    Language {
        name: "perl".to_owned(),
        title: "Perl".to_owned(),
        names: words("pl perl5"),
        extensions: words("pl pm t"),
        shebangs: words("perl"),
        encoding: Encoding::Bytes,
        staged_as: "main.pl".to_owned(),
        runtimes: vec![Runtime {
            run: Template::words("perl {file} {args}"),
            checks: vec![Check { command: Template::words("perl -c {file}"), runs: Runs::Parts }],
            version: Template::list(["-e", "print $^V"]),
            shown_inline: Template::words("perl -e {code} {args}"),
            ..Runtime::default()
        }],
        install: package("perl", &["brew install perl"]),
        marks: vec![
            mark(6, r"^\s*use\s+(strict|warnings|feature|v?5\.\d+)\b"),
            mark(6, r"^\s*(my|our)\s*(\(\s*)?[$@%]\w+"),
            mark(3, r"\b(my|our)\s+[$@%]\w+"),
            mark(5, r"^\s*sub\s+\w+\s*(\([^)]*\)\s*)?\{"),
            mark(4, r"=~\s*(s|m|tr|qr)?[/{|]"),
            mark(4, r"\bforeach\s+my\s+\$|@_\b|\bshift\s*;|@ARGV|\$_\b|%\$\w+|@\{?\$\w+"),
            mark(3, r"\bqw[(/]|\bchomp\b|<STDIN>"),
            mark(3, r"^\s*(print|say|die)\s+['\x22$]"),
            mark(2, r"\$\w+\{\w+\}|\$\w+->[\[{]"),
            mark(2, r"\b(elsif|unless)\s*\("),
            mark(2, r"^\s*use\s+[A-Z]\w+(::\w+)+"),
            mark(-6, r"<\?php|\becho\s|\bfunction\s+\w+\s*\("),
        ],
        ..Language::default()
    }
}
