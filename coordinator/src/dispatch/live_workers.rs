//! Counts the workers of a store that are there.

use std::collections::BTreeMap;

use loto_proto::heartbeat::{Heartbeat, remark_of};
use tokio::time::Instant;

use super::lost_jobs::SETTLING;

/// The last heartbeat of each worker, and since when it is the last.
///
/// A worker that is seen for the first time is believed to live until its heartbeat stays the same for too long.
#[derive(Debug, Default)]
pub(super) struct LiveWorkers(BTreeMap<String, (u64, Instant)>);

impl LiveWorkers {
    /// Takes in the heartbeats that the store has now; returns the number of workers that live.
    pub(super) fn count(&mut self, now: Instant, heartbeats: &[(String, Heartbeat)]) -> usize {
        let workers = heartbeats
            .iter()
            .filter(|(name, _)| remark_of(name).is_none());
        let workers = workers.map(|(name, heartbeat)| {
            let last = self.0.get(name);
            let same = last.filter(|(number, _)| *number == heartbeat.number);
            let since = same.map_or(now, |(_, since)| *since);
            (name.clone(), (heartbeat.number, since))
        });
        self.0 = workers.collect();
        let lives = |since: Instant| now.duration_since(since) <= SETTLING;
        self.0.values().filter(|(_, since)| lives(*since)).count()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use loto_proto::heartbeat::remark_name;

    use super::*;

    #[test]
    fn a_worker_lives_while_its_number_grows() {
        let begin = Instant::now();
        let mut live = LiveWorkers::default();
        let mut count = |seconds, told: &[(&str, u64)]| {
            let heartbeats: Vec<_> = told
                .iter()
                .map(|&(name, number)| {
                    (
                        name.to_owned(),
                        Heartbeat {
                            number,
                            jobs: vec![],
                        },
                    )
                })
                .collect();
            live.count(begin + Duration::from_secs(seconds), &heartbeats)
        };
        assert_eq!(count(0, &[]), 0);
        let remark = remark_name("host:1", "the broker has an alarm");
        assert_eq!(count(0, &[("host:1", 7), (&remark, 1), ("host:2", 1)]), 2);
        assert_eq!(count(15, &[("host:1", 8), ("host:2", 1)]), 2);
        assert_eq!(count(16, &[("host:1", 9), ("host:2", 1)]), 1);
        // A worker that is gone says so itself; one that was silent for a while comes back.
        assert_eq!(count(20, &[("host:2", 2)]), 1);
        assert_eq!(count(40, &[("host:2", 2)]), 0);
    }
}
