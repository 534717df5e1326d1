//! `loto retry`: releases the poisoned jobs of a sweep.

use clap::Args;

use super::error::CommandError;
use super::find_sweep::find_sweep;
use super::options::ServerOptions;
use super::output::print;
use crate::dispatch::retry_sweep;

const EXAMPLES: &str = "\
Examples:
  loto retry 3fa9 --broker amqp://localhost --store redis://localhost

A job is poisoned if it failed so often that no worker tries it again. Its attempts are
counted from zero again. The command is safe while workers run. It also forgets the conflicts
that `loto status` shows, and has traces that are damaged computed again. To retry the jobs of a `loto run`, give that command again.";

/// Retries the poisoned jobs of a sweep: puts them on the queue again.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct RetryCommand {
    /// Id of the sweep, the first digits of its id, or its name.
    #[arg(value_name = "SWEEP_ID")]
    sweep: String,

    #[command(flatten)]
    servers: ServerOptions,
}

impl RetryCommand {
    pub(super) async fn execute(self) -> Result<(), CommandError> {
        let store = self.servers.store.open().await?;
        let (id, sweep) = find_sweep(store.as_ref(), &self.sweep).await?;
        let queue = self.servers.connect().await?;
        let retried = retry_sweep(id, &sweep, store.as_ref(), queue.as_ref()).await?;
        print(&format!("{retried}\n"))
    }
}
