//! Redis dies and comes back.

use std::time::{Duration, Instant};

use loto_tests::proxy::Proxy;
use loto_tests::samples::{job, series, trace};
use loto_tests::servers::{PrivateServers, Server};
use loto_transport::retry::{Backoff, retry_transient};
use loto_transport::store::{self, Stored};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_stored_survives_a_crash_and_calls_work_again() {
    let servers = PrivateServers::start(&[Server::Store]);
    let store = store::open(&servers.store_url()).await.unwrap();
    for seed in 0..50 {
        store
            .put_trace(&job("one", seed), &trace(seed))
            .await
            .unwrap();
    }
    // Redis may keep the last three seconds in memory.
    tokio::time::sleep(store.longest_loss()).await;
    servers.kill(Server::Store);

    let begin = Instant::now();
    let error = store
        .put_trace(&job("one", 50), &trace(50))
        .await
        .unwrap_err();
    assert!(error.is_transient(), "{error}");
    assert!(
        begin.elapsed() < Duration::from_secs(15),
        "{:?}",
        begin.elapsed()
    );

    let waiting = tokio::spawn({
        let store = store.clone();
        async move {
            let policy = Backoff::FOREVER;
            let (job, trace) = (job("one", 51), trace(51));
            retry_transient(policy, "storing a trace", || store.put_trace(&job, &trace)).await
        }
    });
    tokio::time::sleep(Duration::from_millis(500)).await;
    tokio::task::block_in_place(|| servers.restart(Server::Store));
    let stored = tokio::time::timeout(Duration::from_secs(60), waiting).await;
    assert_eq!(
        stored.expect("it is found again").unwrap().unwrap(),
        Stored::New
    );

    let mut expected: Vec<u32> = (0..50).collect();
    expected.push(51);
    assert_eq!(
        store.seeds_done(&[series("one").id()]).await.unwrap(),
        [expected]
    );
    let traces = store.traces(series("one").id()).await.unwrap();
    assert!(traces.iter().all(|(seed, stored)| *stored == trace(*seed)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_that_swallows_everything_is_given_up() {
    let servers = PrivateServers::start(&[Server::Store]);
    let proxy = Proxy::to(([127, 0, 0, 1], servers.port(Server::Store)).into()).await;
    let store = store::open(&format!("redis://127.0.0.1:{}", proxy.port()))
        .await
        .unwrap();
    store.put_trace(&job("one", 0), &trace(0)).await.unwrap();

    proxy.swallow();
    let error = store.put_trace(&job("one", 1), &trace(1)).await;
    let error = error.unwrap_err();
    assert!(error.is_transient(), "{error}");

    // The one that follows takes a new connection.
    let (job, trace) = (job("one", 1), trace(1));
    let next = store.put_trace(&job, &trace);
    let stored = tokio::time::timeout(Duration::from_secs(10), next).await;
    assert_eq!(stored.expect("an answer").unwrap(), Stored::New);
}
