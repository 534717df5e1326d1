//! Checksums bind what Redis holds to its key; values without one, of the release before, are read.

use loto_proto::attempt::AttemptVersion;
use loto_proto::trace::Trace;
use loto_tests::samples::{job, series, sweep, trace};
use loto_tests::servers;
use loto_transport::store::{self, Hidden};
use redis::AsyncCommands;

use crate::redis_damage::{assert_corrupt, attempt};

#[tokio::test]
async fn a_value_in_the_place_of_another_is_refused() {
    let url = servers::empty_store().await;
    let store = store::open(&url).await.unwrap();
    let mut redis = servers::connect_redis(&url).await;
    let id = series("one").id();
    let (traces, attempts) = (format!("loto:traces:{id}"), format!("loto:attempts:{id}"));
    for seed in [1, 2] {
        store
            .put_trace(&job("one", seed), &trace(seed))
            .await
            .unwrap();
        let absent = AttemptVersion::default();
        let attempted = job("one", seed + 10);
        store
            .put_attempt(&attempted, &absent, &attempt())
            .await
            .unwrap();
        store
            .put_conflict(&job("one", seed), "two outcomes")
            .await
            .unwrap();
    }
    let moves = [
        (traces.clone(), "1".to_owned(), "2".to_owned()),
        (attempts, "11".into(), "12".into()),
        (
            "loto:conflicts".into(),
            format!("{id}:1"),
            format!("{id}:2"),
        ),
    ];
    for (key, from, to) in moves {
        let value: Vec<u8> = redis.hget(&key, from).await.unwrap();
        let _: () = redis.hset(&key, to, value).await.unwrap();
    }
    let field = format!("{traces}, field 2");
    assert_corrupt(&store.trace(id, 2).await.unwrap_err(), &field);
    assert_eq!(store.trace(id, 1).await.unwrap(), Some(trace(1)));
    assert_eq!(store.attempts(&[id]).await.unwrap()[0].len(), 1);
    assert_eq!(store.conflicts().await.unwrap().len(), 1);
    let hidden: Vec<_> = store
        .passed_over()
        .iter()
        .map(|entry| entry.hides)
        .collect();
    assert_eq!(hidden, [Hidden::Attempt(id), Hidden::Conflict]);
    store.discard_trace(id, 2).await.unwrap();
    assert_eq!(store.trace(id, 2).await.unwrap(), None);
}

#[tokio::test]
async fn values_of_the_release_before_are_read() {
    let url = servers::empty_store().await;
    let store = store::open(&url).await.unwrap();
    let mut redis = servers::connect_redis(&url).await;
    let (id, sweep) = (series("one").id(), sweep("earlier", 2));
    let traces = format!("loto:traces:{id}");
    let _: () = redis.hset(&traces, 1, trace(1).encode()).await.unwrap();
    let attempts = format!("loto:attempts:{id}");
    let _: () = redis.hset(&attempts, 2, attempt().encode()).await.unwrap();
    let field = format!("{id}:1");
    let _: () = redis
        .hset("loto:conflicts", field, "two outcomes")
        .await
        .unwrap();
    let key = format!("loto:sweep:{}", sweep.id());
    let _: () = redis.set(key, sweep.encode()).await.unwrap();
    let state = format!("loto:sweep-state:{}", sweep.id());
    let _: () = redis.hset(&state, "cancelled", 1).await.unwrap();

    assert_eq!(store.trace(id, 1).await.unwrap(), Some(trace(1)));
    assert_eq!(store.attempts(&[id]).await.unwrap(), [vec![(2, attempt())]]);
    assert_eq!(store.conflicts().await.unwrap()[0].problem, "two outcomes");
    assert_eq!(
        store.sweep(sweep.id()).await.unwrap().as_ref(),
        Some(&sweep)
    );
    assert!(store.sweep_state(sweep.id()).await.unwrap().cancelled);
    assert_eq!(store.passed_over(), []);
    // What is new is read by the release before: it knows numbers above 0, and no checksums.
    store.cancel_sweep(sweep.id(), &[id]).await.unwrap();
    let mark: u32 = redis.hget(&state, "cancelled").await.unwrap();
    assert!(mark > 1);
    store.put_trace(&job("one", 3), &trace(3)).await.unwrap();
    let bytes: Vec<u8> = redis.hget(&traces, 3).await.unwrap();
    assert_eq!(Trace::decode(&bytes).unwrap(), trace(3));
}
