//! Rests while an analysis that takes long is computed: while nobody waits for it, the older one serves.

use std::thread;
use std::time::Duration;

use loto_statistics::analysis::SweepAnalysis;
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, SemaphorePermit, watch};
use tokio::time::Instant;

use super::snapshot::Snapshot;

/// Computing an analysis takes at most one part in so many of the time, unless somebody waits for it.
const SHARE: u32 = 4;

/// Least time of computing between two rests: a thread that sleeps more often gains nothing.
const LEAST_WORK: Duration = Duration::from_millis(20);

/// The work and the rests of one analysis.
pub(super) struct Leisure {
    /// Of which one is held while the analysis is computed, but not while it rests.
    processors: &'static Semaphore,
    permit: Option<SemaphorePermit<'static>>,
    runtime: Handle,
    /// The question itself and whoever waits receive its answers.
    answers: watch::Sender<Option<Snapshot<SweepAnalysis>>>,
    /// Since when there was no rest.
    since: Instant,
}

impl Leisure {
    /// Begins to compute the next of the `answers`, as soon as there is a processor for it.
    pub(super) async fn begin(
        processors: &'static Semaphore,
        answers: watch::Sender<Option<Snapshot<SweepAnalysis>>>,
    ) -> Self {
        Self {
            processors,
            permit: processors.acquire().await.ok(),
            runtime: Handle::current(),
            answers,
            since: Instant::now(),
        }
    }

    /// Leaves the processor to others for a while, if nobody waits for the analysis; only for a thread that may block.
    pub(super) fn rest(&mut self) {
        // With none, the question is forgotten; what is under way is best over soon.
        let nobody_waits = self.answers.receiver_count() == 1;
        if !nobody_waits || self.since.elapsed() < LEAST_WORK {
            return;
        }
        self.permit = None;
        thread::sleep(self.owed());
        self.permit = self.runtime.block_on(self.processors.acquire()).ok();
        self.since = Instant::now();
    }

    /// How long to rest for the work since the last rest.
    pub(super) fn owed(&self) -> Duration {
        self.since.elapsed() * (SHARE - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static PROCESSORS: Semaphore = Semaphore::const_new(1);

    #[tokio::test]
    async fn work_that_nobody_waits_for_rests_and_holds_no_processor_then() {
        let (answers, question) = watch::channel(None);
        let waiting = question.clone();
        let mut leisure = Leisure::begin(&PROCESSORS, answers).await;
        let rested = tokio::task::spawn_blocking(move || {
            let work = || thread::sleep(LEAST_WORK);
            let begun = leisure.since;
            work();
            leisure.rest();
            assert_eq!(leisure.since, begun, "somebody waits");
            drop(waiting);
            work();
            let owed = leisure.owed();
            assert!(owed >= 2 * (SHARE - 1) * LEAST_WORK);
            leisure.rest();
            leisure.since - begun - owed
        });
        // Whoever asks while it rests gets the processor.
        let permit = PROCESSORS.acquire().await.unwrap();
        drop(permit);
        assert!(rested.await.unwrap() >= 2 * LEAST_WORK);
        drop(question);
    }
}
