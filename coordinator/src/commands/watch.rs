//! `loto watch`: live progress of a sweep.

use clap::Args;
use loto_process::shutdown;

use super::error::CommandError;
use super::find_sweep::{find_sweep, scanned};
use super::options::{StoreOption, wait};
use crate::dispatch::wait_until_done;
use crate::progress::display::Display;

const EXAMPLES: &str = "\
Examples:
  loto watch 3fa9 --store redis://localhost";

/// Shows the progress of a sweep until all its jobs are done or poisoned.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct WatchCommand {
    /// Id of the sweep, the first digits of its id, or its name.
    #[arg(value_name = "SWEEP_ID")]
    sweep: String,

    #[command(flatten)]
    store: StoreOption,
}

impl WatchCommand {
    pub(super) async fn execute(self) -> Result<(), CommandError> {
        let store = self.store.open().await?;
        let (id, sweep) = find_sweep(store.as_ref(), &self.sweep).await?;
        let mut tracker = scanned(&sweep, store.as_ref()).await?;
        let mut display = Display::new(&sweep.name);
        let wait = wait(id, store.as_ref(), None, None, shutdown::on_signal()?);
        Ok(wait_until_done(&mut tracker, wait, |progress| display.update(progress)).await?)
    }
}
