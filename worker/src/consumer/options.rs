//! How a consumer works.

use std::time::Duration;

use loto_process::allocation::Allocation;
use loto_process::observation::readiness::Readiness;
use loto_proto::lifecycle::AttemptLimits;
use loto_transport::retry::Backoff;

use super::worker_name::worker_name;
use crate::isolation::JobLimits;

/// How a consumer works.
#[derive(Debug, Clone)]
pub struct ConsumerOptions {
    /// The worker's name: host name and process id, unless several share a process.
    pub worker: String,
    /// Tells this process from others of the same name, before and after it.
    pub process: String,
    /// Jobs that run side by side.
    pub jobs: u16,
    /// When a job is poisoned.
    pub attempt_limits: AttemptLimits,
    /// The delay before a failed job is tried again, which grows from failure to failure.
    pub failure_backoff: Backoff,
    /// How long running jobs may take to end after a shutdown was asked for.
    pub grace: Duration,
    /// The time that a batch system gives this process: no job is begun that is expected to take longer.
    pub allocation: Allocation,
    /// How long to wait without a job before the loop ends; `None`: forever.
    pub exit_when_idle: Option<Duration>,
    /// Time between two heartbeats, which tell the store what jobs are held; `None`: nobody
    /// asks, as in a process that is its own coordinator.
    pub heartbeat_interval: Option<Duration>,
    /// How long a job may make no progress while broker and store are there.
    pub longest_silence: Duration,
    /// Told whether the broker sends jobs and the store takes heartbeats.
    pub readiness: Readiness,
}

impl ConsumerOptions {
    /// How long a job may make no progress beyond its deadline: it may wait for blobs.
    pub const SILENCE_BEYOND_DEADLINE: Duration = Duration::from_secs(600);
}

impl Default for ConsumerOptions {
    fn default() -> Self {
        Self {
            worker: worker_name(),
            process: format!("{:016x}", rand::random::<u64>()),
            jobs: 1,
            attempt_limits: AttemptLimits {
                failures: 3,
                // Below the broker's delivery limit, which would drop the job without a word on why.
                vanished: 10,
            },
            failure_backoff: Backoff::FAILED_JOB,
            grace: Duration::from_secs(30),
            allocation: Allocation::default(),
            exit_when_idle: None,
            heartbeat_interval: None,
            longest_silence: JobLimits::DEADLINE + ConsumerOptions::SILENCE_BEYOND_DEADLINE,
            readiness: Readiness::default(),
        }
    }
}
