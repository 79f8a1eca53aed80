//! Which names of other people's modules a program uses, and how.

use super::bindings::Bindings;
use super::call::{Call, Callee};
use crate::text::beginning;
use actum_model::{NameUse, Reading};
use ruff_python_ast::{Expr, Identifier, StmtImportFrom};
use std::collections::HashSet;

/// More are counted and not listed.
const MOST: usize = 2_000;

/// Tables know formats, parsers and languages by their short names; what is longer is text for people.
const LONGEST_TEXT: usize = 40;

/// On something of unknown type only what could be a keyword of its own is worth listing.
const LONGEST_TEXT_OF_UNKNOWN: usize = 16;

/// The first strings of a call; more of them are data.
const MOST_TEXTS: usize = 3;

/// Names by now, in the order in which they come: those of imported modules, and those of something unknown.
#[derive(Debug, Default)]
pub(super) struct Names {
    imported: Vec<NameUse>,
    unknown: Vec<NameUse>,
    known: HashSet<String>,
    left_out: u64,
}

impl Names {
    /// `from a import b` uses `a.b`.
    pub(super) fn of_import(&mut self, import: &StmtImportFrom, line: u32) {
        if import.level > 0 {
            return;
        }
        let module = import.module.as_ref().map_or("", Identifier::as_str);
        for alias in import.names.iter().filter(|alias| alias.name.as_str() != "*") {
            self.push(format!("{module}.{}", alias.name), line);
        }
    }

    /// A name with its dots, of an imported module or of something unknown.
    pub(super) fn of_expression(
        &mut self,
        expression: &Expr,
        line: u32,
        bindings: &Bindings<'_>,
        is_open: bool,
    ) {
        let Expr::Attribute(attribute) = expression else { return };
        match bindings.imported(expression).filter(|_| !is_open) {
            Some(name) if name.starts_with('.') => {}
            Some(name) => self.push(name, line),
            None if attribute.value.as_name_expr().is_some_and(|name| name.id.as_str() == "self") => {}
            None => self.push(format!("?.{}", attribute.attr), line),
        }
    }

    /// A call with its arguments.
    pub(super) fn of_call(&mut self, call: &Call<'_>, is_open: bool) {
        match &call.callee {
            Callee::Imported(name) if name.starts_with('.') || is_open => {}
            Callee::Imported(name) => self.arguments(name, call, LONGEST_TEXT),
            Callee::Method { name, on, maker } => {
                if on.as_name_expr().is_some_and(|name| name.id.as_str() == "self") {
                    return;
                }
                self.push(format!("?.{name}()"), call.line);
                self.arguments(&format!("?.{name}"), call, LONGEST_TEXT_OF_UNKNOWN);
                if let Some(maker) = maker.as_deref().filter(|maker| !maker.starts_with('.')) {
                    self.push(format!("{maker}().{name}()"), call.line);
                }
            }
            Callee::Plain(_) | Callee::Unknown => {}
        }
    }

    fn arguments(&mut self, callee: &str, call: &Call<'_>, longest: usize) {
        let short = |expression| call.bindings.text(expression).filter(|text| is_short(text, longest));
        for text in call.call.arguments.args.iter().filter_map(short).take(MOST_TEXTS) {
            self.push(format!("{callee}(\"{text}\")"), call.line);
        }
        for (keyword, value) in call.keywords() {
            self.push(format!("{callee}({keyword}=)"), call.line);
            if let Some(text) = short(value) {
                self.push(format!("{callee}({keyword}=\"{text}\")"), call.line);
            }
        }
    }

    fn push(&mut self, name: String, line: u32) {
        let name = beginning(&name, 200).to_owned();
        if self.known.contains(&name) {
            return;
        }
        let list = if name.starts_with("?.") { &mut self.unknown } else { &mut self.imported };
        if list.len() == MOST {
            self.left_out += 1;
            return;
        }
        self.known.insert(name.clone());
        list.push(NameUse { name, line });
    }

    /// Where there are too many, those of something unknown are left out first.
    pub(super) fn finish(self, reading: &mut Reading) {
        let mut names = self.imported;
        names.extend(self.unknown);
        let beyond = names.len().saturating_sub(MOST);
        names.truncate(MOST);
        reading.names = names;
        reading.names_left_out = self.left_out.saturating_add(u64::try_from(beyond).unwrap_or(u64::MAX));
    }
}

fn is_short(text: &str, longest: usize) -> bool {
    let is_plain = |letter: char| !letter.is_control() && letter != '"';
    !text.is_empty() && text.len() <= longest && text.chars().all(is_plain)
}
