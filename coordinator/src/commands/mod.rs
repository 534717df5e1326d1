//! The command line of `loto`, one file per command.

mod cancel;
mod check;
mod columns;
mod completions;
mod delete;
mod error;
mod exit_status;
mod find_sweep;
mod foreign_options;
mod guard_options;
mod host;
mod import;
mod merge;
mod methods;
mod options;
mod output;
mod report;
mod report_folder;
mod report_options;
mod resume;
mod retry;
mod run;
mod schema;
mod score;
mod score_hpob;
mod serve;
mod status;
mod submit;
mod text_table;
mod verification_sample;
mod verify;
mod warnings;
mod watch;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use loto_process::logs::LogOptions;
use loto_process::{command_line, program};

use crate::progress::display::LogWriter;
use error::CommandError;

/// What is logged by default: the progress of this process, and warnings of everything.
const DEFAULT_LOG: &str = "warn,lapin=off,loto_coordinator=info,loto_process::shutdown=info";

const AFTER_HELP: &str = "\
Exit status:
  0    done
  1    a job or a run failed
  2    the input was wrong: an option, a file, an address, a damaged value
  75   the time that a batch system gave is up; the same command, given again, goes on from there
  130  interrupted; the same command, given again, goes on from there

Examples:
  loto run                                   the built-in sweep, in this process
  loto run sweep.toml --data tables          your own sweep file
  loto submit sweep.toml --broker amqp://localhost --store redis://localhost
  loto-worker --broker amqp://localhost --store redis://localhost
  loto status --store redis://localhost";

/// Runs benchmark sweeps of hyperparameter-transfer methods, leaving one task out.
#[derive(Debug, Parser)]
#[command(name = "loto", version, after_help = AFTER_HELP, max_term_width = 100)]
#[command(mut_arg("log", |log| log.default_value(DEFAULT_LOG)))]
struct Arguments {
    #[command(flatten)]
    logs: LogOptions,

    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Run(run::RunCommand),
    Submit(submit::SubmitCommand),
    Serve(serve::ServeCommand),
    Host(host::HostCommand),
    Status(status::StatusCommand),
    Watch(watch::WatchCommand),
    Resume(resume::ResumeCommand),
    Retry(retry::RetryCommand),
    Cancel(cancel::CancelCommand),
    Delete(delete::DeleteCommand),
    Report(report::ReportCommand),
    Verify(verify::VerifyCommand),
    Score(score::ScoreCommand),
    Import(import::ImportCommand),
    Merge(merge::MergeCommand),
    Methods(methods::MethodsCommand),
    Check(check::CheckCommand),
    Schema(schema::SchemaCommand),
    Completions(completions::CompletionsCommand),
}

impl Command {
    async fn execute(self) -> Result<(), CommandError> {
        match self {
            Self::Run(command) => command.execute().await,
            Self::Submit(command) => command.execute().await,
            Self::Serve(command) => command.execute().await,
            Self::Host(command) => command.execute().await,
            Self::Status(command) => command.execute().await,
            Self::Watch(command) => command.execute().await,
            Self::Resume(command) => command.execute().await,
            Self::Retry(command) => command.execute().await,
            Self::Cancel(command) => command.execute().await,
            Self::Delete(command) => command.execute().await,
            Self::Report(command) => command.execute().await,
            Self::Verify(command) => command.execute().await,
            Self::Score(command) => command.execute(),
            Self::Import(command) => command.execute(),
            Self::Merge(command) => command.execute().await,
            Self::Methods(command) => command.execute(),
            Self::Check(command) => command.execute().await,
            Self::Schema(command) => command.execute(),
            Self::Completions(command) => command.execute(Arguments::command()),
        }
    }
}

/// Reads the command line, does what it says, and says how it ended.
pub fn main() -> ExitCode {
    let arguments: Arguments = command_line::parse();
    program::run(
        &arguments.logs,
        LogWriter::default,
        arguments.command.execute(),
    )
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn every_option_has_a_variable_and_every_command_an_example() {
        let command = Arguments::command();
        let commands = command
            .get_subcommands()
            .filter(|command| command.get_name() != "help");
        for command in commands {
            let name = command.get_name();
            let help = command
                .get_after_help()
                .map(ToString::to_string)
                .unwrap_or_default();
            assert!(help.contains(&format!("loto {name}")), "{name}: no example");
            for option in command.get_opts() {
                let variable = option
                    .get_env()
                    .map(|name| name.to_string_lossy().into_owned());
                assert!(
                    variable.is_some_and(|variable| variable.starts_with("LOTO_")),
                    "{name}: {option}"
                );
            }
        }
    }

    #[test]
    fn the_help_of_a_command_names_only_what_it_has() {
        let mut command = Arguments::command();
        let mut help_of = |name| {
            let command = command.find_subcommand_mut(name);
            command.unwrap().render_long_help().to_string()
        };
        let (host, serve) = (help_of("host"), help_of("serve"));
        for part in ["`control`", "--broker"] {
            assert!(!host.contains(part), "{part} in {host}");
            assert!(serve.contains(part), "no {part} in {serve}");
        }
    }
}
