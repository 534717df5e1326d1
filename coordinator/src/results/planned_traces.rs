//! Which traces a sweep plans, and the tables that they must fit.

use std::collections::HashMap;
use std::sync::Arc;

use loto_proto::identity::{SeriesId, SweepId};
use loto_proto::job::Series;
use loto_proto::sweep::Sweep;
use loto_proto::table_spec::Direction;
use loto_proto::trace::Trace;
use loto_statistics::results::{BlackboxResults, SweepResults, TaskResults};
use loto_transport::store::Store;

use super::objectives::{ObjectiveCache, TableContent, TaskObjective};
use super::reading::Expected;
use super::selection::Selection;
use crate::CoordinatorError;
use crate::trace_check::DamagedTrace;

/// The plan of a sweep with the objective values of its tasks.
#[derive(Debug)]
pub struct PlannedTraces {
    id: SweepId,
    sweep: Sweep,
    /// The tables of the black boxes, in their order.
    tables: Vec<Arc<TableContent>>,
    series: Vec<PlannedSeries>,
    positions: HashMap<SeriesId, usize>,
    /// Positions in `series` by black box, task and method.
    layout: Vec<Vec<Vec<usize>>>,
}

/// One series of the sweep with the objective values of its task.
#[derive(Debug)]
pub(super) struct PlannedSeries {
    pub(super) id: SeriesId,
    pub(super) series: Series,
    objective: Arc<TaskObjective>,
    /// How many places of the sweep show it: black boxes may share a table.
    pub(super) places: u64,
}

impl PlannedSeries {
    pub(super) fn expected(&self) -> Expected<'_> {
        Expected {
            id: self.id,
            series: &self.series,
            objective: Some(&self.objective.by_row),
            direction: self.objective.direction,
        }
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
        cache: &ObjectiveCache,
        sweep: Sweep,
    ) -> Result<Self, CoordinatorError> {
        let id = sweep.id();
        let mut all_series: Vec<PlannedSeries> = Vec::new();
        let mut positions = HashMap::new();
        let mut layout = Vec::with_capacity(sweep.blackboxes.len());
        let mut tables = Vec::with_capacity(sweep.blackboxes.len());
        for blackbox in &sweep.blackboxes {
            let table = cache.table(store, blackbox.table).await?;
            tables.push(Arc::clone(&table.content));
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
            tables,
            series: all_series,
            positions,
            layout,
        })
    }

    /// The plan of the sweep.
    pub fn sweep(&self) -> &Sweep {
        &self.sweep
    }

    /// What the tables of the black boxes hold apart from their values, in order.
    pub(super) fn tables(&self) -> impl Iterator<Item = &TableContent> {
        self.tables.iter().map(Arc::as_ref)
    }

    pub(super) fn series(&self) -> &[PlannedSeries] {
        &self.series
    }

    pub(super) fn position(&self, series: SeriesId) -> Option<usize> {
        self.positions.get(&series).copied()
    }

    /// Whether the objective of a series is minimised; if not, its traces hold negatives.
    pub(crate) fn direction(&self, series: SeriesId) -> Direction {
        let position = self.positions.get(&series);
        let objective = position.map(|&position| &self.series[position].objective);
        objective.map_or_else(Direction::default, |objective| objective.direction)
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
        let planned = &self.series[self.positions[&series]];
        let checked = planned.expected().check(seed, trace);
        checked.map_err(|damaged| self.corrupt(damaged))
    }

    pub(super) fn corrupt(&self, damaged: DamagedTrace) -> CoordinatorError {
        CoordinatorError::CorruptTrace {
            sweep: self.id,
            damaged: Box::new(damaged),
        }
    }

    /// Puts traces in the order of the sweep: those of the selected black boxes and methods.
    /// A black box that runs none of the methods is left out. `traces` gives those of the series at a
    /// position.
    pub(super) fn arrange<Traces>(
        &self,
        selection: &Selection,
        traces: impl Fn(usize) -> Traces,
    ) -> SweepResults<Traces> {
        let blackboxes = self.sweep.blackboxes.iter().zip(&self.layout);
        let results = blackboxes.filter_map(|(blackbox, tasks)| {
            let methods = selection.methods_of(blackbox);
            if methods.is_empty() {
                return None;
            }
            let task = |(target, positions): (&String, &Vec<usize>)| TaskResults {
                name: target.clone(),
                objective: Arc::clone(&self.series[positions[0]].objective.ascending),
                traces: methods
                    .iter()
                    .map(|&method| traces(positions[method]))
                    .collect(),
            };
            let ids = methods
                .iter()
                .map(|&method| blackbox.methods[method].label().to_owned());
            let direction = tasks.first().and_then(|positions| positions.first());
            let direction = direction.map(|&position| self.series[position].objective.direction);
            Some(BlackboxResults {
                name: blackbox.name.clone(),
                direction: direction.unwrap_or_default(),
                iterations: blackbox.iterations as usize,
                methods: ids.collect(),
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
