//! `loto cancel`: stops a sweep.

use clap::Args;
use loto_proto::excerpt::list;

use super::error::CommandError;
use super::find_sweep::{find_sweep, scanned};
use super::options::StoreOption;
use super::output::print;
use crate::dispatch::cancel;

const EXAMPLES: &str = "\
Examples:
  loto cancel 3fa9 --store redis://localhost

Jobs that are running are finished, and their traces are kept. Workers drop the messages of
the other jobs as they come to them. Jobs that another sweep also needs are not cancelled.
`loto resume` resumes the sweep.";

/// Cancels a sweep: workers begin no more of its jobs.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct CancelCommand {
    /// Id of the sweep, the first digits of its id, or its name.
    #[arg(value_name = "SWEEP_ID")]
    sweep: String,

    #[command(flatten)]
    store: StoreOption,
}

impl CancelCommand {
    pub(super) async fn execute(self) -> Result<(), CommandError> {
        let store = self.store.open().await?;
        let (id, sweep) = find_sweep(store.as_ref(), &self.sweep).await?;
        let cancelled = cancel(id, &sweep, store.as_ref()).await?;
        let counts = scanned(&sweep, store.as_ref()).await?.progress().total;
        print(&format!("sweep {id} is cancelled: {counts}\n"))?;
        if cancelled.shared_series == 0 {
            return Ok(());
        }
        print(&format!(
            "{} of its pairs of method and task are not cancelled, because they are also part of: \
             {}; cancel these sweeps, too, to stop them\n",
            cancelled.shared_series,
            list(cancelled.shared_with.iter().map(String::as_str))
        ))
    }
}
