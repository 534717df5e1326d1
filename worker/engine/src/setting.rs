//! What a method starts from: the job without its method.

use std::sync::Arc;

use crate::blas;
use crate::error::{EngineError, ImpossibleJob};
use crate::fits::{FitName, SharedFits};
use crate::prediction_error::root_mean_square_error;
use crate::random::{RandomStream, StreamName};
use crate::table::encoding::{Column, Space};
use crate::table::{Table, Task};
use crate::transform::Transform;

/// What the sources are drawn from where a sweep limits their number.
const SOURCE_TASKS: StreamName = StreamName::new("setting", "source tasks");

/// The target with its configurations, the source tasks, the seed. It never shows
/// the target's objective.
pub struct Setting<'a> {
    table: &'a Table,
    target: usize,
    seed: u32,
    /// Number of evaluations to come.
    pub iterations: usize,
    shared: &'a SharedFits,
}

/// A source task with its transformed objective.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The task, with the rows that methods learn from.
    pub task: &'a Task,
    /// Its transformed objective, row by row.
    pub targets: &'a [f64],
}

/// The source tasks of a setting, in the order of the table.
pub struct Sources<'a> {
    table: &'a Table,
    /// Their positions in the table.
    positions: Vec<usize>,
    /// Every task's transformed objective.
    transformed: Arc<Vec<Vec<f64>>>,
}

impl Sources<'_> {
    /// One after the other.
    pub fn iter(&self) -> impl Iterator<Item = Source<'_>> {
        self.positions.iter().map(|&position| Source {
            task: self.table.source(position),
            targets: &self.transformed[position],
        })
    }
}

impl<'a> Setting<'a> {
    /// The setting of a job on the task at position `target` of the table.
    pub fn new(
        table: &'a Table,
        target: usize,
        seed: u32,
        iterations: usize,
        shared: &'a SharedFits,
    ) -> Self {
        Self {
            table,
            target,
            seed,
            iterations,
            shared,
        }
    }

    /// The table, with the values of the target.
    pub(crate) fn table(&self) -> &'a Table {
        self.table
    }

    /// Where the target is in the table.
    pub(crate) fn target(&self) -> usize {
        self.target
    }

    /// The job's seed.
    pub(crate) fn seed(&self) -> u32 {
        self.seed
    }

    /// The hyperparameters.
    pub fn space(&self) -> &'a Space {
        &self.table.space
    }

    /// The configurations of the target's rows.
    pub fn columns(&self) -> &'a [Column] {
        &self.table.tasks[self.target].columns
    }

    /// The encoded rows of the target, one after the other.
    pub(crate) fn points(&self) -> Vec<f64> {
        let width = self.space().width();
        let mut points = vec![0.0; width * self.rows()];
        for (row, point) in points.chunks_exact_mut(width).enumerate() {
            self.space().encode(self.columns(), row, point);
        }
        points
    }

    /// Number of rows of the target.
    pub fn rows(&self) -> usize {
        self.table.tasks[self.target].rows()
    }

    /// The job's random stream of that name.
    pub fn random(&self, name: StreamName) -> RandomStream {
        self.random_of_task(name, &self.table.tasks[self.target])
    }

    /// The random stream of that name for a source task and the job's seed: the
    /// same whatever the target.
    pub fn random_of_task(&self, name: StreamName, task: &Task) -> RandomStream {
        RandomStream::new(name, self.table.fingerprint, &task.name, self.seed)
    }

    /// The source tasks with their objectives transformed: every task but the target, or those
    /// that the sweep names.
    ///
    /// # Errors
    /// [`EngineError::ImpossibleJob`] if there is none, or a task has a single row.
    pub fn sources(&self, transform: Transform) -> Result<Sources<'a>, EngineError> {
        let positions = self.source_positions();
        if positions.is_empty() {
            let task = self.table.tasks[self.target].name.clone();
            return Err(ImpossibleJob::NoSources { task }.into());
        }
        Ok(Sources {
            table: self.table,
            positions,
            transformed: self.shared.transformed(self.table, transform)?,
        })
    }

    /// Where the sources are in the table. If there are more than the sweep allows, they are drawn
    /// for the target and the seed: the same ones for every method.
    pub(crate) fn source_positions(&self) -> Vec<usize> {
        let sources = &self.table.sources;
        let tasks = self.table.tasks.iter().enumerate();
        let is_source = |(position, task): &(usize, &Task)| {
            *position != self.target && sources.admits(&task.name)
        };
        let positions = tasks.filter(is_source).map(|(position, _)| position);
        let mut positions: Vec<usize> = positions.collect();
        let most = sources.most as usize;
        if most > 0 && positions.len() > most {
            let mut stream = self.random(SOURCE_TASKS);
            for place in 0..most {
                let left = positions.len() - place;
                positions.swap(place, place + stream.below(left as u32) as usize);
            }
            positions.truncate(most);
            positions.sort_unstable();
        }
        positions
    }

    /// What fits of this setting are shared through.
    pub fn shared(&self) -> &'a SharedFits {
        self.shared
    }

    /// Stores how far a fit's predictions of the target's rows are off, under a name of its
    /// own: the root mean square error to the transformed objective. Who asks for it does
    /// not learn it, since it depends on values that are not observed.
    ///
    /// # Errors
    /// Those of the store; [`ImpossibleJob`] if there is not one prediction per row.
    pub(crate) fn store_error(
        &self,
        name: &FitName,
        predictions: &[f64],
    ) -> Result<(), EngineError> {
        let target = &self.table.tasks[self.target];
        let error = root_mean_square_error(predictions, target, name.transform)?;
        self.shared.keep_number(name, error)
    }

    /// Names a fit to all source tasks: it belongs to the target and the seed.
    pub fn fit_name(&self, kind: &'static str, version: u64, transform: Transform) -> FitName<'a> {
        self.fit_name_of_task(kind, version, transform, &self.table.tasks[self.target])
    }

    /// Names a fit to one task: it belongs to that task and the seed.
    pub fn fit_name_of_task<'b>(
        &self,
        kind: &'static str,
        version: u64,
        transform: Transform,
        task: &'b Task,
    ) -> FitName<'b> {
        FitName {
            kind,
            variant: "",
            version,
            transform,
            table: self.table.fingerprint,
            task: &task.name,
            seed: self.seed,
            linear_algebra: Some(blas::single_threaded()),
        }
    }
}

#[cfg(test)]
mod tests;
