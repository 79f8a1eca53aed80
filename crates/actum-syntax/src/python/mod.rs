//! Python: what a program of it needs.
//!
//! Only this folder speaks ruff's tree. `parse` makes it (looking through what an interpreter would stumble over: prompts,
//! magics, indentation), `whole` says whether it is all there, `walk` goes over it once and hands each import, call and
//! name to the file that knows about it.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "the tree is the parser's and has a hundred kinds of nodes: those that are not named are not meant"
)]

mod arguments;
mod bindings;
mod builtins;
mod call;
mod commands;
mod declared;
mod depth;
mod effort;
mod elision;
mod entry;
mod escapes;
mod files;
mod gpu;
mod imports;
mod legacy;
mod magics;
mod names;
mod network;
mod parameters;
mod parse;
mod prompts;
mod random;
mod screen;
mod service;
mod unbound;
mod variables;
mod version;
mod walk;
mod whole;

#[cfg(test)]
mod tests;

pub(crate) use network::host;

use actum_model::{Completeness, Reading};
use bindings::Bindings;
use parse::Source;

/// Reads a program in Python.
pub(crate) fn read(text: &str, reading: &mut Reading) {
    reading.declared = declared::read(text);
    let source = match Source::of(text) {
        Ok(source) => source,
        Err(too_deep) => {
            reading.complete = Completeness::Unread { why: too_deep.to_string() };
            return;
        }
    };
    for seen in &source.layout {
        crate::text::notice(&mut reading.layout, seen.kind, seen.line);
    }
    reading.complete = whole::judge(&source);
    reading.version = version::needed(&source);
    imports::in_comments(&source, reading);
    let bindings = Bindings::of(source.body());
    walk::walk(&source, &bindings, reading);
    parameters::read(&source, &bindings, reading);
    magics::note(&source, reading);
    entry::judge(&source, reading);
    if bindings.takes_everything.is_none() {
        reading.unbound = unbound::names(source.body(), &bindings);
    }
}
