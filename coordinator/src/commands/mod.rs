//! The command line of `loto`, one file per command.

mod analysed;
mod cancel;
mod check;
mod error;
mod exit_status;
mod find_sweep;
mod logging;
mod methods;
mod options;
mod output;
mod report;
mod resume;
mod retry;
mod run;
mod score;
mod serve;
mod status;
mod submit;
mod text_table;
mod watch;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

pub use exit_status::ExitStatus;
use loto_process::observation::logs::LogFormat;

use error::CommandError;

const AFTER_HELP: &str = "\
Exit status:
  0    done
  1    a job or a run failed
  2    the input was wrong: an option, a file, an address, a damaged value
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
struct Arguments {
    /// What is logged to stderr, as a tracing filter: a level, or levels by module.
    #[arg(
        long,
        env = "LOTO_LOG",
        value_name = "FILTER",
        default_value = logging::DEFAULT_FILTER,
        global = true,
        display_order = 100
    )]
    log: String,

    /// Form of the log lines: text, or json for programs that collect logs.
    #[arg(
        long,
        env = "LOTO_LOG_FORMAT",
        value_name = "FORMAT",
        default_value_t,
        global = true,
        display_order = 101
    )]
    log_format: LogFormat,

    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Run(run::RunCommand),
    Submit(submit::SubmitCommand),
    Serve(serve::ServeCommand),
    Status(status::StatusCommand),
    Watch(watch::WatchCommand),
    Resume(resume::ResumeCommand),
    Retry(retry::RetryCommand),
    Cancel(cancel::CancelCommand),
    Report(report::ReportCommand),
    Score(score::ScoreCommand),
    Methods(methods::MethodsCommand),
    Check(check::CheckCommand),
}

impl Command {
    async fn execute(self) -> Result<(), CommandError> {
        match self {
            Self::Run(command) => command.execute().await,
            Self::Submit(command) => command.execute().await,
            Self::Serve(command) => command.execute().await,
            Self::Status(command) => command.execute().await,
            Self::Watch(command) => command.execute().await,
            Self::Resume(command) => command.execute().await,
            Self::Retry(command) => command.execute().await,
            Self::Cancel(command) => command.execute().await,
            Self::Report(command) => command.execute().await,
            Self::Score(command) => command.execute(),
            Self::Methods(command) => command.execute(),
            Self::Check(command) => command.execute().await,
        }
    }
}

/// Reads the command line, does what it says, and says how it ended.
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match start(arguments) {
        Ok(()) => ExitStatus::Done.into(),
        Err(error) => {
            output::print_error(&error);
            ExitStatus::of(&error).into()
        }
    }
}

fn start(arguments: Arguments) -> Result<(), CommandError> {
    logging::start(&arguments.log, arguments.log_format)?;
    let runtime = tokio::runtime::Runtime::new().map_err(|problem| CommandError::CannotStart {
        what: "start threads",
        problem,
    })?;
    let outcome = runtime.block_on(arguments.command.execute());
    // A job that did not end after a signal still has its thread, which would be waited for.
    std::mem::forget(runtime);
    outcome
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

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
}
