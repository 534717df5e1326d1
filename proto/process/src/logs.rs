//! Log lines: which there are, and how they look.

use std::io::{self, IsTerminal};

use clap::{Args, ValueEnum};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// What is logged, as options of a command line.
#[derive(Debug, Clone, Args)]
pub struct LogOptions {
    /// What to log to stderr: error, warn, info, debug, trace or off, or levels by module, as in
    /// warn,loto_worker=debug.
    // A program with another default sets it with `mut_arg`.
    #[arg(
        long,
        env = "LOTO_LOG",
        value_name = "FILTER",
        default_value = "info,lapin=off",
        global = true,
        display_order = 100
    )]
    log: Targets,

    /// Form of log lines: text, or json for programs that collect them.
    #[arg(
        long,
        env = "LOTO_LOG_FORMAT",
        value_name = "FORMAT",
        value_enum,
        hide_possible_values = true,
        default_value_t,
        global = true,
        display_order = 101
    )]
    log_format: LogFormat,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum LogFormat {
    /// Lines for people.
    #[default]
    Text,
    /// A JSON object a line: `timestamp`, `level`, `fields` with `message`, `target`, and the
    /// `spans` around it.
    Json,
}

impl LogOptions {
    /// Begins to log to `writer`, which ends up on stderr.
    pub(crate) fn start<Writer>(&self, writer: Writer)
    where
        Writer: for<'line> MakeWriter<'line> + Send + Sync + 'static,
    {
        let lines = tracing_subscriber::fmt::layer()
            .with_writer(writer)
            .with_ansi(io::stderr().is_terminal());
        let lines = match self.log_format {
            LogFormat::Text => lines.with_target(false).compact().boxed(),
            LogFormat::Json => lines.json().boxed(),
        };
        tracing_subscriber::registry()
            .with(lines)
            .with(self.log.clone())
            .init();
    }
}

#[cfg(test)]
mod tests {
    use tracing_subscriber::filter::LevelFilter;

    use super::*;

    #[test]
    fn filters_let_through_what_the_documentation_says() {
        let of_loto: Targets = "warn,lapin=off,loto_coordinator=info".parse().unwrap();
        let of_a_job: Targets = "info,loto_worker=debug,loto_coordinator=debug"
            .parse()
            .unwrap();
        let cases = [
            (
                &of_loto,
                "loto_coordinator::progress::display",
                LevelFilter::INFO,
            ),
            (
                &of_loto,
                "loto_worker::consumer::handler",
                LevelFilter::WARN,
            ),
            (&of_loto, "redis", LevelFilter::WARN),
            (&of_loto, "lapin::channel", LevelFilter::OFF),
            (&of_a_job, "loto_coordinator::dispatch", LevelFilter::DEBUG),
            (
                &of_a_job,
                "loto_worker::consumer::handler",
                LevelFilter::DEBUG,
            ),
            (&of_a_job, "loto_transport::retry", LevelFilter::INFO),
        ];
        for (filter, target, most) in cases {
            for level in [
                tracing::Level::ERROR,
                tracing::Level::WARN,
                tracing::Level::INFO,
                tracing::Level::DEBUG,
            ] {
                let enabled = filter.would_enable(target, &level);
                assert_eq!(enabled, level <= most, "{target} at {level}: {filter}");
            }
        }
        assert!("info,loto=shout".parse::<Targets>().is_err());
    }
}
