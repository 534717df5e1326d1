//! Puts what was on the queue on it again, after a host ended.

use loto_transport::TransportError;
use loto_transport::queue::Queue;
use loto_transport::store::{Store, StoreIdentity};

use crate::dispatch::{all_sound_sweeps, publish_for};
use crate::progress::Tracker;

/// Publishes the unfinished jobs of all sweeps that were published and are not cancelled; returns how many. A job
/// that a worker still holds is published, too: whoever takes it finds that it is done, or computes it twice.
///
/// # Errors
/// [`TransportError`] if the store or the queue fails.
pub(crate) async fn publish_unfinished(
    store: &dyn Store,
    queue: &dyn Queue,
) -> Result<u64, TransportError> {
    let identity = StoreIdentity::default();
    let mut published = 0;
    for (id, sweep) in all_sound_sweeps(store).await? {
        let state = store.sweep_state(id).await?;
        if state.cancelled || state.published_seeds == 0 {
            continue;
        }
        let mut tracker = Tracker::new(&sweep);
        tracker.scan(store).await?;
        let seeds = 0..state.published_seeds.min(sweep.seeds);
        let missing = tracker.missing_of_seeds(seeds);
        published += publish_for(&identity, store, missing, queue).await?;
    }
    Ok(published)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use loto_proto::attempt::{Attempt, AttemptState};
    use loto_proto::identity::Fingerprint;
    use loto_proto::job::MethodSpec;
    use loto_proto::protocol::Protocol;
    use loto_proto::sweep::{Blackbox, Sweep};
    use loto_proto::trace::Trace;
    use loto_transport::queue::InProcessQueue;
    use loto_transport::store::{Attempts, EmbeddedStore, Sweeps, Traces};

    use super::*;

    fn sweep(name: &str, task: &str) -> Sweep {
        Sweep {
            name: name.into(),
            blackboxes: vec![Blackbox {
                name: "svm".into(),
                table: Fingerprint([1; 16]),
                table_file: None,
                targets: vec![task.into()],
                iterations: 1,
                protocol: Protocol::LeaveOneOut,
                cost: None,
                methods: vec![MethodSpec {
                    name: None,
                    id: "rs".into(),
                    version: 1,
                    parameters: BTreeMap::new(),
                    program: None,
                }],
            }],
            seeds: 10,
        }
    }

    #[tokio::test]
    async fn only_what_was_on_the_queue_comes_back() {
        let store = EmbeddedStore::in_memory().await.unwrap();
        let [begun, cancelled, planned] =
            ["begun", "cancelled", "planned"].map(|name| sweep(name, name));
        for sweep in [&begun, &cancelled, &planned] {
            store.put_sweep(sweep).await.unwrap();
        }
        store.mark_published(begun.id(), 5).await.unwrap();
        store.mark_published(cancelled.id(), 10).await.unwrap();
        let series: Vec<_> = cancelled.series().map(|series| series.id()).collect();
        store.cancel_sweep(cancelled.id(), &series).await.unwrap();
        let jobs: Vec<_> = begun.jobs().collect();
        let trace = Trace {
            rows: vec![0],
            values: vec![1.0],
            further_values: Vec::new(),
            microseconds: vec![0],
            preparation_microseconds: 0,
            linear_algebra: String::new(),
            program: Default::default(),
        };
        store.put_trace(&jobs[1], &trace).await.unwrap();
        let poisoned = Attempt {
            state: AttemptState::Poisoned,
            ..Attempt::default()
        };
        let version = Default::default();
        store
            .put_attempt(&jobs[3], &version, &poisoned)
            .await
            .unwrap();

        let queue = InProcessQueue::new();
        assert_eq!(publish_unfinished(&store, &queue).await.unwrap(), 3);
        assert_eq!(queue.waiting().await.unwrap(), 3);
    }
}
