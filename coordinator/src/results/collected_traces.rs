//! Reads a sweep's finished traces from the store, each once.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures::{StreamExt, stream};
use loto_proto::sweep::Sweep;
use loto_proto::trace::Trace;
use loto_statistics::results::{BestCurves, SweepCurves, SweepResults};
use loto_transport::store::Store;

use super::kept_traces::{Keep, KeptTraces};
use super::objectives::ObjectiveCache;
use super::planned_traces::PlannedTraces;
use super::selection::Selection;
use crate::CoordinatorError;
use crate::follower::Follower;
use crate::trace_check::TraceProblem;

/// Traces of a series read at a time: a bound for memory, and for how long a thread is held.
const TRACES_PER_READ: usize = 250;

/// Reads of traces under way at a time.
const CONCURRENT_READS: usize = 8;

/// The finished traces of one sweep, as far as they were read.
pub struct CollectedTraces {
    planned: Arc<PlannedTraces>,
    series: Vec<CollectedSeries>,
}

struct CollectedSeries {
    traces: KeptTraces,
    /// Version of the [`Follower`]'s series up to which everything was read.
    version: u64,
}

/// The finished jobs of a series whose traces are not read yet.
pub(crate) struct Unread {
    position: usize,
    version: u64,
    seeds: Vec<u32>,
}

/// What was read of a series at a time.
struct Fetched {
    position: usize,
    sound: Vec<(u32, Trace)>,
    /// The first of the damaged ones.
    damaged: Option<CoordinatorError>,
}

/// The finished traces of a sweep at one moment, as statistics look at them.
#[derive(Debug)]
pub struct CollectedCurves {
    planned: Arc<PlannedTraces>,
    by_series: Vec<Arc<BestCurves>>,
    done: u64,
}

impl CollectedTraces {
    /// None of the planned traces as yet.
    pub fn new(planned: Arc<PlannedTraces>, keep: Keep) -> Self {
        let new = || CollectedSeries {
            traces: KeptTraces::new(keep),
            version: 0,
        };
        Self {
            series: planned.series().iter().map(|_| new()).collect(),
            planned,
        }
    }

    /// All traces of a sweep that are finished by now.
    ///
    /// # Errors
    /// As [`PlannedTraces::open`] and [`Self::read_new`].
    pub async fn of_finished(
        store: &dyn Store,
        sweep: Sweep,
        keep: Keep,
    ) -> Result<Self, CoordinatorError> {
        let mut follower = Follower::new(&sweep);
        let planned = PlannedTraces::open(store, &ObjectiveCache::default(), sweep).await?;
        let mut collected = Self::new(Arc::new(planned), keep);
        follower.scan(store).await?;
        collected.read_new(&follower, store).await?;
        Ok(collected)
    }

    /// Number of jobs whose traces were read, out of [`Sweep::job_count`].
    pub fn done(&self) -> u64 {
        let series = self.series.iter().zip(self.planned.series());
        series
            .map(|(collected, planned)| collected.traces.len() as u64 * planned.places)
            .sum()
    }

    /// The traces of the selected black boxes and methods, one by one. A black box that runs none
    /// of the methods is left out.
    pub fn results(&self, selection: &Selection) -> SweepResults {
        let traces = |position: usize, iterations| self.series[position].traces.traces(iterations);
        self.planned.arrange(selection, traces)
    }

    /// The same for statistics: takes little time and memory, and stays as it is.
    pub fn curves(&self) -> CollectedCurves {
        CollectedCurves {
            planned: Arc::clone(&self.planned),
            by_series: self
                .series
                .iter()
                .map(|series| series.traces.curves())
                .collect(),
            done: self.done(),
        }
    }

    /// Reads the traces of what the follower knows to be done. A call that fails or is dropped
    /// half-way keeps what it read; the next one reads the rest.
    ///
    /// # Errors
    /// [`CoordinatorError::CorruptTrace`] if a trace is damaged: all others are
    /// kept first, and the damaged one is tried again by the next call.
    /// [`CoordinatorError::Transport`] if the store is unavailable.
    pub async fn read_new(
        &mut self,
        follower: &Follower,
        store: &dyn Store,
    ) -> Result<(), CoordinatorError> {
        self.read(self.unread(follower), store).await
    }

    /// What the follower knows to be done and is not read yet.
    pub(crate) fn unread(&self, follower: &Follower) -> Vec<Unread> {
        let unread = follower.series().iter().filter_map(|followed| {
            let position = self.planned.position(followed.id)?;
            let CollectedSeries { traces, version } = &self.series[position];
            (*version != followed.version()).then(|| Unread {
                position,
                version: followed.version(),
                seeds: followed
                    .done()
                    .filter(|seed| !traces.contains(*seed))
                    .collect(),
            })
        });
        unread.collect()
    }

    /// As [`Self::read_new`]; the follower may go on meanwhile.
    pub(crate) async fn read(
        &mut self,
        unread: Vec<Unread>,
        store: &dyn Store,
    ) -> Result<(), CoordinatorError> {
        let planned = Arc::clone(&self.planned);
        let reads = unread.iter().flat_map(|unread| {
            let reads = unread.seeds.chunks(TRACES_PER_READ);
            reads.map(|seeds| (unread.position, seeds.to_vec()))
        });
        let reads: Vec<_> = reads.collect();
        let mut fetches = stream::iter(reads)
            .map(|(position, seeds)| fetch(&planned, position, seeds, store))
            .buffered(CONCURRENT_READS);
        let mut problem = None;
        let mut damaged_series = BTreeSet::new();
        while let Some(fetched) = fetches.next().await {
            let Fetched {
                position,
                sound,
                damaged,
            } = fetched?;
            self.series[position].traces.insert(&sound);
            if let Some(damaged) = damaged {
                damaged_series.insert(position);
                problem.get_or_insert(damaged);
            }
        }
        for unread in unread {
            if !damaged_series.contains(&unread.position) {
                self.series[unread.position].version = unread.version;
            }
        }
        problem.map_or(Ok(()), Err)
    }
}

impl CollectedCurves {
    /// Number of jobs whose traces they show. It grows whenever there is a new one.
    pub fn done(&self) -> u64 {
        self.done
    }

    /// Number of evaluations in these traces.
    pub(crate) fn values(&self) -> u64 {
        let series = self.by_series.iter().zip(self.planned.series());
        series
            .map(|(curves, planned)| curves.len() as u64 * planned.values_per_seed())
            .sum()
    }

    /// Those of the selected black boxes and methods. A black box that runs none of the methods
    /// is left out.
    pub fn select(&self, selection: &Selection) -> SweepCurves {
        let curves = |position: usize, _| Arc::clone(&self.by_series[position]);
        self.planned.arrange(selection, curves)
    }
}

/// The traces of some seeds of a series; each may be damaged by itself. A seed that was announced but
/// is gone from the store is left out.
async fn fetch(
    planned: &PlannedTraces,
    position: usize,
    seeds: Vec<u32>,
    store: &dyn Store,
) -> Result<Fetched, CoordinatorError> {
    let id = planned.series()[position].id;
    let mut fetched = Fetched {
        position,
        sound: Vec::with_capacity(seeds.len()),
        damaged: None,
    };
    if seeds.len() > 1 {
        match store.traces_of(id, &seeds).await {
            Ok(traces) => {
                for (seed, trace) in traces {
                    fetched.add(
                        seed,
                        planned.check_at(position, seed, &trace).map(|()| trace),
                    );
                }
                return Ok(fetched);
            }
            Err(error) if error.concerns_server() => return Err(error.into()),
            Err(_) => {} // One of them is damaged: find out which, below.
        }
    }
    for seed in seeds {
        match store.trace(id, seed).await {
            Ok(Some(trace)) => {
                fetched.add(
                    seed,
                    planned.check_at(position, seed, &trace).map(|()| trace),
                );
            }
            Ok(None) => {}
            Err(error) if error.concerns_server() => return Err(error.into()),
            Err(error) => {
                let problem = TraceProblem::Unreadable(error);
                fetched.add(seed, Err(planned.corrupt(position, seed, problem)));
            }
        }
    }
    Ok(fetched)
}

impl Fetched {
    fn add(&mut self, seed: u32, checked: Result<Trace, CoordinatorError>) {
        match checked {
            Ok(trace) => self.sound.push((seed, trace)),
            Err(error) => {
                self.damaged.get_or_insert(error);
            }
        }
    }
}
