//! The objective values that the traces of a series hold: those of one task, or of all tasks of a stream.

use std::sync::Arc;

use loto_engine::task_stream::arrivals;
use loto_proto::identity::Fingerprint;
use loto_proto::table_spec::Direction;
use loto_proto::trace::Trace;
use loto_statistics::hypervolume::TaskHypervolume;
use loto_statistics::results::SeedTrace;

use crate::trace_check::TaskValues;

/// The objective values of one task.
#[derive(Debug)]
pub struct TaskObjective {
    /// By row, in the order of the table.
    pub by_row: Box<[f64]>,
    /// Values of the objectives beside the first, a column each, by row.
    pub further_by_row: Box<[Vec<f64>]>,
    /// The same values, ascending.
    pub ascending: Arc<[f64]>,
    /// Whether the objective is minimised; if not, the values are negatives.
    pub direction: Direction,
    /// The values of both objectives if there are two; the others are those of the first.
    pub hypervolume: Option<Arc<TaskHypervolume>>,
    /// What the evaluation of each row costs, if that is known.
    pub costs: Option<Box<[f64]>>,
}

impl TaskObjective {
    /// Mean over the rows of what an evaluation costs, if that is known.
    pub fn mean_cost(&self) -> Option<f64> {
        let costs = self.costs.as_deref()?;
        Some(costs.iter().sum::<f64>() / costs.len() as f64)
    }

    /// What statistics look at of a checked trace.
    pub(super) fn evaluated(&self, trace: Trace) -> SeedTrace {
        let costs = self.costs.as_deref().map(|costs| {
            let rows = trace.rows.iter();
            rows.map(|&row| costs[row as usize]).collect()
        });
        SeedTrace {
            rows: trace.rows,
            values: trace.values,
            further_values: trace.further_values,
            costs: costs.unwrap_or_default(),
            seconds: Vec::new(),
        }
    }
}

/// The objective values that the traces of a series hold.
#[derive(Debug, Clone)]
pub(super) enum SeriesObjective {
    /// Those of the target task.
    Task(Arc<TaskObjective>),
    /// Those of all tasks of a stream, in the order of their table.
    Stream {
        table: Fingerprint,
        tasks: Arc<[Arc<TaskObjective>]>,
    },
}

impl SeriesObjective {
    /// The tasks that a trace is of.
    pub(super) fn tasks(&self) -> &[Arc<TaskObjective>] {
        match self {
            Self::Task(task) => std::slice::from_ref(task),
            Self::Stream { tasks, .. } => tasks,
        }
    }

    /// Whether the objective is minimised; if not, the values are negatives.
    pub(super) fn direction(&self) -> Direction {
        let first = self.tasks().first();
        first.map_or_else(Direction::default, |task| task.direction)
    }

    /// The positions of the tasks in the order in which a trace has them.
    fn order(&self, seed: u32) -> Vec<usize> {
        match self {
            Self::Task(_) => vec![0],
            Self::Stream { table, tasks } => arrivals(*table, tasks.len(), seed),
        }
    }

    /// The objective values by row of each task, in the order in which a trace has them.
    pub(super) fn by_task(&self, seed: u32) -> Vec<Option<TaskValues<'_>>> {
        let order = self.order(seed).into_iter();
        let values = |task: usize| {
            let task = &self.tasks()[task];
            Some(TaskValues {
                objective: &task.by_row,
                further: &task.further_by_row,
            })
        };
        order.map(values).collect()
    }

    /// The order in which the tasks arrive with each seed, if they are a stream.
    pub(super) fn arrivals(&self, seeds: u32) -> Option<Arc<[Vec<usize>]>> {
        match self {
            Self::Task(_) => None,
            Self::Stream { .. } => Some((0..seeds).map(|seed| self.order(seed)).collect()),
        }
    }

    /// The part of a trace on each task, in the order of [`Self::tasks`]. The trace must have been checked.
    pub(super) fn split(&self, seed: u32, trace: Trace) -> Vec<Trace> {
        if let Self::Task(_) = self {
            return vec![trace];
        }
        let order = self.order(seed);
        let on_each = trace.rows.len() / order.len();
        let further = trace.objectives() - 1;
        let mut parts = vec![None; order.len()];
        for (place, task) in order.into_iter().enumerate() {
            let range = place * on_each..(place + 1) * on_each;
            let further = further * range.start..further * range.end;
            parts[task] = Some(Trace {
                rows: trace.rows[range.clone()].to_vec(),
                values: trace.values[range.clone()].to_vec(),
                further_values: trace.further_values[further].to_vec(),
                microseconds: trace.microseconds[range].to_vec(),
                preparation_microseconds: match place {
                    0 => trace.preparation_microseconds,
                    _ => 0,
                },
                linear_algebra: trace.linear_algebra.clone(),
                program: trace.program.clone(),
            });
        }
        parts.into_iter().flatten().collect()
    }
}
