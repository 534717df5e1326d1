//! Reads a sweep's finished traces from the store, each once.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures::{StreamExt, stream};
use loto_proto::sweep::Sweep;
use loto_proto::trace::Trace;
use loto_statistics::analysis::LinearAlgebra;
use loto_statistics::results::{BestCurves, SweepResults};
use loto_transport::store::Store;

use super::kept_traces::KeptTraces;
use super::linear_algebra::LinearAlgebraCounts;
use super::objectives::{ObjectiveCache, TableContent};
use super::planned_traces::{Place, PlannedSeries, PlannedTraces};
use super::program_counts::{self, ProgramCounts};
use super::reading::{CONCURRENT_READS, TRACES_PER_READ, fetch};
use super::selection::Selection;
use crate::CoordinatorError;
use crate::follower::Follower;
use crate::trace_check::DamagedTrace;

/// The finished traces of one sweep, as far as they were read and are kept.
#[derive(Debug, Clone)]
pub struct CollectedTraces<Kept> {
    planned: Arc<PlannedTraces>,
    series: Vec<CollectedSeries<Kept>>,
    linear_algebra: LinearAlgebraCounts,
    programs: ProgramCounts,
}

/// The finished traces of one sweep as statistics look at them; a copy takes little time and memory.
pub type CollectedCurves = CollectedTraces<Arc<BestCurves>>;

#[derive(Debug, Clone)]
struct CollectedSeries<Kept> {
    /// The traces on each task of the series: more than one in a stream.
    by_task: Vec<Kept>,
    /// Version of the [`Follower`]'s series up to which everything was read.
    version: u64,
}

impl<Kept: KeptTraces> CollectedSeries<Kept> {
    fn new(planned: &PlannedSeries) -> Self {
        Self {
            by_task: vec![Kept::default(); planned.objective.tasks().len()],
            version: 0,
        }
    }

    /// Number of jobs whose traces are here.
    fn count(&self) -> usize {
        self.by_task.first().map_or(0, KeptTraces::count)
    }

    fn contains(&self, seed: u32) -> bool {
        let first = self.by_task.first();
        first.is_some_and(|traces| traces.contains(seed))
    }

    /// Adds checked traces by their seeds.
    fn insert(&mut self, planned: &PlannedSeries, new: Vec<(u32, Trace)>) {
        let mut by_task = vec![Vec::with_capacity(new.len()); self.by_task.len()];
        for (seed, trace) in new {
            let parts = planned.objective.split(seed, trace);
            for (of_task, part) in by_task.iter_mut().zip(parts) {
                of_task.push((seed, part));
            }
        }
        let tasks = planned.objective.tasks().iter();
        for ((kept, new), task) in self.by_task.iter_mut().zip(by_task).zip(tasks) {
            kept.insert(task, new);
        }
    }
}

/// The finished jobs of a series whose traces are not read yet.
pub(crate) struct Unread {
    position: usize,
    version: u64,
    seeds: Vec<u32>,
}

impl<Kept: KeptTraces> CollectedTraces<Kept> {
    /// None of the planned traces as yet.
    pub fn new(planned: Arc<PlannedTraces>) -> Self {
        Self {
            series: planned.series().iter().map(CollectedSeries::new).collect(),
            linear_algebra: LinearAlgebraCounts::default(),
            programs: ProgramCounts::default(),
            planned,
        }
    }

    /// All traces of a sweep that are finished by now, and those that are damaged and left out.
    ///
    /// # Errors
    /// As [`PlannedTraces::open`]; [`CoordinatorError::Transport`] if the store is unavailable.
    pub async fn of_finished(
        store: &dyn Store,
        sweep: Sweep,
    ) -> Result<(Self, Vec<DamagedTrace>), CoordinatorError> {
        let mut follower = Follower::new(&sweep);
        let planned = PlannedTraces::open(store, &ObjectiveCache::default(), sweep).await?;
        let mut collected = Self::new(Arc::new(planned));
        follower.scan(store).await?;
        let unread = collected.unread(&follower);
        let damaged = collected.read_sound(unread, store).await?;
        Ok((collected, damaged))
    }

    /// Number of jobs whose traces were read, out of [`Sweep::job_count`]. It grows whenever
    /// there is a new one.
    pub fn done(&self) -> u64 {
        self.sum(|_| 1)
    }

    /// What the tables of the sweep's black boxes hold apart from their values, in order.
    pub fn tables(&self) -> impl Iterator<Item = &TableContent> {
        self.planned.tables()
    }

    /// The linear algebra that computed these traces.
    pub fn linear_algebra(&self) -> Vec<LinearAlgebra> {
        self.linear_algebra.most_frequent_first()
    }

    /// What these traces tell of the programs of external methods.
    pub fn programs(&self) -> &ProgramCounts {
        &self.programs
    }

    /// Number of evaluations in these traces.
    pub(crate) fn evaluations(&self) -> u64 {
        self.sum(|series| u64::from(series.series.iterations))
    }

    /// Adds up what each trace counts for, wherever the sweep shows it.
    fn sum(&self, of_trace: impl Fn(&PlannedSeries) -> u64) -> u64 {
        let series = self.series.iter().zip(self.planned.series());
        series
            .map(|(series, planned)| series.count() as u64 * planned.places * of_trace(planned))
            .sum()
    }

    /// The traces of the selected black boxes and methods. A black box that runs none of the
    /// methods is left out.
    pub fn results(&self, selection: &Selection) -> SweepResults<Kept> {
        let traces = |place: Place| self.series[place.series].by_task[place.task].clone();
        self.planned.arrange(selection, traces)
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
            let collected = &self.series[position];
            (collected.version != followed.version()).then(|| Unread {
                position,
                version: followed.version(),
                seeds: followed
                    .done()
                    .filter(|seed| !collected.contains(*seed))
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
        let damaged = self.read_sound(unread, store).await?;
        let first = damaged.into_iter().next();
        first.map_or(Ok(()), |damaged| Err(self.planned.corrupt(damaged)))
    }

    /// As [`Self::read_new`], but damaged traces are left out and returned.
    async fn read_sound(
        &mut self,
        unread: Vec<Unread>,
        store: &dyn Store,
    ) -> Result<Vec<DamagedTrace>, CoordinatorError> {
        let planned = Arc::clone(&self.planned);
        let reads = unread.iter().flat_map(|unread| {
            let reads = unread.seeds.chunks(TRACES_PER_READ);
            reads.map(|seeds| (unread.position, seeds.to_vec()))
        });
        let reads: Vec<_> = reads.collect();
        let mut fetches = stream::iter(reads)
            .map(|(position, seeds)| {
                let asked = seeds.len();
                let fetching = fetch(planned.series()[position].expected(), seeds, store);
                async move { Ok::<_, CoordinatorError>((position, asked, fetching.await?)) }
            })
            .buffered(CONCURRENT_READS);
        let mut damaged = Vec::new();
        let mut incomplete_series = BTreeSet::new();
        while let Some(fetched) = fetches.next().await {
            let (position, asked, fetched) = fetched?;
            // A damaged trace may have been taken out since the follower heard of it. When its job is done again,
            // that is no news to the follower.
            if fetched.sound.len() < asked {
                incomplete_series.insert(position);
            }
            for (_, trace) in &fetched.sound {
                self.linear_algebra.count(&trace.linear_algebra);
                let series = &planned.series()[position].series;
                program_counts::count(&mut self.programs, series, trace);
            }
            self.series[position].insert(&planned.series()[position], fetched.sound);
            damaged.extend(fetched.damaged);
        }
        for unread in unread {
            if !incomplete_series.contains(&unread.position) {
                self.series[unread.position].version = unread.version;
            }
        }
        Ok(damaged)
    }
}
