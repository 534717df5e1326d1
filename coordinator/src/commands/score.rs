//! `loto score`: the statistics of traces that another program recorded.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::error::CommandError;
use super::foreign_options::ForeignOptions;
use super::options::DataOption;
use super::report_folder::{self, Origin};
use super::report_options::{ReportOptions, publish};
use super::score_hpob::HpobCommand;
use super::warnings::warn_of;
use crate::plan::{Plan, SweepSource};
use crate::reporting::Analysed;
use crate::score;

const EXAMPLES: &str = "\
Examples:
  loto score traces.csv.zip --sweep sweep.toml --data tables
  loto score traces.csv --sweep sweep.toml --format csv --baseline exact-with-replacement
  loto score traces.csv --sweep sweep.toml --allow-foreign-values=FCNET --out scores
  loto score hpob results/*.json

TRACES is a CSV file (plain, gzipped or zipped) with the columns task, optimizer
(or method), seed, iteration, value and, if the sweep has several, blackbox; the
traces.csv.gz of a report is one. It may also have the configuration, as row or as all
hp_* columns of the table, and the processor time of the iteration, as seconds. Other
columns are not read: further objectives and costs are those of the table. A value is
foreign if the table of its task does not have it.";

/// Scores traces that another program recorded, with the same statistics as a sweep's report.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
#[command(
    override_usage = "loto score [OPTIONS] --sweep <SWEEP> <TRACES>\n       loto score hpob <FILES>..."
)]
pub(super) struct ScoreCommand {
    #[command(subcommand)]
    form: Option<RecordedForm>,

    /// File with the recorded traces.
    #[arg(value_name = "TRACES")]
    traces: Option<PathBuf>,

    /// Sweep file that names the black boxes, their tables, targets and iterations.
    #[arg(long, env = "LOTO_SWEEP", value_name = "SWEEP")]
    sweep: Option<PathBuf>,

    #[command(flatten)]
    data: DataOption,

    #[command(flatten)]
    foreign_values: ForeignOptions,

    #[command(flatten)]
    report: ReportOptions,
}

/// Recorded results that are scored without a sweep file.
#[derive(Debug, Subcommand)]
enum RecordedForm {
    Hpob(HpobCommand),
}

impl ScoreCommand {
    pub(super) fn execute(self) -> Result<(), CommandError> {
        let (traces, sweep) = match (self.form, self.traces, self.sweep) {
            (Some(RecordedForm::Hpob(command)), _, _) => return command.execute(),
            (None, Some(traces), Some(sweep)) => (traces, sweep),
            (None, _, _) => return Err(CommandError::NothingToScore),
        };
        let foreign_values = self.foreign_values.rules()?;
        let plan = Plan::read(&SweepSource::File(sweep), self.data.data.as_deref())?;
        warn_of(&plan);
        let file = traces.file_name().unwrap_or_default();
        let origin = Origin::Recorded {
            traces: file.to_string_lossy().into_owned(),
            sweep: plan.sweep.name.clone(),
        };
        if let Some(folder) = &self.report.out {
            report_folder::check(folder, &origin, self.report.replace.replace)?;
        }
        let recorded = score::read(&traces, &plan, &foreign_values)?;
        let options = self.report.scores.analysis();
        let analysed = Analysed::recorded(&plan, &traces, recorded, &options)?;
        if let Some(folder) = &self.report.out {
            report_folder::mark(folder, &origin)?;
        }
        publish(&analysed, self.report.out.as_deref(), self.report.format)
    }
}
