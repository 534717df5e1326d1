//! `loto score`: the statistics of traces that others recorded.

use std::path::PathBuf;

use clap::Args;

use super::analysed::Analysed;
use super::error::CommandError;
use super::options::{BaselineOption, DataOption};
use crate::plan::{Plan, SweepSource};
use crate::score::{self, ForeignValues};
use loto_report::Format;

const EXAMPLES: &str = "\
Examples:
  loto score traces.csv.zip --sweep sweep.toml --data tables
  loto score traces.csv --sweep sweep.toml --format csv --baseline exact-with-replacement
  loto score traces.csv --sweep sweep.toml --allow-foreign-values=FCNET --out scores

TRACES is a CSV file (plain, gzipped or zipped) with the columns task, optimizer,
seed, iteration, value and blackbox. A foreign value is one that its task's table
does not have.";

/// Scores recorded traces with the statistics of a sweep.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ScoreCommand {
    /// Recorded traces.
    #[arg(value_name = "TRACES")]
    traces: PathBuf,

    /// Sweep file with the black boxes, their tables, targets and iterations.
    #[arg(long, env = "LOTO_SWEEP", value_name = "SWEEP")]
    sweep: PathBuf,

    #[command(flatten)]
    data: DataOption,

    /// Score values that are not in the table as they are, on all black boxes or on those named.
    #[arg(
        long,
        env = "LOTO_ALLOW_FOREIGN_VALUES",
        value_name = "BLACKBOX,...",
        num_args = 0..,
        require_equals = true,
        value_delimiter = ','
    )]
    allow_foreign_values: Option<Vec<String>>,

    /// Count iterations with values that are not in the table as spent without a
    /// result, on all black boxes or on those named.
    #[arg(
        long,
        env = "LOTO_DROP_FOREIGN_VALUES",
        value_name = "BLACKBOX,...",
        num_args = 0..,
        require_equals = true,
        value_delimiter = ','
    )]
    drop_foreign_values: Option<Vec<String>>,

    /// What to print.
    #[arg(long, env = "LOTO_FORMAT", value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Also write the report's files to this folder.
    #[arg(long, env = "LOTO_OUT", value_name = "DIR")]
    out: Option<PathBuf>,

    #[command(flatten)]
    baseline: BaselineOption,
}

impl ScoreCommand {
    pub(super) fn execute(self) -> Result<(), CommandError> {
        let foreign_values = ForeignValues::new(
            self.allow_foreign_values.as_deref(),
            self.drop_foreign_values.as_deref(),
        )?;
        let plan = Plan::read(&SweepSource::File(self.sweep), self.data.data.as_deref())?;
        let traces = score::read(&self.traces, &plan, &foreign_values)?;
        let analysed = Analysed::recorded(traces, self.baseline.baseline)?;
        analysed.publish(self.out.as_deref(), self.format)
    }
}
