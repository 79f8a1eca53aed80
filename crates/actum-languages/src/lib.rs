//! What Actum knows about languages: a table of small values, one file each, and pure functions over them.
//!
//! Start at [`Languages`]: it finds a [`Language`] by label, by a file's name or by its text ([`Languages::choose`]).
//! [`plan`] then turns a language, a staged source and what is installed into a [`Program`]: how to check, compile and
//! start it, and what a person would have typed. Nothing here starts a process or reads a file.
//! Why it is so: docs/design/languages.md.

pub mod compile;
mod error;
#[cfg(test)]
pub(crate) mod fixtures;
mod plan;
mod postgres;
pub mod recognise;
mod runtime;
mod shebang;
mod shown;
mod template;
#[cfg(test)]
mod tests;
mod user;

mod bash;
mod c;
mod cpp;
mod go;
mod java;
mod javascript;
mod julia;
mod lua;
mod perl;
mod php;
mod python;
mod r;
mod ruby;
mod rust;
mod sh;
mod sql;
mod typescript;

pub use error::LanguageError;
pub use plan::{
    CheckCommand, Compile, Database, FirstLine, Installed, Program, Staged, Typed, Variables, plan,
};
pub use postgres::{Connection, PostgresError, Server};
pub use runtime::{Check, Compiling, Makes, Reads, Runs, Runtime, Version};
pub use shebang::Shebang;
pub use shown::line as shown_line;
pub use template::{Filling, Hole, Template};
pub use user::{UserLanguage, UserLanguageError};

use crate::recognise::Marks;
use std::sync::OnceLock;

/// One language.
#[derive(Debug, Clone, Default)]
pub struct Language {
    /// Its name in reports and with `--language`.
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// Other names, as they are written behind Markdown's fences.
    pub names: Vec<String>,
    /// Without the dot, in lower case.
    pub extensions: Vec<String>,
    /// Interpreters that a first line may name.
    pub shebangs: Vec<String>,
    pub encoding: Encoding,
    /// The name that code without a file is staged under.
    pub staged_as: String,
    /// In order of preference.
    pub runtimes: Vec<Runtime>,
    pub install: Install,
    /// What its text looks like.
    pub marks: Vec<Mark>,
    /// The name of a language whose programs are also programs of this one. Marks of that one count for both.
    pub extends: Option<String>,
}

/// Which bytes a source may hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Encoding {
    #[default]
    Utf8,
    /// UTF-8, or what the first two lines declare (`coding: latin-1`).
    Declared,
    /// Any bytes but NUL.
    Bytes,
}

/// What brings the runtime to a machine that has none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Install {
    /// The Debian package.
    pub package: Option<String>,
    /// Other commands that bring it.
    pub otherwise: Vec<String>,
}

/// Something that is seen in texts of a language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// How much it says: 1 a hint, 3 seldom elsewhere, 6 hardly anything else. Below zero: speaks against it.
    pub weight: i32,
    /// A regular expression over bytes; `^` and `$` are the ends of lines.
    pub pattern: &'static str,
}

impl Language {
    /// Whether a label, as written behind a fence or with `--language`, means it.
    pub fn is_called(&self, label: &str) -> bool {
        self.name.eq_ignore_ascii_case(label)
            || self.names.iter().any(|name| name.eq_ignore_ascii_case(label))
    }

    /// What one of the user's leaves open is taken from the one that it replaces.
    fn over(self, known: Self) -> Self {
        let list = |own: Vec<String>, known: Vec<String>| if own.is_empty() { known } else { own };
        let is_install = self.install.package.is_some();
        Self {
            title: known.title,
            names: list(self.names, known.names),
            extensions: list(self.extensions, known.extensions),
            shebangs: list(self.shebangs, known.shebangs),
            staged_as: known.staged_as,
            install: if is_install { self.install } else { known.install },
            marks: known.marks,
            extends: known.extends,
            ..self
        }
    }

    /// The name that this code is staged under where it came without one.
    pub fn staged_name(&self, code: &[u8]) -> String {
        if self.name == "java" { java::file_name(code) } else { self.staged_as.clone() }
    }
}

/// All languages that are known here.
#[derive(Debug, Clone)]
pub struct Languages {
    /// Made when the first of them is asked for: a command needs none.
    list: OnceLock<Vec<Language>>,
    /// Made when the first text has to be recognised by its looks.
    marks: OnceLock<Marks>,
}

impl Default for Languages {
    fn default() -> Self {
        Self::builtin()
    }
}

impl Languages {
    /// Those that need no configuration.
    pub fn builtin() -> Self {
        Self { list: OnceLock::new(), marks: OnceLock::new() }
    }

    fn of(list: Vec<Language>) -> Self {
        Self { list: OnceLock::from(list), marks: OnceLock::new() }
    }

    fn list(&self) -> &[Language] {
        self.list.get_or_init(builtin)
    }

    pub(crate) fn marks(&self) -> &Marks {
        self.marks.get_or_init(|| Marks::of(self.list()))
    }

    /// Adds one of the user's, or puts it in the place of the one that has its name. What it claims, others lose: a label
    /// or an extension means one language, and the user's word is the last.
    #[must_use]
    pub fn with(self, mut language: Language) -> Self {
        let mut list = self.list.into_inner().unwrap_or_else(builtin);
        let place = list.iter().position(|known| known.name == language.name);
        if let Some(place) = place {
            language = language.over(list.remove(place));
        }
        for known in &mut list {
            known.names.retain(|name| !language.is_called(name));
            known.extensions.retain(|extension| !language.extensions.contains(extension));
            known.shebangs.retain(|shebang| !language.shebangs.contains(shebang));
        }
        list.insert(place.unwrap_or(list.len()), language);
        Self::of(list)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Language> {
        self.list().iter()
    }

    /// By its name or another one.
    pub fn called(&self, label: &str) -> Option<&Language> {
        let label = label.trim();
        let by_name = self.list().iter().find(|language| language.name.eq_ignore_ascii_case(label));
        by_name.or_else(|| self.list().iter().find(|language| language.is_called(label)))
    }
}

/// Where two are equally likely the earlier is named first.
fn builtin() -> Vec<Language> {
    vec![
        python::language(),
        bash::language(),
        sh::language(),
        javascript::language(),
        typescript::language(),
        ruby::language(),
        perl::language(),
        php::language(),
        lua::language(),
        r::language(),
        julia::language(),
        go::language(),
        rust::language(),
        c::language(),
        cpp::language(),
        java::language(),
        sql::language(),
    ]
}

/// Words without spaces, as a list.
fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn package(name: &str, otherwise: &[&str]) -> Install {
    Install {
        package: Some(name.to_owned()),
        otherwise: otherwise.iter().map(|&way| way.to_owned()).collect(),
    }
}

fn mark(weight: i32, pattern: &'static str) -> Mark {
    Mark { weight, pattern }
}

/// Variables of a runtime, written as in an environment.
fn variables(list: &[(&str, &str)]) -> Vec<(String, Template)> {
    list.iter().map(|(name, value)| ((*name).to_owned(), Template::list([*value]))).collect()
}
