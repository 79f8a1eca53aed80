//! The shell: split into simple commands, wrappers looked through, each command judged by its name.

mod command;
mod dispatch;
mod files;
mod interpreters;
mod network;
mod packages;
mod redirects;
mod split;
mod system;

use super::Place;
use super::found::Findings;
pub(super) use network::is_writing;
pub(super) use redirects::{is_outside, starts_later};

use command::Command;
use split::Word;

/// Looks at a script.
pub(super) fn look(code: &str, place: Place, findings: &mut Findings) {
    look_at_script(code, split::Kind::Script, place, findings);
}

/// Looks at the substitutions in a text that is data otherwise: the body of a here-document.
fn look_at_body(body: &str, place: Place, findings: &mut Findings) {
    look_at_script(body, split::Kind::Body, place, findings);
}

fn look_at_script(code: &str, kind: split::Kind, place: Place, findings: &mut Findings) {
    let commands = split::split(code, kind);
    for (index, simple) in commands.iter().enumerate() {
        let line = place.line.saturating_add(simple.line - 1);
        let fed = dispatch::feeding(&commands, index, place.line);
        let command = Command::new(&simple.words, code.get(simple.start..simple.end), line, fed);
        redirects::look(simple, &command, findings);
        for body in simple.bodies.iter().filter(|body| body.expands) {
            let at = place.line.saturating_add(body.line - 1);
            if let Some(inner) = place.within(at) {
                look_at_body(&body.text, inner, findings);
            }
        }
        dispatch::look(&command, place, findings);
    }
}

/// Looks at a command whose words are known without a shell: the list that a program hands to `exec`.
pub(super) fn look_at_words(words: &[String], place: Place, findings: &mut Findings) {
    let words: Vec<Word> = words.iter().map(|text| Word::literal(text)).collect();
    let shown = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
    let command = Command::new(&words, Some(&shown), place.line, None);
    dispatch::look(&command, place, findings);
}
