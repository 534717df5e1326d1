//! Ending a process on a signal.

use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::{ExitStatus, ProcessError};

/// A token that SIGINT (Ctrl-C) or SIGTERM cancels. A second signal ends the process at once.
///
/// # Errors
/// [`ProcessError::CannotStart`] if the operating system takes no signal handler.
pub fn on_signal() -> Result<CancellationToken, ProcessError> {
    let listen = |kind| {
        let what = "handle signals";
        signal(kind).map_err(|source| ProcessError::CannotStart { what, source })
    };
    let mut interrupt = listen(SignalKind::interrupt())?;
    let mut terminate = listen(SignalKind::terminate())?;
    let token = CancellationToken::new();
    let cancelled = token.clone();
    tokio::spawn(async move {
        loop {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
            if cancelled.is_cancelled() {
                std::process::exit(ExitStatus::Interrupted as i32);
            }
            tracing::info!("ending what runs; a second signal ends at once");
            cancelled.cancel();
        }
    });
    Ok(token)
}
