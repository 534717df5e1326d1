//! What a worker tells regularly about itself.

use std::time::Duration;

use crate::identity::JobId;
use crate::limits::MAX_HEARTBEAT_BYTES;
use crate::message_error::{MessageError, MessageKind, MessageProblem, check_count};

/// Time between two heartbeats of a worker.
pub const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(5);

/// The remark under which a worker counts the jobs that it has finished: the number of its heartbeat is how many.
const TALLY: &str = "counts the jobs that it has finished";

/// Longest name of a remark.
const MAX_REMARK_BYTES: usize = 400;

/// The jobs that a worker holds: it took their messages and has not settled them.
///
/// Heartbeats carry no time of day. A worker counts as alive as long as their number grows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Heartbeat {
    /// Grows from heartbeat to heartbeat.
    pub number: u64,
    /// The jobs it holds.
    pub jobs: Vec<JobId>,
}

/// The name under which a worker's remark on itself is kept beside its heartbeat: to former releases it is a
/// worker that holds nothing.
pub fn remark_name(worker: &str, remark: &str) -> String {
    let mut name = format!("{worker} {}", remark.replace(char::is_control, " "));
    while name.len() > MAX_REMARK_BYTES {
        name.pop();
    }
    name
}

/// The worker and its remark, if this is the name of a remark and not of a worker: those have no blanks.
pub fn remark_of(name: &str) -> Option<(&str, &str)> {
    name.split_once(' ')
}

/// The name under which a worker counts the jobs that it has finished, beside its heartbeat: the number of that entry is how
/// many. To former releases it is a remark.
pub fn tally_name(worker: &str) -> String {
    remark_name(worker, TALLY)
}

/// The worker, if this is the name under which it counts the jobs that it has finished.
pub fn tally_of(name: &str) -> Option<&str> {
    let (worker, remark) = remark_of(name)?;
    (remark == TALLY).then_some(worker)
}

impl Heartbeat {
    /// The heartbeat as stored text: the number, then the ids, separated by blanks.
    pub fn encode(&self) -> String {
        let mut text = self.number.to_string();
        for job in &self.jobs {
            text.push(' ');
            text.push_str(&job.to_string());
        }
        text
    }

    /// Reads stored text.
    ///
    /// # Errors
    /// [`MessageError`] if it is not a heartbeat.
    pub fn decode(text: &[u8]) -> Result<Self, MessageError> {
        let read = || -> Result<Self, MessageProblem> {
            check_count("bytes", text.len() as u64, MAX_HEARTBEAT_BYTES as u64)?;
            let mut words = std::str::from_utf8(text)?.split(' ');
            let number = words.next().and_then(|number| number.parse().ok());
            Ok(Self {
                number: number.ok_or(MessageProblem::NoNumber)?,
                jobs: words.map(str::parse).collect::<Result<_, _>>()?,
            })
        };
        read().map_err(|problem| MessageKind::Heartbeat.refuses(problem))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_are_told_from_workers() {
        let name = remark_name("host:1", "has seen\u{1b}[2J no jobs");
        assert_eq!(remark_of(&name), Some(("host:1", "has seen [2J no jobs")));
        assert_eq!(remark_of("host:1"), None);
        let tally = tally_name("host:1");
        assert_eq!(tally_of(&tally), Some("host:1"));
        assert_eq!(tally_of(&name), None);
        assert!(remark_of(&tally).is_some(), "it is no worker");
        let long = remark_name("host:1", &"\u{e9}".repeat(MAX_REMARK_BYTES));
        assert!(long.len() <= MAX_REMARK_BYTES, "{}", long.len());
    }

    #[test]
    fn heartbeats_survive_and_damage_is_noticed() {
        for jobs in [vec![], vec![JobId([1; 16]), JobId([2; 16])]] {
            let heartbeat = Heartbeat { number: 7, jobs };
            let text = heartbeat.encode();
            assert_eq!(Heartbeat::decode(text.as_bytes()).unwrap(), heartbeat);
        }
        for damaged in ["", "x", "7 00", "7  ", "-1"] {
            assert!(Heartbeat::decode(damaged.as_bytes()).is_err(), "{damaged}");
        }
    }
}
