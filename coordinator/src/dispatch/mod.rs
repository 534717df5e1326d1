//! Hands a sweep to the workers and waits for the outcome.

mod publish;
mod record;
mod wait;

pub use publish::{publish, publish_missing, recall_poisoned};
pub use record::record;
pub use wait::{LONGEST_OUTAGE, POLL_INTERVAL, Wait, conclude, wait_until_done};

#[cfg(test)]
mod tests;
