//! Ending a process on a signal.

use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Exit status of a process that a second signal ended at once.
const INTERRUPTED: i32 = 130;

/// A token that SIGINT (Ctrl-C) or SIGTERM cancels. A second signal ends the process at once.
///
/// # Errors
/// The operating system's, if it takes no signal handler.
pub fn on_signal() -> std::io::Result<CancellationToken> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let token = CancellationToken::new();
    let cancelled = token.clone();
    tokio::spawn(async move {
        for first in [true, false] {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
            if first {
                tracing::info!("ending what runs; a second signal ends at once");
                cancelled.cancel();
            } else {
                std::process::exit(INTERRUPTED);
            }
        }
    });
    Ok(token)
}
