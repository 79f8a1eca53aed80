//! `actum completions`

use crate::screen;
use std::process::ExitCode;

/// Print completions for a shell
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  actum completions bash > ~/.local/share/bash-completion/completions/actum
  actum completions zsh > \"${fpath[1]}/_actum\"
  actum completions fish > ~/.config/fish/completions/actum.fish")]
pub struct Completions {
    /// Shell to complete for
    #[arg(value_name = "SHELL")]
    shell: clap_complete::Shell,
}

impl Completions {
    pub fn execute(self) -> ExitCode {
        screen::say(made(self.shell).trim_end());
        ExitCode::SUCCESS
    }
}

fn made(shell: clap_complete::Shell) -> String {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut shown(), "actum", &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// Without the commands that are hidden: their makers would offer those too.
fn shown() -> clap::Command {
    let whole = super::command();
    let shown = whole.get_subcommands().filter(|command| !command.is_hide_set()).cloned();
    clap::Command::new("actum").version(env!("CARGO_PKG_VERSION")).subcommands(shown.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum;

    #[test]
    fn every_shell_is_told_of_every_command() {
        for shell in clap_complete::Shell::value_variants() {
            let text = made(*shell);
            for name in ["run", "doctor", "completions", "read-only"] {
                assert!(text.contains(name), "{shell}: {name}");
            }
            assert!(!text.contains("report-schema"), "{shell} offers what is hidden");
        }
    }
}
