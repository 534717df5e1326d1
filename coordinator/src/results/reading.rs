//! Reads finished traces of a series from the store and checks each.

use loto_proto::identity::SeriesId;
use loto_proto::job::{Job, Series};
use loto_proto::protocol::ALL_TASKS;
use loto_proto::trace::Trace;
use loto_transport::TransportError;
use loto_transport::store::Store;

use super::series_objective::SeriesObjective;
use crate::trace_check::{self, DamagedTrace, TraceProblem};

/// Traces of a series read at a time: a bound for memory, and for how long a thread is held.
pub(super) const TRACES_PER_READ: usize = 250;

/// Reads of traces under way at a time.
pub(super) const CONCURRENT_READS: usize = 8;

/// What the traces of a series have to fit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Expected<'a> {
    pub(super) id: SeriesId,
    pub(super) series: &'a Series,
    /// The objective values, if the table is known.
    pub(super) objective: Option<&'a SeriesObjective>,
}

impl Expected<'_> {
    pub(super) fn check(&self, seed: u32, trace: &Trace) -> Result<(), DamagedTrace> {
        let known = self.objective.map(|objective| objective.by_task(seed));
        let objectives = known.unwrap_or_else(|| match self.series.task.as_str() {
            ALL_TASKS => Vec::new(),
            _ => vec![None],
        });
        let direction = self.objective.map(SeriesObjective::direction);
        trace_check::check(trace, self.series.iterations, &objectives).map_err(|problem| {
            self.damaged(seed, problem.in_users_units(direction.unwrap_or_default()))
        })
    }

    fn damaged(&self, seed: u32, problem: TraceProblem) -> DamagedTrace {
        let series = self.series.clone();
        DamagedTrace {
            job: Box::new(Job { series, seed }),
            problem,
        }
    }
}

/// What was read of a series at a time.
pub(super) struct Fetched {
    pub(super) sound: Vec<(u32, Trace)>,
    pub(super) damaged: Vec<DamagedTrace>,
}

/// The traces of some seeds of a series; each may be damaged by itself. A seed that was announced but
/// is gone from the store is left out.
pub(super) async fn fetch(
    expected: Expected<'_>,
    seeds: Vec<u32>,
    store: &dyn Store,
) -> Result<Fetched, TransportError> {
    let mut fetched = Fetched {
        sound: Vec::with_capacity(seeds.len()),
        damaged: Vec::new(),
    };
    if seeds.len() > 1 {
        match store.traces_of(expected.id, &seeds).await {
            Ok(traces) => {
                for (seed, trace) in traces {
                    fetched.add(expected, seed, trace);
                }
                return Ok(fetched);
            }
            Err(error) if error.concerns_server() => return Err(error),
            Err(_) => {} // One of them is damaged: find out which, below.
        }
    }
    for seed in seeds {
        match store.trace(expected.id, seed).await {
            Ok(Some(trace)) => fetched.add(expected, seed, trace),
            Ok(None) => {}
            Err(error) if error.concerns_server() => return Err(error),
            Err(error) => {
                let problem = TraceProblem::Unreadable(error);
                fetched.damaged.push(expected.damaged(seed, problem));
            }
        }
    }
    Ok(fetched)
}

impl Fetched {
    fn add(&mut self, expected: Expected<'_>, seed: u32, trace: Trace) {
        match expected.check(seed, &trace) {
            Ok(()) => self.sound.push((seed, trace)),
            Err(damaged) => self.damaged.push(damaged),
        }
    }
}
