//! Log lines: which there are, and how they look.

use std::io::{self, IsTerminal};

use clap::{Args, ValueEnum};
use loto_proto::excerpt::excerpt;
use tracing_subscriber::filter::{LevelFilter, ParseError, Targets};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, Registry};

use crate::log_lines;

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
        value_parser = filter,
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

/// Why a text is no filter of log lines.
#[derive(Debug, thiserror::Error)]
enum FilterError {
    /// A word is no level. Alone it would stand for all lines of a module of that name, and for no others.
    #[error("`{0}` is no level: write error, warn, info, debug, trace or off, or MODULE=LEVEL")]
    NoLevel(String),

    /// A level or a module cannot be read.
    #[error(transparent)]
    Directive(#[from] ParseError),
}

fn filter(text: &str) -> Result<Targets, FilterError> {
    let is_no_level = |word: &&str| !word.contains('=') && word.parse::<LevelFilter>().is_err();
    match text.split(',').find(is_no_level) {
        Some(word) => Err(FilterError::NoLevel(excerpt(word))),
        None => Ok(text.parse()?),
    }
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
        tracing_subscriber::registry()
            .with(self.lines(writer))
            .with(self.log.clone())
            .init();
    }

    /// What writes the lines, each harmless for a terminal whatever texts of others are in it.
    fn lines<Writer>(&self, writer: Writer) -> Box<dyn Layer<Registry> + Send + Sync>
    where
        Writer: for<'line> MakeWriter<'line> + Send + Sync + 'static,
    {
        let lines = tracing_subscriber::fmt::layer()
            .with_writer(writer)
            .with_ansi(io::stderr().is_terminal());
        match self.log_format {
            LogFormat::Text => lines
                .with_target(false)
                .compact()
                .fmt_fields(log_lines::escaped_fields())
                .boxed(),
            LogFormat::Json => lines
                .json()
                .map_event_format(log_lines::EscapedJson)
                .boxed(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::Arc;

    use loto_proto::untrusted_text::is_hazardous;
    use parking_lot::Mutex;

    use super::*;

    /// Where the lines of a test go.
    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// What is logged of a job with a hostile name and error.
    fn logged(log_format: LogFormat) -> String {
        let options = LogOptions {
            log: Targets::new().with_default(LevelFilter::INFO),
            log_format,
        };
        let lines = Lines::default();
        let written = lines.clone();
        let subscriber = tracing_subscriber::registry()
            .with(options.lines(move || lines.clone()))
            .with(options.log.clone());
        tracing::subscriber::with_default(subscriber, || {
            let task = "a\n100 of 100 done\u{202e}";
            let job = tracing::info_span!("job", task, seed = 3);
            let _inside = job.enter();
            let error = io::Error::other("\x1b]52;c;cm0=\x07\r\u{9b}2J");
            tracing::warn!(cause = %error, worker = "b\x1b[2J", "it failed: {error}");
        });
        String::from_utf8(written.0.lock().clone()).unwrap()
    }

    fn assert_harmless(line: &str) {
        let line = line.strip_suffix('\n').unwrap();
        assert!(!line.chars().any(is_hazardous), "{line:?}");
    }

    #[test]
    fn a_line_of_text_is_one_line_and_commands_nothing() {
        let line = logged(LogFormat::Text);
        assert_harmless(&line);
        for part in [
            "WARN",
            "job",
            "it failed: \\x1b]52;c;cm0=\\x07\\r\\u{9b}2J",
            "cause=\\x1b]52;",
            "task=\"a\\n100 of 100 done\\u{202e}\"",
            "seed=3",
        ] {
            assert!(line.contains(part), "no `{part}` in {line}");
        }
    }

    #[test]
    fn a_line_of_json_is_one_line_commands_nothing_and_means_the_same() {
        let line = logged(LogFormat::Json);
        assert_harmless(&line);
        let parsed: serde_json::Value = serde_json::from_str(&line).unwrap();
        let message = "it failed: \x1b]52;c;cm0=\x07\r\u{9b}2J";
        assert_eq!(parsed["fields"]["message"], message);
        assert_eq!(parsed["span"]["task"], "a\n100 of 100 done\u{202e}");
    }

    #[test]
    fn filters_let_through_what_the_documentation_says() {
        let of_loto = filter("warn,lapin=off,loto_coordinator=info").unwrap();
        let of_a_job = filter("info,loto_worker=debug,loto_coordinator=debug").unwrap();
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
    }

    #[test]
    fn a_filter_that_would_silence_everything_by_mistake_is_refused() {
        for (text, problem) in [
            ("inof", "`inof` is no level: write error"),
            ("loto_worker", "`loto_worker` is no level"),
            ("info,loto=shout", "expected one of \"off\", \"error\""),
        ] {
            let error = filter(text).unwrap_err().to_string();
            assert!(error.contains(problem), "{text}: {error}");
        }
        for text in ["off", "WARN", "info,lapin=off", "loto_worker=debug"] {
            filter(text).unwrap();
        }
    }
}
