//! Languages of `actum.toml`: the same values, written by a user.
//!
//! ```toml
//! [language.zig]
//! extensions = ["zig"]
//! run = ["zig", "run", "{file}", "--", "{args}"]
//! check = ["zig", "ast-check", "{file}"]
//! package = "zig"
//! ```

use super::runtime::{Check, Compiling, Makes, Reads, Runs, Runtime};
use super::template::{Hole, Template};
use super::{Encoding, Install, Language};
use serde::Deserialize;

/// The table `[language.NAME]`.
#[derive(Debug, Clone, Default, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields, default)]
pub struct UserLanguage {
    /// Other names, as behind Markdown's fences.
    pub names: Vec<String>,
    /// With or without the dot.
    pub extensions: Vec<String>,
    /// Interpreters that a first line may name.
    pub shebangs: Vec<String>,
    /// Starts the program, with `{file}` or, where it is compiled, `{output}`.
    pub run: Vec<String>,
    /// Makes `{output}` from `{file}`.
    pub compile: Vec<String>,
    /// Looks at the syntax without running the program.
    pub check: Vec<String>,
    /// Makes the runtime tell its version: a whole command, of which the arguments are used.
    pub version: Vec<String>,
    /// The Debian package that brings it.
    pub package: Option<String>,
}

/// What is wrong with a language of `actum.toml`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UserLanguageError {
    #[error(
        "[language.{name}] is not valid: the name may contain only lower-case letters, digits, + # - and _"
    )]
    Name { name: String },
    #[error("[language.{name}] is not valid: `run` is missing")]
    NoRun { name: String },
    #[error("[language.{name}] is not valid: `{field}` does not contain {hole}")]
    HoleMissing { name: String, field: &'static str, hole: &'static str },
    #[error("[language.{name}] is not valid: `{field}` contains the unknown placeholder {hole}")]
    HoleUnknown { name: String, field: &'static str, hole: String },
    #[error("[language.{name}] is not valid: `{field}` does not begin with a command")]
    NoCommand { name: String, field: &'static str },
    #[error("[language.{name}] is not valid: {value:?} is not a file extension")]
    Extension { name: String, value: String },
}

impl UserLanguageError {
    /// What to do next.
    pub fn hint(&self) -> String {
        match self {
            Self::NoRun { .. } => {
                r#"write how it is started: run = ["zig", "run", "{file}", "--", "{args}"]"#.to_owned()
            }
            Self::HoleMissing { hole, .. } => format!("add {hole} where the path belongs"),
            Self::HoleUnknown { .. } => {
                "use {file}, {folder}, {args}, {output} (what is compiled) or {cache}".to_owned()
            }
            Self::NoCommand { .. } => "start with the name of a command".to_owned(),
            Self::Extension { .. } => "write the extension without a star or dot: \"zig\"".to_owned(),
            Self::Name { .. } => "use the name that you will pass to --language".to_owned(),
        }
    }
}

/// The holes that a user may leave in a command.
const ALLOWED: [Hole; 5] = [Hole::File, Hole::Folder, Hole::Args, Hole::Output, Hole::Cache];

impl UserLanguage {
    /// The language that it describes.
    pub fn into_language(self, name: &str) -> Result<Language, UserLanguageError> {
        self.validate(name)?;
        let extensions = self.extensions.iter().map(|text| text.trim_start_matches('.').to_lowercase());
        let extensions: Vec<String> = extensions.collect();
        let staged =
            extensions.first().map_or_else(|| "main".to_owned(), |extension| format!("main.{extension}"));
        let compiling = (!self.compile.is_empty()).then(|| Compiling {
            command: Template::list(self.compile),
            makes: Makes::Program,
            // A compiler that we know nothing about cannot be asked what it read.
            reads: Reads::Unknown,
            variables: Vec::new(),
        });
        let runs = Runs::Parts;
        let check = (!self.check.is_empty()).then(|| Check { command: Template::list(self.check), runs });
        Ok(Language {
            name: name.to_owned(),
            title: name.to_owned(),
            names: self.names,
            extensions,
            shebangs: self.shebangs,
            encoding: Encoding::Bytes,
            staged_as: staged,
            runtimes: vec![Runtime {
                run: Template::list(self.run),
                compiling,
                checks: check.into_iter().collect(),
                version: Template::list(self.version.into_iter().skip(1)),
                ..Runtime::default()
            }],
            install: Install { package: self.package, otherwise: Vec::new() },
            ..Language::default()
        })
    }

    fn validate(&self, name: &str) -> Result<(), UserLanguageError> {
        let named = || name.to_owned();
        let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"+#-_".contains(&byte);
        if name.is_empty() || !name.bytes().all(fits) {
            return Err(UserLanguageError::Name { name: named() });
        }
        if self.run.is_empty() {
            return Err(UserLanguageError::NoRun { name: named() });
        }
        let compiled = !self.compile.is_empty();
        let runs = if compiled { (Hole::Output, "{output}") } else { (Hole::File, "{file}") };
        validate_command(name, ("run", &self.run), &[runs])?;
        validate_command(name, ("check", &self.check), &[(Hole::File, "{file}")])?;
        validate_command(
            name,
            ("compile", &self.compile),
            &[(Hole::File, "{file}"), (Hole::Output, "{output}")],
        )?;
        validate_command(name, ("version", &self.version), &[])?;
        let odd = |text: &&String| text.trim_start_matches('.').is_empty() || text.contains(['*', '/', ' ']);
        match self.extensions.iter().find(odd) {
            Some(value) => Err(UserLanguageError::Extension { name: named(), value: value.clone() }),
            None => Ok(()),
        }
    }
}

fn validate_command(
    name: &str,
    (field, words): (&'static str, &[String]),
    needed: &[(Hole, &'static str)],
) -> Result<(), UserLanguageError> {
    if words.is_empty() {
        return Ok(());
    }
    let template = Template::list(words);
    let (named, is_compiled) = (|| name.to_owned(), needed.iter().any(|(hole, _)| *hole == Hole::Output));
    if let Some((_, hole)) = needed.iter().find(|(hole, _)| !template.uses(*hole)) {
        return Err(UserLanguageError::HoleMissing { name: named(), field, hole });
    }
    let out_of_place = |hole: &Hole| !ALLOWED.contains(hole) || (*hole == Hole::Output && !is_compiled);
    let misplaced = template.holes().into_iter().find(out_of_place).map(|hole| hole.to_string());
    if let Some(hole) = template.unknown_hole().map(str::to_owned).or(misplaced) {
        return Err(UserLanguageError::HoleUnknown { name: named(), field, hole });
    }
    let begins = template.command().is_some_and(|command| !command.is_empty());
    let starts_output = field == "run" && is_compiled;
    if !begins && !starts_output {
        return Err(UserLanguageError::NoCommand { name: named(), field });
    }
    Ok(())
}
