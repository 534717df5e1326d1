//! What the broker does with messages that no worker can settle.

use std::time::Duration;

use lapin::BasicProperties;
use lapin::options::{
    BasicGetOptions, BasicPublishOptions, QueueDeclareOptions, QueueDeleteOptions,
};
use lapin::types::FieldTable;
use loto_tests::conformance::queue::{next, nothing_comes};
use loto_tests::samples::job;
use loto_tests::servers;
use loto_transport::TransportError;
use loto_transport::queue::{self, DEAD_LETTERS, DELIVERY_LIMIT, JOBS};

/// Waits for a dead letter and returns its body.
async fn dead_letter(channel: &lapin::Channel) -> Vec<u8> {
    for _ in 0..200 {
        let options = BasicGetOptions { no_ack: true };
        if let Some(letter) = channel
            .basic_get(DEAD_LETTERS.into(), options)
            .await
            .unwrap()
        {
            return letter.delivery.data;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("no dead letter came");
}

#[tokio::test]
async fn garbage_is_delivered_as_it_is_and_kept_when_rejected() {
    let turn = servers::broker_turn().await;
    let queue = queue::connect(&turn.url).await.unwrap();
    let (_connection, channel) = servers::connect_broker(&turn.url).await;
    let options = BasicPublishOptions::default();
    let garbage = b"\x00garbage\xff";
    let properties = BasicProperties::default();
    let sent = channel
        .basic_publish("".into(), JOBS.into(), options, garbage, properties)
        .await;
    sent.unwrap().await.unwrap();
    queue.publish(&[job("one", 1)]).await.unwrap();
    let mut consumer = queue.consume(1).await.unwrap();
    let delivery = next(&mut consumer).await;
    assert_eq!(delivery.body, garbage);
    delivery.receipt.reject().await.unwrap();
    assert_eq!(dead_letter(&channel).await, garbage);
    let delivery = next(&mut consumer).await;
    assert_eq!(delivery.body, job("one", 1).encode());
    delivery.receipt.acknowledge().await.unwrap();
}

#[tokio::test]
async fn a_message_that_kills_its_consumers_is_given_up_by_the_broker() {
    let turn = servers::broker_turn().await;
    let queue = queue::connect(&turn.url).await.unwrap();
    let (_connection, channel) = servers::connect_broker(&turn.url).await;
    queue.publish(&[job("one", 0)]).await.unwrap();
    for _ in 0..=DELIVERY_LIMIT {
        let mut consumer = queue.consume(1).await.unwrap();
        let delivery = next(&mut consumer).await;
        drop((consumer, delivery));
    }
    assert_eq!(dead_letter(&channel).await, job("one", 0).encode());
    nothing_comes(&mut queue.consume(1).await.unwrap()).await;
}

#[tokio::test]
async fn a_deleted_queue_ends_the_consumer_with_an_error() {
    let turn = servers::broker_turn().await;
    let queue = queue::connect(&turn.url).await.unwrap();
    let (_connection, channel) = servers::connect_broker(&turn.url).await;
    let mut consumer = queue.consume(1).await.unwrap();
    channel
        .queue_delete(JOBS.into(), QueueDeleteOptions::default())
        .await
        .unwrap();
    let end = tokio::time::timeout(Duration::from_secs(20), consumer.next()).await;
    let error = end.expect("it is noticed").err().unwrap();
    assert!(error.is_transient(), "{error}");
    // A job for a queue that is gone is returned, noticed, and sent again.
    queue.publish(&[job("one", 3)]).await.unwrap();
    let delivery = next(&mut queue.consume(1).await.unwrap()).await;
    assert_eq!(delivery.body, job("one", 3).encode());
}

#[tokio::test]
async fn a_queue_of_another_make_is_refused_with_the_reason() {
    let turn = servers::broker_turn().await;
    let (_connection, channel) = servers::connect_broker(&turn.url).await;
    channel
        .queue_delete(JOBS.into(), QueueDeleteOptions::default())
        .await
        .unwrap();
    let classic = QueueDeclareOptions::durable();
    channel
        .queue_declare(JOBS.into(), classic, FieldTable::default())
        .await
        .unwrap();
    let error = queue::connect(&turn.url).await.err().unwrap().to_string();
    channel
        .queue_delete(JOBS.into(), QueueDeleteOptions::default())
        .await
        .unwrap();
    assert!(
        error.contains("inequivalent") && error.contains(JOBS),
        "{error}"
    );
}

#[tokio::test]
async fn a_broker_that_is_not_there_is_an_error_without_the_password() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap();
    drop(free);
    let missing = queue::connect(&format!("amqp://me:secret@{address}"))
        .await
        .err()
        .unwrap();
    let turn = servers::broker_turn().await;
    let url = turn.url.replace("guest:guest", "me:secret");
    let refused = queue::connect(&url).await.err().unwrap();
    assert!(missing.is_transient(), "{missing}");
    assert!(
        matches!(refused, TransportError::Refused { .. }),
        "{refused}"
    );
    for error in [missing, refused] {
        let message = error.to_string();
        assert!(
            message.contains("127.0.0.1") && !message.contains("secret"),
            "{message}"
        );
    }
}
