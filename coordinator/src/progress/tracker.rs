//! Knows the state and the expected cost of each job of a sweep.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use futures::future::join_all;
use loto_proto::attempt::{Attempt, AttemptState};
use loto_proto::identity::{JobId, SeriesId};
use loto_proto::job::{Job, Series};
use loto_proto::sweep::Sweep;
use loto_transport::TransportError;
use loto_transport::store::Store;

use super::{Counts, GroupProgress, PoisonedJob, Progress};
use crate::cost::CostModel;
use crate::cost::order::longest_group_first;
use crate::follower::{FollowedSeries, Follower, SERIES_PER_QUERY};
use crate::plan::Plan;
use crate::shard::Share;

/// Traces read for their cost at a time.
const TRACES_PER_MEASUREMENT: usize = 2000;

/// Traces asked for at a time to learn what jobs cost.
const CONCURRENT_MEASUREMENTS: usize = 256;

/// The state of every job of a sweep: what is done, as [`Follower`] finds it, and the attempts at the
/// rest. [`Tracker::scan`] asks the store for everything; [`Tracker::follow`] only for what is
/// new. [`Tracker::measure`] learns what the jobs cost.
#[derive(Clone)]
pub struct Tracker {
    follower: Follower,
    /// Last attempts at the unfinished jobs by seed, for each series of the follower.
    attempts: Vec<BTreeMap<u32, Attempt>>,
    /// Names of black box and method.
    groups: Vec<(String, String)>,
    /// The group of each series.
    group_of: Vec<usize>,
    costs: CostModel,
    /// By series, whether the job with each seed counts; all do if there is nothing.
    share: Option<Vec<Vec<bool>>>,
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
        let follower = Follower::new(sweep);
        let series = follower.series();
        let mut groups = Vec::new();
        let mut group_of = vec![0; series.len()];
        for blackbox in &sweep.blackboxes {
            for method in &blackbox.methods {
                for target in &blackbox.targets {
                    let id = blackbox.series(method, target).id();
                    if let Some(position) = follower.position(id) {
                        group_of[position] = groups.len();
                    }
                }
                groups.push((blackbox.name.clone(), method.label().to_owned()));
            }
        }
        let costs = CostModel::new(series.iter().map(|followed| &followed.series), rows);
        Self {
            attempts: vec![BTreeMap::new(); series.len()],
            follower,
            groups,
            group_of,
            costs,
            share: None,
        }
    }

    /// The same of the jobs of this share alone: no other one is counted, missing or poisoned.
    #[must_use]
    pub(crate) fn only(mut self, share: &Share) -> Self {
        let series = self.follower.series().iter();
        self.share = Some(
            series
                .map(|followed| share.seeds(&followed.series))
                .collect(),
        );
        self
    }

    /// Whether a job is looked after, its series by position.
    fn counts_at(&self, position: usize, seed: u32) -> bool {
        let seeds = self.share.as_ref().map(|share| &share[position]);
        seeds.is_none_or(|seeds| seeds.get(seed as usize).copied().unwrap_or(false))
    }

    /// How many jobs of a series there are, and how many of them are done.
    fn planned_and_done(&self, position: usize) -> (u64, u64) {
        let series = &self.follower.series()[position];
        match &self.share {
            None => (u64::from(self.seeds()), series.done_count()),
            Some(share) => {
                let planned = share[position].iter().filter(|counts| **counts).count();
                let done = series.done().filter(|&seed| self.counts_at(position, seed));
                (planned as u64, done.count() as u64)
            }
        }
    }

    /// Asks the store which seeds of every series are done, and for the attempts at the others.
    ///
    /// # Errors
    /// Whatever the store reports.
    pub async fn scan(&mut self, store: &dyn Store) -> Result<(), TransportError> {
        self.follower.scan(store).await?;
        self.scan_attempts(store).await
    }

    /// Takes in what became done since the last call, and the attempts at the rest.
    ///
    /// # Errors
    /// Whatever the store reports.
    pub async fn follow(&mut self, store: &dyn Store) -> Result<(), TransportError> {
        self.follower.follow(store).await?;
        self.scan_attempts(store).await
    }

    /// As [`Self::follow`] without the attempts; gives what is known to be done.
    ///
    /// # Errors
    /// Whatever the store reports.
    pub(crate) async fn follow_done(
        &mut self,
        store: &dyn Store,
    ) -> Result<&Follower, TransportError> {
        self.follower.follow(store).await?;
        Ok(&self.follower)
    }

    /// What is known to be done.
    pub(crate) fn follower(&self) -> &Follower {
        &self.follower
    }

    /// Takes back that a job is done: its trace turned out to be damaged.
    pub(crate) fn set_missing(&mut self, job: &Job) {
        self.follower.set_missing(job.series.id(), job.seed);
    }

    async fn scan_attempts(&mut self, store: &dyn Store) -> Result<(), TransportError> {
        let seeds = u64::from(self.seeds());
        let mut unfinished = Vec::new();
        for (series, attempts) in self.follower.series().iter().zip(&mut self.attempts) {
            if series.done_count() < seeds {
                unfinished.push((series.id, attempts));
            } else {
                attempts.clear();
            }
        }
        for batch in unfinished.chunks_mut(SERIES_PER_QUERY) {
            let ids: Vec<SeriesId> = batch.iter().map(|(id, _)| *id).collect();
            let found = store.attempts(&ids).await?;
            for ((_, attempts), found) in batch.iter_mut().zip(found) {
                **attempts = found.into_iter().collect();
            }
        }
        Ok(())
    }

    /// Whether [`Self::measure`] may learn from further traces.
    pub fn may_measure(&self) -> bool {
        (0..self.jobs_per_seed()).any(|series| self.costs.samples_wanted(series) > 0)
    }

    /// Learns what jobs cost from a few of the traces that are known to be done: at
    /// most 3 of each series. A damaged trace is passed over: the report names it. Returns whether there is more
    /// to learn from than was read at once.
    ///
    /// # Errors
    /// Whatever the store reports.
    pub async fn measure(&mut self, store: &dyn Store) -> Result<bool, TransportError> {
        let mut wanted = Vec::new();
        for (position, series) in self.follower.series().iter().enumerate() {
            let unseen = series
                .done()
                .filter(|&seed| !self.costs.has_seen(position, seed));
            let few = unseen.take(self.costs.samples_wanted(position));
            wanted.extend(few.map(|seed| (position, series.id, seed)));
        }
        let is_more = wanted.len() > TRACES_PER_MEASUREMENT;
        wanted.truncate(TRACES_PER_MEASUREMENT);
        // One after the other, each would wait behind what else is read of the store meanwhile.
        for batch in wanted.chunks(CONCURRENT_MEASUREMENTS) {
            let reading = batch.iter();
            let read = join_all(reading.map(|&(_, series, seed)| store.trace(series, seed))).await;
            for (&(position, _, seed), trace) in batch.iter().zip(read) {
                match trace {
                    Ok(trace) => self.costs.measure(position, seed, trace.as_ref()),
                    Err(error) if error.concerns_server() => return Err(error),
                    Err(_) => self.costs.measure(position, seed, None),
                }
            }
        }
        if !wanted.is_empty() {
            self.costs.estimate();
        }
        Ok(is_more)
    }

    /// Number of seeds of the sweep.
    pub fn seeds(&self) -> u32 {
        self.follower.seeds()
    }

    /// Number of jobs per seed.
    pub fn jobs_per_seed(&self) -> usize {
        self.follower.series().len()
    }

    /// Whether the job with this series and seed is one of the sweep's.
    pub fn plans(&self, series: SeriesId, seed: u32) -> bool {
        let position = self.follower.position(series);
        seed < self.seeds() && position.is_some_and(|position| self.counts_at(position, seed))
    }

    /// Whether a job of the sweep is neither done nor poisoned.
    pub fn is_missing(&self, series: SeriesId, seed: u32) -> bool {
        let position = self.follower.position(series);
        position.is_some_and(|position| self.is_missing_at(position, seed))
    }

    fn is_missing_at(&self, position: usize, seed: u32) -> bool {
        let attempt = self.attempts[position].get(&seed);
        let poisoned = attempt.is_some_and(|attempt| attempt.state == AttemptState::Poisoned);
        let is_done = self.follower.series()[position].is_done(seed);
        !poisoned && !is_done && self.counts_at(position, seed)
    }

    /// Whether every job of this sweep is one of `other` as well.
    pub(crate) fn is_part_of(&self, other: &Self) -> bool {
        let mut series = self.follower.series().iter();
        self.seeds() <= other.seeds()
            && series.all(|followed| other.follower.position(followed.id).is_some())
    }

    /// The ids of the jobs that are neither done nor poisoned, each with the worker that last began
    /// it, if that attempt has no end yet.
    pub fn unfinished(&self) -> impl Iterator<Item = (JobId, Option<&str>)> {
        self.missing_at(self.seeds())
            .map(|(position, series, seed)| {
                let id = JobId::new(series, seed);
                (id, self.running_at(position, seed))
            })
    }

    /// The jobs of the first seeds that are neither done nor poisoned nor running: those that need a
    /// message on the queue.
    pub(crate) fn waiting(&self, seeds: u32) -> impl Iterator<Item = (SeriesId, u32)> {
        self.missing_at(seeds.min(self.seeds()))
            .filter(|(position, _, seed)| self.running_at(*position, *seed).is_none())
            .map(|(_, series, seed)| (series, seed))
    }

    fn missing_at(&self, seeds: u32) -> impl Iterator<Item = (usize, SeriesId, u32)> {
        let series = self.follower.series().iter().enumerate();
        series.flat_map(move |(position, series)| {
            let missing = (0..seeds).filter(move |&seed| self.is_missing_at(position, seed));
            missing.map(move |seed| (position, series.id, seed))
        })
    }

    /// The worker that runs a job, or died while it did.
    fn running_at(&self, position: usize, seed: u32) -> Option<&str> {
        let attempt = self.attempts[position].get(&seed)?;
        (attempt.state == AttemptState::Running).then_some(attempt.worker.as_str())
    }

    /// Attempts at the jobs of a series that the sweep plans and that are not done.
    fn current_attempts(&self, position: usize) -> impl Iterator<Item = (u32, &Attempt)> {
        let series = &self.follower.series()[position];
        let attempts = self.attempts[position].iter();
        attempts
            .map(|(&seed, attempt)| (seed, attempt))
            .filter(move |(seed, _)| *seed < self.seeds() && !series.is_done(*seed))
            .filter(move |(seed, _)| self.counts_at(position, *seed))
    }

    /// Counts the jobs by state.
    pub fn progress(&self) -> Progress {
        let new_group = |(blackbox, method): &(String, String)| GroupProgress {
            blackbox: blackbox.clone(),
            method: method.clone(),
            counts: Counts::default(),
            cpu_time: Duration::ZERO,
            is_timed: true,
        };
        let mut groups: Vec<_> = self.groups.iter().map(new_group).collect();
        let mut cpu_seconds: Vec<Vec<f64>> = vec![Vec::new(); groups.len()];
        let mut total = Counts::default();
        for (position, CountedSeries { group, counts, .. }) in self.counted_series().enumerate() {
            groups[group].counts += counts;
            cpu_seconds[group].push(self.costs.seconds()[position]);
            groups[group].is_timed &= self.costs.is_timed(position);
            total += counts;
        }
        for (group, seconds) in groups.iter_mut().zip(cpu_seconds) {
            let mean = seconds.iter().sum::<f64>() / seconds.len().max(1) as f64;
            group.cpu_time = Duration::try_from_secs_f64(mean).unwrap_or(Duration::MAX);
        }
        Progress {
            total,
            groups,
            workers: None,
        }
    }

    /// Every series, with the position of its group in [`Progress::groups`] and its jobs by state.
    pub(crate) fn counted_series(&self) -> impl Iterator<Item = CountedSeries<'_>> {
        let series = self.follower.series().iter().enumerate();
        series.map(|(position, followed)| {
            let attempts = self.current_attempts(position).map(|(_, attempt)| attempt);
            let (planned, done) = self.planned_and_done(position);
            CountedSeries {
                id: followed.id,
                task: &followed.series.task,
                group: self.group_of[position],
                counts: Counts::of_series(planned, done, attempts),
            }
        })
    }

    /// The jobs that are neither done nor poisoned, in the order in which they are best
    /// run: seed by seed, so that a sweep that is half done has all methods on equal
    /// terms, and the costliest first within a seed.
    pub fn missing(&self) -> impl Iterator<Item = Job> + '_ {
        self.missing_of_seeds(0..self.seeds())
    }

    /// The jobs of [`Self::missing`] with these seeds.
    pub fn missing_of_seeds(&self, seeds: Range<u32>) -> impl Iterator<Item = Job> + '_ {
        let order = longest_group_first(&self.group_of, self.costs.seconds());
        seeds.flat_map(move |seed| self.missing_of(seed, order.clone()))
    }

    fn missing_of(&self, seed: u32, order: Vec<usize>) -> impl Iterator<Item = Job> + '_ {
        let missing = order.into_iter();
        missing
            .filter(move |&position| self.is_missing_at(position, seed))
            .map(move |position| job(&self.follower.series()[position], seed))
    }

    /// The poisoned jobs, in the order of the sweep.
    pub fn poisoned(&self) -> impl Iterator<Item = PoisonedJob> + '_ {
        let series = self.follower.series().iter().enumerate();
        series.flat_map(move |(position, series)| {
            let attempts = self.current_attempts(position);
            let poisoned = attempts.filter(|(_, attempt)| attempt.state == AttemptState::Poisoned);
            poisoned.map(move |(seed, attempt)| PoisonedJob {
                blackbox: self.groups[self.group_of[position]].0.clone(),
                job: job(series, seed),
                attempt: attempt.clone(),
            })
        })
    }
}

/// The jobs of one series, counted.
pub(crate) struct CountedSeries<'a> {
    pub(crate) id: SeriesId,
    pub(crate) task: &'a str,
    /// Position of its black box and method in [`Progress::groups`].
    pub(crate) group: usize,
    pub(crate) counts: Counts,
}

fn job(followed: &FollowedSeries, seed: u32) -> Job {
    Job {
        series: followed.series.clone(),
        seed,
    }
}
