//! What is done with each block of an answer, and why.
//!
//! The order in which it is judged: what each block holds (`holds`), whether its program is whole (`whole`, `cut`), which of several
//! is meant (`choices`, `variants`), what is only a page (`page`), what belongs to which file (`files`), which blocks continue one another
//! (`sessions`), and what is expected output (`output`). Unlabelled text is looked at last and least (`unlabelled`).
//!
//! Pure. Foreign text is parsed by the [`Reader`], which asks a confined process.

mod answered;
mod choices;
mod cut;
mod files;
mod goes_on;
mod holds;
mod installs;
mod layout;
mod magics;
mod output;
mod page;
mod prompts;
mod sessions;
mod shell_prompts;
mod unlabelled;
mod variants;
mod whole;

use crate::answer::{Answer, Piece};
use actum_model::{Block, Disposition, Reading};

/// A program whose text is to be read.
#[derive(Debug, Clone, Copy)]
pub struct Program<'a> {
    pub language: &'a str,
    pub code: &'a str,
}

/// What is known about languages, and what the texts of programs tell.
pub trait Reader {
    /// The name of the language that a label or an extension means; none where it cannot be run.
    fn language(&self, label: &str) -> Option<String>;

    /// A reading for each program, in their order. Several at once, because a process is started for them.
    fn read(&mut self, programs: &[Program<'_>]) -> Vec<Reading>;
}

/// One block on its way to a disposition.
#[derive(Debug)]
struct Case<'a> {
    piece: &'a Piece,
    block: Block,
    /// Of the text that would be run.
    reading: Option<Reading>,
    stage: Stage,
}

/// How far a case is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// A program in a language that is known, as far as anybody has seen.
    Program,
    /// A file of no language that runs: data, a page, a configuration.
    Plain,
    /// Nobody said what it is.
    Unlabelled,
    /// Its disposition is final.
    Settled,
}

impl Case<'_> {
    fn settle(&mut self, disposition: Disposition, why: impl Into<String>) {
        self.block.disposition = disposition;
        self.block.why = why.into();
        self.stage = Stage::Settled;
    }

    fn skip(&mut self, why: impl Into<String>) {
        self.settle(Disposition::Skip, why);
    }

    fn is_program(&self) -> bool {
        self.stage == Stage::Program
    }

    fn is_shell(&self) -> bool {
        holds::is_shell(&self.block.language)
    }

    fn is_run(&self) -> bool {
        self.block.disposition == Disposition::Run
    }

    /// The line of the answer in which a line of the code stands.
    fn answer_line(&self, line: u32) -> u64 {
        self.piece.first_code_line + u64::from(line.max(1)) - 1
    }
}

/// Gives every block of an answer a disposition and a reason.
pub fn decide(answer: &Answer, reader: &mut dyn Reader) -> Vec<Block> {
    let mut cases: Vec<Case<'_>> = answer
        .pieces
        .iter()
        .zip(1..)
        .map(|(piece, index)| holds::look(piece, index, answer.form, reader))
        .collect();
    page::judge(&mut cases);
    whole::judge(&mut cases, &answer.text, reader);
    choices::judge(&mut cases);
    unlabelled::judge(&mut cases, answer, reader);
    answered::judge(&mut cases, reader);
    files::judge(&mut cases);
    sessions::judge(&mut cases, answer.form);
    output::judge(&mut cases);
    cases.into_iter().map(|case| case.block).collect()
}
