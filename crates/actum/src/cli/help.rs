//! `actum --help`: every command in its group, on one screen.

use std::fmt::Write as _;

/// The groups in the order in which they are shown. A command that is not built is left out; one that is in no group
/// fails a test.
const GROUPS: &[(&str, &[&str])] = &[
    (
        "Run",
        &[
            "run",
            "experiment",
            "reproduce",
            "rerun",
            "sweep",
            "tasks",
            "inspect",
            "extract",
            "fix",
            "session",
            "approve",
        ],
    ),
    ("Look at runs", &["ls", "show", "logs", "timeline", "evidence", "diff", "changes"]),
    ("Changes of a run", &["apply", "discard", "undo"]),
    ("Claims and proofs", &["claims", "verify", "bundle", "checkpoint", "key"]),
    ("Store and coding agents", &["init", "hook", "gc", "backup"]),
    ("This machine", &["doctor", "languages", "sandbox", "config", "trust", "completions"]),
];

const AFTER: &str = "\
Examples:
  actum run answer.md
  actum run -- pytest -q

Use `actum help COMMAND` for more about a command.";

/// The same command with its help in groups.
pub fn grouped(command: clap::Command) -> clap::Command {
    let commands = listed(&command);
    let header = *command.get_styles().get_header();
    let template = format!(
        "{{about}}\n\n{{usage-heading}} {{usage}}\n\n{commands}{header}Options:{header:#}\n{{options}}\n\n{AFTER}\n"
    );
    command.help_template(template)
}

fn listed(command: &clap::Command) -> String {
    let (header, literal) = (command.get_styles().get_header(), command.get_styles().get_literal());
    let mut out = String::new();
    for (title, names) in GROUPS {
        let there: Vec<&clap::Command> =
            names.iter().filter_map(|name| command.find_subcommand(name)).collect();
        if there.is_empty() {
            continue;
        }
        let _ = writeln!(out, "{header}{title}:{header:#}");
        for command in there {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(out, "  {literal}{:<12}{literal:#} {about}", command.get_name());
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_visible_command_is_in_one_group() {
        let command = crate::cli::command();
        for command in command.get_subcommands().filter(|command| !command.is_hide_set()) {
            let groups = GROUPS.iter().filter(|(_, names)| names.contains(&command.get_name()));
            assert_eq!(groups.count(), 1, "{}", command.get_name());
        }
    }

    #[test]
    fn it_fits_a_screen() {
        let help = crate::cli::command().render_help().to_string();
        assert!((20..=70).contains(&help.lines().count()), "{help}");
        for line in help.lines() {
            assert!(line.chars().count() <= 100, "{line}");
        }
        for command in crate::cli::command().get_subcommands().filter(|command| !command.is_hide_set()) {
            assert!(help.contains(&format!("\n  {} ", command.get_name())), "{help}");
        }
    }

    /// What follows a bracket or a colon is a default or a list of values.
    #[test]
    fn help_has_at_most_twelve_words() {
        fn look(command: &clap::Command) {
            let options = command.get_arguments().filter(|one| !one.is_hide_set());
            let texts = options.filter_map(|one| one.get_help()).chain(command.get_about());
            for text in texts.map(ToString::to_string) {
                let first = text.split(['[', '(', ':']).next().unwrap_or_default();
                assert!(first.split_whitespace().count() <= 12, "{}: {text}", command.get_name());
                assert!(!text.ends_with('.'), "{}: {text}", command.get_name());
            }
            command.get_subcommands().filter(|one| !one.is_hide_set()).for_each(look);
        }
        look(&crate::cli::command());
    }

    /// One that does nothing by itself shows those of its own commands.
    #[test]
    fn every_command_has_examples() {
        fn look(command: &clap::Command) {
            let mut below = command.get_subcommands().filter(|one| one.get_name() != "help").peekable();
            if below.peek().is_none() {
                let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
                assert!(after.contains("Examples:\n  actum "), "{}", command.get_name());
            }
            below.for_each(look);
        }
        look(&crate::cli::command());
    }
}
