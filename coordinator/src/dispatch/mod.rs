//! Hands a sweep to the workers and waits for the outcome.
//!
//! - `record` puts a sweep and its tables into the store, `publish` its jobs on the queue;
//! - `wait` follows it to its end; `lost_jobs` finds what nobody will do, to be published again;
//! - `recall` gives jobs that were given up another chance; `cancel` stops a sweep.

mod cancel;
mod lost_jobs;
mod publish;
mod recall;
mod record;
mod wait;

pub use cancel::{Cancelled, cancel, refuse_cancelled, revive};
pub use lost_jobs::{LostJobs, POLL_INTERVAL, SETTLING, look_for_lost_jobs};
pub use publish::{publish, publish_sweep};
pub use recall::recall_poisoned;
pub use record::record;
pub use wait::{LASTING, LONGEST_OUTAGE, Requeue, Wait, conclude, conflicts, wait_until_done};

#[cfg(test)]
mod tests;
