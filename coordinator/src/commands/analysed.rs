//! Finished traces with their statistics: what every report is made from.

use std::path::Path;
use std::sync::Arc;

use loto_proto::identity::SweepId;
use loto_proto::sweep::Sweep;
use loto_transport::store::Store;

use super::output::print_with;
use crate::CoordinatorError;
use crate::prior_rmse;
use crate::results::{CollectedTraces, Keep, Selection};
use crate::score::ScoredTraces;
use loto_report::{Format, Report};
use loto_statistics::analysis::{AnalysisOptions, SweepAnalysis, analyse};
use loto_statistics::random_search::Baseline;
use loto_statistics::results::SweepResults;

/// Finished traces, analysed.
pub(super) struct Analysed {
    sweep: Option<SweepId>,
    results: SweepResults,
    analysis: SweepAnalysis,
    notes: Vec<String>,
}

impl Analysed {
    /// Reads what is finished of a sweep from the store and analyses it.
    ///
    /// # Errors
    /// Those of [`CollectedTraces::of_finished`], [`analyse`] and [`prior_rmse::fill_in`].
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

    /// Analyses traces that were recorded elsewhere.
    ///
    /// # Errors
    /// Those of [`analyse`].
    pub(super) fn recorded(
        traces: ScoredTraces,
        baseline: Baseline,
    ) -> Result<Self, CoordinatorError> {
        Self::new(None, traces.results, traces.notes, baseline)
    }

    /// Nothing else runs in this process by now, so it may keep this thread busy.
    fn new(
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

    /// Writes the report's files to `folder`, if there is one, and prints it.
    ///
    /// # Errors
    /// [`CoordinatorError::UnwritableFile`].
    pub(super) fn publish(
        &self,
        folder: Option<&Path>,
        format: Format,
    ) -> Result<(), CoordinatorError> {
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
