//! Tells how far a sweep is.

use std::sync::Arc;

use loto_proto::wire;
use tokio::sync::mpsc;
use tokio::time::{MissedTickBehavior, interval};
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;
use tonic::Status;

use super::status::{stopping as stopping_status, to_status};
use super::watched_sweep::{PROGRESS_INTERVAL, ProgressSnapshot, WatchedSweep};
use crate::progress::{GroupProgress, PoisonedJob};

/// How far the sweep is now.
pub(super) async fn current(sweep: &WatchedSweep) -> Result<wire::Progress, Status> {
    let snapshot = sweep.progress().await.map_err(to_status)?;
    Ok(to_wire(sweep, &snapshot))
}

/// How far the sweep is, now and whenever that changes, until it is complete.
///
/// However many streams there are, the store is asked once per interval: they share the answer.
pub(super) fn watch(
    sweep: Arc<WatchedSweep>,
    stopping: CancellationToken,
) -> ReceiverStream<Result<wire::Progress, Status>> {
    let (sender, receiver) = mpsc::channel(1);
    tokio::spawn(async move {
        let mut ticks = interval(PROGRESS_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut sent = None;
        loop {
            tokio::select! {
                _ = ticks.tick() => {}
                () = sender.closed() => return,
                () = stopping.cancelled() => {
                    let _client_may_be_gone = sender.send(Err(stopping_status())).await;
                    return;
                }
            }
            let progress = current(&sweep).await;
            if let Ok(progress) = &progress {
                if sent.as_ref() == Some(progress) {
                    continue;
                }
                sent = Some(progress.clone());
            }
            let is_last = progress.as_ref().map_or(true, |progress| progress.complete);
            if sender.send(progress).await.is_err() || is_last {
                return;
            }
        }
    });
    ReceiverStream::new(receiver)
}

fn to_wire(sweep: &WatchedSweep, snapshot: &ProgressSnapshot) -> wire::Progress {
    let total = &snapshot.progress.total;
    let planned = total.planned();
    wire::Progress {
        sweep_id: sweep.id.to_string(),
        name: sweep.sweep.name.clone(),
        planned,
        queued: total.queued,
        running: total.running,
        done: total.done,
        failed: total.failed,
        poisoned: total.poisoned,
        complete: total.done == planned,
        methods: snapshot
            .progress
            .groups
            .iter()
            .map(method_to_wire)
            .collect(),
        poisoned_jobs: snapshot.poisoned.iter().map(poisoned_to_wire).collect(),
        cancelled: snapshot.cancelled,
        conflicts: snapshot.conflicts.clone(),
    }
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

fn poisoned_to_wire(poisoned: &PoisonedJob) -> wire::PoisonedJob {
    wire::PoisonedJob {
        blackbox: poisoned.blackbox.clone(),
        task: poisoned.job.series.task.clone(),
        method: poisoned.job.series.method.id.clone(),
        seed: poisoned.job.seed,
        attempts: poisoned.attempt.count,
        worker: poisoned.attempt.worker.clone(),
        error: poisoned.attempt.error.clone(),
        backtrace: poisoned.attempt.backtrace.clone(),
    }
}
