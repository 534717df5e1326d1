//! `loto submit`: hands a sweep to workers elsewhere.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use loto_proto::queue;

use super::options::{DataOption, StoreOption, on_signal};
use super::output::print;
use crate::CoordinatorError;
use crate::dispatch::{
    LONGEST_OUTAGE, POLL_INTERVAL, Wait, publish_missing, recall_poisoned, record, wait_until_done,
};
use crate::plan::{Plan, SweepSource};
use crate::progress::Tracker;
use crate::progress::display::Display;

/// Time without any change after which the missing jobs are published again.
/// Longer than a job may take, so that it is not the slow ones that are doubled.
const PATIENCE: Duration = Duration::from_secs(600);

const EXAMPLES: &str = "\
Examples:
  loto submit sweep.toml --broker amqp://localhost --store redis://localhost
  loto submit sweep.toml --wait              with LOTO_BROKER and LOTO_STORE set

Submitting a sweep again publishes only the jobs that are not done, and gives
those that were given up another chance. Jobs still on the queue are then there
twice; each is computed once all the same.";

/// Uploads a sweep's tables, publishes its missing jobs and prints its id.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct SubmitCommand {
    /// Sweep file.
    #[arg(value_name = "SWEEP")]
    sweep: PathBuf,

    #[command(flatten)]
    data: DataOption,

    /// The broker: amqp://USER:PASSWORD@HOST:PORT/VHOST.
    #[arg(long, env = "LOTO_BROKER", hide_env_values = true, value_name = "URL")]
    broker: String,

    #[command(flatten)]
    store: StoreOption,

    /// Show progress until all jobs are done or given up.
    #[arg(long, env = "LOTO_WAIT")]
    wait: bool,
}

impl SubmitCommand {
    pub(super) async fn execute(self) -> Result<(), CoordinatorError> {
        let plan = Plan::read(&SweepSource::File(self.sweep), self.data.data.as_deref())?;
        let store = self.store.open_or_make().await?;
        let queue = queue::connect(&self.broker).await?;
        let id = record(&plan, store.as_ref()).await?;
        let mut tracker = Tracker::of_plan(&plan);
        tracker.scan(store.as_ref()).await?;
        recall_poisoned(&mut tracker, store.as_ref()).await?;
        // What is there already tells which of the rest is costly and goes first.
        tracker.measure(store.as_ref()).await?;
        let published = publish_missing(&tracker, queue.as_ref()).await?;
        tracing::info!("published {published} of {} jobs", plan.sweep.job_count());
        print(&format!("{id}\n"))?;
        if !self.wait {
            return Ok(());
        }
        let shutdown = on_signal()?;
        let mut display = Display::new(&plan.sweep.name);
        let wait = Wait {
            store: store.as_ref(),
            queue: Some(queue.as_ref()),
            poll_interval: POLL_INTERVAL,
            patience: PATIENCE,
            longest_outage: LONGEST_OUTAGE,
            shutdown,
        };
        wait_until_done(&mut tracker, wait, |progress| display.update(progress)).await
    }
}
