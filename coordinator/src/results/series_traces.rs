//! Finished traces of one series, for who looks at them one by one.

use std::sync::Arc;

use loto_proto::identity::SeriesId;
use loto_proto::table_spec::Direction;
use loto_proto::trace::Trace;
use loto_statistics::hypervolume::TaskHypervolume;
use loto_statistics::results::{BestCurves, Measure};
use loto_transport::TransportError;
use loto_transport::store::Store;

use super::planned_traces::PlannedTraces;
use super::reading::{TRACES_PER_READ, fetch};
use crate::trace_check::DamagedTrace;

/// Finished traces of a series.
pub(crate) struct SeriesTraces {
    /// By ascending seed; of a stream, on all its tasks. Values are minimised.
    pub(crate) sound: Vec<(u32, Trace)>,
    /// Those of the seeds that were asked for which cannot be read, or do not fit the table.
    pub(crate) damaged: Vec<DamagedTrace>,
    /// Whether the objective is minimised; if not, the values are negatives.
    pub(crate) direction: Direction,
}

/// What values runs on a task have.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TaskValues {
    /// What they are.
    pub(crate) measure: Measure,
    /// The least.
    pub(crate) minimum: f64,
    /// The greatest less the least; above 0.
    pub(crate) range: f64,
}

impl PlannedTraces {
    /// Where a series is: the positions of its black box, its task, the first one if it is a stream, and its method.
    pub(crate) fn place(&self, series: SeriesId) -> Option<[usize; 3]> {
        let blackboxes = self.sweep().blackboxes.iter().enumerate();
        let mut places = blackboxes.flat_map(|(number, blackbox)| {
            let methods = blackbox.methods.iter().enumerate();
            methods.flat_map(move |(method, spec)| {
                let tasks = blackbox.series_of(spec).enumerate();
                tasks.map(move |(task, known)| (known.id(), [number, task, method]))
            })
        });
        places.find_map(|(id, place)| (id == series).then_some(place))
    }

    /// What values the task at a place has, given by the positions of black box, task and method.
    pub(crate) fn values_at(&self, place: [usize; 3]) -> Option<TaskValues> {
        let task = self.at(place).1;
        if let Some(hypervolume) = &task.hypervolume {
            return (!hypervolume.is_constant()).then_some(TaskValues {
                measure: Measure::HypervolumeError,
                minimum: 0.0,
                range: 1.0,
            });
        }
        let (minimum, maximum) = (*task.ascending.first()?, *task.ascending.last()?);
        let range = maximum - minimum;
        (range > 0.0).then_some(TaskValues {
            measure: Measure::DistanceToMinimum,
            minimum,
            range,
        })
    }

    /// The values of both objectives of the task at a place, if there are two.
    pub(crate) fn hypervolume_at(&self, place: [usize; 3]) -> Option<Arc<TaskHypervolume>> {
        self.at(place).1.hypervolume.clone()
    }

    /// Adds a checked trace of the series at a place to the curves of its task.
    pub(crate) fn add_to_curves(
        &self,
        place: [usize; 3],
        seed: u32,
        trace: Trace,
        curves: &mut BestCurves,
    ) {
        let task = self.at(place).1;
        let evaluated = task.evaluated(self.on_task(place, seed, trace));
        curves.insert_trace(seed, &evaluated, task.hypervolume.as_deref());
    }

    /// Reads the finished traces of these seeds of the series at a place.
    ///
    /// # Errors
    /// [`TransportError::Unavailable`] if the store does not answer.
    pub(crate) async fn traces_at(
        &self,
        place: [usize; 3],
        seeds: &[u32],
        store: &dyn Store,
    ) -> Result<SeriesTraces, TransportError> {
        let (series, objective) = self.at(place);
        let mut traces = SeriesTraces {
            sound: Vec::new(),
            damaged: Vec::new(),
            direction: objective.direction,
        };
        for seeds in seeds.chunks(TRACES_PER_READ) {
            let fetched = fetch(series.expected(), seeds.to_vec(), store).await?;
            traces.sound.extend(fetched.sound);
            traces.damaged.extend(fetched.damaged);
        }
        traces.sound.sort_by_key(|(seed, _)| *seed);
        Ok(traces)
    }
}
