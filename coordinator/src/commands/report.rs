//! `loto report`: the results of a sweep.

use std::path::PathBuf;

use clap::Args;

use super::analysed::Analysed;
use super::error::CommandError;
use super::find_sweep::find_sweep;
use super::options::{BaselineOption, StoreOption};
use loto_report::Format;

const EXAMPLES: &str = "\
Examples:
  loto report 3fa9 --store redis://localhost
  loto report 3fa9 --store redis://localhost --format html > report.html
  loto report demo --store loto-results/demo/sweep.loto --out results --baseline sampled";

/// Reports what is finished of a sweep, also while it runs.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ReportCommand {
    /// Id of the sweep, or its beginning, or its name.
    #[arg(value_name = "SWEEP_ID")]
    sweep: String,

    #[command(flatten)]
    store: StoreOption,

    /// What to print.
    #[arg(long, env = "LOTO_FORMAT", value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Also write the report's files to this folder.
    #[arg(long, env = "LOTO_OUT", value_name = "DIR")]
    out: Option<PathBuf>,

    #[command(flatten)]
    baseline: BaselineOption,
}

impl ReportCommand {
    pub(super) async fn execute(self) -> Result<(), CommandError> {
        let store = self.store.open().await?;
        let (_, sweep) = find_sweep(store.as_ref(), &self.sweep).await?;
        let analysed = Analysed::sweep(store, sweep, self.baseline.baseline).await?;
        analysed.publish(self.out.as_deref(), self.format)
    }
}
