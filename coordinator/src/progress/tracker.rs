//! Follows a sweep through the store.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::time::{Duration, Instant};

use loto_proto::attempt::{Attempt, AttemptState};
use loto_proto::identity::{JobId, SeriesId};
use loto_proto::job::{Job, Series};
use loto_proto::sweep::Sweep;
use loto_transport::TransportError;
use loto_transport::store::{Cursor, Store};

use super::{Counts, GroupProgress, PoisonedJob, Progress};
use crate::cost::CostModel;
use crate::cost::order::longest_group_first;
use crate::plan::Plan;

/// Series asked for in one query.
const SERIES_PER_QUERY: usize = 256;

/// Events asked for in one query.
const EVENTS_PER_QUERY: usize = 10_000;

/// Time after which everything is asked for again.
const RESCAN_INTERVAL: Duration = Duration::from_secs(60);

/// Traces read for their cost at a time.
const TRACES_PER_MEASUREMENT: usize = 2000;

/// Knows which jobs of a sweep are done. [`Tracker::scan`] asks the store for
/// everything; [`Tracker::follow`] only for what is new. [`Tracker::measure`] learns
/// what the jobs cost.
#[derive(Clone)]
pub struct Tracker {
    seeds: u32,
    groups: Vec<(String, String)>,
    series: Vec<TrackedSeries>,
    positions: HashMap<SeriesId, usize>,
    cursor: Cursor,
    /// When everything was last asked for.
    scanned: Option<Instant>,
    costs: CostModel,
}

#[derive(Clone)]
struct TrackedSeries {
    id: SeriesId,
    series: Series,
    group: usize,
    done: Vec<bool>,
    attempts: BTreeMap<u32, Attempt>,
}

impl TrackedSeries {
    fn is_done(&self, seed: u32) -> bool {
        self.done.get(seed as usize).copied().unwrap_or(false)
    }

    fn done_count(&self) -> u64 {
        self.done.iter().filter(|done| **done).count() as u64
    }

    /// Attempts at the jobs that the sweep plans and that are not done.
    fn current_attempts(&self) -> impl Iterator<Item = (u32, &Attempt)> {
        let attempts = self.attempts.iter().map(|(seed, attempt)| (*seed, attempt));
        attempts.filter(|(seed, _)| self.done.get(*seed as usize) == Some(&false))
    }

    fn is_poisoned(&self, seed: u32) -> bool {
        let attempt = self.attempts.get(&seed);
        attempt.is_some_and(|attempt| attempt.state == AttemptState::Poisoned)
    }
}

impl Tracker {
    /// A tracker of `sweep` that knows of nothing done as yet.
    pub fn new(sweep: &Sweep) -> Self {
        Self::with_rows(sweep, |_| None)
    }

    /// As [`Self::new`]; the tables at hand tell what is costly before anything is done.
    pub fn of_plan(plan: &Plan) -> Self {
        Self::with_rows(&plan.sweep, |series| plan.rows(series))
    }

    fn with_rows(sweep: &Sweep, rows: impl Fn(&Series) -> Option<usize>) -> Self {
        let mut groups = Vec::new();
        let mut group_of = HashMap::new();
        for blackbox in &sweep.blackboxes {
            for method in &blackbox.methods {
                for target in &blackbox.targets {
                    group_of.insert(blackbox.series(method, target), groups.len());
                }
                groups.push((blackbox.name.clone(), method.id.clone()));
            }
        }
        let mut tracked = Vec::new();
        let mut positions = HashMap::new();
        for series in sweep.series() {
            // A series that is planned twice is one set of jobs all the same.
            let Some(group) = group_of.remove(&series) else {
                continue;
            };
            let id = series.id();
            positions.insert(id, tracked.len());
            tracked.push(TrackedSeries {
                id,
                series,
                group,
                done: vec![false; sweep.seeds as usize],
                attempts: BTreeMap::new(),
            });
        }
        let costs = CostModel::new(tracked.iter().map(|tracked| &tracked.series), rows);
        Self {
            seeds: sweep.seeds,
            groups,
            series: tracked,
            positions,
            cursor: Cursor::default(),
            scanned: None,
            costs,
        }
    }

    /// Asks the store which seeds of every series are done, and for the attempts at the others.
    ///
    /// # Errors
    /// Whatever the store reports.
    pub async fn scan(&mut self, store: &dyn Store) -> Result<(), TransportError> {
        // The end of the history first: what is done meanwhile is seen twice, not missed.
        let end = store.latest_cursor().await?;
        for batch in self.series.chunks_mut(SERIES_PER_QUERY) {
            let ids: Vec<SeriesId> = batch.iter().map(|series| series.id).collect();
            let seeds = store.seeds_done(&ids).await?;
            for (series, seeds) in batch.iter_mut().zip(seeds) {
                series.done.fill(false);
                for seed in seeds {
                    if let Some(done) = series.done.get_mut(seed as usize) {
                        *done = true;
                    }
                }
            }
        }
        self.cursor = end;
        self.scanned = Some(Instant::now());
        self.scan_attempts(store).await
    }

    /// Takes in what became done since the last call, and the attempts at the rest. Now and
    /// then everything is asked for: a server that lost its last seconds may leave gaps in the history.
    ///
    /// # Errors
    /// Whatever the store reports.
    pub async fn follow(&mut self, store: &dyn Store) -> Result<(), TransportError> {
        let scanned = self.scanned.map(|scanned| scanned.elapsed());
        if scanned.is_some_and(|age| age >= RESCAN_INTERVAL) {
            return self.scan(store).await;
        }
        loop {
            let news = store.events_after(&self.cursor, EVENTS_PER_QUERY).await?;
            if news.incomplete {
                return self.scan(store).await;
            }
            self.cursor = news.next;
            if news.events.is_empty() {
                break;
            }
            for event in news.events {
                if let Some(&position) = self.positions.get(&event.series)
                    && let Some(done) = self.series[position].done.get_mut(event.seed as usize)
                {
                    *done = true;
                    tracing::debug!(id = %JobId::new(event.series, event.seed), "done");
                }
            }
        }
        self.scan_attempts(store).await
    }

    async fn scan_attempts(&mut self, store: &dyn Store) -> Result<(), TransportError> {
        let seeds = u64::from(self.seeds);
        let mut unfinished: Vec<&mut TrackedSeries> = Vec::new();
        for series in &mut self.series {
            if series.done_count() < seeds {
                unfinished.push(series);
            } else {
                series.attempts.clear();
            }
        }
        for batch in unfinished.chunks_mut(SERIES_PER_QUERY) {
            let ids: Vec<SeriesId> = batch.iter().map(|series| series.id).collect();
            let attempts = store.attempts(&ids).await?;
            for (series, attempts) in batch.iter_mut().zip(attempts) {
                series.attempts = attempts.into_iter().collect();
            }
        }
        Ok(())
    }

    /// Whether [`Self::measure`] may learn from further traces.
    pub fn may_measure(&self) -> bool {
        (0..self.series.len()).any(|series| self.costs.samples_wanted(series) > 0)
    }

    /// Learns what jobs cost from a few of the traces that are known to be done: at
    /// most 3 of each series. A damaged trace is passed over: the report names it.
    ///
    /// # Errors
    /// Whatever the store reports.
    pub async fn measure(&mut self, store: &dyn Store) -> Result<(), TransportError> {
        let mut wanted = Vec::new();
        for (position, series) in self.series.iter().enumerate() {
            let done = (0..self.seeds).filter(|&seed| series.is_done(seed));
            let unseen = done.filter(|&seed| !self.costs.has_seen(position, seed));
            let few = unseen.take(self.costs.samples_wanted(position));
            wanted.extend(few.map(|seed| (position, seed)));
        }
        wanted.truncate(TRACES_PER_MEASUREMENT);
        for &(position, seed) in &wanted {
            match store.trace(self.series[position].id, seed).await {
                Ok(trace) => self.costs.measure(position, seed, trace.as_ref()),
                Err(error) if error.concerns_server() => return Err(error),
                Err(_) => self.costs.measure(position, seed, None),
            }
        }
        if !wanted.is_empty() {
            self.costs.estimate();
        }
        Ok(())
    }

    /// Number of seeds of the sweep.
    pub fn seeds(&self) -> u32 {
        self.seeds
    }

    /// Number of jobs per seed.
    pub fn jobs_per_seed(&self) -> usize {
        self.series.len()
    }

    /// Whether the job with this series and seed is one of the sweep's.
    pub fn plans(&self, series: SeriesId, seed: u32) -> bool {
        seed < self.seeds && self.positions.contains_key(&series)
    }

    /// Whether a job of the sweep is neither done nor given up.
    pub fn is_missing(&self, series: SeriesId, seed: u32) -> bool {
        self.positions.get(&series).is_some_and(|&position| {
            let series = &self.series[position];
            !series.is_done(seed) && !series.is_poisoned(seed)
        })
    }

    /// The ids of the jobs that are neither done nor given up.
    pub fn unfinished(&self) -> impl Iterator<Item = JobId> {
        self.series.iter().flat_map(|series| {
            let seeds = 0..self.seeds;
            let left = seeds.filter(|&seed| !series.is_done(seed) && !series.is_poisoned(seed));
            left.map(|seed| JobId::new(series.id, seed))
        })
    }

    /// Counts the jobs by state.
    pub fn progress(&self) -> Progress {
        let new_group = |(blackbox, method): &(String, String)| GroupProgress {
            blackbox: blackbox.clone(),
            method: method.clone(),
            counts: Counts::default(),
            cpu_time: Duration::ZERO,
        };
        let mut groups: Vec<_> = self.groups.iter().map(new_group).collect();
        let mut cpu_seconds: Vec<Vec<f64>> = vec![Vec::new(); groups.len()];
        let mut total = Counts::default();
        for (series, &seconds) in self.series.iter().zip(self.costs.seconds()) {
            let attempts = series.current_attempts().map(|(_, attempt)| attempt);
            let counts = Counts::of_series(u64::from(self.seeds), series.done_count(), attempts);
            groups[series.group].counts += counts;
            cpu_seconds[series.group].push(seconds);
            total += counts;
        }
        for (group, seconds) in groups.iter_mut().zip(cpu_seconds) {
            let mean = seconds.iter().sum::<f64>() / seconds.len().max(1) as f64;
            group.cpu_time = Duration::try_from_secs_f64(mean).unwrap_or(Duration::MAX);
        }
        Progress { total, groups }
    }

    /// The jobs that are neither done nor given up, in the order in which they are best
    /// run: seed by seed, so that a sweep that is half done has all methods on equal
    /// terms, and the costliest first within a seed.
    pub fn missing(&self) -> impl Iterator<Item = Job> + '_ {
        self.missing_of_seeds(0..self.seeds)
    }

    /// The jobs of [`Self::missing`] with these seeds.
    pub fn missing_of_seeds(&self, seeds: Range<u32>) -> impl Iterator<Item = Job> + '_ {
        let order = self.order();
        seeds.flat_map(move |seed| self.missing_of(seed, order.clone()))
    }

    fn order(&self) -> Vec<usize> {
        let groups: Vec<usize> = self.series.iter().map(|series| series.group).collect();
        longest_group_first(&groups, self.costs.seconds())
    }

    fn missing_of(&self, seed: u32, order: Vec<usize>) -> impl Iterator<Item = Job> + '_ {
        let series = order.into_iter().map(|position| &self.series[position]);
        let missing = series.filter(move |s| !s.is_done(seed) && !s.is_poisoned(seed));
        missing.map(move |series| Job {
            series: series.series.clone(),
            seed,
        })
    }

    /// The jobs that were given up, in the order of the sweep.
    pub fn poisoned(&self) -> impl Iterator<Item = PoisonedJob> + '_ {
        self.series.iter().flat_map(|series| {
            let poisoned = series
                .current_attempts()
                .filter(|(_, attempt)| attempt.state == AttemptState::Poisoned);
            poisoned.map(|(seed, attempt)| PoisonedJob {
                blackbox: self.groups[series.group].0.clone(),
                job: Job {
                    series: series.series.clone(),
                    seed,
                },
                attempt: attempt.clone(),
            })
        })
    }
}
