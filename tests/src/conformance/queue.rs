//! The rules every queue keeps.

#![allow(missing_docs, reason = "each rule is named by what it says")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use loto_proto::job::Job;
use loto_transport::queue::{Consumer, Delivery, Queue};

use crate::samples::job;

type Subject = Arc<dyn Queue>;

/// How long a delivery may take; only a failing test waits for it.
const PATIENCE: Duration = Duration::from_secs(20);

/// A pause long enough to be noticed.
const PAUSE: Duration = Duration::from_millis(700);

/// How long nothing has to happen before nothing is taken to happen.
const QUIET: Duration = Duration::from_millis(400);

/// The next delivery.
///
/// # Panics
/// If none comes.
pub async fn next(consumer: &mut Box<dyn Consumer>) -> Delivery {
    let next = tokio::time::timeout(PATIENCE, consumer.next()).await;
    next.expect("a delivery is due")
        .unwrap()
        .expect("the queue is open")
}

/// Checks that no delivery comes.
///
/// # Panics
/// If one does.
pub async fn nothing_comes(consumer: &mut Box<dyn Consumer>) {
    let next = tokio::time::timeout(QUIET, consumer.next()).await;
    assert!(next.is_err(), "a delivery came that should not");
}

fn seed(delivery: &Delivery) -> u32 {
    Job::decode(&delivery.body).unwrap().seed
}

async fn publish(queue: &Subject, seeds: std::ops::Range<u32>) {
    let jobs: Vec<_> = seeds.map(|seed| job("one", seed)).collect();
    queue.publish(&jobs).await.unwrap();
}

pub async fn every_job_arrives_once(queue: &Subject) {
    publish(queue, 0..600).await;
    publish(queue, 0..0).await;
    let mut consumer = queue.consume(50).await.unwrap();
    let mut seeds = Vec::new();
    for _ in 0..600 {
        let delivery = next(&mut consumer).await;
        assert_eq!(
            Job::decode(&delivery.body).unwrap(),
            job("one", seed(&delivery))
        );
        seeds.push(seed(&delivery));
        delivery.receipt.acknowledge().await.unwrap();
    }
    assert_eq!(seeds, (0..600).collect::<Vec<_>>());
    nothing_comes(&mut consumer).await;
    drop(consumer);
    nothing_comes(&mut queue.consume(1).await.unwrap()).await;
    // A consumer that waits is woken by what is published later.
    let mut consumer = queue.consume(1).await.unwrap();
    publish(queue, 7..8).await;
    let delivery = next(&mut consumer).await;
    assert_eq!(seed(&delivery), 7);
    delivery.receipt.acknowledge().await.unwrap();
}

pub async fn no_more_than_asked_for_are_in_flight(queue: &Subject) {
    publish(queue, 0..4).await;
    let mut consumer = queue.consume(2).await.unwrap();
    let first = next(&mut consumer).await;
    let _second = next(&mut consumer).await;
    nothing_comes(&mut consumer).await;
    first.receipt.acknowledge().await.unwrap();
    assert_eq!(seed(&next(&mut consumer).await), 2);
}

pub async fn what_is_given_back_comes_again(queue: &Subject) {
    publish(queue, 0..1).await;
    let mut consumer = queue.consume(1).await.unwrap();
    // More often than a broker would redeliver by itself.
    for _ in 0..25 {
        let delivery = next(&mut consumer).await;
        assert_eq!(seed(&delivery), 0);
        delivery.receipt.requeue(Duration::ZERO).await.unwrap();
    }
    next(&mut consumer)
        .await
        .receipt
        .acknowledge()
        .await
        .unwrap();
    nothing_comes(&mut consumer).await;
}

pub async fn what_pauses_comes_again_later_and_keeps_no_slot(queue: &Subject) {
    publish(queue, 0..2).await;
    let mut consumer = queue.consume(1).await.unwrap();
    let first = next(&mut consumer).await;
    assert_eq!(queue.waiting().await.unwrap(), 1);
    first.receipt.requeue(PAUSE).await.unwrap();
    let begin = Instant::now();
    let second = next(&mut consumer).await;
    assert_eq!(seed(&second), 1);
    assert_eq!(queue.waiting().await.unwrap(), 1);
    second.receipt.acknowledge().await.unwrap();
    let first = next(&mut consumer).await;
    assert_eq!(seed(&first), 0);
    assert!(begin.elapsed() >= PAUSE / 2, "it did not pause");
    assert_eq!(queue.waiting().await.unwrap(), 0);
    first.receipt.acknowledge().await.unwrap();
    nothing_comes(&mut consumer).await;
}

pub async fn what_is_dropped_comes_again(queue: &Subject) {
    publish(queue, 0..3).await;
    let mut consumer = queue.consume(3).await.unwrap();
    let held = [next(&mut consumer).await, next(&mut consumer).await];
    drop(consumer);
    drop(held);
    let mut consumer = queue.consume(3).await.unwrap();
    let mut seeds = Vec::new();
    for _ in 0..3 {
        let delivery = next(&mut consumer).await;
        seeds.push(seed(&delivery));
        delivery.receipt.acknowledge().await.unwrap();
    }
    seeds.sort_unstable();
    assert_eq!(seeds, [0, 1, 2]);
    nothing_comes(&mut consumer).await;
}

pub async fn what_is_rejected_does_not_come_again(queue: &Subject) {
    publish(queue, 0..2).await;
    let mut consumer = queue.consume(1).await.unwrap();
    next(&mut consumer).await.receipt.reject().await.unwrap();
    let delivery = next(&mut consumer).await;
    assert_eq!(seed(&delivery), 1);
    delivery.receipt.acknowledge().await.unwrap();
    nothing_comes(&mut consumer).await;
}

pub async fn consumers_share_the_jobs(queue: &Subject) {
    let mut first = queue.consume(1).await.unwrap();
    let mut second = queue.consume(1).await.unwrap();
    publish(queue, 0..2).await;
    let held = [next(&mut first).await, next(&mut second).await];
    let mut seeds = held.each_ref().map(seed);
    seeds.sort_unstable();
    assert_eq!(seeds, [0, 1]);
    for delivery in held {
        delivery.receipt.acknowledge().await.unwrap();
    }
}
