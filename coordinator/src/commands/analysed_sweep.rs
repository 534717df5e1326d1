//! What is finished of a sweep, with its statistics: what every report is made from.

use std::sync::Arc;

use loto_proto::identity::SweepId;
use loto_proto::store::Store;
use loto_proto::sweep::Sweep;

use crate::CoordinatorError;
use crate::report::Report;
use crate::results::{Keep, ObjectiveCache, ResultsCollector, Selection, SweepResults};
use crate::statistics::analysis::{AnalysisOptions, SweepAnalysis, analyse};
use crate::statistics::random_search::Baseline;

/// The finished part of a sweep, analysed.
pub(super) struct AnalysedSweep {
    id: SweepId,
    results: SweepResults,
    analysis: SweepAnalysis,
}

impl AnalysedSweep {
    /// Reads a sweep's finished traces from the store and analyses them.
    ///
    /// # Errors
    /// [`CoordinatorError::Proto`] if the store fails, those of [`analyse`].
    pub(super) async fn read(
        store: Arc<dyn Store>,
        sweep: Sweep,
        baseline: Baseline,
    ) -> Result<Self, CoordinatorError> {
        let tables = ObjectiveCache::default();
        let collector = ResultsCollector::open(store, &tables, sweep, Keep::Everything).await?;
        collector.refresh().await?;
        let results = collector.results(&Selection::default());
        let options = AnalysisOptions {
            baseline,
            ..AnalysisOptions::default()
        };
        // Nothing else runs in this process any more, so it may block this thread.
        let analysis = analyse(&results, &options)?;
        Ok(Self {
            id: collector.id(),
            results,
            analysis,
        })
    }

    /// The report.
    pub(super) fn report(&self) -> Report<'_> {
        Report {
            results: &self.results,
            analysis: &self.analysis,
            sweep: Some(self.id),
            notes: &[],
        }
    }
}
