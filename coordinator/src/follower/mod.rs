//! Follows which jobs of a sweep are done, as the store tells it.
//!
//! [`Follower`] alone keeps a place in the store's history. What reads a sweep asks it what is new:
//! [`crate::progress::Tracker`] counts the jobs, [`crate::results::CollectedTraces`] keeps their traces.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::time::Duration;

use loto_proto::identity::{JobId, SeriesId};
use loto_proto::job::Series;
use loto_proto::sweep::Sweep;
use loto_transport::TransportError;
use loto_transport::store::{Cursor, Store};
use tokio::time::Instant;

/// Series asked for in one query: their answers are in memory at a time.
pub(crate) const SERIES_PER_QUERY: usize = 256;

/// Events asked for in one query.
const EVENTS_PER_QUERY: usize = 10_000;

/// Time after which the seeds of all series are asked for again: a server that lost its last
/// seconds may leave gaps in the history, and take back what it told.
const RESCAN_INTERVAL: Duration = Duration::from_secs(60);

/// Knows which jobs of a sweep are done.
#[derive(Clone)]
pub struct Follower {
    seeds: u32,
    series: Vec<FollowedSeries>,
    positions: HashMap<SeriesId, usize>,
    /// Where the history goes on; `None` before the first scan.
    cursor: Option<Cursor>,
    /// Whether the end of the history was found at the last scan.
    history_is_readable: bool,
    /// When the seeds of all series were last asked for.
    scanned: Instant,
}

/// A series of the sweep with its finished seeds.
#[derive(Clone)]
pub struct FollowedSeries {
    pub(crate) id: SeriesId,
    pub(crate) series: Series,
    done: Vec<bool>,
    done_count: u64,
    version: u64,
}

impl FollowedSeries {
    /// Whether the job with this seed is done.
    pub(crate) fn is_done(&self, seed: u32) -> bool {
        self.done.get(seed as usize).copied().unwrap_or(false)
    }

    /// The finished seeds, ascending.
    pub(crate) fn done(&self) -> impl Iterator<Item = u32> {
        let seeds = (0..).zip(&self.done);
        seeds.filter_map(|(seed, done)| done.then_some(seed))
    }

    pub(crate) fn done_count(&self) -> u64 {
        self.done_count
    }

    /// Grows whenever a seed becomes done that was not.
    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// Returns whether that is news. A seed that the sweep does not plan is none of it.
    fn mark_done(&mut self, seed: u32) -> bool {
        match self.done.get_mut(seed as usize) {
            Some(done) if !*done => {
                *done = true;
                self.done_count += 1;
                self.version += 1;
                true
            }
            _ => false,
        }
    }

    /// Takes over what the store holds, which may be less than before.
    fn replace_done(&mut self, seeds: Vec<u32>) {
        let done = vec![false; self.done.len()];
        let before = std::mem::replace(&mut self.done, done);
        let version = self.version;
        self.done_count = 0;
        for seed in seeds {
            self.mark_done(seed);
        }
        let is_new = |(now, before): (&bool, &bool)| *now && !*before;
        let grew = self.done.iter().zip(&before).any(is_new);
        self.version = version + u64::from(grew);
    }
}

impl Follower {
    /// A follower of `sweep` that knows of nothing done as yet.
    pub fn new(sweep: &Sweep) -> Self {
        let mut series = Vec::new();
        let mut positions = HashMap::new();
        for planned in sweep.series() {
            // A series that is planned twice is one set of jobs all the same.
            positions.entry(planned.id()).or_insert_with_key(|&id| {
                series.push(FollowedSeries {
                    id,
                    series: planned,
                    done: vec![false; sweep.seeds as usize],
                    done_count: 0,
                    version: 0,
                });
                series.len() - 1
            });
        }
        Self {
            seeds: sweep.seeds,
            series,
            positions,
            cursor: None,
            history_is_readable: true,
            scanned: Instant::now(),
        }
    }

    /// Number of seeds of the sweep.
    pub(crate) fn seeds(&self) -> u32 {
        self.seeds
    }

    /// Every series of the sweep once, in the order of the plan.
    pub(crate) fn series(&self) -> &[FollowedSeries] {
        &self.series
    }

    /// Where a series is in [`Self::series`].
    pub(crate) fn position(&self, series: SeriesId) -> Option<usize> {
        self.positions.get(&series).copied()
    }

    /// Takes back that a job is done: its trace turned out to be damaged.
    pub(crate) fn set_missing(&mut self, series: SeriesId, seed: u32) {
        let Some(&position) = self.positions.get(&series) else {
            return;
        };
        let series = &mut self.series[position];
        if let Some(done) = series.done.get_mut(seed as usize)
            && std::mem::replace(done, false)
        {
            series.done_count -= 1;
        }
    }

    /// Asks the store which seeds of every series are done.
    ///
    /// # Errors
    /// Whatever the store reports.
    pub async fn scan(&mut self, store: &dyn Store) -> Result<(), TransportError> {
        // The end of the history first: what is done meanwhile is seen twice, not missed.
        let end = match store.latest_cursor().await {
            Err(error) if error.concerns_server() => return Err(error),
            end => end.inspect_err(|error| self.warn_of_history(error)).ok(),
        };
        for batch in self.series.chunks_mut(SERIES_PER_QUERY) {
            let ids: Vec<SeriesId> = batch.iter().map(|series| series.id).collect();
            let seeds_done = store.seeds_done(&ids).await?;
            for (series, seeds) in batch.iter_mut().zip(seeds_done) {
                series.replace_done(seeds);
            }
        }
        self.history_is_readable = end.is_some();
        self.cursor = end;
        self.scanned = Instant::now();
        Ok(())
    }

    /// What is done is in the traces: a damaged history costs time and nothing else.
    fn warn_of_history(&self, error: &TransportError) {
        if self.history_is_readable {
            tracing::warn!("{error}; asking for the seeds of all series instead");
        }
    }

    /// Takes in what became done since the last call: from the history, unless that is incomplete
    /// or was trusted for long enough.
    ///
    /// # Errors
    /// Whatever the store reports.
    pub async fn follow(&mut self, store: &dyn Store) -> Result<(), TransportError> {
        while let Some(cursor) = &self.cursor
            && self.scanned.elapsed() < RESCAN_INTERVAL
        {
            let news = match store.events_after(cursor, EVENTS_PER_QUERY).await {
                Err(error) if error.concerns_server() => return Err(error),
                Err(error) => {
                    self.warn_of_history(&error);
                    break;
                }
                Ok(news) if news.incomplete => break,
                Ok(news) => news,
            };
            self.cursor = Some(news.next);
            for event in &news.events {
                if let Some(&position) = self.positions.get(&event.series)
                    && self.series[position].mark_done(event.seed)
                {
                    tracing::debug!(id = %JobId::new(event.series, event.seed), "done");
                }
            }
            if news.events.len() < EVENTS_PER_QUERY {
                return Ok(());
            }
        }
        self.scan(store).await
    }
}
