//! The order in which the tasks of a stream arrive (Yogatama and Mann 2014, section 4).

use loto_proto::identity::Fingerprint;
use loto_proto::protocol::ALL_TASKS;

use crate::random::{RandomStream, StreamName};

/// What draws the order.
const ORDER: StreamName = StreamName::new("task stream", "order of tasks");

/// The positions in the table of the `tasks` tasks in the order of their arrival: the same for every method.
pub fn arrivals(table: Fingerprint, tasks: usize, seed: u32) -> Vec<usize> {
    let mut random = RandomStream::new(ORDER, table, ALL_TASKS, seed);
    let order = random.permutation(tasks as u32);
    order.into_iter().map(|task| task as usize).collect()
}
