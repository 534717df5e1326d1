//! The workers of a store as a page shows them, and the alarms of the store that they depend on.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use loto_proto::heartbeat::{Heartbeat, remark_of, tally_of};
use loto_transport::TransportError;
use loto_transport::store::Store;
use tokio::time::Instant;

use crate::dispatch::{WorkerRemarks, remarks_of};

/// Most workers that are listed.
const LISTED: usize = 200;

/// Time between two looks: workers tell of themselves every five seconds.
const INTERVAL: Duration = Duration::from_secs(2);

/// A rate is that of this time.
const RATE_WINDOW: Duration = Duration::from_secs(60);

/// What a worker finished in less time says little of its rate.
const LEAST_RATE_WINDOW: Duration = Duration::from_secs(10);

/// A worker at one moment.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct WorkerState {
    pub(crate) name: String,
    /// Number of jobs that it holds.
    pub(crate) jobs: usize,
    /// How long its last heartbeat is known.
    pub(crate) silent: Duration,
    /// Jobs that it brings to their end in a minute; `None` until that is known.
    pub(crate) per_minute: Option<f64>,
}

/// What is known of the workers of a store.
#[derive(Default)]
pub(super) struct Workers {
    looked: Option<Instant>,
    known: BTreeMap<String, Known>,
    pub(super) remarks: WorkerRemarks,
    pub(super) alarms: Vec<String>,
    /// Whether the log says that this store may not be asked for alarms.
    refusal_is_told: bool,
}

/// What is known of one worker.
struct Known {
    /// The number of the last heartbeat, and since when it is the last.
    number: u64,
    since: Instant,
    /// Number of jobs that it holds.
    jobs: usize,
    /// How many jobs it had finished when; the oldest first.
    finished: VecDeque<(Instant, u64)>,
}

impl Workers {
    /// Asks the store for what is older than [`INTERVAL`].
    ///
    /// # Errors
    /// Whatever the store reports.
    pub(super) async fn look(&mut self, store: &dyn Store) -> Result<(), TransportError> {
        let now = Instant::now();
        let is_fresh = |looked| now.duration_since(looked) < INTERVAL;
        if self.looked.is_some_and(is_fresh) {
            return Ok(());
        }
        self.looked = Some(now);
        self.alarms = match store.alarms().await {
            Err(error @ TransportError::Refused { .. }) => {
                if !std::mem::replace(&mut self.refusal_is_told, true) {
                    tracing::warn!("{error}; pages show no alarms of the store");
                }
                Vec::new()
            }
            alarms => alarms?,
        };
        let heartbeats = store.heartbeats().await?;
        self.remarks = remarks_of(&heartbeats);
        self.take_in(now, &heartbeats);
        Ok(())
    }

    /// Takes in what workers tell of themselves now.
    fn take_in(&mut self, now: Instant, heartbeats: &[(String, Heartbeat)]) {
        let mut before = std::mem::take(&mut self.known);
        let workers = heartbeats
            .iter()
            .filter(|(name, _)| remark_of(name).is_none());
        for (name, heartbeat) in workers.take(LISTED) {
            let before = before.remove(name);
            let since = match &before {
                Some(before) if before.number == heartbeat.number => before.since,
                _ => now,
            };
            let known = Known {
                number: heartbeat.number,
                since,
                jobs: heartbeat.jobs.len(),
                finished: before.map(|before| before.finished).unwrap_or_default(),
            };
            self.known.insert(name.clone(), known);
        }
        for (name, tally) in heartbeats {
            let worker = tally_of(name).and_then(|worker| self.known.get_mut(worker));
            if let Some(worker) = worker {
                worker.note_finished(now, tally.number);
            }
        }
    }

    /// The workers, by name.
    pub(super) fn states(&self) -> Vec<WorkerState> {
        let states = self.known.iter().map(|(name, known)| WorkerState {
            name: name.clone(),
            jobs: known.jobs,
            silent: known.since.elapsed(),
            per_minute: known.per_minute(),
        });
        states.collect()
    }
}

impl Known {
    fn note_finished(&mut self, now: Instant, finished: u64) {
        // Another process under the same name counts from the beginning.
        if self
            .finished
            .back()
            .is_some_and(|&(_, last)| last > finished)
        {
            self.finished.clear();
        }
        self.finished.push_back((now, finished));
        // The first is the last that is as old as the window.
        while let Some(&(next, _)) = self.finished.get(1)
            && now.duration_since(next) >= RATE_WINDOW
        {
            self.finished.pop_front();
        }
    }

    fn per_minute(&self) -> Option<f64> {
        let (&(begin, first), &(end, last)) = (self.finished.front()?, self.finished.back()?);
        let window = end.duration_since(begin);
        (window >= LEAST_RATE_WINDOW).then(|| (last - first) as f64 * 60.0 / window.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use loto_proto::heartbeat::{remark_name, tally_name};

    use super::*;

    fn told(number: u64, finished: u64) -> Vec<(String, Heartbeat)> {
        let entry = |name: String, number| {
            (
                name,
                Heartbeat {
                    number,
                    jobs: vec![],
                },
            )
        };
        vec![
            entry("host:1".into(), number),
            entry(tally_name("host:1"), finished),
            entry(remark_name("host:1", "is well"), number),
            // Of a worker that is gone.
            entry(tally_name("host:2"), 7),
        ]
    }

    #[test]
    fn a_rate_is_that_of_the_last_minute() {
        let begin = Instant::now();
        let mut workers = Workers::default();
        let mut rate_at = |seconds, finished| {
            let now = begin + Duration::from_secs(seconds);
            workers.take_in(now, &told(seconds, finished));
            let states = workers.states();
            assert_eq!(states.len(), 1);
            states[0].per_minute
        };
        assert_eq!(rate_at(0, 100), None);
        assert_eq!(rate_at(5, 100), None, "too short a time");
        assert_eq!(rate_at(10, 105), Some(30.0));
        assert_eq!(rate_at(30, 105), Some(10.0));
        assert_eq!(rate_at(60, 110), Some(10.0));
        // Since 10 seconds.
        assert_eq!(rate_at(70, 110), Some(5.0));
        assert_eq!(rate_at(130, 110), Some(0.0));
        // A new process under this name.
        assert_eq!(rate_at(135, 2), None);
        assert_eq!(rate_at(145, 4), Some(12.0));
    }
}
