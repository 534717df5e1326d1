//! `loto report`: the results of a sweep.

use clap::Args;

use super::analysed::{Analysed, ReportOptions};
use super::error::CommandError;
use super::find_sweep::find_sweep;
use super::options::StoreOption;

const EXAMPLES: &str = "\
Examples:
  loto report 3fa9 --store redis://localhost
  loto report 3fa9 --store redis://localhost --format html > report.html
  loto report demo --store loto-results/demo/sweep.loto --out results --baseline sampled";

/// Reports the finished results of a sweep, also while it still runs.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ReportCommand {
    /// Id of the sweep, the first digits of its id, or its name.
    #[arg(value_name = "SWEEP_ID")]
    sweep: String,

    #[command(flatten)]
    store: StoreOption,

    #[command(flatten)]
    report: ReportOptions,
}

impl ReportCommand {
    pub(super) async fn execute(self) -> Result<(), CommandError> {
        let store = self.store.open().await?;
        let (_, sweep) = find_sweep(store.as_ref(), &self.sweep).await?;
        let analysed = Analysed::sweep(store, sweep, self.report.baseline.baseline).await?;
        analysed.publish(self.report.out.as_deref(), self.report.format)
    }
}
