//! Tells how far a sweep is.

use std::sync::Arc;
use std::time::Duration;

use loto_service::wire;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;
use tonic::{Code, Status};

use super::resume_token;
use super::status::stopping as stopping_status;
use super::watched_sweep::{PROGRESS_INTERVAL, ProgressSnapshot, WatchedSweep};
use crate::progress::{GroupProgress, PoisonedJob};

/// How long a stream stays open while the store is out of reach.
const OUTAGE: Duration = Duration::from_secs(60);

/// Longest pause between two looks for a store that is out of reach.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// How far the sweep is now.
pub(super) async fn current(sweep: &WatchedSweep) -> Result<wire::Progress, Status> {
    let snapshot = sweep.progress().await?;
    Ok(to_wire(sweep, &snapshot))
}

/// How far the sweep is, now and whenever that changes, until it is complete; what
/// `resume_token` stands for is not sent again.
///
/// However many streams there are, the store is asked once per interval: they share the answer.
pub(super) fn watch(
    sweep: Arc<WatchedSweep>,
    resume_token: String,
    stopping: CancellationToken,
) -> Result<ReceiverStream<Result<wire::Progress, Status>>, Status> {
    let mut sent = resume_token::check_progress(resume_token)?;
    let (sender, receiver) = mpsc::channel(1);
    tokio::spawn(async move {
        let mut pause = PROGRESS_INTERVAL;
        let mut out_of_reach_since = None;
        loop {
            match current(&sweep).await {
                Ok(progress) => {
                    pause = PROGRESS_INTERVAL;
                    out_of_reach_since = None;
                    let is_last = progress.complete;
                    if progress.resume_token != sent {
                        sent.clone_from(&progress.resume_token);
                        if sender.send(Ok(progress)).await.is_err() {
                            return;
                        }
                    }
                    if is_last {
                        return;
                    }
                }
                Err(status) => {
                    let since = *out_of_reach_since.get_or_insert_with(Instant::now);
                    if status.code() != Code::Unavailable || since.elapsed() > OUTAGE {
                        let _client_may_be_gone = sender.send(Err(status)).await;
                        return;
                    }
                    pause = LONGEST_PAUSE.min(pause * 2);
                }
            }
            tokio::select! {
                () = sleep(pause) => {}
                () = sender.closed() => return,
                () = stopping.cancelled() => {
                    let _client_may_be_gone = sender.send(Err(stopping_status())).await;
                    return;
                }
            }
        }
    });
    Ok(ReceiverStream::new(receiver))
}

fn to_wire(sweep: &WatchedSweep, snapshot: &ProgressSnapshot) -> wire::Progress {
    let total = &snapshot.progress.total;
    let planned = total.planned();
    let mut progress = wire::Progress {
        resume_token: String::new(),
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
    };
    progress.resume_token = resume_token::of_progress(&progress);
    progress
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
