//! RabbitMQ dies and comes back.

use std::time::Duration;

use loto_tests::conformance::queue::next;
use loto_tests::samples::job;
use loto_tests::servers::{PrivateServers, Server};
use loto_transport::queue;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn jobs_survive_a_crash_and_both_sides_go_on() {
    let servers = PrivateServers::start(&[Server::Broker]);
    let queue = queue::connect(&servers.broker_url()).await.unwrap();
    let jobs: Vec<_> = (0..1000).map(|seed| job("one", seed)).collect();
    queue.publish(&jobs).await.unwrap();
    let mut consumer = queue.consume(10).await.unwrap();
    let mut held = Vec::new();
    for seed in 0..10 {
        let delivery = next(&mut consumer).await;
        assert_eq!(delivery.body, job("one", seed).encode());
        if seed < 5 {
            delivery.receipt.acknowledge().await.unwrap();
        } else {
            held.push(delivery);
        }
    }
    queue.publish(&[job("two", 0)]).await.unwrap();
    // RabbitMQ writes a new quorum queue into its directory only every half second; a
    // crash before that leaves a queue that never answers again. It also settles the
    // acknowledgements above.
    tokio::time::sleep(Duration::from_secs(3)).await;
    tokio::task::block_in_place(|| servers.kill(Server::Broker));

    let mut lost = loop {
        match tokio::time::timeout(Duration::from_secs(20), consumer.next()).await {
            Ok(Ok(Some(prefetched))) => held.push(prefetched),
            Ok(Ok(None)) => panic!("a broker does not end a queue on purpose"),
            Ok(Err(error)) => break vec![error],
            Err(_) => panic!("the loss was not noticed"),
        }
    };
    for delivery in held.drain(..) {
        lost.push(delivery.receipt.acknowledge().await.unwrap_err());
    }
    lost.push(queue.consume(1).await.err().unwrap());
    for error in lost {
        assert!(error.is_transient(), "{error}");
    }

    // Publishing waits for the broker to come back.
    let publishing = tokio::spawn({
        let queue = queue.clone();
        async move { queue.publish(&[job("two", 1)]).await }
    });
    tokio::task::block_in_place(|| servers.restart(Server::Broker));
    publishing.await.unwrap().unwrap();

    let mut consumer = queue.consume(10).await.unwrap();
    let mut bodies = Vec::new();
    for _ in 0..995 + 2 {
        let delivery = next(&mut consumer).await;
        bodies.push(delivery.body);
        delivery.receipt.acknowledge().await.unwrap();
    }
    bodies.sort_unstable();
    let rest = (5..1000).map(|seed| job("one", seed));
    let mut expected: Vec<_> = rest
        .chain([job("two", 0), job("two", 1)])
        .map(|job| job.encode())
        .collect();
    expected.sort_unstable();
    assert_eq!(bodies, expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_alarm_ends_with_the_broker_that_had_it() {
    let servers = PrivateServers::start(&[Server::Broker]);
    let queue = queue::connect(&servers.broker_url()).await.unwrap();
    queue.publish(&[job("one", 0)]).await.unwrap();
    // New queues are in the broker's directory after half a second; see above.
    tokio::time::sleep(Duration::from_secs(3)).await;
    let no_memory = ["set_vm_memory_high_watermark", "0.00001"];
    tokio::task::block_in_place(|| servers.control_broker(&no_memory));
    // The broker looks at its memory every few seconds.
    let alarm = async {
        while queue.alarm().await.unwrap().is_none() {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    let told = tokio::time::timeout(Duration::from_secs(60), alarm).await;
    told.expect("there is no alarm");
    let error = queue.waiting().await.unwrap_err().to_string();
    assert!(error.contains("alarm"), "{error}");
    tokio::task::block_in_place(|| {
        servers.kill(Server::Broker);
        servers.restart(Server::Broker);
    });
    queue.publish(&[job("one", 1)]).await.unwrap();
    assert_eq!(queue.alarm().await.unwrap(), None);
    assert_eq!(queue.waiting().await.unwrap(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn queues_without_a_leader_are_made_anew() {
    let servers = PrivateServers::start(&[Server::Broker]);
    let queue = queue::connect(&servers.broker_url()).await.unwrap();
    // The queue that was made last, for delayed messages, is not in the broker's directory yet.
    tokio::task::block_in_place(|| {
        servers.kill(Server::Broker);
        servers.restart(Server::Broker);
    });

    queue.publish(&[job("one", 0)]).await.unwrap();
    let mut consumer = queue.consume(1).await.unwrap();
    let first = next(&mut consumer).await;
    assert_eq!(first.body, job("one", 0).encode());
    // What cannot be delayed comes back as it is, and the next time it can be.
    let delay = Duration::from_secs(1);
    first.receipt.requeue(delay).await.unwrap();
    let second = next(&mut consumer).await;
    // A queue without a leader is waited for longer.
    let requeueing = tokio::time::timeout(Duration::from_secs(20), second.receipt.requeue(delay));
    requeueing.await.expect("the queue takes it").unwrap();
    let third = next(&mut consumer).await;
    assert_eq!(third.body, job("one", 0).encode());
    third.receipt.acknowledge().await.unwrap();
}
