//! Every language but Python: by its grammar, one file for each.
//!
//! [`read`] walks the tree once and hands each node to the file of the language, with the place where it stands.
//! `whole` says whether the text is all there, for all of them alike.

mod bash;
mod c;
mod go;
mod java;
mod javascript;
mod lua;
mod notes;
mod php;
mod place;
mod r;
mod ruby;
mod rust;
#[cfg(test)]
mod tests;
mod whole;

use crate::grammar::Grammar;
use crate::tree::Parsed;
use actum_model::{Completeness, EntryPoint, Reading};
use notes::Notes;
use place::Place;
use std::borrow::Cow;

/// Reads a program of a language that has a grammar.
pub(crate) fn read(grammar: Grammar, text: &str, reading: &mut Reading) {
    let text = prepared(grammar, text, reading);
    let Some(parsed) = Parsed::of(&grammar.language(), &text) else {
        let why = "parsing timed out".to_owned();
        reading.complete = Completeness::Unread { why };
        return;
    };
    reading.complete = whole::judge(&parsed);
    let mut notes = Notes::new(&parsed, reading);
    let mut place = Place::default();
    let mut walk = parsed.nodes();
    while let Some((node, depth)) = walk.next_with_depth() {
        place.leave(depth);
        match grammar {
            Grammar::Bash => bash::look(node, &place, &mut notes),
            Grammar::C | Grammar::Cpp => c::look(node, &place, &mut notes),
            Grammar::Go => go::look(node, &place, &mut notes),
            Grammar::Java => java::look(node, &place, &mut notes),
            Grammar::JavaScript | Grammar::TypeScript | Grammar::Tsx => {
                javascript::look(node, &place, &mut notes)
            }
            Grammar::Lua => lua::look(node, &place, &mut notes),
            Grammar::Php => php::look(node, &place, &mut notes),
            Grammar::R => r::look(node, &place, &mut notes),
            Grammar::Ruby => ruby::look(node, &place, &mut notes),
            Grammar::Rust => rust::look(node, &place, &mut notes),
        }
        place.enter(node, depth);
    }
    notes.finish();
    reading.entry = entry(grammar, reading);
}

/// The text as its grammar wants it, line for line.
fn prepared<'t>(grammar: Grammar, text: &'t str, reading: &mut Reading) -> Cow<'t, str> {
    match grammar {
        Grammar::Bash => bash::without_prompts(text, reading),
        // Without its tag the grammar takes the whole of it for a page.
        Grammar::Php if !text.contains("<?") => format!("<?php {text}").into(),
        Grammar::Php
        | Grammar::C
        | Grammar::Cpp
        | Grammar::Go
        | Grammar::Java
        | Grammar::JavaScript
        | Grammar::TypeScript
        | Grammar::Tsx
        | Grammar::Lua
        | Grammar::R
        | Grammar::Ruby
        | Grammar::Rust => text.into(),
    }
}

/// Where a program begins: where the language calls `main` itself it needs one.
fn entry(grammar: Grammar, reading: &Reading) -> EntryPoint {
    match (reading.entry, grammar) {
        (EntryPoint::Nothing, _) if reading.tests > 0 => EntryPoint::Tests,
        (EntryPoint::Nothing, _) if !reading.defines.is_empty() => EntryPoint::Definitions,
        (entry, _) => entry,
    }
}
