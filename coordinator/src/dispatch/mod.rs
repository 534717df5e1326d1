//! Hands a sweep to the workers and waits for the outcome.
//!
//! - `record` puts a sweep and its tables into the store, `publish` its jobs on the queue;
//! - `wait` follows it to its end; `lost_jobs` finds what nobody will do, to be published again;
//! - `retry` releases poisoned jobs; `cancel` stops a sweep and resumes it.

mod cancel;
mod error;
mod lost_jobs;
mod publish;
mod record;
mod retry;
mod wait;

pub use cancel::{Cancelled, cancel, refuse_cancelled, resume};
pub use error::{DispatchError, Interruption};
pub use lost_jobs::{LostJobs, POLL_INTERVAL, SETTLING, look_for_lost_jobs};
pub use publish::{publish, publish_sweep};
pub use record::record;
pub use retry::retry_poisoned;
pub use wait::{LASTING, LONGEST_OUTAGE, Requeue, Wait, conclude, conflicts, wait_until_done};

#[cfg(test)]
mod tests;
