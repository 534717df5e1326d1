//! `loto retry`: releases the poisoned jobs of a sweep.

use clap::Args;
use loto_transport::store::StoreIdentity;

use super::error::CommandError;
use super::find_sweep::{find_sweep, scanned};
use super::options::ServerOptions;
use super::output::print;
use crate::dispatch::{conflicts, discard_damaged, publish_for, refuse_cancelled, retry_poisoned};

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
        refuse_cancelled(id, store.as_ref()).await?;
        let mut tracker = scanned(&sweep, store.as_ref()).await?;
        for conflict in conflicts(&tracker, store.as_ref()).await? {
            store
                .forget_conflict(conflict.series, conflict.seed)
                .await?;
        }
        let released = retry_poisoned(&mut tracker, store.as_ref()).await?;
        let discarded = discard_damaged(&mut tracker, store.as_ref()).await?;
        let identity = StoreIdentity::default();
        let jobs = released.into_iter().chain(discarded);
        let published = publish_for(&identity, store.as_ref(), jobs, queue.as_ref()).await?;
        print(&format!("sweep {id}: queued {published} jobs again\n"))
    }
}
