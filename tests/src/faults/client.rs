//! A client that watches a sweep over gRPC, whatever happens to the service.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use loto_proto::identity::SweepId;
use loto_service::wire::aggregator_client::AggregatorClient;
use loto_service::wire::{Progress, WatchProgressRequest};
use tokio::task::JoinHandle;
use tonic::transport::Endpoint;
use tonic::{Code, Status};

/// Time between the end of a stream and the next call.
const PAUSE: Duration = Duration::from_millis(200);

/// How long the service may take to accept a connection or to answer a sign of life.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(5);

/// Watches until all jobs of the sweep are done or given up.
pub struct Client {
    seen: Arc<Mutex<Seen>>,
    watching: JoinHandle<()>,
}

/// What a client was told.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    /// Messages about the sweep's progress.
    pub messages: u64,
    /// Streams that were begun.
    pub streams: u64,
    /// The last message.
    pub last: Option<Progress>,
    /// What should not have been said.
    pub complaints: Vec<String>,
    /// What may be said only of a store that was emptied or damaged.
    pub losses: Vec<String>,
}

impl Client {
    /// Watches a sweep through the service at this port of this host.
    pub fn watch(port: u16, sweep: SweepId) -> Self {
        let seen = Arc::new(Mutex::new(Seen::default()));
        let shared = Arc::clone(&seen);
        let watching = tokio::spawn(async move {
            while !is_complete(&shared) {
                if let Err(status) = follow(port, sweep, &shared).await {
                    note(&shared, &status);
                }
                tokio::time::sleep(PAUSE).await;
            }
        });
        Self { seen, watching }
    }

    /// What it was told so far.
    pub fn seen(&self) -> Seen {
        lock(&self.seen).clone()
    }

    /// Whether it was told that all jobs are done or given up.
    pub fn is_complete(&self) -> bool {
        is_complete(&self.seen)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.watching.abort();
    }
}

/// Watches over one stream, to its end.
async fn follow(port: u16, sweep: SweepId, shared: &Mutex<Seen>) -> Result<(), Status> {
    let endpoint = Endpoint::from_shared(format!("http://127.0.0.1:{port}"))
        .map_err(|error| Status::internal(error.to_string()))?
        .connect_timeout(RESPONSE_TIMEOUT)
        .http2_keep_alive_interval(RESPONSE_TIMEOUT)
        .keep_alive_timeout(RESPONSE_TIMEOUT);
    let connection = endpoint.connect().await;
    let connection = connection.map_err(|error| Status::unavailable(error.to_string()))?;
    let mut client = AggregatorClient::new(connection);
    let last = lock(shared).last.clone();
    let request = WatchProgressRequest {
        sweep_id: sweep.to_string(),
        resume_token: last.map_or(String::new(), |progress| progress.resume_token),
    };
    let mut messages = client.watch_progress(request).await?.into_inner();
    lock(shared).streams += 1;
    while let Some(progress) = messages.message().await? {
        let mut seen = lock(shared);
        seen.messages += 1;
        let counted = progress.queued + progress.running + progress.done;
        if counted + progress.failed + progress.poisoned != progress.planned {
            let complaint = format!("the states do not add up: {progress:?}");
            seen.complaints.push(complaint);
        }
        seen.last = Some(progress);
        drop(seen);
        if is_complete(shared) {
            return Ok(());
        }
    }
    let complaint = "a stream ended in good order before the sweep was complete";
    lock(shared).complaints.push(complaint.into());
    Ok(())
}

/// Keeps what no fault excuses. A sweep is unknown only until it is recorded.
fn note(seen: &Mutex<Seen>, status: &Status) {
    let mut seen = lock(seen);
    let is_known = seen.last.is_some();
    match status.code() {
        Code::NotFound if is_known => seen.losses.push(status.to_string()),
        Code::DataLoss | Code::FailedPrecondition => seen.losses.push(status.to_string()),
        Code::InvalidArgument => seen.complaints.push(status.to_string()),
        _ => {}
    }
}

fn is_complete(seen: &Mutex<Seen>) -> bool {
    let seen = lock(seen);
    let is_over = |progress: &Progress| progress.done + progress.poisoned == progress.planned;
    seen.last.as_ref().is_some_and(is_over)
}

fn lock<Value>(mutex: &Mutex<Value>) -> std::sync::MutexGuard<'_, Value> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
