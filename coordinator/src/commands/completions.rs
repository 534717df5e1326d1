//! `loto completions`: the script by which a shell completes the command line.

use clap::{Args, Command};
use clap_complete::{Shell, generate};

use super::error::CommandError;
use super::output::print;

const EXAMPLES: &str = "\
Examples:
  loto completions bash > ~/.local/share/bash-completion/completions/loto
  loto completions zsh > ~/.zfunc/_loto
  loto completions fish > ~/.config/fish/completions/loto.fish";

/// Prints the script by which a shell completes commands and options of loto.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct CompletionsCommand {
    /// The shell.
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

impl CompletionsCommand {
    /// Prints the script for this command line.
    pub(super) fn execute(self, mut command_line: Command) -> Result<(), CommandError> {
        let name = command_line.get_name().to_owned();
        let mut script = Vec::new();
        generate(self.shell, &mut command_line, name, &mut script);
        print(&String::from_utf8_lossy(&script))
    }
}
