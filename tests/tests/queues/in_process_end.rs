//! How the embedded queue ends its consumers.

use std::time::Duration;

use loto_tests::conformance::queue::{next, nothing_comes};
use loto_tests::samples::job;
use loto_transport::queue::{InProcessQueue, Queue};

#[tokio::test]
async fn a_closed_queue_ends_its_consumers_when_everything_is_settled() {
    let queue = InProcessQueue::new();
    queue
        .publish(&[job("one", 0), job("one", 1)])
        .await
        .unwrap();
    let mut first = queue.consume(2).await.unwrap();
    let mut second = queue.consume(2).await.unwrap();
    let delivery = next(&mut first).await;
    queue.close();
    assert!(queue.publish(&[job("one", 2)]).await.is_err());
    next(&mut second).await.receipt.reject().await.unwrap();
    // What is in flight may still come back.
    nothing_comes(&mut second).await;
    delivery
        .receipt
        .requeue(std::time::Duration::ZERO)
        .await
        .unwrap();
    next(&mut second).await.receipt.acknowledge().await.unwrap();
    for consumer in [&mut first, &mut second] {
        let end = tokio::time::timeout(Duration::from_secs(5), consumer.next()).await;
        assert!(end.expect("it ends").unwrap().is_none());
    }
    assert_eq!(queue.dead_letters(), [job("one", 1).encode()]);
}

#[tokio::test]
async fn closing_wakes_a_consumer_that_waits() {
    let queue = InProcessQueue::new();
    let mut consumer = queue.consume(1).await.unwrap();
    let waiting = tokio::spawn(async move { consumer.next().await.unwrap().is_none() });
    tokio::task::yield_now().await;
    queue.close();
    let ended = tokio::time::timeout(Duration::from_secs(5), waiting).await;
    assert!(ended.expect("it ends").unwrap());
}
