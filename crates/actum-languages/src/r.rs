//! R.

use super::{Check, Encoding, Language, Runtime, Template, mark, package, words};

const CHECK: &str = "invisible(parse(commandArgs(trailingOnly = TRUE)[1], keep.source = FALSE))";

pub(super) fn language() -> Language {
    Language {
        name: "r".to_owned(),
        title: "R".to_owned(),
        names: words("rscript rlang rstats"),
        extensions: words("r"),
        shebangs: words("Rscript"),
        encoding: Encoding::Bytes,
        staged_as: "main.R".to_owned(),
        runtimes: vec![Runtime {
            run: Template::words("Rscript {file} {args}"),
            checks: vec![Check::reading(Template::list(["Rscript", "--vanilla", "-e", CHECK, "{file}"]))],
            version: Template::words("--version"),
            shown_inline: Template::words("Rscript -e {code} {args}"),
            ..Runtime::default()
        }],
        install: package("r-base-core", &["conda install -c conda-forge r-base"]),
        marks: vec![
            mark(6, r"<-\s*function\s*\("),
            mark(5, r"^\s*library\(\w+\)\s*(#.*)?\r?$"),
            mark(4, r"^\s*[\w.$\[\]\x22',]+\s*<-\s*\S"),
            mark(4, r"%>%|%in%|\|>"),
            mark(
                4,
                r"\b(data\.frame|ggplot|geom_\w+|aes|tibble|mutate|install\.packages|lm|summary|sapply|lapply|paste0?|cat|nrow|ncol)\(",
            ),
            mark(3, r"\bc\(\s*['\x22\d]"),
            mark(3, r"\b(TRUE|FALSE|NULL|NA)\b"),
            mark(2, r"\w+\$\w+"),
            mark(2, r"^\s*for\s*\(\w+\s+in\s+"),
            mark(2, r"^\s*print\("),
            mark(1, r"^\s*#\s"),
            mark(-6, r"<\?php|\$this|^\s*(def|fn|func|use|my|var|let|const|echo|import|public)\s"),
            mark(-4, r";\s*\r?$|\bNOT NULL\b|\bVARCHAR\b|\bdo\s*\r?$"),
        ],
        ..Language::default()
    }
}
