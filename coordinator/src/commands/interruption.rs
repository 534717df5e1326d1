//! Ctrl-C and SIGTERM, for the commands that have something to finish.

use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use super::exit_status::ExitStatus;
use crate::CoordinatorError;

/// Cancels the returned token at the first signal; the second ends the process at once.
///
/// # Errors
/// [`CoordinatorError::Internal`] if the system takes no handler.
pub(super) fn listen(on_first: &'static str) -> Result<CancellationToken, CoordinatorError> {
    let handler = |kind| {
        signal(kind).map_err(|problem| {
            CoordinatorError::Internal(format!("cannot handle signals: {problem}"))
        })
    };
    let mut interrupt = handler(SignalKind::interrupt())?;
    let mut terminate = handler(SignalKind::terminate())?;
    let token = CancellationToken::new();
    let cancelled = token.clone();
    tokio::spawn(async move {
        let mut next = async || {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
        };
        next().await;
        tracing::warn!("{on_first}");
        cancelled.cancel();
        next().await;
        std::process::exit(ExitStatus::Interrupted as i32);
    });
    Ok(token)
}
