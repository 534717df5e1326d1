//! Runs a program: the one place where logs begin, threads start, and an error becomes an exit status.

use std::error::Error;
use std::io::Write;

use loto_proto::untrusted_text::escape_lines;
use tracing_subscriber::fmt::MakeWriter;

use crate::logs::LogOptions;
use crate::{ExitStatus, ProcessError};

/// Runs `work` on threads of its own, logging to `log_writer`, and prints the error that it ends with.
pub fn run<Failure, Writer>(
    logs: &LogOptions,
    log_writer: Writer,
    work: impl Future<Output = Result<(), Failure>>,
) -> ExitStatus
where
    Failure: Error + From<ProcessError>,
    for<'failure> ExitStatus: From<&'failure Failure>,
    Writer: for<'line> MakeWriter<'line> + Send + Sync + 'static,
{
    logs.start(log_writer);
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(source) => {
            let what = "start threads";
            return fail(&Failure::from(ProcessError::CannotStart { what, source }));
        }
    };
    let outcome = runtime.block_on(work);
    // A thread that still computes after a signal is not waited for, as dropping the runtime would:
    // it ends with the process.
    runtime.shutdown_background();
    match outcome {
        Ok(()) => ExitStatus::Done,
        Err(error) => fail(&error),
    }
}

/// Prints an error to stderr and returns what the process ends with.
pub fn fail<Failure: Error>(error: &Failure) -> ExitStatus
where
    for<'failure> ExitStatus: From<&'failure Failure>,
{
    // If that fails there is nowhere left to say so.
    let _ = writeln!(
        std::io::stderr().lock(),
        "error: {}",
        shown(&describe(error))
    );
    error.into()
}

/// What an error says, harmless for a terminal. Further lines are indented: nothing in a text of others passes
/// for a line of ours.
fn shown(text: &str) -> String {
    escape_lines(text).replace('\n', "\n  ")
}

/// An error with its causes, as far as its own text does not tell them.
fn describe(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        source = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_commands_no_terminal_and_fakes_no_line() {
        let text = "task a\x1b]52;c;cm0=\x07\nerror: none\n\u{202e}done";
        let expected = "task a\\x1b]52;c;cm0=\\x07\n  error: none\n  \\u{202e}done";
        assert_eq!(shown(text), expected);
    }

    #[test]
    fn causes_are_told_once() {
        let cause = std::io::Error::other("disk is on fire");
        let error = anyhow::Error::new(cause).context("cannot read it");
        assert_eq!(describe(error.as_ref()), "cannot read it: disk is on fire");
        let what = "start threads";
        let source = std::io::Error::other("too many");
        let error = ProcessError::CannotStart { what, source };
        assert_eq!(describe(&error), "cannot start threads: too many");
    }
}
