//! The embedded queue: jobs wait in memory.
//!
//! It keeps nothing when the process ends. Nothing is lost by that: the store
//! says what is done, and the next run queues what is missing.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use loto_proto::job::Job;
use parking_lot::Mutex;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use super::interface::{Consumer, Delivery, Queue, Receipt};
use crate::error::TransportError;

/// A queue inside one process. Clones are the same queue.
///
/// A bounded one lets its publisher wait for consumers, so that a sweep of
/// millions of jobs is never in memory at once.
#[derive(Clone, Default)]
pub struct InProcessQueue {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// Woken whenever `state` changes in a way a waiting consumer may care for.
    changed: Notify,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Vec<u8>>,
    unsettled: usize,
    /// How many of the unsettled ones nobody holds: they come again after a delay.
    delayed: usize,
    closed: bool,
    /// Publishing waits while as many messages wait; `None`: it never does.
    capacity: Option<usize>,
    dead_letters: Vec<Vec<u8>>,
}

impl State {
    /// Whether a publisher need not wait; a closed queue turns it away at once.
    fn has_room(&self) -> bool {
        let is_full = |capacity| self.waiting.len() >= capacity;
        self.closed || !self.capacity.is_some_and(is_full)
    }
}

impl Shared {
    /// Waits until `look` finds something in the state.
    async fn wait_for<Found>(&self, mut look: impl FnMut(&mut State) -> Option<Found>) -> Found {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            // From here on no change is missed.
            changed.as_mut().enable();
            let found = look(&mut self.state.lock());
            if let Some(found) = found {
                return found;
            }
            changed.await;
        }
    }

    fn settle(&self, body: Option<Vec<u8>>, place: impl FnOnce(&mut State, Vec<u8>)) {
        let Some(body) = body else { return };
        {
            let mut state = self.state.lock();
            state.unsettled -= 1;
            place(&mut state, body);
        }
        self.changed.notify_waiters();
    }
}

impl InProcessQueue {
    /// An empty queue.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty queue in which at most about `capacity` messages wait.
    pub fn bounded(capacity: usize) -> Self {
        let queue = Self::default();
        queue.shared.state.lock().capacity = Some(capacity.max(1));
        queue
    }

    /// Waits until a publisher need not wait.
    pub async fn room(&self) {
        let look = |state: &mut State| state.has_room().then_some(());
        self.shared.wait_for(look).await;
    }

    /// Takes no more jobs. Consumers end when those that wait and those in
    /// flight are settled.
    pub fn close(&self) {
        self.shared.state.lock().closed = true;
        self.shared.changed.notify_waiters();
    }

    /// Puts messages on the queue as they are, whatever they say, without waiting for room.
    ///
    /// # Errors
    /// [`TransportError::QueueClosed`] if the queue was closed.
    pub fn publish_messages(
        &self,
        messages: impl IntoIterator<Item = Vec<u8>>,
    ) -> Result<(), TransportError> {
        {
            let mut state = self.shared.state.lock();
            if state.closed {
                return Err(TransportError::QueueClosed);
            }
            state.waiting.extend(messages);
        }
        self.shared.changed.notify_waiters();
        Ok(())
    }

    /// Messages that were rejected, in order.
    pub fn dead_letters(&self) -> Vec<Vec<u8>> {
        self.shared.state.lock().dead_letters.clone()
    }
}

#[async_trait]
impl Queue for InProcessQueue {
    async fn publish(&self, jobs: &[Job]) -> Result<(), TransportError> {
        self.room().await;
        self.publish_messages(jobs.iter().map(Job::encode))
    }

    async fn waiting(&self) -> Result<u64, TransportError> {
        let state = self.shared.state.lock();
        Ok((state.waiting.len() + state.delayed) as u64)
    }

    async fn consume(&self, in_flight: u16) -> Result<Box<dyn Consumer>, TransportError> {
        Ok(Box::new(InProcessConsumer {
            shared: self.shared.clone(),
            in_flight: Arc::new(Semaphore::new(in_flight.max(1).into())),
        }))
    }
}

struct InProcessConsumer {
    shared: Arc<Shared>,
    in_flight: Arc<Semaphore>,
}

#[async_trait]
impl Consumer for InProcessConsumer {
    async fn next(&mut self) -> Result<Option<Delivery>, TransportError> {
        // A consumer whose own deliveries are all in flight waits for one to be settled.
        let Ok(slot) = self.in_flight.clone().acquire_owned().await else {
            return Ok(None);
        };
        let look = |state: &mut State| match state.waiting.pop_front() {
            Some(body) => {
                state.unsettled += 1;
                Some(Some(body))
            }
            None => (state.closed && state.unsettled == 0).then_some(None),
        };
        let body = self.shared.wait_for(look).await;
        Ok(body.map(|body| Delivery {
            receipt: Box::new(InProcessReceipt {
                shared: self.shared.clone(),
                body: Some(body.clone()),
                _slot: slot,
            }),
            body,
        }))
    }
}

struct InProcessReceipt {
    shared: Arc<Shared>,
    /// The message, until it is settled.
    body: Option<Vec<u8>>,
    _slot: OwnedSemaphorePermit,
}

#[async_trait]
impl Receipt for InProcessReceipt {
    async fn acknowledge(mut self: Box<Self>) -> Result<(), TransportError> {
        self.shared.settle(self.body.take(), |_, _| ());
        Ok(())
    }

    async fn requeue(mut self: Box<Self>, delay: Duration) -> Result<(), TransportError> {
        if delay.is_zero() {
            return Ok(()); // Dropping it does.
        }
        // It stays unsettled meanwhile: a closed queue is not drained before it is.
        let (shared, body) = (self.shared.clone(), self.body.take());
        shared.state.lock().delayed += 1;
        tokio::spawn(async move {
            tokio::time::sleep(delay).await;
            shared.settle(body, |state, body| {
                state.delayed -= 1;
                state.waiting.push_back(body);
            });
        });
        Ok(())
    }

    async fn reject(mut self: Box<Self>) -> Result<(), TransportError> {
        self.shared.settle(self.body.take(), |state, body| {
            state.dead_letters.push(body)
        });
        Ok(())
    }
}

impl Drop for InProcessReceipt {
    /// A delivery that was not settled goes to the end of the queue.
    fn drop(&mut self) {
        self.shared.settle(self.body.take(), |state, body| {
            state.waiting.push_back(body)
        });
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use loto_proto::identity::Fingerprint;
    use loto_proto::job::{MethodSpec, Series};

    fn jobs(seeds: std::ops::Range<u32>) -> Vec<Job> {
        let series = Series {
            method: MethodSpec {
                name: None,
                id: "rs".into(),
                version: 1,
                parameters: BTreeMap::new(),
                program: None,
            },
            table: Fingerprint([1; 16]),
            task: "task".into(),
            iterations: 5,
        };
        let job = |seed| Job {
            series: series.clone(),
            seed,
        };
        seeds.map(job).collect()
    }

    #[tokio::test]
    async fn a_bounded_queue_makes_its_publisher_wait() {
        let queue = InProcessQueue::bounded(2);
        queue.publish(&jobs(0..2)).await.unwrap();
        let more = jobs(2..3);
        let publishing = queue.publish(&more);
        tokio::pin!(publishing);
        let waited = tokio::time::timeout(Duration::from_millis(50), &mut publishing).await;
        assert!(waited.is_err(), "there was no room");
        let mut consumer = queue.consume(1).await.unwrap();
        let delivery = consumer.next().await.unwrap().unwrap();
        delivery.receipt.acknowledge().await.unwrap();
        publishing.await.unwrap();
        queue.close();
        let mut rest = 0;
        while let Some(delivery) = consumer.next().await.unwrap() {
            delivery.receipt.acknowledge().await.unwrap();
            rest += 1;
        }
        assert_eq!(rest, 2);
    }
}
