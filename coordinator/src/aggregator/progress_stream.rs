//! Tells whenever the progress of a sweep changes.

use std::sync::Arc;
use std::time::Duration;

use loto_service::wire;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;
use tonic::{Code, Status};

use super::resume_token;
use super::status::stopping as stopping_status;
use super::watched_sweep::WatchedSweep;

/// How long a stream stays open while the store is unavailable: a server restarts in less.
const OUTAGE: Duration = Duration::from_secs(60);

type Sender = mpsc::Sender<Result<wire::Progress, Status>>;

/// How far the sweep is, now and whenever that changes, until it is complete; what
/// `resume_token` stands for is not sent again.
pub(super) fn watch(
    sweep: Arc<WatchedSweep>,
    resume_token: String,
    stopping: CancellationToken,
) -> Result<ReceiverStream<Result<wire::Progress, Status>>, Status> {
    let sent = resume_token::check_progress(resume_token)?;
    let (sender, receiver) = mpsc::channel(1);
    tokio::spawn(async move {
        let ended = tokio::select! {
            biased;
            ended = send_changes(&sweep, sent, &sender) => ended,
            () = sender.closed() => return,
            () = stopping.cancelled() => Err(stopping_status()),
        };
        if let Err(status) = ended {
            let _client_may_be_gone = sender.send(Err(status)).await;
        }
    });
    Ok(ReceiverStream::new(receiver))
}

/// Ends when the sweep is complete, or the client gone.
async fn send_changes(
    sweep: &WatchedSweep,
    mut sent: String,
    sender: &Sender,
) -> Result<(), Status> {
    let mut published = sweep.watch_progress();
    let mut unavailable_since = None;
    loop {
        let newest = published.borrow_and_update().clone();
        match newest.map(|snapshot| snapshot.outcome) {
            None => {}
            Some(Ok(progress)) => {
                unavailable_since = None;
                if progress.resume_token != sent {
                    sent.clone_from(&progress.resume_token);
                    let message = wire::Progress::clone(&progress);
                    if sender.send(Ok(message)).await.is_err() {
                        return Ok(());
                    }
                }
                if progress.complete {
                    return Ok(());
                }
            }
            Some(Err(status)) => {
                let since = *unavailable_since.get_or_insert_with(Instant::now);
                if status.code() != Code::Unavailable || since.elapsed() > OUTAGE {
                    return Err(status);
                }
            }
        }
        if published.changed().await.is_err() {
            return Err(Status::internal(
                "the sweep is not followed any more; ask again",
            ));
        }
    }
}
