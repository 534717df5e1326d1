//! Finished traces with their statistics: what every report is made from.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use loto_proto::identity::SweepId;
use loto_proto::sweep::Sweep;
use loto_report::{Format, Report};
use loto_statistics::analysis::{AnalysisOptions, SweepAnalysis, analyse};
use loto_statistics::random_search::Baseline;
use loto_statistics::results::SweepResults;
use loto_transport::store::Store;

use super::error::CommandError;
use super::options::BaselineOption;
use super::output::print_with;
use crate::CoordinatorError;
use crate::prior_rmse;
use crate::results::{CollectedTraces, Keep, Selection};

/// What a report compares with, and where it goes.
#[derive(Debug, Args)]
pub(super) struct ReportOptions {
    /// Form in which the report is printed.
    #[arg(long, env = "LOTO_FORMAT", value_enum, default_value_t = Format::Text)]
    pub(super) format: Format,

    /// Folder to which the files of the report are also written.
    #[arg(long, env = "LOTO_OUT", value_name = "DIR")]
    pub(super) out: Option<PathBuf>,

    #[command(flatten)]
    pub(super) baseline: BaselineOption,
}

/// Finished traces, analysed.
pub(super) struct Analysed {
    sweep: Option<SweepId>,
    results: SweepResults,
    analysis: SweepAnalysis,
    notes: Vec<String>,
}

impl Analysed {
    /// Reads the finished traces of a sweep from the store and analyses them.
    pub(super) async fn sweep(
        store: Arc<dyn Store>,
        sweep: Sweep,
        baseline: Baseline,
    ) -> Result<Self, CoordinatorError> {
        let keep = Keep::Everything;
        let collected = CollectedTraces::of_finished(store.as_ref(), sweep.clone(), keep).await?;
        let results = collected.results(&Selection::default());
        let mut analysed = Self::new(Some(sweep.id()), results, Vec::new(), baseline)?;
        prior_rmse::fill_in(&mut analysed.analysis, &sweep, store).await?;
        Ok(analysed)
    }

    /// Analyses traces, which are of no sweep in a store if `sweep` is `None`. Nothing else runs
    /// in this process by now, so it may keep this thread busy.
    pub(super) fn new(
        sweep: Option<SweepId>,
        results: SweepResults,
        notes: Vec<String>,
        baseline: Baseline,
    ) -> Result<Self, CoordinatorError> {
        let options = AnalysisOptions {
            baseline,
            ..AnalysisOptions::default()
        };
        let analysis = analyse(&results, &options)?;
        Ok(Self {
            sweep,
            results,
            analysis,
            notes,
        })
    }

    /// Writes the report's files to `folder`, if there is one, and prints the report.
    pub(super) fn publish(
        &self,
        folder: Option<&Path>,
        format: Format,
    ) -> Result<(), CommandError> {
        let report = Report {
            results: &self.results,
            analysis: &self.analysis,
            sweep: self.sweep,
            notes: &self.notes,
        };
        if let Some(folder) = folder {
            report.write_folder(folder)?;
        }
        print_with(|output| report.write(format, output))?;
        if let Some(folder) = folder {
            tracing::info!("the report is in {}", folder.join("report.html").display());
        }
        Ok(())
    }
}
