//! The embedded queue: jobs wait in memory.
//!
//! It keeps nothing when the process ends. Nothing is lost by that: the store
//! says what is done, and the next run queues what is missing.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use super::{Consumer, Delivery, Queue, Receipt};
use crate::ProtoError;
use crate::job::Job;

/// A queue inside one process. Clones are the same queue.
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
    closed: bool,
    dead_letters: Vec<Vec<u8>>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing panics while it holds the lock, so the state is sound.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn settle(&self, body: Option<Vec<u8>>, place: impl FnOnce(&mut State, Vec<u8>)) {
        let Some(body) = body else { return };
        let mut state = self.state();
        state.unsettled -= 1;
        place(&mut state, body);
        drop(state);
        self.changed.notify_waiters();
    }
}

impl InProcessQueue {
    /// An empty queue.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes no more jobs. Consumers end when those that wait and those in
    /// flight are settled.
    pub fn close(&self) {
        self.shared.state().closed = true;
        self.shared.changed.notify_waiters();
    }

    /// Puts messages on the queue as they are, whatever they say.
    ///
    /// # Errors
    /// [`ProtoError::Malformed`] if the queue was closed.
    pub fn publish_messages(
        &self,
        messages: impl IntoIterator<Item = Vec<u8>>,
    ) -> Result<(), ProtoError> {
        let mut state = self.shared.state();
        if state.closed {
            return Err(ProtoError::Malformed {
                what: "job".into(),
                problem: "it was published after the queue was closed".into(),
            });
        }
        state.waiting.extend(messages);
        drop(state);
        self.shared.changed.notify_waiters();
        Ok(())
    }

    /// Messages that were rejected, in order.
    pub fn dead_letters(&self) -> Vec<Vec<u8>> {
        self.shared.state().dead_letters.clone()
    }
}

#[async_trait]
impl Queue for InProcessQueue {
    async fn publish(&self, jobs: &[Job]) -> Result<(), ProtoError> {
        self.publish_messages(jobs.iter().map(Job::encode))
    }

    async fn consume(&self, in_flight: u16) -> Result<Box<dyn Consumer>, ProtoError> {
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
    async fn next(&mut self) -> Result<Option<Delivery>, ProtoError> {
        // A consumer whose own deliveries are all in flight waits for one to be settled.
        let Ok(slot) = self.in_flight.clone().acquire_owned().await else {
            return Ok(None);
        };
        loop {
            let changed = self.shared.changed.notified();
            tokio::pin!(changed);
            // From here on no change is missed.
            changed.as_mut().enable();
            {
                let mut state = self.shared.state();
                if let Some(body) = state.waiting.pop_front() {
                    state.unsettled += 1;
                    return Ok(Some(Delivery {
                        receipt: Box::new(InProcessReceipt {
                            shared: self.shared.clone(),
                            body: Some(body.clone()),
                            _slot: slot,
                        }),
                        body,
                    }));
                }
                if state.closed && state.unsettled == 0 {
                    return Ok(None);
                }
            }
            changed.await;
        }
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
    async fn acknowledge(mut self: Box<Self>) -> Result<(), ProtoError> {
        self.shared.settle(self.body.take(), |_, _| ());
        Ok(())
    }

    async fn give_back(self: Box<Self>) -> Result<(), ProtoError> {
        // Dropping it does.
        Ok(())
    }

    async fn reject(mut self: Box<Self>) -> Result<(), ProtoError> {
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
