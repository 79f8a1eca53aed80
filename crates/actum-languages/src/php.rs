//! PHP.

use super::{Check, Encoding, Language, Runtime, Template, mark, package, words};

pub(super) fn language() -> Language {
    Language {
        name: "php".to_owned(),
        title: "PHP".to_owned(),
        names: words("php8 php7 php-cli"),
        extensions: words("php phtml"),
        shebangs: words("php"),
        encoding: Encoding::Bytes,
        staged_as: "main.php".to_owned(),
        runtimes: vec![Runtime {
            // Whatever php.ini says, errors go to stderr, once, as text: on stdout they would be taken for output.
            run: Template::words(
                "php -d display_errors=stderr -d log_errors=0 -d html_errors=0 {file} {args}",
            ),
            checks: vec![Check::reading(Template::words(
                "php -d display_errors=stderr -d log_errors=0 -d html_errors=0 -l {file}",
            ))],
            version: Template::words("--version"),
            shown: Template::words("php {file} {args}"),
            shown_inline: Template::words("php -r {code} {args}"),
            ..Runtime::default()
        }],
        install: package("php-cli", &["brew install php"]),
        marks: vec![
            mark(20, r"^\s*<\?php\b"),
            mark(6, r"<\?(php|=)"),
            mark(4, r"\$this->\w+"),
            mark(4, r"^\s*\$\w+\s*(\[[^\]]*\])?\s*=\s*[^=~].*;\s*(//.*)?\r?$"),
            mark(4, r"\bfunction\s+\w*\s*\([^)]*\$\w+"),
            mark(4, r"^\s*(public|private|protected)\s+(static\s+)?(function\s|\$\w+|\??\w+\s+\$\w+)"),
            mark(3, r"^\s*echo\s+.*;\s*\r?$"),
            mark(3, r"\bforeach\s*\(\s*\$\w+.*\bas\s+\$"),
            mark(3, r"\b(array|isset|empty|count|var_dump|print_r|array_map|strlen|implode|explode)\s*\("),
            mark(2, r"\$\w+\s*->\s*\w+\s*\("),
            mark(2, r"^\s*(use|namespace)\s+\w+(\\\w+)+\s*(as\s+\w+)?;"),
            mark(2, r"=>\s*\S+,?\s*\r?$"),
            mark(1, r"\$\w+"),
            mark(-5, r"^\s*(my|our)\s+[$@%]|\bsub\s+\w+|^\s*(fi|done|esac)\b|;\s*then\b"),
            mark(-6, r"^\s*\$\w+(:\w+)?\s*=\s*(Get|New|Set)-|\bWrite-Host\b|^\s*param\s*\("),
        ],
        ..Language::default()
    }
}
