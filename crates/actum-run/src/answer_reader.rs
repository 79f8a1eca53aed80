//! What an answer's blocks are judged by: the languages that are known here, and a confined worker that reads their texts.

use crate::read::{self, Text};
use crate::request::House;
use actum_answers::{Program, Reader};
use actum_model::Reading;

/// A reader of the programs in an answer. Nothing of them is parsed in this process.
#[derive(Debug)]
pub struct AnswerReader<'a> {
    pub house: &'a House<'a>,
    /// What the worker's sandbox is made from.
    pub attempt: &'a actum_sandbox::Request,
}

impl Reader for AnswerReader<'_> {
    fn language(&self, label: &str) -> Option<String> {
        let languages = self.house.languages;
        let by_extension = || {
            let label = label.to_ascii_lowercase();
            languages.iter().find(|language| language.extensions.contains(&label))
        };
        languages.called(label).or_else(by_extension).map(|language| language.name.clone())
    }

    fn read(&mut self, programs: &[Program<'_>]) -> Vec<Reading> {
        let texts: Vec<Text<'_>> = programs
            .iter()
            .map(|program| Text { language: program.language, code: program.code.as_bytes() })
            .collect();
        read::read_many(self.house, self.attempt, &texts)
    }
}
