//! The table of attempts that are embedded in the library, and the list of all that the catalogue knows.

use crate::{AttackError, Header};
use std::sync::OnceLock;

/// One attempt: what its header says, and the program itself.
#[derive(Clone, Debug)]
pub struct Attempt {
    pub header: Header,
    pub language: Language,
    pub text: &'static str,
}

/// What an attempt is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    Python,
    Shell,
    C,
    JavaScript,
}

/// One line of the catalogue, in our own words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    pub id: &'static str,
    pub group: &'static str,
    pub aim: &'static str,
}

/// `(path below attempts/, text)`, written by build.rs.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/attempts.rs"));

const CATALOGUE: &str = include_str!("../catalogue.tsv");

/// Every embedded attempt, in the order of groups and ids.
pub fn attempts() -> Result<&'static [Attempt], AttackError> {
    static ATTEMPTS: OnceLock<Vec<Attempt>> = OnceLock::new();
    if let Some(attempts) = ATTEMPTS.get() {
        return Ok(attempts);
    }
    let read = FILES.iter().map(|(file, text)| Attempt::read(file, text)).collect::<Result<Vec<_>, _>>()?;
    Ok(ATTEMPTS.get_or_init(|| read))
}

/// The attempt of that id.
pub fn attempt(id: &str) -> Result<Option<&'static Attempt>, AttackError> {
    Ok(attempts()?.iter().find(|attempt| attempt.header.id == id))
}

/// Every line of the catalogue, expressed or not.
pub fn entries() -> impl Iterator<Item = Entry> {
    CATALOGUE.lines().filter_map(|line| {
        let mut fields = line.split('\t');
        Some(Entry { id: fields.next()?, group: fields.next()?, aim: fields.next()? })
    })
}

impl Attempt {
    fn read(file: &str, text: &'static str) -> Result<Attempt, AttackError> {
        let header =
            Header::read(text).map_err(|source| AttackError::Header { file: file.to_owned(), source })?;
        Ok(Attempt { header, language: Language::of(file), text })
    }

    pub fn id(&self) -> &str {
        &self.header.id
    }
}

impl Language {
    /// By the ending of the file's name; what has none of ours is left to the shell, and its test would fail.
    fn of(file: &str) -> Language {
        match file.rsplit('.').next() {
            Some("py") => Language::Python,
            Some("c") => Language::C,
            Some("js") => Language::JavaScript,
            Some(_) | None => Language::Shell,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::not_expressed;
    use std::collections::BTreeMap;

    #[test]
    fn every_header_is_readable_and_says_where_its_file_is() {
        let attempts = attempts().unwrap();
        assert_eq!(attempts.len(), FILES.len());
        for (attempt, (file, _)) in attempts.iter().zip(FILES) {
            let stem = file.rsplit_once('.').unwrap().0;
            assert_eq!(stem, format!("{}/{}", attempt.header.group, attempt.header.id));
            assert!(attempt.header.aim.ends_with('.'), "the aim of {file} is not a sentence");
        }
    }

    #[test]
    fn every_id_of_the_catalogue_is_expressed_or_excused_exactly_once() {
        let mut count: BTreeMap<&str, (usize, usize)> = entries().map(|entry| (entry.id, (0, 0))).collect();
        assert_eq!(count.len(), 175, "the catalogue has 175 attempts, each once");
        for attempt in attempts().unwrap() {
            count
                .get_mut(attempt.id())
                .unwrap_or_else(|| panic!("{} is not in the catalogue", attempt.id()))
                .0 += 1;
        }
        for excused in not_expressed() {
            count
                .get_mut(excused.id)
                .unwrap_or_else(|| panic!("{} is not in the catalogue", excused.id))
                .1 += 1;
            assert!(excused.reason.len() > 10, "{} needs a reason", excused.id);
        }
        let wrong: Vec<_> = count.iter().filter(|(_, (as_file, excused))| as_file + excused != 1).collect();
        assert!(wrong.is_empty(), "neither or both expressed and excused: {wrong:?}");
    }

    #[test]
    fn groups_agree_with_the_catalogue() {
        for attempt in attempts().unwrap() {
            let entry = entries().find(|entry| entry.id == attempt.id()).unwrap();
            assert_eq!(entry.group, attempt.header.group, "{}", attempt.id());
        }
    }
}
