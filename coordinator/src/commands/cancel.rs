//! `loto cancel`: stops a sweep.

use clap::Args;

use super::error::CommandError;
use super::find_sweep::find_sweep;
use super::options::StoreOption;
use super::output::print;
use crate::dispatch::cancel;
use crate::progress::Tracker;

const EXAMPLES: &str = "\
Examples:
  loto cancel 3fa9 --store redis://localhost

Running jobs are finished and kept; workers forget the messages of the others as they
come to them. `loto resume` takes the sweep up again. Jobs that another
sweep still needs go on.";

/// Stops a sweep: none of its jobs is begun any more.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct CancelCommand {
    /// Id of the sweep, or its beginning, or its name.
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
        let mut tracker = Tracker::new(&sweep);
        tracker.scan(store.as_ref()).await?;
        let counts = tracker.progress().total;
        let mut text = format!("sweep {id} is cancelled: {counts}\n");
        if cancelled.shared_series > 0 {
            text.push_str(&format!(
                "{} of its method and task pairs go on, because they are part of: {}; cancel that, too, to stop them\n",
                cancelled.shared_series,
                cancelled.shared_with.join(", ")
            ));
        }
        print(&text)
    }
}
