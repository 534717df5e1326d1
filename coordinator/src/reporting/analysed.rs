//! Finished traces with their statistics: what every report is made from.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use loto_proto::identity::SweepId;
use loto_proto::sweep::{Blackbox, Sweep};
use loto_report::{About, Report};
use loto_statistics::analysis::{AnalysisOptions, SweepAnalysis, analyse};
use loto_statistics::results::SweepResults;
use loto_transport::store::Store;

use super::about;
use super::error::ReportingError;
use super::recorded_files::{RecordedFiles, file_name};
use super::unanswered;
use crate::CoordinatorError;
use crate::plan::Plan;
use crate::prior_rmse;
use crate::results::{CollectedTraces, Selection, mixture};
use crate::score::ScoredTraces;
use crate::trace_check::DamagedTrace;

/// Finished traces, analysed.
pub(crate) struct Analysed {
    sweep: Option<SweepId>,
    planned: Vec<Blackbox>,
    about: About,
    results: SweepResults,
    analysis: SweepAnalysis,
    notes: Vec<String>,
    damaged: usize,
}

impl Analysed {
    /// Reads the finished traces of a sweep from the store and analyses them. Damaged ones are left
    /// out and named. Recorded traces are put beside them. `command` is what gives the same report again.
    pub(crate) async fn sweep(
        store: Arc<dyn Store>,
        sweep: Sweep,
        options: &AnalysisOptions,
        recorded: &RecordedFiles<'_>,
        command: String,
    ) -> Result<Self, ReportingError> {
        let (collected, damaged) =
            CollectedTraces::of_finished(store.as_ref(), sweep.clone()).await?;
        let mut results = collected.results(&Selection::reported());
        let mut about = about::of_sweep(&sweep, collected.tables(), collected.programs(), command);
        let joined = recorded
            .join(&mut results, &mut about.methods, store.as_ref(), &sweep)
            .await?;
        if recorded.best {
            if !results.add_best() {
                return Err(ReportingError::BestTaken);
            }
            about.methods.push(about::of_best(&results));
        }
        let linear_algebra = collected.linear_algebra();
        let mut analysis = analyse(&results, options)?;
        let left_out = |damaged: &DamagedTrace| format!("left out: {damaged}");
        let notes = mixture(&linear_algebra).into_iter();
        let notes = notes
            .chain(joined)
            .chain(damaged.iter().map(left_out))
            .chain(unanswered::notes(options, recorded.best, &analysis))
            .collect();
        analysis.linear_algebra = linear_algebra;
        let mut analysed = Self {
            sweep: Some(sweep.id()),
            planned: sweep.blackboxes.clone(),
            about,
            results,
            analysis,
            notes,
            damaged: damaged.len(),
        };
        prior_rmse::fill_in(&mut analysed.analysis, &sweep, store).await?;
        Ok(analysed)
    }

    /// Analyses the traces of a file, which were recorded elsewhere, on the black boxes of a plan. Nothing else
    /// runs in this process by now, so it may keep this thread busy.
    pub(crate) fn recorded(
        plan: &Plan,
        path: &Path,
        traces: ScoredTraces,
        options: &AnalysisOptions,
    ) -> Result<Self, CoordinatorError> {
        let ScoredTraces { results, mut notes } = traces;
        let analysis = analyse(&results, options)?;
        notes.extend(unanswered::notes(options, false, &analysis));
        let mut about = about::of_recorded(plan);
        let file = file_name(path);
        about::add_recorded(&mut about.methods, &results, &BTreeSet::new(), &file);
        Ok(Self {
            sweep: None,
            planned: plan.sweep.blackboxes.clone(),
            about,
            results,
            analysis,
            notes,
            damaged: 0,
        })
    }

    /// All that a report is made from.
    pub(crate) fn report(&self) -> Report<'_> {
        Report {
            results: &self.results,
            analysis: &self.analysis,
            sweep: self.sweep,
            planned: &self.planned,
            about: &self.about,
            notes: &self.notes,
        }
    }

    /// Number of traces that are damaged and left out; the notes of the report name them.
    pub(crate) fn damaged(&self) -> usize {
        self.damaged
    }
}
