//! `loto retry`: gives the jobs that were given up another chance.

use clap::Args;

use super::error::CommandError;
use super::find_sweep::find_sweep;
use super::options::ServerOptions;
use super::output::print;
use crate::dispatch::{conflicts, publish, recall_poisoned, refuse_cancelled};
use crate::progress::Tracker;

const EXAMPLES: &str = "\
Examples:
  loto retry 3fa9 --broker amqp://localhost --store redis://localhost

Their attempts are counted from the start. Safe while workers run. Also forgets the
conflicts that `loto status` shows. For the sweep of a `loto run`, give that command again.";

/// Queues the jobs of a sweep again that were given up.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct RetryCommand {
    /// Id of the sweep, or its beginning, or its name.
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
        let mut tracker = Tracker::new(&sweep);
        tracker.scan(store.as_ref()).await?;
        for conflict in conflicts(&tracker, store.as_ref()).await? {
            store
                .forget_conflict(conflict.series, conflict.seed)
                .await?;
        }
        let recalled = recall_poisoned(&mut tracker, store.as_ref()).await?;
        let published = publish(recalled.into_iter(), queue.as_ref()).await?;
        print(&format!("sweep {id}: queued {published} jobs again\n"))
    }
}
