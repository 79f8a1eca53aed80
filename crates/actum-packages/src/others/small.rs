//! Languages whose rule is a line and whose exceptions are a page: Ruby, R, Go, Rust, Perl, PHP.

use crate::table::Table;

static RUBY: Table = Table::new(include_str!("../../data/others/ruby.tsv"));
static RUBY_STANDARD: Table = Table::new(include_str!("../../data/others/ruby-standard.txt"));
static R_BASE: Table = Table::new(include_str!("../../data/others/r-base.txt"));
static R_BIOCONDUCTOR: Table = Table::new(include_str!("../../data/others/r-bioconductor.tsv"));
static RUST: Table = Table::new(include_str!("../../data/others/rust.tsv"));
static PERL: Table = Table::new(include_str!("../../data/others/perl.tsv"));
static PHP: Table = Table::new(include_str!("../../data/others/php.tsv"));

/// Whether a `require` is answered by Ruby itself.
pub fn is_ruby_standard(require: &str) -> bool {
    let top = require.split('/').next().unwrap_or(require);
    RUBY.find(require).is_none()
        && (RUBY_STANDARD.find(require).is_some() || RUBY_STANDARD.find(top).is_some())
}

/// The gems that a `require` may mean, the likelier first: the table, then `a-b` and `a` for `a/b`.
pub fn gems_for_ruby(require: &str) -> Vec<String> {
    if let Some(row) = RUBY.find(require) {
        return vec![row.field(1).to_owned()];
    }
    let top = require.split('/').next().unwrap_or(require);
    let from_top = RUBY.find(top).map_or(top, |row| row.field(1));
    let mut gems = vec![require.replace('/', "-"), from_top.to_owned()];
    gems.dedup();
    gems
}

/// Whether a package comes with R itself.
pub fn is_base_r(package: &str) -> bool {
    R_BASE.find(package).is_some()
}

/// Whether a package of R is not of its main index but of Bioconductor.
pub fn is_bioconductor(package: &str) -> bool {
    R_BIOCONDUCTOR.find(package).is_some()
}

/// Whether an import path is of Go's own library: its first part has no dot.
pub fn is_go_standard(path: &str) -> bool {
    path.split('/').next().is_some_and(|first| !first.is_empty() && !first.contains('.'))
}

/// The crates that `use name` may mean, the likelier first. Nothing for what belongs to Rust itself.
pub fn crates_for_rust(name: &str) -> Vec<String> {
    let top = name.split("::").next().unwrap_or(name);
    if matches!(top, "std" | "core" | "alloc" | "proc_macro" | "test" | "crate" | "self" | "super" | "") {
        return Vec::new();
    }
    if let Some(row) = RUST.find(top) {
        return vec![row.field(1).to_owned()];
    }
    let mut crates = vec![top.replace('_', "-"), top.to_owned()];
    crates.dedup();
    crates
}

/// The package of Debian with a module of Perl.
pub fn debian_for_perl(module: &str) -> Option<&'static str> {
    let whole = PERL.find(module);
    whole.or_else(|| PERL.find(module.split("::").next().unwrap_or(module))).map(|row| row.field(1))
}

/// The package of Debian with an extension of PHP.
pub fn debian_for_php(extension: &str) -> Option<&'static str> {
    PHP.find(&extension.to_ascii_lowercase()).map(|row| row.field(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ruby() {
        for (require, expected) in [
            ("active_support/all", &["active_support-all", "activesupport"] as &[&str]),
            ("nokogiri", &["nokogiri"]),
            ("net/ssh", &["net-ssh"]),
            ("zip", &["rubyzip"]),
            ("a/b", &["a-b", "a"]),
        ] {
            assert_eq!(gems_for_ruby(require), expected, "{require}");
        }
        for (require, expected) in
            [("json", true), ("net/http", true), ("net/ssh", false), ("set", true), ("rails", false)]
        {
            assert_eq!(is_ruby_standard(require), expected, "{require}");
        }
    }

    #[test]
    fn r_and_go() {
        assert!(is_base_r("stats") && !is_base_r("ggplot2"));
        assert!(is_bioconductor("DESeq2") && !is_bioconductor("dplyr"));
        assert!(is_go_standard("net/http") && is_go_standard("fmt"));
        assert!(!is_go_standard("github.com/a/b") && !is_go_standard(""));
    }

    #[test]
    fn rust() {
        for (name, expected) in [
            ("serde_json::Value", &["serde_json"] as &[&str]),
            ("actix_web", &["actix-web"]),
            ("foo_bar", &["foo-bar", "foo_bar"]),
            ("rand", &["rand"]),
            ("std::fs", &[]),
        ] {
            assert_eq!(crates_for_rust(name), expected, "{name}");
        }
    }

    #[test]
    fn perl_and_php() {
        assert_eq!(debian_for_perl("DBI"), Some("libdbi-perl"));
        assert_eq!(debian_for_perl("LWP::UserAgent"), Some("libwww-perl"));
        assert_eq!(debian_for_perl("No::Such"), None);
        assert_eq!(debian_for_php("mbstring"), Some("php-mbstring"));
        assert_eq!(debian_for_php("GD"), Some("php-gd"));
    }

    #[test]
    fn every_row_is_found() {
        for table in [RUBY, RUBY_STANDARD, R_BASE, R_BIOCONDUCTOR, RUST, PERL, PHP] {
            for row in table.rows() {
                assert_eq!(table.find(row.key()), Some(row), "{}", row.key());
            }
        }
    }
}
