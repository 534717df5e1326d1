//! `loto score`: the statistics of traces that another program recorded.

use std::path::PathBuf;

use clap::Args;

use super::analysed::{Analysed, ReportOptions};
use super::error::CommandError;
use super::options::DataOption;
use crate::plan::{Plan, SweepSource};
use crate::score::{self, ForeignValues};

const EXAMPLES: &str = "\
Examples:
  loto score traces.csv.zip --sweep sweep.toml --data tables
  loto score traces.csv --sweep sweep.toml --format csv --baseline exact-with-replacement
  loto score traces.csv --sweep sweep.toml --allow-foreign-values=FCNET --out scores

TRACES is a CSV file (plain, gzipped or zipped) with the columns task, optimizer,
seed, iteration, value and blackbox. A value is foreign if the table of its task
does not have it.";

/// Scores traces that another program recorded, with the same statistics as a sweep's report.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ScoreCommand {
    /// File with the recorded traces.
    #[arg(value_name = "TRACES")]
    traces: PathBuf,

    /// Sweep file that names the black boxes, their tables, targets and iterations.
    #[arg(long, env = "LOTO_SWEEP", value_name = "SWEEP")]
    sweep: PathBuf,

    #[command(flatten)]
    data: DataOption,

    /// Score foreign values as they were recorded, on all black boxes or on those named.
    #[arg(
        long,
        env = "LOTO_ALLOW_FOREIGN_VALUES",
        value_name = "BLACKBOX,...",
        num_args = 0..,
        require_equals = true,
        value_delimiter = ','
    )]
    allow_foreign_values: Option<Vec<String>>,

    /// Count an iteration with a foreign value as spent without a result, on all black
    /// boxes or on those named.
    #[arg(
        long,
        env = "LOTO_DROP_FOREIGN_VALUES",
        value_name = "BLACKBOX,...",
        num_args = 0..,
        require_equals = true,
        value_delimiter = ','
    )]
    drop_foreign_values: Option<Vec<String>>,

    #[command(flatten)]
    report: ReportOptions,
}

impl ScoreCommand {
    pub(super) fn execute(self) -> Result<(), CommandError> {
        let foreign_values = ForeignValues::new(
            self.allow_foreign_values.as_deref(),
            self.drop_foreign_values.as_deref(),
        )?;
        let plan = Plan::read(&SweepSource::File(self.sweep), self.data.data.as_deref())?;
        let traces = score::read(&self.traces, &plan, &foreign_values)?;
        let baseline = self.report.baseline.baseline;
        let analysed = Analysed::new(None, traces.results, traces.notes, baseline)?;
        analysed.publish(self.report.out.as_deref(), self.report.format)
    }
}
