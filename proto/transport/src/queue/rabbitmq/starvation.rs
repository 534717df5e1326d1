//! Notices that the broker has forgotten a consumer.
//!
//! A quorum queue that is deleted and declared again at once can leave a consumer that gets neither jobs nor
//! the notice that it was cancelled: the broker subscribes it to the new queue, and takes the first messages of
//! that for those it has delivered before (RabbitMQ 3.10). Then jobs wait, the consumer has room, and nothing
//! comes.

use std::time::Duration;

use tokio::time::Instant;

/// Time between two looks at the queue while nothing is delivered. The broker counts its messages anew
/// every five seconds.
const LOOK_INTERVAL: Duration = Duration::from_secs(6);

/// At so many looks in a row there have to be jobs and room for them: at one or two, others may just have been
/// quicker.
const LOOKS: u32 = 3;

/// What was seen since the last delivery.
pub(super) struct Starvation {
    next_look: Instant,
    unserved_looks: u32,
}

impl Starvation {
    pub(super) fn new() -> Self {
        Self {
            next_look: Instant::now() + LOOK_INTERVAL,
            unserved_looks: 0,
        }
    }

    /// Waits until it is time to look at the queue.
    pub(super) async fn look_is_due(&mut self) {
        tokio::time::sleep_until(self.next_look).await;
        self.next_look = Instant::now() + LOOK_INTERVAL;
    }

    /// Takes in a look, whether jobs wait that there is room for; says whether the consumer is forgotten.
    pub(super) fn is_certain(&mut self, jobs_and_room: bool) -> bool {
        self.unserved_looks = if jobs_and_room {
            self.unserved_looks + 1
        } else {
            0
        };
        self.unserved_looks >= LOOKS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_looks_in_a_row_are_certain() {
        let mut starvation = Starvation::new();
        let looks = [true, true, false, true, true, true];
        let certain = looks.map(|look| starvation.is_certain(look));
        assert_eq!(certain, [false, false, false, false, false, true]);
    }

    #[tokio::test(start_paused = true)]
    async fn looks_are_due_at_intervals_also_if_waiting_for_them_is_broken_off() {
        let begin = Instant::now();
        let mut starvation = Starvation::new();
        for _ in 0..10 {
            let short = Duration::from_millis(500);
            let _broken_off = tokio::time::timeout(short, starvation.look_is_due()).await;
        }
        starvation.look_is_due().await;
        assert_eq!(begin.elapsed(), LOOK_INTERVAL);
        starvation.look_is_due().await;
        assert_eq!(begin.elapsed(), 2 * LOOK_INTERVAL);
    }
}
