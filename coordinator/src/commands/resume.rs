//! `loto resume`: takes a sweep up again that came to a halt.

use clap::Args;
use loto_process::shutdown;

use super::find_sweep::find_sweep;
use super::options::{ServerOptions, WaitOption, wait};
use super::output::print;
use crate::CoordinatorError;
use crate::dispatch::{Requeue, publish_sweep, revive};
use crate::progress::Tracker;

const EXAMPLES: &str = "\
Examples:
  loto resume 3fa9 --broker amqp://localhost --store redis://localhost
  loto resume 3fa9 --wait                    with LOTO_BROKER and LOTO_STORE set

What is neither done nor given up, held by no worker and not on the queue is published
again; looking for it takes 15 seconds. Takes a cancelled sweep up again.
Safe at any time. For the sweep of a `loto run`, give that command again.";

/// Compares a sweep's plan with the store and publishes the jobs that got lost.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ResumeCommand {
    /// Id of the sweep, or its beginning, or its name.
    #[arg(value_name = "SWEEP_ID")]
    sweep: String,

    #[command(flatten)]
    servers: ServerOptions,

    #[command(flatten)]
    wait: WaitOption,
}

impl ResumeCommand {
    pub(super) async fn execute(self) -> Result<(), CoordinatorError> {
        let shutdown = shutdown::on_signal()?;
        let published_all = self.wait.observe().await?;
        let store = self.servers.store.open().await?;
        let (id, sweep) = find_sweep(store.as_ref(), &self.sweep).await?;
        let queue = self.servers.connect().await?;
        let (store, queue) = (store.as_ref(), queue.as_ref());
        revive(id, &sweep, store).await?;
        let mut tracker = Tracker::new(&sweep);
        tracker.scan(store).await?;
        tracker.measure(store).await?;
        let published = publish_sweep(id, &mut tracker, store, queue, &shutdown).await?;
        published_all.set(true);
        let left = tracker.progress().total;
        print(&format!("sweep {id}: {left}; published {published} jobs\n"))?;
        let wait = wait(id, store, Some(Requeue::new(queue)), shutdown);
        self.wait.follow(&sweep.name, &mut tracker, wait).await
    }
}
