//! Which language a source is in: the label, the file's name, its first line, then what its text looks like.
//!
//! Pure, and never a guess: where two languages are nearly as likely, both are named and the user says which. Start
//! reading at [`Languages::choose`]. How well it does on real answers: docs/design/languages.md.

mod foreign;
mod refuse;
mod score;
#[cfg(test)]
mod tests;

use crate::{FirstLine, Language, LanguageError, Languages, Shebang};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

pub use refuse::LARGEST;
pub(crate) use score::Marks;
pub use score::Scores;

/// What is known about a source before it is read.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unlabelled<'a> {
    /// The file's name, if it has one.
    pub name: Option<&'a Path>,
    pub code: &'a [u8],
}

/// What the name and the text of a source tell.
#[derive(Debug, Clone)]
pub enum Recognised<'a> {
    One {
        language: &'a Language,
        by: By,
    },
    /// A script whose first line names an interpreter that is in no table.
    Script(Shebang),
    /// The most likely one first.
    Ambiguous(Vec<&'a Language>),
    /// Of a language that is known by sight only.
    Foreign(&'static str),
    Unknown,
}

/// What told which language it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    Label,
    Extension,
    FirstLine,
    Text,
}

/// The language of a source that can be read in it.
#[derive(Debug, Clone)]
pub struct Chosen<'a> {
    pub language: Cow<'a, Language>,
    pub by: By,
    shebang: Option<Shebang>,
}

impl Chosen<'_> {
    /// What the first line has to say about how it is started.
    pub fn first_line(&self) -> FirstLine<'_> {
        match (&self.shebang, self.by) {
            (Some(shebang), By::FirstLine) => FirstLine::Decides(shebang),
            (Some(shebang), By::Label | By::Extension | By::Text) => FirstLine::Advises(shebang),
            (None, _) => FirstLine::Silent,
        }
    }
}

impl Languages {
    /// The language of a source, or why it has none.
    pub fn choose<'a>(
        &'a self,
        label: Option<&str>,
        source: Unlabelled<'_>,
    ) -> Result<Chosen<'a>, LanguageError> {
        let what = source.name.map_or_else(|| PathBuf::from("the code"), Path::to_path_buf);
        refuse::bytes(&what, source.code)?;
        let recognised = match label {
            Some(label) => Recognised::One { language: self.labelled(label)?, by: By::Label },
            None => self.recognise(source),
        };
        let (language, by) = match recognised {
            Recognised::One { language, by } => (Cow::Borrowed(language), by),
            Recognised::Script(shebang) => (Cow::Owned(Language::of(&shebang)), By::FirstLine),
            Recognised::Ambiguous(candidates) => {
                let candidates = candidates.iter().map(|language| language.name.clone()).collect();
                return Err(LanguageError::Ambiguous { what, candidates });
            }
            Recognised::Foreign(title) => {
                return Err(LanguageError::Foreign { what, title: title.to_owned() });
            }
            Recognised::Unknown => return Err(LanguageError::Unknown { what }),
        };
        refuse::encoding(&what, &language, source.code)?;
        let shebang = Shebang::read(without_mark(source.code));
        let shebang = shebang.filter(|shebang| by == By::FirstLine || language.is_started_by(shebang));
        Ok(Chosen { language, by, shebang })
    }

    /// What name and text tell, whatever the bytes are.
    pub fn recognise<'a>(&'a self, source: Unlabelled<'_>) -> Recognised<'a> {
        let code = without_mark(source.code);
        let shebang = Shebang::read(code);
        let named: Vec<&Language> = source.name.map(|name| self.with_extension_of(name)).unwrap_or_default();
        // `.sh` is of two languages, and the first line tells which.
        let told =
            |language: &&&Language| shebang.as_ref().is_some_and(|shebang| language.is_started_by(shebang));
        if let Some(language) = named.iter().find(told).or(named.first()) {
            return Recognised::One { language, by: By::Extension };
        }
        if let Some(shebang) = shebang {
            let known = self.iter().find(|language| language.is_started_by(&shebang));
            return known.map_or(Recognised::Script(shebang), |language| Recognised::One {
                language,
                by: By::FirstLine,
            });
        }
        Scores::of(self, code).judge()
    }

    fn labelled(&self, label: &str) -> Result<&Language, LanguageError> {
        self.called(label).ok_or_else(|| LanguageError::UnknownLabel {
            label: label.to_owned(),
            nearest: self.nearest(label).map(str::to_owned),
        })
    }

    fn with_extension_of(&self, name: &Path) -> Vec<&Language> {
        let extension = name.extension().map(|extension| extension.to_string_lossy().to_lowercase());
        let has =
            |language: &&Language| extension.as_ref().is_some_and(|own| language.extensions.contains(own));
        self.iter().filter(has).collect()
    }

    /// The name that was probably meant.
    fn nearest(&self, label: &str) -> Option<&str> {
        let label = label.to_lowercase();
        let names = self.iter().flat_map(|language| [&language.name].into_iter().chain(&language.names));
        let near =
            names.map(|name| (distance(&label, name), name)).filter(|(far, name)| *far * 3 <= name.len());
        near.min_by_key(|(far, _)| *far).map(|(_, name)| name.as_str())
    }
}

impl Language {
    fn is_started_by(&self, shebang: &Shebang) -> bool {
        self.shebangs.iter().any(|known| known == shebang.name())
    }

    /// A script of an interpreter that is in no table (awk, zsh) is started as the kernel would start it.
    fn of(shebang: &Shebang) -> Self {
        let name = shebang.name().to_owned();
        Self {
            title: name.clone(),
            staged_as: format!("main.{name}"),
            encoding: crate::Encoding::Bytes,
            name,
            ..Self::default()
        }
    }
}

/// Without the mark that some editors put before UTF-8.
fn without_mark(code: &[u8]) -> &[u8] {
    code.strip_prefix(b"\xef\xbb\xbf").unwrap_or(code)
}

/// How many letters to insert, remove or replace between two words.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (index, letter) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        for (at, same) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *same);
            diagonal = row[at + 1];
            row[at + 1] = replaced.min(row[at] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}
