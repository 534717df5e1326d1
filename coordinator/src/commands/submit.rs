//! `loto submit`: submits a sweep to workers that run elsewhere.

use std::path::PathBuf;

use clap::Args;
use loto_process::shutdown;
use loto_transport::store::StoreIdentity;

use super::error::CommandError;
use super::options::{DataOption, ServerOptions, WaitOption, wait};
use super::output::print;
use super::warnings::warn_of;
use crate::dispatch::{
    Interruption, Inventory, Requeue, discard_damaged, publish_for, publish_sweep, record,
    refuse_cancelled, retry_poisoned, unless_interrupted,
};
use crate::plan::{Plan, SweepSource};
use crate::progress::Tracker;

const EXAMPLES: &str = "\
Examples:
  loto submit sweep.toml --broker amqp://localhost --store redis://localhost
  loto submit sweep.toml --wait              with LOTO_BROKER and LOTO_STORE set

Submitting a sweep again continues where it stopped: jobs that were lost are published
again, poisoned jobs, which failed too often, are retried, and damaged traces are computed again.";

/// Submits a sweep to workers: uploads its tables, publishes its missing jobs and prints its id.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct SubmitCommand {
    /// Sweep file.
    #[arg(value_name = "SWEEP")]
    sweep: PathBuf,

    #[command(flatten)]
    data: DataOption,

    #[command(flatten)]
    servers: ServerOptions,

    #[command(flatten)]
    wait: WaitOption,
}

impl SubmitCommand {
    pub(super) async fn execute(self) -> Result<(), CommandError> {
        let shutdown = shutdown::on_signal()?;
        let published_all = self.wait.observe().await?;
        let plan = Plan::read(&SweepSource::File(self.sweep), self.data.data.as_deref())?;
        warn_of(&plan);
        let connecting = async {
            let store = self.servers.store.open_or_make().await?;
            Ok::<_, CommandError>((store, self.servers.connect().await?))
        };
        let (store, queue) =
            unless_interrupted(&shutdown, Interruption::Preparing, connecting).await?;
        let (store, queue) = (store.as_ref(), queue.as_ref());
        let identity = StoreIdentity::default();
        let mut tracker = Tracker::of_plan(&plan);
        let recording = async {
            let id = record(&plan, store).await?;
            refuse_cancelled(id, store).await?;
            tracker.scan(store).await?;
            let released = retry_poisoned(&mut tracker, store).await?;
            let discarded = discard_damaged(&mut tracker, store).await?;
            // What is there already tells which of the rest is costly and goes first.
            tracker.measure(store).await?;
            let jobs = released.into_iter().chain(discarded);
            let retried = publish_for(&identity, store, jobs, queue).await?;
            Ok::<_, CommandError>((id, retried))
        };
        let (id, retried) =
            unless_interrupted(&shutdown, Interruption::Preparing, recording).await?;
        let published = publish_sweep(id, &mut tracker, store, &identity, queue, &shutdown).await?;
        tracing::info!(
            "published {} of {} jobs",
            published + retried,
            plan.sweep.job_count()
        );
        published_all.set(true);
        print(&format!("{id}\n"))?;
        let inventory = self.wait.is_wanted().then(|| Inventory::of_plan(&plan));
        let wait = wait(
            id,
            store,
            inventory,
            Some(Requeue::new(queue, &identity)),
            shutdown,
        );
        self.wait.follow(&plan.sweep.name, &mut tracker, wait).await
    }
}
