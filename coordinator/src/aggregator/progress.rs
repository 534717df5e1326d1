//! How far a sweep is, as clients are told.

use loto_proto::limits::{MAX_LISTED_CONFLICTS, MAX_LISTED_POISONED_JOBS};
use loto_service::wire;
use loto_transport::store::{Conflict, Store};

use crate::progress::{GroupProgress, PoisonedJob, Tracker};

/// What is known of the jobs of a sweep.
pub(super) fn to_wire(tracker: &Tracker, conflicts: &[Conflict]) -> wire::Progress {
    let progress = tracker.progress();
    let poisoned = tracker.poisoned().take(MAX_LISTED_POISONED_JOBS);
    let problems = conflicts.iter().map(|conflict| conflict.problem.clone());
    let total = progress.total;
    let planned = total.planned();
    wire::Progress {
        planned,
        queued: total.queued,
        running: total.running,
        done: total.done,
        failed: total.failed,
        poisoned: total.poisoned,
        complete: total.done == planned,
        methods: progress.groups.iter().map(method_to_wire).collect(),
        poisoned_jobs: poisoned.map(poisoned_to_wire).collect(),
        conflicts: problems.take(MAX_LISTED_CONFLICTS).collect(),
        ..Default::default()
    }
}

/// What the store passed over because it is damaged.
pub(super) fn passed_over(store: &dyn Store) -> Vec<String> {
    let passed_over = store.passed_over().into_iter();
    let problems = passed_over.map(|entry| entry.problem);
    problems.take(MAX_LISTED_CONFLICTS).collect()
}

fn method_to_wire(group: &GroupProgress) -> wire::MethodProgress {
    wire::MethodProgress {
        blackbox: group.blackbox.clone(),
        method: group.method.clone(),
        planned: group.counts.planned(),
        queued: group.counts.queued,
        running: group.counts.running,
        done: group.counts.done,
        failed: group.counts.failed,
        poisoned: group.counts.poisoned,
    }
}

fn poisoned_to_wire(poisoned: PoisonedJob) -> wire::PoisonedJob {
    let PoisonedJob {
        blackbox,
        job,
        attempt,
    } = poisoned;
    wire::PoisonedJob {
        blackbox,
        task: job.series.task,
        method: job.series.method.label().to_owned(),
        seed: job.seed,
        attempts: attempt.count,
        worker: attempt.worker,
        error: attempt.error,
        backtrace: attempt.backtrace,
    }
}
