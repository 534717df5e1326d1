//! Which traces a sweep plans, and the tables that they must fit.

use std::collections::HashMap;
use std::sync::Arc;

use loto_proto::identity::{JobId, SeriesId, SweepId};
use loto_proto::job::Series;
use loto_proto::sweep::Sweep;
use loto_proto::trace::Trace;
use loto_statistics::results::{BlackboxResults, SweepResults, TaskResults};
use loto_transport::store::Store;

use super::objectives::{ObjectiveCache, TaskObjective};
use super::selection::Selection;
use crate::CoordinatorError;
use crate::trace_check::{self, TraceProblem};

/// The plan of a sweep with the objective values of its tasks.
#[derive(Debug)]
pub struct PlannedTraces {
    id: SweepId,
    sweep: Sweep,
    series: Vec<PlannedSeries>,
    positions: HashMap<SeriesId, usize>,
    /// Positions in `series` by black box, task and method.
    layout: Vec<Vec<Vec<usize>>>,
}

/// One series of the sweep with the objective values of its task.
#[derive(Debug)]
pub(super) struct PlannedSeries {
    pub(super) id: SeriesId,
    series: Series,
    objective: Arc<TaskObjective>,
    /// How many places of the sweep show it: black boxes may share a table.
    pub(super) places: u64,
}

impl PlannedSeries {
    /// Number of evaluations with each seed, wherever they are shown.
    pub(super) fn values_per_seed(&self) -> u64 {
        self.places * u64::from(self.series.iterations)
    }
}

impl PlannedTraces {
    /// Reads the tables of a sweep, but no trace.
    ///
    /// # Errors
    /// [`loto_transport::TransportError::MissingTable`] and other errors of [`ObjectiveCache::table`];
    /// [`CoordinatorError::TaskNotInTable`] if the sweep does not fit its tables.
    pub async fn open(
        store: &dyn Store,
        tables: &ObjectiveCache,
        sweep: Sweep,
    ) -> Result<Self, CoordinatorError> {
        let id = sweep.id();
        let mut all_series: Vec<PlannedSeries> = Vec::new();
        let mut positions = HashMap::new();
        let mut layout = Vec::with_capacity(sweep.blackboxes.len());
        for blackbox in &sweep.blackboxes {
            let table = tables.table(store, blackbox.table).await?;
            let mut tasks = Vec::with_capacity(blackbox.targets.len());
            for target in &blackbox.targets {
                let objective = table.get(target);
                let objective = objective.ok_or_else(|| CoordinatorError::TaskNotInTable {
                    sweep: id,
                    task: target.clone(),
                    table: blackbox.table,
                })?;
                let place = |method| {
                    let series = blackbox.series(method, target);
                    let position = *positions.entry(series.id()).or_insert_with_key(|&id| {
                        all_series.push(PlannedSeries {
                            id,
                            series,
                            objective: Arc::clone(objective),
                            places: 0,
                        });
                        all_series.len() - 1
                    });
                    all_series[position].places += 1;
                    position
                };
                tasks.push(blackbox.methods.iter().map(place).collect());
            }
            layout.push(tasks);
        }
        Ok(Self {
            id,
            sweep,
            series: all_series,
            positions,
            layout,
        })
    }

    /// The plan of the sweep.
    pub fn sweep(&self) -> &Sweep {
        &self.sweep
    }

    pub(super) fn series(&self) -> &[PlannedSeries] {
        &self.series
    }

    pub(super) fn position(&self, series: SeriesId) -> Option<usize> {
        self.positions.get(&series).copied()
    }

    /// Checks a trace of this sweep against its task's table.
    ///
    /// # Errors
    /// [`CoordinatorError::CorruptTrace`] if it does not fit.
    pub(crate) fn check(
        &self,
        series: SeriesId,
        seed: u32,
        trace: &Trace,
    ) -> Result<(), CoordinatorError> {
        self.check_at(self.positions[&series], seed, trace)
    }

    pub(super) fn check_at(
        &self,
        position: usize,
        seed: u32,
        trace: &Trace,
    ) -> Result<(), CoordinatorError> {
        let planned = &self.series[position];
        trace_check::check(trace, planned.series.iterations, &planned.objective.by_row)
            .map_err(|problem| self.corrupt(position, seed, problem))
    }

    pub(super) fn corrupt(
        &self,
        position: usize,
        seed: u32,
        problem: TraceProblem,
    ) -> CoordinatorError {
        let PlannedSeries { id, series, .. } = &self.series[position];
        CoordinatorError::CorruptTrace {
            sweep: self.id,
            job: JobId::new(*id, seed),
            method: series.method.id.clone(),
            task: series.task.clone(),
            seed,
            problem: Box::new(problem),
        }
    }

    /// Puts traces in the order of the sweep: those of the selected black boxes and methods.
    /// A black box that runs none of the methods is left out. `traces` gives those of the series at a
    /// position, whose iterations are planned to be so many.
    pub(super) fn arrange<Traces>(
        &self,
        selection: &Selection,
        traces: impl Fn(usize, usize) -> Traces,
    ) -> SweepResults<Traces> {
        let blackboxes = self.sweep.blackboxes.iter().zip(&self.layout);
        let selected = blackboxes.filter(|(blackbox, _)| selection.has_blackbox(&blackbox.name));
        let results = selected.filter_map(|(blackbox, tasks)| {
            let methods: Vec<(usize, &str)> = (blackbox.methods.iter().enumerate())
                .map(|(position, method)| (position, method.id.as_str()))
                .filter(|(_, id)| selection.has_method(id))
                .collect();
            if methods.is_empty() {
                return None;
            }
            let iterations = blackbox.iterations as usize;
            let task = |(target, positions): (&String, &Vec<usize>)| {
                let first = positions.first().map(|&position| &self.series[position]);
                let by_method = methods.iter();
                TaskResults {
                    name: target.clone(),
                    objective: first.map_or_else(Arc::default, |series| {
                        Arc::clone(&series.objective.ascending)
                    }),
                    traces: by_method
                        .map(|&(method, _)| traces(positions[method], iterations))
                        .collect(),
                }
            };
            Some(BlackboxResults {
                name: blackbox.name.clone(),
                iterations,
                methods: methods.iter().map(|(_, id)| (*id).to_owned()).collect(),
                tasks: blackbox.targets.iter().zip(tasks).map(task).collect(),
            })
        });
        SweepResults {
            name: self.sweep.name.clone(),
            seeds: self.sweep.seeds,
            blackboxes: results.collect(),
        }
    }
}
