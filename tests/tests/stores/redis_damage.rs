//! What Redis may hold is not ours alone: damage is named, never passed on.

use std::sync::Arc;

use loto_proto::attempt::{Attempt, AttemptState, AttemptVersion};
use loto_tests::samples::{job, series, sweep, trace};
use loto_tests::servers;
use loto_transport::TransportError;
use loto_transport::store::{self, Cursor, Hidden, PassedOver, Store, StoreIdentity, Stored};
use redis::AsyncCommands;

pub(crate) fn assert_corrupt(error: &TransportError, key: &str) {
    assert!(
        matches!(error, TransportError::CorruptValue { .. }),
        "{error}"
    );
    assert!(!error.is_transient());
    assert!(
        error.to_string().contains(key),
        "{error} does not name {key}"
    );
}

fn assert_passed_over(store: &Arc<dyn Store>, hides: Hidden, parts: &[&str]) {
    let passed_over = store.passed_over();
    let told = |entry: &PassedOver| {
        entry.hides == hides && parts.iter().all(|part| entry.problem.contains(part))
    };
    assert!(passed_over.iter().any(told), "{passed_over:?}");
}

pub(crate) fn attempt() -> Attempt {
    Attempt {
        count: 1,
        state: AttemptState::Running,
        ..Attempt::default()
    }
}

#[tokio::test]
async fn a_damaged_id_of_the_store_is_named_with_what_to_do() {
    let url = servers::empty_store().await;
    let store = store::open(&url).await.unwrap();
    let mut redis = servers::connect_redis(&url).await;
    let key = "loto:blob:store-id";
    let _: () = redis.set(key, "junk").await.unwrap();
    let error = StoreIdentity::default().current(store.as_ref()).await;
    let error = error.unwrap_err();
    let named = format!("store {url}: the value under {key} is corrupt: `junk`");
    assert_corrupt(&error, &named);
    assert_corrupt(&error, "delete it");
    let _: () = redis.del(key).await.unwrap();
    StoreIdentity::default()
        .current(store.as_ref())
        .await
        .unwrap();
}

#[tokio::test]
async fn damaged_values_are_named_by_key_and_field() {
    let url = servers::empty_store().await;
    let store = store::open(&url).await.unwrap();
    let mut redis = servers::connect_redis(&url).await;
    let id = series("one").id();
    let (traces, attempts) = (format!("loto:traces:{id}"), format!("loto:attempts:{id}"));

    let mut cut = trace(3).encode();
    cut.truncate(20);
    let _: () = redis.hset(&traces, 3, cut).await.unwrap();
    let field = format!("{traces}, field 3");
    assert_corrupt(&store.trace(id, 3).await.unwrap_err(), &field);
    assert_corrupt(&store.traces(id).await.unwrap_err(), &field);
    assert_corrupt(
        &store
            .put_trace(&job("one", 3), &trace(3))
            .await
            .unwrap_err(),
        &field,
    );
    assert_eq!(store.seeds_done(&[id]).await.unwrap(), [[3]]);

    let _: () = redis.hset(&traces, "three", "x").await.unwrap();
    let seeds = store.seeds_done(&[series("two").id(), id]).await.unwrap();
    assert_eq!(seeds, [vec![], vec![3]]);
    assert_passed_over(&store, Hidden::Nothing, &[&traces, "three"]);
    let _: () = redis.hdel(&traces, "three").await.unwrap();
    store.seeds_done(&[id]).await.unwrap();
    assert_eq!(store.passed_over(), []);

    let _: () = redis
        .hset(&attempts, 4, "{\"count\": \"many\"}")
        .await
        .unwrap();
    let absent = AttemptVersion::default();
    let put = store.put_attempt(&job("one", 5), &absent, &attempt()).await;
    assert!(put.unwrap().is_some());
    let found = store.attempts(&[id]).await.unwrap();
    assert_eq!(found, [vec![(5, attempt())]]);
    let field = format!("{attempts}, field 4");
    assert_passed_over(&store, Hidden::Attempt(id), &[&field]);
    // Whoever begins the job puts a sound one in its place.
    let record = store.job_record(id, 4).await.unwrap();
    assert_eq!((record.done, record.attempt), (false, None));
    let put = store.put_attempt(&job("one", 4), &absent, &attempt()).await;
    assert!(put.unwrap().is_none());
    let put = store
        .put_attempt(&job("one", 4), &record.version, &attempt())
        .await;
    assert!(put.unwrap().is_some());
    let found = store.attempts(&[id]).await.unwrap();
    assert_eq!(found, [vec![(4, attempt()), (5, attempt())]]);

    let sweep = sweep("damaged", 1);
    store.put_sweep(&sweep).await.unwrap();
    let key = format!("loto:sweep:{}", sweep.id());
    let _: () = redis.set(&key, "no sweep").await.unwrap();
    assert_corrupt(&store.sweep(sweep.id()).await.unwrap_err(), &key);
    let _: () = redis.rpush("loto:sweeps", "no id").await.unwrap();
    assert_eq!(store.sweeps().await.unwrap(), [sweep.id()]);
    assert_passed_over(&store, Hidden::Sweep, &["loto:sweeps", "no id"]);
    // Recording it again mends the record.
    store.put_sweep(&sweep).await.unwrap();
    assert_eq!(store.sweep(sweep.id()).await.unwrap(), Some(sweep));

    let _: String = redis
        .xadd("loto:events", "5-0", &[("colour", "red")])
        .await
        .unwrap();
    let error = store
        .events_after(&Cursor::default(), 10)
        .await
        .unwrap_err();
    assert_corrupt(&error, "loto:events, entry 5-0");
}

#[tokio::test]
async fn bytes_that_are_no_text_are_damage_and_not_an_outage() {
    let url = servers::empty_store().await;
    let store = store::open(&url).await.unwrap();
    let mut redis = servers::connect_redis(&url).await;
    let garbage = b"\xffgarbage".as_slice();

    let _: () = redis.rpush("loto:sweeps", garbage).await.unwrap();
    assert_eq!(store.sweeps().await.unwrap(), []);
    assert_passed_over(&store, Hidden::Sweep, &["loto:sweeps"]);
    let traces = format!("loto:traces:{}", series("one").id());
    let long = [garbage; 1000].concat();
    let _: () = redis.hset(&traces, long, "x").await.unwrap();
    let seeds = store.seeds_done(&[series("one").id()]).await.unwrap();
    assert_eq!(seeds, [Vec::<u32>::new()]);
    assert_passed_over(&store, Hidden::Nothing, &[&traces]);
    let passed_over = store.passed_over();
    let is_short = |entry: &PassedOver| entry.problem.len() < 1000;
    assert!(passed_over.iter().all(is_short), "{passed_over:?}");

    let _: String = redis
        .xadd("loto:events", "1-0", &[(garbage, garbage)])
        .await
        .unwrap();
    let start = Cursor::default();
    let error = store.events_after(&start, 10).await.unwrap_err();
    assert_corrupt(&error, "loto:events, entry 1-0");
}

#[tokio::test]
async fn an_event_that_none_can_follow_is_damage_and_read_once() {
    let url = servers::empty_store().await;
    let store = store::open(&url).await.unwrap();
    let mut redis = servers::connect_redis(&url).await;
    let last = "18446744073709551615-0";
    let id = series("one").id().to_string();
    let fields = [("series", id.as_str()), ("seed", "1")];
    let _: String = redis.xadd("loto:events", last, &fields).await.unwrap();

    let entry = format!("loto:events, entry {last}");
    assert_corrupt(&store.latest_cursor().await.unwrap_err(), &entry);
    let start = Cursor::default();
    let error = store.events_after(&start, 10).await.unwrap_err();
    assert_corrupt(&error, &entry);
    // The trace does not depend on it.
    let stored = store.put_trace(&job("one", 1), &trace(1)).await;
    assert_eq!(stored.unwrap(), Stored::New);
    let kept = store.trace(series("one").id(), 1).await.unwrap();
    assert_eq!(kept, Some(trace(1)));
}

/// The stream as an operator leaves it who frees memory.
#[tokio::test]
async fn traces_are_stored_and_told_of_after_the_events_were_trimmed_to_nothing() {
    let url = servers::empty_store().await;
    let store = store::open(&url).await.unwrap();
    let mut redis = servers::connect_redis(&url).await;
    let put = async |seed| {
        store
            .put_trace(&job("one", seed), &trace(seed))
            .await
            .unwrap()
    };
    for seed in 0..3 {
        put(seed).await;
    }
    let mut seen = store.latest_cursor().await.unwrap();
    // The second time, the stream goes on from a number that it gave itself.
    for seed in [3, 6] {
        let _: u64 = redis
            .xtrim("loto:events", redis::streams::StreamMaxlen::Equals(0))
            .await
            .unwrap();
        let nothing = store.events_after(&seen, 10).await.unwrap();
        assert_eq!((nothing.events.len(), nothing.incomplete), (0, true));
        for seed in seed..seed + 3 {
            assert_eq!(put(seed).await, Stored::New);
        }
        let next = store.events_after(&nothing.next, 10).await.unwrap();
        let seeds: Vec<u32> = next.events.iter().map(|event| event.seed).collect();
        assert_eq!((seeds, next.incomplete), ((seed..seed + 3).collect(), true));
        let end = store.events_after(&next.next, 10).await.unwrap();
        assert_eq!((end.events.len(), end.incomplete), (0, false));
        seen = end.next;
    }
    // Its clock was set back: the numbers it gave are in the future.
    let far = format!("{}-5", 1_u64 << 50);
    let fields = [("series", "x"), ("seed", "1")];
    let _: String = redis.xadd("loto:events", &far, &fields).await.unwrap();
    let _: u64 = redis
        .xtrim("loto:events", redis::streams::StreamMaxlen::Equals(0))
        .await
        .unwrap();
    for seed in 9..12 {
        assert_eq!(put(seed).await, Stored::New);
    }
    let next = store.events_after(&seen, 10).await.unwrap();
    let seeds: Vec<u32> = next.events.iter().map(|event| event.seed).collect();
    assert_eq!((seeds, next.incomplete), (vec![9, 10, 11], true));
}

#[tokio::test]
async fn keys_of_the_wrong_type_are_named_and_nothing_is_half_done() {
    let url = servers::empty_store().await;
    let store = store::open(&url).await.unwrap();
    let mut redis = servers::connect_redis(&url).await;
    let id = series("one").id();
    let (traces, attempts) = (format!("loto:traces:{id}"), format!("loto:attempts:{id}"));

    for broken in [traces.as_str(), attempts.as_str()] {
        let _: () = redis.set(broken, "a string").await.unwrap();
        let error = store
            .put_trace(&job("one", 1), &trace(1))
            .await
            .unwrap_err();
        assert_corrupt(&error, broken);
        let _: () = redis.del(broken).await.unwrap();
        assert_eq!(store.trace(id, 1).await.unwrap(), None, "{broken}");
        let events = store.events_after(&Cursor::default(), 10).await.unwrap();
        assert!(events.events.is_empty(), "{broken}");
    }

    let _: () = redis.set("loto:events", "a string").await.unwrap();
    let error = store.latest_cursor().await.unwrap_err();
    assert_corrupt(&error, "loto:events");
    let stored = store.put_trace(&job("two", 1), &trace(1)).await;
    assert_eq!(stored.unwrap(), Stored::New);

    let _: () = redis.set(&traces, "a string").await.unwrap();
    assert_corrupt(&store.trace(id, 1).await.unwrap_err(), &traces);
    assert_corrupt(
        &store
            .seeds_done(&[series("two").id(), id])
            .await
            .unwrap_err(),
        &traces,
    );
    let absent = AttemptVersion::default();
    let error = store.put_attempt(&job("one", 1), &absent, &attempt()).await;
    assert_corrupt(&error.unwrap_err(), &traces);
    assert_corrupt(&store.job_record(id, 1).await.unwrap_err(), &traces);
    let _: () = redis.set(&attempts, "a string").await.unwrap();
    assert_corrupt(&store.attempts(&[id]).await.unwrap_err(), &attempts);
    let _: () = redis.lpush("loto:blob:x", "a list").await.unwrap();
    assert_corrupt(&store.blob("x").await.unwrap_err(), "loto:blob:x");
    let state = format!("loto:sweep-state:{}", sweep("x", 1).id());
    let _: () = redis.hset(&state, "published", "many").await.unwrap();
    let error = store.sweep_state(sweep("x", 1).id()).await.unwrap_err();
    assert_corrupt(&error, &state);
    let _: () = redis
        .hset("loto:workers", "host:1", "nonsense")
        .await
        .unwrap();
    assert_eq!(store.heartbeats().await.unwrap(), []);
    assert_passed_over(&store, Hidden::Nothing, &["loto:workers, field host:1"]);
    let _: () = redis.hset("loto:conflicts", "x:1", "bad").await.unwrap();
    store
        .put_conflict(&job("one", 1), "two outcomes")
        .await
        .unwrap();
    assert_eq!(store.conflicts().await.unwrap()[0].problem, "two outcomes");
    assert_passed_over(&store, Hidden::Conflict, &["loto:conflicts", "x:1"]);
}

#[tokio::test]
async fn a_reader_that_fell_behind_is_told() {
    let url = servers::empty_store().await;
    let store = store::open(&url).await.unwrap();
    let mut redis = servers::connect_redis(&url).await;
    for seed in 0..4 {
        store
            .put_trace(&job("one", seed), &trace(seed))
            .await
            .unwrap();
    }
    let start = store.events_after(&Cursor::default(), 1).await.unwrap();
    assert!(!start.incomplete);

    // The stream forgets what this reader has seen: nothing is missing.
    let _: u64 = redis
        .xtrim("loto:events", redis::streams::StreamMaxlen::Equals(3))
        .await
        .unwrap();
    let next = store.events_after(&start.next, 10).await.unwrap();
    assert_eq!((next.events.len(), next.incomplete), (3, false));

    let _: u64 = redis
        .xtrim("loto:events", redis::streams::StreamMaxlen::Equals(2))
        .await
        .unwrap();
    let next = store.events_after(&start.next, 10).await.unwrap();
    assert_eq!((next.events.len(), next.incomplete), (2, true));
    let end = store.events_after(&next.next, 10).await.unwrap();
    assert_eq!((end.events.len(), end.incomplete), (0, false));

    // The server lost its data and begins again.
    let _: () = redis.del("loto:events").await.unwrap();
    store.put_trace(&job("two", 0), &trace(0)).await.unwrap();
    let next = store.events_after(&end.next, 10).await.unwrap();
    assert_eq!((next.events.len(), next.incomplete), (1, true));
}

/// As after a loss of power: the last events are gone, and others came in their place.
#[tokio::test]
async fn a_reader_is_told_when_events_it_has_seen_were_lost_and_others_came() {
    let url = servers::empty_store().await;
    let store = store::open(&url).await.unwrap();
    let mut redis = servers::connect_redis(&url).await;
    for seed in 0..6 {
        let (job, trace) = (job("one", seed), trace(seed));
        store.put_trace(&job, &trace).await.unwrap();
    }
    let end = store.latest_cursor().await.unwrap();
    let id = series("one").id();
    let saved: redis::streams::StreamRangeReply = redis.xrange_all("loto:events").await.unwrap();
    let _: () = redis.del("loto:events").await.unwrap();
    for event in &saved.ids[..4] {
        let fields = event.map.iter().map(|(name, value)| {
            let value: String = redis::from_redis_value(value.clone()).unwrap();
            (name.clone(), value)
        });
        let fields: Vec<_> = fields.collect();
        let _: String = redis.xadd("loto:events", &event.id, &fields).await.unwrap();
    }
    let _: u64 = redis
        .hdel(format!("loto:traces:{id}"), &[4, 5])
        .await
        .unwrap();

    // As many again, among them one that is told of at its old number.
    for seed in [7, 5, 8] {
        let (job, trace) = (job("one", seed), trace(seed));
        store.put_trace(&job, &trace).await.unwrap();
    }
    let next = store.events_after(&end, 100).await.unwrap();
    assert_eq!((next.events.len(), next.incomplete), (7, true));
    let end = store.events_after(&next.next, 100).await.unwrap();
    assert_eq!((end.events.len(), end.incomplete), (0, false));
}

#[tokio::test]
async fn a_store_that_is_not_there_is_an_error_without_the_password() {
    let begin = std::time::Instant::now();
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap();
    drop(free);
    let error = store::open(&format!("redis://me:secret@{address}"))
        .await
        .err()
        .unwrap();
    assert!(error.is_transient(), "{error}");
    assert!(begin.elapsed() < std::time::Duration::from_secs(20));
    let url = servers::empty_store()
        .await
        .replace("redis://", "redis://me:secret@");
    let refused = store::open(&url).await.err().unwrap();
    assert!(!refused.is_transient(), "{refused}");
    for message in [error.to_string(), refused.to_string()] {
        assert!(
            message.contains("127.0.0.1") && !message.contains("secret"),
            "{message}"
        );
    }
}
