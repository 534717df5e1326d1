//! Hands a sweep to the workers and waits for the outcome.
//!
//! - `record` puts a sweep and its tables into the store, `inventory` keeps them in case it loses them, `publish` its jobs
//!   on the queue;
//! - `wait` follows it to its end; `lost_jobs` finds what nobody will do, to be published again, and
//!   `other_sweeps` counts the messages that are not for it;
//! - `damage` has damaged traces computed again;
//! - `remarks` is what workers tell of themselves;
//! - `retry` releases poisoned jobs; `cancel` stops a sweep and resumes it; `delete` deletes one;
//! - `control` is what a user asks of a sweep under way, on the command line or on a page;
//! - `live_workers` counts the workers that are there.

mod cancel;
mod control;
mod damage;
mod delete;
mod error;
mod inventory;
mod live_workers;
mod lost_jobs;
mod newer_versions;
mod other_sweeps;
mod publish;
mod record;
mod remarks;
mod retry;
mod sound_sweeps;
mod wait;

pub(crate) use cancel::release_series;
pub use cancel::{Cancelled, cancel, refuse_cancelled, resume};
pub(crate) use control::{cancel_sweep, resume_sweep, retry_sweep};
pub use damage::discard_damaged;
pub use delete::{DeleteError, LISTENING, PlannedDeletion, refuse_active};
pub use error::{DispatchError, Interruption};
pub use inventory::Inventory;
pub use lost_jobs::{Lost, LostJobs, POLL_INTERVAL, SETTLING, look_for_lost_jobs};
pub(crate) use publish::unless_interrupted;
pub use publish::{publish, publish_for, publish_sweep};
pub use record::record;
pub(crate) use remarks::remarks_of;
pub use remarks::{WorkerRemarks, worker_remarks};
pub use retry::retry_poisoned;
pub(crate) use sound_sweeps::all_sound_sweeps;
pub use wait::{
    LONGEST_ABSENCE, LONGEST_OUTAGE, Requeue, Wait, conclude, conflicts, wait_until_done,
};

#[cfg(test)]
mod tests;
