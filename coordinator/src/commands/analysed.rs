//! Finished traces with their statistics: what every report is made from.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use loto_engine::EngineError;
use loto_engine::table::Table;
use loto_proto::identity::SweepId;
use loto_proto::sweep::{Blackbox, Sweep};
use loto_proto::table_spec::TableSpec;
use loto_proto::untrusted_text::escape;
use loto_report::{About, AboutMethod, Format, Report};
use loto_statistics::analysis::{AnalysisOptions, SweepAnalysis, analyse};
use loto_statistics::results::SweepResults;
use loto_transport::store::{Store, table_blob};

use super::about;
use super::error::CommandError;
use super::options::{ReplaceOption, ScoreOptions};
use super::output::print_with;
use crate::CoordinatorError;
use crate::plan::Plan;
use crate::prior_rmse;
use crate::results::{CollectedTraces, Selection, mixture};
use crate::score::{self, ForeignValues, ScoredTraces, TableOfSweep};
use crate::trace_check::DamagedTrace;

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
    pub(super) replace: ReplaceOption,

    #[command(flatten)]
    pub(super) scores: ScoreOptions,
}

/// What is put beside the traces of a sweep: files with other traces, and the best that there can be; nothing by default.
#[derive(Debug, Default)]
pub(super) struct RecordedFiles<'a> {
    pub(super) files: &'a [PathBuf],
    pub(super) foreign_values: ForeignValues,
    pub(super) best: bool,
}

impl RecordedFiles<'_> {
    /// Joins the traces of all files to the results of a sweep, whose tables the store has, and their methods to
    /// those that are told of.
    ///
    /// Returns what readers must know, one sentence each.
    async fn join(
        &self,
        results: &mut SweepResults,
        methods: &mut Vec<AboutMethod>,
        store: &dyn Store,
        sweep: &Sweep,
    ) -> Result<Vec<String>, CommandError> {
        if self.files.is_empty() {
            return Ok(Vec::new());
        }
        let mut tables = Vec::new();
        for blackbox in &sweep.blackboxes {
            let fingerprint = blackbox.table;
            let blob = table_blob(store, fingerprint).await?;
            let (spec, file) =
                TableSpec::decode(&blob, fingerprint).map_err(CoordinatorError::from)?;
            let name = format!("{fingerprint} in the store");
            let table = Table::read(&file, &spec, &name).map_err(EngineError::from)?;
            tables.push((table, file));
        }
        let tables = tables
            .iter()
            .map(|(table, file)| TableOfSweep { table, file });
        let tables: Vec<_> = tables.collect();
        let mut notes = Vec::new();
        for path in self.files {
            let recorded = score::read_for(path, sweep, &tables, &self.foreign_values)?;
            let file = file_name(path);
            let known = method_names(results);
            notes.extend(score::join(results, recorded, &escape(&file)));
            about::add_recorded(methods, results, &known, &file);
        }
        Ok(notes)
    }
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

fn method_names(results: &SweepResults) -> BTreeSet<String> {
    let blackboxes = results.blackboxes.iter();
    blackboxes
        .flat_map(|blackbox| blackbox.methods.iter().cloned())
        .collect()
}

/// Finished traces, analysed.
pub(super) struct Analysed {
    sweep: Option<SweepId>,
    planned: Vec<Blackbox>,
    about: About,
    results: SweepResults,
    analysis: SweepAnalysis,
    notes: Vec<String>,
    /// Number of traces that are damaged and left out; the notes name them.
    damaged: usize,
}

impl Analysed {
    /// Reads the finished traces of a sweep from the store and analyses them. Damaged ones are left
    /// out and named. Recorded traces are put beside them.
    pub(super) async fn sweep(
        store: Arc<dyn Store>,
        sweep: Sweep,
        options: &AnalysisOptions,
        recorded: &RecordedFiles<'_>,
    ) -> Result<Self, CommandError> {
        let (collected, damaged) =
            CollectedTraces::of_finished(store.as_ref(), sweep.clone()).await?;
        let mut results = collected.results(&Selection::default());
        let mut about = about::of_sweep(&sweep, collected.tables(), collected.programs());
        let joined = recorded
            .join(&mut results, &mut about.methods, store.as_ref(), &sweep)
            .await?;
        if recorded.best {
            if !results.add_best() {
                return Err(CommandError::BestTaken);
            }
            about.methods.push(about::of_best(&sweep));
        }
        let linear_algebra = collected.linear_algebra();
        let mut analysis = analyse(&results, options)?;
        let left_out = |damaged: &DamagedTrace| format!("left out: {damaged}");
        let notes = mixture(&linear_algebra).into_iter();
        let notes = notes
            .chain(joined)
            .chain(damaged.iter().map(left_out))
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
    pub(super) fn recorded(
        plan: &Plan,
        path: &Path,
        traces: ScoredTraces,
        options: &AnalysisOptions,
    ) -> Result<Self, CoordinatorError> {
        let ScoredTraces { results, notes } = traces;
        let analysis = analyse(&results, options)?;
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

    /// Writes the report's files to `folder`, if there is one, and prints the report.
    ///
    /// # Errors
    /// [`CommandError::DamagedTraces`] after that if traces are left out.
    pub(super) fn publish(
        &self,
        folder: Option<&Path>,
        format: Format,
    ) -> Result<(), CommandError> {
        let report = Report {
            results: &self.results,
            analysis: &self.analysis,
            sweep: self.sweep,
            planned: &self.planned,
            about: &self.about,
            notes: &self.notes,
        };
        if let Some(folder) = folder {
            report.write_folder(folder)?;
        }
        print_with(|output| report.write(format, output))?;
        if let Some(folder) = folder {
            tracing::info!("the report is in {}", folder.join("report.html").display());
        }
        if self.damaged > 0 {
            for note in &self.notes {
                tracing::warn!("{note}");
            }
            return Err(CommandError::DamagedTraces(self.damaged));
        }
        Ok(())
    }
}
