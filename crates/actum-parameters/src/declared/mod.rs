//! Parameters that a program declares, and the configuration that Hydra composes for it.

mod hydra;
mod program;
#[cfg(test)]
mod tests;

pub use hydra::{Composed, Leaf, compose, leaves};
pub use program::{Program, program_of};

use actum_model::{DeclaredParameter, Framework, ParameterKind};

/// The parameters that a command line with these words can set: those of the subcommand that it names, and those of all.
pub fn of_command<'d>(declared: &'d [DeclaredParameter], words: &[String]) -> Vec<&'d DeclaredParameter> {
    let command = subcommand(declared, words);
    declared
        .iter()
        .filter(|one| match (&one.command, command) {
            (None, _) => true,
            (Some(of), Some(command)) => of == command || command.starts_with(&format!("{of} ")),
            (Some(_), None) => false,
        })
        .collect()
}

/// The subcommand that the words name: the longest one whose parts come in order.
pub(crate) fn subcommand<'d>(declared: &'d [DeclaredParameter], words: &[String]) -> Option<&'d str> {
    let commands = declared.iter().filter_map(|one| one.command.as_deref());
    let is_named = |command: &&str| {
        let mut words = words.iter().filter(|word| !word.starts_with('-'));
        command.split(' ').all(|part| words.any(|word| word == part))
    };
    commands.filter(is_named).max_by_key(|command| command.len())
}

/// Whether a parameter can be given on a command line at all.
pub fn can_be_given(parameter: &DeclaredParameter) -> bool {
    parameter.kind != ParameterKind::Constant && parameter.framework != Framework::Constants
}
