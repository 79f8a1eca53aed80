//! From an answer to the blocks of code in it, and what is to be done with each.
//!
//! [`read`] takes bytes and finds the pieces of code: in Markdown, in an agent's transcript, a notebook, a page or plain
//! text. [`decide`] gives each a disposition and says why; what a program's text tells it asks of a [`Reader`], because
//! foreign text is parsed only inside a sandbox. [`deeds`] puts what is to be done into order.
//!
//! Pure: no files, no clock, no variables. The bytes are hostile: whatever they are, it ends in linear time and says what it
//! could not read.
//!
//! | word | files |
//! |---|---|
//! | read | `decode`, `form`; `markdown`, `html`, `notebook`, `transcript`, `plain`; `label`, `naming`, `thinking` |
//! | decide | `decide/`: what it holds, whether it is whole, what belongs together, in this order |
//! | do | `deeds`, `patch` |
//!
//! Start reading at [`read()`], then `decide/mod.rs`. Why it is so: docs/design/answers.md.

mod answer;
mod decide;
mod decode;
mod deeds;
mod error;
mod form;
mod html;
mod json;
mod label;
mod markdown;
mod naming;
mod notebook;
mod patch;
mod plain;
mod thinking;
mod transcript;

pub use answer::{Answer, Before, Named, Piece, Saying};
pub use decide::{Program, Reader, decide};
pub use decode::LARGEST;
pub use deeds::{Deed, Start, deeds};
pub use error::AnswersError;
pub use form::Hint;
pub use patch::{FileChange, PatchError, changed, changes_of};

use actum_model::{AnswerForm, Blocks};

/// Finds the pieces of code in an answer.
pub fn read(bytes: &[u8], hint: Hint<'_>) -> Result<Answer, AnswersError> {
    let decoded = decode::decode(bytes)?;
    let mut answer = match form::of(&decoded.text, hint) {
        AnswerForm::Markdown => markdown::read(&decoded.text),
        AnswerForm::Transcript => transcript::read(&decoded.text)?,
        AnswerForm::Notebook => notebook::read(&decoded.text)?,
        AnswerForm::Html => html::read(&decoded.text),
        AnswerForm::Text => plain::read(&decoded.text),
    };
    answer.notes.splice(0..0, decoded.notes);
    Ok(answer.bounded())
}

/// Reads an answer and decides about every block of it.
pub fn extract(bytes: &[u8], hint: Hint<'_>, reader: &mut dyn Reader) -> Result<Blocks, AnswersError> {
    let answer = read(bytes, hint)?;
    let blocks = decide(&answer, reader);
    Ok(Blocks { blocks, form: answer.form, candidates: answer.candidates, notes: answer.notes })
}
