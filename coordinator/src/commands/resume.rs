//! `loto resume`: resumes a sweep that was cancelled or came to a halt.

use clap::Args;
use loto_process::shutdown;
use loto_transport::store::StoreIdentity;

use super::error::CommandError;
use super::find_sweep::find_sweep;
use super::options::{ServerOptions, WaitOption, wait};
use super::output::print;
use crate::dispatch::{Interruption, Inventory, Requeue, resume_sweep, unless_interrupted};

const EXAMPLES: &str = "\
Examples:
  loto resume 3fa9 --broker amqp://localhost --store redis://localhost
  loto resume 3fa9 --wait                    with LOTO_BROKER and LOTO_STORE set

A job is lost if it is neither done nor poisoned, no worker holds it and no message for it is
on the queue. It takes 15 seconds to find such jobs. Traces that are damaged are computed
again. The command is safe at any time.
To resume the sweep of a `loto run`, give that command again.";

/// Resumes a cancelled sweep, and publishes its lost jobs and those with damaged traces again.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ResumeCommand {
    /// Id of the sweep, the first digits of its id, or its name.
    #[arg(value_name = "SWEEP_ID")]
    sweep: String,

    #[command(flatten)]
    servers: ServerOptions,

    #[command(flatten)]
    wait: WaitOption,
}

impl ResumeCommand {
    pub(super) async fn execute(self) -> Result<(), CommandError> {
        let shutdown = shutdown::on_signal()?;
        let published_all = self.wait.observe().await?;
        let beginning = async {
            let store = self.servers.store.open().await?;
            let (id, sweep) = find_sweep(store.as_ref(), &self.sweep).await?;
            let queue = self.servers.connect().await?;
            let inventory = match self.wait.is_wanted() {
                true => Some(Inventory::read(id, &sweep, store.as_ref()).await?),
                false => None,
            };
            Ok::<_, CommandError>((store, queue, id, sweep, inventory))
        };
        let (store, queue, id, sweep, inventory) =
            unless_interrupted(&shutdown, Interruption::Preparing, beginning).await?;
        let (store, queue) = (store.as_ref(), queue.as_ref());
        let identity = StoreIdentity::default();
        let mut resumed = resume_sweep(id, &sweep, store, &identity, queue, &shutdown).await?;
        published_all.set(true);
        print(&format!("{resumed}\n"))?;
        let wait = wait(
            id,
            store,
            inventory,
            Some(Requeue::new(queue, &identity)),
            shutdown,
        );
        self.wait
            .follow(&sweep.name, &mut resumed.tracker, wait)
            .await
    }
}
