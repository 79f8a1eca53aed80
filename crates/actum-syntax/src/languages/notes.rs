//! What is noted about a program, in the words that all languages share.

use super::place::Place;
use crate::command_line;
use crate::python::host;
use crate::text::beginning;
use crate::tree::{Parsed, line};
use actum_model::{
    Argument, CommandUse, EntryPoint, FileMode, FileUse, Import, ImportKind, NetworkUse, Reading, Service,
    Sign, Variable,
};
use std::collections::HashSet;
use tree_sitter::Node;

/// More of one thing are not listed.
const MOST: usize = 500;

/// A reading that is being written.
pub(super) struct Notes<'p, 't, 'r> {
    pub(super) parsed: &'p Parsed<'t>,
    pub(super) reading: &'r mut Reading,
    /// Names that the program makes itself, as far as its language's file tells.
    pub(super) own: HashSet<String>,
    hosts: Vec<String>,
}

impl<'p, 't, 'r> Notes<'p, 't, 'r> {
    pub(super) fn new(parsed: &'p Parsed<'t>, reading: &'r mut Reading) -> Self {
        Notes { parsed, reading, own: HashSet::new(), hosts: Vec::new() }
    }

    pub(super) fn words(&self, node: Node<'_>) -> &'t str {
        self.parsed.words(node)
    }

    /// The words of a field, or empty.
    pub(super) fn field(&self, node: Node<'_>, name: &str) -> &'t str {
        node.child_by_field_name(name).map_or("", |child| self.words(child))
    }

    /// The text of a string without its quotes; none where something in it is computed.
    pub(super) fn string(&self, node: Node<'_>) -> Option<&'t str> {
        let is_string =
            node.kind().contains("string") || node.kind() == "raw_string" || node.kind() == "character";
        let is_computed = (0..node.named_child_count())
            .filter_map(|at| node.named_child(u32::try_from(at).ok()?))
            .any(|child| {
                !matches!(
                    child.kind(),
                    "string_content" | "string_fragment" | "escape_sequence" | "string_open" | "string_close"
                ) && !child.kind().ends_with("_content")
            });
        let words = self.words(node);
        let bare = words.trim_matches(['"', '\'', '`']);
        (is_string && !is_computed && bare.len() < 2_000).then_some(bare)
    }

    /// The first string among the arguments of a call, at a position.
    pub(super) fn argument(&self, call: Node<'_>, position: u32) -> Option<&'t str> {
        let arguments = call.child_by_field_name("arguments")?;
        let mut argument = arguments.named_child(position)?;
        if argument.kind() == "argument" {
            argument = argument.child_by_field_name("value").or_else(|| argument.named_child(0))?;
        }
        self.string(argument)
    }

    pub(super) fn import(&mut self, node: Node<'_>, module: &str, via: &str, kind: ImportKind) {
        self.import_names(node, (module, Vec::new()), via, kind);
    }

    /// An import of a module, with the names that are taken out of it.
    pub(super) fn import_names(
        &mut self,
        node: Node<'_>,
        taken: (&str, Vec<String>),
        via: &str,
        kind: ImportKind,
    ) {
        let (module, names) = taken;
        let module = beginning(module.trim(), 200).to_owned();
        let import = Import { module, names, line: line(node), kind, via: via.to_owned() };
        let known = |one: &Import| {
            one.module == import.module && one.kind == import.kind && one.names == import.names
        };
        let is_new = !import.module.is_empty() && !self.reading.imports.iter().any(known);
        if is_new && self.reading.imports.len() < MOST {
            self.reading.imports.push(import);
        }
    }

    pub(super) fn file(&mut self, node: Node<'_>, path: &str, mode: FileMode, by: &str) {
        let is_path = !path.is_empty() && path.len() <= 300 && !path.contains("://") && !path.contains('\n');
        let known = |one: &FileUse| one.path == path && one.mode == mode;
        if is_path && self.reading.files.len() < MOST && !self.reading.files.iter().any(known) {
            self.reading.files.push(FileUse {
                path: path.to_owned(),
                mode,
                by: by.to_owned(),
                line: line(node),
            });
        }
    }

    pub(super) fn variable(&mut self, node: Node<'_>, name: &str, needed: bool) {
        let is_name = !name.is_empty()
            && name.len() <= 100
            && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
        if !is_name {
            return;
        }
        if let Some(known) = self.reading.variables.iter_mut().find(|one| one.name == name) {
            known.needed |= needed;
        } else if self.reading.variables.len() < MOST {
            self.reading.variables.push(Variable {
                name: name.to_owned(),
                needed,
                default: None,
                line: line(node),
            });
        }
    }

    pub(super) fn position(&mut self, node: Node<'_>, position: &str, required: bool) {
        let is_position = position.parse::<u8>().is_ok_and(|number| (1..100).contains(&number));
        if !is_position {
            return;
        }
        if let Some(known) = self.reading.arguments.iter_mut().find(|one| one.name == position) {
            known.required |= required;
            return;
        }
        let name = position.to_owned();
        self.reading.arguments.push(Argument {
            name,
            required,
            default: None,
            help: None,
            scales: false,
            line: line(node),
        });
    }

    pub(super) fn stdin(&mut self, node: Node<'_>, what: &str) {
        self.reading.stdin.get_or_insert_with(|| Sign { what: what.to_owned(), line: line(node) });
    }

    pub(super) fn network(&mut self, node: Node<'_>, what: &str) {
        let network = self.reading.network.get_or_insert_with(NetworkUse::default);
        if network.signs.len() < MOST && network.signs.iter().all(|one| one.what != what) {
            network.signs.push(Sign { what: beginning(what, 100).to_owned(), line: line(node) });
        }
    }

    pub(super) fn service(&mut self, node: Node<'_>, what: &str, port: Option<&str>) {
        let port = port.and_then(|port| port.rsplit(':').next()?.parse().ok());
        self.reading.service.get_or_insert_with(|| Service { what: what.to_owned(), port, line: line(node) });
    }

    /// A command line that is started by a call.
    pub(super) fn command_line(&mut self, node: Node<'_>, text: &str) {
        command_line::note_commands(text, line(node), &mut self.reading.commands);
        command_line::note_installs(text, "command", line(node), &mut self.reading.installs);
    }

    pub(super) fn command(&mut self, node: Node<'_>, name: &str, privileged: bool) {
        let command = CommandUse { name: name.to_owned(), privileged, line: line(node) };
        command_line::push_command(command, &mut self.reading.commands);
    }

    /// A name that is defined at the top level.
    pub(super) fn defines(&mut self, name: &str, place: &Place) {
        let is_new =
            place.is_top() && !name.is_empty() && name.len() <= 200 && self.reading.defines.len() < MOST;
        if is_new && self.reading.defines.iter().all(|known| known != name) {
            self.reading.defines.push(name.to_owned());
        }
    }

    /// The program begins here, unless it was seen to begin by a `main` already.
    pub(super) fn begins(&mut self, entry: EntryPoint) {
        if self.reading.entry != EntryPoint::MainGuard {
            self.reading.entry = entry;
        }
    }

    /// Keeps the host of a string that is an address.
    pub(super) fn address(&mut self, node: Node<'_>) {
        let text = self.words(node).trim_matches(['"', '\'', '`']);
        if let Some(host) =
            host(text).filter(|host| !self.hosts.contains(host)).filter(|_| self.hosts.len() < MOST)
        {
            self.hosts.push(host);
        }
    }

    /// Addresses in a program that speaks to nobody are only text.
    pub(super) fn finish(self) {
        if let Some(network) = &mut self.reading.network {
            network.hosts = self.hosts;
        }
    }
}
