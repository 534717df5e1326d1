//! Log lines on stderr.

use std::io::IsTerminal;

use loto_process::observation::logs::LogFormat;
use tracing_subscriber::EnvFilter;

use super::error::CommandError;
use crate::progress::display::LogWriter;

/// Progress of this process, and warnings of everything.
pub(super) const DEFAULT_FILTER: &str =
    "warn,lapin=off,loto_coordinator=info,loto_process::shutdown=info";

/// Begins to log what `filter` lets through.
///
/// # Errors
/// [`CommandError::InvalidLogFilter`] if it is not a filter.
pub(super) fn start(filter: &str, format: LogFormat) -> Result<(), CommandError> {
    let filter = EnvFilter::try_new(filter).map_err(|problem| CommandError::InvalidLogFilter {
        filter: filter.to_owned(),
        problem,
    })?;
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(LogWriter::default)
        .with_ansi(std::io::stderr().is_terminal());
    match format {
        LogFormat::Text => lines.with_target(false).compact().init(),
        LogFormat::Json => lines.json().init(),
    }
    Ok(())
}
