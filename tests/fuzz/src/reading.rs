//! Reads all of a damaged store, as the coordinator, the aggregator and a worker do.

use std::sync::Arc;

use loto_coordinator::CoordinatorError;
use loto_coordinator::aggregator::{AggregatorService, WatchedSweeps};
use loto_coordinator::follower::Follower;
use loto_coordinator::progress::Tracker;
use loto_coordinator::results::{CollectedTraces, ObjectiveCache, PlannedTraces};
use loto_engine::blobs::MemoryBlobs;
use loto_engine::runner::TraceRunner;
use loto_service::wire;
use loto_service::wire::aggregator_server::Aggregator;
use loto_statistics::results::SeedTraces;
use loto_transport::TransportError;
use loto_transport::store::{Cursor, Store};
use tokio_util::sync::CancellationToken;
use tonic::{Code, Request};

use crate::{check_error, sweep};

/// Damages a value: cuts it at a place, or flips bits there.
pub fn cut(mut bytes: Vec<u8>, place: usize, flip: u8) -> Vec<u8> {
    let place = place % bytes.len().max(1);
    if flip == 0 {
        bytes.truncate(place);
    } else if let Some(byte) = bytes.get_mut(place) {
        *byte ^= flip;
    }
    bytes
}

/// Checks what a damaged value is called: whoever takes it for an outage tries again for ever.
fn check_damage(error: TransportError) {
    assert!(
        !error.is_transient(),
        "damage is told as an outage: {error}"
    );
    check_error(error);
}

fn check_coordinator_error(error: CoordinatorError) {
    match error {
        CoordinatorError::Transport(error) => check_damage(error),
        error => check_error(error),
    }
}

/// Reads everything about [`sweep`]; an error must be a good one, a value a sound one.
pub async fn read_everything(shared: &Arc<dyn Store>) {
    let store = shared.as_ref();
    let sweep = sweep();
    match store.sweep(sweep.id()).await {
        Ok(found) => assert!(found.is_none_or(|found| found == sweep || found.id() == sweep.id())),
        Err(error) => check_damage(error),
    }
    if let Err(error) = store.events_after(&Cursor::default(), 100).await {
        check_damage(error);
    }
    track(store).await;
    collect(shared).await;
    for job in sweep.jobs() {
        match store.trace(job.series.id(), job.seed).await {
            Ok(Some(trace)) => assert!(trace.values.iter().all(|value| value.is_finite())),
            Ok(None) => {}
            Err(error) => check_damage(error),
        }
        if let Err(error) = store.job_record(job.series.id(), job.seed).await {
            check_damage(error);
        }
    }
    if let Err(error) = store.sweep_state(sweep.id()).await {
        check_damage(error);
    }
    if let Err(error) = store.conflicts().await {
        check_damage(error);
    }
    if let Err(error) = store.heartbeats().await {
        check_damage(error);
    }
    let stopping = CancellationToken::new();
    let _stops_at_the_end = stopping.clone().drop_guard();
    let service = {
        let sweeps = Arc::new(WatchedSweeps::new(Arc::clone(shared)));
        AggregatorService::start(Arc::clone(shared), sweeps, stopping)
    };
    let list = service.list_sweeps(Request::new(wire::ListSweepsRequest::default()));
    if let Err(status) = list.await {
        assert_eq!(status.code(), Code::DataLoss, "{status}");
        check_error(status.message());
    }
    run(store).await;
}

async fn track(store: &dyn Store) {
    let sweep = sweep();
    let mut tracker = Tracker::new(&sweep);
    match tracker.scan(store).await {
        Ok(()) => {
            let progress = tracker.progress();
            assert_eq!(progress.total.planned(), sweep.job_count());
            assert!(tracker.missing().count() as u64 <= sweep.job_count());
            assert!(tracker.poisoned().count() as u64 <= sweep.job_count());
            if let Err(error) = tracker.measure(store).await {
                check_damage(error);
            }
        }
        Err(error) => check_damage(error),
    }
    if let Err(error) = tracker.follow(store).await {
        check_damage(error);
    }
}

async fn collect(store: &Arc<dyn Store>) {
    let sweep = sweep();
    let jobs = sweep.job_count();
    let objectives = ObjectiveCache::default();
    let planned = PlannedTraces::open(store.as_ref(), &objectives, sweep.clone());
    match planned.await {
        Ok(planned) => {
            let mut follower = Follower::new(&sweep);
            if let Err(error) = follower.follow(store.as_ref()).await {
                check_damage(error);
            }
            let mut collected = CollectedTraces::<SeedTraces>::new(Arc::new(planned));
            if let Err(error) = collected.read_new(&follower, store.as_ref()).await {
                check_coordinator_error(error);
            }
            assert!(collected.done() <= jobs);
        }
        Err(error) => check_coordinator_error(error),
    }
}

/// Runs a job of random search on the table that is in the store.
async fn run(store: &dyn Store) {
    let sweep = sweep();
    let name = format!("table:{}", sweep.blackboxes[0].table);
    let blobs = match store.blob(&name).await {
        Ok(bytes) => MemoryBlobs::from_iter(bytes.map(|bytes| (name, bytes))),
        Err(error) => return check_damage(error),
    };
    let job = sweep.jobs().next().expect("a job");
    match TraceRunner::new(Arc::new(blobs)).run(&job) {
        Ok(trace) => assert_eq!(trace.rows.len(), 3),
        Err(error) => check_error(error),
    }
}
