//! Which traces a sweep plans, and the tables that they must fit.

use std::collections::HashMap;
use std::sync::Arc;

use loto_proto::identity::{SeriesId, SweepId};
use loto_proto::job::Series;
use loto_proto::protocol::Protocol;
use loto_proto::sweep::{Blackbox, Sweep};
use loto_proto::table_spec::Direction;
use loto_proto::trace::Trace;
use loto_statistics::results::{BlackboxResults, SweepResults, TaskResults};
use loto_transport::store::Store;

use super::averaged_objectives;
use super::objectives::{ObjectiveCache, TableContent, TableObjectives};
use super::reading::Expected;
use super::selection::Selection;
use super::series_objective::{SeriesObjective, TaskObjective};
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
    /// Where the traces are by black box, task and method.
    layout: Vec<Vec<Vec<Place>>>,
}

/// Where the traces of a method on a task are: a series, and which of its tasks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) series: usize,
    pub(super) task: usize,
}

/// One series of the sweep with the objective values of its task, or of all tasks of a stream.
#[derive(Debug)]
pub(super) struct PlannedSeries {
    pub(super) id: SeriesId,
    pub(super) series: Series,
    pub(super) objective: SeriesObjective,
    /// How many black boxes of the sweep have it: they may share a table.
    pub(super) places: u64,
}

impl PlannedSeries {
    pub(super) fn expected(&self) -> Expected<'_> {
        Expected {
            id: self.id,
            series: &self.series,
            objective: Some(&self.objective),
        }
    }
}

impl PlannedTraces {
    /// Reads the tables of a sweep, but no trace.
    ///
    /// # Errors
    /// [`loto_transport::TransportError::MissingTable`] and other errors of [`ObjectiveCache::table`];
    /// [`CoordinatorError::TaskNotInTable`] and [`CoordinatorError::NotTheStream`] if the sweep does not fit its
    /// tables.
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
            let cost = blackbox.cost.as_deref();
            let table = cache.table(store, blackbox.table, cost).await?;
            tables.push(Arc::clone(&table.content));
            check_protocol(id, blackbox, &table)?;
            let mut tasks = Vec::with_capacity(blackbox.targets.len());
            for (number, target) in blackbox.targets.iter().enumerate() {
                let mut places = Vec::with_capacity(blackbox.methods.len());
                for method in &blackbox.methods {
                    let series = blackbox.series(method, target);
                    let objective = table.of_series(&series);
                    let objective = objective.ok_or_else(|| CoordinatorError::TaskNotInTable {
                        sweep: id,
                        task: target.clone(),
                        table: blackbox.table,
                    })?;
                    let task = number % objective.tasks().len();
                    let series_position = *positions.entry(series.id()).or_insert_with_key(|&id| {
                        all_series.push(PlannedSeries {
                            id,
                            series,
                            objective,
                            places: 0,
                        });
                        all_series.len() - 1
                    });
                    if task == 0 {
                        all_series[series_position].places += 1;
                    }
                    places.push(Place {
                        series: series_position,
                        task,
                    });
                }
                tasks.push(places);
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
        objective.map_or_else(Direction::default, SeriesObjective::direction)
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

    /// The part of a checked trace that is on a task, given by the positions of black box, task and method.
    pub(crate) fn on_task(
        &self,
        [blackbox, task, method]: [usize; 3],
        seed: u32,
        trace: Trace,
    ) -> Trace {
        let place = self.layout[blackbox][task][method];
        let mut parts = self.series[place.series].objective.split(seed, trace);
        parts.swap_remove(place.task)
    }

    pub(super) fn corrupt(&self, damaged: DamagedTrace) -> CoordinatorError {
        CoordinatorError::CorruptTrace {
            sweep: self.id,
            damaged: Box::new(damaged),
        }
    }

    /// The series and the objective values of black box, task and method, given by their positions.
    pub(super) fn at(
        &self,
        [blackbox, task, method]: [usize; 3],
    ) -> (&PlannedSeries, &TaskObjective) {
        let place = self.layout[blackbox][task][method];
        (&self.series[place.series], self.task_at(place))
    }

    fn task_at(&self, place: Place) -> &TaskObjective {
        &self.series[place.series].objective.tasks()[place.task]
    }

    /// Puts traces in the order of the sweep: those of the selected black boxes and methods.
    /// A black box that runs none of the methods is left out. `traces` gives those of a place.
    pub(super) fn arrange<Traces>(
        &self,
        selection: &Selection,
        traces: impl Fn(Place) -> Traces,
    ) -> SweepResults<Traces> {
        let blackboxes = self.sweep.blackboxes.iter().zip(&self.layout);
        let results = blackboxes.filter_map(|(blackbox, tasks)| {
            let methods = selection.methods_of(blackbox);
            if methods.is_empty() {
                return None;
            }
            let task = |(target, places): (&String, &Vec<Place>)| {
                let task = self.task_at(places[0]);
                TaskResults {
                    name: target.clone(),
                    objective: Arc::clone(&task.ascending),
                    hypervolume: task.hypervolume.clone(),
                    mean_cost: task.mean_cost(),
                    traces: methods
                        .iter()
                        .map(|&method| traces(places[method]))
                        .collect(),
                }
            };
            let ids = methods
                .iter()
                .map(|&method| blackbox.methods[method].label().to_owned());
            let first = tasks.first().and_then(|places| places.first());
            let first = first.map(|place| &self.series[place.series].objective);
            Some(BlackboxResults {
                name: blackbox.name.clone(),
                direction: first.map(SeriesObjective::direction).unwrap_or_default(),
                arrivals: first.and_then(|first| first.arrivals(self.sweep.seeds)),
                unmarked: Default::default(),
                iterations: blackbox.iterations as usize,
                methods: ids.collect(),
                tasks: blackbox.targets.iter().zip(tasks).map(task).collect(),
            })
        });
        let mut results = SweepResults {
            name: self.sweep.name.clone(),
            seeds: self.sweep.seeds,
            blackboxes: results.collect(),
        };
        averaged_objectives::mark(&mut results, &self.sweep.blackboxes, selection.naming);
        results
    }
}

/// Checks that a black box is a stream if its table is one, and that it has the tasks of the table then.
fn check_protocol(
    sweep: SweepId,
    blackbox: &Blackbox,
    table: &TableObjectives,
) -> Result<(), CoordinatorError> {
    let content = &table.content;
    let mut targets = blackbox.targets.iter().enumerate();
    let has_all = blackbox.targets.len() == content.tasks
        && targets.all(|(position, target)| table.position(target) == Some(position));
    let fits = match blackbox.protocol {
        Protocol::LeaveOneOut => content.spec.protocol == Protocol::LeaveOneOut,
        Protocol::Stream => content.spec.protocol == Protocol::Stream && has_all,
    };
    match fits {
        true => Ok(()),
        false => Err(CoordinatorError::NotTheStream {
            sweep,
            blackbox: blackbox.name.clone(),
            table: blackbox.table,
        }),
    }
}
