//! `loto cancel`: stops a sweep.

use clap::Args;

use super::error::CommandError;
use super::find_sweep::find_sweep;
use super::options::StoreOption;
use super::output::print;
use crate::dispatch::cancel_sweep;

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
        let cancelled = cancel_sweep(id, &sweep, store.as_ref()).await?;
        print(&format!("{cancelled}\n"))
    }
}
