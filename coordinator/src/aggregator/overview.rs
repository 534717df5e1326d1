//! What a page shows of a sweep: the jobs of every series by state, how fast it goes, who works on it.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use loto_proto::identity::{SeriesId, SweepId};
use loto_proto::limits::{MAX_LISTED_CONFLICTS, MAX_LISTED_POISONED_JOBS};
use loto_transport::TransportError;
use loto_transport::store::{Conflict, Store};
use tokio::time::Instant;

use super::workers::{WorkerState, Workers};
use crate::dispatch::WorkerRemarks;
use crate::progress::{Counts, PoisonedJob, Progress, Rate, Tracker};

/// Events that are kept.
const EVENTS: usize = 30;

/// A sweep at one moment.
#[derive(Debug, Clone)]
pub(crate) struct Overview {
    /// The sweep. To compute it anew from the plan takes a hash for each job.
    pub(crate) sweep: SweepId,
    /// The jobs by black box and method.
    pub(crate) progress: Progress,
    /// Every series once, in the order of the sweep. The same allocation as before while no count found anything else.
    pub(crate) series: Arc<[SeriesState]>,
    pub(crate) cancelled: bool,
    /// "12.3 traces/s, about 3m 20s left".
    pub(crate) speed: String,
    /// Processor time that the unfinished jobs are expected to take.
    pub(crate) processor_time_left: Duration,
    /// The first poisoned jobs.
    pub(crate) poisoned: Vec<PoisonedJob>,
    /// The first conflicts of its jobs.
    pub(crate) conflicts: Vec<Conflict>,
    /// What the store passed over because it is damaged.
    pub(crate) passed_over: Vec<String>,
    /// The workers of the store, and what they remark.
    pub(crate) workers: Vec<WorkerState>,
    pub(crate) remarks: WorkerRemarks,
    /// Why the store takes nothing, if that is so.
    pub(crate) alarms: Vec<String>,
    /// What became of jobs lately, the newest first.
    pub(crate) events: Vec<Event>,
}

/// One series at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SeriesState {
    pub(crate) id: SeriesId,
    pub(crate) task: String,
    /// Position of its black box and method in [`Progress::groups`].
    pub(crate) group: usize,
    pub(crate) counts: Counts,
    pub(crate) has_conflict: bool,
}

/// Something that became of the jobs of a series.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) at: SystemTime,
    /// Position of the series in [`Overview::series`].
    pub(crate) series: usize,
    pub(crate) group: usize,
    pub(crate) task: String,
    /// What: "2 traces stored", "1 job failed".
    pub(crate) what: String,
}

/// What a count of the jobs finds in the store besides their states.
pub(super) struct Found {
    pub(super) sweep: SweepId,
    /// All conflicts of the sweep's jobs.
    pub(super) conflicts: Vec<Conflict>,
    pub(super) cancelled: bool,
}

/// Looks at a sweep again and again, and remembers what a single look does not tell.
pub(super) struct Onlooker {
    begun: Instant,
    rate: Rate,
    last: Vec<Counts>,
    series: Arc<[SeriesState]>,
    /// Whether a further look may learn more of what jobs cost, even if nothing changes.
    measures: bool,
    events: VecDeque<Event>,
    workers: Workers,
}

impl Onlooker {
    pub(super) fn new() -> Self {
        Self {
            begun: Instant::now(),
            rate: Rate::default(),
            last: Vec::new(),
            series: Arc::default(),
            measures: true,
            events: VecDeque::new(),
            workers: Workers::default(),
        }
    }

    /// Whether the last look learned all that is to be learned of what jobs cost.
    pub(super) fn has_measured(&self) -> bool {
        !self.measures
    }

    /// The state that `tracker` has found, with what else a count has `found`, and what the store tells besides.
    ///
    /// # Errors
    /// Whatever the store reports.
    pub(super) async fn look(
        &mut self,
        tracker: &mut Tracker,
        found: Found,
        store: &dyn Store,
    ) -> Result<Overview, TransportError> {
        let Found {
            sweep,
            mut conflicts,
            cancelled,
        } = found;
        self.measures = tracker.may_measure() && tracker.measure(store).await?;
        let progress = tracker.progress();
        self.rate.sample(self.begun.elapsed(), &progress);
        let in_conflict: HashSet<SeriesId> = conflicts.iter().map(|known| known.series).collect();
        let series: Vec<SeriesState> = tracker
            .counted_series()
            .map(|counted| SeriesState {
                id: counted.id,
                task: counted.task.to_owned(),
                group: counted.group,
                counts: counted.counts,
                has_conflict: in_conflict.contains(&counted.id),
            })
            .collect();
        conflicts.truncate(MAX_LISTED_CONFLICTS);
        self.note_changes(&series);
        if self.series[..] != series[..] {
            self.series = series.into();
        }
        self.workers.look(store).await?;
        let passed_over = store.passed_over().into_iter();
        Ok(Overview {
            sweep,
            series: Arc::clone(&self.series),
            cancelled,
            speed: self.rate.describe(&progress),
            processor_time_left: processor_time_left(&progress),
            poisoned: tracker.poisoned().take(MAX_LISTED_POISONED_JOBS).collect(),
            conflicts,
            passed_over: passed_over
                .map(|entry| entry.problem)
                .take(MAX_LISTED_CONFLICTS)
                .collect(),
            workers: self.workers.states(),
            remarks: self.workers.remarks.clone(),
            alarms: self.workers.alarms.clone(),
            events: self.events.iter().cloned().collect(),
            progress,
        })
    }

    /// The state that the last look found, when the store has told since that no job changed: what goes on with the time, and the
    /// workers.
    ///
    /// # Errors
    /// Whatever the store reports.
    pub(super) async fn look_again(
        &mut self,
        last: &Overview,
        store: &dyn Store,
    ) -> Result<Overview, TransportError> {
        self.workers.look(store).await?;
        self.rate.sample(self.begun.elapsed(), &last.progress);
        Ok(Overview {
            speed: self.rate.describe(&last.progress),
            workers: self.workers.states(),
            remarks: self.workers.remarks.clone(),
            alarms: self.workers.alarms.clone(),
            ..last.clone()
        })
    }

    /// Notes what is other than at the last look.
    fn note_changes(&mut self, series: &[SeriesState]) {
        let at = SystemTime::now();
        for (position, (state, last)) in series.iter().zip(&self.last).enumerate() {
            for what in changes(last, &state.counts) {
                self.events.push_front(Event {
                    at,
                    series: position,
                    group: state.group,
                    task: state.task.clone(),
                    what,
                });
            }
        }
        self.events.truncate(EVENTS);
        self.last.clear();
        self.last.extend(series.iter().map(|state| state.counts));
    }
}

/// What became of the jobs of a series, in words.
fn changes(last: &Counts, now: &Counts) -> Vec<String> {
    let told = [
        (last.done, now.done, "trace stored", "traces stored"),
        (last.failed, now.failed, "job failed", "jobs failed"),
        (last.poisoned, now.poisoned, "job poisoned", "jobs poisoned"),
    ];
    let grown = told.into_iter().filter(|(last, now, ..)| now > last);
    grown
        .map(|(last, now, one, many)| match now - last {
            1 => format!("1 {one}"),
            count => format!("{count} {many}"),
        })
        .collect()
}

fn processor_time_left(progress: &Progress) -> Duration {
    let seconds = progress
        .groups
        .iter()
        .map(|group| group.counts.unfinished() as f64 * group.cpu_time.as_secs_f64());
    Duration::try_from_secs_f64(seconds.sum()).unwrap_or(Duration::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_grew_is_told() {
        let last = Counts {
            queued: 4,
            done: 1,
            ..Counts::default()
        };
        let now = Counts {
            queued: 1,
            done: 3,
            failed: 1,
            ..Counts::default()
        };
        assert_eq!(changes(&last, &now), ["2 traces stored", "1 job failed"]);
        assert!(changes(&now, &now).is_empty());
        // A trace that was discarded, because it is damaged, is no event of its own.
        assert!(changes(&now, &last).is_empty());
    }
}
