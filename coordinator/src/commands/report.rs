//! `loto report`: the results of a sweep.

use std::path::PathBuf;

use clap::Args;

use super::error::CommandError;
use super::find_sweep::find_sweep;
use super::foreign_options::ForeignOptions;
use super::options::StoreOption;
use super::report_folder::{self, Origin};
use super::report_options::{ReportOptions, publish};
use crate::reporting::{Analysed, RecordedFiles, command_line};

const EXAMPLES: &str = "\
Examples:
  loto report 3fa9 --store redis://localhost
  loto report 3fa9 --store redis://localhost --format html > report.html
  loto report demo --store loto-results/demo/sweep.loto --out results --baseline sampled
  loto report demo --store loto-results/demo/sweep.loto --against gcp-prior
  loto report demo --store loto-results/demo/sweep.loto --with recorded.csv
  loto report demo --store loto-results/demo/sweep.loto --best

The traces of --with are a CSV file as of `loto score`; the traces.csv.gz of another
report is one. A value is foreign if the table of its task does not have it.";

/// Reports the finished results of a sweep, also while it still runs.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ReportCommand {
    /// Id of the sweep, the first digits of its id, or its name.
    #[arg(value_name = "SWEEP_ID")]
    sweep: String,

    #[command(flatten)]
    store: StoreOption,

    /// File with traces that another program recorded, to be put beside those of the sweep; may be
    /// given several times.
    #[arg(long, env = "LOTO_WITH", value_name = "TRACES")]
    with: Vec<PathBuf>,

    #[command(flatten)]
    foreign_values: ForeignOptions,

    /// Put `best` beside the methods, which finds the best row of each task at once: no method can be
    /// ahead of it, and one that is not significantly behind cannot be improved noticeably.
    #[arg(long, env = "LOTO_BEST")]
    best: bool,

    #[command(flatten)]
    report: ReportOptions,
}

impl ReportCommand {
    pub(super) async fn execute(self) -> Result<(), CommandError> {
        let recorded = RecordedFiles {
            files: &self.with,
            foreign_values: self.foreign_values.rules()?,
            best: self.best,
        };
        let store = self.store.open().await?;
        let (_, sweep) = find_sweep(store.as_ref(), &self.sweep).await?;
        let origin = Origin::Sweep(sweep.name.clone());
        if let Some(folder) = &self.report.out {
            report_folder::check(folder, &origin, self.report.replace.replace)?;
        }
        let options = self.report.scores.analysis();
        let analysed = Analysed::sweep(store, sweep, &options, &recorded, command_line()).await?;
        if let Some(folder) = &self.report.out {
            report_folder::mark(folder, &origin)?;
        }
        publish(&analysed, self.report.out.as_deref(), self.report.format)
    }
}
